//! MED of expected reciprocal rank, solved exactly.
//!
//! A user stops at document x with probability `c_x`; `Q(t) = prod_{j <= t} (1 - c_j)` reach rank t + 1. Then
//!
//! `ERR = sum_{t <= K} c_t Q(t - 1) / t = 1 - sum_{t <= K} w_t Q(t)`, `w_t = 1 / (t (t + 1))`, `w_K = 1 / K`,
//!
//! so that `S(A) - S(B) = sum_t wB_t Q_B(t) - wA_t Q_A(t)`. With an infinite tail of documents that nothing is known of,
//! which all stop the user of A with probability r and never that of B,
//! `wA_K = 1 / (K (K + 1)) + sum_{m >= 1} (1 - r)^m / ((K + m) (K + m + 1))` and `wB_K = 1 / K`.
//!
//! The difference is affine in each `c_x`: some optimum has all unknown ones in {0, r}, those that only A has at r and
//! those that only B has at 0. The others are decided in the order of their better rank ([`search`]); where both
//! rankings agree about their order, one by one from the last ([`Problem::solve_chain`]).

mod climb;
mod problem;
mod search;

use self::climb::Climber;
use self::problem::Problem;
use self::search::Search;
use super::{Instance, Solution};

/// Memory that one solution leaves to the next.
#[derive(Debug, Default)]
pub struct Workspace {
    problem: Problem,
    climber: Climber,
    search: Search,
}

/// The largest `S(A) - S(B)` among the first `depth` documents, or with a `tail` of all that could follow them; in at
/// most `limit` nodes (but one).
///
/// Where `bound` equals `value` nothing better exists but for `1e-12`.
#[must_use]
pub fn solve(instance: &Instance, tail: bool, limit: u64, workspace: &mut Workspace) -> Solution {
    let Workspace { problem, climber, search } = workspace;
    problem.read(instance, tail);
    let mut gains: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
    for (gain, document) in gains.iter_mut().zip(&instance.documents) {
        if document.known.is_none() && document.b == 0 {
            *gain = instance.top;
        }
    }
    let (open, nodes) = if problem.solve_chain() {
        (None, 0)
    } else {
        climber.climb(problem);
        search.run(problem, limit)
    };
    for (document, on) in problem.documents.iter().zip(&problem.on) {
        gains[document.id] = if *on { instance.top } else { 0.0 };
    }
    let value = problem.value();
    Solution { value, bound: open.map_or(value, |bound| bound.max(value)), gains, nodes }
}
