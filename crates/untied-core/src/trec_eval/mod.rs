//! What trec_eval calls its measures, and where it computes something else than they mean.
//!
//! Nothing here is reached by `untied eval`: names and deviations belong to `untied trec_eval` and to
//! `untied.compat.pytrec_eval`.

mod fields;
pub mod jg;
mod names;
pub mod prefs;
mod prefs_group;
pub mod prefs_read;

pub use names::{Context, Kind, Printed, Requested, Version, measures, nicknames};
