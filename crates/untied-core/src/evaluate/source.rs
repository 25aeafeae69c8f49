//! The interface to judged rankings from files, arrays or features.

use super::{Plan, Workspace};
use crate::error::Result;
use crate::settings::Settings;
use crate::table::Judgments;

/// Judged rankings, query by query.
pub(crate) trait RankingSource: Sync {
    /// The memory in which this source writes a ranking. It is used again for the next query.
    type Buffers: Default + Send;

    /// The number of queries.
    fn len(&self) -> usize;

    /// The name of a query in messages.
    fn name(&self, query: usize) -> String;

    /// The judgments of a query.
    fn judgments(&self, query: usize) -> Judgments<'_>;

    /// The value of [`Measure::base`] for each measure, if the source has computed it already.
    ///
    /// [`Measure::base`]: crate::measures::Measure::base
    fn bases(&self, _query: usize) -> Option<&[f64]> {
        None
    }

    /// The judgments with the numbers of profiles as grades, if a measure reads profiles.
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

/// Facts about a ranking, for warnings and summaries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankingFlags {
    /// Whether tied documents have different grades.
    pub mixed: bool,
    /// Whether the qrels have any retrieved document.
    pub matched: bool,
}
