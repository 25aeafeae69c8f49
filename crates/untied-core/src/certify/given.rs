//! What a ceiling is made from, and which measures have one.

use super::average_precision::average_precision;
use super::cascade::expected_reciprocal_rank;
use super::first::{reciprocal_rank, success};
use super::question::{Ceiling, Witness};
use super::r_precision::r_precision;
use super::sums::{dcg, f1, hits, ndcg, precision, rank_biased_precision, recall};
use crate::error::{Error, Result};
use crate::measures::average_precision::AVERAGE_PRECISION;
use crate::measures::cascade::ERR;
use crate::measures::dcg::{DCG, NDCG};
use crate::measures::hits::{F1, HITS, PRECISION, R_PRECISION, RECALL};
use crate::measures::rank_biased_precision::RBP;
use crate::measures::reciprocal_rank::RECIPROCAL_RANK;
use crate::measures::success::SUCCESS;
use crate::names::{Info, Spec};

/// What a ceiling is made from.
pub(super) struct Given<'g> {
    pub of: &'g Spec,
    /// All grades of the qrels, highest first.
    pub grades: &'g [f64],
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

    /// The highest grade that an unknown document may have: that of the qrels, at least 1.
    pub fn highest(&self) -> f64 {
        self.grades.first().copied().unwrap_or(0.0).max(1.0)
    }

    /// The grades above 0 that an unknown document may have: those of the qrels, or 1 if there are none.
    pub fn open_grades(&self) -> impl Iterator<Item = f64> {
        let none = self.grades.first().is_none_or(|&grade| grade <= 0.0);
        self.grades.iter().copied().filter(|&grade| grade > 0.0).chain(none.then_some(1.0))
    }

    /// Parameter `max_grade`, which no grade exceeds.
    pub fn max_grade(&self, default: f64) -> Result<f64> {
        let most = self
            .of
            .number("max_grade", default, "a number above 0, up to 1000", |most| 0.0 < most && most <= 1000.0)?;
        match self.open_grades().find(|&grade| grade > most) {
            Some(grade) => {
                Err(Error::Value(format!("{}: documents may have grade {grade}, above max_grade = {most}", self.of)))
            }
            None => Ok(most),
        }
    }
}

/// What makes the ceiling of a measure.
type Make = fn(&Given<'_>) -> Result<Box<dyn Ceiling>>;

/// Measures that have one.
static KNOWN: &[(&Info, Make)] = &[
    (&PRECISION.info, precision),
    (&HITS.info, hits),
    (&RECALL.info, recall),
    (&F1.info, f1),
    (&RBP.info, rank_biased_precision),
    (&DCG.info, dcg),
    (&NDCG.info, ndcg),
    (&RECIPROCAL_RANK.info, reciprocal_rank),
    (&SUCCESS.info, success),
    (&R_PRECISION.info, r_precision),
    (&AVERAGE_PRECISION.info, average_precision),
    (&ERR.info, expected_reciprocal_rank),
];

/// The largest difference in a measure.
///
/// # Errors
/// It is not known, or a parameter does not go with it.
pub(super) fn make(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    let of = given.of;
    let Some((_, make)) = KNOWN.iter().find(|(info, _)| **info == *of.info) else {
        let names: Vec<&str> = KNOWN.iter().map(|(info, _)| info.name).collect();
        return Err(Error::Measure(format!("{of}: verdicts are known for {}", names.join(", "))));
    };
    if let Some(name) =
        ["judged_only", "mean", "recall_base", "mult"].into_iter().find(|name| of.parameter(name).is_some())
    {
        return Err(Error::Measure(format!("{of}: {name} does not go with a verdict")));
    }
    make(given)
}

/// A witness of documents by importance; those that neither ranking has are none.
pub(super) fn witness(value: f64, relevant: impl Iterator<Item = (Option<u32>, f64)>) -> Witness {
    let mut witness = Witness { value, ..Witness::default() };
    for (document, grade) in relevant {
        match document {
            Some(document) => witness.documents.push((document, grade)),
            None => witness.free.push(grade),
        }
    }
    witness
}
