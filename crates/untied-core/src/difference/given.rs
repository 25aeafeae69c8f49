//! Inputs for building a difference: the measure, its settings, and the largest sizes to prepare for.

use super::layout::Scale;
use crate::error::Result;
use crate::measures::gain::Gain;
use crate::measures::{Build, Measure, Scope};
use crate::names::{Needs, Spec};

/// What AP is divided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Divisor {
    /// The depth.
    Depth,
    /// The documents that are relevant: judged ones, and those that an assignment makes so.
    Relevant,
    /// The judged relevant documents and up to this number of others.
    Most(usize),
}

/// What goes with a measure.
#[derive(Clone, Copy)]
pub(super) struct Options {
    /// The highest grade that unjudged documents may have; none: that of the measure or the qrels.
    pub max_grade: Option<f64>,
    /// Whether all that could follow the documents of both rankings is part of the value.
    pub tail: bool,
    /// What AP is divided by.
    pub divisor: Divisor,
    /// The most documents that may have each grade.
    pub per_grade: Option<usize>,
    /// Whether tied documents stand in the order that makes the difference largest, not in any.
    pub optimistic: bool,
}

/// What a difference is made from.
pub(super) struct Given<'g> {
    pub of: &'g Spec,
    pub scope: &'g Scope<'g>,
    pub options: &'g Options,
    /// What makes measures of one ranking.
    pub build: Build,
}

impl Given<'_> {
    /// The rank to which rankings may count.
    pub fn depth(&self) -> usize {
        self.of.cutoff.unwrap_or(self.scope.depth)
    }

    /// Parameter `max_grade` of the measure.
    pub fn most(&self, default: f64) -> Result<f64> {
        self.of.number("max_grade", default, "a number above 0", |most| most > 0.0)
    }

    /// Documents are relevant or not.
    pub fn binary(&self) -> Result<Scale> {
        self.of.rel().map(|rel| self.scale(Gain::From(rel), rel))
    }

    /// Documents gain by their grade.
    pub fn graded(&self) -> Result<Scale> {
        let highest = self.scope.grades.first().copied().unwrap_or(0.0).max(1.0);
        Ok(self.scale(Gain::new(self.of, self.scope.grades)?, highest))
    }

    /// The highest grade of the qrels; at least 1, and what the measure takes for relevant.
    pub fn highest(&self) -> f64 {
        self.scope.grades.first().copied().unwrap_or(0.0).max(self.of.least_grade().unwrap_or(1.0)).max(1.0)
    }

    /// Unknown documents have the highest grade that was asked for, or else this one.
    pub fn scale(&self, gain: Gain, highest: f64) -> Scale {
        let scale = Scale::new(gain, self.options.max_grade.unwrap_or(highest), self.of.cutoff);
        Scale { fills: filled_to(self.of).is_some(), ..scale }
    }

    /// A measure, ready for the grades that documents may have.
    pub fn with_grades(&self, of: &Spec, max_grade: f64) -> Result<Box<dyn Measure>> {
        // Rankings are filled up to the cutoff.
        self.measure(of, &[max_grade, 0.0], self.scope.depth.max(of.cutoff_or(0)))
    }

    /// A measure, ready for these grades besides those of the qrels, and for rankings down to `depth`.
    pub fn measure(&self, of: &Spec, grades: &[f64], depth: usize) -> Result<Box<dyn Measure>> {
        let mut grades: Vec<f64> = self.scope.grades.iter().chain(grades).copied().collect();
        grades.sort_unstable_by(|one, other| other.total_cmp(one));
        grades.dedup();
        (self.build)(of, &Scope { depth, grades: &grades })
    }
}

/// The rank to which a difference in a measure fills up shorter rankings; nobody knows how long texts would be that fill
/// them.
pub fn filled_to(of: &Spec) -> Option<usize> {
    of.cutoff.filter(|_| of.info.needs != Needs::Documents)
}
