//! The distribution of a sum over all orders of a tie group. What a document adds may depend on its position, its kind,
//! and how many documents of each kind are above it.
//!
//! The computation goes forward over positions, from point to point, and keeps the law of the sum so far at each point.
//! A point says how many documents of each kind are placed, or whatever else a [`Chain`] needs. The law is exact up to
//! a number of values over all points ([`Limits`]). Otherwise it is computed on a grid, once with every step rounded
//! down and once rounded up, so that the two laws enclose the true one. What documents before a group add is the same
//! in all orders, so groups are independent, and [`crate::law::sum`] adds them up.

mod column;

use std::collections::BTreeMap;

use self::column::{Cells, Column, Exact, Extent, Grid};
use crate::error::Result;
use crate::law::{self, Atom, Law, Limits};
use crate::ranking::{Group, Ranking};
use crate::watch;

/// The most points of a group. If there are more, only the lowest and the highest sum are computed.
const POINTS: usize = 2_000_000;
/// The most cells that all steps of the grid may compute.
const WORK: usize = 100_000_000;
/// The fewest cells of a grid, unless a limit asks for fewer.
const FEW: usize = 64;
/// The most cells of the first, coarse grid.
const COARSE: usize = 256;
/// Points that are less probable are left out, and their probability goes to the ends of the grid.
const NEGLIGIBLE: f64 = 1e-18;

/// The value that a document adds, as a function of the number of documents before it in its group, of their numbers by
/// kind, and of its own kind.
type Term<'w> = dyn Fn(usize, &[usize], usize) -> f64 + 'w;

/// A sum over the positions of a group as a Markov chain: what a position adds depends on the point that it leads to.
pub(crate) trait Chain {
    /// The number of positions that matter.
    fn slots(&self) -> usize;

    /// About how many points there are; none if they are too many to count.
    fn points(&self) -> Option<usize>;

    /// Visits all that may follow a point at a position: the next point, its probability, and what the position adds.
    /// There is no next point if nothing more can be added.
    fn visit_next(&mut self, position: usize, point: usize, visit: &mut dyn FnMut(Option<usize>, f64, f64));
}

/// The documents of a group by kind, and the values that they add. A point says how many of each kind are placed.
pub(crate) struct Walk<'w> {
    /// The number of documents of each kind.
    counts: Vec<usize>,
    /// The number of positions that count.
    slots: usize,
    term: Box<Term<'w>>,
    /// For each kind, how far apart two points are if one has a document of it more.
    strides: Vec<usize>,
    /// The number of documents of each kind at the current point.
    placed: Vec<usize>,
}

impl<'w> Walk<'w> {
    /// A walk that goes to the last of its positions.
    pub fn new(counts: Vec<usize>, slots: usize, term: impl Fn(usize, &[usize], usize) -> f64 + 'w) -> Walk<'w> {
        let stride =
            |stride: &mut usize, count: &usize| Some(std::mem::replace(stride, stride.wrapping_mul(count + 1)));
        let strides = counts.iter().scan(1, stride).collect();
        Walk { placed: vec![0; counts.len()], strides, counts, slots, term: Box::new(term) }
    }
}

impl Chain for Walk<'_> {
    fn slots(&self) -> usize {
        self.slots
    }

    fn points(&self) -> Option<usize> {
        self.counts.iter().try_fold(1_usize, |all, &count| all.checked_mul(count.min(self.slots) + 1))
    }

    fn visit_next(&mut self, position: usize, point: usize, visit: &mut dyn FnMut(Option<usize>, f64, f64)) {
        let Walk { counts, slots, term, strides, placed } = self;
        for ((placed, stride), count) in placed.iter_mut().zip(&*strides).zip(&*counts) {
            *placed = point / stride % (count + 1);
        }
        if let Some(kind) = only_kind(placed, counts) {
            let sum = (position..*slots).map(|at| {
                let added = term(at, placed, kind);
                placed[kind] += 1;
                added
            });
            return visit(None, 1.0, sum.sum());
        }
        let left = counts.iter().sum::<usize>() - position;
        for kind in (0..counts.len()).filter(|&kind| placed[kind] < counts[kind]) {
            let share = (counts[kind] - placed[kind]) as f64 / left as f64;
            visit(Some(point + strides[kind]), share, term(position, placed, kind));
        }
    }
}

/// The law of the sum over a group's documents; None if they have too many kinds.
///
/// # Errors
/// The user interrupts.
pub(crate) fn of_chain(walk: &mut impl Chain, limits: Limits) -> Result<Option<Law>> {
    if walk.points().is_none_or(|points| points > POINTS) {
        return Ok(None);
    }
    if let Some(end) = forward::<Exact>(walk, (), limits.states, 0.0)? {
        return Ok(Some(Law::new(end.column.atoms)));
    }
    // Sums that are left out are between these two, too.
    let Some(OrderSums { column: Extent { low, high }, .. }) = forward::<Extent>(walk, (), usize::MAX, 0.0)? else {
        return Ok(None);
    };
    let Some(OrderSums { steps, .. }) = forward::<Extent>(walk, (), usize::MAX, NEGLIGIBLE)? else { return Ok(None) };
    if low == high {
        return Ok(Some(Law::certain(low)));
    }
    let affordable = (WORK / steps.max(1)).max(FEW);
    let mut step = (high - low) / affordable.min(limits.cells).min(COARSE) as f64;
    if affordable.min(limits.cells) > COARSE / 4 {
        // Most possible sums are improbable, so a coarse grid shows first where a fine one is needed.
        let Some(OrderSums { column, .. }) = forward::<Cells>(walk, Grid { step, up: false }, usize::MAX, NEGLIGIBLE)?
        else {
            return Ok(None);
        };
        let probable = column.len() as f64 * step;
        step = (probable / affordable as f64).max((high - low) / limits.cells as f64);
    }
    let mut rounded = |up: bool| -> Result<Option<Vec<Atom>>> {
        let Some(end) = forward::<Cells>(walk, Grid { step, up }, usize::MAX, NEGLIGIBLE)? else { return Ok(None) };
        let mut atoms = end.column.atoms(step);
        // Rounding must not move a sum beyond the smallest and the largest one.
        atoms.iter_mut().for_each(|(value, _)| *value = value.clamp(low, high));
        atoms.push((if up { high } else { low }, end.lost));
        Ok(Some(atoms))
    };
    let (Some(lower), Some(upper)) = (rounded(false)?, rounded(true)?) else { return Ok(None) };
    Ok(Some(Law::enclosed(lower, upper)))
}

/// The law of the sum over groups, divided by `norm`, a number above 0.
///
/// # Errors
/// An error of one of the groups, or the user interrupts.
pub(crate) fn over(
    groups: impl IntoIterator<Item = Result<Option<Law>>>,
    norm: f64,
    limits: Limits,
) -> Result<Option<Law>> {
    let Some(laws) = groups.into_iter().collect::<Result<Option<Vec<Law>>>>()? else { return Ok(None) };
    Ok(Some(law::sum(laws, limits)?.map(|sum| sum / norm)))
}

/// The law of the sum over walks, one for each group, divided by `norm`.
///
/// # Errors
/// The user interrupts.
pub(crate) fn of_walks<'w>(walks: impl Iterator<Item = Walk<'w>>, norm: f64, limits: Limits) -> Result<Option<Law>> {
    over(walks.map(|mut walk| of_chain(&mut walk, limits)), norm, limits)
}

/// The law of the sum over all groups that begin within a cutoff and have documents of the qrels, divided by `norm`.
///
/// # Errors
/// The user interrupts.
pub(crate) fn of_groups<'r, 'w>(
    ranking: &'r Ranking,
    cutoff: usize,
    norm: f64,
    limits: Limits,
    walk: impl FnMut(Group<'r>) -> Walk<'w>,
) -> Result<Option<Law>> {
    of_walks(ranking.groups_to(cutoff).map(walk), norm, limits)
}

/// The distribution of the sum over all orders.
struct OrderSums<C> {
    column: C,
    /// The joint probability of the points that were left out.
    lost: f64,
    /// The number of steps from one point to another.
    steps: usize,
}

/// The distribution of the sum over all orders, or none if it has more than `limit` values. Points that are too
/// improbable are left out.
fn forward<C: Column>(
    walk: &mut impl Chain,
    context: C::Context,
    limit: usize,
    negligible: f64,
) -> Result<Option<OrderSums<C>>> {
    let mut layer: BTreeMap<usize, (f64, C)> = BTreeMap::from([(0, (1.0, C::start()))]);
    let mut done = C::default();
    let (mut states, mut steps, mut lost) = (0, 0, 0.0);
    for position in 0..=walk.slots() {
        let mut next: BTreeMap<usize, (f64, C)> = BTreeMap::new();
        for (&point, (chance, column)) in &mut layer {
            lost += column.trim();
            column.collapse();
            states += column.states();
            if states > limit {
                return Ok(None);
            }
            if *chance < negligible {
                lost += *chance;
                continue;
            }
            if position == walk.slots() {
                done.add(column, 0.0, 1.0, context);
                continue;
            }
            walk.visit_next(position, point, &mut |target, share, term| match target {
                None => done.add(column, term, share, context),
                Some(target) => {
                    let (probability, reached) = next.entry(target).or_default();
                    *probability += *chance * share;
                    steps += 1;
                    reached.add(column, term, share, context);
                }
            });
        }
        watch::check()?;
        layer = next;
    }
    done.collapse();
    Ok(Some(OrderSums { column: done, lost, steps }))
}

/// The kind of the documents that are left, if they all are of one kind.
fn only_kind(placed: &[usize], counts: &[usize]) -> Option<usize> {
    let mut left = (0..counts.len()).filter(|&kind| placed[kind] < counts[kind]);
    left.next().filter(|_| left.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AP's sum in a group of `n` with `r` relevant documents after `before` others.
    fn precisions(n: usize, r: usize, before: usize, slots: usize) -> Walk<'static> {
        Walk::new(vec![n - r, r], slots, move |at, placed, kind| {
            if kind == 1 { (placed[1] + 1) as f64 / (before + at + 1) as f64 } else { 0.0 }
        })
    }

    #[test]
    fn the_grid_encloses_what_is_exact() {
        for (n, r, before, slots) in [(8, 3, 0, 8), (12, 5, 2, 12), (12, 5, 0, 6), (9, 1, 1, 9), (14, 4, 3, 11)] {
            let mut walk = precisions(n, r, before, slots);
            let exact = of_chain(&mut walk, Limits::default()).expect("not interrupted").expect("few points");
            assert!(exact.is_exact());
            for cells in [1, 7, 100, 1 << 14] {
                let grid = of_chain(&mut walk, Limits { states: 5, cells });
                let grid = grid.expect("not interrupted").expect("few points");
                assert!(!grid.is_exact());
                for &(value, _) in exact.lower() {
                    for x in [value - 1e-9, value, value + 1e-9] {
                        let ((low, high), (truth, _)) = (grid.at_most(x), exact.at_most(x));
                        let inside = low - 1e-11 <= truth && truth <= high + 1e-11;
                        assert!(inside, "{n} {r} {cells} {x}: {low} {truth} {high}");
                    }
                }
                let (low, high) = grid.quantile(0.5);
                assert!(high - low <= 2.0 * (r + 2) as f64 * 5.0 / cells as f64 + 0.1, "{cells}: {low} {high}");
            }
        }
    }
}
