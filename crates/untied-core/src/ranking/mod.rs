//! Turns scores and judgments into rankings, which measures read.
//!
//! [`ties`] sorts the rows of a query by [`score`] and finds its tie groups. [`judge`] adds grades, and writes the ranking
//! under a tie policy. [`policy`] derives other rankings: without unjudged documents, or in the best or worst order. [`list`]
//! numbers the documents of a query, so that [`pair`] can join two of its rankings.

mod few;
mod first;
mod judge;
mod keys;
mod list;
mod pair;
mod places;
mod policy;
pub mod score;
mod ties;
mod top;

pub use first::are_few;
pub use judge::Judge;
pub use list::{List, Numbering};
pub use pair::{Joiner, Pair, Placed, Positions, SharedDocuments, Side};
pub use places::{Place, Places, Sparse, are_sparse, is_worth_it};
pub use policy::{best, condensed, relevant, shuffled, worst};
pub use ties::{Layout, Order, Precision, misfit};
pub use top::{TieCounts, Top, tie_counts, top};

use crate::grade::{Level, count_from};

/// The ranking of a query as measures read it: the tie groups that have judged documents.
///
/// Groups without judged documents are left out, unless bounds over unjudged documents need them. Each group has its own
/// position, so the gaps between groups show the sizes of those that are left out. In a ranking without ties all groups have size 1, so measures need no second
/// formula for it.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Ranking {
    /// The number of retrieved documents, n.
    pub retrieved: usize,
    /// All retrieved documents with their lengths, if a measure reads lengths.
    pub texts: Texts,
    spans: Vec<Span>,
    levels: Vec<Level>,
    is_tied: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    start: u32,
    size: u32,
    /// The index after its last level.
    levels: u32,
}

/// A tie group: documents with equal scores, V_i in the paper of McSherry & Najork (2008).
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    /// The number of documents before the group, t_i.
    pub start: usize,
    /// The number of documents in the group, n_i.
    pub size: usize,
    /// The numbers of judged documents by grade, highest first. All others are unjudged.
    pub levels: &'a [Level],
}

impl Group<'_> {
    /// The number of documents of at least this grade, r_i.
    #[inline]
    pub fn relevant(&self, rel: f64) -> usize {
        count_from(self.levels, rel)
    }

    /// The number of positions of the group within a cutoff, K.
    #[inline]
    pub fn slots(&self, cutoff: usize) -> usize {
        self.size.min(cutoff.saturating_sub(self.start))
    }

    /// The number of unjudged documents.
    pub fn unjudged(&self) -> usize {
        self.size - self.levels.iter().map(|level| level.count as usize).sum::<usize>()
    }
}

/// A retrieved document with its length, for measures that read more than grades.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Text {
    /// Its grade; negative infinity if it is not judged.
    pub grade: f64,
    /// Its length.
    pub length: f64,
    /// The time in seconds to read it; NaN if it is not known.
    pub seconds: f64,
}

impl Text {
    /// Whether a measure reads the same of both documents.
    pub fn is_same(&self, other: &Text) -> bool {
        let bits = |text: &Text| [text.grade, text.length, text.seconds].map(f64::to_bits);
        bits(self) == bits(other)
    }
}

/// All retrieved documents, group by group. Their order within a group has no meaning.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Texts {
    all: Vec<Text>,
    ends: Vec<u32>,
}

impl Texts {
    /// Removes everything, and keeps the memory.
    pub fn clear(&mut self) {
        self.all.clear();
        self.ends.clear();
    }

    /// Appends a group, unless it is empty.
    pub fn push(&mut self, group: impl IntoIterator<Item = Text>) {
        let before = self.all.len();
        self.all.extend(group);
        if self.all.len() > before {
            self.ends.push(self.all.len() as u32);
        }
    }

    /// Whether any documents are tied.
    pub fn are_tied(&self) -> bool {
        self.ends.len() < self.all.len()
    }

    /// The groups, best first.
    pub fn groups(&self) -> impl Iterator<Item = &[Text]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let group = &self.all[start..end as usize];
            start = end as usize;
            group
        })
    }
}

impl Ranking {
    /// Removes everything, and keeps the memory.
    pub fn clear(&mut self) {
        self.retrieved = 0;
        self.texts.clear();
        self.spans.clear();
        self.levels.clear();
        self.is_tied = false;
    }

    /// Whether any document is judged.
    pub fn holds_judged(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Appends a group; groups must be appended in the order of their starts.
    #[inline]
    pub fn push(&mut self, start: usize, size: usize, levels: impl IntoIterator<Item = Level>) {
        self.levels.extend(levels);
        self.is_tied |= size > 1;
        self.spans.push(Span { start: start as u32, size: size as u32, levels: self.levels.len() as u32 });
    }

    /// Appends a judged document that is not tied.
    #[inline]
    pub fn push_one(&mut self, start: usize, grade: f64) {
        self.levels.push(Level { grade, count: 1 });
        self.spans.push(Span { start: start as u32, size: 1, levels: self.levels.len() as u32 });
    }

    /// Appends the rows of a ranking without ties, best first. `grade` has a row's grade, and whether it is judged;
    /// rows that are not judged are left out.
    pub fn push_untied(&mut self, rows: &[u32], grade: impl Fn(u32) -> (bool, f64)) {
        /// How many documents are appended at a time.
        const PART: usize = 16;
        let mut spans = [Span { start: 0, size: 1, levels: 0 }; PART];
        let mut levels = [Level { grade: 0.0, count: 1 }; PART];
        for (part, first) in rows.chunks(PART).zip((0..).step_by(PART)) {
            let (before, mut kept) = (self.levels.len() as u32, 0);
            for (&row, start) in part.iter().zip(first..) {
                // There is no branch: every document is written, and overwritten by the next unless it is judged.
                let (is_judged, grade) = grade(row);
                (spans[kept].start, spans[kept].levels) = (start, before + kept as u32 + 1);
                levels[kept].grade = grade;
                kept += usize::from(is_judged);
            }
            self.spans.extend_from_slice(&spans[..kept]);
            self.levels.extend_from_slice(&levels[..kept]);
        }
    }

    /// Keeps only the first `depth` documents of a ranking without ties.
    pub fn cut(&mut self, depth: usize) {
        self.retrieved = self.retrieved.min(depth);
        self.spans.truncate(self.spans.partition_point(|span| (span.start as usize) < depth));
        debug_assert!(self.spans.last().is_none_or(|span| span.size == 1));
        self.levels.truncate(self.spans.last().map_or(0, |span| span.levels as usize));
    }

    /// The groups with judged documents, best first.
    #[inline]
    pub fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let mut start = 0;
        self.spans.iter().map(move |span| {
            let end = span.levels as usize;
            let levels = &self.levels[start..end];
            start = end;
            Group { start: span.start as usize, size: span.size as usize, levels }
        })
    }

    /// The groups that begin within a cutoff.
    #[inline]
    pub fn groups_to(&self, cutoff: usize) -> impl Iterator<Item = Group<'_>> {
        self.groups().take_while(move |group| group.start < cutoff)
    }

    /// Whether any of the groups has more than one document.
    #[inline]
    pub fn is_tied(&self) -> bool {
        self.is_tied
    }

    /// The number of retrieved documents of at least this grade.
    pub fn relevant(&self, rel: f64) -> usize {
        self.levels.iter().filter(|level| level.grade >= rel).map(|level| level.count as usize).sum()
    }

    /// The grades of all judged documents, group by group.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }
}
