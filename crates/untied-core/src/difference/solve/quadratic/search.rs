//! Branch and bound over the documents of the core, which persistency leaves undecided.

use super::core::{CoreClimber, CoreIncumbent, CoreNode, QuadraticCore};
use super::dual::{BEGINNING, CoreDual};
use super::program::QuadraticProgram;
use super::{SLACK, TOLERANCE};
use crate::difference::solve::search::{Bound, BranchAndBound, depth_first};
use crate::difference::solve::smaller;
use crate::watch;

/// The number of steps of the Lagrangian bound at the root, and at each other node.
const STEPS: (usize, usize) = (150, 25);

/// The state of a search, whose memory is used again for the next one.
#[derive(Debug, Default)]
pub(super) struct CoreSearch {
    pub(super) core: QuadraticCore,
    dual: CoreDual,
    climber: CoreClimber,
    incumbent: CoreIncumbent,
    /// The shares t of the Lagrangian bound for all pairs of documents of the core, row by row. A node begins with
    /// those of its parent.
    shares: Vec<f64>,
    /// For each free document x of a node, `N_x` and `P_x`: the most it can lose, and gain, with the other free ones.
    sums: (Vec<f64>, Vec<f64>),
    /// The largest number of nodes to visit.
    limit: u64,
    /// The number of nodes visited so far.
    pub(super) nodes: u64,
}

impl CoreSearch {
    /// Decides the undecided documents of a program, of which at most `room` may be relevant. Returns an upper bound of
    /// the difference if the search ended at its limit.
    pub(super) fn run(&mut self, program: &mut QuadraticProgram, room: usize, limit: u64) -> Option<f64> {
        self.nodes = 0;
        if program.open.is_empty() {
            return None;
        }
        self.limit = limit;
        self.core.read(program);
        let count = self.core.variables.len();
        let root = CoreNode {
            free: (0..count).collect(),
            linear: self.core.variables.iter().map(|&x| program.linear(x)).collect(),
            constant: program.value(),
            room,
            decided: vec![false; count],
        };
        // Search, then write the best assignment back into the program.
        self.start(&root);
        let open = depth_first(self, root, f64::INFINITY);
        for (&variable, &on) in self.core.variables.iter().zip(&self.incumbent.on) {
            program.set(variable, on);
        }
        open.filter(|bound| *bound > self.incumbent.value + TOLERANCE)
    }

    /// Finds first assignments by local searches, and sets the first shares of all pairs.
    fn start(&mut self, root: &CoreNode) {
        let count = root.free.len();
        self.incumbent.value = root.constant;
        self.incumbent.on.clone_from(&root.decided);
        for on in [false, root.is_roomy()] {
            self.climber.on.clear();
            self.climber.on.resize(count, on);
            let value = self.climber.climb(&self.core, root, !root.is_roomy());
            self.incumbent.offer(root, &self.climber.on, value);
        }
        self.shares.clear();
        for i in 0..count {
            let excesses = (0..count).map(|j| self.core.pair(i, j) - self.core.step(j));
            self.shares.extend(excesses.map(|excess| if excess > 0.0 { BEGINNING.0 } else { BEGINNING.1 }));
        }
    }

    /// The Lagrangian bound of a node.
    fn ascend(&mut self, node: &CoreNode) -> f64 {
        let CoreSearch { core, dual, climber, shares, incumbent, .. } = self;
        let steps = if self.nodes == 1 { STEPS.0 } else { STEPS.1 };
        dual.ascend(core, node, shares, steps, climber, incumbent)
    }

    /// Decides the free documents for which the bound excludes one of the two choices. Returns whether there were any;
    /// none if it excludes both choices of a document, so that the node has no better assignment.
    fn fix(&mut self, node: &mut CoreNode) -> Option<bool> {
        self.dual.marginalise();
        let least = self.incumbent.value + TOLERANCE;
        let mut fixed = false;
        for position in (0..node.free.len()).rev() {
            let (off, on) = self.dual.marginals[position];
            match (off > least, on > least) {
                (false, false) => return None,
                (true, true) => {}
                (_, on) => {
                    if on && node.room == 0 {
                        return None;
                    }
                    node.decide(&self.core, position, on);
                    fixed = true;
                }
            }
        }
        Some(fixed)
    }

    /// First-order persistency as in [`super::program`], but with sums over all pairs of free documents.
    fn persist(&mut self, node: &mut CoreNode) {
        self.sum(node);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for position in (0..node.free.len()).rev() {
                let on = node.is_roomy() && node.linear[position] + self.sums.0[position] >= -SLACK;
                if on || node.linear[position] + self.sums.1[position] <= SLACK {
                    self.forget(node, position);
                    node.decide(&self.core, position, on);
                    changed = true;
                }
            }
        }
    }

    /// Fills in `N_x` and `P_x` of each free document: the most it can lose, and gain, with the other free ones.
    fn sum(&mut self, node: &CoreNode) {
        let (down, up) = &mut self.sums;
        down.clear();
        up.clear();
        for &x in &node.free {
            let (mut all, mut absolute) = (0.0, 0.0);
            for &y in &node.free {
                let pair = self.core.pair(x, y);
                all += pair;
                absolute += pair.abs();
            }
            let own = self.core.step(x);
            all -= own;
            absolute -= own.abs();
            down.push((all - absolute) / 2.0);
            up.push((all + absolute) / 2.0);
        }
    }

    /// Removes a document that is about to be decided from the sums of the others.
    fn forget(&mut self, node: &CoreNode, position: usize) {
        let (down, up) = &mut self.sums;
        let x = node.free[position];
        for ((down, up), &y) in down.iter_mut().zip(up.iter_mut()).zip(&node.free) {
            let pair = self.core.pair(x, y);
            *down -= smaller(pair, 0.0);
            *up += smaller(-pair, 0.0);
        }
        down.remove(position);
        up.remove(position);
    }
}

impl BranchAndBound for CoreSearch {
    type Node = CoreNode;

    fn bound(&mut self, node: &mut CoreNode, above: f64) -> Bound {
        if self.nodes > 0 && (self.nodes >= self.limit || watch::is_stopped()) {
            return Bound::OutOfBudget(above);
        }
        self.nodes += 1;
        loop {
            self.persist(node);
            if node.free.is_empty() || node.room == 0 {
                self.incumbent.offer(node, &[], node.constant);
                return Bound::Closed;
            }
            let bound = self.ascend(node);
            if bound <= self.incumbent.value + TOLERANCE {
                return Bound::Closed;
            }
            match self.fix(node) {
                None => return Bound::Closed,
                Some(true) => {}
                Some(false) => return Bound::AtMost(bound),
            }
        }
    }

    /// Two nodes, in which the document that matters most to the bound is relevant or not; first as in the best
    /// assignment.
    fn split(&mut self, node: CoreNode) -> [CoreNode; 2] {
        let tensions = &mut self.sums.0;
        self.dual.tensions(tensions);
        let position = (0..tensions.len()).fold(0, |best, x| if tensions[x] > tensions[best] { x } else { best });
        let first = self.incumbent.on[node.free[position]];
        [first, !first].map(|on| {
            let mut child = node.clone();
            child.decide(&self.core, position, on);
            child
        })
    }
}
