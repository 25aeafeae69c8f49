//! Spearman's footrule with weights of positions; see [`super::weighted`].
//!
//! Its mean over tie orders has no closed form: all orders are listed, or, where there are more than 5,000, some are
//! drawn.

use super::joined::Joined;
use super::overlaps::Overlaps;
use super::weighted::{Group, PARAMETERS, Weights, Whole};
use super::{Definition, Score, Similarity};
use crate::measures::Certainty;
use crate::measures::orders::Outcome;
use crate::measures::orders::sampling::{Classes, Placed, is_listed, over_orders};
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
.built_by(|spec| Ok(Box::new(Footrule(Weights::new(spec)?))));

struct Footrule(Weights);

impl Similarity for Footrule {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> Score {
        let whole = self.0.whole(&overlaps.pair);
        let documents = whole.documents();
        let blocks = &whole.joined.blocks;
        // A document is a number of its block. In A those of a block are alike, and stand in the order of their numbers.
        let first: Vec<u32> =
            blocks.iter().scan(0, |next, block| Some(std::mem::replace(next, *next + block.count))).collect();
        let groups: Vec<Classes> = of_a(&whole.joined).chain(of_b(&whole.joined, &first, documents)).collect();
        let (mut ranks_a, mut ranks_b) = (vec![0; documents], vec![0; documents]);
        let mut next = first.clone();
        let found = over_orders(&groups, |placed: &[Placed]| {
            next.copy_from_slice(&first);
            for &(position, class) in placed {
                if position < documents {
                    ranks_a[next[class as usize] as usize] = position + 1;
                    next[class as usize] += 1;
                } else {
                    ranks_b[class as usize] = position - documents + 1;
                }
            }
            footrule(&whole, &ranks_a, &ranks_b)
        });
        let (Outcome { mean, variance, low, high }, exact) = (found.outcome, is_listed(&groups));
        Score {
            value: mean,
            range: exact.then_some((low, high)),
            variance: (with_variance && exact).then_some(variance),
            certainty: if exact { Certainty::Exact } else { Certainty::Estimate },
        }
    }
}

fn of_a(joined: &Joined) -> impl Iterator<Item = Classes> {
    let groups = Group::all(&joined.a);
    let mut number = 0;
    joined.blocks.chunk_by(|one, other| one.a == other.a).map(move |blocks| {
        let group = groups[blocks[0].a as usize];
        let counts = blocks.iter().map(|block| {
            number += 1;
            (number - 1, block.count)
        });
        Classes { start: group.start, size: group.size, counts: counts.collect() }
    })
}

/// Every document for itself, at positions after all of A.
fn of_b(joined: &Joined, first: &[u32], documents: usize) -> impl Iterator<Item = Classes> {
    let mut classes: Vec<Classes> = Group::all(&joined.b)
        .into_iter()
        .map(|group| Classes { start: documents + group.start, size: group.size, counts: Vec::new() })
        .collect();
    for (block, &first) in joined.blocks.iter().zip(first) {
        classes[block.b as usize].counts.extend((first..first + block.count).map(|document| (document, 1)));
    }
    classes.into_iter()
}

/// Of two orders, the ranks of every document.
fn footrule(whole: &Whole, a: &[usize], b: &[usize]) -> f64 {
    let pbar: Vec<f64> = a.iter().zip(b).map(|(&i, &j)| whole.moved(i, j)).collect();
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
