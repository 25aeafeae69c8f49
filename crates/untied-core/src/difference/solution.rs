//! The trait [`Difference`], by which a measure supports `MED` and `Delta`, and the answers that it gives.
//!
//! Normalisers do not depend on judgments: AP is divided by the depth, nDCG by the ideal ranking of r_G at all ranks, as
//! Tan & Clarke do it. Shorter rankings are filled up to the cutoff with unknown documents of their own.

use super::layout::{DifferenceWorkspace, Scale};
use super::pair::RankingPair;
use super::solve::distribution::{self, Distribution};
use super::solve::expected::{DifferenceMoments, DifferenceTerm, Uncertain};
use super::solve::scores::ScoresByGains;
use crate::error::Failure;
use crate::measures::Certainty;
use crate::ranking::Placed;

/// Nodes that the search for one largest difference may take.
pub(super) const NODES: u64 = 20_000;
/// Steps that it may take where documents are tied, or take time: with both directions less than a second.
pub(super) const STEPS: u64 = 250_000_000;
/// Draws from which an expected difference is estimated where there is no formula.
const DRAWS: usize = 10_000;

/// How much one ranking can be ahead of the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct DifferenceRange {
    /// The largest S(A) - S(B) that was found, and what it cannot exceed.
    pub up: (f64, f64),
    /// The largest S(B) - S(A) that was found, and what it cannot exceed.
    pub down: (f64, f64),
    /// What documents below the last of A, and of B, may still add to it.
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

/// Grades of unknown documents with which A is far ahead of B.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assignment {
    /// S(A) - S(B) with them.
    pub difference: f64,
    /// Numbers of documents of either ranking with their grades; all others have grade 0. For verdicts, the most important
    /// come first.
    pub grades: Vec<(u32, f64)>,
    /// Grades of documents that neither ranking has: those that fill A up to the cutoff, from the first rank that it lacks,
    /// or for verdicts those of the pool.
    pub elsewhere: Vec<f64>,
}

impl Assignment {
    /// Assigns one grade to documents, the most important first; `None` stands for a document that neither ranking has.
    pub(super) fn of_grade(difference: f64, grade: f64, documents: impl Iterator<Item = Option<u32>>) -> Assignment {
        Assignment::of_grades(difference, documents.map(|document| (document, grade)))
    }

    /// Assigns documents a grade each, as [`Assignment::of_grade`] does.
    pub(super) fn of_grades(difference: f64, documents: impl Iterator<Item = (Option<u32>, f64)>) -> Assignment {
        let mut assignment = Assignment { difference, ..Assignment::default() };
        for (document, grade) in documents {
            match document {
                Some(document) => assignment.grades.push((document, grade)),
                None => assignment.elsewhere.push(grade),
            }
        }
        assignment
    }

    /// The number of documents that are assigned a grade.
    pub fn documents(&self) -> usize {
        self.grades.len() + self.elsewhere.len()
    }

    /// The assignment with A and B exchanged.
    #[must_use]
    pub fn turned(self) -> Assignment {
        Assignment { difference: 0.0 - self.difference, ..self }
    }
}

/// Differences with their probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcomes {
    /// The differences in ascending order.
    pub values: Vec<f64>,
    /// Their probabilities; in a sample how often each was drawn.
    pub probabilities: Vec<f64>,
    /// Every outcome is this close to the difference that it was counted for; none for a sample.
    pub error: Option<f64>,
}

/// The probability that an unjudged document is relevant.
pub(super) type Chance<'c> = &'c dyn Fn(&Placed) -> f64;

/// Documents that are relevant with a probability each, and the scores of two rankings by what they gain.
pub(super) struct ScoreSampler<'s> {
    pub documents: Vec<Uncertain>,
    pub scores: Box<dyn ScoresByGains + 's>,
}

/// The difference of two rankings in a measure, S(A) - S(B).
pub(super) trait Difference: Send + Sync {
    /// How documents gain, and which ones count.
    fn scale(&self) -> &Scale;

    /// The extent of differences, in the directions asked for.
    fn extent(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        directions: (bool, bool),
    ) -> DifferenceRange;

    /// Numbers of documents and their grades where A is farthest ahead, then the grades of those that fill rankings:
    /// first those of A. None where what is assigned are no grades, or nothing is known.
    fn assignment(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> Option<(Vec<u32>, Vec<f64>)>;

    /// What mean and distribution are drawn from if they have no formula; none if there is no way to draw them.
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

/// Solves a problem as it is and with its rankings exchanged, in the directions asked for; the other has no value.
pub(super) fn in_both<P>(
    directions: (bool, bool),
    problem: &mut P,
    solve: impl Fn(&mut P) -> (f64, f64),
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
