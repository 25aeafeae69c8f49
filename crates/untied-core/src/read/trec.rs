//! TREC's text formats: runs of six columns, qrels of four.

use super::blocks::{LineError, Parsed, parse_blocks};
use super::line::{Cursor, fields};
use super::number::{self, NotANumber};
use crate::error::{Error, InputError, Result, quote};
use crate::table::{Chunk, Qrels, Run};

/// Read a run: `query Q0 document rank score tag`.
///
/// `ranks` keeps the rank column too, as a second column of numbers (NaN where it is none): evaluation does not
/// need it, but `check` compares it with the scores.
///
/// # Errors
/// The file cannot be read, a line is malformed, a score is not a finite number, a document stands twice in a
/// query, or there is no line at all.
pub fn read_run(path: &str, ranks: bool) -> Result<Run> {
    let layout = if ranks { &RUN_WITH_RANKS } else { &RUN };
    Run::new(read(path, layout)?, path)
}

/// Read qrels: `query iteration document grade`.
///
/// # Errors
/// The file cannot be read, a line is malformed, a grade is not a finite number, a document is judged twice with
/// different grades, or there is no line at all.
pub fn read_qrels(path: &str) -> Result<Qrels> {
    Qrels::new(read(path, &QRELS)?, path)
}

/// What a column of a format is. Numbers go to a column of the block, the score or grade to its first.
#[derive(Clone, Copy)]
enum Column {
    Query,
    Document,
    /// A finite number, with its name for messages.
    Number(usize, &'static str),
    /// A number, or NaN where the field is none.
    MaybeNumber(usize),
    Ignored,
}
use Column::{Document, Ignored, MaybeNumber, Number, Query};

/// A text format: its columns and how to name them in messages.
struct Layout {
    columns: &'static [Column],
    numbers: usize,
    shape: &'static str,
}

const RUN: Layout = Layout {
    columns: &[Query, Ignored, Document, Ignored, Number(0, "score"), Ignored],
    numbers: 1,
    shape: "6 columns (query Q0 document rank score tag)",
};

const RUN_WITH_RANKS: Layout = Layout {
    columns: &[Query, Ignored, Document, MaybeNumber(1), Number(0, "score"), Ignored],
    numbers: 2,
    shape: RUN.shape,
};

const QRELS: Layout = Layout {
    columns: &[Query, Ignored, Document, Number(0, "grade")],
    numbers: 1,
    shape: "4 columns (query iteration document grade)",
};

fn read(path: &str, layout: &Layout) -> Result<Vec<Chunk>> {
    let parsed = parse_blocks(path, |block, chunk| parse(block, layout, chunk))?;
    let mut first_line = 1;
    let mut chunks = Vec::with_capacity(parsed.len());
    for Parsed { mut value, lines } in parsed {
        value.lines.first = first_line;
        first_line += lines;
        if !value.segments.is_empty() {
            chunks.push(value);
        }
    }
    if chunks.is_empty() {
        return Err(Error::Input(InputError {
            file: path.into(),
            line: None,
            expected: layout.shape.into(),
            found: if first_line == 1 { "an empty file" } else { "only blank lines and comments" }.into(),
        }));
    }
    Ok(chunks)
}

fn parse(bytes: &[u8], layout: &Layout, chunk: &mut Chunk) -> std::result::Result<Parsed<Chunk>, LineError> {
    chunk.clear(layout.numbers);
    let mut cursor = Cursor::new(bytes);
    let mut current: &[u8] = &[];
    let mut lines = 0;
    while !cursor.is_done() {
        let start = cursor;
        let first = cursor.field();
        if first.is_empty() && cursor.next_line() {
            lines += 1;
            chunk.lines.skip(chunk.block.len());
            continue;
        }
        if first.first() == Some(&b'#') {
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
                return Err(malformed(start, lines, layout));
            }
            match *column {
                Query => {
                    if field != current {
                        current = field;
                        chunk.start_query(field);
                    }
                }
                Document => chunk.block.docs.push(field),
                Number(to, name) => match number::parse(field) {
                    Ok(value) => chunk.block.columns[to].push(value),
                    Err(error) => return Err(not_a_number(field, lines, name, error)),
                },
                MaybeNumber(to) => chunk.block.columns[to].push(number::parse(field).unwrap_or(f64::NAN)),
                Ignored => {}
            }
        }
        if !cursor.next_line() {
            return Err(malformed(start, lines, layout));
        }
        lines += 1;
    }
    chunk.finish();
    // An exact copy: what is left over stays with the worker, and memory is asked for once a block.
    Ok(Parsed { value: chunk.clone(), lines })
}

#[cold]
fn malformed(start: Cursor<'_>, line: u64, layout: &Layout) -> LineError {
    let text = start.line();
    let (expected, found) = if text.contains(&0) {
        ("text".into(), format!("binary data: a NUL byte in {}", quote(text)))
    } else {
        (layout.shape.into(), format!("{}: {}", fields(text).count(), quote(text)))
    };
    LineError { line, expected, found }
}

#[cold]
fn not_a_number(field: &[u8], line: u64, name: &str, error: NotANumber) -> LineError {
    let expected = match error {
        NotANumber::Text => format!("a number as the {name}"),
        NotANumber::NotFinite => format!("a finite number as the {name}"),
    };
    LineError { line, expected, found: quote(field) }
}
