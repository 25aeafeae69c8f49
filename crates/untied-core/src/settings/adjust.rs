//! What values are relative to.

use super::policy::Purpose::Runs;
use super::policy::{Choice, Policy, PolicyInfo};

/// What values are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Adjust {
    /// Nothing.
    #[default]
    None,
    /// A random order of the retrieved documents, which has 0, and the best one, which has 1.
    Chance,
}

/// The policy `adjust`.
pub static ADJUST: Policy<Adjust> = Policy {
    info: PolicyInfo {
        name: "adjust",
        label: "Values",
        about: "choose whether to adjust the values of measures for chance",
        placeholder: "POLICY",
    },
    pattern: None,
    choices: &[
        Choice {
            name: "none",
            value: Adjust::None,
            meaning: "do not adjust the values",
            phrase: "",
            on: &[Runs],
            refused: &[],
        },
        Choice {
            name: "chance",
            value: Adjust::Chance,
            meaning: "rescale the values so that a random order of documents gets 0, and the best order gets 1",
            phrase: "",
            on: &[Runs],
            refused: &[],
        },
    ],
};
