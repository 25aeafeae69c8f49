//! The distribution of a difference S(A) - S(B), if documents are relevant independently of each other.
//!
//! For dot products, the difference is a sum of independent terms: document d adds delta_d or 0. So one convolution for
//! each document gives the distribution. Each term is rounded to the nearest multiple of a grid's step. The sum is then
//! off by the roundings of the terms that are present: at most by the sum of all roundings up, or of all roundings
//! down. The larger of both is the `error`, and every quantile is exact up to it. For other measures, differences are
//! drawn at random.

use super::expected::{DifferenceTerm, Uncertain};
use super::scores::ScoresByGains;
use crate::random::Random;

/// The probabilities of the differences `low`, `low + step` and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// The smallest difference.
    pub low: f64,
    /// The distance between two neighbouring differences.
    pub step: f64,
    /// The probability of each difference.
    pub masses: Vec<f64>,
    /// By how much a difference may be off, because it was rounded to the grid.
    pub error: f64,
}

impl Distribution {
    /// The distribution of a sum of terms, on a grid of about `points` points.
    ///
    /// If all terms are multiples of the smallest one, as for P@k, this is the grid's step, and there is no error.
    pub fn of(terms: &[DifferenceTerm], points: usize) -> Distribution {
        let certain = |term: &&DifferenceTerm| term.chance >= 1.0 || term.difference == 0.0;
        let low: f64 = terms.iter().filter(certain).map(|term| term.chance * term.difference).sum();
        let open = terms.iter().filter(|term| !certain(term) && term.chance > 0.0);
        let open: Vec<DifferenceTerm> = open.copied().collect();
        let range: f64 = open.iter().map(|term| term.difference.abs()).sum();
        let smallest = open.iter().map(|term| term.difference.abs()).fold(f64::INFINITY, f64::min);
        // The step is the smallest term if all are multiples of it and the grid stays small. Otherwise it is an even
        // share.
        let multiple = |term: &DifferenceTerm| {
            let times = term.difference / smallest;
            (times - times.round()).abs() <= 1e-12 * times.abs()
        };
        let points = points.max(2) as f64;
        let step = match open.is_empty() {
            true => return Distribution { low, step: 0.0, masses: vec![1.0], error: 0.0 },
            false if range / smallest < points && open.iter().all(multiple) => smallest,
            false => range / (points - 1.0),
        };
        let mut distribution = Distribution { low, step, masses: vec![1.0], error: 0.0 };
        // Add one term after the other, and sum up by how much each was rounded.
        let (mut up, mut down) = (0.0, 0.0);
        for term in &open {
            let steps = (term.difference / step).round();
            let rounding = steps * step - term.difference;
            if rounding.abs() > 1e-12 * term.difference.abs() {
                (up, down) = (up + rounding.max(0.0), down - rounding.min(0.0));
            }
            distribution.add(steps, term.chance);
        }
        distribution.error = up.max(down);
        distribution
    }

    /// Adds a term of `steps` steps that is present with the probability `chance`.
    fn add(&mut self, steps: f64, chance: f64) {
        // A loss with probability p is a certain loss, and a gain of the same size with probability 1 - p.
        let (by, chance) = (steps.abs() as usize, if steps < 0.0 { 1.0 - chance } else { chance });
        self.low += steps.min(0.0) * self.step;
        if by == 0 {
            return;
        }
        self.masses.resize(self.masses.len() + by, 0.0);
        for i in (0..self.masses.len()).rev() {
            let before = if i >= by { self.masses[i - by] } else { 0.0 };
            self.masses[i] = (1.0 - chance) * self.masses[i] + chance * before;
        }
    }
}

/// Draws differences at random, and returns them in ascending order. In each draw, documents are relevant with their
/// probabilities.
pub fn drawn(documents: &[Uncertain], scores: &(impl ScoresByGains + ?Sized), draws: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut gains = vec![0.0; documents.len()];
    let mut draw = || {
        for (gain, x) in gains.iter_mut().zip(documents) {
            *gain = if random.unit() < x.chance { x.gain } else { 0.0 };
        }
        scores.difference(&gains)
    };
    let mut differences: Vec<f64> = (0..draws).map(|_| draw()).collect();
    differences.sort_by(f64::total_cmp);
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_exact() {
        let term = |difference: f64| DifferenceTerm { difference, chance: 0.5 };
        let found = Distribution::of(&[term(0.1), term(-0.1), term(0.3), term(0.0)], 100);
        assert_eq!((found.error, found.masses.len()), (0.0, 6));
        assert!((found.low + 0.1).abs() < 1e-15 && (found.step - 0.1).abs() < 1e-15);
        assert_eq!(found.masses, [0.125, 0.25, 0.125, 0.125, 0.25, 0.125]);
        assert_eq!(Distribution::of(&[], 10).masses, [1.0]);
    }
}
