//! Rank-biased overlap (Webber, Moffat & Zobel 2010), with ties (Corsi & Urbano 2024).
//!
//! `RBO = (1-p) sum_d p^{d-1} A_d` with agreement `A_d = X_d / d`. Of rankings of s and l >= s documents only a part
//! of the sum is known: `truncated` is that part, `min` and `max` are the least and the greatest value that longer
//! rankings could have, `res` is max - min, and `ext` supposes that agreement goes on as it was.

use super::overlaps::{Linear, Overlaps};
use super::rbo_weights::RboWeights;
use super::{Definition, PairScore, Similarity};
use crate::error::{Error, Result};
use crate::names::{Cutoff, Info, Parameter, Spec};

pub static RBO: Definition = Info {
    name: "RBO",
    aliases: &["rbo", "rank_biased_overlap"],
    title: "rank-biased overlap",
    cutoff: Cutoff::Optional,
    parameters: &[
        Parameter { name: "p", default: "0.9", help: "persistence, a number between 0 and 1" },
        Parameter {
            name: "score",
            default: "'ext'",
            help: "'ext' (extrapolated), 'truncated', 'min', 'max' or 'res' (max - min)",
        },
        Parameter {
            name: "variant",
            default: "'expected'",
            help: "ties: 'expected' (mean over all orders), or Corsi & Urbano's 'w', 'a', 'b'",
        },
    ],
    equation: "(1-p) sum_d p^(d-1) X_d/d, X_d = documents among the first d of both",
    tex: r"\mathrm{RBO} = (1 - p) \sum_{d=1}^{\infty} p^{\,d-1} \frac{X_d}{d}",
    reference: "Webber, Moffat & Zobel 2010; Corsi & Urbano 2024",
    ..Info::DEFAULT
}
.built_by(build);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Truncated,
    Min,
    Max,
    Extrapolated,
    Residual,
}

/// How tied documents count where that is not the mean over their orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// All stand at the group's first rank.
    W,
    /// By the share of orders, normalised by depth.
    A,
    /// As `a`, normalised so that a ranking agrees with itself.
    B,
}

pub(super) struct RankBiasedOverlap {
    kind: Quantity,
    variant: Option<Variant>,
    pub(super) cutoff: Option<usize>,
    pub(super) weights: RboWeights,
}

fn build(spec: &Spec) -> Result<Box<dyn Similarity>> {
    let p = spec.number("p", 0.9, "a number between 0 and 1", |p| p > 0.0 && p < 1.0)?;
    let kinds = [
        ("ext", Quantity::Extrapolated),
        ("truncated", Quantity::Truncated),
        ("min", Quantity::Min),
        ("max", Quantity::Max),
        ("res", Quantity::Residual),
    ];
    let kind = spec.choice("score", &kinds)?;
    let variants = [("expected", None), ("w", Some(Variant::W)), ("a", Some(Variant::A)), ("b", Some(Variant::B))];
    let variant = spec.choice("variant", &variants)?;
    // Cut within a tie group, the number of shared documents is uncertain, and these are not sums of overlaps.
    let goes_with_cutoff = match variant {
        None => !matches!(kind, Quantity::Max | Quantity::Residual),
        Some(_) => kind == Quantity::Truncated,
    };
    if spec.cutoff.is_some() && !goes_with_cutoff {
        return Err(Error::Measure(format!(
            "{spec}: a cutoff can be combined only with score 'ext', 'truncated' or 'min', and with variant 'w', 'a' or 'b' only with \
             score 'truncated'"
        )));
    }
    Ok(Box::new(RankBiasedOverlap { kind, variant, cutoff: spec.cutoff, weights: RboWeights::new(p) }))
}

impl Similarity for RankBiasedOverlap {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let pair = &overlaps.pair;
        if self.kind == Quantity::Extrapolated && pair.shortest() == 0 {
            // Nothing to extrapolate from: two empty rankings are the same, an empty one is like no other.
            return PairScore::constant(f64::from(pair.longest() == 0), with_variance);
        }
        match self.variant {
            None => self.linear(overlaps, with_variance),
            Some(variant) => PairScore::one_number(self.tied(self.kind, variant, overlaps)),
        }
    }
}

impl RankBiasedOverlap {
    /// What is beyond the overlaps seen in the greatest case: unseen documents of the shorter ranking are all in the
    /// longer one up to l, then both agree in whatever they can, and from `f = l + s - X_l` on in all.
    pub(super) fn beyond_max(&self, s: usize, l: usize, shared: usize) -> f64 {
        let f = l + s - shared;
        let table = self.weights.to(f);
        let growing: f64 = (l + 1..=f).map(|d| table.kappa[d - 1] * (2 * d + shared - l - s) as f64).sum();
        growing + table.power[f]
    }

    /// The mean over tie orders: every score is a sum of overlaps.
    fn linear(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let pair = &overlaps.pair;
        let cut = |length: usize| self.cutoff.map_or(length, |cutoff| length.min(cutoff));
        let (s, l) = (cut(pair.shortest()), cut(pair.longest()));
        let table = self.weights.to(l);
        let mut linear = Linear { constant: 0.0, kappa: &table.kappa[..l], from: &[], further: [(0, 0.0); 2] };
        // What the shorter ranking lacks, d - s documents at depth d.
        let unseen = || (s + 1..=l).map(|d| table.kappa[d - 1] * (d - s) as f64).sum::<f64>();
        match self.kind {
            // Beyond the longer ranking the overlap stays as it is.
            Quantity::Truncated => linear.further[0] = (l, self.weights.between(l, self.cutoff.unwrap_or(l))),
            Quantity::Min => linear.further[0] = (l, table.tail[l]),
            Quantity::Max | Quantity::Residual => {
                let shared = pair.shared();
                linear.constant = unseen() + self.beyond_max(s, l, shared);
                if self.kind == Quantity::Residual {
                    linear.kappa = &[];
                    linear.constant -= table.tail[l] * shared as f64;
                }
            }
            Quantity::Extrapolated => {
                let (of_s, of_l, beyond) = (s as f64, l as f64, table.power[l]);
                let at_s = unseen() / of_s + beyond * (1.0 / of_s - 1.0 / of_l);
                linear.further = [(s, at_s), (l, beyond / of_l)];
            }
        }
        overlaps.score(&linear, with_variance)
    }
}
