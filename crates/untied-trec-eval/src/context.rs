//! The version of trec_eval, and the options that its measures read.

/// A version of trec_eval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 9.0.8, also inside pytrec_eval.
    Nine,
    /// 10.0.
    Ten,
}

/// The options that change the values of measures.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Which trec_eval.
    pub version: Version,
    /// `-l`, the lowest relevant grade.
    pub level: f64,
    /// `-N`, the number of documents in the collection; 0 where it is not said.
    pub collection: i64,
}
