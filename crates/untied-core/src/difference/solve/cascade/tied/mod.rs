//! Rankings with ties: the largest difference of the scores of a cascade, as means over the tie orders of both
//! rankings.
//!
//! A document that is *on* stops the user with the probability `1 - q`; one that is *off* never does. Let s_g documents
//! of tie group g be on. Users who get to the group lose there `D_g(s_g)`, in the mean over its orders: the sum of `w_t
//! Q(t)` over the group's ranks t, with the weight w_t of rank t and the share Q(t) of users who go beyond it. So the
//! score of a ranking C is
//!
//! `S(C) = const - sum_g q^(documents on before g) D_g(s_g)`,
//!
//! where D includes the factors of decided documents ([`side`]). Only the number of documents on in each cell
//! ([`crate::difference::solve::cells`]) matters, its *count*. Bounds position by position decide most counts
//! ([`positions`]). S is submodular in the set of documents that are on, which gives another bound ([`prices`]). A
//! search decides the rest: it cuts ranges of counts in two, highest bound first ([`search`]).

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

/// Memory that is used again for the next pair of rankings.
#[derive(Debug, Default)]
pub(super) struct TiedCascadeWorkspace {
    groups: DocumentGroups,
    cells: TieCells,
    /// The factors of the decided documents, in A and in B.
    fixed: [FixedFactors; 2],
    problem: CellCascade,
    positions: PositionBounds,
}

/// Two rankings with ties, ready to be solved in both directions.
pub(super) struct TiedCascade<'p> {
    instance: &'p mut Instance,
    /// The rank at which each tie group ends, in A and in B.
    ends: (&'p [u32], &'p [u32]),
    /// The weight of each rank, in the ranking that is to be ahead and in the other.
    weights: (Vec<f64>, Vec<f64>),
    /// The work that each of the two directions may take.
    work: Budget,
    memory: &'p mut TiedCascadeWorkspace,
}

impl<'p> TiedCascade<'p> {
    /// Reads two rankings with ties. `weights` has the weights of the ranks, in the ranking that is to be ahead and in
    /// the other. `ends` has the rank at which each tie group ends, in A and in B. A document of the instance may have
    /// any rank of its group, even one below the depth.
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

/// The largest mean of `S(A) - S(B)`. [`TiedCascade::read`] has written the groups to `memory`.
fn solve(
    instance: &Instance,
    ends: (&[u32], &[u32]),
    weights: (&[f64], &[f64]),
    mut work: Budget,
    memory: &mut TiedCascadeWorkspace,
) -> Solution {
    let go_on = 1.0 - instance.top;
    let TiedCascadeWorkspace { groups, cells, fixed: [fixed_a, fixed_b], problem, positions } = memory;
    // If both rankings are the same down to the depth, the difference is 0.
    let length = ends.0.last().map_or(0, |&end| end as usize).max(instance.lengths.0.min(instance.lengths.1));
    if (ends.0, weights.0) == (ends.1, weights.1)
        && length >= instance.depth
        && groups.by_document.iter().all(|(a, b)| a == b)
    {
        let gains = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        return Solution { value: 0.0, bound: 0.0, gains, nodes: 0 };
    }
    cells.read(instance, groups);
    // An unknown document that only A has is on, and one that only B has is off. Those of both rankings are decided
    // below.
    let gain = |(x, groups): (&Document, &(Option<usize>, Option<usize>))| {
        x.known.unwrap_or(if matches!(groups, (Some(_), None)) { instance.top } else { 0.0 })
    };
    let mut gains: Vec<f64> = instance.documents.iter().zip(&groups.by_document).map(gain).collect();
    // Documents that fill A up to the depth stop its users, if an unknown document can. Those that fill B stop nobody.
    let documents = DecidedDocuments { instance, groups, gains: &gains };
    fixed_a.read(&documents, |groups| groups.0, ends.0, |rank| if rank < instance.lengths.0 { 1.0 } else { go_on });
    fixed_b.read(&documents, |groups| groups.1, ends.1, |_| 1.0);
    // Cells name their groups by the index among the groups with documents to decide.
    let numbers = (fixed_a.numbered(), fixed_b.numbered());
    problem.cells.clear();
    problem.cells.extend(cells.all.iter().map(|cell| cell.with_groups(numbers.0[cell.a], numbers.1[cell.b])));
    if !problem.a.read(fixed_a.groups(), weights.0, go_on, &mut work)
        || !problem.b.read(fixed_b.groups(), weights.1, go_on, &mut work)
    {
        // There is not enough work left. The value is that without relevant documents. For the bound, all are relevant
        // in A and none in B.
        let of_a = side::ends(fixed_a.groups(), weights.0, go_on);
        let of_b = side::ends(fixed_b.groups(), weights.1, go_on);
        return Solution { value: of_b.0 - of_a.0, bound: of_b.0 - of_a.1, gains, nodes: 0 };
    }
    let mut search = TiedCascadeSearch::new(problem, positions, work);
    let root = search.root();
    if root.is_mostly_decided() {
        // Decided documents are only factors, so the problem of the others is smaller. Start again with it.
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

/// An instance, with the gains of its decided documents.
struct DecidedDocuments<'p> {
    instance: &'p Instance,
    groups: &'p DocumentGroups,
    /// The gain of each document of the instance. That of a document to decide is never read.
    gains: &'p [f64],
}

/// The decided documents of one ranking, by tie group.
#[derive(Debug, Default)]
struct FixedFactors {
    /// The factors of these documents, group by group: the probability that a user goes on. Each rank below the last
    /// document is a group of its own.
    factors: Vec<f64>,
    /// The numbers of decided and of undecided documents in each group.
    sizes: Vec<(usize, usize)>,
    /// The group and the factor of each document, before they are sorted by group.
    unsorted: Vec<(usize, f64)>,
    /// While they are sorted: for each group, the index in `factors` for its next document.
    next: Vec<usize>,
}

impl FixedFactors {
    /// Reads one ranking. `number` picks a document's group in it, `ends` has the rank at which each group ends, and
    /// `below` gives the factor of a rank below the last document.
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
        // Sort the factors by group. A group's factors start after those of the groups above.
        let start = |sum: &mut usize, &(fixed, _): &(usize, usize)| Some(std::mem::replace(sum, *sum + fixed));
        next.clear();
        next.extend(sizes.iter().scan(0, start));
        factors.clear();
        factors.resize(unsorted.len(), 0.0);
        for &(group, factor) in &*unsorted {
            factors[next[group]] = factor;
            next[group] += 1;
        }
        // Each rank below the last document, down to the depth, is a group of one document.
        let length = ends.last().map_or(0, |&end| end as usize);
        factors.extend((length..instance.depth).map(below));
        sizes.resize(sizes.len() + instance.depth.saturating_sub(length), (1, 0));
    }

    /// All tie groups of the ranking.
    fn groups(&self) -> impl Iterator<Item = CascadeGroup<'_>> + Clone {
        CascadeGroup::all(&self.factors, &self.sizes)
    }

    /// The index of each group among the groups with documents to decide. A group without such documents gets the index
    /// of the next one with some.
    fn numbered(&self) -> Vec<usize> {
        let number = |next: &mut usize, &(_, open): &(usize, usize)| {
            let number = *next;
            *next += usize::from(open > 0);
            Some(number)
        };
        self.sizes.iter().scan(0, number).collect()
    }
}

/// A new number for each tie group. Neighbouring groups whose ranks all have the weight 0 get the same number, because
/// their order does not matter.
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
