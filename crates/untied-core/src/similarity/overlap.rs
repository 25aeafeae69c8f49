//! Shares of documents in common: `Overlap@k = X_k / k`, and average overlap `AO@k = (1/k) sum_{d <= k} X_d / d`.
//!
//! Rankings shorter than k are not filled: what they lack agrees with nothing.

use super::overlaps::{Linear, Overlaps};
use super::{Score, Similar, Similarity, not_alone};
use crate::error::{Error, Result};
use crate::measures::{Aggregate, Cutoff, Info, Needs, Spec};

pub static OVERLAP: Similar = Similar {
    info: Info {
        name: "Overlap",
        aliases: &[],
        title: "share of the first k documents in common",
        cutoff: Cutoff::Required,
        parameters: &[],
        aggregate: Aggregate::Mean,
        lower_is_better: false,
        needs: Needs::Judgments,
        range: "0 to 1",
        equation: "X_k / k, X_k = documents among the first k of both",
        reference: "Webber, Moffat & Zobel 2010",
        build: not_alone,
    },
    build: |spec| Ok(Box::new(Overlap(cutoff(spec)?))),
};

pub static AVERAGE_OVERLAP: Similar = Similar {
    info: Info {
        name: "AO",
        aliases: &["AverageOverlap"],
        title: "average overlap: the mean of Overlap@1 to Overlap@k",
        cutoff: Cutoff::Required,
        parameters: &[],
        aggregate: Aggregate::Mean,
        lower_is_better: false,
        needs: Needs::Judgments,
        range: "0 to 1",
        equation: "(1/k) sum_{d<=k} X_d/d",
        reference: "Wu & Crestani 2003; Fagin, Kumar & Sivakumar 2003",
        build: not_alone,
    },
    build: |spec| Ok(Box::new(AverageOverlap(cutoff(spec)?))),
};

fn cutoff(spec: &Spec) -> Result<usize> {
    let name = spec.info.name;
    spec.cutoff.ok_or_else(|| Error::Measure(format!("{name} needs a cutoff, for instance {name}@10")))
}

struct Overlap(usize);

impl Similarity for Overlap {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> Score {
        let mut kappa = vec![0.0; self.0.min(overlaps.pair.longest())];
        kappa.iter_mut().last().into_iter().for_each(|last| *last = 1.0 / self.0 as f64);
        overlaps.score(&Linear { constant: 0.0, kappa }, with_variance)
    }
}

struct AverageOverlap(usize);

impl Similarity for AverageOverlap {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> Score {
        let weight = |d: usize| 1.0 / (self.0 * d) as f64;
        let seen = self.0.min(overlaps.pair.longest());
        let mut kappa: Vec<f64> = (1..=seen).map(weight).collect();
        // Beyond the longer ranking the overlap stays as it is.
        let beyond: f64 = (seen + 1..=self.0).map(weight).sum();
        kappa.iter_mut().last().into_iter().for_each(|last| *last += beyond);
        overlaps.score(&Linear { constant: 0.0, kappa }, with_variance)
    }
}
