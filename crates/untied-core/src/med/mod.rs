//! Maximized effectiveness difference: how far apart two rankings of a query can be, whatever is relevant.
//!
//! `MED_S(A, B) = max |S(A) - S(B)|` over all gains that documents without a judgment may have (Tan & Clarke, SIGIR
//! 2014). A document has one gain in both rankings, a judged one keeps its own. Solvers find the largest
//! `S(A) - S(B)`; the other direction is that of [`Instance::swapped`].

pub mod average_precision;
pub mod bpref;
mod cells;
pub mod counts;
pub mod decay;
pub mod distribution;
pub mod dot;
mod effect;
pub mod err;
pub mod expected;
pub mod flow;
mod form;
mod novelty;
pub mod passages;
pub mod reciprocal_rank;
pub mod scores;
#[cfg(test)]
mod testing;
mod tied;
mod time_biased;
pub mod work;

pub use effect::{Both, Build, DELTA, Definition, Effect, MED, Subtopic, Workspace};
pub use form::{Assignment, Outcomes, filled_to};

/// A document of two rankings of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Document {
    /// Rank in A from 1; 0 if it is not among the first `depth`.
    pub a: u32,
    /// Rank in B, likewise.
    pub b: u32,
    /// What is known of it: its gain (relevance 0 or 1, or the probability to stop).
    pub known: Option<f64>,
}

/// Two untied rankings of a query, cut at a depth.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Instance {
    /// The depth.
    pub depth: usize,
    /// Documents of A and of B within the depth; what they lack up to it are further unknown documents.
    pub lengths: (usize, usize),
    /// All documents of either ranking.
    pub documents: Vec<Document>,
    /// The most an unknown document may gain, `r_G`; 1 for AP.
    pub top: f64,
}

impl Instance {
    /// Exchange A and B.
    pub fn swap(&mut self) {
        self.lengths = (self.lengths.1, self.lengths.0);
        self.documents.iter_mut().for_each(|x| std::mem::swap(&mut x.a, &mut x.b));
    }

    /// The same with A and B exchanged.
    #[must_use]
    pub fn swapped(&self) -> Instance {
        let mut swapped = self.clone();
        swapped.swap();
        swapped
    }
}

/// The largest `S(A) - S(B)` over all assignments.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The best found.
    pub value: f64,
    /// Nothing is above this; equals `value` where solved exactly.
    pub bound: f64,
    /// Gain of every document, in the order of the instance.
    pub gains: Vec<f64>,
    /// Nodes of the search.
    pub nodes: u64,
}
