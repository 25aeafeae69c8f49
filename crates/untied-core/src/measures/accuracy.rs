//! Accuracy: the share of pairs of a relevant and a non-relevant retrieved document that are in the right order.
//!
//!   Accuracy@k = 1 - A / (R' N'),
//!
//! with A pairs in which the non-relevant document is above, of the R' relevant and N' = min(k, n) - R' other documents
//! among the first k. In a group with r relevant and i other documents, random orders invert r i / 2 pairs on average,
//! with variance r i (r+i+1) / 12 (Mann & Whitney 1947). Of a group that the cutoff divides, the first K positions hold
//! a hypergeometric number h of relevant documents, and given h they are such a group with r = h, i = K - h.

use super::orders::Outcome;
use super::orders::drawing;
use super::{Definition, Measure, Orders};
use crate::names::{Cutoff, Info, JUDGED_ONLY, REL, unbounded};
use crate::ranking::Ranking;
use crate::table::Judgments;

pub static ACCURACY: Definition = Info {
    name: "Accuracy",
    aliases: &["accuracy"],
    title: "probability that a relevant document is ranked before a non-relevant one",
    cutoff: Cutoff::Optional,
    parameters: &[REL, JUDGED_ONLY],
    range: "0 to 1; undefined without a relevant and a non-relevant document among the first k",
    equation: "Accuracy@k = pairs of a relevant document above a non-relevant one, both among the first k / all such \
               pairs",
    tex: r"\mathrm{Accuracy}@k = \frac{|\{ (i, j) : i < j \le k,\ x_i = 1,\ x_j = 0 \}|}{H(k)\,(k - H(k))}",
    reference: "ir_measures (Accuracy)",
    unbounded: Some(unbounded::PAIRS),
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(Accuracy { rel: spec.rel()?, cutoff: spec.cutoff_or(usize::MAX) })));

struct Accuracy {
    rel: f64,
    cutoff: usize,
}

/// The statistics of the number of inverted pairs among documents in random order.
fn inversions(relevant: usize, others: usize) -> Outcome {
    let (r, i) = (relevant as f64, others as f64);
    Outcome { mean: r * i / 2.0, variance: r * i * (r + i + 1.0) / 12.0, low: 0.0, high: r * i }
}

impl Accuracy {
    /// The statistics over all orders; none if no order has a value.
    fn find(&self, ranking: &Ranking) -> Option<Outcome> {
        let seen = ranking.retrieved.min(self.cutoff);
        let (mut inverted, mut hits) = (Outcome::default(), 0);
        let mut cases = Vec::new(); // probability, relevant documents, inverted pairs
        for group in ranking.groups_to(self.cutoff) {
            let (n, r, slots) = (group.size, group.relevant(self.rel), group.slots(self.cutoff));
            let before = (group.start - hits) as f64;
            if slots == n {
                inverted = inverted + inversions(r, n - r) + Outcome::certain(r as f64 * before);
                hits += r;
            } else {
                cases.extend(drawing::within(n, r, slots).map(|(h, probability)| {
                    let before = Outcome::certain(h as f64 * before);
                    (probability, hits + h, inverted + inversions(h, slots - h) + before)
                }));
            }
        }
        if cases.is_empty() {
            cases.push((1.0, hits, inverted));
        }
        let value = |relevant: usize, inverted: Outcome| {
            let pairs = (relevant * (seen - relevant)) as f64;
            if pairs == 0.0 {
                return Outcome::default(); // not defined: counts as 0 beside orders that are
            }
            let Outcome { mean, variance, low, high } = inverted;
            let variance = variance / (pairs * pairs);
            Outcome { mean: 1.0 - mean / pairs, variance, low: 1.0 - high / pairs, high: 1.0 - low / pairs }
        };
        if cases.iter().all(|&(_, relevant, _)| relevant == 0 || relevant == seen) {
            return None;
        }
        let values = cases.iter().map(|&(probability, relevant, pairs)| (probability, value(relevant, pairs)));
        Some(Outcome::mix(&values.collect::<Vec<_>>()))
    }
}

impl Measure for Accuracy {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        self.find(ranking).map_or(f64::NAN, |accuracy| accuracy.mean)
    }

    fn variance(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        self.find(ranking).map_or(f64::NAN, |accuracy| accuracy.variance)
    }

    fn extremes(&self, orders: &Orders, _: &Judgments<'_>) -> (f64, f64) {
        self.find(&orders.tied).map_or((f64::NAN, f64::NAN), |accuracy| (accuracy.low, accuracy.high))
    }
}
