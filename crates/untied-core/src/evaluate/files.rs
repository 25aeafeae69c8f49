//! Rankings of a run, judged by qrels.

use super::workspace::Workspace;
use super::{Plan, Ranked, Source};
use crate::error::{Error, Result, show};
use crate::ranking::misfit;
use crate::settings::{Queries, Settings, Unjudged};
use crate::table::profiles::Detail;
use crate::table::{Judgments, Qrels, Rows, Run};

/// A query's numbers in the qrels and, if it is there, in the run.
pub(super) type Pair = (usize, Option<usize>);

/// The error where no query counts.
pub(super) fn none(qrels: &Qrels) -> Error {
    let why = if qrels.is_empty() { "the qrels are empty" } else { "the run and the qrels have no query in common" };
    Error::Value(format!("no query to evaluate: {why}"))
}

/// A run and qrels.
pub(super) struct Files<'a> {
    pub qrels: &'a Qrels,
    pub run: &'a Run,
    /// The queries that count.
    pub pairs: Vec<Pair>,
    /// Queries that are in both.
    pub common: usize,
    /// Whether nothing but measures reads the rankings, for means and extremes.
    pub unseen: bool,
}

impl<'a> Files<'a> {
    pub fn new(qrels: &'a Qrels, run: &'a Run, queries: Queries) -> Files<'a> {
        let mut pairs: Vec<Pair> = qrels.numbers_in(run).enumerate().collect();
        let common = pairs.iter().filter(|(_, found)| found.is_some()).count();
        if queries == Queries::Common {
            pairs.retain(|(_, found)| found.is_some());
        }
        Files { qrels, run, pairs, common, unseen: false }
    }

    fn id(&self, query: usize) -> &'a [u8] {
        self.qrels.id(self.pairs[query].0)
    }
}

impl Source for Files<'_> {
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
        room: &mut Workspace,
    ) -> Result<Ranked> {
        let rows = self.pairs[query].1.map_or_else(Rows::none, |found| self.run.rows(found));
        let Workspace { order, judge, all, profiles, .. } = room;
        let layout = settings.ties.layout();
        order.sort(rows.column(0), settings.precision).map_err(|score| misfit(score, self.id(query)))?;
        let remove = settings.unjudged == Unjudged::Remove;
        judge.relevant_only = self.unseen && plan.lengths.is_none() && plan.reads_grades_above_0(settings);
        let (mut mixed, matched) = judge.judge(&rows, order, truth, layout, remove, &mut all.tied);
        if let Some(lengths) = &plan.lengths {
            let measured = judge.measure(&rows, order, truth, layout, lengths, &mut all.tied);
            measured.map_err(|row| lengths.lack(rows.doc(row), self.id(query)))?;
        }
        if let Some(truth) = self.profiles(query, plan) {
            judge.relevant_only = false;
            let (differ, _) = judge.judge(&rows, order, &truth, layout, remove, &mut profiles.tied);
            mixed |= differ && self.qrels.detail() == Some(Detail::Subtopics); // others have one grade
        }
        if rows.is_empty() && settings.placeholder {
            all.tied.retrieved = 1;
        }
        Ok(Ranked { mixed, matched })
    }
}
