//! Two rankings of a query, and the facts about their documents.

use crate::grade::Level;
use crate::ranking::{List, Placed};
use crate::table::Length;

/// The judgments of one subtopic.
#[derive(Debug, Clone)]
pub struct Subtopic {
    /// The highest grade of any document.
    pub highest: f64,
    /// The grades above 0 of all judged documents, each with its number of documents.
    pub levels: Vec<Level>,
    /// The grade of each document, by its number; NaN if it is not judged.
    pub grades: Vec<f64>,
}

/// Two rankings of a query, with facts about their documents. A document without a grade is *unknown*.
#[derive(Debug, Clone, Copy)]
pub struct RankingPair<'a> {
    /// The first ranking, A.
    pub a: &'a List,
    /// The second ranking, B.
    pub b: &'a List,
    /// Every document that A or B has, with its ranks in both.
    pub places: &'a [Placed],
    /// Grades and other facts about these documents.
    pub facts: PairFacts<'a>,
}

/// Grades and other facts about the documents of a query.
#[derive(Debug, Clone, Copy, Default)]
pub struct PairFacts<'a> {
    /// The grade of each document, by its number; NaN if it is unknown.
    pub grades: &'a [f64],
    /// The grades of all judged documents of the query, each with its number of documents.
    pub levels: &'a [Level],
    /// The probability that each document is relevant, by its number. It is NaN if none is given for a document, and
    /// the list is empty if there are none at all.
    pub chances: &'a [f64],
    /// The length of each document, by its number, if the measure needs it.
    pub lengths: &'a [Length],
    /// The judgments for each subtopic of the query, if there are subtopics.
    pub subtopics: &'a [Subtopic],
    /// The number of unknown documents of the pool that neither ranking has.
    pub unretrieved: usize,
    /// The number of unjudged documents of A or B that count as non-relevant.
    pub outside: usize,
}

impl<'a> RankingPair<'a> {
    /// Whether A or B has tied documents.
    pub fn is_tied(&self) -> bool {
        self.a.is_tied() || self.b.is_tied()
    }

    /// The pair with A and B exchanged. `places` holds its documents.
    pub(super) fn swapped<'s>(&self, places: &'s mut Vec<Placed>) -> RankingPair<'s>
    where
        'a: 's,
    {
        places.clear();
        places.extend(self.places.iter().map(|place| Placed { a: place.b, b: place.a, ..*place }));
        RankingPair { a: self.b, b: self.a, places, ..*self }
    }

    /// The rank at which each tie group ends, in A and in B.
    pub(super) fn ends(&self) -> (&'a [u32], &'a [u32]) {
        (&self.a.ends, &self.b.ends)
    }

    /// Whether A and B have the same tie groups. Then every measure gives both the same value.
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

    /// Every document that A or B has, with its grade; NaN if it is unknown.
    pub(super) fn documents(&self) -> impl Iterator<Item = (&'a Placed, f64)> + use<'a> {
        let grades = self.facts.grades;
        self.places.iter().map(|place| (place, grades[place.document as usize]))
    }

    /// The unknown documents that A or B has.
    pub(super) fn unknown_documents(&self) -> impl Iterator<Item = &'a Placed> + use<'a> {
        self.documents().filter(|(_, grade)| grade.is_nan()).map(|(place, _)| place)
    }

    /// The number of unknown documents, including those of the pool that neither ranking has.
    pub(crate) fn unknown(&self) -> usize {
        self.facts.unretrieved + self.unknown_documents().count()
    }

    /// The number of judged documents of the query. Those that neither ranking has count, too.
    pub(super) fn judged(&self) -> usize {
        self.facts.levels.iter().filter(|level| level.grade >= 0.0).map(|level| level.count as usize).sum()
    }
}

/// Which order of tied documents a score is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TieOrders {
    /// A score is the mean over all orders.
    #[default]
    Mean,
    /// A has its best order, and B its worst.
    BestWorst,
}

impl TieOrders {
    /// Whether A is in its best order and B in its worst, and there are ties at all.
    pub(crate) fn are_best_and_worst(self, pair: &RankingPair<'_>) -> bool {
        self == TieOrders::BestWorst && pair.is_tied()
    }
}
