//! How far the scores of two rankings of a query could differ, whatever the grades of the unjudged documents are.
//!
//! `MED_S(A, B) = max |S(A) - S(B)|` is the largest difference of the scores S(A) and S(B), over all gains that
//! unjudged documents may have (Tan & Clarke, SIGIR 2014). `Delta` is the expected difference. A document has the same
//! gain in both rankings. In both, the score is divided by a normaliser that judgments do not change ([`med`]). For
//! verdicts, the normaliser changes with the judgments.
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
mod fixed_divisor;
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
