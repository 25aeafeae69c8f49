//! Text files with names of columns: CSV, tab-separated values, JSON-lines.
//!
//! A quoted field may go over the end of a line, so such a file is read in sequence and cut between records.

use super::blocks::Blocks;
use super::limits::LineError;
use super::pieces::{NoRows, Pieces};
use super::record::Taker;
use super::{delimited, json};
use crate::error::{Error, Result};
use crate::table::Chunk;
use crate::table::columns::{Columns, Content};

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Fields with this byte between them, and a header.
    Delimited(u8),
    /// An object on every line.
    JsonLines,
}

/// Read a file; `named` has pairs of what a column holds and the name that the user gives for it.
///
/// # Errors
/// The file cannot be read, has no record, or lacks a column; a record is malformed, or a number is not accepted.
pub fn read_table(path: &str, format: TableFormat, kind: Content, named: &[(String, String)]) -> Result<Vec<Chunk>> {
    open_table(path, format, kind, named)?.all()
}

/// Open a file that is read piece by piece, see [`read_table`].
///
/// # Errors
/// The file cannot be opened, its first record is malformed, or it lacks a column.
pub fn open_table(path: &str, format: TableFormat, kind: Content, named: &[(String, String)]) -> Result<Pieces> {
    let has_quotes = matches!(format, TableFormat::Delimited(_));
    let (blocks, names) = Blocks::open_behind(path.into(), has_quotes, |block| match format {
        TableFormat::Delimited(delimiter) => delimited::header(block, delimiter),
        TableFormat::JsonLines => Ok(json::first_names(block)?.map(|names| (names, 0))),
    })?;
    let names = names.unwrap_or_default();
    let refs: Vec<&str> = names.iter().map(String::as_str).collect();
    let columns = Columns::find(kind, &refs, named, path).map_err(|error| {
        let hint = "if the file has no names of columns, give its format: trec or msmarco";
        // Who names columns knows that there are names.
        if has_quotes && named.is_empty() { Error::Value(format!("{error} ({hint})")) } else { error }
    })?;
    let needed: Vec<usize> = columns.needed().collect();
    let parse = move |block: &[u8], chunk: &mut Chunk| -> std::result::Result<u64, LineError> {
        chunk.clear(columns.width());
        let mut taker = Taker::new(&columns, chunk);
        let lines = match format {
            TableFormat::Delimited(delimiter) => delimited::parse(block, delimiter, names.len(), &needed, &mut taker),
            TableFormat::JsonLines => json::parse(block, &names, &needed, &mut taker),
        }?;
        chunk.finish();
        Ok(lines)
    };
    let no_rows = NoRows { expected: "records", without_lines: Some("an empty file"), with_lines: Some("none") };
    Ok(Pieces::new(blocks, path, no_rows, Box::new(parse)))
}
