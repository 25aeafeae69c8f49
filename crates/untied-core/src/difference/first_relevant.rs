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
//!
//! For MED and Delta the documents that fill A are relevant. In rankings without ties one document is enough: of all that
//! are made relevant, only the one that A ranks first counts in A, and others can only help B.

use super::assignment::Assignment;
use super::layout::{DifferenceWorkspace, Scale, Solvers};
use super::pair::{RankingPair, TieOrders};
use super::ranked::{ByRank, Ends, Ranked, TiedPair, UntiedRankings};
use super::setup::{Question, Setup};
use super::solution::{Difference, LargestDifference};
use super::solve::expected::{self, DifferenceMoments, Uncertain};
use super::solve::{Document, Instance, Solution, TiedSolver};
use super::upper_bounds::UpperBounds;
use crate::error::Result;

/// What the first relevant document is worth at a rank, f; it never rises.
type RankValue = fn(f64) -> f64;

const RECIPROCAL: RankValue = |rank| 1.0 / rank;
const CONSTANT: RankValue = |_| 1.0;

/// Such a measure for MED and Delta.
struct FirstRelevant {
    value: RankValue,
    /// Mean and variance of the difference, where there is a formula.
    moments: Option<fn(&[Uncertain], usize) -> DifferenceMoments>,
}

/// RR.
pub(super) fn reciprocal_rank(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    FirstRelevant { value: RECIPROCAL, moments: Some(expected::first_relevant) }.boxed(setup)
}

/// Success.
pub(super) fn success(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    FirstRelevant { value: CONSTANT, moments: None }.boxed(setup)
}

impl FirstRelevant {
    fn boxed(self, setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
        let scale = setup.binary()?;
        match setup.question {
            Question::Med => ByRank::boxed(setup, scale, self),
            Question::Verdicts { .. } => {
                Ok(Box::new(MovingFirstRelevant { scale, ties: setup.options.ties, value: self.value }))
            }
        }
    }
}

/// The rank of the first relevant document that fills A, if there is one.
fn fills_a(instance: &Instance) -> Option<usize> {
    (instance.lengths.0 < instance.depth).then_some(instance.lengths.0 + 1)
}

/// The tie group that holds a rank, by where groups end; none has rank 0.
fn group_of(ends: &[u32], rank: u32) -> usize {
    if rank == 0 { usize::MAX } else { ends.partition_point(|&end| end < rank) }
}

/// Relevant documents of the first tie group that has any.
#[derive(Debug, Clone, Copy)]
struct FirstHits {
    group: usize,
    count: usize,
}

/// None is relevant: no group is behind this one.
const NONE: FirstHits = FirstHits { group: usize::MAX, count: 0 };

impl FirstHits {
    /// The first group with one relevant document more in a group.
    fn with(self, group: usize) -> FirstHits {
        match group {
            earlier if earlier < self.group => FirstHits { group: earlier, count: 1 },
            same if same == self.group => FirstHits { count: self.count + 1, ..self },
            _ => self,
        }
    }
}

/// Two rankings of which the tie groups count.
struct FirstRelevantSearch<'p> {
    value: RankValue,
    ties: TieOrders,
    /// All documents of both; those with a gain are relevant.
    instance: &'p Instance,
    ends: Ends<'p>,
}

impl FirstRelevantSearch<'_> {
    /// f; 0 where a rank does not count.
    fn value_at(&self, rank: usize) -> f64 {
        if rank > self.instance.depth { 0.0 } else { (self.value)(rank as f64) }
    }

    /// What a ranking with such groups is worth in the best order, the worst, or the mean.
    fn worth(&self, ends: &[u32], hits: FirstHits, is_best: bool) -> f64 {
        let start = if hits.group == 0 { 0 } else { ends[hits.group - 1] as usize };
        let size = ends[hits.group] as usize - start;
        let last = size - hits.count + 1;
        match (self.ties, is_best) {
            (TieOrders::BestWorst, true) => self.value_at(start + 1),
            (TieOrders::BestWorst, false) => self.value_at(start + last),
            (TieOrders::Mean, _) => {
                // The first one stands at i with probability p_i, p_1 = n / g, p_{i+1} = p_i (g - i - n + 1) / (g - i).
                let (mut chance, mut sum) = (hits.count as f64 / size as f64, 0.0);
                for i in 1..=last.min(self.instance.depth.saturating_sub(start)) {
                    sum += chance * self.value_at(start + i);
                    chance *= (last - i) as f64 / (size - i).max(1) as f64;
                }
                sum
            }
        }
    }

    /// The difference with these relevant documents; where A has none, the first document that fills it is.
    fn difference(&self, a: FirstHits, b: FirstHits) -> f64 {
        let of_a = if a.group < usize::MAX {
            self.worth(self.ends.0, a, true)
        } else {
            fills_a(self.instance).map_or(0.0, |rank| self.value_at(rank))
        };
        of_a - if b.group < usize::MAX { self.worth(self.ends.1, b, false) } else { 0.0 }
    }

    /// The best differences with 0, 1, 2, ... relevant documents of each group of A, with the numbers of these documents.
    fn visit(&self, mut visit: impl FnMut(f64, &[usize])) {
        let groups = |x: &Document| (group_of(self.ends.0, x.a), group_of(self.ends.1, x.b));
        let documents = &self.instance.documents;
        let relevant = documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0)).map(groups);
        let (known_a, known_b) = relevant.fold((NONE, NONE), |(a, b), groups| (a.with(groups.0), b.with(groups.1)));
        visit(self.difference(known_a, known_b), &[]);
        // Groups of A down to the depth or the first known relevant document.
        let begun = self.ends.0.partition_point(|&end| (end as usize) < self.instance.depth);
        let is_open = |group: usize| group <= known_a.group && group <= begun && group < self.ends.0.len();
        let unknown = self.instance.unknown().map(|number| (groups(&documents[number]), number));
        let mut open: Vec<((usize, usize), usize)> = unknown.filter(|((a, _), _)| is_open(*a)).collect();
        // Of each group of A those first that B ranks lowest.
        open.sort_by(|((a, b), _), ((other_a, other_b), _)| a.cmp(other_a).then(other_b.cmp(b)));
        let mut chosen = Vec::new();
        for group in open.chunk_by(|((a, _), _), ((other, _), _)| a == other) {
            chosen.clear();
            let (mut a, mut b) = (known_a, known_b);
            for &(groups, number) in group {
                (a, b) = (a.with(groups.0), b.with(groups.1));
                chosen.push(number);
                visit(self.difference(a, b), &chosen);
            }
        }
    }

    /// The largest difference with at most `most` unknown documents relevant, and their numbers.
    fn largest(&self, most: usize) -> (f64, Vec<usize>) {
        let mut best = (f64::NEG_INFINITY, Vec::new());
        self.visit(|value, relevant| {
            if relevant.len() <= most && value > best.0 {
                best = (value, relevant.to_vec());
            }
        });
        best
    }
}

impl Ranked for FirstRelevant {
    /// In one pass.
    fn solve(&self, rankings: UntiedRankings<'_>, _: &mut Solvers) -> Solution {
        let instance = rankings.instance;
        // The rank of what is not there.
        let never = usize::MAX;
        let rank = |rank: u32| if rank == 0 { never } else { rank as usize };
        let worth = |rank: usize| if rank == never { 0.0 } else { (self.value)(rank as f64) };
        let filled = fills_a(instance).unwrap_or(never);
        let relevant = instance.documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0));
        let (a, b) = relevant.fold((filled, never), |(a, b), x| (a.min(rank(x.a)), b.min(rank(x.b))));
        let mut gains: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        let (mut value, mut best) = (worth(a) - worth(b), None);
        for number in instance.unknown() {
            let x = &instance.documents[number];
            let with = worth(a.min(rank(x.a))) - worth(b.min(rank(x.b)));
            if with > value {
                (value, best) = (with, Some(number));
            }
        }
        if let Some(best) = best {
            gains[best] = instance.top;
        }
        Solution::exact(value, gains)
    }

    fn tied<'p>(&self, instance: &'p mut Instance, ends: Ends<'p>, _: &'p mut Solvers) -> TiedPair<'p> {
        Some(Box::new(TiedRankings { value: self.value, instance, ends }))
    }

    fn expected(&self, documents: &[Uncertain], depth: usize) -> Option<DifferenceMoments> {
        self.moments.map(|moments| moments(documents, depth))
    }

    fn score(&self, _: UntiedRankings<'_>, by_rank: &[f64], _: f64) -> f64 {
        by_rank.iter().position(|&gain| gain > 0.0).map_or(0.0, |i| (self.value)((i + 1) as f64))
    }
}

/// Two tied rankings for MED and Delta.
struct TiedRankings<'p> {
    value: RankValue,
    instance: &'p mut Instance,
    ends: Ends<'p>,
}

impl TiedSolver for TiedRankings<'_> {
    fn solve(&mut self) -> Solution {
        let TiedRankings { value, ref instance, ends } = *self;
        let (value, relevant) =
            FirstRelevantSearch { value, ties: TieOrders::Mean, instance, ends }.largest(usize::MAX);
        let mut gains: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        relevant.into_iter().for_each(|number| gains[number] = instance.top);
        Solution::exact(value, gains)
    }

    fn swap(&mut self) {
        self.instance.swap();
        self.ends = (self.ends.1, self.ends.0);
    }
}

/// Such a measure for verdicts.
struct MovingFirstRelevant {
    scale: Scale,
    ties: TieOrders,
    value: RankValue,
}

impl MovingFirstRelevant {
    fn problem<'p>(&self, pair: &RankingPair<'p>, instance: &'p Instance) -> FirstRelevantSearch<'p> {
        FirstRelevantSearch { value: self.value, ties: self.ties, instance, ends: pair.ends() }
    }
}

impl Difference for MovingFirstRelevant {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, most: usize, work: &mut DifferenceWorkspace) -> LargestDifference {
        self.scale.lay_out_tied(pair, &mut work.instance);
        let (difference, relevant) = self.problem(pair, &work.instance).largest(most);
        let documents = relevant.into_iter().map(|number| Some(pair.places[number].document));
        LargestDifference::exact(Assignment::of_grade(difference, self.scale.max_grade, documents))
    }

    /// With each number of relevant documents.
    fn upper_bounds(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> UpperBounds {
        self.scale.lay_out_tied(pair, &mut work.instance);
        let mut best: Vec<f64> = Vec::new();
        self.problem(pair, &work.instance).visit(|value, relevant| {
            if relevant.len() >= best.len() {
                best.push(value);
            }
            best[relevant.len()] = best[relevant.len()].max(value);
        });
        UpperBounds::of_exact_counts(best.into_iter())
    }
}
