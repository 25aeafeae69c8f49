//! A run: for every query its documents with scores.

use std::ops::Deref;

use rayon::prelude::*;

use super::{Chunk, Names, Origins, Place, Rows, Table, first_in_file, index, rounded, wrong};
use crate::error::{Error, Result, quote};
use crate::watch;

/// Retrieved documents with their scores, query by query.
#[derive(Debug, Default)]
pub struct Run {
    /// Run tags found in the file, each once, in order of appearance; only where it was read with its ranks.
    pub tags: Names,
    table: Table,
    duplicates: Vec<(usize, (u32, u32))>,
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
    /// A document appears twice in a query, or two different scores of a query are equal as 64-bit floats.
    pub fn new(mut chunks: Vec<Chunk>, source: &str) -> Result<Run> {
        rounded::check(&mut chunks, source, "score")?;
        let (table, origins) = Table::new(chunks)?;
        Run::checked(table, &origins, source)
    }

    /// A part of a run, of queries whose rows are together; each with its first line, where lines are known.
    ///
    /// # Errors
    /// As for [`Run::new`], or a query comes back after another.
    pub(crate) fn part(mut chunks: Vec<Chunk>, source: &str) -> Result<(Run, Vec<Option<Place>>)> {
        rounded::check(&mut chunks, source, "score")?;
        let (table, origins) = Table::new(chunks)?;
        if let Some((query, line)) = origins.returned {
            return Err(returned(table.id(query), line, source));
        }
        let first = table.queries.iter().map(|query| origins.line(query.block, query.rows.start)).collect();
        Ok((Run::checked(table, &origins, source)?, first))
    }

    fn checked(table: Table, origins: &Origins, source: &str) -> Result<Run> {
        let twice = duplicates(&table)?.into_iter().map(|(query, rows)| {
            table.contradiction(origins, source, query, rows, "every document once in a query", |what, earlier| {
                format!("{what} again, already {earlier}")
            })
        });
        first_in_file(twice)?;
        Ok(Run { table, ..Run::default() })
    }

    /// The same where a document may stand twice in a query.
    ///
    /// # Errors
    /// A query has more ids than a column holds.
    pub fn with_duplicates(chunks: Vec<Chunk>) -> Result<Run> {
        let (table, _) = Table::new(chunks)?;
        Ok(Run { duplicates: duplicates(&table)?, table, ..Run::default() })
    }

    /// A row of the query whose document already stands in an earlier one.
    #[must_use]
    pub fn duplicate(&self, query: usize) -> Option<u32> {
        let found = self.duplicates.binary_search_by_key(&query, |&(query, _)| query).ok()?;
        Some(self.duplicates[found].1.1)
    }

    /// The scores of a query, in the order of its rows.
    #[must_use]
    pub fn scores(&self, query: usize) -> &[f64] {
        self.rows(query).column(0)
    }
}

/// The error for a query that comes back after another.
pub(crate) fn returned(query: &[u8], place: Option<Place>, source: &str) -> Error {
    let expected = "all documents of a query together, as streaming needs them";
    Error::Ungrouped(Box::new(wrong(source, place, expected, format!("query {} again, after others", quote(query)))))
}

/// The queries in which a document appears twice, each with the first such two rows.
fn duplicates(table: &Table) -> Result<Vec<(usize, (u32, u32))>> {
    let found = (0..table.len())
        .into_par_iter()
        .map_init(Vec::new, |slots, query| duplicate(&table.rows(query), slots).map(|rows| (query, rows)))
        .flatten()
        .collect();
    watch::check().map(|()| found)
}

/// The first two rows that hold the same document.
fn duplicate(rows: &Rows<'_>, slots: &mut Vec<index::Slot>) -> Option<(u32, u32)> {
    // Rows of one query that were not consecutive are in a block of their own, of which nothing is known.
    if rows.block.are_distinct || rows.len() < 2 {
        return None;
    }
    slots.clear();
    slots.resize(index::slots_for(rows.len()), 0);
    for (row, &hash) in watch::until_stopped(rows.hashes().iter().enumerate()) {
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
        let error = run(&["a", "b", "c", "b"]).expect_err("b appears twice").to_string();
        assert!(error.contains("document \"b\" of query \"q\" again"), "{error}");
    }
}
