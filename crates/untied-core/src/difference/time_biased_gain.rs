//! The difference in time-biased gain. A relevant document gains, but takes more time to read.

use super::layout::{DifferenceWorkspace, Scale};
use super::pair::RankingPair;
use super::setup::Setup;
use super::solution::{Chance, Difference, DifferenceRange, LargestDifference, STEPS, ScoreSampler, fixed, in_both};
use super::solve::Solution;
use super::solve::budget::Budget;
use super::solve::expected::{DifferenceMoments, Uncertain};
use super::solve::scores::ScoresByGains;
use super::solve::timed::Timed;
use crate::error::Result;
use crate::measures::Certainty;
use crate::measures::time_biased_gain::TimeBiasedGain;
use crate::ranking::Placed;

struct TimeBiasedGainDifference {
    scale: Scale,
    measure: TimeBiasedGain,
}

pub(super) fn time_biased_gain(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let scale = Scale { fills: false, ..setup.binary()? };
    Ok(Box::new(TimeBiasedGainDifference { scale, measure: TimeBiasedGain::new(setup.spec, setup.scope)? }))
}

impl TimeBiasedGainDifference {
    /// Whether a document is relevant, if this is known.
    fn known_relevance(&self, pair: &RankingPair<'_>, place: &Placed) -> Option<bool> {
        self.scale.known_gain(pair, place).map(|gain| gain > 0.0)
    }

    fn timed(&self, pair: &RankingPair<'_>) -> Timed {
        let documents = pair.places.iter().map(|place| {
            let text = pair.facts.lengths[place.document as usize];
            (place.document, self.measure.go_on(text.length, text.seconds), self.known_relevance(pair, place))
        });
        Timed::new([pair.a, pair.b], documents, self.measure.cutoff(), self.measure.gain())
    }

    fn uncertain(&self, pair: &RankingPair<'_>, chance: Chance<'_>) -> Vec<Uncertain> {
        let uncertain = |place: &Placed| {
            let chance = self
                .known_relevance(pair, place)
                .map_or_else(|| chance(place), |relevant| f64::from(u8::from(relevant)));
            Uncertain { a: place.a, b: place.b, gain: 1.0, chance }
        };
        pair.places.iter().map(uncertain).collect()
    }
}

impl Difference for TimeBiasedGainDifference {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, _: usize, _: &mut DifferenceWorkspace) -> LargestDifference {
        let timed = self.timed(pair);
        let Solution { value, bound, gains, .. } = timed.solve(Budget::new(STEPS));
        let counted = pair.places.iter().zip(gains).enumerate().filter(|(i, _)| timed.counts(*i));
        let (numbers, gains): (Vec<u32>, Vec<f64>) = counted.map(|(_, (place, gain))| (place.document, gain)).unzip();
        LargestDifference::within(bound, self.scale.assignment(pair, value, &numbers, &self.scale.grades(gains)))
    }

    fn extent(&self, pair: &RankingPair<'_>, _: &mut DifferenceWorkspace, directions: (bool, bool)) -> DifferenceRange {
        if pair.is_same() {
            return fixed(directions, 0.0);
        }
        let solve = |timed: &mut Timed| {
            let Solution { value, bound, .. } = timed.solve(Budget::new(STEPS));
            (value, bound)
        };
        DifferenceRange::exact(in_both(directions, &mut self.timed(pair), solve, Timed::swap))
    }

    fn sampled<'s>(
        &'s self,
        pair: &'s RankingPair<'_>,
        _: &'s mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> Option<ScoreSampler<'s>> {
        Some(ScoreSampler { documents: self.uncertain(pair, chance), scores: Box::new(self.timed(pair)) })
    }

    /// The mean of the difference, which is exact: S is affine in the relevance of each document, and documents are
    /// independent. The variance is not known.
    fn moments(
        &self,
        pair: &RankingPair<'_>,
        _: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (DifferenceMoments, Certainty) {
        let gains: Vec<f64> = self.uncertain(pair, chance).iter().map(|x| x.gain * x.chance).collect();
        (DifferenceMoments { mean: self.timed(pair).difference(&gains), variance: f64::NAN }, Certainty::Exact)
    }
}
