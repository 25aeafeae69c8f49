//! Arrow's record batches: columns of every type that may hold ids or numbers, against plain rows.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, Field, Schema};
use untied_core::Error;
use untied_core::table::Chunk;
use untied_core::table::columns::Content;
use untied_core::table::profiles::Detail;

use crate::arrow_columns::{self as columns, Column, Number};
use crate::held::{Held, KINDS, consistent};
use crate::readers::{is_probability, is_stratum};
use crate::second::{Row, Rows};
use crate::threads::many;

/// Whether a number is accepted in a column.
type Accepts = fn(f64) -> bool;

/// Some batches of any types.
pub fn batches(data: &[u8]) {
    let _ = one(&mut Unstructured::new(data));
}

fn one(u: &mut Unstructured<'_>) -> Result<()> {
    let kind = *u.choose(&KINDS)?;
    let (names, accepted) = layout(kind);
    let types: Vec<u8> = names.iter().map(|_| u.int_in_range(0..=30)).collect::<Result<_>>()?;
    let order = rotation(u, names.len())?;
    let may_be_null = u.ratio(1, 4)?;
    let (mut made, mut rows, mut wrong) = (Vec::new(), Vec::new(), None);
    let count = u.int_in_range(1..=3)?;
    for _ in 0..count {
        let batch = Batch::new(u, &types, accepted.len(), may_be_null)?;
        let arrays = batch.arrays();
        made.push(order.iter().map(|&place| arrays[place].clone()).collect::<Vec<_>>());
        wrong = wrong.or(batch.wrong(accepted).map(|row| row + rows.len()));
        batch.add_rows(&mut rows);
    }
    let names: Vec<&str> = order.iter().map(|&place| names[place]).collect();
    let field = |(name, array): (&&str, &ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(names.iter().zip(&made[0]).map(field).collect::<Vec<_>>()));
    let batches: std::result::Result<Vec<RecordBatch>, ArrowError> =
        made.into_iter().map(|arrays| RecordBatch::try_new(schema.clone(), arrays)).collect();
    let batches = batches.expect("columns of one type each");
    // Through C's interface, as from Python.
    let read = || {
        let batches = RecordBatchIterator::new(batches.clone().into_iter().map(Ok), schema.clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        untied_arrow::chunks(RecordBatchStreamReader::try_new(stream).expect("a stream"), kind, &[], "table")
    };
    compare(read(), kind, &rows, wrong);
    if u.ratio(1, 8)? {
        compare(many(read), kind, &rows, wrong);
    }
    Ok(())
}

/// The names of columns: two of ids, then those of numbers, which must be accepted, then one of subtopics.
fn layout(kind: Content) -> (&'static [&'static str], &'static [Accepts]) {
    const FINITE: Accepts = f64::is_finite;
    const ANY: Accepts = |_| true;
    const STRATUM: Accepts = |number| is_stratum(&number);
    const PROBABILITY: Accepts = |number| is_probability(&number);
    match kind {
        Content::Run { ranks: false } => (&["qid", "docno", "score"], &[FINITE]),
        Content::Run { ranks: true } => (&["qid", "docno", "score", "rank"], &[FINITE, ANY]),
        Content::Qrels(None | Some(Detail::Preferences | Detail::Probabilities)) => {
            (&["qid", "docno", "label"], &[FINITE])
        }
        Content::Qrels(Some(Detail::Subtopics)) => (&["qid", "docno", "label", "subtopic"], &[FINITE]),
        Content::Qrels(Some(Detail::Strata)) => (&["qid", "docno", "label", "stratum"], &[FINITE, STRATUM]),
        Content::Qrels(Some(Detail::Inclusion)) => (&["qid", "docno", "label", "probability"], &[FINITE, PROBABILITY]),
    }
}

/// The columns of a batch.
struct Batch {
    query: Column<Vec<u8>>,
    document: Column<Vec<u8>>,
    numbers: Vec<Column<Number>>,
    subtopic: Option<Column<Vec<u8>>>,
}

impl Batch {
    /// Slices of arrays of these types: as many of numbers, and one of subtopics if a type is left for it.
    fn new(u: &mut Unstructured<'_>, types: &[u8], numbers: usize, may_be_null: bool) -> Result<Batch> {
        let length = u.int_in_range(0..=10)?;
        let start = u.int_in_range(0..=length.min(2))?;
        let end = length - u.int_in_range(0..=(length - start).min(2))?;
        let mut ids = |kind: u8| Ok(columns::ids(u, kind, length, may_be_null)?.slice(start, end));
        let (query, document) = (ids(types[0])?, ids(types[1])?);
        let subtopic = types.get(2 + numbers).map(|&kind| ids(kind)).transpose()?;
        let number = |&kind: &u8| Ok(columns::numbers(u, kind, length, may_be_null)?.slice(start, end));
        let numbers = types[2..2 + numbers].iter().map(number).collect::<Result<_>>()?;
        Ok(Batch { query, document, numbers, subtopic })
    }

    fn arrays(&self) -> Vec<ArrayRef> {
        let mut arrays = vec![self.query.array.clone(), self.document.array.clone()];
        arrays.extend(self.numbers.iter().map(|column| column.array.clone()));
        arrays.extend(self.subtopic.iter().map(|column| column.array.clone()));
        arrays
    }

    /// The wrong row that the reader reports: the first one in the first column that has any.
    fn wrong(&self, accepted: &[Accepts]) -> Option<usize> {
        let subtopic = self.subtopic.as_ref();
        self.document
            .first(|id| id.is_none())
            .or_else(|| self.query.first(|id| id.is_none()))
            .or_else(|| subtopic?.first(|id| id.is_none()))
            .or_else(|| subtopic?.first(|id| id.is_some_and(|id| id.contains(&b' '))))
            .or_else(|| {
                self.numbers.iter().zip(accepted).find_map(|(column, accepts)| {
                    column
                        .first(|number| number.is_none())
                        .or_else(|| column.first(|number| number.is_some_and(|number| !columns::is_held(number))))
                        .or_else(|| column.first(|number| number.is_some_and(|number| !accepts(number.float()))))
                })
            })
    }

    /// Add its rows, with their queries, to those of earlier batches.
    fn add_rows(&self, rows: &mut Vec<(Vec<u8>, Row)>) {
        let text = |column: &Column<Vec<u8>>, row: usize| column.values[row].clone().unwrap_or_default();
        for row in 0..self.query.values.len() {
            let number = |column: &Column<Number>| column.values[row].as_ref().map_or(0.0, Number::float);
            let found = Row {
                line: rows.len() as u64,
                document: text(&self.document, row),
                other: self.subtopic.as_ref().map_or_else(Vec::new, |column| text(column, row)),
                numbers: self.numbers.iter().map(number).collect(),
            };
            rows.push((text(&self.query, row), found));
        }
    }
}

fn compare(chunks: untied_core::Result<Vec<Chunk>>, kind: Content, rows: &[(Vec<u8>, Row)], wrong: Option<usize>) {
    let mut by_query = Rows::new();
    for (query, row) in rows {
        by_query.entry(query.clone()).or_default().push(row.clone());
    }
    let theirs = match wrong {
        Some(row) => Err(row as u64),
        None => consistent(by_query, kind).map_err(|line| line.expect("a row")),
    };
    match (chunks.and_then(|chunks| Held::new(chunks, kind, "table")), theirs) {
        (Ok(ours), Ok(theirs)) => ours.assert_same(&theirs),
        (Err(error @ (Error::Value(_) | Error::Repeated(_))), Err(row)) => {
            let error = error.to_string();
            assert!(error.starts_with(&format!("table, row {row}: expected ")), "{error}, row {row}");
        }
        (Err(error), theirs) => panic!("{error}, the other reader: {:?}", theirs.err()),
        (Ok(_), Err(row)) => panic!("only ours accepts, the other refuses row {row}"),
    }
}

/// Places from any on, round and round, in either direction.
fn rotation(u: &mut Unstructured<'_>, count: usize) -> Result<Vec<usize>> {
    let first = u.int_in_range(0..=count - 1)?;
    let mut places: Vec<usize> = (0..count).map(|place| (first + place) % count).collect();
    if u.arbitrary()? {
        places.reverse();
    }
    Ok(places)
}
