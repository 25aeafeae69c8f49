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

use self::question::Question;
use self::search::Search;
use self::side::{Group, Side};
use crate::med::solve::cells::{Cell, Cells, groups_of};
use crate::med::solve::work::Work;
use crate::med::solve::{Instance, Solution};

/// The largest mean of `S(A) - S(B)`, where each rank down to the depth weighs `weights` in A and in B: as
/// [`super::solve`], for tied rankings. `ends` holds the rank at which each tie group ends, in A and in B. The instance
/// gives a document any rank of its group, even one below the depth if the group begins above it.
pub(super) fn solve(
    instance: &Instance,
    ends: (&[u32], &[u32]),
    weights: (&[f64], &[f64]),
    mut work: Work,
) -> Solution {
    let go_on = 1.0 - instance.top;
    let numbers = (merged(ends.0, weights.0), merged(ends.1, weights.1));
    let number = |numbers: &[usize], group: Option<usize>| group.map(|group| numbers[group]);
    let groups = groups_of(instance, ends).into_iter();
    let groups: Vec<_> = groups.map(|(a, b)| (number(&numbers.0, a), number(&numbers.1, b))).collect();
    // A ranking beside itself, down to the depth: the difference is 0 whatever is relevant, and nothing is to be searched.
    let length = ends.0.last().map_or(0, |&end| end as usize).max(instance.lengths.0.min(instance.lengths.1));
    if (ends.0, weights.0) == (ends.1, weights.1) && length >= instance.depth && groups.iter().all(|of| of.0 == of.1) {
        let gains = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        return Solution { value: 0.0, bound: 0.0, gains, nodes: 0 };
    }
    let cells = Cells::new(instance, &groups);
    let in_both = |(of_a, of_b): (Option<usize>, Option<usize>)| of_a.is_some() && of_b.is_some();
    let gain = |x: &crate::med::solve::Document, of: (Option<usize>, Option<usize>)| {
        x.known.unwrap_or(if of.0.is_some() && !in_both(of) { instance.top } else { 0.0 })
    };
    type Number = fn((Option<usize>, Option<usize>)) -> Option<usize>;
    // Factors of documents that are not to be decided, by group; then of those that are below the last one.
    let factors = |number: Number, ends: &[u32], filled: usize, filler: f64| {
        let mut found: Vec<(usize, f64)> = Vec::with_capacity(instance.depth);
        let mut open = Vec::new();
        for (x, &of) in instance.documents.iter().zip(&groups) {
            let Some(group) = number(of) else { continue };
            open.resize(open.len().max(group + 1), 0);
            match x.known.is_none() && in_both(of) {
                true => open[group] += 1,
                false => found.push((group, 1.0 - gain(x, of))),
            }
        }
        found.sort_by_key(|&(group, _)| group);
        // Below its last document nobody stops, unless it is filled up.
        let length = ends.last().map_or(0, |&end| end as usize);
        for rank in length..instance.depth {
            found.push((open.len(), if rank < filled { 1.0 } else { filler }));
            open.push(0);
        }
        let mut sizes: Vec<(usize, usize)> = open.into_iter().map(|open| (0, open)).collect();
        found.iter().for_each(|&(group, _)| sizes[group].0 += 1);
        (found.into_iter().map(|(_, factor)| factor).collect::<Vec<f64>>(), sizes)
    };
    let of_a = factors(|of| of.0, ends.0, instance.lengths.0, go_on);
    let of_b = factors(|of| of.1, ends.1, instance.lengths.1, 1.0);
    let (a, b) = (Group::all(&of_a.0, &of_a.1), Group::all(&of_b.0, &of_b.1));
    let mut gains: Vec<f64> = instance.documents.iter().zip(&groups).map(|(x, &of)| gain(x, of)).collect();
    let numbers = (numbered(&a), numbered(&b));
    let cell = |cell: &Cell| cell.with_groups(numbers.0[cell.a], numbers.1[cell.b]);
    let sides = Side::new(&a, weights.0, go_on, &mut work).zip(Side::new(&b, weights.1, go_on, &mut work));
    let Some((a, b)) = sides else {
        // Too long: with none on, and S(A) at most with all on.
        let (of_a, of_b) = (side::ends(&a, weights.0, go_on), side::ends(&b, weights.1, go_on));
        return Solution { value: of_b.0 - of_a.0, bound: of_b.0 - of_a.1, gains, nodes: 0 };
    };
    let question = Question { cells: cells.all.iter().map(cell).collect(), a, b };
    let mut search = Search::new(&question, work);
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
        return solve(&rest, ends, weights, search.work);
    }
    let bound = search.run(root);
    let counts: Vec<usize> = search.counts.iter().map(|&count| count as usize).collect();
    cells.chosen(&counts).for_each(|id| gains[id] = instance.top);
    Solution { value: search.value, bound: bound.max(search.value), gains, nodes: search.nodes }
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
