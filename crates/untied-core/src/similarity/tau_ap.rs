//! tau_AP, in which errors at the top weigh more (Yilmaz, Aslam & Robertson 2008).
//!
//! Of the n documents that both rankings have, A being the truth and C(i) the number of those above rank i of B that A
//! too has above its document, `tau_AP = 2/(n-1) sum_{i=2..n} C(i)/(i-1) - 1`. It is not symmetric.
//!
//! Mean over tie orders: a document of a group of B that starts after t others has base = the number of those that A
//! puts above it, and half of those that A ties with it; half of the a - 1 of its own group before slot a are in A's
//! order too. So slot a adds (mean base + (a-1)/2) / (t+a-1).
//!
//! Variant b (Urbano & Marrero 2017) is symmetric, the mean of both directions: each takes, over the documents that are
//! not in the first group, the share of the documents of groups above that the other ranking puts strictly above.

use super::joined::{Joined, Tree, pairs};
use super::orders::JointOrders;
use super::overlaps::Overlaps;
use super::tau::{VARIANT, is_b};
use super::{Definition, PairScore, Similarity, Symmetry};
use crate::names::Info;
use crate::ranking::SharedDocuments;
use crate::watch;

pub static TAU_AP: Definition = Info {
    name: "TauAP",
    aliases: &["tau_ap"],
    title: "tau_AP of the documents in both rankings, which counts errors at the top more",
    parameters: &[VARIANT],
    range: "-1 to 1",
    equation: "2/(n-1) sum_{i=2..n} C(i)/(i-1) - 1, C(i) = those above rank i of B that A has above it too",
    tex: r"\tau_{\mathrm{AP}} = \frac{2}{n - 1} \sum_{i=2}^{n} \frac{C(i)}{i - 1} - 1",
    reference: "Yilmaz, Aslam & Robertson 2008; ties: Urbano & Marrero 2017",
    ..Info::DEFAULT
}
.built_by(|spec| Ok(Box::new(TauAp { equal: is_b(spec)? })));

struct TauAp {
    equal: bool,
}

impl Similarity for TauAp {
    fn symmetry(&self) -> Symmetry {
        if self.equal { Symmetry::Same } else { Symmetry::None }
    }

    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let joined = Joined::new(&overlaps.pair);
        if pairs(joined.len()) == 0 {
            return PairScore::one_number(f64::NAN);
        }
        // B's groups in order, each with A's.
        let exchanged = joined.exchanged();
        if self.equal {
            return PairScore::one_number(f64::midpoint(strict(&joined), strict(&exchanged)));
        }
        let value = mean(&exchanged);
        if !joined.is_tied() {
            return PairScore::constant(value, with_variance);
        }
        // No closed form of the extremes and the variance is known, so they are had where orders are few.
        let orders = with_variance.then(|| JointOrders::new(&joined)).filter(JointOrders::are_listed);
        orders.map_or(PairScore::one_number(value), |orders| PairScore { value, ..orders.score(true, of_orders) })
    }
}

/// The estimate's groups and, in each, what groups of the truth its documents are in: the number of documents above
/// the group, its size, and for its documents the sum of those above that the truth has strictly above and tied.
fn by_group(estimate: &Joined, mut see: impl FnMut(u64, u64, f64, f64)) {
    let mut seen = Tree::new(estimate.b.len());
    let mut start = 0;
    for group in watch::until_stopped(estimate.blocks.chunk_by(|one, other| one.a == other.a)) {
        let (mut strictly, mut tied) = (0.0, 0.0);
        for block in group {
            let (of, count) = (block.b as usize, f64::from(block.count));
            strictly += count * seen.before(of);
            tied += count * (seen.before(of + 1) - seen.before(of));
        }
        let size = group.iter().map(|block| u64::from(block.count)).sum();
        see(start, size, strictly, tied);
        group.iter().for_each(|block| seen.add(block.b as usize, f64::from(block.count)));
        start += size;
    }
}

/// Of two orders, every document's rank in the truth and in the estimate.
fn of_orders(truth: &[usize], estimate: &[usize]) -> f64 {
    let blocks =
        truth.iter().zip(estimate).map(|(&a, &b)| SharedDocuments { a: b as u32 - 1, b: a as u32 - 1, count: 1 });
    let mut blocks: Vec<SharedDocuments> = blocks.collect();
    blocks.sort_unstable_by_key(|block| block.a);
    mean(&Joined::of(blocks, estimate.len(), truth.len()))
}

fn mean(estimate: &Joined) -> f64 {
    let mut sum = 0.0;
    by_group(estimate, |start, size, strictly, tied| {
        let base = (strictly + tied / 2.0) / size as f64;
        let slots = (start.max(1)..start + size).map(|above| (base + (above - start) as f64 / 2.0) / above as f64);
        sum += slots.sum::<f64>();
    });
    2.0 * sum / (estimate.len() - 1) as f64 - 1.0
}

fn strict(estimate: &Joined) -> f64 {
    let (mut sum, mut documents) = (0.0, 0);
    by_group(estimate, |start, size, strictly, _| {
        if start > 0 {
            sum += strictly / start as f64;
            documents += size;
        }
    });
    if documents == 0 { f64::NAN } else { 2.0 * sum / documents as f64 - 1.0 }
}
