//! Bounds of the counts in a range, position by position.
//!
//! Before its groups are summed, a ranking loses `sum_i w_i E Q(i)` where Q(i) is the product over its first i documents to
//! decide, in a random order of ties. Of a group of m documents, s of which are on, l are in a prefix with the mean
//! factor `E q^X`, X being hypergeometric ([`PrefixMeans`]).
//!
//! As without ties, what both prefixes have for certain is left out: with n such documents that are undecided,
//! `B_i E Q_B(i) - A_i E Q_A(i)` is at most `v = B_i (none on) - A_i (all others on)` if v > 0, else `v q^n`. And a
//! document should be on if turning it on takes more from A's loss than from B's: from the position at which it may
//! have been in both, terms are bounded like that; before, there are those of one ranking alone. All may be divided by
//! the factor of the documents that both have by then.

use super::cell_cascade::{CellCascade, CountRange};
use super::side::GroupLosses;
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::TieCell;

/// How much a document may lose by being decided.
const SLACK: f64 = 1e-15;
/// The largest group for which this is worth the tables.
const LARGEST: usize = 64;

/// `E q^X` by the size m of a group, l and s. They hang on q alone, so that questions share them.
#[derive(Debug, Default)]
pub(super) struct PrefixMeans {
    go_on: f64,
    tables: Vec<Vec<f64>>,
}

impl PrefixMeans {
    /// Have those of groups of up to `most` documents.
    fn reach(&mut self, most: usize, go_on: f64) {
        if self.tables.is_empty() || self.go_on != go_on {
            *self = PrefixMeans { go_on, tables: vec![vec![1.0]] };
        }
        for m in self.tables.len()..=most {
            let before = &self.tables[m - 1];
            let mut table = vec![1.0; (m + 1) * (m + 1)];
            for l in 1..=m {
                for s in 0..=m {
                    // The first one drawn is on, or off.
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

/// What one ranking loses at each position, for counts in a range.
#[derive(Debug, Default)]
struct PositionLosses {
    /// Where each group starts.
    starts: Vec<usize>,
    /// The documents that are on before each group, and in it.
    on: Vec<(usize, usize)>,
    /// The undecided documents before each group, and in it.
    open: Vec<(usize, usize)>,
    /// The number of groups that lie wholly in the prefix, by position.
    groups_within: Vec<usize>,
    /// The most that is lost at each position.
    high: Vec<f64>,
    /// The least that is lost there, but for undecided documents of groups within the prefix.
    least: Vec<f64>,
    /// Sums of `high` before a position.
    sums: Vec<f64>,
}

impl PositionLosses {
    /// Take in where the groups of a ranking start.
    fn fit(&mut self, side: &GroupLosses) {
        let PositionLosses { starts, groups_within, .. } = self;
        starts.clear();
        groups_within.clear();
        for group in 0..side.len() {
            let start = groups_within.len();
            groups_within.resize(start + side.group(group).len() - 1, group);
            starts.push(start);
        }
        // Nothing is after the last group.
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
        for all in [&mut self.on, &mut self.open] {
            let mut before = 0;
            for (above, own) in all {
                *above = before;
                before += *own;
            }
        }
    }

    /// Fill in what is lost by position.
    fn sum(&mut self, side: &GroupLosses, draws: &PrefixMeans) {
        let positions = self.groups_within.len();
        for values in [&mut self.high, &mut self.least, &mut self.sums] {
            values.clear();
            values.resize(positions, 0.0);
        }
        let (mut start, mut sum) = (0, 0.0);
        // Nothing is after the last group.
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

    /// Undecided documents that may be among the first i.
    fn open_to(&self, i: usize) -> usize {
        let group = self.groups_within[i];
        let (above, own) = self.open[group];
        above + if i > self.starts[group] { own } else { 0 }
    }

    /// The least that is lost at a position, leaving out `without` undecided documents.
    fn low(&self, side: &GroupLosses, i: usize, without: usize) -> f64 {
        self.least[i] * side.power(self.open[self.groups_within[i]].0 - without)
    }

    /// The least and the most that is lost at a position, times the share of orders in which an undecided document of a
    /// group is in the prefix; that document and `both` others left out.
    fn with(&self, side: &GroupLosses, draws: &PrefixMeans, i: usize, group: usize, both: usize) -> (f64, f64) {
        if self.groups_within[i] > group {
            return (self.low(side, i, both + 1), self.high[i]);
        }
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

/// Bounds of sums over positions: divided by the factor of what both have, and as it is.
#[derive(Debug, Clone, Copy, Default)]
struct SlopeBounds {
    low: (f64, f64),
    high: (f64, f64),
}

impl SlopeBounds {
    /// Add what lies between these bounds times some factor of at least `least`.
    fn add(&mut self, low: f64, high: f64, least: f64) {
        self.low.0 += low.min(0.0);
        self.low.1 += if low < 0.0 { low } else { low * least };
        self.high.0 += high.max(0.0);
        self.high.1 += if high > 0.0 { high } else { high * least };
    }
}

/// Bounds by position, and their room, which one problem leaves to the next.
#[derive(Debug, Default)]
pub(super) struct PositionBounds {
    draws: PrefixMeans,
    a: PositionLosses,
    b: PositionLosses,
    /// How many undecided documents both prefixes have for certain, by position.
    both: Vec<usize>,
    /// Bounds of the sum from each position on.
    rests: Vec<SlopeBounds>,
    /// About how many steps it takes to narrow a range.
    pub steps: usize,
}

impl PositionBounds {
    /// Get ready for the ranges of a problem; false if groups are too large.
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

    /// Narrow a range by what one document changes whatever the others are, and whether it was. Nothing in it was above
    /// the bound.
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

    /// Take in a range; nothing in it is above the bound.
    fn read(&mut self, problem: &CellCascade, range: &CountRange) -> f64 {
        self.a.read(problem, range, |cell| cell.a);
        self.b.read(problem, range, |cell| cell.b);
        let positions = self.a.groups_within.len();
        self.both.clear();
        self.both.resize(positions, 0);
        for (i, cell) in problem.cells.iter().enumerate() {
            self.both[self.a.end(cell.a).max(self.b.end(cell.b))] += (range.high[i] - range.low[i]) as usize;
        }
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

    /// Bounds of what A loses less by one more document of an undecided cell, over what B does.
    fn slope(&self, problem: &CellCascade, cell: &TieCell) -> (f64, f64) {
        let (start_a, start_b) = (self.a.starts[cell.a], self.b.starts[cell.b]);
        let (end, meet) = (self.a.end(cell.a).max(self.b.end(cell.b)), start_a.max(start_b) + 1);
        let mut slopes = self.rests[end];
        for i in meet..end {
            let both = self.both[i];
            let a = self.a.with(&problem.a, &self.draws, i, cell.a, both);
            let b = self.b.with(&problem.b, &self.draws, i, cell.b, both);
            slopes.add(a.0 - b.1, a.1 - b.0, problem.a.power(both));
        }
        let (side, line, group) =
            if start_a < start_b { (&problem.a, &self.a, cell.a) } else { (&problem.b, &self.b, cell.b) };
        // One ranking alone.
        let inside = line.starts[group] + 1..line.end(group).min(meet);
        let inside: f64 = inside.map(|i| line.with(side, &self.draws, i, group, 0).1).sum();
        let most = inside + (line.sums[meet] - line.sums[line.end(group).min(meet)]);
        // Others that it may have by then, and that both do not have.
        let others = line.open_to(meet - 1) - self.both[meet - 1];
        let least = most * side.power(others.saturating_sub(1));
        if start_a < start_b {
            (least + slopes.low.0, most + slopes.high.1)
        } else {
            (slopes.low.1 - most, slopes.high.0 - least)
        }
    }
}
