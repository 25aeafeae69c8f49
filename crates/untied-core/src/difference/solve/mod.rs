//! Solvers for the largest difference `S(A) - S(B)` of the scores of two rankings A and B over all judgments that
//! unknown documents may get, and for the mean of the difference: closed forms, searches with bounds, sampling.
//!
//! A solver knows the form of a score S (a sum, a quadratic program, a cascade), not which measures have it. Each finds
//! the largest S(A) - S(B); for the largest S(B) - S(A), exchange the rankings ([`Instance::swap`],
//! [`TiedSolver::swap`]).

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

/// A document of one or both rankings of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Document {
    /// The document's rank in A, from 1; 0 if it is not among the first `depth` documents there.
    pub a: u32,
    /// The document's rank in B, from 1; 0 if it is not among the first `depth` documents there.
    pub b: u32,
    /// The document's gain if it is judged: relevance 0 or 1, or the probability that the user stops. None if unknown.
    pub known: Option<f64>,
}

/// Whether a document is relevant, as far as the judgments tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relevance {
    /// The document is judged relevant.
    Relevant,
    /// The document is not judged, so it may be relevant or not.
    Unknown,
    /// The document is judged not relevant.
    NonRelevant,
}

/// Two rankings of a query, cut at a depth.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Instance {
    /// The number of ranks that count.
    pub depth: usize,
    /// The numbers of documents of A and of B within the depth. The ranks below them hold further unknown documents,
    /// which are not listed.
    pub lengths: (usize, usize),
    /// All documents of A or B within the depth.
    pub documents: Vec<Document>,
    /// The most an unknown document may gain, which the paper calls `r_G`.
    pub top: f64,
}

impl Instance {
    /// The indices in `documents` of the unknown documents.
    pub fn unknown(&self) -> impl Iterator<Item = usize> {
        self.documents.iter().enumerate().filter(|(_, x)| x.known.is_none()).map(|(number, _)| number)
    }

    /// The indices in `documents` of the unknown documents that have a gain above 0 in a solution.
    pub fn assigned(&self, gains: &[f64]) -> impl Iterator<Item = usize> {
        self.unknown().filter(|&number| gains[number] > 0.0)
    }

    /// Exchange A and B.
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

/// The largest `S(A) - S(B)` over all assignments of gains to unknown documents, as far as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The largest difference that was found.
    pub value: f64,
    /// An upper bound of the difference, equal to `value` if that is proved to be the largest.
    pub bound: f64,
    /// The gain of every document with which `value` is reached, in the order of the instance.
    pub gains: Vec<f64>,
    /// How many nodes the search visited.
    pub nodes: u64,
}

impl Solution {
    /// A solution whose value is the largest difference, without a search.
    pub(super) fn exact(value: f64, gains: Vec<f64>) -> Solution {
        Solution { value, bound: value, gains, nodes: 0 }
    }
}

/// Two rankings with ties, made ready to be solved in both directions.
pub trait TiedSolver {
    /// The largest mean of `S(A) - S(B)` over tie orders.
    fn solve(&mut self) -> Solution;

    /// Exchange A and B.
    fn swap(&mut self);
}

/// The smaller of two numbers that are not NaN; `f64::min` would check for it.
fn smaller(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// A sum of gains divided by its norm, the number that makes it a score; 0 if the norm is 0.
pub(super) fn share(sum: f64, norm: f64) -> f64 {
    if norm > 0.0 { sum / norm } else { 0.0 }
}
