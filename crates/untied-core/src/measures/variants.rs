//! Variants of measures with constants that have no parameter, as computed by other programs.

use super::hits::RPrecision;
use super::interpolated::InterpolatedPrecision;
use super::utility::Utility;
use super::{Measure, RecallBase};

pub use super::dcg::Gains;
pub use super::ndcg_points::at_changes as ndcg_at_changes;
pub use super::share::Target;

/// The mean of interpolated precision over targets; a target is the number of hits that a rank must have.
pub fn interpolated_precision(rel: f64, targets: Vec<Target>) -> Box<dyn Measure> {
    Box::new(InterpolatedPrecision { rel, base: RecallBase::Qrels, targets })
}

/// Precision at a rank that depends on R.
pub fn r_precision(rel: f64, cutoff: Target) -> Box<dyn Measure> {
    Box::new(RPrecision { rel, base: RecallBase::Qrels, cutoff })
}

/// Utility of the retrieved set; `collection` is the number of documents in the collection.
pub fn utility(weights: [f64; 4], collection: f64, rel: f64) -> Box<dyn Measure> {
    Box::new(Utility { weights, collection, rel })
}
