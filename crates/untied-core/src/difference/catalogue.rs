//! The measures with a dedicated difference, and their builders.

use super::general::{self, general};
use super::pair::TieOrders;
use super::setup::{Options, PrecisionDivisor, Setup};
use super::solution::Difference;
use super::upper_bounds::MovingDifference;
use super::{
    additive, average_precision, bpref, cascade, first_relevant, novelty, r_precision, share, time_biased_gain,
    u_measure,
};
use crate::error::{Error, Result};
use crate::measures::average_precision::AVERAGE_PRECISION;
use crate::measures::bpref::BPREF;
use crate::measures::cascade::{CASCADE, ERR};
use crate::measures::cwl::fixed::{INSQ, SDCG};
use crate::measures::dcg::{DCG, NDCG};
use crate::measures::diversity::{ALPHA_DCG, ALPHA_NDCG, ERR_IA, NERR_IA, P_IA, SUBTOPIC_RECALL};
use crate::measures::hits::{F1, HITS, PRECISION, R_PRECISION, RECALL};
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

/// Makes the difference of a measure for MED and Delta.
type Make = fn(&Setup<'_>) -> Result<Box<dyn Difference>>;

/// Makes the difference of a measure for verdicts.
type MakeMoving = fn(&Setup<'_>) -> Result<Box<dyn MovingDifference>>;

/// Measures with the options they heed, and what makes their differences: for MED and Delta, and for verdicts.
static KNOWN: &[(&Info, &[Heeds], Make, Option<MakeMoving>)] = &[
    (&PRECISION.info, &[Ties], additive::precision, Some(additive::moving_precision)),
    (&HITS.info, &[Ties], additive::hits, Some(additive::moving_hits)),
    (&INSQ.info, &[Ties], additive::insq, None),
    (&SDCG.info, &[Ties], additive::sdcg, None),
    (&RECALL.info, &[], share::recall, Some(additive::moving_recall)),
    (&F1.info, &[], share::f1, Some(additive::moving_f1)),
    (
        &RBP.info,
        &[TailWithoutCutoff, Ties],
        additive::rank_biased_precision,
        Some(additive::moving_rank_biased_precision),
    ),
    (&DCG.info, &[PerGrade, Ties], additive::dcg, Some(additive::moving_dcg)),
    (&NDCG.info, &[PerGrade, Ties], additive::ndcg, Some(additive::moving_ndcg)),
    (&RECIPROCAL_RANK.info, &[], first_relevant::reciprocal_rank, Some(first_relevant::moving_reciprocal_rank)),
    (&SUCCESS.info, &[], first_relevant::success, Some(first_relevant::moving_success)),
    (&R_PRECISION.info, &[], general, Some(r_precision::moving)),
    (&AVERAGE_PRECISION.info, &[Heeds::Divisor], average_precision::fixed, Some(average_precision::moving)),
    (&ERR.info, &[Tail], cascade::fixed, Some(cascade::moving)),
    (&BPREF.info, &[], bpref::fixed, Some(bpref::moving)),
    (&CASCADE.info, &[], cascade::any_cascade, None),
    (&U.info, &[], u_measure::u_measure, None),
    (&TBG.info, &[], time_biased_gain::time_biased_gain, None),
];

/// Measures whose differences are added up over subtopics. They heed no option.
static NOVELTY: [&Info; 6] =
    [&ALPHA_DCG.info, &ALPHA_NDCG.info, &ERR_IA.info, &NERR_IA.info, &SUBTOPIC_RECALL.info, &P_IA.info];

/// Whether a measure has a solver of its own for MED and for verdicts; others are left to the general search.
pub(crate) fn is_solved(info: &Info) -> (bool, bool) {
    let known = KNOWN.iter().find(|(of, ..)| *of == info);
    known.map_or((NOVELTY.contains(&info), false), |&(.., make, moving)| {
        (make as usize != general as Make as usize, moving.is_some())
    })
}

/// The largest cutoff: every rank has a discount of its own.
const DEEPEST: usize = 10_000_000;

/// The difference in a measure for MED and Delta.
///
/// # Errors
/// None is known, it does not heed an option, or a parameter has a value it cannot take.
pub(super) fn make(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let spec = setup.spec;
    let known = KNOWN.iter().find(|(info, ..)| **info == *spec.info).map(|&(_, heeds, make, _)| (heeds, make));
    let known = known.or_else(|| NOVELTY.contains(&spec.info).then_some((&[], novelty::novelty)));
    let (heeds, make) = known.unwrap_or((&[], general));
    // What a difference cannot heed is refused: means are those of the difference, as is R where it is known.
    let refused = ["judged_only", "mean", "recall_base"].into_iter().take(if known.is_some() { 3 } else { 2 });
    if let Some(name) = refused.into_iter().find(|name| spec.parameter(name).is_some()) {
        return Err(Error::Measure(format!("{spec}: {name} cannot be used for a difference of two rankings")));
    }
    if let Some(cutoff) = spec.cutoff.filter(|&cutoff| cutoff > DEEPEST) {
        let message =
            format!("the largest difference in {spec} is available for cutoffs up to {DEEPEST}, not {cutoff}");
        return Err(Error::Value(message));
    }
    let difference = make(setup)?;
    let Options { tail, divisor, per_grade, ties, .. } = *setup.options;
    let has_tail = heeds.contains(&Tail) || heeds.contains(&TailWithoutCutoff) && spec.cutoff.is_none();
    let refused = if tail && !has_tail {
        Some(("tail='upper'", "RBP without a cutoff and with ERR"))
    } else if divisor != PrecisionDivisor::Depth && !heeds.contains(&Heeds::Divisor) {
        Some(("R", "AP"))
    } else if per_grade.is_some() && !heeds.contains(&PerGrade) {
        Some(("per_grade", "DCG and nDCG"))
    } else if ties == TieOrders::BestWorst && (per_grade.is_some() || !heeds.contains(&Ties)) {
        Some(("ties='optimistic'", "sums of gains times discounts (P, Hits, DCG, nDCG, RBP, INSQ, SDCG)"))
    } else {
        None
    };
    match refused {
        Some((option, with)) => Err(Error::Measure(format!("{option} is only for {with}, not for {spec}"))),
        None => Ok(difference),
    }
}

/// The difference in a measure for verdicts.
///
/// # Errors
/// It is not known, or a parameter cannot be combined with it.
pub(crate) fn make_moving(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    let spec = setup.spec;
    let known = KNOWN.iter().find(|(info, ..)| **info == *spec.info).and_then(|known| known.3);
    let refused = ["judged_only", "mean", "recall_base", "mult"];
    let refused = &refused[..if known.is_some() { 4 } else { 2 }];
    if let Some(name) = refused.iter().find(|name| spec.parameter(name).is_some()) {
        return Err(Error::Measure(format!("{spec}: {name} cannot be used for a verdict")));
    }
    known.unwrap_or(general::moving)(setup)
}
