//! Nodes of the search. Some cells are decided and the others undecided. The *count* of a cell is its number of
//! relevant documents. A document that is not tied is a cell of its own.

use super::group::CellPlaces;
use super::{LEAST, SLACK};
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::TieCell;

/// The cells that persistency leaves undecided. A cell that is before another in both rankings comes first.
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

#[derive(Debug, Clone, Copy)]
pub(super) struct FreeCell {
    /// The index of the cell in the core.
    pub cell: usize,
    /// The number of its undecided documents.
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
    /// The best count of the cell up to `most`. One document gains `linear`, and two of them `own` as a pair. The gain
    /// is a parabola in the count, so it is largest at one of the ends, or near the vertex if it opens downwards.
    pub fn peak(&self, linear: f64, own: f64, most: usize) -> usize {
        let most = most.min(self.size);
        let vertex = if own < 0.0 { (0.5 - linear / own).clamp(0.0, most as f64) as usize } else { 0 };
        let worth = |count: usize| gain(count, linear, own);
        let counts = [vertex, (vertex + 1).min(most), most];
        counts.into_iter().fold(0, |best, count| if worth(count) > worth(best) { count } else { best })
    }
}

/// The best assignment that was found.
#[derive(Debug, Default)]
pub(super) struct CellIncumbent {
    /// The difference with this assignment, times the depth.
    pub value: f64,
    /// The count of each cell.
    pub counts: Vec<usize>,
}

impl CellIncumbent {
    /// Improves counts of undecided cells by a local search, and keeps them if they are the best so far.
    pub fn improve(&mut self, core: &CellCore, node: &CellNode, mut counts: Vec<usize>, work: &mut Budget) {
        if let Some(value) = node.climb(core, &mut counts, work) {
            self.offer(node, &counts, value);
        }
    }

    /// Keeps counts of undecided cells if they are the best so far. Cells beyond the end of `counts` have no relevant
    /// document.
    pub fn offer(&mut self, node: &CellNode, counts: &[usize], value: f64) {
        if value > self.value {
            self.value = value;
            self.counts.clone_from(&node.decided);
            node.free.iter().zip(counts).for_each(|(x, count)| self.counts[x.cell] += count);
        }
    }
}

/// A node of the search: the cells that still have undecided documents, and what was decided so far.
#[derive(Debug, Default, Clone)]
pub(super) struct CellNode {
    pub free: Vec<FreeCell>,
    /// For each cell, the number of documents that are decided to be relevant.
    pub decided: Vec<usize>,
    /// What the documents decided to be relevant add to the difference.
    pub constant: f64,
    /// How many undecided documents may be relevant. Below 0, too many are relevant already, and the node has no
    /// assignment.
    pub room: isize,
}

impl CellNode {
    /// The number of undecided documents.
    pub fn documents(&self) -> usize {
        self.free.iter().map(|x| x.size).sum()
    }

    /// Whether all undecided documents may be relevant at once.
    pub fn is_roomy(&self) -> bool {
        self.room >= self.documents() as isize
    }

    /// Makes `count` more documents of an undecided cell relevant. `position` is the cell's index in `free`, where it
    /// stays.
    pub fn add(&mut self, core: &CellCore, position: usize, count: usize) {
        if count == 0 {
            return;
        }
        let FreeCell { cell, linear, .. } = self.free[position];
        self.constant += gain(count, linear, core.pair(cell, cell));
        self.decided[cell] += count;
        self.room -= count as isize;
        self.free[position].size -= count;
        let places = core.places[cell];
        for other in &mut self.free {
            other.linear += count as f64 * places.pair(&core.places[other.cell]);
        }
    }

    /// First-order persistency: whatever the others are, all documents of a cell are relevant if none of them can lose
    /// and there is room, and none is if none can gain. This is repeated until nothing changes, or no work is left.
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
                let on = linear + down >= -SLACK && self.is_roomy();
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

    /// An upper bound of the difference that takes little work: each document of a pair gets half of what the pair
    /// gains. If even this is too much work, each document gains as much with each other one as it can at most.
    pub fn rough_bound(&self, core: &CellCore, work: &mut Budget) -> f64 {
        let count = self.free.len();
        if !work.take(count * count) {
            // A pair adds at most the lower one's mean inverse rank in A.
            let documents = self.documents() as f64;
            let most = |x: &FreeCell| x.size as f64 * (x.linear.max(0.0) + documents * core.places[x.cell].most());
            return self.constant + self.free.iter().map(most).sum::<f64>();
        }
        let most = |x: &FreeCell| x.size as f64 * (x.linear + self.sums(core, x).1 / 2.0).max(0.0);
        self.constant + self.free.iter().map(most).sum::<f64>()
    }

    /// A local search: sets the count of one cell after the other to its best value, until nothing changes. If there is
    /// not room for all documents, it also changes two counts by one. Returns the difference with the last counts, or
    /// none if not enough work is left.
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
            // `gain` counts the pairs within a cell, so `linear` of the cell leaves out its own documents.
            linear[position] -= by * places.pair(places);
        };
        for position in (0..counts.len()).filter(|&position| counts[position] > 0) {
            let own = core.pair(self.free[position].cell, self.free[position].cell);
            value += gain(counts[position], linear[position], own);
            turn(&mut linear, position, counts[position] as f64);
        }
        let is_roomy = self.is_roomy();
        let mut spare = self.room - counts.iter().sum::<usize>() as isize;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for position in 0..counts.len() {
                let free = self.free[position];
                let own = core.pair(free.cell, free.cell);
                let worth = |count: usize| gain(count, linear[position], own);
                let most = counts[position].saturating_add(spare as usize);
                let (now, best) = (worth(counts[position]), free.peak(linear[position], own, most));
                if worth(best) > now + LEAST && work.take(3 * counts.len()) {
                    value += worth(best) - now;
                    spare -= best as isize - counts[position] as isize;
                    turn(&mut linear, position, best as f64 - counts[position] as f64);
                    counts[position] = best;
                    changed = true;
                }
            }
            if changed || is_roomy || !work.take(4 * counts.len() * counts.len()) {
                continue;
            }
            if let Some((change, gained)) = self.find_pair(core, counts, &linear, spare) {
                value += gained;
                for (position, by) in change {
                    spare -= by;
                    turn(&mut linear, position, by as f64);
                    counts[position] = counts[position].saturating_add_signed(by);
                }
                changed = true;
            }
        }
        Some(value)
    }

    /// Two cells, one with a relevant document more and one with a document fewer, so that the difference gains; and
    /// the gain. `linear` is what a document of each cell gains with all relevant documents outside of the cell.
    /// `spare` is the number of documents for which there is room.
    fn find_pair(
        &self,
        core: &CellCore,
        counts: &[usize],
        linear: &[f64],
        spare: isize,
    ) -> Option<([(usize, isize); 2], f64)> {
        let change = |position: usize, by: isize| {
            let FreeCell { cell, size, .. } = self.free[position];
            let count = counts[position] as f64;
            let own = core.pair(cell, cell);
            match by {
                1 if counts[position] < size => linear[position] + own * count,
                -1 if counts[position] > 0 => own * (1.0 - count) - linear[position],
                _ => f64::NEG_INFINITY,
            }
        };
        let changes: Vec<[f64; 2]> = (0..counts.len()).map(|x| [-1, 1].map(|by| change(x, by))).collect();
        for y in 1..counts.len() {
            for x in 0..y {
                let pair = core.pair(self.free[x].cell, self.free[y].cell);
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let gained = changes[x][i] + changes[y][j] + if i == j { pair } else { -pair };
                    let (of_x, of_y) = (2 * i as isize - 1, 2 * j as isize - 1);
                    if gained > LEAST && of_x + of_y <= spare {
                        return Some(([(x, of_x), (y, of_y)], gained));
                    }
                }
            }
        }
        None
    }
}
