//! binG: precision-like, with the logarithm of the non-relevant documents above as discount.
//!
//!   binG = (1/R) sum over retrieved relevant documents of 1 / log2(2 + u),    u = non-relevant documents above.
//!
//! Ties: see `gaps`.

use super::gaps::Gaps;
use super::{Aggregate, Cutoff, Info, JUDGED_ONLY, Measure, Needs, RECALL_BASE, REL, RecallBase};
use crate::ranking::Ranking;
use crate::table::Truth;

/// binG.
pub static BINARY_GAIN: Info = Info {
    name: "binG",
    aliases: &["bing"],
    title: "binary gain, discounted by the non-relevant documents above",
    cutoff: Cutoff::None,
    parameters: &[REL, RECALL_BASE, JUDGED_ONLY],
    aggregate: Aggregate::Mean,
    lower_is_better: false,
    needs: Needs::Judgments,
    range: "0 to 1",
    equation: "binG = (1/R) sum over relevant documents of 1 / log2(2 + u), u = non-relevant documents above it",
    reference: "trec_eval (binG, Buckley 2008)",
    build: |spec, _| Ok(Box::new(BinaryGain { rel: spec.rel()?, base: spec.recall_base()? })),
};

struct BinaryGain {
    rel: f64,
    base: RecallBase,
}

impl BinaryGain {
    /// Give every group with relevant documents to `visit`; R, or NaN if that is 0.
    fn over_groups(&self, ranking: &Ranking, truth: &Truth<'_>, mut visit: impl FnMut(Gaps)) -> f64 {
        let mut hits = 0;
        for group in ranking.groups() {
            let relevant = group.relevant(self.rel);
            if relevant > 0 {
                visit(Gaps { relevant, nonrelevant: group.size - relevant, before: group.start - hits });
            }
            hits += relevant;
        }
        let relevant = self.base.relevant(self.rel, ranking, truth);
        if relevant == 0.0 { f64::NAN } else { relevant }
    }
}

fn gain(above: usize) -> f64 {
    1.0 / (above as f64 + 2.0).log2()
}

impl Measure for BinaryGain {
    fn mean(&self, ranking: &Ranking, truth: &Truth<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |gaps| gaps.add_mean(&mut total, gain));
        total / relevant
    }

    fn variance(&self, ranking: &Ranking, truth: &Truth<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |gaps| total += gaps.variance(gain));
        total / (relevant * relevant)
    }
}
