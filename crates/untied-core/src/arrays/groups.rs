//! The division of an array into queries.

use std::ops::Range;

/// Which documents belong to which query.
#[derive(Debug, Clone)]
pub enum Groups {
    /// The number of queries, and the number of documents that each of them has.
    Rows(usize, usize),
    /// For each query, the index after its last document.
    Ends(Vec<usize>),
}

impl Groups {
    /// The number of queries.
    pub fn len(&self) -> usize {
        match self {
            Groups::Rows(queries, _) => *queries,
            Groups::Ends(ends) => ends.len(),
        }
    }

    /// Whether there is no query.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of the first document of a query.
    #[inline]
    pub(super) fn start(&self, query: usize) -> usize {
        match self {
            Groups::Rows(_, width) => query * width,
            Groups::Ends(ends) => query.checked_sub(1).map_or(0, |before| ends[before]),
        }
    }

    /// The indexes of the documents of a query.
    #[inline]
    pub fn range(&self, query: usize) -> Range<usize> {
        self.start(query)..self.start(query + 1)
    }

    /// The name of a document in messages: the index of its query, and its index in the query.
    pub fn place(&self, document: usize) -> String {
        let query = match self {
            Groups::Rows(_, width) => document / width,
            Groups::Ends(ends) => ends.partition_point(|&end| end <= document),
        };
        format!("query {query}, document {} (counted from 0)", document - self.start(query))
    }
}
