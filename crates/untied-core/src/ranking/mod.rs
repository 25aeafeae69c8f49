//! Rankings: from scores and judgments to the input of measures.
//!
//! [`ties`] sorts a query's rows by [`score`] and marks tie groups, [`judge`] attaches grades and lays the ranking out under a
//! tie policy, [`policy`] derives other rankings from it: without unjudged documents, in the best or worst order.
//! [`list`] numbers the documents of a query, [`pair`] joins two of its rankings by them.

mod first;
mod judge;
mod keys;
mod list;
mod network;
mod pair;
mod places;
mod policy;
pub mod score;
mod ties;
mod top;

pub use first::are_few;
pub use judge::Judge;
pub use list::{List, Numbering};
pub use pair::{Block, Joiner, Pair, Placed, Positions, Side};
pub use places::{Place, Places, Sparse, is_worth_it};
pub use policy::{best, condensed, relevant, shuffled, worst};
pub use ties::{Layout, Order, Precision, misfit};
pub use top::{TieCounts, Top, tie_counts, top};

use crate::grade::{Level, count_from};

/// A query's ranking, reduced to what measures read: the tie groups that hold documents of the qrels.
///
/// Groups without such documents are left out (unless all were asked for, which only bounds over unjudged documents
/// need); the positions of the others tell how long they were. A ranking without ties is one whose groups have size 1,
/// so a measure needs no second formula for it.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Ranking {
    /// Number of documents retrieved, n.
    pub retrieved: usize,
    /// All of them with their lengths, where a measure needs that.
    pub texts: Texts,
    spans: Vec<Span>,
    levels: Vec<Level>,
    is_tied: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    start: u32,
    size: u32,
    /// Where its levels end; they begin where those of the group before end.
    levels: u32,
}

/// Documents with equal scores, in the paper's symbols V_i.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    /// Documents ranked before the group, t_i.
    pub start: usize,
    /// Documents in the group, n_i.
    pub size: usize,
    /// Those of them that the qrels hold, by grade, highest first. The rest is unjudged.
    pub levels: &'a [Level],
}

impl Group<'_> {
    /// Documents of at least this grade, r_i.
    #[inline]
    pub fn relevant(&self, rel: f64) -> usize {
        count_from(self.levels, rel)
    }

    /// Positions of the group that lie within a cutoff, K.
    #[inline]
    pub fn slots(&self, cutoff: usize) -> usize {
        self.size.min(cutoff.saturating_sub(self.start))
    }

    /// Documents of the group that the qrels do not hold.
    pub fn unjudged(&self) -> usize {
        self.size - self.levels.iter().map(|level| level.count as usize).sum::<usize>()
    }
}

/// A retrieved document by itself, for measures that look at more than grades.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Text {
    /// Its grade; negative infinity if the qrels do not hold it.
    pub grade: f64,
    /// Its length.
    pub length: f64,
    /// Seconds that reading it takes, NaN where that is not known.
    pub seconds: f64,
}

/// All retrieved documents, group by group, in no order within a group.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Texts {
    all: Vec<Text>,
    ends: Vec<u32>,
}

impl Texts {
    /// Forget everything, keep the room.
    pub fn clear(&mut self) {
        self.all.clear();
        self.ends.clear();
    }

    /// Append a group, if there is anything in it.
    pub fn push(&mut self, group: impl IntoIterator<Item = Text>) {
        let before = self.all.len();
        self.all.extend(group);
        if self.all.len() > before {
            self.ends.push(self.all.len() as u32);
        }
    }

    /// The groups, best first.
    pub fn groups(&self) -> impl Iterator<Item = &[Text]> {
        let mut from = 0;
        self.ends.iter().map(move |&end| {
            let group = &self.all[from..end as usize];
            from = end as usize;
            group
        })
    }
}

impl Ranking {
    /// Forget everything, keep the room.
    pub fn clear(&mut self) {
        self.retrieved = 0;
        self.texts.clear();
        self.spans.clear();
        self.levels.clear();
        self.is_tied = false;
    }

    /// Whether the qrels hold any document of the ranking.
    pub fn holds_judged(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Append a group; groups come in the order of their starts.
    #[inline]
    pub fn push(&mut self, start: usize, size: usize, levels: impl IntoIterator<Item = Level>) {
        self.levels.extend(levels);
        self.is_tied |= size > 1;
        self.spans.push(Span { start: start as u32, size: size as u32, levels: self.levels.len() as u32 });
    }

    /// Append an untied document.
    #[inline]
    pub fn push_one(&mut self, start: usize, grade: f64) {
        self.levels.push(Level { grade, count: 1 });
        self.spans.push(Span { start: start as u32, size: 1, levels: self.levels.len() as u32 });
    }

    /// Keep only the first `depth` documents of a ranking without ties.
    pub fn cut(&mut self, depth: usize) {
        self.retrieved = self.retrieved.min(depth);
        self.spans.truncate(self.spans.partition_point(|span| (span.start as usize) < depth));
        debug_assert!(self.spans.last().is_none_or(|span| span.size == 1));
        self.levels.truncate(self.spans.last().map_or(0, |span| span.levels as usize));
    }

    /// The groups that hold documents of the qrels, best first.
    #[inline]
    pub fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let mut from = 0;
        self.spans.iter().map(move |span| {
            let to = span.levels as usize;
            let levels = &self.levels[from..to];
            from = to;
            Group { start: span.start as usize, size: span.size as usize, levels }
        })
    }

    /// The groups that begin within a cutoff: work stops at the end of the group that holds it.
    #[inline]
    pub fn groups_to(&self, cutoff: usize) -> impl Iterator<Item = Group<'_>> {
        self.groups().take_while(move |group| group.start < cutoff)
    }

    /// Whether any of the groups has more than one document.
    #[inline]
    pub fn is_tied(&self) -> bool {
        self.is_tied
    }

    /// Retrieved documents of at least this grade.
    pub fn relevant(&self, rel: f64) -> usize {
        self.levels.iter().filter(|level| level.grade >= rel).map(|level| level.count as usize).sum()
    }

    /// The grades of all retrieved documents that the qrels hold.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }
}
