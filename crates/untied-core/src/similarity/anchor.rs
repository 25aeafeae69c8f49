//! AnchorMAP (Buckley 2004): average precision of B where the first k documents of A are taken as relevant.
//!
//! With R = min(k, |A|) and x_i = 1 where the document at rank i of B is one of them, it is
//! `(1/R) sum_i x_i (x_1 + .. + x_i) / i`. It is not symmetric.
//!
//! Under ties: of a document of the group that the cutoff parts, a = m/s is the probability to be among the first k, m
//! of its s documents being so, and a_2 = m (m-1) / (s (s-1)) that of two. A group of B with n documents after t others,
//! U of them relevant for sure and C in that group, after U' and C' such, adds at its slot q = 1..n
//!
//!   [ (U + a C)/n + (U (U' + a C') + C (a U' + a_2 C'))/n
//!     + (q-1) (U (U-1) + 2 a U C + a_2 C (C-1)) / (n (n-1)) ] / (t + q).
//!
//! A relevant document that moves up never lowers the value, so the largest takes the candidates that are first in B,
//! relevant documents first in their groups, and the smallest the opposite. The variance is that of average precision
//! if the cutoff parts no group; else it is not known.

use super::overlap::cutoff;
use super::overlaps::Overlaps;
use super::{Definition, PairScore, Similarity, Symmetry};
use crate::measures::Certainty;
use crate::measures::average_precision::{RelevantGroup, variance_of};
use crate::names::{Cutoff, Info};
use crate::ranking::{Pair, Positions};

pub static ANCHOR_MAP: Definition = Info {
    name: "AnchorMAP",
    aliases: &["anchor_map"],
    title: "average precision of the second ranking if the first k documents of the first are relevant",
    cutoff: Cutoff::Required,
    equation: "AP of B where the first k documents of A are relevant",
    tex: r"\mathrm{AnchorMAP}@k = \mathrm{AP}(B) \text{ with the relevant documents } A_k",
    reference: "Buckley 2004; Tan & Clarke 2015",
    ..Info::DEFAULT
}
.built_by(|spec| Ok(Box::new(AnchorMap(cutoff(spec)?))));

struct AnchorMap(usize);

/// A tie group of B: where it is, how many relevant documents it has for sure, and how many candidates.
struct TargetGroup {
    at: Positions,
    sure: usize,
    open: usize,
}

impl Similarity for AnchorMap {
    fn symmetry(&self) -> Symmetry {
        Symmetry::None
    }

    /// The cutoff is that of A; B counts as a whole.
    fn reads_below_cutoff(&self) -> bool {
        true
    }

    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let pair = &overlaps.pair;
        let relevant = pair.a.len().min(self.0) as f64;
        if relevant == 0.0 {
            return PairScore::constant(0.0, with_variance);
        }
        let parted = (0..pair.a.groups()).map(|group| pair.a.positions(group));
        let parted = parted.take_while(|at| at.first <= self.0).find(|at| at.last > self.0);
        let targets = self.targets(pair);
        // (documents of the parted group, those of them among the first k)
        let (size, slots) = parted.map_or((1, 0), |at| (at.size(), self.0 + 1 - at.first));
        let value = mean(&targets, size as f64, slots as f64) / relevant;
        if !pair.is_tied() {
            return PairScore::constant(value, with_variance);
        }
        let open: usize = targets.iter().map(|target| target.open).sum();
        let best = extreme(targets.iter(), slots.min(open), |at, i, _| at.first + i) / relevant;
        let fewest = (slots + open).saturating_sub(size);
        let worst = extreme(targets.iter().rev(), fewest, |at, i, count| at.last + 1 - count + i) / relevant;
        PairScore {
            value,
            range: Some((worst.min(value), best.max(value))),
            variance: (with_variance && open == 0).then(|| variance(&targets) / (relevant * relevant)),
            certainty: Certainty::Exact,
        }
    }
}

impl AnchorMap {
    /// The groups of B that may have relevant documents, in order.
    fn targets(&self, pair: &Pair) -> Vec<TargetGroup> {
        let (mut sure, mut open) = (vec![0; pair.b.groups()], vec![0; pair.b.groups()]);
        for block in &pair.blocks {
            let at = pair.a.positions(block.a as usize);
            if at.first <= self.0 {
                let of = if at.last <= self.0 { &mut sure } else { &mut open };
                of[block.b as usize] += block.count as usize;
            }
        }
        let targets = (0..).zip(sure).zip(open).filter(|((_, sure), open)| sure + open > 0);
        targets.map(|((group, sure), open)| TargetGroup { at: pair.b.positions(group), sure, open }).collect()
    }
}

/// The sum of precisions, over all orders of both.
fn mean(targets: &[TargetGroup], size: f64, slots: f64) -> f64 {
    let one = slots / size;
    let two = if size > 1.0 { one * (slots - 1.0) / (size - 1.0) } else { 0.0 };
    let (mut sum, mut sure_above, mut open_above) = (0.0, 0.0, 0.0);
    for target in targets {
        let (n, u, c) = (target.at.size() as f64, target.sure as f64, target.open as f64);
        let above = u * (sure_above + one * open_above) + c * (one * sure_above + two * open_above);
        let first = (u + one * c + above) / n;
        let within = u * (u - 1.0) + 2.0 * one * u * c + two * c * (c - 1.0);
        let each = if n > 1.0 { within / (n * (n - 1.0)) } else { 0.0 };
        let slots = (target.at.first..=target.at.last).zip(0u32..);
        sum += slots.map(|(rank, q)| (first + f64::from(q) * each) / rank as f64).sum::<f64>();
        sure_above += u;
        open_above += c;
    }
    sum
}

/// The sum of precisions by how many candidates, from the groups that come first here, are relevant; the i-th of
/// `count` relevant documents of a group is at the rank given.
fn extreme<'a>(
    targets: impl Iterator<Item = &'a TargetGroup>,
    mut open: usize,
    rank: impl Fn(Positions, usize, usize) -> usize,
) -> f64 {
    let mut ranks = Vec::new();
    for target in targets {
        let taken = open.min(target.open);
        open -= taken;
        let count = target.sure + taken;
        ranks.extend((0..count).map(|i| rank(target.at, i, count)));
    }
    ranks.sort_unstable();
    ranks.iter().zip(1u32..).map(|(&rank, hits)| f64::from(hits) / rank as f64).sum()
}

/// Of the sum of precisions, over the orders of B alone.
fn variance(targets: &[TargetGroup]) -> f64 {
    let parts = targets.iter().scan(0, |above, target| {
        let part = RelevantGroup {
            t: target.at.first - 1,
            n: target.at.size() as f64,
            r: target.sure as f64,
            slots: target.at.size(),
            b: (*above + 1) as f64,
        };
        *above += target.sure;
        Some(part)
    });
    parts.map(variance_of).sum()
}
