//! Spearman's rho of the documents that both rankings have.
//!
//! With ranks a_i and b_i of n documents and their mean c = (n+1)/2, `rho = 12 S / (n (n^2 - 1))`, S = sum of
//! (a_i - c) (b_i - c). The orders of the two rankings are independent, so the mean over tie orders has the mean rank of
//! each tie group in place of its documents' ranks. S is largest if both rankings order their ties as the other ranking
//! has them, and smallest if they order them in reverse: exchanging two documents that contradict this can only bring S
//! closer to it.
//!
//! For the variance, a_i = m_i + e_i, and b_i likewise, with mean ranks m_i. The terms m_i e_i of either ranking and
//! the terms e_i e_i do not correlate. Within a group of t documents, e_i has the variance (t^2 - 1) / 12, and two of them
//! have the covariance -(t + 1) / 12.
//!
//! `variant='b'` takes ties for equality: it is the correlation of mean ranks, and is one number.

use super::joined::{GroupExtent, Joined};
use super::overlaps::Overlaps;
use super::tau::{VARIANT, is_b};
use super::{Definition, PairScore, Similarity};
use crate::measures::Certainty;
use crate::names::Info;

pub static SPEARMAN: Definition = Info {
    name: "Spearman",
    aliases: &["spearmanr", "spearman's_rho", "rho"],
    title: "Spearman's rho of the documents in both rankings",
    parameters: &[VARIANT],
    range: "-1 to 1",
    equation: "1 - 6 / (n (n^2 - 1)) sum of squared differences of ranks",
    tex: r"\rho = 1 - \frac{6}{n (n^2 - 1)} \sum_i (a_i - b_i)^2",
    reference: "Spearman 1904",
    ..Info::DEFAULT
}
.built_by(|spec| Ok(Box::new(Spearman { equal: is_b(spec)? })));

struct Spearman {
    equal: bool,
}

impl Similarity for Spearman {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let joined = Joined::new(&overlaps.pair);
        let n = i128::from(joined.len());
        if n < 2 {
            return PairScore::one_number(f64::NAN);
        }
        let (a, b) = (Ranks::new(&joined.a, n), Ranks::new(&joined.b, n));
        let of_means = joined
            .blocks
            .iter()
            .map(|block| i128::from(block.count) * a.mean(block.a as usize) * b.mean(block.b as usize));
        let of_means: i128 = of_means.sum();
        if self.equal {
            let norm = (a.sum_of_squares() as f64 * b.sum_of_squares() as f64).sqrt();
            return PairScore::one_number(if norm > 0.0 { of_means as f64 / norm } else { f64::NAN });
        }
        let cube = (n * (n * n - 1)) as f64;
        let rho = |sum: i128| 3.0 * sum as f64 / cube;
        PairScore {
            value: rho(of_means),
            range: Some((rho(extreme(&joined, &a, &b, false)), rho(extreme(&joined, &a, &b, true)))),
            variance: with_variance.then(|| variance(&joined, &a, &b) as f64 / cube / cube),
            certainty: Certainty::Exact,
        }
    }
}

/// The tie groups of one ranking. Ranks are doubled and counted from the middle of the ranking, so that they and their
/// means are whole numbers: the deviation of rank r is 2 r - (n + 1).
struct Ranks {
    groups: Vec<GroupExtent>,
    n: i128,
}

impl Ranks {
    fn new(sizes: &[u64], n: i128) -> Ranks {
        Ranks { groups: GroupExtent::all(sizes), n }
    }

    fn size(&self, group: usize) -> i128 {
        self.groups[group].size as i128
    }

    /// The deviation that a document would have directly above a group.
    fn above(&self, group: usize) -> i128 {
        2 * self.groups[group].start as i128 - (self.n + 1)
    }

    /// The mean deviation of a group.
    fn mean(&self, group: usize) -> i128 {
        self.above(group) + self.size(group) + 1
    }

    fn sum_of_squares(&self) -> i128 {
        (0..self.groups.len()).map(|group| self.size(group) * self.mean(group).pow(2)).sum()
    }
}

/// The largest or the smallest sum of products of deviations over all tie orders.
fn extreme(joined: &Joined, a: &Ranks, b: &Ranks, largest: bool) -> i128 {
    // Documents of each group that earlier blocks have placed.
    let (mut placed_a, mut placed_b) = (vec![0_i128; a.groups.len()], vec![0_i128; b.groups.len()]);
    let mut sum = 0;
    // By groups of A and then of B, so that blocks come in the order that makes S largest within each group.
    for block in &joined.blocks {
        let (in_a, in_b, count) = (block.a as usize, block.b as usize, i128::from(block.count));
        let above = |ranks: &Ranks, group: usize, placed: i128| {
            let before = if largest { placed } else { ranks.size(group) - placed - count };
            ranks.above(group) + 2 * before
        };
        let (x, y) = (above(a, in_a, placed_a[in_a]), above(b, in_b, placed_b[in_b]));
        // Document j of the block has the deviations x + 2 j and y + 2 j, or y + 2 (count + 1 - j).
        let squares = count * (count + 1) * if largest { 2 * count + 1 } else { count + 2 } / 6;
        sum += count * x * y + (x + y) * count * (count + 1) + 4 * squares;
        placed_a[in_a] += count;
        placed_b[in_b] += count;
    }
    sum
}

/// 144 times the variance of S.
fn variance(joined: &Joined, a: &Ranks, b: &Ranks) -> i128 {
    let both: i128 = joined
        .blocks
        .iter()
        .map(|block| {
            let (in_a, in_b, count) = (a.size(block.a as usize), b.size(block.b as usize), i128::from(block.count));
            (in_a + 1) * (in_b + 1) * (count * (in_a - 1) * (in_b - 1) + count * (count - 1))
        })
        .sum();
    both + of_means(joined, a, b) + of_means(&joined.exchanged(), b, a)
}

/// 144 times the variance of the sum of m_i e_i, with mean ranks of the first ranking and tie orders of the second.
fn of_means(joined: &Joined, means: &Ranks, ties: &Ranks) -> i128 {
    let mut sums = vec![(0_i128, 0_i128); ties.groups.len()];
    for block in &joined.blocks {
        let (sum, squares) = &mut sums[block.b as usize];
        let (mean, count) = (means.mean(block.a as usize), i128::from(block.count));
        *sum += count * mean;
        *squares += count * mean * mean;
    }
    let of_group = |(group, (sum, squares)): (usize, &(i128, i128))| {
        let size = ties.size(group);
        3 * (size + 1) * (size * squares - sum * sum)
    };
    sums.iter().enumerate().map(of_group).sum()
}
