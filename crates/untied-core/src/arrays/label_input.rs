//! The input of labels: grades, masks, and counts of documents that are not in the array.

use std::ops::Range;

use super::{Groups, NumberColumn};
use crate::error::{Error, Result};

/// How many documents each query has. Those that are not in the array count, too.
#[derive(Debug, Clone, Copy)]
pub enum DocumentCounts<'a> {
    /// The array has all documents.
    InArray,
    /// The number of relevant documents, if all of them have grade 1.
    Relevant(&'a [u64]),
    /// The number of documents of each of these grades. The array has all documents of other grades.
    ByGrade(&'a [(f64, &'a [u64])]),
}

/// The labels of all documents, and which documents are padding or unjudged.
#[derive(Debug, Clone, Copy)]
pub struct LabelInput<'a> {
    /// The grades; NaN if a document is not judged.
    pub labels: NumberColumn<'a>,
    /// 0 for padding, and else a document.
    pub present: Option<&'a [u8]>,
    /// 0 for documents that are not judged.
    pub judged: Option<&'a [u8]>,
    /// How many documents each query has.
    pub totals: DocumentCounts<'a>,
}

/// A document's label.
pub(super) enum Label {
    Absent,
    Unjudged,
    Grade(f64),
}

impl LabelInput<'_> {
    /// Checks that every column has a number for each document or each query.
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
            DocumentCounts::InArray => vec![],
            DocumentCounts::Relevant(counts) => vec![counts],
            DocumentCounts::ByGrade(totals) => totals.iter().map(|&(_, counts)| counts).collect(),
        };
        match counts.iter().find(|counts| counts.len() != groups.len()) {
            Some(counts) => wrong(format!("num_relevant has {} numbers for {} queries", counts.len(), groups.len())),
            None => Ok(()),
        }
    }

    /// Calls `visit` with each label of a range and its index in the range.
    pub(super) fn visit(&self, range: Range<usize>, mut visit: impl FnMut(usize, Label)) {
        let first = range.start;
        let is_cleared = |flags: Option<&[u8]>, i: usize| flags.is_some_and(|flags| flags[first + i] == 0);
        let mut i = 0;
        self.labels.visit(range, |grade| {
            let label = match grade {
                _ if is_cleared(self.present, i) => Label::Absent,
                _ if grade.is_nan() || is_cleared(self.judged, i) => Label::Unjudged,
                _ => Label::Grade(grade),
            };
            visit(i, label);
            i += 1;
        });
    }
}
