//! Lengths of documents, and times to read them, in one table for all queries.

use super::{Chunk, Rows, Table, index};
use crate::error::{Error, Result, quote};

/// The lengths of documents, and the times to read them if they are known.
#[derive(Debug)]
pub struct Lengths {
    pub(super) table: Table,
    slots: Vec<index::Slot>,
    /// Where they were read from, for messages.
    pub source: String,
}

/// The length of a document, and the time that reading it takes.
#[derive(Debug, Clone, Copy)]
pub struct Length {
    /// The length, in the unit that the measure expects.
    pub length: f64,
    /// The time in seconds; NaN if it is not known.
    pub seconds: f64,
}

impl Lengths {
    /// Joins the chunks of a reader, whose rows belong to one query without a name; `source` names them in messages.
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
            let length = lengths.at(row);
            for (name, number) in [("length", length.length), ("time", length.seconds)] {
                if number < 0.0 {
                    return Err(refuse(row, &format!("a {name} of at least 0"), &format!("{number} for")));
                }
            }
            let is_same = |other: u32| rows.doc(other as usize) == rows.doc(row);
            if let Err(first) = index::insert(&mut slots, hash, row as u32, is_same) {
                let first = lengths.at(first as usize);
                let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
                if first.length != length.length || !same(first.seconds, length.seconds) {
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

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.rows().len()
    }

    /// The length of the document in a row of a ranking.
    pub fn find(&self, rows: &Rows<'_>, row: usize) -> Option<Length> {
        self.get(rows.doc(row), rows.hashes()[row])
    }

    /// The length of a document, by its id and the hash of the id.
    pub fn get(&self, doc: &[u8], hash: u32) -> Option<Length> {
        let own = self.rows();
        index::find(&self.slots, hash, |other| own.doc(other as usize) == doc).map(|row| self.at(row as usize))
    }

    /// The error for a retrieved document whose length is not known.
    pub fn lack(&self, doc: &[u8], query: &[u8]) -> Error {
        let (doc, query, source) = (quote(doc), quote(query), &self.source);
        Error::Value(format!("{source} has no length of document {doc}, retrieved for query {query}"))
    }
}
