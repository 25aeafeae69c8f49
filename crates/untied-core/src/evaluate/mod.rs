//! A run, qrels and measures in; a value for every query and measure out.

mod plan;
mod spread;
mod total;

use rayon::prelude::*;

use crate::error::{Error, Result, quote, show};
use crate::measures::{Certainty, Orders};
use crate::ranking::{Judge, Order, Ranking, best, condensed, misfit, worst};
use crate::settings::{Queries, Settings, Ties, Undefined, Unjudged};
use crate::table::profiles::Detail;
use crate::table::{Qrels, Rows, Run};
pub use plan::Plan;
use spread::{Over, Spread};
pub use total::Total;

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
}

/// What to know about one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// How sure it is.
    pub certainty: Certainty,
    /// Whether the measure has no value for the query.
    pub undefined: bool,
    /// Whether its lower bound over grades of unjudged documents is below what it is with all of these non-relevant.
    pub overstated: bool,
}

impl Note {
    const NONE: Note = Note { certainty: Certainty::Exact, undefined: false, overstated: false };
}

/// What to tell the user about an evaluation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Queries in which tied documents differ in grade.
    pub mixed: usize,
    /// Judged queries that the run lacks.
    pub absent: usize,
    /// Queries of the run that are not judged.
    pub unknown: usize,
    /// Values that were undefined.
    pub undefined: usize,
    /// Values estimated from a sample of tie orders.
    pub estimated: usize,
    /// Values whose extremes enclose those of all tie orders, but need not be reached.
    pub enclosed: usize,
    /// Values whose lower bound over grades of unjudged documents is below what they are with all of these
    /// non-relevant.
    pub overstated: usize,
}

/// Values for all queries and measures.
#[derive(Debug)]
pub struct Evaluation {
    /// The queries, by their number in the qrels, ascending.
    pub queries: Vec<usize>,
    /// Aggregates, measure by measure.
    pub totals: Vec<Value>,
    /// See [`Facts`].
    pub facts: Facts,
    /// For every query, whether tied documents differ in grade.
    pub mixed: Vec<bool>,
    cells: Vec<f64>,
    notes: Vec<Note>,
    shape: Shape,
}

/// How a query's cells are laid out: means, then variances, then lows, then highs, each for all measures.
#[derive(Debug, Clone, Copy)]
struct Shape {
    measures: usize,
    variance: bool,
    range: bool,
}

impl Shape {
    fn cells(self) -> usize {
        self.measures * (1 + usize::from(self.variance) + 2 * usize::from(self.range))
    }

    /// `cells` and `notes` are those of one query.
    fn value(self, cells: &[f64], notes: &[Note], measure: usize) -> Value {
        let field = |number: usize| cells[number * self.measures + measure];
        let range = 1 + usize::from(self.variance);
        let mean = field(0);
        Value {
            mean,
            variance: self.variance.then(|| field(1)).filter(|variance| mean.is_nan() || !variance.is_nan()),
            range: self.range.then(|| (field(range), field(range + 1))),
            certainty: notes[measure].certainty,
        }
    }
}

impl Evaluation {
    /// Which columns were asked for besides the mean.
    #[must_use]
    pub fn columns(&self) -> Vec<&'static str> {
        let asked = [("low", self.shape.range), ("high", self.shape.range), ("variance", self.shape.variance)];
        asked.iter().filter(|(_, asked)| *asked).map(|(name, _)| *name).collect()
    }

    /// The value of a measure for the `row`-th evaluated query.
    #[must_use]
    pub fn value(&self, row: usize, measure: usize) -> Value {
        let (width, measures) = (self.shape.cells(), self.shape.measures);
        let notes = &self.notes[row * measures..(row + 1) * measures];
        self.shape.value(&self.cells[row * width..(row + 1) * width], notes, measure)
    }

    /// What to know about it.
    #[must_use]
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
    evaluate_and_look(qrels, run, plan, settings, |_| ()).map(|(evaluation, _)| evaluation)
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
    let mut pairs: Vec<(usize, Option<usize>)> =
        (0..qrels.len()).map(|query| (query, run.find(qrels.id(query)))).collect();
    let common = pairs.iter().filter(|(_, found)| found.is_some()).count();
    if settings.queries == Queries::Common {
        pairs.retain(|(_, found)| found.is_some());
    }
    if pairs.is_empty() {
        let why = if qrels.is_empty() { "the qrels are empty" } else { "the run and the qrels have none in common" };
        return Err(Error::Value(format!("no query to evaluate: {why}")));
    }
    let range = settings.ties == Ties::Range || settings.unjudged == Unjudged::Range;
    let shape = Shape { measures: plan.measures.len(), variance: settings.variance, range };
    // Without any measure there still is something to look at.
    let (width, measures) = (shape.cells().max(1), shape.measures.max(1));
    let mut cells = vec![0.0; pairs.len() * width];
    let mut notes = vec![Note::NONE; pairs.len() * measures];
    let outcomes: Vec<Result<(bool, T)>> = cells
        .par_chunks_mut(width)
        .zip(notes.par_chunks_mut(measures))
        .zip(&pairs)
        .map_init(Workspace::default, |workspace, ((cells, notes), &(query, found))| {
            let rows = found.map_or_else(Rows::none, |found| run.rows(found));
            let mixed = workspace.query(qrels, query, &rows, plan, settings, shape, cells, notes)?;
            Ok((mixed, look(&workspace.orders(settings).tied)))
        })
        .collect();
    let (mixed, seen): (Vec<bool>, Vec<T>) = outcomes.into_iter().collect::<Result<_>>()?;
    let count = |is_one: fn(&Note) -> bool| notes.iter().filter(|note| is_one(note)).count();
    let facts = Facts {
        mixed: mixed.iter().filter(|&&mixed| mixed).count(),
        absent: qrels.len() - common,
        unknown: run.len() - common,
        undefined: count(|note| note.undefined),
        estimated: count(|note| note.certainty == Certainty::Estimate),
        enclosed: count(|note| note.certainty == Certainty::Interval),
        overstated: count(|note| note.overstated),
    };
    let queries = pairs.into_iter().map(|(query, _)| query).collect();
    let mut evaluation = Evaluation { queries, totals: Vec::new(), facts, mixed, cells, notes, shape };
    evaluation.totals = (0..shape.measures)
        .map(|measure| {
            let mut total = Total::new(plan.aggregates[measure], shape.range, shape.variance);
            (0..evaluation.queries.len()).for_each(|row| total.add(&evaluation.value(row, measure)));
            total.finish()
        })
        .collect();
    Ok((evaluation, seen))
}

/// Room for one query's evaluation, kept between queries.
#[derive(Default)]
struct Workspace {
    order: Order,
    judge: Judge,
    all: Orders,
    judged: Orders,
    /// The same with numbers of profiles as grades, for measures of subtopics.
    profiles: Orders,
    judged_profiles: Orders,
}

impl Workspace {
    /// What measures read, but for those that drop unjudged documents on their own.
    fn orders(&self, settings: Settings) -> &Orders {
        if settings.unjudged == Unjudged::Remove { &self.judged } else { &self.all }
    }

    #[allow(clippy::too_many_arguments)]
    fn query(
        &mut self,
        qrels: &Qrels,
        query: usize,
        rows: &Rows<'_>,
        plan: &Plan,
        settings: Settings,
        shape: Shape,
        cells: &mut [f64],
        notes: &mut [Note],
    ) -> Result<bool> {
        let truth = qrels.truth(query);
        let sorted = self.order.sort(rows.column(0), settings.precision);
        sorted.map_err(|score| misfit(score, qrels.id(query)))?;
        let layout = settings.ties.layout();
        let remove = settings.unjudged == Unjudged::Remove;
        self.judge.every_group = matches!(settings.unjudged, Unjudged::Best | Unjudged::Worst | Unjudged::Range);
        let mut mixed = self.judge.judge(rows, &self.order, &truth, layout, remove, &mut self.all.tied);
        if let Some(lengths) = &plan.lengths {
            let measured = self.judge.measure(rows, &self.order, &truth, layout, lengths, &mut self.all.tied);
            measured.map_err(|row| {
                let (doc, query, source) = (quote(rows.doc(row)), quote(qrels.id(query)), &lengths.source);
                Error::Value(format!("{source} has no length of document {doc}, retrieved for query {query}"))
            })?;
        }
        let detail = qrels.detail().filter(|_| plan.by_profile.contains(&true));
        let profiles = detail.and_then(|detail| qrels.by_profile(detail)).map(|qrels| qrels.truth(query));
        if let Some(truth) = &profiles {
            let differ = self.judge.judge(rows, &self.order, truth, layout, remove, &mut self.profiles.tied);
            mixed |= differ && detail == Some(Detail::Subtopics); // others have one grade
        }
        if rows.is_empty() && settings.placeholder {
            self.all.tied.retrieved = 1;
        }
        if let Some(depth) = settings.depth {
            self.all.tied.cut(depth);
            self.profiles.tied.cut(depth);
        }
        let extremes = matches!(settings.ties, Ties::Best | Ties::Worst | Ties::Range);
        if remove || plan.judged_only.contains(&true) {
            condensed(&self.all.tied, &mut self.judged.tied);
            condensed(&self.profiles.tied, &mut self.judged_profiles.tied);
        }
        if extremes {
            for orders in [&mut self.all, &mut self.judged] {
                best(&orders.tied, &mut orders.best);
                worst(&orders.tied, &mut orders.worst);
            }
        }
        for (m, measure) in plan.measures.iter().enumerate() {
            let (orders, truth) = match (&profiles, plan.by_profile[m], remove || plan.judged_only[m]) {
                (Some(profiles), true, true) => (&self.judged_profiles, profiles),
                (Some(profiles), true, false) => (&self.profiles, profiles),
                (_, _, true) => (&self.judged, &truth),
                (_, _, false) => (&self.all, &truth),
            };
            // Plus 0: an empty sum is -0, which reads badly.
            let mut put = |field: usize, value: f64| cells[field * shape.measures + m] = value + 0.0;
            let lower_is_better = plan.specs[m].info.lower_is_better;
            let open_grades = plan.open_grades();
            let over = Over { measure: measure.as_ref(), orders, truth, open_grades, settings, lower_is_better };
            let spread = match settings.unjudged {
                Unjudged::Nonrelevant | Unjudged::Remove => Some(over.ties()),
                _ if plan.judged_only[m] => None,
                _ => over.grades(),
            };
            let Some(Spread { mean, low, high, overstated: is_overstated }) = spread else {
                let why = plan.without_bounds(m);
                return Err(Error::Value(format!("{why}; unjudged must be nonrelevant or remove")));
            };
            let is_undefined = mean.is_nan();
            (notes[m].undefined, notes[m].overstated) = (is_undefined, is_overstated);
            if is_undefined {
                match settings.undefined {
                    Undefined::Raise => {
                        let measure = plan.specs[m].to_string();
                        return Err(Error::Undefined { measure, query: show(qrels.id(query)) });
                    }
                    // Cells are 0 from the start, but where lower is better 0 would beat every value.
                    Undefined::Zero if !lower_is_better => {}
                    _ => {
                        (0..shape.cells() / shape.measures).for_each(|field| put(field, f64::NAN));
                        continue;
                    }
                }
            } else {
                put(0, mean);
                // Of one order every measure is exact.
                if orders.tied.is_tied() {
                    notes[m].certainty = measure.certainty(&orders.tied, truth);
                }
            }
            if shape.variance && !is_undefined {
                put(1, over.variance());
            }
            if shape.range && !low.is_nan() {
                let field = 1 + usize::from(shape.variance);
                put(field, low);
                put(field + 1, high);
            }
        }
        Ok(mixed)
    }
}
