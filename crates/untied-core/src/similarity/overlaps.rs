//! Overlaps `X_d` of the first d documents of two rankings, and sums of them under ties.
//!
//! Most similarities are `constant + sum_d kappa_d X_d` with weights of one sign (distances: below 0). A shared document at
//! ranks i and j counts from depth max(i, j) on, so such a sum is also one over shared documents of
//! `phi(max(i, j))` with `phi(m) = sum_{d >= m} kappa_d`. The first form gives mean and extremes, the second the
//! variance, all over the orders of tied documents in both rankings.

use std::cell::OnceCell;

use super::PairScore;
use crate::measures::Certainty;
use crate::ranking::{Pair, Positions, SharedDocuments, Side};
use crate::watch;

/// Two rankings with their overlaps at depths 1 to l, which are computed when they are asked for.
#[derive(Debug)]
pub struct Overlaps {
    /// The rankings.
    pub pair: Pair,
    mean: OnceCell<Vec<f64>>,
    low: OnceCell<Vec<f64>>,
    high: OnceCell<Vec<f64>>,
}

/// `constant + sum_d kappa_d (X_d - from_d)`, no two weights of opposite signs; depths that are not given have weight 0.
pub struct Linear<'w> {
    /// What does not depend on overlaps.
    pub constant: f64,
    /// The weights, from depth 1 on.
    pub kappa: &'w [f64],
    /// What overlaps are compared with, so that a distance of 0 is 0 to the last bit; all 0 if empty.
    pub from: &'w [f64],
    /// What single depths weigh besides; depth 0 is none.
    pub further: [(usize, f64); 2],
}

impl Linear<'_> {
    fn of(&self, overlaps: &[f64]) -> f64 {
        let weighed = self.kappa.iter().zip(overlaps);
        let sum: f64 = if self.from.is_empty() {
            weighed.map(|(kappa, x)| kappa * x).sum()
        } else {
            weighed.zip(self.from).map(|((kappa, x), from)| kappa * (x - from)).sum()
        };
        let further = self.further.iter().filter(|&&(depth, _)| depth > 0);
        self.constant + sum + further.map(|&(depth, kappa)| kappa * overlaps[depth - 1]).sum::<f64>()
    }

    fn weight(&self, depth: usize) -> f64 {
        let further = self.further.iter().filter(|one| one.0 == depth).map(|one| one.1);
        self.kappa.get(depth - 1).copied().unwrap_or(0.0) + further.sum::<f64>()
    }
}

impl Overlaps {
    /// Two rankings whose overlaps will be asked for.
    pub fn new(pair: Pair) -> Overlaps {
        Overlaps { pair, mean: OnceCell::new(), low: OnceCell::new(), high: OnceCell::new() }
    }

    /// `E[X_d]`.
    pub fn mean(&self) -> &[f64] {
        self.mean.get_or_init(|| if self.pair.is_tied() { expected(&self.pair) } else { counted(&self.pair) })
    }

    /// The smallest `X_d`; one pair of orders has all of them.
    pub fn low(&self) -> &[f64] {
        if self.pair.is_tied() { self.low.get_or_init(|| lowest(&self.pair)) } else { self.mean() }
    }

    /// The largest `X_d`; one pair of orders has all of them.
    pub fn high(&self) -> &[f64] {
        if self.pair.is_tied() { self.high.get_or_init(|| highest(&self.pair)) } else { self.mean() }
    }

    /// Value, extremes and, where asked for, variance of a sum of overlaps.
    pub fn score(&self, linear: &Linear, with_variance: bool) -> PairScore {
        let value = linear.of(self.mean());
        if !self.pair.is_tied() {
            return PairScore::constant(value, with_variance);
        }
        let ends = (linear.of(self.low()), linear.of(self.high()));
        PairScore {
            value,
            range: Some((ends.0.min(ends.1).min(value), ends.0.max(ends.1).max(value))),
            variance: with_variance.then(|| variance(&self.pair, linear)),
            certainty: Certainty::Exact,
        }
    }
}

/// Without ties a group is a rank.
fn counted(pair: &Pair) -> Vec<f64> {
    let mut overlaps = vec![0.0; pair.longest()];
    for block in watch::until_stopped(pair.blocks.iter()) {
        overlaps[block.a.max(block.b) as usize] += 1.0;
    }
    let mut sum = 0.0;
    for overlap in &mut overlaps {
        sum += *overlap;
        *overlap = sum;
    }
    overlaps
}

/// Each shared document has both its ranks within d with probability `c_A(d) c_B(d)`.
fn expected(pair: &Pair) -> Vec<f64> {
    let depth = pair.longest();
    let (mut partial, mut entering) = (vec![0.0; depth], vec![0u32; depth]);
    // A block may go through all depths.
    for block in pair.blocks.iter().take_while(|_| !watch::is_stopped()) {
        let (a, b) = pair.positions(block);
        let whole = a.last.max(b.last);
        for d in a.first.max(b.first)..whole {
            partial[d - 1] += f64::from(block.count) * a.share(d) * b.share(d);
        }
        entering[whole - 1] += block.count;
    }
    cumulated(&entering).zip(partial).map(|(whole, partial)| whole + partial).collect()
}

/// In every group, documents by their group in the other ranking, those that it lacks last.
fn highest(pair: &Pair) -> Vec<f64> {
    let starts = |side: &Side| (0..side.groups()).map(|group| side.positions(group).first).collect();
    let (a, b): (Vec<usize>, Vec<usize>) = (starts(&pair.a), starts(&pair.b));
    ordered(pair, pair.blocks.iter(), a, b, |_, i| i)
}

/// The reverse; and documents of one block in opposite orders.
fn lowest(pair: &Pair) -> Vec<f64> {
    let after_absent = |side: &Side, group_of: fn(&SharedDocuments) -> u32| {
        let mut starts: Vec<usize> = (0..side.groups()).map(|group| side.positions(group).last + 1).collect();
        pair.blocks.iter().for_each(|block| starts[group_of(block) as usize] -= block.count as usize);
        starts
    };
    let (a, b) = (after_absent(&pair.a, |block| block.a), after_absent(&pair.b, |block| block.b));
    ordered(pair, pair.blocks.iter().rev(), a, b, |count, i| count - 1 - i)
}

/// Overlaps where the blocks fill their groups in this order, from these positions on; the i-th document of a block
/// in A is the `partner`-th in B.
fn ordered<'a>(
    pair: &Pair,
    blocks: impl Iterator<Item = &'a SharedDocuments>,
    mut a: Vec<usize>,
    mut b: Vec<usize>,
    partner: impl Fn(usize, usize) -> usize,
) -> Vec<f64> {
    let mut entering = vec![0u32; pair.longest()];
    for block in watch::until_stopped(blocks) {
        let (count, a, b) = (block.count as usize, &mut a[block.a as usize], &mut b[block.b as usize]);
        for i in 0..count {
            entering[(*a + i).max(*b + partner(count, i)) - 1] += 1;
        }
        *a += count;
        *b += count;
    }
    cumulated(&entering).collect()
}

fn cumulated(entering: &[u32]) -> impl Iterator<Item = f64> {
    entering.iter().scan(0, |sum, count| {
        *sum += count;
        Some(f64::from(*sum))
    })
}

/// What one block adds to the variance, apart from how its documents meet those of others.
struct BlockMoments {
    count: f64,
    /// Mean of H over columns, less the mean of all: by position in the group of A.
    rows: Vec<f64>,
    /// The same by position in the group of B.
    columns: Vec<f64>,
    /// Sum of squares of H less its mean.
    squares: f64,
}

/// Variance of `sum phi(max(i, j))` over both rankings' tie orders; `H = phi(max(i, j))` over a block's positions.
///
/// Documents that share no group are independent. Two that share one are drawn from it without replacement, and so
/// are negatively correlated; all is computed from H less its mean, so that nothing cancels.
fn variance(pair: &Pair, linear: &Linear) -> f64 {
    let mut phi = vec![0.0; pair.longest() + 2];
    for d in (1..=pair.longest()).rev() {
        phi[d] = phi[d + 1] + linear.weight(d);
    }
    let moments: Vec<BlockMoments> = pair.blocks.iter().map(|block| moments(pair, block, &phi)).collect();
    let own: f64 = moments.iter().map(BlockMoments::own).sum();
    let mut by_b: Vec<usize> = (0..moments.len()).collect();
    by_b.sort_by_key(|&i| pair.blocks[i].b);
    let in_a = pair.blocks.chunk_by(|one, other| one.a == other.a).scan(0, |start, blocks| {
        *start += blocks.len();
        Some(*start - blocks.len()..*start)
    });
    let in_a: f64 = in_a.map(|range| between(moments[range].iter().map(|m| (m.count, &m.rows)))).sum();
    let in_b = by_b.chunk_by(|&one, &other| pair.blocks[one].b == pair.blocks[other].b);
    let in_b: f64 = in_b.map(|group| between(group.iter().map(|&i| (moments[i].count, &moments[i].columns)))).sum();
    (own + in_a + in_b).max(0.0)
}

fn moments(pair: &Pair, block: &SharedDocuments, phi: &[f64]) -> BlockMoments {
    let (a, b) = pair.positions(block);
    let mean = line_means(a, b, phi).iter().sum::<f64>() / a.size() as f64;
    let centred = |lines: Vec<f64>| lines.into_iter().map(|line| line - mean).collect();
    // (i, j) with max(i, j) = m: those with both up to m, less those with both up to m - 1.
    let both = |m: usize| (a.share(m) * a.size() as f64) * (b.share(m) * b.size() as f64);
    let squares = (a.first.max(b.first)..=a.last.max(b.last))
        .map(|m| (both(m) - both(m - 1)) * (phi[m] - mean) * (phi[m] - mean))
        .sum();
    BlockMoments {
        count: f64::from(block.count),
        rows: centred(line_means(a, b, phi)),
        columns: centred(line_means(b, a, phi)),
        squares,
    }
}

/// For every position i of a group, the mean of `phi(max(i, j))` over the positions j of another.
fn line_means(of: Positions, over: Positions, phi: &[f64]) -> Vec<f64> {
    let mut beyond: f64 = (of.last.max(over.first - 1) + 1..=over.last).map(|j| phi[j]).sum();
    let mut means = vec![0.0; of.size()];
    for i in (of.first..=of.last).rev() {
        means[i - of.first] = over.share(i) * phi[i] + beyond / over.size() as f64;
        if (over.first..=over.last).contains(&i) {
            beyond += phi[i];
        }
    }
    means
}

impl BlockMoments {
    /// The variance of one document times the number of documents, plus the covariance of two times the number of
    /// pairs.
    fn own(&self) -> f64 {
        let (n, m) = (self.rows.len() as f64, self.columns.len() as f64);
        let single = self.count * self.squares / (n * m);
        if self.count < 2.0 {
            return single;
        }
        let squares = |lines: &[f64]| lines.iter().map(|line| line * line).sum::<f64>();
        let crossed = self.squares - m * m * squares(&self.rows) - n * n * squares(&self.columns);
        single + self.count * (self.count - 1.0) * crossed / (n * (n - 1.0) * m * (m - 1.0))
    }
}

/// Covariances of documents of different blocks that share one group, by position in it: of every two twice.
fn between<'a>(blocks: impl Iterator<Item = (f64, &'a Vec<f64>)> + Clone) -> f64 {
    let size = blocks.clone().next().map_or(0, |(_, lines)| lines.len());
    if size < 2 {
        return 0.0;
    }
    let pairs: f64 = (0..size)
        .map(|i| {
            let (sum, squares) = blocks.clone().fold((0.0, 0.0), |(sum, squares), (count, lines)| {
                let part = count * lines[i];
                (sum + part, squares + part * part)
            });
            sum * sum - squares
        })
        .sum();
    -pairs / (size * (size - 1)) as f64
}
