//! Parameters, and those that many measures take.

/// A parameter of a measure.
#[derive(Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its value where none is given, as it would be written; empty if it has to be given.
    pub default: &'static str,
    /// What it does, and the values it takes.
    pub help: &'static str,
}

/// Lowest grade that counts as relevant.
pub const REL: Parameter = Parameter { name: "rel", default: "1", help: "lowest relevant grade, a number above 0" };
/// What recall is measured against.
pub const RECALL_BASE: Parameter = Parameter {
    name: "recall_base",
    default: "'qrels'",
    help: "how R is counted: relevant documents in the 'qrels', in the 'ranking', or a fixed integer",
};
/// Ignore what is not judged.
pub const JUDGED_ONLY: Parameter = Parameter {
    name: "judged_only",
    default: "False",
    help: "first remove unjudged documents from the ranking (as --unjudged remove)",
};
/// The measure that another one is of; written without its name, first.
pub const OF: Parameter = Parameter { name: "of", default: "", help: "the measure" };
/// Recall level of `@x`.
pub const RECALL: Parameter = Parameter { name: "recall", default: "", help: "recall level, from 0 to 1" };
/// How the values of queries are put together: of every measure that has a mean.
pub static MEAN: Parameter = Parameter {
    name: "mean",
    default: "'arithmetic'",
    help: "mean over queries, 'arithmetic' or 'geometric' (of values of at least 0.00001)",
};

/// R, the number of relevant documents that recall is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RecallBase {
    /// All relevant documents of the qrels, as trec_eval.
    Qrels,
    /// Those in the ranking, as McSherry & Najork.
    Ranking,
    /// This number.
    Number(usize),
}
