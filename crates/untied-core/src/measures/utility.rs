//! Utility: a weighted sum of the cells of the contingency table of retrieved and relevant documents.

use super::bounds::{Bounds, Open, Widest};
use super::{Definition, Measure};
use crate::error::{Error, Result};
use crate::names::{Info, JUDGED_ONLY, Parameter, REL, Spec, Value};
use crate::ranking::Ranking;
use crate::table::Judgments;

const WEIGHTS: Parameter = Parameter {
    name: "weights",
    default: "[1, -1, 0, 0]",
    help: "worth of a relevant and of a non-relevant document retrieved, and of each not retrieved",
};
const COLLECTION: Parameter = Parameter {
    name: "collection",
    default: "0",
    help: "number of documents in the collection, N; needed if the fourth weight is not 0",
};

pub static UTILITY: Definition = Info {
    name: "Utility",
    aliases: &["utility"],
    title: "worth of the retrieved set",
    trailing: Some("weights"),
    parameters: &[WEIGHTS, COLLECTION, REL, JUDGED_ONLY],
    is_of_set: true,
    range: "any number",
    equation: "Utility = w1 H + w2 (n - H) + w3 (R - H) + w4 (N + H - n - R), H of n retrieved documents are relevant",
    tex: r"\mathrm{Utility} = w_1 H + w_2 (n - H) + w_3 (R - H) + w_4 (N + H - n - R)",
    reference: "trec_eval (utility)",
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let weights = weights(spec)?;
    let whole = |size: f64| size >= 0.0 && size.fract() == 0.0 && size < 1e15;
    let collection = spec.number(COLLECTION.name, 0.0, "a whole number", whole)?;
    if weights[3] != 0.0 && collection == 0.0 {
        return Err(Error::Measure(format!("{spec} needs the size of the collection, collection=N")));
    }
    Ok(Box::new(Utility { weights, collection, rel: spec.rel()? }))
});

fn weights(spec: &Spec) -> Result<[f64; 4]> {
    match spec.parameter(WEIGHTS.name) {
        None => Ok([1.0, -1.0, 0.0, 0.0]),
        Some(Value::List(list)) if list.len() == 4 => Ok([list[0], list[1], list[2], list[3]]),
        Some(other) => Err(Error::Measure(format!("{spec}: weights must be a list of four numbers, not {other}"))),
    }
}

/// The sum of the four weighted counts. It does not depend on the order of the documents.
pub(crate) struct Utility {
    pub(crate) weights: [f64; 4],
    /// The number of documents in the collection, N.
    pub(crate) collection: f64,
    pub(crate) rel: f64,
}

impl Utility {
    fn of(&self, retrieved: f64, hits: f64, relevant: f64) -> f64 {
        let [both, only_retrieved, only_relevant, neither] = self.weights;
        both * hits
            + only_retrieved * (retrieved - hits)
            + only_relevant * (relevant - hits)
            + neither * (self.collection + hits - retrieved - relevant)
    }
}

impl Measure for Utility {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.of(ranking.retrieved as f64, ranking.relevant(self.rel) as f64, truth.relevant(self.rel) as f64)
    }

    fn variance(&self, _: &Ranking, _: &Judgments<'_>) -> f64 {
        0.0
    }

    /// The value is linear in the numbers of relevant documents that are retrieved and not retrieved, so its bounds are
    /// at the ends.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let (retrieved, known) = (open.ranking.retrieved as f64, open.ranking.relevant(self.rel));
        let can_be: usize = open.relevant(self.rel).map(|(_, known, most)| most - known).sum();
        let mut bounds = Widest::default();
        for (more, others) in [0, can_be].into_iter().flat_map(|m| [(m, 0), (m, open.not_retrieved(self.rel))]) {
            let relevant = open.truth.relevant(self.rel) + more + others;
            bounds.add(self.of(retrieved, (known + more) as f64, relevant as f64));
        }
        Some(bounds.finish())
    }
}
