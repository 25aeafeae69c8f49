//! The rankings of one query that measures read, laid out in memory that is kept between queries.

use super::plan::Planned;
use super::{Plan, Ranked, Source};
use crate::error::Result;
use crate::measures::Orders;
use crate::ranking::{Judge, Order, Places, Ranking, best, condensed, worst};
use crate::settings::{Adjust, Settings, Ties, Unjudged};
use crate::table::Judgments;

/// What is the same for all queries.
pub(super) struct Task<'a> {
    pub plan: &'a Plan,
    pub settings: Settings,
    every_group: bool,
    /// Whether smallest and largest values are wanted.
    pub extremes: bool,
    /// Whether a measure reads rankings without unjudged documents.
    condensed: bool,
    /// Whether nothing is wanted but means of measures that read grades, and no formula is among them.
    pub means_only: bool,
    /// Whether some measures, but not all, read no more than relevant documents.
    pub sifts: bool,
}

impl<'a> Task<'a> {
    pub fn new(plan: &'a Plan, settings: Settings) -> Task<'a> {
        let every_group = matches!(settings.unjudged, Unjudged::Best | Unjudged::Worst | Unjudged::Range);
        let extremes = matches!(settings.ties, Ties::Best | Ties::Worst | Ties::Range);
        let condensed = plan.measures.iter().any(|one| one.judged_only) || settings.unjudged == Unjudged::Remove;
        let more = every_group || extremes || condensed || settings.variance || settings.adjust != Adjust::None;
        let means_only = !more && !plan.has_formulas() && !plan.reads_profiles();
        let relevant_only = |one: &Planned| one.reads_relevant_only(settings.ties.layout());
        let sifts = plan.measures.iter().any(relevant_only) && !plan.measures.iter().all(relevant_only);
        Task { plan, settings, every_group, extremes, condensed, means_only, sifts }
    }
}

/// Room for one query's evaluation, kept between queries.
#[derive(Default)]
pub(crate) struct Workspace {
    pub order: Order,
    pub places: Places,
    /// A query's scores, where they are rounded before they are compared.
    pub read: Vec<f64>,
    pub judge: Judge,
    /// The ranking, with its orders.
    pub all: Orders,
    judged: Orders,
    /// Relevant documents alone, for measures that read no others.
    pub relevant: Ranking,
    /// The same with numbers of profiles as grades, for measures that read them.
    pub profiles: Orders,
    judged_profiles: Orders,
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
        task: &Task<'_>,
    ) -> Result<Ranked> {
        self.judge.every_group = task.every_group;
        let ranked = source.rank(query, truth, task.plan, task.settings, self)?;
        if let Some(depth) = task.settings.depth {
            self.all.tied.cut(depth);
            self.profiles.tied.cut(depth);
        }
        if task.condensed {
            condensed(&self.all.tied, &mut self.judged.tied);
            condensed(&self.profiles.tied, &mut self.judged_profiles.tied);
        }
        if task.extremes {
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

    /// The same with numbers of profiles as grades.
    pub(super) fn profiles_laid_out(&self, without_unjudged: bool) -> &Orders {
        if without_unjudged { &self.judged_profiles } else { &self.profiles }
    }
}
