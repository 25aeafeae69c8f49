//! Quadratic programs over the relevance of documents, as in average precision, solved exactly.
//!
//! With x_i the relevance of the document at rank i, 0 or 1, AP down to depth k is `S = 1/k sum_{i <= k} x_i / i sum_{j
//! <= i} x_j`. Let `z_x` be the relevance of the unknown document x, and `a_x` and `b_x` its ranks in A and B, with
//! 1/rank = 0 if a ranking lacks it. Then the difference, times the depth, is
//!
//! `k (S(A) - S(B)) = F + sum_x c_x z_x + sum_{x < y} q_xy z_x z_y`, `q_xy = 1 / max(a_x, a_y) - 1 / max(b_x, b_y)`.
//!
//! The judged documents add F. Document x adds `c_x` by itself and with them, and x and y add `q_xy` as a pair.
//!
//! The solution takes three steps, and each leaves less to the next. *Persistency* decides the documents for which one
//! choice is best whatever the others are ([`program`]; with ties, [`tied`]). The undecided documents are the *core*,
//! grouped in cells ([`node`]); a document that is not tied is a cell of its own. A *Lagrangian bound* ([`dual`])
//! decides most of them or closes a node. It is exact if documents are in the same order in both rankings. *Branching*
//! ([`search`]) decides the rest.

mod dual;
mod group;
mod node;
mod program;
mod recall_base;
mod search;
mod tied;

pub use self::recall_base::{solve_limited, solve_ratio};
pub use self::tied::{expected_tied, tied};

use self::dual::CellDual;
use self::program::QuadraticProgram;
use self::search::CellSearch;
use super::budget::Budget;
use super::{Instance, Solution};

/// A node is not searched if its bound exceeds the best value by this or less. Like the next two numbers, this is about
/// differences times the depth k.
const TOLERANCE: f64 = 1e-10;
/// A document is decided if the other choice could be better by at most this, which is more than rounding.
const SLACK: f64 = 1e-13;
/// A change must gain more than this.
const LEAST: f64 = 1e-12;

/// Memory that is used again for the next pair of rankings.
#[derive(Debug, Default)]
pub struct QuadraticWorkspace {
    program: QuadraticProgram,
    dual: CellDual,
    tied: tied::TiedQuadraticWorkspace,
}

impl QuadraticWorkspace {
    /// Decides all documents of the program, as well as the work allows. At most `most` unknown documents may be
    /// relevant. Returns an upper bound of the difference, and the number of nodes.
    fn search(&mut self, most: usize, work: &mut Budget) -> (f64, u64) {
        let QuadraticWorkspace { program, dual, .. } = self;
        program.persist(most);
        if program.open.is_empty() {
            return (program.value(), 0);
        }
        let (core, root) = program.core(most);
        let mut search = CellSearch::new(&core, dual, *work);
        let open = search.run(root);
        *work = search.work;
        program.assign(&search.incumbent.counts);
        (program.value().max(open.unwrap_or(f64::NEG_INFINITY)), search.nodes)
    }
}

/// The largest `S(A) - S(B)` of AP divided by the depth k. A document with a known gain above 0 is relevant.
///
/// If the solution's `bound` equals its `value`, no assignment is better by more than `1e-10 / k`.
pub fn solve(instance: &Instance, mut work: Budget, workspace: &mut QuadraticWorkspace) -> Solution {
    workspace.program.read(instance, false);
    let (bound, nodes) = workspace.search(usize::MAX, &mut work);
    let (program, depth) = (&workspace.program, instance.depth.max(1) as f64);
    Solution { value: program.value() / depth, bound: bound / depth, gains: program.gains(instance), nodes }
}
