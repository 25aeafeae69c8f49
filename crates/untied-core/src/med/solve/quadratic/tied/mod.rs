//! Rankings with ties: the largest difference of AP's means over all orders of both rankings.
//!
//! A document of a tie group with n documents after t others has the inverse rank `m = 1/n sum_i 1/i` on average, i from
//! t + 1 to t + n. Two documents of different groups meet at the rank of the lower one, which makes that group's m, the
//! smaller; two of the same group at the lower of two ranks: `u = sum_i 2 (i - t - 1) / (n (n - 1)) / i`. Ranks below
//! the depth count nothing. So this is the same quadratic program with m for 1/rank, but that `q_xy` of two documents
//! tied in A is less by m - u, and of two tied in B it is more.
//!
//! Its variables are the numbers z of relevant documents in cells ([`crate::med::solve::cells`]): of a cell with
//! `q = q_xx` between two of its documents, z are worth `c z + q z (z - 1) / 2`, and with z' of another `q' z z'`. Again
//! *persistency* ([`program`]), a *Lagrangian bound* that uses dominance ([`dual`]), and *branching* ([`search`]).
//!
//! It solves rankings without ties too, in twice the time of [`super::solve`], which needs no groups and no cells.

mod dual;
mod group;
mod node;
mod program;
mod search;

use self::group::{Group, Place, Places};
use self::program::Program;
use self::search::{Memory, Search};
use super::Solution;
use crate::med::solve::Instance;
use crate::med::solve::cells::{Cells, Groups};
use crate::med::solve::expected::{self, Moments, Uncertain};
use crate::med::solve::work::Work;

/// Memory that one solution leaves to the next.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    groups: Groups,
    cells: Cells,
    /// Groups of A and of B.
    sides: [Vec<Group>; 2],
    /// How many documents of each cell are relevant.
    counts: Vec<usize>,
    program: Program,
    search: Memory,
}

/// The largest mean of `S(A) - S(B)` over tie orders: as [`super::solve`], for tied rankings. `ends` holds the rank at
/// which each tie group ends, in A and in B. The instance gives a document any rank of its group, even one below the
/// depth if the group begins above it.
pub fn solve_tied(
    instance: &Instance,
    ends: (&[u32], &[u32]),
    mut work: Work,
    workspace: &mut super::Workspace,
) -> Solution {
    let Workspace { groups, cells, sides: [a, b], counts, program, search } = &mut workspace.tied;
    groups.read(instance, ends);
    Group::list(a, ends.0, instance.depth);
    Group::list(b, ends.1, instance.depth);
    // What A lacks is relevant, as is what only A has.
    a.iter_mut().skip(ends.0.len()).for_each(|group| group.on = 1.0);
    let mut gains = Vec::with_capacity(instance.documents.len());
    for (x, (of_a, of_b)) in instance.documents.iter().zip(&groups.of) {
        let is_open = x.known.is_none() && of_a.is_some() && of_b.is_some();
        let on = x.known.map_or(!is_open && of_a.is_some(), |gain| gain > 0.0);
        gains.push(x.known.unwrap_or(if on { instance.top } else { 0.0 }));
        if on {
            of_a.iter().for_each(|&group| a[group].on += 1.0);
            of_b.iter().for_each(|&group| b[group].on += 1.0);
        }
    }
    cells.read(instance, groups);
    counts.clear();
    counts.resize(cells.all.len(), 0);
    let certain = Group::sum(a) - Group::sum(b);
    program.read(&cells.all, a, b);
    let decided = certain + program.persist(counts, &mut work);
    let (mut value, mut bound, mut nodes) = (decided, decided, 0);
    if !program.open().is_empty() {
        let core = program.core();
        let question = program.question(&core);
        let mut search = Search::new(&question, search, work);
        bound = search.run(program.root(&core, decided));
        (value, nodes) = (search.incumbent.value, search.nodes);
        core.iter().zip(&search.incumbent.counts).for_each(|(&cell, &count)| counts[cell] = count);
    }
    cells.chosen(counts).for_each(|id| gains[id] = instance.top);
    let depth = instance.depth.max(1) as f64;
    // AP is 1 at most.
    let bound = if bound > value { (value / depth).max((bound / depth).min(1.0)) } else { value / depth };
    Solution { value: value / depth, bound, gains, nodes }
}

/// Mean and variance of the difference of these means, times the depth, for documents that are relevant with chances of
/// their own, as [`crate::med::solve::expected::precisions`]; ranks as for [`solve_tied`]. What a ranking lacks gains
/// nothing. The variance is over what is relevant, not over orders.
pub fn expected_tied(documents: &[Uncertain], ends: (&[u32], &[u32]), depth: usize) -> Moments {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    Group::list(&mut a, ends.0, depth);
    Group::list(&mut b, ends.1, depth);
    let place = |groups: &[Group], ends: &[u32], rank: u32| match rank {
        0 => Place::NONE,
        _ => {
            let number = ends.partition_point(|&end| end < rank);
            Place::new(number, &groups[number])
        }
    };
    let relevant = || documents.iter().filter(|x| x.relevant() > 0.0);
    let chances: Vec<f64> = relevant().map(Uncertain::relevant).collect();
    let places: Vec<Places> =
        relevant().map(|x| Places { a: place(&a, ends.0, x.a), b: place(&b, ends.1, x.b) }).collect();
    // A document with itself: 1/rank, as the pair of a document with one that stands before it.
    expected::pairs(&chances, |x, y| if x == y { places[x].step() } else { places[x].pair(&places[y]) })
}
