//! Queries with the rankings of all runs. Documents are numbered once for all runs, and two rankings are joined when
//! they are needed.

use rayon::prelude::*;

use super::{Evidence, VerdictSettings};
use crate::compare::subtopics;
use crate::difference::{DifferenceWorkspace, PairFacts, RankingPair, Subtopic};
use crate::error::Result;
use crate::grade::Level;
use crate::names::{Needs, Spec};
use crate::ranking::{Joiner, List, Numbering, Order, Placed, misfit};
use crate::table::profiles::Detail;
use crate::table::{Length, Lengths, Qrels, Run};
use crate::watch;

/// What measures read of documents besides their ranks.
#[derive(Clone, Copy)]
pub(super) struct DocumentFacts<'a> {
    qrels: &'a Qrels,
    /// Lengths, if a measure reads them.
    lengths: Option<&'a Lengths>,
    /// The judgments with the numbers of profiles as grades, if a measure reads subtopics.
    by_subtopic: Option<&'a Qrels>,
}

impl<'a> DocumentFacts<'a> {
    /// The facts that these measures read.
    pub fn new(Evidence { qrels, lengths }: Evidence<'a>, specs: &[Spec]) -> DocumentFacts<'a> {
        let need = |needs: Needs| specs.iter().any(|spec| spec.info.needs == needs);
        DocumentFacts {
            qrels,
            lengths: lengths.filter(|_| need(Needs::Documents)),
            by_subtopic: qrels.by_profile(Detail::Subtopics).filter(|_| need(Needs::Subtopics)),
        }
    }
}

/// A judged query, with the rankings of all runs.
pub(super) struct QueryRankings<'a> {
    /// The index of the query in the qrels.
    pub number: usize,
    /// The ranking of each run. It is empty if the run lacks the query.
    lists: Vec<List>,
    /// The grade of each document, by its number; NaN if it is unknown.
    grades: Vec<f64>,
    /// Whether each document is unjudged and counts as non-relevant.
    outside: Vec<bool>,
    /// Whether each document is in the pool but not judged.
    pooled: Vec<bool>,
    /// The number of unjudged documents in the pool, retrieved or not.
    all_pooled: usize,
    levels: Vec<Level>,
    /// The length of each document, if measures read lengths.
    lengths: Vec<Length>,
    /// The judgments of each subtopic, if measures read them.
    subtopics: Vec<Subtopic>,
    /// The id of each document, by its number.
    pub documents: Vec<&'a [u8]>,
}

/// How many queries are in memory at a time.
const AT_ONCE: usize = 1 << 12;

/// All judged queries, prepared block by block. The last block stays in memory, so a few queries are prepared only
/// once.
pub(super) struct QueryBlocks<'a> {
    runs: &'a [&'a Run],
    facts: DocumentFacts<'a>,
    settings: VerdictSettings,
    /// The index of the first query in memory.
    first: usize,
    held: Vec<QueryRankings<'a>>,
}

impl<'a> QueryBlocks<'a> {
    pub fn new(
        runs: &'a [&'a Run],
        evidence: Evidence<'a>,
        specs: &[Spec],
        settings: VerdictSettings,
    ) -> QueryBlocks<'a> {
        QueryBlocks { runs, facts: DocumentFacts::new(evidence, specs), settings, first: 0, held: Vec::new() }
    }

    /// The index of each block's first query.
    pub fn starts(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.facts.qrels.len()).step_by(AT_ONCE)
    }

    /// The queries of the block that begins with query `first`.
    ///
    /// # Errors
    /// A score is refused, or a document has no length.
    pub fn block(&mut self, first: usize) -> Result<&[QueryRankings<'a>]> {
        if self.held.is_empty() || self.first != first {
            let lay_out = |order: &mut Order, number: usize| {
                watch::check()?;
                QueryRankings::new(order, self.runs, &self.facts, number, self.settings)
            };
            let numbers = first..(first + AT_ONCE).min(self.facts.qrels.len());
            self.held.clear(); // before the next are made
            self.held = numbers.into_par_iter().map_init(Order::default, lay_out).collect::<Result<_>>()?;
            self.first = first;
        }
        Ok(&self.held)
    }

    /// Joins two rankings of a query and calls a function with them; see [`PairJoiner::with`].
    ///
    /// # Errors
    /// A score is refused, or a document has no length.
    pub fn ask<T>(
        &self,
        joiner: &mut PairJoiner,
        number: usize,
        pair: (usize, usize),
        ask: impl FnOnce(&RankingPair<'_>, &RankingPair<'_>, &mut DifferenceWorkspace) -> T,
    ) -> Result<T> {
        if let Some(query) = number.checked_sub(self.first).and_then(|place| self.held.get(place)) {
            return Ok(joiner.with(query, pair, ask));
        }
        let runs = [self.runs[pair.0], self.runs[pair.1]];
        let query = QueryRankings::new(&mut Order::default(), &runs, &self.facts, number, self.settings)?;
        Ok(joiner.with(&query, (0, 1), ask))
    }
}

impl<'a> QueryRankings<'a> {
    /// Prepares the query with this index in the qrels.
    ///
    /// # Errors
    /// A score is refused, or a document has no length.
    pub fn new(
        order: &mut Order,
        runs: &[&'a Run],
        facts: &DocumentFacts<'_>,
        number: usize,
        settings: VerdictSettings,
    ) -> Result<QueryRankings<'a>> {
        let &DocumentFacts { qrels, lengths, by_subtopic } = facts;
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
                // Rows are sorted, so that assignments do not depend on the order of the input.
                order.arrange(&rows, usize::MAX);
                list.fill(&rows, order, usize::MAX, &mut numbering)?;
            }
            lists.push(list);
        }
        let truth = qrels.judgments(number);
        let without = if settings.pool_only { 0.0 } else { f64::NAN };
        let judgments: Vec<Option<f64>> =
            numbering.documents().iter().map(|&(doc, hash)| truth.grade(doc, hash)).collect();
        let negative = truth.levels.iter().filter(|level| level.grade < 0.0).map(|level| level.count as usize);
        let outside: Vec<bool> = judgments.iter().map(|grade| grade.is_none() && settings.pool_only).collect();
        let length = |lengths: &Lengths| {
            let of_document = |&(doc, hash): &(&[u8], u32)| lengths.get(doc, hash).ok_or_else(|| lengths.lack(doc, id));
            numbering.documents().iter().map(of_document).collect::<Result<Vec<_>>>()
        };
        let mut subtopics = by_subtopic
            .map_or_else(Vec::new, |by_subtopic| subtopics(&by_subtopic.judgments(number), numbering.documents()));
        for subtopic in &mut subtopics {
            subtopic
                .grades
                .iter_mut()
                .zip(&outside)
                .filter(|(_, outside)| **outside)
                .for_each(|(grade, _)| *grade = 0.0);
        }
        Ok(QueryRankings {
            number,
            lists,
            grades: judgments
                .iter()
                .map(|grade| grade.map_or(without, |grade| if grade < 0.0 { f64::NAN } else { grade }))
                .collect(),
            outside,
            lengths: lengths.map_or(Ok(Vec::new()), length)?,
            subtopics,
            pooled: judgments.iter().map(|grade| grade.is_some_and(|grade| grade < 0.0)).collect(),
            all_pooled: if settings.unretrieved { negative.sum() } else { 0 },
            levels: truth.levels.to_vec(),
            documents: numbering.documents().iter().map(|&(doc, _)| doc).collect(),
        })
    }
}

/// Joins two rankings of a query. Its memory, and that of solvers, is used again for the next pair.
#[derive(Default)]
pub(super) struct PairJoiner {
    joiner: Joiner,
    places: Vec<Placed>,
    swapped: Vec<Placed>,
    workspace: DifferenceWorkspace,
}

impl PairJoiner {
    /// Calls a function with two rankings of a query, and with the same two in the other order.
    pub fn with<T>(
        &mut self,
        query: &QueryRankings<'_>,
        (a, b): (usize, usize),
        ask: impl FnOnce(&RankingPair<'_>, &RankingPair<'_>, &mut DifferenceWorkspace) -> T,
    ) -> T {
        let (a, b) = (&query.lists[a], &query.lists[b]);
        self.joiner.places(a, b, &mut self.places);
        self.swapped.clear();
        self.swapped.extend(self.places.iter().map(|&Placed { document, a, b }| Placed { document, a: b, b: a }));
        let count = |are: &[bool]| self.places.iter().filter(|place| are[place.document as usize]).count();
        let facts = PairFacts {
            grades: &query.grades,
            levels: &query.levels,
            lengths: &query.lengths,
            subtopics: &query.subtopics,
            unretrieved: if query.all_pooled > 0 { query.all_pooled - count(&query.pooled) } else { 0 },
            outside: count(&query.outside),
            ..PairFacts::default()
        };
        let pair = RankingPair { a, b, places: &self.places, facts };
        ask(&pair, &RankingPair { a: b, b: a, places: &self.swapped, facts }, &mut self.workspace)
    }
}
