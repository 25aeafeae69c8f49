//! Measures of the first relevant document: RR and Success.
//!
//! Only the first group of A with a relevant document counts, and n, how many it has; relevant documents of later groups
//! can only help B. So unknown documents of one group of A are relevant, at or above its first known one. Of n of them
//! those are best that B ranks lowest: what a group of B is worth, with any number of relevant documents, is no more than
//! what an earlier one is worth with one. With f(rank) that never rises, a group of g documents from rank s + 1 on, n of
//! them relevant, is worth
//!
//!   one order (g = n = 1):  f(s + 1);      the best order:  f(s + 1);      the worst:  f(s + g - n + 1);
//!   the mean:  sum_i f(s + i) C(g - i, n - 1) / C(g, n).

use super::layout::Scale;
use super::pair::{RankingPair, Ties};
use super::setup::Setup;
use super::solution::Assignment;
use super::solve::Relevance;
use super::upper_bounds::{MovingDifference, UpperBounds};
use crate::error::Result;
use crate::ranking::List;

/// Such a measure: a value of the first relevant rank, which never rises.
struct FirstRelevant {
    scale: Scale,
    ties: Ties,
    /// What the first relevant document is worth at a rank.
    value: fn(f64) -> f64,
}

fn first(setup: &Setup<'_>, value: fn(f64) -> f64) -> Result<Box<dyn MovingDifference>> {
    Ok(Box::new(FirstRelevant { scale: setup.moving_binary()?, ties: setup.options.ties, value }))
}

/// RR.
pub(super) fn reciprocal_rank(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    first(setup, |rank| 1.0 / rank)
}

/// Success.
pub(super) fn success(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    first(setup, |_| 1.0)
}

/// Relevant documents of the first tie group that has any.
#[derive(Debug, Clone, Copy)]
struct Hits {
    group: usize,
    count: usize,
}

impl Hits {
    /// The first group with one relevant document more in a group.
    fn with(self, group: usize) -> Hits {
        match group {
            earlier if earlier < self.group => Hits { group: earlier, count: 1 },
            same if same == self.group => Hits { count: self.count + 1, ..self },
            _ => self,
        }
    }
}

/// None is relevant: no group is behind this one.
const NONE: Hits = Hits { group: usize::MAX, count: 0 };

/// The group that holds a rank; none has rank 0.
fn group_of(list: &List, rank: u32) -> usize {
    if rank == 0 { usize::MAX } else { list.ends.partition_point(|&end| end < rank) }
}

/// An assignment: its value, and which documents are relevant.
struct Found {
    value: f64,
    documents: Vec<u32>,
}

impl FirstRelevant {
    fn cutoff(&self) -> usize {
        self.scale.cutoff.unwrap_or(usize::MAX)
    }

    /// f; 0 where a rank does not count.
    fn value_at(&self, rank: usize) -> f64 {
        if rank > self.cutoff() { 0.0 } else { (self.value)(rank as f64) }
    }

    /// What a ranking is worth in the best order, the worst, or the mean.
    fn worth(&self, list: &List, hits: Hits, is_best: bool) -> f64 {
        if hits.group == usize::MAX {
            return 0.0;
        }
        let start = if hits.group == 0 { 0 } else { list.ends[hits.group - 1] as usize };
        let size = list.ends[hits.group] as usize - start;
        let last = size - hits.count + 1;
        match (self.ties, is_best) {
            (Ties::BestWorst, true) => self.value_at(start + 1),
            (Ties::BestWorst, false) => self.value_at(start + last),
            (Ties::Mean, _) => {
                // The first one stands at i with probability p_i, p_1 = n / g, p_{i+1} = p_i (g - i - n + 1) / (g - i).
                let (mut chance, mut sum) = (hits.count as f64 / size as f64, 0.0);
                for i in 1..=last.min(self.cutoff().saturating_sub(start)) {
                    sum += chance * self.value_at(start + i);
                    chance *= (last - i) as f64 / (size - i).max(1) as f64;
                }
                sum
            }
        }
    }

    /// The best assignments with 0, 1, 2, ... relevant documents of each group of A, given one after the other.
    fn visit(&self, pair: &RankingPair<'_>, mut visit: impl FnMut(f64, &[(usize, u32)])) {
        let relevant = pair.documents().filter(|&(_, grade)| self.scale.relevance(grade) == Relevance::Relevant);
        let (known_a, known_b) = relevant.fold((NONE, NONE), |(a, b), (place, _)| {
            (a.with(group_of(pair.a, place.a)), b.with(group_of(pair.b, place.b)))
        });
        let of_a = |hits: Hits| self.worth(pair.a, hits, true);
        let of_b = |hits: Hits| self.worth(pair.b, hits, false);
        visit(of_a(known_a) - of_b(known_b), &[]);
        let mut open: Vec<(usize, usize, u32)> = pair
            .unknown_documents()
            .map(|place| (group_of(pair.a, place.a), group_of(pair.b, place.b), place.document))
            .filter(|&(a, ..)| {
                a <= known_a.group && a < pair.a.ends.len() && (a == 0 || self.counts(pair.a.ends[a - 1]))
            })
            .collect();
        // Of each group of A those first that B ranks lowest.
        open.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)).then(one.2.cmp(&other.2)));
        let mut chosen = Vec::new();
        for group in open.chunk_by(|one, other| one.0 == other.0) {
            chosen.clear();
            let (mut a, mut b) = (known_a, known_b);
            for &(at_a, at_b, document) in group {
                (a, b) = (a.with(at_a), b.with(at_b));
                chosen.push((at_b, document));
                visit(of_a(a) - of_b(b), &chosen);
            }
        }
    }

    /// Whether the rank after this one counts.
    fn counts(&self, before: u32) -> bool {
        (before as usize) < self.cutoff()
    }
}

impl MovingDifference for FirstRelevant {
    fn upper_bounds(&self, pair: &RankingPair<'_>) -> UpperBounds {
        let mut best: Vec<f64> = Vec::new();
        self.visit(pair, |value, chosen| {
            if chosen.len() >= best.len() {
                best.push(value);
            }
            best[chosen.len()] = best[chosen.len()].max(value);
        });
        UpperBounds::of_exact_counts(best.into_iter())
    }

    fn assignment(&self, pair: &RankingPair<'_>, most: usize) -> Assignment {
        let mut best = Found { value: f64::NEG_INFINITY, documents: Vec::new() };
        self.visit(pair, |value, chosen| {
            if chosen.len() <= most && value > best.value {
                best = Found { value, documents: chosen.iter().map(|&(_, document)| document).collect() };
            }
        });
        Assignment::of_grade(best.value, self.scale.max_grade, best.documents.into_iter().map(Some))
    }
}
