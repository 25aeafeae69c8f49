//! Two rankings of a query with some unjudged documents, and the answers of solvers about them.

use crate::difference::solve::{Document, Instance};
use crate::grade::Level;
use crate::ranking::{List, Placed};

/// Two rankings of a query. Documents without a judgment are *unknown*: they may have any grade.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'q> {
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
    /// Whether ties may stand in any order, and not in all as likely.
    pub any_order: bool,
}

/// Which orders of ties count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orders {
    /// Nothing is tied.
    One,
    /// The mean over all.
    Mean,
    /// The best of A and the worst of B.
    Any,
}

impl<'q> Question<'q> {
    /// Whether documents of either ranking are tied.
    pub fn is_tied(&self) -> bool {
        self.a.is_tied() || self.b.is_tied()
    }

    /// Which orders of ties count.
    pub fn orders(&self) -> Orders {
        match (self.is_tied(), self.any_order) {
            (false, _) => Orders::One,
            (true, false) => Orders::Mean,
            (true, true) => Orders::Any,
        }
    }

    /// Ceilings of tied rankings that have A's best order and B's worst one. Without a relevant unknown document any order
    /// reaches them.
    pub fn in_any_order(&self, upto: Vec<f64>) -> Ceilings {
        match self.orders() {
            Orders::Any => Ceilings::partly(upto, (self.unknown == 0).then_some(0), vec![0]),
            Orders::One | Orders::Mean => Ceilings::outer(upto),
        }
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

    /// Documents within a cutoff, and the search for what they could gain: those of a grade have the gain that is
    /// `known` of it, if any, and others at most `top`.
    pub fn instance(&self, cutoff: usize, top: f64, known: impl Fn(f64) -> Option<f64>) -> (Vec<&'q Placed>, Instance) {
        let depth = cutoff.min(self.a.len().max(self.b.len()));
        let within = |rank: u32| if rank as usize <= depth { rank } else { 0 };
        let counted = |(place, _): &(&Placed, f64)| within(place.a) > 0 || within(place.b) > 0;
        let document =
            |(x, grade): (&'q Placed, f64)| (x, Document { a: within(x.a), b: within(x.b), known: known(grade) });
        let (places, documents) = self.documents().filter(counted).map(document).unzip();
        (places, Instance { depth, lengths: (depth, depth), documents, top })
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
pub(crate) enum Kind {
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

/// What S(A) - S(B) cannot exceed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ceilings {
    /// With at most 0, 1, 2, ... unknown documents relevant. More change nothing beyond the end.
    pub upto: Vec<f64>,
    /// The least number from which on all are reached by an assignment.
    from: Option<usize>,
    /// Others that are.
    reached: Vec<usize>,
}

impl Ceilings {
    /// All of them are reached.
    pub fn exact(upto: Vec<f64>) -> Ceilings {
        Ceilings { upto, from: Some(0), reached: Vec::new() }.trimmed()
    }

    /// Nothing but their being ceilings is known.
    pub fn outer(upto: Vec<f64>) -> Ceilings {
        Ceilings { upto, from: None, reached: Vec::new() }.trimmed()
    }

    /// Lower all ceilings to `most`, which no difference exceeds. From `from` relevant documents on, if this number is
    /// known, some difference reaches `most`.
    #[must_use]
    pub fn below(mut self, most: f64, from: Option<usize>) -> Ceilings {
        self.upto.iter_mut().for_each(|ceiling| *ceiling = ceiling.min(most));
        self.from = from;
        self.trimmed()
    }

    /// Lower all ceilings to `most`, which no difference exceeds.
    #[must_use]
    pub fn no_more_than(self, most: f64) -> Ceilings {
        let from = self.from;
        self.below(most, from)
    }

    /// Some are reached: from a number on, if any is known, and those of others.
    pub fn partly(upto: Vec<f64>, from: Option<usize>, reached: Vec<usize>) -> Ceilings {
        Ceilings { upto, from, reached }.trimmed()
    }

    /// Sets the ceiling for 0 relevant unknown documents to `none`, which is reached; `unknown` is the number of unknown
    /// documents.
    #[must_use]
    pub fn starting(mut self, none: f64, unknown: usize) -> Ceilings {
        if unknown == 0 {
            return Ceilings::exact(vec![none]);
        }
        self.lower(0, none, true);
        self
    }

    /// Lower the ceilings for at most this number of relevant documents; `is_reached` says whether that number reaches it.
    pub fn lower(&mut self, documents: usize, most: f64, is_reached: bool) {
        let last = self.at(usize::MAX);
        if self.upto.len() <= documents + 1 {
            self.upto.resize(documents + 1, last);
            self.upto.push(last);
        }
        self.upto[..=documents].iter_mut().for_each(|ceiling| *ceiling = ceiling.min(most));
        if is_reached {
            self.reached.push(documents);
        }
        self.trim();
    }

    fn trimmed(mut self) -> Ceilings {
        self.trim();
        self
    }

    /// Leave out what repeats the last one.
    fn trim(&mut self) {
        let last = self.upto.last().copied();
        let first = self.upto.iter().position(|&ceiling| Some(ceiling) == last);
        self.upto.truncate(first.map_or(0, |first| first + 1));
    }

    /// The ceiling with at most this number of unknown documents relevant.
    pub fn at(&self, most: usize) -> f64 {
        self.upto[most.min(self.upto.len() - 1)]
    }

    /// Whether all are reached.
    pub fn are_reached(&self) -> bool {
        self.from == Some(0)
    }

    /// Whether an assignment with at most this number reaches it.
    pub fn is_reached(&self, most: usize) -> bool {
        let reaches = |&fewer: &usize| fewer <= most && self.at(fewer) >= self.at(most);
        self.from.is_some_and(|from| most >= from) || self.reached.iter().any(reaches)
    }
}

impl Witness {
    /// The same with A and B exchanged.
    #[must_use]
    pub(crate) fn turned(self) -> Witness {
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
pub(crate) trait Ceiling: Send + Sync {
    /// The largest weight of a document, which rounding errors are relative to.
    fn scale(&self) -> f64 {
        1.0
    }

    /// What S(A) - S(B) cannot exceed.
    fn ceilings(&self, of: &Question<'_>) -> Ceilings;

    /// The ceiling with at most `most` relevant unknown documents alone, and whether it is reached, where finding it takes a
    /// search for each number; none where any number may be, or the others are as low.
    fn limited(&self, _of: &Question<'_>, _most: usize) -> Option<(f64, bool)> {
        None
    }

    /// The ceilings of both directions; the second question is the first with A and B exchanged.
    fn both(&self, of: &Question<'_>, swapped: &Question<'_>) -> (Ceilings, Ceilings) {
        (self.ceilings(of), self.ceilings(swapped))
    }

    /// An assignment with at most `most` relevant unknown documents that reaches the ceiling; the best known one where
    /// ceilings need not be reached.
    fn witness(&self, of: &Question<'_>, most: usize) -> Witness;
}
