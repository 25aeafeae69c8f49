//! Aggregates over queries.

use super::Value;
use crate::measures::Certainty;
use crate::names::Aggregate;
use crate::settings::{Settings, Unjudged};
use crate::statistics::ExactSum;

/// The aggregate of a measure: mean or sum of means, lows and highs; tie orders of different queries are
/// independent, so variances add up. Of a geometric mean's variance nothing is known.
///
/// Sums are exact until they are read, so aggregates are the same in any order of queries.
#[derive(Debug, Clone)]
pub struct Total {
    aggregate: Aggregate,
    n: f64,
    mean: Sum,
    /// Smallest and largest values.
    range: Option<(Sum, Sum)>,
    variance: Option<ExactSum>,
    certainty: Certainty,
    /// Queries are all drawn from the same seed, so their errors may be alike: they are added as they are.
    error: Option<ExactSum>,
}

/// Whether to find the smallest or the largest mean, where grades of unjudged documents decide which queries count.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Least,
    Most,
}

/// One number of each query, added up.
#[derive(Debug, Clone)]
struct Sum {
    end: End,
    /// Of queries that count in any case.
    sum: ExactSum,
    n: f64,
    /// Of the others.
    unsettled: Vec<f64>,
}

impl Sum {
    fn new(end: End) -> Sum {
        Sum { end, sum: ExactSum::default(), n: 0.0, unsettled: Vec::new() }
    }

    #[inline]
    fn add(&mut self, value: f64, unsettled: bool) {
        if unsettled {
            self.unsettled.push(value);
        } else {
            self.sum.add(value);
            self.n += 1.0;
        }
    }

    /// The sum and the number of the queries whose mean is the smallest or the largest. Grades of one query do not touch
    /// another, so that any of those that may count can: the best ones do, as long as each moves the mean on.
    fn extreme(&self) -> (f64, f64) {
        if self.unsettled.is_empty() {
            return (self.sum.value(), self.n);
        }
        let mut unsettled = self.unsettled.clone();
        unsettled.sort_unstable_by(f64::total_cmp);
        if self.end == End::Most {
            unsettled.reverse();
        }
        let moves_on = |value: f64, mean: f64| match self.end {
            End::Least => value < mean,
            End::Most => value > mean,
        };
        let (mut sum, mut n) = (self.sum.clone(), self.n);
        for value in unsettled {
            if n > 0.0 && !moves_on(value, sum.value() / n) {
                break;
            }
            sum.add(value);
            n += 1.0;
        }
        (sum.value(), n)
    }
}

/// Add a number to a sum; if either is not known, the sum is not.
fn add_if_known(sum: &mut Option<ExactSum>, number: Option<f64>) {
    match (&mut *sum, number) {
        (Some(sum), Some(number)) => sum.add(number),
        _ => *sum = None,
    }
}

impl Total {
    /// Of no query yet.
    pub fn new(aggregate: Aggregate, settings: Settings, lower_is_better: bool) -> Total {
        let is_linear = aggregate != Aggregate::Geometric;
        let sum_if = |known: bool| known.then(ExactSum::default);
        let (variance, error) = (sum_if(settings.variance && is_linear), sum_if(is_linear));
        let (best, worst) = if lower_is_better { (End::Least, End::Most) } else { (End::Most, End::Least) };
        let [mean, low, high] = match settings.unjudged {
            Unjudged::Best => [best; 3],
            Unjudged::Worst => [worst; 3],
            // The mean takes unjudged documents for non-relevant; it is NaN where a query does not count then.
            _ => [End::Least, End::Least, End::Most],
        }
        .map(Sum::new);
        let range = settings.has_range().then_some((low, high));
        Total { aggregate, n: 0.0, mean, range, variance, certainty: Certainty::Exact, error }
    }

    /// Add a query's value, unless it is not defined.
    #[inline(always)]
    pub fn add(&mut self, value: &Value) {
        if let Some((low, high)) = value.range
            && !low.is_nan()
        {
            let (low, high) = (self.aggregate.term(low), self.aggregate.term(high));
            if let Some((lows, highs)) = &mut self.range {
                lows.add(low, value.unsettled);
                highs.add(high, value.unsettled);
            }
        }
        if value.mean.is_nan() {
            return;
        }
        add_if_known(&mut self.variance, value.variance);
        self.n += 1.0;
        self.mean.add(self.aggregate.term(value.mean), value.unsettled);
        if value.certainty != Certainty::Exact {
            self.certainty = self.certainty.max(value.certainty);
            if value.certainty == Certainty::Estimate {
                add_if_known(&mut self.error, value.error);
            }
        }
    }

    /// Adds exact means of queries that always count, without bounds and variances; returns how many are undefined.
    pub(super) fn add_means(&mut self, means: impl Iterator<Item = f64>) -> usize {
        let (mut defined, mut left_out) = (0, 0);
        for mean in means {
            if mean.is_nan() {
                left_out += 1;
            } else {
                defined += 1;
                self.mean.sum.add(self.aggregate.term(mean));
            }
        }
        self.mean.n += defined as f64;
        self.n += defined as f64;
        left_out
    }

    /// The aggregate of what was added; NaN of nothing, but for sums.
    pub fn finish(&self) -> Value {
        let extreme = |part: &Sum| {
            let (sum, n) = part.extreme();
            self.aggregate.of_sum(sum, n)
        };
        let n = if self.aggregate == Aggregate::Sum { 1.0 } else { self.n * self.n };
        Value {
            mean: extreme(&self.mean),
            variance: self.variance.as_ref().map(|sum| sum.value() / n),
            range: self.range.as_ref().map(|(low, high)| (extreme(low), extreme(high))),
            certainty: self.certainty,
            error: self
                .error
                .as_ref()
                .filter(|_| self.certainty == Certainty::Estimate)
                .map(|sum| self.aggregate.of_sum(sum.value(), self.n)),
            unsettled: false,
        }
    }
}
