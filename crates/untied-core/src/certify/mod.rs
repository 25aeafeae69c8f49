//! Verdicts on two runs with incomplete judgments: the bounds of their mean difference, which run is certainly better,
//! and how many more relevant documents would end its lead.
//!
//! Bounds of a query come from [`crate::difference`]. Unknown grades of different queries are independent, so the
//! bounds of the mean are the means of the bounds. Only a limit on the number of relevant documents in all queries
//! couples them; see [`overturn`].

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
use crate::error::{Error, Result};
use crate::names::Spec;
use crate::ranking::{Layout, Precision};
use crate::settings::{self, Take};
use crate::table::{Lengths, Qrels, Run};
use crate::watch;

/// What verdicts rest on: the judgments, and the lengths of documents.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The judgments.
    pub qrels: &'a Qrels,
    /// The lengths of documents, for measures that read them.
    pub lengths: Option<&'a Lengths>,
}

impl<'a> From<&'a Qrels> for Evidence<'a> {
    fn from(qrels: &'a Qrels) -> Evidence<'a> {
        Evidence { qrels, lengths: None }
    }
}

/// Which documents may turn out to be relevant, and how documents are ordered.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerdictSettings {
    /// The order of tied documents. If they stay tied, values are means over all orders.
    pub layout: Layout,
    /// The precision at which scores are compared.
    pub precision: Precision,
    /// Whether documents outside the pool count as non-relevant.
    pub pool_only: bool,
    /// Whether documents of the pool (with a negative grade) that neither run retrieves may be relevant.
    pub unretrieved: bool,
    /// How many unknown documents of a query may be relevant. None means any number.
    pub most: Option<usize>,
    /// Whether values are means over tie orders, or verdicts must hold for every order.
    pub ties: TieOrders,
}

impl VerdictSettings {
    /// The settings that these policies mean.
    pub fn new(policies: settings::Settings) -> VerdictSettings {
        let settings::Settings { ties, precision, pool_only, pooled: unretrieved, .. } = policies;
        let layout = ties.layout;
        let ties = if ties.take == Take::Range { TieOrders::BestWorst } else { TieOrders::Mean };
        VerdictSettings { layout, precision, ties, pool_only, unretrieved, most: None }
    }

    /// How many unknown documents of a query may be relevant. Without a limit, this is a number that no query reaches.
    fn most(&self) -> usize {
        self.most.unwrap_or(usize::MAX)
    }
}

/// Which run is certainly better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// The first run.
    A,
    /// The second run.
    B,
    /// Neither run is.
    Open,
}

impl Ahead {
    /// The name in certificates and tables.
    pub fn name(self) -> &'static str {
        ["A", "B", "open"][self as usize]
    }
}

/// The verdict on two runs by a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The lowest possible difference of the means, A - B.
    pub low: f64,
    /// The highest possible difference of the means, A - B.
    pub high: f64,
    /// Whether the difference can really be `low` and `high`. Otherwise, these may be wider than necessary.
    pub is_exact: bool,
    /// Which run is certainly better.
    pub ahead: Ahead,
    /// How many more relevant documents, over all queries, could end the lead. It is 0 if neither run is ahead.
    pub overturn: Overturn,
    /// How many more relevant documents each query may have while the lead stays certain: `usize::MAX` for any number,
    /// and none if neither run is ahead.
    pub largest: Option<usize>,
    /// Whether one more document in each query can really end the lead. Otherwise, `largest` may be larger.
    pub largest_is_exact: bool,
}

/// The part of one query in a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained<'a> {
    /// The index of the query in the qrels.
    pub query: usize,
    /// The lowest and the highest possible difference.
    pub bounds: (f64, f64),
    /// Grades that reach these differences, or come closest if the bounds are not exact.
    pub ends: (Assignment, Assignment),
    /// The documents of this query in the smallest set that overturns the verdict.
    pub overturning: Assignment,
    /// The ids of documents, by number.
    pub documents: Vec<&'a [u8]>,
}

/// How many bounds are in memory at a time. There is one for each pair of runs, measure and query, and it takes about
/// 200 bytes a direction. The bounds of one pair by one measure are always held together.
const HELD: usize = 1 << 20;

/// Decides the verdicts on every two runs: for each pair, the verdict by each measure.
///
/// # Errors
/// A measure has no verdicts, a measure or a score is refused, or a document has no length.
pub fn certify(
    runs: &[&Run],
    evidence: Evidence<'_>,
    specs: &[Spec],
    settings: VerdictSettings,
) -> Result<Vec<Vec<Verdict>>> {
    let certifiers = certifiers(runs, evidence, specs, settings)?;
    let qrels = evidence.qrels;
    let pairs: Vec<(usize, usize)> = (0..runs.len()).flat_map(|a| (a + 1..runs.len()).map(move |b| (a, b))).collect();
    let measures_at_once = (HELD / qrels.len()).clamp(1, specs.len().max(1));
    let pairs_at_once = (HELD / (qrels.len() * measures_at_once)).max(1);
    let passes = specs.len().div_ceil(measures_at_once) as u64;
    watch::begin(|| "certifying".into(), "queries", Some(passes * pairs.len() as u64 * qrels.len() as u64));
    let mut queries = QueryBlocks::new(runs, evidence, specs, settings);
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

/// Bounds how far either run of each pair can be ahead, for each measure.
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
                Ok(joiner.with(query, pair, |pair, swapped, workspace| {
                    certifiers.iter().map(|certifier| certifier.upper_bounds(pair, swapped, workspace)).collect()
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

/// How many queries one parallel task takes.
const SEPARATE: usize = 64;

/// Explains a verdict on two runs, query by query.
///
/// # Errors
/// See [`certify`]. Verdicts in measures of subtopics have no explanation.
pub fn explain<'a>(
    runs: &'a [&'a Run; 2],
    evidence: Evidence<'a>,
    spec: &Spec,
    settings: VerdictSettings,
) -> Result<(Verdict, Vec<Explained<'a>>)> {
    let mut explained = Vec::with_capacity(evidence.qrels.len());
    let verdict = each_explained(runs, evidence, spec, settings, |query| explained.push(query))?;
    Ok((verdict, explained))
}

/// Decides the verdict on two runs, and returns the number of documents of each query in the smallest set that
/// overturns it. Queries are in the order of the qrels.
///
/// # Errors
/// See [`certify`].
pub fn overturning(
    runs: &[&Run; 2],
    evidence: Evidence<'_>,
    spec: &Spec,
    settings: VerdictSettings,
) -> Result<(Verdict, Vec<u32>)> {
    let mut counts = Vec::with_capacity(evidence.qrels.len());
    let count = |query: Explained<'_>| counts.push(query.overturning.documents() as u32);
    let verdict = each_explained(runs, evidence, spec, settings, count)?;
    Ok((verdict, counts))
}

/// Decides the verdict on two runs, and passes the explanation of each query to `take`.
fn each_explained<'a>(
    runs: &'a [&'a Run; 2],
    evidence: Evidence<'a>,
    spec: &Spec,
    settings: VerdictSettings,
    mut take: impl FnMut(Explained<'a>),
) -> Result<Verdict> {
    const PAIR: (usize, usize) = (0, 1);
    let specs = std::slice::from_ref(spec);
    let certifiers = certifiers(runs, evidence, specs, settings)?;
    let certifier = &certifiers[0];
    if !certifier.assigns_grades() {
        let why = "because an unjudged document may have a grade for each subtopic";
        return Err(Error::Measure(format!("a verdict in {spec} cannot be explained by grades of documents, {why}")));
    }
    watch::begin(|| "certifying".into(), "queries", Some(2 * evidence.qrels.len() as u64));
    let mut queries = QueryBlocks::new(runs, evidence, specs, settings);
    let mut by_query = bounds_by_pair(&mut queries, &[PAIR], &certifiers)?.swap_remove(0).swap_remove(0);
    certifier.settle(&mut by_query, &mut PairJoiner::default(), &queries, PAIR)?;
    let most = settings.most();
    let bounds: Vec<(f64, f64)> = by_query.bounds(most).collect();
    let a_is_trailing = certifier.trailing(&by_query).is_some_and(|trailing| trailing.is_a);
    let (verdict, chosen) = certifier.verdict(by_query);
    for first in queries.starts() {
        let of_query = |joiner: &mut PairJoiner, query: &QueryRankings<'a>| {
            let (ends, overturning) = joiner.with(query, PAIR, |pair, swapped, workspace| {
                let mut ahead = |most: usize| certifier.assignment(pair, most, workspace);
                let for_a = ahead(most);
                let overturning = a_is_trailing.then(|| ahead(chosen[query.number]));
                let mut behind = |most: usize| certifier.assignment(swapped, most, workspace).turned();
                let for_b = behind(most);
                let overturning = overturning.unwrap_or_else(|| behind(chosen[query.number]));
                ((for_b, for_a), overturning)
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
