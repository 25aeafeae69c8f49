//! Sums of weights of relevant documents, divided by a norm that depends only on how many documents are relevant.
//!
//! With m relevant unknown documents, the norm Z(m) is a constant. So the sum is largest if the m documents with the
//! largest weights are relevant. The largest difference is the largest of (known + sum of these weights) / Z(m) over
//! all m, where `known` is the sum of the judged documents. This is exact.

use super::share;

/// The weights of unknown documents, sorted.
#[derive(Debug, Default)]
pub struct SortedWeights {
    /// The weights above 0, in descending order.
    pub above: Vec<f64>,
    /// The number of documents with the weight 0.
    pub zeros: usize,
    /// The weights below 0, in descending order.
    pub below: Vec<f64>,
}

impl SortedWeights {
    /// Sorts the weights of unknown documents. `others` further documents have the weight 0.
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

    /// The weights with A and B exchanged. Their signs change.
    pub fn swapped(self) -> SortedWeights {
        let negated = |weights: Vec<f64>| weights.iter().rev().map(|weight| -weight).collect();
        SortedWeights { above: negated(self.below), zeros: self.zeros, below: negated(self.above) }
    }

    /// All weights, in descending order.
    fn iter(&self) -> impl Iterator<Item = f64> {
        self.above.iter().copied().chain(std::iter::repeat_n(0.0, self.zeros)).chain(self.below.iter().copied())
    }

    /// `known` plus the sum of the 0, 1, 2, ... largest weights.
    pub fn sums(&self, known: f64) -> impl Iterator<Item = f64> {
        std::iter::once(known).chain(self.iter().scan(known, |sum, weight| {
            *sum += weight;
            Some(*sum)
        }))
    }
}

/// The largest differences with exactly m = 0, 1, 2, ... relevant unknown documents: `known` plus the m largest
/// weights, divided by `norm(m)`.
pub fn shares(known: f64, weights: &SortedWeights, norm: impl Fn(usize) -> f64) -> impl Iterator<Item = f64> {
    weights.sums(known).enumerate().map(move |(m, sum)| share(sum, norm(m)))
}
