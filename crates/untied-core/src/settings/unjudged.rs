//! What becomes of documents that are not judged.

use super::policy::Purpose::{Arrays, Distributions, OneValue, Runs, Verdicts};
use super::policy::{Choice, Policy, PolicyInfo, Purpose};
use super::{ONE_VALUE, Take};

/// Whether unjudged documents stay in the ranking, and which value over their grades is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unjudged {
    /// Whether they stay in the ranking.
    pub kept: bool,
    /// The value over all grades that they may have; their mean counts them as non-relevant.
    pub take: Take,
}

impl Default for Unjudged {
    fn default() -> Unjudged {
        Unjudged { kept: true, take: Take::Mean }
    }
}

const ONLY_ORDERS: (Purpose, &str) = (Distributions, "a distribution is only over orders of tied documents");

/// The policy `unjudged` of evaluations.
pub static UNJUDGED: Policy<Unjudged> = Policy {
    info: PolicyInfo {
        name: "unjudged",
        label: "Unjudged documents",
        about: "choose what to do with unjudged documents",
        placeholder: "POLICY",
    },
    pattern: None,
    choices: &[
        Choice {
            name: "nonrelevant",
            value: Unjudged { kept: true, take: Take::Mean },
            meaning: "count unjudged documents as non-relevant",
            phrase: "",
            on: &[Runs, Arrays, OneValue, Distributions],
            refused: &[],
        },
        Choice {
            name: "remove",
            value: Unjudged { kept: false, take: Take::Mean },
            meaning: "remove unjudged documents from the ranking",
            phrase: "without unjudged documents",
            on: &[Runs, Arrays, OneValue, Distributions],
            refused: &[],
        },
        Choice {
            name: "range",
            value: Unjudged { kept: true, take: Take::Range },
            meaning: "also show each measure's lowest and highest value over all grades that unjudged documents could have",
            phrase: "",
            on: &[Runs, Arrays],
            refused: &[(OneValue, ONE_VALUE), ONLY_ORDERS],
        },
        Choice {
            name: "best",
            value: Unjudged { kept: true, take: Take::Best },
            meaning: "give each measure's best value over all grades that unjudged documents could have",
            phrase: "with the best grades for unjudged documents",
            on: &[Runs, Arrays, OneValue],
            refused: &[ONLY_ORDERS],
        },
        Choice {
            name: "worst",
            value: Unjudged { kept: true, take: Take::Worst },
            meaning: "give each measure's worst value over all grades that unjudged documents could have",
            phrase: "with the worst grades for unjudged documents",
            on: &[Runs, Arrays, OneValue],
            refused: &[ONLY_ORDERS],
        },
    ],
};

/// The policy `unjudged` of verdicts: whether only documents of the pool may be relevant.
pub static UNJUDGED_OF_VERDICTS: Policy<bool> = Policy {
    info: PolicyInfo {
        name: "unjudged",
        label: "Unjudged documents",
        about: "choose which unjudged documents may be relevant",
        placeholder: "POLICY",
    },
    pattern: None,
    choices: &[
        Choice {
            name: "retrieved",
            value: false,
            meaning: "all retrieved documents without a judgment",
            phrase: "",
            on: &[Verdicts],
            refused: &[],
        },
        Choice {
            name: "pooled",
            value: true,
            meaning: "only pooled documents without a judgment (grade -1)",
            phrase: "",
            on: &[Verdicts],
            refused: &[],
        },
    ],
};
