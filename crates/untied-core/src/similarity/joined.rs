//! Two rankings of the same documents: those that both have.
//!
//! What is left of a tie group is still in any order with the same probability.

use crate::ranking::{Pair, SharedDocuments};
use crate::watch;

/// Pairs of `n` documents.
pub fn pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Documents in both rankings, by their groups.
pub struct Joined {
    /// By groups of A and then of B.
    pub blocks: Vec<SharedDocuments>,
    /// For each group of A, how many of its documents are in B.
    pub a: Vec<u64>,
    /// For each group of B, how many of its documents are in A.
    pub b: Vec<u64>,
}

impl Joined {
    /// What two rankings share.
    pub fn new(pair: &Pair) -> Joined {
        Joined::of(pair.blocks.clone(), pair.a.groups(), pair.b.groups())
    }

    /// Blocks between this many groups.
    pub fn of(blocks: Vec<SharedDocuments>, groups_a: usize, groups_b: usize) -> Joined {
        let (mut a, mut b) = (vec![0; groups_a], vec![0; groups_b]);
        for block in &blocks {
            a[block.a as usize] += u64::from(block.count);
            b[block.b as usize] += u64::from(block.count);
        }
        Joined { blocks, a, b }
    }

    /// Number of documents.
    pub fn len(&self) -> u64 {
        self.a.iter().sum()
    }

    /// Whether documents are tied in either ranking.
    pub fn is_tied(&self) -> bool {
        self.a.iter().chain(&self.b).any(|&size| size > 1)
    }

    /// Pairs of documents in opposite strict orders.
    pub fn discordant(&self) -> f64 {
        let mut seen = Tree::new(self.b.len());
        // From the last group on, so that those below come first.
        let place = |block: &SharedDocuments| self.b.len() - 1 - block.b as usize;
        let mut discordant = 0.0;
        for group in watch::until_stopped(self.blocks.chunk_by(|one, other| one.a == other.a)) {
            for block in group {
                discordant += f64::from(block.count) * seen.before(place(block));
            }
            group.iter().for_each(|block| seen.add(place(block), f64::from(block.count)));
        }
        discordant
    }

    /// Blocks with the two rankings exchanged.
    pub fn exchanged(&self) -> Joined {
        let mut blocks: Vec<SharedDocuments> =
            self.blocks.iter().map(|block| SharedDocuments { a: block.b, b: block.a, count: block.count }).collect();
        blocks.sort_unstable_by_key(|block| (block.a, block.b));
        Joined { blocks, a: self.b.clone(), b: self.a.clone() }
    }
}

/// A tie group: the documents before it and in it.
#[derive(Clone, Copy)]
pub struct GroupExtent {
    pub start: usize,
    pub size: usize,
}

impl GroupExtent {
    pub fn all(sizes: &[u64]) -> Vec<GroupExtent> {
        let groups = sizes.iter().scan(0, |start, &size| {
            *start += size as usize;
            Some(GroupExtent { start: *start - size as usize, size: size as usize })
        });
        groups.collect()
    }

    pub fn ranks(self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        self.start + 1..self.start + self.size + 1
    }

    /// Pairs of different positions, each twice.
    pub fn pairs(self) -> f64 {
        (self.size * (self.size - 1)) as f64
    }
}

/// Numbers by group and their sums up to a group, both in logarithmic time (Fenwick 1994).
pub struct Tree(Vec<f64>);

impl Tree {
    /// Zero for this many groups.
    pub fn new(groups: usize) -> Tree {
        Tree(vec![0.0; groups + 1])
    }

    /// Add to the number of a group.
    pub fn add(&mut self, group: usize, number: f64) {
        let mut i = group + 1;
        while i < self.0.len() {
            self.0[i] += number;
            i += i & i.wrapping_neg();
        }
    }

    /// The sum over groups before this one.
    pub fn before(&self, group: usize) -> f64 {
        let (mut i, mut sum) = (group, 0.0);
        while i > 0 {
            sum += self.0[i];
            i -= i & i.wrapping_neg();
        }
        sum
    }
}
