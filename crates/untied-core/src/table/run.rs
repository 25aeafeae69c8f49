//! A run: for every query its documents with scores.

use std::ops::Deref;

use rayon::prelude::*;

use super::{Chunk, Origins, Rows, Table, index};
use crate::error::Result;

/// Retrieved documents with their scores, query by query; no document twice in a query.
#[derive(Debug, Default)]
pub struct Run {
    table: Table,
}

impl Deref for Run {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.table
    }
}

impl Run {
    /// Put what a reader found together; `source` names it in messages.
    ///
    /// # Errors
    /// A document stands twice in a query.
    pub fn new(chunks: Vec<Chunk>, source: &str) -> Result<Run> {
        let (table, origins) = Table::new(chunks);
        check(&table, &origins, source)?;
        Ok(Run { table })
    }

    /// The scores of a query, in the order of its rows.
    #[must_use]
    pub fn scores(&self, query: usize) -> &[f64] {
        self.rows(query).column(0)
    }
}

/// No document may stand twice in a query.
fn check(table: &Table, origins: &Origins, source: &str) -> Result<()> {
    let twice = (0..table.len())
        .into_par_iter()
        .map_init(Vec::new, |slots, query| duplicate(&table.rows(query), slots).map(|rows| (query, rows)))
        .flatten()
        .collect::<Vec<_>>()
        .into_iter()
        .map(|(query, rows)| {
            table.contradiction(origins, source, query, rows, "every document once in a query", |what, earlier| {
                format!("{what} again, already {earlier}")
            })
        });
    // Of several, the first in the file.
    twice.min_by_key(line_of).map_or(Ok(()), Err)
}

fn line_of(error: &crate::error::Error) -> Option<u64> {
    match error {
        crate::error::Error::Input(input) => input.line,
        _ => None,
    }
}

/// The first two rows that hold the same document.
fn duplicate(rows: &Rows<'_>, slots: &mut Vec<index::Slot>) -> Option<(u32, u32)> {
    slots.clear();
    slots.resize(index::slots_for(rows.len()), 0);
    for (row, &hash) in rows.hashes().iter().enumerate() {
        if let Err(first) = index::insert(slots, hash, row as u32, |other| rows.doc(other as usize) == rows.doc(row)) {
            return Some((first, row as u32));
        }
    }
    None
}
