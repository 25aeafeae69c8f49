//! The Lagrangian bound of a node, an upper bound of the difference over all assignments z of its free documents.
//!
//! Documents i and j gain `q_ij` as a pair. If i is before j in the order of the core, `q_ij = d_j + e_ij`, where `d_j`
//! is what j gains with a document before it in both rankings; the *excess* `e_ij` is 0 unless the two are in different
//! orders in the two rankings. For such discordant pairs, and any *share* `t_ij` in [0, 1],
//!
//! `e z_i z_j <= e (t z_i + (1 - t) z_j)` if e > 0, and `e z_i z_j <= e t (z_i + z_j - 1)` if e < 0.
//!
//! This makes the pairs' excesses part of the linear terms `lin_j`. What is left is the bound `L = const + max sum_j
//! z_j (lin_j + d_j * relevant documents before j)`, a dynamic program over the documents j and the number n of
//! relevant ones: `f_j(n) = max(f_{j-1}(n), f_{j-1}(n - 1) + lin_j + d_j (n - 1))`. A subgradient method looks for the
//! shares t with the smallest L. All of this holds with a limit on the number of relevant documents.

use super::TOLERANCE;
use super::core::{CoreClimber, CoreIncumbent, CoreNode, QuadraticCore};
use crate::watch;

/// The entry of the dynamic program's table for a number of relevant documents that cannot be reached.
const NEVER: f64 = -1e300;
/// The share t with which a pair begins: one with a positive excess, and one with a negative excess.
pub(super) const BEGINNING: (f64, f64) = (0.5, 0.3);
/// An excess this small is rounding: both rankings have the pair in the same order, or it does not matter.
const NOTHING: f64 = 1e-14;

/// Two free documents that are in different orders in the two rankings.
#[derive(Debug, Clone, Copy)]
struct DiscordantPair {
    /// The position among the free documents of the one that comes first in the core.
    i: usize,
    /// The position among the free documents of the one that comes second in the core.
    j: usize,
    /// `e_ij`, the excess of the pair.
    excess: f64,
    /// `t_ij`, the share by which the excess is split.
    share: f64,
}

impl DiscordantPair {
    /// The derivative of the bound L by the pair's share t, where `on` is the solution that L takes.
    fn slope(&self, on: &[bool]) -> f64 {
        let (i, j) = (f64::from(u8::from(on[self.i])), f64::from(u8::from(on[self.j])));
        self.excess * if self.excess > 0.0 { i - j } else { i + j - 1.0 }
    }
}

/// The terms of L for one choice of all shares t.
#[derive(Debug, Default, Clone)]
struct RelaxedCore {
    /// For each free document j, `lin_j`.
    linear: Vec<f64>,
    /// The constant of L.
    constant: f64,
}

/// The shares and the dynamic program of the Lagrangian bound L.
#[derive(Debug, Default)]
pub(super) struct CoreDual {
    /// The discordant pairs of free documents.
    pairs: Vec<DiscordantPair>,
    /// The terms of L for the current shares.
    now: RelaxedCore,
    /// The terms of L for the shares with the smallest bound so far.
    best: RelaxedCore,
    /// For each free document j, `d_j`: what it gains with each relevant document before it in both rankings.
    steps: Vec<f64>,
    /// The largest values `f_j(n)` of the dynamic program, a row for each j.
    table: Vec<f64>,
    /// The length of a row: an entry for each number n from 0 to `most`, and one that is never reached.
    width: usize,
    /// The largest number of free documents that may be relevant.
    most: usize,
    /// The numbers 0, 1, 2, ... as floats.
    numbers: Vec<f64>,
    /// For each free document, whether it is relevant in the solution that L takes.
    on: Vec<bool>,
    /// For each free document, upper bounds of the difference: if it is not relevant, and if it is.
    pub(super) marginals: Vec<(f64, f64)>,
    /// Memory for two rows of values of the documents that follow.
    rest: (Vec<f64>, Vec<f64>),
}

impl CoreDual {
    /// The smallest bound found within some steps, or fewer if it closes the node. `shares` holds the shares t of all
    /// pairs of documents of the core, row by row; they are read and written. Improves the incumbent with the solutions
    /// met on the way.
    pub(super) fn ascend(
        &mut self,
        core: &QuadraticCore,
        node: &CoreNode,
        shares: &mut [f64],
        steps: usize,
        climber: &mut CoreClimber,
        incumbent: &mut CoreIncumbent,
    ) -> f64 {
        self.prepare(core, node, shares);
        let (mut bound, mut size, mut stalled) = (f64::INFINITY, 1.0, 0);
        for step in 0..steps {
            if step > 0 && watch::is_stopped() {
                break;
            }
            self.relax(node);
            let now = self.now.constant + self.solve();
            if step % 8 == 0 || now < bound - 1e-9 {
                climber.on.clone_from(&self.on);
                let value = climber.climb(core, node, step == 8 || !node.is_roomy());
                incumbent.offer(node, &climber.on, value);
            }
            // Keep the smallest bound; after four steps without a smaller one, take smaller steps.
            if now < bound - 1e-12 {
                bound = now;
                stalled = 0;
                self.best.clone_from(&self.now);
            } else {
                stalled += 1;
                if stalled == 4 {
                    size *= 0.6;
                    stalled = 0;
                }
            }
            if bound <= incumbent.value + TOLERANCE || !self.descend(size * (now - incumbent.value + 1e-9)) {
                break;
            }
        }
        let count = core.variables.len();
        for pair in &self.pairs {
            shares[node.free[pair.i] * count + node.free[pair.j]] = pair.share;
        }
        bound
    }

    /// Lists the discordant pairs of a node, and makes room for the table.
    fn prepare(&mut self, core: &QuadraticCore, node: &CoreNode, shares: &[f64]) {
        let count = node.free.len();
        self.steps.clear();
        self.steps.extend(node.free.iter().map(|&x| core.step(x)));
        self.pairs.clear();
        for (i, &x) in node.free.iter().enumerate() {
            for (j, &y) in node.free.iter().enumerate().skip(i + 1) {
                let excess = core.pair(x, y) - self.steps[j];
                if excess.abs() > NOTHING {
                    self.pairs.push(DiscordantPair { i, j, excess, share: shares[x * core.variables.len() + y] });
                }
            }
        }
        self.most = node.room.min(count);
        self.width = self.most + 2;
        self.table.resize(self.table.len().max((count + 1) * self.width), 0.0);
        self.on.resize(count, false);
        let known = self.numbers.len();
        self.numbers.extend((known..self.width).map(|number| number as f64));
    }

    /// Computes the terms of L for the current shares.
    fn relax(&mut self, node: &CoreNode) {
        self.now.linear.clone_from(&node.linear);
        self.now.constant = node.constant;
        for &DiscordantPair { i, j, excess, share } in &self.pairs {
            let weighted = excess * share;
            self.now.linear[i] += weighted;
            if excess > 0.0 {
                self.now.linear[j] += excess - weighted;
            } else {
                self.now.linear[j] += weighted;
                self.now.constant -= weighted;
            }
        }
    }

    /// Moves all shares against the slope of L. Returns false if no share can move.
    fn descend(&mut self, gap: f64) -> bool {
        let mut norm = 0.0;
        for pair in &self.pairs {
            let slope = pair.slope(&self.on);
            if !(slope > 0.0 && pair.share <= 0.0 || slope < 0.0 && pair.share >= 1.0) {
                norm += slope * slope;
            }
        }
        if norm < 1e-30 {
            return false;
        }
        for pair in &mut self.pairs {
            pair.share = (pair.share - gap / norm * pair.slope(&self.on)).clamp(0.0, 1.0);
        }
        true
    }

    /// Solves the dynamic program. Returns its value, and writes its solution into `on`.
    fn solve(&mut self) -> f64 {
        self.forward();
        let count = self.now.linear.len();
        let last = &self.table[count * self.width..][..=self.most];
        let mut number = 0;
        for n in 1..last.len() {
            if last[n] > last[number] {
                number = n;
            }
        }
        // Read the solution off the table, from the last document to the first.
        let value = last[number];
        for j in (0..count).rev() {
            let (before, now) = (self.table[j * self.width + number], self.table[(j + 1) * self.width + number]);
            self.on[j] = before < now;
            number -= usize::from(self.on[j]);
        }
        value
    }

    /// Fills in the table of the dynamic program, from the first free document to the last.
    fn forward(&mut self) {
        let (width, most) = (self.width, self.most);
        self.table[0] = 0.0;
        self.table[1] = NEVER;
        for (j, (linear, step)) in self.now.linear.iter().zip(&self.steps).enumerate() {
            let (before, after) = self.table[j * width..(j + 2) * width].split_at_mut(width);
            let top = most.min(j + 1);
            after[0] = before[0];
            let pairs = before[1..=top].iter().zip(&before[..top]);
            for ((to, (stay, grow)), number) in after[1..=top].iter_mut().zip(pairs).zip(&self.numbers) {
                let grown = grow + linear + step * number;
                *to = if grown > *stay { grown } else { *stay };
            }
            after[top + 1] = NEVER;
        }
    }

    /// Fills in `marginals`: for each free document, the bound L if it is not relevant and if it is, at the best
    /// shares.
    pub(super) fn marginalise(&mut self) {
        std::mem::swap(&mut self.now, &mut self.best);
        self.forward();
        let count = self.now.linear.len();
        self.marginals.clear();
        self.marginals.resize(count, (NEVER, NEVER));
        let (rest, next) = (&mut self.rest.0, &mut self.rest.1);
        for side in [&mut *rest, &mut *next] {
            side.clear();
            side.resize(self.width, 0.0);
            side[self.most + 1] = NEVER;
        }
        for j in (0..count).rev() {
            let (linear, step) = (self.now.linear[j], self.steps[j]);
            // Join the values of the documents before j with those of the documents after it, for both choices of j.
            let before = &self.table[j * self.width..][..=j.min(self.most)];
            let (mut off, mut on) = (NEVER, NEVER);
            for (n, &reached) in before.iter().enumerate() {
                let without = rest[n];
                let with = rest[n + 1] + linear + step * self.numbers[n];
                off = larger(off, reached + without);
                on = larger(on, reached + with);
                next[n] = larger(without, with);
            }
            self.marginals[j] = (off + self.now.constant, on + self.now.constant);
            std::mem::swap(rest, next);
        }
    }

    /// Writes for each free document how much its discordant pairs matter to the bound, to branch on.
    pub(super) fn tensions(&self, tensions: &mut Vec<f64>) {
        tensions.clear();
        tensions.resize(self.on.len(), 0.0);
        for pair in &self.pairs {
            let tension = pair.excess.abs() * (0.1 + 4.0 * pair.share * (1.0 - pair.share));
            tensions[pair.i] += tension;
            tensions[pair.j] += tension;
        }
    }
}

fn larger(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}
