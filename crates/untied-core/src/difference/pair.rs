//! Two rankings of a query, and the facts about their documents.

use crate::grade::Level;
use crate::ranking::{List, Placed};
use crate::table::Length;

/// Judgments of a query's documents with regard to one of its subtopics.
#[derive(Debug, Clone)]
pub struct Subtopic {
    /// The highest grade that any document has.
    pub highest: f64,
    /// Grades by number of document; NaN where there is no judgment.
    pub grades: Vec<f64>,
}

/// Two rankings of a query, with facts about their documents.
#[derive(Debug, Clone, Copy)]
pub struct RankingPair<'a> {
    /// The first ranking.
    pub a: &'a List,
    /// The second ranking.
    pub b: &'a List,
    /// The documents of both.
    pub places: &'a [Placed],
    /// Grades and other facts about these documents.
    pub known: Known<'a>,
}

/// Grades and other facts about a query's documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Grades by number of document; NaN where there is no judgment.
    pub grades: &'a [f64],
    /// The grades of all judged documents of the query.
    pub levels: &'a [Level],
    /// Probabilities to be relevant, by number of document, if there are any; NaN where none is given.
    pub chances: &'a [f64],
    /// Lengths by number of document, where a measure needs them.
    pub lengths: &'a [Length],
    /// Its subtopics, if they are known.
    pub subtopics: &'a [Subtopic],
}

impl<'a> RankingPair<'a> {
    /// Whether documents of either ranking are tied.
    pub fn is_tied(&self) -> bool {
        self.a.is_tied() || self.b.is_tied()
    }

    /// Where tie groups of A and of B end.
    pub(super) fn ends(&self) -> (&'a [u32], &'a [u32]) {
        (&self.a.ends, &self.b.ends)
    }

    /// Whether both have the same tie groups, so that every measure gives them the same value.
    pub(super) fn is_same(&self) -> bool {
        let group = |list: &List, rank: u32| list.ends.partition_point(|&end| end < rank);
        self.a.ends == self.b.ends
            && self.places.iter().all(|x| x.a > 0 && x.b > 0 && group(self.a, x.a) == group(self.b, x.b))
    }

    /// The grade of a document, if it is judged.
    #[inline]
    pub(super) fn grade(&self, place: &Placed) -> Option<f64> {
        Some(self.known.grades[place.document as usize]).filter(|grade| !grade.is_nan())
    }
}
