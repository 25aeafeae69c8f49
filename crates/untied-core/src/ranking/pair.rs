//! Two rankings of a query, joined by document.
//!
//! A document stands somewhere within its tie group in either ranking. So all that a similarity can know is how many
//! documents each pair of groups shares: a [`Block`]. Documents of a block are alike.

use super::Order;
use crate::table::{Rows, index};

/// A ranking as the ends of its tie groups.
#[derive(Debug, Default, Clone)]
pub struct Side {
    ends: Vec<u32>,
}

/// Positions of a tie group, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Positions {
    /// The first, t.
    pub first: usize,
    /// The last, b.
    pub last: usize,
}

impl Positions {
    /// Number of positions, b - t + 1.
    #[must_use]
    pub fn size(self) -> usize {
        self.last - self.first + 1
    }

    /// The share of the group's documents that are within a depth, c(d).
    #[must_use]
    pub fn share(self, depth: usize) -> f64 {
        if depth >= self.last { 1.0 } else { (depth + 1).saturating_sub(self.first) as f64 / self.size() as f64 }
    }
}

impl Side {
    /// A ranking whose tie groups end after so many documents.
    #[must_use]
    pub fn new(ends: Vec<u32>) -> Side {
        Side { ends }
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of tie groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.ends.len()
    }

    /// Where a tie group stands.
    #[must_use]
    pub fn positions(&self, group: usize) -> Positions {
        let before = if group == 0 { 0 } else { self.ends[group - 1] as usize };
        Positions { first: before + 1, last: self.ends[group] as usize }
    }

    /// For every row of the input, its group.
    fn group_of_rows(order: &Order) -> Vec<u32> {
        let mut groups = vec![0; order.rows.len()];
        let mut start = 0;
        for (group, &end) in (0..).zip(&order.ends) {
            order.rows[start as usize..end as usize].iter().for_each(|&row| groups[row as usize] = group);
            start = end;
        }
        groups
    }
}

/// Documents that one group of A and one of B share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The group in A.
    pub a: u32,
    /// The group in B.
    pub b: u32,
    /// How many documents.
    pub count: u32,
}

/// Two rankings of a query, joined.
#[derive(Debug, Default, Clone)]
pub struct Pair {
    /// The first ranking.
    pub a: Side,
    /// The second ranking.
    pub b: Side,
    /// What they share, by groups of A and then of B.
    pub blocks: Vec<Block>,
}

impl Pair {
    /// Join two sorted rankings.
    #[must_use]
    pub fn join(a: (&Rows<'_>, &Order), b: (&Rows<'_>, &Order)) -> Pair {
        let ((rows_a, order_a), (rows_b, order_b)) = (a, b);
        let mut slots = vec![0; index::slots_for(rows_a.len())];
        for (row, &hash) in (0..).zip(rows_a.hashes()) {
            // No document stands twice in a run, so there is nothing to compare.
            let inserted = index::insert(&mut slots, hash, row, |_| false);
            debug_assert!(inserted.is_ok());
        }
        let (of_a, of_b) = (Side::group_of_rows(order_a), Side::group_of_rows(order_b));
        let mut shared: Vec<(u32, u32)> = Vec::new();
        for (row, &hash) in rows_b.hashes().iter().enumerate() {
            let document = rows_b.doc(row);
            if let Some(found) = index::find(&slots, hash, |other| rows_a.doc(other as usize) == document) {
                shared.push((of_a[found as usize], of_b[row]));
            }
        }
        shared.sort_unstable();
        let blocks = shared.chunk_by(|one, other| one == other).map(|same| Block {
            a: same[0].0,
            b: same[0].1,
            count: same.len() as u32,
        });
        Pair { a: Side::new(order_a.ends.clone()), b: Side::new(order_b.ends.clone()), blocks: blocks.collect() }
    }

    /// Documents of the longer ranking, l.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.a.len().max(self.b.len())
    }

    /// Documents of the shorter ranking, s.
    #[must_use]
    pub fn shortest(&self) -> usize {
        self.a.len().min(self.b.len())
    }

    /// Documents in both.
    #[must_use]
    pub fn shared(&self) -> usize {
        self.blocks.iter().map(|block| block.count as usize).sum()
    }

    /// Where a block's documents stand in A and in B.
    #[must_use]
    pub fn positions(&self, block: &Block) -> (Positions, Positions) {
        (self.a.positions(block.a as usize), self.b.positions(block.b as usize))
    }
}
