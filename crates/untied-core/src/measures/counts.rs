//! Counts: of queries, of retrieved and of relevant documents. No order of ties changes them.

use super::bounds::{self, Bounds, Open};
use super::{Aggregate, Cutoff, Info, JUDGED_ONLY, Measure, Needs, REL};
use crate::ranking::Ranking;
use crate::table::Truth;

/// NumQ.
pub static NUM_Q: Info = Info {
    name: "NumQ",
    aliases: &["num_q"],
    title: "number of queries",
    cutoff: Cutoff::None,
    parameters: &[],
    aggregate: Aggregate::Sum,
    lower_is_better: false,
    needs: Needs::Judgments,
    range: "1 for a query, their number for all",
    equation: "1",
    reference: "trec_eval",
    build: |_, _| Ok(Box::new(Count::Queries)),
};

/// NumRet.
pub static NUM_RET: Info = Info {
    name: "NumRet",
    aliases: &["num_ret"],
    title: "number of documents retrieved",
    cutoff: Cutoff::None,
    parameters: &[JUDGED_ONLY],
    aggregate: Aggregate::Sum,
    lower_is_better: false,
    needs: Needs::Judgments,
    range: "0 or more; summed over queries",
    equation: "n",
    reference: "trec_eval",
    build: |_, _| Ok(Box::new(Count::Retrieved)),
};

/// NumRel.
pub static NUM_REL: Info = Info {
    name: "NumRel",
    aliases: &["num_rel"],
    title: "number of relevant documents in the qrels",
    cutoff: Cutoff::None,
    parameters: &[REL],
    aggregate: Aggregate::Sum,
    lower_is_better: false,
    needs: Needs::Judgments,
    range: "0 or more; summed over queries",
    equation: "R",
    reference: "trec_eval",
    build: |spec, _| Ok(Box::new(Count::Relevant(spec.rel()?))),
};

/// NumRelRet.
pub static NUM_REL_RET: Info = Info {
    name: "NumRelRet",
    aliases: &["num_rel_ret"],
    title: "number of relevant documents retrieved",
    cutoff: Cutoff::None,
    parameters: &[REL],
    aggregate: Aggregate::Sum,
    lower_is_better: false,
    needs: Needs::Judgments,
    range: "0 or more; summed over queries",
    equation: "H(n)",
    reference: "trec_eval",
    build: |spec, _| Ok(Box::new(Count::RelevantRetrieved(spec.rel()?))),
};

/// NumNonrelJudgedRet.
pub static NUM_NONREL_JUDGED_RET: Info = Info {
    name: "NumNonrelJudgedRet",
    aliases: &["num_nonrel_judged_ret"],
    title: "number of judged non-relevant documents retrieved",
    cutoff: Cutoff::None,
    parameters: &[REL],
    aggregate: Aggregate::Sum,
    lower_is_better: false,
    needs: Needs::Judgments,
    range: "0 or more; summed over queries",
    equation: "retrieved documents with a grade from 0 up to rel",
    reference: "trec_eval",
    build: |spec, _| Ok(Box::new(Count::NonrelevantRetrieved(spec.rel()?))),
};

enum Count {
    Queries,
    Retrieved,
    Relevant(f64),
    RelevantRetrieved(f64),
    NonrelevantRetrieved(f64),
}

impl Measure for Count {
    fn mean(&self, ranking: &Ranking, truth: &Truth<'_>) -> f64 {
        let count = match *self {
            Count::Queries => 1,
            Count::Retrieved => ranking.retrieved,
            Count::Relevant(rel) => truth.relevant(rel),
            Count::RelevantRetrieved(rel) => ranking.relevant(rel),
            Count::NonrelevantRetrieved(rel) => ranking.relevant(0.0) - ranking.relevant(rel),
        };
        count as f64
    }

    fn variance(&self, _: &Ranking, _: &Truth<'_>) -> f64 {
        0.0
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(match self {
            // What is not judged is not counted, whatever grade it may have.
            Count::NonrelevantRetrieved(_) => bounds::fixed(self, open),
            _ => bounds::monotone(self, open),
        })
    }
}
