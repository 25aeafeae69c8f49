//! Quadratic programs over relevance, as in average precision, solved exactly.
//!
//! `S = 1/k sum_{i <= k} x_i / i sum_{j <= i} x_j`, so that with `z_x` in {0, 1} the relevance of document x,
//! `a_x`, `b_x` its ranks in A and B (1/rank is 0 where it has none),
//!
//! `k (S(A) - S(B)) = F + sum_x c_x z_x + sum_{x < y} q_xy z_x z_y`,
//! `q_xy = 1 / max(a_x, a_y) - 1 / max(b_x, b_y)`.
//!
//! Three steps, each of which leaves less to the next: *persistency* decides what is best whatever the others are
//! ([`program`]); a *Lagrangian bound* ([`dual`]), exact where documents stand in the same order in both rankings,
//! closes or decides most of the rest; *branching* ([`search`]) does what remains.

mod core;
mod dual;
mod program;
mod recall_base;
mod search;
mod tied;

pub use self::recall_base::{solve_limited, solve_ratio, solve_ratio_limited};
pub use self::tied::{expected_tied, tied};

use self::program::QuadraticProgram;
use self::search::CoreSearch;
use super::{Instance, Solution};

/// What is found to lie this close to the best known, times k, counts as solved.
const TOLERANCE: f64 = 1e-10;
/// How much a document may lose by being decided, times k; more than rounding makes of equal sums.
const SLACK: f64 = 1e-13;
/// A step that gains no more than this, times k, is none.
const LEAST: f64 = 1e-12;

/// Memory that one solution leaves to the next.
#[derive(Debug, Default)]
pub struct QuadraticWorkspace {
    program: QuadraticProgram,
    search: CoreSearch,
    tied: tied::TiedQuadraticWorkspace,
}

/// How far a program that is divided by R is searched.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimit {
    /// The most nodes.
    pub nodes: u64,
    /// If persistency leaves more documents open, nothing is searched, and the bound is infinite: the time of a step grows
    /// with the square of this number.
    pub open: usize,
}

impl SearchLimit {
    /// At most this many nodes, however many documents are open.
    pub fn nodes(nodes: u64) -> SearchLimit {
        SearchLimit { nodes, open: usize::MAX }
    }
}

/// The largest `S(A) - S(B)`, `S` being divided by the depth k; in at most `limit` nodes (but one). A document known to
/// have a gain above 0 is relevant, one known to have none is not.
///
/// Where `bound` equals `value` nothing better exists but for `1e-10 / k`.
pub fn solve(instance: &Instance, limit: u64, workspace: &mut QuadraticWorkspace) -> Solution {
    let QuadraticWorkspace { program, search, .. } = workspace;
    program.read(instance, false);
    program.persist(usize::MAX);
    let open = search.run(program, usize::MAX, limit);
    let depth = instance.depth.max(1) as f64;
    let value = program.value() / depth;
    let bound = open.map_or(value, |bound| value.max(bound / depth));
    Solution { value, bound, gains: program.gains(instance), nodes: search.nodes }
}
