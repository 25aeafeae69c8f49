//! Parts of a collection: which documents runs retrieve, and runs of which only some documents are left.

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
    /// The set of these documents, which may be named more than once.
    pub fn new(docs: Documents) -> DocumentSet {
        let mut slots = vec![0; index::slots_for(docs.len())];
        for (row, &hash) in docs.hashes(0..docs.len()).iter().enumerate() {
            let _known = index::insert(&mut slots, hash, row as u32, |other| docs.get(other as usize) == docs.get(row));
        }
        DocumentSet { docs, slots }
    }

    /// Whether a document with this hash is in the set.
    fn holds(&self, id: &[u8], hash: u32) -> bool {
        index::find(&self.slots, hash, |row| self.docs.get(row as usize) == id).is_some()
    }
}

/// The documents that runs retrieve, for whatever query: each once, in the order of ids.
pub fn retrieved<'a>(runs: &[&'a Run]) -> Vec<&'a [u8]> {
    let mut found: HashSet<&[u8]> = HashSet::new();
    for run in runs {
        for query in 0..run.len() {
            let rows = run.rows(query);
            found.extend((0..rows.len()).map(|row| rows.doc(row)));
        }
    }
    let mut found: Vec<&[u8]> = found.into_iter().collect();
    sorting::sort_by(&mut found, &Ord::cmp);
    found
}

impl Run {
    /// The same run with no documents but these. A query of which none is left has an empty ranking.
    ///
    /// # Errors
    /// It was told to stop.
    pub fn only(&self, part: &DocumentSet) -> Result<Run> {
        let mut chunks = Chunks::new(1);
        for query in 0..self.len() {
            watch::check()?;
            chunks.start_query(self.id(query), 1);
            let (rows, scores) = (self.rows(query), self.scores(query));
            for (row, (&hash, &score)) in rows.hashes().iter().zip(scores).enumerate() {
                let id = rows.doc(row);
                if part.holds(id, hash) {
                    chunks.push(id, hash)?;
                    chunks.last.block.columns[0].push(score);
                }
            }
        }
        let mut chunks = chunks.finish();
        // No document appears twice in a query, as before.
        chunks.iter_mut().for_each(|chunk| chunk.block.are_distinct = true);
        Run::new(chunks, "run")
    }
}

/// The parts of several runs.
///
/// # Errors
/// It was told to stop.
pub fn only(runs: &[&Run], part: &DocumentSet) -> Result<Vec<Run>> {
    runs.par_iter().map(|run| run.only(part)).collect()
}
