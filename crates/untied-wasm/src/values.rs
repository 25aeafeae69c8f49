//! The core's values as JSON.

use serde_json::{Value as Json, json};
use untied_core::evaluate::{Facts, Value};

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

/// A value of an evaluation or a comparison.
pub fn value(value: impl Into<Value>) -> Json {
    let Value { mean, range, certainty, .. } = value.into();
    json!({
        "mean": number(mean),
        "low": range.map(|range| number(range.0)),
        "high": range.map(|range| number(range.1)),
        "certainty": certainty.name(),
    })
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
        "undefined_queries": facts.undefined_queries,
        "left_out": facts.left_out,
        "estimated": facts.estimated,
        "standard_error": facts.error.map(number),
        "enclosed": facts.enclosed,
        "overstated": facts.overstated,
        "unsettled": facts.unsettled,
    })
}
