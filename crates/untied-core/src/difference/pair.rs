//! Two rankings of a query, and the facts about their documents.

use crate::grade::Level;
use crate::ranking::{List, Placed};
use crate::table::Length;

/// The judgments of a query's documents for one of its subtopics.
#[derive(Debug, Clone)]
pub struct Subtopic {
    /// The highest grade that any document has for this subtopic.
    pub highest: f64,
    /// The grade of each document, by its number; NaN if it is not judged.
    pub grades: Vec<f64>,
}

/// Two rankings of a query, with facts about their documents. Documents without a grade are *unknown*: they may have
/// any.
#[derive(Debug, Clone, Copy)]
pub struct RankingPair<'a> {
    /// The first ranking, A.
    pub a: &'a List,
    /// The second ranking, B.
    pub b: &'a List,
    /// Every document of either ranking with its ranks.
    pub places: &'a [Placed],
    /// Grades and other facts about these documents.
    pub facts: PairFacts<'a>,
}

/// Grades and other facts about a query's documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct PairFacts<'a> {
    /// The grade of each document, by its number; NaN if it is unknown.
    pub grades: &'a [f64],
    /// The grades of all judged documents of the query, each with its number of documents.
    pub levels: &'a [Level],
    /// The probability that each document is relevant, by its number; NaN if none is given. Empty if there are none.
    pub chances: &'a [f64],
    /// The length of each document, by its number, if the measure needs it.
    pub lengths: &'a [Length],
    /// The judgments for each subtopic of the query, if there are subtopics.
    pub subtopics: &'a [Subtopic],
    /// The number of unknown documents of the pool that neither ranking has.
    pub unretrieved: usize,
    /// The number of documents of A or B that are not judged and count as non-relevant.
    pub outside: usize,
}

impl<'a> RankingPair<'a> {
    /// Whether documents of either ranking are tied.
    pub fn is_tied(&self) -> bool {
        self.a.is_tied() || self.b.is_tied()
    }

    /// The pair with A and B exchanged; `places` is memory for its documents.
    pub(super) fn swapped<'s>(&self, places: &'s mut Vec<Placed>) -> RankingPair<'s>
    where
        'a: 's,
    {
        places.clear();
        places.extend(self.places.iter().map(|place| Placed { a: place.b, b: place.a, ..*place }));
        RankingPair { a: self.b, b: self.a, places, ..*self }
    }

    /// The ranks at which the tie groups of A and of B end.
    pub(super) fn ends(&self) -> (&'a [u32], &'a [u32]) {
        (&self.a.ends, &self.b.ends)
    }

    /// Whether A and B have the same tie groups with the same documents, so that every measure gives them the same
    /// value.
    pub(super) fn is_same(&self) -> bool {
        let group = |list: &List, rank: u32| list.ends.partition_point(|&end| end < rank);
        self.a.ends == self.b.ends
            && self.places.iter().all(|x| x.a > 0 && x.b > 0 && group(self.a, x.a) == group(self.b, x.b))
    }

    /// The grade of a document, if it is judged.
    #[inline]
    pub(super) fn grade(&self, place: &Placed) -> Option<f64> {
        Some(self.facts.grades[place.document as usize]).filter(|grade| !grade.is_nan())
    }

    /// The documents of A or B with their grades; NaN if a document is unknown.
    pub(super) fn documents(&self) -> impl Iterator<Item = (&'a Placed, f64)> + use<'a> {
        let grades = self.facts.grades;
        self.places.iter().map(|place| (place, grades[place.document as usize]))
    }

    /// The unknown documents that A or B has.
    pub(super) fn unknown_documents(&self) -> impl Iterator<Item = &'a Placed> + use<'a> {
        self.documents().filter(|(_, grade)| grade.is_nan()).map(|(place, _)| place)
    }

    /// The number of all unknown documents, including those of the pool that neither ranking has.
    pub(crate) fn unknown(&self) -> usize {
        self.facts.unretrieved + self.unknown_documents().count()
    }

    /// The number of judged documents of the query, in the rankings or not.
    pub(super) fn judged(&self) -> usize {
        self.facts.levels.iter().filter(|level| level.grade >= 0.0).map(|level| level.count as usize).sum()
    }
}

/// Which orders of tied documents count in a difference of scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TieOrders {
    /// Each score is the mean over all orders of its ranking's tied documents.
    #[default]
    Mean,
    /// Tied documents are in the order that is best for A's score, and in the one that is worst for B's.
    BestWorst,
}

impl TieOrders {
    /// Whether this pair has ties, and the best order of A and the worst of B count.
    pub(crate) fn are_best_and_worst(self, pair: &RankingPair<'_>) -> bool {
        self == TieOrders::BestWorst && pair.is_tied()
    }
}
