//! Solvers for the largest difference `S(A) - S(B)` of two scores over all judgments of unknown documents, and for its
//! mean: closed forms, searches with bounds, and samples.
//!
//! A solver knows the form of a score S (a sum, a quadratic program, a cascade), not which measures have it. For the
//! largest S(B) - S(A), exchange the rankings ([`Instance::swap`], [`TiedSolver::swap`]).

pub(super) mod branch;
pub mod budget;
pub(super) mod capped_cascade;
pub mod cascade;
mod cells;
pub(super) mod counts;
pub(super) mod distribution;
pub mod dot;
pub(super) mod expected;
pub(super) mod network;
mod open_nodes;
pub(super) mod precisions;
pub mod quadratic;
pub(super) mod scores;
mod search;
pub(super) mod shares;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
pub(super) mod thresholds;
pub(super) mod timed;
pub(super) mod transport;

/// A document of A or B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Document {
    /// The rank in A, from 1; 0 if A lacks the document within the depth.
    pub a: u32,
    /// The rank in B, from 1; 0 if B lacks the document within the depth.
    pub b: u32,
    /// The gain if the document is judged: its relevance, 0 or 1, or the probability that the user stops. None if it is
    /// unknown.
    pub known: Option<f64>,
}

/// Whether a document is relevant, as far as the judgments tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relevance {
    Relevant,
    /// It is not judged, so it may be relevant or not.
    Unknown,
    NonRelevant,
}

/// Two rankings of a query, cut at a depth.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Instance {
    /// The number of ranks that count.
    pub depth: usize,
    /// The lengths of A and B, up to the depth. Unknown documents that are not listed fill the ranks below.
    pub lengths: (usize, usize),
    /// All documents of A or B within the depth.
    pub documents: Vec<Document>,
    /// The highest gain of an unknown document, r_G in the paper.
    pub top: f64,
}

impl Instance {
    /// The indices of the unknown documents.
    pub fn unknown(&self) -> impl Iterator<Item = usize> {
        self.documents.iter().enumerate().filter(|(_, x)| x.known.is_none()).map(|(number, _)| number)
    }

    /// The indices of the unknown documents with a gain above 0.
    pub fn assigned(&self, gains: &[f64]) -> impl Iterator<Item = usize> {
        self.unknown().filter(|&number| gains[number] > 0.0)
    }

    /// Exchanges A and B.
    pub fn swap(&mut self) {
        self.lengths = (self.lengths.1, self.lengths.0);
        self.documents.iter_mut().for_each(|x| std::mem::swap(&mut x.a, &mut x.b));
    }

    /// The same instance, with the unknown documents that fill A and B up to the depth listed at the end.
    pub fn filled(&self) -> Instance {
        let mut filled = Instance { lengths: (self.depth, self.depth), ..self.clone() };
        let ranks = |length: usize| length as u32 + 1..=self.depth as u32;
        filled.documents.extend(ranks(self.lengths.0).map(|a| Document { a, b: 0, known: None }));
        filled.documents.extend(ranks(self.lengths.1).map(|b| Document { a: 0, b, known: None }));
        filled
    }
}

/// The largest `S(A) - S(B)` that a solver found.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The difference itself.
    pub value: f64,
    /// An upper bound of any difference. It equals `value` if no larger difference is possible.
    pub bound: f64,
    /// The gains of the documents that give this difference, in the order of the instance.
    pub gains: Vec<f64>,
    /// How many nodes the search visited.
    pub nodes: u64,
}

impl Solution {
    /// A solution that was found without a search, and is the largest difference.
    pub(super) fn exact(value: f64, gains: Vec<f64>) -> Solution {
        Solution { value, bound: value, gains, nodes: 0 }
    }
}

/// Two rankings with ties, prepared for both directions.
pub trait TiedSolver {
    /// The largest `S(A) - S(B)`, as a mean over tie orders.
    fn solve(&mut self) -> Solution;

    /// Exchanges A and B.
    fn swap(&mut self);
}

/// The smaller of two numbers that are not NaN. `f64::min` would also check for NaN.
fn smaller(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// A sum of gains divided by its norm; 0 if the norm is 0.
pub(super) fn share(sum: f64, norm: f64) -> f64 {
    if norm > 0.0 { sum / norm } else { 0.0 }
}
