//! Rankings with ties: the largest difference of a cascade's means over all orders of both rankings.
//!
//! With `s_g` documents to decide that are on in tie group g, S loses there, to those who get to the group, the mean over
//! its orders of `sum_t w_t Q(t)`:
//!
//! `S(C) = const - sum_g q^(documents on before g) D_g(s_g)`,
//!
//! factors of documents that are not to be decided being put into D ([`side`]). So only the numbers of documents on in
//! each cell ([`crate::med::solve::cells`]) matter. Bounds position by position decide most of them ([`positions`]). S is
//! submodular in the set of documents that are on, which bounds it too ([`prices`]); ranges of counts are cut in two,
//! best first ([`search`]).

mod positions;
mod prices;
mod question;
mod search;
mod side;

use self::positions::Draws;
use self::question::Question;
use self::search::Search;
use self::side::{Group, Side};
use crate::med::solve::cells::{Cell, Cells, Groups};
use crate::med::solve::work::Work;
use crate::med::solve::{Document, Instance, Solution};

/// Memory that one solution leaves to the next.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    groups: Groups,
    cells: Cells,
    draws: Draws,
}

/// The largest mean of `S(A) - S(B)`, where each rank down to the depth weighs `weights` in A and in B: as
/// [`super::solve`], for tied rankings. `ends` holds the rank at which each tie group ends, in A and in B. The instance
/// gives a document any rank of its group, even one below the depth if the group begins above it.
pub(super) fn solve(
    instance: &Instance,
    ends: (&[u32], &[u32]),
    weights: (&[f64], &[f64]),
    mut work: Work,
    memory: &mut Workspace,
) -> Solution {
    let go_on = 1.0 - instance.top;
    let numbers = (merged(ends.0, weights.0), merged(ends.1, weights.1));
    let Workspace { groups, cells, draws, .. } = memory;
    groups.read(instance, ends);
    for (of_a, of_b) in &mut groups.of {
        of_a.iter_mut().for_each(|group| *group = numbers.0[*group]);
        of_b.iter_mut().for_each(|group| *group = numbers.1[*group]);
    }
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
    let fixed = Fixed { instance, groups, gains: &gains };
    let of_a = fixed.of(|of| of.0, ends.0, |rank| if rank < instance.lengths.0 { 1.0 } else { go_on });
    let of_b = fixed.of(|of| of.1, ends.1, |_| 1.0);
    let (a, b) = (Group::all(&of_a.0, &of_a.1), Group::all(&of_b.0, &of_b.1));
    let numbers = (numbered(&a), numbered(&b));
    let cell = |cell: &Cell| cell.with_groups(numbers.0[cell.a], numbers.1[cell.b]);
    let sides = Side::new(&a, weights.0, go_on, &mut work).zip(Side::new(&b, weights.1, go_on, &mut work));
    let Some((a, b)) = sides else {
        // Too long: with none on, and S(A) at most with all on.
        let (of_a, of_b) = (side::ends(&a, weights.0, go_on), side::ends(&b, weights.1, go_on));
        return Solution { value: of_b.0 - of_a.0, bound: of_b.0 - of_a.1, gains, nodes: 0 };
    };
    let question = Question { cells: cells.all.iter().map(cell).collect(), a, b };
    let mut search = Search::new(&question, draws, work);
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

/// What is not to be decided.
struct Fixed<'p> {
    instance: &'p Instance,
    groups: &'p Groups,
    /// By document.
    gains: &'p [f64],
}

impl Fixed<'_> {
    /// Factors of documents that are not to be decided, group by group, and how many of these and of documents to decide
    /// each group of a ranking has. Ranks below the last document are groups of their own, with these factors.
    fn of(
        &self,
        number: impl Fn((Option<usize>, Option<usize>)) -> Option<usize>,
        ends: &[u32],
        below: impl Fn(usize) -> f64,
    ) -> (Vec<f64>, Vec<(usize, usize)>) {
        let mut sizes: Vec<(usize, usize)> = Vec::with_capacity(self.instance.depth);
        let mut fixed = Vec::with_capacity(self.instance.documents.len());
        for ((x, &of), gain) in self.instance.documents.iter().zip(&self.groups.of).zip(self.gains) {
            let Some(group) = number(of) else { continue };
            sizes.resize(sizes.len().max(group + 1), (0, 0));
            if x.known.is_none() && of.0.is_some() && of.1.is_some() {
                sizes[group].1 += 1;
            } else {
                sizes[group].0 += 1;
                fixed.push((group, 1.0 - gain));
            }
        }
        // Where the next factor of each group belongs.
        let start = |sum: &mut usize, &(fixed, _): &(usize, usize)| Some(std::mem::replace(sum, *sum + fixed));
        let mut next: Vec<usize> = sizes.iter().scan(0, start).collect();
        let length = ends.last().map_or(0, |&end| end as usize);
        let mut factors = Vec::with_capacity(fixed.len() + self.instance.depth.saturating_sub(length));
        factors.resize(fixed.len(), 0.0);
        for (group, factor) in fixed {
            factors[next[group]] = factor;
            next[group] += 1;
        }
        factors.extend((length..self.instance.depth).map(below));
        sizes.resize(sizes.len() + self.instance.depth.saturating_sub(length), (1, 0));
        (factors, sizes)
    }
}

/// Numbers of groups where neighbours in which no rank weighs anything are one: their order does not matter.
fn merged(ends: &[u32], weights: &[f64]) -> Vec<usize> {
    let (mut number, mut start, mut was_nothing) = (0, 0, false);
    let mut found = Vec::with_capacity(ends.len());
    for &end in ends {
        let ranks = weights.get(start..).unwrap_or_default().iter().take(end as usize - start);
        let is_nothing = ranks.copied().all(|weight| weight == 0.0);
        number += usize::from(!(found.is_empty() || is_nothing && was_nothing));
        found.push(number);
        (start, was_nothing) = (end as usize, is_nothing);
    }
    found
}

/// Numbers of the groups that have documents to decide, among these.
fn numbered(groups: &[Group<'_>]) -> Vec<usize> {
    let number = |next: &mut usize, group: &Group<'_>| {
        let number = *next;
        *next += usize::from(group.open > 0);
        Some(number)
    };
    groups.iter().scan(0, number).collect()
}
