//! Rank-biased overlap (Webber, Moffat & Zobel 2010), with ties (Corsi & Urbano 2024).
//!
//! `RBO = (1-p) sum_d p^{d-1} A_d` with agreement `A_d = X_d / d`. Of rankings of s and l >= s documents only a part
//! of the sum is known: `truncated` is that part, `min` and `max` are the least and the greatest value that longer
//! rankings could have, `res` is max - min, and `ext` supposes that agreement goes on as it was (SPEC 5.1).

use super::overlaps::{Linear, Overlaps};
use super::{Score, Similar, Similarity, not_alone};
use crate::error::{Error, Result};
use crate::measures::{Aggregate, Certainty, Cutoff, Info, Needs, Parameter, Spec, Value};
use crate::ranking::{Positions, Side};

pub static RBO: Similar = Similar {
    info: Info {
        name: "RBO",
        aliases: &["rbo"],
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
        aggregate: Aggregate::Mean,
        lower_is_better: false,
        needs: Needs::Judgments,
        range: "0 to 1",
        equation: "(1-p) sum_d p^(d-1) X_d/d, X_d = documents among the first d of both",
        reference: "Webber, Moffat & Zobel 2010; Corsi & Urbano 2024",
        build: not_alone,
    },
    build,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Truncated,
    Min,
    Max,
    Extrapolated,
    Residual,
}

/// How tied documents count where that is not the mean over their orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// All stand at the group's first rank.
    W,
    /// By the share of orders, normalised by depth.
    A,
    /// As `a`, normalised so that a ranking agrees with itself.
    B,
}

struct RankBiasedOverlap {
    p: f64,
    kind: Kind,
    variant: Option<Variant>,
    cutoff: Option<usize>,
}

fn build(spec: &Spec) -> Result<Box<dyn Similarity>> {
    let p = spec.number("p", 0.9, "a number between 0 and 1", |p| p > 0.0 && p < 1.0)?;
    let refused = |name: &str, expected: &str, found: &Value| {
        Err(Error::Measure(format!("{spec}: {name} must be {expected}, not {found}")))
    };
    let kind = match spec.parameter("score") {
        None => Kind::Extrapolated,
        Some(value @ Value::Text(text)) => match text.as_str() {
            "ext" => Kind::Extrapolated,
            "truncated" => Kind::Truncated,
            "min" => Kind::Min,
            "max" => Kind::Max,
            "res" => Kind::Residual,
            _ => return refused("score", "'ext', 'truncated', 'min', 'max' or 'res'", value),
        },
        Some(value) => return refused("score", "'ext', 'truncated', 'min', 'max' or 'res'", value),
    };
    let variant = match spec.parameter("variant") {
        None => None,
        Some(value @ Value::Text(text)) => match text.as_str() {
            "expected" => None,
            "w" => Some(Variant::W),
            "a" => Some(Variant::A),
            "b" => Some(Variant::B),
            _ => return refused("variant", "'expected', 'w', 'a' or 'b'", value),
        },
        Some(value) => return refused("variant", "'expected', 'w', 'a' or 'b'", value),
    };
    // Cut within a tie group, the number of shared documents is uncertain, and these are not sums of overlaps.
    let goes_with_cutoff = match variant {
        None => !matches!(kind, Kind::Max | Kind::Residual),
        Some(_) => kind == Kind::Truncated,
    };
    if spec.cutoff.is_some() && !goes_with_cutoff {
        return Err(Error::Measure(format!(
            "{spec}: a cutoff goes with score 'ext', 'truncated' or 'min', and with variant 'w', 'a' or 'b' only with \
             score 'truncated'"
        )));
    }
    Ok(Box::new(RankBiasedOverlap { p, kind, variant, cutoff: spec.cutoff }))
}

impl Similarity for RankBiasedOverlap {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> Score {
        let pair = &overlaps.pair;
        if self.kind == Kind::Extrapolated && pair.shortest() == 0 {
            // Nothing to extrapolate from: two empty rankings are the same, an empty one is like no other.
            return Score::constant(f64::from(pair.longest() == 0));
        }
        match self.variant {
            None => overlaps.score(&self.linear(overlaps), with_variance),
            Some(variant) => {
                Score { value: self.tied(variant, overlaps), range: None, variance: None, certainty: Certainty::Exact }
            }
        }
    }
}

impl RankBiasedOverlap {
    /// Weights of `A_d`, `(1-p)/p p^d`, from depth 1 on.
    fn weights(&self) -> impl Iterator<Item = f64> {
        std::iter::successors(Some(1.0 - self.p), |weight| Some(weight * self.p))
    }

    /// `(1-p)/p sum_{d > depth} p^d/d`.
    fn tail(&self, depth: usize) -> f64 {
        if self.p > 0.99 {
            // The sum would be long; what cancels here is small beside the rest of the score.
            let seen: f64 = self.weights().zip(1..=depth).map(|(weight, d)| weight / d as f64).sum();
            return (-(-self.p).ln_1p() * (1.0 - self.p) / self.p - seen).max(0.0);
        }
        let first = (1.0 - self.p) * self.p.powi(depth as i32);
        std::iter::successors(Some(first), |weight| Some(weight * self.p))
            .zip(depth + 1..)
            .take_while(|(weight, _)| *weight > 1e-18 * first)
            .map(|(weight, d)| weight / d as f64)
            .sum()
    }

    /// What is beyond the overlaps seen in the greatest case: unseen documents of the shorter ranking are all in the
    /// longer one up to l, then both agree in whatever they can, and from `f = l + s - X_l` on in all.
    fn beyond_max(&self, s: usize, l: usize, shared: usize) -> f64 {
        let f = l + s - shared;
        let growing = self.weights().zip(1..=f).skip(l);
        let growing: f64 = growing.map(|(weight, d)| weight * (2 * d + shared - l - s) as f64 / d as f64).sum();
        growing + self.p.powi(f as i32)
    }

    /// The mean over tie orders: every score is a sum of overlaps.
    fn linear(&self, overlaps: &Overlaps) -> Linear {
        let pair = &overlaps.pair;
        let cut = |length: usize| self.cutoff.map_or(length, |cutoff| length.min(cutoff));
        let (s, l) = (cut(pair.shortest()), cut(pair.longest()));
        let mut kappa: Vec<f64> = self.weights().zip(1..=l).map(|(weight, d)| weight / d as f64).collect();
        let mut constant = 0.0;
        match self.kind {
            Kind::Truncated => {
                // Beyond the longer ranking the overlap stays as it is.
                let beyond = self.weights().zip(1..=self.cutoff.unwrap_or(l)).skip(l);
                let beyond: f64 = beyond.map(|(weight, d)| weight / d as f64).sum();
                kappa.iter_mut().last().into_iter().for_each(|last| *last += beyond);
            }
            Kind::Min => kappa.iter_mut().last().into_iter().for_each(|last| *last += self.tail(l)),
            Kind::Max | Kind::Residual => {
                let shared = pair.shared();
                let unseen = kappa.iter().zip(1..).skip(s).map(|(kappa, d)| kappa * (d - s) as f64);
                constant = unseen.sum::<f64>() + self.beyond_max(s, l, shared);
                if self.kind == Kind::Residual {
                    kappa.clear();
                    constant -= self.tail(l) * shared as f64;
                }
            }
            Kind::Extrapolated => {
                let (of_s, of_l) = (s as f64, l as f64);
                let unseen = kappa.iter().zip(1..).skip(s).map(|(kappa, d)| kappa * (d - s) as f64 / of_s);
                let beyond = self.p.powi(l as i32);
                let at_s = unseen.sum::<f64>() + beyond * (1.0 / of_s - 1.0 / of_l);
                kappa[s - 1] += at_s;
                kappa[l - 1] += beyond / of_l;
            }
        }
        Linear { constant, kappa }
    }

    /// Corsi & Urbano's variants: a document of a tie group counts c(d) of itself at depth d.
    fn tied(&self, variant: Variant, overlaps: &Overlaps) -> f64 {
        let pair = &overlaps.pair;
        let (short, long) = if pair.a.len() <= pair.b.len() { (&pair.a, &pair.b) } else { (&pair.b, &pair.a) };
        let (s, l) = (short.len(), long.len());
        let shared = pair.shared();
        let touched = touched(overlaps);
        let unshared = unshared(overlaps, pair.a.len() > pair.b.len());
        let (mut in_short, mut in_long) = (Walk::new(short), Walk::new(long));
        let (mut score, mut agreement_at_s) = (0.0, 0.0);
        let depths = self.cutoff.unwrap_or(l);
        for (weight, d) in self.weights().zip(1..=depths) {
            let at = d.min(l).saturating_sub(1);
            let x = if variant == Variant::W { touched[at] } else { overlaps.mean[at] };
            let norms = (in_short.norm(variant, d), in_long.norm(variant, d));
            let agreement = |x: f64| match variant {
                Variant::W => 2.0 * x / (norms.0 + norms.1),
                Variant::A => x / d as f64,
                Variant::B => x / (norms.0 * norms.1),
            };
            if d == s {
                agreement_at_s = agreement(x);
            }
            let unseen = if d <= s || d > l {
                0.0
            } else {
                // Documents of the longer ranking only, in groups within the depth and in the one it cuts.
                let (whole, cut) = in_long.counts(&unshared);
                let share = if variant == Variant::W { 1.0 } else { in_long.positions().share(d) };
                let missing = (d - s) as f64;
                match self.kind {
                    Kind::Max => missing.min(whole) + share * (missing - whole).clamp(0.0, cut),
                    Kind::Extrapolated => missing * agreement_at_s * (whole + share * cut) / (whole + cut),
                    _ => 0.0,
                }
            };
            score += weight * agreement(x + unseen);
        }
        match self.kind {
            Kind::Truncated => score,
            Kind::Min => score + self.tail(l) * shared as f64,
            Kind::Max => score + self.beyond_max(s, l, shared),
            Kind::Extrapolated => {
                let expected = shared as f64 + (l - s) as f64 * agreement_at_s;
                score + self.p.powi(l as i32) * expected / l as f64
            }
            Kind::Residual => {
                let of = |kind| RankBiasedOverlap { kind, ..*self }.tied(variant, overlaps);
                of(Kind::Max) - of(Kind::Min)
            }
        }
    }
}

/// For every depth, shared documents whose groups begin within it in both rankings.
fn touched(overlaps: &Overlaps) -> Vec<f64> {
    let pair = &overlaps.pair;
    let mut touched = vec![0.0; pair.longest().max(1)];
    for block in &pair.blocks {
        let (a, b) = pair.positions(block);
        touched[a.first.max(b.first) - 1] += f64::from(block.count);
    }
    for d in 1..touched.len() {
        touched[d] += touched[d - 1];
    }
    touched
}

/// For every group of one of the rankings, how many of its documents the other lacks.
fn unshared(overlaps: &Overlaps, of_a: bool) -> Vec<usize> {
    let pair = &overlaps.pair;
    let side = if of_a { &pair.a } else { &pair.b };
    let mut counts: Vec<usize> = (0..side.groups()).map(|group| side.positions(group).size()).collect();
    for block in &pair.blocks {
        counts[if of_a { block.a } else { block.b } as usize] -= block.count as usize;
    }
    counts
}

/// The group at a depth that grows.
struct Walk<'a> {
    side: &'a Side,
    group: usize,
    /// Documents that the other ranking lacks, in groups before.
    whole: usize,
    counted: usize,
}

impl<'a> Walk<'a> {
    fn new(side: &'a Side) -> Walk<'a> {
        Walk { side, group: 0, whole: 0, counted: 0 }
    }

    fn positions(&self) -> Positions {
        self.side.positions(self.group)
    }

    /// What stands for the size of the first d documents, where a ranking that ended counts as d untied ones.
    fn norm(&mut self, variant: Variant, d: usize) -> f64 {
        let depth = d as f64;
        let group = if d <= self.side.len() {
            while self.positions().last < d {
                self.group += 1;
            }
            self.positions()
        } else {
            Positions { first: d, last: d }
        };
        match variant {
            Variant::W => group.last as f64,
            Variant::A => depth,
            Variant::B => {
                let share = group.share(d);
                ((group.first - 1) as f64 + group.size() as f64 * share * share).sqrt()
            }
        }
    }

    /// Of these counts a group, the sum over groups before the present one, and that of the present one.
    fn counts(&mut self, counts: &[usize]) -> (f64, f64) {
        while self.counted < self.group {
            self.whole += counts[self.counted];
            self.counted += 1;
        }
        (self.whole as f64, counts[self.group] as f64)
    }
}
