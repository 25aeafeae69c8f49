//! Measures of the first relevant document: RR and Success.
//!
//! In A, only the first tie group with a relevant document counts, and how many of its documents are relevant. Relevant
//! documents of later groups can only help B. So in a best assignment, all relevant unknown documents are in one group
//! of A, at or above the first group with a document judged relevant. In this group, those are best that B ranks
//! lowest, because one relevant document in an early group of B is worth at least as much as any number in a later
//! group.
//!
//! Let f(rank) be the score if the first relevant document is at this rank; f never rises. A group of g documents from
//! rank s + 1 on, n of them relevant, has the score
//!
//!   one order (g = n = 1):  f(s + 1);      the best order:  f(s + 1);      the worst:  f(s + g - n + 1);
//!   the mean:  sum_i f(s + i) C(g - i, n - 1) / C(g, n).
//!
//! For MED and Delta, the documents that fill A up to the depth are relevant. In rankings without ties, one relevant
//! unknown document is enough: in A only the first one counts, and others can only help B.

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

/// The score f, as a function of the rank of the first relevant document.
type RankValue = fn(f64) -> f64;

const RECIPROCAL: RankValue = |rank| 1.0 / rank;
const CONSTANT: RankValue = |_| 1.0;

/// The difference in a measure of the first relevant document, for MED and Delta.
struct FirstRelevant {
    /// The score f.
    value: RankValue,
    /// A formula for the mean and the variance of the difference, if there is one.
    moments: Option<fn(&[Uncertain], usize) -> DifferenceMoments>,
}

/// The difference in RR, the inverse rank of the first relevant document.
pub(super) fn reciprocal_rank(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    FirstRelevant { value: RECIPROCAL, moments: Some(expected::first_relevant) }.boxed(setup)
}

/// The difference in Success: whether a document down to the cutoff is relevant.
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

/// The first rank of A with a document that fills it up to the depth. None if A is long enough.
fn fills_a(instance: &Instance) -> Option<usize> {
    (instance.lengths.0 < instance.depth).then_some(instance.lengths.0 + 1)
}

/// The index of the tie group at a rank; `usize::MAX` for rank 0, which stands for a document that the ranking lacks.
/// `ends` has the rank at which each group ends.
fn group_of(ends: &[u32], rank: u32) -> usize {
    if rank == 0 { usize::MAX } else { ends.partition_point(|&end| end < rank) }
}

/// The first tie group of a ranking with a relevant document.
#[derive(Debug, Clone, Copy)]
struct FirstHits {
    /// The index of the group.
    group: usize,
    /// How many documents of the group are relevant.
    count: usize,
}
/// No relevant document. The index is after those of all groups.
const NONE: FirstHits = FirstHits { group: usize::MAX, count: 0 };

impl FirstHits {
    /// The first group with a relevant document, if one more document of `group` is relevant.
    fn with(self, group: usize) -> FirstHits {
        match group {
            earlier if earlier < self.group => FirstHits { group: earlier, count: 1 },
            same if same == self.group => FirstHits { count: self.count + 1, ..self },
            _ => self,
        }
    }
}

/// The search for the largest difference of two tied rankings.
struct FirstRelevantSearch<'p> {
    /// The score f.
    value: RankValue,
    ties: TieOrders,
    /// The documents of A or B. Those with a known gain above 0 are relevant.
    instance: &'p Instance,
    /// The rank at which each tie group ends, in A and in B.
    ends: Ends<'p>,
}

impl FirstRelevantSearch<'_> {
    /// The score if the first relevant document is at this rank; 0 below the depth.
    fn value_at(&self, rank: usize) -> f64 {
        if rank > self.instance.depth { 0.0 } else { (self.value)(rank as f64) }
    }

    /// The score of a ranking with these first relevant documents. With [`TieOrders::Mean`], it is the mean over tie
    /// orders; otherwise that of the best order (`is_best`) or the worst.
    fn worth(&self, ends: &[u32], hits: FirstHits, is_best: bool) -> f64 {
        let start = if hits.group == 0 { 0 } else { ends[hits.group - 1] as usize };
        let size = ends[hits.group] as usize - start;
        let last = size - hits.count + 1;
        match (self.ties, is_best) {
            (TieOrders::BestWorst, true) => self.value_at(start + 1),
            (TieOrders::BestWorst, false) => self.value_at(start + last),
            (TieOrders::Mean, _) => {
                // The first relevant document is the i-th of the group with probability p_i: p_1 = n / g, and p_{i+1} =
                // p_i (g - i - n + 1) / (g - i).
                let (mut chance, mut sum) = (hits.count as f64 / size as f64, 0.0);
                for i in 1..=last.min(self.instance.depth.saturating_sub(start)) {
                    sum += chance * self.value_at(start + i);
                    chance *= (last - i) as f64 / (size - i).max(1) as f64;
                }
                sum
            }
        }
    }

    /// The difference with these first relevant documents in A and in B. If A has none, a document that fills it up is
    /// relevant.
    fn difference(&self, a: FirstHits, b: FirstHits) -> f64 {
        let of_a = if a.group < usize::MAX {
            self.worth(self.ends.0, a, true)
        } else {
            fills_a(self.instance).map_or(0.0, |rank| self.value_at(rank))
        };
        of_a - if b.group < usize::MAX { self.worth(self.ends.1, b, false) } else { 0.0 }
    }

    /// Calls `visit` with the best differences: for each group of A with 0, 1, 2, ... relevant unknown documents, and
    /// the indices of these documents.
    fn visit(&self, mut visit: impl FnMut(f64, &[usize])) {
        let groups = |x: &Document| (group_of(self.ends.0, x.a), group_of(self.ends.1, x.b));
        let documents = &self.instance.documents;
        let relevant = documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0)).map(groups);
        let (known_a, known_b) = relevant.fold((NONE, NONE), |(a, b), groups| (a.with(groups.0), b.with(groups.1)));
        visit(self.difference(known_a, known_b), &[]);
        // The groups of A down to the depth, or to the first group with a document judged relevant.
        let begun = self.ends.0.partition_point(|&end| (end as usize) < self.instance.depth);
        let is_open = |group: usize| group <= known_a.group && group <= begun && group < self.ends.0.len();
        let unknown = self.instance.unknown().map(|number| (groups(&documents[number]), number));
        let mut open: Vec<((usize, usize), usize)> = unknown.filter(|((a, _), _)| is_open(*a)).collect();
        // In each group of A, the documents that B ranks lowest come first.
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

    /// The largest difference with at most `most` relevant unknown documents, and the indices of these documents.
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
    /// The largest difference of rankings without ties, in one pass over the unknown documents.
    fn solve(&self, rankings: UntiedRankings<'_>, _: &mut Solvers) -> Solution {
        let instance = rankings.instance;
        // The rank of a document that a ranking lacks.
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

/// Two rankings with ties, for MED and Delta.
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

/// The difference in a measure of the first relevant document, for verdicts.
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

    /// Upper bounds of the difference, by the number of relevant unknown documents.
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
