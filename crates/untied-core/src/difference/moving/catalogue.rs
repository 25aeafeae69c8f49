//! Which measures have ceilings.

use super::average_precision::average_precision;
use super::cascade::expected_reciprocal_rank;
use super::first::{reciprocal_rank, success};
use super::given::Given;
use super::preference::bpref;
use super::question::Ceiling;
use super::r_precision::r_precision;
use super::sums::{dcg, f1, hits, ndcg, precision, rank_biased_precision, recall};
use crate::error::{Error, Result};
use crate::measures::average_precision::AVERAGE_PRECISION;
use crate::measures::bpref::BPREF;
use crate::measures::cascade::ERR;
use crate::measures::dcg::{DCG, NDCG};
use crate::measures::hits::{F1, HITS, PRECISION, R_PRECISION, RECALL};
use crate::measures::rank_biased_precision::RBP;
use crate::measures::reciprocal_rank::RECIPROCAL_RANK;
use crate::measures::success::SUCCESS;
use crate::names::Info;

/// What makes the ceiling of a measure.
type Make = fn(&Given<'_>) -> Result<Box<dyn Ceiling>>;

/// Measures that have one.
static KNOWN: &[(&Info, Make)] = &[
    (&PRECISION.info, precision),
    (&HITS.info, hits),
    (&RECALL.info, recall),
    (&F1.info, f1),
    (&RBP.info, rank_biased_precision),
    (&DCG.info, dcg),
    (&NDCG.info, ndcg),
    (&RECIPROCAL_RANK.info, reciprocal_rank),
    (&SUCCESS.info, success),
    (&R_PRECISION.info, r_precision),
    (&AVERAGE_PRECISION.info, average_precision),
    (&ERR.info, expected_reciprocal_rank),
    (&BPREF.info, bpref),
];

/// The largest difference in a measure.
///
/// # Errors
/// It is not known, or a parameter cannot be combined with it.
pub(crate) fn make(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    let of = given.of;
    let Some((_, make)) = KNOWN.iter().find(|(info, _)| **info == *of.info) else {
        let names: Vec<&str> = KNOWN.iter().map(|(info, _)| info.name).collect();
        return Err(Error::Measure(format!("{of}: verdicts are available only for {}", names.join(", "))));
    };
    if let Some(name) =
        ["judged_only", "mean", "recall_base", "mult"].into_iter().find(|name| of.parameter(name).is_some())
    {
        return Err(Error::Measure(format!("{of}: {name} cannot be used for a verdict")));
    }
    make(given)
}
