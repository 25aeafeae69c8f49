//! What becomes of values that are not defined (no relevant document, for most measures).

use super::policy::Purpose::{Arrays, Distributions, OneValue, Runs};
use super::policy::{Choice, Policy, PolicyInfo};

/// What becomes of values that are not defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Undefined {
    /// They are 0.
    #[default]
    Zero,
    /// They are NaN, and left out of the mean.
    Nan,
    /// They are an error.
    Raise,
}

/// The policy `on_undefined`.
pub static ON_UNDEFINED: Policy<Undefined> = Policy {
    info: PolicyInfo {
        name: "on_undefined",
        label: "A query for which a measure has no value",
        about: "choose what to do with a query for which a measure has no value",
        placeholder: "POLICY",
    },
    pattern: None,
    choices: &[
        Choice {
            name: "fail",
            value: Undefined::Nan,
            meaning: "the run fails the limit",
            phrase: "",
            on: &[OneValue],
            refused: &[],
        },
        Choice {
            name: "zero",
            value: Undefined::Zero,
            meaning: "count the query as 0 in the measure's mean",
            phrase: "",
            on: &[Runs, Arrays, Distributions],
            refused: &[],
        },
        Choice {
            name: "zero",
            value: Undefined::Zero,
            meaning: "count the query as 0; if lower values of a measure are better (e.g. ESL), the run fails the limit",
            phrase: "",
            on: &[OneValue],
            refused: &[],
        },
        Choice {
            name: "nan",
            value: Undefined::Nan,
            meaning: "leave the query out of the measure's mean",
            phrase: "",
            on: &[Runs, Arrays, OneValue, Distributions],
            refused: &[],
        },
        Choice {
            name: "raise",
            value: Undefined::Raise,
            meaning: "stop with an error",
            phrase: "",
            on: &[Runs, Arrays, Distributions],
            refused: &[],
        },
    ],
};
