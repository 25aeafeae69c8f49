//! Text formats as lists of columns, and the reader that they all share.

use super::blocks::{Blocks, Parsed};
use super::limits::{LineError, binary};
use super::line::{Cursor, fields};
use super::number::{self, NotANumber};
use crate::error::{Error, Result, quote};
use crate::table::{Chunk, profiles, subtopics};

/// What a column of a format is. Numbers go to a column of the block, the score or grade to its first.
#[derive(Debug, Clone, Copy)]
pub enum Column {
    /// The query.
    Query,
    /// A query and, in the next column, one of its subtopics: each pair has judgments of its own.
    Topic,
    /// See [`Column::Topic`].
    Subtopic,
    /// The document.
    Document,
    /// A document in a format without queries.
    Listed,
    /// A finite number, with its name for messages.
    Number(usize, &'static str),
    /// A number that the function accepts; else the text says what was expected.
    Accepted(usize, profiles::Accepted),
    /// The same, or nothing, which is NaN; only at the end of a line.
    Optional(usize, &'static str),
    /// A number, or NaN where the field is none.
    MaybeNumber(usize),
    /// What the function makes of any field.
    AnyNumber(usize, fn(&[u8]) -> f64),
    /// Kept of the last line only.
    Tag,
    /// All different ones are kept.
    Tags,
    /// Not looked at.
    Ignored,
}
use Column::{
    Accepted, AnyNumber, Document, Ignored, Listed, MaybeNumber, Number, Optional, Query, Subtopic, Tag, Tags, Topic,
};

/// A text format.
#[derive(Debug)]
pub struct Layout {
    /// The columns, in their order.
    pub columns: &'static [Column],
    /// How many columns of numbers a block has.
    pub numbers: usize,
    /// The columns in words, for messages.
    pub shape: &'static str,
    /// Whether lines that begin with `#` are left out.
    pub comments: bool,
    /// Whether blank lines are left out; they are malformed if not.
    pub blanks: bool,
    /// Whether a line may go on after the last column.
    pub more: bool,
    /// Whether a file may hold blank lines and comments only.
    pub rowless: bool,
}

/// Read all of a file.
///
/// # Errors
/// The file cannot be read, a line is not as the layout has it, or there is no row (unless the layout allows that).
pub fn read(path: &str, layout: &'static Layout) -> Result<Vec<Chunk>> {
    let mut pieces = Pieces::open(path, layout)?;
    let chunks = pieces.next(u64::MAX)?.unwrap_or_default();
    if chunks.is_empty() { pieces.end().map(Option::unwrap_or_default) } else { Ok(chunks) }
}

/// A file that is read piece by piece.
pub struct Pieces {
    blocks: Blocks,
    path: String,
    layout: &'static Layout,
    /// Lines so far.
    lines: u64,
    is_empty: bool,
}

impl Pieces {
    /// Open a file.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: &str, layout: &'static Layout) -> Result<Pieces> {
        Ok(Pieces { blocks: Blocks::open(path)?, path: path.into(), layout, lines: 0, is_empty: true })
    }

    /// The rows of the next `blocks` blocks; `None` at the end.
    ///
    /// # Errors
    /// As [`read`].
    pub fn next(&mut self, blocks: u64) -> Result<Option<Vec<Chunk>>> {
        let layout = self.layout;
        let parsed = self.blocks.parse(blocks, &|block: &[u8], chunk: &mut Chunk| parse(block, layout, chunk))?;
        let Some(parsed) = parsed else { return self.end() };
        let mut chunks = Vec::with_capacity(parsed.len());
        for Parsed { mut value, lines } in parsed {
            value.lines.first = self.lines + 1;
            self.lines += lines;
            if !value.segments.is_empty() {
                chunks.push(value);
            }
        }
        self.is_empty &= chunks.is_empty() && !layout.rowless;
        Ok(Some(chunks))
    }

    fn end(&self) -> Result<Option<Vec<Chunk>>> {
        if !self.is_empty {
            return Ok(None);
        }
        let found = if self.lines == 0 { "an empty file" } else { "only blank lines and comments" };
        Err(Error::input(&self.path, None, self.layout.shape, found))
    }
}

fn parse(bytes: &[u8], layout: &Layout, chunk: &mut Chunk) -> std::result::Result<Parsed<Chunk>, LineError> {
    chunk.clear(layout.numbers);
    let mut cursor = Cursor::new(bytes);
    let mut current: &[u8] = &[];
    let (mut topic, mut pair, mut key): (&[u8], (&[u8], &[u8]), _) = (&[], (&[], &[]), Vec::new());
    let (mut tag, mut one_of_tags): (&[u8], &[u8]) = (&[], &[]);
    let mut lines = 0;
    while !cursor.is_done() {
        let start = cursor;
        let first = cursor.field();
        if first.is_empty() && layout.blanks && cursor.next_line() {
            lines += 1;
            chunk.lines.skip(chunk.block.len());
            continue;
        }
        if layout.comments && first.first() == Some(&b'#') {
            cursor.skip_line();
            lines += 1;
            chunk.lines.skip(chunk.block.len());
            continue;
        }
        let mut field = first;
        for (i, column) in layout.columns.iter().enumerate() {
            if i > 0 {
                field = cursor.field();
            }
            if field.is_empty() {
                let Optional(to, _) = *column else { return Err(malformed(start, lines, layout)) };
                chunk.block.columns[to].push(f64::NAN);
                continue;
            }
            match *column {
                Query => {
                    if field != current {
                        current = field;
                        chunk.start_query(field);
                    }
                }
                Topic => topic = field,
                Subtopic => {
                    if (topic, field) != pair {
                        pair = (topic, field);
                        subtopics::key(topic, field, &mut key);
                        chunk.start_query(&key);
                    }
                }
                Document => chunk.block.docs.push(field),
                Listed => {
                    if chunk.segments.is_empty() {
                        chunk.start_query(b"");
                    }
                    chunk.block.docs.push(field);
                }
                Number(to, name) | Optional(to, name) => match number::parse(field) {
                    Ok(value) => {
                        chunk.block.columns[to].push(value);
                        if to == 0 {
                            chunk.block.mark_rounded(field, value);
                        }
                    }
                    Err(error) => return Err(not_a_number(field, lines, name, error)),
                },
                Accepted(to, (accepts, expected)) => match number::parse(field) {
                    Ok(value) if accepts(value) => chunk.block.columns[to].push(value),
                    _ => return Err(LineError { line: lines, expected: expected.into(), found: quote(field) }),
                },
                MaybeNumber(to) => chunk.block.columns[to].push(number::parse(field).unwrap_or(f64::NAN)),
                AnyNumber(to, read) => chunk.block.columns[to].push(read(field)),
                Tag => tag = field,
                Tags => {
                    if field != one_of_tags {
                        one_of_tags = field;
                        chunk.tags.number(field);
                    }
                }
                Ignored => {}
            }
        }
        if !cursor.next_line() {
            if !layout.more || cursor.at_nul() {
                return Err(malformed(start, lines, layout));
            }
            cursor.skip_line();
        }
        lines += 1;
    }
    chunk.tag = tag.to_vec();
    chunk.finish();
    // An exact copy: what is left over stays with the worker, and memory is asked for once a block.
    Ok(Parsed { value: chunk.clone(), lines })
}

#[cold]
fn malformed(start: Cursor<'_>, line: u64, layout: &Layout) -> LineError {
    let text = start.line();
    if text.contains(&0) {
        return binary(text, line);
    }
    LineError { line, expected: layout.shape.into(), found: format!("{}: {}", fields(text).count(), quote(text)) }
}

#[cold]
fn not_a_number(field: &[u8], line: u64, name: &str, error: NotANumber) -> LineError {
    LineError { line, expected: error.expected(name), found: quote(field) }
}
