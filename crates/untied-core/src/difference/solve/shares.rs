//! Sums of weights divided by a norm that depends only on the number of relevant documents.
//!
//! With m unknown documents relevant the norm Z(m) is a constant, and the sum is largest with the m largest weights. So
//! the largest difference is the largest of (known + their sum) / Z(m) over all m: exact.

use super::share;

/// Weights of unknown documents in descending order: those above 0, the number of those that are 0, those below.
#[derive(Debug, Default)]
pub struct SortedWeights {
    pub above: Vec<f64>,
    pub zeros: usize,
    pub below: Vec<f64>,
}

impl SortedWeights {
    /// Sort weights.
    pub fn new(weights: impl Iterator<Item = f64>, others: usize) -> SortedWeights {
        let mut sorted = SortedWeights { zeros: others, ..SortedWeights::default() };
        for weight in weights {
            if weight > 0.0 {
                sorted.above.push(weight);
            } else if weight < 0.0 {
                sorted.below.push(weight);
            } else {
                sorted.zeros += 1;
            }
        }
        sorted.above.sort_unstable_by(|x, y| y.total_cmp(x));
        sorted.below.sort_unstable_by(|x, y| y.total_cmp(x));
        sorted
    }

    /// Exchange A and B.
    pub fn swapped(self) -> SortedWeights {
        let negated = |weights: Vec<f64>| weights.iter().rev().map(|weight| -weight).collect();
        SortedWeights { above: negated(self.below), zeros: self.zeros, below: negated(self.above) }
    }

    fn iter(&self) -> impl Iterator<Item = f64> {
        self.above.iter().copied().chain(std::iter::repeat_n(0.0, self.zeros)).chain(self.below.iter().copied())
    }

    /// Sums of the 0, 1, 2, ... largest, added to a number.
    pub fn sums(&self, known: f64) -> impl Iterator<Item = f64> {
        std::iter::once(known).chain(self.iter().scan(known, |sum, weight| {
            *sum += weight;
            Some(*sum)
        }))
    }
}

/// The largest share with exactly 0, 1, 2, ... unknown documents relevant.
pub fn shares(known: f64, weights: &SortedWeights, norm: impl Fn(usize) -> f64) -> impl Iterator<Item = f64> {
    weights.sums(known).enumerate().map(move |(m, sum)| share(sum, norm(m)))
}
