//! The values of all measures of one query: its rankings are laid out, then measured.

use super::chance::Chance;
use super::plan::Planned;
use super::spread::{MeasuredQuery, Spread};
use super::workspace::{Task, Workspace};
use super::{Field, Flags, Note, Ranked, Row, Source, put};
use crate::error::{Error, Result};
use crate::measures::formula::Formula;
use crate::measures::{Certainty, Measure};
use crate::ranking::relevant;
use crate::settings::{Adjust, Settings, Undefined, Unjudged};
use crate::table::Judgments;

/// Fill in what is asked for of a query.
pub(super) fn evaluate<S: Source>(
    room: &mut Workspace,
    source: &S,
    query: usize,
    task: &Task<'_>,
    row: &mut Row<'_>,
) -> Result<()> {
    let truth = source.judgments(query);
    let Ranked { mixed, matched } = room.rank(source, query, &truth, task)?;
    let mut positive = truth.levels.iter().take_while(|level| level.grade > 0.0);
    *row.flags = Flags::new(mixed, matched, positive.any(|level| level.count > 0));
    if task.means_only && task.sifts {
        relevant(&room.all.tied, &mut room.relevant);
    }
    let (bases, profiles) = (source.bases(query), source.profiles(query, task.plan));
    let of = LaidOut { source, query, task, room, truth, profiles, bases };
    if !task.means_only {
        return of.values(row);
    }
    of.means(row)
}

/// A query whose rankings are laid out.
struct LaidOut<'a, S> {
    source: &'a S,
    query: usize,
    task: &'a Task<'a>,
    room: &'a Workspace,
    truth: Judgments<'a>,
    /// See [`Source::profiles`].
    profiles: Option<Judgments<'a>>,
    /// See [`Source::bases`].
    bases: Option<&'a [f64]>,
}

impl<S: Source> LaidOut<'_, S> {
    /// Fill in means, of the ranking as it is: the short way, for millions of short queries.
    #[inline]
    fn means(&self, row: &mut Row<'_>) -> Result<()> {
        let LaidOut { task: Task { plan, settings, sifts, .. }, room, truth, .. } = self;
        let (ranking, layout) = (&room.all.tied, settings.ties.layout());
        let is_tied = ranking.is_tied();
        let cells = row.cells.iter_mut().zip(row.notes.iter_mut());
        for (m, (planned, (cell, note))) in plan.measures.iter().zip(cells).enumerate() {
            let measure = planned.measure.as_ref();
            let base = self.base(m, measure, truth);
            let read = if *sifts && planned.reads_relevant_only(layout) { &room.relevant } else { ranking };
            let mean = measure.mean_on(base, read, truth);
            if !mean.is_nan() {
                put(cell, mean);
                // Of one order every measure is exact.
                if is_tied {
                    *note = note.with(measure.certainty(ranking, truth));
                }
                continue;
            }
            *note = Note::new(true, false, false);
            if settings.undefined == Undefined::Raise {
                return Err(self.undefined(planned));
            }
            if is_told(planned, settings) {
                put(cell, f64::NAN);
            }
        }
        Ok(())
    }

    /// See [`Measure::base`].
    #[inline]
    fn base(&self, m: usize, measure: &dyn Measure, truth: &Judgments<'_>) -> f64 {
        self.bases.map_or_else(|| measure.base(truth), |bases| bases[m])
    }

    /// Fill in all fields of all measures.
    fn values(&self, row: &mut Row<'_>) -> Result<()> {
        (0..self.task.plan.len()).try_for_each(|measure| self.value(measure, row))
    }

    fn value(&self, m: usize, row: &mut Row<'_>) -> Result<()> {
        let Task { plan, settings, .. } = self.task;
        let planned = &plan.measures[m];
        let of = self.measured(m, planned);
        let spread = of.spread();
        let formula = of.measure.formula();
        self.check(planned, formula)?;
        let chance = (settings.adjust == Adjust::Chance).then(|| Chance::new(of.measure, of.orders, of.truth));
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
            self.note_certainty(&of, m, chance.as_ref(), row);
            if row.shape.variance {
                let variance = of.variance();
                let variance = chance.as_ref().map_or(variance, |chance| chance.variance(variance));
                row.put(Field::Variance, m, variance);
            }
        } else if is_told(planned, settings) {
            row.fill(m, f64::NAN);
        }
        if row.shape.range && !low.is_nan() {
            row.put(Field::Low, m, low);
            row.put(Field::High, m, high);
        }
        self.check(planned, formula)
    }

    /// What a measure reads.
    fn measured<'a>(&'a self, m: usize, planned: &'a Planned) -> MeasuredQuery<'a> {
        let settings = self.task.settings;
        let without_unjudged = settings.unjudged == Unjudged::Remove || planned.judged_only;
        let (orders, truth) = match &self.profiles {
            Some(profiles) if planned.by_profile => (self.room.profiles_laid_out(without_unjudged), profiles),
            _ => (self.room.laid_out(without_unjudged), &self.truth),
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

    /// Note how sure a value is, with its standard error if it is a user's formula that is sampled.
    fn note_certainty(&self, of: &MeasuredQuery<'_>, m: usize, chance: Option<&Chance>, row: &mut Row<'_>) {
        let ranking = &of.orders.tied;
        let mut certainty = chance.map_or(Certainty::Exact, |chance| chance.certainty);
        // Of one order every measure is exact.
        if ranking.is_tied() {
            certainty = certainty.max(of.measure.certainty(ranking, of.truth));
            if let Some(formula) = of.measure.formula() {
                if self.task.extremes {
                    certainty = certainty.max(formula.certainty_of_extremes(ranking));
                }
                let error = formula.standard_error(ranking, of.truth);
                row.put(Field::Error, m, chance.map_or(error, |chance| chance.error(error)));
            }
        }
        row.notes[m] = row.notes[m].with(certainty);
    }

    /// Check that no code of the user's has failed.
    fn check(&self, planned: &Planned, formula: Option<&Formula>) -> Result<()> {
        let Some(source) = formula.and_then(Formula::failure) else { return Ok(()) };
        let (measure, query) = (planned.spec.to_string(), Some(self.source.name(self.query)));
        Err(Error::Failure { measure, query, source })
    }

    /// The error for a value that is not defined.
    #[cold]
    fn undefined(&self, planned: &Planned) -> Error {
        Error::Undefined { measure: planned.spec.to_string(), query: self.source.name(self.query) }
    }
}

/// Whether the cells of an undefined value tell that it is. They are 0 from the start, but if lower is better 0 would
/// beat every value.
fn is_told(planned: &Planned, settings: &Settings) -> bool {
    settings.undefined != Undefined::Zero || planned.spec.info.lower_is_better
}
