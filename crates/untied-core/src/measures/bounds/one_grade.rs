//! Bounds blended ratios (Q, NCU, GAP, O, P-measure and P+) if only one grade is relevant.
//!
//! Only the assignments of `filling` can be the best or the worst. O, P-measure and P+ read nothing after the first
//! group with relevant documents, so they are computed from that group alone. The others are a sum S divided by a norm
//! that depends on R. It is over the ranks i of relevant documents, with c relevant documents down to each; with q =
//! beta g,
//!
//!   S = (1 + q) sum of gamma^(c-1) c / (i + q min(i, R)),
//!
//! because rank i costs (1 + q) i if i <= R. To compute the measure for n assignments would take n^2 steps with much
//! overhead. So S is computed first, not to the last bit, from sums over groups, most of which are the same for all
//! assignments: a group after B relevant documents adds gamma^B (own + B slope), and own and slope change with R only
//! after rank R, where `expansion` gives them for all R. The measure itself then computes the value of the few
//! assignments for which S divided by the norm is largest or smallest.

use super::expansion::Expansion;
use super::filling::{Filling, FillingSlot, FillingStage};
use super::{Bounds, Open, Resolution, Widest};
use crate::elementary::powi;
use crate::measures::Measure;
use crate::watch;

/// If two ratios differ by less than this, rounding may have exchanged them.
const CLOSE: f64 = 1e-10;
/// How many equally good assignments are computed at most. Their values agree to ten digits, so any of them will do.
const MOST: usize = 64;
/// Sums above this lost no digits to numbers that were too small.
const LEAST: f64 = 1e-250;
/// If the weight of the next relevant document is below this, no more are counted.
const FADED: f64 = 1e-18;

/// The grade that is relevant, if there is only one, and 0 if there is none.
fn grade(open: &Open<'_>, rel: f64) -> Option<f64> {
    let known = open.truth.levels.iter().map(|level| level.grade);
    let mut relevant = known.chain(open.grades.iter().copied()).filter(|&grade| grade >= rel);
    let grade = relevant.next().unwrap_or(0.0);
    relevant.all(|other| other == grade).then_some(grade)
}

/// Bounds a measure that reads neither what follows the first group with relevant documents nor the length of the
/// ranking, and never rises with R.
pub(crate) fn of_first(measure: &dyn Measure, open: &Open<'_>, rel: f64) -> Option<Bounds> {
    let grade = grade(open, rel)?;
    let filling = Filling::new(open, rel);
    let groups: Vec<_> = open.ranking.groups().collect();
    let known = open.truth.relevant(rel);
    // The first group with relevant documents, how many of its open documents are relevant, and how many are in all.
    let assignments = filling.stages().flat_map(|stage| {
        let first = filling.reaching(stage, 1);
        let here = groups.get(first).map(|_| (first, filling.chosen_of(stage, first)));
        filling.others(stage).map(move |others| (here, stage.m + others))
    });
    let mut bounds = Widest::default();
    let mut add = |first: Option<(usize, usize)>, chosen| {
        bounds.add(open.value_of_group(measure, grade, first.map(|(first, here)| (&groups[first], here)), chosen));
    };
    // Consecutive assignments with the same group differ only in R, which grows or falls, so their first and last are
    // enough. R = 0 is apart, because the measure is undefined there.
    let mut last: Option<(Option<(usize, usize)>, usize)> = None;
    for (here, chosen) in assignments.take_while(|_| !watch::is_stopped()) {
        let goes_on = last.is_some_and(|(before, relevant)| before == here && known + relevant > 0);
        if !goes_on || known + chosen == 0 {
            if let Some((before, relevant)) = last {
                add(before, relevant);
            }
            add(here, chosen);
        }
        last = Some((here, chosen));
    }
    if let Some((before, relevant)) = last {
        add(before, relevant);
    }
    Some(bounds.finish())
}

/// The parameters of a sum of ratios over relevant documents.
#[derive(Clone, Copy)]
pub(crate) struct Ratios {
    /// gamma: a relevant document counts this share for each relevant one before it.
    pub fading: f64,
    /// q = beta g.
    pub blend: f64,
    pub cutoff: usize,
}

impl Ratios {
    /// What the sum is divided by, up to a factor.
    fn norm(&self, relevant: usize) -> f64 {
        match self.fading {
            1.0 => relevant.min(self.cutoff) as f64,
            gamma => (1.0 - powi(gamma, relevant as i32)) / (1.0 - gamma),
        }
    }
}

/// Bounds a sum of ratios; `ratios(g)` has its parameters if the relevant grade is g.
pub(crate) fn of_ratios(
    measure: &dyn Measure,
    open: &Open<'_>,
    rel: f64,
    ratios: impl Fn(f64) -> Ratios,
) -> Option<Bounds> {
    let grade = grade(open, rel)?;
    let filling = Filling::new(open, rel);
    let known: usize = open.truth.relevant(rel);
    let sums = StageSums::new(&filling, open.resolution, ratios(grade));
    let mut stages: Vec<(f64, FillingStage, usize)> = Vec::new();
    let mut bounds = Widest::default();
    let value = |stage: FillingStage, others| open.value(measure, grade, &filling.chosen(stage), others);
    for stage in filling.stages().take_while(|_| !watch::is_stopped()) {
        for others in filling.others(stage) {
            match known + stage.m + others {
                0 => bounds.add(value(stage, others)),
                relevant => stages.push((sums.ratio(stage, relevant), stage, others)),
            }
        }
    }
    let mut add_from = |extreme: f64| {
        let close = |ratio: f64| (ratio - extreme).abs() <= CLOSE * extreme.abs().max(f64::MIN_POSITIVE);
        let best = stages.iter().filter(|(ratio, ..)| close(*ratio)).take(MOST);
        best.for_each(|&(_, stage, others)| bounds.add(value(stage, others)));
    };
    add_from(stages.iter().map(|(ratio, ..)| *ratio).fold(f64::INFINITY, f64::min));
    add_from(stages.iter().map(|(ratio, ..)| *ratio).fold(f64::NEG_INFINITY, f64::max));
    Some(bounds.finish())
}

/// Computes S for the stages of a filling.
struct StageSums<'a> {
    filling: &'a Filling,
    resolution: Resolution,
    ratios: Ratios,
    /// gamma^0, gamma^1, ..
    powers: Vec<f64>,
    /// 1/i for every rank i.
    inverse: Vec<f64>,
    /// The groups, if only known documents are relevant; then, if all that can be relevant are.
    known: Filled,
    all: Filled,
}

/// The groups of a ranking, with a number of relevant documents each.
struct Filled {
    relevant: Vec<usize>,
    /// The number of relevant documents before each group.
    before: Vec<usize>,
    /// The groups with relevant documents within the cutoff.
    active: Vec<usize>,
    /// own and slope of each group if it ends before rank R.
    settled: Vec<(f64, f64)>,
    /// For each group, the sums over it and all later groups of gamma^before (own + before * slope), and of
    /// gamma^before slope.
    sums: Vec<(f64, f64)>,
    /// The means of [`Fading`] for each group that is long enough to need them.
    fading: Vec<Option<Fading>>,
    /// own and slope of each long group after rank R, by q R.
    after: Vec<Option<Expansion>>,
}

impl<'a> StageSums<'a> {
    fn new(filling: &'a Filling, resolution: Resolution, ratios: Ratios) -> StageSums<'a> {
        let all: usize = filling.groups.iter().map(|slot| slot.known + slot.open).sum();
        let depth = filling.groups.iter().map(|slot| slot.start + slot.size).max().unwrap_or(0);
        let mut sums = StageSums {
            filling,
            resolution,
            ratios,
            powers: (0..=all).map(|count| powi(ratios.fading, count as i32)).collect(),
            inverse: (0..=depth).map(|rank| 1.0 / rank as f64).collect(),
            known: Filled::default(),
            all: Filled::default(),
        };
        sums.known = sums.filled(|slot| slot.known);
        sums.all = sums.filled(|slot| slot.known + slot.open);
        sums
    }

    fn filled(&self, of: impl Fn(&FillingSlot) -> usize) -> Filled {
        let groups = &self.filling.groups;
        let mut filled = Filled::default();
        let mut before = 0;
        for (number, slot) in groups.iter().enumerate() {
            let relevant = of(slot);
            let fading = self.fading_of(slot, relevant);
            let settled = self.terms(slot, relevant, usize::MAX, fading.as_ref());
            filled.settled.push(settled);
            filled.after.push(self.after(slot, relevant, fading.as_ref()));
            filled.fading.push(fading);
            filled.relevant.push(relevant);
            filled.before.push(before);
            before += relevant;
            if relevant > 0 && slot.start < self.ratios.cutoff {
                filled.active.push(number);
            }
        }
        filled.before.push(before);
        filled.sums = vec![(0.0, 0.0); groups.len() + 1];
        for number in (0..groups.len()).rev() {
            let (before, (own, slope)) = (filled.before[number], filled.settled[number]);
            let (weight, after) = (self.powers[before], filled.sums[number + 1]);
            filled.sums[number] = (after.0 + weight * (own + before as f64 * slope), after.1 + weight * slope);
        }
        filled
    }

    /// S divided by its norm, up to a factor.
    fn ratio(&self, stage: FillingStage, relevant: usize) -> f64 {
        let (above, below) = if stage.from_top { (&self.all, &self.known) } else { (&self.known, &self.all) };
        let groups = self.filling.groups.len();
        let mut sum = self.over(above, 0..stage.cut.min(groups), 0.0, relevant);
        if let Some(slot) = self.filling.groups.get(stage.cut) {
            let here = slot.known + stage.chosen;
            let before = self.filling.before(stage, stage.cut);
            if self.powers[before] > FADED {
                let fading = self.fading_of(slot, here);
                let (own, slope) = self.terms(slot, here, relevant, fading.as_ref());
                sum += self.powers[before] * (own + before as f64 * slope);
                let moved = (before + here) as f64 - below.before[stage.cut + 1] as f64;
                sum += self.over(below, stage.cut + 1..groups, moved, relevant);
            }
        }
        sum / self.ratios.norm(relevant)
    }

    /// The sum over some groups, if `moved` more relevant documents are before each than in `filled`.
    fn over(&self, filled: &Filled, groups: std::ops::Range<usize>, moved: f64, relevant: usize) -> f64 {
        let settled = match self.ratios.blend {
            0.0 => groups.end,
            _ => self.filling.groups.partition_point(|slot| slot.start + slot.size <= relevant),
        };
        let (mut sum, mut from) = (0.0, groups.start);
        let (first, to) = (filled.sums[groups.start], settled.clamp(groups.start, groups.end));
        if first.1 > LEAST {
            let last = filled.sums[to];
            let weight = self.powers[moved.abs() as usize];
            let all = first.0 - last.0 + moved * (first.1 - last.1);
            sum = if moved < 0.0 { all / weight } else { all * weight };
            from = to;
        }
        let active = &filled.active[filled.active.partition_point(|&group| group < from)..];
        for &group in active.iter().take_while(|&&group| group < groups.end) {
            let before = filled.before[group] as f64 + moved;
            let weight = self.powers[before as usize];
            if weight < FADED {
                break;
            }
            let (own, slope) = if group < settled {
                filled.settled[group]
            } else {
                let slot = &self.filling.groups[group];
                let after = filled.after[group].as_ref().filter(|_| slot.start >= relevant);
                after.and_then(|after| after.at(self.ratios.blend * relevant as f64)).unwrap_or_else(|| {
                    self.terms(slot, filled.relevant[group], relevant, filled.fading[group].as_ref())
                })
            };
            sum += weight * (own + before * slope);
        }
        sum
    }

    /// own and slope of a group with r relevant documents, of R in all.
    fn terms(&self, slot: &FillingSlot, r: usize, relevant: usize, fading: Option<&Fading>) -> (f64, f64) {
        let Ratios { fading: gamma, blend, cutoff } = self.ratios;
        let slots = slot.size.min(cutoff.saturating_sub(slot.start));
        let share = |above: usize| {
            let rank = slot.start + above + 1;
            match rank <= relevant {
                true => self.inverse[rank],
                false => (1.0 + blend) / (rank as f64 + blend * relevant as f64),
            }
        };
        if !is_mixed(slot, r, self.resolution) {
            let first = if self.resolution == Resolution::Worst { slot.size - r } else { 0 };
            let (mut own, mut slope, mut weight) = (0.0, 0.0, 1.0);
            for (j, above) in (first..slots.min(first + r)).enumerate() {
                let each = weight * share(above);
                own += (j + 1) as f64 * each;
                slope += each;
                weight *= gamma;
            }
            return (own, slope);
        }
        let (mut own, mut slope) = (0.0, 0.0);
        for (above, weights) in mixed_weights(slot, r, slots, fading).enumerate() {
            let share = share(above);
            own += weights.0 * share;
            slope += weights.1 * share;
        }
        (own, slope)
    }

    /// own and slope of a group with r relevant documents if it begins after rank R.
    fn after(&self, slot: &FillingSlot, r: usize, fading: Option<&Fading>) -> Option<Expansion> {
        let Ratios { blend, cutoff, .. } = self.ratios;
        if blend == 0.0 || !is_mixed(slot, r, self.resolution) {
            return None;
        }
        let slots = slot.size.min(cutoff.saturating_sub(slot.start));
        let weights = mixed_weights(slot, r, slots, fading);
        let weights: Vec<_> = weights.map(|(own, slope)| ((1.0 + blend) * own, (1.0 + blend) * slope)).collect();
        Expansion::new(slot.start, &weights)
    }

    fn fading_of(&self, slot: &FillingSlot, r: usize) -> Option<Fading> {
        let fades = self.ratios.fading < 1.0 && is_mixed(slot, r, self.resolution);
        fades.then(|| Fading::new(slot.size - 1, r - 1, self.ratios.fading, &self.inverse))
    }
}

/// Whether the mean over a group's orders is needed, because some but not all of its documents are relevant.
fn is_mixed(slot: &FillingSlot, r: usize, resolution: Resolution) -> bool {
    resolution == Resolution::Mean && 0 < r && r < slot.size
}

/// The weights of 1/rank in own and slope, at the first positions of a group whose mean over all orders is needed.
fn mixed_weights(
    slot: &FillingSlot,
    r: usize,
    slots: usize,
    fading: Option<&Fading>,
) -> impl Iterator<Item = (f64, f64)> {
    let chance = r as f64 / slot.size as f64;
    let each = (r - 1) as f64 / (slot.size - 1) as f64;
    (0..slots).map(move |above| match fading {
        Some(Fading { means }) => (chance * (means[above].0 + means[above].1), chance * means[above].0),
        None => (chance * (1.0 + above as f64 * each), chance),
    })
}

impl Default for Filled {
    fn default() -> Self {
        let (relevant, before, active) = (Vec::new(), Vec::new(), Vec::new());
        let (settled, sums, fading, after) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Filled { relevant, before, active, settled, sums, fading, after }
    }
}

/// The means of gamma^J and of J gamma^J for a = 0 .. n, where J of s special documents are among the first a of n.
struct Fading {
    means: Vec<(f64, f64)>,
}

impl Fading {
    /// Both follow from the means g(a) of n - 1 documents, s - 1 of them special: the other special one is among the
    /// first a with probability a/n, which leaves a - 1 places. Each of the s special documents adds the same to J
    /// gamma^J.
    fn new(n: usize, s: usize, gamma: f64, inverse: &[f64]) -> Fading {
        if s == 0 {
            return Fading { means: vec![(1.0, 0.0); n + 1] };
        }
        let fewer = faded(n - 1, s - 1, gamma, inverse);
        let mean = |a: usize| {
            let chance = a as f64 * inverse[n];
            let among = if a > 0 { chance * gamma * fewer[a - 1] } else { 0.0 };
            let below = if a < n { (n - a) as f64 * inverse[n] * fewer[a] } else { 0.0 };
            (among + below, s as f64 * among)
        };
        Fading { means: (0..=n).map(mean).collect() }
    }
}

/// The means f(a) of gamma^J. Their generating function (1 + gamma z)^s (1 + z)^(n-s), with weights C(n, a), gives
///
///   (n - a) f(a+1) = (n - s (1 - gamma) - (1 + gamma) a) f(a) + gamma a f(a-1),
///
/// It is solved from the front while the first factor is positive, and for the rest from the back, where it has the
/// same form in 1/gamma. So nothing cancels.
fn faded(n: usize, s: usize, gamma: f64, inverse: &[f64]) -> Vec<f64> {
    let mut means = vec![1.0; n + 1];
    let middle = ((n as f64 - s as f64 * (1.0 - gamma)) / (1.0 + gamma)) as usize;
    let (size, special) = (n as f64, s as f64);
    let (mut last, mut before) = (1.0, 0.0);
    for (a, mean) in (0..middle.min(n)).zip(&mut means[1..]) {
        let (at, left) = (a as f64, inverse[n - a]);
        let factor = (size - special * (1.0 - gamma) - (1.0 + gamma) * at) * left;
        (last, before) = (factor * last + gamma * at * left * before, last);
        *mean = last;
    }
    let back = 1.0 / gamma;
    (last, before) = (powi(gamma, s as i32), 0.0);
    means[n] = last;
    let rest = 0..n.saturating_sub(middle + 1);
    for (a, mean) in rest.zip(means[..n].iter_mut().rev()) {
        let (at, left) = (a as f64, inverse[n - a]);
        let factor = (size + special * (back - 1.0) - (1.0 + back) * at) * left;
        (last, before) = (factor * last + back * at * left * before, last);
        *mean = last;
    }
    means
}
