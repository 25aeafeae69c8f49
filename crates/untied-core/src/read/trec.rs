//! TREC's text formats: runs of six columns, qrels of four.

use super::blocks::{Blocks, Parsed};
use super::limits::LineError;
use super::line::{Cursor, fields};
use super::number::{self, NotANumber};
use crate::error::{Error, InputError, Result, quote};
use crate::table::profiles::{self, PROBABILITY, STRATUM};
use crate::table::{Chunk, Lengths, Names, Qrels, Run, subtopics};

/// Read a run: `query Q0 document rank score tag`.
///
/// `ranks` keeps the rank column too, as a second column of numbers (NaN where it is none): evaluation does not
/// need it, but `check` compares it with the scores.
///
/// # Errors
/// The file cannot be read, a line is malformed, a score is not a finite number, a document stands twice in a
/// query, or there is no line at all.
pub fn read_run(path: &str, ranks: bool) -> Result<Run> {
    if !ranks {
        return Run::new(read(path, &RUN)?, path);
    }
    let chunks = read(path, &RUN_WITH_RANKS)?;
    let mut tags = Names::default();
    chunks.iter().for_each(|chunk| chunk.tags.iter().for_each(|tag| _ = tags.number(tag)));
    let mut run = Run::new(chunks, path)?;
    run.tags = tags;
    Ok(run)
}

/// Read a run of MS MARCO: `query document rank`, lower ranks being better.
///
/// # Errors
/// As [`read_run`], of ranks instead of scores.
pub fn read_ranks(path: &str) -> Result<Run> {
    let mut chunks = read(path, &RANKS)?;
    let ranks = chunks.iter_mut().flat_map(|chunk| &mut chunk.block.columns[0]);
    ranks.for_each(|rank| *rank = -*rank);
    Run::new(chunks, path)
}

/// Read qrels: `query iteration document grade`.
///
/// # Errors
/// The file cannot be read, a line is malformed, a grade is not a finite number, a document is judged twice with
/// different grades, or there is no line at all.
pub fn read_qrels(path: &str) -> Result<Qrels> {
    Qrels::new(read(path, &QRELS)?, path)
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
/// The file cannot be read, a line is malformed, a number is negative or not finite, a document stands twice with
/// different numbers, or there is no line at all.
pub fn read_lengths(path: &str) -> Result<Lengths> {
    Lengths::new(read(path, &LENGTHS)?, path)
}

/// What files that are read leniently may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Every line is a row; scores keep 32 bits.
    Plain,
    /// Lines that begin with `#` are comments; scores keep 64 bits.
    Commented,
}

/// Read a run as trec_eval does; with the tag of its last line.
///
/// A score is whatever number its field begins with, else 0; NaN becomes negative infinity, the last place. What follows
/// the tag is not read. A document may stand twice in a query.
///
/// # Errors
/// The file cannot be read or is empty, or a line has fewer than six columns.
pub fn read_run_leniently(path: &str, dialect: Dialect) -> Result<(Run, Vec<u8>)> {
    let layout = match dialect {
        Dialect::Plain => &PLAIN_RUN,
        Dialect::Commented => &COMMENTED_RUN,
    };
    let mut chunks = read(path, layout)?;
    let tag = chunks.last_mut().map(|last| std::mem::take(&mut last.tag)).unwrap_or_default();
    Ok((Run::with_duplicates(chunks)?, tag))
}

/// Read qrels as trec_eval does.
///
/// A grade is the whole number its field begins with, else 0. A document may stand twice in a query.
///
/// # Errors
/// The file cannot be read, a line has not four columns, or there is no line at all.
pub fn read_qrels_leniently(path: &str, dialect: Dialect) -> Result<Qrels> {
    let layout = match dialect {
        Dialect::Plain => &PLAIN_QRELS,
        Dialect::Commented => &COMMENTED_QRELS,
    };
    Qrels::with_duplicates(read(path, layout)?)
}

/// Read trec_eval's means and standard deviations: queries with measures' names and two columns of numbers.
///
/// # Errors
/// The file cannot be read, a line has not four columns, or there is no line at all.
pub fn read_deviations(path: &str) -> Result<Run> {
    Run::with_duplicates(read(path, &DEVIATIONS)?)
}

/// What a column of a format is. Numbers go to a column of the block, the score or grade to its first.
#[derive(Clone, Copy)]
enum Column {
    Query,
    /// A query and, in the next column, one of its subtopics: each pair has judgments of its own.
    Topic,
    Subtopic,
    Document,
    /// A document in a format without queries.
    Listed,
    /// A finite number, with its name for messages.
    Number(usize, &'static str),
    /// A number that the function accepts; else the text says what was expected.
    Accepted(usize, profiles::Accepted),
    /// The same, or nothing, which is NaN; only at the end of a line.
    Optional(usize, &'static str),
    /// A number, or NaN where the field is none.
    MaybeNumber(usize),
    /// What the function makes of any field.
    AnyNumber(usize, fn(&[u8]) -> f64),
    /// Kept of the last line only.
    Tag,
    /// All different ones are kept.
    Tags,
    Ignored,
}
use Column::{
    Accepted, AnyNumber, Document, Ignored, Listed, MaybeNumber, Number, Optional, Query, Subtopic, Tag, Tags, Topic,
};

/// A text format: its columns and how to name them in messages.
struct Layout {
    columns: &'static [Column],
    numbers: usize,
    shape: &'static str,
    /// Whether lines that begin with `#` are left out.
    comments: bool,
    /// Whether blank lines are left out; they are malformed if not.
    blanks: bool,
    /// Whether a line may go on after the last column.
    more: bool,
    /// Whether a file may hold blank lines and comments only.
    rowless: bool,
}

const RUN: Layout = Layout {
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

const RANKS: Layout =
    Layout { columns: &[Query, Document, Number(0, "rank")], shape: "3 columns (query document rank)", ..RUN };

const QRELS: Layout = Layout {
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

const COMMENTED_RUN: Layout = Layout {
    columns: &[Query, Ignored, Document, Ignored, AnyNumber(0, |field| ranked(number::atof(field))), Tag],
    more: true,
    rowless: true,
    ..RUN
};

const PLAIN_RUN: Layout = Layout {
    columns: &[
        Query,
        Ignored,
        Document,
        Ignored,
        AnyNumber(0, |field| ranked(f64::from(number::atof(field) as f32))),
        Tag,
    ],
    comments: false,
    ..COMMENTED_RUN
};

const COMMENTED_QRELS: Layout = Layout {
    columns: &[Query, Ignored, Document, AnyNumber(0, |field| number::atol(field) as f64)],
    blanks: false,
    ..QRELS
};

const PLAIN_QRELS: Layout = Layout { comments: false, ..COMMENTED_QRELS };

const DEVIATIONS: Layout = Layout {
    columns: &[Query, Document, AnyNumber(0, number::atof), AnyNumber(1, number::atof)],
    numbers: 2,
    shape: "4 columns (query measure mean deviation)",
    comments: false,
    blanks: false,
    more: false,
    rowless: false,
};

/// A score that has a place in an order.
fn ranked(score: f64) -> f64 {
    if score.is_nan() { f64::NEG_INFINITY } else { score }
}

fn read(path: &str, layout: &'static Layout) -> Result<Vec<Chunk>> {
    let mut pieces = Pieces { blocks: Blocks::open(path)?, path: path.into(), layout, lines: 0, is_empty: true };
    let chunks = pieces.next(u64::MAX)?.unwrap_or_default();
    if chunks.is_empty() { pieces.end().map(Option::unwrap_or_default) } else { Ok(chunks) }
}

/// A file that is read piece by piece.
pub struct Pieces {
    blocks: Blocks,
    path: String,
    layout: &'static Layout,
    /// Lines so far.
    lines: u64,
    is_empty: bool,
}

impl Pieces {
    /// Open a run, see [`read_run`].
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn of_run(path: &str) -> Result<Pieces> {
        Ok(Pieces { blocks: Blocks::open(path)?, path: path.into(), layout: &RUN, lines: 0, is_empty: true })
    }

    /// The rows of the next so many blocks; nothing at the end.
    ///
    /// # Errors
    /// As [`read_run`], but for documents that stand twice.
    pub fn next(&mut self, blocks: u64) -> Result<Option<Vec<Chunk>>> {
        let layout = self.layout;
        let parsed = self.blocks.parse(blocks, &|block: &[u8], chunk: &mut Chunk| parse(block, layout, chunk))?;
        let Some(parsed) = parsed else { return self.end() };
        let mut chunks = Vec::with_capacity(parsed.len());
        for Parsed { mut value, lines } in parsed {
            value.lines.first = self.lines + 1;
            self.lines += lines;
            if !value.segments.is_empty() {
                chunks.push(value);
            }
        }
        self.is_empty &= chunks.is_empty() && !layout.rowless;
        Ok(Some(chunks))
    }

    fn end(&self) -> Result<Option<Vec<Chunk>>> {
        if !self.is_empty {
            return Ok(None);
        }
        Err(Error::Input(InputError {
            file: self.path.clone(),
            line: None,
            expected: self.layout.shape.into(),
            found: if self.lines == 0 { "an empty file" } else { "only blank lines and comments" }.into(),
        }))
    }
}

fn parse(bytes: &[u8], layout: &Layout, chunk: &mut Chunk) -> std::result::Result<Parsed<Chunk>, LineError> {
    chunk.clear(layout.numbers);
    let mut cursor = Cursor::new(bytes);
    let mut current: &[u8] = &[];
    let (mut topic, mut pair, mut key): (&[u8], (&[u8], &[u8]), _) = (&[], (&[], &[]), Vec::new());
    let (mut tag, mut one_of_tags): (&[u8], &[u8]) = (&[], &[]);
    let mut lines = 0;
    while !cursor.is_done() {
        let start = cursor;
        let first = cursor.field();
        if first.is_empty() && layout.blanks && cursor.next_line() {
            lines += 1;
            chunk.lines.skip(chunk.block.len());
            continue;
        }
        if layout.comments && first.first() == Some(&b'#') {
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
                let Optional(to, _) = *column else { return Err(malformed(start, lines, layout)) };
                chunk.block.columns[to].push(f64::NAN);
                continue;
            }
            match *column {
                Query => {
                    if field != current {
                        current = field;
                        chunk.start_query(field);
                    }
                }
                Topic => topic = field,
                Subtopic => {
                    if (topic, field) != pair {
                        pair = (topic, field);
                        subtopics::key(topic, field, &mut key);
                        chunk.start_query(&key);
                    }
                }
                Document => chunk.block.docs.push(field),
                Listed => {
                    if chunk.segments.is_empty() {
                        chunk.start_query(b"");
                    }
                    chunk.block.docs.push(field);
                }
                Number(to, name) | Optional(to, name) => match number::parse(field) {
                    Ok(value) => {
                        chunk.block.columns[to].push(value);
                        if to == 0 {
                            chunk.block.mark_rounded(field, value);
                        }
                    }
                    Err(error) => return Err(not_a_number(field, lines, name, error)),
                },
                Accepted(to, (accepts, expected)) => match number::parse(field) {
                    Ok(value) if accepts(value) => chunk.block.columns[to].push(value),
                    _ => return Err(LineError { line: lines, expected: expected.into(), found: quote(field) }),
                },
                MaybeNumber(to) => chunk.block.columns[to].push(number::parse(field).unwrap_or(f64::NAN)),
                AnyNumber(to, read) => chunk.block.columns[to].push(read(field)),
                Tag => tag = field,
                Tags => {
                    if field != one_of_tags {
                        one_of_tags = field;
                        chunk.tags.number(field);
                    }
                }
                Ignored => {}
            }
        }
        if !cursor.next_line() {
            if !layout.more || cursor.at_nul() {
                return Err(malformed(start, lines, layout));
            }
            cursor.skip_line();
        }
        lines += 1;
    }
    chunk.tag = tag.to_vec();
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
    LineError { line, expected: error.expected(name), found: quote(field) }
}
