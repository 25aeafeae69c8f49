//! Scores over the orders of two tied rankings: all are listed, or, where there are more than 5,000, some are drawn.

use super::PairScore;
use super::joined::{GroupExtent, Joined};
use crate::measures::Certainty;
use crate::measures::orders::Outcome;
use crate::measures::orders::sampling::{Classes, PlacedDocument, is_listed, over_orders};

/// All orders of two rankings of the same documents.
pub struct JointOrders {
    /// A document is a number of its block. In A those of a block are alike, and stand in the order of their numbers.
    first: Vec<u32>,
    /// Groups of A, then those of B at positions after all of A.
    groups: Vec<Classes>,
    documents: usize,
}

impl JointOrders {
    pub fn new(joined: &Joined) -> JointOrders {
        let first = joined.blocks.iter().scan(0, |next, block| Some(std::mem::replace(next, *next + block.count)));
        let (first, documents) = (first.collect::<Vec<_>>(), joined.len() as usize);
        JointOrders { groups: of_a(joined).chain(of_b(joined, &first, documents)).collect(), first, documents }
    }

    /// Whether there are few enough to list them.
    pub fn are_listed(&self) -> bool {
        is_listed(&self.groups)
    }

    /// Statistics of a formula of every document's rank in A and in B.
    pub fn score(&self, with_variance: bool, mut value: impl FnMut(&[usize], &[usize]) -> f64) -> PairScore {
        let (mut ranks_a, mut ranks_b) = (vec![0; self.documents], vec![0; self.documents]);
        let mut next = self.first.clone();
        let statistics = over_orders(&self.groups, |placed: &[PlacedDocument]| {
            next.copy_from_slice(&self.first);
            for &(position, class) in placed {
                if position < self.documents {
                    ranks_a[next[class as usize] as usize] = position + 1;
                    next[class as usize] += 1;
                } else {
                    ranks_b[class as usize] = position - self.documents + 1;
                }
            }
            value(&ranks_a, &ranks_b)
        });
        let (Outcome { mean, variance, low, high }, exact) = (statistics.outcome, self.are_listed());
        PairScore {
            value: mean,
            range: exact.then_some((low, high)),
            variance: (with_variance && exact).then_some(variance),
            certainty: if exact { Certainty::Exact } else { Certainty::Estimate },
        }
    }
}

fn of_a(joined: &Joined) -> impl Iterator<Item = Classes> {
    let groups = GroupExtent::all(&joined.a);
    let mut number = 0;
    joined.blocks.chunk_by(|one, other| one.a == other.a).map(move |blocks| {
        let group = groups[blocks[0].a as usize];
        let counts = blocks.iter().map(|block| {
            number += 1;
            (number - 1, block.count)
        });
        Classes { start: group.start, size: group.size, slots: group.size, counts: counts.collect() }
    })
}

/// Every document for itself, at positions after all of A.
fn of_b(joined: &Joined, first: &[u32], documents: usize) -> impl Iterator<Item = Classes> {
    let mut classes: Vec<Classes> = GroupExtent::all(&joined.b)
        .into_iter()
        .map(|group| {
            let start = documents + group.start;
            Classes { start, size: group.size, slots: group.size, counts: Vec::new() }
        })
        .collect();
    for (block, &first) in joined.blocks.iter().zip(first) {
        classes[block.b as usize].counts.extend((first..first + block.count).map(|document| (document, 1)));
    }
    classes.into_iter()
}
