//! The scores of two rankings with any gains of their documents.

/// The scores of two rankings, as functions of their documents' gains.
pub trait ScoresByGains {
    /// The score of A with these gains.
    fn a(&self, gains: &[f64]) -> f64;

    /// The score of B with these gains.
    fn b(&self, gains: &[f64]) -> f64;

    /// The difference S(A) - S(B) with these gains.
    fn difference(&self, gains: &[f64]) -> f64 {
        self.a(gains) - self.b(gains)
    }
}

/// The sum of precisions at the ranks of relevant documents, which is AP times the depth. `gains` has the gain of each
/// rank, and a gain above 0 means relevant.
pub fn precisions(gains: &[f64]) -> f64 {
    let (mut hits, mut sum) = (0.0, 0.0);
    for (i, _) in gains.iter().enumerate().filter(|&(_, &gain)| gain > 0.0) {
        hits += 1.0;
        sum += hits / (i + 1) as f64;
    }
    sum
}

/// The ERR of a ranking. `gains` has the probability of stopping at each rank.
pub fn reciprocal_cascade(gains: &[f64]) -> f64 {
    let (mut left, mut sum) = (1.0, 0.0);
    for (i, gain) in gains.iter().enumerate() {
        sum += left * gain / (i + 1) as f64;
        left *= 1.0 - gain;
    }
    sum
}

/// A cascade whose user stops with a probability equal to the gain. Each rank has a discount.
pub fn cascade(gains: &[f64], discounts: &[f64]) -> f64 {
    let (mut left, mut sum) = (1.0, 0.0);
    for (gain, discount) in gains.iter().zip(discounts) {
        sum += left * gain * discount;
        left *= 1.0 - gain;
    }
    sum
}
