//! Conclusions about two runs with incomplete judgments: bounds of their mean difference, whether one run is certainly
//! better, and how many further relevant documents would end its lead.
//!
//! What the difference of a query cannot exceed comes from [`crate::difference`]. Assignments of queries are independent,
//! so the bounds of the mean are the means of the bounds; what couples queries is a number of documents that they share:
//! [`overturn`].

mod certifier;

mod overturn;
mod queries;
mod spans;

pub use crate::difference::Assignment;
pub use overturn::Overturn;
pub use spans::spans;

use rayon::prelude::*;

use self::certifier::{Certifier, PairBounds, certifiers};
use self::queries::{PairJoiner, QueryBlocks, QueryRankings};
use crate::difference::TieOrders;
use crate::error::Result;
use crate::names::Spec;
use crate::ranking::{Layout, Precision};
use crate::settings::{self, Take};
use crate::table::{Qrels, Run};
use crate::watch;

/// What is unknown, and how documents are ordered.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// See [`Layout`]; tied ones give means over all orders.
    pub layout: Layout,
    /// See [`Precision`].
    pub precision: Precision,
    /// Whether documents outside the pool are non-relevant.
    pub pool_only: bool,
    /// Whether documents of the pool (with a negative grade) that neither run retrieves may be relevant.
    pub unretrieved: bool,
    /// The most unknown documents of a query that may be relevant.
    pub most: Option<usize>,
    /// Whether differences are means over the orders of ties, or those of the best and the worst order of either run.
    pub ties: TieOrders,
}

impl Settings {
    /// Settings from the policies of verdicts.
    pub fn new(policies: settings::Settings) -> Settings {
        let settings::Settings { ties, precision, pool_only, pooled: unretrieved, .. } = policies;
        let layout = ties.layout;
        let ties = if ties.take == Take::Range { TieOrders::BestWorst } else { TieOrders::Mean };
        Settings { layout, precision, ties, pool_only, unretrieved, most: None }
    }

    /// The most unknown documents of a query that may be relevant, or more than there are.
    fn most(&self) -> usize {
        self.most.unwrap_or(usize::MAX)
    }
}

/// Which run is certainly better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// The first.
    A,
    /// The second.
    B,
    /// It is open.
    Open,
}

impl Ahead {
    /// What certificates say.
    pub fn name(self) -> &'static str {
        ["A", "B", "open"][self as usize]
    }
}

/// What can be concluded about two runs in a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The least that the mean of A less that of B can be.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// Whether these are reached, and do not only enclose what can be.
    pub is_exact: bool,
    /// Which run is certainly better.
    pub ahead: Ahead,
    /// The least number of further relevant documents, over all queries together, with which the run that is ahead
    /// without them is no more; 0 where none is.
    pub overturn: Overturn,
    /// The most further relevant documents a query with which the verdict is certain: `usize::MAX` for any number, none
    /// if it is not even without any.
    pub largest: Option<usize>,
    /// Whether one more document a query can end the lead; otherwise `largest` may be larger.
    pub largest_is_exact: bool,
}

/// What can be concluded about a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained<'a> {
    /// Its number in the qrels.
    pub query: usize,
    /// The least and the most that the difference can be.
    pub bounds: (f64, f64),
    /// Grades with which it is the least and the most, as far as they are known.
    pub ends: (Assignment, Assignment),
    /// The documents of this query that together with those of the others overturn the verdict first, where that is.
    pub overturning: Assignment,
    /// Ids of documents by number.
    pub documents: Vec<&'a [u8]>,
}

/// Pairs of runs times measures times queries whose bounds are held at once, at about 200 bytes for each direction; one
/// measure of one pair always is.
const HELD: usize = 1 << 20;

/// The verdicts of all measures about every two runs, pair by pair.
///
/// # Errors
/// A measure has no verdict or is refused, as is a score.
pub fn certify(runs: &[&Run], qrels: &Qrels, specs: &[Spec], settings: Settings) -> Result<Vec<Vec<Verdict>>> {
    let certifiers = certifiers(runs, qrels, specs, settings)?;
    let pairs: Vec<(usize, usize)> = (0..runs.len()).flat_map(|a| (a + 1..runs.len()).map(move |b| (a, b))).collect();
    let measures_at_once = (HELD / qrels.len()).clamp(1, specs.len().max(1));
    let pairs_at_once = (HELD / (qrels.len() * measures_at_once)).max(1);
    let passes = specs.len().div_ceil(measures_at_once) as u64;
    watch::begin(|| "certifying".into(), "queries", Some(passes * pairs.len() as u64 * qrels.len() as u64));
    let mut queries = QueryBlocks::new(runs, qrels, settings);
    let mut verdicts: Vec<Vec<Verdict>> = vec![Vec::with_capacity(specs.len()); pairs.len()];
    for (pairs, verdicts) in pairs.chunks(pairs_at_once).zip(verdicts.chunks_mut(pairs_at_once)) {
        for certifiers in certifiers.chunks(measures_at_once) {
            let by_pair = bounds_by_pair(&mut queries, pairs, certifiers)?;
            let by_pair = by_pair.into_par_iter().zip(pairs).zip(verdicts.par_iter_mut());
            by_pair.try_for_each(|((by_measure, &pair), verdicts)| {
                let mut joiner = PairJoiner::default();
                for (certifier, mut bounds) in certifiers.iter().zip(by_measure) {
                    certifier.settle(&mut bounds, &mut joiner, &queries, pair)?;
                    verdicts.push(certifier.verdict(bounds).0);
                }
                watch::check()
            })?;
        }
    }
    Ok(verdicts)
}

/// How far either run of each pair can be ahead of the other, by measure.
fn bounds_by_pair(
    queries: &mut QueryBlocks<'_>,
    pairs: &[(usize, usize)],
    certifiers: &[Certifier],
) -> Result<Vec<Vec<PairBounds>>> {
    let mut by_pair = vec![vec![PairBounds::default(); certifiers.len()]; pairs.len()];
    for first in queries.starts() {
        let block = queries.block(first)?;
        by_pair.par_iter_mut().zip(pairs).try_for_each(|(by_measure, &pair)| {
            let of_query = |joiner: &mut PairJoiner, query| {
                watch::step(1)?;
                Ok(joiner.with(query, pair, |pair, swapped| {
                    certifiers.iter().map(|certifier| certifier.upper_bounds(pair, swapped)).collect()
                }))
            };
            let of_queries = block.par_iter().with_min_len(SEPARATE).map_init(PairJoiner::default, of_query);
            for of_query in of_queries.collect::<Result<Vec<Vec<_>>>>()? {
                by_measure.iter_mut().zip(of_query).for_each(|(bounds, query)| bounds.push(query));
            }
            Ok(())
        })?;
    }
    Ok(by_pair)
}

/// Queries that one thread looks at in a row.
const SEPARATE: usize = 64;

/// Why the verdict of a measure about two runs is as it is, query by query.
///
/// # Errors
/// See [`certify`].
pub fn explain<'a>(
    runs: &'a [&'a Run; 2],
    qrels: &'a Qrels,
    spec: &Spec,
    settings: Settings,
) -> Result<(Verdict, Vec<Explained<'a>>)> {
    let mut explained = Vec::with_capacity(qrels.len());
    let verdict = each_explained(runs, qrels, spec, settings, |query| explained.push(query))?;
    Ok((verdict, explained))
}

/// The verdict of a measure about two runs, and how many documents of each query, by number in the qrels, overturn it
/// together with those of the others.
///
/// # Errors
/// See [`certify`].
pub fn overturning(runs: &[&Run; 2], qrels: &Qrels, spec: &Spec, settings: Settings) -> Result<(Verdict, Vec<u32>)> {
    let mut counts = Vec::with_capacity(qrels.len());
    let count = |query: Explained<'_>| counts.push(query.overturning.documents() as u32);
    let verdict = each_explained(runs, qrels, spec, settings, count)?;
    Ok((verdict, counts))
}

/// The verdict of a measure about two runs; `take` is given why it is so, query by query.
fn each_explained<'a>(
    runs: &'a [&'a Run; 2],
    qrels: &'a Qrels,
    spec: &Spec,
    settings: Settings,
    mut take: impl FnMut(Explained<'a>),
) -> Result<Verdict> {
    const PAIR: (usize, usize) = (0, 1);
    let certifiers = certifiers(runs, qrels, std::slice::from_ref(spec), settings)?;
    let certifier = &certifiers[0];
    watch::begin(|| "certifying".into(), "queries", Some(2 * qrels.len() as u64));
    let mut queries = QueryBlocks::new(runs, qrels, settings);
    let mut by_query = bounds_by_pair(&mut queries, &[PAIR], &certifiers)?.swap_remove(0).swap_remove(0);
    certifier.settle(&mut by_query, &mut PairJoiner::default(), &queries, PAIR)?;
    let most = settings.most();
    let bounds: Vec<(f64, f64)> = by_query.bounds(most).collect();
    let a_is_trailing = certifier.trailing(&by_query).is_some_and(|trailing| trailing.is_a);
    let (verdict, chosen) = certifier.verdict(by_query);
    for first in queries.starts() {
        let of_query = |joiner: &mut PairJoiner, query: &QueryRankings<'a>| {
            let (ends, overturning) = joiner.with(query, PAIR, |pair, swapped| {
                let against = |most: usize| certifier.assignment(swapped, most).turned();
                let overturning = if a_is_trailing {
                    certifier.assignment(pair, chosen[query.number])
                } else {
                    against(chosen[query.number])
                };
                ((against(most), certifier.assignment(pair, most)), overturning)
            });
            watch::step(1)?;
            let documents = query.documents.clone();
            Ok(Explained { query: query.number, bounds: bounds[query.number], ends, overturning, documents })
        };
        let block = queries.block(first)?.par_iter().with_min_len(SEPARATE).map_init(PairJoiner::default, of_query);
        block.collect::<Result<Vec<_>>>()?.into_iter().for_each(&mut take);
    }
    Ok(verdict)
}
