//! A file that is read piece by piece: the rows of some blocks at a time.

use std::sync::{Mutex, PoisonError};

use super::blocks::{Blocks, Parsed};
use super::limits::LineError;
use crate::error::{Error, Result};
use crate::table::{Chunk, refuse_repeats};

/// Parses a block into a chunk; how many lines it has.
pub type Parse = Box<dyn Fn(&[u8], &mut Chunk) -> std::result::Result<u64, LineError> + Send + Sync>;

/// Blocks that are read before they are looked through.
const AT_ONCE: u64 = 256;

/// The texts of the error for a file without rows.
#[derive(Debug, Clone, Copy)]
pub struct NoRows {
    /// What was expected.
    pub expected: &'static str,
    /// What was found if the input has no line; None if an input without lines is allowed.
    pub without_lines: Option<&'static str>,
    /// What was found if it has lines but no rows; None if that is allowed.
    pub with_lines: Option<&'static str>,
}

/// A file that is read piece by piece.
pub struct Pieces {
    blocks: Blocks,
    path: String,
    parse: Parse,
    no_rows: NoRows,
    is_empty: bool,
    /// Chunks that are no longer needed: their room is used again.
    spare: Mutex<Vec<Chunk>>,
}

impl Pieces {
    /// The pieces of opened blocks.
    pub fn new(blocks: Blocks, path: &str, no_rows: NoRows, parse: Parse) -> Pieces {
        Pieces { blocks, path: path.into(), parse, no_rows, is_empty: true, spare: Mutex::default() }
    }

    /// The file's name in messages.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The rows of the next `blocks` blocks; `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read, a line is malformed, or there is no row (unless that is allowed).
    pub fn next(&mut self, blocks: u64) -> Result<Option<Vec<Chunk>>> {
        let (before, parse, spare) = (self.blocks.lines(), &self.parse, &self.spare);
        let parsed = self.blocks.parse(blocks, &|block: &[u8], (): &mut ()| {
            let used = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut value = used.unwrap_or_default();
            let lines = parse(block, &mut value)?;
            Ok(Parsed { value, lines })
        })?;
        match parsed {
            Some(parsed) => Ok(Some(self.chunks(before, parsed))),
            None => self.end(),
        }
    }

    /// All rows.
    ///
    /// # Errors
    /// As [`Pieces::next`].
    pub fn all(self) -> Result<Vec<Chunk>> {
        self.all_checked(|_| Ok(()))
    }

    /// All rows of a run. A query that fills a block is looked through as soon as it is read, because an input that
    /// repeats one document may have no end.
    ///
    /// # Errors
    /// As [`Pieces::next`]; such a query has a document twice.
    pub fn all_of_run(self) -> Result<Vec<Chunk>> {
        let path = self.path.clone();
        self.all_checked(|chunks| refuse_repeats(chunks, &path))
    }

    fn all_checked(mut self, check: impl Fn(&[Chunk]) -> Result<()>) -> Result<Vec<Chunk>> {
        let mut all = Vec::new();
        loop {
            let (before, parse) = (self.blocks.lines(), &self.parse);
            let parsed = self.blocks.parse(AT_ONCE, &|block: &[u8], room: &mut Chunk| {
                let lines = parse(block, room)?;
                // An exact copy: what is left over stays with the worker, and memory is asked for once a block.
                Ok(Parsed { value: room.clone(), lines })
            })?;
            let Some(parsed) = parsed else { break };
            let chunks = self.chunks(before, parsed);
            check(&chunks)?;
            all.extend(chunks);
        }
        if all.is_empty() { self.end().map(Option::unwrap_or_default) } else { Ok(all) }
    }

    /// Take chunks back that are no longer needed.
    pub fn reuse(&mut self, chunks: Vec<Chunk>) {
        self.spare.get_mut().unwrap_or_else(PoisonError::into_inner).extend(chunks);
    }

    /// Chunks with rows, which know their lines; so many lines come before them.
    fn chunks(&mut self, mut before: u64, parsed: Vec<Parsed<Chunk>>) -> Vec<Chunk> {
        let mut chunks = Vec::with_capacity(parsed.len());
        for Parsed { mut value, lines } in parsed {
            value.lines.first = before + 1;
            before += lines;
            if !value.segments.is_empty() {
                chunks.push(value);
            }
        }
        self.is_empty &= chunks.is_empty();
        chunks
    }

    fn end(&self) -> Result<Option<Vec<Chunk>>> {
        if !self.is_empty {
            return Ok(None);
        }
        let content = if self.blocks.lines() == 0 { self.no_rows.without_lines } else { self.no_rows.with_lines };
        content.map_or(Ok(None), |content| Err(Error::input(&self.path, None, self.no_rows.expected, content)))
    }
}
