//! The core's values as JSON.

use std::convert::Infallible;

use serde_json::{Value as Json, json};
use untied_core::evaluate::{Fact, Facts, MeasureValue};

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
pub fn value(value: impl Into<MeasureValue>) -> Json {
    let MeasureValue { mean, range, certainty, .. } = value.into();
    json!({
        "mean": number(mean),
        "low": range.map(|range| number(range.0)),
        "high": range.map(|range| number(range.1)),
        "certainty": certainty.name(),
    })
}

/// The facts of an evaluation.
pub fn facts(facts: &Facts) -> Json {
    let mut object = serde_json::Map::new();
    let done = facts.each(|name, fact| {
        let value = match fact {
            Fact::Count(count) => count.into(),
            Fact::Flag(flag) => flag.into(),
            Fact::Number(value) => number(value),
            Fact::Unknown => Json::Null,
        };
        object.insert(name.into(), value);
        Ok::<_, Infallible>(())
    });
    match done {
        Ok(()) => object.into(),
    }
}
