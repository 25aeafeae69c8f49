//! TREC's text formats: runs of six columns, qrels of four.

use super::layout::LineColumn::{
    Accepted, Document, Ignored, Listed, MaybeNumber, Number, Optional, Query, Subtopic, Tags, Topic,
};
use super::layout::{self, LineLayout, read};
use super::pieces::Pieces;
use super::source::Input;
use crate::error::Result;
use crate::table::profiles::{PROBABILITY, STRATUM};
use crate::table::{Lengths, Names, Qrels, Run};

/// Read a run: `query Q0 document rank score tag`.
///
/// `ranks` keeps the rank column too, as a second column of numbers (NaN where it is none): evaluation does not
/// need it, but `check` compares it with the scores.
///
/// # Errors
/// The file cannot be read, a line is malformed, a score is not a finite number, a document appears twice in a
/// query, or there is no line at all.
pub fn read_run<'a>(input: impl Into<Input<'a>>, ranks: bool) -> Result<Run> {
    let input = input.into();
    if ranks {
        return read_tagged(input, &RUN_WITH_RANKS);
    }
    let name = input.name();
    Run::new(layout::open(input, &RUN)?.all_of_run()?, name)
}

/// Read a run with its tags.
pub(super) fn read_tagged(input: Input<'_>, layout: &'static LineLayout) -> Result<Run> {
    let name = input.name();
    let chunks = layout::open(input, layout)?.all_of_run()?;
    let mut tags = Names::default();
    chunks.iter().for_each(|chunk| chunk.tags.iter().for_each(|tag| _ = tags.number(tag)));
    let mut run = Run::new(chunks, name)?;
    run.tags = tags;
    Ok(run)
}

/// Open a run to be read piece by piece, see [`read_run`]; a document may stand twice.
///
/// # Errors
/// The file cannot be opened.
pub fn open_run<'a>(input: impl Into<Input<'a>>) -> Result<Pieces> {
    layout::open(input, &RUN)
}

/// Read qrels: `query iteration document grade`.
///
/// # Errors
/// The file cannot be read, a line is malformed, a grade is not a finite number, a document is judged twice with
/// different grades, or there is no line at all.
pub fn read_qrels<'a>(input: impl Into<Input<'a>>) -> Result<Qrels> {
    let input = input.into();
    let name = input.name();
    Qrels::new(read(input, &QRELS)?, name)
}

/// Read lengths of documents: `document length`, or `document length seconds`.
///
/// # Errors
/// The file cannot be read, a line is malformed, a number is negative or not finite, a document appears twice with
/// different numbers, or there is no line at all.
pub fn read_lengths(path: &str) -> Result<Lengths> {
    Lengths::new(read(path, &LENGTHS)?, path)
}

/// A run.
pub const RUN: LineLayout = LineLayout {
    columns: &[Query, Ignored, Document, Ignored, Number(0, "score"), Ignored],
    numbers: 1,
    shape: "6 columns (query Q0 document rank score tag)",
    comments: true,
    blanks: true,
    more: false,
    rowless: false,
};

pub(super) const RUN_WITH_RANKS: LineLayout =
    LineLayout { columns: &[Query, Ignored, Document, MaybeNumber(1), Number(0, "score"), Tags], numbers: 2, ..RUN };

pub(super) const RUN_BY_RANK: LineLayout =
    LineLayout { columns: &[Query, Ignored, Document, Number(0, "rank"), Ignored, Ignored], ..RUN };

pub(super) const RANKS: LineLayout =
    LineLayout { columns: &[Query, Document, Number(0, "rank")], shape: "3 columns (query document rank)", ..RUN };

/// Qrels.
pub const QRELS: LineLayout = LineLayout {
    columns: &[Query, Ignored, Document, Number(0, "grade")],
    shape: "4 columns (query iteration document grade)",
    ..RUN
};

pub(super) const SUBTOPICS: LineLayout = LineLayout {
    columns: &[Topic, Subtopic, Document, Number(0, "grade")],
    shape: "4 columns (query subtopic document grade)",
    ..QRELS
};

pub(super) const STRATA: LineLayout = LineLayout {
    columns: &[Query, Ignored, Document, Accepted(1, STRATUM), Number(0, "grade")],
    numbers: 2,
    shape: "5 columns (query 0 document stratum grade)",
    ..QRELS
};

pub(super) const PRELS: LineLayout = LineLayout {
    columns: &[Query, Document, Number(0, "grade"), Ignored, Accepted(1, PROBABILITY)],
    numbers: 2,
    shape: "5 columns (query document grade method probability)",
    ..QRELS
};

const LENGTHS: LineLayout = LineLayout {
    columns: &[Listed, Number(0, "length"), Optional(1, "time")],
    numbers: 2,
    shape: "2 or 3 columns (document length, or document length seconds)",
    ..RUN
};
