//! The measures whose largest difference has a solver of its own.

use super::general::general;
use super::pair::TieOrders;
use super::setup::{Options, PrecisionDivisor, Question, Setup};
use super::solution::Difference;
use super::{
    additive, average_precision, bpref, cascade, first_relevant, fixed_divisor, novelty, r_precision, sharp,
    time_biased_gain,
};
use crate::error::{Error, Result};
use crate::measures::average_precision::AVERAGE_PRECISION;
use crate::measures::bpref::BPREF;
use crate::measures::cascade::{CASCADE, ERR};
use crate::measures::cwl::fixed::{INSQ, SDCG};
use crate::measures::d_measure::{D_NDCG, DSHARP_NDCG};
use crate::measures::dcg::{DCG, NDCG};
use crate::measures::diversity::{ALPHA_DCG, ALPHA_NDCG, AP_IA, ERR_IA, NERR_IA, NNRBP, NRBP, P_IA, SUBTOPIC_RECALL};
use crate::measures::hits::{F1, HITS, PRECISION, R_PRECISION, RECALL};
use crate::measures::rank_biased_precision::RBP;
use crate::measures::rbu::RANK_BIASED_UTILITY;
use crate::measures::reciprocal_rank::RECIPROCAL_RANK;
use crate::measures::success::SUCCESS;
use crate::measures::time_biased_gain::TBG;
use crate::measures::u_measure::U;
use crate::names::{Info, Needs};

/// An option of MED or Delta that only some measures take.
#[derive(Clone, Copy, PartialEq)]
enum Heeds {
    Tail,
    TailWithoutCutoff,
    Divisor,
    PerGrade,
    Ties,
}
use Heeds::{Divisor, PerGrade, Tail, TailWithoutCutoff, Ties};

/// Which questions a solver answers: MED and Delta, verdicts, or both. The general search answers the others.
#[derive(Clone, Copy, PartialEq)]
enum Solves {
    All,
    /// MED and Delta, and with [`fixed_divisor`] verdicts.
    AlsoVerdicts,
    Med,
    Verdicts,
}
use Solves::{All, AlsoVerdicts, Med, Verdicts};

/// Builds the difference in a measure.
type Make = fn(&Setup<'_>) -> Result<Box<dyn Difference>>;

/// The measures with a solver. Each has the options that it takes, the function that builds its difference, and the
/// questions that it answers.
static KNOWN: &[(&Info, &[Heeds], Make, Solves)] = &[
    (&PRECISION.info, &[Ties], additive::precision, All),
    (&HITS.info, &[Ties], additive::hits, All),
    (&INSQ.info, &[Ties], additive::insq, Med),
    (&SDCG.info, &[Ties], additive::sdcg, Med),
    (&RECALL.info, &[], additive::recall, All),
    (&F1.info, &[], additive::f1, All),
    (&RBP.info, &[TailWithoutCutoff, Ties], additive::rank_biased_precision, All),
    (&DCG.info, &[PerGrade, Ties], additive::dcg, All),
    (&NDCG.info, &[PerGrade, Ties], additive::ndcg, All),
    (&RECIPROCAL_RANK.info, &[], first_relevant::reciprocal_rank, All),
    (&SUCCESS.info, &[], first_relevant::success, All),
    (&R_PRECISION.info, &[], r_precision::r_precision, Verdicts),
    (&AVERAGE_PRECISION.info, &[Divisor], average_precision::average_precision, All),
    (&ERR.info, &[Tail], cascade::expected_reciprocal_rank, All),
    (&BPREF.info, &[], bpref::bpref, All),
    (&CASCADE.info, &[], cascade::any_cascade, Med),
    (&U.info, &[], additive::u_measure, All),
    (&TBG.info, &[], time_biased_gain::time_biased_gain, AlsoVerdicts),
    (&ALPHA_DCG.info, &[], novelty::alpha_dcg, AlsoVerdicts),
    (&ALPHA_NDCG.info, &[], novelty::alpha_dcg, Med),
    (&ERR_IA.info, &[], novelty::err_ia, AlsoVerdicts),
    (&NERR_IA.info, &[], novelty::err_ia, Med),
    (&NRBP.info, &[], novelty::nrbp, AlsoVerdicts),
    (&NNRBP.info, &[], novelty::nrbp, Med),
    (&AP_IA.info, &[], novelty::ap_ia, All),
    (&P_IA.info, &[], novelty::p_ia, AlsoVerdicts),
    (&SUBTOPIC_RECALL.info, &[], novelty::subtopic_recall, AlsoVerdicts),
    (&D_NDCG.info, &[], novelty::d_ndcg, Med),
    (&DSHARP_NDCG.info, &[], sharp::d_sharp, Med),
    (&RANK_BIASED_UTILITY.info, &[], novelty::rank_biased_utility, AlsoVerdicts),
];

/// Whether a measure has a solver for MED, and whether it has one for verdicts.
pub(crate) fn is_solved(info: &Info) -> (bool, bool) {
    let solves = KNOWN.iter().find(|(known, ..)| *known == info).map(|&(.., solves)| solves);
    solves.map_or((false, false), |solves| (solves != Verdicts, solves != Med))
}

/// The largest cutoff for MED and Delta, which keep a discount for every rank.
const DEEPEST: usize = 10_000_000;

/// The difference in a measure, by its own solver or by the general search.
///
/// # Errors
/// The measure has no difference, does not take an option, or a parameter has a value that it cannot take.
pub(crate) fn make(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let spec = setup.spec;
    let is_verdict = matches!(setup.question, Question::Verdicts { .. });
    let known = KNOWN.iter().find(|(info, ..)| **info == *spec.info);
    // Refuse parameters that the difference would ignore.
    let (refused, what) = match is_verdict {
        true => (&["judged_only", "mean", "recall_base", "mult"][..], "verdict"),
        false => (&["judged_only", "mean", "recall_base"][..], "difference of two rankings"),
    };
    let refused = &refused[..if known.is_some() { refused.len() } else { 2 }];
    if let Some(name) = refused.iter().find(|name| spec.parameter(name).is_some()) {
        let why = match *name {
            "mean" => ", because the difference of two geometric means is no mean of differences",
            _ => "",
        };
        return Err(Error::Measure(format!("{spec}: {name} cannot be used for a {what}{why}")));
    }
    let solved_elsewhere = if is_verdict { Med } else { Verdicts };
    let make = known.filter(|known| known.3 != solved_elsewhere).map_or(general as Make, |known| known.2);
    if let Question::Verdicts { possible } = setup.question {
        if known.is_some() && spec.info.needs != Needs::Judgments && setup.options.ties == TieOrders::BestWorst {
            let why = "it reads more than grades, for which only the mean over their orders is solved";
            return Err(Error::Measure(format!("the verdict in {spec} for all orders of ties is not known: {why}")));
        }
        return match known {
            Some(&(_, _, make, AlsoVerdicts)) => fixed_divisor::verdict(setup, make, possible),
            _ => make(setup),
        };
    }
    if let Some(cutoff) = spec.cutoff.filter(|&cutoff| cutoff > DEEPEST) {
        let message =
            format!("the largest difference in {spec} is available for cutoffs up to {DEEPEST}, not {cutoff}");
        return Err(Error::Value(message));
    }
    let difference = make(setup)?;
    let heeds = known.map_or(&[][..], |known| known.1);
    let Options { tail, divisor, per_grade, ties, .. } = *setup.options;
    let has_tail = heeds.contains(&Tail) || heeds.contains(&TailWithoutCutoff) && spec.cutoff.is_none();
    let refused = if tail && !has_tail {
        Some(("tail='upper'", "RBP without a cutoff and with ERR"))
    } else if divisor != PrecisionDivisor::Depth && !heeds.contains(&Divisor) {
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
