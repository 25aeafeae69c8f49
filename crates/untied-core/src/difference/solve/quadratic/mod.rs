//! Quadratic programs over the relevance of documents, as in average precision, solved exactly.
//!
//! With x_i the relevance of the document at rank i, 0 or 1, AP down to depth k is
//! `S = 1/k sum_{i <= k} x_i / i sum_{j <= i} x_j`. Let `z_x` be the relevance of the unknown document x, and `a_x` and
//! `b_x` its ranks in A and B, with 1/rank = 0 if a ranking lacks it. Then the difference, times the depth, is
//!
//! `k (S(A) - S(B)) = F + sum_x c_x z_x + sum_{x < y} q_xy z_x z_y`,
//! `q_xy = 1 / max(a_x, a_y) - 1 / max(b_x, b_y)`,
//!
//! where F is what the judged documents add to it, `c_x` what x adds by itself and with them, and `q_xy` what x and y
//! add as a pair.
//!
//! There are three steps, each of which leaves less to the next. *Persistency* decides the documents for which one
//! choice is best whatever the others are ([`program`]). A *Lagrangian bound* ([`dual`]), which is exact if documents
//! are in the same order in both rankings, decides most of the others or closes a node. *Branching* ([`search`]) does
//! what remains.

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

/// A node whose bound exceeds the best known value by no more than this is not searched. Like the next two numbers, it
/// is for differences times the depth k.
const TOLERANCE: f64 = 1e-10;
/// A document is decided if the other choice could be better by no more than this, which is more than rounding makes of
/// equal sums.
const SLACK: f64 = 1e-13;
/// A change must gain more than this to be made.
const LEAST: f64 = 1e-12;

/// Memory that is used again for the next pair of rankings.
#[derive(Debug, Default)]
pub struct QuadraticWorkspace {
    program: QuadraticProgram,
    search: CoreSearch,
    tied: tied::TiedQuadraticWorkspace,
}

/// How far the search goes if AP is divided by the number of relevant documents R.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimit {
    /// The largest number of nodes.
    pub nodes: u64,
    /// If persistency leaves more documents undecided than this, nothing is searched, and the bound is infinite,
    /// because the time of a step grows with the square of their number.
    pub open: usize,
}

impl SearchLimit {
    /// A limit of nodes only, however many documents persistency leaves undecided.
    pub fn nodes(nodes: u64) -> SearchLimit {
        SearchLimit { nodes, open: usize::MAX }
    }
}

/// The largest `S(A) - S(B)` of AP divided by the depth k. The search visits at most `limit` nodes, but at least one. A
/// document with a known gain is relevant if that is above 0.
///
/// If the solution's `bound` equals its `value`, no assignment is better by more than `1e-10 / k`.
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
