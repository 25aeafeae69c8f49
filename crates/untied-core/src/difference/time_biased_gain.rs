//! Time-biased gain: relevance gains, and costs time.

use super::layout::{Scale, Workspace};
use super::pair::RankingPair;
use super::setup::Setup;
use super::solution::{Chance, Difference, Extent, STEPS, Sampled, fixed, in_both};
use super::solve::Solution;
use super::solve::budget::Budget;
use super::solve::expected::{Moments, Uncertain};
use super::solve::scores::Scores;
use super::solve::timed::Timed;
use crate::error::Result;
use crate::measures::Certainty;
use crate::measures::time_biased_gain::TimeBiasedGain;
use crate::ranking::Placed;

/// TBG.
struct Timing {
    scale: Scale,
    measure: TimeBiasedGain,
}

pub(super) fn time_biased_gain(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let scale = Scale { fills: false, ..setup.binary()? };
    Ok(Box::new(Timing { scale, measure: TimeBiasedGain::new(setup.spec, setup.scope)? }))
}

impl Timing {
    /// Whether a document is relevant, where that is known.
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

impl Difference for Timing {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn extent(&self, pair: &RankingPair<'_>, _: &mut Workspace, directions: (bool, bool)) -> Extent {
        if pair.is_same() {
            return fixed(directions, 0.0);
        }
        let solve = |timed: &mut Timed| {
            let Solution { value, bound, .. } = timed.solve(Budget::new(STEPS));
            (value, bound)
        };
        Extent::exact(in_both(directions, &mut self.timed(pair), solve, Timed::swap))
    }

    fn assignment(&self, pair: &RankingPair<'_>, _: &mut Workspace) -> Option<(Vec<u32>, Vec<f64>)> {
        let timed = self.timed(pair);
        let gains = timed.solve(Budget::new(STEPS)).gains;
        let counted = pair.places.iter().zip(gains).enumerate().filter(|(i, _)| timed.counts(*i));
        let (numbers, gains) = counted.map(|(_, (place, gain))| (place.document, gain)).unzip();
        Some((numbers, self.scale.grades(gains)))
    }

    fn sampled<'s>(
        &'s self,
        pair: &'s RankingPair<'_>,
        _: &'s mut Workspace,
        chance: Chance<'_>,
    ) -> Option<Sampled<'s>> {
        Some(Sampled { documents: self.uncertain(pair, chance), scores: Box::new(self.timed(pair)) })
    }

    /// Documents do not depend on each other, and S is affine in each; the variance is not known.
    fn moments(&self, pair: &RankingPair<'_>, _: &mut Workspace, chance: Chance<'_>) -> (Moments, Certainty) {
        let gains: Vec<f64> = self.uncertain(pair, chance).iter().map(|x| x.gain * x.chance).collect();
        (Moments { mean: self.timed(pair).difference(&gains), variance: f64::NAN }, Certainty::Exact)
    }
}
