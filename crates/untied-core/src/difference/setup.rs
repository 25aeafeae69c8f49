//! What a measure's difference is made from: its name with parameters, the grades that occur, and options.

use super::layout::Scale;
use super::pair::TieOrders;
use crate::error::{Error, Result};
use crate::measures::gain::Gain;
use crate::measures::{Build, Measure, Scope};
use crate::names::{Needs, Spec};

/// The number that the sum of precisions is divided by in AP.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum PrecisionDivisor {
    /// The depth.
    #[default]
    Depth,
    /// The number of relevant documents: those judged relevant, and those that an assignment makes relevant.
    Relevant,
    /// The number of documents judged relevant plus this number of unknown ones.
    Most(usize),
}

/// The largest number of documents that may have each grade from 1 on.
#[derive(Clone, Copy)]
pub(crate) enum PerGrade<'o> {
    /// The same number for all grades.
    Each(usize),
    /// Some grades with their largest numbers of documents; other grades have no limit.
    Table(&'o [(f64, f64)]),
}

impl PerGrade<'_> {
    /// The largest number of documents that may have this grade.
    pub fn of(self, grade: f64) -> usize {
        match self {
            PerGrade::Each(most) => most,
            PerGrade::Table(table) => {
                table.iter().find(|entry| entry.0 == grade).map_or(usize::MAX, |entry| entry.1 as usize)
            }
        }
    }
}

/// The options of MED and Delta, and the orders of ties.
#[derive(Clone, Copy, Default)]
pub(crate) struct Options<'o> {
    /// The highest grade that unjudged documents may have; none: that of the measure or the qrels.
    pub max_grade: Option<f64>,
    /// Whether the value counts documents that could follow the ends of the rankings.
    pub tail: bool,
    /// What AP is divided by.
    pub divisor: PrecisionDivisor,
    /// The most documents that may have each grade.
    pub per_grade: Option<PerGrade<'o>>,
    /// The orders of tied documents.
    pub ties: TieOrders,
}

/// What a difference is for.
#[derive(Clone, Copy)]
pub(crate) enum Question<'p> {
    /// MED and Delta: normalisers are fixed, and rankings are filled up to the cutoff.
    Med,
    /// Verdicts: normalisers move with the judgments, and nothing is filled up.
    Verdicts {
        /// The grades that an unknown document may have, highest first; the last is 0. See [`Spec::possible_grades`].
        possible: &'p [f64],
    },
}

/// All that the builder of a difference may ask.
pub(crate) struct Setup<'s> {
    pub spec: &'s Spec,
    /// The most documents that two rankings and the judgments of a query hold together, and the grades of the qrels.
    pub scope: &'s Scope<'s>,
    pub question: Question<'s>,
    pub options: &'s Options<'s>,
    /// Builds measures of one ranking.
    pub build: Build,
}

impl Setup<'_> {
    /// The rank to which rankings count.
    pub fn depth(&self) -> usize {
        match self.question {
            Question::Med => self.spec.cutoff.unwrap_or(self.scope.depth),
            Question::Verdicts { .. } => self.spec.cutoff_or(usize::MAX).min(self.scope.depth),
        }
    }

    /// Parameter `max_grade` of the measure, which no grade for verdicts exceeds.
    pub fn max_grade(&self, default: f64) -> Result<f64> {
        let Question::Verdicts { possible } = self.question else {
            return self.spec.number("max_grade", default, "a number above 0", |most| most > 0.0);
        };
        let expected = "a number above 0, up to 1000";
        let most = self.spec.number("max_grade", default, expected, |most| 0.0 < most && most <= 1000.0)?;
        match possible.iter().find(|&&grade| grade > most) {
            Some(grade) => {
                let spec = self.spec;
                Err(Error::Value(format!("{spec}: documents may have grade {grade}, above max_grade = {most}")))
            }
            None => Ok(most),
        }
    }

    /// A scale on which documents are relevant or not.
    pub fn binary(&self) -> Result<Scale> {
        self.spec.rel().map(|rel| self.scale(Gain::From(rel), rel))
    }

    /// A scale on which documents gain by their grade.
    pub fn graded(&self) -> Result<Scale> {
        let highest = self.scope.grades.first().map_or(1.0, |grade| grade.max(1.0));
        Ok(self.scale(Gain::new(self.spec, self.scope.grades)?, highest))
    }

    /// The highest grade of the qrels; at least 1, and what the measure takes for relevant.
    pub fn highest(&self) -> f64 {
        self.scope.grades.first().copied().into_iter().chain(self.spec.least_grade()).fold(1.0, f64::max)
    }

    /// A scale whose highest grade is the one that the user asked for, or else `highest`; for verdicts the highest
    /// possible one.
    pub fn scale(&self, gain: Gain, highest: f64) -> Scale {
        let (highest, fills) = match self.question {
            Question::Med => (self.options.max_grade.unwrap_or(highest), filled_to(self.spec).is_some()),
            Question::Verdicts { possible } => (possible[0], false),
        };
        Scale { fills, ..Scale::new(gain, highest, self.spec.cutoff) }
    }

    /// A measure, ready for the grades that documents may have.
    pub fn with_grades(&self, spec: &Spec, max_grade: f64) -> Result<Box<dyn Measure>> {
        // Rankings are filled up to the cutoff.
        self.measure(spec, &[max_grade, 0.0], self.scope.depth.max(spec.cutoff_or(0)))
    }

    /// A measure, ready for these grades besides those of the qrels, and for rankings down to `depth`.
    pub fn measure(&self, spec: &Spec, grades: &[f64], depth: usize) -> Result<Box<dyn Measure>> {
        (self.build)(spec, &Scope { depth, grades: &self.scope.grades_with(grades) })
    }
}

/// The rank to which a difference in a measure fills up shorter rankings; nobody knows how long texts would be that
/// fill them.
pub fn filled_to(spec: &Spec) -> Option<usize> {
    spec.cutoff.filter(|_| spec.info.needs != Needs::Documents)
}
