//! Kendall's distance of two top-k lists, `K^(p)` (Fagin, Kumar & Sivakumar 2003).
//!
//! Over pairs of documents that either list has: 1 for two documents in opposite orders, a document that a list lacks
//! standing below all that it has; p for two that one list has and the other lacks; else 0. With p = 1/2 it is the
//! mean over all ways to complete the lists.
//!
//! Mean over tie orders, pair by pair: let a and b be the probabilities of a document to be within the cutoff. Only the
//! group that the cutoff parts has others than 0 and 1. Of two documents of different groups of A the one of the higher
//! group, if it is within, precedes; of two of one group either does with probability (1 - both beyond) / 2.
//! Extremes and variance are Kendall's ([`super::tau`]) where no cutoff parts a group; else none are known.

use super::footrule::NORMALIZE;
use super::joined::{Joined, Tree, pairs};
use super::overlaps::Overlaps;
use super::tau::variance;
use super::{Definition, PairScore, Similarity};
use crate::measures::Certainty;
use crate::names::{Cutoff, Info, Parameter};
use crate::ranking::{Pair, SharedDocuments, Side};

pub static KENDALL_DISTANCE: Definition = Info {
    name: "KendallDistance",
    aliases: &["kendall_distance"],
    title: "Kendall's distance of the first k documents, from pairs in opposite orders",
    cutoff: Cutoff::Optional,
    parameters: &[
        Parameter { name: "p", default: "0.5", help: "penalty of a pair of documents that are in only one ranking" },
        NORMALIZE,
    ],
    lower_is_better: true,
    equation: "pairs in opposite orders, where absent documents are last, plus p for each pair missing from one \
        ranking",
    tex: r"\mathrm{KendallDistance} \propto |\text{pairs in opposite orders}| + p\, |\text{pairs that one ranking
           lacks}|",
    reference: "Fagin, Kumar & Sivakumar 2003",
    ..Info::DEFAULT
}
.built_by(|spec| {
    let p = spec.number("p", 0.5, "a number from 0 to 1", |p| (0.0..=1.0).contains(&p))?;
    Ok(Box::new(KendallDistance {
        p,
        cutoff: spec.cutoff.unwrap_or(usize::MAX),
        normalize: spec.flag(NORMALIZE.name, true)?,
    }))
});

struct KendallDistance {
    p: f64,
    cutoff: usize,
    normalize: bool,
}

impl Similarity for KendallDistance {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let pair = &overlaps.pair;
        let (top_a, top_b) = (TopGroups::new(&pair.a, self.cutoff), TopGroups::new(&pair.b, self.cutoff));
        let all = complete(pair, &top_a, &top_b);
        let opposite = opposite(&all, &top_a, &top_b);
        let tied = tied(&all, &top_a, &top_b);
        let lacking = self.p * (lacking(&all, &top_a, &top_b) + lacking(&all.exchanged(), &top_b, &top_a));
        let (a, b) = (pair.a.len().min(self.cutoff) as u64, pair.b.len().min(self.cutoff) as u64);
        let most = (a * b) as f64 + self.p * (pairs(a) + pairs(b)) as f64;
        let norm = if self.normalize && most > 0.0 { most } else { 1.0 };
        let value = (opposite + tied + lacking) / norm;
        if top_a.parted().or(top_b.parted()).is_some() {
            return PairScore::one_number(value);
        }
        PairScore {
            value,
            range: Some(((opposite + lacking) / norm, (opposite + 2.0 * tied + lacking) / norm)),
            // C - D varies four times as D does.
            variance: with_variance.then(|| variance(&all, top_a.out, top_b.out) / (4.0 * norm * norm)),
            certainty: Certainty::Exact,
        }
    }
}

/// The tie groups of a ranking that begin within a cutoff; all other documents are in one more group, `out`.
struct TopGroups {
    /// Probability to be within the cutoff, by group.
    within: Vec<f64>,
    /// Probabilities of two documents of one group to be both within and both beyond.
    both: Vec<(f64, f64)>,
    out: usize,
}

impl TopGroups {
    fn new(side: &Side, cutoff: usize) -> TopGroups {
        let groups = (0..side.groups()).map(|group| side.positions(group));
        let groups: Vec<_> = groups.take_while(|positions| positions.first <= cutoff).collect();
        let of_two = |some: usize, size: usize| match pairs(size as u64) {
            0 => (some / size) as f64,
            all => pairs(some as u64) as f64 / all as f64,
        };
        let mut within: Vec<f64> = groups.iter().map(|group| group.share(cutoff)).collect();
        let both = groups.iter().map(|group| {
            let inside = group.last.min(cutoff) + 1 - group.first;
            (of_two(inside, group.size()), of_two(group.size() - inside, group.size()))
        });
        let mut both: Vec<(f64, f64)> = both.collect();
        within.push(0.0);
        both.push((0.0, 1.0));
        TopGroups { within, both, out: groups.len() }
    }

    /// The group that the cutoff parts.
    fn parted(&self) -> Option<usize> {
        self.out.checked_sub(1).filter(|&last| self.within[last] < 1.0)
    }
}

/// All documents of both rankings; those that one lacks are one more group of it.
pub fn union(pair: &Pair) -> Joined {
    complete(pair, &TopGroups::new(&pair.a, usize::MAX), &TopGroups::new(&pair.b, usize::MAX))
}

/// All documents that may be within the cutoff in either ranking.
fn complete(pair: &Pair, a: &TopGroups, b: &TopGroups) -> Joined {
    let mut only_a: Vec<u32> = (0..a.out).map(|group| pair.a.positions(group).size() as u32).collect();
    let mut only_b: Vec<u32> = (0..b.out).map(|group| pair.b.positions(group).size() as u32).collect();
    let mut blocks = Vec::with_capacity(pair.blocks.len() + a.out + b.out);
    for block in &pair.blocks {
        if (block.a as usize) < a.out && (block.b as usize) < b.out {
            only_a[block.a as usize] -= block.count;
            only_b[block.b as usize] -= block.count;
            blocks.push(*block);
        }
    }
    let of_a = (0..).zip(only_a).map(|(group, count)| SharedDocuments { a: group, b: b.out as u32, count });
    let of_b = (0..).zip(only_b).map(|(group, count)| SharedDocuments { a: a.out as u32, b: group, count });
    blocks.extend(of_a.chain(of_b).filter(|block| block.count > 0));
    blocks.sort_unstable_by_key(|block| (block.a, block.b));
    Joined::of(blocks, a.out + 1, b.out + 1)
}

/// Expected pairs in opposite orders, of documents that share no group.
fn opposite(all: &Joined, a: &TopGroups, b: &TopGroups) -> f64 {
    let mut seen = Tree::new(all.b.len());
    // From the last group on, so that those below come first.
    let place = |block: &SharedDocuments| all.b.len() - 1 - block.b as usize;
    let mut sum = 0.0;
    for group in all.blocks.chunk_by(|one, other| one.a == other.a) {
        for block in group {
            let of_b = f64::from(block.count) * b.within[block.b as usize];
            sum += of_b * seen.before(place(block));
        }
        group.iter().for_each(|block| {
            seen.add(place(block), f64::from(block.count) * a.within[block.a as usize]);
        });
    }
    sum
}

/// The same, of documents that share a group: of all that can be in opposite orders, half are.
fn tied(all: &Joined, a: &TopGroups, b: &TopGroups) -> f64 {
    let in_both = all.blocks.iter().map(|block| {
        let strict = (1.0 - a.both[block.a as usize].1) * (1.0 - b.both[block.b as usize].1);
        pairs(u64::from(block.count)) as f64 * strict
    });
    (in_both.sum::<f64>() + tied_in_first(all, a, b) + tied_in_first(&all.exchanged(), b, a)) / 2.0
}

/// Pairs of documents that share a group of A only, by their chance to be in strict orders in both.
fn tied_in_first(all: &Joined, a: &TopGroups, b: &TopGroups) -> f64 {
    let of_group = |group: &[SharedDocuments]| {
        let (mut above, mut sum) = (0.0, 0.0);
        for block in group {
            sum += f64::from(block.count) * above;
            above += f64::from(block.count) * b.within[block.b as usize];
        }
        sum * (1.0 - a.both[group[0].a as usize].1)
    };
    all.blocks.chunk_by(|one, other| one.a == other.a).map(of_group).sum()
}

/// Expected pairs of documents that are both within the cutoff in B and both beyond in A.
fn lacking(all: &Joined, a: &TopGroups, b: &TopGroups) -> f64 {
    // All that matters of a document is whether it is beyond in A for sure or perhaps, and so within in B.
    let mut counts = [[0; 2]; 2];
    for block in &all.blocks {
        let (of_a, of_b) = (a.within[block.a as usize], b.within[block.b as usize]);
        if of_a < 1.0 && of_b > 0.0 {
            counts[usize::from(of_a > 0.0)][usize::from(of_b < 1.0)] += u64::from(block.count);
        }
    }
    let (beyond, both_beyond) = a.parted().map_or((0.0, 0.0), |group| (1.0 - a.within[group], a.both[group].1));
    let (within, both_within) = b.parted().map_or((0.0, 0.0), |group| (b.within[group], b.both[group].0));
    let of_two = |one: f64, two: f64| [[1.0, one], [one, two]];
    let (of_a, of_b) = (of_two(beyond, both_beyond), of_two(within, both_within));
    let kinds = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let mut sum = 0.0;
    for (i, &one) in kinds.iter().enumerate() {
        for &other in &kinds[i..] {
            let (n, m) = (counts[one.0][one.1], counts[other.0][other.1]);
            let number = if one == other { pairs(n) } else { n * m };
            sum += number as f64 * of_a[one.0][other.0] * of_b[one.1][other.1];
        }
    }
    sum
}
