//! A node of the search: some cells are decided, and the others are undecided. An assignment says how many documents of
//! each cell are relevant, the cell's *count*.

use super::group::CellPlaces;
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::TieCell;
use crate::difference::solve::quadratic::{LEAST, SLACK};

/// The cells that persistency leaves undecided, in an order in which a cell that is before another in both rankings
/// comes first.
#[derive(Debug, Default)]
pub(super) struct CellCore {
    pub cells: Vec<TieCell>,
    pub places: Vec<CellPlaces>,
}

impl CellCore {
    /// `q_xy`: what a relevant document of cell x and one of cell y add to the difference as a pair.
    pub fn pair(&self, x: usize, y: usize) -> f64 {
        self.places[x].pair(&self.places[y])
    }
}

/// An undecided cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreeCell {
    /// The index of the cell in the core.
    pub cell: usize,
    /// The number of the cell's documents that are undecided.
    pub size: usize,
    /// What one undecided document adds to the difference by itself and with the documents decided to be relevant.
    pub linear: f64,
}

/// What `count` documents of one cell add to the difference: `linear` for each, and `pair` for every two of them.
pub(super) fn gain(count: usize, linear: f64, pair: f64) -> f64 {
    let n = count as f64;
    n * linear + pair * (n * (n - 1.0) / 2.0)
}

impl FreeCell {
    /// The best count of the cell, if one document gains `linear` and two of them `own` as a pair. The gain is a
    /// parabola in the count, so it is largest at one of the ends, or near the vertex if it opens downwards.
    pub fn peak(&self, linear: f64, own: f64) -> usize {
        let vertex = if own < 0.0 { (0.5 - linear / own).clamp(0.0, self.size as f64) as usize } else { 0 };
        let worth = |count: usize| gain(count, linear, own);
        let counts = [vertex, (vertex + 1).min(self.size), self.size];
        counts.into_iter().fold(0, |best, count| if worth(count) > worth(best) { count } else { best })
    }
}

/// The best assignment that was found.
#[derive(Debug, Default)]
pub(super) struct CellIncumbent {
    /// The difference with this assignment, times the depth.
    pub value: f64,
    /// The number of relevant documents in each cell.
    pub counts: Vec<usize>,
}

impl CellIncumbent {
    /// Improves counts of a node's undecided cells by a local search, and keeps them if they are the best so far.
    pub fn improve(&mut self, core: &CellCore, node: &CellNode, mut counts: Vec<usize>, work: &mut Budget) {
        let Some(value) = node.climb(core, &mut counts, work) else { return };
        if value > self.value {
            self.value = value;
            self.counts.clone_from(&node.decided);
            node.free.iter().zip(counts).for_each(|(x, count)| self.counts[x.cell] += count);
        }
    }
}

/// A node: the undecided cells, and what is decided of all cells.
#[derive(Debug, Default, Clone)]
pub(super) struct CellNode {
    /// The undecided cells, in the order of the core.
    pub free: Vec<FreeCell>,
    /// For each cell of the core, the number of documents that are decided to be relevant.
    pub decided: Vec<usize>,
    /// What the documents decided to be relevant add to the difference.
    pub constant: f64,
}

impl CellNode {
    /// Makes `count` more documents of the undecided cell at `position` in `free` relevant. The cell stays in `free`.
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

    /// First-order persistency: decides that all documents of a cell are relevant if none of them can lose, and that
    /// none is if none can gain, whatever the others are. This is repeated until nothing changes, or no work is left.
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

    /// The most that a document of cell x can lose, and can gain, with the other undecided documents: the sums of all
    /// negative and of all positive q.
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

    /// An upper bound of the difference that takes little work: of what two documents gain as a pair, each gets half.
    /// If even that is too much work, each document gains as much with each other one as a pair with it can at most.
    pub fn rough_bound(&self, core: &CellCore, work: &mut Budget) -> f64 {
        let count = self.free.len();
        if !work.take(count * count) {
            // A pair adds at most the lower one's mean inverse rank in A.
            let documents: usize = self.free.iter().map(|x| x.size).sum();
            let most =
                |x: &FreeCell| x.size as f64 * (x.linear.max(0.0) + documents as f64 * core.places[x.cell].most());
            return self.constant + self.free.iter().map(most).sum::<f64>();
        }
        let most = |x: &FreeCell| x.size as f64 * (x.linear + self.sums(core, x).1 / 2.0).max(0.0);
        self.constant + self.free.iter().map(most).sum::<f64>()
    }

    /// A local search: sets the count of one cell after the other to its best value, until nothing changes. Returns the
    /// difference with the last counts; none if not enough work is left.
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
            // Pairs within a cell are counted by `gain`, so `linear` of a cell leaves out the cell's own documents.
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
