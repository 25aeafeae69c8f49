//! Weights times gains of several grades, divided by the same sum over the best ranking: graded nDCG.
//!
//! With thresholds t = 1 .. L between gains G_0 = 0 < G_1 < ... and m_t unknown documents of gain G_t or more,
//! m_1 >= m_2 >= ...,
//!
//!   N = known + sum_t (G_t - G_{t-1}) P(m_t),    Z = sum_t (G_t - G_{t-1}) I(J_t + m_t),
//!
//! P(m) being the sum of the m largest weights, I(n) that of the first n discounts, J_t judged documents of that gain or
//! more. Top sets are nested, so every such chain of sizes is an assignment. max N / Z is the l at which
//! max (N - l Z) = 0: Dinkelbach's method, with a dynamic program over thresholds a step.

use super::share;
use crate::watch;

/// A step that gains no more than this is none.
const LEAST: f64 = 1e-15;
/// How many documents are tried one by one; with more, the bound is that of any number.
pub const STEPS: usize = 64;

/// The problem of a query.
pub struct GradeThresholds<'c> {
    /// N of what is judged.
    pub known: f64,
    /// P(m): the same for all thresholds, or that of each.
    pub sums: Vec<Vec<f64>>,
    /// I(n).
    pub ideal: &'c [f64],
    /// G_t - G_{t-1}, and J_t.
    pub steps: Vec<(f64, usize)>,
}

impl GradeThresholds<'_> {
    /// I(J_t + m): the best discounts of the documents at or above a threshold if m unknown ones are among them.
    fn ideal_gain(&self, t: usize, m: usize) -> f64 {
        self.ideal[(self.steps[t].1 + m).min(self.ideal.len() - 1)]
    }

    /// P(m): the m largest weights at a threshold.
    fn retrieved_gain(&self, t: usize, m: usize) -> f64 {
        self.sums[t.min(self.sums.len() - 1)][m]
    }

    /// N / Z of a chain of sizes; 0 where nothing is relevant.
    pub fn ratio(&self, sizes: &[usize]) -> f64 {
        let terms = || self.steps.iter().zip(sizes).enumerate();
        let retrieved = self.known + terms().map(|(t, ((step, _), &m))| step * self.retrieved_gain(t, m)).sum::<f64>();
        share(retrieved, terms().map(|(t, ((step, _), &m))| step * self.ideal_gain(t, m)).sum())
    }

    /// Whether nothing is relevant that is judged, so that the ratio of no documents is 0 by convention.
    fn is_empty(&self) -> bool {
        self.steps[0].1 == 0
    }

    /// The chain with m_1 <= `most` that has the largest N - l Z.
    fn best_at(&self, ratio: f64, most: usize) -> Vec<usize> {
        let levels = self.steps.len();
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

    /// The largest ratio with m_1 <= `most`, and its chain; `start` is one that is known.
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
            let chain = self.best_at(ratio, most);
            let next = self.ratio(&chain);
            if next <= ratio + LEAST {
                break;
            }
            (ratio, best) = (next, chain);
        }
        if self.is_empty() && ratio < 0.0 { none() } else { (ratio, best) }
    }

    /// The largest ratio with at most 0, 1, 2, ... unknown documents: of up to [`STEPS`], then of any number.
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
