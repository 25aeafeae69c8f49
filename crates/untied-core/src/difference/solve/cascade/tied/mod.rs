//! Rankings with ties: the largest difference of a cascade's means over all orders of both rankings.
//!
//! With `s_g` documents to decide that are on in tie group g, S loses there, to those who get to the group, the mean over
//! its orders of `sum_t w_t Q(t)`:
//!
//! `S(C) = const - sum_g q^(documents on before g) D_g(s_g)`,
//!
//! factors of documents that are not to be decided being put into D ([`side`]). So only the numbers of documents on in
//! each cell ([`crate::difference::solve::cells`]) matter. Bounds position by position decide most of them ([`positions`]). S is
//! submodular in the set of documents that are on, which bounds it too ([`prices`]); ranges of counts are cut in two,
//! best first ([`search`]).

mod cell_cascade;
mod positions;
mod prices;
mod search;
mod side;

use self::cell_cascade::CellCascade;
use self::positions::PositionBounds;
use self::search::TiedCascadeSearch;
use self::side::CascadeGroup;
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::{DocumentGroups, TieCells};
use crate::difference::solve::{Document, Instance, Solution, TiedSolver};

/// Memory that one solution leaves to the next.
#[derive(Debug, Default)]
pub(super) struct TiedCascadeWorkspace {
    groups: DocumentGroups,
    cells: TieCells,
    /// The factors of documents that are not to be decided, in A and in B.
    fixed: [FixedFactors; 2],
    problem: CellCascade,
    positions: PositionBounds,
}

/// Two rankings that were read.
pub(super) struct TiedCascade<'p> {
    instance: &'p mut Instance,
    ends: (&'p [u32], &'p [u32]),
    weights: (Vec<f64>, Vec<f64>),
    /// For each direction.
    work: Budget,
    memory: &'p mut TiedCascadeWorkspace,
}

impl<'p> TiedCascade<'p> {
    /// Take in two rankings, where each rank down to the depth weighs `weights` in the one that is to be ahead, and in the
    /// other: as for [`super::solve`], with ties. `ends` holds the rank at which each tie group ends, in A and in B. The
    /// instance gives a document any rank of its group, even one below the depth if the group begins above it.
    pub fn read(
        instance: &'p mut Instance,
        ends: (&'p [u32], &'p [u32]),
        weights: (Vec<f64>, Vec<f64>),
        work: Budget,
        memory: &'p mut TiedCascadeWorkspace,
    ) -> TiedCascade<'p> {
        memory.groups.read(instance, ends);
        memory.groups.number((&merged(ends.0, &weights), &merged(ends.1, &weights)));
        TiedCascade { instance, ends, weights, work, memory }
    }
}

impl TiedSolver for TiedCascade<'_> {
    fn solve(&mut self) -> Solution {
        solve(self.instance, self.ends, (&self.weights.0, &self.weights.1), self.work, self.memory)
    }

    fn swap(&mut self) {
        self.instance.swap();
        self.ends = (self.ends.1, self.ends.0);
        self.memory.groups.swap();
    }
}

/// The largest mean of `S(A) - S(B)`, by the groups in the memory.
fn solve(
    instance: &Instance,
    ends: (&[u32], &[u32]),
    weights: (&[f64], &[f64]),
    mut work: Budget,
    memory: &mut TiedCascadeWorkspace,
) -> Solution {
    let go_on = 1.0 - instance.top;
    let TiedCascadeWorkspace { groups, cells, fixed: [fixed_a, fixed_b], problem, positions } = memory;
    // A ranking beside itself, down to the depth: the difference is 0 whatever is relevant, and nothing is to be searched.
    let length = ends.0.last().map_or(0, |&end| end as usize).max(instance.lengths.0.min(instance.lengths.1));
    if (ends.0, weights.0) == (ends.1, weights.1)
        && length >= instance.depth
        && groups.by_document.iter().all(|(a, b)| a == b)
    {
        let gains = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        return Solution { value: 0.0, bound: 0.0, gains, nodes: 0 };
    }
    cells.read(instance, groups);
    let gain = |(x, groups): (&Document, &(Option<usize>, Option<usize>))| {
        x.known.unwrap_or(if matches!(groups, (Some(_), None)) { instance.top } else { 0.0 })
    };
    let mut gains: Vec<f64> = instance.documents.iter().zip(&groups.by_document).map(gain).collect();
    // Below its last document nobody stops, unless it is filled up.
    let documents = DecidedDocuments { instance, groups, gains: &gains };
    fixed_a.read(&documents, |groups| groups.0, ends.0, |rank| if rank < instance.lengths.0 { 1.0 } else { go_on });
    fixed_b.read(&documents, |groups| groups.1, ends.1, |_| 1.0);
    let numbers = (fixed_a.numbered(), fixed_b.numbered());
    problem.cells.clear();
    problem.cells.extend(cells.all.iter().map(|cell| cell.with_groups(numbers.0[cell.a], numbers.1[cell.b])));
    if !problem.a.read(fixed_a.groups(), weights.0, go_on, &mut work)
        || !problem.b.read(fixed_b.groups(), weights.1, go_on, &mut work)
    {
        // Too long: with none on, and S(A) at most with all on.
        let of_a = side::ends(fixed_a.groups(), weights.0, go_on);
        let of_b = side::ends(fixed_b.groups(), weights.1, go_on);
        return Solution { value: of_b.0 - of_a.0, bound: of_b.0 - of_a.1, gains, nodes: 0 };
    }
    let mut search = TiedCascadeSearch::new(problem, positions, work);
    let root = search.root();
    if root.is_mostly_decided() {
        // What is decided makes but factors: the rest is a smaller problem.
        let mut rest = instance.clone();
        let decided = |cell: usize| root.low[cell] == root.high[cell];
        cells.each(|cell, number, id| {
            if decided(cell) {
                rest.documents[id].known = Some(if number < root.low[cell] as usize { instance.top } else { 0.0 });
            }
        });
        let work = search.work;
        return solve(&rest, ends, weights, work, memory);
    }
    let bound = search.run(root);
    let counts: Vec<usize> = search.counts.iter().map(|&count| count as usize).collect();
    cells.chosen(&counts).for_each(|id| gains[id] = instance.top);
    Solution { value: search.value, bound: bound.max(search.value), gains, nodes: search.nodes }
}

/// The documents of both rankings.
struct DecidedDocuments<'p> {
    instance: &'p Instance,
    groups: &'p DocumentGroups,
    /// The gain of each document that is not to be decided.
    gains: &'p [f64],
}

/// What one ranking has that is not to be decided.
#[derive(Debug, Default)]
struct FixedFactors {
    /// Factors of documents, group by group. Ranks below the last document are groups of their own.
    factors: Vec<f64>,
    /// How many such documents each group has, and how many to decide.
    sizes: Vec<(usize, usize)>,
    /// Factors with their groups, in any order.
    unsorted: Vec<(usize, f64)>,
    /// Where the next factor of each group belongs.
    next: Vec<usize>,
}

impl FixedFactors {
    /// Take in a ranking, with the factors of ranks below its last document.
    fn read(
        &mut self,
        &DecidedDocuments { instance, groups, gains }: &DecidedDocuments<'_>,
        number: impl Fn((Option<usize>, Option<usize>)) -> Option<usize>,
        ends: &[u32],
        below: impl Fn(usize) -> f64,
    ) {
        let FixedFactors { factors, sizes, unsorted, next } = self;
        sizes.clear();
        unsorted.clear();
        for ((x, &groups_of), gain) in instance.documents.iter().zip(&groups.by_document).zip(gains) {
            let Some(group) = number(groups_of) else { continue };
            sizes.resize(sizes.len().max(group + 1), (0, 0));
            if x.known.is_none() && groups_of.0.is_some() && groups_of.1.is_some() {
                sizes[group].1 += 1;
            } else {
                sizes[group].0 += 1;
                unsorted.push((group, 1.0 - gain));
            }
        }
        let start = |sum: &mut usize, &(fixed, _): &(usize, usize)| Some(std::mem::replace(sum, *sum + fixed));
        next.clear();
        next.extend(sizes.iter().scan(0, start));
        factors.clear();
        factors.resize(unsorted.len(), 0.0);
        for &(group, factor) in &*unsorted {
            factors[next[group]] = factor;
            next[group] += 1;
        }
        let length = ends.last().map_or(0, |&end| end as usize);
        factors.extend((length..instance.depth).map(below));
        sizes.resize(sizes.len() + instance.depth.saturating_sub(length), (1, 0));
    }

    /// All groups.
    fn groups(&self) -> impl Iterator<Item = CascadeGroup<'_>> + Clone {
        CascadeGroup::all(&self.factors, &self.sizes)
    }

    /// Numbers of the groups that have documents to decide, among these.
    fn numbered(&self) -> Vec<usize> {
        let number = |next: &mut usize, &(_, open): &(usize, usize)| {
            let number = *next;
            *next += usize::from(open > 0);
            Some(number)
        };
        self.sizes.iter().scan(0, number).collect()
    }
}

/// Numbers of groups where neighbours in which no rank weighs anything, in either ranking, are one: their order does not
/// matter.
fn merged(ends: &[u32], (ahead, behind): &(Vec<f64>, Vec<f64>)) -> Vec<usize> {
    let (mut number, mut start, mut was_nothing) = (0, 0, false);
    let mut numbers = Vec::with_capacity(ends.len());
    for &end in ends {
        let mut ranks = ahead.iter().zip(behind).skip(start).take(end as usize - start);
        let is_nothing = ranks.all(|weights| weights == (&0.0, &0.0));
        number += usize::from(!(numbers.is_empty() || is_nothing && was_nothing));
        numbers.push(number);
        (start, was_nothing) = (end as usize, is_nothing);
    }
    numbers
}
