//! Text files with names of columns: CSV, tab-separated values, JSON-lines.
//!
//! Such a file is held in memory as a whole, as a quoted field may go over the end of a line; it is cut into pieces of
//! whole records, which are parsed in parallel.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::blocks::LineError;
use super::spool::read_lines;
use super::{delimited, json, number};
use crate::error::{Error, InputError, Result, quote};
use crate::table::columns::{Columns, Kind};
use crate::table::{Chunk, subtopics};

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Fields with this byte between them, and a header.
    Delimited(u8),
    /// An object on every line.
    JsonLines,
}

/// Bytes of a piece.
const PIECE: usize = 1 << 19;

/// Read a file; `named` has pairs of what a column holds and the name that the user gives for it.
///
/// # Errors
/// The file cannot be read, has no record, or lacks a column; a record is malformed, or a number is not accepted.
pub fn read_table(path: &str, format: Format, kind: Kind, named: &[(String, String)]) -> Result<Vec<Chunk>> {
    let bytes = read_lines(path)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let wrong = |at: usize, error: LineError| {
        let line = Some(newlines(&bytes[..at]) + error.line + 1);
        Error::Input(InputError { file: path.into(), line, expected: error.expected, found: error.found })
    };
    let start = match format {
        Format::Delimited(delimiter) => delimited::header(bytes, delimiter),
        Format::JsonLines => json::first_names(bytes),
    };
    let (names, start) = start.map_err(|error| wrong(0, error))?;
    let refs: Vec<&str> = names.iter().map(String::as_str).collect();
    let columns = Columns::find(kind, &refs, named, path).map_err(|error| {
        let hint = "a file without names of columns needs its format told: trec or msmarco";
        // Who names columns knows that there are names.
        if matches!(format, Format::Delimited(_)) && named.is_empty() {
            Error::Value(format!("{error} ({hint})"))
        } else {
            error
        }
    })?;
    let needed: Vec<usize> = columns.needed().collect();
    let pieces = pieces(bytes, start, matches!(format, Format::Delimited(_)));
    let parsed: Vec<_> = pieces
        .into_par_iter()
        .map(|piece| {
            let mut chunk = Chunk::new(columns.numbers.len());
            let mut taker = Taker { columns: &columns, chunk: &mut chunk, current: None, key: Vec::new() };
            let text = &bytes[piece.clone()];
            let taken = match format {
                Format::Delimited(delimiter) => delimited::parse(text, delimiter, names.len(), &needed, &mut taker),
                Format::JsonLines => json::parse(text, &names, &needed, &mut taker),
            };
            chunk.finish();
            (piece.start, taken.map(|()| (chunk, newlines(text))))
        })
        .collect();
    let mut first_line = newlines(&bytes[..start]) + 1;
    let mut chunks = Vec::new();
    for (at, parsed) in parsed {
        let (mut chunk, lines) = parsed.map_err(|error| wrong(at, error))?;
        chunk.lines.first = first_line;
        first_line += lines;
        chunks.push(chunk);
    }
    if chunks.iter().all(|chunk| chunk.segments.is_empty()) {
        let (expected, found) = ("records".into(), if bytes.is_empty() { "an empty file" } else { "none" }.into());
        return Err(Error::Input(InputError { file: path.into(), line: None, expected, found }));
    }
    Ok(chunks)
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// Cut what follows `start` at newlines, and where quotes count only at those that are not within quotes.
fn pieces(bytes: &[u8], start: usize, quotes: bool) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut begin = start;
    while begin < bytes.len() {
        let mut at = (begin + PIECE).min(bytes.len());
        let mut inside = quotes && bytes[begin..at].iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
        while at < bytes.len() && (inside || bytes[at - 1] != b'\n') {
            inside ^= quotes && bytes[at] == b'"';
            at += 1;
        }
        pieces.push(begin..at);
        begin = at;
    }
    pieces
}

/// A field of a record.
#[derive(Debug, Clone)]
pub enum Cell<'a> {
    /// Text that may be an id or a number.
    Plain(Cow<'a, [u8]>),
    /// Text that is no number.
    Text(Cow<'a, [u8]>),
    /// A number, as it is written.
    Number(&'a [u8]),
    /// True or false.
    Truth(bool),
    /// Anything else, as it is written.
    Other(&'a [u8]),
    /// Nothing at all.
    Missing,
}

impl Cell<'_> {
    fn id(&self) -> Option<&[u8]> {
        match self {
            Cell::Plain(text) | Cell::Text(text) => Some(text).filter(|text| !text.is_empty()).map(AsRef::as_ref),
            Cell::Number(b"-0") => Some(b"0"), // the same whole number
            Cell::Number(digits) => {
                let unsigned = digits.strip_prefix(b"-").unwrap_or(digits);
                unsigned.iter().all(u8::is_ascii_digit).then_some(digits)
            }
            _ => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Cell::Truth(truth) => Some(f64::from(u8::from(*truth))),
            _ => number::parse(self.digits()?).ok(),
        }
    }

    /// A number as it is written.
    fn digits(&self) -> Option<&[u8]> {
        match self {
            Cell::Plain(text) => Some(text),
            Cell::Number(digits) => Some(digits),
            _ => None,
        }
    }

    fn found(&self) -> String {
        match self {
            Cell::Plain(text) | Cell::Text(text) if text.is_empty() => "an empty field".into(),
            Cell::Plain(text) | Cell::Text(text) => quote(text),
            Cell::Number(text) | Cell::Other(text) => quote(text),
            Cell::Truth(truth) => truth.to_string(),
            Cell::Missing => "none".into(),
        }
    }
}

/// Takes records into a chunk.
pub struct Taker<'c> {
    columns: &'c Columns,
    chunk: &'c mut Chunk,
    /// The key of the current query.
    current: Option<Vec<u8>>,
    key: Vec<u8>,
}

impl Taker<'_> {
    /// A line without a record.
    pub fn skip(&mut self) {
        self.chunk.lines.skip(self.chunk.block.len());
    }

    /// A record that begins in this line of its piece, with the cells that are needed: query, subtopic if there is
    /// one, document, numbers.
    pub fn take(&mut self, cells: &[Cell<'_>], line: u64) -> std::result::Result<(), LineError> {
        let wrong =
            |expected: &str, cell: &Cell<'_>| Err(LineError { line, expected: expected.into(), found: cell.found() });
        let [query, rest @ ..] = cells else { unreachable!("every table has a query") };
        let Some(id) = query.id() else { return wrong("a query's id", query) };
        let mut rest = rest.iter();
        let mut next = || rest.next().unwrap_or(&Cell::Missing);
        let key = if self.columns.subtopic.is_some() {
            let subtopic = next();
            let fits = |subtopic: &&[u8]| !subtopic.contains(&subtopics::SEPARATOR);
            let Some(subtopic) = subtopic.id().filter(fits) else {
                return wrong("a subtopic's id, without blanks", subtopic);
            };
            subtopics::key(id, subtopic, &mut self.key);
            &self.key
        } else {
            id
        };
        let document = next();
        let Some(document) = document.id() else { return wrong("a document's id", document) };
        if self.current.as_deref() != Some(key) {
            self.chunk.start_query(key);
            self.current = Some(key.to_vec());
        }
        self.chunk.block.docs.push(document);
        for (at, column) in self.columns.numbers.iter().enumerate() {
            let cell = next();
            let (accepts, expected) = column.accepted;
            let Some(number) = cell.number().filter(|&number| accepts(number)) else { return wrong(expected, cell) };
            self.chunk.block.columns[at].push(if column.negated { -number } else { number });
            if let (0, Some(digits)) = (at, cell.digits()) {
                self.chunk.block.mark_rounded(digits, number);
            }
        }
        Ok(())
    }
}
