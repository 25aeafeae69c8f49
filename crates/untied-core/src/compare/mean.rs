//! Means over queries.

use crate::measures::Certainty;
use crate::similarity::PairScore;
use crate::statistics::SignedMean;

/// The mean of values and bounds over the queries that have a value; orders of different queries are independent.
///
/// Sums of values are exact, so means are the same in any order of queries. Variances are added in the order of the
/// queries' ids.
#[derive(Debug, Clone)]
pub struct Mean {
    n: f64,
    value: SignedMean,
    /// The sums of the lowest and the highest values.
    range: Option<[SignedMean; 2]>,
    variance: Option<f64>,
    certainty: Certainty,
}

impl Default for Mean {
    fn default() -> Self {
        Mean {
            n: 0.0,
            value: SignedMean::default(),
            range: Some(Default::default()),
            variance: Some(0.0),
            certainty: Certainty::Exact,
        }
    }
}

impl Mean {
    /// Adds the score of a query; an undefined score is left out.
    pub fn add(&mut self, score: &PairScore) {
        if score.value.is_nan() {
            return;
        }
        self.n += 1.0;
        self.value.add(score.value);
        match (&mut self.range, score.range) {
            (Some([lows, highs]), Some((low, high))) => {
                lows.add(low);
                highs.add(high);
            }
            (range, _) => *range = None,
        }
        self.variance = self.variance.zip(score.variance).map(|(sum, variance)| sum + variance);
        self.certainty = self.certainty.max(score.certainty);
    }

    /// The mean of the scores; NaN if there is none.
    pub fn finish(&self) -> PairScore {
        let n = self.n;
        if n == 0.0 {
            return PairScore::one_number(f64::NAN);
        }
        PairScore {
            value: self.value.value(n),
            range: self.range.as_ref().map(|[low, high]| (low.value(n), high.value(n))),
            variance: self.variance.map(|variance| variance / (n * n)),
            certainty: self.certainty,
        }
    }
}
