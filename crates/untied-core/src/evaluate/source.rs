//! The interface to judged rankings, whether they come from files, arrays or features.

use super::{Plan, Workspace};
use crate::error::Result;
use crate::settings::Settings;
use crate::table::Judgments;

/// Judged rankings, query by query.
pub(crate) trait RankingSource: Sync {
    /// Memory that only this source needs to write a ranking, used again for the next query.
    type Buffers: Default + Send;

    /// The number of queries.
    fn len(&self) -> usize;

    /// The name of a query in messages.
    fn name(&self, query: usize) -> String;

    /// The judgments of a query.
    fn judgments(&self, query: usize) -> Judgments<'_>;

    /// The value of [`Measure::base`] for each measure, if the source has computed them already.
    ///
    /// [`Measure::base`]: crate::measures::Measure::base
    fn bases(&self, _query: usize) -> Option<&[f64]> {
        None
    }

    /// The same judgments with the numbers of profiles as grades, if a measure of the plan reads profiles.
    fn profiles(&self, _query: usize, _plan: &Plan) -> Option<Judgments<'_>> {
        None
    }

    /// Writes the ranking of a query, judged by `truth`, into the workspace.
    fn rank(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        plan: &Plan,
        settings: Settings,
        workspace: &mut Workspace,
        buffers: &mut Self::Buffers,
    ) -> Result<RankingFlags>;
}

/// What warnings and summaries need to know about a ranking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankingFlags {
    /// Whether tied documents have different grades.
    pub mixed: bool,
    /// Whether the qrels have any of the retrieved documents.
    pub matched: bool,
}
