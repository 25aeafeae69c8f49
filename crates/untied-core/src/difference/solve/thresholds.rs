//! Graded nDCG: a sum of weights times gains (N), divided by the same sum for the best ranking (Z). The weight of a
//! document is its discount in A minus its discount in B.
//!
//! Let the possible gains be G_0 = 0 < G_1 < ... < G_L, and let m_t unknown documents have the gain G_t or more, so
//! that m_1 >= m_2 >= ...; this is a *chain of sizes*. Then
//!
//!   N = known + sum_t (G_t - G_{t-1}) P(m_t),    Z = sum_t (G_t - G_{t-1}) I(J_t + m_t),
//!
//! where P(m) is the sum of the m largest weights, I(n) the sum of the first n discounts, and J_t the number of judged
//! documents with the gain G_t or more. The m documents with the largest weights include those for every smaller m, so
//! each chain of sizes belongs to an assignment. The largest N / Z is the l for which max (N - l Z) = 0 (Dinkelbach's
//! method). Each of its steps is a dynamic program over the thresholds t.

use super::share;
use crate::watch;

/// A step that raises the ratio by this or less is the last one.
const LEAST: f64 = 1e-15;
/// Up to this number of unknown documents, there is a bound for each number of relevant ones. Beyond, there is only the
/// bound for any number.
pub const STEPS: usize = 64;

/// The problem of one query.
pub struct GradeThresholds<'c> {
    /// The part of N that comes from judged documents.
    pub known: f64,
    /// P(m), the sum of the m largest weights, by m: one list for all thresholds, or one for each.
    pub sums: Vec<Vec<f64>>,
    /// I(n), the sum of the first n discounts, by n.
    pub ideal: &'c [f64],
    /// For each threshold t: the step G_t - G_{t-1} between gains, and the number J_t of judged documents at or above
    /// it.
    pub steps: Vec<(f64, usize)>,
}

impl GradeThresholds<'_> {
    /// I(J_t + m): the best discounts of the documents at or above a threshold, with m unknown ones among them.
    fn ideal_gain(&self, t: usize, m: usize) -> f64 {
        self.ideal[(self.steps[t].1 + m).min(self.ideal.len() - 1)]
    }

    /// P(m): the sum of the m largest weights at a threshold.
    fn retrieved_gain(&self, t: usize, m: usize) -> f64 {
        self.sums[t.min(self.sums.len() - 1)][m]
    }

    /// The ratio N / Z of a chain of sizes; 0 if no document is relevant.
    pub fn ratio(&self, sizes: &[usize]) -> f64 {
        let terms = || self.steps.iter().zip(sizes).enumerate();
        let retrieved = self.known + terms().map(|(t, ((step, _), &m))| step * self.retrieved_gain(t, m)).sum::<f64>();
        share(retrieved, terms().map(|(t, ((step, _), &m))| step * self.ideal_gain(t, m)).sum())
    }

    /// Whether no judged document is relevant. If no unknown document is relevant either, the ratio is 0.
    fn is_empty(&self) -> bool {
        self.steps[0].1 == 0
    }

    /// The chain of sizes with the largest N - l Z, where l is `ratio`. At most `most` unknown documents may be
    /// relevant.
    fn best_at(&self, ratio: f64, most: usize) -> Vec<usize> {
        let levels = self.steps.len();
        // From the highest threshold down: `rest[m]` is the largest value of the thresholds above the current one with
        // sizes of at most m, and `from[t][m]` the size at threshold t that reaches it.
        let mut rest = vec![0.0; most + 1];
        let mut from = vec![vec![0usize; most + 1]; levels];
        for t in (0..levels).rev() {
            let step = self.steps[t].0;
            let least = usize::from(t == 0 && self.is_empty());
            let (mut best, mut at) = (f64::NEG_INFINITY, 0);
            let mut next = vec![f64::NEG_INFINITY; most + 1];
            for m in 0..=most {
                let value = step * (self.retrieved_gain(t, m) - ratio * self.ideal_gain(t, m)) + rest[m];
                if m >= least && value > best {
                    (best, at) = (value, m);
                }
                (next[m], from[t][m]) = (best, at);
            }
            rest = next;
        }
        let mut most = most;
        from.iter()
            .map(|from| {
                most = from[most];
                most
            })
            .collect()
    }

    /// The largest ratio N / Z with at most `most` relevant unknown documents, and its chain of sizes. `start` is a
    /// chain to start from.
    pub fn largest(&self, most: usize, start: Vec<usize>) -> (f64, Vec<usize>) {
        let none = || (self.ratio(&vec![0; self.steps.len()]), vec![0; self.steps.len()]);
        if most == 0 {
            return none();
        }
        let mut best = start;
        if self.is_empty() && best[0] == 0 {
            best[0] = 1; // a ratio that documents have, not a convention
        }
        let mut ratio = self.ratio(&best);
        while !watch::is_stopped() {
            // Dinkelbach's step: if the current ratio is not the largest, its best chain has a larger one.
            let chain = self.best_at(ratio, most);
            let next = self.ratio(&chain);
            if next <= ratio + LEAST {
                break;
            }
            (ratio, best) = (next, chain);
        }
        if self.is_empty() && ratio < 0.0 { none() } else { (ratio, best) }
    }

    /// The largest ratios with at most 0, 1, 2, ... up to [`STEPS`] relevant unknown documents. If there are more of
    /// them, the largest ratio with any number follows.
    pub fn upper_bounds(&self) -> Vec<f64> {
        let unknown = self.sums[0].len() - 1;
        let mut chain = vec![0; self.steps.len()];
        let mut bounds = Vec::new();
        for most in (0..=unknown.min(STEPS)).chain((unknown > STEPS).then_some(unknown)) {
            let ratio;
            (ratio, chain) = self.largest(most, chain);
            bounds.push(ratio);
        }
        bounds
    }
}
