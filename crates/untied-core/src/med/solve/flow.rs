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
//! That is a min-cost flow with convex costs (Ahuja, Magnanti & Orlin 1993, chapter 14): one more unit flows along the
//! best path from a group of A to one of B that may take chosen edges back, until no path gains anything. Edges cost
//! nothing, so the best path from a group ends at the cheapest group it can reach.

use std::collections::BTreeMap;

use super::{Instance, Solution};

/// The largest S(A) - S(B) for discounts D(1) and so on up to the depth; nothing counts below.
///
/// Tie groups of A and of B end after so many documents; a document's rank is any within its group.
#[must_use]
pub fn solve(instance: &Instance, ends: (&[u32], &[u32]), discounts: &[f64]) -> Solution {
    let mut network = Network::new(instance, ends, discounts);
    while network.augment() {}
    let lacking = &discounts[instance.lengths.0.min(instance.depth)..instance.depth];
    let value = network.value() + instance.top * lacking.iter().map(|d| d.max(0.0)).sum::<f64>();
    let mut gains: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
    let chosen = network.edges.iter().flat_map(|edge| &edge.documents[..edge.on]);
    chosen.for_each(|&i| gains[i] = instance.top);
    let own = instance.documents.iter().zip(&mut gains).filter(|(x, _)| x.known.is_none() && x.b == 0);
    own.for_each(|(_, gain)| *gain = instance.top);
    Solution { value, bound: value, gains, nodes: 0 }
}

/// A tie group of either ranking.
struct Group {
    /// Sums of its discounts, in the order in which gains stand on them from the highest on.
    sums: Vec<f64>,
    /// Known gains, from the highest on.
    known: Vec<f64>,
    /// How many others gain r_G in any case, and how many chosen ones do.
    fixed: usize,
    on: usize,
    /// Edges of its documents of both rankings.
    edges: Vec<usize>,
}

/// Unknown documents of one group of A and one of B.
struct Edge {
    a: usize,
    b: usize,
    documents: Vec<usize>,
    /// How many of them gain r_G.
    on: usize,
}

struct Network {
    top: f64,
    a: Vec<Group>,
    b: Vec<Group>,
    edges: Vec<Edge>,
}

/// How to go on from a group towards the end of its path.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Unseen,
    End,
    Along(usize),
}

impl Group {
    fn all(ends: &[u32], discounts: &[f64], order: fn(&f64, &f64) -> std::cmp::Ordering) -> Vec<Group> {
        let mut start = 0;
        let group = |&end: &u32| {
            let places = start..end as usize;
            let mut within: Vec<f64> = places.map(|i| discounts.get(i).copied().unwrap_or(0.0)).collect();
            within.sort_by(order);
            start = end as usize;
            let mut sums = vec![0.0];
            within.iter().for_each(|d| sums.push(sums[sums.len() - 1] + d));
            Group { sums, known: Vec::new(), fixed: 0, on: 0, edges: Vec::new() }
        };
        ends.iter().map(group).collect()
    }

    /// What it is worth with so many chosen documents.
    fn worth(&self, on: usize, top: f64) -> f64 {
        let higher = self.known.partition_point(|&gain| gain > top);
        let tops = self.fixed + on;
        let at = |i: usize| self.sums[i + 1] - self.sums[i];
        let of_known = |(i, gain): (usize, &f64)| gain * at(if i < higher { i } else { i + tops });
        top * (self.sums[higher + tops] - self.sums[higher]) + self.known.iter().enumerate().map(of_known).sum::<f64>()
    }

    /// What one more chosen document changes.
    fn next(&self, top: f64) -> f64 {
        self.worth(self.on + 1, top) - self.worth(self.on, top)
    }
}

impl Network {
    fn new(instance: &Instance, ends: (&[u32], &[u32]), discounts: &[f64]) -> Network {
        let discounts = &discounts[..instance.depth];
        let mut a = Group::all(ends.0, discounts, |one, other| other.total_cmp(one));
        let mut b = Group::all(ends.1, discounts, f64::total_cmp);
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
        let edges: Vec<Edge> = edges.into_iter().map(|((a, b), documents)| Edge { a, b, documents, on: 0 }).collect();
        for (number, edge) in edges.iter().enumerate() {
            a[edge.a].edges.push(number);
            b[edge.b].edges.push(number);
        }
        Network { top: instance.top, a, b, edges }
    }

    fn value(&self) -> f64 {
        let worth = |group: &Group| group.worth(group.on, self.top);
        self.a.iter().map(worth).sum::<f64>() - self.b.iter().map(worth).sum::<f64>()
    }

    /// Choose one more document along the best path; whether there was one that gains something.
    fn augment(&mut self) -> bool {
        let has_room = |edge: &Edge| edge.on < edge.documents.len();
        // Groups of B by what one more costs there: every group of A gets the first that it can reach.
        let open = self.b.iter().enumerate().filter(|(_, group)| group.edges.iter().any(|&e| has_room(&self.edges[e])));
        let mut ends: Vec<(f64, usize)> = open.map(|(j, group)| (group.next(self.top), j)).collect();
        ends.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut from_a = vec![Step::Unseen; self.a.len()];
        let mut from_b = vec![Step::Unseen; self.b.len()];
        let mut best: (f64, Option<usize>) = (0.0, None);
        let mut reached = Vec::new();
        for (cost, end) in ends {
            if from_b[end] != Step::Unseen {
                continue; // a cheaper one can be reached from it
            }
            from_b[end] = Step::End;
            reached.push(end);
            while let Some(j) = reached.pop() {
                let into = self.b[j].edges.iter().filter(|&&e| has_room(&self.edges[e]));
                for &edge in into {
                    let i = self.edges[edge].a;
                    if from_a[i] != Step::Unseen {
                        continue;
                    }
                    from_a[i] = Step::Along(edge);
                    let gained = self.a[i].next(self.top) - cost;
                    if gained > best.0 {
                        best = (gained, Some(i));
                    }
                    for &back in self.a[i].edges.iter().filter(|&&e| self.edges[e].on > 0) {
                        let other = self.edges[back].b;
                        if from_b[other] == Step::Unseen {
                            from_b[other] = Step::Along(back);
                            reached.push(other);
                        }
                    }
                }
            }
        }
        let Some(mut i) = best.1 else { return false };
        self.a[i].on += 1;
        while let Step::Along(edge) = from_a[i] {
            self.edges[edge].on += 1;
            let j = self.edges[edge].b;
            let Step::Along(back) = from_b[j] else {
                self.b[j].on += 1;
                break;
            };
            self.edges[back].on -= 1;
            i = self.edges[back].a;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::med::solve::Document;

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
