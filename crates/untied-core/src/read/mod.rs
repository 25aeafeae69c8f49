//! Bytes to columns.
//!
//! [`source`] opens a path and says whether it can be read at any position (a plain file) or only in
//! sequence (standard input, pipes, archives); [`blocks`] cuts either into blocks of whole lines and hands
//! them to a parser in parallel; [`line`] and [`number`] are that parser's tools; [`trec`] is the format.

pub mod blocks;
mod line;
mod number;
mod source;
mod trec;

pub use number::{atof, atol};
pub use source::read_all;
pub use trec::{
    read_deviations, read_lengths, read_prels, read_qrels, read_qrels_leniently, read_run, read_run_leniently,
    read_strata, read_subtopics,
};
