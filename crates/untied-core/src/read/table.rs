//! Text files with names of columns: CSV, tab-separated values, JSON-lines.
//!
//! Such a file is held in memory as a whole, as a quoted field may go over the end of a line; it is cut into pieces of
//! whole records, which are parsed in parallel.

use std::ops::Range;

use rayon::prelude::*;

use super::limits::{LineError, count, newlines};
use super::record::Taker;
use super::spool::read_lines;
use super::{delimited, json};
use crate::error::{Error, Result};
use crate::table::Chunk;
use crate::table::columns::{Columns, Content};

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
pub fn read_table(path: &str, format: Format, kind: Content, named: &[(String, String)]) -> Result<Vec<Chunk>> {
    let bytes = read_lines(path)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let wrong = |at: usize, error: LineError| error.of(path, newlines(&bytes[..at]));
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
            let mut taker = Taker::new(&columns, &mut chunk);
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
        return Err(Error::input(path, None, "records", if bytes.is_empty() { "an empty file" } else { "none" }));
    }
    Ok(chunks)
}

/// Cut what follows `start` at newlines, and where quotes count only at those that are not within quotes.
fn pieces(bytes: &[u8], start: usize, quotes: bool) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut begin = start;
    while begin < bytes.len() {
        let mut at = (begin + PIECE).min(bytes.len());
        let mut inside = quotes && count(&bytes[begin..at], b'"') % 2 == 1;
        while at < bytes.len() && (inside || bytes[at - 1] != b'\n') {
            inside ^= quotes && bytes[at] == b'"';
            at += 1;
        }
        pieces.push(begin..at);
        begin = at;
    }
    pieces
}
