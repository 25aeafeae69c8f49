//! Maximized effectiveness difference: the largest possible difference between two rankings of a query.
//!
//! `MED_S(A, B) = max |S(A) - S(B)|` over all gains that documents without a judgment may have (Tan & Clarke, SIGIR
//! 2014). A document has one gain in both rankings, a judged one keeps its own.
//!
//! A measure tells by the trait [`difference`] how its documents weigh, its extent, its assignment, its moments and its
//! outcomes; one file each or one for a close family, listed in [`catalogue`]. What finds these is in [`solve`], which
//! knows no measure.

mod average_precision;
mod bpref;
mod cascade;
mod catalogue;
pub mod decay;
mod difference;
mod effect;
mod general;
mod given;
mod means;
mod novelty;
pub mod passages;
mod ranked;
mod reciprocal_rank;
mod share;
pub(crate) mod solve;
mod success;
mod sums;
mod time_biased_gain;
mod u_measure;
mod weighed;

pub use difference::{Assignment, Known, Outcomes, RankingPair, Subtopic, Workspace};
pub use effect::{Build, Comparer, DELTA, Definition, MED};
pub use given::filled_to;
