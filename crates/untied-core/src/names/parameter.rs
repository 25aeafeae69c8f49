//! Parameters, and those that many measures take.

/// A parameter of a measure.
#[derive(Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its default, as a user would write it; empty if the parameter is required.
    pub default: &'static str,
    /// What it does, and the values it takes.
    pub help: &'static str,
}

/// The lowest grade that counts as relevant.
pub const REL: Parameter = Parameter { name: "rel", default: "1", help: "lowest relevant grade, a number above 0" };
/// Which number of relevant documents recall divides by.
pub const RECALL_BASE: Parameter = Parameter {
    name: "recall_base",
    default: "'qrels'",
    help: "which number R is: the relevant documents of the 'qrels', those of the 'ranking', or an integer that you choose",
};
/// Whether unjudged documents are removed from the ranking first.
pub const JUDGED_ONLY: Parameter = Parameter {
    name: "judged_only",
    default: "False",
    help: "whether to remove unjudged documents from the ranking first",
};
/// The measure inside another one, as in `MED(nDCG@20)`. It comes first, and without the name of the parameter.
pub const OF: Parameter = Parameter { name: "of", default: "", help: "the measure S, such as nDCG@10" };
/// The recall level `x` of `@x`.
pub const RECALL: Parameter = Parameter { name: "recall", default: "", help: "recall level, from 0 to 1" };
/// How the values of queries are combined. Every measure whose values are averaged has this parameter.
pub static MEAN: Parameter = Parameter {
    name: "mean",
    default: "'arithmetic'",
    help: "mean over queries, 'arithmetic' or 'geometric' (of values of at least 0.00001)",
};

/// R, the number of relevant documents that recall is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RecallBase {
    /// All relevant documents of the qrels, as in trec_eval.
    Qrels,
    /// The relevant documents in the ranking, as in McSherry & Najork (2008).
    Ranking,
    /// This number.
    Number(usize),
}
