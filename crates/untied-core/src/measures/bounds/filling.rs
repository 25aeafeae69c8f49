//! Makes unjudged (*open*) documents relevant one by one: from the top of a ranking down, and from the bottom up.
//!
//! For each number m of open documents that are relevant, it is best to have them as high up as possible, and worst as
//! far down. Then only one group, the *cut*, has both relevant and non-relevant open documents; on one side of it all
//! are relevant, and on the other side none. So a measure can look up what it needs in two tables, one for each side.
//!
//! In addition, e of the open documents that are not retrieved are relevant. R depends only on m + e. If that sum stays
//! the same, no measure here falls when a relevant document that is not retrieved is exchanged for a retrieved one. So
//! the value is largest if e = 0 or all m are relevant, and smallest if m = 0 or all e are. This leaves n + u
//! assignments each way instead of n u. If R does not depend on e, the documents that are not retrieved only add
//! non-relevant ones, or are not read at all; then the same two ends are enough for each m.

use std::ops::RangeInclusive;

use super::{Bounds, Open, Widest};
use crate::names::RecallBase;

/// The tie groups of a ranking, with the open documents that may become relevant.
pub(crate) struct Filling {
    pub groups: Vec<FillingSlot>,
    /// The numbers of relevant and open documents before each group, and last those of the whole ranking.
    before: Vec<(usize, usize)>,
    /// The number of open documents that are not retrieved.
    pub unretrieved: usize,
}

/// A tie group.
#[derive(Clone, Copy)]
pub(crate) struct FillingSlot {
    pub start: usize,
    pub size: usize,
    /// The number of documents that are judged relevant.
    pub known: usize,
    /// The number of open documents.
    pub open: usize,
}

/// The assignment in which the first or the last m open documents are relevant.
#[derive(Clone, Copy)]
pub(crate) struct FillingStage {
    /// Whether these are the first m.
    pub from_top: bool,
    pub m: usize,
    /// The index of the group at the cut. Only an empty ranking has no such group.
    pub cut: usize,
    /// How many open documents of this group are relevant.
    pub chosen: usize,
}

/// The bounds of a value that depends only on the stage and on R, and is undefined if R is 0. It must not fall when a
/// relevant document that is not retrieved is exchanged for a retrieved one.
pub(crate) fn by_relevant(
    rel: f64,
    base: RecallBase,
    open: &Open<'_>,
    value: impl Fn(&Filling, FillingStage, usize) -> f64,
) -> Bounds {
    let (filling, relevant) = (Filling::new(open, rel), base.open(rel, open));
    let mut bounds = Widest::default();
    for stage in filling.stages() {
        for others in filling.others(stage) {
            bounds.add(match relevant(stage.m, others) as usize {
                0 => f64::NAN,
                relevant => value(&filling, stage, relevant),
            });
        }
    }
    bounds.finish()
}

impl Filling {
    pub fn new(open: &Open<'_>, rel: f64) -> Filling {
        let of = open.relevant(rel);
        let groups: Vec<FillingSlot> = of
            .map(|(group, known, most)| FillingSlot { start: group.start, size: group.size, known, open: most - known })
            .collect();
        let mut before = vec![(0, 0)];
        before.extend(groups.iter().scan((0, 0), |(known, open), slot| {
            *known += slot.known;
            *open += slot.open;
            Some((*known, *open))
        }));
        Filling { groups, before, unretrieved: open.not_retrieved(rel) }
    }

    /// The number of open documents in the ranking.
    pub fn open(&self) -> usize {
        self.before[self.groups.len()].1
    }

    /// The stages for every m, from the top and from the bottom.
    pub fn stages(&self) -> impl Iterator<Item = FillingStage> {
        let stage = |cut: usize, from_top: bool| {
            let (before, open) = (self.before[cut].1, self.groups[cut].open);
            let others = if from_top { before } else { self.open() - before - open };
            (1..=open).map(move |chosen| FillingStage { from_top, m: others + chosen, cut, chosen })
        };
        let groups = 0..self.groups.len();
        std::iter::once(FillingStage { from_top: true, m: 0, cut: 0, chosen: 0 })
            .chain(groups.clone().flat_map(move |cut| stage(cut, true)))
            .chain(groups.rev().flat_map(move |cut| stage(cut, false)))
    }

    /// How many of the documents that are not retrieved may be relevant with this stage if the value is to be an
    /// extreme.
    pub fn others(&self, stage: FillingStage) -> RangeInclusive<usize> {
        match stage.from_top {
            true if stage.m == 0 || stage.m == self.open() => 0..=self.unretrieved,
            true => 0..=0,
            false => self.unretrieved..=self.unretrieved,
        }
    }

    /// The number of relevant documents before a group.
    pub fn before(&self, stage: FillingStage, group: usize) -> usize {
        self.relevant(stage, self.before[group])
    }

    /// For each group, how many of its open documents are relevant.
    pub fn chosen(&self, stage: FillingStage) -> Vec<usize> {
        (0..self.groups.len()).map(|group| self.chosen_of(stage, group)).collect()
    }

    /// How many open documents of one group are relevant.
    pub fn chosen_of(&self, stage: FillingStage, group: usize) -> usize {
        self.before(stage, group + 1) - self.before(stage, group) - self.groups[group].known
    }

    /// The first group at whose end there are at least this many relevant documents.
    pub fn reaching(&self, stage: FillingStage, relevant: usize) -> usize {
        self.before[1..].partition_point(|&before| self.relevant(stage, before) < relevant)
    }

    fn relevant(&self, stage: FillingStage, (known, open): (usize, usize)) -> usize {
        known + if stage.from_top { open.min(stage.m) } else { stage.m.saturating_sub(self.open() - open) }
    }

    /// The number of relevant documents before each group, if all open documents are relevant or if none are.
    pub fn all_before(&self, filled: bool) -> impl Iterator<Item = usize> {
        self.before.iter().map(move |&(known, open)| if filled { known + open } else { known })
    }
}
