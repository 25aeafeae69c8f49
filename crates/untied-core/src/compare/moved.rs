//! The documents at the top of either ranking of a query, with their ranks in both.

use rayon::prelude::*;

use super::{ComparisonSettings, sort};
use crate::error::Result;
use crate::ranking::{List, Numbering, Order};
use crate::table::{Qrels, Run};
use crate::watch;

/// The positions of a document's tie group, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

/// A document at the top of one of two rankings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved<'a> {
    /// Its id.
    pub document: &'a [u8],
    /// Its rank in the first ranking, if it is there at any depth.
    pub a: Option<Rank>,
    /// Its rank in the second ranking, likewise.
    pub b: Option<Rank>,
    /// Its grade, where it is judged.
    pub grade: Option<f64>,
}

/// The documents that one of two runs has within the depth (in a tie group that begins there): those of the first in its
/// order, then the others of the second; tied ones by id, descending. A query that a run lacks has no documents there.
///
/// # Errors
/// A score does not fit the precision.
pub fn moved<'a>(
    runs: (&'a Run, &'a Run),
    qrels: Option<&Qrels>,
    query: &[u8],
    settings: ComparisonSettings,
) -> Result<Vec<Moved<'a>>> {
    let mut numbering = Numbering::default();
    let a = groups(runs.0, query, settings, &mut numbering)?;
    let b = groups(runs.1, query, settings, &mut numbering)?;
    let documents = numbering.documents();
    let (a, b) = (ranks(&a, documents.len()), ranks(&b, documents.len()));
    let truth = qrels.and_then(|qrels| Some(qrels.judgments(qrels.find(query)?)));
    let grade = |document: &[u8], hash| truth.as_ref()?.grade(document, hash).filter(|&grade| grade >= 0.0);
    let is_at_top =
        |rank: Option<Rank>| rank.is_some_and(|rank| settings.depth.is_none_or(|depth| rank.first as usize <= depth));
    let all = documents.iter().zip(a.into_iter().zip(b));
    let top = all.filter(|(_, (a, b))| is_at_top(*a) || is_at_top(*b));
    Ok(top.map(|(&(document, hash), (a, b))| Moved { document, a, b, grade: grade(document, hash) }).collect())
}

/// What changed at the top of the rankings of many queries. A tied document counts at the first of its ranks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct TopChanges {
    /// Queries in which a document entered or left the top.
    pub changed: usize,
    /// Other queries in which a document at the top has another rank.
    pub reordered: usize,
    /// Documents that left the top, in all queries.
    pub left: usize,
}

/// Count what changed within a depth, in all queries that both runs have.
///
/// # Errors
/// A score does not fit the precision, or the work shall stop.
pub fn top_changes(runs: (&Run, &Run), depth: usize, settings: ComparisonSettings) -> Result<TopChanges> {
    let settings = ComparisonSettings { depth: Some(depth), ..settings };
    let is_within = |rank: Option<Rank>| rank.is_some_and(|rank| rank.first as usize <= depth);
    let of_query = |(query, _): (usize, usize)| -> Result<TopChanges> {
        watch::check()?;
        let moved = moved(runs, None, runs.0.id(query), settings)?;
        let left = moved.iter().filter(|document| is_within(document.a) && !is_within(document.b)).count();
        let changed = moved.iter().any(|document| is_within(document.a) != is_within(document.b));
        let has_other_rank =
            |document: &Moved<'_>| document.a.map(|rank| rank.first) != document.b.map(|rank| rank.first);
        let reordered = !changed && moved.iter().any(has_other_rank);
        Ok(TopChanges { changed: usize::from(changed), reordered: usize::from(reordered), left })
    };
    let add = |one: TopChanges, other: TopChanges| {
        Ok(TopChanges {
            changed: one.changed + other.changed,
            reordered: one.reordered + other.reordered,
            left: one.left + other.left,
        })
    };
    let queries: Vec<(usize, usize)> = runs.0.common(runs.1).collect();
    queries.into_par_iter().map(of_query).try_reduce(TopChanges::default, add)
}

/// A run's whole ranking of a query.
fn groups<'a>(
    run: &'a Run,
    query: &[u8],
    settings: ComparisonSettings,
    numbering: &mut Numbering<&'a [u8]>,
) -> Result<List> {
    let mut list = List::default();
    if let Some(query) = run.find(query) {
        let (mut order, rows) = (Order::default(), run.rows(query));
        sort(&mut order, run, query, &rows, settings)?;
        order.arrange(&rows, usize::MAX);
        list.fill(&rows, &order, usize::MAX, numbering)?;
    }
    Ok(list)
}

/// By number of document.
fn ranks(list: &List, documents: usize) -> Vec<Option<Rank>> {
    let mut ranks = vec![None; documents];
    let mut first = 1;
    for &last in &list.ends {
        list.docs[first - 1..last as usize].iter().for_each(|&document| {
            ranks[document as usize] = Some(Rank { first: first as u32, last });
        });
        first = last as usize + 1;
    }
    ranks
}
