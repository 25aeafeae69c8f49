//! Rows in the making: columns that a reader fills, with the queries they belong to.

use std::ops::Range;

use super::{Documents, LineMap, Names, rounded};

/// Rows as columns: documents, and one or more columns of numbers (the score or the grade first).
#[derive(Debug, Default, Clone)]
pub struct Block {
    /// The documents' ids.
    pub docs: Documents,
    /// Numbers, column by column.
    pub columns: Vec<Vec<f64>>,
    /// Which numbers of the first column were rounded, so that others may have become equal to them.
    pub rounded: Vec<rounded::Rounded>,
    /// Whether no document appears twice in consecutive rows of a query, as the reader knows: they are keys of a dict.
    pub are_distinct: bool,
}

impl Block {
    /// A block with this number of columns of numbers.
    pub fn new(numbers: usize) -> Self {
        Block { columns: vec![Vec::new(); numbers], ..Block::default() }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Forget all rows, keep the room.
    fn clear(&mut self, numbers: usize) {
        self.are_distinct = false;
        self.rounded.clear();
        self.docs.clear();
        self.columns.resize_with(numbers, Vec::new);
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// The number that was pushed last to the first column was rounded.
    pub fn mark(&mut self, mark: u64) {
        self.rounded.push((self.columns[0].len() as u32 - 1, mark));
    }

    /// Push a number that was read from a text to a column.
    #[inline]
    pub fn push_number(&mut self, column: usize, text: &[u8], value: f64) {
        self.columns[column].push(value);
        if column == 0 {
            self.mark_rounded(text, value);
        }
    }

    /// Mark the number that was pushed last to the first column, if rounding changed the text it was read from.
    #[inline]
    pub fn mark_rounded(&mut self, text: &[u8], value: f64) {
        if text.len() > rounded::ALWAYS_DISTINCT || (value.abs() < f64::MIN_POSITIVE && text.len() > 1) {
            rounded::mark(text, value, rounded::PRINTED).into_iter().for_each(|mark| self.mark(mark));
        }
    }

    pub(super) fn push_from(&mut self, other: &Block, row: usize) {
        self.docs.push_hashed(other.docs.get(row), other.docs.hash(row));
        for (to, from) in self.columns.iter_mut().zip(&other.columns) {
            to.push(from[row]);
        }
    }
}

/// Consecutive rows of one query within a chunk.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The query, by its number in the chunk.
    pub query: u32,
    /// Its rows.
    pub rows: Range<u32>,
}

/// What a reader makes of one piece of its input, in the input's order.
#[derive(Debug, Default, Clone)]
pub struct Chunk {
    /// The rows.
    pub block: Block,
    /// Ids of the queries met, each once.
    pub queries: Names,
    /// Which rows belong to which query, in the order of rows.
    pub segments: Vec<Segment>,
    /// For messages.
    pub lines: LineMap,
    /// The tag of the last row, where a reader keeps it.
    pub tag: Vec<u8>,
    /// All different tags, where a reader keeps them.
    pub tags: Names,
}

impl Chunk {
    /// An empty chunk with this number of columns of numbers.
    pub fn new(numbers: usize) -> Self {
        Chunk { block: Block::new(numbers), ..Chunk::default() }
    }

    /// Make room for more rows, whose ids have `bytes` bytes together.
    pub fn reserve(&mut self, rows: usize, bytes: usize) {
        self.block.docs.reserve(rows, bytes);
        self.block.columns.iter_mut().for_each(|column| column.reserve(rows));
    }

    /// Forget everything, keep the room.
    pub fn clear(&mut self, numbers: usize) {
        self.block.clear(numbers);
        self.queries.clear();
        self.segments.clear();
        self.lines = LineMap::default();
        self.tag.clear();
        self.tags.clear();
    }

    /// The rows pushed from here on belong to this query.
    pub fn start_query(&mut self, id: &[u8]) {
        self.start_query_at(id, self.block.len());
    }

    /// The rows from this one on belong to this query; for readers that fill column by column.
    pub fn start_query_at(&mut self, id: &[u8], row: usize) {
        self.end_segment(row);
        let query = self.queries.number(id);
        let row = row as u32;
        self.segments.push(Segment { query, rows: row..row });
    }

    /// The query that rows were pushed for last.
    pub fn last_query(&self) -> Option<&[u8]> {
        Some(self.queries.get(self.segments.last()?.query as usize))
    }

    fn end_segment(&mut self, row: usize) {
        if let Some(last) = self.segments.last_mut() {
            last.rows.end = row as u32;
        }
    }

    /// All rows have been pushed.
    pub fn finish(&mut self) {
        self.end_segment(self.block.len());
        self.queries.finish();
    }
}
