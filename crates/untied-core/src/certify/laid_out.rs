//! Queries with the rankings of all runs; documents are numbered once, and rankings are joined for every pair of runs.

use rayon::prelude::*;

use super::Settings;
use crate::difference::moving::question::Question;
use crate::error::Result;
use crate::grade::Level;
use crate::ranking::{Joiner, List, Numbering, Order, Placed, misfit};
use crate::table::{Qrels, Run};
use crate::watch;

/// A query of the qrels.
pub(super) struct LaidOut<'a> {
    /// Its number in the qrels.
    pub number: usize,
    /// The ranking of each run; empty where it lacks the query.
    lists: Vec<List>,
    /// Grades by number of document; NaN where it is unknown.
    grades: Vec<f64>,
    /// Whether a document is not judged and counts as non-relevant, by number.
    outside: Vec<bool>,
    /// Whether a document is in the pool without a grade, by number.
    pooled: Vec<bool>,
    /// How many such documents there are.
    all_pooled: usize,
    /// Whether ties may stand in any order.
    any_order: bool,
    levels: Vec<Level>,
    /// Ids of documents by number.
    pub documents: Vec<&'a [u8]>,
}

/// Queries that are held at once.
const AT_ONCE: usize = 1 << 12;

/// All queries of the qrels, laid out block by block: the last block is held, so that of few queries all are.
pub(super) struct Blocks<'a> {
    runs: &'a [&'a Run],
    qrels: &'a Qrels,
    settings: Settings,
    /// The number of the first query that is held.
    first: usize,
    held: Vec<LaidOut<'a>>,
}

impl<'a> Blocks<'a> {
    /// Nothing is laid out yet.
    pub fn new(runs: &'a [&'a Run], qrels: &'a Qrels, settings: Settings) -> Blocks<'a> {
        Blocks { runs, qrels, settings, first: 0, held: Vec::new() }
    }

    /// Where blocks begin.
    pub fn starts(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.qrels.len()).step_by(AT_ONCE)
    }

    /// The queries of the block that begins here.
    ///
    /// # Errors
    /// A score is refused.
    pub fn block(&mut self, first: usize) -> Result<&[LaidOut<'a>]> {
        if self.held.is_empty() || self.first != first {
            let lay_out = |order: &mut Order, number: usize| {
                watch::check()?;
                LaidOut::new(order, self.runs, self.qrels, number, self.settings)
            };
            let numbers = first..(first + AT_ONCE).min(self.qrels.len());
            self.held.clear(); // before the next are made
            self.held = numbers.into_par_iter().map_init(Order::default, lay_out).collect::<Result<_>>()?;
            self.first = first;
        }
        Ok(&self.held)
    }

    /// Ask about two rankings of any query, see [`Pairing::with`].
    ///
    /// # Errors
    /// A score is refused.
    pub fn ask<T>(
        &self,
        pairing: &mut Pairing,
        number: usize,
        pair: (usize, usize),
        ask: impl FnOnce(&Question<'_>, &Question<'_>) -> T,
    ) -> Result<T> {
        if let Some(query) = number.checked_sub(self.first).and_then(|place| self.held.get(place)) {
            return Ok(pairing.with(query, pair, ask));
        }
        let runs = [self.runs[pair.0], self.runs[pair.1]];
        let query = LaidOut::new(&mut Order::default(), &runs, self.qrels, number, self.settings)?;
        Ok(pairing.with(&query, (0, 1), ask))
    }
}

impl<'a> LaidOut<'a> {
    /// A query, by its number in the qrels.
    ///
    /// # Errors
    /// A score is refused.
    pub fn new(
        order: &mut Order,
        runs: &[&'a Run],
        qrels: &Qrels,
        number: usize,
        settings: Settings,
    ) -> Result<LaidOut<'a>> {
        let id = qrels.id(number);
        let mut numbering = Numbering::default();
        numbering.clear();
        let mut lists = Vec::with_capacity(runs.len());
        for run in runs {
            let mut list = List::default();
            if let Some(query) = run.find(id) {
                let rows = run.rows(query);
                order.sort(run.scores(query), settings.precision).map_err(|score| misfit(score, id))?;
                order.untie(&rows, settings.layout);
                // Sorted, so that witnesses do not depend on the order of the input.
                order.arrange(&rows, usize::MAX);
                list.fill(&rows, order, usize::MAX, &mut numbering)?;
            }
            lists.push(list);
        }
        let truth = qrels.judgments(number);
        let without = if settings.pool_only { 0.0 } else { f64::NAN };
        let found: Vec<Option<f64>> = numbering.documents().iter().map(|&(doc, hash)| truth.grade(doc, hash)).collect();
        let negative = truth.levels.iter().filter(|level| level.grade < 0.0).map(|level| level.count as usize);
        Ok(LaidOut {
            number,
            lists,
            grades: found
                .iter()
                .map(|grade| grade.map_or(without, |grade| if grade < 0.0 { f64::NAN } else { grade }))
                .collect(),
            outside: found.iter().map(|grade| grade.is_none() && settings.pool_only).collect(),
            pooled: found.iter().map(|grade| grade.is_some_and(|grade| grade < 0.0)).collect(),
            all_pooled: if settings.unretrieved { negative.sum() } else { 0 },
            any_order: settings.any_order,
            levels: truth.levels.to_vec(),
            documents: numbering.documents().iter().map(|&(doc, _)| doc).collect(),
        })
    }
}

/// Joins two rankings of a query; with room that is kept.
#[derive(Default)]
pub(super) struct Pairing {
    joiner: Joiner,
    places: Vec<Placed>,
    swapped: Vec<Placed>,
    grades: Vec<f64>,
}

impl Pairing {
    /// Ask about two rankings of a query, and about the same two exchanged.
    pub fn with<T>(
        &mut self,
        query: &LaidOut<'_>,
        (a, b): (usize, usize),
        ask: impl FnOnce(&Question<'_>, &Question<'_>) -> T,
    ) -> T {
        let (a, b) = (&query.lists[a], &query.lists[b]);
        self.joiner.places(a, b, &mut self.places);
        self.swapped.clear();
        self.swapped.extend(self.places.iter().map(|&Placed { document, a, b }| Placed { document, a: b, b: a }));
        let retrieved = || self.places.iter().filter(|place| query.pooled[place.document as usize]).count();
        let free = if query.all_pooled > 0 { query.all_pooled - retrieved() } else { 0 };
        self.grades.clear();
        self.grades.extend(self.places.iter().map(|place| query.grades[place.document as usize]));
        let unknown = free + self.grades.iter().filter(|grade| grade.is_nan()).count();
        let outside = self.places.iter().filter(|place| query.outside[place.document as usize]).count();
        let (places, grades, levels) = (&self.places, &self.grades, &query.levels);
        let of = Question { a, b, places, grades, levels, free, outside, unknown, any_order: query.any_order };
        ask(&of, &Question { a: b, b: a, places: &self.swapped, ..of })
    }
}
