//! A run: for every query its documents with scores.

use std::ops::Deref;

use rayon::prelude::*;

use super::{Chunk, Origins, Rows, Table, first_in_file, index};
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
        let (table, origins) = Table::new(chunks)?;
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
    first_in_file(twice)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents that all have the same hash.
    fn run(ids: &[&str]) -> Result<Run> {
        let mut chunk = Chunk::new(1);
        chunk.start_query(b"q");
        for id in ids {
            chunk.block.docs.push_hashed(id.as_bytes(), 7);
            chunk.block.columns[0].push(0.0);
        }
        chunk.finish();
        Run::new(vec![chunk], "run")
    }

    #[test]
    fn equal_hashes_are_not_equal_documents() {
        assert_eq!(run(&["a", "b", "c", "d", "e"]).expect("five documents").rows(0).len(), 5);
        let error = run(&["a", "b", "c", "b"]).expect_err("b stands twice").to_string();
        assert!(error.contains("document \"b\" of query \"q\" again"), "{error}");
    }
}
