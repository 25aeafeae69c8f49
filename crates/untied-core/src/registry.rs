//! The list of all measures: the only module that depends on each of them; it parses their names and builds them.

use crate::error::{Error, Result};
use crate::measures::defined::{Defined, Description};
use crate::measures::*;
use crate::names::{Aggregate, Info, MeasureNames, Spec};
use crate::similarity::{
    anchor, footrule, hoeffding, jaccard, kendall_distance, overlap, rbo, spearman, tau, tau_ap, weighted,
    weighted_footrule,
};
use crate::{difference, similarity};

/// All measures, family by family, in the order in which they are listed.
pub static FAMILIES: &[Family] = &[
    Family {
        title: "Relevant documents within a cutoff",
        measures: Members::OfOne(&[
            &hits::PRECISION,
            &hits::RECALL,
            &hits::F1,
            &hits::HITS,
            &hits::RELATIVE_PRECISION,
            &hits::R_PRECISION,
            &success::SUCCESS,
            &success::ALL_FOUND,
        ]),
    },
    Family {
        title: "Average precision, precision at recall levels, reciprocal rank",
        measures: Members::OfOne(&[
            &average_precision::AVERAGE_PRECISION,
            &yaap::YAAP,
            &reciprocal_rank::RECIPROCAL_RANK,
            &interpolated::INTERPOLATED_PRECISION,
            &interpolated::MEAN_INTERPOLATED_PRECISION,
        ]),
    },
    Family {
        title: "Discounted and cumulated gain",
        measures: Members::OfOne(&[
            &dcg::DCG,
            &dcg::NDCG,
            &ndcg_points::NDCG_AT_CHANGES,
            &ndcg_points::NDCG_AT_RELEVANT,
            &cost_gain::COST_GAIN,
            &binary_gain::BINARY_GAIN,
        ]),
    },
    Family {
        title: "Blended ratios of counts and gains",
        measures: Members::OfOne(&[
            &q_measure::Q_MEASURE,
            &o_measure::O_MEASURE,
            &p_measure::P_MEASURE,
            &p_measure::P_PLUS,
            &ncu::NCU,
            &graded_average_precision::GRADED_AVERAGE_PRECISION,
        ]),
    },
    Family {
        title: "Models of a user who stops",
        measures: Members::OfOne(&[
            &rank_biased_precision::RBP,
            &rank_biased_precision::RBP_RESIDUAL,
            &cascade::ERR,
            &cascade::NERR,
            &cascade::CASCADE,
            &irbu::INTENTWISE_UTILITY,
            &cwl::nerr::NERR8,
            &cwl::nerr::NERR9,
            &cwl::nerr::NERR10,
            &cwl::nerr::NERR11,
            &cwl::bpm::BPM,
            &cwl::inst::INST,
            &cwl::fixed::INSQ,
            &cwl::fixed::SDCG,
        ]),
    },
    Family {
        title: "Search length and pairs of documents",
        measures: Members::OfOne(&[
            &search_length::SEARCH_LENGTH,
            &search_length::EXPECTED_PRECISION,
            &search_length::PROBABILITY_OF_RELEVANCE,
            &normalised_recall::NORMALISED_RECALL,
            &accuracy::ACCURACY,
            &concordance::PAIR_CONCORDANCE,
        ]),
    },
    Family {
        title: "Incomplete judgments",
        measures: Members::OfOne(&[
            &bpref::BPREF,
            &inferred::INFERRED_AP,
            &subcollection::SUBCOLLECTION_AP,
            &stratified::STRATIFIED_AP,
            &stratified_gain::INFERRED_NDCG,
            &inclusion::STAT_AP,
            &judged::JUDGED,
            &judged::UNJUDGED,
        ]),
    },
    Family {
        title: "Partial orders of documents",
        measures: Members::OfOne(&[
            &dynamic_recall::AVERAGE_DYNAMIC_RECALL,
            &inverted_recall::INVERTED_RECALL,
            &compatibility::COMPATIBILITY,
        ]),
    },
    Family {
        title: "Lengths of documents (--docs FILE)",
        measures: Members::OfOne(&[&time_biased_gain::TBG, &u_measure::U]),
    },
    Family {
        title: "Subtopics (qrels with subtopics)",
        measures: Members::OfOne(&[
            &diversity::ALPHA_DCG,
            &diversity::ALPHA_NDCG,
            &diversity::ERR_IA,
            &diversity::NERR_IA,
            &diversity::NRBP,
            &diversity::NNRBP,
            &diversity::AP_IA,
            &diversity::P_IA,
            &diversity::SUBTOPIC_RECALL,
            &d_measure::D_NDCG,
            &d_measure::DSHARP_NDCG,
            &rbu::RANK_BIASED_UTILITY,
        ]),
    },
    Family {
        title: "The retrieved documents as a set",
        measures: Members::OfOne(&[
            &sets::SET_PRECISION,
            &sets::SET_RELATIVE_PRECISION,
            &sets::SET_RECALL,
            &sets::SET_F,
            &sets::SET_AVERAGE_PRECISION,
            &utility::UTILITY,
        ]),
    },
    Family {
        title: "Counts, added up over queries",
        measures: Members::OfOne(&[
            &counts::NUM_Q,
            &counts::NUM_RET,
            &counts::NUM_REL,
            &counts::NUM_REL_RET,
            &counts::NUM_NONREL_JUDGED_RET,
        ]),
    },
    Family {
        title: "What two rankings have in common",
        measures: Members::Similarities(&[
            &rbo::RBO,
            &overlap::OVERLAP,
            &overlap::AVERAGE_OVERLAP,
            &jaccard::JACCARD,
            &anchor::ANCHOR_MAP,
            &tau::TAU,
            &tau_ap::TAU_AP,
            &spearman::SPEARMAN,
            &kendall_distance::KENDALL_DISTANCE,
            &footrule::FOOTRULE,
            &footrule::RECIPROCAL_RANKS,
            &weighted::WEIGHTED_KENDALL,
            &weighted_footrule::WEIGHTED_FOOTRULE,
            &hoeffding::HOEFFDING,
        ]),
    },
    Family {
        title: "How much two rankings could differ",
        measures: Members::Differences(&[&difference::MED, &difference::DELTA]),
    },
];

/// Measures that are listed together.
pub struct Family {
    /// What they have in common.
    pub title: &'static str,
    /// The measures.
    pub measures: Members,
}

/// Measures, by what they read.
pub enum Members {
    /// One ranking, and judgments.
    OfOne(&'static [&'static Definition]),
    /// Two rankings.
    Similarities(&'static [&'static similarity::Definition]),
    /// Two rankings, and what judgments there are.
    Differences(&'static [&'static difference::ComparerDefinition]),
}

impl Family {
    /// Whether its measures compare two rankings.
    pub fn compares(&self) -> bool {
        !matches!(self.measures, Members::OfOne(_))
    }

    /// The facts of its measures, in the order in which they are listed.
    pub fn infos(&self) -> Vec<&'static Info> {
        match self.measures {
            Members::OfOne(all) => all.iter().map(|one| &one.info).collect(),
            Members::Similarities(all) => all.iter().map(|one| &one.info).collect(),
            Members::Differences(all) => all.iter().map(|one| &one.info).collect(),
        }
    }
}

/// How a measure is made.
enum Maker {
    OfOne(Build),
    OfUser(&'static Defined),
    Similarity(similarity::Build),
    Difference(difference::ComparerBuild),
}

fn maker(spec: &Spec) -> Result<Maker> {
    let info = spec.info;
    let known = FAMILIES.iter().find_map(|family| match family.measures {
        Members::OfOne(all) => all.iter().find(|one| one.info == *info).map(|one| Maker::OfOne(one.build)),
        Members::Similarities(all) => all.iter().find(|one| one.info == *info).map(|one| Maker::Similarity(one.build)),
        Members::Differences(all) => all.iter().find(|one| one.info == *info).map(|one| Maker::Difference(one.build)),
    });
    let known = known.or_else(|| defined::find(info).map(Maker::OfUser));
    known.ok_or_else(|| Error::Measure(format!("{spec} is not defined")))
}

/// Check a measure of one ranking and make it.
///
/// # Errors
/// It compares two rankings, a cutoff is missing, a parameter has a value it cannot take, or the grades do not fit.
pub fn build(spec: &Spec, scope: &Scope<'_>) -> Result<Box<dyn Measure>> {
    spec.check()?;
    match maker(spec)? {
        Maker::OfOne(build) => build(spec, scope),
        Maker::OfUser(defined) => (defined.build)(spec, scope),
        Maker::Similarity(_) | Maker::Difference(_) => {
            Err(Error::Measure(format!("{spec} compares two rankings; it does not evaluate one: use untied compare")))
        }
    }
}

/// A measure that compares two rankings, ready to be computed.
pub enum Comparator {
    /// What they have in common.
    Similarity(Box<dyn similarity::Similarity>),
    /// How much they differ, or could differ.
    Difference(Box<dyn difference::Comparer>),
}

/// Check a measure that compares two rankings and make it.
///
/// # Errors
/// It reads one ranking, a cutoff is missing, or a parameter has a value it cannot take.
pub fn comparator(spec: &Spec, scope: &Scope<'_>) -> Result<Comparator> {
    spec.check()?;
    let arithmetic = |what: &str| match spec.aggregate()? {
        Aggregate::Mean => Ok(()),
        _ => Err(Error::Measure(format!("{spec}: only the arithmetic mean of {what} is taken"))),
    };
    match maker(spec)? {
        Maker::Similarity(make) => arithmetic("similarities").and_then(|()| make(spec)).map(Comparator::Similarity),
        Maker::Difference(make) => {
            arithmetic("differences").and_then(|()| make(spec, scope, build)).map(Comparator::Difference)
        }
        Maker::OfOne(_) | Maker::OfUser(_) => {
            let remedy = format!("use Delta({spec}), or untied stats");
            Err(Error::Measure(format!("{spec} reads one ranking and judgments; it does not compare two: {remedy}")))
        }
    }
}

/// Whether a measure has a solver of its own for MED and for verdicts; others are left to a general search.
pub fn has_solvers(info: &Info) -> (bool, bool) {
    difference::catalogue::is_solved(info)
}

/// Whether a measure compares two rankings.
pub fn compares(info: &'static Info) -> bool {
    FAMILIES.iter().any(|family| family.compares() && family.infos().contains(&info))
}

/// Check a measure, as far as that is possible without judgments.
///
/// # Errors
/// As [`build`] and [`comparator`].
pub fn check(spec: &Spec) -> Result<()> {
    let scope = Scope { depth: 0, grades: &[] };
    if compares(spec.info) { comparator(spec, &scope).map(|_| ()) } else { build(spec, &scope).map(|_| ()) }
}

/// All measures that have a name: those of one ranking, those that compare two, and those that users have defined.
fn names() -> MeasureNames {
    let ours = FAMILIES.iter().flat_map(Family::infos);
    MeasureNames { all: ours.chain(defined::all().into_iter().map(|one| one.info)).collect(), check }
}

/// One measure, complete.
///
/// # Errors
/// As [`MeasureNames::parse`].
pub fn parse(text: &str) -> Result<Spec> {
    names().parse(text)
}

/// One measure whose cutoff may still come: `P(rel=2)`.
///
/// # Errors
/// As [`MeasureNames::parse_open`].
pub fn parse_open(text: &str) -> Result<Spec> {
    names().parse_open(text)
}

/// One measure, or several that differ by cutoff in trec_eval's spelling (`P.5,10`, `ndcg_cut.10`).
///
/// # Errors
/// As [`MeasureNames::parse_all`].
pub fn parse_all(text: &str) -> Result<Vec<Spec>> {
    names().parse_all(text)
}

/// Check all but a cutoff, or parameters, that may still come.
///
/// # Errors
/// As [`check`].
pub fn check_open(spec: &Spec) -> Result<()> {
    names().check_open(spec)
}

/// Define a measure.
///
/// # Errors
/// The name or one of a parameter cannot be used, or already stands for something else.
pub fn define(description: Description, build: defined::BuildDefined) -> Result<&'static Defined> {
    defined::define(description, build, |name| names().taken(name))
}
