//! Rankings with ties: the largest difference of AP, as a mean over the tie orders of both rankings.
//!
//! A tie group has n documents, below t others. The mean inverse rank of its documents is `m = 1/n sum_i 1/i`, with i
//! from t + 1 to t + n. Two relevant documents add 1/rank of the lower one to AP. On average, this is the smaller of
//! their groups' m if the groups differ, and `u = sum_i 2 (i - t - 1) / (n (n - 1)) / i` if both are in one group.
//! Ranks below the depth add nothing. So the quadratic program is that of rankings without ties ([`super`]) with m in
//! place of 1/rank, except that the coefficient `q_xy` is smaller by m - u for two documents tied in A, and larger for
//! two documents tied in B.
//!
//! Its variables are the numbers z of relevant documents in cells ([`crate::difference::solve::cells`]). If a document
//! of a cell gains c by itself, and q with each other one of the cell, then z of them gain `c z + q z (z - 1) / 2`.
//! With z' documents of another cell they gain `q' z z'`, where q' is the coefficient of two documents of these cells.
//! Persistency has sums of its own ([`program`]); the search is that of rankings without ties.

mod program;

use self::program::CellProgram;
use super::dual::CellDual;
use super::group::{CellPlaces, GroupPlace, PrecisionGroup};
use super::search::CellSearch;
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::{DocumentGroups, TieCells};
use crate::difference::solve::expected::{self, DifferenceMoments, Uncertain};
use crate::difference::solve::{Instance, Solution, TiedSolver};

/// Memory that is used again for the next pair of rankings.
#[derive(Debug, Default)]
pub(super) struct TiedQuadraticWorkspace {
    groups: DocumentGroups,
    cells: TieCells,
    /// The tie groups of A and of B.
    sides: [Vec<PrecisionGroup>; 2],
    /// The indices of the unknown documents that only A has, and that only B has.
    alone: [Vec<usize>; 2],
    /// The number of relevant documents in each cell.
    counts: Vec<usize>,
    program: CellProgram,
}

/// Prepares two rankings with ties for the largest `S(A) - S(B)`, as a mean over tie orders; otherwise as
/// [`super::solve`]. `ends` has the rank at which each tie group ends, in A and in B. A document of the instance may
/// have any rank of its group, even one below the depth.
pub fn tied<'p>(
    instance: &'p Instance,
    ends: (&[u32], &[u32]),
    work: Budget,
    workspace: &'p mut super::QuadraticWorkspace,
) -> Box<dyn TiedSolver + 'p> {
    workspace.tied.read(instance, ends);
    Box::new(TiedPrecisions { instance, work, memory: &mut workspace.tied, dual: &mut workspace.dual })
}

/// Two rankings with ties, prepared for both directions.
struct TiedPrecisions<'p> {
    instance: &'p Instance,
    /// The work that each of the two directions may take.
    work: Budget,
    memory: &'p mut TiedQuadraticWorkspace,
    dual: &'p mut CellDual,
}

impl TiedQuadraticWorkspace {
    /// Reads two rankings: their tie groups, the documents that only one of them has, and the cells of the others.
    fn read(&mut self, instance: &Instance, ends: (&[u32], &[u32])) {
        let TiedQuadraticWorkspace { groups, cells, sides: [a, b], alone: [only_a, only_b], program, .. } = self;
        groups.read(instance, ends);
        only_a.clear();
        only_b.clear();
        for (groups, ends) in [(&mut *a, ends.0), (&mut *b, ends.1)] {
            PrecisionGroup::list(groups, ends, instance.depth);
            // Only this ranking has the documents that fill it up. They are relevant if an unknown document can be.
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
        let TiedQuadraticWorkspace { cells, sides: [a, b], alone: [alone, _], counts, program, .. } = &mut *self.memory;
        let mut work = self.work;
        counts.clear();
        counts.resize(cells.all.len(), 0);
        // First the documents of no cell, then the cells that persistency decides. The search decides the others.
        let certain = PrecisionGroup::sum(a, true) - PrecisionGroup::sum(b, false);
        program.open_all(a, b);
        let decided = certain + program.persist(counts, &mut work);
        let (mut value, mut bound, mut nodes) = (decided, decided, 0);
        if !program.open().is_empty() {
            let order = program.open_in_order();
            let core = program.core(&order);
            let mut search = CellSearch::new(&core, self.dual, work);
            let open = search.run(program.root(&order, decided));
            (value, nodes) = (search.incumbent.value, search.nodes);
            bound = open.unwrap_or(value);
            order.iter().zip(&search.incumbent.counts).for_each(|(&cell, &count)| counts[cell] = count);
        }
        let mut gains: Vec<f64> = self.instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        alone.iter().copied().chain(cells.chosen(counts)).for_each(|id| gains[id] = self.instance.top);
        let depth = self.instance.depth.max(1) as f64;
        // AP is never above 1, so neither is the difference.
        let bound = if bound > value { (value / depth).max((bound / depth).min(1.0)) } else { value / depth };
        Solution { value: value / depth, bound, gains, nodes }
    }

    fn swap(&mut self) {
        self.memory.sides.swap(0, 1);
        self.memory.alone.swap(0, 1);
        self.memory.program.swap();
    }
}

/// The moments of the difference of AP, as a mean over tie orders and times the depth, if each document is relevant
/// with a probability of its own; see [`crate::difference::solve::expected::precisions`]. The variance is over
/// relevance, not over tie orders. Ranks and `ends` are as for [`tied`], and ranks that a ranking lacks gain nothing.
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
    // A relevant document alone adds 1/rank, as a pair does in which it is the lower one.
    expected::pairs(&chances, |x, y| if x == y { places[x].step() } else { places[x].pair(&places[y]) })
}
