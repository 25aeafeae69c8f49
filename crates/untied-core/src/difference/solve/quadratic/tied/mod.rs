//! Rankings with ties: the largest difference of AP's means over all orders of both rankings.
//!
//! A document of a tie group with n documents after t others has the inverse rank `m = 1/n sum_i 1/i` on average, i from
//! t + 1 to t + n. Two documents of different groups meet at the rank of the lower one, which makes that group's m, the
//! smaller; two of the same group at the lower of two ranks: `u = sum_i 2 (i - t - 1) / (n (n - 1)) / i`. Ranks below
//! the depth count nothing. So this is the same quadratic program with m for 1/rank, but that `q_xy` of two documents
//! tied in A is less by m - u, and of two tied in B it is more.
//!
//! Its variables are the numbers z of relevant documents in cells ([`crate::difference::solve::cells`]): of a cell with
//! `q = q_xx` between two of its documents, z are worth `c z + q z (z - 1) / 2`, and with z' of another `q' z z'`. Again
//! *persistency* ([`program`]), a *Lagrangian bound* that uses dominance ([`dual`]), and *branching* ([`search`]).
//!
//! It solves rankings without ties too, in twice the time of [`super::solve`], which needs no groups and no cells.

mod dual;
mod group;
mod node;
mod program;
mod search;

use self::group::{CellPlaces, GroupPlace, PrecisionGroup};
use self::program::CellProgram;
use self::search::{CellSearch, CellSearchMemory};
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::{DocumentGroups, TieCells};
use crate::difference::solve::expected::{self, DifferenceMoments, Uncertain};
use crate::difference::solve::{Instance, Solution, TiedSolver};

/// Memory that one solution leaves to the next.
#[derive(Debug, Default)]
pub(super) struct TiedQuadraticWorkspace {
    groups: DocumentGroups,
    cells: TieCells,
    /// Groups of A and of B.
    sides: [Vec<PrecisionGroup>; 2],
    /// Unknown documents that only A, or only B, has.
    alone: [Vec<usize>; 2],
    /// How many documents of each cell are relevant.
    counts: Vec<usize>,
    program: CellProgram,
    search: CellSearchMemory,
}

/// Rankings with ties, for the largest mean of `S(A) - S(B)` over tie orders: as [`super::solve`]. `ends` holds the rank
/// at which each tie group ends, in A and in B. The instance gives a document any rank of its group, even one below the
/// depth if the group begins above it.
pub fn tied<'p>(
    instance: &'p Instance,
    ends: (&[u32], &[u32]),
    work: Budget,
    workspace: &'p mut super::QuadraticWorkspace,
) -> Box<dyn TiedSolver + 'p> {
    workspace.tied.read(instance, ends);
    Box::new(TiedPrecisions { instance, work, memory: &mut workspace.tied })
}

/// Two rankings that were read.
struct TiedPrecisions<'p> {
    instance: &'p Instance,
    /// For each direction.
    work: Budget,
    memory: &'p mut TiedQuadraticWorkspace,
}

impl TiedQuadraticWorkspace {
    /// Take in two rankings.
    fn read(&mut self, instance: &Instance, ends: (&[u32], &[u32])) {
        let TiedQuadraticWorkspace { groups, cells, sides: [a, b], alone: [only_a, only_b], program, .. } = self;
        groups.read(instance, ends);
        only_a.clear();
        only_b.clear();
        for (groups, ends) in [(&mut *a, ends.0), (&mut *b, ends.1)] {
            PrecisionGroup::list(groups, ends, instance.depth);
            // Only this ranking has the documents that fill it up, which are relevant where any unknown document can be.
            let filling = if instance.top > 0.0 { 1.0 } else { 0.0 };
            groups.iter_mut().skip(ends.len()).for_each(|group| group.alone = filling);
        }
        for (id, (x, &groups_of)) in instance.documents.iter().zip(&groups.by_document).enumerate() {
            match (x.known, groups_of) {
                (Some(gain), (of_a, of_b)) if gain > 0.0 => {
                    of_a.iter().for_each(|&group| a[group].judged += 1.0);
                    of_b.iter().for_each(|&group| b[group].judged += 1.0);
                }
                (None, (Some(group), None)) => {
                    a[group].alone += 1.0;
                    only_a.push(id);
                }
                (None, (None, Some(group))) => {
                    b[group].alone += 1.0;
                    only_b.push(id);
                }
                _ => (),
            }
        }
        cells.read(instance, groups);
        program.read(&cells.all, a, b);
    }
}

impl TiedSolver for TiedPrecisions<'_> {
    fn solve(&mut self) -> Solution {
        let TiedQuadraticWorkspace { cells, sides: [a, b], alone: [alone, _], counts, program, search, .. } =
            &mut *self.memory;
        let mut work = self.work;
        counts.clear();
        counts.resize(cells.all.len(), 0);
        let certain = PrecisionGroup::sum(a, true) - PrecisionGroup::sum(b, false);
        program.open_all(a, b);
        let decided = certain + program.persist(counts, &mut work);
        let (mut value, mut bound, mut nodes) = (decided, decided, 0);
        if !program.open().is_empty() {
            let order = program.open_in_order();
            let core = program.core(&order);
            let mut search = CellSearch::new(&core, search, work);
            bound = search.run(program.root(&order, decided));
            (value, nodes) = (search.incumbent.value, search.nodes);
            order.iter().zip(&search.incumbent.counts).for_each(|(&cell, &count)| counts[cell] = count);
        }
        let mut gains: Vec<f64> = self.instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        alone.iter().copied().chain(cells.chosen(counts)).for_each(|id| gains[id] = self.instance.top);
        let depth = self.instance.depth.max(1) as f64;
        // AP is 1 at most.
        let bound = if bound > value { (value / depth).max((bound / depth).min(1.0)) } else { value / depth };
        Solution { value: value / depth, bound, gains, nodes }
    }

    fn swap(&mut self) {
        self.memory.sides.swap(0, 1);
        self.memory.alone.swap(0, 1);
        self.memory.program.swap();
    }
}

/// Mean and variance of the difference of these means, times the depth, for documents that are relevant with chances of
/// their own, as [`crate::difference::solve::expected::precisions`]; ranks as for [`tied`]. What a ranking lacks gains
/// nothing. The variance is over what is relevant, not over orders.
pub fn expected_tied(documents: &[Uncertain], ends: (&[u32], &[u32]), depth: usize) -> DifferenceMoments {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    PrecisionGroup::list(&mut a, ends.0, depth);
    PrecisionGroup::list(&mut b, ends.1, depth);
    let place = |groups: &[PrecisionGroup], ends: &[u32], rank: u32| match rank {
        0 => GroupPlace::NONE,
        _ => {
            let number = ends.partition_point(|&end| end < rank);
            GroupPlace::new(number, &groups[number])
        }
    };
    let relevant = || documents.iter().filter(|x| x.relevant() > 0.0);
    let chances: Vec<f64> = relevant().map(Uncertain::relevant).collect();
    let places: Vec<CellPlaces> =
        relevant().map(|x| CellPlaces { a: place(&a, ends.0, x.a), b: place(&b, ends.1, x.b) }).collect();
    // A document with itself: 1/rank, as the pair of a document with one that stands before it.
    expected::pairs(&chances, |x, y| if x == y { places[x].step() } else { places[x].pair(&places[y]) })
}
