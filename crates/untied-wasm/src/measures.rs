//! The measures and their facts, for lists and help.

use serde_json::{Value, json};
use untied_core::names::{Info, Needs};
use untied_core::registry::FAMILIES;

/// All measures, family by family.
pub fn families() -> Value {
    let family = |family: &untied_core::registry::Family| {
        let measures: Vec<Value> = family.infos().into_iter().map(facts).collect();
        json!({ "title": family.title, "compares": family.compares(), "measures": measures })
    };
    FAMILIES.iter().map(family).collect()
}

fn facts(info: &Info) -> Value {
    json!({
        "name": info.name,
        "aliases": info.aliases,
        "title": info.title,
        "cutoff": info.cutoff.name(),
        "parameters": info.parameters.iter().map(|parameter| parameter.name).collect::<Vec<_>>(),
        "lower": info.lower_is_better,
        "plain": info.needs == Needs::Judgments, // needs no more than grades
        "range": info.range,
        "equation": info.equation,
        "reference": info.reference,
        "bounded": info.unbounded.is_none(),
    })
}
