//! How far the scores of two rankings of a query could differ, whatever the grades of the unjudged documents are.
//!
//! `MED_S(A, B) = max |S(A) - S(B)|` is the largest difference over all gains that unjudged documents may have (Tan &
//! Clarke, SIGIR 2014), and `Delta` is the expected difference. Both divide the score S by a normaliser that judgments
//! do not change ([`med`]). For verdicts the normaliser moves with the judgments. A document has the same gain in both
//! rankings, and a judged one keeps its own.
//!
//! Each measure or close family has one file, whose [`Difference`] answers all these questions, and a line in
//! [`catalogue`]. The searches for the largest difference are in [`solve`], which knows no measure.

mod additive;
pub(crate) mod assembled;
mod assignment;
mod average_precision;
mod bpref;
mod cascade;
pub(crate) mod catalogue;
pub mod decay;
mod first_relevant;
mod general;
mod layout;
mod med;
mod novelty;
mod pair;
pub mod passages;
mod r_precision;
mod ranked;
pub(crate) mod setup;
mod sharp;
mod solution;
mod solve;
mod tie_groups;
mod time_biased_gain;
pub(crate) mod upper_bounds;

pub use assignment::Assignment;
pub use layout::DifferenceWorkspace;
pub use med::{Comparer, ComparerBuild, ComparerDefinition, DELTA, MED};
pub use pair::{PairFacts, RankingPair, Subtopic, TieOrders};
pub use setup::filled_to;
pub use solution::Outcomes;
pub(crate) use solution::{Difference, LargestDifference};
