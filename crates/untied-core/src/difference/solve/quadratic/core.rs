//! The core: the documents that persistency leaves undecided, and assignments of relevance to them.

use super::LEAST;
use super::program::{QuadraticProgram, Variable};
use crate::difference::solve::smaller;

/// The undecided documents, in an order in which a document that is before another in both rankings comes first.
#[derive(Debug, Default)]
pub(super) struct QuadraticCore {
    /// The undecided documents. A document's index here is its number in the core.
    pub(super) variables: Vec<Variable>,
    /// For each document, the inverses `1 / a` and `1 / b` of its ranks in A and B.
    pub(super) inverse: Vec<(f64, f64)>,
}

impl QuadraticCore {
    /// Reads the undecided documents of a program.
    pub(super) fn read(&mut self, program: &QuadraticProgram) {
        self.variables.clone_from(&program.open);
        self.variables.sort_unstable_by_key(|x| (x.a + x.b, x.a, x.id));
        self.inverse.clear();
        self.inverse.extend(self.variables.iter().map(|&x| program.inverse(x)));
    }

    /// `q_xy`: what documents x and y add to the difference as a pair; for a document with itself, `d_x` as in
    /// [`QuadraticCore::step`].
    pub(super) fn pair(&self, x: usize, y: usize) -> f64 {
        let (x, y) = (self.inverse[x], self.inverse[y]);
        smaller(x.0, y.0) - smaller(x.1, y.1)
    }

    /// `d_x = 1 / a_x - 1 / b_x`: what document x adds to the difference with each relevant document that is before it
    /// in both rankings.
    pub(super) fn step(&self, x: usize) -> f64 {
        self.inverse[x].0 - self.inverse[x].1
    }
}

/// A node of the search: some documents of the core are decided, and the others are *free*.
#[derive(Debug, Clone)]
pub(super) struct CoreNode {
    /// The numbers in the core of the free documents, ascending.
    pub(super) free: Vec<usize>,
    /// For each free document, what it adds to the difference by itself and with the documents decided to be relevant.
    pub(super) linear: Vec<f64>,
    /// The difference if no free document is relevant.
    pub(super) constant: f64,
    /// How many free documents may be relevant at most.
    pub(super) room: usize,
    /// For each document of the core, whether it is decided to be relevant.
    pub(super) decided: Vec<bool>,
}

impl CoreNode {
    /// Decides the free document at a position. The documents behind it move up.
    pub(super) fn decide(&mut self, core: &QuadraticCore, position: usize, on: bool) {
        let x = self.free.remove(position);
        let gain = self.linear.remove(position);
        self.decided[x] = on;
        if on {
            self.constant += gain;
            self.room -= 1;
            for (linear, &y) in self.linear.iter_mut().zip(&self.free) {
                *linear += core.pair(x, y);
            }
        }
    }

    /// Whether all free documents may be relevant at once.
    pub(super) fn is_roomy(&self) -> bool {
        self.room >= self.free.len()
    }
}

/// The best assignment that was found.
#[derive(Debug, Default)]
pub(super) struct CoreIncumbent {
    /// The difference with this assignment, times the depth.
    pub(super) value: f64,
    /// For each document of the core, whether it is relevant.
    pub(super) on: Vec<bool>,
}

impl CoreIncumbent {
    /// Keeps an assignment of a node's free documents if it is better. Free documents beyond the end of `on` are not
    /// relevant.
    pub(super) fn offer(&mut self, node: &CoreNode, on: &[bool], value: f64) {
        if value > self.value {
            self.value = value;
            self.on.clone_from(&node.decided);
            for (&x, &on) in node.free.iter().zip(on) {
                self.on[x] = on;
            }
        }
    }
}

/// A local search in a node.
#[derive(Debug, Default)]
pub(super) struct CoreClimber {
    /// For each free document of the node, whether it is relevant now.
    pub(super) on: Vec<bool>,
    /// For each free document, what it adds to the difference by itself and with the others that are relevant now.
    gains: Vec<f64>,
    /// The number of free documents that are relevant now.
    count: usize,
}

impl CoreClimber {
    /// Improves the assignment in `on` by changing single documents, and pairs of them if `pairs`, until no change
    /// helps. Returns the difference.
    pub(super) fn climb(&mut self, core: &QuadraticCore, node: &CoreNode, pairs: bool) -> f64 {
        let mut value = node.constant;
        self.gains.clone_from(&node.linear);
        self.count = 0;
        for position in 0..node.free.len() {
            if std::mem::take(&mut self.on[position]) {
                value += self.turn(core, node, position);
            }
        }
        loop {
            let before = value;
            value += self.turn_singles(core, node);
            if value > before {
                continue;
            }
            let Some((x, y)) = pairs.then(|| self.find_pair(core, node)).flatten() else { return value };
            value += self.turn(core, node, x) + self.turn(core, node, y);
        }
    }

    /// Changes each free document once if that gains something. Returns what all changes gain.
    fn turn_singles(&mut self, core: &QuadraticCore, node: &CoreNode) -> f64 {
        let mut gained = 0.0;
        for position in 0..node.free.len() {
            if self.worth(position) > LEAST && (self.on[position] || self.count < node.room) {
                gained += self.turn(core, node, position);
            }
        }
        gained
    }

    /// What it gains to change a free document.
    fn worth(&self, position: usize) -> f64 {
        if self.on[position] { -self.gains[position] } else { self.gains[position] }
    }

    /// Changes a free document, and returns what that gains.
    fn turn(&mut self, core: &QuadraticCore, node: &CoreNode, position: usize) -> f64 {
        let worth = self.worth(position);
        let sign = if self.on[position] { -1.0 } else { 1.0 };
        let x = node.free[position];
        for (gain, &y) in self.gains.iter_mut().zip(&node.free) {
            *gain += sign * core.pair(x, y);
        }
        self.gains[position] -= sign * core.step(x);
        self.on[position] ^= true;
        self.count = if self.on[position] { self.count + 1 } else { self.count - 1 };
        worth
    }

    /// Two free documents whose change gains something together, within the limit of relevant documents.
    fn find_pair(&self, core: &QuadraticCore, node: &CoreNode) -> Option<(usize, usize)> {
        for y in 1..node.free.len() {
            for x in 0..y {
                let together = core.pair(node.free[x], node.free[y]);
                let together = if self.on[x] == self.on[y] { together } else { -together };
                let growth = 2 * (usize::from(!self.on[x]) + usize::from(!self.on[y]));
                if self.worth(x) + self.worth(y) + together > LEAST
                    && self.count + growth <= node.room.saturating_add(2)
                {
                    return Some((x, y));
                }
            }
        }
        None
    }
}
