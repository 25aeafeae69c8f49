//! Sums over tied rankings in any order: the value of a group if some of its documents are relevant.
//!
//! The value of A in its best order is convex in every gain, as is what B's worst order takes off. So where the norm is
//! given, some best assignment gives every unknown document the highest gain or none, as in one order. Of a group whose
//! unknown documents gain the most n times, these come first and the judged ones follow.

use super::pair::RankingPair;
use super::solve::matching::{Joint, Matching, Steps};
use crate::ranking::List;

/// What judged documents and each further one gain in A less what they do in B.
pub(super) struct AnyOrder {
    pub known: f64,
    pub matching: Matching,
    /// Numbers of unknown documents; what is beyond are those that neither ranking has.
    pub documents: Vec<u32>,
}

/// Tie groups as far as they count.
struct Groups<'l> {
    ends: &'l [u32],
    /// Gains of judged documents.
    known: Vec<Vec<f64>>,
    /// Discounts, those of the highest gains first.
    discounts: Vec<Vec<f64>>,
}

impl<'l> Groups<'l> {
    fn new(list: &'l List, discounts: &[f64], is_best: bool) -> Groups<'l> {
        let mut start = 0;
        let mut found = Vec::new();
        for &end in &list.ends {
            if start >= discounts.len() {
                break;
            }
            let mut within: Vec<f64> =
                (start..end as usize).map(|i| discounts.get(i).copied().unwrap_or(0.0)).collect();
            within.sort_by(|one, other| if is_best { other.total_cmp(one) } else { one.total_cmp(other) });
            found.push(within);
            start = end as usize;
        }
        Groups { ends: &list.ends, known: vec![Vec::new(); found.len()], discounts: found }
    }

    /// The group that holds a rank, if it counts.
    fn at(&self, rank: u32) -> Option<usize> {
        let group = self.ends.partition_point(|&end| end < rank);
        (rank > 0 && group < self.known.len()).then_some(group)
    }

    /// What all judged documents gain.
    fn sum(&self) -> f64 {
        (0..self.known.len()).map(|group| self.worth(group, 0, 0.0)).sum()
    }

    fn worth(&self, group: usize, relevant: usize, top: f64) -> f64 {
        let (first, rest) = self.discounts[group].split_at(relevant);
        let known = self.known[group].iter().zip(rest).map(|(gain, discount)| gain * discount);
        top * first.iter().sum::<f64>() + known.sum::<f64>()
    }

    /// What a group gains with each further unknown document that gains `top`.
    fn steps(&self, group: usize, top: f64) -> Steps {
        let unknown = self.discounts[group].len() - self.known[group].len();
        let worth: Vec<f64> = (0..=unknown).map(|relevant| self.worth(group, relevant, top)).collect();
        worth.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    fn all_steps(&mut self, top: f64) -> Vec<Steps> {
        for known in &mut self.known {
            known.sort_by(|one, other| other.total_cmp(one));
        }
        (0..self.known.len()).map(|group| self.steps(group, top)).collect()
    }
}

impl AnyOrder {
    /// By discounts of ranks, gains of grades, and the gain of an unknown document that is relevant, which none exceeds.
    pub fn new(pair: &RankingPair<'_>, discounts: &[f64], gain: impl Fn(f64) -> f64, top: f64) -> AnyOrder {
        let mut a = Groups::new(pair.a, discounts, true);
        let mut b = Groups::new(pair.b, discounts, false);
        let (mut joints, mut documents) = (Vec::new(), Vec::new());
        for (place, grade) in pair.documents() {
            let (at_a, at_b) = (a.at(place.a), b.at(place.b));
            if grade.is_nan() {
                joints.push(Joint { a: at_a, b: at_b });
                documents.push(place.document);
                continue;
            }
            at_a.into_iter().for_each(|group| a.known[group].push(gain(grade)));
            at_b.into_iter().for_each(|group| b.known[group].push(gain(grade)));
        }
        joints.resize(joints.len() + pair.facts.unretrieved, Joint { a: None, b: None });
        let (of_a, of_b) = (a.all_steps(top), b.all_steps(top));
        AnyOrder { known: a.sum() - b.sum(), matching: Matching::new(&joints, (&of_a, &of_b)), documents }
    }
}
