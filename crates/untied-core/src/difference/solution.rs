//! The trait [`Difference`], by which a measure supports `MED`, `Delta` and verdicts, and the answers that it gives.
//!
//! For MED and Delta, normalisers do not depend on judgments: AP is divided by the depth, nDCG by the ideal ranking of
//! r_G at all ranks, as Tan & Clarke do it. Shorter rankings are filled up to the cutoff with unknown documents of
//! their own. For verdicts normalisers move with the judgments, and nothing is filled up.

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

/// The largest number of nodes in a search for one largest difference in a cascade, of rankings without ties.
pub(super) const NODES: u64 = 20_000;
/// The largest number of steps of any other search for one largest difference. Both directions together take less than
/// a second.
pub(super) const STEPS: u64 = 250_000_000;
/// The number of draws from which an expected difference is estimated if there is no formula for it.
const DRAWS: usize = 10_000;

/// How far each of two rankings can be ahead of the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DifferenceRange {
    /// The largest S(A) - S(B) that was found, and an upper bound of it.
    pub up: (f64, f64),
    /// The largest S(B) - S(A) that was found, and an upper bound of it.
    pub down: (f64, f64),
    /// What documents below the end of A could add to S(A), and those below the end of B to S(B).
    pub unseen: (f64, f64),
    /// Whether scores of rankings with ties are exact.
    pub sure: Certainty,
}

impl DifferenceRange {
    /// A range that documents below the rankings do not change.
    pub fn exact((up, down): ((f64, f64), (f64, f64))) -> DifferenceRange {
        DifferenceRange { up, down, unseen: (0.0, 0.0), sure: Certainty::Exact }
    }
}

/// Differences with their probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcomes {
    /// The differences in ascending order.
    pub values: Vec<f64>,
    /// The probability of each difference; in a sample, the share of draws that had it.
    pub probabilities: Vec<f64>,
    /// By how much an outcome may differ from the difference that it was counted for; none for a sample.
    pub error: Option<f64>,
}

/// The probability that an unjudged document is relevant.
pub(crate) type Chance<'c> = &'c dyn Fn(&Placed) -> f64;

/// Documents that are relevant with a probability each, and the scores of two rankings as a function of their gains.
pub(crate) struct ScoreSampler<'s> {
    pub documents: Vec<Uncertain>,
    pub scores: Box<dyn ScoresByGains + 's>,
}

/// The largest S(A) - S(B), as far as it was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LargestDifference {
    /// The largest difference that was found.
    pub value: f64,
    /// An upper bound of the difference, equal to `value` if that is proved to be the largest.
    pub bound: f64,
    /// The grades with which the value is attained. None if documents are not given grades, or if there is no value.
    pub assignment: Option<Assignment>,
}

impl LargestDifference {
    /// A difference that is proved to be the largest.
    pub fn exact(assignment: Assignment) -> LargestDifference {
        LargestDifference::within(assignment.difference, assignment)
    }

    /// A difference that was found, with a bound.
    pub fn within(bound: f64, assignment: Assignment) -> LargestDifference {
        LargestDifference { value: assignment.difference, bound, assignment: Some(assignment) }
    }
}

/// The difference of two rankings in a measure, S(A) - S(B).
///
/// Every measure says how documents gain, and finds the largest difference. All else follows from this; a measure says
/// it, too, where it knows a faster way or more.
pub(crate) trait Difference: Send + Sync {
    /// How documents gain, and which ones count.
    fn scale(&self) -> &Scale;

    /// The largest difference with at most `most` unknown documents relevant. Only verdicts limit their number.
    fn solve(&self, pair: &RankingPair<'_>, most: usize, work: &mut DifferenceWorkspace) -> LargestDifference;

    /// The extent of differences with any number of unknown documents relevant, in the directions asked for.
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

    /// Upper bounds of S(A) - S(B) by the number of unknown documents that are relevant, for verdicts.
    fn upper_bounds(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> UpperBounds {
        solved_bounds(self, pair, work)
    }

    /// The upper bounds of both directions; the second pair is the first with A and B exchanged.
    fn both_upper_bounds(
        &self,
        pair: &RankingPair<'_>,
        swapped: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
    ) -> (UpperBounds, UpperBounds) {
        (self.upper_bounds(pair, work), self.upper_bounds(swapped, work))
    }

    /// Whether [`Difference::solve`] may find lower bounds for single numbers of documents than
    /// [`Difference::upper_bounds`] has.
    fn is_searched(&self, _pair: &RankingPair<'_>) -> bool {
        false
    }

    /// The largest weight of a document, which rounding errors are relative to.
    fn largest_weight(&self) -> f64 {
        1.0
    }

    /// The documents and scores from which the mean and the distribution are drawn if there is no formula for them.
    /// None if they cannot be drawn.
    fn sampled<'s>(
        &'s self,
        _pair: &'s RankingPair<'_>,
        _work: &'s mut DifferenceWorkspace,
        _chance: Chance<'_>,
    ) -> Option<ScoreSampler<'s>> {
        None
    }

    /// Mean and variance where an unknown document is relevant, of the highest grade, with a probability; and how sure
    /// they are.
    fn moments(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (DifferenceMoments, Certainty) {
        self.drawn_moments(pair, work, chance)
    }

    /// Mean and variance, estimated from draws.
    fn drawn_moments(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (DifferenceMoments, Certainty) {
        let undefined = DifferenceMoments { mean: f64::NAN, variance: f64::NAN };
        self.sampled(pair, work, chance).map_or((undefined, Certainty::Exact), |sampled| sampled.moments())
    }

    /// The distribution of S(A) - S(B): on a grid of about that many points where possible, else drawn from the seed.
    fn outcomes(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
        (_, seed): (usize, u64),
    ) -> Option<Outcomes> {
        Some(self.sampled(pair, work, chance)?.outcomes(seed))
    }

    /// The exception that the user's code raised since the last call, if any.
    fn failure(&self) -> Option<Failure> {
        None
    }
}

/// The documents of a pair as they are drawn; one of no weight is never relevant.
pub(super) fn weighed_documents(pair: &RankingPair<'_>, weights: &WeightedPair, chance: Chance<'_>) -> Vec<Uncertain> {
    let uncertain = |(place, x): (&Placed, &WeightedDocument)| {
        let chance = || if x.a > 0.0 || x.b > 0.0 { chance(place) } else { 0.0 };
        let (gain, chance) = x.known.map_or_else(|| (weights.top, chance()), |gain| (gain, 1.0));
        Uncertain { a: place.a, b: place.b, gain, chance }
    };
    pair.places.iter().zip(&weights.documents).map(uncertain).collect()
}

impl ScoreSampler<'_> {
    /// Mean and variance of a difference: as it is where nothing is uncertain, else of a sample.
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
    /// The outcomes of a sum of independent terms, divided by `norm`.
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

/// Upper bounds from what solving finds with no unknown document relevant, which is attained, and with any number.
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

/// Solves a problem as it is and with its rankings exchanged, in the directions asked for; the other has no value.
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
