//! The chunks of rows that readers fill.

use std::ops::Range;

use super::{Documents, LineMap, Names, rounded};

/// Rows as columns: the documents, and one or more columns of numbers, of which the first has the scores or grades.
#[derive(Debug, Default, Clone)]
pub struct Block {
    /// The ids of the documents.
    pub docs: Documents,
    /// The columns of numbers.
    pub columns: Vec<Vec<f64>>,
    /// The numbers of the first column that were rounded, because different ones may have become equal.
    pub rounded: Vec<rounded::Rounded>,
    /// Whether the reader knows that no document is repeated in consecutive rows of a query, as for the keys of a dict.
    pub are_distinct: bool,
}

impl Block {
    /// A block with this number of columns of numbers.
    pub fn new(numbers: usize) -> Self {
        Block { columns: vec![Vec::new(); numbers], ..Block::default() }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Removes all rows, and keeps the memory.
    fn clear(&mut self, numbers: usize) {
        self.are_distinct = false;
        self.rounded.clear();
        self.docs.clear();
        self.columns.resize_with(numbers, Vec::new);
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// Marks the last number of the first column as rounded.
    pub fn mark(&mut self, mark: u64) {
        self.rounded.push((self.columns[0].len() as u32 - 1, mark));
    }

    /// Appends a number that was read from a text to a column.
    #[inline]
    pub fn push_number(&mut self, column: usize, text: &[u8], value: f64) {
        self.columns[column].push(value);
        if column == 0 {
            self.mark_rounded(text, value);
        }
    }

    /// Marks the last number of the first column if rounding changed the text from which it was read.
    #[inline]
    pub fn mark_rounded(&mut self, text: &[u8], value: f64) {
        if text.len() > rounded::ALWAYS_DISTINCT || (value.abs() < f64::MIN_POSITIVE && text.len() > 1) {
            rounded::mark(text, value, rounded::PRINTED).into_iter().for_each(|mark| self.mark(mark));
        }
    }

    /// Appends a copy of a row of another block.
    pub(super) fn push_from(&mut self, other: &Block, row: usize) {
        self.docs.push_hashed(other.docs.get(row), other.docs.hash(row));
        for (to, from) in self.columns.iter_mut().zip(&other.columns) {
            to.push(from[row]);
        }
    }
}

/// Consecutive rows of a query in a chunk.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The number of the query in the chunk.
    pub query: u32,
    /// Its rows.
    pub rows: Range<u32>,
}

/// The rows that a reader makes of a piece of its input, in the order of the input.
#[derive(Debug, Default, Clone)]
pub struct Chunk {
    /// The rows.
    pub block: Block,
    /// The ids of the different queries.
    pub queries: Names,
    /// The division of the rows into queries, in the order of the rows.
    pub segments: Vec<Segment>,
    /// The lines from which the rows came, for messages.
    pub lines: LineMap,
    /// The tag of the last row, if the reader keeps tags.
    pub tag: Vec<u8>,
    /// The different tags, if the reader keeps them.
    pub tags: Names,
}

impl Chunk {
    /// An empty chunk with this number of columns of numbers.
    pub fn new(numbers: usize) -> Self {
        Chunk { block: Block::new(numbers), ..Chunk::default() }
    }

    /// Reserves memory for more rows, whose ids have `bytes` bytes in total.
    pub fn reserve(&mut self, rows: usize, bytes: usize) {
        self.block.docs.reserve(rows, bytes);
        self.block.columns.iter_mut().for_each(|column| column.reserve(rows));
    }

    /// Removes everything, and keeps the memory.
    pub fn clear(&mut self, numbers: usize) {
        self.block.clear(numbers);
        self.queries.clear();
        self.segments.clear();
        self.lines = LineMap::default();
        self.tag.clear();
        self.tags.clear();
    }

    /// Begins a query: rows that are appended from now on belong to it.
    pub fn start_query(&mut self, id: &[u8]) {
        self.start_query_at(id, self.block.len());
    }

    /// Begins a query at a row, for readers that fill column by column.
    pub fn start_query_at(&mut self, id: &[u8], row: usize) {
        self.end_segment(row);
        let query = self.queries.number(id);
        let row = row as u32;
        self.segments.push(Segment { query, rows: row..row });
    }

    /// The query of the last row.
    pub fn last_query(&self) -> Option<&[u8]> {
        Some(self.queries.get(self.segments.last()?.query as usize))
    }

    fn end_segment(&mut self, row: usize) {
        if let Some(last) = self.segments.last_mut() {
            last.rows.end = row as u32;
        }
    }

    /// Ends the chunk after its last row.
    pub fn finish(&mut self) {
        self.end_segment(self.block.len());
        self.queries.finish();
    }
}
