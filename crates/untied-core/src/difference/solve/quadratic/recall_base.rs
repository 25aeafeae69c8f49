//! Average precision divided by the number of relevant documents R instead of the depth.
//!
//! Let N be the sum `sum_{i <= k} x_i / i sum_{j <= i} x_j` of A minus that of B, with x_i the relevance at rank i. It
//! is quadratic as in [`super`]. But the documents that only one ranking has are not decided beforehand, because they
//! count in R. Let n be the number of relevant unknown documents.
//!
//! * If R follows from the assignment, the largest `N / R` is the l for which `max (N - l R) = 0` (Dinkelbach's
//!   method). Each step is a quadratic program in which every relevant document costs the *price* l.
//! * If R is given, so that n is at most some R', then `max N <= max (N - m n) + m R'` for every price m >= 0. If the
//!   best of these bounds leaves a gap, a search with a limit of n closes it.

use super::super::{Instance, Solution};
use super::{QuadraticWorkspace, TOLERANCE};
use crate::difference::solve::budget::Budget;
use crate::watch;

/// A step that raises the ratio or the value by this or less is the last one.
const LEAST: f64 = 1e-13;

/// The largest difference in AP: the largest `(S(A) - S(B)) / R`, where R is the number of relevant documents, and 0 if
/// R is 0. R includes the number `elsewhere` of documents that are judged relevant, but are in neither ranking down to
/// `depth`. At most `most` unknown documents may be relevant.
pub fn solve_ratio(
    instance: &Instance,
    most: usize,
    elsewhere: usize,
    mut work: Budget,
    workspace: &mut QuadraticWorkspace,
) -> Solution {
    let known = known_relevant(instance) + elsewhere;
    let least = known.max(1) as f64;
    let mut best = Solution { value: f64::NEG_INFINITY, bound: f64::INFINITY, gains: Vec::new(), nodes: 0 };
    let mut price = 0.0;
    loop {
        let (bound, nodes) = workspace.solve_at(instance, price, most, &mut work);
        let program = &workspace.program;
        best.nodes += nodes;
        // N - price R <= excess, so N / R exceeds the price by at most excess / R.
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

/// The largest `S(A) - S(B)` if at most `most` unknown documents are relevant, and AP is divided by `most` plus the
/// number of documents judged relevant. `elsewhere` of the latter are not among the first `depth` of A or B. If the
/// divisor is 0, so is the difference.
pub fn solve_limited(
    instance: &Instance,
    most: usize,
    elsewhere: usize,
    mut work: Budget,
    workspace: &mut QuadraticWorkspace,
) -> Solution {
    let mut best = workspace.solve_by_price(instance, most, &mut work);
    if best.bound > best.value {
        let (bound, nodes) = workspace.solve_at(instance, 0.0, most, &mut work);
        best.nodes += nodes;
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

/// The same solution, with its value as the bound if the two differ by at most the tolerance times `scale`.
fn closed(solution: Solution, scale: f64) -> Solution {
    let open = solution.bound - solution.value;
    Solution { bound: if open <= TOLERANCE * scale { solution.value } else { solution.bound }, ..solution }
}

impl QuadraticWorkspace {
    /// Searches for the largest `N - price n` with `n <= most`. Returns a bound of it, and the number of nodes.
    fn solve_at(&mut self, instance: &Instance, price: f64, most: usize, work: &mut Budget) -> (f64, u64) {
        self.program.read(instance, true);
        self.program.price = price;
        self.search(most, work)
    }

    /// Keeps the assignment of the last search if it is the best so far.
    fn offer(&self, instance: &Instance, best: &mut Solution) {
        if self.program.score() > best.value {
            best.value = self.program.score();
            best.gains = self.program.gains(instance);
        }
    }

    /// The largest N with `n <= most`, as far as searches with a price for each relevant document can find it.
    ///
    /// As a function of the price m, an assignment is a line `N - m n`. The best bound is at the price where the
    /// highest line with n <= `most` meets the highest line with a larger n. Two lines are kept. A line that is higher
    /// where they meet replaces one.
    fn solve_by_price(&mut self, instance: &Instance, most: usize, work: &mut Budget) -> Solution {
        let mut best = Solution { value: f64::NEG_INFINITY, bound: f64::INFINITY, gains: Vec::new(), nodes: 0 };
        self.program.read(instance, true);
        self.offer(instance, &mut best);
        let mut few = (best.value, 0.0);
        let mut many: Option<(f64, f64)> = None;
        loop {
            // The price at which the two lines meet: one with at most `most` relevant documents, and one with more.
            let is_first = many.is_none();
            let price = many.map_or(0.0, |many| (many.0 - few.0) / (many.1 - few.1));
            let (bound, nodes) = self.solve_at(instance, price, usize::MAX, work);
            best.nodes += nodes;
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
