//! Branch and bound over the numbers of relevant documents in cells.

use super::dual::CellDual;
use super::node::{CellCore, CellIncumbent, CellNode, FreeCell, gain};
use crate::difference::solve::budget::Budget;
use crate::difference::solve::quadratic::TOLERANCE;
use crate::difference::solve::search::{Bound, BranchAndBound, depth_first};

/// Steps of the bound at the root and below it.
const STEPS: (usize, usize) = (150, 40);

/// Memory that one search leaves to the next.
#[derive(Debug, Default)]
pub(super) struct CellSearchMemory {
    dual: CellDual,
}

/// The search.
#[derive(Debug)]
pub(super) struct CellSearch<'q> {
    core: &'q CellCore,
    pub incumbent: CellIncumbent,
    memory: &'q mut CellSearchMemory,
    work: Budget,
    /// Nodes so far.
    pub nodes: u64,
}

impl<'q> CellSearch<'q> {
    pub fn new(core: &'q CellCore, memory: &'q mut CellSearchMemory, work: Budget) -> CellSearch<'q> {
        let incumbent = CellIncumbent { value: f64::NEG_INFINITY, counts: vec![0; core.cells.len()] };
        CellSearch { core, incumbent, memory, work, nodes: 0 }
    }

    /// Find the best counts; nothing is above the bound that is returned.
    pub fn run(&mut self, root: CellNode) -> f64 {
        for full in [false, true] {
            let counts = root.free.iter().map(|x| if full { x.size } else { 0 }).collect();
            self.incumbent.improve(self.core, &root, counts, &mut self.work);
        }
        let open = depth_first(self, root, f64::INFINITY);
        // What lies this close to the best counts as solved.
        let value = self.incumbent.value;
        open.filter(|bound| *bound > value + TOLERANCE).unwrap_or(value)
    }

    /// Decide a node in which of all pairs of cells one is above the other: in some optimum all before one cell are full
    /// and all after it empty. Not where there is not that much work left.
    fn fill(&mut self, node: &mut CellNode, chain: &[usize]) -> Bound {
        let bound = node.rough_bound(self.core, &mut self.work);
        for &position in chain {
            if !self.work.take(4 * node.free.len()) {
                return Bound::OutOfBudget(bound);
            }
            let mut counts = vec![0; node.free.len()];
            let free = node.free[position];
            let own = self.core.pair(free.cell, free.cell);
            counts[position] = free.peak(free.linear, own);
            let value = node.constant + gain(counts[position], free.linear, own);
            if value > self.incumbent.value {
                self.incumbent.value = value;
                self.incumbent.counts.clone_from(&node.decided);
                self.incumbent.counts[free.cell] += counts[position];
            }
            node.add(self.core, position, free.size);
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
        let core = self.core;
        node.persist(core, &mut self.work);
        if node.free.is_empty() {
            self.incumbent.improve(core, node, Vec::new(), &mut self.work);
            return Bound::Closed;
        }
        if let Some(chain) = chain(core, node) {
            return self.fill(node, &chain);
        }
        let steps = if self.nodes == 1 { STEPS.0 } else { STEPS.1 };
        let bound = self.memory.dual.descend(core, node, steps, &mut self.incumbent, &mut self.work);
        if bound <= self.incumbent.value + TOLERANCE { Bound::Closed } else { Bound::AtMost(bound) }
    }

    /// More than half of the documents of the cell on which the bound hangs most, or at most half of them.
    fn split(&mut self, node: CellNode) -> [CellNode; 2] {
        let position = self.memory.dual.tensest(&node);
        let FreeCell { cell, size, .. } = node.free[position];
        let half = node.decided[cell] + size / 2;
        let most_first = self.incumbent.counts[cell] > half;
        [most_first, !most_first].map(|most| branch(self.core, &node, position, most))
    }
}

/// Positions of the free cells from the uppermost to the lowest, if of every two one is above the other.
fn chain(core: &CellCore, node: &CellNode) -> Option<Vec<usize>> {
    let cell = |&position: &usize| core.cells[node.free[position].cell];
    let mut positions: Vec<usize> = (0..node.free.len()).collect();
    positions.sort_by_key(|position| (cell(position).a, std::cmp::Reverse(cell(position).b)));
    positions.is_sorted_by(|x, y| cell(x).is_above(&cell(y))).then_some(positions)
}

/// A node where more than half of a cell's documents are relevant, or at most half of them: then those above are full,
/// or those below empty.
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
