//! A run, qrels and measures in; a value for every query and measure out.

mod chance;
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
use files::{Files, none};
pub use laws::{Laws, laws};
use notes::count;
pub use notes::{Flags, Note};
pub(crate) use plan::Planned;
pub use plan::{Plan, Prepared};
pub(crate) use source::{Ranked, Source};
pub use streamed::{Stream, Streamed, evaluate_stream};
pub use total::Total;
use workspace::Task;
pub(crate) use workspace::Workspace;

/// A value of a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// Mean over what is still possible.
    pub mean: f64,
    /// Variance over it, where asked for and known.
    pub variance: Option<f64>,
    /// Smallest and largest value, where asked for.
    pub range: Option<(f64, f64)>,
    /// How sure this is.
    pub certainty: Certainty,
    /// Standard error of the mean where it is estimated, if that is known; of an aggregate, at most so much.
    pub error: Option<f64>,
    /// Whether grades of unjudged documents decide if the query counts; not of an aggregate.
    pub unsettled: bool,
}

impl From<PairScore> for Value {
    fn from(PairScore { value, range, variance, certainty }: PairScore) -> Value {
        Value { mean: value, variance, range, certainty, error: None, unsettled: false }
    }
}

/// What to tell the user about an evaluation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Queries in which tied documents differ in grade.
    pub mixed: usize,
    /// Judged queries that the run lacks.
    pub absent: usize,
    /// Queries of the run that are not judged.
    pub unknown: usize,
    /// Queries that are in both.
    pub common: usize,
    /// Those with a retrieved document that the qrels hold.
    pub matched: usize,
    /// Evaluated queries with a document of a grade above 0, retrieved or not.
    pub relevant: usize,
    /// Whether the qrels look like a run and the run like qrels.
    pub swapped: bool,
    /// The highest grade of all judgments, or 0.
    pub highest: f64,
    /// Values that were undefined.
    pub undefined: usize,
    /// Queries with such a value.
    pub undefined_queries: usize,
    /// Undefined values that aggregates leave out instead of counting them as 0.
    pub left_out: usize,
    /// Values estimated from a sample of tie orders.
    pub estimated: usize,
    /// The largest of their standard errors, as far as these are known.
    pub error: Option<f64>,
    /// Values whose extremes enclose those of all tie orders, but need not be reached.
    pub enclosed: usize,
    /// Values whose lower bound over grades of unjudged documents is below what they are with all of these
    /// non-relevant.
    pub overstated: usize,
    /// Values that are undefined with some grades of the unjudged documents, but not with all.
    pub unsettled: usize,
}

impl Facts {
    /// Add the facts of other queries of the same data, which has no queries on one side alone.
    pub(crate) fn add(&mut self, other: &Facts) {
        let Facts { mixed, absent, unknown, common, matched, relevant, swapped: _, highest, .. } = *other;
        let Facts { undefined, undefined_queries, left_out, estimated, error, .. } = *other;
        let Facts { enclosed, overstated, unsettled, .. } = *other;
        self.mixed += mixed;
        self.absent += absent;
        self.unknown += unknown;
        self.common += common;
        self.matched += matched;
        self.relevant += relevant;
        self.highest = highest; // of all data, not of these queries
        self.undefined += undefined;
        self.undefined_queries += undefined_queries;
        self.left_out += left_out;
        self.estimated += estimated;
        self.error = self.error.into_iter().chain(error).reduce(f64::max);
        self.enclosed += enclosed;
        self.overstated += overstated;
        self.unsettled += unsettled;
    }
}

/// Values for all queries and measures.
#[derive(Debug)]
pub struct Evaluation {
    /// The queries, by their number in the qrels, ascending; none if they do not come from qrels.
    pub queries: Vec<usize>,
    /// Aggregates, measure by measure.
    pub totals: Vec<Value>,
    /// See [`Facts`].
    pub facts: Facts,
    /// Flags of every query.
    pub flags: Vec<Flags>,
    cells: Vec<f64>,
    notes: Vec<Note>,
    shape: Shape,
}

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Mean,
    Variance,
    Low,
    High,
    /// Standard error of the mean.
    Error,
}

/// How a query's cells are laid out: field by field, each for all measures. Only means are always there.
#[derive(Debug, Clone, Copy)]
struct Shape {
    measures: usize,
    variance: bool,
    range: bool,
    errors: bool,
}

impl Shape {
    fn of(measures: usize, formulas: bool, settings: Settings) -> Shape {
        Shape { measures, variance: settings.variance, range: settings.has_range(), errors: formulas }
    }

    /// The place of a field of a measure among the cells of a query.
    #[inline(always)]
    fn at(self, field: Field, measure: usize) -> usize {
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

    fn cells(self) -> usize {
        let fields = 1 + usize::from(self.variance) + 2 * usize::from(self.range) + usize::from(self.errors);
        self.measures * fields
    }

    /// `cells` and `notes` are those of one query.
    #[inline(always)]
    fn value(self, cells: &[f64], notes: &[Note], measure: usize) -> Value {
        let cell = |field: Field| cells[self.at(field, measure)];
        let (mean, certainty) = (cell(Field::Mean), notes[measure].certainty());
        Value {
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

/// Room for what is found of one query.
struct Row<'a> {
    shape: Shape,
    /// 0 at first.
    cells: &'a mut [f64],
    notes: &'a mut [Note],
    flags: &'a mut Flags,
}

impl Row<'_> {
    fn put(&mut self, field: Field, measure: usize, value: f64) {
        put(&mut self.cells[self.shape.at(field, measure)], value);
    }

    /// All fields of a measure.
    fn fill(&mut self, measure: usize, value: f64) {
        self.cells.iter_mut().skip(measure).step_by(self.shape.measures).for_each(|cell| put(cell, value));
    }
}

/// Fill a cell. Plus 0: an empty sum is -0, which reads badly.
#[inline]
fn put(cell: &mut f64, value: f64) {
    *cell = value + 0.0;
}

impl Evaluation {
    /// Which columns were asked for besides the mean.
    pub fn columns(&self) -> Vec<&'static str> {
        let asked = [("low", self.shape.range), ("high", self.shape.range), ("variance", self.shape.variance)];
        asked.iter().filter(|(_, asked)| *asked).map(|(name, _)| *name).collect()
    }

    /// The value of a measure for the `row`-th evaluated query.
    #[inline(always)]
    pub fn value(&self, row: usize, measure: usize) -> Value {
        let (width, measures) = (self.shape.cells(), self.shape.measures);
        let notes = &self.notes[row * measures..(row + 1) * measures];
        self.shape.value(&self.cells[row * width..(row + 1) * width], notes, measure)
    }

    /// What to know about it.
    pub fn note(&self, row: usize, measure: usize) -> Note {
        self.notes[row * self.shape.measures + measure]
    }
}

/// Evaluate a run.
///
/// Values do not depend on the number of threads: queries are computed one by one and put together in their order.
///
/// # Errors
/// A score does not fit the precision, or a value is undefined and that is to be an error.
pub fn evaluate(qrels: &Qrels, run: &Run, plan: &Plan, settings: Settings) -> Result<Evaluation> {
    let files = Files { unseen: true, ..Files::new(qrels, run, settings.queries) };
    evaluate_files(&files, plan, settings, |_| ()).map(|(evaluation, _)| evaluation)
}

/// Evaluate a run; with what `look` sees in the rankings that measures read, query by query.
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
        return Err(none(qrels));
    }
    let (mut evaluation, seen) = evaluate_source(files, plan, settings, look)?;
    evaluation.facts.absent = qrels.len() - files.common;
    evaluation.facts.unknown = run.len() - files.common;
    evaluation.facts.common = files.common;
    evaluation.facts.swapped = look_swapped(qrels, run);
    evaluation.queries = files.pairs.iter().map(|&(query, _)| query).collect();
    Ok((evaluation, seen))
}

/// Evaluate rankings from anywhere.
pub(crate) fn evaluate_source<S: Source, T: Send>(
    source: &S,
    plan: &Plan,
    settings: Settings,
    look: impl Fn(&Ranking) -> T + Sync,
) -> Result<(Evaluation, Vec<T>)> {
    watch::begin(|| "evaluating".into(), "queries", Some(source.len() as u64));
    let (part, seen) = Evaluated::new(source, plan, settings, look).map_err(|(_, error)| error)?;
    Ok((Evaluation::new(part, plan, settings), seen))
}

/// Queries whose values are added up measure by measure.
const AT_ONCE: usize = 512;

/// From this number of queries on, this many are one step of the work.
const MANY: usize = 1 << 14;
const STEP: usize = 64;

/// What is found of some queries, one after the other.
#[derive(Default)]
struct Evaluated {
    cells: Vec<f64>,
    notes: Vec<Note>,
    flags: Vec<Flags>,
}

impl Evaluated {
    /// In parallel; of several errors that of the first query, with its number.
    fn new<S: Source, T: Send>(
        source: &S,
        plan: &Plan,
        settings: Settings,
        look: impl Fn(&Ranking) -> T + Sync,
    ) -> std::result::Result<(Evaluated, Vec<T>), (usize, Error)> {
        let shape = plan.shape(settings);
        let task = Task::new(plan, settings);
        // Without any measure there still is something to look at.
        let (width, measures) = (shape.cells().max(1), shape.measures.max(1));
        let mut cells = vec![0.0; source.len() * width];
        let mut notes = vec![Note::NONE; source.len() * measures];
        let mut flags = vec![Flags::default(); source.len()];
        // Where there are very many they are small: then several are one step.
        let step = if source.len() < MANY { 1 } else { STEP };
        let outcomes: Vec<std::result::Result<Vec<T>, (usize, Error)>> = cells
            .par_chunks_mut(step * width)
            .zip(notes.par_chunks_mut(step * measures))
            .zip(flags.par_chunks_mut(step))
            .enumerate()
            .map_init(Workspace::default, |workspace, (number, ((cells, notes), flags))| {
                let first = number * step;
                let stopped = |error| (first, error);
                watch::check().map_err(stopped)?;
                let mut seen = Vec::with_capacity(flags.len());
                for (i, flags) in flags.iter_mut().enumerate() {
                    let (cells, notes) = (&mut cells[i * width..][..width], &mut notes[i * measures..][..measures]);
                    let mut row = Row { shape, cells, notes, flags };
                    query::evaluate(workspace, source, first + i, &task, &mut row)
                        .map_err(|error| (first + i, error))?;
                    seen.push(look(&workspace.orders(settings).tied));
                }
                watch::check().map_err(stopped)?; // measures that are stopped give anything
                watch::count(flags.len() as u64);
                Ok(seen)
            })
            .collect();
        let seen = outcomes.into_iter().collect::<std::result::Result<Vec<Vec<T>>, _>>()?;
        Ok((Evaluated { cells, notes, flags }, seen.into_iter().flatten().collect()))
    }
}

impl Evaluation {
    fn new(part: Evaluated, plan: &Plan, settings: Settings) -> Evaluation {
        let Evaluated { cells, notes, flags } = part;
        let shape = plan.shape(settings);
        let mut facts = Facts { common: flags.len(), highest: plan.highest, ..Facts::default() };
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
            evaluation.facts.error = errors.reduce(f64::max);
        }
        let mut totals = plan.totals(settings);
        let (width, mut left_out) = (shape.cells().max(1), 0);
        if is_plain && width == shape.measures {
            for cells in evaluation.cells.chunks(AT_ONCE * width) {
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
