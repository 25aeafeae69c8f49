//! Solvers: the largest difference between two scores of a given form, for each number of relevant unknown documents.
//! They know the form (a share, a chain of grades, counts at a moving cutoff), not which measures have it.

pub(super) mod chain;
pub(super) mod counts;
pub(super) mod matching;
pub(super) mod precisions;
pub(super) mod shares;
pub(super) mod stopping;
pub(super) mod transport;

/// The largest so far: with at most n instead of exactly n documents.
pub(super) fn rising(values: impl Iterator<Item = f64>) -> Vec<f64> {
    values
        .scan(f64::NEG_INFINITY, |most, value| {
            *most = most.max(value);
            Some(*most)
        })
        .collect()
}

/// A share of nothing is 0.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
