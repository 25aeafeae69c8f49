//! The Lagrangian bound of a node.
//!
//! With `d_y` of the later one of two cells in order, `q_xy = d_y + e_xy`, and `e_xy = 0` unless one of them, say x, is
//! above the other (`crate::difference::solve::cells`). Then `z_x z_y = n_x z_y` in some optimum, so that `e` goes into the linear
//! terms without loss, and there is a constraint `n_y z_x - n_x z_y >= 0` to be relaxed, with a multiplier
//! `mu_xy >= 0`:
//!
//! `e z_x z_y <= e n_x z_y + mu (n_y z_x - n_x z_y)`.
//!
//! What is left is a dynamic program over cells and the number of relevant documents, t of n + t in cell j:
//!
//! `f_j(n + t) = max f_{j-1}(n) + t lin_j + q_jj t (t - 1) / 2 + d_j t n`.
//!
//! A subgradient method looks for the multipliers with the least bound.

use super::node::{CellCore, CellIncumbent, CellNode, FreeCell, gain};
use crate::difference::solve::budget::Budget;
use crate::difference::solve::quadratic::TOLERANCE;

/// Excess of a concordant pair is 0 but for rounding.
const NOTHING: f64 = 1e-15;
/// What the multipliers are of e where they begin: of e > 0, and of e < 0.
const BEGINNING: (f64, f64) = (0.5, -0.3);
/// Pairs of cells for which there is room.
const PAIRS: usize = 4_000_000;

/// Two cells of which one is above the other.
#[derive(Debug, Clone, Copy)]
struct ComparablePair {
    /// Their positions among what is free.
    above: u32,
    below: u32,
    /// e.
    excess: f64,
    /// mu.
    multiplier: f64,
}

/// The bound, and what it takes to find it.
#[derive(Debug, Default)]
pub(super) struct CellDual {
    pairs: Vec<ComparablePair>,
    linear: Vec<f64>,
    /// `f_j(n)`, a row for each j.
    table: Vec<f64>,
    width: usize,
    /// The solution of the relaxed program.
    counts: Vec<usize>,
}

impl CellDual {
    /// The least bound found within some steps; fewer if it closes the node, none if that is too much work. Solutions met
    /// on the way are offered to the incumbent.
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
        let documents: usize = node.free.iter().map(|x| x.size).sum();
        // Every cell's counts times the numbers before it.
        let cost = 8 * self.pairs.len() + documents * (documents + node.free.len());
        let (mut bound, mut size, mut stalled) = (rough, 1.0, 0);
        for step in 0..steps {
            if !work.take(cost) {
                break;
            }
            self.relax(node);
            let now = node.constant + self.solve(core, node);
            if now < bound - 1e-15 {
                (bound, stalled) = (now, 0);
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

    /// List the pairs; whether there is room for them.
    fn prepare(&mut self, core: &CellCore, node: &CellNode, work: &mut Budget) -> bool {
        let count = node.free.len();
        self.counts.clear();
        self.counts.resize(count, 0);
        self.pairs.clear();
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
        let documents: usize = node.free.iter().map(|x| x.size).sum();
        self.width = documents + 1;
        self.table.resize(self.table.len().max((count + 1) * self.width), 0.0);
        true
    }

    /// Put the multipliers into linear terms.
    fn relax(&mut self, node: &CellNode) {
        self.linear.clear();
        self.linear.extend(node.free.iter().map(|x| x.linear));
        for &ComparablePair { above, below, excess, multiplier } in &self.pairs {
            let (above, below) = (above as usize, below as usize);
            self.linear[below] += (excess - multiplier) * node.free[above].size as f64;
            self.linear[above] += multiplier * node.free[below].size as f64;
        }
    }

    /// `n_y z_x - n_x z_y` of a pair, which its constraint wants to be at least 0.
    fn slack(&self, node: &CellNode, pair: &ComparablePair) -> f64 {
        let (above, below) = (pair.above as usize, pair.below as usize);
        let product = |sized: usize, counted: usize| (node.free[sized].size * self.counts[counted]) as f64;
        product(below, above) - product(above, below)
    }

    /// Move all multipliers against their slopes; whether there was anything to move.
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

    /// The dynamic program; its value, and its solution in `counts`.
    fn solve(&mut self, core: &CellCore, node: &CellNode) -> f64 {
        let mut top = 0;
        self.table[0] = 0.0;
        for (j, &FreeCell { cell, size, .. }) in node.free.iter().enumerate() {
            let (before, after) = self.table[j * self.width..(j + 2) * self.width].split_at_mut(self.width);
            let before = &before[..=top];
            after[..=top].copy_from_slice(before);
            after[top + 1..=top + size].fill(f64::NEG_INFINITY);
            let step = core.places[cell].step();
            for t in 1..=size {
                let (own, each) = (gain(t, self.linear[j], core.pair(cell, cell)), step * t as f64);
                let mut number = 0.0;
                for (to, from) in after[t..=t + top].iter_mut().zip(before) {
                    let grown = from + own + each * number;
                    *to = if grown > *to { grown } else { *to };
                    number += 1.0;
                }
            }
            top += size;
        }
        let last = &self.table[node.free.len() * self.width..][..=top];
        let mut number = (0..=top).fold(0, |best, n| if last[n] > last[best] { n } else { best });
        let value = last[number];
        for (j, &FreeCell { cell, size, .. }) in node.free.iter().enumerate().rev() {
            let (before, after) = self.table[j * self.width..(j + 2) * self.width].split_at(self.width);
            top -= size;
            let step = core.places[cell].step();
            let reached = |&t: &usize| {
                let (own, each) = (gain(t, self.linear[j], core.pair(cell, cell)), step * t as f64);
                let from = before[number - t];
                let grown = if t == 0 { from } else { from + own + each * (number - t) as f64 };
                grown == after[number]
            };
            let counts = number.saturating_sub(top)..=size.min(number);
            self.counts[j] = counts.clone().find(reached).unwrap_or(*counts.start());
            number -= self.counts[j];
        }
        value
    }

    /// The position of the cell on which the bound hangs most.
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
