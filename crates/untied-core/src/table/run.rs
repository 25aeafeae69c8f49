//! Runs: the retrieved documents of each query, with their scores.

use std::ops::Deref;

use rayon::prelude::*;

use super::ids::are_equal;
use super::{Chunk, Location, Names, Origins, QueryRows, Rows, Table, first_in_file, index, rounded, wrong};
use crate::error::{Error, Result, quote};
use crate::watch;

/// The retrieved documents of each query, with their scores.
#[derive(Debug, Default)]
pub struct Run {
    /// The different run tags of the file in order of appearance, if it was read with its ranks.
    pub tags: Names,
    table: Table,
    /// The queries with a repeated document, and the first two rows that have it.
    duplicates: Vec<(usize, (u32, u32))>,
}

impl Deref for Run {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.table
    }
}

impl Run {
    /// Joins the chunks of a reader; `source` names them in messages.
    ///
    /// # Errors
    /// A document appears twice in a query, or two different scores of a query are equal as 64-bit floats.
    pub fn new(mut chunks: Vec<Chunk>, source: &str) -> Result<Run> {
        rounded::check(&mut chunks, source, "score")?;
        let (table, origins) = Table::new(chunks)?;
        Run::checked(table, &origins, source)
    }

    /// Joins chunks that are a part of a run, in which the rows of each query must be together. Returns it with the first
    /// line of each query, if lines are known.
    ///
    /// # Errors
    /// As for [`Run::new`], or a query returns after another one.
    pub(crate) fn of_complete_queries(mut chunks: Vec<Chunk>, source: &str) -> Result<(Run, Vec<Option<Location>>)> {
        rounded::check(&mut chunks, source, "score")?;
        let (table, origins) = Table::new(chunks)?;
        origins.refuse_second_lists(&table, source)?;
        if let Some((query, line)) = origins.returned {
            return Err(returned(table.id(query), line, source));
        }
        let first = table.queries.iter().map(|query| origins.line(query.block, query.rows.start)).collect();
        Ok((Run::checked(table, &origins, source)?, first))
    }

    fn checked(table: Table, origins: &Origins, source: &str) -> Result<Run> {
        origins.refuse_second_lists(&table, source)?;
        let repeats = duplicates(&table)?.into_iter().map(|(query, (first, second))| {
            let QueryRows { block, rows } = &table.queries[query];
            let line = |row| origins.line(*block, rows.start + row);
            repeated(source, table.id(query), table.rows(query).doc(second as usize), [line(first), line(second)])
        });
        first_in_file(repeats)?;
        Ok(Run { table, ..Run::default() })
    }

    /// Its blocks, as chunks whose memory can be used again.
    pub(crate) fn emptied(self) -> impl Iterator<Item = Chunk> {
        self.table.blocks.into_iter().map(|block| Chunk { block, ..Chunk::default() })
    }

    /// Joins chunks in which a query may have a document twice.
    ///
    /// # Errors
    /// A query has more ids than a column holds.
    pub fn with_duplicates(chunks: Vec<Chunk>) -> Result<Run> {
        let (table, _) = Table::new(chunks)?;
        Ok(Run { duplicates: duplicates(&table)?, table, ..Run::default() })
    }

    /// A row of the query whose document is also in an earlier row.
    pub fn duplicate(&self, query: usize) -> Option<u32> {
        let index = self.duplicates.binary_search_by_key(&query, |&(query, _)| query).ok()?;
        Some(self.duplicates[index].1.1)
    }

    /// The scores of a query, in the order of its rows.
    pub fn scores(&self, query: usize) -> &[f64] {
        self.rows(query).column(0)
    }
}

/// The error for a query that returns after another one.
pub(crate) fn returned(query: &[u8], place: Option<Location>, source: &str) -> Error {
    let expected = "all documents of a query together, as streaming needs them";
    Error::Ungrouped(Box::new(wrong(source, place, expected, format!("query {} again, after others", quote(query)))))
}

/// The error for a document that is in two rows of a query.
fn repeated(source: &str, query: &[u8], document: &[u8], places: [Option<Location>; 2]) -> (Option<Location>, Error) {
    let [first, second] = places;
    let earlier = first.map_or("before".into(), |place| format!("in {}", place.name()));
    let found = format!("document {} of query {} again, already {earlier}", quote(document), quote(query));
    let error = wrong(source, second, "every document once in a query", found);
    (second, Error::Repeated(Box::new(error)))
}

/// Refuses a document that is twice in a query, in chunks that have only one query.
///
/// # Errors
/// There is such a document.
pub(crate) fn refuse_repeats(chunks: &[Chunk], source: &str) -> Result<()> {
    let repeat = |buffers: &mut DuplicateBuffers, chunk: &Chunk| {
        let [segment] = chunk.segments.as_slice() else { return None };
        let rows = Rows { block: &chunk.block, rows: segment.rows.start as usize..segment.rows.end as usize };
        let (first, second) = duplicate(&rows, buffers)?;
        let line = |row| chunk.lines.line(segment.rows.start + row);
        let id = chunk.queries.get(segment.query as usize);
        Some(repeated(source, id, rows.doc(second as usize), [line(first), line(second)]))
    };
    let repeats: Vec<_> = chunks.par_iter().map_init(DuplicateBuffers::default, repeat).flatten().collect();
    first_in_file(repeats)
}

/// The queries in which a document is repeated, each with the first two rows that have the same document.
fn duplicates(table: &Table) -> Result<Vec<(usize, (u32, u32))>> {
    let duplicates = (0..table.len())
        .into_par_iter()
        .map_init(DuplicateBuffers::default, |buffers, query| {
            duplicate(&table.rows(query), buffers).map(|rows| (query, rows))
        })
        .flatten()
        .collect();
    watch::check().map(|()| duplicates)
}

/// Memory to search for duplicates, used again for the next query.
#[derive(Default)]
struct DuplicateBuffers {
    bits: Vec<u64>,
    slots: Vec<index::Slot>,
}

/// The first two rows that have the same document.
fn duplicate(rows: &Rows<'_>, buffers: &mut DuplicateBuffers) -> Option<(u32, u32)> {
    // Gathered rows are in a block that is not marked as distinct, even if the reader knew that they are.
    if rows.block.are_distinct || rows.len() < 2 {
        return None;
    }
    match doubtful(rows.hashes(), &mut buffers.bits) {
        Some(doubtful) => doubtful.into_iter().find_map(|row| {
            let (hashes, row) = (rows.hashes(), row as usize);
            let hash = hashes[row];
            // Mostly no other row has this hash, which is quick to find out.
            if hashes.iter().map(|&other| u32::from(other == hash)).sum::<u32>() < 2 {
                return None;
            }
            let is_same = |&first: &usize| hashes[first] == hash && rows.doc(first) == rows.doc(row);
            (0..row).find(is_same).map(|first| (first as u32, row as u32))
        }),
        None => duplicate_by_index(rows, &mut buffers.slots),
    }
}

/// The rows whose hash may be that of an earlier row, found by a bit for each hash: all rows that have an equal hash before
/// them, and about one in 64 of the others. None if there are too many to check one by one.
fn doubtful(hashes: &[u32], bits: &mut Vec<u64>) -> Option<Vec<u32>> {
    const MOST_ROWS: usize = 1 << 13;
    const MOST: usize = 256;
    if hashes.len() > MOST_ROWS {
        return None;
    }
    let words = (hashes.len() / 2).next_power_of_two();
    bits.clear();
    bits.resize(words, 0);
    let mut rows = [0; MOST];
    let mut count = 0;
    for (row, &hash) in hashes.iter().enumerate() {
        let (word, bit) = (&mut bits[(hash >> 6) as usize & (words - 1)], 1 << (hash & 63));
        rows[count & (MOST - 1)] = row as u32;
        count += usize::from(*word & bit != 0);
        *word |= bit;
    }
    rows.get(..count).map(<[u32]>::to_vec)
}

/// The first two rows that have the same document, found by an index of all rows.
fn duplicate_by_index(rows: &Rows<'_>, slots: &mut Vec<index::Slot>) -> Option<(u32, u32)> {
    slots.clear();
    slots.resize(index::slots_for(rows.len()), 0);
    for (row, &hash) in watch::until_stopped(rows.hashes().iter().enumerate()) {
        if let Err(first) =
            index::insert(slots, hash, row as u32, |other| are_equal(rows.doc(other as usize), rows.doc(row)))
        {
            return Some((first, row as u32));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// A run whose documents all have the same hash.
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

    #[test]
    fn the_first_document_that_stands_twice_is_found_by_bits_as_by_the_index() {
        for documents in [2, 3, 30, 1000, 9000] {
            for twice in 0..6 {
                let ids = (0..documents).map(|i: u32| i.wrapping_mul(7919) % 100_003);
                let mut ids: Vec<u32> = ids.collect();
                for again in 0..twice {
                    let from = (again * 37 + 1) % documents;
                    ids[(documents - 1 - again * again % documents) as usize] = ids[from as usize];
                }
                let mut chunk = Chunk::new(1);
                chunk.start_query(b"q");
                ids.iter().for_each(|id| chunk.block.docs.push(id.to_string().as_bytes()));
                chunk.block.columns[0].resize(ids.len(), 0.0);
                chunk.finish();
                let run = Run::with_duplicates(vec![chunk]).expect("a run");
                let mut seen = HashMap::new();
                let expected = (0..documents).zip(&ids).find_map(|(row, id)| {
                    let first = *seen.entry(id).or_insert(row);
                    (first < row).then_some((first, row))
                });
                let mut buffers = DuplicateBuffers::default();
                assert_eq!(duplicate(&run.rows(0), &mut buffers), expected, "{documents} {twice}");
                assert_eq!(duplicate_by_index(&run.rows(0), &mut buffers.slots), expected, "{documents} {twice}");
            }
        }
    }
}
