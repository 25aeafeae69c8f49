//! Bounds interpolated precision.
//!
//! If nothing else is between the hits of a group, precision rises from hit to hit, so only the last one counts. There
//! it is (h + m) / e, where h hits are known down to this rank e, and m open documents above are relevant. Above the
//! cut of a [`Filling`] nothing changes; below it, m is added to h. The maximum over the ranks with enough hits is
//! searched for once for all targets, from one target to the next.
//!
//! With tied hits first and with tied hits last, this gives the largest and the smallest value over all orders. The
//! mean is computed only if they differ. If more documents that are not retrieved are relevant, targets are higher and
//! the value is lower.

use std::ops::Range;

use super::filling::{Filling, FillingSlot, FillingStage};
use super::{Bounds, Open, Resolution, Widest};
use crate::measures::orders::precision::{HitGroup, Maximum};
use crate::measures::share::Target;
use crate::measures::{Measure, RecallBase};

/// Bounds the mean over targets; a target is the number of hits that a rank must have, given R.
pub(crate) fn mean(measure: &dyn Measure, rel: f64, base: RecallBase, targets: &[Target], open: &Open<'_>) -> Bounds {
    let filling = Filling::new(open, rel);
    let resolutions = match open.resolution {
        Resolution::Mean if open.ranking.is_tied() => vec![Resolution::Worst, Resolution::Best],
        Resolution::Mean => vec![Resolution::Worst],
        one => vec![one],
    };
    let sought = Sought {
        targets,
        filling: &filling,
        tied: (0..filling.groups.len()).filter(|&group| filling.groups[group].size > 1).collect(),
        orders: resolutions.into_iter().map(|resolution| LastHits::new(&filling, resolution)).collect(),
    };
    let relevant = base.open(rel, open);
    let grade = open.grade_from(rel).unwrap_or(0.0);
    let mut bounds = Widest::default();
    let mut ends = vec![0, filling.unretrieved];
    ends.dedup();
    for stage in filling.stages() {
        for &others in &ends {
            bounds.add(match relevant(stage.m, others) as usize {
                0 => f64::NAN,
                relevant => sought
                    .value(stage, relevant)
                    .unwrap_or_else(|| open.value(measure, grade, &filling.chosen(stage), others)),
            });
        }
    }
    bounds.finish()
}

struct Sought<'a> {
    targets: &'a [Target],
    filling: &'a Filling,
    /// The groups of more than one document.
    tied: Vec<usize>,
    /// The last hits if tied documents are in one order, or those of the worst and of the best order.
    orders: Vec<LastHits>,
}

impl Sought<'_> {
    /// The mean over the targets, if it is known exactly.
    fn value(&self, stage: FillingStage, relevant: usize) -> Option<f64> {
        let mut targets: Vec<usize> = self.targets.iter().map(|target| target(relevant).max(1)).collect();
        targets.sort_unstable_by(|a, b| b.cmp(a));
        let (mut total, mut end) = (0.0, self.filling.groups.len());
        let mut maxima = [0.0; 2];
        for &hits in &targets {
            let start = self.filling.reaching(stage, hits);
            for (maximum, order) in maxima.iter_mut().zip(&self.orders) {
                *maximum = order.largest(self.filling, stage, start..end).max(*maximum);
            }
            end = start;
            let [low, high] = maxima;
            total += if self.orders.len() == 1 || low == high {
                low
            } else {
                let tied = self.tied[self.tied.partition_point(|&group| group < start)..].iter();
                let groups: Vec<HitGroup> = tied.map(|&group| self.hits_of(stage, group)).collect();
                Maximum::new(low, high, hits, &groups).moments()?.0
            };
        }
        Some(total / targets.len() as f64)
    }

    fn hits_of(&self, stage: FillingStage, group: usize) -> HitGroup {
        let (slot, before) = (self.filling.groups[group], self.filling.before(stage, group));
        let relevant = self.filling.before(stage, group + 1) - before;
        HitGroup { start: slot.start, before, size: slot.size, relevant, first: 1 }
    }
}

/// The last hit of each group, if tied documents are in their best or worst order.
struct LastHits {
    resolution: Resolution,
    known: PossiblePrecisions,
    all: PossiblePrecisions,
}

impl LastHits {
    fn new(filling: &Filling, resolution: Resolution) -> LastHits {
        let [known, all] = [false, true].map(|filled| PossiblePrecisions::new(filling, filled, resolution));
        LastHits { resolution, known, all }
    }

    /// The highest precision at the last hits of some groups.
    fn largest(&self, filling: &Filling, stage: FillingStage, groups: Range<usize>) -> f64 {
        let (above, below, more) = if stage.from_top {
            (&self.all, &self.known, stage.m as f64)
        } else {
            (&self.known, &self.all, stage.m as f64 - filling.open() as f64)
        };
        let at_cut = filling.groups.get(stage.cut).filter(|_| groups.contains(&stage.cut)).map_or(0.0, |slot| {
            let hits = filling.before(stage, stage.cut + 1) as f64;
            hits / last_rank(slot, slot.known + stage.chosen, self.resolution)
        });
        let before = above.largest(groups.start..groups.end.min(stage.cut), 0.0);
        before.max(at_cut).max(below.largest(groups.start.max(stage.cut + 1)..groups.end, more))
    }
}

/// The rank of a group's last hit.
fn last_rank(slot: &FillingSlot, relevant: usize, resolution: Resolution) -> f64 {
    (slot.start + if resolution == Resolution::Best { relevant } else { slot.size }).max(1) as f64
}

/// The number of hits to the end of each group, and the rank of the last one, if all open documents are relevant or if
/// none are.
struct PossiblePrecisions {
    hits: Vec<f64>,
    ranks: Vec<f64>,
}

impl PossiblePrecisions {
    fn new(filling: &Filling, filled: bool, resolution: Resolution) -> PossiblePrecisions {
        let ranks = filling.groups.iter().map(|slot| {
            let relevant = if filled { slot.known + slot.open } else { slot.known };
            last_rank(slot, relevant, resolution)
        });
        let hits = filling.all_before(filled).skip(1).map(|hits| hits as f64);
        PossiblePrecisions { hits: hits.collect(), ranks: ranks.collect() }
    }

    /// The highest precision in these groups after `more` further hits; 0 if there are no groups.
    fn largest(&self, groups: Range<usize>, more: f64) -> f64 {
        if groups.is_empty() {
            return 0.0;
        }
        let (hits, hits_left) = self.hits[groups.clone()].as_chunks::<4>();
        let (ranks, ranks_left) = self.ranks[groups].as_chunks::<4>();
        let mut lanes = [0.0; 4];
        for (hits, ranks) in hits.iter().zip(ranks) {
            for lane in 0..4 {
                let value = (hits[lane] + more) / ranks[lane];
                lanes[lane] = if value > lanes[lane] { value } else { lanes[lane] };
            }
        }
        let left = hits_left.iter().zip(ranks_left).map(|(hits, rank)| (hits + more) / rank);
        left.chain(lanes).fold(0.0, f64::max)
    }
}
