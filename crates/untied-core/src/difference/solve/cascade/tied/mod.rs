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

mod positions;
mod prices;
mod question;
mod search;
mod side;

use self::positions::Positions;
use self::question::Question;
use self::search::Search;
use self::side::Group;
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::{Cells, Groups};
use crate::difference::solve::{Document, Instance, Solution, Tied};

/// Memory that one solution leaves to the next.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    groups: Groups,
    cells: Cells,
    /// What is not to be decided, in A and in B.
    fixed: [Fixed; 2],
    question: Question,
    positions: Positions,
}

/// Two rankings that were read.
pub(super) struct Pair<'p> {
    instance: &'p mut Instance,
    ends: (&'p [u32], &'p [u32]),
    weights: (Vec<f64>, Vec<f64>),
    /// For each direction.
    work: Budget,
    memory: &'p mut Workspace,
}

impl<'p> Pair<'p> {
    /// Take in two rankings, where each rank down to the depth weighs `weights` in the one that is to be ahead, and in the
    /// other: as for [`super::solve`], with ties. `ends` holds the rank at which each tie group ends, in A and in B. The
    /// instance gives a document any rank of its group, even one below the depth if the group begins above it.
    pub fn read(
        instance: &'p mut Instance,
        ends: (&'p [u32], &'p [u32]),
        weights: (Vec<f64>, Vec<f64>),
        work: Budget,
        memory: &'p mut Workspace,
    ) -> Pair<'p> {
        memory.groups.read(instance, ends);
        memory.groups.number((&merged(ends.0, &weights), &merged(ends.1, &weights)));
        Pair { instance, ends, weights, work, memory }
    }
}

impl Tied for Pair<'_> {
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
    memory: &mut Workspace,
) -> Solution {
    let go_on = 1.0 - instance.top;
    let Workspace { groups, cells, fixed: [fixed_a, fixed_b], question, positions } = memory;
    // A ranking beside itself, down to the depth: the difference is 0 whatever is relevant, and nothing is to be searched.
    let length = ends.0.last().map_or(0, |&end| end as usize).max(instance.lengths.0.min(instance.lengths.1));
    if (ends.0, weights.0) == (ends.1, weights.1) && length >= instance.depth && groups.of.iter().all(|(a, b)| a == b) {
        let gains = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        return Solution { value: 0.0, bound: 0.0, gains, nodes: 0 };
    }
    cells.read(instance, groups);
    let gain = |(x, of): (&Document, &(Option<usize>, Option<usize>))| {
        x.known.unwrap_or(if matches!(of, (Some(_), None)) { instance.top } else { 0.0 })
    };
    let mut gains: Vec<f64> = instance.documents.iter().zip(&groups.of).map(gain).collect();
    // Below its last document nobody stops, unless it is filled up.
    let documents = Documents { instance, groups, gains: &gains };
    fixed_a.read(&documents, |of| of.0, ends.0, |rank| if rank < instance.lengths.0 { 1.0 } else { go_on });
    fixed_b.read(&documents, |of| of.1, ends.1, |_| 1.0);
    let numbers = (fixed_a.numbered(), fixed_b.numbered());
    question.cells.clear();
    question.cells.extend(cells.all.iter().map(|cell| cell.with_groups(numbers.0[cell.a], numbers.1[cell.b])));
    if !question.a.read(fixed_a.groups(), weights.0, go_on, &mut work)
        || !question.b.read(fixed_b.groups(), weights.1, go_on, &mut work)
    {
        // Too long: with none on, and S(A) at most with all on.
        let of_a = side::ends(fixed_a.groups(), weights.0, go_on);
        let of_b = side::ends(fixed_b.groups(), weights.1, go_on);
        return Solution { value: of_b.0 - of_a.0, bound: of_b.0 - of_a.1, gains, nodes: 0 };
    }
    let mut search = Search::new(question, positions, work);
    let root = search.root();
    if root.is_mostly_decided() {
        // What is decided makes but factors: the rest is a smaller question.
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
struct Documents<'p> {
    instance: &'p Instance,
    groups: &'p Groups,
    /// By document, of those that are not to be decided.
    gains: &'p [f64],
}

/// What one ranking has that is not to be decided.
#[derive(Debug, Default)]
struct Fixed {
    /// Factors of documents, group by group. Ranks below the last document are groups of their own.
    factors: Vec<f64>,
    /// How many such documents each group has, and how many to decide.
    sizes: Vec<(usize, usize)>,
    /// Factors with their groups, in any order.
    found: Vec<(usize, f64)>,
    /// Where the next factor of each group belongs.
    next: Vec<usize>,
}

impl Fixed {
    /// Take in a ranking, with the factors of ranks below its last document.
    fn read(
        &mut self,
        &Documents { instance, groups, gains }: &Documents<'_>,
        number: impl Fn((Option<usize>, Option<usize>)) -> Option<usize>,
        ends: &[u32],
        below: impl Fn(usize) -> f64,
    ) {
        let Fixed { factors, sizes, found, next } = self;
        sizes.clear();
        found.clear();
        for ((x, &of), gain) in instance.documents.iter().zip(&groups.of).zip(gains) {
            let Some(group) = number(of) else { continue };
            sizes.resize(sizes.len().max(group + 1), (0, 0));
            if x.known.is_none() && of.0.is_some() && of.1.is_some() {
                sizes[group].1 += 1;
            } else {
                sizes[group].0 += 1;
                found.push((group, 1.0 - gain));
            }
        }
        let start = |sum: &mut usize, &(fixed, _): &(usize, usize)| Some(std::mem::replace(sum, *sum + fixed));
        next.clear();
        next.extend(sizes.iter().scan(0, start));
        factors.clear();
        factors.resize(found.len(), 0.0);
        for &(group, factor) in &*found {
            factors[next[group]] = factor;
            next[group] += 1;
        }
        let length = ends.last().map_or(0, |&end| end as usize);
        factors.extend((length..instance.depth).map(below));
        sizes.resize(sizes.len() + instance.depth.saturating_sub(length), (1, 0));
    }

    /// All groups.
    fn groups(&self) -> impl Iterator<Item = Group<'_>> + Clone {
        Group::all(&self.factors, &self.sizes)
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
    let mut found = Vec::with_capacity(ends.len());
    for &end in ends {
        let mut ranks = ahead.iter().zip(behind).skip(start).take(end as usize - start);
        let is_nothing = ranks.all(|weights| weights == (&0.0, &0.0));
        number += usize::from(!(found.is_empty() || is_nothing && was_nothing));
        found.push(number);
        (start, was_nothing) = (end as usize, is_nothing);
    }
    found
}
