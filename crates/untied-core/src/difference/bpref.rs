//! Bpref with constant denominators: R relevant and C = min(N, R) non-relevant documents under every assignment.
//!
//! Every document within the depth k is judged, one way or the other; with n_C(x) non-relevant ones above x
//!
//!   S(C) = (1/R) sum over relevant x of 1 - n_C(x) / C,    n_C(x) = rank - 1 - relevant ones above it,
//!
//! where C >= k - 1, so that min(n, C) = n. (As R of AP, both may be taken as k: there may be so many.) With h relevant
//! documents the sum of n is that of rank - 1, less h (h - 1) / 2. So of tied documents only the mean of their ranks
//! matters. For s relevant documents of both rankings and u_A, u_B others, (h_A^2 - h_B^2) / 2 =
//! (u_A - u_B) (u_A + u_B + 2 s) / 2 is linear in s. A document of A alone always helps and one of B alone never does, so
//! u_A and u_B are given, and what is left is one choice a document:
//!
//!   x of both is relevant iff b(x) - a(x) + u_A - u_B > 0.

use super::given::Given;
use super::solution::Difference;
use super::solve::Solution;
use super::solve::dot::{Weighed, Weights};
use super::weighed::{ByWeights, Closed};
use crate::error::Result;

/// Bpref.
pub(super) fn bpref(given: &Given<'_>) -> Result<Box<dyn Difference>> {
    ByWeights::boxed(
        given,
        |rank| rank as f64,
        |pair, scale, ranks| {
            let depth = scale.depth_of(pair) as f64;
            (depth > 0.0).then(|| Box::new(Bpref { ranks, depth }) as Box<dyn Closed>)
        },
    )
}

/// Two rankings of k documents at most, by mean ranks, where R = C = k.
#[derive(Debug, Clone, Copy)]
struct Bpref<'w> {
    /// Weights that are ranks.
    ranks: &'w Weights,
    /// k.
    depth: f64,
}

impl Closed for Bpref<'_> {
    fn largest(&self) -> Solution {
        let Weights { documents, lacking, top } = self.ranks;
        let alone = |x: &Weighed| x.a == 0.0 || x.b == 0.0;
        let mut gains: Vec<f64> = documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        let mut others = lacking.0.len() as f64;
        let mut places: f64 = lacking.0.iter().map(|rank| rank - 1.0).sum();
        let mut shown = others;
        for (x, gain) in documents.iter().zip(&mut gains).filter(|(x, _)| alone(x)) {
            if x.known.is_none() && x.a > 0.0 {
                *gain = *top;
            }
            if *gain > 0.0 {
                let (sign, rank) = if x.a > 0.0 { (1.0, x.a) } else { (-1.0, x.b) };
                others += sign;
                shown += 1.0;
                places += sign * (rank - 1.0);
            }
        }
        let mut of_both = 0.0;
        for (x, gain) in documents.iter().zip(&mut gains).filter(|(x, _)| !alone(x)) {
            let nearer = x.b - x.a + others;
            if x.known.is_none() && nearer > 0.0 {
                *gain = *top;
            }
            if *gain > 0.0 {
                of_both += nearer;
            }
        }
        // Without those of both: sums of rank - 1, and h (h - 1) / 2 of either.
        let above = places - (others * shown - others) / 2.0;
        let value = (others - (above - of_both) / self.depth) / self.depth;
        Solution::exact(value, gains)
    }

    fn score(&self, gains: &[f64], rank: fn(&Weighed) -> f64) -> f64 {
        let ranks = self.ranks.documents.iter().zip(gains).filter(|(_, gain)| **gain > 0.0).map(|(x, _)| rank(x));
        let (mut hits, mut places) = (0.0, 0.0);
        for rank in ranks.filter(|&rank| rank > 0.0) {
            hits += 1.0;
            places += rank - 1.0;
        }
        (hits - (places - hits * (hits - 1.0) / 2.0) / self.depth) / self.depth
    }
}
