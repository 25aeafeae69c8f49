//! Similarities: what two rankings of a query have in common, without judgments.
//!
//! The same shape as [`crate::measures`]: one file each or one for a close family, with an [`Info`] whose names follow
//! the same grammar, a builder and the formula. A similarity reads a [`Pair`](crate::ranking::Pair) with its overlaps.

mod anchor;
mod footrule;
mod hoeffding;
mod jaccard;
mod joined;
mod kendall_distance;
mod overlap;
mod overlaps;
mod rbo;
mod rbo_tied;
mod rbo_weights;
mod tau;
mod tau_ap;
mod weighted;
mod weighted_footrule;

pub use overlaps::Overlaps;

use crate::error::{Error, Result};
use crate::measures::{Aggregate, Certainty, Info, Measure, Scope, Spec};

/// All similarities, in the order in which they are listed.
pub static REGISTRY: &[&Similar] = &[
    &rbo::RBO,
    &overlap::OVERLAP,
    &overlap::AVERAGE_OVERLAP,
    &jaccard::JACCARD,
    &anchor::ANCHOR_MAP,
    &tau::TAU,
    &tau_ap::TAU_AP,
    &kendall_distance::KENDALL_DISTANCE,
    &footrule::FOOTRULE,
    &footrule::RECIPROCAL_RANKS,
    &weighted::WEIGHTED_KENDALL,
    &weighted_footrule::WEIGHTED_FOOTRULE,
    &hoeffding::HOEFFDING,
];

/// What there is to know about a similarity, and how it is made.
pub struct Similar {
    /// As for a measure; its builder says that there is nothing to measure in one ranking.
    pub info: Info,
    /// Make the similarity.
    pub build: fn(&Spec) -> Result<Box<dyn Similarity>>,
}

/// The value of a similarity for one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The mean over all orders of tied documents in both rankings.
    pub value: f64,
    /// The smallest and the largest value over these orders, where the value is one over orders.
    pub range: Option<(f64, f64)>,
    /// The variance over these orders, where it was asked for and exists.
    pub variance: Option<f64>,
    /// How sure the value is.
    pub certainty: Certainty,
}

impl Score {
    /// A value that no order changes.
    #[must_use]
    pub fn constant(value: f64, with_variance: bool) -> Score {
        let variance = with_variance.then_some(0.0);
        Score { value, range: Some((value, value)), variance, certainty: Certainty::Exact }
    }

    /// A value that is not one over orders, or whose extremes and variance are not known.
    #[must_use]
    pub fn one_number(value: f64) -> Score {
        Score { value, range: None, variance: None, certainty: Certainty::Exact }
    }
}

/// What becomes of a measure of two rankings when these change places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetry {
    /// It stays the same.
    Same,
    /// It becomes its negative.
    Opposite,
    /// It becomes another.
    None,
}

/// A similarity with its parameters, ready to be computed.
pub trait Similarity: Send + Sync {
    /// What becomes of it when the rankings change places.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Same
    }

    /// Its value for two rankings.
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> Score;
}

/// Check the whole and make the similarity; nothing where it is none.
///
/// # Errors
/// A cutoff is missing, or a parameter has a value it cannot take.
pub fn build(spec: &Spec) -> Result<Option<Box<dyn Similarity>>> {
    match REGISTRY.iter().find(|similar| similar.info == *spec.info) {
        Some(_) if spec.aggregate()? != Aggregate::Mean => {
            Err(Error::Measure(format!("{spec}: only the arithmetic mean of similarities is taken")))
        }
        Some(similar) => (similar.build)(spec).map(Some),
        None => Ok(None),
    }
}

/// The builder of the measure that a similarity is not.
pub(crate) fn not_alone(spec: &Spec, _: &Scope<'_>) -> Result<Box<dyn Measure>> {
    Err(Error::Measure(format!("{spec} compares two rankings; it does not evaluate one")))
}
