//! Two rankings of a query of which some documents are not judged, and what solvers find out about them.

use crate::grade::Level;
use crate::ranking::{List, Placed};

/// Two rankings of a query. Documents without a judgment are *unknown*: they may have any grade.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'q> {
    pub a: &'q List,
    pub b: &'q List,
    /// The documents of both.
    pub places: &'q [Placed],
    /// Their grades; NaN where one is unknown.
    pub grades: &'q [f64],
    /// The grades of all judged documents of the query.
    pub levels: &'q [Level],
    /// Unknown documents that neither ranking has.
    pub free: usize,
    /// Documents of either that are not judged and count as non-relevant.
    pub outside: usize,
    /// All unknown documents.
    pub unknown: usize,
}

impl<'q> Question<'q> {
    /// Whether documents of either ranking are tied.
    pub fn is_tied(&self) -> bool {
        self.a.is_tied() || self.b.is_tied()
    }

    /// The documents of both with their grades.
    pub fn documents(&self) -> impl Iterator<Item = (&'q Placed, f64)> + use<'q> {
        self.places.iter().zip(self.grades.iter().copied())
    }

    /// Unknown documents of either.
    pub fn open(&self) -> impl Iterator<Item = &'q Placed> + use<'q> {
        self.documents().filter(|(_, grade)| grade.is_nan()).map(|(place, _)| place)
    }

    /// Judged documents of at least this grade, wherever they are.
    pub fn relevant(&self, rel: f64) -> usize {
        let relevant = self.levels.iter().filter(|level| level.grade >= rel.max(0.0));
        relevant.map(|level| level.count as usize).sum()
    }

    /// The best rank in A that a document can have in any order of ties; 0 if A lacks it.
    #[inline]
    pub fn highest(&self, place: &Placed) -> u32 {
        if self.a.is_tied() && place.a > 0 { first(self.a, place.a) } else { place.a }
    }

    /// The worst rank in B that a document can have; 0 if B lacks it.
    #[inline]
    pub fn lowest(&self, place: &Placed) -> u32 {
        if self.b.is_tied() && place.b > 0 { last(self.b, place.b) } else { place.b }
    }

    /// What stands at every rank of A and of B, as numbers of places.
    pub fn by_rank(&self) -> (Vec<u32>, Vec<u32>) {
        let mut by_rank = (vec![0; self.a.len()], vec![0; self.b.len()]);
        for (number, place) in (0..).zip(self.places) {
            for (rank, at) in [(place.a, &mut by_rank.0), (place.b, &mut by_rank.1)] {
                if rank > 0 {
                    at[rank as usize - 1] = number;
                }
            }
        }
        by_rank
    }

    /// What stands at every rank of a ranking, its ties in this order of kinds.
    pub fn kinds(&self, list: &List, by_rank: &[u32], rel: f64, order: [Kind; 3]) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = by_rank.iter().map(|&number| Kind::of(self.grades[number as usize], rel)).collect();
        if list.is_tied() {
            let mut start = 0;
            for &end in &list.ends {
                kinds[start..end as usize].sort_by_key(|kind| order.iter().position(|one| one == kind));
                start = end as usize;
            }
        }
        kinds
    }
}

/// What stands at a rank, where only relevance counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Relevant,
    Unknown,
    Other,
}

impl Kind {
    /// That of a grade, which is NaN where it is unknown.
    pub fn of(grade: f64, rel: f64) -> Kind {
        match grade {
            unknown if unknown.is_nan() => Kind::Unknown,
            grade if grade >= rel => Kind::Relevant,
            _ => Kind::Other,
        }
    }
}

/// The first rank of the tie group that holds a rank.
fn first(list: &List, rank: u32) -> u32 {
    let group = list.ends.partition_point(|&end| end < rank);
    if group == 0 { 1 } else { list.ends[group - 1] + 1 }
}

/// The last rank of the tie group that holds a rank.
fn last(list: &List, rank: u32) -> u32 {
    list.ends[list.ends.partition_point(|&end| end < rank)]
}

/// What S(A) - S(B) cannot exceed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ceilings {
    /// With at most 0, 1, 2, ... unknown documents relevant. More change nothing beyond the end.
    pub upto: Vec<f64>,
    /// Whether the last one, that of any number, is reached by an assignment.
    pub is_reached: bool,
    /// Whether all of them are.
    pub are_reached: bool,
}

impl Ceilings {
    /// All of them are reached.
    pub fn exact(upto: Vec<f64>) -> Ceilings {
        Ceilings { upto, is_reached: true, are_reached: true }.trimmed()
    }

    /// Nothing but their being ceilings is known.
    pub fn outer(upto: Vec<f64>) -> Ceilings {
        Ceilings { upto, is_reached: false, are_reached: false }.trimmed()
    }

    /// Exact where nothing is tied, else outer.
    pub fn exact_unless(is_tied: bool, upto: Vec<f64>) -> Ceilings {
        if is_tied { Ceilings::outer(upto) } else { Ceilings::exact(upto) }
    }

    /// Lower all ceilings to `most`, which no difference exceeds; `is_reached` says whether one reaches it.
    #[must_use]
    pub fn below(mut self, most: f64, is_reached: bool) -> Ceilings {
        self.upto.iter_mut().for_each(|ceiling| *ceiling = ceiling.min(most));
        self.is_reached = is_reached;
        self.trimmed()
    }

    /// Leave out what repeats the last one.
    fn trimmed(mut self) -> Ceilings {
        let last = self.upto.last().copied();
        let first = self.upto.iter().position(|&ceiling| Some(ceiling) == last);
        self.upto.truncate(first.map_or(0, |first| first + 1));
        self
    }

    /// The ceiling with at most this number of unknown documents relevant.
    pub fn at(&self, most: usize) -> f64 {
        self.upto[most.min(self.upto.len() - 1)]
    }
}

impl Witness {
    /// The same with A and B exchanged.
    #[must_use]
    pub(super) fn turned(self) -> Witness {
        Witness { value: 0.0 - self.value, ..self }
    }
}

/// Grades of unknown documents with which one of two rankings is far ahead.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Witness {
    /// The difference of the two with them.
    pub value: f64,
    /// Numbers of documents and their grades, the most important first; all others have grade 0.
    pub documents: Vec<(u32, f64)>,
    /// Grades of documents that neither ranking has.
    pub free: Vec<f64>,
}

/// A measure's largest difference of two rankings.
pub(super) trait Ceiling: Send + Sync {
    /// The largest weight of a document, which rounding errors are relative to.
    fn scale(&self) -> f64 {
        1.0
    }

    /// What S(A) - S(B) cannot exceed.
    fn ceilings(&self, of: &Question<'_>) -> Ceilings;

    /// The same for both directions; the second question is the first with A and B exchanged.
    fn both(&self, of: &Question<'_>, swapped: &Question<'_>) -> (Ceilings, Ceilings) {
        (self.ceilings(of), self.ceilings(swapped))
    }

    /// An assignment with at most `most` relevant unknown documents that reaches the ceiling; the best known one where
    /// ceilings need not be reached.
    fn witness(&self, of: &Question<'_>, most: usize) -> Witness;
}
