//! The content of tables, and rows of a second reader to compare it with.

use untied_core::Result;
use untied_core::table::columns::Content;
use untied_core::table::profiles::Detail;
use untied_core::table::{Chunk, Qrels, Run};

use crate::readers::{assert_plain, assert_profiled, assert_same, assert_subtopics, once, same};
use crate::second::Rows;

/// All kinds of tables.
pub const KINDS: [Content; 6] = [
    Content::Run { ranks: false },
    Content::Run { ranks: true },
    Content::Qrels(None),
    Content::Qrels(Some(Detail::Subtopics)),
    Content::Qrels(Some(Detail::Strata)),
    Content::Qrels(Some(Detail::Inclusion)),
];

/// A run or judgments.
pub enum Held {
    Run(Run),
    Qrels(Qrels, Option<Detail>),
}

impl Held {
    /// What was read of a table.
    pub fn new(chunks: Vec<Chunk>, kind: Content, source: &str) -> Result<Held> {
        Ok(match kind {
            Content::Run { .. } => Held::Run(Run::new(chunks, source)?),
            Content::Qrels(detail) => Held::Qrels(Qrels::with_detail(chunks, detail, source)?, detail),
        })
    }

    /// It is what the rows say: the score or grade first, then the other number.
    pub fn assert_same(&self, rows: &Rows) {
        let columns: Vec<usize> = (0..rows.values().next().map_or(0, |rows| rows[0].numbers.len())).collect();
        match self {
            Held::Run(run) => assert_same(run, rows, &columns),
            Held::Qrels(qrels, None) => assert_plain(qrels, rows),
            Held::Qrels(qrels, Some(Detail::Subtopics)) => assert_subtopics(qrels, rows),
            Held::Qrels(qrels, Some(detail)) => assert_profiled(qrels, rows, *detail, [0, 1]),
        }
    }
}

/// Rows, unless a run has a document twice, or judgments of one contradict each other.
pub fn consistent(rows: Rows, kind: Content) -> std::result::Result<Rows, Option<u64>> {
    once(rows, |a, b| !matches!(kind, Content::Run { .. }) && same(a, b))
}
