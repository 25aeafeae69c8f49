//! Runs and qrels from Arrow's record batches: frames, tables, results of queries; and values of queries as a batch.
//!
//! Batches are cut into slices, and slices become chunks in parallel. Bytes of ids are copied in one piece where they
//! stand in one; nothing else is copied, and no dictionary of ids is built.

#![forbid(unsafe_code)]

mod ids;
mod lists;
mod numbers;
mod rows;

pub use rows::Rows;

use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType};
use rayon::prelude::*;
use untied_core::Error;
use untied_core::error::quote;
use untied_core::evaluate::Stream;
use untied_core::table::columns::{Columns, Content};
use untied_core::table::{Chunk, LineMap};

/// Rows of a chunk: enough for every thread to have some, few enough to stay in its cache.
const ROWS: usize = 1 << 16;

/// Rows of a chunk that is evaluated at once: few enough to stay in the cache until then.
pub const STREAMED_ROWS: usize = 1 << 14;

/// The error in a slice: the row within it, what was expected, and what was found.
struct Wrong {
    row: usize,
    expected: String,
    found: String,
}

/// Read batches into chunks; `source` names them in messages.
///
/// # Errors
/// As [`Pieces::open`] and [`Pieces::next`].
pub fn chunks(
    reader: impl RecordBatchReader + Send + 'static,
    kind: Content,
    named: &[(String, String)],
    source: &str,
) -> Result<Vec<Chunk>, Error> {
    Pieces::open(reader, ROWS, kind, named, source)?.next(u64::MAX).map(Option::unwrap_or_default)
}

type Slices = Box<dyn Iterator<Item = (usize, Result<RecordBatch, ArrowError>)> + Send>;

/// Batches that are read piece by piece. Producers may be asked on any thread, one at a time.
pub struct Pieces {
    slices: Slices,
    columns: Columns,
    names: Vec<String>,
    source: String,
}

impl Pieces {
    /// Begin to read batches into chunks of at most so many rows; `source` names them in messages.
    ///
    /// # Errors
    /// A column is missing or of a type that cannot hold what it should.
    pub fn open(
        reader: impl RecordBatchReader + Send + 'static,
        rows: usize,
        kind: Content,
        named: &[(String, String)],
        source: &str,
    ) -> Result<Pieces, Error> {
        let schema = reader.schema();
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let refs: Vec<&str> = names.iter().map(String::as_str).collect();
        let columns = Columns::find(kind, &refs, named, source)?;
        let of_type = |column: usize, fits: bool, expected: &str| {
            let (name, found) = (quote(names[column].as_bytes()), schema.field(column).data_type());
            let message = || format!("{source}: expected {expected} in column {name}, found {found}");
            if fits { Ok(()) } else { Err(Error::Value(message())) }
        };
        const IDS: &str = "text, bytes or whole numbers";
        let kind_of = |column: usize| schema.field(column).data_type();
        for column in [Some(columns.query), columns.subtopic].into_iter().flatten() {
            of_type(column, ids::fits(kind_of(column)), IDS)?;
        }
        if columns.lists.is_some() {
            let holds = |column, fits: fn(&DataType) -> bool| lists::element(kind_of(column)).is_some_and(fits);
            let nested = lists::element(kind_of(columns.document)).and_then(lists::element).is_some();
            let hint = if nested { " (for lists of lists, use format \"subtopics\")" } else { "" };
            of_type(columns.document, holds(columns.document, ids::fits), &format!("lists of {IDS}{hint}"))?;
            for number in &columns.numbers {
                of_type(number.column, holds(number.column, numbers::fits), "lists of numbers")?;
            }
        } else {
            of_type(columns.document, ids::fits(kind_of(columns.document)), IDS)?;
            for number in &columns.numbers {
                of_type(number.column, numbers::fits(kind_of(number.column)), "numbers")?;
            }
        }
        Ok(Pieces { slices: Box::new(slices(reader, rows)), columns, names, source: source.into() })
    }
}

impl Stream for Pieces {
    fn source(&self) -> &str {
        &self.source
    }

    /// The next chunks, up to a number; `None` at the end.
    ///
    /// # Errors
    /// A value is missing or not accepted, told with its row, from 0; the producer fails.
    fn next(&mut self, most: u64) -> Result<Option<Vec<Chunk>>, Error> {
        let Pieces { slices, columns, names, source } = self;
        let failed = AtomicBool::new(false);
        let mut parsed: Vec<(usize, usize, Result<Chunk, Failure>)> = slices
            .take(usize::try_from(most).unwrap_or(usize::MAX))
            .take_while(|_| !failed.load(Ordering::Relaxed))
            .enumerate()
            .par_bridge()
            .map(|(number, (first, slice))| {
                let chunk = slice.map_err(Failure::Arrow).and_then(|slice| {
                    let lines = LineMap::of_rows(first as u64);
                    Ok(match columns.lists {
                        Some(unnumbered) => lists::chunk(&slice, columns, unnumbered, names, lines),
                        None => chunk(&slice, columns, names, lines),
                    }?)
                });
                if chunk.is_err() {
                    failed.store(true, Ordering::Relaxed);
                }
                (number, first, chunk)
            })
            .collect();
        parsed.sort_unstable_by_key(|(number, ..)| *number);
        let chunks = parsed.into_iter().map(|(_, first, chunk)| {
            chunk.map_err(|failure| match failure {
                Failure::Arrow(error) => Error::Value(format!("{source}: {}", said(&error))),
                Failure::Row(Wrong { row, expected, found }) => {
                    Error::at_row(source, (first + row) as u64, &expected, &found)
                }
            })
        });
        let chunks: Vec<Chunk> = chunks.collect::<Result<_, _>>()?;
        Ok((!chunks.is_empty()).then_some(chunks))
    }
}

/// Why a slice could not be read.
enum Failure {
    Arrow(ArrowError),
    Row(Wrong),
}

/// A producer's message about a failure, on one line, and without the place in its code that pyarrow appends.
fn said(error: &ArrowError) -> String {
    let text = error.to_string();
    let said = text.split_once("Producer error: ").map_or(text.as_str(), |(_, said)| said);
    let said = said.split_once("Detail: Python exception").map_or(said, |(said, _)| said);
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl From<Wrong> for Failure {
    fn from(wrong: Wrong) -> Failure {
        Failure::Row(wrong)
    }
}

/// Slices of the batches of at most so many rows, each with the number of its first row.
fn slices(
    reader: impl RecordBatchReader,
    most: usize,
) -> impl Iterator<Item = (usize, Result<RecordBatch, ArrowError>)> {
    let mut row = 0;
    reader.flat_map(move |batch| {
        let first = row;
        let (whole, failed) = match batch {
            Ok(batch) => (Some(batch), None),
            Err(error) => (None, Some((first, Err(error)))),
        };
        let rows = whole.as_ref().map_or(0, RecordBatch::num_rows);
        row += rows;
        let parts = (0..rows)
            .step_by(most)
            .filter_map(move |start| Some((first + start, Ok(whole.as_ref()?.slice(start, most.min(rows - start))))));
        parts.chain(failed)
    })
}

fn chunk(slice: &RecordBatch, columns: &Columns, names: &[String], lines: LineMap) -> Result<Chunk, Wrong> {
    let column = |at: usize| (slice.column(at).as_ref(), names[at].as_str());
    let (document, name) = column(columns.document);
    let mut chunk = Chunk { lines, ..Chunk::new(columns.width()) };
    ids::documents(document, name, &mut chunk.block.docs)?;
    let (query, name) = column(columns.query);
    match columns.subtopic {
        None => ids::queries(query, name, |id, row| chunk.start_query_at(id, row))?,
        Some(subtopic) => ids::topics((query, name), column(subtopic), |id, row| chunk.start_query_at(id, row))?,
    }
    for (at, number) in columns.numbers.iter().enumerate() {
        let (array, name) = column(number.column);
        let (numbers, marks) = numbers::read(array, name, number)?;
        chunk.block.columns[at] = numbers;
        if at == 0 {
            chunk.block.rounded = marks;
        }
    }
    chunk.finish();
    Ok(chunk)
}

/// The first row without a value is an error.
fn all_there(array: &dyn Array, name: &str, expected: &str) -> Result<(), Wrong> {
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    match nulls.and_then(|nulls| nulls.iter().position(|is_there| !is_there)) {
        Some(row) => Err(wrong(row, name, expected, "null")),
        None => Ok(()),
    }
}

fn wrong(row: usize, name: &str, expected: &str, found: &str) -> Wrong {
    Wrong { row, expected: format!("{expected} in column {}", quote(name.as_bytes())), found: found.into() }
}
