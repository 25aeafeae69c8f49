//! How other libraries write parameters that have another name or another form here.

use super::spec::Value;
use super::{Info, counts, cwl, sets};

/// A parameter's name and value in our spelling.
pub(super) fn parameter(name: &str, value: Value) -> (&str, Value) {
    let text = |text: &str| Value::Text(text.into());
    match (name, &value) {
        ("gains", _) => ("gain", value),
        ("dcg", Value::Text(dcg)) if dcg == "log2" => ("gain", text("linear")),
        ("dcg", Value::Text(dcg)) if dcg == "exp-log2" => ("gain", text("exp2")),
        ("gain", Value::Text(gain)) if gain == "exp" => ("gain", text("exp2")),
        ("discount", Value::Text(discount)) if discount == "inv" => ("discount", text("inverse")),
        ("discount", Value::Text(discount)) if discount.starts_with("jk") => {
            ("discount", text(&format!("log({})", discount["jk".len()..].trim())))
        }
        _ => (name, value),
    }
}

/// The measure that `ir_measures` writes as a parameter of this one, and whether the parameter is spent with it:
/// `NumRet(rel=1)`, `SetP(relative=True)`.
pub(super) fn other_measure(info: &Info, name: &str, value: &Value) -> Option<(&'static Info, bool)> {
    match (info.name, name, value) {
        ("NumRet", "rel", _) => Some((&counts::NUM_REL_RET, false)),
        ("SetP", "relative", Value::Flag(true)) => Some((&sets::SET_RELATIVE_PRECISION, true)),
        ("SetP", "relative", Value::Flag(false)) => Some((&sets::SET_PRECISION, true)),
        ("SDCG", "dcg", Value::Text(dcg)) if dcg == "log2" => Some((&cwl::SDCG, true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::parse;

    #[test]
    fn of_ir_measures() {
        for (text, ours) in [
            ("NumRet(rel=1)", "NumRelRet"),
            ("NumRet(rel=2)", "NumRelRet(rel=2)"),
            ("SetP(relative=True)", "SetRelP"),
            ("SetP(rel=2,relative=True)", "SetRelP(rel=2)"),
            ("SetP(relative=False)", "SetP"),
            ("RBP(p=0.9,rel=1)@10", "RBP(p=0.9)@10"),
            ("nDCG(dcg='log2')", "nDCG"),
        ] {
            let found = parse(text).map_or_else(|error| error.to_string(), |spec| spec.to_string());
            assert_eq!(found, ours, "{text}");
        }
        let refused = |text: &str| parse(text).map_or_else(|error| error.to_string(), |spec| spec.to_string());
        assert!(refused("SetP(relative=1)").contains("no parameter \"relative\""));
    }
}
