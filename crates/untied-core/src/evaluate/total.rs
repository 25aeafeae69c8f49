//! Aggregates of a measure over queries.

use super::MeasureValue;
use crate::measures::Certainty;
use crate::names::Aggregate;
use crate::settings::{Settings, Take};
use crate::statistics::ExactSum;

/// The aggregates of a measure's means, and of its lower and upper bounds. Tie orders of different queries are
/// independent, so variances add up. The variance of a geometric mean is not known.
///
/// Sums are exact until they are read, so the order of queries does not matter.
#[derive(Debug, Clone)]
pub struct Total {
    aggregate: Aggregate,
    /// The number of queries with a value.
    n: f64,
    /// The sum of the queries' values. For a geometric mean, it is the sum of their logarithms.
    mean: QuerySum,
    /// The sums of the queries' lower and upper bounds. None if bounds are not computed.
    range: Option<(QuerySum, QuerySum)>,
    /// The sum of the queries' variances over tie orders. None if they are not computed, or one is unknown.
    variance: Option<ExactSum>,
    /// The least exact certainty of all queries.
    certainty: Certainty,
    /// The sum of standard errors. All queries use the same seed, so their errors may be correlated. Their sum is an
    /// upper limit.
    error: Option<ExactSum>,
}

/// Whether a sum is the smallest or the largest possible, if unjudged documents decide which queries count.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Least,
    Most,
}

/// The sum of one number per query.
#[derive(Debug, Clone)]
struct QuerySum {
    end: End,
    /// The sum over the queries that always count.
    sum: ExactSum,
    /// How many queries always count.
    n: f64,
    /// The values of the queries that count only with some grades of unjudged documents.
    unsettled: Vec<f64>,
}

impl QuerySum {
    fn new(end: End) -> QuerySum {
        QuerySum { end, sum: ExactSum::default(), n: 0.0, unsettled: Vec::new() }
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

    /// The sum over the queries with the smallest or the largest mean, and their number. Grades of different queries
    /// are independent, so each query may be chosen freely: the most extreme ones, as long as they move the mean.
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

/// Adds a number to a sum. An unknown number makes the sum unknown.
fn add_if_known(sum: &mut Option<ExactSum>, number: Option<f64>) {
    match (&mut *sum, number) {
        (Some(sum), Some(number)) => sum.add(number),
        _ => *sum = None,
    }
}

impl Total {
    /// The aggregate before any query is added.
    pub fn new(aggregate: Aggregate, settings: Settings, lower_is_better: bool) -> Total {
        let is_linear = aggregate != Aggregate::Geometric;
        let sum_if = |known: bool| known.then(ExactSum::default);
        let (variance, error) = (sum_if(settings.variance && is_linear), sum_if(is_linear));
        let (best, worst) = if lower_is_better { (End::Least, End::Most) } else { (End::Most, End::Least) };
        let [mean, low, high] = match settings.unjudged.take {
            Take::Best => [best; 3],
            Take::Worst => [worst; 3],
            // Means treat unjudged documents as non-relevant. They are NaN for a query that does not count then.
            _ => [End::Least, End::Least, End::Most],
        }
        .map(QuerySum::new);
        let range = settings.has_range().then_some((low, high));
        Total { aggregate, n: 0.0, mean, range, variance, certainty: Certainty::Exact, error }
    }

    /// Adds the value of a query. An undefined value is left out.
    #[inline(always)]
    pub fn add(&mut self, value: &MeasureValue) {
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

    /// Adds exact means of queries that always count, without bounds and variances. Returns how many are undefined.
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

    /// The aggregate over all queries added so far. Without a value, it is NaN, or 0 for a sum.
    pub fn finish(&self) -> MeasureValue {
        // The queries that count only with some grades are chosen so that the aggregate is as low or as high as
        // possible.
        let extreme = |sum: &QuerySum| {
            let (sum, n) = sum.extreme();
            self.aggregate.of_sum(sum, n)
        };
        let n = if self.aggregate == Aggregate::Sum { 1.0 } else { self.n * self.n };
        MeasureValue {
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
