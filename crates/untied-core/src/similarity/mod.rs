//! Similarities of two rankings of a query, without judgments.
//!
//! The same shape as [`crate::measures`]: one file each or one for a close family, with a [`Definition`], whose names follow
//! the same grammar, and the formula. A similarity reads a [`Pair`](crate::ranking::Pair) with its overlaps.

pub(crate) mod anchor;
pub(crate) mod footrule;
pub(crate) mod hoeffding;
pub mod items;
pub(crate) mod jaccard;
mod joined;
pub(crate) mod kendall_distance;
mod orders;
pub(crate) mod overlap;
mod overlaps;
pub(crate) mod rbo;
mod rbo_tied;
mod rbo_weights;
pub(crate) mod spearman;
pub(crate) mod tau;
pub(crate) mod tau_ap;
pub(crate) mod weighted;
pub(crate) mod weighted_footrule;

pub use overlaps::Overlaps;

use crate::error::Result;
use crate::measures::Certainty;
use crate::names::Spec;

/// Makes a similarity from its name, parameters and cutoff.
pub type Build = fn(&Spec) -> Result<Box<dyn Similarity>>;

/// A similarity: its facts, and how it is made.
pub type Definition = crate::names::Definition<Build>;

/// The value of a similarity for one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairScore {
    /// The mean over all orders of tied documents in both rankings.
    pub value: f64,
    /// The smallest and the largest value over these orders, where the value is one over orders.
    pub range: Option<(f64, f64)>,
    /// The variance over these orders, where it was asked for and exists.
    pub variance: Option<f64>,
    /// How sure the value is.
    pub certainty: Certainty,
}

impl PairScore {
    /// A value that no order changes.
    pub fn constant(value: f64, with_variance: bool) -> PairScore {
        let variance = with_variance.then_some(0.0);
        PairScore { value, range: Some((value, value)), variance, certainty: Certainty::Exact }
    }

    /// A value that is not one over orders, or whose extremes and variance are not known.
    pub fn one_number(value: f64) -> PairScore {
        PairScore { value, range: None, variance: None, certainty: Certainty::Exact }
    }

    /// The same with 0 for -0, which differences of equal values can be.
    pub fn with_plain_zeros(self) -> PairScore {
        let range = self.range.map(|(low, high)| (low + 0.0, high + 0.0));
        PairScore { value: self.value + 0.0, range, ..self }
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

    /// Whether documents below the cutoff count too.
    fn reads_below_cutoff(&self) -> bool {
        false
    }

    /// Its value for two rankings.
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore;
}
