//! binG: precision-like, with the logarithm of the non-relevant documents above as discount.
//!
//!   binG = (1/R) sum over retrieved relevant documents of 1 / log2(2 + u),    u = non-relevant documents above.
//!
//! Ties: see `gaps`.

use super::bounds::filling::Filling;
use super::bounds::{Bounds, Open, Resolution, Widest};
use super::orders::gaps::Gaps;
use super::{Definition, Measure};
use crate::elementary::log2;
use crate::names::{Info, JUDGED_ONLY, RECALL_BASE, REL, RecallBase, SHARE};
use crate::ranking::Ranking;
use crate::table::Judgments;

pub static BINARY_GAIN: Definition = Info {
    name: "binG",
    aliases: &["bing"],
    title: "binary gain, discounted by the non-relevant documents above",
    parameters: &[REL, RECALL_BASE, JUDGED_ONLY],
    range: SHARE,
    equation: "binG = (1/R) sum over relevant documents of 1 / log2(2 + u), u = non-relevant documents above it",
    tex: r"\mathrm{binG} = \frac{1}{R} \sum_{i:\ x_i = 1} \frac{1}{\log_2 (2 + u_i)}",
    reference: "trec_eval (binG, Buckley 2008)",
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(BinaryGain { rel: spec.rel()?, base: spec.recall_base()? })));

struct BinaryGain {
    rel: f64,
    base: RecallBase,
}

impl BinaryGain {
    /// Calls `visit` with each group that has relevant documents, and returns R, or NaN if it is 0.
    fn over_groups(&self, ranking: &Ranking, truth: &Judgments<'_>, mut visit: impl FnMut(Gaps)) -> f64 {
        let mut hits = 0;
        for group in ranking.groups() {
            let relevant = group.relevant(self.rel);
            if relevant > 0 {
                visit(Gaps { relevant, nonrelevant: group.size - relevant, before: group.start - hits });
            }
            hits += relevant;
        }
        let relevant = self.base.relevant(self.rel, ranking, truth);
        if relevant == 0.0 { f64::NAN } else { relevant }
    }
}

fn gain(above: usize) -> f64 {
    1.0 / log2(above as f64 + 2.0)
}

impl Measure for BinaryGain {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |gaps| gaps.add_mean(&mut total, gain));
        total / relevant
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |gaps| total += gaps.variance(gain));
        total / (relevant * relevant)
    }

    /// Every number of relevant open documents is tried; see [`LayeredGroups`].
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let filling = Filling::new(open, self.rel);
        let gains = LayeredGains::new(open);
        let [known, all] = [false, true].map(|filled| LayeredGroups::new(&filling, filled, &gains));
        let relevant = self.base.open(self.rel, open);
        let mut bounds = Widest::default();
        for stage in filling.stages() {
            let (above, below, moved) = if stage.from_top {
                (&all, &known, -(stage.m as isize))
            } else {
                (&known, &all, (filling.open() - stage.m) as isize)
            };
            let total = filling.groups.get(stage.cut).map_or(0.0, |slot| {
                let relevant = slot.known + stage.chosen;
                let before = slot.start - filling.before(stage, stage.cut);
                let at_cut = relevant as f64 * gains.of(before, slot.size - relevant);
                above.before[stage.cut] + at_cut + below.after(stage.cut, moved, &gains)
            });
            for others in [0, filling.unretrieved] {
                let relevant = relevant(stage.m, others);
                bounds.add(if relevant == 0.0 { f64::NAN } else { total / relevant });
            }
        }
        Some(bounds.finish())
    }
}

/// The gain of a relevant document, by the number of non-relevant documents above it.
struct LayeredGains {
    of: Vec<f64>,
    /// The sums of the first 0, 1, .. gains.
    sums: Vec<f64>,
    resolution: Resolution,
}

impl LayeredGains {
    fn new(open: &Open<'_>) -> LayeredGains {
        let of: Vec<f64> = (0..=open.ranking.retrieved).map(gain).collect();
        let mut sums = vec![0.0];
        sums.extend(of.iter().scan(0.0, |sum, gain| {
            *sum += gain;
            Some(*sum)
        }));
        LayeredGains { of, sums, resolution: open.resolution }
    }

    /// The mean gain of a relevant document in a group with these numbers of non-relevant documents before it and in
    /// it.
    fn of(&self, before: usize, nonrelevant: usize) -> f64 {
        match self.resolution {
            Resolution::Mean if nonrelevant > 0 => {
                let sum = self.sums[before + nonrelevant + 1] - self.sums[before];
                sum / (nonrelevant + 1) as f64
            }
            Resolution::Mean | Resolution::Best => self.of[before],
            Resolution::Worst => self.of[before + nonrelevant],
        }
    }
}

/// The relevant documents of neighbouring groups that have the same non-relevant documents above them.
#[derive(Clone, Copy)]
struct Layer {
    relevant: usize,
    /// The numbers of non-relevant documents before the group and in it.
    before: usize,
    nonrelevant: usize,
}

/// The gains above and below the cut of a filling, if all open documents there are relevant or if none are.
///
/// Above the cut, nothing depends on how many are relevant. Below it, every document has the same number of
/// non-relevant documents more or fewer above it, so documents are put together in layers that have equal numbers
/// above. With k layers, all n numbers of relevant documents take O(n k). There are few layers if few documents are
/// judged: below the cut, either only judged documents are relevant, or only judged ones are not.
struct LayeredGroups {
    /// For each group, the gain of all groups before it.
    before: Vec<f64>,
    /// The layers, from the last group up.
    layers: Vec<Layer>,
    /// For each group, the number of layers after it, and of relevant documents in the topmost of these.
    after: Vec<(usize, usize)>,
}

impl LayeredGroups {
    fn new(filling: &Filling, filled: bool, gains: &LayeredGains) -> LayeredGroups {
        let layers: Vec<Layer> = filling
            .groups
            .iter()
            .zip(filling.all_before(filled))
            .map(|(slot, before)| {
                let relevant = if filled { slot.known + slot.open } else { slot.known };
                Layer { relevant, before: slot.start - before, nonrelevant: slot.size - relevant }
            })
            .collect();
        let before = layers.iter().scan(0.0, |sum, layer| {
            let before = *sum;
            *sum += layer.relevant as f64 * gains.of(layer.before, layer.nonrelevant);
            Some(before)
        });
        let mut part =
            LayeredGroups { before: before.collect(), layers: Vec::new(), after: vec![(0, 0); layers.len()] };
        for (group, layer) in layers.iter().enumerate().rev() {
            part.after[group] = (part.layers.len(), part.layers.last().map_or(0, |last| last.relevant));
            part.push(*layer);
        }
        part
    }

    fn push(&mut self, layer: Layer) {
        match self.layers.last_mut() {
            _ if layer.relevant == 0 => {}
            Some(last) if layer.nonrelevant == 0 && (last.before, last.nonrelevant) == (layer.before, 0) => {
                last.relevant += layer.relevant;
            }
            _ => self.layers.push(layer),
        }
    }

    /// The gain of all groups after this one, if each has `moved` more non-relevant documents above it.
    fn after(&self, group: usize, moved: isize, gains: &LayeredGains) -> f64 {
        let (number, topmost) = self.after[group];
        let of = |layer: &Layer| gains.of(layer.before.wrapping_add_signed(moved), layer.nonrelevant);
        let Some((top, others)) = self.layers[..number].split_last() else { return 0.0 };
        topmost as f64 * of(top) + others.iter().map(|layer| layer.relevant as f64 * of(layer)).sum::<f64>()
    }
}
