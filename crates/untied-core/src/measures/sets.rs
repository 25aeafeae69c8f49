//! Measures of the retrieved documents as a set, which no order of ties changes.
//!
//! With n documents retrieved, H of them relevant, and R relevant documents in all.

use super::bounds::{self, Bounds, Open};
use super::{Definition, Measure};
use crate::error::Result;
use crate::names::{Info, JUDGED_ONLY, Other, Parameter, RECALL_BASE, REL, RecallBase, SHARE, Spec};
use crate::ranking::Ranking;
use crate::table::Judgments;

const BETA: Parameter =
    Parameter { name: "beta", default: "1", help: "weight of recall against precision, 0 or more (trec_eval's x)" };

pub static SET_PRECISION: Definition = Info {
    name: "SetP",
    aliases: &["set_P"],
    title: "precision of the retrieved set",
    others: &[
        Other { parameter: "relative", value: Some("True"), info: Some(&SET_RELATIVE_PRECISION.info) },
        Other { parameter: "relative", value: Some("False"), info: None },
    ],
    parameters: &[REL, JUDGED_ONLY],
    is_of_set: true,
    equation: "SetP = H / n",
    tex: r"\mathrm{SetP} = \frac{H}{n}",
    reference: "trec_eval (set_P)",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, None, |hits, n, _| ratio(hits, n)));

pub static SET_RELATIVE_PRECISION: Definition = Info {
    name: "SetRelP",
    aliases: &["set_relative_P"],
    title: "precision of the retrieved set, relative to the best possible",
    parameters: &[REL, RECALL_BASE, JUDGED_ONLY],
    is_of_set: true,
    range: SHARE,
    equation: "SetRelP = H / min(n, R)",
    tex: r"\mathrm{SetRelP} = \frac{H}{\min(n, R)}",
    reference: "trec_eval (set_relative_P)",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, Some(spec.recall_base()?), |hits, n, relevant| ratio(hits, n.min(relevant))));

pub static SET_RECALL: Definition = Info {
    name: "SetR",
    aliases: &["set_recall"],
    title: "recall of the retrieved set",
    parameters: &[REL, RECALL_BASE, JUDGED_ONLY],
    is_of_set: true,
    range: SHARE,
    equation: "SetR = H / R",
    tex: r"\mathrm{SetR} = \frac{H}{R}",
    reference: "trec_eval (set_recall)",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, Some(spec.recall_base()?), |hits, _, relevant| ratio(hits, relevant)));

pub static SET_AVERAGE_PRECISION: Definition = Info {
    name: "SetAP",
    aliases: &["set_map"],
    title: "precision times recall of the retrieved set",
    parameters: &[REL, RECALL_BASE, JUDGED_ONLY],
    is_of_set: true,
    range: SHARE,
    equation: "SetAP = H^2 / (n R)",
    tex: r"\mathrm{SetAP} = \frac{H^2}{n R}",
    reference: "trec_eval (set_map)",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, Some(spec.recall_base()?), |hits, n, relevant| ratio(hits * hits, n * relevant)));

pub static SET_F: Definition = Info {
    name: "SetF",
    aliases: &["set_F"],
    title: "weighted harmonic mean of precision and recall of the retrieved set",
    trailing: Some("beta"),
    parameters: &[BETA, REL, RECALL_BASE, JUDGED_ONLY],
    is_of_set: true,
    range: SHARE,
    equation: "SetF = (1 + beta) SetP SetR / (beta SetP + SetR) = (1 + beta) H / (beta R + n)",
    tex: r"\mathrm{SetF} = \frac{(1 + \beta)\, H}{\beta R + n}",
    reference: "van Rijsbergen 1979; beta as in trec_eval (set_F); others square it",
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let beta = spec.number(BETA.name, 1.0, "a number of at least 0", |beta| beta >= 0.0)?;
    build(spec, Some(spec.recall_base()?), move |hits, n, relevant| ratio((1.0 + beta) * hits, beta * relevant + n))
});

/// A quotient of counts; an empty ranking has the value 0.
fn ratio(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}

fn build<F>(spec: &Spec, base: Option<RecallBase>, of: F) -> Result<Box<dyn Measure>>
where
    F: Fn(f64, f64, f64) -> f64 + Send + Sync + 'static,
{
    Ok(Box::new(Set { rel: spec.rel()?, base, of }))
}

/// A measure that is a function of H, n and R.
struct Set<F> {
    rel: f64,
    base: Option<RecallBase>,
    of: F,
}

impl<F: Fn(f64, f64, f64) -> f64 + Send + Sync> Measure for Set<F> {
    fn only_relevance(&self) -> Option<f64> {
        Some(self.rel)
    }

    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let relevant = self.base.map_or(1.0, |base| base.relevant(self.rel, ranking, truth));
        if relevant == 0.0 {
            return f64::NAN;
        }
        (self.of)(ranking.relevant(self.rel) as f64, ranking.retrieved as f64, relevant)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.mean(ranking, truth) * 0.0
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let relevant = self.base.map(|base| base.open(self.rel, open));
        let parts = open.parts(self.rel, |_, r| r as f64);
        Some(bounds::of_sum(&parts, open.not_retrieved(self.rel), |hits, m, e| {
            let relevant = relevant.as_ref().map_or(1.0, |relevant| relevant(m, e));
            if relevant == 0.0 { f64::NAN } else { (self.of)(hits, open.ranking.retrieved as f64, relevant) }
        }))
    }
}
