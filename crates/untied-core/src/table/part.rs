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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Chunk;

    fn run(rows: &[(&str, &str, f64)]) -> Run {
        let mut chunk = Chunk::new(1);
        for (query, doc, score) in rows {
            chunk.start_query(query.as_bytes());
            chunk.block.docs.push(doc.as_bytes());
            chunk.block.columns[0].push(*score);
        }
        chunk.finish();
        Run::new(vec![chunk], "run").expect("a run")
    }

    fn rows(run: &Run) -> Vec<(Vec<u8>, Vec<u8>, f64)> {
        (0..run.len())
            .flat_map(|query| {
                let rows = run.rows(query);
                (0..rows.len()).map(move |row| (run.id(query).to_vec(), rows.doc(row).to_vec(), run.scores(query)[row]))
            })
            .collect()
    }

    #[test]
    fn documents_outside_the_part_are_gone_and_their_queries_are_not() {
        let whole = run(&[("1", "a", 3.0), ("2", "c", 2.0), ("1", "b", 1.0), ("1", "c", 0.5)]);
        assert_eq!(retrieved(&[&whole, &whole]), [b"a", b"b", b"c"]);
        let mut docs = Documents::default();
        for id in ["b", "a", "never", "b"] {
            docs.push(id.as_bytes());
        }
        let parts = only(&[&whole], &DocumentSet::new(docs)).expect("a part");
        assert_eq!(rows(&parts[0]), rows(&run(&[("1", "a", 3.0), ("1", "b", 1.0)])));
        assert_eq!(parts[0].len(), 2);
        let nothing = whole.only(&DocumentSet::new(Documents::default())).expect("no document");
        assert_eq!((nothing.len(), rows(&nothing).len()), (2, 0));
    }
}
