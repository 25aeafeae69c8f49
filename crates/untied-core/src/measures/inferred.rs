//! Inferred AP: average precision estimated from a pool of which only a sample is judged.
//!
//! Let D pooled documents (judged, or with a negative grade) be above a relevant document at rank k, m of them judged
//! and r relevant. The document adds
//!
//!   1/k + (D/k) (r + eps) / (m + 2 eps),    and exactly 1 at rank 1,
//!
//! and infAP is the sum divided by R.
//!
//! In a group of n documents, let r be relevant, J judged, and U pooled but not judged. Above a relevant document at
//! position a are s of the other J - 1 judged documents, with a hypergeometric probability. Given s, the numbers of
//! relevant and of pooled unjudged documents above are independent, and expected to be s (r-1)/(J-1) and (a-1-s)
//! U/(n-J); see [`super::orders::above`]. infAP may fall when a relevant document moves up, so its variance and its
//! extremes come from `lattice`.

use super::orders::above::{SampledPool, Smoothing};
use super::orders::{Outcome, lattice};
use super::{Certainty, Definition, Measure, Orders};
use crate::names::{Info, Parameter, REL, Sampled, unbounded};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

const EPS: Parameter =
    Parameter { name: "eps", default: "0.00001", help: "smoothing of the estimated precision, at least 0" };

pub static INFERRED_AP: Definition = Info {
    name: "infAP",
    aliases: &["infap", "inferred_ap"],
    title: "average precision inferred from a judged sample of the pool",
    parameters: &[REL, EPS],
    equation: "infAP = (1/R) sum over ranks k of relevant documents of 1/k + (D/k) (r + eps) / (m + 2 eps), where D \
               pooled, m judged and r relevant documents stand above; 1 at rank 1",
    tex: r"\mathrm{infAP} = \frac{1}{R} \sum_{k:\ x_k = 1} \left( \frac{1}{k} + \frac{D_k}{k} \cdot \frac{r_k +
           \varepsilon}{m_k + 2 \varepsilon} \right)",
    reference: "Yilmaz & Aslam 2006",
    sampled: &[Sampled { unless: lattice::MANY_KINDS, then: Sampled::BOUNDS }],
    unbounded: Some(unbounded::ESTIMATOR),
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let eps = spec.number(EPS.name, 1e-5, "a number of at least 0", |eps| eps >= 0.0)?;
    Ok(Box::new(InferredAp { rel: spec.rel()?, eps }))
});

struct InferredAp {
    rel: f64,
    eps: f64,
}

/// Numbers of documents of the four kinds: relevant, judged non-relevant, pooled but not judged, not pooled.
type PoolCounts = [usize; 4];

impl InferredAp {
    fn counts(&self, group: &Group<'_>) -> PoolCounts {
        let relevant = group.relevant(self.rel);
        let judged = group.relevant(0.0);
        let pooled = group.relevant(f64::NEG_INFINITY);
        [relevant, judged - relevant, pooled - judged, group.size - pooled]
    }

    /// What a relevant document at rank k adds. The numbers of documents above it may be expected values.
    fn term(&self, rank: usize, pooled: f64, judged: f64, relevant: f64) -> f64 {
        if rank == 1 {
            return 1.0;
        }
        let (rank, above) = (rank as f64, (rank - 1) as f64);
        1.0 / rank + above / rank * (pooled / above) * self.smoothing().ratio(judged, relevant)
    }

    fn smoothing(&self) -> Smoothing {
        Smoothing { eps: self.eps, prior: 2.0 }
    }

    /// Calls `visit` with each group that has relevant documents: with its start, what is before it, and what it holds.
    fn over_groups(&self, ranking: &Ranking, mut visit: impl FnMut(usize, PoolCounts, PoolCounts)) {
        let mut before = [0; 4]; // the last is not needed: the start tells
        for group in ranking.groups() {
            let counts = self.counts(&group);
            if counts[0] > 0 {
                visit(group.start, before, counts);
            }
            before.iter_mut().zip(counts).for_each(|(before, count)| *before += count);
        }
    }

    /// The mean of what a group adds.
    fn mean_of(&self, start: usize, before: PoolCounts, counts: PoolCounts) -> f64 {
        let size: usize = counts.iter().sum();
        let [relevant, nonrelevant, unsampled, unpooled] = counts;
        if relevant == size {
            let judged = before[0] + before[1];
            let term = |i| {
                let [pooled, judged, relevant] = [judged + before[2], judged, before[0]].map(|n| (n + i) as f64);
                self.term(start + i + 1, pooled, judged, relevant)
            };
            return (0..size).map(term).sum();
        }
        // One relevant document is at the position itself.
        let sampled = |[relevant, nonrelevant, unsampled, _]: PoolCounts| SampledPool {
            relevant,
            judged: relevant + nonrelevant,
            unsampled,
        };
        let others = sampled([relevant - 1, nonrelevant, unsampled, unpooled]);
        let estimates = self.smoothing().means(sampled(before), others, size - 1);
        let terms = estimates.iter().enumerate().map(|(i, estimate)| (1.0 + estimate) / (start + i + 1) as f64);
        terms.sum::<f64>() * relevant as f64 / size as f64
    }

    /// The statistics of what a group adds, unless it is too large.
    fn outcome_of(&self, start: usize, before: PoolCounts, counts: PoolCounts) -> Option<Outcome> {
        if counts[1..] == [0; 3] {
            return Some(Outcome::certain(self.mean_of(start, before, counts)));
        }
        lattice::over_orders(&counts, |placed, kind| {
            let above = |kinds: usize| (0..kinds).map(|kind| before[kind] + placed[kind]).sum::<usize>() as f64;
            let rank = start + placed.iter().sum::<usize>() + 1;
            if kind == 0 { self.term(rank, above(3), above(2), above(1)) } else { 0.0 }
        })
    }

    /// Bounds what a group adds, from bounds of the rank of its first, second, .. relevant document and of what is
    /// above it.
    fn bounds_of(&self, start: usize, before: PoolCounts, counts: PoolCounts) -> (f64, f64) {
        let [relevant, nonrelevant, unsampled, unpooled] = counts;
        let (mut low, mut high) = (0.0, 0.0);
        for i in 0..relevant {
            let above = (before[0] + i) as f64;
            let (judged, first) = (before[0] + before[1] + i, start + i + 1);
            let (pooled, others) = (judged + before[2], nonrelevant + unsampled);
            low += self.term(first + others + unpooled, pooled as f64, (judged + nonrelevant) as f64, above);
            high += self.term(first, (pooled + others).min(first - 1) as f64, judged as f64, above);
        }
        (low, high)
    }
}

impl Measure for InferredAp {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        self.over_groups(ranking, |start, before, counts| total += self.mean_of(start, before, counts));
        total / relevant(self.rel, truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        self.over_groups(ranking, |start, before, counts| {
            total += self.outcome_of(start, before, counts).map_or(f64::NAN, |outcome| outcome.variance);
        });
        total / relevant(self.rel, truth).powi(2)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let (mut low, mut high) = (0.0, 0.0);
        self.over_groups(&orders.tied, |start, before, counts| {
            let part = match self.outcome_of(start, before, counts) {
                Some(outcome) => (outcome.low, outcome.high),
                None => self.bounds_of(start, before, counts),
            };
            low += part.0;
            high += part.1;
        });
        let relevant = relevant(self.rel, truth);
        (low / relevant, high / relevant)
    }

    fn certainty(&self, ranking: &Ranking, _: &Judgments<'_>) -> Certainty {
        let is_large = |group: Group<'_>| {
            let counts = self.counts(&group);
            counts[0] > 0 && counts[1..] != [0; 3] && !lattice::is_small(&counts)
        };
        let exact = !ranking.groups().filter(|group| group.size > 1).any(is_large);
        if exact { Certainty::Exact } else { Certainty::Interval }
    }
}

/// R, or NaN if that is 0.
fn relevant(rel: f64, truth: &Judgments<'_>) -> f64 {
    match truth.relevant(rel) {
        0 => f64::NAN,
        relevant => relevant as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_enclose() {
        let measure = InferredAp { rel: 1.0, eps: 1e-5 };
        for counts in [[1, 0, 1, 0], [2, 1, 2, 1], [1, 2, 0, 2], [3, 1, 1, 0], [1, 0, 0, 4]] {
            for before in [[0, 0, 0, 0], [1, 0, 0, 8], [1, 2, 0, 0], [0, 0, 3, 1]] {
                let start = before.iter().sum();
                let exact = measure.outcome_of(start, before, counts).expect("a small group");
                let (low, high) = measure.bounds_of(start, before, counts);
                let mean = measure.mean_of(start, before, counts);
                assert!((mean - exact.mean).abs() < 1e-14, "{before:?} {counts:?} {mean} {exact:?}");
                assert!(low <= exact.low + 1e-15 && exact.high <= high + 1e-15, "{before:?} {counts:?}");
            }
        }
    }
}
