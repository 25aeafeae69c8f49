//! Bounds of `S(A) - S(B)` over a range of counts, position by position. The counts say how many documents of each cell
//! are on; position i of a ranking follows its first i documents to decide, in a random order of ties.
//!
//! A ranking loses `sum_i w_i E Q(i)`, where `w_i` is the weight of position i, and Q(i) the product of the factors of
//! the first i documents: q for each that is on, 1 for each that is off. If l of a tie group's m documents are among
//! the first i, and s of the m are on, then the number X of those on among the l has a hypergeometric distribution. So
//! the group's mean factor is `E q^X` ([`PrefixMeans`]).
//!
//! *The bound* is made as without ties ([`super::super::search`]). With n undecided documents that are certainly among
//! the first i of both rankings, the term `B_i E Q_B(i) - A_i E Q_A(i)` is largest if no other document of B is on and
//! all others of A are. If this difference v, without the n documents, is positive it bounds the term; if not, `v q^n`
//! does.
//!
//! *Deciding a document.* It should be on if that takes more from A's loss than from B's. From the position on at which
//! both rankings may have had it, the terms of this difference are bounded in the same way; before, there are terms of
//! one ranking only. All may be divided by the factor of the documents that both rankings have by then.

use super::cell_cascade::{CellCascade, CountRange};
use super::side::GroupLosses;
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::TieCell;

/// A cell is decided if the other choice could be better by at most this for a document, which is rounding.
const SLACK: f64 = 1e-15;
/// The largest tie group for which there are tables of `E q^X`. Problems with a larger group have no bounds by
/// position.
const LARGEST: usize = 64;

/// Tables of `E q^X`. X is the number of *on* documents among l that are drawn from a tie group of m documents, s of
/// which are on. The tables depend only on q, so they are kept from one problem to the next.
#[derive(Debug, Default)]
pub(super) struct PrefixMeans {
    /// q, the factor of a document that is on.
    go_on: f64,
    /// For each m, the means by l and then by s.
    tables: Vec<Vec<f64>>,
}

impl PrefixMeans {
    /// Adds the missing tables for groups of up to `most` documents. With another q, all are made anew.
    fn reach(&mut self, most: usize, go_on: f64) {
        if self.tables.is_empty() || self.go_on != go_on {
            *self = PrefixMeans { go_on, tables: vec![vec![1.0]] };
        }
        for m in self.tables.len()..=most {
            let before = &self.tables[m - 1];
            let mut table = vec![1.0; (m + 1) * (m + 1)];
            for l in 1..=m {
                for s in 0..=m {
                    // The probability that the first document drawn is on. Then l - 1 are drawn from the other m - 1.
                    let share = s as f64 / m as f64;
                    let on = if s > 0 { share * go_on * before[(l - 1) * m + s - 1] } else { 0.0 };
                    let off = if s < m { (1.0 - share) * before[(l - 1) * m + s] } else { 0.0 };
                    table[l * (m + 1) + s] = on + off;
                }
            }
            self.tables.push(table);
        }
    }

    fn mean(&self, m: usize, l: usize, s: usize) -> f64 {
        self.tables[m][l * (m + 1) + s]
    }
}

/// The least and the most that one ranking loses at each position, for counts in a range.
#[derive(Debug, Default)]
struct PositionLosses {
    /// The position at which each tie group starts, and at the end the last position.
    starts: Vec<usize>,
    /// For each group, how many documents before it are certain to be on, and how many in it.
    on: Vec<(usize, usize)>,
    /// For each group, how many documents before it are undecided, and how many in it.
    open: Vec<(usize, usize)>,
    /// For each position i, the number of groups whose documents are all among the first i.
    groups_within: Vec<usize>,
    /// The most that is lost at each position, if no undecided document is relevant.
    high: Vec<f64>,
    /// The least that is lost at each position, if all undecided documents are relevant. The factors of undecided
    /// documents in groups before the position are left out.
    least: Vec<f64>,
    /// The sum of `high` over the positions before each position.
    sums: Vec<f64>,
}

impl PositionLosses {
    /// Reads the sizes of a ranking's groups, and where they start.
    fn fit(&mut self, side: &GroupLosses) {
        let PositionLosses { starts, groups_within, .. } = self;
        starts.clear();
        groups_within.clear();
        for group in 0..side.len() {
            let start = groups_within.len();
            groups_within.resize(start + side.group(group).len() - 1, group);
            starts.push(start);
        }
        // The end of the last group.
        groups_within.push(starts.len());
        starts.push(groups_within.len() - 1);
    }

    /// The size of the largest group.
    fn largest(&self) -> usize {
        self.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }

    fn size(&self, group: usize) -> usize {
        self.starts[group + 1] - self.starts[group]
    }

    fn end(&self, group: usize) -> usize {
        self.starts[group + 1]
    }

    /// Counts the documents that are certain to be on, and the undecided ones, before and in each group. `group` picks
    /// a cell's group in this ranking.
    fn read(&mut self, problem: &CellCascade, range: &CountRange, group: fn(&TieCell) -> usize) {
        let groups = self.starts.len();
        self.on.clear();
        self.on.resize(groups, (0, 0));
        self.open.clear();
        self.open.resize(groups, (0, 0));
        for (i, cell) in problem.cells.iter().enumerate() {
            self.on[group(cell)].1 += range.low[i] as usize;
            self.open[group(cell)].1 += (range.high[i] - range.low[i]) as usize;
        }
        // Turn the numbers of the groups into sums over the groups before.
        for all in [&mut self.on, &mut self.open] {
            let mut before = 0;
            for (above, own) in all {
                *above = before;
                before += *own;
            }
        }
    }

    /// Fills in the least and the most that is lost at each position.
    fn sum(&mut self, side: &GroupLosses, draws: &PrefixMeans) {
        let positions = self.groups_within.len();
        for values in [&mut self.high, &mut self.least, &mut self.sums] {
            values.clear();
            values.resize(positions, 0.0);
        }
        let (mut start, mut sum) = (0, 0.0);
        // The end of the last group.
        let ends = self.starts.iter().skip(1).copied().chain([positions]);
        for ((end, &(above, on)), &(_, open)) in ends.zip(&self.on).zip(&self.open) {
            let (power, m) = (side.power(above), end - start);
            for i in start..end {
                let (most, least) = match i - start {
                    0 => (1.0, 1.0),
                    l => (draws.mean(m, l, on), draws.mean(m, l, on + open)),
                };
                let high = side.weights[i] * power * most;
                (self.high[i], self.least[i], self.sums[i]) = (high, side.weights[i] * power * least, sum);
                sum += high;
            }
            start = end;
        }
    }

    /// The number of undecided documents that may be among the first i of the ranking.
    fn open_to(&self, i: usize) -> usize {
        let group = self.groups_within[i];
        let (above, own) = self.open[group];
        above + if i > self.starts[group] { own } else { 0 }
    }

    /// The least that is lost at position i. `without` undecided documents of the groups before it are left out.
    fn low(&self, side: &GroupLosses, i: usize, without: usize) -> f64 {
        self.least[i] * side.power(self.open[self.groups_within[i]].0 - without)
    }

    /// The least and the most that is lost at position i, in the orders in which an undecided document of `group` is
    /// among the first i. This document and `both` others are left out of the products.
    fn with(&self, side: &GroupLosses, draws: &PrefixMeans, i: usize, group: usize, both: usize) -> (f64, f64) {
        if self.groups_within[i] > group {
            return (self.low(side, i, both + 1), self.high[i]);
        }
        // The first i documents have l of the group's m documents, so this one is among them in the share l / m of the
        // orders.
        let (l, m) = (i - self.starts[group], self.size(group));
        if l == 0 {
            return (0.0, 0.0);
        }
        let ((above, on), (undecided, open)) = (self.on[group], self.open[group]);
        let share = l as f64 / m as f64 * side.weights[i];
        let least = share * side.power(above + undecided - both) * draws.mean(m - 1, l - 1, on + open - 1);
        (least, share * side.power(above) * draws.mean(m - 1, l - 1, on))
    }
}

/// Bounds of a sum over positions: divided by the factor of the undecided documents that both rankings have, and as it
/// is.
#[derive(Debug, Clone, Copy, Default)]
struct SlopeBounds {
    low: (f64, f64),
    high: (f64, f64),
}

impl SlopeBounds {
    /// Adds a term between `low` and `high`, times a factor between `least` and 1.
    fn add(&mut self, low: f64, high: f64, least: f64) {
        self.low.0 += low.min(0.0);
        self.low.1 += if low < 0.0 { low } else { low * least };
        self.high.0 += high.max(0.0);
        self.high.1 += if high > 0.0 { high } else { high * least };
    }
}

/// Bounds by position for the ranges of one problem. Their memory is used again for the next problem.
#[derive(Debug, Default)]
pub(super) struct PositionBounds {
    draws: PrefixMeans,
    a: PositionLosses,
    b: PositionLosses,
    /// For each position i, the number of undecided documents that are certainly among the first i of both rankings.
    both: Vec<usize>,
    /// Bounds of A's loss minus B's, summed from each position on.
    rests: Vec<SlopeBounds>,
    /// About how many steps it takes to narrow a range once.
    pub steps: usize,
}

impl PositionBounds {
    /// Prepares the bounds for the ranges of a problem. Returns false if a tie group is too large.
    pub fn fit(&mut self, problem: &CellCascade) -> bool {
        self.a.fit(&problem.a);
        self.b.fit(&problem.b);
        let most = self.a.largest().max(self.b.largest());
        if most > LARGEST {
            return false;
        }
        self.steps = 8 * (self.a.groups_within.len() + problem.cells.len());
        self.draws.reach(most, problem.a.power(1.min(problem.a.total())));
        true
    }

    /// Narrows a range: decides the cells in which one more relevant document never helps, or never harms. Returns an
    /// upper bound of `S(A) - S(B)` over the range as it was, and whether it changed.
    pub fn narrow(&mut self, problem: &CellCascade, range: &mut CountRange, work: &mut Budget) -> (f64, bool) {
        let bound = self.read(problem, range);
        let mut changed = false;
        if !work.take(self.steps) {
            return (bound, false);
        }
        for (i, cell) in problem.cells.iter().enumerate() {
            if range.low[i] == range.high[i] {
                continue;
            }
            let (low, high) = self.slope(problem, cell);
            if low >= -SLACK {
                (range.low[i], changed) = (range.high[i], true);
            } else if high <= SLACK {
                (range.high[i], changed) = (range.low[i], true);
            }
        }
        (bound, changed)
    }

    /// Reads a range, and returns an upper bound of `S(A) - S(B)` in it.
    fn read(&mut self, problem: &CellCascade, range: &CountRange) -> f64 {
        self.a.read(problem, range, |cell| cell.a);
        self.b.read(problem, range, |cell| cell.b);
        let positions = self.a.groups_within.len();
        self.both.clear();
        self.both.resize(positions, 0);
        for (i, cell) in problem.cells.iter().enumerate() {
            self.both[self.a.end(cell.a).max(self.b.end(cell.b))] += (range.high[i] - range.low[i]) as usize;
        }
        // Turn the numbers of documents that both rankings have from a position on into sums over positions.
        let mut sum = 0;
        for both in &mut self.both {
            sum += *both;
            *both = sum;
        }
        self.a.sum(&problem.a, &self.draws);
        self.b.sum(&problem.b, &self.draws);
        self.rests.clear();
        self.rests.resize(positions + 1, SlopeBounds::default());
        let mut bound = 0.0;
        for i in (0..positions).rev() {
            // The documents that both rankings have multiply the term by a factor between this and 1.
            let least = problem.a.power(self.both[i]);
            let losses = |line: &PositionLosses, side| (line.low(side, i, self.both[i]), line.high[i]);
            let (a, b) = (losses(&self.a, &problem.a), losses(&self.b, &problem.b));
            let mut rest = self.rests[i + 1];
            rest.add(a.0 - b.1, a.1 - b.0, least);
            self.rests[i] = rest;
            let most = b.1 - a.0;
            bound += if most > 0.0 { most } else { most * least };
        }
        bound
    }

    /// Bounds of how much more A's loss falls than B's if one more document of an undecided cell is on.
    fn slope(&self, problem: &CellCascade, cell: &TieCell) -> (f64, f64) {
        let (start_a, start_b) = (self.a.starts[cell.a], self.b.starts[cell.b]);
        let (end, meet) = (self.a.end(cell.a).max(self.b.end(cell.b)), start_a.max(start_b) + 1);
        // The positions from which on both rankings may have the document, and from which on both have it.
        let mut slopes = self.rests[end];
        for i in meet..end {
            let both = self.both[i];
            let a = self.a.with(&problem.a, &self.draws, i, cell.a, both);
            let b = self.b.with(&problem.b, &self.draws, i, cell.b, both);
            slopes.add(a.0 - b.1, a.1 - b.0, problem.a.power(both));
        }
        let (side, line, group) =
            if start_a < start_b { (&problem.a, &self.a, cell.a) } else { (&problem.b, &self.b, cell.b) };
        // Before them, only one ranking may have the document: at positions within its group, and between the end of
        // this group and the start of the other ranking's.
        let inside = line.starts[group] + 1..line.end(group).min(meet);
        let inside: f64 = inside.map(|i| line.with(side, &self.draws, i, group, 0).1).sum();
        let most = inside + (line.sums[meet] - line.sums[line.end(group).min(meet)]);
        // Further undecided documents of this ranking reduce the terms.
        let others = line.open_to(meet - 1) - self.both[meet - 1];
        let least = most * side.power(others.saturating_sub(1));
        if start_a < start_b {
            (least + slopes.low.0, most + slopes.high.1)
        } else {
            (slopes.low.1 - most, slopes.high.0 - least)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undecided_documents_count_once_a_position_is_within_their_group() {
        // One undecided document in a group of two, then two in a group of three.
        let losses = PositionLosses {
            starts: vec![0, 2, 5],
            groups_within: vec![0, 0, 1, 1, 1, 2],
            open: vec![(0, 1), (1, 2), (3, 0)],
            ..PositionLosses::default()
        };
        let may_be_within: Vec<usize> = (0..=5).map(|position| losses.open_to(position)).collect();
        assert_eq!(may_be_within, [0, 1, 1, 3, 3, 3]);
    }
}
