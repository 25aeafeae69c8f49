//! Distances that add up how far each document moved: Spearman's footrule and the like.
//!
//! With phi(i) growing with the rank and phi of a document beyond rank k or absent at least as large, the distance is
//! `sum over documents of |phi(i) - phi(j)|`. A step of phi after rank d counts once for every document that one
//! ranking has among its first d and the other has not, so with `Delta_d = phi(d+1) - phi(d)`
//!
//!   distance = sum_{d<=k} Delta_d (|A_d| + |B_d| - 2 X_d),
//!
//! a sum of overlaps: mean, variance and extremes over tie orders follow. Two rankings without a document in common have
//! the largest distance, which a distance is divided by unless `normalize=False`.
//!
//! * Footrule (Fagin, Kumar & Sivakumar 2003): phi(i) = i; absent documents stand at rank l, `Delta_k = l - k`.
//! * Differences of reciprocal ranks: phi(i) = -1/i, 0 if absent, `Delta_d = 1/d - 1/(d+1)`, `Delta_k = 1/k`.

use super::overlaps::{Linear, Overlaps};
use super::{Definition, PairScore, Similarity};
use crate::error::Error;
use crate::names::{Cutoff, Info, Parameter, Value};
use crate::ranking::Side;

/// Whether a distance is divided by the largest that there is.
pub const NORMALIZE: Parameter = Parameter {
    name: "normalize",
    default: "True",
    help: "divide by the distance of two rankings of these lengths that have no document in common",
};

pub static FOOTRULE: Definition = Info {
    name: "Footrule",
    aliases: &["footrule"],
    title: "Spearman's footrule of the first k documents, from how many ranks they moved",
    cutoff: Cutoff::Optional,
    parameters: &[
        Parameter {
            name: "l",
            default: "None",
            help: "rank of documents missing from a ranking; by default k + 1, where k is the cutoff or the length of \
                the longer ranking",
        },
        NORMALIZE,
    ],
    lower_is_better: true,
    equation: "sum |rank in A - rank in B|, with rank l beyond the first k",
    tex: r"\mathrm{Footrule} \propto \sum_d |\mathrm{rank}_A(d) - \mathrm{rank}_B(d)|",
    reference: "Spearman 1906; Fagin, Kumar & Sivakumar 2003",
    ..Info::DEFAULT
}
.built_by(|spec| {
    let location = match (spec.parameter("l"), spec.cutoff) {
        (None, _) => None,
        (Some(&Value::Number(l)), Some(k)) if l >= k as f64 => Some(l),
        (Some(_), None) => return Err(Error::Measure(format!("{spec}: l needs a cutoff, for instance @10"))),
        (Some(other), Some(k)) => {
            return Err(Error::Measure(format!("{spec}: l must be at least {k}, not {other}")));
        }
    };
    Ok(Box::new(Moves {
        step: Step::Rank { location },
        cutoff: spec.cutoff,
        normalize: spec.flag(NORMALIZE.name, true)?,
    }))
});

pub static RECIPROCAL_RANKS: Definition = Info {
    name: "RRDistance",
    aliases: &["rr_distance"],
    title: "how far the reciprocal ranks of the first k documents moved",
    cutoff: Cutoff::Optional,
    parameters: &[Parameter { name: "power", default: "1", help: "1: differences; 2: their squares" }, NORMALIZE],
    lower_is_better: true,
    equation: "sum |1/rank in A - 1/rank in B|, with 1/rank = 0 beyond the first k",
    tex: r"\mathrm{RRDistance} \propto \sum_d \left| \frac{1}{\mathrm{rank}_A(d)} - \frac{1}{\mathrm{rank}_B(d)}
           \right|",
    reference: "after Carterette 2008",
    ..Info::DEFAULT
}
.built_by(|spec| {
    let (cutoff, normalize) = (spec.cutoff, spec.flag(NORMALIZE.name, true)?);
    match spec.parameter("power") {
        None => Ok(Box::new(Moves { step: Step::Reciprocal, cutoff, normalize })),
        Some(Value::Number(2.0)) => Ok(Box::new(Squares { cutoff, normalize })),
        Some(other) => Err(Error::Measure(format!("{spec}: power must be 1 or 2, not {other}"))),
    }
});

/// What phi is.
enum Step {
    Rank { location: Option<f64> },
    Reciprocal,
}

impl Step {
    /// `Delta_d`, up to k.
    fn after(&self, d: usize, k: usize) -> f64 {
        let (rank, last) = (d as f64, d == k);
        match self {
            Step::Rank { location } if last => location.map_or(1.0, |l| l - rank),
            Step::Rank { .. } => 1.0,
            Step::Reciprocal if last => 1.0 / rank,
            Step::Reciprocal => 1.0 / (rank * (rank + 1.0)),
        }
    }
}

struct Moves {
    step: Step,
    cutoff: Option<usize>,
    normalize: bool,
}

impl Similarity for Moves {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let (a, b) = (overlaps.pair.a.len(), overlaps.pair.b.len());
        let longest = a.max(b);
        let k = self.cutoff.unwrap_or(longest);
        let seen = k.min(longest);
        let mut kappa: Vec<f64> = (1..=seen).map(|d| self.step.after(d, k)).collect();
        if let (Some(last), true) = (kappa.last_mut(), seen < k) {
            // Both rankings have ended: what is left of the way to the place of absent documents.
            *last = match self.step {
                Step::Rank { location } => location.unwrap_or(k as f64 + 1.0) - seen as f64,
                Step::Reciprocal => 1.0 / seen as f64,
            };
        }
        // Half of the documents that the two have at each depth.
        let from: Vec<f64> = (1..=seen).map(|d| (a.min(d) + b.min(d)) as f64 / 2.0).collect();
        let most = 2.0 * kappa.iter().zip(&from).map(|(step, from)| step * from).sum::<f64>();
        let norm = if self.normalize && most > 0.0 { most } else { 1.0 };
        kappa.iter_mut().for_each(|step| *step *= -2.0 / norm);
        overlaps.score(&Linear { constant: 0.0, kappa: &kappa, from: &from, further: [(0, 0.0); 2] }, with_variance)
    }
}

/// `sum (1/i - 1/j)^2`, which can't be written as a sum of overlaps.
struct Squares {
    cutoff: Option<usize>,
    normalize: bool,
}

impl Similarity for Squares {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let pair = &overlaps.pair;
        let k = self.cutoff.unwrap_or(usize::MAX);
        let (a, b) = (ReciprocalMoments::all(&pair.a, k), ReciprocalMoments::all(&pair.b, k));
        let (mut of_a, mut of_b) = (sizes(&pair.a), sizes(&pair.b));
        let most = squares_of(&of_a, &a) + squares_of(&of_b, &b);
        // Orders of the two rankings are independent.
        let mut sum = 0.0;
        for block in &pair.blocks {
            let (one, other) = (&a[block.a as usize], &b[block.b as usize]);
            let apart = one.mean - other.mean;
            sum += f64::from(block.count) * (apart * apart + one.variance + other.variance);
            of_a[block.a as usize] -= f64::from(block.count);
            of_b[block.b as usize] -= f64::from(block.count);
        }
        sum += squares_of(&of_a, &a) + squares_of(&of_b, &b);
        let value = if self.normalize && most > 0.0 { sum / most } else { sum };
        if pair.is_tied() { PairScore::one_number(value) } else { PairScore::constant(value, with_variance) }
    }
}

/// Mean and variance of 1/rank over the positions of a tie group; positions beyond the cutoff count 0.
struct ReciprocalMoments {
    mean: f64,
    variance: f64,
}

impl ReciprocalMoments {
    fn all(side: &Side, k: usize) -> Vec<ReciprocalMoments> {
        let of = |group: usize| {
            let at = side.positions(group);
            let size = at.size() as f64;
            let within = || (at.first..=at.last.min(k)).map(|i| 1.0 / i as f64);
            let mean = within().sum::<f64>() / size;
            let beyond = (at.last.saturating_sub(k)).min(at.size()) as f64;
            let squares = within().map(|one| (one - mean).powi(2)).sum::<f64>() + beyond * mean * mean;
            ReciprocalMoments { mean, variance: squares / size }
        };
        (0..side.groups()).map(of).collect()
    }
}

fn sizes(side: &Side) -> Vec<f64> {
    (0..side.groups()).map(|group| side.positions(group).size() as f64).collect()
}

/// The sum of squares over the documents of each group.
fn squares_of(counts: &[f64], moments: &[ReciprocalMoments]) -> f64 {
    counts.iter().zip(moments).map(|(count, one)| count * (one.mean * one.mean + one.variance)).sum()
}
