//! Evaluates rankings: computes the value of each measure for each query, from a run, qrels and measures.

mod chance;
mod facts;
mod files;
mod laws;
mod notes;
mod plan;
mod query;
mod source;
mod spread;
mod streamed;
mod total;
mod workspace;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::measures::Certainty;
use crate::overlap::look_swapped;
use crate::ranking::Ranking;
use crate::settings::Settings;
use crate::similarity::PairScore;
use crate::table::{Qrels, Run};
use crate::watch;
pub use facts::{Fact, Facts};
use files::{Files, no_query};
pub use laws::{Laws, laws};
use notes::count;
pub use notes::{Flags, Note};
pub(crate) use plan::Planned;
pub use plan::{Plan, Prepared};
pub(crate) use source::{RankingFlags, RankingSource};
pub use streamed::{Stream, Streamed, Streaming, evaluate_held, evaluate_opened, evaluate_stream};
pub use total::Total;
use workspace::EvaluationTask;
pub(crate) use workspace::Workspace;

/// The value of a measure, for a query or as an aggregate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasureValue {
    /// The mean over the tie orders that the policy allows. With `unjudged` best or worst, it is the end of the bounds.
    pub mean: f64,
    /// The variance over tie orders, if it was asked for and is known.
    pub variance: Option<f64>,
    /// The smallest and the largest value, if they were asked for.
    pub range: Option<(f64, f64)>,
    /// Whether the value is exact, enclosed or estimated.
    pub certainty: Certainty,
    /// The standard error of an estimated mean, if it is known. For an aggregate, it is an upper limit.
    pub error: Option<f64>,
    /// Whether grades of unjudged documents decide if the value is defined. False for aggregates.
    pub unsettled: bool,
}

impl From<PairScore> for MeasureValue {
    fn from(PairScore { value, range, variance, certainty }: PairScore) -> MeasureValue {
        MeasureValue { mean: value, variance, range, certainty, error: None, unsettled: false }
    }
}

/// The values of all queries and measures.
#[derive(Debug)]
pub struct Evaluation {
    /// The indices of the queries in the qrels, ascending. Empty if there are no qrels.
    pub queries: Vec<usize>,
    /// The aggregate of each measure.
    pub totals: Vec<MeasureValue>,
    /// The facts for warnings and notes.
    pub facts: Facts,
    /// The flags of each query.
    pub flags: Vec<Flags>,
    cells: Vec<f64>,
    notes: Vec<Note>,
    shape: CellLayout,
}

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Mean,
    Variance,
    Low,
    High,
    /// The standard error of the mean.
    Error,
}

/// The order of the cells of a query: field by field, and measure by measure within a field. Means are always there.
#[derive(Debug, Clone, Copy)]
struct CellLayout {
    measures: usize,
    variance: bool,
    range: bool,
    errors: bool,
}

impl CellLayout {
    fn new(measures: usize, formulas: bool, settings: Settings) -> CellLayout {
        CellLayout { measures, variance: settings.variance, range: settings.has_range(), errors: formulas }
    }

    /// The index of a cell among those of a query.
    #[inline(always)]
    fn index(self, field: Field, measure: usize) -> usize {
        let low = 1 + usize::from(self.variance);
        let number = match field {
            Field::Mean => 0,
            Field::Variance => 1,
            Field::Low => low,
            Field::High => low + 1,
            Field::Error => low + 2 * usize::from(self.range),
        };
        number * self.measures + measure
    }

    /// The number of cells of a query.
    fn cells(self) -> usize {
        let fields = 1 + usize::from(self.variance) + 2 * usize::from(self.range) + usize::from(self.errors);
        self.measures * fields
    }

    /// The value of a measure, from the cells and notes of a query.
    #[inline(always)]
    fn value(self, cells: &[f64], notes: &[Note], measure: usize) -> MeasureValue {
        let cell = |field: Field| cells[self.index(field, measure)];
        let (mean, certainty) = (cell(Field::Mean), notes[measure].certainty());
        MeasureValue {
            mean,
            variance: self
                .variance
                .then(|| cell(Field::Variance))
                .filter(|variance| mean.is_nan() || !variance.is_nan()),
            range: self.range.then(|| (cell(Field::Low), cell(Field::High))),
            certainty,
            error: (self.errors && certainty == Certainty::Estimate).then(|| cell(Field::Error)),
            unsettled: notes[measure].unsettled(),
        }
    }
}

/// The cells, notes and flags of a query, which its evaluation fills in.
struct QueryCells<'a> {
    shape: CellLayout,
    /// All 0 at first.
    cells: &'a mut [f64],
    notes: &'a mut [Note],
    flags: &'a mut Flags,
}

impl QueryCells<'_> {
    fn put(&mut self, field: Field, measure: usize, value: f64) {
        put(&mut self.cells[self.shape.index(field, measure)], value);
    }

    /// Sets all fields of a measure to one value.
    fn fill(&mut self, measure: usize, value: f64) {
        self.cells.iter_mut().skip(measure).step_by(self.shape.measures).for_each(|cell| put(cell, value));
    }
}

/// Sets a cell. Adding 0 turns -0, the value of an empty sum, into 0.
#[inline]
fn put(cell: &mut f64, value: f64) {
    *cell = value + 0.0;
}

impl Evaluation {
    /// The names of the columns that were asked for, besides the mean.
    pub fn columns(&self) -> Vec<&'static str> {
        let asked = [("low", self.shape.range), ("high", self.shape.range), ("variance", self.shape.variance)];
        asked.iter().filter(|(_, asked)| *asked).map(|(name, _)| *name).collect()
    }

    /// The value of a measure for the `row`-th evaluated query.
    #[inline(always)]
    pub fn value(&self, row: usize, measure: usize) -> MeasureValue {
        let (width, measures) = (self.shape.cells(), self.shape.measures);
        let notes = &self.notes[row * measures..(row + 1) * measures];
        self.shape.value(&self.cells[row * width..(row + 1) * width], notes, measure)
    }

    /// The note of a measure's value for the `row`-th evaluated query.
    pub fn note(&self, row: usize, measure: usize) -> Note {
        self.notes[row * self.shape.measures + measure]
    }
}

/// Evaluates a run. The number of threads changes no value, because queries are added up in order.
///
/// # Errors
/// There is no query, a score does not fit the precision, or a value is undefined and the settings make that an error.
pub fn evaluate(qrels: &Qrels, run: &Run, plan: &Plan, settings: Settings) -> Result<Evaluation> {
    let files = Files { measures_only: true, ..Files::new(qrels, run, settings.queries) };
    evaluate_files(&files, plan, settings, |_| ()).map(|(evaluation, _)| evaluation)
}

/// Evaluates a run, and returns what `look` returns for the ranking of each query.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_and_look<T: Send>(
    qrels: &Qrels,
    run: &Run,
    plan: &Plan,
    settings: Settings,
    look: impl Fn(&Ranking) -> T + Sync,
) -> Result<(Evaluation, Vec<T>)> {
    evaluate_files(&Files::new(qrels, run, settings.queries), plan, settings, look)
}

fn evaluate_files<T: Send>(
    files: &Files<'_>,
    plan: &Plan,
    settings: Settings,
    look: impl Fn(&Ranking) -> T + Sync,
) -> Result<(Evaluation, Vec<T>)> {
    let (qrels, run) = (files.qrels, files.run);
    if files.pairs.is_empty() {
        return Err(no_query(qrels));
    }
    let (mut evaluation, seen) = evaluate_source(files, plan, settings, look)?;
    evaluation.facts.absent = qrels.len() - files.common;
    evaluation.facts.unknown = run.len() - files.common;
    evaluation.facts.common = files.common;
    evaluation.facts.swapped = look_swapped(qrels, run);
    evaluation.queries = files.pairs.iter().map(|&(query, _)| query).collect();
    Ok((evaluation, seen))
}

/// Evaluates the rankings of any source; see [`evaluate_and_look`].
pub(crate) fn evaluate_source<S: RankingSource, T: Send>(
    source: &S,
    plan: &Plan,
    settings: Settings,
    look: impl Fn(&Ranking) -> T + Sync,
) -> Result<(Evaluation, Vec<T>)> {
    watch::begin(|| "evaluating".into(), "queries", Some(source.len() as u64));
    let (values, seen) = QueryValues::new(source, plan, settings, look).map_err(|(_, error)| error)?;
    Ok((Evaluation::new(values, plan, settings), seen))
}

/// How many queries are added up for one measure before the next measure, while their cells are in the cache.
const ADDED_TOGETHER: usize = 512;

/// From this number of queries on, a parallel task evaluates [`STEP`] queries instead of one.
const MANY: usize = 1 << 14;
const STEP: usize = 64;

/// The cells, notes and flags of several queries, one after the other.
#[derive(Default)]
struct QueryValues {
    cells: Vec<f64>,
    notes: Vec<Note>,
    flags: Vec<Flags>,
}

impl QueryValues {
    /// Evaluates all queries of a source in parallel. If several fail, it returns the error of the first one.
    fn new<S: RankingSource, T: Send>(
        source: &S,
        plan: &Plan,
        settings: Settings,
        look: impl Fn(&Ranking) -> T + Sync,
    ) -> std::result::Result<(QueryValues, Vec<T>), (usize, Error)> {
        let shape = plan.shape(settings);
        let task = EvaluationTask::new(plan, settings);
        // `look` sees rankings even if there is no measure, and chunks cannot be empty.
        let (width, measures) = (shape.cells().max(1), shape.measures.max(1));
        let mut cells = vec![0.0; source.len() * width];
        let mut notes = vec![Note::NONE; source.len() * measures];
        let mut flags = vec![Flags::default(); source.len()];
        // If there are very many queries, one is too little work for a parallel task.
        let step = if source.len() < MANY { 1 } else { STEP };
        let outcomes: Vec<std::result::Result<Vec<T>, (usize, Error)>> = cells
            .par_chunks_mut(step * width)
            .zip(notes.par_chunks_mut(step * measures))
            .zip(flags.par_chunks_mut(step))
            .enumerate()
            .map_init(<(Workspace, S::Buffers)>::default, |(workspace, buffers), (number, ((cells, notes), flags))| {
                let first = number * step;
                let stopped = |error| (first, error);
                watch::check().map_err(stopped)?;
                let mut seen = Vec::with_capacity(flags.len());
                for (i, flags) in flags.iter_mut().enumerate() {
                    let (cells, notes) = (&mut cells[i * width..][..width], &mut notes[i * measures..][..measures]);
                    let mut row = QueryCells { shape, cells, notes, flags };
                    query::evaluate(workspace, buffers, source, first + i, &task, &mut row)
                        .map_err(|error| (first + i, error))?;
                    seen.push(look(&workspace.orders(!settings.unjudged.kept).tied));
                }
                watch::check().map_err(stopped)?; // a measure that was interrupted returns meaningless values
                watch::count(flags.len() as u64);
                Ok(seen)
            })
            .collect();
        let seen = outcomes.into_iter().collect::<std::result::Result<Vec<Vec<T>>, _>>()?;
        Ok((QueryValues { cells, notes, flags }, seen.into_iter().flatten().collect()))
    }
}

impl Evaluation {
    fn new(values: QueryValues, plan: &Plan, settings: Settings) -> Evaluation {
        let QueryValues { cells, notes, flags } = values;
        let shape = plan.shape(settings);
        let mut facts = Facts { evaluated: flags.len(), common: flags.len(), ..Facts::default() };
        facts.highest = plan.highest;
        facts.mixed = count(&flags, Flags::mixed);
        facts.matched = count(&flags, Flags::matched);
        facts.relevant = count(&flags, Flags::relevant);
        facts.undefined = count(&notes, Note::undefined);
        facts.estimated = count(&notes, |note| note.certainty() == Certainty::Estimate);
        facts.enclosed = count(&notes, |note| note.certainty() == Certainty::Interval);
        facts.overstated = count(&notes, Note::overstated);
        facts.unsettled = count(&notes, Note::unsettled);
        let is_plain = facts.estimated + facts.enclosed + facts.unsettled == 0;
        facts.undefined_queries = match shape.measures {
            1 => facts.undefined,
            _ if facts.undefined == 0 => 0,
            measures => notes.chunks_exact(measures).filter(|notes| notes.iter().any(|note| note.undefined())).count(),
        };
        let mut evaluation = Evaluation { queries: Vec::new(), totals: Vec::new(), facts, flags, cells, notes, shape };
        if shape.errors {
            let rows = 0..evaluation.flags.len();
            let values = rows.flat_map(|row| (0..shape.measures).map(move |measure| (row, measure)));
            let errors = values.filter_map(|(row, measure)| evaluation.value(row, measure).error);
            evaluation.facts.standard_error = errors.reduce(f64::max);
        }
        let mut totals = plan.totals(settings);
        let (width, mut left_out) = (shape.cells().max(1), 0);
        if is_plain && width == shape.measures {
            for cells in evaluation.cells.chunks(ADDED_TOGETHER * width) {
                for (measure, total) in totals.iter_mut().enumerate() {
                    left_out += total.add_means(cells[measure..].iter().copied().step_by(width));
                }
            }
        } else {
            let notes = evaluation.notes.chunks_exact(shape.measures.max(1));
            for (cells, notes) in evaluation.cells.chunks_exact(width).zip(notes) {
                for (measure, total) in totals.iter_mut().enumerate() {
                    let value = shape.value(cells, notes, measure);
                    left_out += usize::from(value.mean.is_nan());
                    total.add(&value);
                }
            }
        }
        evaluation.facts.left_out = left_out;
        evaluation.totals = totals.iter().map(Total::finish).collect();
        evaluation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Spec;
    use crate::registry;
    use crate::settings::{Take, Ties};
    use crate::table::Chunk;

    /// A query with its documents and their scores or grades.
    fn query(id: &str, documents: &[(&str, f64)]) -> Chunk {
        let mut chunk = Chunk::new(1);
        chunk.start_query(id.as_bytes());
        for (document, number) in documents {
            chunk.block.docs.push(document.as_bytes());
            chunk.block.columns[0].push(*number);
        }
        chunk.finish();
        chunk
    }

    /// Judgments of the queries q and r, and pieces of a run that has documents for q and s, not for r.
    fn inputs() -> (Qrels, Vec<Chunk>) {
        let judgments = vec![query("q", &[("a", 1.0), ("b", 0.0)]), query("r", &[("a", 1.0)])];
        let run = vec![query("q", &[("a", 0.5), ("b", 0.5)]), query("s", &[("a", 1.0)])];
        (Qrels::new(judgments, "qrels").expect("qrels"), run)
    }

    fn measures() -> Vec<Spec> {
        ["RR", "P@1"].map(|name| registry::parse(name).expect("a measure")).into()
    }

    #[test]
    fn tied_documents_count_by_all_of_their_orders() {
        let (qrels, run) = inputs();
        let run = Run::new(run, "run").expect("a run");
        let plan = Plan::new(&measures(), &qrels, run.longest(), None).expect("a plan");
        let settings = Settings { ties: Ties { take: Take::Range, ..Ties::default() }, ..Settings::default() };
        let evaluation = evaluate(&qrels, &run, &plan, settings).expect("values");
        assert_eq!(evaluation.queries, [0, 1]);
        assert_eq!(evaluation.columns(), ["low", "high"]);
        let MeasureValue { mean, range, certainty, .. } = evaluation.value(0, 0);
        assert_eq!((mean, range, certainty), (0.75, Some((0.5, 1.0)), Certainty::Exact));
        assert_eq!(evaluation.totals.iter().map(|total| total.mean).collect::<Vec<_>>(), [0.375, 0.25]);
        let Facts { mixed, absent, unknown, common, matched, .. } = evaluation.facts;
        assert_eq!([mixed, absent, unknown, common, matched], [1; 5]);
    }

    #[test]
    fn a_run_in_pieces_has_the_values_of_the_whole() {
        let (qrels, pieces) = inputs();
        let run = Run::new(pieces.clone(), "run").expect("a run");
        let prepared = Prepared::new(measures(), Settings::default(), &qrels, None).expect("measures");
        let plan = prepared.plan(&qrels, run.longest()).expect("a plan");
        let whole = evaluate(&qrels, &run, &plan, prepared.settings).expect("values");
        let mut streamed = Streamed::new("run", &qrels, &prepared);
        for piece in pieces {
            streamed.push(&qrels, &prepared, vec![piece]).expect("a piece");
        }
        let evaluation = streamed.finish(&qrels, &prepared).expect("values");
        assert_eq!((evaluation.totals, evaluation.facts), (whole.totals, whole.facts));
    }
}
