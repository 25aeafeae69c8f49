//! Runs, qrels and deviations as trec_eval reads them: a number is what a field begins with, else 0, and a document may
//! stand twice in a query. Version 10 knows comments, lines that begin with `#`.

use untied_core::Result;
use untied_core::read::layout::LineColumn::{AnyNumber, Document, Ignored, Query, Tag};
use untied_core::read::layout::{LineLayout, read};
use untied_core::read::{QRELS, RUN};
use untied_core::table::{Qrels, Run};

use crate::Version;
use crate::numbers::{atof, atol};

/// Read a run; with the tag of its last line.
///
/// NaN as a score becomes negative infinity, the last place; version 9 keeps scores in single precision. What follows the
/// tag is not read. Standard input may be empty, because trec_eval ends it with a line feed and so finds a blank line.
///
/// # Errors
/// The file cannot be read or is empty, or a line has fewer than six columns.
pub fn read_run(path: &str, version: Version) -> Result<(Run, Vec<u8>)> {
    let layout = match version {
        Version::Nine => &RUN_9,
        Version::Ten => &RUN_10,
    };
    let mut chunks = read(path, layout)?;
    let tag = chunks.last_mut().map(|last| std::mem::take(&mut last.tag)).unwrap_or_default();
    Ok((Run::with_duplicates(chunks)?, tag))
}

/// Read qrels, whose grades are whole numbers.
///
/// # Errors
/// The file cannot be read, a line has not four columns, or there is no line at all.
pub fn read_qrels(path: &str, version: Version) -> Result<Qrels> {
    let layout = match version {
        Version::Nine => &QRELS_9,
        Version::Ten => &QRELS_10,
    };
    Qrels::with_duplicates(read(path, layout)?)
}

/// Read means and standard deviations: queries with measures' names and two columns of numbers.
///
/// # Errors
/// The file cannot be read, a line has not four columns, or there is no line at all.
pub fn read_deviations(path: &str) -> Result<Run> {
    Run::with_duplicates(read(path, &DEVIATIONS)?)
}

const RUN_10: LineLayout = LineLayout {
    columns: &[Query, Ignored, Document, Ignored, AnyNumber(0, |field| ranked(atof(field))), Tag],
    more: true,
    rowless: true,
    ..RUN
};

const RUN_9: LineLayout = LineLayout {
    columns: &[Query, Ignored, Document, Ignored, AnyNumber(0, |field| ranked(f64::from(atof(field) as f32))), Tag],
    comments: false,
    ..RUN_10
};

const QRELS_10: LineLayout = LineLayout {
    columns: &[Query, Ignored, Document, AnyNumber(0, |field| atol(field) as f64)],
    blanks: false,
    ..QRELS
};

const QRELS_9: LineLayout = LineLayout { comments: false, ..QRELS_10 };

const DEVIATIONS: LineLayout = LineLayout {
    columns: &[Query, Document, AnyNumber(0, atof), AnyNumber(1, atof)],
    numbers: 2,
    shape: "4 columns (query measure mean deviation)",
    ..QRELS_9
};

/// A score that has a place in an order.
fn ranked(score: f64) -> f64 {
    if score.is_nan() { f64::NEG_INFINITY } else { score }
}
