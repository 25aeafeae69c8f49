//! A run and qrels as a source of judged rankings.

use super::workspace::Workspace;
use super::{Plan, RankingFlags, RankingSource};
use crate::error::{Error, Result, show};
use crate::ranking::misfit;
use crate::settings::{Queries, Settings};
use crate::table::profiles::Detail;
use crate::table::{Judgments, Qrels, Rows, Run};

/// The index of a query in the qrels, and its index in the run unless the run lacks it.
pub(super) type QueryPair = (usize, Option<usize>);

/// The error if there is no query to evaluate.
pub(super) fn no_query(qrels: &Qrels) -> Error {
    let why = if qrels.is_empty() { "the qrels are empty" } else { "the run and the qrels have no query in common" };
    Error::Value(format!("no query to evaluate: {why}"))
}

/// A run, its qrels and the queries to evaluate.
pub(super) struct Files<'a> {
    pub qrels: &'a Qrels,
    pub run: &'a Run,
    /// The queries to evaluate.
    pub pairs: Vec<QueryPair>,
    /// How many queries are in both.
    pub common: usize,
    /// Whether only measures read the rankings. Rankings may then leave out what no measure needs.
    pub measures_only: bool,
}

impl<'a> Files<'a> {
    pub fn new(qrels: &'a Qrels, run: &'a Run, queries: Queries) -> Files<'a> {
        let mut pairs: Vec<QueryPair> = qrels.numbers_in(run).enumerate().collect();
        let common = pairs.iter().filter(|(_, in_run)| in_run.is_some()).count();
        if queries == Queries::Common {
            pairs.retain(|(_, in_run)| in_run.is_some());
        }
        Files { qrels, run, pairs, common, measures_only: false }
    }

    fn id(&self, query: usize) -> &'a [u8] {
        self.qrels.id(self.pairs[query].0)
    }
}

impl RankingSource for Files<'_> {
    type Buffers = ();

    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn name(&self, query: usize) -> String {
        show(self.id(query))
    }

    fn judgments(&self, query: usize) -> Judgments<'_> {
        self.qrels.judgments(self.pairs[query].0)
    }

    fn profiles(&self, query: usize, plan: &Plan) -> Option<Judgments<'_>> {
        let detail = self.qrels.detail().filter(|_| plan.reads_profiles())?;
        Some(self.qrels.by_profile(detail)?.judgments(self.pairs[query].0))
    }

    fn rank(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        plan: &Plan,
        settings: Settings,
        workspace: &mut Workspace,
        _buffers: &mut (),
    ) -> Result<RankingFlags> {
        let rows = self.pairs[query].1.map_or_else(Rows::none, |number| self.run.rows(number));
        let Workspace { order, judge, all, profiles, .. } = workspace;
        let layout = settings.ties.layout;
        order.sort(rows.column(0), settings.precision).map_err(|score| misfit(score, self.id(query)))?;
        let remove = !settings.unjudged.kept;
        judge.relevant_only = self.measures_only && plan.lengths.is_none() && plan.reads_grades_above_0(settings);
        let (mut mixed, matched) = judge.judge(&rows, order, truth, layout, remove, &mut all.tied);
        if let Some(lengths) = &plan.lengths {
            let measured = judge.measure(&rows, order, truth, layout, lengths, &mut all.tied);
            measured.map_err(|row| lengths.lack(rows.doc(row), self.id(query)))?;
        }
        if let Some(truth) = self.profiles(query, plan) {
            judge.relevant_only = false;
            let (differ, _) = judge.judge(&rows, order, &truth, layout, remove, &mut profiles.tied);
            mixed |= differ && self.qrels.detail() == Some(Detail::Subtopics); // other profiles have a single grade
        }
        if rows.is_empty() && settings.placeholder {
            all.tied.retrieved = 1;
        }
        Ok(RankingFlags { mixed, matched })
    }
}
