//! Reciprocal rank: the largest 1 / A's first relevant rank - 1 / B's.
//!
//! Of all unknown documents that are made relevant only the one that A ranks first counts in A, and others can only
//! help B; so one is enough. With the first known relevant ranks k_A and k_B the value is
//!
//!   max of 1/k_A - 1/k_B and, over unknown x, 1/min(a(x), k_A) - 1/min(b(x), k_B),    1/rank being 0 where absent.
//!
//! The documents that A lacks are relevant, those that B lacks are not.

use super::layout::Solvers;
use super::ranked::{ByRank, Ends, Question, Ranked, TiedPair};
use super::setup::Setup;
use super::solution::{Difference, STEPS};
use super::solve::expected::{self, Moments, Uncertain};
use super::solve::work::Work;
use super::solve::{Document, Instance, Solution, cascade, scores};
use crate::error::Result;

/// RR.
struct ReciprocalRank;

pub(super) fn reciprocal_rank(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    ByRank::boxed(setup, setup.binary()?, ReciprocalRank)
}

impl Ranked for ReciprocalRank {
    fn solve(&self, of: Question<'_>, _: &mut Solvers) -> Solution {
        largest(of.instance)
    }

    /// Of a cascade whose user stops for certain.
    fn tied<'p>(&self, instance: &'p mut Instance, ends: Ends<'p>, solvers: &'p mut Solvers) -> TiedPair<'p> {
        let discounts: Vec<f64> = (1..=instance.depth).map(|rank| 1.0 / rank as f64).collect();
        Some(cascade::discounted_tied(instance, ends, &discounts, Work::new(STEPS), &mut solvers.cascade))
    }

    fn expected(&self, documents: &[Uncertain], depth: usize) -> Option<Moments> {
        Some(expected::first_relevant(documents, depth))
    }

    fn score(&self, _: Question<'_>, by_rank: &[f64], _: f64) -> f64 {
        scores::first_relevant(by_rank)
    }
}

/// The largest RR(A) - RR(B), in one pass; documents of a gain above 0 are relevant.
fn largest(instance: &Instance) -> Solution {
    let inverse = |rank: u32| if rank == 0 { 0.0 } else { 1.0 / f64::from(rank) };
    let relevant = instance.documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0));
    let lacking = if instance.lengths.0 < instance.depth { 1.0 / (instance.lengths.0 + 1) as f64 } else { 0.0 };
    let known = relevant.fold((lacking, 0.0f64), |(a, b), x| (a.max(inverse(x.a)), b.max(inverse(x.b))));
    let with = |x: &Document| known.0.max(inverse(x.a)) - known.1.max(inverse(x.b));
    let (mut value, mut best) = (known.0 - known.1, None);
    for (i, x) in instance.documents.iter().enumerate().filter(|(_, x)| x.known.is_none()) {
        if with(x) > value {
            (value, best) = (with(x), Some(i));
        }
    }
    let mut gains: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
    if let Some(best) = best {
        gains[best] = instance.top;
    }
    Solution::exact(value, gains)
}
