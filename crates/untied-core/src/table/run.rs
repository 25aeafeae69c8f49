//! A run: for every query its documents with scores.

use std::ops::Deref;

use rayon::prelude::*;

use super::ids::are_equal;
use super::{Chunk, Names, Origins, Place, Query, Rows, Table, first_in_file, index, rounded, wrong};
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
        let repeats = duplicates(&table)?.into_iter().map(|(query, (first, second))| {
            let Query { block, rows } = &table.queries[query];
            let line = |row| origins.line(*block, rows.start + row);
            twice(source, table.id(query), table.rows(query).doc(second as usize), [line(first), line(second)])
        });
        first_in_file(repeats)?;
        Ok(Run { table, ..Run::default() })
    }

    /// Its columns, as chunks without rows whose room can be used again.
    pub(crate) fn emptied(self) -> impl Iterator<Item = Chunk> {
        self.table.blocks.into_iter().map(|block| Chunk { block, ..Chunk::default() })
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
    pub fn duplicate(&self, query: usize) -> Option<u32> {
        let found = self.duplicates.binary_search_by_key(&query, |&(query, _)| query).ok()?;
        Some(self.duplicates[found].1.1)
    }

    /// The scores of a query, in the order of its rows.
    pub fn scores(&self, query: usize) -> &[f64] {
        self.rows(query).column(0)
    }
}

/// The error for a query that comes back after another.
pub(crate) fn returned(query: &[u8], place: Option<Place>, source: &str) -> Error {
    let expected = "all documents of a query together, as streaming needs them";
    Error::Ungrouped(Box::new(wrong(source, place, expected, format!("query {} again, after others", quote(query)))))
}

/// The error for a document that stands in two places of a query.
fn twice(source: &str, query: &[u8], document: &[u8], places: [Option<Place>; 2]) -> (Option<Place>, Error) {
    let [first, second] = places;
    let earlier = first.map_or("before".into(), |place| format!("in {}", place.name()));
    let found = format!("document {} of query {} again, already {earlier}", quote(document), quote(query));
    (second, wrong(source, second, "every document once in a query", found))
}

/// Refuse a document that stands twice among the rows of a query that has a chunk for itself.
///
/// # Errors
/// There is one.
pub(crate) fn refuse_repeats(chunks: &[Chunk], source: &str) -> Result<()> {
    let repeat = |room: &mut Room, chunk: &Chunk| {
        let [segment] = chunk.segments.as_slice() else { return None };
        let rows = Rows { block: &chunk.block, rows: segment.rows.start as usize..segment.rows.end as usize };
        let (first, second) = duplicate(&rows, room)?;
        let line = |row| chunk.lines.line(segment.rows.start + row);
        let id = chunk.queries.get(segment.query as usize);
        Some(twice(source, id, rows.doc(second as usize), [line(first), line(second)]))
    };
    let repeats: Vec<_> = chunks.par_iter().map_init(Room::default, repeat).flatten().collect();
    first_in_file(repeats)
}

/// The queries in which a document appears twice, each with the first such two rows.
fn duplicates(table: &Table) -> Result<Vec<(usize, (u32, u32))>> {
    let found = (0..table.len())
        .into_par_iter()
        .map_init(Room::default, |room, query| duplicate(&table.rows(query), room).map(|rows| (query, rows)))
        .flatten()
        .collect();
    watch::check().map(|()| found)
}

/// What is kept between queries.
#[derive(Default)]
struct Room {
    bits: Vec<u64>,
    slots: Vec<index::Slot>,
}

/// The first two rows that hold the same document.
fn duplicate(rows: &Rows<'_>, room: &mut Room) -> Option<(u32, u32)> {
    // Rows of one query that were not consecutive are in a block of their own, of which nothing is known.
    if rows.block.are_distinct || rows.len() < 2 {
        return None;
    }
    match doubtful(rows.hashes(), &mut room.bits) {
        Some(doubtful) => doubtful.into_iter().find_map(|row| {
            let (hashes, row) = (rows.hashes(), row as usize);
            let hash = hashes[row];
            // Mostly only this one, which is soon seen.
            if hashes.iter().map(|&other| u32::from(other == hash)).sum::<u32>() < 2 {
                return None;
            }
            let is_same = |&first: &usize| hashes[first] == hash && rows.doc(first) == rows.doc(row);
            (0..row).find(is_same).map(|first| (first as u32, row as u32))
        }),
        None => duplicate_by_index(rows, &mut room.slots),
    }
}

/// Rows whose hash may be that of an earlier row, by a bit of each: all that have an equal one before, and one in 64 that
/// has not. None where they are too many to be looked at one by one.
fn doubtful(hashes: &[u32], bits: &mut Vec<u64>) -> Option<Vec<u32>> {
    const MOST_ROWS: usize = 1 << 13;
    const MOST: usize = 256;
    if hashes.len() > MOST_ROWS {
        return None;
    }
    let words = (hashes.len() / 2).next_power_of_two();
    bits.clear();
    bits.resize(words, 0);
    let mut found = [0; MOST];
    let mut count = 0;
    for (row, &hash) in hashes.iter().enumerate() {
        let (word, bit) = (&mut bits[(hash >> 6) as usize & (words - 1)], 1 << (hash & 63));
        found[count & (MOST - 1)] = row as u32;
        count += usize::from(*word & bit != 0);
        *word |= bit;
    }
    found.get(..count).map(<[u32]>::to_vec)
}

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
                let mut room = Room::default();
                assert_eq!(duplicate(&run.rows(0), &mut room), expected, "{documents} {twice}");
                assert_eq!(duplicate_by_index(&run.rows(0), &mut room.slots), expected, "{documents} {twice}");
            }
        }
    }
}
