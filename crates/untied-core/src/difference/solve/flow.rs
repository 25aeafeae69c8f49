//! Dot products of rankings with ties, where tied documents may stand in any order too: the largest S(A) - S(B) over
//! all gains and all orders of both rankings.
//!
//! A tie group of A is worth most with its highest gains first, one of B least with them last. So a group counts only
//! *how many* n of its unknown documents gain r_G. Its worth f(n) in A is concave in n, its worth c(n) in B is convex:
//! they are values of assigning gains to places. What only A has gains r_G, what only B has nothing, and a document of
//! both is an edge from its group i in A to its group j in B:
//!
//!   max of sum over i of f_i(n_i) - sum over j of c_j(n_j),    n_i, n_j the chosen edges at i and j.
//!
//! That is a flow through a `Network`: documents are chosen until no path gains anything.

use std::collections::BTreeMap;

use super::network::{Edge, Network, Worth};
use super::{Instance, Solution};

/// The largest S(A) - S(B) for discounts D(1) and so on up to the depth; nothing counts below.
///
/// The numbers of documents after which the tie groups of A and of B end; a document's rank is any within its group.
pub fn solve(instance: &Instance, ends: (&[u32], &[u32]), discounts: &[f64]) -> Solution {
    let mut network = network(instance, ends, discounts);
    while network.augment(0.0).is_some() {}
    let lacking = &discounts[instance.lengths.0.min(instance.depth)..instance.depth];
    let [of_a, of_b] = network.groups().map(|side| side.map(|(group, on)| group.worth(on)).sum::<f64>());
    let value = of_a - of_b + instance.top * lacking.iter().map(|d| d.max(0.0)).sum::<f64>();
    let mut gains: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
    network.chosen().for_each(|i| gains[i] = instance.top);
    let own = instance.documents.iter().zip(&mut gains).filter(|(x, _)| x.known.is_none() && x.b == 0);
    own.for_each(|(_, gain)| *gain = instance.top);
    Solution { value, bound: value, gains, nodes: 0 }
}

/// A tie group of either ranking.
struct Group {
    /// What a chosen document gains.
    top: f64,
    /// Sums of its discounts, in the order in which gains stand on them from the highest on.
    sums: Vec<f64>,
    /// Known gains, from the highest on.
    known: Vec<f64>,
    /// How many others gain r_G in any case.
    fixed: usize,
}

impl Group {
    fn all(top: f64, ends: &[u32], discounts: &[f64], order: fn(&f64, &f64) -> std::cmp::Ordering) -> Vec<Group> {
        let mut start = 0;
        let group = |&end: &u32| {
            let places = start..end as usize;
            let mut within: Vec<f64> = places.map(|i| discounts.get(i).copied().unwrap_or(0.0)).collect();
            within.sort_by(order);
            start = end as usize;
            let mut sums = vec![0.0];
            within.iter().for_each(|d| sums.push(sums[sums.len() - 1] + d));
            Group { top, sums, known: Vec::new(), fixed: 0 }
        };
        ends.iter().map(group).collect()
    }

    /// The value of the group with this number of chosen documents.
    fn worth(&self, on: usize) -> f64 {
        let higher = self.known.partition_point(|&gain| gain > self.top);
        let tops = self.fixed + on;
        let at = |i: usize| self.sums[i + 1] - self.sums[i];
        let of_known = |(i, gain): (usize, &f64)| gain * at(if i < higher { i } else { i + tops });
        let of_tops = self.top * (self.sums[higher + tops] - self.sums[higher]);
        of_tops + self.known.iter().enumerate().map(of_known).sum::<f64>()
    }
}

impl Worth for Group {
    fn step(&self, chosen: usize) -> f64 {
        self.worth(chosen + 1) - self.worth(chosen)
    }
}

fn network(instance: &Instance, ends: (&[u32], &[u32]), discounts: &[f64]) -> Network<Group> {
    let discounts = &discounts[..instance.depth];
    let mut a = Group::all(instance.top, ends.0, discounts, |one, other| other.total_cmp(one));
    let mut b = Group::all(instance.top, ends.1, discounts, f64::total_cmp);
    let group = |ends: &[u32], rank: u32| (rank > 0).then(|| ends.partition_point(|&end| end < rank));
    let mut edges: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (i, x) in instance.documents.iter().enumerate() {
        match (x.known, group(ends.0, x.a), group(ends.1, x.b)) {
            (Some(gain), of_a, of_b) => {
                of_a.into_iter().for_each(|of_a| a[of_a].known.push(gain));
                of_b.into_iter().for_each(|of_b| b[of_b].known.push(gain));
            }
            (None, Some(of_a), Some(of_b)) => edges.entry((of_a, of_b)).or_default().push(i),
            (None, Some(of_a), None) => a[of_a].fixed += 1,
            (None, None, _) => {}
        }
    }
    a.iter_mut().chain(&mut b).for_each(|group| group.known.sort_by(|one, other| other.total_cmp(one)));
    Network::new(a, b, edges.into_iter().map(|((a, b), documents)| Edge::new(a, b, documents)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::solve::Document;

    #[test]
    fn one_group_of_a_thousand_documents_against_another() {
        let documents = (1..=1000).map(|i| Document { a: i, b: i, known: None }).collect();
        let instance = Instance { depth: 1000, lengths: (1000, 1000), documents, top: 1.0 };
        let discounts: Vec<f64> = (1..=1000).map(|i| 1.0 / f64::from(i)).collect();
        let found = solve(&instance, (&[1000], &[1000]), &discounts);
        // The first half against the last.
        let expected = discounts[..500].iter().sum::<f64>() - discounts[500..].iter().sum::<f64>();
        assert!((found.value - expected).abs() < 1e-12);
    }
}
