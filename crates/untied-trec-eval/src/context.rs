//! Which trec_eval, and what its options say to measures.

/// Which trec_eval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 9.0.8, also inside pytrec_eval.
    Nine,
    /// 10.0.
    Ten,
}

/// What decides on measures beside their names.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Which trec_eval.
    pub version: Version,
    /// `-l`, the lowest relevant grade.
    pub level: f64,
    /// `-N`, the number of documents in the collection; 0 where it is not said.
    pub collection: i64,
}
