//! Names, parameters and facts of measures.
//!
//! Nothing is computed here, and no measure is known: [`Names`] reads texts by the measures that it is given.

mod grammar;
mod info;
mod parameter;
mod parser;
mod possible;
mod printed;
mod spec;
mod spellings;

pub use grammar::Names;
pub use info::{Aggregate, Cutoff, Definition, GEOMETRIC_FLOOR, Info, Needs, Other, Sampled};
pub(crate) use info::{GAINED, SHARE, unbounded};
pub use parameter::{JUDGED_ONLY, MEAN, OF, Parameter, RECALL, RECALL_BASE, REL, RecallBase};
pub(crate) use spec::is_in_range;
pub use spec::{Spec, Value};
