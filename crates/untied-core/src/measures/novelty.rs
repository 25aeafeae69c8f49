//! Measures that add up the gain of relevant documents by subtopic.
//!
//! A document at rank i that is the (c+1)-th relevant one to subtopic j adds w_i v(c). Mostly v(c) is q^c, because
//! readers of the subtopic tire of it (alpha-DCG, ERR-IA, NRBP: q = 1 - alpha; subtopic recall: q = 0; P-IA: q = 1). In
//! AP-IA, v(c) = (c+1) / R_j and w_i = 1/i. The mean of the sum is the sum of the means of the subtopics. In a group of
//! n documents, r of them relevant to j, after B others that are, position a adds on average
//!
//!   w_{t+a} (r/n) E\[v(B + H)\],
//!
//! where H is the number of relevant documents among a-1 that are drawn from the other n-1, r-1 of them relevant. If v
//! = q^c, this is the walk of a user who gains 1 from a relevant document and goes on after it with probability q.
//!
//! The smallest and the largest value do not follow from those of the subtopics, because one order is seldom the best
//! for all of them. It is if the documents of each group are relevant to nested sets of subtopics. If not, all orders
//! are tried if they are few; otherwise the extremes of the subtopics are added up, which encloses all values.

use super::novel_ideal::BestSums;
use super::orders::Outcome;
use super::orders::sampling::{self, PlacedDocument};
use super::orders::walk::{self, Kind};
use super::subtopics::{Arranged, Topic};
use super::{Certainty, Measure, Orders};
use crate::elementary::powi;
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

/// The worth v of a relevant document, as a function of the number of relevant ones before it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Worth {
    /// q^c.
    Falls(f64),
    /// (c+1) / R_j.
    Rises,
}

/// The number by which the sum is divided.
#[derive(Debug)]
pub(super) enum Norm {
    /// The number of subtopics, times this.
    Subtopics(f64),
    /// The number of subtopics, times the entry for the number of documents retrieved.
    Retrieved(Vec<f64>),
    /// The largest sum that a ranking of judged documents has.
    Best(BestSums),
    /// The sum of ndeval's greedy ideal ranking, for this q.
    Greedy(f64),
}

/// A measure of novelty with its parameters.
pub(super) struct Novelty {
    pub rel: f64,
    /// Weights of the ranks within the cutoff, w; they never rise.
    pub weights: Vec<f64>,
    pub worth: Worth,
    pub norm: Norm,
}

impl Novelty {
    fn depth(&self, ranking: &Ranking) -> usize {
        self.weights.len().min(ranking.retrieved)
    }

    fn weights_of(&self, group: &Group<'_>) -> &[f64] {
        &self.weights[group.start..group.start + group.slots(self.weights.len())]
    }

    /// Whether all weights within the cutoff are equal.
    fn is_flat(&self) -> bool {
        self.weights.first() == self.weights.last()
    }

    /// Whether every document is worth the number of its subtopics, whatever came before.
    fn is_additive(&self) -> bool {
        matches!(self.worth, Worth::Falls(1.0))
    }

    /// v(c) for a subtopic with R relevant documents.
    fn worth(&self, before: usize, relevant: usize) -> f64 {
        match self.worth {
            Worth::Falls(q) => powi(q, before as i32),
            Worth::Rises => (before + 1) as f64 / relevant as f64,
        }
    }

    fn norm(&self, topic: &Topic<'_>, ranking: &Ranking) -> f64 {
        let covered = topic.covered as f64;
        match &self.norm {
            Norm::Subtopics(factor) => covered * factor,
            Norm::Retrieved(factors) => covered * factors[ranking.retrieved],
            Norm::Best(sums) => sums.best(topic.sets(), &self.weights),
            Norm::Greedy(q) => {
                let gains = topic.greedy(*q, self.weights.len());
                self.weights.iter().zip(gains).map(|(weight, gain)| weight * gain).sum()
            }
        }
    }

    /// Adds up what `add(total, group, subtopic, r, B)` adds for each group and each of its subtopics.
    fn over_groups<T: Default>(
        &self,
        topic: &Topic<'_>,
        ranking: &Ranking,
        mut add: impl FnMut(&mut T, &Group<'_>, usize, usize, usize),
    ) -> T {
        let mut total = T::default();
        let (mut before, mut counts) = (vec![0; topic.relevant.len()], Vec::new());
        for group in ranking.groups_to(self.depth(ranking)) {
            topic.count(&group, &mut counts);
            for (subtopic, &r) in counts.iter().enumerate().filter(|(_, r)| **r > 0) {
                add(&mut total, &group, subtopic, r, before[subtopic]);
                before[subtopic] += r;
            }
        }
        total
    }

    fn sum(&self, topic: &Topic<'_>, ranking: &Ranking) -> f64 {
        self.over_groups(topic, ranking, |total: &mut f64, group, subtopic, r, before| {
            let weights = self.weights_of(group);
            let share = r as f64 / group.size as f64;
            *total += match self.worth {
                _ if group.size == 1 => weights[0] * self.worth(before, topic.relevant[subtopic]),
                Worth::Falls(1.0) => share * weights.iter().sum::<f64>(),
                Worth::Falls(q) => {
                    let reach = powi(q, before as i32);
                    let relevant = Kind { gain: 1.0, go_on: q, count: r };
                    let other = Kind { gain: 0.0, go_on: 1.0, count: group.size - r };
                    if reach == 0.0 { 0.0 } else { reach * walk::mean(&[relevant, other], weights) }
                }
                Worth::Rises => {
                    let rise = if r > 1 { (r - 1) as f64 / (group.size - 1) as f64 } else { 0.0 };
                    let worth = |a: usize| (before + 1) as f64 + a as f64 * rise;
                    let sum = weights.iter().enumerate().map(|(a, weight)| weight * worth(a)).sum::<f64>();
                    share * sum / topic.relevant[subtopic] as f64
                }
            };
        })
    }

    /// The sum for one order.
    fn value<'s>(&self, topic: &Topic<'_>, placed: impl Iterator<Item = (usize, &'s [usize])>) -> f64 {
        let mut before = vec![0; topic.relevant.len()];
        let mut total = 0.0;
        for (position, set) in placed {
            let Some(weight) = self.weights.get(position) else { break };
            for &subtopic in set {
                total += weight * self.worth(before[subtopic], topic.relevant[subtopic]);
                before[subtopic] += 1;
            }
        }
        total
    }

    fn value_by_size(&self, topic: &Topic<'_>, arranged: &Arranged, largest_first: bool) -> f64 {
        let placed = arranged.by_size(largest_first);
        self.value(topic, placed.iter().map(|&(position, set)| (position, arranged.sets[set as usize].as_slice())))
    }

    /// The statistics of the sum over all orders, if these are few.
    fn listed(&self, topic: &Topic<'_>, arranged: &Arranged) -> Option<Outcome> {
        sampling::is_listed(&arranged.mixed).then(|| {
            let mut all: Vec<PlacedDocument> = Vec::new();
            sampling::over_orders(&arranged.mixed, |placed| {
                all.clear();
                all.extend(arranged.fixed.iter().chain(placed));
                all.sort_unstable();
                self.value(topic, all.iter().map(|&(position, set)| (position, arranged.sets[set as usize].as_slice())))
            })
            .outcome
        })
    }

    /// The sums of the smallest and of the largest values of the subtopics.
    fn bounds(&self, topic: &Topic<'_>, ranking: &Ranking) -> (f64, f64) {
        self.over_groups(topic, ranking, |(low, high): &mut (f64, f64), group, subtopic, r, before| {
            let weights = self.weights_of(group);
            for i in 0..r {
                let worth = self.worth(before + i, topic.relevant[subtopic]);
                *high += weights.get(i).map_or(0.0, |weight| weight * worth);
                *low += weights.get(group.size - r + i).map_or(0.0, |weight| weight * worth);
            }
        })
    }

    fn arrange(&self, topic: &Topic<'_>, ranking: &Ranking) -> Arranged {
        topic.arrange(ranking, self.depth(ranking), self.is_flat())
    }
}

impl Measure for Novelty {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let Some(topic) = Topic::new(truth, self.rel) else { return f64::NAN };
        self.sum(&topic, ranking) / self.norm(&topic, ranking)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let Some(topic) = Topic::new(truth, self.rel) else { return f64::NAN };
        let arranged = self.arrange(&topic, ranking);
        let variance = if arranged.mixed.is_empty() {
            0.0
        } else if self.is_additive() {
            arranged.mixed.iter().map(|group| spread(group, &arranged.sets, &self.weights)).sum()
        } else {
            self.listed(&topic, &arranged).map_or(f64::NAN, |listed| listed.variance)
        };
        variance / self.norm(&topic, ranking).powi(2)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let ranking = &orders.tied;
        let Some(topic) = Topic::new(truth, self.rel) else { return (f64::NAN, f64::NAN) };
        let arranged = self.arrange(&topic, ranking);
        let (low, high) = if self.is_additive() || arranged.is_nested() {
            (self.value_by_size(&topic, &arranged, false), self.value_by_size(&topic, &arranged, true))
        } else if let Some(listed) = self.listed(&topic, &arranged) {
            (listed.low, listed.high)
        } else {
            self.bounds(&topic, ranking)
        };
        let norm = self.norm(&topic, ranking);
        (low / norm, high / norm)
    }

    fn certainty(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Certainty {
        let is_exact = Topic::new(truth, self.rel).is_none_or(|topic| {
            let arranged = self.arrange(&topic, ranking);
            self.is_additive() || arranged.is_nested() || sampling::is_listed(&arranged.mixed)
        });
        if is_exact { Certainty::Exact } else { Certainty::Interval }
    }
}

/// The variance of one group's sum if each document is worth the number of its subtopics: S_g S_w / (n-1), where S is a
/// sum of squared deviations (Hoeffding 1951).
fn spread(group: &sampling::Classes, sets: &[Vec<usize>], weights: &[f64]) -> f64 {
    let n = group.size as f64;
    let worth = |set: u32| sets[set as usize].len() as f64;
    let mean = group.counts.iter().map(|&(set, count)| f64::from(count) * worth(set)).sum::<f64>() / n;
    let rest = n - group.counts.iter().map(|&(_, count)| f64::from(count)).sum::<f64>();
    let worths = group.counts.iter().map(|&(set, count)| f64::from(count) * (worth(set) - mean).powi(2)).sum::<f64>();
    let inside = &weights[group.start..weights.len().min(group.start + group.size)];
    let weight = inside.iter().sum::<f64>() / n;
    let squares = inside.iter().map(|w| (w - weight).powi(2)).sum::<f64>();
    (worths + rest * mean * mean) * (squares + (n - inside.len() as f64) * weight * weight) / (n - 1.0)
}
