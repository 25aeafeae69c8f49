//! Bpref: how many judged non-relevant documents stand above the relevant ones.
//!
//! With C = R + extra, N the judged non-relevant documents of the qrels, and n those above a relevant document,
//!
//!   bpref = (1/R) sum over retrieved relevant documents of 1 - min(n, C) / min(N, C),    a term being 1 where n = 0.
//!
//! The variant of Buckley & Voorhees' paper divides by C. Unjudged documents are not seen. Ties: see `gaps`.

use super::bounds::{self, Bounds, Open};
use super::gaps::Gaps;
use super::{Aggregate, Cutoff, Info, Measure, Needs, Parameter, RECALL_BASE, REL, RecallBase, Value};
use crate::error::Error;
use crate::ranking::Ranking;
use crate::table::Truth;

const VARIANT: Parameter = Parameter {
    name: "variant",
    default: "'trec_eval'",
    help: "divide by min(N, R + extra) ('trec_eval') or by R + extra ('paper')",
};
const EXTRA: Parameter =
    Parameter { name: "extra", default: "0", help: "non-relevant documents that count beyond R; 10 is bpref-10" };

/// Bpref.
pub static BPREF: Info = Info {
    name: "Bpref",
    aliases: &["bpref"],
    title: "binary preference: relevant documents above judged non-relevant ones",
    cutoff: Cutoff::None,
    parameters: &[REL, VARIANT, EXTRA, RECALL_BASE],
    aggregate: Aggregate::Mean,
    lower_is_better: false,
    needs: Needs::Judgments,
    range: "0 to 1",
    equation: "Bpref = (1/R) sum over relevant documents of 1 - min(n, C) / min(N, C), n = judged non-relevant \
               documents above it, C = R + extra, N = judged non-relevant documents in the qrels",
    reference: "Buckley & Voorhees 2004",
    build: |spec, _| {
        let paper = match spec.parameter(VARIANT.name) {
            None => false,
            Some(Value::Text(variant)) if variant == "trec_eval" => false,
            Some(Value::Text(variant)) if variant == "paper" => true,
            Some(other) => {
                return Err(Error::Measure(format!("{spec}: variant must be 'trec_eval' or 'paper', not {other}")));
            }
        };
        let whole = |extra: f64| extra >= 0.0 && extra.fract() == 0.0 && extra < 1e15;
        Ok(Box::new(Bpref {
            rel: spec.rel()?,
            base: spec.recall_base()?,
            paper,
            extra: spec.number(EXTRA.name, 0.0, "a whole number from 0", whole)?,
        }))
    },
};

struct Bpref {
    rel: f64,
    base: RecallBase,
    paper: bool,
    extra: f64,
}

impl Bpref {
    /// Give every group with relevant documents, and the function of gaps, to `visit`; R, or NaN if that is 0.
    fn over_groups(
        &self,
        ranking: &Ranking,
        truth: &Truth<'_>,
        mut visit: impl FnMut(Gaps, &dyn Fn(usize) -> f64),
    ) -> f64 {
        let relevant = self.base.relevant(self.rel, ranking, truth);
        if relevant == 0.0 {
            return f64::NAN;
        }
        let most = relevant + self.extra;
        let judged = (truth.relevant(0.0) - truth.relevant(self.rel)) as f64;
        let by = if self.paper { most } else { most.min(judged) };
        let of = |above: usize| if above == 0 { 1.0 } else { 1.0 - (above as f64).min(most) / by };
        let mut before = 0;
        for group in ranking.groups() {
            let relevant = group.relevant(self.rel);
            let nonrelevant = group.relevant(0.0) - relevant;
            visit(Gaps { relevant, nonrelevant, before }, &of);
            before += nonrelevant;
        }
        relevant
    }
}

impl Measure for Bpref {
    fn mean(&self, ranking: &Ranking, truth: &Truth<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |gaps, of| gaps.add_mean(&mut total, of));
        total / relevant
    }

    fn variance(&self, ranking: &Ranking, truth: &Truth<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |gaps, of| total += gaps.variance(of));
        total / (relevant * relevant)
    }

    /// Documents that get a grade below `rel` are judged non-relevant from then on.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(bounds::by_number(self, open, self.rel))
    }
}
