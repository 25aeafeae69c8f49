//! Scores of two rankings under any gains of their documents, for what is searched or drawn rather than solved.

use super::Instance;

/// A measure of two rankings.
pub trait Scores {
    /// S(A) where the documents gain so much.
    fn a(&self, gains: &[f64]) -> f64;

    /// S(B) where the documents gain so much.
    fn b(&self, gains: &[f64]) -> f64;

    /// S(A) - S(B).
    fn difference(&self, gains: &[f64]) -> f64 {
        self.a(gains) - self.b(gains)
    }
}

/// A formula of gains by rank, for two rankings without ties.
#[derive(Debug, Clone)]
pub struct Untied<F> {
    /// Numbers of documents by rank.
    a: Vec<Option<usize>>,
    b: Vec<Option<usize>>,
    formula: F,
}

impl<F: Fn(&[f64]) -> f64> Untied<F> {
    /// What a ranking lacks up to the depth gains nothing: see [`Instance::filled`].
    #[must_use]
    pub fn new(instance: &Instance, formula: F) -> Untied<F> {
        let (mut a, mut b) = (vec![None; instance.depth], vec![None; instance.depth]);
        for (i, x) in instance.documents.iter().enumerate() {
            if x.a > 0 {
                a[x.a as usize - 1] = Some(i);
            }
            if x.b > 0 {
                b[x.b as usize - 1] = Some(i);
            }
        }
        Untied { a, b, formula }
    }

    fn score(&self, ranking: &[Option<usize>], gains: &[f64]) -> f64 {
        let by_rank: Vec<f64> = ranking.iter().map(|document| document.map_or(0.0, |i| gains[i])).collect();
        (self.formula)(&by_rank)
    }
}

impl<F: Fn(&[f64]) -> f64> Scores for Untied<F> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(&self.a, gains)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(&self.b, gains)
    }
}

/// The sum of precisions at relevant ranks: AP times k. Any gain above 0 is relevant.
#[must_use]
pub fn average_precision(gains: &[f64]) -> f64 {
    let (mut hits, mut sum) = (0.0, 0.0);
    for (i, _) in gains.iter().enumerate().filter(|&(_, &gain)| gain > 0.0) {
        hits += 1.0;
        sum += hits / (i + 1) as f64;
    }
    sum
}

/// ERR.
#[must_use]
pub fn expected_reciprocal_rank(gains: &[f64]) -> f64 {
    let (mut left, mut sum) = (1.0, 0.0);
    for (i, gain) in gains.iter().enumerate() {
        sum += left * gain / (i + 1) as f64;
        left *= 1.0 - gain;
    }
    sum
}

/// A cascade whose user stops with a probability equal to the gain, with a discount for each rank.
#[must_use]
pub fn cascade(gains: &[f64], discounts: &[f64]) -> f64 {
    let (mut left, mut sum) = (1.0, 0.0);
    for (gain, discount) in gains.iter().zip(discounts) {
        sum += left * gain * discount;
        left *= 1.0 - gain;
    }
    sum
}

/// RR. Any gain above 0 is relevant.
#[must_use]
pub fn reciprocal_rank(gains: &[f64]) -> f64 {
    gains.iter().position(|&gain| gain > 0.0).map_or(0.0, |i| 1.0 / (i + 1) as f64)
}
