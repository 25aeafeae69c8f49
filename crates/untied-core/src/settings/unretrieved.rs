//! What becomes of unjudged documents of the pool that are not retrieved.

use super::policy::Purpose::{Runs, Verdicts};
use super::policy::{Choice, Policy, PolicyInfo};

/// The policy `unretrieved`: whether such documents may have other grades too, where unjudged documents do.
pub static UNRETRIEVED: Policy<bool> = Policy {
    info: PolicyInfo {
        name: "unretrieved",
        label: "Pooled, unjudged documents (grade -1) that a run did not retrieve",
        about: "choose what to do with unjudged documents in the pool (grade -1) that a run did not retrieve",
        placeholder: "POLICY",
    },
    pattern: None,
    choices: &[
        Choice {
            name: "none",
            value: false,
            meaning: "count unretrieved documents as non-relevant",
            phrase: "",
            on: &[Runs],
            refused: &[],
        },
        Choice {
            name: "pooled",
            value: true,
            meaning: "consider all grades that unretrieved documents in the pool could have",
            phrase: "",
            on: &[Runs],
            refused: &[],
        },
    ],
};

/// The policy `unretrieved` of verdicts.
pub static UNRETRIEVED_OF_VERDICTS: Policy<bool> = Policy {
    info: PolicyInfo {
        name: "unretrieved",
        label: "Pooled, unjudged documents (grade -1) that neither run retrieves",
        about: "choose whether documents that neither run retrieves may be relevant",
        placeholder: "POLICY",
    },
    pattern: None,
    choices: &[
        Choice {
            name: "none",
            value: false,
            meaning: "only retrieved unjudged documents may be relevant",
            phrase: "",
            on: &[Verdicts],
            refused: &[],
        },
        Choice {
            name: "pooled",
            value: true,
            meaning: "unretrieved pooled documents (grade -1) may be relevant too",
            phrase: "",
            on: &[Verdicts],
            refused: &[],
        },
    ],
};
