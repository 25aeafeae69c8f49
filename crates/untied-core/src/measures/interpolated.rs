//! Interpolated precision at recall levels.
//!
//!   IPrec@x = max of P@i over the ranks i with H(i) >= ceil(x R) hits,    0 if there is none.
//!
//! The maximum is at the last hit of a tie group or at a hit within one. Over the orders of ties, P(max <= v) is the
//! product over groups of the probability that no hit h = ceil(x R).. stands at a position a with
//! (R_c + h) / (t + a) > v: that hit h comes after position T_h, the last of those; so that at most h - 1 hits are
//! among the first T_h positions, for all h. Hits from T_h to T_{h+1} are counted by binomials. With v_1 < v_2 < ..
//! all values above the lowest possible maximum v_0,
//!
//!   E = v_0 + sum over i of (1 - P(max <= v_i)) (v_{i+1} - v_i).

use super::bounds::{Bounds, Open};
use super::interpolated_bounds;
use super::lattice::Outcome;
use super::sampling;
use super::share::{Target, ceiling};
use super::{Certainty, Definition, Measure, Orders};
use crate::error::{Error, Result};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Parameter, RECALL, RECALL_BASE, REL, RecallBase, Sampled, Spec, Value};
use crate::ranking::Ranking;
use crate::table::Truth;

/// Steps that are worth an exact mean; where more are needed, orders are sampled.
const WORK: f64 = 3e7;

const LEVELS: Parameter = Parameter {
    name: "levels",
    default: "[0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]",
    help: "recall levels, from 0 to 1",
};

/// IPrec@x.
pub static INTERPOLATED_PRECISION: Definition = Info {
    name: "IPrec",
    aliases: &["iprec_at_recall"],
    title: "interpolated precision at a recall level",
    cutoff: Cutoff::Recall,
    trailing: Some("recall"),
    parameters: &[RECALL, REL, RECALL_BASE, JUDGED_ONLY],
    equation: "IPrec@x = max of P@i over the ranks i with at least ceil(x R) relevant documents",
    tex: r"\mathrm{IPrec}@x = \max \left\{ \mathrm{P}@i : H(i) \ge \lceil x R \rceil \right\}",
    reference: "Salton & McGill 1983; Manning, Raghavan & Schuetze 2008, chapter 8",
    sampled: &[Sampled {
        unless: "a group has many values that precision can take: about 100 documents with 20 or 1,000 with \
                 10 relevant are well within",
        then: Sampled::ESTIMATES,
    }],
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let level = spec.number(RECALL.name, 0.0, "a number from 0 to 1", is_level)?;
    Ok(Box::new(InterpolatedPrecision { rel: spec.rel()?, base: spec.recall_base()?, targets: vec![ceiling(level)] }))
});

/// IPrecMean.
pub static MEAN_INTERPOLATED_PRECISION: Definition = Info {
    name: "IPrecMean",
    aliases: &["11pt_avg"],
    title: "mean of interpolated precision at recall levels",
    trailing: Some("levels"),
    parameters: &[LEVELS, REL, RECALL_BASE, JUDGED_ONLY],
    equation: "IPrecMean = mean of IPrec@x over the levels x",
    tex: r"\mathrm{IPrecMean} = \frac{1}{|X|} \sum_{x \in X} \mathrm{IPrec}@x",
    reference: "Salton & McGill 1983; Manning, Raghavan & Schuetze 2008, chapter 8",
    sampled: &[
        Sampled {
            unless: "a group has many values that precision can take: about 100 documents with 20 or 1,000 with \
            10 relevant are well within",
            then: Sampled::ESTIMATES,
        },
        Sampled { unless: sampling::MANY_ORDERS, then: Sampled::NO_VARIANCE },
    ],
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let targets = levels(spec)?.into_iter().map(ceiling).collect();
    Ok(Box::new(InterpolatedPrecision { rel: spec.rel()?, base: spec.recall_base()?, targets }))
});

fn is_level(level: f64) -> bool {
    (0.0..=1.0).contains(&level)
}

fn levels(spec: &Spec) -> Result<Vec<f64>> {
    match spec.parameter(LEVELS.name) {
        None => Ok(vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        Some(Value::List(levels)) if !levels.is_empty() && levels.iter().copied().all(is_level) => Ok(levels.clone()),
        Some(other) => {
            Err(Error::Measure(format!("{spec}: levels must be a list of numbers from 0 to 1, not {other}")))
        }
    }
}

/// Interpolated precision, or its mean over several targets.
pub(crate) struct InterpolatedPrecision {
    pub(crate) rel: f64,
    pub(crate) base: RecallBase,
    /// How many hits a rank must have, of R.
    pub(crate) targets: Vec<Target>,
}

impl InterpolatedPrecision {
    /// Mean over the targets of what `of` says of the maximum over ranks with the hits that are needed; NaN where
    /// nothing is relevant.
    fn over_targets(&self, ranking: &Ranking, truth: &Truth<'_>, mut of: impl FnMut(Tied) -> f64) -> f64 {
        let relevant = self.base.relevant(self.rel, ranking, truth) as usize;
        if relevant == 0 {
            return f64::NAN;
        }
        let parts = Parts::new(ranking, self.rel);
        // From the last target, as trec_eval adds.
        let total: f64 = self.targets.iter().rev().map(|target| of(parts.from(target(relevant).max(1)))).sum();
        total / self.targets.len() as f64
    }
}

impl Measure for InterpolatedPrecision {
    fn mean(&self, ranking: &Ranking, truth: &Truth<'_>) -> f64 {
        let mut sampled = Vec::new();
        let exact = self.over_targets(ranking, truth, |tied| {
            tied.moments().map_or_else(
                || {
                    sampled.push(tied.hits);
                    0.0
                },
                |(mean, _)| mean,
            )
        });
        if sampled.is_empty() {
            return exact;
        }
        let value = |one: &Ranking| {
            let parts = Parts::new(one, self.rel);
            sampled.iter().map(|&hits| parts.from(hits).low).sum()
        };
        exact + sampling::over_rankings(ranking, usize::MAX, value).outcome.mean / self.targets.len() as f64
    }

    fn variance(&self, ranking: &Ranking, truth: &Truth<'_>) -> f64 {
        let mut certain = true;
        let variance = self.over_targets(ranking, truth, |tied| {
            certain &= tied.low == tied.high;
            tied.moments().map_or_else(|| tied.sample(ranking, self.rel).variance, |(_, variance)| variance)
        });
        if self.targets.len() == 1 || certain || variance.is_nan() {
            return variance;
        }
        // Levels depend on each other.
        let found = sampling::listed(ranking, usize::MAX, |one| self.over_targets(one, truth, |tied| tied.low));
        found.map_or(f64::NAN, |found| found.variance)
    }

    fn extremes(&self, orders: &Orders, truth: &Truth<'_>) -> (f64, f64) {
        let low = self.over_targets(&orders.tied, truth, |tied| tied.low);
        (low, self.over_targets(&orders.tied, truth, |tied| tied.high))
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(interpolated_bounds::all(self, open))
    }

    fn certainty(&self, ranking: &Ranking, truth: &Truth<'_>) -> Certainty {
        let mut certainty = Certainty::Exact;
        self.over_targets(ranking, truth, |tied| {
            if !tied.is_exact() && !sampling::is_exact(ranking, usize::MAX) {
                certainty = Certainty::Estimate;
            }
            0.0
        });
        certainty
    }
}

/// A group in which the maximum may lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Documents and hits before it.
    pub start: usize,
    pub before: usize,
    pub size: usize,
    pub relevant: usize,
    /// The first hit of the group that counts.
    pub first: usize,
}

/// The groups with relevant documents: what the maxima over ranks with many hits and with few have in common.
struct Parts {
    all: Vec<Part>,
    /// Smallest and largest maximum over a group and all that follow.
    maxima: Vec<(f64, f64)>,
}

/// The maximum of precision over the ranks with so many hits, over tie orders.
#[derive(Debug)]
pub(super) struct Tied {
    /// Smallest and largest maximum.
    low: f64,
    high: f64,
    hits: usize,
    /// The groups that decide where it is between them.
    parts: Vec<Part>,
}

impl Parts {
    fn new(ranking: &Ranking, rel: f64) -> Parts {
        let (mut all, mut before) = (Vec::new(), 0);
        for group in ranking.groups() {
            let relevant = group.relevant(rel);
            if relevant > 0 {
                all.push(Part { start: group.start, before, size: group.size, relevant, first: 1 });
                before += relevant;
            }
        }
        let mut maxima = vec![(0.0, 0.0); all.len() + 1];
        for (i, part) in all.iter().enumerate().rev() {
            let (low, high): (f64, f64) = maxima[i + 1];
            // Precision rises from hit to hit where nothing is between them.
            maxima[i] = (low.max(part.precision(part.relevant, part.size)), high.max(part.best()));
        }
        Parts { all, maxima }
    }

    /// The maximum over the ranks with at least so many hits.
    fn from(&self, hits: usize) -> Tied {
        let from = self.all.partition_point(|part| part.before + part.relevant < hits);
        let (low, high) = self.maxima[from];
        Tied::new(low, high, hits, &self.all[from..])
    }
}

impl Tied {
    /// With all groups from the first that counts on.
    pub fn new<'p>(low: f64, high: f64, hits: usize, all: impl IntoIterator<Item = &'p Part>) -> Tied {
        let mut parts = Vec::new();
        if low < high {
            let deciding = all.into_iter().filter(|part| part.relevant < part.size && part.best() > low);
            parts.extend(deciding.map(|part| Part { first: hits.saturating_sub(part.before).max(1), ..*part }));
        }
        Tied { low, high, hits, parts }
    }

    /// Mean and variance, if that is not too much work.
    pub fn moments(&self) -> Option<(f64, f64)> {
        if self.low == self.high {
            return Some((self.low, 0.0));
        }
        if !self.is_exact() {
            return None;
        }
        let mut values: Vec<(f64, usize)> = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            part.values_above(self.low, |value| values.push((value, number)));
        }
        values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut below: Vec<f64> = self.parts.iter().map(|part| part.stays_below(self.low)).collect();
        let (mut last, mut reached) = (self.low, below.iter().product::<f64>());
        let (mut mean, mut steps) = (last, vec![(last, reached)]);
        for same in values.chunk_by(|a, b| a.0 == b.0) {
            let value = same[0].0;
            mean += (1.0 - reached) * (value - last);
            same.iter().for_each(|&(_, number)| below[number] = self.parts[number].stays_below(value));
            let now = below.iter().product::<f64>();
            steps.push((value, now - reached));
            (last, reached) = (value, now);
        }
        let variance = steps.iter().map(|(value, probability)| probability * (value - mean).powi(2)).sum::<f64>();
        Some((mean, variance.max(0.0)))
    }

    fn is_exact(&self) -> bool {
        self.low == self.high
            || self.parts.iter().map(|part| part.work() + self.parts.len() as f64).sum::<f64>() <= WORK
    }

    fn sample(&self, ranking: &Ranking, rel: f64) -> Outcome {
        sampling::over_rankings(ranking, usize::MAX, |one| Parts::new(one, rel).from(self.hits).low).outcome
    }
}

impl Part {
    /// Precision at a position of the group, from 1, where its h-th hit stands.
    fn precision(&self, h: usize, position: usize) -> f64 {
        (self.before + h) as f64 / (self.start + position) as f64
    }

    /// The largest precision: at the last hit, if all hits come first.
    fn best(&self) -> f64 {
        self.precision(self.relevant, self.relevant)
    }

    /// All precisions above `low` at a hit that counts.
    fn values_above(&self, low: f64, mut visit: impl FnMut(f64)) {
        for h in self.first..=self.relevant {
            let positions = h..=self.size - self.relevant + h;
            positions.map(|position| self.precision(h, position)).take_while(|&value| value > low).for_each(&mut visit);
        }
    }

    /// Steps for all values: at most this.
    fn work(&self) -> f64 {
        let (n, r) = (self.size as f64, self.relevant as f64);
        let values = (self.relevant - self.first + 1) as f64 * (n - r + 1.0);
        // Counts of hits must be exact enough: C(n, r) and all below it are finite.
        let smaller = r.min(n / 2.0);
        let digits = smaller * (n / smaller).log10() + smaller / std::f64::consts::LN_10;
        if digits > 300.0 { f64::INFINITY } else { values * (r * n).min(r * (r + 1.0) * (r + 2.0) / 6.0) }
    }

    /// Probability that no precision at a hit that counts is above `value`.
    fn stays_below(&self, value: f64) -> f64 {
        // ways[h]: arrangements of the first `seen` positions with h hits that are allowed so far.
        let mut ways = vec![1.0];
        let mut seen = 0;
        for h in self.first..=self.relevant {
            let too_early = self.too_early(h, value, seen);
            if too_early > seen {
                ways = extended(&ways, too_early - seen, h - 1);
                seen = too_early;
            }
        }
        let rest = binomials(self.size - seen, self.relevant);
        let allowed: f64 = ways.iter().enumerate().map(|(h, ways)| ways * rest[self.relevant - h]).sum();
        allowed / binomials(self.size, self.relevant)[self.relevant]
    }

    /// Positions at which the h-th hit has a precision above `value`: the first so many, at least `from`.
    fn too_early(&self, h: usize, value: f64, from: usize) -> usize {
        let near = ((self.before + h) as f64 / value) as usize;
        let mut position = near.saturating_sub(self.start + 1).clamp(from, self.size);
        while position < self.size && self.precision(h, position + 1) > value {
            position += 1;
        }
        while position > from && self.precision(h, position) <= value {
            position -= 1;
        }
        position
    }
}

/// Arrangements after so many more positions, of at most `most` hits.
fn extended(ways: &[f64], positions: usize, most: usize) -> Vec<f64> {
    let more = binomials(positions, most);
    (0..=most).map(|hits| ways.iter().take(hits + 1).enumerate().map(|(h, ways)| ways * more[hits - h]).sum()).collect()
}

/// C(n, 0), .., C(n, most).
fn binomials(n: usize, most: usize) -> Vec<f64> {
    let mut row = Vec::with_capacity(most + 1);
    let mut ways = 1.0;
    for k in 0..=most {
        row.push(ways);
        ways = if k < n { ways * (n - k) as f64 / (k + 1) as f64 } else { 0.0 };
    }
    row
}
