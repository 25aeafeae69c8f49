//! Measures with a closed form, in which a document's weight depends on other documents.

use super::layout::{Scale, Workspace};
use super::pair::RankingPair;
use super::setup::Setup;
use super::solution::{Chance, Difference, Extent, Sampled, in_both};
use super::solve::Solution;
use super::solve::dot::{Weighed, Weights};
use super::solve::expected::{Moments, Uncertain};
use super::solve::scores::Scores;
use crate::error::Result;
use crate::measures::Certainty;
use crate::ranking::Placed;

/// Two rankings, by weights.
pub(super) trait Closed {
    /// The largest S(A) - S(B).
    fn largest(&self) -> Solution;

    /// S of the ranking in which documents weigh so much.
    fn score(&self, gains: &[f64], weight: fn(&Weighed) -> f64) -> f64;
}

impl Scores for Box<dyn Closed + '_> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.a)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.b)
    }
}

/// Two rankings as a measure takes them; none where there is nothing to solve.
type Problem = for<'w> fn(&RankingPair<'_>, &Scale, &'w Weights) -> Option<Box<dyn Closed + 'w>>;

/// The difference in such a measure.
pub(super) struct ByWeights {
    scale: Scale,
    /// By rank.
    weights: Vec<f64>,
    problem: Problem,
}

impl ByWeights {
    /// One of binary relevance, where ranks to the depth weigh so much.
    pub fn boxed(setup: &Setup<'_>, weight: impl Fn(usize) -> f64, problem: Problem) -> Result<Box<dyn Difference>> {
        let weights = (1..=setup.depth()).map(weight).collect();
        Ok(Box::new(ByWeights { scale: setup.binary()?, weights, problem }))
    }

    fn weigh(&self, pair: &RankingPair<'_>, work: &mut Workspace) {
        self.scale.weigh(pair, &self.weights[..self.scale.depth_of(pair)], work);
    }

    fn solve(&self, pair: &RankingPair<'_>, weights: &Weights) -> Option<Solution> {
        Some((self.problem)(pair, &self.scale, weights)?.largest())
    }
}

/// Whether a document may matter.
fn counts(x: &Weighed) -> bool {
    x.a > 0.0 || x.b > 0.0
}

impl Difference for ByWeights {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn extent(&self, pair: &RankingPair<'_>, work: &mut Workspace, directions: (bool, bool)) -> Extent {
        self.weigh(pair, work);
        let solve = |weights: &mut Weights| {
            let value = self.solve(pair, weights).map_or(0.0, |found| found.value);
            (value, value)
        };
        Extent::exact(in_both(directions, &mut work.weights, solve, Weights::swap))
    }

    fn assignment(&self, pair: &RankingPair<'_>, work: &mut Workspace) -> Option<(Vec<u32>, Vec<f64>)> {
        self.weigh(pair, work);
        let gains = self.solve(pair, &work.weights).map_or_else(Vec::new, |found| found.gains);
        let documents = pair.places.iter().zip(gains).zip(&work.weights.documents);
        let (numbers, gains) =
            documents.filter(|(_, x)| counts(x)).map(|((place, gain), _)| (place.document, gain)).unzip();
        Some((numbers, self.scale.grades(self.scale.with_filling(pair, gains))))
    }

    fn sampled<'s>(
        &'s self,
        pair: &'s RankingPair<'_>,
        work: &'s mut Workspace,
        chance: Chance<'_>,
    ) -> Option<Sampled<'s>> {
        self.weigh(pair, work);
        let uncertain = |(place, x): (&Placed, &Weighed)| {
            let chance = || if counts(x) { chance(place) } else { 0.0 };
            let (gain, chance) = x.known.map_or_else(|| (self.scale.top, chance()), |gain| (gain, 1.0));
            Uncertain { a: place.a, b: place.b, gain, chance }
        };
        let documents = pair.places.iter().zip(&work.weights.documents).map(uncertain).collect();
        Some(Sampled { documents, scores: Box::new((self.problem)(pair, &self.scale, &work.weights)?) })
    }

    fn moments(&self, pair: &RankingPair<'_>, work: &mut Workspace, chance: Chance<'_>) -> (Moments, Certainty) {
        self.sampled(pair, work, chance).map_or((Moments::default(), Certainty::Exact), |sampled| sampled.moments())
    }
}
