//! Sums of gains times discounts, with A in its best order of tied documents and B in its worst. The room finds the
//! largest difference for each number m of relevant unknown documents.
//!
//! For a given norm, some best assignment gives each unknown document the highest gain or none, as in rankings without
//! ties. This is because the value of A in its best order is convex in the gain of every document, and so is minus the
//! value of B in its worst order. In the best order, a tie group has its highest gains first, and in the worst order
//! last. So only the *number* of its relevant unknown documents matters. One more of them gains no more in A than the
//! one before, and costs no less in B.
//!
//! Make each document an edge from its group in A to its group in B. (If a ranking lacks it, the edge leads to a group
//! that is worth nothing.) Then the problem is a flow through a [`Network`], in which each further unit gains no more
//! than the one before. Groups that no documents join do not depend on each other. So the gains of all components, in
//! descending order, are those of the whole.

use std::collections::BTreeMap;

use super::pair::RankingPair;
use super::solve::network::{Edge, GainsByCount, Network};
use crate::ranking::List;

/// Two tied rankings, and the gains of their unknown documents.
pub(super) struct TieGroups {
    /// The difference that the judged documents make.
    pub known: f64,
    /// The numbers of the unknown documents that A or B has.
    documents: Vec<u32>,
    /// The tie groups of A and B, divided into components: groups that documents join.
    components: Vec<GroupNetwork>,
    /// For each component, the gains of its first, second, ... relevant document.
    gains: Vec<Vec<f64>>,
}

/// A component: tie groups that documents join, directly or through other groups.
type GroupNetwork = Network<GroupGains>;

/// The gains of the first, second, ... relevant unknown document of a tie group.
type GroupGains = Vec<f64>;

impl GainsByCount for GroupGains {
    fn step(&self, chosen: usize) -> f64 {
        self.get(chosen).copied().unwrap_or(0.0)
    }
}

/// The tie groups of one ranking, down to the last rank with a discount.
struct RankingGroups<'l> {
    /// The rank at which each group ends.
    ends: &'l [u32],
    /// The gains of the judged documents of each group. They are sorted later, highest first.
    known: Vec<Vec<f64>>,
    /// The discounts of each group's ranks, in the order in which the highest gains get them.
    discounts: Vec<Vec<f64>>,
}

impl<'l> RankingGroups<'l> {
    fn new(list: &'l List, discounts: &[f64], is_best: bool) -> RankingGroups<'l> {
        let mut start = 0;
        let mut by_group = Vec::new();
        for &end in &list.ends {
            if start >= discounts.len() {
                break;
            }
            let mut within: Vec<f64> =
                (start..end as usize).map(|i| discounts.get(i).copied().unwrap_or(0.0)).collect();
            within.sort_by(|x, y| if is_best { y.total_cmp(x) } else { x.total_cmp(y) });
            by_group.push(within);
            start = end as usize;
        }
        RankingGroups { ends: &list.ends, known: vec![Vec::new(); by_group.len()], discounts: by_group }
    }

    /// The index of the group at a rank. None for rank 0, and below the last rank with a discount.
    fn at(&self, rank: u32) -> Option<usize> {
        let group = self.ends.partition_point(|&end| end < rank);
        (rank > 0 && group < self.known.len()).then_some(group)
    }

    /// The gains of the judged documents in all groups, if no unknown document is relevant.
    fn sum(&self) -> f64 {
        (0..self.known.len()).map(|group| self.worth(group, 0, 0.0)).sum()
    }

    /// The gain of a group with `relevant` unknown documents that gain `top` each. They come after judged documents
    /// that gain more.
    fn worth(&self, group: usize, relevant: usize, top: f64) -> f64 {
        let known = &self.known[group];
        let (above, rest) = self.discounts[group].split_at(known.partition_point(|&gain| gain > top));
        let (tops, rest) = rest.split_at(relevant);
        let known = known.iter().zip(above.iter().chain(rest)).map(|(gain, discount)| gain * discount);
        top * tops.iter().sum::<f64>() + known.sum::<f64>()
    }

    /// The gain of each further unknown document of a group, if it gains `top`.
    fn steps(&self, group: usize, top: f64) -> GroupGains {
        let unknown = self.discounts[group].len() - self.known[group].len();
        let worth: Vec<f64> = (0..=unknown).map(|relevant| self.worth(group, relevant, top)).collect();
        worth.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    fn all_steps(&mut self, top: f64) -> Vec<GroupGains> {
        for known in &mut self.known {
            known.sort_by(|x, y| y.total_cmp(x));
        }
        (0..self.known.len()).map(|group| self.steps(group, top)).collect()
    }
}

impl TieGroups {
    /// The tie groups of a pair. `discounts` has the discount of each rank, `gain` the gain of a grade, and `top` is
    /// the gain of a relevant unknown document.
    pub fn new(pair: &RankingPair<'_>, discounts: &[f64], gain: impl Fn(f64) -> f64, top: f64) -> TieGroups {
        let mut a = RankingGroups::new(pair.a, discounts, true);
        let mut b = RankingGroups::new(pair.b, discounts, false);
        let (mut joined, mut documents) = (Vec::new(), Vec::new());
        for (place, grade) in pair.documents() {
            let (in_a, in_b) = (a.at(place.a), b.at(place.b));
            if grade.is_nan() {
                joined.push((in_a, in_b));
                documents.push(place.document);
                continue;
            }
            in_a.into_iter().for_each(|group| a.known[group].push(gain(grade)));
            in_b.into_iter().for_each(|group| b.known[group].push(gain(grade)));
        }
        joined.resize(joined.len() + pair.facts.unretrieved, (None, None));
        // Choose all documents of a component one after the other, to learn the gain of each. Then start again.
        let (steps_a, steps_b) = (a.all_steps(top), b.all_steps(top));
        let mut components = components(&joined, (&steps_a, &steps_b));
        let all = |component: &mut GroupNetwork| std::iter::from_fn(|| component.augment(f64::NEG_INFINITY)).collect();
        let gains = components.iter_mut().map(all).collect();
        components.iter_mut().for_each(Network::clear);
        TieGroups { known: a.sum() - b.sum(), documents, components, gains }
    }

    /// The gains of all relevant documents, component by component.
    pub fn gains(&self) -> impl Iterator<Item = f64> {
        self.gains.iter().flatten().copied()
    }

    /// The numbers of the m unknown documents with the largest gains. None stands for a document that neither ranking
    /// has.
    pub fn best(mut self, m: usize) -> impl Iterator<Item = Option<u32>> {
        let all = self.gains.iter().enumerate();
        let mut order: Vec<(f64, usize)> =
            all.flat_map(|(component, gains)| gains.iter().map(move |&gain| (gain, component))).collect();
        order.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        for &(_, component) in order.iter().take(m) {
            self.components[component].augment(f64::NEG_INFINITY);
        }
        let best: Vec<usize> = self.components.iter().flat_map(Network::chosen).collect();
        best.into_iter().map(move |number| self.documents.get(number).copied())
    }
}

/// The components of a problem, in the order of their first groups. `joined` has the groups of each document in A and
/// in B.
fn components(joined: &[(Option<usize>, Option<usize>)], steps: (&[GroupGains], &[GroupGains])) -> Vec<GroupNetwork> {
    // Groups are numbered: those of A, those of B, and for each of these a group of the other ranking that is worth
    // nothing.
    let (in_a, in_b) = (steps.0.len(), steps.1.len());
    let all = in_a + in_b;
    let groups = |groups: &(Option<usize>, Option<usize>)| match *groups {
        (Some(a), Some(b)) => (a, in_a + b),
        (Some(a), None) => (a, all + a),
        (None, Some(b)) => (all + in_a + b, in_a + b),
        (None, None) => (2 * all, 2 * all + 1),
    };
    // Join the groups of each document. Groups with the same root are one component.
    let mut roots: Vec<usize> = (0..2 * all + 2).collect();
    for (a, b) in joined.iter().map(groups) {
        let (first, second) = (root(&mut roots, a), root(&mut roots, b));
        roots[first.max(second)] = first.min(second);
    }
    let mut edges: BTreeMap<(usize, usize, usize), Vec<usize>> = BTreeMap::new();
    for (number, (a, b)) in joined.iter().map(groups).enumerate() {
        edges.entry((root(&mut roots, a), a, b)).or_default().push(number);
    }
    let mut parts: Vec<(Vec<GroupGains>, Vec<GroupGains>, Vec<Edge>)> = Vec::new();
    let (mut last, mut numbers) = (None, BTreeMap::new());
    for ((component, a, b), documents) in edges {
        if last != Some(component) {
            parts.push(Default::default());
            (last, numbers) = (Some(component), BTreeMap::new());
        }
        let Some((groups_a, groups_b, edges)) = parts.last_mut() else { continue };
        let nothing = || vec![0.0; documents.len()];
        let at_a = *numbers.entry(a).or_insert_with(|| {
            groups_a.push(if a < in_a { steps.0[a].clone() } else { nothing() });
            groups_a.len() - 1
        });
        let at_b = *numbers.entry(b).or_insert_with(|| {
            groups_b.push(if b < all { steps.1[b - in_a].clone() } else { nothing() });
            groups_b.len() - 1
        });
        edges.push(Edge::new(at_a, at_b, documents));
    }
    parts.into_iter().map(|(a, b, edges)| Network::new(a, b, edges)).collect()
}

/// The smallest index of a group in the same component.
fn root(roots: &mut [usize], mut group: usize) -> usize {
    while roots[group] != group {
        roots[group] = roots[roots[group]];
        group = roots[group];
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::pair::PairFacts;
    use crate::ranking::Placed;

    #[test]
    fn one_group_of_a_thousand_documents_against_another() {
        let list = List { docs: (0..1000).collect(), ends: vec![1000] };
        let places: Vec<Placed> = (0..1000).map(|i| Placed { document: i, a: i + 1, b: i + 1 }).collect();
        let facts = PairFacts { grades: &[f64::NAN; 1000], ..PairFacts::default() };
        let pair = RankingPair { a: &list, b: &list, places: &places, facts };
        let discounts: Vec<f64> = (1..=1000).map(|i| 1.0 / f64::from(i)).collect();
        let groups = TieGroups::new(&pair, &discounts, |_| 0.0, 1.0);
        // The discounts of the first half, minus those of the last half.
        let expected = discounts[..500].iter().sum::<f64>() - discounts[500..].iter().sum::<f64>();
        let largest: f64 = groups.gains().filter(|&gain| gain > 0.0).sum();
        assert!((largest - expected).abs() < 1e-12);
        assert_eq!(groups.best(500).count(), 500);
    }
}
