//! Evaluates one query: writes the rankings that measures read, then computes each measure.

use super::chance::ChanceBaseline;
use super::plan::Planned;
use super::spread::{MeasuredQuery, Spread};
use super::workspace::{EvaluationTask, Workspace};
use super::{Field, Flags, Note, QueryCells, RankingFlags, RankingSource, put};
use crate::error::{Error, Result};
use crate::measures::formula::Formula;
use crate::measures::{Certainty, Measure};
use crate::ranking::relevant;
use crate::settings::{Adjust, Settings, Undefined};
use crate::table::Judgments;

/// Fills in the values of all measures for a query.
pub(super) fn evaluate<S: RankingSource>(
    workspace: &mut Workspace,
    buffers: &mut S::Buffers,
    source: &S,
    query: usize,
    task: &EvaluationTask<'_>,
    row: &mut QueryCells<'_>,
) -> Result<()> {
    let truth = source.judgments(query);
    let RankingFlags { mixed, matched } = workspace.rank(source, query, &truth, task, buffers)?;
    let mut positive = truth.levels.iter().take_while(|level| level.grade > 0.0);
    // If grades have probabilities, no policy shows how far the orders of ties alone would move a value.
    let mixed = mixed && !task.plan.expected;
    *row.flags = Flags::new(mixed, matched, positive.any(|level| level.count > 0));
    if task.means_only && task.sifts {
        relevant(&workspace.all.tied, &mut workspace.relevant);
    }
    let (bases, profiles) = (source.bases(query), source.profiles(query, task.plan));
    let ranked = RankedQuery { source, query, task, workspace, truth, profiles, bases };
    if task.means_only { ranked.means(row) } else { ranked.values(row) }
}

/// A query whose rankings are in the workspace.
struct RankedQuery<'a, S> {
    source: &'a S,
    query: usize,
    task: &'a EvaluationTask<'a>,
    workspace: &'a Workspace,
    truth: Judgments<'a>,
    /// See [`RankingSource::profiles`].
    profiles: Option<Judgments<'a>>,
    /// See [`RankingSource::bases`].
    bases: Option<&'a [f64]>,
}

impl<S: RankingSource> RankedQuery<'_, S> {
    /// Fills in only means, from the ranking as it is. This shorter way matters for millions of short queries.
    #[inline]
    fn means(&self, row: &mut QueryCells<'_>) -> Result<()> {
        let RankedQuery { task: EvaluationTask { plan, settings, sifts, .. }, workspace, truth, .. } = self;
        let (ranking, layout) = (&workspace.all.tied, settings.ties.layout);
        let is_tied = ranking.is_tied();
        let cells = row.cells.iter_mut().zip(row.notes.iter_mut());
        for (m, (planned, (cell, note))) in plan.measures.iter().zip(cells).enumerate() {
            let measure = planned.measure.as_ref();
            let base = self.base(m, measure, truth);
            let read = if *sifts && planned.reads_relevant_only(layout) { &workspace.relevant } else { ranking };
            let mean = measure.mean_on(base, read, truth);
            if !mean.is_nan() {
                put(cell, mean);
                // Without ties, every measure is exact.
                if is_tied {
                    *note = note.with(measure.certainty(ranking, truth));
                }
                continue;
            }
            *note = Note::new(true, false, false);
            if settings.undefined == Undefined::Raise {
                return Err(self.undefined(planned));
            }
            if shows_undefined(planned, settings) {
                put(cell, f64::NAN);
            }
        }
        Ok(())
    }

    /// The value of [`Measure::base`]. The source may have computed it.
    #[inline]
    fn base(&self, m: usize, measure: &dyn Measure, truth: &Judgments<'_>) -> f64 {
        self.bases.map_or_else(|| measure.base(truth), |bases| bases[m])
    }

    /// Fills in all fields of all measures.
    fn values(&self, row: &mut QueryCells<'_>) -> Result<()> {
        (0..self.task.plan.len()).try_for_each(|measure| self.value(measure, row))
    }

    /// Fills in all fields of one measure.
    fn value(&self, m: usize, row: &mut QueryCells<'_>) -> Result<()> {
        let EvaluationTask { plan, settings, .. } = self.task;
        let planned = &plan.measures[m];
        let measured = self.measured(m, planned);
        let spread = measured.spread();
        let formula = measured.measure.formula();
        self.check(planned, formula)?;
        let chance = (settings.adjust == Adjust::Chance)
            .then(|| ChanceBaseline::new(measured.measure, measured.orders, measured.truth));
        let spread = match &chance {
            Some(chance) => spread.map(|spread| chance.adjusted(spread)),
            None => spread,
        };
        let Some(Spread { mean, low, high, overstated, unsettled }) = spread else {
            let why = planned.without_bounds();
            return Err(Error::Value(format!("{why}; unjudged must be nonrelevant or remove")));
        };
        let is_undefined = mean.is_nan();
        row.notes[m] = Note::new(is_undefined, overstated, unsettled);
        if settings.undefined == Undefined::Raise && (is_undefined || unsettled) {
            return Err(self.undefined(planned));
        }
        if !is_undefined {
            row.put(Field::Mean, m, mean);
            self.note_certainty(&measured, m, chance.as_ref(), row);
            if row.shape.variance {
                let variance = measured.variance();
                let variance = chance.as_ref().map_or(variance, |chance| chance.variance(variance));
                row.put(Field::Variance, m, variance);
            }
        } else if shows_undefined(planned, settings) {
            row.fill(m, f64::NAN);
        }
        if row.shape.range && !low.is_nan() {
            row.put(Field::Low, m, low);
            row.put(Field::High, m, high);
        }
        self.check(planned, formula)
    }

    /// The query as a measure reads it: with grades or profiles, with or without unjudged documents.
    fn measured<'a>(&'a self, m: usize, planned: &'a Planned) -> MeasuredQuery<'a> {
        let settings = self.task.settings;
        let without_unjudged = !settings.unjudged.kept || planned.judged_only;
        let (orders, truth) = match &self.profiles {
            Some(profiles) if planned.by_profile => (self.workspace.profile_orders(without_unjudged), profiles),
            _ => (self.workspace.orders(without_unjudged), &self.truth),
        };
        let measure = planned.measure.as_ref();
        MeasuredQuery {
            measure,
            orders,
            truth,
            base: self.base(m, measure, truth),
            grades: &planned.possible_grades,
            settings,
            lower_is_better: planned.spec.info.lower_is_better,
            judged_only: planned.judged_only,
        }
    }

    /// Notes whether a value is exact, enclosed or estimated. A user's formula also gets a standard error.
    fn note_certainty(
        &self,
        measured: &MeasuredQuery<'_>,
        m: usize,
        chance: Option<&ChanceBaseline>,
        row: &mut QueryCells<'_>,
    ) {
        let ranking = &measured.orders.tied;
        let mut certainty = chance.map_or(Certainty::Exact, |chance| chance.certainty);
        // Without ties, every measure is exact.
        if ranking.is_tied() {
            certainty = certainty.max(measured.measure.certainty(ranking, measured.truth));
            if let Some(formula) = measured.measure.formula() {
                if self.task.extremes {
                    certainty = certainty.max(formula.certainty_of_extremes(ranking));
                }
                let error = formula.standard_error(ranking, measured.truth);
                row.put(Field::Error, m, chance.map_or(error, |chance| chance.error(error)));
            }
        }
        row.notes[m] = row.notes[m].with(certainty);
    }

    /// Returns the exception that the user's formula raised, if any.
    fn check(&self, planned: &Planned, formula: Option<&Formula>) -> Result<()> {
        let Some(source) = formula.and_then(Formula::failure) else { return Ok(()) };
        let (measure, query) = (planned.spec.to_string(), Some(self.source.name(self.query)));
        Err(Error::Failure { measure, query, source })
    }

    /// The error for an undefined value.
    #[cold]
    fn undefined(&self, planned: &Planned) -> Error {
        Error::Undefined { measure: planned.spec.to_string(), query: self.source.name(self.query) }
    }
}

/// Whether an undefined value becomes NaN. Otherwise it stays 0, which is wrong if lower values are better, because 0
/// would beat every value.
fn shows_undefined(planned: &Planned, settings: &Settings) -> bool {
    settings.undefined != Undefined::Zero || planned.spec.info.lower_is_better
}
