//! Branch and bound over the core.

use super::core::{CoreClimber, CoreIncumbent, CoreNode, QuadraticCore};
use super::dual::{BEGINNING, CoreDual};
use super::program::QuadraticProgram;
use super::{SLACK, TOLERANCE};
use crate::difference::solve::smaller;
use crate::watch;

/// Steps of the bound at the root and below it.
const STEPS: (usize, usize) = (150, 25);

/// The search and its memory.
#[derive(Debug, Default)]
pub(super) struct CoreSearch {
    pub(super) core: QuadraticCore,
    dual: CoreDual,
    climber: CoreClimber,
    incumbent: CoreIncumbent,
    /// The multipliers of the bound, by pairs of numbers in the core: children begin with those of their parent.
    shares: Vec<f64>,
    spare: Vec<CoreNode>,
    sums: (Vec<f64>, Vec<f64>),
    limit: u64,
    /// Nodes so far.
    pub(super) nodes: u64,
    /// The largest bound of a node left open.
    open: Option<f64>,
}

impl CoreSearch {
    /// Decide what a program left open, with at most `room` relevant documents. Returns a bound where the search ended at
    /// its limit.
    pub(super) fn run(&mut self, program: &mut QuadraticProgram, room: usize, limit: u64) -> Option<f64> {
        self.nodes = 0;
        if program.open.is_empty() {
            return None;
        }
        self.open = None;
        self.limit = limit;
        self.core.read(program);
        let mut root = self.spare.pop().unwrap_or_default();
        root.linear.clear();
        root.linear.extend(self.core.variables.iter().map(|&x| program.linear(x)));
        root.constant = program.value();
        root.room = room;
        self.start(&mut root);
        self.visit(&mut root);
        self.spare.push(root);
        for (&variable, &on) in self.core.variables.iter().zip(&self.incumbent.on) {
            program.set(variable, on);
        }
        self.open.filter(|bound| *bound > self.incumbent.value + TOLERANCE)
    }

    fn start(&mut self, root: &mut CoreNode) {
        let count = self.core.variables.len();
        root.free.clear();
        root.free.extend(0..count);
        let CoreIncumbent { value, on, decided } = &mut self.incumbent;
        *value = root.constant;
        for assignment in [on, decided] {
            assignment.clear();
            assignment.resize(count, false);
        }
        for on in [false, root.is_roomy()] {
            self.climber.on.clear();
            self.climber.on.resize(count, on);
            let value = self.climber.climb(&self.core, root, !root.is_roomy());
            self.incumbent.offer(&root.free, &self.climber.on, value);
        }
        self.shares.clear();
        for i in 0..count {
            let excesses = (0..count).map(|j| self.core.pair(i, j) - self.core.step(j));
            self.shares.extend(excesses.map(|excess| if excess > 0.0 { BEGINNING.0 } else { BEGINNING.1 }));
        }
    }

    fn visit(&mut self, node: &mut CoreNode) {
        self.nodes += 1;
        loop {
            self.persist(node);
            if node.free.is_empty() || node.room == 0 {
                return self.incumbent.offer(&[], &[], node.constant);
            }
            let bound = self.bound(node);
            if bound <= self.incumbent.value + TOLERANCE {
                return;
            }
            match self.fix(node) {
                None => return,
                Some(true) => {}
                Some(false) => return self.branch(node, bound),
            }
        }
    }

    fn bound(&mut self, node: &CoreNode) -> f64 {
        let CoreSearch { core, dual, climber, shares, incumbent, .. } = self;
        let steps = if self.nodes == 1 { STEPS.0 } else { STEPS.1 };
        dual.ascend(core, node, shares, steps, climber, incumbent)
    }

    /// What the bound excludes for one value has the other: whether there was any; none if a document has neither.
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
                    self.decide(node, position, on);
                    fixed = true;
                }
            }
        }
        Some(fixed)
    }

    fn decide(&mut self, node: &mut CoreNode, position: usize, on: bool) {
        self.incumbent.decided[node.free[position]] = on;
        node.decide(&self.core, position, on);
    }

    /// Both values of the document on which the bound hangs most, that of the best solution first.
    fn branch(&mut self, node: &CoreNode, bound: f64) {
        let tensions = &mut self.sums.0;
        self.dual.tensions(tensions);
        let position = (0..tensions.len()).fold(0, |best, x| if tensions[x] > tensions[best] { x } else { best });
        let first = self.incumbent.on[node.free[position]];
        for on in [first, !first] {
            if self.nodes >= self.limit || watch::is_stopped() {
                self.open = Some(self.open.map_or(bound, |open| open.max(bound)));
                return;
            }
            let mut child = self.spare.pop().unwrap_or_default();
            child.clone_from(node);
            self.decide(&mut child, position, on);
            self.visit(&mut child);
            self.spare.push(child);
        }
    }

    /// First-order persistency, as in the program but pair by pair.
    fn persist(&mut self, node: &mut CoreNode) {
        self.sum(node);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for position in (0..node.free.len()).rev() {
                let on = node.is_roomy() && node.linear[position] + self.sums.0[position] >= -SLACK;
                if on || node.linear[position] + self.sums.1[position] <= SLACK {
                    self.forget(node, position);
                    self.decide(node, position, on);
                    changed = true;
                }
            }
        }
    }

    /// `N_x` and `P_x` of what is free.
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

    /// Take a document that is about to be decided out of the sums.
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
