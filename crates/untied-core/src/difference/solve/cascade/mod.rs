//! MED of expected reciprocal rank, solved exactly.
//!
//! A user stops at document x with probability `c_x`; `Q(t) = prod_{j <= t} (1 - c_j)` go beyond rank t. Then
//!
//! `ERR = sum_{t <= K} c_t Q(t - 1) / t = 1 - sum_{t <= K} w_t Q(t)`, `w_t = 1 / (t (t + 1))`, `w_K = 1 / K`,
//!
//! so that `S(A) - S(B) = sum_t wB_t Q_B(t) - wA_t Q_A(t)`. With an infinite tail of documents that nothing is known of,
//! which all stop the user of A with probability r and never that of B,
//! `wA_K = 1 / (K (K + 1)) + sum_{m >= 1} (1 - r)^m / ((K + m) (K + m + 1))` and `wB_K = 1 / K`.
//!
//! Any cascade whose discounts D never rise is the same, with `w_t = D(t) - D(t + 1)` and `w_K = D(K)`.
//!
//! The difference is affine in each `c_x`: some optimum has all unknown ones in {0, r}, those that only A has at r and
//! those that only B has at 0. Let `x_1, x_2, ...` be the others in the order of A, `y_1, y_2, ...` in that of B and
//! `f = 1 - r` for those that are on, 1 for those that are off. With all that is fixed put into weights of *positions*
//! instead of ranks,
//!
//! `S(A) - S(B) = sum_i B_i f(y_1) ... f(y_i) - A_i f(x_1) ... f(x_i)`.
//!
//! Wherever the first i documents of both are the same ones, the rest does not depend on them but through a factor: the
//! problem falls into parts, solved from the last to the first ([`CascadeProblem::solve`]). A part of one document is a
//! comparison, so that rankings which agree about the order take O(K); a larger one is searched ([`search`]).

mod climb;
mod component;
mod problem;
mod search;
mod tied;

use self::problem::{CascadeProblem, stopping_tail};
use super::budget::Budget;
use super::{Instance, Solution, TiedSolver};

/// Memory that one solution leaves to the next.
#[derive(Debug, Default)]
pub struct CascadeWorkspace {
    problem: CascadeProblem,
    tied: tied::TiedCascadeWorkspace,
}

/// The largest `S(A) - S(B)` among the first `depth` documents, or with a `tail` of all that could follow them; in at
/// most `limit` nodes.
///
/// Where `bound` equals `value` nothing better exists but for `1e-12` a part.
pub fn solve(instance: &Instance, tail: bool, limit: u64, workspace: &mut CascadeWorkspace) -> Solution {
    let (depth, weights) = reciprocal(instance, tail);
    search(instance, depth, weights, limit, workspace)
}

/// What each rank weighs in A and in B, down to a depth.
fn reciprocal(instance: &Instance, tail: bool) -> (usize, impl Fn(usize) -> (f64, f64)) {
    // All that could follow two empty rankings begins at rank 1.
    let depth = instance.depth.max(usize::from(tail));
    let fall = |rank: usize| 1.0 / (rank * (rank + 1)) as f64;
    let go_on = 1.0 - instance.top;
    (depth, move |rank: usize| {
        if rank < depth {
            return (fall(rank), fall(rank));
        }
        let last = 1.0 / depth as f64;
        (if tail { fall(rank) + stopping_tail(depth, go_on) } else { last }, last)
    })
}

/// [`solve`] for a cascade with discounts that never rise, one for each rank to the depth, and without a tail.
pub fn solve_discounted(
    instance: &Instance,
    discounts: &[f64],
    limit: u64,
    workspace: &mut CascadeWorkspace,
) -> Solution {
    search(instance, instance.depth, falls(discounts), limit, workspace)
}

/// What each rank weighs: the fall of its discount.
fn falls(discounts: &[f64]) -> impl Fn(usize) -> (f64, f64) {
    let at = |rank: usize| discounts.get(rank - 1).copied().unwrap_or(0.0);
    move |rank: usize| {
        let fall = at(rank) - at(rank + 1);
        (fall, fall)
    }
}

/// Makes a pair with ties ready for [`solve`] in the mean over their orders; `ends` holds the rank at which each tie group ends.
pub fn tied<'p>(
    instance: &'p mut Instance,
    ends: (&'p [u32], &'p [u32]),
    tail: bool,
    work: Budget,
    workspace: &'p mut CascadeWorkspace,
) -> Box<dyn TiedSolver + 'p> {
    let (depth, weights) = reciprocal(instance, tail);
    let weights = (1..=depth).map(weights).unzip();
    Box::new(tied::TiedCascade::read(instance, ends, weights, work, &mut workspace.tied))
}

/// Makes a pair with ties ready for [`solve_discounted`] in the mean over their orders.
pub fn discounted_tied<'p>(
    instance: &'p mut Instance,
    ends: (&'p [u32], &'p [u32]),
    discounts: &[f64],
    work: Budget,
    workspace: &'p mut CascadeWorkspace,
) -> Box<dyn TiedSolver + 'p> {
    let weights = (1..=instance.depth).map(falls(discounts)).unzip();
    Box::new(tied::TiedCascade::read(instance, ends, weights, work, &mut workspace.tied))
}

/// Solves an instance, given what each rank to a depth weighs in A and in B.
fn search(
    instance: &Instance,
    depth: usize,
    weights: impl Fn(usize) -> (f64, f64),
    limit: u64,
    workspace: &mut CascadeWorkspace,
) -> Solution {
    let problem = &mut workspace.problem;
    problem.read(instance, depth, weights);
    let (gap, nodes) = problem.solve(limit);
    let value = problem.value();
    let only_a = |x: &super::Document| if x.b == 0 { instance.top } else { 0.0 };
    let mut gains: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(only_a(x))).collect();
    problem.on().for_each(|id| gains[id] = instance.top);
    Solution { value, bound: value + gap, gains, nodes }
}
