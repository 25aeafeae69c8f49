//! Aggregates over queries, added up one by one.

use super::Value;
use crate::measures::{Aggregate, Certainty};

/// Values below this count as this in a geometric mean, as trec_eval has it.
pub const GEOMETRIC_FLOOR: f64 = 1e-5;

/// The aggregate of a measure: mean or sum of means, lows and highs; tie orders of different queries are
/// independent, so variances add up. Of a geometric mean's variance nothing is known.
///
/// Values are added in the order in which they come: that of the queries' ids, so that sums never differ by a bit.
#[derive(Debug, Clone)]
pub struct Total {
    aggregate: Aggregate,
    n: f64,
    mean: f64,
    range: Option<(f64, f64)>,
    variance: Option<f64>,
    certainty: Certainty,
    /// Queries are all drawn from the same seed, so their errors may be alike: they are added as they are.
    error: Option<f64>,
}

impl Total {
    /// Of no query yet; `range` and `variance` say what values have.
    #[must_use]
    pub fn new(aggregate: Aggregate, range: bool, variance: bool) -> Total {
        let is_linear = aggregate != Aggregate::Geometric;
        let (variance, error) = ((variance && is_linear).then_some(0.0), is_linear.then_some(0.0));
        let range = range.then_some((0.0, 0.0));
        Total { aggregate, n: 0.0, mean: 0.0, range, variance, certainty: Certainty::Exact, error }
    }

    /// Add a query's value, unless it is not defined.
    #[inline]
    pub fn add(&mut self, value: &Value) {
        if value.mean.is_nan() {
            return;
        }
        let scale = |value: f64| match self.aggregate {
            Aggregate::Geometric => value.max(GEOMETRIC_FLOOR).ln(),
            Aggregate::Mean | Aggregate::Sum => value,
        };
        self.n += 1.0;
        self.mean += scale(value.mean);
        self.variance = self.variance.zip(value.variance).map(|(sum, variance)| sum + variance);
        self.certainty = self.certainty.max(value.certainty);
        if value.certainty == Certainty::Estimate {
            self.error = self.error.zip(value.error).map(|(sum, error)| sum + error);
        }
        self.range = self.range.zip(value.range).map(|(sum, (low, high))| (sum.0 + scale(low), sum.1 + scale(high)));
    }

    /// The aggregate of what was added; NaN of nothing, but for sums.
    #[must_use]
    pub fn finish(&self) -> Value {
        let unscale = |sum: f64| match self.aggregate {
            Aggregate::Sum => sum,
            Aggregate::Mean => sum / self.n,
            Aggregate::Geometric => (sum / self.n).exp(),
        };
        let n = if self.aggregate == Aggregate::Sum { 1.0 } else { self.n * self.n };
        Value {
            mean: unscale(self.mean),
            variance: self.variance.map(|sum| sum / n),
            range: self.range.map(|(low, high)| (unscale(low), unscale(high))),
            certainty: self.certainty,
            error: self.error.filter(|_| self.certainty == Certainty::Estimate).map(unscale),
        }
    }
}
