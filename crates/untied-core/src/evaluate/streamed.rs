//! Evaluates a run piece by piece while it is read, so that memory does not depend on its length.

use std::collections::HashSet;
use std::mem;

use super::files::{Files, QueryPair, no_query};
use super::{Evaluation, Flags, Note, Prepared, QueryValues};
use crate::error::{Error, Result};
use crate::read::Pieces;
use crate::settings::Queries;
use crate::table::{Chunk, CompleteQueries, Qrels, Run, refuse_repeats, returned};

/// How many blocks of a file are evaluated at a time, while as many are read. It does not depend on the number of
/// threads, so neither does the first error.
const BLOCKS: u64 = 16;

/// How many queries that the run lacks are evaluated at a time.
const ABSENT_TOGETHER: usize = 1 << 16;

/// The evaluation of a run that comes in pieces.
pub struct Streamed {
    source: String,
    complete: CompleteQueries,
    /// The values of all queries of the qrels; 0 until they are evaluated.
    values: QueryValues,
    /// Whether each query of the qrels is evaluated.
    is_evaluated: Vec<bool>,
    /// The queries of the run that are not judged.
    unknown: HashSet<Box<[u8]>>,
    /// The error of the first query that cannot be evaluated, and the index of this query. Later queries are evaluated
    /// all the same, so that the error does not depend on the order of the run.
    failed: Option<(usize, Error)>,
}

impl Streamed {
    /// An evaluation before the first piece. `source` names the run in messages.
    pub fn new(source: &str, qrels: &Qrels, prepared: &Prepared) -> Streamed {
        let shape = prepared.shape();
        let values = QueryValues {
            cells: vec![0.0; qrels.len() * shape.cells()],
            notes: vec![Note::NONE; qrels.len() * shape.measures],
            flags: vec![Flags::default(); qrels.len()],
        };
        let is_evaluated = vec![false; qrels.len()];
        let (complete, unknown) = (CompleteQueries::default(), HashSet::new());
        Streamed { source: source.into(), complete, values, is_evaluated, unknown, failed: None }
    }

    /// Takes the next rows, and evaluates the queries that are complete. The rows of a query may be in several pieces.
    /// Returns chunks whose memory can be used again.
    ///
    /// # Errors
    /// A document appears twice in a query, or a query comes back after another.
    pub fn push(&mut self, qrels: &Qrels, prepared: &Prepared, chunks: Vec<Chunk>) -> Result<Vec<Chunk>> {
        // Repeated documents are refused at once, because a query that never ends would keep all its rows.
        refuse_repeats(&chunks, &self.source)?;
        let complete = self.complete.push(chunks);
        self.evaluate(qrels, prepared, complete)
    }

    /// Ends the run, and returns the values and facts of the whole run.
    ///
    /// # Errors
    /// As [`Streamed::push`] and [`super::evaluate`].
    pub fn finish(mut self, qrels: &Qrels, prepared: &Prepared) -> Result<Evaluation> {
        let last = mem::take(&mut self.complete).finish();
        self.evaluate(qrels, prepared, last)?;
        let absent: Vec<QueryPair> =
            (0..qrels.len()).filter(|&query| !self.is_evaluated[query]).map(|query| (query, None)).collect();
        let absent_count = absent.len();
        if prepared.settings.queries == Queries::Qrels {
            let nothing = Run::default();
            absent
                .chunks(ABSENT_TOGETHER)
                .try_for_each(|absent| self.evaluate_queries(qrels, prepared, &nothing, absent.to_vec()))?;
            self.is_evaluated.fill(true);
        }
        if let Some((_, error)) = self.failed {
            return Err(error);
        }
        let queries: Vec<usize> = (0..qrels.len()).filter(|&query| self.is_evaluated[query]).collect();
        if queries.is_empty() {
            return Err(no_query(qrels));
        }
        let (values, (width, measures)) = (&mut self.values, widths(prepared));
        for (row, &query) in queries.iter().enumerate() {
            values.cells.copy_within(query * width..(query + 1) * width, row * width);
            values.notes.copy_within(query * measures..(query + 1) * measures, row * measures);
            values.flags[row] = values.flags[query];
        }
        values.cells.truncate(queries.len() * width);
        values.notes.truncate(queries.len() * measures);
        values.flags.truncate(queries.len());
        let plan = prepared.plan(qrels, 0)?;
        let mut evaluation = Evaluation::new(self.values, &plan, prepared.settings);
        evaluation.queries = queries;
        (evaluation.facts.absent, evaluation.facts.unknown) = (absent_count, self.unknown.len());
        evaluation.facts.common = qrels.len() - absent_count;
        Ok(evaluation)
    }

    /// Evaluates the queries of some chunks, all of which are complete.
    fn evaluate(&mut self, qrels: &Qrels, prepared: &Prepared, complete: Vec<Chunk>) -> Result<Vec<Chunk>> {
        let chunks = complete.len();
        if chunks == 0 {
            return Ok(complete);
        }
        let (run, lines) = Run::of_complete_queries(complete, &self.source)?;
        let mut pairs = Vec::with_capacity(run.len());
        let mut first_repeated = None;
        for (number, in_qrels) in run.numbers_in(qrels).enumerate() {
            let is_repeated = match in_qrels {
                Some(query) => mem::replace(&mut self.is_evaluated[query], true),
                None => !self.unknown.insert(run.id(number).into()),
            };
            if is_repeated {
                first_repeated = first_repeated.into_iter().chain([(lines[number], number)]).min();
            }
            pairs.extend(in_qrels.map(|query| (query, Some(number))));
        }
        if let Some((line, number)) = first_repeated {
            return Err(returned(run.id(number), line, &self.source));
        }
        self.evaluate_queries(qrels, prepared, &run, pairs)?;
        Ok(run.emptied().take(chunks).collect()) // without blocks that were made to join the rows of a query
    }

    fn evaluate_queries(&mut self, qrels: &Qrels, prepared: &Prepared, run: &Run, pairs: Vec<QueryPair>) -> Result<()> {
        let plan = prepared.plan(qrels, run.longest())?;
        let files = Files { qrels, run, common: pairs.len(), pairs, measures_only: true };
        let values = match QueryValues::new(&files, &plan, prepared.settings, |_| ()) {
            Ok((values, _)) => values,
            Err((_, Error::Stopped)) => return Err(Error::Stopped),
            Err((row, error)) => {
                let query = files.pairs[row].0;
                if self.failed.as_ref().is_none_or(|&(first, _)| query < first) {
                    self.failed = Some((query, error));
                }
                return Ok(());
            }
        };
        let (all, (width, measures)) = (&mut self.values, widths(prepared));
        for (row, &(query, _)) in files.pairs.iter().enumerate() {
            all.cells[query * width..][..width].copy_from_slice(&values.cells[row * width..][..width]);
            all.notes[query * measures..][..measures].copy_from_slice(&values.notes[row * measures..][..measures]);
            all.flags[query] = values.flags[row];
        }
        Ok(())
    }
}

/// The number of cells of a query, and its number of notes.
fn widths(prepared: &Prepared) -> (usize, usize) {
    let shape = prepared.shape();
    (shape.cells(), shape.measures)
}

/// A run that is read piece by piece.
pub trait Stream: Send {
    /// The name of the run in messages.
    fn source(&self) -> &str;

    /// The rows of the next pieces, of which there are at most `pieces`. None at the end.
    ///
    /// # Errors
    /// The run cannot be read, or is malformed.
    fn next(&mut self, pieces: u64) -> Result<Option<Vec<Chunk>>>;

    /// Takes back chunks that are no longer needed.
    fn reuse(&mut self, _chunks: Vec<Chunk>) {}
}

impl Stream for Pieces {
    fn source(&self) -> &str {
        self.path()
    }

    fn next(&mut self, pieces: u64) -> Result<Option<Vec<Chunk>>> {
        Pieces::next(self, pieces)
    }

    fn reuse(&mut self, chunks: Vec<Chunk>) {
        Pieces::reuse(self, chunks);
    }
}

/// Evaluates a run while it is read, and keeps only the values.
///
/// # Errors
/// The run cannot be read or is malformed, or an error of [`Streamed::finish`]. If there are several, the error names one of those
/// that are read first.
pub fn evaluate_stream(mut run: impl Stream, qrels: &Qrels, prepared: &Prepared) -> Result<Evaluation> {
    let mut streamed = Streamed::new(run.source(), qrels, prepared);
    let mut next = run.next(BLOCKS)?;
    while let Some(chunks) = next {
        let (pushed, read) = rayon::join(|| streamed.push(qrels, prepared, chunks), || run.next(BLOCKS));
        run.reuse(pushed?);
        next = read?;
    }
    streamed.finish(qrels, prepared)
}

/// Whether a run is evaluated while it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streaming {
    /// Yes. A run that is not grouped by query is an error.
    Required,
    /// Yes, if it is grouped by query. Otherwise it is read again, into memory.
    Preferred,
    /// No. It is read into memory, because it can be read only once.
    Never,
}

/// Evaluates a run that can be opened for streaming, or read into memory.
///
/// # Errors
/// As [`evaluate_stream`] and [`evaluate_held`].
pub fn evaluate_opened<S: Stream>(
    open: impl FnOnce() -> Result<S>,
    hold: impl FnOnce() -> Result<Run>,
    qrels: &Qrels,
    prepared: &Prepared,
    streaming: Streaming,
) -> Result<Evaluation> {
    if streaming != Streaming::Never {
        match evaluate_stream(open()?, qrels, prepared) {
            Err(Error::Ungrouped(_)) if streaming == Streaming::Preferred => {}
            outcome => return outcome,
        }
    }
    let mut evaluation = evaluate_held(qrels, &hold()?, prepared)?;
    evaluation.facts.ungrouped = streaming == Streaming::Preferred;
    Ok(evaluation)
}

/// Evaluates a run in memory.
///
/// # Errors
/// As [`super::evaluate`].
pub fn evaluate_held(qrels: &Qrels, run: &Run, prepared: &Prepared) -> Result<Evaluation> {
    let plan = prepared.plan(qrels, run.longest())?;
    super::evaluate(qrels, run, &plan, prepared.settings)
}
