//! The inputs from which a ceiling is made.

use super::question::Witness;
use crate::error::{Error, Result};
use crate::names::Spec;

/// What a ceiling is made from.
pub(crate) struct Given<'g> {
    pub of: &'g Spec,
    /// All grades of the qrels, highest first.
    pub grades: &'g [f64],
    /// Those that an unknown document may have, highest first; the last is 0. See [`Spec::possible_grades`].
    pub possible: &'g [f64],
    /// Documents of the longest ranking.
    pub longest: usize,
    /// The most documents that two rankings and the judgments of a query hold together.
    pub documents: usize,
}

impl Given<'_> {
    /// The rank to which rankings count.
    pub fn depth(&self) -> usize {
        self.of.cutoff_or(usize::MAX).min(self.longest)
    }

    /// The highest grade that an unknown document may have.
    pub fn highest(&self) -> f64 {
        self.possible[0]
    }

    /// Parameter `max_grade`, which no grade exceeds.
    pub fn max_grade(&self, default: f64) -> Result<f64> {
        let most = self
            .of
            .number("max_grade", default, "a number above 0, up to 1000", |most| 0.0 < most && most <= 1000.0)?;
        match self.possible.iter().find(|&&grade| grade > most) {
            Some(grade) => {
                Err(Error::Value(format!("{}: documents may have grade {grade}, above max_grade = {most}", self.of)))
            }
            None => Ok(most),
        }
    }
}

/// A witness of documents by importance; those that neither ranking has are none.
pub(crate) fn witness(value: f64, relevant: impl Iterator<Item = (Option<u32>, f64)>) -> Witness {
    let mut witness = Witness { value, ..Witness::default() };
    for (document, grade) in relevant {
        match document {
            Some(document) => witness.documents.push((document, grade)),
            None => witness.free.push(grade),
        }
    }
    witness
}
