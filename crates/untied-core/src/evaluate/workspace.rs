//! One query: its ranking, and all measures of it.

use super::chance::Chance;
use super::remembered::Remembered;
use super::spread::{MeasuredQuery, Spread};
use super::{Flags, Note, Plan, Ranked, Shape, Source};
use crate::error::{Error, Result};
use crate::measures::Orders;
use crate::measures::formula::Formula;
use crate::ranking::{Judge, Order, Places, Ranking, Short, best, condensed, relevant, worst};
use crate::settings::{Adjust, Settings, Ties, Undefined, Unjudged};
use crate::table::Judgments;

/// What is the same for all queries.
pub(super) struct Work<'a> {
    plan: &'a Plan,
    settings: Settings,
    shape: Shape,
    every_group: bool,
    /// Whether smallest and largest values are wanted.
    extremes: bool,
    /// Whether a measure reads rankings without unjudged documents.
    condensed: bool,
    /// Whether nothing is wanted but means of measures that read grades, and no formula is among them.
    means_only: bool,
    /// Which measures read no more than relevant documents, if some do but not all.
    sifted: Option<&'a [bool]>,
}

impl<'a> Work<'a> {
    pub fn new(plan: &'a Plan, settings: Settings, shape: Shape) -> Work<'a> {
        let every_group = matches!(settings.unjudged, Unjudged::Best | Unjudged::Worst | Unjudged::Range);
        let extremes = matches!(settings.ties, Ties::Best | Ties::Worst | Ties::Range);
        let condensed = settings.unjudged == Unjudged::Remove || plan.judged_only.contains(&true);
        let more = every_group || extremes || condensed || shape.variance || settings.adjust != Adjust::None;
        let means_only = !more && !plan.has_formulas() && !plan.by_profile.contains(&true);
        let relevant_only = plan.relevant_only(settings.ties.layout());
        let sifted = (relevant_only.contains(&true) && relevant_only.contains(&false)).then_some(relevant_only);
        Work { plan, settings, shape, every_group, extremes, condensed, means_only, sifted }
    }
}

/// Room for one query's evaluation, kept between queries.
#[derive(Default)]
pub(crate) struct Workspace {
    pub order: Order,
    pub places: Places,
    pub short: Short,
    /// A query's scores, where they are rounded before they are compared.
    pub read: Vec<f64>,
    pub judge: Judge,
    /// The ranking, with its orders.
    pub all: Orders,
    judged: Orders,
    /// Relevant documents alone, for measures that read no others.
    relevant: Ranking,
    /// The same with numbers of profiles as grades, for measures that read them.
    pub profiles: Orders,
    judged_profiles: Orders,
    remembered: Remembered,
}

impl Workspace {
    /// What measures read, but for those that drop unjudged documents on their own.
    pub fn orders(&self, settings: Settings) -> &Orders {
        if settings.unjudged == Unjudged::Remove { &self.judged } else { &self.all }
    }

    /// Lay out the rankings of a query that measures read.
    pub(super) fn rank<S: Source>(
        &mut self,
        source: &S,
        query: usize,
        truth: &Judgments<'_>,
        work: &Work<'_>,
    ) -> Result<Ranked> {
        self.judge.every_group = work.every_group;
        let ranked = source.rank(query, truth, work.plan, work.settings, self)?;
        if let Some(depth) = work.settings.depth {
            self.all.tied.cut(depth);
            self.profiles.tied.cut(depth);
        }
        if work.condensed {
            condensed(&self.all.tied, &mut self.judged.tied);
            condensed(&self.profiles.tied, &mut self.judged_profiles.tied);
        }
        if work.extremes {
            for orders in [&mut self.all, &mut self.judged] {
                best(&orders.tied, &mut orders.best);
                worst(&orders.tied, &mut orders.worst);
            }
        }
        Ok(ranked)
    }

    /// What measures read of the last query that was laid out; with or without unjudged documents.
    pub(super) fn laid_out(&self, without_unjudged: bool) -> &Orders {
        if without_unjudged { &self.judged } else { &self.all }
    }

    /// Fill the cells of a query, and what to know about it.
    pub(super) fn query<S: Source>(
        &mut self,
        source: &S,
        query: usize,
        work: &Work<'_>,
        cells: &mut [f64],
        notes: &mut [Note],
        flags: &mut Flags,
    ) -> Result<()> {
        let &Work { plan, ref settings, ref shape, extremes, means_only, .. } = work;
        let remove = settings.unjudged == Unjudged::Remove;
        let key = if means_only { source.key(query, self) } else { None };
        if let Some(key) = key
            && self.remembered.find(key, cells, notes, flags)
        {
            return Ok(());
        }
        let truth = source.judgments(query);
        let Ranked { mixed, matched } = self.rank(source, query, &truth, work)?;
        let (bases, profiles) = (source.bases(query), source.profiles(query, plan));
        let mut positive = truth.levels.iter().take_while(|level| level.grade > 0.0);
        *flags = Flags { mixed, matched, relevant: positive.any(|level| level.count > 0) };
        if means_only {
            if work.sifted.is_some() {
                relevant(&self.all.tied, &mut self.relevant);
            }
            self.means(source, query, work, &truth, bases, cells, notes)?;
            if let Some(key) = key {
                self.remembered.keep(key, cells, notes, *flags);
            }
            return Ok(());
        }
        for (m, measure) in plan.measures.iter().enumerate() {
            let (orders, truth) = match (&profiles, plan.by_profile[m], remove || plan.judged_only[m]) {
                (Some(profiles), true, true) => (&self.judged_profiles, profiles),
                (Some(profiles), true, false) => (&self.profiles, profiles),
                (_, _, true) => (&self.judged, &truth),
                (_, _, false) => (&self.all, &truth),
            };
            let of = |field: usize| field * shape.measures + m;
            let lower_is_better = plan.specs[m].info.lower_is_better;
            let grades = plan.possible_grades(m);
            let measure = measure.as_ref();
            let base = bases.map_or_else(|| measure.base(truth), |bases| bases[m]);
            let over = MeasuredQuery { measure, orders, truth, base, grades, settings: *settings, lower_is_better };
            let spread = match settings.unjudged {
                Unjudged::Nonrelevant | Unjudged::Remove => Some(over.ties()),
                _ if plan.judged_only[m] => None,
                _ => over.grades(),
            };
            let formula = if plan.has_formulas() { measure.formula() } else { None };
            let failed = |formula: &Formula| match formula.failure() {
                Some(failure) => {
                    let (measure, query) = (plan.specs[m].to_string(), Some(source.name(query)));
                    Err(Error::Failure { measure, query, source: failure })
                }
                None => Ok(()),
            };
            if let Some(formula) = formula {
                failed(formula)?;
            }
            let chance = (settings.adjust == Adjust::Chance).then(|| Chance::new(measure, orders, truth));
            let spread = match &chance {
                Some(chance) => spread.map(|spread| chance.adjusted(spread)),
                None => spread,
            };
            let Some(Spread { mean, low, high, overstated, unsettled }) = spread else {
                let why = plan.without_bounds(m);
                return Err(Error::Value(format!("{why}; unjudged must be nonrelevant or remove")));
            };
            let is_undefined = mean.is_nan();
            (notes[m].undefined, notes[m].overstated, notes[m].unsettled) = (is_undefined, overstated, unsettled);
            if settings.undefined == Undefined::Raise && (is_undefined || unsettled) {
                return Err(undefined(plan, m, source, query));
            }
            if is_undefined {
                // Cells are 0 from the start, but where lower is better 0 would beat every value.
                if settings.undefined != Undefined::Zero || lower_is_better {
                    (0..shape.cells() / shape.measures).for_each(|field| put(&mut cells[of(field)], f64::NAN));
                }
            } else {
                put(&mut cells[of(0)], mean);
                if let Some(chance) = &chance {
                    notes[m].certainty = chance.certainty;
                }
                // Of one order every measure is exact.
                if orders.tied.is_tied() {
                    notes[m].certainty = notes[m].certainty.max(measure.certainty(&orders.tied, truth));
                    if let Some(formula) = formula {
                        if extremes {
                            notes[m].certainty = notes[m].certainty.max(formula.certainty_of_extremes(&orders.tied));
                        }
                        let error = formula.standard_error(&orders.tied, truth);
                        let error = chance.as_ref().map_or(error, |chance| chance.error(error));
                        put(&mut cells[of(shape.errors_at())], error);
                    }
                }
            }
            if shape.variance && !is_undefined {
                let variance = over.variance();
                put(&mut cells[of(1)], chance.as_ref().map_or(variance, |chance| chance.variance(variance)));
            }
            if shape.range && !low.is_nan() {
                let field = 1 + usize::from(shape.variance);
                put(&mut cells[of(field)], low);
                put(&mut cells[of(field + 1)], high);
            }
            if let Some(formula) = formula {
                failed(formula)?;
            }
        }
        Ok(())
    }

    /// Fill in the cells if only means are asked for, of the ranking as it is: the short way, for millions of short
    /// queries.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "all that a query has")]
    fn means<S: Source>(
        &self,
        source: &S,
        query: usize,
        work: &Work<'_>,
        truth: &Judgments<'_>,
        bases: Option<&[f64]>,
        cells: &mut [f64],
        notes: &mut [Note],
    ) -> Result<()> {
        let &Work { plan, settings: Settings { undefined: policy, .. }, .. } = work;
        let ranking = &self.all.tied;
        let is_tied = ranking.is_tied();
        for (m, ((measure, cell), note)) in plan.measures.iter().zip(cells).zip(notes).enumerate() {
            let base = bases.map_or_else(|| measure.base(truth), |bases| bases[m]);
            let is_sifted = work.sifted.is_some_and(|relevant_only| relevant_only[m]);
            let read = if is_sifted { &self.relevant } else { ranking };
            let mean = measure.mean_on(base, read, truth);
            if !mean.is_nan() {
                put(cell, mean);
                // Of one order every measure is exact.
                if is_tied {
                    note.certainty = measure.certainty(ranking, truth);
                }
                continue;
            }
            note.undefined = true;
            if policy == Undefined::Raise {
                return Err(undefined(plan, m, source, query));
            }
            // Cells are 0 from the start, but where lower is better 0 would beat every value.
            if policy != Undefined::Zero || plan.specs[m].info.lower_is_better {
                put(cell, f64::NAN);
            }
        }
        Ok(())
    }
}

/// The error for a value that is not defined.
#[cold]
fn undefined<S: Source>(plan: &Plan, measure: usize, source: &S, query: usize) -> Error {
    Error::Undefined { measure: plan.specs[measure].to_string(), query: source.name(query) }
}

/// Fill a cell. Plus 0: an empty sum is -0, which reads badly.
#[inline]
fn put(cell: &mut f64, value: f64) {
    *cell = value + 0.0;
}
