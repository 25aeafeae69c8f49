//! Scores of two rankings under any gains of their documents, for searches and samples.

/// A measure of two rankings.
pub trait ScoresByGains {
    /// S(A) where the documents gain so much.
    fn a(&self, gains: &[f64]) -> f64;

    /// S(B) where the documents gain so much.
    fn b(&self, gains: &[f64]) -> f64;

    /// S(A) - S(B).
    fn difference(&self, gains: &[f64]) -> f64 {
        self.a(gains) - self.b(gains)
    }
}

/// The sum of precisions at relevant ranks: AP times k. Any gain above 0 is relevant.
pub fn precisions(gains: &[f64]) -> f64 {
    let (mut hits, mut sum) = (0.0, 0.0);
    for (i, _) in gains.iter().enumerate().filter(|&(_, &gain)| gain > 0.0) {
        hits += 1.0;
        sum += hits / (i + 1) as f64;
    }
    sum
}

/// ERR.
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
