//! The input from which the difference in a measure is built: the measure with its parameters, the grades that occur,
//! and options.

use super::layout::Scale;
use super::pair::TieOrders;
use crate::error::{Error, Result};
use crate::measures::gain::Gain;
use crate::measures::{Build, Measure, Scope};
use crate::names::{Needs, Spec};

/// The number by which AP divides its sum of precisions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum PrecisionDivisor {
    /// The depth of the rankings.
    #[default]
    Depth,
    /// The number of relevant documents. It depends on the grades that unknown documents get.
    Relevant,
    /// The number of documents judged relevant, plus this number.
    Most(usize),
}

/// How many documents may have each grade from 1 on.
#[derive(Clone, Copy)]
pub(crate) enum PerGrade<'o> {
    /// The same number for every grade.
    Each(usize),
    /// A number for some grades. Other grades have no limit.
    Table(&'o [(f64, f64)]),
}

impl PerGrade<'_> {
    /// How many documents may have this grade.
    pub fn of(self, grade: f64) -> usize {
        match self {
            PerGrade::Each(most) => most,
            PerGrade::Table(table) => {
                table.iter().find(|entry| entry.0 == grade).map_or(usize::MAX, |entry| entry.1 as usize)
            }
        }
    }
}

/// The options of MED and Delta.
#[derive(Clone, Copy, Default)]
pub(crate) struct Options<'o> {
    /// The highest grade that unjudged documents may have. By default, it is that of the measure or the qrels.
    pub max_grade: Option<f64>,
    /// Whether documents that could follow the ends of the rankings count.
    pub tail: bool,
    pub divisor: PrecisionDivisor,
    pub per_grade: Option<PerGrade<'o>>,
    pub ties: TieOrders,
    /// Whether rankings that end before the cutoff stay as they are, as for verdicts.
    pub stays_short: bool,
}

/// What a difference is computed for.
#[derive(Clone, Copy)]
pub(crate) enum Question<'p> {
    /// MED or Delta. Normalisers are fixed, and short rankings are filled up to the cutoff.
    Med,
    /// A verdict. Normalisers change with the judgments, and rankings stay as they are.
    Verdicts {
        /// The grades that an unknown document may have, highest first. The last is 0. See [`Spec::possible_grades`].
        possible: &'p [f64],
    },
}

/// The input of the function that builds a difference.
pub(crate) struct Setup<'s> {
    pub spec: &'s Spec,
    /// The grades of the qrels, and the largest number of documents in the rankings and judgments of a query.
    pub scope: &'s Scope<'s>,
    pub question: Question<'s>,
    pub options: &'s Options<'s>,
    /// Builds a measure of one ranking.
    pub build: Build,
}

impl Setup<'_> {
    /// The last rank that counts.
    pub fn depth(&self) -> usize {
        match self.question {
            Question::Med => self.spec.cutoff.unwrap_or(self.scope.depth),
            Question::Verdicts { .. } => self.spec.cutoff_or(usize::MAX).min(self.scope.depth),
        }
    }

    /// The measure's parameter `max_grade`. A verdict refuses grades above it.
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

    /// A scale on which a document is relevant or not.
    pub fn binary(&self) -> Result<Scale> {
        self.spec.rel().map(|rel| self.scale(Gain::From(rel), rel))
    }

    /// A scale on which a document gains by its grade.
    pub fn graded(&self) -> Result<Scale> {
        let highest = self.scope.grades.first().map_or(1.0, |grade| grade.max(1.0));
        Ok(self.scale(Gain::new(self.spec, self.scope.grades)?, highest))
    }

    /// The highest grade of the qrels, but at least 1 and at least the lowest relevant grade.
    pub fn highest(&self) -> f64 {
        self.scope.grades.first().copied().into_iter().chain(self.spec.least_grade()).fold(1.0, f64::max)
    }

    /// A scale up to the highest grade: the one that the user asked for, or `highest`. For verdicts, it is the highest
    /// possible grade.
    pub fn scale(&self, gain: Gain, highest: f64) -> Scale {
        let (highest, fills) = match self.question {
            Question::Med => {
                let fills = !self.options.stays_short && filled_to(self.spec).is_some();
                (self.options.max_grade.unwrap_or(highest), fills)
            }
            Question::Verdicts { possible } => (possible[0], false),
        };
        Scale { fills, ..Scale::new(gain, highest, self.spec.cutoff) }
    }

    /// A measure that can evaluate documents with grades up to `max_grade`.
    pub fn with_grades(&self, spec: &Spec, max_grade: f64) -> Result<Box<dyn Measure>> {
        // A ranking is filled up to the cutoff.
        self.measure(spec, &[max_grade, 0.0], self.scope.depth.max(spec.cutoff_or(0)))
    }

    /// A measure that can evaluate these grades, those of the qrels, and rankings down to `depth`.
    pub fn measure(&self, spec: &Spec, grades: &[f64], depth: usize) -> Result<Box<dyn Measure>> {
        (self.build)(spec, &Scope { depth, grades: &self.scope.grades_with(grades) })
    }
}

/// The rank to which MED and Delta fill up a short ranking. None if the measure reads lengths of texts, which are not
/// known.
pub fn filled_to(spec: &Spec) -> Option<usize> {
    spec.cutoff.filter(|_| spec.info.needs != Needs::Documents)
}
