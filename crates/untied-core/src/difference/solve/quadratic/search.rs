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
    /// The number of nodes visited.
    pub nodes: u64,
}

impl<'q> CellSearch<'q> {
    pub fn new(core: &'q CellCore, dual: &'q mut CellDual, work: Budget) -> CellSearch<'q> {
        let incumbent = CellIncumbent { value: f64::NEG_INFINITY, counts: vec![0; core.cells.len()] };
        CellSearch { core, incumbent, dual, work, nodes: 0 }
    }

    /// Searches for the best counts of all cells. If the work did not suffice, it returns an upper bound of the
    /// difference.
    pub fn run(&mut self, root: CellNode) -> Option<f64> {
        for full in [false, root.is_roomy()] {
            let counts = root.free.iter().map(|x| if full { x.size } else { 0 }).collect();
            self.incumbent.improve(self.core, &root, counts, &mut self.work);
        }
        let open = depth_first(self, root, f64::INFINITY);
        // A bound that exceeds the best value by at most the tolerance counts as reached.
        open.filter(|bound| *bound > self.incumbent.value + TOLERANCE)
    }

    /// Solves a node in which one of any two undecided cells is above the other. In some optimum, all cells above one
    /// of them are relevant, and none below it. `chain` has the positions of the cells, uppermost first. Without enough
    /// work, it returns a bound.
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
            // A node in which all cells are above each other is solved exactly. Others are bounded, narrowed and split.
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

    /// Two nodes: more than half of a cell's documents are relevant, or at most half. The cell is the one that matters
    /// most to the bound. The half with the best known count comes first.
    fn split(&mut self, node: CellNode) -> [CellNode; 2] {
        let position = self.dual.tensest(&node);
        let FreeCell { cell, size, .. } = node.free[position];
        let half = node.decided[cell] + size / 2;
        let most_first = self.incumbent.counts[cell] > half;
        [most_first, !most_first].map(|most| branch(self.core, &node, position, most))
    }
}

/// The positions of a node's undecided cells, uppermost first, if one of any two is above the other.
fn chain(core: &CellCore, node: &CellNode) -> Option<Vec<usize>> {
    let cell = |&position: &usize| core.cells[node.free[position].cell];
    let mut positions: Vec<usize> = (0..node.free.len()).collect();
    positions.sort_by_key(|position| (cell(position).a, std::cmp::Reverse(cell(position).b)));
    positions.is_sorted_by(|x, y| cell(x).is_above(&cell(y))).then_some(positions)
}

/// A part of a node. If `most`, more than half of the documents of the cell at `position` are relevant, and so are all
/// cells above it. Otherwise, at most half are, and no document of a cell below it is.
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

#[cfg(test)]
mod tests {
    use super::super::group::{CellPlaces, GroupPlace, PrecisionGroup};
    use super::*;
    use crate::difference::solve::cells::TieCell;
    use crate::nightly::seeds;
    use crate::random::Random;

    /// Random cells of two rankings with ties, and a root in which at most `room` documents may be relevant.
    fn draw(random: &mut Random, room: isize) -> (CellCore, CellNode) {
        let mut cells: Vec<TieCell> = Vec::new();
        for (x, y) in (0..4).flat_map(|x| (0..4).map(move |y| (x, y))) {
            if random.below(3) == 0 {
                cells.push(TieCell::new((x, y), 1 + random.below(5) as usize));
            }
        }
        let mut groups = |of: fn(&TieCell) -> usize| {
            let mut ends = vec![0];
            for group in 0..4 {
                let size: usize = cells.iter().filter(|cell| of(cell) == group).map(|cell| cell.size).sum();
                ends.push(ends[group] + size.max(1) as u32 + random.below(2) as u32);
            }
            let mut groups = Vec::new();
            PrecisionGroup::list(&mut groups, &ends[1..], 12);
            groups
        };
        let (a, b) = (groups(|cell| cell.a), groups(|cell| cell.b));
        cells.sort_by_key(|cell| (a[cell.a].place + b[cell.b].place, cell.a));
        let place = |cell: &TieCell| CellPlaces {
            a: GroupPlace::new(cell.a, &a[cell.a]),
            b: GroupPlace::new(cell.b, &b[cell.b]),
        };
        let places: Vec<CellPlaces> = cells.iter().map(place).collect();
        // Each relevant document has a price, and some are judged relevant.
        let price = random.unit() / 4.0;
        let free = cells.iter().zip(&places).enumerate();
        let free = free.map(|(cell, (x, place))| FreeCell { cell, size: x.size, linear: place.step() - price });
        let mut root = CellNode { free: free.collect(), decided: Vec::new(), constant: 0.0, room };
        let core = CellCore { cells, places };
        root.decided.resize(core.cells.len(), 0);
        for position in 0..root.free.len() {
            let judged = random.below(root.free[position].size as u64) as usize;
            root.add(&core, position, judged);
        }
        let root = CellNode { decided: vec![0; core.cells.len()], constant: 0.0, room, ..root };
        (core, root)
    }

    /// The largest difference over all counts that begin with `counts`.
    fn largest(core: &CellCore, root: &CellNode, counts: &mut Vec<usize>) -> f64 {
        if counts.iter().sum::<usize>() as isize > root.room {
            return f64::NEG_INFINITY;
        }
        if counts.len() == root.free.len() {
            let mut node = root.clone();
            counts.iter().enumerate().for_each(|(position, &count)| node.add(core, position, count));
            return node.constant;
        }
        let mut best = f64::NEG_INFINITY;
        for count in 0..=root.free[counts.len()].size {
            counts.push(count);
            best = best.max(largest(core, root, counts));
            counts.pop();
        }
        best
    }

    #[test]
    fn the_best_counts_are_found_whatever_the_room() {
        for seed in seeds(300) {
            let mut random = Random::new(seed);
            let room = if seed % 4 == 0 { isize::MAX } else { random.below(8) as isize };
            let (core, root) = draw(&mut random, room);
            let best = largest(&core, &root, &mut Vec::new());
            for steps in [0, 300, 3_000, 10_000_000] {
                let mut dual = CellDual::default();
                let mut search = CellSearch::new(&core, &mut dual, Budget::new(steps));
                let open = search.run(root.clone());
                let CellIncumbent { value, counts } = &search.incumbent;
                let bound = open.unwrap_or(*value);
                assert!(*value <= best + 1e-12 && best <= bound + 1e-10, "{seed} {steps} {value} {bound} {best}");
                assert!(counts.iter().sum::<usize>() as isize <= room, "{seed} {steps} {counts:?}");
                assert!(open.is_none() || steps < 10_000_000, "{seed} {bound} {best}");
            }
        }
    }

    #[test]
    fn narrowing_leaves_what_may_be_better() {
        let mut narrowed = 0;
        for seed in seeds(300) {
            let mut random = Random::new(seed);
            let room = if seed % 4 == 0 { isize::MAX } else { 1 + random.below(8) as isize };
            let (core, root) = draw(&mut random, room);
            let best = largest(&core, &root, &mut Vec::new());
            let mut dual = CellDual::default();
            let mut incumbent = CellIncumbent { value: best - 1.0, counts: vec![0; core.cells.len()] };
            let (mut node, mut work) = (root.clone(), Budget::new(10_000_000));
            dual.descend(&core, &root, STEPS.1, &mut incumbent, &mut work);
            narrowed += usize::from(dual.narrow(&core, &mut node, best - 1e-9, &mut work));
            let left = largest(&core, &node, &mut Vec::new());
            assert!((left - best).abs() < 1e-12, "{seed} {left} {best} {node:?}");
        }
        assert!(narrowed > 0);
    }
}
