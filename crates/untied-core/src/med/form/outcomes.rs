//! All that a difference could become, with probabilities.

use super::super::distribution::{self, Distribution};
use super::super::effect::{Both, Workspace};
use super::super::expected::Stake;
use super::super::expected::Uncertain;
use super::super::scores::Scores;
use super::{DRAWS, Form, Kind};
use crate::ranking::Placed;

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

impl Form {
    /// The distribution of S(A) - S(B), on a grid of about so many points where that can be, else drawn from a seed.
    /// None where the measure of tied rankings is not known, or looks at subtopics.
    pub fn outcomes(
        &self,
        both: &Both<'_>,
        work: &mut Workspace,
        chance: impl Fn(&Placed) -> f64,
        (points, seed): (usize, u64),
    ) -> Option<Outcomes> {
        if let Kind::Novelty(_) = self.kind {
            return None; // they would be of subtopics
        }
        if self.is_sum() {
            let (stakes, norm, _) = self.stakes(both, work, chance);
            let stakes: Vec<Stake> = stakes.iter().map(|x| Stake { difference: x.difference / norm, ..*x }).collect();
            return Some(on_grid(&Distribution::of(&stakes, points)));
        }
        if let Kind::Timed(measure) = &self.kind {
            return Some(sample(&self.uncertain_timed(both, chance), &self.timed(measure, both), seed));
        }
        if let Kind::Share { is_f1, .. } = self.kind {
            let documents = self.uncertain_weighed(both, work, chance);
            return Some(sample(&documents, &self.share(both, &work.weights, is_f1), seed));
        }
        if let Kind::Bpref(_) = self.kind {
            let documents = self.uncertain_weighed(both, work, chance);
            return Some(sample(&documents, &self.bpref(both, &work.weights)?, seed));
        }
        if self.is_tied(both) {
            let tied = self.tied(both)?;
            return Some(sample(&self.uncertain_tied(both, &tied, chance), &tied, seed));
        }
        let documents = self.uncertain(both, work, chance);
        Some(sample(&documents, &self.by_counts(both, &work.instance), seed))
    }
}

fn on_grid(found: &Distribution) -> Outcomes {
    let all = found.masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0);
    let (values, probabilities) = all.map(|(i, &mass)| (found.low + i as f64 * found.step, mass)).unzip();
    Outcomes { values, probabilities, error: Some(found.error) }
}

fn sample(documents: &[Uncertain], scores: &impl Scores, seed: u64) -> Outcomes {
    let found = distribution::drawn(documents, scores, DRAWS, seed);
    let (values, probabilities) =
        found.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as f64 / DRAWS as f64)).unzip();
    Outcomes { values, probabilities, error: None }
}
