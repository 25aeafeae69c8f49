//! Bounds of the differences of single queries, without verdicts. Significance tests and tables of differences use
//! them.

use rayon::prelude::*;

use super::certifier::{certifiers, ends};
use super::queries::{DocumentFacts, PairJoiner, QueryRankings};
use super::{Evidence, VerdictSettings};
use crate::error::Result;
use crate::names::Spec;
use crate::ranking::Order;
use crate::table::Run;
use crate::watch;

/// The lowest and the highest possible difference of each judged query, for each pair of runs and each measure. `pairs`
/// has the indices of runs. The bounds are those of [`super::explain`].
///
/// # Errors
/// See [`super::certify`].
pub fn spans(
    runs: &[&Run],
    pairs: &[(usize, usize)],
    evidence: Evidence<'_>,
    specs: &[Spec],
    settings: VerdictSettings,
) -> Result<Vec<Vec<(f64, f64)>>> {
    let certifiers = certifiers(runs, evidence, specs, settings)?;
    let (qrels, facts) = (evidence.qrels, DocumentFacts::new(evidence, specs));
    let most = settings.most();
    watch::begin(|| "bounding differences".into(), "queries", Some(qrels.len() as u64));
    // Each thread has the rankings of only one query in memory.
    let of_query = |(order, joiner): &mut (Order, PairJoiner), number: usize| {
        let query = QueryRankings::new(order, runs, &facts, number, settings)?;
        let mut spans = Vec::with_capacity(pairs.len() * specs.len());
        for &pair in pairs {
            joiner.with(&query, pair, |pair, swapped, workspace| {
                for certifier in &certifiers {
                    let (up, down) = certifier.upper_bounds(pair, swapped, workspace);
                    spans.push(ends(&up, &down, most));
                }
            });
            watch::check()?;
        }
        watch::step(1)?;
        Ok(spans)
    };
    (0..qrels.len()).into_par_iter().map_init(Default::default, of_query).collect()
}
