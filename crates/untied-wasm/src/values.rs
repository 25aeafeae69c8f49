//! The core's values as JSON.

use serde_json::{Value as Json, json};
use untied_core::evaluate::{Facts, Value};
use untied_core::measures::Certainty;
use untied_core::similarity::Score;

/// A number; JSON has none for what is undefined (`null`) or infinite (a text).
pub fn number(value: f64) -> Json {
    match value {
        f64::INFINITY => "inf".into(),
        f64::NEG_INFINITY => "-inf".into(),
        _ => value.into(),
    }
}

/// Numbers of all queries.
pub fn numbers(values: impl Iterator<Item = f64>) -> Json {
    values.map(number).collect()
}

fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Exact => "exact",
        Certainty::Interval => "interval",
        Certainty::Estimate => "estimate",
    }
}

fn parts(mean: f64, range: Option<(f64, f64)>, sure: Certainty) -> Json {
    json!({
        "mean": number(mean),
        "low": range.map(|range| number(range.0)),
        "high": range.map(|range| number(range.1)),
        "certainty": certainty(sure),
    })
}

/// An evaluated value.
pub fn value(value: &Value) -> Json {
    parts(value.mean, value.range, value.certainty)
}

/// A comparison's value.
pub fn score(score: &Score) -> Json {
    parts(score.value, score.range, score.certainty)
}

/// What to tell about an evaluation of a number of queries.
pub fn facts(facts: &Facts, evaluated: usize) -> Json {
    json!({
        "evaluated": evaluated,
        "mixed": facts.mixed,
        "absent": facts.absent,
        "unknown": facts.unknown,
        "common": facts.common,
        "matched": facts.matched,
        "relevant": facts.relevant,
        "swapped": facts.swapped,
        "highest": number(facts.highest),
        "undefined": facts.undefined,
        "left_out": facts.left_out,
        "estimated": facts.estimated,
        "standard_error": facts.error.map(number),
        "enclosed": facts.enclosed,
        "overstated": facts.overstated,
        "unsettled": facts.unsettled,
    })
}
