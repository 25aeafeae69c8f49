//! The trait [`Difference`], which a measure implements to support `MED`, `Delta` and verdicts, and the types of its
//! answers.
//!
//! For MED and Delta, normalisers do not depend on judgments (Tan & Clarke): AP is divided by the depth, and nDCG by
//! the ideal ranking with the highest gain at all ranks. A ranking that ends before the cutoff is filled up with
//! unknown documents that only this ranking has. For verdicts, normalisers change with the judgments, and nothing is
//! filled up.

use super::assignment::Assignment;
use super::layout::{DifferenceWorkspace, Scale};
use super::pair::RankingPair;
use super::solve::distribution::{self, Distribution};
use super::solve::dot::{WeightedDocument, WeightedPair};
use super::solve::expected::{DifferenceMoments, DifferenceTerm, Uncertain};
use super::solve::scores::ScoresByGains;
use super::upper_bounds::UpperBounds;
use crate::error::Failure;
use crate::measures::Certainty;
use crate::ranking::Placed;

/// The largest number of nodes that the search for a cascade of untied rankings visits.
pub(super) const NODES: u64 = 20_000;
/// The largest number of steps of any other search. Both directions together take less than a second.
pub(super) const STEPS: u64 = 250_000_000;
/// The number of draws behind an expected difference without a formula.
const DRAWS: usize = 10_000;

/// How far A can be ahead of B, and B of A.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DifferenceRange {
    /// The largest S(A) - S(B): the value found, and an upper bound.
    pub up: (f64, f64),
    /// The largest S(B) - S(A): the value found, and an upper bound.
    pub down: (f64, f64),
    /// What documents below the end of A could add to S(A), and documents below the end of B to S(B).
    pub unseen: (f64, f64),
    /// Whether the scores of rankings with ties are exact.
    pub sure: Certainty,
}

impl DifferenceRange {
    /// A range to which documents below the rankings add nothing.
    pub fn exact((up, down): ((f64, f64), (f64, f64))) -> DifferenceRange {
        DifferenceRange { up, down, unseen: (0.0, 0.0), sure: Certainty::Exact }
    }
}

/// The possible differences with their probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcomes {
    /// The differences in ascending order.
    pub values: Vec<f64>,
    /// The probability of each difference. In a sample, it is the share of draws.
    pub probabilities: Vec<f64>,
    /// By how much a difference may be off, because similar ones are merged. None for a sample.
    pub error: Option<f64>,
}

/// The probability that an unjudged document is relevant.
pub(crate) type Chance<'c> = &'c dyn Fn(&Placed) -> f64;

/// Documents with their probabilities of being relevant, and two scores as functions of the documents' gains.
pub(crate) struct ScoreSampler<'s> {
    pub documents: Vec<Uncertain>,
    pub scores: Box<dyn ScoresByGains + 's>,
}

/// The largest S(A) - S(B) that a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LargestDifference {
    /// The difference itself.
    pub value: f64,
    /// An upper bound of any difference. It equals `value` if no larger difference is possible.
    pub bound: f64,
    /// Grades that give this difference. None if there is no value, or if the search does not assign grades.
    pub assignment: Option<Assignment>,
}

impl LargestDifference {
    /// A difference that is the largest possible one.
    pub fn exact(assignment: Assignment) -> LargestDifference {
        LargestDifference::within(assignment.difference, assignment)
    }

    /// A difference, with an upper bound of the largest one.
    pub fn within(bound: f64, assignment: Assignment) -> LargestDifference {
        LargestDifference { value: assignment.difference, bound, assignment: Some(assignment) }
    }
}

/// The difference S(A) - S(B) of two rankings in a measure.
///
/// A measure has to implement [`Difference::scale`] and [`Difference::solve`]. It overrides other methods if it has a
/// faster way or knows more.
pub(crate) trait Difference: Send + Sync {
    /// How documents gain, and which documents count.
    fn scale(&self) -> &Scale;

    /// The largest difference with at most `most` relevant unknown documents. Only verdicts limit this number.
    fn solve(&self, pair: &RankingPair<'_>, most: usize, work: &mut DifferenceWorkspace) -> LargestDifference;

    /// The range of differences with any number of relevant unknown documents, in the directions asked for.
    fn extent(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        directions: (bool, bool),
    ) -> DifferenceRange {
        let mut places = Vec::new();
        let swapped = pair.swapped(&mut places);
        let solve = |pair: &mut &RankingPair<'_>| {
            let LargestDifference { value, bound, .. } = self.solve(pair, usize::MAX, work);
            (value, bound)
        };
        DifferenceRange::exact(in_both(directions, &mut { pair }, solve, |pair| *pair = &swapped))
    }

    /// Upper bounds of S(A) - S(B) for verdicts, by the number of relevant unknown documents.
    fn upper_bounds(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> UpperBounds {
        solved_bounds(self, pair, work)
    }

    /// The upper bounds of S(A) - S(B), and those of S(B) - S(A).
    fn both_upper_bounds(
        &self,
        pair: &RankingPair<'_>,
        swapped: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
    ) -> (UpperBounds, UpperBounds) {
        (self.upper_bounds(pair, work), self.upper_bounds(swapped, work))
    }

    /// Whether [`Difference::solve`] says which grades unknown documents have.
    fn assigns_grades(&self) -> bool {
        true
    }

    /// Whether [`Difference::solve`] may give lower bounds than [`Difference::upper_bounds`] for some numbers of
    /// documents.
    fn is_searched(&self, _pair: &RankingPair<'_>) -> bool {
        false
    }

    /// The largest weight of a document. Rounding errors are relative to it.
    fn largest_weight(&self) -> f64 {
        1.0
    }

    /// Documents and scores for a random sample of differences. None if there can be no sample.
    fn sampled<'s>(
        &'s self,
        _pair: &'s RankingPair<'_>,
        _work: &'s mut DifferenceWorkspace,
        _chance: Chance<'_>,
    ) -> Option<ScoreSampler<'s>> {
        None
    }

    /// The mean and the variance of the difference if unknown documents get the highest grade with a probability; and
    /// whether these are exact.
    fn moments(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (DifferenceMoments, Certainty) {
        self.drawn_moments(pair, work, chance)
    }

    /// The mean and the variance, estimated from a sample.
    fn drawn_moments(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (DifferenceMoments, Certainty) {
        let undefined = DifferenceMoments { mean: f64::NAN, variance: f64::NAN };
        self.sampled(pair, work, chance).map_or((undefined, Certainty::Exact), |sampled| sampled.moments())
    }

    /// The distribution of S(A) - S(B). It is computed on a grid of about this many points, or else drawn from the
    /// seed.
    fn outcomes(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
        (_, seed): (usize, u64),
    ) -> Option<Outcomes> {
        Some(self.sampled(pair, work, chance)?.outcomes(seed))
    }

    /// The exception that user code raised since the last call, if any.
    fn failure(&self) -> Option<Failure> {
        None
    }
}

/// The documents of a pair for a random sample. A document without weight is never relevant.
pub(super) fn weighed_documents(pair: &RankingPair<'_>, weights: &WeightedPair, chance: Chance<'_>) -> Vec<Uncertain> {
    let uncertain = |(place, x): (&Placed, &WeightedDocument)| {
        let chance = || if x.a > 0.0 || x.b > 0.0 { chance(place) } else { 0.0 };
        let (gain, chance) = x.known.map_or_else(|| (weights.top, chance()), |gain| (gain, 1.0));
        Uncertain { a: place.a, b: place.b, gain, chance }
    };
    pair.places.iter().zip(&weights.documents).map(uncertain).collect()
}

impl ScoreSampler<'_> {
    /// The mean and the variance of a difference. They come from a sample, unless nothing is uncertain.
    pub fn moments(&self) -> (DifferenceMoments, Certainty) {
        if self.documents.iter().all(|x| x.chance == 0.0 || x.chance == 1.0) {
            let gains: Vec<f64> = self.documents.iter().map(|x| x.gain * x.chance).collect();
            return (DifferenceMoments { mean: self.scores.difference(&gains), variance: 0.0 }, Certainty::Exact);
        }
        let drawn = distribution::drawn(&self.documents, &*self.scores, DRAWS, 0);
        let mean = drawn.iter().sum::<f64>() / DRAWS as f64;
        let squares: f64 = drawn.iter().map(|difference| (difference - mean).powi(2)).sum();
        (DifferenceMoments { mean, variance: squares / (DRAWS - 1) as f64 }, Certainty::Estimate)
    }

    fn outcomes(&self, seed: u64) -> Outcomes {
        let drawn = distribution::drawn(&self.documents, &*self.scores, DRAWS, seed);
        let (values, probabilities) =
            drawn.chunk_by(|x, y| x == y).map(|same| (same[0], same.len() as f64 / DRAWS as f64)).unzip();
        Outcomes { values, probabilities, error: None }
    }
}

impl Outcomes {
    /// The distribution of a sum of independent terms, divided by `norm`.
    pub(super) fn of_terms(terms: &[DifferenceTerm], norm: f64, points: usize) -> Outcomes {
        let terms: Vec<DifferenceTerm> =
            terms.iter().map(|x| DifferenceTerm { difference: x.difference / norm, ..*x }).collect();
        let distribution = Distribution::of(&terms, points);
        let all = distribution.masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0);
        let (values, probabilities) =
            all.map(|(i, &mass)| (distribution.low + i as f64 * distribution.step, mass)).unzip();
        Outcomes { values, probabilities, error: Some(distribution.error) }
    }
}

/// Upper bounds from two solutions: one without relevant unknown documents, whose difference is reached, and one with
/// any number of them.
pub(super) fn solved_bounds<D: Difference + ?Sized>(
    difference: &D,
    pair: &RankingPair<'_>,
    work: &mut DifferenceWorkspace,
) -> UpperBounds {
    let none = difference.solve(pair, 0, work).value;
    let LargestDifference { value, bound, assignment } = difference.solve(pair, usize::MAX, work);
    let relevant = assignment.filter(|_| value == bound).map(|assignment| assignment.documents());
    UpperBounds::partly(vec![none, bound.max(none)], relevant, vec![0])
}

/// Solves a problem as it is and with A and B exchanged. A direction that is not asked for has no value.
pub(super) fn in_both<P>(
    directions: (bool, bool),
    problem: &mut P,
    mut solve: impl FnMut(&mut P) -> (f64, f64),
    swap: impl Fn(&mut P),
) -> ((f64, f64), (f64, f64)) {
    let never = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let up = if directions.0 { solve(problem) } else { never };
    if !directions.1 {
        return (up, never);
    }
    swap(problem);
    (up, solve(problem))
}

/// The range of a difference that no grade changes.
pub(super) fn fixed(directions: (bool, bool), difference: f64) -> DifferenceRange {
    let solve = |difference: &mut f64| (*difference, *difference);
    DifferenceRange::exact(in_both(directions, &mut { difference }, solve, |difference| {
        *difference = 0.0 - *difference;
    }))
}
