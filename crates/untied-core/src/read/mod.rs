//! Bytes to columns.
//!
//! [`source`] opens a path and says whether it can be read at any position (a plain file) or only in sequence (standard
//! input, pipes, archives); [`blocks`] cuts either into blocks of whole lines and hands them to a parser in parallel, all
//! or some at a time ([`pieces`] makes chunks of them); [`line`] and [`number`] are that parser's tools; [`layout`] parses columns, [`trec`] has TREC's
//! formats as lists of them, [`format`] is the table of all formats, [`faults`] finds all malformed lines in these, [`table`] reads those with names of columns. [`letor`] reads learning-to-rank data, more than
//! once and at any position, which [`spool`] makes possible.

pub mod blocks;
mod codecs;
mod delimited;
pub mod faults;
pub mod format;
mod gzip;
mod json;
mod json_text;
pub mod layout;
pub mod letor;
mod letor_line;
mod limits;
mod line;
pub mod number;
mod pieces;
mod record;
mod source;
mod spool;
pub mod table;
mod trec;

pub use pieces::Pieces;
pub use source::{Input, is_file};
pub use spool::{read_all, read_lines};
pub use table::{open_table, read_table};
pub use trec::{QRELS, RUN, open_run, read_lengths, read_qrels, read_run};
