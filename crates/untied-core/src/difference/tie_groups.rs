//! Sums of gains times discounts, with tied documents of A in their best order and of B in their worst. For each m, it
//! finds the largest difference that m relevant unknown documents can make.
//!
//! The value of A in its best order is convex in the gain of every document, and so is what the worst order of B takes
//! off. So if the norm is given, some best assignment gives each unknown document the highest gain or none, as in
//! rankings without ties. A tie group has its highest gains first in the best order, and last in the worst. So it only
//! matters *how many* of its unknown documents are relevant: what one more of them gains never rises in A, and what it
//! costs never falls in B. Make each document an edge from its group in A to its group in B, or to a group that is
//! worth nothing if a ranking lacks it. Then the problem is a flow through a [`Network`], in which the gain of each
//! further unit never rises. Groups that are not joined by documents do not depend on each other, so the gains of all
//! components in descending order are those of the whole.

use std::collections::BTreeMap;

use super::pair::RankingPair;
use super::solve::network::{Edge, GainsByCount, Network};
use crate::ranking::List;

/// Two tied rankings, and what their unknown documents can add to the difference.
pub(super) struct TieGroups {
    /// What the judged documents gain in A less what they gain in B.
    pub known: f64,
    /// The numbers of the unknown documents that A or B has.
    documents: Vec<u32>,
    /// The components: groups of A and B that are joined by documents.
    components: Vec<GroupNetwork>,
    /// For each component, what its first, second, ... relevant document adds to the difference.
    gains: Vec<Vec<f64>>,
}

/// A component: tie groups that are joined by documents, directly or through other groups.
type GroupNetwork = Network<GroupGains>;

/// What a tie group gains with its first, second, ... relevant unknown document.
type GroupGains = Vec<f64>;

impl GainsByCount for GroupGains {
    fn step(&self, chosen: usize) -> f64 {
        self.get(chosen).copied().unwrap_or(0.0)
    }
}

/// The tie groups of one ranking that begin at ranks with a discount.
struct RankingGroups<'l> {
    /// The rank at which each group ends.
    ends: &'l [u32],
    /// For each group, the gains of its judged documents, highest first once they are sorted.
    known: Vec<Vec<f64>>,
    /// For each group, the discounts of its ranks, first those that the documents with the highest gains get.
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

    /// The index of the group that holds a rank; none for rank 0, and below the ranks with a discount.
    fn at(&self, rank: u32) -> Option<usize> {
        let group = self.ends.partition_point(|&end| end < rank);
        (rank > 0 && group < self.known.len()).then_some(group)
    }

    /// What the judged documents of all groups gain if no unknown document is relevant.
    fn sum(&self) -> f64 {
        (0..self.known.len()).map(|group| self.worth(group, 0, 0.0)).sum()
    }

    /// The gain of a group in which `relevant` unknown documents gain `top` each. They come after judged documents that
    /// gain more, and before all others.
    fn worth(&self, group: usize, relevant: usize, top: f64) -> f64 {
        let known = &self.known[group];
        let (above, rest) = self.discounts[group].split_at(known.partition_point(|&gain| gain > top));
        let (tops, rest) = rest.split_at(relevant);
        let known = known.iter().zip(above.iter().chain(rest)).map(|(gain, discount)| gain * discount);
        top * tops.iter().sum::<f64>() + known.sum::<f64>()
    }

    /// What a group gains with each further unknown document that gains `top`.
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
    /// Makes the tie groups of a pair. `discounts` are those of the ranks, `gain` gives the gain of a judged document
    /// by its grade, and `top` is the gain of an unknown document that turns out to be relevant.
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
        // Choose all documents of each component one after the other, to learn what each adds; then start again.
        let (steps_a, steps_b) = (a.all_steps(top), b.all_steps(top));
        let mut components = components(&joined, (&steps_a, &steps_b));
        let all = |component: &mut GroupNetwork| std::iter::from_fn(|| component.augment(f64::NEG_INFINITY)).collect();
        let gains = components.iter_mut().map(all).collect();
        components.iter_mut().for_each(Network::clear);
        TieGroups { known: a.sum() - b.sum(), documents, components, gains }
    }

    /// What each further relevant document adds to the difference, component by component.
    pub fn gains(&self) -> impl Iterator<Item = f64> {
        self.gains.iter().flatten().copied()
    }

    /// The numbers of the m unknown documents that add the most together; none for a document that neither ranking has.
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

/// The components of a problem, in the order of their first groups, from the groups of A and of B that each document
/// joins.
fn components(joined: &[(Option<usize>, Option<usize>)], steps: (&[GroupGains], &[GroupGains])) -> Vec<GroupNetwork> {
    // Groups have indices: those of A, those of B, and for each of them one of the other ranking that is worth nothing.
    let (in_a, in_b) = (steps.0.len(), steps.1.len());
    let all = in_a + in_b;
    let groups = |groups: &(Option<usize>, Option<usize>)| match *groups {
        (Some(a), Some(b)) => (a, in_a + b),
        (Some(a), None) => (a, all + a),
        (None, Some(b)) => (all + in_a + b, in_a + b),
        (None, None) => (2 * all, 2 * all + 1),
    };
    // Join the groups of each document; groups with the same root are one component.
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

/// The smallest index of a group that is joined with this group.
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
        // The first half against the last.
        let expected = discounts[..500].iter().sum::<f64>() - discounts[500..].iter().sum::<f64>();
        let largest: f64 = groups.gains().filter(|&gain| gain > 0.0).sum();
        assert!((largest - expected).abs() < 1e-12);
        assert_eq!(groups.best(500).count(), 500);
    }
}
