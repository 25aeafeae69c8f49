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

use crate::arrow_columns::{self as columns, Column};
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
    let (names, accepted): (&[&str], &[Accepts]) = match kind {
        Content::Run { ranks: false } => (&["qid", "docno", "score"], &[f64::is_finite]),
        Content::Run { ranks: true } => (&["qid", "docno", "score", "rank"], &[f64::is_finite, |_| true]),
        Content::Qrels(None) => (&["qid", "docno", "label"], &[f64::is_finite]),
        Content::Qrels(Some(Detail::Subtopics)) => (&["qid", "docno", "label", "subtopic"], &[f64::is_finite]),
        Content::Qrels(Some(Detail::Strata)) => {
            (&["qid", "docno", "label", "stratum"], &[f64::is_finite, |number| is_stratum(&number)])
        }
        Content::Qrels(Some(Detail::Inclusion)) => {
            (&["qid", "docno", "label", "probability"], &[f64::is_finite, |number| is_probability(&number)])
        }
    };
    let has_subtopics = kind == Content::Qrels(Some(Detail::Subtopics));
    let types: Vec<u8> = names.iter().map(|_| u.int_in_range(0..=30)).collect::<Result<_>>()?;
    let order = rotation(u, names.len())?;
    let may_be_null = u.ratio(1, 4)?;
    let (mut made, mut rows, mut wrong) = (Vec::new(), Vec::new(), None);
    let count = u.int_in_range(1..=3)?;
    for _ in 0..count {
        let length = u.int_in_range(0..=10)?;
        let start = u.int_in_range(0..=length.min(2))?;
        let end = length - u.int_in_range(0..=(length - start).min(2))?;
        let query = columns::ids(u, types[0], length, may_be_null)?.slice(start, end);
        let document = columns::ids(u, types[1], length, may_be_null)?.slice(start, end);
        let subtopic =
            if has_subtopics { Some(columns::ids(u, types[3], length, may_be_null)?.slice(start, end)) } else { None };
        let mut numbers = Vec::new();
        for place in 0..accepted.len() {
            numbers.push(columns::numbers(u, types[2 + place], length, may_be_null)?.slice(start, end));
        }
        let mut arrays = vec![query.array.clone(), document.array.clone()];
        arrays.extend(numbers.iter().map(|column| column.array.clone()));
        arrays.extend(subtopic.iter().map(|column| column.array.clone()));
        made.push(order.iter().map(|&place| arrays[place].clone()).collect::<Vec<_>>());
        let first = rows.len();
        // Of several wrong rows of a batch that of the first column is told, and of a column the first.
        let of_batch = document
            .first(|id| id.is_none())
            .or_else(|| query.first(|id| id.is_none()))
            .or_else(|| subtopic.as_ref().and_then(|column| column.first(|id| id.is_none())))
            .or_else(|| subtopic.as_ref().and_then(|column| column.first(|id| id.is_some_and(|id| id.contains(&b' ')))))
            .or_else(|| {
                numbers.iter().zip(accepted).find_map(|(column, accepts)| {
                    column
                        .first(|number| number.is_none())
                        .or_else(|| column.first(|number| number.is_some_and(|number| !columns::is_held(number))))
                        .or_else(|| column.first(|number| number.is_some_and(|number| !accepts(number.float()))))
                })
            });
        wrong = wrong.or(of_batch.map(|row| row + first));
        for row in 0..end - start {
            let text = |column: &Column<Vec<u8>>| column.values[row].clone().unwrap_or_default();
            rows.push((
                text(&query),
                Row {
                    line: (first + row) as u64,
                    document: text(&document),
                    other: subtopic.as_ref().map_or_else(Vec::new, text),
                    numbers: numbers
                        .iter()
                        .map(|column| column.values[row].as_ref().map_or(0.0, columns::Number::float))
                        .collect(),
                },
            ));
        }
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
        (Err(Error::Value(error)), Err(row)) => {
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
