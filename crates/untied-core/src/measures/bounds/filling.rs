//! Unjudged documents that become relevant one by one: from the top of a ranking down, and from the bottom up.
//!
//! Where it is best to have the m relevant ones as high up as possible, and worst as far down, bounds go through all m.
//! At each m there is one group, the *cut*, with some of its open documents relevant; on one side of it all are, and on
//! the other none. So what a measure needs can be looked up in two tables, made once for each of these.
//!
//! Of the open documents that are not retrieved, e are relevant too. R depends on m + e alone; and while that sum stays
//! the same, no measure here falls when a relevant document that is not retrieved is exchanged for one that is. So the
//! value is largest where e = 0 or m is all, and smallest where m = 0 or e is all: n + u assignments each way, and not
//! n u. If R does not depend on e, the documents that are not retrieved either only add to the non-relevant ones or are
//! not read at all; then the same two ends are enough for each m.

use std::ops::RangeInclusive;

use super::{Bounds, Open, Widest};
use crate::names::RecallBase;

/// The groups, and the open documents that can be relevant.
pub(crate) struct Filling {
    pub groups: Vec<FillingSlot>,
    /// Relevant and open documents before each group, and before the end.
    before: Vec<(usize, usize)>,
    /// Those not retrieved.
    pub unretrieved: usize,
}

/// A group.
#[derive(Clone, Copy)]
pub(crate) struct FillingSlot {
    pub start: usize,
    pub size: usize,
    /// Relevant ones that are known.
    pub known: usize,
    /// Those that can be relevant.
    pub open: usize,
}

/// m of the open documents are relevant.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    /// The first m, or the last.
    pub from_top: bool,
    pub m: usize,
    /// Number of the group at the cut; only in an empty ranking there is none.
    pub cut: usize,
    /// How many of its open documents are relevant.
    pub chosen: usize,
}

/// Bounds of what a stage and R decide, and what does not fall when a relevant document that is not retrieved is
/// exchanged for one that is; it is undefined where R is 0.
pub(crate) fn by_relevant(
    rel: f64,
    base: RecallBase,
    open: &Open<'_>,
    value: impl Fn(&Filling, Stage, usize) -> f64,
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

    /// Open documents in the ranking.
    pub fn open(&self) -> usize {
        self.before[self.groups.len()].1
    }

    /// Every m, from the top and from the bottom.
    pub fn stages(&self) -> impl Iterator<Item = Stage> {
        let stage = |cut: usize, from_top: bool| {
            let (before, open) = (self.before[cut].1, self.groups[cut].open);
            let others = if from_top { before } else { self.open() - before - open };
            (1..=open).map(move |chosen| Stage { from_top, m: others + chosen, cut, chosen })
        };
        let groups = 0..self.groups.len();
        std::iter::once(Stage { from_top: true, m: 0, cut: 0, chosen: 0 })
            .chain(groups.clone().flat_map(move |cut| stage(cut, true)))
            .chain(groups.rev().flat_map(move |cut| stage(cut, false)))
    }

    /// How many of the documents that are not retrieved are relevant with this stage where a value is an extreme.
    pub fn others(&self, stage: Stage) -> RangeInclusive<usize> {
        match stage.from_top {
            true if stage.m == 0 || stage.m == self.open() => 0..=self.unretrieved,
            true => 0..=0,
            false => self.unretrieved..=self.unretrieved,
        }
    }

    /// Relevant documents before a group.
    pub fn before(&self, stage: Stage, group: usize) -> usize {
        self.relevant(stage, self.before[group])
    }

    /// Open documents of each group that are relevant.
    pub fn chosen(&self, stage: Stage) -> Vec<usize> {
        (0..self.groups.len()).map(|group| self.chosen_of(stage, group)).collect()
    }

    /// Open documents of one group that are relevant.
    pub fn chosen_of(&self, stage: Stage, group: usize) -> usize {
        self.before(stage, group + 1) - self.before(stage, group) - self.groups[group].known
    }

    /// The first group at whose end there are at least this many relevant documents.
    pub fn reaching(&self, stage: Stage, relevant: usize) -> usize {
        self.before[1..].partition_point(|&before| self.relevant(stage, before) < relevant)
    }

    fn relevant(&self, stage: Stage, (known, open): (usize, usize)) -> usize {
        known + if stage.from_top { open.min(stage.m) } else { stage.m.saturating_sub(self.open() - open) }
    }

    /// Relevant documents before each group, all open ones among them or none.
    pub fn all_before(&self, filled: bool) -> impl Iterator<Item = usize> {
        self.before.iter().map(move |&(known, open)| if filled { known + open } else { known })
    }
}
