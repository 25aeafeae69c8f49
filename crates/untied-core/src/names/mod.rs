//! Names, parameters and facts of measures.
//!
//! Nothing is computed here, and no measure is known: [`MeasureNames`] reads texts by the measures that it is given.

mod grammar;
mod info;
mod parameter;
mod parser;
mod possible;
mod printed;
mod spec;
mod spellings;

pub use grammar::MeasureNames;
pub use info::{Aggregate, Cutoff, Definition, GEOMETRIC_FLOOR, Info, Needs, Other, Sampled};
pub(crate) use info::{GAINED, SHARE, unbounded};
pub use parameter::{JUDGED_ONLY, MEAN, OF, Parameter, RECALL, RECALL_BASE, REL, RecallBase};
pub(crate) use spec::is_in_range;
pub use spec::{Spec, Value};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn a_measure_has_one_spelling() {
        let spec = registry::parse("ndcg(gain='exp2')@10").expect("a measure");
        assert_eq!(spec.to_string(), "nDCG(gain='exp2')@10");
        assert_eq!(spec.parameter("gain"), Some(&Value::Text("exp2".into())));
        let built = Spec::of(spec.info).with("gain", Value::Text("exp2".into())).and_then(|spec| spec.at(10));
        assert_eq!(built.expect("the same measure"), spec);
        assert_eq!(registry::parse("ndcg_cut_10").expect("trec_eval's name").to_string(), "nDCG@10");
        assert!(Spec::of(spec.info).at(0).is_err() && Spec::of(spec.info).with("depth", Value::Number(1.0)).is_err());
    }

    #[test]
    fn unjudged_documents_may_be_relevant_to_any_measure() {
        let grades = |measure: &str| registry::parse(measure).expect("a measure").possible_grades(&[1.0, 0.0, -1.0]);
        assert_eq!(grades("P@5"), [1.0, 0.0]);
        assert_eq!(grades("P(rel=2)@5"), [2.0, 1.0, 0.0], "no grade of the qrels is relevant, so 2 is possible too");
    }
}
