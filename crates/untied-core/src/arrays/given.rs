//! Input of callers: labels, padding, and numbers of documents beyond the array.

use std::ops::Range;

use super::{Column, Groups};
use crate::error::{Error, Result};

/// How many documents there are altogether, in the array or not: query by query.
#[derive(Debug, Clone, Copy)]
pub enum Totals<'a> {
    /// Those that the array has.
    Same,
    /// The number of relevant ones; only where all of them have grade 1.
    Relevant(&'a [u64]),
    /// The number of each of these grades; of other grades those in the array.
    ByGrade(&'a [(f64, &'a [u64])]),
}

/// Labels of all documents, and which of them are padding or unjudged.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// Grades; NaN is not judged.
    pub labels: Column<'a>,
    /// Where 0, there is no document: padding.
    pub present: Option<&'a [u8]>,
    /// Where 0, the document is not judged.
    pub judged: Option<&'a [u8]>,
    /// See [`Totals`].
    pub totals: Totals<'a>,
}

/// A document's label.
pub(super) enum Label {
    Absent,
    Unjudged,
    Grade(f64),
}

impl Given<'_> {
    /// Every column has a number for each document, or for each query.
    pub(super) fn check_lengths(&self, groups: &Groups) -> Result<()> {
        let documents = self.labels.len();
        let wrong = |what: String| Err(Error::Value(what));
        let expected = match groups {
            Groups::Rows(queries, width) => queries * width,
            Groups::Ends(ends) if !ends.is_sorted() => return wrong("the ends of groups must not fall".into()),
            Groups::Ends(ends) => ends.last().copied().unwrap_or(0),
        };
        if expected != documents {
            return wrong(format!("groups have {expected} documents altogether, but labels have {documents}"));
        }
        for (name, flags) in [("mask", self.present), ("judged", self.judged)] {
            if let Some(flags) = flags.filter(|flags| flags.len() != documents) {
                return wrong(format!("{name} has {} documents, but labels have {documents}", flags.len()));
            }
        }
        let counts: Vec<&[u64]> = match self.totals {
            Totals::Same => vec![],
            Totals::Relevant(counts) => vec![counts],
            Totals::ByGrade(totals) => totals.iter().map(|&(_, counts)| counts).collect(),
        };
        match counts.iter().find(|counts| counts.len() != groups.len()) {
            Some(counts) => wrong(format!("num_relevant has {} numbers for {} queries", counts.len(), groups.len())),
            None => Ok(()),
        }
    }

    /// Visit some documents, counted from the first of them.
    pub(super) fn each(&self, range: Range<usize>, mut visit: impl FnMut(usize, Label)) {
        let first = range.start;
        let is_0 = |flags: Option<&[u8]>, i: usize| flags.is_some_and(|flags| flags[first + i] == 0);
        let mut i = 0;
        self.labels.visit(range, |grade| {
            let label = match grade {
                _ if is_0(self.present, i) => Label::Absent,
                _ if grade.is_nan() || is_0(self.judged, i) => Label::Unjudged,
                _ => Label::Grade(grade),
            };
            visit(i, label);
            i += 1;
        });
    }
}
