//! Which documents of an array belong to which query.

use std::ops::Range;

/// Which documents belong to which query.
#[derive(Debug, Clone)]
pub enum Groups {
    /// A number of queries, each with the same number of documents.
    Rows(usize, usize),
    /// For each query, the number of documents up to its end.
    Ends(Vec<usize>),
}

impl Groups {
    /// Number of queries.
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

    /// Documents before a query.
    #[inline]
    pub(super) fn start(&self, query: usize) -> usize {
        match self {
            Groups::Rows(_, width) => query * width,
            Groups::Ends(ends) => query.checked_sub(1).map_or(0, |before| ends[before]),
        }
    }

    /// The documents of a query.
    #[inline]
    pub fn range(&self, query: usize) -> Range<usize> {
        self.start(query)..self.start(query + 1)
    }

    /// A document, as messages name it: by query and place, both counted from 0.
    pub fn place(&self, document: usize) -> String {
        let query = match self {
            Groups::Rows(_, width) => document / width,
            Groups::Ends(ends) => ends.partition_point(|&end| end <= document),
        };
        format!("query {query}, document {} (counted from 0)", document - self.start(query))
    }
}
