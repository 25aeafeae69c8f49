//! untied's core: exact evaluation of ranked retrieval when scores tie and judgments are partial.
//!
//! [`read`] makes columns of bytes, [`table`] keeps them query by query, [`ranking`] sorts, judges and resolves ties,
//! [`measures`] read one ranking each, [`evaluate`] puts all together; [`arrays`] come in where documents have no ids.
//! No two modules use each other: `ARCHITECTURE.md` has their order.

#![forbid(unsafe_code)]

pub mod arrays;
pub mod certify;
pub mod check;
pub mod compare;
pub mod difference;
mod elementary;
pub mod equality;
pub mod error;
pub mod evaluate;
pub mod features;
pub mod grade;
pub mod law;
pub mod measures;
pub mod memory;
pub mod names;
#[cfg(test)]
#[path = "../nightly.rs"]
mod nightly;
pub mod outlook;
pub mod overlap;
mod random;
pub mod ranking;
pub mod read;
pub mod registry;
pub mod settings;
pub mod similarity;
mod sorting;
pub mod statistics;
pub mod table;
pub mod watch;

pub use error::{Error, InputError, Result};
