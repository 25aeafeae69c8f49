//! The measures with a dedicated difference, and their builders.

use super::average_precision::average_precision;
use super::bpref::bpref;
use super::cascade::{any_cascade, expected_reciprocal_rank};
use super::general::general;
use super::given::{Divisor, Given, Options};
use super::novelty::novelty;
use super::reciprocal_rank::reciprocal_rank;
use super::share::{f1, recall};
use super::solution::Difference;
use super::success::success;
use super::sums::{dcg, hits, insq, ndcg, precision, rank_biased_precision, sdcg};
use super::time_biased_gain::time_biased_gain;
use super::u_measure::u_measure;
use crate::error::{Error, Result};
use crate::measures::average_precision::AVERAGE_PRECISION;
use crate::measures::bpref::BPREF;
use crate::measures::cascade::{CASCADE, ERR};
use crate::measures::cwl::fixed::{INSQ, SDCG};
use crate::measures::dcg::{DCG, NDCG};
use crate::measures::diversity::{ALPHA_DCG, ALPHA_NDCG, ERR_IA, NERR_IA, P_IA, SUBTOPIC_RECALL};
use crate::measures::hits::{F1, HITS, PRECISION, RECALL};
use crate::measures::rank_biased_precision::RBP;
use crate::measures::reciprocal_rank::RECIPROCAL_RANK;
use crate::measures::success::SUCCESS;
use crate::measures::time_biased_gain::TBG;
use crate::measures::u_measure::U;
use crate::names::Info;

/// An option that not every measure heeds.
#[derive(Clone, Copy, PartialEq)]
enum Heeds {
    Tail,
    TailWithoutCutoff,
    Divisor,
    PerGrade,
    Ties,
}
use Heeds::{PerGrade, Tail, TailWithoutCutoff, Ties};

/// What makes the difference of a measure.
type Make = fn(&Given<'_>) -> Result<Box<dyn Difference>>;

/// Measures with the options they heed, and what makes their differences.
static KNOWN: &[(&Info, &[Heeds], Make)] = &[
    (&PRECISION.info, &[Ties], precision),
    (&HITS.info, &[Ties], hits),
    (&INSQ.info, &[Ties], insq),
    (&SDCG.info, &[Ties], sdcg),
    (&DCG.info, &[PerGrade, Ties], dcg),
    (&NDCG.info, &[PerGrade, Ties], ndcg),
    (&RBP.info, &[TailWithoutCutoff, Ties], rank_biased_precision),
    (&AVERAGE_PRECISION.info, &[Heeds::Divisor], average_precision),
    (&RECIPROCAL_RANK.info, &[], reciprocal_rank),
    (&SUCCESS.info, &[], success),
    (&ERR.info, &[Tail], expected_reciprocal_rank),
    (&CASCADE.info, &[], any_cascade),
    (&RECALL.info, &[], recall),
    (&F1.info, &[], f1),
    (&BPREF.info, &[], bpref),
    (&U.info, &[], u_measure),
    (&TBG.info, &[], time_biased_gain),
    (&ALPHA_DCG.info, &[], novelty),
    (&ALPHA_NDCG.info, &[], novelty),
    (&ERR_IA.info, &[], novelty),
    (&NERR_IA.info, &[], novelty),
    (&SUBTOPIC_RECALL.info, &[], novelty),
    (&P_IA.info, &[], novelty),
];

/// The largest cutoff: every rank has a discount of its own.
const DEEPEST: usize = 10_000_000;

/// The difference in a measure.
///
/// # Errors
/// None is known, it does not heed an option, or a parameter has a value it cannot take.
pub(super) fn make(given: &Given<'_>) -> Result<Box<dyn Difference>> {
    let of = given.of;
    let known = KNOWN.iter().find(|(info, ..)| **info == *of.info);
    let &(_, heeds, make) = known.unwrap_or(&(of.info, &[], general as Make));
    // What a difference cannot heed is refused: means are those of the difference, as is R where it is known.
    let refused = ["judged_only", "mean", "recall_base"].into_iter().take(if known.is_some() { 3 } else { 2 });
    if let Some(name) = refused.into_iter().find(|name| of.parameter(name).is_some()) {
        return Err(Error::Measure(format!("{of}: {name} cannot be used for a difference of two rankings")));
    }
    if let Some(cutoff) = of.cutoff.filter(|&cutoff| cutoff > DEEPEST) {
        let message = format!("the largest difference in {of} is available for cutoffs up to {DEEPEST}, not {cutoff}");
        return Err(Error::Value(message));
    }
    let difference = make(given)?;
    let Options { tail, divisor, per_grade, optimistic, .. } = *given.options;
    let has_tail = heeds.contains(&Tail) || heeds.contains(&TailWithoutCutoff) && of.cutoff.is_none();
    let refused = if tail && !has_tail {
        Some(("tail='upper'", "RBP without a cutoff and with ERR"))
    } else if divisor != Divisor::Depth && !heeds.contains(&Heeds::Divisor) {
        Some(("R", "AP"))
    } else if per_grade.is_some() && !heeds.contains(&PerGrade) {
        Some(("per_grade", "DCG and nDCG"))
    } else if optimistic && (per_grade.is_some() || !heeds.contains(&Ties)) {
        Some(("ties='optimistic'", "sums of gains times discounts (P, Hits, DCG, nDCG, RBP, INSQ, SDCG)"))
    } else {
        None
    };
    match refused {
        Some((option, with)) => Err(Error::Measure(format!("{option} is only for {with}, not for {of}"))),
        None => Ok(difference),
    }
}
