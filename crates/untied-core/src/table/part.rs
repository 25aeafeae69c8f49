//! Parts of a collection: the documents that runs retrieve, and runs restricted to some documents.

use std::collections::HashSet;

use rayon::prelude::*;

use super::{Chunks, Documents, Run, index};
use crate::error::Result;
use crate::{sorting, watch};

/// A set of documents.
#[derive(Debug)]
pub struct DocumentSet {
    docs: Documents,
    slots: Vec<index::Slot>,
}

impl DocumentSet {
    /// The set of these documents; a document may be repeated.
    pub fn new(docs: Documents) -> DocumentSet {
        let mut slots = vec![0; index::slots_for(docs.len())];
        for (row, &hash) in docs.hashes(0..docs.len()).iter().enumerate() {
            let _repeated =
                index::insert(&mut slots, hash, row as u32, |other| docs.get(other as usize) == docs.get(row));
        }
        DocumentSet { docs, slots }
    }

    /// Whether the document is in the set.
    fn contains(&self, id: &[u8], hash: u32) -> bool {
        index::find(&self.slots, hash, |row| self.docs.get(row as usize) == id).is_some()
    }
}

/// The different documents that runs retrieve for any query, in the order of ids.
pub fn retrieved<'a>(runs: &[&'a Run]) -> Vec<&'a [u8]> {
    let mut distinct: HashSet<&[u8]> = HashSet::new();
    for run in runs {
        for query in 0..run.len() {
            let rows = run.rows(query);
            distinct.extend((0..rows.len()).map(|row| rows.doc(row)));
        }
    }
    let mut documents: Vec<&[u8]> = distinct.into_iter().collect();
    sorting::sort_by(&mut documents, &Ord::cmp);
    documents
}

impl Run {
    /// The run with only these documents. If a query has none of them, its ranking is empty.
    ///
    /// # Errors
    /// The user interrupts.
    pub fn only(&self, part: &DocumentSet) -> Result<Run> {
        let mut chunks = Chunks::new(1);
        for query in 0..self.len() {
            watch::check()?;
            chunks.start_query(self.id(query), 1);
            let (rows, scores) = (self.rows(query), self.scores(query));
            for (row, (&hash, &score)) in rows.hashes().iter().zip(scores).enumerate() {
                let id = rows.doc(row);
                if part.contains(id, hash) {
                    chunks.push(id, hash)?;
                    chunks.last.block.columns[0].push(score);
                }
            }
        }
        let mut chunks = chunks.finish();
        // The run had no repeated documents, so its part has none.
        chunks.iter_mut().for_each(|chunk| chunk.block.are_distinct = true);
        Run::new(chunks, "run")
    }
}

/// Restricts several runs to some documents.
///
/// # Errors
/// The user interrupts.
pub fn only(runs: &[&Run], part: &DocumentSet) -> Result<Vec<Run>> {
    runs.par_iter().map(|run| run.only(part)).collect()
}
