//! Branch and bound over the numbers of relevant documents in cells.

use super::TOLERANCE;
use super::dual::CellDual;
use super::node::{CellCore, CellIncumbent, CellNode, FreeCell, gain};
use crate::difference::solve::budget::Budget;
use crate::difference::solve::search::{Bound, BranchAndBound, depth_first};

/// The number of steps of the Lagrangian bound at the root, and at each other node.
const STEPS: (usize, usize) = (150, 40);

/// The state of the search: the best assignment so far, and the work that is left.
#[derive(Debug)]
pub(super) struct CellSearch<'q> {
    core: &'q CellCore,
    pub incumbent: CellIncumbent,
    dual: &'q mut CellDual,
    pub work: Budget,
    /// The number of nodes visited so far.
    pub nodes: u64,
}

impl<'q> CellSearch<'q> {
    pub fn new(core: &'q CellCore, dual: &'q mut CellDual, work: Budget) -> CellSearch<'q> {
        let incumbent = CellIncumbent { value: f64::NEG_INFINITY, counts: vec![0; core.cells.len()] };
        CellSearch { core, incumbent, dual, work, nodes: 0 }
    }

    /// Searches for the best counts of all cells of the core. Returns an upper bound of the difference if no work was
    /// left before the search ended.
    pub fn run(&mut self, root: CellNode) -> Option<f64> {
        for full in [false, root.is_roomy()] {
            let counts = root.free.iter().map(|x| if full { x.size } else { 0 }).collect();
            self.incumbent.improve(self.core, &root, counts, &mut self.work);
        }
        let open = depth_first(self, root, f64::INFINITY);
        // A bound that exceeds the best value by no more than the tolerance counts as reached.
        open.filter(|bound| *bound > self.incumbent.value + TOLERANCE)
    }

    /// Solves a node in which one of any two undecided cells is above the other: in some optimum all cells above one of
    /// them are relevant, and none below it. `chain` has the cells' positions from the uppermost to the lowest. Without
    /// enough work, it returns a bound.
    fn fill(&mut self, node: &mut CellNode, chain: &[usize]) -> Bound {
        let bound = node.rough_bound(self.core, &mut self.work);
        for &position in chain {
            if !self.work.take(4 * node.free.len()) {
                return Bound::OutOfBudget(bound);
            }
            let mut counts = vec![0; node.free.len()];
            let free = node.free[position];
            let own = self.core.pair(free.cell, free.cell);
            counts[position] = free.peak(free.linear, own, node.room.unsigned_abs());
            let value = node.constant + gain(counts[position], free.linear, own);
            self.incumbent.offer(node, &counts, value);
            node.add(self.core, position, free.size);
            if node.room < 0 {
                break;
            }
        }
        Bound::Closed
    }
}

impl BranchAndBound for CellSearch<'_> {
    type Node = CellNode;

    fn bound(&mut self, node: &mut CellNode, above: f64) -> Bound {
        if self.nodes > 0 && self.work.left() == 0 {
            return Bound::OutOfBudget(above);
        }
        self.nodes += 1;
        let CellSearch { core, incumbent, dual, work, .. } = self;
        let steps = if self.nodes == 1 { STEPS.0 } else { STEPS.1 };
        while node.room >= 0 {
            node.persist(core, work);
            if node.free.is_empty() || node.room == 0 {
                incumbent.offer(node, &[], node.constant);
                return Bound::Closed;
            }
            // A node in which all cells are above each other is solved exactly; others are bounded, narrowed and split.
            if let Some(chain) = chain(core, node) {
                return self.fill(node, &chain);
            }
            let bound = dual.descend(core, node, steps, incumbent, work);
            let least = incumbent.value + TOLERANCE;
            if bound <= least {
                return Bound::Closed;
            }
            if !dual.narrow(core, node, least, work) {
                return Bound::AtMost(bound);
            }
        }
        Bound::Closed
    }

    /// Two nodes: in one, more than half of a cell's documents are relevant, and in the other at most half. The cell is
    /// the one that matters most to the bound; the half with the best known count comes first.
    fn split(&mut self, node: CellNode) -> [CellNode; 2] {
        let position = self.dual.tensest(&node);
        let FreeCell { cell, size, .. } = node.free[position];
        let half = node.decided[cell] + size / 2;
        let most_first = self.incumbent.counts[cell] > half;
        [most_first, !most_first].map(|most| branch(self.core, &node, position, most))
    }
}

/// The positions of a node's undecided cells, from the uppermost to the lowest, if one of any two is above the other.
fn chain(core: &CellCore, node: &CellNode) -> Option<Vec<usize>> {
    let cell = |&position: &usize| core.cells[node.free[position].cell];
    let mut positions: Vec<usize> = (0..node.free.len()).collect();
    positions.sort_by_key(|position| (cell(position).a, std::cmp::Reverse(cell(position).b)));
    positions.is_sorted_by(|x, y| cell(x).is_above(&cell(y))).then_some(positions)
}

/// The part of a node in which more than half of the documents of the cell at `position` are relevant, if `most`; then
/// all cells above it are relevant, too. If not `most`, at most half are, and no document of a cell below it is
/// relevant.
fn branch(core: &CellCore, node: &CellNode, position: usize, most: bool) -> CellNode {
    let mut child = node.clone();
    let split = core.cells[node.free[position].cell];
    let half = node.free[position].size / 2;
    if most {
        child.add(core, position, half + 1);
    } else {
        child.free[position].size = half;
    }
    for other in 0..child.free.len() {
        let cell = core.cells[child.free[other].cell];
        if other != position && most && cell.is_above(&split) {
            let size = child.free[other].size;
            child.add(core, other, size);
        } else if other != position && !most && split.is_above(&cell) {
            child.free[other].size = 0;
        }
    }
    child.free.retain(|x| x.size > 0);
    child
}
