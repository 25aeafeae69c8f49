//! Evaluating a run that comes piece by piece, query after query: only values are kept.

use std::collections::HashSet;
use std::mem;

use super::files::{Files, Pair, none};
use super::{Evaluated, Evaluation, Flags, Note, Prepared};
use crate::error::{Error, Result};
use crate::read::Pieces;
use crate::settings::Queries;
use crate::table::{Chunk, Qrels, Run, Whole, refuse_repeats, returned};

/// Blocks of a file that are held at a time; as many are read meanwhile. The number does not depend on that of threads,
/// so that the same error is found first.
const BLOCKS: u64 = 16;

/// How many of the queries that a run lacks are evaluated at a time.
const ABSENT: usize = 1 << 16;

/// What is known so far of a run that comes in pieces.
pub struct Streamed {
    source: String,
    whole: Whole,
    /// Values of all queries of the qrels.
    part: Evaluated,
    /// Which of them have come.
    came: Vec<bool>,
    /// Queries that came and are not judged.
    unknown: HashSet<Box<[u8]>>,
    /// The first query, by number, that cannot be evaluated. Others are evaluated all the same: whichever is told must
    /// not depend on the order in which they come.
    failed: Option<(usize, Error)>,
}

impl Streamed {
    /// Nothing yet; `source` names the run in messages.
    pub fn new(source: &str, qrels: &Qrels, prepared: &Prepared) -> Streamed {
        let shape = prepared.shape();
        let part = Evaluated {
            cells: vec![0.0; qrels.len() * shape.cells()],
            notes: vec![Note::NONE; qrels.len() * shape.measures],
            flags: vec![Flags::default(); qrels.len()],
        };
        let came = vec![false; qrels.len()];
        Streamed { source: source.into(), whole: Whole::default(), part, came, unknown: HashSet::new(), failed: None }
    }

    /// Take the next rows; evaluate the queries that are complete with them, in parallel. The rows of a query may be in
    /// several pieces. Gives chunks back whose room can be used again.
    ///
    /// # Errors
    /// A document appears twice in a query, or a query comes back after another.
    pub fn push(&mut self, qrels: &Qrels, prepared: &Prepared, chunks: Vec<Chunk>) -> Result<Vec<Chunk>> {
        // What ends only with its query may have no end.
        refuse_repeats(&chunks, &self.source)?;
        let complete = self.whole.push(chunks);
        self.evaluate(qrels, prepared, complete)
    }

    /// The run ends here: values and facts, as if it had been evaluated as a whole.
    ///
    /// # Errors
    /// As [`Streamed::push`] and [`super::evaluate`].
    pub fn finish(mut self, qrels: &Qrels, prepared: &Prepared) -> Result<Evaluation> {
        let last = mem::take(&mut self.whole).finish();
        self.evaluate(qrels, prepared, last)?;
        let absent: Vec<Pair> =
            (0..qrels.len()).filter(|&query| !self.came[query]).map(|query| (query, None)).collect();
        let lacking = absent.len();
        if prepared.settings.queries == Queries::Qrels {
            let nothing = Run::default();
            absent.chunks(ABSENT).try_for_each(|absent| self.values(qrels, prepared, &nothing, absent.to_vec()))?;
            self.came.fill(true);
        }
        if let Some((_, error)) = self.failed {
            return Err(error);
        }
        let queries: Vec<usize> = (0..qrels.len()).filter(|&query| self.came[query]).collect();
        if queries.is_empty() {
            return Err(none(qrels));
        }
        let (part, (width, measures)) = (&mut self.part, widths(prepared));
        for (place, &query) in queries.iter().enumerate() {
            part.cells.copy_within(query * width..(query + 1) * width, place * width);
            part.notes.copy_within(query * measures..(query + 1) * measures, place * measures);
            part.flags[place] = part.flags[query];
        }
        part.cells.truncate(queries.len() * width);
        part.notes.truncate(queries.len() * measures);
        part.flags.truncate(queries.len());
        let plan = prepared.plan(qrels, 0)?;
        let mut evaluation = Evaluation::new(self.part, &plan, prepared.settings);
        evaluation.queries = queries;
        (evaluation.facts.absent, evaluation.facts.unknown) = (lacking, self.unknown.len());
        evaluation.facts.common = qrels.len() - lacking;
        Ok(evaluation)
    }

    fn evaluate(&mut self, qrels: &Qrels, prepared: &Prepared, complete: Vec<Chunk>) -> Result<Vec<Chunk>> {
        let chunks = complete.len();
        if chunks == 0 {
            return Ok(complete);
        }
        let (run, lines) = Run::part(complete, &self.source)?;
        let mut pairs = Vec::with_capacity(run.len());
        let mut again = None;
        for (number, found) in run.numbers_in(qrels).enumerate() {
            let came = match found {
                Some(query) => mem::replace(&mut self.came[query], true),
                None => !self.unknown.insert(run.id(number).into()),
            };
            if came {
                again = again.into_iter().chain([(lines[number], number)]).min();
            }
            pairs.extend(found.map(|query| (query, Some(number))));
        }
        if let Some((line, number)) = again {
            return Err(returned(run.id(number), line, &self.source));
        }
        self.values(qrels, prepared, &run, pairs)?;
        Ok(run.emptied().take(chunks).collect()) // but for rows that had to be put together
    }

    fn values(&mut self, qrels: &Qrels, prepared: &Prepared, run: &Run, pairs: Vec<Pair>) -> Result<()> {
        let plan = prepared.plan(qrels, run.longest())?;
        let files = Files { qrels, run, common: pairs.len(), pairs, unseen: true };
        let part = match Evaluated::new(&files, &plan, prepared.settings, |_| ()) {
            Ok((part, _)) => part,
            Err((_, Error::Stopped)) => return Err(Error::Stopped),
            Err((place, error)) => {
                let query = files.pairs[place].0;
                if self.failed.as_ref().is_none_or(|&(first, _)| query < first) {
                    self.failed = Some((query, error));
                }
                return Ok(());
            }
        };
        let (all, (width, measures)) = (&mut self.part, widths(prepared));
        for (place, &(query, _)) in files.pairs.iter().enumerate() {
            all.cells[query * width..][..width].copy_from_slice(&part.cells[place * width..][..width]);
            all.notes[query * measures..][..measures].copy_from_slice(&part.notes[place * measures..][..measures]);
            all.flags[query] = part.flags[place];
        }
        Ok(())
    }
}

/// Cells and notes of one query.
fn widths(prepared: &Prepared) -> (usize, usize) {
    let shape = prepared.shape();
    (shape.cells(), shape.measures)
}

/// A run that is read piece by piece.
pub trait Stream: Send {
    /// What it is called in messages.
    fn source(&self) -> &str;

    /// The rows of the next pieces, up to a number; `None` at the end.
    ///
    /// # Errors
    /// It cannot be read, or is malformed.
    fn next(&mut self, most: u64) -> Result<Option<Vec<Chunk>>>;

    /// Take chunks back that are no longer needed.
    fn reuse(&mut self, _chunks: Vec<Chunk>) {}
}

impl Stream for Pieces {
    fn source(&self) -> &str {
        self.path()
    }

    fn next(&mut self, most: u64) -> Result<Option<Vec<Chunk>>> {
        Pieces::next(self, most)
    }

    fn reuse(&mut self, chunks: Vec<Chunk>) {
        Pieces::reuse(self, chunks);
    }
}

/// Evaluate a run, query by query, while it is read. Only the values are kept, so that memory does not depend on its
/// length.
///
/// # Errors
/// It cannot be read or is malformed, or as [`Streamed::finish`]. Of several malformed lines and documents that stand twice
/// one is told of those that are read first.
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
