//! All measures, and reading their names: no other module knows every one of them.

mod grammar;
mod spellings;

pub use grammar::{parse, parse_all, parse_open};

use crate::error::Result;
use crate::measures::defined::{self, Build, Defined, Description};
use crate::measures::{
    Cutoff, Info, Parameter, RECALL, Scope, Spec, accuracy, average_precision, binary_gain, bpref, cascade,
    compatibility, concordance, cost_gain, counts, cwl, dcg, diversity, dynamic_recall, hits, inclusion, inferred,
    interpolated, inverted_recall, judged, ndcg_points, rank_biased_precision, reciprocal_rank, search_length, sets,
    stratified, stratified_gain, subcollection, success, time_biased_gain, u_measure, utility, yaap,
};
use crate::{med, similarity};

/// All measures of one ranking, family by family, in the order in which they are listed.
pub static FAMILIES: &[Family] = &[
    Family {
        title: "Relevant documents within a cutoff",
        measures: &[
            &hits::PRECISION,
            &hits::RECALL,
            &hits::F1,
            &hits::HITS,
            &hits::RELATIVE_PRECISION,
            &hits::R_PRECISION,
            &success::SUCCESS,
        ],
    },
    Family {
        title: "Average precision, precision at recall levels, reciprocal rank",
        measures: &[
            &average_precision::AVERAGE_PRECISION,
            &yaap::YAAP,
            &reciprocal_rank::RECIPROCAL_RANK,
            &interpolated::INTERPOLATED_PRECISION,
            &interpolated::MEAN_INTERPOLATED_PRECISION,
        ],
    },
    Family {
        title: "Discounted and cumulated gain",
        measures: &[
            &dcg::DCG,
            &dcg::NDCG,
            &ndcg_points::NDCG_AT_CHANGES,
            &ndcg_points::NDCG_AT_RELEVANT,
            &cost_gain::COST_GAIN,
            &binary_gain::BINARY_GAIN,
        ],
    },
    Family {
        title: "Models of a user who stops",
        measures: &[
            &rank_biased_precision::RBP,
            &rank_biased_precision::RBP_RESIDUAL,
            &cascade::ERR,
            &cascade::NERR,
            &cascade::CASCADE,
            &cwl::NERR8,
            &cwl::NERR9,
            &cwl::NERR10,
            &cwl::NERR11,
            &cwl::BPM,
            &cwl::INST,
            &cwl::INSQ,
            &cwl::SDCG,
        ],
    },
    Family {
        title: "Search length and pairs of documents",
        measures: &[
            &search_length::SEARCH_LENGTH,
            &search_length::EXPECTED_PRECISION,
            &search_length::PROBABILITY_OF_RELEVANCE,
            &accuracy::ACCURACY,
            &concordance::PAIR_CONCORDANCE,
        ],
    },
    Family {
        title: "Incomplete judgments",
        measures: &[
            &bpref::BPREF,
            &inferred::INFERRED_AP,
            &subcollection::SUBCOLLECTION_AP,
            &stratified::STRATIFIED_AP,
            &stratified_gain::INFERRED_NDCG,
            &inclusion::STAT_AP,
            &judged::JUDGED,
            &judged::UNJUDGED,
        ],
    },
    Family {
        title: "Partial orders of documents",
        measures: &[
            &dynamic_recall::AVERAGE_DYNAMIC_RECALL,
            &inverted_recall::INVERTED_RECALL,
            &compatibility::COMPATIBILITY,
        ],
    },
    Family { title: "Lengths of documents (--docs FILE)", measures: &[&time_biased_gain::TBG, &u_measure::U] },
    Family {
        title: "Subtopics (qrels with subtopics)",
        measures: &[
            &diversity::ALPHA_DCG,
            &diversity::ALPHA_NDCG,
            &diversity::ERR_IA,
            &diversity::NERR_IA,
            &diversity::NRBP,
            &diversity::NNRBP,
            &diversity::AP_IA,
            &diversity::P_IA,
            &diversity::SUBTOPIC_RECALL,
        ],
    },
    Family {
        title: "The retrieved documents as a set",
        measures: &[
            &sets::SET_PRECISION,
            &sets::SET_RELATIVE_PRECISION,
            &sets::SET_RECALL,
            &sets::SET_F,
            &sets::SET_AVERAGE_PRECISION,
            &utility::UTILITY,
        ],
    },
    Family {
        title: "Counts, added up over queries",
        measures: &[
            &counts::NUM_Q,
            &counts::NUM_RET,
            &counts::NUM_REL,
            &counts::NUM_REL_RET,
            &counts::NUM_NONREL_JUDGED_RET,
        ],
    },
];

/// Measures that are listed together.
#[derive(Debug)]
pub struct Family {
    /// What they have in common.
    pub title: &'static str,
    /// The measures.
    pub measures: &'static [&'static Info],
}

/// All measures that compare two rankings with the titles of their families, in the order in which they are listed.
pub fn comparing() -> impl Iterator<Item = (&'static str, &'static Info)> {
    let similar = similarity::REGISTRY.iter().map(|similar| ("What two rankings have in common", &similar.info));
    let contrasts = med::REGISTRY.iter().map(|contrast| ("How much two rankings could differ", &contrast.info));
    similar.chain(contrasts)
}

/// Whether a measure compares two rankings.
#[must_use]
pub fn compares(info: &Info) -> bool {
    comparing().any(|(_, other)| other == info)
}

/// All measures that have a name: those of one ranking, those that compare two, and those that users have defined.
pub fn all() -> impl Iterator<Item = &'static Info> {
    let ours = FAMILIES.iter().flat_map(|family| family.measures).copied();
    ours.chain(comparing().map(|(_, info)| info)).chain(defined::all().into_iter().map(|one| one.info))
}

/// Define a measure.
///
/// # Errors
/// The name or one of a parameter cannot be used, or already stands for something else.
pub fn define(description: Description, build: Build) -> Result<&'static Defined> {
    defined::define(description, build, grammar::taken)
}

/// Check a measure, as far as that is possible without judgments.
///
/// # Errors
/// As [`Spec::build`].
pub fn check(spec: &Spec) -> Result<()> {
    let scope = Scope { depth: 0, grades: &[] };
    if !compares(spec.info) {
        return spec.build(&scope).map(|_| ());
    }
    spec.sizes()?;
    match similarity::build(spec)? {
        Some(_) => Ok(()),
        None => med::build(spec, &scope).map(|_| ()),
    }
}

/// Check all but a cutoff, or parameters, that may still come.
///
/// # Errors
/// As [`Spec::build`].
pub fn check_parameters(spec: &Spec) -> Result<()> {
    let missing = |one: &Parameter| one.default.is_empty() && spec.parameter(one.name).is_none();
    match (spec.info.cutoff, spec.cutoff) {
        (Cutoff::Recall, None) if spec.parameter(RECALL.name).is_none() => check(&spec.clone().at_number(1.0)?),
        _ if spec.info.parameters.iter().any(missing) => Ok(()),
        (Cutoff::Required, None) => check(&spec.clone().at(1)?),
        _ => check(spec),
    }
}
