//! TREC's text formats: runs of six columns, qrels of four.

use super::layout::Column::{
    Accepted, Document, Ignored, Listed, MaybeNumber, Number, Optional, Query, Subtopic, Tags, Topic,
};
use super::layout::{self, Layout, read};
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
    let name = input.name();
    if !ranks {
        return Run::new(layout::open(input, &RUN)?.all_of_run()?, name);
    }
    let chunks = layout::open(input, &RUN_WITH_RANKS)?.all_of_run()?;
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

/// Read a run of MS MARCO: `query document rank`, lower ranks being better.
///
/// # Errors
/// As [`read_run`], of ranks instead of scores.
pub fn read_ranks(path: &str) -> Result<Run> {
    by_rank(path, &RANKS)
}

/// Read a run as [`read_run`], ordered by its rank column, lower ranks being better; its scores are passed over.
///
/// # Errors
/// As [`read_run`], of ranks instead of scores.
pub fn read_run_by_rank(path: &str) -> Result<Run> {
    by_rank(path, &RUN_BY_RANK)
}

/// Read ranks as scores: what has a lower rank is better, and equal ranks are tied.
fn by_rank(path: &str, layout: &'static Layout) -> Result<Run> {
    let mut chunks = read(path, layout)?;
    let ranks = chunks.iter_mut().flat_map(|chunk| &mut chunk.block.columns[0]);
    ranks.for_each(|rank| *rank = -*rank);
    Run::new(chunks, path)
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

/// Read qrels by subtopic: `query subtopic document grade`.
///
/// # Errors
/// As [`read_qrels`], where a document may have a grade for each subtopic.
pub fn read_subtopics(path: &str) -> Result<Qrels> {
    Qrels::with_subtopics(read(path, &SUBTOPICS)?, path)
}

/// Read qrels of a stratified pool: `query 0 document stratum grade`.
///
/// # Errors
/// As [`read_qrels`]; or a stratum is not a whole number, or a document is in two strata.
pub fn read_strata(path: &str) -> Result<Qrels> {
    Qrels::with_strata(read(path, &STRATA)?, path)
}

/// Read qrels with inclusion probabilities: `query document grade method probability`.
///
/// # Errors
/// As [`read_qrels`]; or a probability is not above 0 and at most 1, or a document has two.
pub fn read_prels(path: &str) -> Result<Qrels> {
    Qrels::with_inclusion(read(path, &PRELS)?, path)
}

/// Read lengths of documents: `document length`, or `document length seconds`.
///
/// # Errors
/// The file cannot be read, a line is malformed, a number is negative or not finite, a document appears twice with
/// different numbers, or there is no line at all.
pub fn read_lengths(path: &str) -> Result<Lengths> {
    Lengths::new(read(path, &LENGTHS)?, path)
}

/// The columns of a format of runs or qrels; none if it has no fixed columns.
pub fn layout_of(format: &str, is_run: bool) -> Option<&'static Layout> {
    match (format, is_run) {
        ("trec", true) => Some(&RUN),
        ("trec-ranks", true) => Some(&RUN_BY_RANK),
        ("msmarco", true) => Some(&RANKS),
        ("trec", false) => Some(&QRELS),
        ("subtopics", false) => Some(&SUBTOPICS),
        ("stratified", false) => Some(&STRATA),
        ("prels", false) => Some(&PRELS),
        _ => None,
    }
}

/// A run.
pub const RUN: Layout = Layout {
    columns: &[Query, Ignored, Document, Ignored, Number(0, "score"), Ignored],
    numbers: 1,
    shape: "6 columns (query Q0 document rank score tag)",
    comments: true,
    blanks: true,
    more: false,
    rowless: false,
};

const RUN_WITH_RANKS: Layout =
    Layout { columns: &[Query, Ignored, Document, MaybeNumber(1), Number(0, "score"), Tags], numbers: 2, ..RUN };

const RUN_BY_RANK: Layout = Layout { columns: &[Query, Ignored, Document, Number(0, "rank"), Ignored, Ignored], ..RUN };

const RANKS: Layout =
    Layout { columns: &[Query, Document, Number(0, "rank")], shape: "3 columns (query document rank)", ..RUN };

/// Qrels.
pub const QRELS: Layout = Layout {
    columns: &[Query, Ignored, Document, Number(0, "grade")],
    shape: "4 columns (query iteration document grade)",
    ..RUN
};

const SUBTOPICS: Layout = Layout {
    columns: &[Topic, Subtopic, Document, Number(0, "grade")],
    shape: "4 columns (query subtopic document grade)",
    ..QRELS
};

const STRATA: Layout = Layout {
    columns: &[Query, Ignored, Document, Accepted(1, STRATUM), Number(0, "grade")],
    numbers: 2,
    shape: "5 columns (query 0 document stratum grade)",
    ..QRELS
};

const PRELS: Layout = Layout {
    columns: &[Query, Document, Number(0, "grade"), Ignored, Accepted(1, PROBABILITY)],
    numbers: 2,
    shape: "5 columns (query document grade method probability)",
    ..QRELS
};

const LENGTHS: Layout = Layout {
    columns: &[Listed, Number(0, "length"), Optional(1, "time")],
    numbers: 2,
    shape: "2 or 3 columns (document length, or document length seconds)",
    ..RUN
};
