//! Counts queries, retrieved documents and relevant documents. No order of ties changes these counts.

use super::bounds::{self, Bounds, Open};
use super::{Definition, Measure};
use crate::names::{Aggregate, Info, JUDGED_ONLY, Other, REL};
use crate::ranking::Ranking;
use crate::table::Judgments;

pub static NUM_Q: Definition = Info {
    name: "NumQ",
    aliases: &["num_q"],
    title: "number of queries",
    aggregate: Aggregate::Sum,
    range: "1 for a query, their number for all",
    equation: "1",
    tex: r"\mathrm{NumQ} = \sum_{\text{queries}} 1",
    reference: "trec_eval",
    reads_preferences: true,
    ..Info::DEFAULT
}
.built_by(|_, _| Ok(Box::new(CountMeasure::Queries)));

pub static NUM_RET: Definition = Info {
    name: "NumRet",
    aliases: &["num_ret"],
    title: "number of documents retrieved",
    parameters: &[JUDGED_ONLY],
    aggregate: Aggregate::Sum,
    others: &[Other { parameter: "rel", value: None, info: Some(&NUM_REL_RET.info) }],
    range: "0 or more; summed over queries",
    equation: "n",
    tex: r"\mathrm{NumRet} = \sum_{\text{queries}} n",
    reference: "trec_eval",
    reads_preferences: true,
    ..Info::DEFAULT
}
.built_by(|_, _| Ok(Box::new(CountMeasure::Retrieved)));

pub static NUM_REL: Definition = Info {
    name: "NumRel",
    aliases: &["num_rel"],
    title: "number of relevant documents in the qrels",
    parameters: &[REL],
    aggregate: Aggregate::Sum,
    range: "0 or more; summed over queries",
    equation: "R",
    tex: r"\mathrm{NumRel} = \sum_{\text{queries}} R",
    reference: "trec_eval",
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(CountMeasure::Relevant(spec.rel()?))));

pub static NUM_REL_RET: Definition = Info {
    name: "NumRelRet",
    aliases: &["num_rel_ret"],
    title: "number of relevant documents retrieved",
    parameters: &[REL],
    aggregate: Aggregate::Sum,
    range: "0 or more; summed over queries",
    equation: "H(n)",
    tex: r"\mathrm{NumRelRet} = \sum_{\text{queries}} H(n)",
    reference: "trec_eval",
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(CountMeasure::RelevantRetrieved(spec.rel()?))));

pub static NUM_NONREL_JUDGED_RET: Definition = Info {
    name: "NumNonrelJudgedRet",
    aliases: &["num_nonrel_judged_ret"],
    title: "number of judged non-relevant documents retrieved",
    parameters: &[REL],
    aggregate: Aggregate::Sum,
    range: "0 or more; summed over queries",
    equation: "retrieved documents with a grade from 0 up to rel",
    tex: r"\mathrm{NumNonrelJudgedRet} = \sum_{\text{queries}} |\{ i : 0 \le g_i < \mathit{rel} \}|",
    reference: "trec_eval",
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(CountMeasure::NonrelevantRetrieved(spec.rel()?))));

enum CountMeasure {
    Queries,
    Retrieved,
    Relevant(f64),
    RelevantRetrieved(f64),
    NonrelevantRetrieved(f64),
}

impl Measure for CountMeasure {
    fn reads_relevant_only(&self) -> bool {
        match *self {
            CountMeasure::Queries | CountMeasure::Retrieved | CountMeasure::Relevant(_) => true,
            CountMeasure::RelevantRetrieved(rel) => rel > 0.0,
            CountMeasure::NonrelevantRetrieved(_) => false,
        }
    }

    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let count = match *self {
            CountMeasure::Queries => 1,
            CountMeasure::Retrieved => ranking.retrieved,
            CountMeasure::Relevant(rel) => truth.relevant(rel),
            CountMeasure::RelevantRetrieved(rel) => ranking.relevant(rel),
            CountMeasure::NonrelevantRetrieved(rel) => ranking.relevant(0.0) - ranking.relevant(rel),
        };
        count as f64
    }

    fn variance(&self, _: &Ranking, _: &Judgments<'_>) -> f64 {
        0.0
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(match self {
            // Unjudged documents are not counted, whatever grade they may have.
            CountMeasure::NonrelevantRetrieved(_) => bounds::fixed(self, open),
            _ => bounds::monotone(self, open),
        })
    }
}
