//! Lengths of documents, and times to read them: one table for all queries.

use super::{Chunk, Rows, Table, index};
use crate::error::{Error, Result, quote};

/// Documents with their lengths, and with times where they are known.
#[derive(Debug)]
pub struct Lengths {
    pub(super) table: Table,
    slots: Vec<index::Slot>,
    /// What they were read from, for messages.
    pub source: String,
}

/// The length of a document, and the seconds that reading it takes (NaN where not known).
#[derive(Debug, Clone, Copy)]
pub struct Length {
    /// In whatever unit the measure takes.
    pub length: f64,
    /// NaN where there is none.
    pub seconds: f64,
}

impl Lengths {
    /// Put what a reader found together: rows of one query without a name; `source` names it in messages.
    ///
    /// # Errors
    /// A number is negative, or a document appears twice with different numbers.
    pub fn new(chunks: Vec<Chunk>, source: &str) -> Result<Lengths> {
        let (table, origins) = Table::new(chunks)?;
        let mut lengths = Lengths { slots: Vec::new(), table, source: source.into() };
        let rows = lengths.rows();
        let mut slots = vec![0; index::slots_for(rows.len())];
        let refuse = |row: usize, expected: &str, found: &str| {
            let place =
                lengths.table.queries.first().and_then(|all| origins.line(all.block, all.rows.start + row as u32));
            super::wrong(source, place, expected, format!("{found} document {}", quote(rows.doc(row))))
        };
        for (row, &hash) in rows.hashes().iter().enumerate() {
            let here = lengths.at(row);
            for (name, number) in [("length", here.length), ("time", here.seconds)] {
                if number < 0.0 {
                    return Err(refuse(row, &format!("a {name} of at least 0"), &format!("{number} for")));
                }
            }
            let is_same = |other: u32| rows.doc(other as usize) == rows.doc(row);
            if let Err(first) = index::insert(&mut slots, hash, row as u32, is_same) {
                let first = lengths.at(first as usize);
                let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
                if first.length != here.length || !same(first.seconds, here.seconds) {
                    return Err(refuse(row, "every document once", "other numbers again for"));
                }
            }
        }
        lengths.slots = slots;
        Ok(lengths)
    }

    fn rows(&self) -> Rows<'_> {
        if self.table.is_empty() { Rows::none() } else { self.table.rows(0) }
    }

    fn at(&self, row: usize) -> Length {
        let rows = self.rows();
        Length { length: rows.column(0)[row], seconds: rows.column(1)[row] }
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.rows().len()
    }

    /// The document in a row of other rows.
    pub fn find(&self, rows: &Rows<'_>, row: usize) -> Option<Length> {
        self.of(rows.doc(row), rows.hashes()[row])
    }

    /// A document, by its id and a hash of that.
    pub fn of(&self, doc: &[u8], hash: u32) -> Option<Length> {
        let own = self.rows();
        index::find(&self.slots, hash, |other| own.doc(other as usize) == doc).map(|found| self.at(found as usize))
    }

    /// What to say of a document that is not among them.
    pub fn lack(&self, doc: &[u8], query: &[u8]) -> Error {
        let (doc, query, source) = (quote(doc), quote(query), &self.source);
        Error::Value(format!("{source} has no length of document {doc}, retrieved for query {query}"))
    }
}
