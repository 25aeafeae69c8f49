//! Verdicts in measures whose divisor no judgment changes: TBG, and sums over subtopics with a constant norm.
//!
//! Their difference is the one of MED, except that rankings are not filled up to the cutoff. The bound for any number of
//! relevant unknown documents is that of MED's solver. Without any, the difference follows from the same solver, because
//! then every document is known. The bound in between is the former.

use super::assignment::Assignment;
use super::layout::{DifferenceWorkspace, Scale};
use super::pair::{PairFacts, RankingPair, Subtopic};
use super::setup::{Options, Question, Setup};
use super::solution::{Difference, DifferenceRange, LargestDifference};
use super::upper_bounds::UpperBounds;
use crate::error::Result;
use crate::measures::Certainty;

struct FixedDivisor {
    /// The difference for MED, of rankings that are not filled up.
    difference: Box<dyn Difference>,
}

/// The difference for a verdict, from the function that builds the one for MED.
pub(super) fn verdict(
    setup: &Setup<'_>,
    make: fn(&Setup<'_>) -> Result<Box<dyn Difference>>,
    possible: &[f64],
) -> Result<Box<dyn Difference>> {
    let options = &Options { max_grade: Some(possible[0]), stays_short: true, ..*setup.options };
    let difference = make(&Setup { question: Question::Med, options, ..*setup })?;
    Ok(Box::new(FixedDivisor { difference }))
}

impl FixedDivisor {
    /// The difference if no unknown document is relevant.
    fn difference_if_nonrelevant(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> f64 {
        let known = |grades: &[f64]| -> Vec<f64> {
            grades.iter().map(|&grade| if grade.is_nan() { 0.0 } else { grade }).collect()
        };
        let subtopic = |of: &Subtopic| Subtopic { grades: known(&of.grades), ..of.clone() };
        let (grades, subtopics) =
            (known(pair.facts.grades), pair.facts.subtopics.iter().map(subtopic).collect::<Vec<_>>());
        let facts = PairFacts { grades: &grades, subtopics: &subtopics, unretrieved: 0, ..pair.facts };
        self.difference.extent(&RankingPair { facts, ..*pair }, work, (true, false)).up.0
    }

    /// The bounds of one direction, from the largest difference: the value found, and an upper bound.
    fn bounds(pair: &RankingPair<'_>, none: f64, (value, bound): (f64, f64), sure: Certainty) -> UpperBounds {
        let unknown = pair.unknown_documents().count();
        if unknown == 0 {
            return UpperBounds::exact(vec![none]);
        }
        let is_attained = value == bound && sure == Certainty::Exact;
        UpperBounds::partly(vec![none, bound.max(none)], is_attained.then_some(unknown), vec![0])
    }
}

impl Difference for FixedDivisor {
    fn scale(&self) -> &Scale {
        self.difference.scale()
    }

    fn assigns_grades(&self) -> bool {
        self.difference.assigns_grades()
    }

    /// The largest difference with any number of relevant unknown documents, if it needs no more than `most`, and
    /// otherwise the one without any.
    fn solve(&self, pair: &RankingPair<'_>, most: usize, work: &mut DifferenceWorkspace) -> LargestDifference {
        let LargestDifference { value, bound, assignment } = self.difference.solve(pair, usize::MAX, work);
        let Some(mut assignment) = assignment else { return LargestDifference { value, bound, assignment } };
        assignment.grades.retain(|&(_, grade)| grade > 0.0);
        if assignment.documents() <= most {
            return LargestDifference { value, bound, assignment: Some(assignment) };
        }
        let none = self.difference_if_nonrelevant(pair, work);
        let bound = if most == 0 { none } else { bound.max(none) };
        LargestDifference::within(bound, Assignment { difference: none, ..Assignment::default() })
    }

    fn upper_bounds(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> UpperBounds {
        let DifferenceRange { up, sure, .. } = self.difference.extent(pair, work, (true, false));
        FixedDivisor::bounds(pair, self.difference_if_nonrelevant(pair, work), up, sure)
    }

    fn both_upper_bounds(
        &self,
        pair: &RankingPair<'_>,
        _: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
    ) -> (UpperBounds, UpperBounds) {
        let DifferenceRange { up, down, sure, .. } = self.difference.extent(pair, work, (true, true));
        let none = self.difference_if_nonrelevant(pair, work);
        (FixedDivisor::bounds(pair, none, up, sure), FixedDivisor::bounds(pair, 0.0 - none, down, sure))
    }
}
