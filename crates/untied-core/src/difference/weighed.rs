//! Measures with a closed form, in which a document's weight depends on other documents.

use super::layout::{DifferenceWorkspace, Scale};
use super::pair::RankingPair;
use super::setup::Setup;
use super::solution::{Chance, Difference, DifferenceRange, ScoreSampler, in_both};
use super::solve::Solution;
use super::solve::dot::{WeightedDocument, WeightedPair};
use super::solve::expected::{DifferenceMoments, Uncertain};
use super::solve::scores::ScoresByGains;
use crate::error::Result;
use crate::measures::Certainty;
use crate::ranking::Placed;

/// Two rankings, by weights.
pub(super) trait ClosedForm {
    /// The largest S(A) - S(B).
    fn largest(&self) -> Solution;

    /// S of one of the rankings, whose weight of a document is `weight`.
    fn score(&self, gains: &[f64], weight: fn(&WeightedDocument) -> f64) -> f64;
}

impl ScoresByGains for Box<dyn ClosedForm + '_> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.a)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.b)
    }
}

/// Makes the closed form of two rankings; none if there is nothing to solve.
type ReadClosedForm = for<'w> fn(&RankingPair<'_>, &Scale, &'w WeightedPair) -> Option<Box<dyn ClosedForm + 'w>>;

/// The difference in a measure with a closed form.
pub(super) struct ByWeights {
    scale: Scale,
    /// The weight of each rank.
    weights: Vec<f64>,
    problem: ReadClosedForm,
}

impl ByWeights {
    /// The difference of a measure of binary relevance, given the weight of each rank.
    pub fn boxed(
        setup: &Setup<'_>,
        weight: impl Fn(usize) -> f64,
        problem: ReadClosedForm,
    ) -> Result<Box<dyn Difference>> {
        let weights = (1..=setup.depth()).map(weight).collect();
        Ok(Box::new(ByWeights { scale: setup.binary()?, weights, problem }))
    }

    fn weigh(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) {
        self.scale.weigh(pair, &self.weights[..self.scale.depth_of(pair)], work);
    }

    fn solve(&self, pair: &RankingPair<'_>, weights: &WeightedPair) -> Option<Solution> {
        Some((self.problem)(pair, &self.scale, weights)?.largest())
    }
}

/// Whether a document is within the depth of either ranking.
fn counts(x: &WeightedDocument) -> bool {
    x.a > 0.0 || x.b > 0.0
}

impl Difference for ByWeights {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn extent(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        directions: (bool, bool),
    ) -> DifferenceRange {
        self.weigh(pair, work);
        let solve = |weights: &mut WeightedPair| {
            let value = self.solve(pair, weights).map_or(0.0, |solution| solution.value);
            (value, value)
        };
        DifferenceRange::exact(in_both(directions, &mut work.weights, solve, WeightedPair::swap))
    }

    fn assignment(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> Option<(Vec<u32>, Vec<f64>)> {
        self.weigh(pair, work);
        let gains = self.solve(pair, &work.weights).map_or_else(Vec::new, |solution| solution.gains);
        let documents = pair.places.iter().zip(gains).zip(&work.weights.documents);
        let (numbers, gains) =
            documents.filter(|(_, x)| counts(x)).map(|((place, gain), _)| (place.document, gain)).unzip();
        Some((numbers, self.scale.grades(self.scale.with_filling(pair, gains))))
    }

    fn sampled<'s>(
        &'s self,
        pair: &'s RankingPair<'_>,
        work: &'s mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> Option<ScoreSampler<'s>> {
        self.weigh(pair, work);
        let uncertain = |(place, x): (&Placed, &WeightedDocument)| {
            let chance = || if counts(x) { chance(place) } else { 0.0 };
            let (gain, chance) = x.known.map_or_else(|| (self.scale.top, chance()), |gain| (gain, 1.0));
            Uncertain { a: place.a, b: place.b, gain, chance }
        };
        let documents = pair.places.iter().zip(&work.weights.documents).map(uncertain).collect();
        Some(ScoreSampler { documents, scores: Box::new((self.problem)(pair, &self.scale, &work.weights)?) })
    }

    fn moments(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (DifferenceMoments, Certainty) {
        self.sampled(pair, work, chance)
            .map_or((DifferenceMoments::default(), Certainty::Exact), |sampled| sampled.moments())
    }
}
