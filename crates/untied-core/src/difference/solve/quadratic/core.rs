//! The core: the part of a program that persistency leaves open, and assignments of it.

use super::LEAST;
use super::program::{QuadraticProgram, Variable};
use crate::difference::solve::smaller;

/// Undecided documents, so ordered that one before another in both rankings comes first.
#[derive(Debug, Default)]
pub(super) struct QuadraticCore {
    /// The documents.
    pub(super) variables: Vec<Variable>,
    /// `1 / a` and `1 / b` of each.
    pub(super) inverse: Vec<(f64, f64)>,
}

impl QuadraticCore {
    /// The core of a program.
    pub(super) fn read(&mut self, program: &QuadraticProgram) {
        self.variables.clone_from(&program.open);
        self.variables.sort_unstable_by_key(|x| (x.a + x.b, x.a, x.id));
        self.inverse.clear();
        self.inverse.extend(self.variables.iter().map(|&x| program.inverse(x)));
    }

    /// `q_xy`; of a document with itself `d_x`.
    pub(super) fn pair(&self, x: usize, y: usize) -> f64 {
        let (x, y) = (self.inverse[x], self.inverse[y]);
        smaller(x.0, y.0) - smaller(x.1, y.1)
    }

    /// `d_x = 1 / a_x - 1 / b_x`: what x gains with each document that stands before it in both rankings.
    pub(super) fn step(&self, x: usize) -> f64 {
        self.inverse[x].0 - self.inverse[x].1
    }
}

/// A part of the core that is not decided yet, given the rest.
#[derive(Debug, Clone)]
pub(super) struct CoreNode {
    /// Numbers in the core, rising.
    pub(super) free: Vec<usize>,
    /// Gain of each by itself and with what is relevant.
    pub(super) linear: Vec<f64>,
    /// Value of what is decided.
    pub(super) constant: f64,
    /// How many more may be relevant.
    pub(super) room: usize,
    /// Whether each document is decided to be relevant, by number in the core.
    pub(super) decided: Vec<bool>,
}

impl CoreNode {
    /// Decide the document at a position. What stood behind it moves up.
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

    /// Whether all that is free may be relevant.
    pub(super) fn is_roomy(&self) -> bool {
        self.room >= self.free.len()
    }
}

/// The best assignment found.
#[derive(Debug, Default)]
pub(super) struct CoreIncumbent {
    /// Its value.
    pub(super) value: f64,
    /// What is relevant, by number in the core.
    pub(super) on: Vec<bool>,
}

impl CoreIncumbent {
    /// Take an assignment of what is free in a node if it is better; where `on` ends, none of it is relevant.
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

/// Local search in a node.
#[derive(Debug, Default)]
pub(super) struct CoreClimber {
    /// The assignment of what is free.
    pub(super) on: Vec<bool>,
    /// Gain of a document by itself and with the others that are relevant.
    gains: Vec<f64>,
    count: usize,
}

impl CoreClimber {
    /// Improve an assignment by turning single documents, and pairs of them if asked for, until none helps; its value.
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

    fn turn_singles(&mut self, core: &QuadraticCore, node: &CoreNode) -> f64 {
        let mut gained = 0.0;
        for position in 0..node.free.len() {
            if self.worth(position) > LEAST && (self.on[position] || self.count < node.room) {
                gained += self.turn(core, node, position);
            }
        }
        gained
    }

    fn worth(&self, position: usize) -> f64 {
        if self.on[position] { -self.gains[position] } else { self.gains[position] }
    }

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
