//! Bounds of the differences of single queries, without verdicts: for tests and tables of differences.

use rayon::prelude::*;

use super::Settings;
use super::certifier::{certifiers, ends};
use super::queries::{PairJoiner, QueryRankings};
use crate::error::Result;
use crate::names::Spec;
use crate::ranking::Order;
use crate::table::{Qrels, Run};
use crate::watch;

/// The least and the most that the difference can be in each query of the qrels, one query after the other; for all pairs
/// of runs, by number, and of each pair for all measures. They are those of [`super::explain`].
///
/// # Errors
/// See [`super::certify`].
pub fn spans(
    runs: &[&Run],
    pairs: &[(usize, usize)],
    qrels: &Qrels,
    specs: &[Spec],
    settings: Settings,
) -> Result<Vec<Vec<(f64, f64)>>> {
    let certifiers = certifiers(runs, qrels, specs, settings)?;
    let most = settings.most();
    watch::begin(|| "bounding differences".into(), "queries", Some(qrels.len() as u64));
    // Rankings of one query a thread are held at a time.
    let of_query = |(order, joiner): &mut (Order, PairJoiner), number: usize| {
        let query = QueryRankings::new(order, runs, qrels, number, settings)?;
        let mut spans = Vec::with_capacity(pairs.len() * specs.len());
        for &pair in pairs {
            joiner.with(&query, pair, |pair, swapped| {
                for certifier in &certifiers {
                    let (up, down) = certifier.upper_bounds(pair, swapped);
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
