//! Kendall's distance and Spearman's footrule with weights of positions (Kumar & Vassilvitskii 2010).
//!
//! To move a document from rank i-1 to rank i costs delta_i, so with `p_i = delta_2 + .. + delta_i` a document at rank i
//! in A and j in B moved at `pbar = (p_i - p_j) / (i - j)` a rank on average, and at a constant (1) if i = j. Then
//!
//!   K = sum of pbar_x pbar_y over pairs of documents in opposite orders,
//!   F = sum over x of pbar_x | sum of pbar_y over y above x in A - the same in B |,
//!
//! and K <= F <= 2 K. Both are of two orders of the same documents; a ranking that lacks some is followed by them, in any
//! order with the same probability, as if they were tied.
//!
//! Mean of K over tie orders, pair by pair: documents that share no group stand independently of each other, so the mean
//! of pbar over the positions of both groups is taken; two of one group of n have each pair of different positions with
//! probability 1 / (n (n-1)).

use super::joined::{GroupExtent, Joined, Tree};
use super::kendall_distance::union;
use super::overlaps::Overlaps;
use super::{Definition, PairScore, Similarity};
use crate::elementary::log2;
use crate::error::{Error, Result};
use crate::names::{Info, Parameter, Spec, Value};
use crate::ranking::{Pair, SharedDocuments};

/// What both measures ask for.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "delta",
        default: "'dcg'",
        help: "cost of moving from rank i - 1 to rank i: 'dcg' (1/log2 i - 1/log2(i+1)), 'inverse' (1/(i-1) - 1/i), \
               'none' (1), or a list from rank 2 on that continues with 0",
    },
    Parameter { name: "unmoved", default: "1", help: "weight of a document that has the same rank in both" },
    Parameter {
        name: "absent",
        default: "'last'",
        help: "documents missing from a ranking: 'last' (after its end, in any order) or 'drop' (left out of both)",
    },
];

pub static WEIGHTED_KENDALL: Definition = Info {
    name: "WeightedKendall",
    aliases: &["weighted_kendall"],
    title: "Kendall's distance with weights of positions",
    parameters: PARAMETERS,
    lower_is_better: true,
    range: "0 and up",
    equation: "sum of pbar_x pbar_y over pairs in opposite orders, pbar = mean cost of the ranks moved",
    tex: r"\mathrm{WeightedKendall} = \sum_{(x, y) \text{ in opposite orders}} \bar p_x\, \bar p_y",
    reference: "Kumar & Vassilvitskii 2010",
    ..Info::DEFAULT
}
.built_by(|spec| Ok(Box::new(Kendall(PairWeights::new(spec)?))));

/// What moving costs.
enum Delta {
    Named(Named),
    Given(Vec<f64>),
}

#[derive(Clone, Copy)]
enum Named {
    Dcg,
    Inverse,
    None,
}

/// Parameters of both measures.
pub struct PairWeights {
    delta: Delta,
    unmoved: f64,
    dropped: bool,
}

impl PairWeights {
    /// Read them.
    pub fn new(spec: &Spec) -> Result<PairWeights> {
        let delta = match spec.parameter("delta") {
            Some(Value::List(costs)) if costs.iter().all(|&cost| cost >= 0.0) => Delta::Given(costs.clone()),
            None | Some(Value::Text(_)) => Delta::Named(
                spec.choice("delta", &[("dcg", Named::Dcg), ("inverse", Named::Inverse), ("none", Named::None)])?,
            ),
            Some(other) => {
                let expected = "'dcg', 'inverse', 'none' or a list of numbers of at least 0";
                return Err(Error::Measure(format!("{spec}: delta must be {expected}, not {other}")));
            }
        };
        let dropped = spec.choice("absent", &[("last", false), ("drop", true)])?;
        Ok(PairWeights {
            delta,
            unmoved: spec.number("unmoved", 1.0, "a number of at least 0", |one| one >= 0.0)?,
            dropped,
        })
    }

    /// Both rankings of the same documents.
    pub fn whole(&self, pair: &Pair) -> Whole {
        let joined = if self.dropped { Joined::new(pair) } else { union(pair) };
        let documents = joined.len() as usize;
        let cost = |i: usize| match &self.delta {
            Delta::Named(Named::Dcg) => 1.0 / log2(i as f64) - 1.0 / log2(i as f64 + 1.0),
            Delta::Named(Named::Inverse) => 1.0 / (i as f64 * (i as f64 - 1.0)),
            Delta::Named(Named::None) => 1.0,
            Delta::Given(costs) => costs.get(i - 2).copied().unwrap_or(0.0),
        };
        Whole { joined, costs: Costs::new((2..=documents).map(cost), self.unmoved) }
    }
}

/// What moves cost: `p_i` by rank, and documents that do not move.
pub struct Costs {
    p: Vec<f64>,
    unmoved: f64,
}

impl Costs {
    /// Costs of moving to a rank from the one above, from rank 2 on.
    pub fn new(delta: impl IntoIterator<Item = f64>, unmoved: f64) -> Costs {
        let mut p = vec![0.0, 0.0];
        p.extend(delta.into_iter().scan(0.0, |sum, cost| {
            *sum += cost;
            Some(*sum)
        }));
        Costs { p, unmoved }
    }

    /// pbar of a document at these ranks.
    pub fn of_move(&self, i: usize, j: usize) -> f64 {
        if i == j { self.unmoved } else { (self.p[i] - self.p[j]) / (i as f64 - j as f64) }
    }
}

/// Two tied rankings of the same documents, and what moves cost.
pub struct Whole {
    pub joined: Joined,
    pub costs: Costs,
}

impl Whole {
    /// For each position of a group, the mean of pbar over the positions of a group of the other ranking.
    fn rows(&self, of: GroupExtent, over: GroupExtent) -> Vec<f64> {
        let mean = |i| over.ranks().map(|j| self.costs.of_move(i, j)).sum::<f64>() / over.size as f64;
        of.ranks().map(mean).collect()
    }

    /// Of two documents of one block, the mean of pbar pbar' where their orders are opposite; else 0.
    fn opposite_in_block(&self, a: GroupExtent, b: GroupExtent) -> f64 {
        let mut above = vec![0.0; b.size + 1];
        let mut sum = 0.0;
        for i in a.ranks() {
            // above[j]: over ranks of A above i, the sum at the j-th rank of B.
            let mut below = 0.0;
            for (k, j) in b.ranks().enumerate().rev() {
                let pbar = self.costs.of_move(i, j);
                sum += pbar * below;
                below += above[k];
                above[k] += pbar;
            }
        }
        2.0 * sum / (a.pairs() * b.pairs())
    }
}

struct Kendall(PairWeights);

impl Similarity for Kendall {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let whole = self.0.whole(&overlaps.pair);
        let value = mean(&whole);
        if whole.joined.is_tied() { PairScore::one_number(value) } else { PairScore::constant(value, with_variance) }
    }
}

fn mean(whole: &Whole) -> f64 {
    let (a, b) = (GroupExtent::all(&whole.joined.a), GroupExtent::all(&whole.joined.b));
    let mut seen = Tree::new(b.len());
    // From the last group on, so that those below come first.
    let place = |block: &SharedDocuments| b.len() - 1 - block.b as usize;
    let mut sum = 0.0;
    for group in whole.joined.blocks.chunk_by(|one, other| one.a == other.a) {
        let of_a = a[group[0].a as usize];
        let rows: Vec<Vec<f64>> = group.iter().map(|block| whole.rows(of_a, b[block.b as usize])).collect();
        let weights = group
            .iter()
            .zip(&rows)
            .map(|(block, rows)| f64::from(block.count) * rows.iter().sum::<f64>() / of_a.size as f64);
        let weights: Vec<f64> = weights.collect();
        for (block, weight) in group.iter().zip(&weights) {
            sum += weight * seen.before(place(block));
            if block.count > 1 {
                let pairs = f64::from(block.count) * f64::from(block.count - 1) / 2.0;
                sum += pairs * whole.opposite_in_block(of_a, b[block.b as usize]);
            }
        }
        group.iter().zip(weights).for_each(|(block, weight)| seen.add(place(block), weight));
        sum += within(of_a, group, &rows);
    }
    // Those that share a group of B only.
    let exchanged = whole.joined.exchanged();
    for group in exchanged.blocks.chunk_by(|one, other| one.a == other.a) {
        let of_b = b[group[0].a as usize];
        if group.len() > 1 {
            let rows: Vec<Vec<f64>> = group.iter().map(|block| whole.rows(of_b, a[block.b as usize])).collect();
            sum += within(of_b, group, &rows);
        }
    }
    sum
}

/// Pairs of documents that share this group of one ranking and are in different groups of the other.
fn within(group: GroupExtent, blocks: &[SharedDocuments], rows: &[Vec<f64>]) -> f64 {
    if blocks.len() < 2 {
        return 0.0;
    }
    let mut above = vec![0.0; group.size];
    let mut sum = 0.0;
    for (block, rows) in blocks.iter().zip(rows) {
        let count = f64::from(block.count);
        // Documents that the other ranking has above, at ranks below here.
        let mut below = 0.0;
        for (above, pbar) in above.iter_mut().zip(rows).rev() {
            sum += count * pbar * below;
            below += *above;
            *above += count * pbar;
        }
    }
    sum / group.pairs()
}
