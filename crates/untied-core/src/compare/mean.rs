//! Means over queries, added up one by one.

use crate::similarity::PairScore;

/// The mean of values and bounds over the queries that have a value; orders of different queries are independent.
///
/// Values are added in the order in which they come: that of the queries' ids, so that sums never differ by a bit.
#[derive(Debug, Clone)]
pub struct Mean {
    n: f64,
    sum: PairScore,
}

impl Default for Mean {
    fn default() -> Self {
        Mean { n: 0.0, sum: PairScore::constant(0.0, true) }
    }
}

impl Mean {
    /// Add a query's score, unless it is not defined.
    pub fn add(&mut self, score: &PairScore) {
        if score.value.is_nan() {
            return;
        }
        let sum = &mut self.sum;
        self.n += 1.0;
        sum.value += score.value;
        sum.range = sum.range.zip(score.range).map(|(sum, one)| (sum.0 + one.0, sum.1 + one.1));
        sum.variance = sum.variance.zip(score.variance).map(|(sum, one)| sum + one);
        sum.certainty = sum.certainty.max(score.certainty);
    }

    /// The mean of what was added; NaN of nothing.
    pub fn finish(&self) -> PairScore {
        let (n, sum) = (self.n, &self.sum);
        if n == 0.0 {
            return PairScore::one_number(f64::NAN);
        }
        PairScore {
            value: sum.value / n,
            range: sum.range.map(|(low, high)| (low / n, high / n)),
            variance: sum.variance.map(|variance| variance / (n * n)),
            certainty: sum.certainty,
        }
    }
}
