//! Text formats as lists of columns, and the reader that they all share.

use super::blocks::Blocks;
use super::limits::{LineError, MARK, binary, marked};
use super::line::{Cursor, fields};
use super::number::{self, NotANumber};
use super::pieces::{NoRows, Pieces};
use super::source::Input;
use crate::error::{Result, quote};
use crate::table::{Chunk, profiles, subtopics};

/// The content of a column of a format. A number has the column of the block that stores it; the first one stores the
/// score or grade.
#[derive(Debug, Clone, Copy)]
pub enum LineColumn {
    /// The query.
    Query,
    /// A query and, in the next column, one of its subtopics: each pair has judgments of its own.
    Topic,
    /// See [`LineColumn::Topic`].
    Subtopic,
    /// The document.
    Document,
    /// A document in a format without queries.
    Listed,
    /// A finite number, with its name for messages.
    Number(usize, &'static str),
    /// A number that the function accepts. The text says what was expected if it does not.
    Accepted(usize, profiles::Accepted),
    /// A number like [`LineColumn::Number`] that may be missing at the end of a line; it is NaN then.
    Optional(usize, &'static str),
    /// A number; NaN if the field is something else.
    MaybeNumber(usize),
    /// The number that the function returns for the field, which may be any text.
    AnyNumber(usize, fn(&[u8]) -> f64),
    /// The tag of the run. Only that of the last line is kept.
    Tag,
    /// A tag of the run. All different tags are kept.
    Tags,
    /// The column is not read.
    Ignored,
}
use LineColumn::{
    Accepted, AnyNumber, Document, Ignored, Listed, MaybeNumber, Number, Optional, Query, Subtopic, Tag, Tags, Topic,
};

/// A text format.
#[derive(Debug)]
pub struct LineLayout {
    /// The columns, in the order of the line.
    pub columns: &'static [LineColumn],
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
    /// Whether a file may hold blank lines and comments only, and standard input nothing at all.
    pub rowless: bool,
}

impl LineLayout {
    /// The columns in front of the document, those from there to the last that is kept of every line, and those behind.
    fn parts(&self) -> [&[LineColumn]; 3] {
        let is_document = |column: &LineColumn| matches!(column, Document | Listed);
        let is_kept = |column: &LineColumn| !matches!(column, Ignored | Tag | Tags);
        let first = self.columns.iter().position(is_document).unwrap_or(0);
        let end = self.columns.iter().rposition(is_kept).map_or(first, |last| last + 1);
        [&self.columns[..first], &self.columns[first..end], &self.columns[end..]]
    }
}

/// Open a file that is read piece by piece.
///
/// # Errors
/// It cannot be opened.
pub fn open<'a>(input: impl Into<Input<'a>>, layout: &'static LineLayout) -> Result<Pieces> {
    let input = input.into();
    let path = input.name();
    let no_rows = NoRows {
        expected: layout.shape,
        without_lines: (!layout.rowless || path != "-").then_some("an empty file"),
        with_lines: (!layout.rowless).then_some("only blank lines and comments"),
    };
    Ok(Pieces::new(Blocks::open(input)?, path, no_rows, Box::new(|block, chunk| parse(block, layout, chunk))))
}

/// Read all of a file.
///
/// # Errors
/// The file cannot be read, a line is not as the layout has it, or there is no row (unless the layout allows that).
pub fn read<'a>(input: impl Into<Input<'a>>, layout: &'static LineLayout) -> Result<Vec<Chunk>> {
    open(input, layout)?.all()
}

/// Parse a block into a chunk; how many lines it has.
pub fn parse(bytes: &[u8], layout: &LineLayout, chunk: &mut Chunk) -> std::result::Result<u64, LineError> {
    chunk.clear(layout.numbers);
    let mut cursor = Cursor::new(bytes);
    let [before, kept, behind] = layout.parts();
    let mut rows = RowParser {
        layout,
        start: cursor,
        lines: 0,
        chunk,
        query: &[],
        topic: &[],
        pair: (&[], &[]),
        key: Vec::new(),
        tag: &[],
    };
    // A line mostly begins and ends as the one before: then only what is between is looked at.
    let (mut head, mut tail): (&[u8], &[u8]) = (&[], &[]);
    while !cursor.is_done() {
        rows.start = cursor;
        if head.is_empty() || !cursor.passes(head) {
            if cursor.passes(MARK) {
                return Err(marked(rows.lines)); // of a file that was appended to another
            }
            let is_blank = layout.blanks && cursor.next_line();
            if is_blank || layout.comments && cursor.is_at(b'#') {
                if !is_blank {
                    cursor.skip_line();
                }
                rows.skip();
                continue;
            }
            for column in before {
                rows.take(*column, &mut cursor)?;
            }
            if !before.is_empty() {
                cursor.skip_blanks();
                head = cursor.since(rows.start);
            }
        }
        for column in kept {
            rows.take(*column, &mut cursor)?;
        }
        if tail.is_empty() || !cursor.passes(tail) {
            let end = cursor;
            for column in behind {
                rows.take(*column, &mut cursor)?;
            }
            if !cursor.next_line() {
                if !layout.more || cursor.at_nul() {
                    return Err(rows.malformed());
                }
                cursor.skip_line();
            }
            tail = cursor.since(end);
            if rows.lines == 0 {
                // Lines mostly are as long as the first: room for all of them is asked for once.
                let like_it = bytes.len() / cursor.since(rows.start).len();
                rows.chunk.reserve(like_it, like_it * rows.chunk.block.docs.bytes());
            }
        }
        rows.lines += 1;
    }
    let lines = rows.lines;
    chunk.tag = rows.tag.to_vec();
    chunk.finish();
    Ok(lines)
}

/// Takes fields of a block's lines into a chunk.
struct RowParser<'a, 'c> {
    layout: &'c LineLayout,
    chunk: &'c mut Chunk,
    /// The beginning of the line.
    start: Cursor<'a>,
    /// The number of lines before this one.
    lines: u64,
    query: &'a [u8],
    topic: &'a [u8],
    /// The topic and subtopic of the last row.
    pair: (&'a [u8], &'a [u8]),
    key: Vec<u8>,
    tag: &'a [u8],
}

impl<'a> RowParser<'a, '_> {
    /// A line without a row.
    fn skip(&mut self) {
        self.lines += 1;
        self.chunk.lines.skip(self.chunk.block.len());
    }

    /// Take the next field.
    #[inline(always)]
    fn take(&mut self, column: LineColumn, cursor: &mut Cursor<'a>) -> std::result::Result<(), LineError> {
        let block = &mut self.chunk.block;
        if let Number(to, _) | Optional(to, _) = column
            && let Some((value, field)) = cursor.number()
        {
            block.push_number(to, field, value);
            return Ok(());
        }
        let place = cursor.place();
        let field = &cursor.bytes()[place.clone()];
        if field.is_empty() {
            let Optional(to, _) = column else { return Err(self.malformed()) };
            block.columns[to].push(f64::NAN);
            return Ok(());
        }
        match column {
            Query => {
                if field != self.query {
                    self.query = field;
                    self.chunk.start_query(field);
                }
            }
            Topic => self.topic = field,
            Subtopic => {
                if (self.topic, field) != self.pair {
                    self.pair = (self.topic, field);
                    subtopics::key(self.topic, field, &mut self.key);
                    self.chunk.start_query(&self.key);
                }
            }
            Document => block.docs.push_at(cursor.bytes(), place),
            Listed => {
                if self.chunk.segments.is_empty() {
                    self.chunk.start_query(b"");
                }
                self.chunk.block.docs.push(field);
            }
            Number(to, name) | Optional(to, name) => match number::parse(field) {
                Ok(value) => block.push_number(to, field, value),
                Err(error) => return Err(self.not_a_number(field, name, error)),
            },
            Accepted(to, (accepts, expected)) => match number::parse(field) {
                Ok(value) if accepts(value) => block.columns[to].push(value),
                _ => return Err(LineError { line: self.lines, expected: expected.into(), found: quote(field) }),
            },
            MaybeNumber(to) => block.columns[to].push(number::parse(field).unwrap_or(f64::NAN)),
            AnyNumber(to, read) => block.columns[to].push(read(field)),
            Tag => self.tag = field,
            Tags => {
                if field != self.tag {
                    self.tag = field;
                    self.chunk.tags.number(field);
                }
            }
            Ignored => {}
        }
        Ok(())
    }

    #[cold]
    fn malformed(&self) -> LineError {
        let text = self.start.line();
        if text.contains(&0) {
            return binary(text, self.lines);
        }
        let found = format!("{}: {}", fields(text).count(), quote(text));
        LineError { line: self.lines, expected: self.layout.shape.into(), found }
    }

    #[cold]
    fn not_a_number(&self, field: &[u8], name: &str, error: NotANumber) -> LineError {
        LineError { line: self.lines, expected: error.expected(name), found: quote(field) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trec::{QRELS, RUN};
    use super::*;
    use crate::random::Random;
    use crate::table::Location;

    /// Query, document, number and place of every row.
    type Found = std::result::Result<Vec<(Vec<u8>, Vec<u8>, u64, Option<Location>)>, (u64, String, String)>;

    fn parsed(text: &[u8], layout: &LineLayout, first: u64) -> (Found, u64) {
        let mut chunk = Chunk::default();
        let lines = match parse(text, layout, &mut chunk) {
            Ok(lines) => lines,
            Err(error) => return (Err((first + error.line, error.expected, error.found)), 0),
        };
        chunk.lines.first = first;
        let rows = chunk.segments.iter().flat_map(|segment| segment.rows.clone().map(move |row| (row, segment.query)));
        let row = |(row, query): (u32, u32)| {
            let (id, at) = (chunk.queries.get(query as usize).to_vec(), row as usize);
            let number = chunk.block.columns[0][at].to_bits();
            (id, chunk.block.docs.get(at).to_vec(), number, chunk.lines.line(row))
        };
        (Ok(rows.map(row).collect()), lines)
    }

    #[test]
    fn a_line_reads_the_same_behind_others_and_alone() {
        const FIELDS: [&[u8]; 12] = [
            b"q",
            b"q1",
            b"q12",
            b"Q0",
            b"0",
            b"12.5",
            b"-3",
            b".5",
            b"1e3",
            b"x\x01y",
            b"#",
            b"document-of-24-characters",
        ];
        const BETWEEN: [&[u8]; 5] = [b" ", b" ", b"\t", b"  ", b""];
        const ENDS: [&[u8]; 5] = [b"\n", b"\r\n", b" \n", b" more\n", b"\0\n"];
        let mut random = Random::new(7);
        let (mut accepted, mut refused) = (0, 0);
        for case in 0..3000 {
            let layout = [&RUN, &QRELS][case % 2];
            let mut below = |n: usize| random.below(n as u64) as usize;
            let usual: [&[u8]; 6] = [b"q1", b"Q0", b"d", if case % 2 == 0 { b"1" } else { b"2.5" }, b"12.5", b"t"];
            let mut fields = usual[..layout.columns.len()].to_vec();
            let mut lines = Vec::new();
            for _ in 0..2 + below(8) {
                if below(3) == 0 {
                    let at = below(fields.len());
                    fields[at] = FIELDS[below(FIELDS.len())];
                }
                let between = if below(20) == 0 { BETWEEN[below(BETWEEN.len())] } else { b" " };
                let end = if below(20) == 0 { ENDS[below(ENDS.len())] } else { b"\n" };
                let line = if below(20) == 0 { Vec::new() } else { fields.join(between) };
                lines.push([&line, end].concat());
            }
            let (together, _) = parsed(&lines.concat(), layout, 1);
            let mut alone = Ok(Vec::new());
            let mut first = 1;
            for line in &lines {
                let (row, count) = parsed(line, layout, first);
                first += count;
                alone = alone.and_then(|rows: Vec<_>| Ok([rows, row?].concat()));
            }
            if together.is_ok() {
                accepted += 1;
            } else {
                refused += 1;
            }
            assert_eq!(together, alone, "{}", String::from_utf8_lossy(&lines.concat()));
        }
        assert!(accepted > 500 && refused > 500, "{accepted} {refused}");
    }
}
