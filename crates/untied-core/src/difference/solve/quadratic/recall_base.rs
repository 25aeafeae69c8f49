//! Average precision divided by the number of relevant documents R instead of the depth.
//!
//! `N = sum_{i <= k} x_i / i sum_{j <= i} x_j` of A less that of B is quadratic as before, but what only one ranking has
//! is no longer settled: it counts in R. With n unknown documents made relevant:
//!
//! * R is what the assignment makes it: `max N / R` is the l at which `max (N - l R) = 0`, found by Dinkelbach's method,
//!   each step of which is a quadratic program in which every relevant document costs l.
//! * R is given, as `n <= R'`: `max N <= max (N - m n) + m R'` for every price m >= 0. Where the best of these bounds
//!   leaves a gap, the search closes it, with the limit in its dynamic program.

use super::super::{Instance, Solution};
use super::{QuadraticWorkspace, SearchLimit, TOLERANCE};
use crate::watch;

/// A step that gains no more than this is none.
const LEAST: f64 = 1e-13;

/// The largest `S(A) - S(B)` where S is divided by the number of relevant documents: those known to be, `elsewhere` of
/// which are not among the first `depth` of A or B, and those of these that an assignment makes so. It is 0 where there
/// are none. No other document is relevant. The nodes are those of all steps, and at least one for each.
pub fn solve_ratio(
    instance: &Instance,
    elsewhere: usize,
    limit: SearchLimit,
    workspace: &mut QuadraticWorkspace,
) -> Solution {
    solve_ratio_limited(instance, usize::MAX, elsewhere, limit, workspace)
}

/// [`solve_ratio`] with at most `most` unknown documents relevant.
pub fn solve_ratio_limited(
    instance: &Instance,
    most: usize,
    elsewhere: usize,
    limit: SearchLimit,
    workspace: &mut QuadraticWorkspace,
) -> Solution {
    let known = known_relevant(instance) + elsewhere;
    let least = known.max(1) as f64;
    let mut best = Solution { value: f64::NEG_INFINITY, bound: f64::INFINITY, gains: Vec::new(), nodes: 0 };
    let mut price = 0.0;
    loop {
        let bound = workspace.solve_at(
            instance,
            price,
            most,
            SearchLimit { nodes: limit.nodes.saturating_sub(best.nodes).max(1), ..limit },
        );
        let program = &workspace.program;
        best.nodes += workspace.search.nodes;
        // N - price R <= excess, so that N / R is above the price by no more than excess / R.
        let excess = f64::max(bound - price * known as f64, 0.0);
        best.bound = best.bound.min(price + excess / least);
        let relevant = known + program.count;
        let ratio = if relevant == 0 { 0.0 } else { program.score() / relevant as f64 };
        let improves = ratio > best.value + LEAST;
        if ratio > best.value {
            best.value = ratio;
            best.gains = program.gains(instance);
        }
        if !improves || watch::is_stopped() {
            return closed(best, 1.0 / least);
        }
        price = best.value;
    }
}

/// The largest `S(A) - S(B)` where at most `most` documents of which nothing is known are relevant, and S is divided by
/// that number and the number of those known to be, `elsewhere` of which are not among the first `depth` of A or B. It
/// is 0 where the divisor is. The nodes of `limit` are those for one price.
pub fn solve_limited(
    instance: &Instance,
    most: usize,
    elsewhere: usize,
    limit: SearchLimit,
    workspace: &mut QuadraticWorkspace,
) -> Solution {
    let mut best = workspace.solve_by_price(instance, most, limit);
    if best.bound > best.value {
        let bound = workspace.solve_at(instance, 0.0, most, limit);
        best.nodes += workspace.search.nodes;
        best.bound = best.bound.min(bound);
        workspace.offer(instance, &mut best);
    }
    let divisor = (known_relevant(instance) + elsewhere + most).max(1) as f64;
    best.value /= divisor;
    best.bound /= divisor;
    closed(best, 1.0 / divisor)
}

fn known_relevant(instance: &Instance) -> usize {
    instance.documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0)).count()
}

/// Solved if what is open is less than the tolerance.
fn closed(solution: Solution, scale: f64) -> Solution {
    let open = solution.bound - solution.value;
    Solution { bound: if open <= TOLERANCE * scale { solution.value } else { solution.bound }, ..solution }
}

impl QuadraticWorkspace {
    /// Searches for the largest `N - price n` with `n <= most`, and returns a bound of it.
    fn solve_at(&mut self, instance: &Instance, price: f64, most: usize, limit: SearchLimit) -> f64 {
        let QuadraticWorkspace { program, search, .. } = self;
        program.read(instance, true);
        program.price = price;
        program.persist(most);
        if program.open.len() > limit.open {
            search.nodes = 0;
            return f64::INFINITY;
        }
        let open = search.run(program, most - program.count, limit.nodes);
        open.map_or(program.value(), |bound| bound.max(program.value()))
    }

    /// Keeps the last assignment if it is better.
    fn offer(&self, instance: &Instance, best: &mut Solution) {
        if self.program.score() > best.value {
            best.value = self.program.score();
            best.gains = self.program.gains(instance);
        }
    }

    /// The largest N with `n <= most` as far as prices find it.
    ///
    /// An assignment is a line `N - m n` over prices m. The best bound lies where the highest lines that fall faster and
    /// slower than `-most` meet: two lines are kept, and where they meet a higher one takes the place of one of them.
    fn solve_by_price(&mut self, instance: &Instance, most: usize, limit: SearchLimit) -> Solution {
        let mut best = Solution { value: f64::NEG_INFINITY, bound: f64::INFINITY, gains: Vec::new(), nodes: 0 };
        self.program.read(instance, true);
        self.offer(instance, &mut best);
        let mut few = (best.value, 0.0);
        let mut many: Option<(f64, f64)> = None;
        loop {
            let is_first = many.is_none();
            let price = many.map_or(0.0, |many| (many.0 - few.0) / (many.1 - few.1));
            let bound = self.solve_at(instance, price, usize::MAX, limit);
            best.nodes += self.search.nodes;
            best.bound = best.bound.min(bound + price * most as f64);
            let line = (self.program.score(), self.program.count as f64);
            let is_higher = self.program.value() > few.0 - price * few.1 + LEAST;
            if self.program.count <= most {
                self.offer(instance, &mut best);
                few = line;
            } else {
                many = Some(line);
            }
            if !(is_first || is_higher) || self.program.count == most || many.is_none() {
                best.bound = best.bound.max(best.value);
                return closed(best, 1.0);
            }
        }
    }
}
