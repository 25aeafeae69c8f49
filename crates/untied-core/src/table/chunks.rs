//! Rows in the making that are not read from a file: put into chunks as large as a column of ids may be.

use std::mem;

use super::Chunk;
use crate::error::{Error, Result, quote};

/// Bytes of ids in a chunk after which queries go to the next one.
const FULL: usize = 1 << 30;

/// Chunks, one filled after the other.
#[derive(Debug)]
pub struct Chunks {
    full: Vec<Chunk>,
    /// The one that rows go to.
    pub last: Chunk,
}

impl Chunks {
    /// No rows yet; `numbers` columns of numbers.
    pub fn new(numbers: usize) -> Chunks {
        Chunks { full: Vec::new(), last: Chunk::new(numbers) }
    }

    /// The next rows belong to this query and have `numbers` numbers each.
    pub fn start_query(&mut self, id: &[u8], numbers: usize) {
        if self.last.block.docs.bytes() > FULL || self.last.block.columns.len() != numbers {
            self.last.finish();
            self.full.push(mem::replace(&mut self.last, Chunk::new(numbers)));
        }
        self.last.start_query(id);
    }

    /// Push a document with its hash; its numbers go to the columns of [`Chunks::last`].
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

    /// All rows have been pushed.
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
