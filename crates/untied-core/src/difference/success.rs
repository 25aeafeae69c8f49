//! Success@k.

use super::layout::Solvers;
use super::ranked::{ByRank, Ends, Question, Ranked, TiedPair};
use super::setup::Setup;
use super::solution::{Difference, STEPS};
use super::solve::work::Work;
use super::solve::{Document, Instance, Solution, cascade};
use crate::error::Result;

/// Success.
struct Success;

pub(super) fn success(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    ByRank::boxed(setup, setup.binary()?, Success)
}

impl Ranked for Success {
    fn solve(&self, of: Question<'_>, _: &mut Solvers) -> Solution {
        largest(of.instance)
    }

    /// Of a cascade whose user has all the time.
    fn tied<'p>(&self, instance: &'p mut Instance, ends: Ends<'p>, solvers: &'p mut Solvers) -> TiedPair<'p> {
        Some(cascade::discounted_tied(
            instance,
            ends,
            &vec![1.0; instance.depth],
            Work::new(STEPS),
            &mut solvers.cascade,
        ))
    }

    fn score(&self, _: Question<'_>, by_rank: &[f64], _: f64) -> f64 {
        f64::from(u8::from(by_rank.iter().any(|&gain| gain > 0.0)))
    }
}

/// The largest Success@k(A) - Success@k(B), k the depth: 1 if only A has a relevant document, -1 if only B.
fn largest(instance: &Instance) -> Solution {
    let mut gains = gains(instance);
    let lacking = instance.lengths.0 < instance.depth;
    let relevant = || instance.documents.iter().zip(&gains).filter(|(_, gain)| **gain > 0.0).map(|(x, _)| x);
    let (mut of_a, of_b) = (lacking || relevant().any(|x| x.a > 0), relevant().any(|x| x.b > 0));
    if of_b && !of_a {
        // B has one anyway, so one of both does no harm.
        if let Some(open) = instance.documents.iter().position(is_open) {
            gains[open] = instance.top;
            of_a = true;
        }
    }
    Solution::exact(f64::from(i8::from(of_a) - i8::from(of_b)), gains)
}

/// Whether it is unknown and in both rankings.
fn is_open(x: &Document) -> bool {
    x.known.is_none() && x.a > 0 && x.b > 0
}

/// Gains where all that only A has is relevant, and nothing else that is unknown.
fn gains(instance: &Instance) -> Vec<f64> {
    let gain = |x: &Document| x.known.unwrap_or(if x.b == 0 { instance.top } else { 0.0 });
    instance.documents.iter().map(gain).collect()
}
