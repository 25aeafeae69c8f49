//! Scores of two rankings under any gains of their documents, for searches and samples.

/// The scores of two rankings as a function of their documents' gains.
pub trait ScoresByGains {
    /// The score S(A) if the documents have these gains.
    fn a(&self, gains: &[f64]) -> f64;

    /// The score S(B) if the documents have these gains.
    fn b(&self, gains: &[f64]) -> f64;

    /// The difference S(A) - S(B) if the documents have these gains.
    fn difference(&self, gains: &[f64]) -> f64 {
        self.a(gains) - self.b(gains)
    }
}

/// The sum of precisions at the ranks of relevant documents, which is AP times the depth. `gains` are those of the
/// ranks, from the first; a document with a gain above 0 is relevant.
pub fn precisions(gains: &[f64]) -> f64 {
    let (mut hits, mut sum) = (0.0, 0.0);
    for (i, _) in gains.iter().enumerate().filter(|&(_, &gain)| gain > 0.0) {
        hits += 1.0;
        sum += hits / (i + 1) as f64;
    }
    sum
}

/// ERR of a ranking with these gains at its ranks, the probabilities that the user stops there.
pub fn reciprocal_cascade(gains: &[f64]) -> f64 {
    let (mut left, mut sum) = (1.0, 0.0);
    for (i, gain) in gains.iter().enumerate() {
        sum += left * gain / (i + 1) as f64;
        left *= 1.0 - gain;
    }
    sum
}

/// A cascade whose user stops with a probability equal to the gain, with a discount for each rank.
pub fn cascade(gains: &[f64], discounts: &[f64]) -> f64 {
    let (mut left, mut sum) = (1.0, 0.0);
    for (gain, discount) in gains.iter().zip(discounts) {
        sum += left * gain * discount;
        left *= 1.0 - gain;
    }
    sum
}
