//! A node of the search: the undecided cells, given the decided ones, and assignments of them.

use super::group::CellPlaces;
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::TieCell;
use crate::difference::solve::quadratic::{LEAST, SLACK};

/// The cells that persistency leaves open, so ordered that one before another in both rankings comes first.
#[derive(Debug, Default)]
pub(super) struct CellCore {
    pub cells: Vec<TieCell>,
    pub places: Vec<CellPlaces>,
}

impl CellCore {
    pub fn pair(&self, x: usize, y: usize) -> f64 {
        self.places[x].pair(&self.places[y])
    }
}

/// An undecided cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreeCell {
    /// Its number.
    pub cell: usize,
    /// How many of its documents are undecided.
    pub size: usize,
    /// What one of them gains by itself and with what is relevant.
    pub linear: f64,
}

/// The gain of some documents of one cell: `linear` for each, and `pair` for every two of them.
pub(super) fn gain(count: usize, linear: f64, pair: f64) -> f64 {
    let n = count as f64;
    n * linear + pair * (n * (n - 1.0) / 2.0)
}

impl FreeCell {
    /// How many of its documents gain most: of a parabola one of the ends, or the vertex where it opens downwards.
    pub fn peak(&self, linear: f64, own: f64) -> usize {
        let vertex = if own < 0.0 { (0.5 - linear / own).clamp(0.0, self.size as f64) as usize } else { 0 };
        let worth = |count: usize| gain(count, linear, own);
        let counts = [vertex, (vertex + 1).min(self.size), self.size];
        counts.into_iter().fold(0, |best, count| if worth(count) > worth(best) { count } else { best })
    }
}

/// The best counts found.
#[derive(Debug, Default)]
pub(super) struct CellIncumbent {
    pub value: f64,
    /// The number of relevant documents in each cell.
    pub counts: Vec<usize>,
}

impl CellIncumbent {
    /// Take counts of what is free in a node, climbed from there, if they are better.
    pub fn improve(&mut self, core: &CellCore, node: &CellNode, mut counts: Vec<usize>, work: &mut Budget) {
        let Some(value) = node.climb(core, &mut counts, work) else { return };
        if value > self.value {
            self.value = value;
            self.counts.clone_from(&node.decided);
            node.free.iter().zip(counts).for_each(|(x, count)| self.counts[x.cell] += count);
        }
    }
}

/// A part of the question that is not decided yet.
#[derive(Debug, Default, Clone)]
pub(super) struct CellNode {
    /// What is undecided, in the order of the cells.
    pub free: Vec<FreeCell>,
    /// Relevant documents by cell.
    pub decided: Vec<usize>,
    /// Value of what is decided.
    pub constant: f64,
}

impl CellNode {
    /// Make `count` more documents of the cell at `position` relevant; the cell stays at its position.
    pub fn add(&mut self, core: &CellCore, position: usize, count: usize) {
        if count == 0 {
            return;
        }
        let FreeCell { cell, linear, .. } = self.free[position];
        self.constant += gain(count, linear, core.pair(cell, cell));
        self.decided[cell] += count;
        self.free[position].size -= count;
        let places = core.places[cell];
        for other in &mut self.free {
            other.linear += count as f64 * places.pair(&core.places[other.cell]);
        }
    }

    /// First-order persistency: a cell is relevant as a whole if no document of it can lose, and not at all if none can
    /// gain, whatever the others are; again, until nothing changes. Not where there is not that much work left.
    pub fn persist(&mut self, core: &CellCore, work: &mut Budget) {
        let count = self.free.len();
        if !work.take(count * count) {
            return;
        }
        let mut sums: Vec<(f64, f64)> = self.free.iter().map(|x| self.sums(core, x)).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for position in (0..self.free.len()).rev() {
                let (linear, (down, up)) = (self.free[position].linear, sums[position]);
                let on = linear + down >= -SLACK;
                if !on && linear + up > SLACK {
                    continue;
                }
                if !work.take(2 * self.free.len()) {
                    return;
                }
                changed = true;
                let FreeCell { cell, size, .. } = self.free[position];
                self.add(core, position, if on { size } else { 0 });
                self.free.remove(position);
                sums.remove(position);
                for (other, (down, up)) in self.free.iter().zip(&mut sums) {
                    let pair = size as f64 * core.pair(cell, other.cell);
                    *(if pair < 0.0 { down } else { up }) -= pair;
                }
            }
        }
    }

    /// Sums of q < 0 and of q > 0 over all others.
    pub fn sums(&self, core: &CellCore, x: &FreeCell) -> (f64, f64) {
        let places = &core.places[x.cell];
        let (mut down, mut up) = (0.0, 0.0);
        for y in &self.free {
            let pair = (y.size - usize::from(x.cell == y.cell)) as f64 * places.pair(&core.places[y.cell]);
            down += if pair < 0.0 { pair } else { 0.0 };
            up += if pair > 0.0 { pair } else { 0.0 };
        }
        (down, up)
    }

    /// A bound that takes little work: what two documents gain together is split between them, or, where even that is
    /// too much, what one of them gains is that with all that are above 0.
    pub fn rough_bound(&self, core: &CellCore, work: &mut Budget) -> f64 {
        let count = self.free.len();
        if !work.take(count * count) {
            // Pairs gain at most what the lower one does in A.
            let documents: usize = self.free.iter().map(|x| x.size).sum();
            let most =
                |x: &FreeCell| x.size as f64 * (x.linear.max(0.0) + documents as f64 * core.places[x.cell].most());
            return self.constant + self.free.iter().map(most).sum::<f64>();
        }
        let most = |x: &FreeCell| x.size as f64 * (x.linear + self.sums(core, x).1 / 2.0).max(0.0);
        self.constant + self.free.iter().map(most).sum::<f64>()
    }

    /// Improve counts cell by cell until that does not help; their value, or none where not enough work is left.
    pub fn climb(&self, core: &CellCore, counts: &mut [usize], work: &mut Budget) -> Option<f64> {
        let filled = counts.iter().filter(|count| **count > 0).count();
        if filled > 0 && !work.take(filled * counts.len()) {
            return None;
        }
        let mut value = self.constant;
        let mut linear: Vec<f64> = self.free.iter().map(|x| x.linear).collect();
        let turn = |linear: &mut [f64], position: usize, by: f64| {
            let places = &core.places[self.free[position].cell];
            for (linear, other) in linear.iter_mut().zip(&self.free) {
                *linear += by * places.pair(&core.places[other.cell]);
            }
            // A document makes no pair with itself: `linear` of a cell is without its own.
            linear[position] -= by * places.pair(places);
        };
        for position in (0..counts.len()).filter(|&position| counts[position] > 0) {
            let own = core.pair(self.free[position].cell, self.free[position].cell);
            value += gain(counts[position], linear[position], own);
            turn(&mut linear, position, counts[position] as f64);
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for position in 0..counts.len() {
                let free = self.free[position];
                let own = core.pair(free.cell, free.cell);
                let worth = |count: usize| gain(count, linear[position], own);
                let (now, best) = (worth(counts[position]), free.peak(linear[position], own));
                if worth(best) > now + LEAST && work.take(3 * counts.len()) {
                    value += worth(best) - now;
                    turn(&mut linear, position, best as f64 - counts[position] as f64);
                    counts[position] = best;
                    changed = true;
                }
            }
        }
        Some(value)
    }
}
