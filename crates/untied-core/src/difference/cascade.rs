//! ERR, and any cascade whose user stops at a document with a probability equal to its gain.

use super::general::general;
use super::given::Given;
use super::layout::{Scale, Solvers};
use super::ranked::{ByRank, Ends, Question, Ranked, TiedPair};
use super::solution::{Difference, NODES, STEPS};
use super::solve::expected::{self, Moments, Uncertain};
use super::solve::work::Work;
use super::solve::{Instance, Solution, cascade, scores};
use crate::error::{Error, Result};
use crate::measures::gain::{Gain, discounts};
use crate::names::{Spec, Value};

/// ERR; with a `tail`, all that could follow the documents there are is part of the value.
struct ExpectedReciprocalRank {
    tail: bool,
}

pub(super) fn expected_reciprocal_rank(given: &Given<'_>) -> Result<Box<dyn Difference>> {
    let most = given.most(4.0)?;
    let mut scale = given.scale(Gain::Stop(most), most);
    scale.fills |= given.options.tail;
    if let Some(grade) = given.scope.grades.iter().chain([&scale.max_grade]).find(|&&grade| grade > most) {
        return Err(Error::Value(format!("{}: grade {grade} is above max_grade = {most}", given.of)));
    }
    ByRank::boxed(given, scale, ExpectedReciprocalRank { tail: given.options.tail })
}

impl Ranked for ExpectedReciprocalRank {
    fn solve(&self, of: Question<'_>, solvers: &mut Solvers) -> Solution {
        cascade::solve(of.instance, self.tail, NODES, &mut solvers.cascade)
    }

    fn tied<'p>(&self, instance: &'p mut Instance, ends: Ends<'p>, solvers: &'p mut Solvers) -> TiedPair<'p> {
        Some(cascade::tied(instance, ends, self.tail, Work::new(STEPS), &mut solvers.cascade))
    }

    fn expected(&self, documents: &[Uncertain], depth: usize) -> Option<Moments> {
        Some(expected::reciprocal_cascade(documents, depth))
    }

    fn score(&self, _: Question<'_>, by_rank: &[f64], _: f64) -> f64 {
        scores::reciprocal_cascade(by_rank)
    }
}

/// A cascade by its discounts.
pub(super) struct Cascade {
    discounts: Vec<f64>,
}

pub(super) fn any_cascade(given: &Given<'_>) -> Result<Box<dyn Difference>> {
    match falling(given.of, given.depth())? {
        Some(discounts) => Cascade::boxed(given, given.graded()?, discounts),
        None => general(given),
    }
}

impl Cascade {
    /// One of these discounts, which never rise.
    pub fn boxed(given: &Given<'_>, scale: Scale, discounts: Vec<f64>) -> Result<Box<dyn Difference>> {
        ByRank::boxed(given, scale, Cascade { discounts })
    }
}

impl Ranked for Cascade {
    fn solve(&self, of: Question<'_>, solvers: &mut Solvers) -> Solution {
        let discounts = &self.discounts[..of.instance.depth];
        cascade::solve_discounted(of.instance, discounts, NODES, &mut solvers.cascade)
    }

    fn tied<'p>(&self, instance: &'p mut Instance, ends: Ends<'p>, solvers: &'p mut Solvers) -> TiedPair<'p> {
        let discounts = &self.discounts[..instance.depth];
        Some(cascade::discounted_tied(instance, ends, discounts, Work::new(STEPS), &mut solvers.cascade))
    }

    fn expected(&self, documents: &[Uncertain], depth: usize) -> Option<Moments> {
        Some(expected::discounted(documents, &self.discounts[..depth]))
    }

    fn score(&self, _: Question<'_>, by_rank: &[f64], _: f64) -> f64 {
        scores::cascade(by_rank, &self.discounts)
    }
}

/// Discounts of a cascade with a solver of its own: discounts never rise nor are below 0, the user goes on with
/// probability 1 - gain, and grade 0 gains nothing.
fn falling(of: &Spec, depth: usize) -> Result<Option<Vec<f64>>> {
    let gains_nothing = |table: &[(f64, f64)]| table.iter().all(|&(grade, gain)| grade != 0.0 || gain == 0.0);
    let gains = matches!(of.parameter("gain"), Some(Value::Table(table)) if !gains_nothing(table));
    let mut found = if of.parameter("discount").is_some() { discounts(of, depth)? } else { vec![1.0; depth] };
    found.resize(depth, 0.0); // a list may be shorter
    let falls = found.is_sorted_by(|one, next| one >= next) && found.last().is_none_or(|&last| last >= 0.0);
    Ok(Some(found).filter(|_| falls && !gains && of.parameter("go_on").is_none()))
}
