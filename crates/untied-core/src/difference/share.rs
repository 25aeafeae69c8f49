//! R@k and F1@k: shares of the relevant documents.
//!
//! R, the number of relevant documents, grows with every one that is found:
//!
//!   R@k = h / R,    F1@k = 2 h / (k + R),    h relevant documents among the first k,
//!
//! of tied documents the mean: h(C) = sum of x_d w_C(d), w_C(d) being the share of a tie group that is within k. The
//! difference of two rankings has the same denominator: it is (n + sum of x_d delta_d) / (m + sum of x_d), with
//! delta = w_A - w_B. If lambda is its maximum, then n - lambda m + sum of x_d (delta_d - lambda) is 0 at most, and 0 for
//! the best x (Dinkelbach 1967): so all documents are relevant that have delta > lambda. They are the first ones by delta,
//! and it is enough to try how many. With R = 0 there is no difference.

use super::setup::Setup;
use super::solution::Difference;
use super::solve::Solution;
use super::solve::dot::{WeightedDocument, WeightedPair};
use super::weighed::{ByWeights, ClosedForm};
use crate::error::Result;

/// R@k for MED and Delta.
pub(super) fn recall(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    ByWeights::boxed(
        setup,
        |_| 1.0,
        |pair, scale, weights| Some(Box::new(Share { weights, relevant: scale.relevant(pair) as f64, f1: None })),
    )
}

/// F1@k for MED and Delta.
pub(super) fn f1(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    ByWeights::boxed(
        setup,
        |_| 1.0,
        |pair, scale, weights| {
            let f1 = Some(scale.depth_of(pair) as f64);
            Some(Box::new(Share { weights, relevant: scale.relevant(pair) as f64, f1 }))
        },
    )
}

/// The difference of two rankings in R@k or F1@k, with weights w.
#[derive(Debug, Clone, Copy)]
struct Share<'w> {
    /// Weights of ranks that are 1 within k.
    weights: &'w WeightedPair,
    /// Judged documents that are relevant, wherever they are.
    relevant: f64,
    /// k, for F1.
    f1: Option<f64>,
}

impl Share<'_> {
    /// The value, given the numbers of relevant documents among the first k and in all.
    fn value(&self, hits: f64, relevant: f64) -> f64 {
        match self.f1 {
            Some(k) => 2.0 * hits / (k + relevant),
            None if relevant == 0.0 => 0.0,
            None => hits / relevant,
        }
    }
}

impl ClosedForm for Share<'_> {
    fn largest(&self) -> Solution {
        let documents = &self.weights.documents;
        let mut gains: Vec<f64> = documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        let may = |x: &WeightedDocument| x.known.is_none() && (x.a > 0.0 || x.b > 0.0);
        let open = documents.iter().enumerate().filter(|(_, x)| may(x)).map(|(i, x)| (x.a - x.b, Some(i)));
        let mut open: Vec<_> = self.weights.lacking.0.iter().map(|&w| (w, None)).chain(open).collect();
        open.sort_by(|x, y| y.0.total_cmp(&x.0)); // stable: of equal ones the first
        let known = documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0));
        let (mut ahead, mut relevant) = (known.map(|x| x.a - x.b).sum::<f64>(), self.relevant);
        let (mut value, mut taken) = (self.value(ahead, relevant), 0);
        for (n, (delta, _)) in open.iter().enumerate() {
            ahead += delta;
            relevant += 1.0;
            if self.value(ahead, relevant) > value {
                (value, taken) = (self.value(ahead, relevant), n + 1);
            }
        }
        open[..taken].iter().filter_map(|one| one.1).for_each(|i| gains[i] = self.weights.top);
        Solution::exact(value, gains)
    }

    fn score(&self, gains: &[f64], weight: fn(&WeightedDocument) -> f64) -> f64 {
        let relevant = || self.weights.documents.iter().zip(gains).filter(|(_, gain)| **gain > 0.0).map(|(x, _)| x);
        let unknown = relevant().filter(|x| x.known.is_none()).count();
        self.value(relevant().map(weight).sum(), self.relevant + unknown as f64)
    }
}
