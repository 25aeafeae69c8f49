//! The effect of one more judgment: a measure's value and bounds after it.
//!
//! To a measure, unjudged documents of a tie group are alike, and so are all documents that are not retrieved. So every
//! group is looked at once for each grade, however many documents it holds.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::error::{Error, Result, show};
use crate::evaluate::{Plan, Planned};
use crate::grade::Level;
use crate::measures::bounds::{Bounds, Open, Resolution, judged};
use crate::measures::formula::Formula;
use crate::ranking::{Judge, Layout, Order, Ranking};
use crate::table::{Judgments, Qrels, Rows, Run};
use crate::watch;

/// A measure's value, unjudged documents being non-relevant, and its bounds over all grades they may have. Of tied
/// documents each is the mean over all orders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The value.
    pub value: f64,
    /// Its smallest value.
    pub low: f64,
    /// Its largest value.
    pub high: f64,
}

/// What judging a document would lead to.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgment {
    /// Rank of the first document of its tie group; none if it is not retrieved.
    pub rank: Option<usize>,
    /// For every grade that it may have, see [`Plan::possible_grades`].
    pub outcomes: Vec<Outcome>,
}

/// A query as it stands, and after each judgment.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// As it stands.
    pub now: Outcome,
    /// Document by document.
    pub after: Vec<Judgment>,
}

/// Look at what judging each of some documents would change; for queries of the qrels by number, each with documents
/// that are not judged. The plan holds one measure.
///
/// # Errors
/// Bounds of the measure are not known, or a document is judged.
pub fn outlook(qrels: &Qrels, run: &Run, plan: &Plan, asked: &[(usize, Vec<Vec<u8>>)]) -> Result<Vec<Outlook>> {
    asked.par_iter().map(|(query, documents)| one_query(qrels, run, plan, *query, documents)).collect()
}

fn one_query(qrels: &Qrels, run: &Run, plan: &Plan, query: usize, documents: &[Vec<u8>]) -> Result<Outlook> {
    let truth = qrels.judgments(query);
    let rows = run.find(qrels.id(query)).map_or_else(Rows::none, |found| run.rows(found));
    let mut order = Order::default();
    order.sort_exactly(rows.column(0));
    let mut ranking = Ranking::default();
    let mut judge = Judge::default();
    judge.every_group = true;
    judge.judge(&rows, &order, &truth, Layout::Tied, false, &mut ranking);

    // Every group is in the ranking, so they have the numbers of the order's ends.
    let mut groups: HashMap<&[u8], usize> = HashMap::with_capacity(rows.len());
    let mut from = 0;
    for (group, &end) in order.ends.iter().enumerate() {
        groups.extend(order.rows[from..end as usize].iter().map(|&row| (rows.doc(row as usize), group)));
        from = end as usize;
    }
    let places: Vec<Option<usize>> = documents.iter().map(|doc| groups.get(doc.as_slice()).copied()).collect();
    let starts: Vec<(usize, bool)> =
        ranking.groups().map(|group| (group.start, group.relevant(0.0) < group.size)).collect();
    if let Some(i) = places.iter().position(|place| place.is_some_and(|group| !starts[group].1)) {
        return Err(Error::Value(format!("document {} is judged", show(&documents[i]))));
    }

    let planned = plan.only()?;
    let mut wanted = places.clone();
    wanted.sort_unstable();
    wanted.dedup();
    let found: Vec<Vec<Outcome>> = wanted
        .par_iter()
        .map(|&place| {
            watch::check()?;
            let grades = planned.possible_grades.iter();
            grades.map(|&grade| after(planned, &ranking, &truth, place, grade)).collect()
        })
        .collect::<Result<_>>()?;
    let after = places.iter().map(|place| {
        let outcomes = wanted.binary_search(place).map(|i| found[i].clone()).unwrap_or_default();
        Judgment { rank: place.map(|group| starts[group].0 + 1), outcomes }
    });
    Ok(Outlook { now: outcome(planned, &ranking, &truth)?, after: after.collect() })
}

/// The outcome where one more document of a group, or one that is not retrieved, has this grade.
fn after(
    planned: &Planned,
    ranking: &Ranking,
    truth: &Judgments<'_>,
    place: Option<usize>,
    grade: f64,
) -> Result<Outcome> {
    let mut next = Ranking::default();
    next.retrieved = ranking.retrieved;
    for (number, group) in ranking.groups().enumerate() {
        let more = usize::from(place == Some(number));
        next.push(group.start, group.size, judged(group.levels, grade, more, 0));
    }
    let levels: Vec<Level> = judged(truth.levels, grade, 1, 0).collect();
    outcome(planned, &next, &truth.with_levels(&levels))
}

fn outcome(planned: &Planned, ranking: &Ranking, truth: &Judgments<'_>) -> Result<Outcome> {
    let Planned { spec, measure, possible_grades: grades, .. } = planned;
    let open = Open { ranking, truth, resolution: Resolution::Mean, grades, unretrieved: 0 };
    let (bounds, value) = (measure.bounds(&open), measure.mean(ranking, truth));
    if let Some(source) = measure.formula().and_then(Formula::failure) {
        return Err(Error::Failure { measure: spec.to_string(), query: None, source });
    }
    let Some(bounds) = bounds else { return Err(planned.without_bounds()) };
    let Bounds { low, high, .. } = bounds.with_zero();
    // Undefined: nothing is relevant.
    let [value, low, high] = [value, low, high].map(|value| if value.is_nan() { 0.0 } else { value });
    Ok(Outcome { value, low, high })
}
