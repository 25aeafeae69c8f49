//! MED of expected reciprocal rank (ERR), solved exactly.
//!
//! A user stops at document x with the probability `c_x`, and goes beyond rank t with the probability `Q(t) = prod_{j
//! <= t} (1 - c_j)`. Down to depth K,
//!
//! `ERR = sum_{t <= K} c_t Q(t - 1) / t = 1 - sum_{t <= K} w_t Q(t)`, `w_t = 1 / (t (t + 1))`, `w_K = 1 / K`,
//!
//! so that `S(A) - S(B) = sum_t wB_t Q_B(t) - wA_t Q_A(t)`. If the rankings go on for ever with unknown documents, each
//! of these stops the user of A with the probability r, and never the user of B. Then
//! `wA_K = 1 / (K (K + 1)) + sum_{m >= 1} (1 - r)^m / ((K + m) (K + m + 1))` and `wB_K = 1 / K`. Any cascade whose
//! discounts D never rise has the same form, with `w_t = D(t) - D(t + 1)` and `w_K = D(K)`.
//!
//! The difference is affine in each `c_x`. So in some best assignment, every unknown `c_x` is 0 or the highest
//! probability r: r if only A has the document, and 0 if only B has it. Documents of both rankings are to be decided. A
//! document is *on* if it stops the user with the probability r, and *off* if it never does. Let `x_1, x_2, ...` be the
//! documents to decide in the order of A, and `y_1, y_2, ...` in the order of B; the index is a document's *position*.
//! A document has the factor `f = 1 - r` if it is on, and `f = 1` if it is off. The factors of all other documents go
//! into the weights `A_i` and `B_i` of positions. Then
//!
//! `S(A) - S(B) = sum_i B_i f(y_1) ... f(y_i) - A_i f(x_1) ... f(x_i)`.
//!
//! Where the first i documents of both rankings are the same, they multiply all that follows by one factor. So the
//! problem falls into parts, which are solved from the last to the first ([`CascadeProblem::solve`]). A part of one
//! document is a comparison, so rankings in the same order take O(K) steps. Larger parts are searched ([`search`]).

mod climb;
mod component;
mod problem;
mod search;
mod tied;

use self::problem::{CascadeProblem, stopping_tail};
use super::budget::Budget;
use super::{Instance, Solution, TiedSolver};

/// Memory that is used again for the next pair of rankings.
#[derive(Debug, Default)]
pub struct CascadeWorkspace {
    problem: CascadeProblem,
    tied: tied::TiedCascadeWorkspace,
}

/// The largest `S(A) - S(B)` of ERR over the first `depth` documents. With a `tail`, unknown documents follow them for
/// ever. The search visits at most `limit` nodes.
///
/// If the solution's `bound` equals its `value`, no assignment is better by more than `1e-12` for each part of the
/// problem.
pub fn solve(instance: &Instance, tail: bool, limit: u64, workspace: &mut CascadeWorkspace) -> Solution {
    let (depth, weights) = reciprocal(instance, tail);
    search(instance, depth, weights, limit, workspace)
}

/// For ERR: the depth (at least 1 with a tail), and the weights of each rank in A and in B.
fn reciprocal(instance: &Instance, tail: bool) -> (usize, impl Fn(usize) -> (f64, f64)) {
    // The tail of two empty rankings begins at rank 1.
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

/// The largest difference of a cascade with these discounts, which never rise; otherwise as [`solve`], without a tail.
pub fn solve_discounted(
    instance: &Instance,
    discounts: &[f64],
    limit: u64,
    workspace: &mut CascadeWorkspace,
) -> Solution {
    search(instance, instance.depth, falls(discounts), limit, workspace)
}

/// The weights of each rank in A and in B: how much the discount falls from this rank to the next.
fn falls(discounts: &[f64]) -> impl Fn(usize) -> (f64, f64) {
    let at = |rank: usize| discounts.get(rank - 1).copied().unwrap_or(0.0);
    move |rank: usize| {
        let fall = at(rank) - at(rank + 1);
        (fall, fall)
    }
}

/// Prepares two rankings with ties for the largest difference of ERR, as a mean over tie orders; otherwise as
/// [`solve`]. `ends` has the rank at which each tie group ends, in A and in B.
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

/// Prepares two rankings with ties for the largest difference of a cascade, as a mean over tie orders; otherwise as
/// [`solve_discounted`]. `ends` has the rank at which each tie group ends, in A and in B.
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

/// The largest `S(A) - S(B)` of an instance without ties. `weights` has the weights of each rank in A and in B, down to
/// `depth`. The search visits at most `limit` nodes.
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
