//! The precision at which scores are compared.

use super::policy::Purpose::{Arrays, Distributions, OneValue, Pairs, Runs, Verdicts};
use super::policy::{Choice, Policy, PolicyInfo, Purpose};
use crate::ranking::Precision;

const ALL: &[Purpose] = &[Runs, Arrays, Pairs, Verdicts, OneValue, Distributions];

const fn named(name: &'static str, value: Precision) -> Choice<Precision> {
    Choice { name, value, meaning: "", phrase: "", on: ALL, refused: &[] }
}

/// The policy `score_dtype`.
pub static SCORE_DTYPE: Policy<Precision> = Policy {
    info: PolicyInfo {
        name: "score_dtype",
        label: "Scores are read as",
        about: "round scores to a floating-point type or to N decimals:",
        placeholder: "DTYPE",
    },
    pattern: Some(Precision::parse),
    choices: &[
        named("float64", Precision::Float64),
        named("float32", Precision::Float32),
        named("float16", Precision::Float16),
        named("bfloat16", Precision::Bfloat16),
        named("decimals=N", Precision::Decimals(0)),
    ],
};
