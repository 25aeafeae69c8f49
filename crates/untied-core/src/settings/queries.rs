//! Which queries count.

use super::policy::Purpose::{Distributions, Runs};
use super::policy::{Choice, Policy, PolicyInfo};

/// Which queries count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Queries {
    /// All of the qrels; those that the run lacks as an empty ranking.
    #[default]
    Qrels,
    /// Those that are in both.
    Common,
}

/// The policy `queries`.
pub static QUERIES: Policy<Queries> = Policy {
    info: PolicyInfo {
        name: "queries",
        label: "Queries",
        about: "choose which queries count in means",
        placeholder: "POLICY",
    },
    pattern: None,
    choices: &[
        Choice {
            name: "qrels",
            value: Queries::Qrels,
            meaning: "count all judged queries, even if a query is missing from a run",
            phrase: "",
            on: &[Runs, Distributions],
            refused: &[],
        },
        Choice {
            name: "common",
            value: Queries::Common,
            meaning: "count only queries that are in both the judgments and the run",
            phrase: "",
            on: &[Runs, Distributions],
            refused: &[],
        },
    ],
};
