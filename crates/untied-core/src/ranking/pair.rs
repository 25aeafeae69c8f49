//! Joins two rankings of a query by document.
//!
//! The place of a document in its tie group is open, so a similarity can read only how many documents a tie group of A
//! and one of B share: a [`SharedDocuments`]. The documents of a block are interchangeable.

use super::List;

/// One of the two rankings, as the ends of its tie groups.
#[derive(Debug, Default, Clone)]
pub struct Side {
    ends: Vec<u32>,
}

/// The positions of a tie group, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Positions {
    /// The first, t.
    pub first: usize,
    /// The last, b.
    pub last: usize,
}

impl Positions {
    /// The number of positions, b - t + 1.
    pub fn size(self) -> usize {
        self.last - self.first + 1
    }

    /// The share of the group's documents that are within a depth, c(d).
    pub fn share(self, depth: usize) -> f64 {
        if depth >= self.last { 1.0 } else { (depth + 1).saturating_sub(self.first) as f64 / self.size() as f64 }
    }
}

impl Side {
    /// The ranking whose tie groups end after these numbers of documents.
    pub fn new(ends: Vec<u32>) -> Side {
        Side { ends }
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// The number of tie groups.
    pub fn groups(&self) -> usize {
        self.ends.len()
    }

    /// The positions of a tie group.
    pub fn positions(&self, group: usize) -> Positions {
        let before = if group == 0 { 0 } else { self.ends[group - 1] as usize };
        Positions { first: before + 1, last: self.ends[group] as usize }
    }
}

/// The documents that a tie group of A and one of B share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedDocuments {
    /// The group in A.
    pub a: u32,
    /// The group in B.
    pub b: u32,
    /// The number of documents.
    pub count: u32,
}

/// Two rankings of a query, joined.
#[derive(Debug, Default, Clone)]
pub struct Pair {
    /// The first ranking.
    pub a: Side,
    /// The second ranking.
    pub b: Side,
    /// The documents that they share, sorted by group of A and then of B.
    pub blocks: Vec<SharedDocuments>,
}

impl Pair {
    /// The number of documents of the longer ranking, l.
    pub fn longest(&self) -> usize {
        self.a.len().max(self.b.len())
    }

    /// The number of documents of the shorter ranking, s.
    pub fn shortest(&self) -> usize {
        self.a.len().min(self.b.len())
    }

    /// Whether documents are tied in either ranking.
    pub fn is_tied(&self) -> bool {
        [&self.a, &self.b].iter().any(|side| side.groups() < side.len())
    }

    /// The number of documents in both.
    pub fn shared(&self) -> usize {
        self.blocks.iter().map(|block| block.count as usize).sum()
    }

    /// The positions of a block's documents in A and in B.
    pub fn positions(&self, block: &SharedDocuments) -> (Positions, Positions) {
        (self.a.positions(block.a as usize), self.b.positions(block.b as usize))
    }
}

/// The ranks of a document in two rankings, counted from 1; 0 if a ranking lacks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Its number.
    pub document: u32,
    /// Its rank in A; tied documents have consecutive ranks.
    pub a: u32,
    /// Its rank in B.
    pub b: u32,
}

/// Joins rankings, with memory that is used again.
#[derive(Debug, Default)]
pub struct Joiner {
    /// By number of document; 0 between calls.
    places: Vec<u32>,
}

impl Joiner {
    /// Joins two rankings, in the memory of a pair that is no longer needed.
    pub fn pair(&mut self, a: &List, b: &List, mut pair: Pair) -> Pair {
        self.make_room(a, b);
        pair.a.ends.clone_from(&a.ends);
        pair.b.ends.clone_from(&b.ends);
        each_group(b, |group, docs| docs.iter().for_each(|&doc| self.places[doc as usize] = group + 1));
        let blocks = &mut pair.blocks;
        blocks.clear();
        each_group(a, |group, docs| {
            let first = blocks.len();
            let places = docs.iter().map(|&doc| self.places[doc as usize]).filter(|&place| place > 0);
            blocks.extend(places.map(|place| SharedDocuments { a: group, b: place - 1, count: 1 }));
            if docs.len() > 1 {
                blocks[first..].sort_unstable_by_key(|block| block.b);
            }
        });
        b.docs.iter().for_each(|&doc| self.places[doc as usize] = 0);
        blocks.dedup_by(|next, block| {
            let same = (next.a, next.b) == (block.a, block.b);
            block.count += u32::from(same);
            same
        });
        pair
    }

    /// All documents of both: those of A in its order, then the others of B in its order.
    pub fn places(&mut self, a: &List, b: &List, all: &mut Vec<Placed>) {
        self.make_room(a, b);
        b.docs.iter().zip(1..).for_each(|(&doc, rank)| self.places[doc as usize] = rank);
        all.clear();
        all.extend(a.docs.iter().zip(1..).map(|(&document, a)| {
            let b = std::mem::take(&mut self.places[document as usize]);
            Placed { document, a, b }
        }));
        all.extend(b.docs.iter().filter_map(|&document| {
            let b = std::mem::take(&mut self.places[document as usize]);
            (b > 0).then_some(Placed { document, a: 0, b })
        }));
    }

    fn make_room(&mut self, a: &List, b: &List) {
        let most = a.docs.iter().chain(&b.docs).max().map_or(0, |&most| most as usize + 1);
        if self.places.len() < most {
            self.places.resize(most, 0);
        }
    }
}

/// The tie groups of a ranking, with their numbers.
fn each_group(list: &List, mut see: impl FnMut(u32, &[u32])) {
    let mut start = 0;
    for (group, &end) in (0..).zip(&list.ends) {
        see(group, &list.docs[start..end as usize]);
        start = end as usize;
    }
}
