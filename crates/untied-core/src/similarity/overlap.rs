//! Shares of documents in common: `Overlap@k = X_k / k`, and average overlap `AO@k = (1/k) sum_{d <= k} X_d / d`.
//!
//! Rankings shorter than k are not filled: what they lack agrees with nothing.

use super::overlaps::{Linear, Overlaps};
use super::{Definition, PairScore, Similarity};
use crate::elementary::ln;
use crate::error::{Error, Result};
use crate::names::{Cutoff, Info, Spec};

pub static OVERLAP: Definition = Info {
    name: "Overlap",
    title: "share of the first k documents in common",
    cutoff: Cutoff::Required,
    equation: "X_k / k, X_k = documents among the first k of both",
    tex: r"\mathrm{Overlap}@k = \frac{X_k}{k}",
    reference: "Webber, Moffat & Zobel 2010",
    ..Info::DEFAULT
}
.built_by(|spec| Ok(Box::new(Overlap(cutoff(spec)?))));

pub static AVERAGE_OVERLAP: Definition = Info {
    name: "AO",
    aliases: &["AverageOverlap"],
    title: "average overlap, the mean of Overlap@1 to Overlap@k",
    cutoff: Cutoff::Required,
    equation: "(1/k) sum_{d<=k} X_d/d",
    tex: r"\mathrm{AO}@k = \frac{1}{k} \sum_{d=1}^{k} \frac{X_d}{d}",
    reference: "Wu & Crestani 2003; Fagin, Kumar & Sivakumar 2003",
    ..Info::DEFAULT
}
.built_by(|spec| Ok(Box::new(AverageOverlap::new(cutoff(spec)?))));

pub(super) fn cutoff(spec: &Spec) -> Result<usize> {
    let name = spec.info.name;
    spec.cutoff.ok_or_else(|| Error::Measure(format!("{name} needs a cutoff, for instance {name}@10")))
}

struct Overlap(usize);

impl Similarity for Overlap {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let last = (self.0.min(overlaps.pair.longest()), 1.0 / self.0 as f64);
        overlaps.score(&Linear { constant: 0.0, kappa: &[], from: &[], further: [last, (0, 0.0)] }, with_variance)
    }
}

struct AverageOverlap {
    cutoff: usize,
    /// `1/(k d)` for the depths that are looked at often.
    weights: Vec<f64>,
}

impl AverageOverlap {
    fn new(cutoff: usize) -> AverageOverlap {
        AverageOverlap { cutoff, weights: weights(cutoff, 0).take(1 << 12).collect() }
    }
}

fn weights(cutoff: usize, beyond: usize) -> impl Iterator<Item = f64> {
    (beyond + 1..=cutoff).map(move |d| 1.0 / (cutoff as f64 * d as f64))
}

/// The sum of the weights beyond a depth. Far beyond it, sum 1/d is told by its asymptotic series, as a cutoff may be any
/// number: `H_n = ln n + gamma + 1/(2n) - 1/(12n^2) + ..`
fn rest(cutoff: usize, beyond: usize) -> f64 {
    const LISTED: usize = 1 << 20;
    let listed = weights(cutoff, beyond).take(LISTED).sum();
    if cutoff - beyond <= LISTED {
        return listed;
    }
    let (k, m) = (cutoff as f64, (beyond + LISTED) as f64);
    let series = |n: f64| 0.5 / n - 1.0 / (12.0 * n * n);
    listed + (ln(k / m) + series(k) - series(m)) / k
}

impl Similarity for AverageOverlap {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let seen = self.cutoff.min(overlaps.pair.longest());
        // Beyond the longer ranking the overlap stays as it is.
        let last = (seen, rest(self.cutoff, seen));
        let long: Vec<f64>;
        let kappa = if seen <= self.weights.len() {
            &self.weights[..seen]
        } else {
            long = weights(self.cutoff, 0).take(seen).collect();
            &long
        };
        overlaps.score(&Linear { constant: 0.0, kappa, from: &[], further: [last, (0, 0.0)] }, with_variance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_far_beyond_are_told_without_adding_them_up() {
        for (cutoff, beyond) in [(3_000_000, 0), (5_000_000, 700), (20, 20)] {
            let all: f64 = weights(cutoff, beyond).sum();
            assert!((rest(cutoff, beyond) - all).abs() <= 1e-12 * all);
        }
        assert!(rest(1 << 60, 3) < 1e-16);
    }
}
