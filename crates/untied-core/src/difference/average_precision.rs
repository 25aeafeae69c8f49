//! AP, divided by the depth or by a number of relevant documents.

use super::given::{Divisor, Given};
use super::layout::Solvers;
use super::ranked::{ByRank, Ends, Question, Ranked, TiedPair};
use super::solution::{Difference, NODES, STEPS};
use super::solve::expected::{self, Moments, Uncertain};
use super::solve::work::Work;
use super::solve::{Instance, Solution, quadratic, scores};
use crate::error::{Error, Result};
use crate::names::Value;

pub(super) fn average_precision(given: &Given<'_>) -> Result<Box<dyn Difference>> {
    let Some(depth) = given.of.cutoff else {
        return Err(Error::Measure(
            "AP needs a cutoff, for instance AP@100, because MED divides AP by the depth".into(),
        ));
    };
    let scale = given.binary()?;
    let divisor = given.options.divisor;
    let measure = match divisor {
        Divisor::Depth => {
            // R is the depth.
            let of = given.of.clone().with("recall_base", Value::Number(depth as f64))?;
            Some(given.with_grades(&of, scale.max_grade)?)
        }
        _ => None,
    };
    Ok(Box::new(ByRank { scale, of: divisor, measure }))
}

impl Ranked for Divisor {
    fn solve(&self, of: Question<'_>, solvers: &mut Solvers) -> Solution {
        let memory = &mut solvers.quadratic;
        match *self {
            Divisor::Depth => quadratic::solve(of.instance, NODES, memory),
            Divisor::Relevant => quadratic::solve_ratio(of.instance, of.elsewhere(), NODES, memory),
            Divisor::Most(most) => quadratic::solve_limited(of.instance, most, of.elsewhere(), NODES, memory),
        }
    }

    fn tied<'p>(&self, instance: &'p mut Instance, ends: Ends<'p>, solvers: &'p mut Solvers) -> TiedPair<'p> {
        (*self == Divisor::Depth)
            .then(move || quadratic::tied(instance, ends, Work::new(STEPS), &mut solvers.quadratic))
    }

    fn expected(&self, documents: &[Uncertain], depth: usize) -> Option<Moments> {
        (*self == Divisor::Depth).then(|| expected::precisions(documents).divided(depth as f64))
    }

    fn expected_tied(&self, documents: &[Uncertain], ends: Ends<'_>, depth: usize) -> Option<Moments> {
        let expected = || quadratic::expected_tied(documents, ends, depth).divided(depth as f64);
        (*self == Divisor::Depth).then(expected)
    }

    fn score(&self, of: Question<'_>, by_rank: &[f64], relevant: f64) -> f64 {
        let whole = match *self {
            Divisor::Depth => of.instance.depth as f64,
            Divisor::Relevant => relevant + of.elsewhere() as f64,
            Divisor::Most(most) => (of.relevant + most) as f64,
        };
        if whole > 0.0 { scores::precisions(by_rank) / whole } else { 0.0 }
    }
}
