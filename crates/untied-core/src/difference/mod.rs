//! How far two rankings of a query could differ, whatever the unjudged documents are worth.
//!
//! `MED_S(A, B) = max |S(A) - S(B)|` over all gains that documents without a judgment may have (Tan & Clarke, SIGIR
//! 2014), and `Delta`, the expected difference, divide by a normaliser that judgments do not change ([`med`]). For
//! verdicts the normaliser moves with the judgments ([`moving`]). A document has one gain in both rankings, a judged one
//! keeps its own.
//!
//! One file has a measure or a close family, listed in [`catalogue`]. What finds the largest difference is in [`solve`],
//! which knows no measure.

mod average_precision;
mod bpref;
mod cascade;
mod catalogue;
pub mod decay;
mod general;
mod given;
mod layout;
mod means;
mod med;
pub(crate) mod moving;
mod novelty;
mod pair;
pub mod passages;
mod ranked;
mod reciprocal_rank;
mod share;
mod solution;
mod solve;
mod success;
mod sums;
mod time_biased_gain;
mod u_measure;
mod weighed;

pub use given::filled_to;
pub use layout::Workspace;
pub use med::{Build, Comparer, DELTA, Definition, MED};
pub use moving::question::Witness;
pub use pair::{Known, RankingPair, Subtopic};
pub use solution::{Assignment, Outcomes};
