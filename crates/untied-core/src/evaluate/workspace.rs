//! The rankings of one query that measures read. Their memory is used again for the next query.

use super::plan::Planned;
use super::{Plan, RankingFlags, RankingSource};
use crate::error::Result;
use crate::measures::Orders;
use crate::ranking::{Judge, Order, Ranking, best, condensed, worst};
use crate::settings::{Adjust, Settings, Take};
use crate::table::Judgments;

/// A plan and settings, with what follows from them for every query.
pub(super) struct EvaluationTask<'a> {
    pub plan: &'a Plan,
    pub settings: Settings,
    /// Whether rankings keep groups without judged documents, because their grades vary.
    every_group: bool,
    /// Whether the smallest and the largest value over tie orders are needed.
    pub extremes: bool,
    /// Whether a measure reads rankings without unjudged documents.
    condensed: bool,
    /// Whether only means are needed, and no measure is a formula or reads profiles.
    pub means_only: bool,
    /// Whether some measures, but not all, read only relevant documents.
    pub sifts: bool,
}

impl<'a> EvaluationTask<'a> {
    pub fn new(plan: &'a Plan, settings: Settings) -> EvaluationTask<'a> {
        let every_group = settings.unjudged.take != Take::Mean;
        let extremes = settings.ties.take != Take::Mean;
        let condensed = plan.measures.iter().any(|planned| planned.judged_only) || !settings.unjudged.kept;
        let more = every_group || extremes || condensed || settings.variance || settings.adjust != Adjust::None;
        let means_only = !more && !plan.has_formulas() && !plan.reads_profiles();
        let relevant_only = |planned: &Planned| planned.reads_relevant_only(settings.ties.layout);
        let sifts = plan.measures.iter().any(relevant_only) && !plan.measures.iter().all(relevant_only);
        EvaluationTask { plan, settings, every_group, extremes, condensed, means_only, sifts }
    }
}

/// The rankings of one query, and memory to sort and judge them.
#[derive(Default)]
pub(crate) struct Workspace {
    pub order: Order,
    pub judge: Judge,
    /// The ranking of all documents, in each order that measures need.
    pub all: Orders,
    /// The ranking without unjudged documents.
    judged: Orders,
    /// The ranking of relevant documents alone, for measures that read no others.
    pub relevant: Ranking,
    /// The ranking with the numbers of profiles as grades.
    pub profiles: Orders,
    /// The ranking with the numbers of profiles as grades, without unjudged documents.
    judged_profiles: Orders,
}

impl Workspace {
    /// Writes all rankings of a query that the measures read.
    pub(super) fn rank<S: RankingSource>(
        &mut self,
        source: &S,
        query: usize,
        truth: &Judgments<'_>,
        task: &EvaluationTask<'_>,
        buffers: &mut S::Buffers,
    ) -> Result<RankingFlags> {
        self.judge.every_group = task.every_group;
        let flags = source.rank(query, truth, task.plan, task.settings, self, buffers)?;
        if let Some(depth) = task.settings.depth {
            self.all.tied.cut(depth);
            self.profiles.tied.cut(depth);
        }
        if task.condensed {
            condensed(&self.all.tied, &mut self.judged.tied);
            condensed(&self.profiles.tied, &mut self.judged_profiles.tied);
        }
        if task.extremes {
            for orders in [&mut self.all, &mut self.judged, &mut self.profiles, &mut self.judged_profiles] {
                best(&orders.tied, &mut orders.best);
                worst(&orders.tied, &mut orders.worst);
            }
        }
        Ok(flags)
    }

    /// The orders of the last ranking, with or without unjudged documents.
    pub fn orders(&self, without_unjudged: bool) -> &Orders {
        if without_unjudged { &self.judged } else { &self.all }
    }

    /// The orders of the last ranking, with the numbers of profiles as grades.
    pub(super) fn profile_orders(&self, without_unjudged: bool) -> &Orders {
        if without_unjudged { &self.judged_profiles } else { &self.profiles }
    }
}
