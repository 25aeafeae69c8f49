//! Spearman's footrule with weights of positions; see [`super::weighted`].
//!
//! Its mean over tie orders has no closed form: all orders are listed, or, where there are more than 5,000, some are
//! drawn.

use super::orders::JointOrders;
use super::overlaps::Overlaps;
use super::weighted::{Costs, PARAMETERS, PairWeights};
use super::{Definition, PairScore, Similarity};
use crate::names::Info;

pub static WEIGHTED_FOOTRULE: Definition = Info {
    name: "WeightedFootrule",
    aliases: &["weighted_footrule"],
    title: "Spearman's footrule with weights of positions",
    parameters: PARAMETERS,
    lower_is_better: true,
    range: "0 and up",
    equation: "sum of pbar_x |sum of pbar_y above x in A - the same in B|, pbar = mean cost of the ranks moved",
    tex: r"\mathrm{WeightedFootrule} = \sum_x \bar p_x \left| \sum_{y \text{ above } x \text{ in } A} \bar p_y -
           \sum_{y \text{ above } x \text{ in } B} \bar p_y \right|",
    reference: "Kumar & Vassilvitskii 2010",
    ..Info::DEFAULT
}
.built_by(|spec| Ok(Box::new(Footrule(PairWeights::new(spec)?))));

struct Footrule(PairWeights);

impl Similarity for Footrule {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let whole = self.0.whole(&overlaps.pair);
        JointOrders::new(&whole.joined).score(with_variance, |a, b| footrule(&whole.costs, a, b))
    }
}

/// Of two orders, the ranks of every document.
fn footrule(costs: &Costs, a: &[usize], b: &[usize]) -> f64 {
    let pbar: Vec<f64> = a.iter().zip(b).map(|(&i, &j)| costs.of_move(i, j)).collect();
    let above = |ranks: &[usize]| {
        let mut sums = vec![0.0; ranks.len() + 1];
        ranks.iter().zip(&pbar).for_each(|(&rank, pbar)| sums[rank] = *pbar);
        for rank in 1..sums.len() {
            sums[rank] += sums[rank - 1];
        }
        sums
    };
    let (above_a, above_b) = (above(a), above(b));
    let ranks = a.iter().zip(b).zip(&pbar);
    ranks.map(|((&i, &j), pbar)| pbar * (above_a[i - 1] - above_b[j - 1]).abs()).sum()
}
