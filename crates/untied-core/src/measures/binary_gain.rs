//! binG: precision-like, with the logarithm of the non-relevant documents above as discount.
//!
//!   binG = (1/R) sum over retrieved relevant documents of 1 / log2(2 + u),    u = non-relevant documents above.
//!
//! Ties: see `gaps`.

use super::bounds::filling::{Filling, Slot};
use super::bounds::{Bounds, Open, Resolution, Widest};
use super::orders::gaps::Gaps;
use super::{Definition, Measure};
use crate::names::{Info, JUDGED_ONLY, RECALL_BASE, REL, RecallBase, SHARE};
use crate::ranking::Ranking;
use crate::table::Judgments;

pub static BINARY_GAIN: Definition = Info {
    name: "binG",
    aliases: &["bing"],
    title: "binary gain, discounted by the non-relevant documents above",
    parameters: &[REL, RECALL_BASE, JUDGED_ONLY],
    range: SHARE,
    equation: "binG = (1/R) sum over relevant documents of 1 / log2(2 + u), u = non-relevant documents above it",
    tex: r"\mathrm{binG} = \frac{1}{R} \sum_{i:\ x_i = 1} \frac{1}{\log_2 (2 + u_i)}",
    reference: "trec_eval (binG, Buckley 2008)",
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(BinaryGain { rel: spec.rel()?, base: spec.recall_base()? })));

struct BinaryGain {
    rel: f64,
    base: RecallBase,
}

impl BinaryGain {
    /// Give every group with relevant documents to `visit`; R, or NaN if that is 0.
    fn over_groups(&self, ranking: &Ranking, truth: &Judgments<'_>, mut visit: impl FnMut(Gaps)) -> f64 {
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
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |gaps| gaps.add_mean(&mut total, gain));
        total / relevant
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |gaps| total += gaps.variance(gain));
        total / (relevant * relevant)
    }

    /// Group by group for every number of open documents that are relevant: what is gained does not fall evenly.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let filling = Filling::new(open, self.rel);
        let relevant = self.base.open(self.rel, open);
        let mut sums = vec![0.0];
        sums.extend((0..=open.ranking.retrieved).scan(0.0, |sum, above| {
            *sum += gain(above);
            Some(*sum)
        }));
        let gains: Vec<f64> = (0..=open.ranking.retrieved).map(gain).collect();
        let part = |slot: &Slot, hits: usize, r: usize| {
            let (first, last) = (slot.start - hits, slot.start - hits + slot.size - r);
            let each = match open.resolution {
                Resolution::Mean if first < last => (sums[last + 1] - sums[first]) / (last + 1 - first) as f64,
                Resolution::Mean | Resolution::Best => gains[first],
                Resolution::Worst => gains[last],
            };
            r as f64 * each
        };
        let mut bounds = Widest::default();
        for stage in filling.stages() {
            let (mut total, mut hits) = (0.0, 0);
            for (group, slot) in filling.groups.iter().enumerate() {
                let next = filling.before(stage, group + 1);
                total += part(slot, hits, next - hits);
                hits = next;
            }
            for others in [0, filling.unretrieved] {
                let relevant = relevant(stage.m, others);
                bounds.add(if relevant == 0.0 { f64::NAN } else { total / relevant });
            }
        }
        Some(bounds.finish())
    }
}
