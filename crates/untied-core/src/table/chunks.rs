//! Builds chunks from rows that do not come from a file, and begins a new chunk before a column of ids is full.

use std::mem;

use super::Chunk;
use crate::error::{Error, Result, quote};

/// With more bytes of ids in a chunk than this, the next query begins a new one.
const FULL: usize = 1 << 30;

/// Chunks that are filled one after the other.
#[derive(Debug)]
pub struct Chunks {
    full: Vec<Chunk>,
    /// The chunk that rows are appended to.
    pub last: Chunk,
}

impl Chunks {
    /// An empty chunk with `numbers` columns of numbers.
    pub fn new(numbers: usize) -> Chunks {
        Chunks { full: Vec::new(), last: Chunk::new(numbers) }
    }

    /// Begins a query, whose rows have `numbers` numbers each.
    pub fn start_query(&mut self, id: &[u8], numbers: usize) {
        if self.last.block.docs.bytes() > FULL || self.last.block.columns.len() != numbers {
            self.last.finish();
            self.full.push(mem::replace(&mut self.last, Chunk::new(numbers)));
        }
        self.last.start_query(id);
    }

    /// Appends a document with its hash. The caller appends its numbers to the columns of [`Chunks::last`].
    ///
    /// # Errors
    /// The query has more ids than a column holds.
    #[inline]
    pub fn push(&mut self, document: &[u8], hash: u32) -> Result<()> {
        if !self.last.block.docs.has_room(document) {
            return Err(too_many_ids(self.last.last_query().unwrap_or_default()));
        }
        self.last.block.docs.push_hashed(document, hash);
        Ok(())
    }

    /// Ends the last chunk, and returns all of them.
    #[must_use]
    pub fn finish(mut self) -> Vec<Chunk> {
        self.last.finish();
        self.full.push(self.last);
        self.full
    }
}

/// The error for a query with more ids than a column holds.
pub(super) fn too_many_ids(query: &[u8]) -> Error {
    Error::Value(format!("query {} has more than 4 GiB of document ids", quote(query)))
}
