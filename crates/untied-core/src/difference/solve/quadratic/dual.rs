//! The Lagrangian bound of a node: an upper bound of the difference over all counts z of its undecided cells.
//!
//! A document of cell x and one of cell y gain q_xy as a pair. Of two cells, let y be the later one in the core's
//! order, and d_y the gain of its documents with one that is before them in both rankings. Then `q_xy = d_y + e_xy`,
//! and the *excess* `e_xy` is 0 unless one of the cells, say x, is above the other (`crate::difference::solve::cells`).
//! In that case some optimum has `z_x z_y = n_x z_y`, where n_x is the number of documents of x. So the excess can go
//! into the linear terms without loss. The constraint `n_y z_x - n_x z_y >= 0` is relaxed, with a multiplier `mu_xy >=
//! 0`:
//!
//! `e z_x z_y <= e n_x z_y + mu (n_y z_x - n_x z_y)`.
//!
//! The rest is a dynamic program over the cells j and the number of relevant documents. With n of them in the cells
//! before j, and t in j, whose documents gain lin_j each and q_jj as pairs, the largest value is
//!
//! `f_j(n + t) = max f_{j-1}(n) + t lin_j + q_jj t (t - 1) / 2 + d_j t n`.
//!
//! A subgradient method looks for the multipliers with the smallest bound. The number of relevant documents may be
//! limited.

use super::TOLERANCE;
use super::node::{CellCore, CellIncumbent, CellNode, FreeCell, gain};
use crate::difference::solve::budget::Budget;

/// A smaller excess is rounding, or does not matter.
const NOTHING: f64 = 1e-15;
/// A pair's multiplier starts as a share of its excess: the first if the excess is positive, else the second.
const BEGINNING: (f64, f64) = (0.5, -0.3);
/// The largest number of pairs of cells for which this bound is computed.
const PAIRS: usize = 4_000_000;

/// Two undecided cells, one of which is above the other.
#[derive(Debug, Clone, Copy)]
struct ComparablePair {
    /// The position of the upper cell among the node's undecided cells.
    above: u32,
    /// The position of the lower cell among the node's undecided cells.
    below: u32,
    /// The excess e of the pair.
    excess: f64,
    /// The multiplier mu of the pair's constraint.
    multiplier: f64,
}

/// The multipliers and the dynamic program of the bound.
#[derive(Debug, Default)]
pub(super) struct CellDual {
    /// The pairs of cells with a constraint.
    pairs: Vec<ComparablePair>,
    /// For each undecided cell, the gain of one of its documents in the relaxed program.
    linear: Vec<f64>,
    /// The value of `linear` with the multipliers of the smallest bound so far. Empty if there is none.
    best: Vec<f64>,
    /// The largest values `f_j(n)`, a row for each j.
    table: Vec<f64>,
    /// The largest number of undecided documents that may be relevant.
    most: usize,
    /// The length of a row: `most` + 1.
    width: usize,
    /// The count of each undecided cell in the solution of the relaxed program.
    counts: Vec<usize>,
}

impl CellDual {
    /// The smallest bound found within some steps. It stops early if the bound closes the node, and returns the rough
    /// bound if there is not enough work left. Improves the incumbent with the solutions on the way.
    pub fn descend(
        &mut self,
        core: &CellCore,
        node: &CellNode,
        steps: usize,
        incumbent: &mut CellIncumbent,
        work: &mut Budget,
    ) -> f64 {
        let rough = node.rough_bound(core, work);
        if !self.prepare(core, node, work) {
            return rough;
        }
        let cost = 8 * self.pairs.len() + self.cost(node);
        let (mut bound, mut size, mut stalled) = (rough, 1.0, 0);
        for step in 0..steps {
            if !work.take(cost) {
                break;
            }
            self.relax(node);
            let now = node.constant + self.solve(core, node);
            if now < bound - 1e-15 {
                (bound, stalled) = (now, 0);
                self.best.clone_from(&self.linear);
            } else {
                stalled += 1;
                if stalled == 4 {
                    (size, stalled) = (size * 0.6, 0);
                }
            }
            if step % 8 == 0 || now <= incumbent.value + 1e-9 {
                incumbent.improve(core, node, self.counts.clone(), work);
            }
            if bound <= incumbent.value + TOLERANCE || !self.step(node, size * (now - incumbent.value + 1e-9)) {
                break;
            }
        }
        incumbent.improve(core, node, self.counts.clone(), work);
        bound
    }

    /// Lists the pairs of cells with a constraint. Returns false if there are too many cells, or not enough work is
    /// left.
    fn prepare(&mut self, core: &CellCore, node: &CellNode, work: &mut Budget) -> bool {
        let count = node.free.len();
        self.counts.clear();
        self.counts.resize(count, 0);
        self.pairs.clear();
        self.best.clear();
        if count * count > 2 * PAIRS || !work.take(4 * count * count) {
            return false;
        }
        for (i, x) in node.free.iter().enumerate() {
            let cell_x = core.cells[x.cell];
            for (j, y) in node.free.iter().enumerate().skip(i + 1) {
                let cell_y = core.cells[y.cell];
                let (above, below) = match (cell_x.is_above(&cell_y), cell_y.is_above(&cell_x)) {
                    (true, _) => (i as u32, j as u32),
                    (_, true) => (j as u32, i as u32),
                    _ => continue,
                };
                let excess = core.pair(x.cell, y.cell) - core.places[y.cell].step();
                if excess.abs() > NOTHING {
                    let multiplier = excess * if excess > 0.0 { BEGINNING.0 } else { BEGINNING.1 };
                    self.pairs.push(ComparablePair { above, below, excess, multiplier });
                }
            }
        }
        self.most = node.documents().min(node.room.unsigned_abs());
        self.width = self.most + 1;
        self.table.resize(self.table.len().max((count + 1) * self.width), 0.0);
        true
    }

    /// Computes `linear` from the excesses and multipliers.
    fn relax(&mut self, node: &CellNode) {
        self.linear.clear();
        self.linear.extend(node.free.iter().map(|x| x.linear));
        for &ComparablePair { above, below, excess, multiplier } in &self.pairs {
            let (above, below) = (above as usize, below as usize);
            self.linear[below] += (excess - multiplier) * node.free[above].size as f64;
            self.linear[above] += multiplier * node.free[below].size as f64;
        }
    }

    /// `n_y z_x - n_x z_y` of a pair at the current counts. The constraint wants it to be at least 0.
    fn slack(&self, node: &CellNode, pair: &ComparablePair) -> f64 {
        let (above, below) = (pair.above as usize, pair.below as usize);
        let product = |sized: usize, counted: usize| (node.free[sized].size * self.counts[counted]) as f64;
        product(below, above) - product(above, below)
    }

    /// Moves all multipliers against the slope of the bound. Returns false if no multiplier can move.
    fn step(&mut self, node: &CellNode, gap: f64) -> bool {
        let mut norm = 0.0;
        for pair in &self.pairs {
            let slack = self.slack(node, pair);
            if slack < 0.0 || pair.multiplier > 0.0 {
                norm += slack * slack;
            }
        }
        if norm < 1e-30 {
            return false;
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        for pair in &mut pairs {
            pair.multiplier = (pair.multiplier - gap / norm * self.slack(node, pair)).max(0.0);
        }
        self.pairs = pairs;
        true
    }

    /// The number of steps of one dynamic program.
    fn cost(&self, node: &CellNode) -> usize {
        node.documents() * (self.most + node.free.len())
    }

    /// Solves the relaxed program. Returns its value, and writes its solution into `counts`.
    fn solve(&mut self, core: &CellCore, node: &CellNode) -> f64 {
        self.fill(core, node);
        let mut documents = node.documents();
        let last = &self.table[node.free.len() * self.width..][..=self.most];
        // Read the solution off the table, from the last cell to the first.
        let mut number = (0..=self.most).fold(0, |best, n| if last[n] > last[best] { n } else { best });
        let value = last[number];
        for (j, &FreeCell { cell, size, .. }) in node.free.iter().enumerate().rev() {
            let (before, after) = self.table[j * self.width..(j + 2) * self.width].split_at(self.width);
            documents -= size;
            let step = core.places[cell].step();
            let reached = |&t: &usize| {
                let (own, each) = (gain(t, self.linear[j], core.pair(cell, cell)), step * t as f64);
                let from = before[number - t];
                let grown = if t == 0 { from } else { from + own + each * (number - t) as f64 };
                grown == after[number]
            };
            let counts = number.saturating_sub(documents)..=size.min(number);
            self.counts[j] = counts.clone().find(reached).unwrap_or(*counts.start());
            number -= self.counts[j];
        }
        value
    }

    /// Fills in the table of the dynamic program.
    fn fill(&mut self, core: &CellCore, node: &CellNode) {
        let mut top = 0;
        self.table[0] = 0.0;
        for (j, &FreeCell { cell, size, .. }) in node.free.iter().enumerate() {
            let (before, after) = self.table[j * self.width..(j + 2) * self.width].split_at_mut(self.width);
            let before = &before[..=top];
            after[..=top].copy_from_slice(before);
            let last = (top + size).min(self.most);
            after[top + 1..=last].fill(f64::NEG_INFINITY);
            let step = core.places[cell].step();
            // Try t relevant documents of the cell, for every number of relevant ones in the cells before.
            for t in 1..=size.min(self.most) {
                let (own, each) = (gain(t, self.linear[j], core.pair(cell, cell)), step * t as f64);
                let mut number = 0.0;
                for (to, from) in after[t..=last.min(t + top)].iter_mut().zip(before) {
                    let grown = from + own + each * number;
                    *to = if grown > *to { grown } else { *to };
                    number += 1.0;
                }
            }
            top = last;
        }
    }

    /// Removes the counts of each cell whose bound is not above `least`, which decides some documents. Returns whether
    /// it decided any. A cell that loses all counts leaves the node without room.
    pub fn narrow(&mut self, core: &CellCore, node: &mut CellNode, least: f64, work: &mut Budget) -> bool {
        if self.best.is_empty() || !work.take(3 * self.cost(node)) {
            return false;
        }
        std::mem::swap(&mut self.linear, &mut self.best);
        self.fill(core, node);
        let mut documents = node.documents();
        let mut ranges = vec![None; node.free.len()];
        // For each number of relevant documents in the cells before, the most that the cells after it can add.
        let (mut rest, mut next) = (vec![0.0; self.width], vec![0.0; self.width]);
        for (j, &FreeCell { cell, size, .. }) in node.free.iter().enumerate().rev() {
            documents -= size;
            let before = &self.table[j * self.width..][..=documents.min(self.most)];
            let (pair, step) = (core.pair(cell, cell), core.places[cell].step());
            next.fill(f64::NEG_INFINITY);
            for t in 0..=size.min(self.most) {
                let (own, each) = (gain(t, self.linear[j], pair), step * t as f64);
                let (mut bound, mut number) = (f64::NEG_INFINITY, 0.0);
                for ((from, after), to) in before.iter().zip(&rest[t..]).zip(&mut next) {
                    let grown = after + own + each * number;
                    *to = f64::max(*to, grown);
                    bound = f64::max(bound, from + grown);
                    number += 1.0;
                }
                if node.constant + bound > least {
                    ranges[j] = Some((ranges[j].map_or(t, |(low, _)| low), t));
                }
            }
            std::mem::swap(&mut rest, &mut next);
        }
        let mut is_narrower = false;
        for (position, range) in ranges.into_iter().enumerate() {
            let Some((low, high)) = range else {
                node.room = -1;
                return true;
            };
            is_narrower |= high - low < node.free[position].size;
            node.free[position].size = high;
            node.add(core, position, low);
        }
        node.free.retain(|x| x.size > 0);
        is_narrower
    }

    /// The position of the undecided cell whose constraints matter most to the bound.
    pub fn tensest(&self, node: &CellNode) -> usize {
        let mut tensions = vec![0.0; node.free.len()];
        for pair in &self.pairs {
            let tension = pair.excess.abs() * (self.slack(node, pair).abs() + 0.1);
            let (above, below) = (pair.above as usize, pair.below as usize);
            tensions[above] += tension * node.free[below].size as f64;
            tensions[below] += tension * node.free[above].size as f64;
        }
        (0..tensions.len()).fold(0, |best, x| if tensions[x] > tensions[best] { x } else { best })
    }
}
