//! Where rankings and judgments come from.

use super::{Plan, Workspace};
use crate::error::Result;
use crate::settings::Settings;
use crate::table::Judgments;

/// Rankings with judgments, query by query.
pub(crate) trait Source: Sync {
    /// Number of queries.
    fn len(&self) -> usize;

    /// What a query is called in messages.
    fn name(&self, query: usize) -> String;

    /// The judgments of a query.
    fn judgments(&self, query: usize) -> Judgments<'_>;

    /// What measures need of these judgments alone, where it is known before: see [`Measure::base`].
    ///
    /// [`Measure::base`]: crate::measures::Measure::base
    fn bases(&self, _query: usize) -> Option<&[f64]> {
        None
    }

    /// The same judgments with numbers of profiles as grades, where a measure reads them.
    fn profiles(&self, _query: usize, _plan: &Plan) -> Option<Judgments<'_>> {
        None
    }

    /// Write the ranking of a query, with these judgments, into the workspace.
    fn rank(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        plan: &Plan,
        settings: Settings,
        room: &mut Workspace,
    ) -> Result<Ranked>;
}

/// What to know about a ranking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranked {
    /// Whether tied documents differ in grade.
    pub mixed: bool,
    /// Whether the qrels hold a retrieved document.
    pub matched: bool,
}
