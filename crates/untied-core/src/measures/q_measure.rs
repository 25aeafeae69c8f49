//! Q-measure: average precision in which precision at a relevant document is a blended ratio of counts and gains.
//!
//!   BR(i) = (C(i) + beta cg(i)) / (i + beta cg*(i)),    Q@k = (1 / min(k, R)) sum of BR(i) over relevant ranks i <= k,
//!
//! where C(i) counts the relevant documents down to rank i, cg(i) adds up their gains, and cg*(i) those of the ideal
//! ranking. A relevant document counts v = 1 + beta g, those before a group count B together, and D(i) = i + beta
//! cg*(i) is the same for all orders. In a group of n documents, r of them relevant, which count V together, position a
//! adds on average
//!
//!   E = \[r B + V + (a-1)/(n-1) (r-1) V\] / (n D(t+a)).
//!
//! This is a sum over pairs of documents, as for AP. Of two neighbours, having the better one first is never worth
//! less. The variance comes from counts ([`super::orders::lattice`]) or, if these are many, from the pairs
//! ([`super::orders::pairs`]). NCU is the same sum with a weight s for each document.

use super::bounds::one_grade::{Ratios, of_ratios};
use super::bounds::{Bounds, Open};
use super::gain::{GAIN, Gain};
use super::orders::law::{self, Walk};
use super::orders::pairs::Pairs;
use super::orders::{Outcome, lattice};
use super::{Definition, Measure, Scope, TieDistribution};
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::law::{Law, Limits};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Parameter, REL, Spec};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

pub(super) const BETA: Parameter = Parameter {
    name: "beta",
    default: "1",
    help: "weight of gains against counts in the blended ratio, at least 0; with 0 it is precision",
};
pub(super) const GAINS: Parameter = Parameter {
    help: "gain of a grade g: 'linear' (g), 'exp2' (2^g - 1), or a table {1: 1, 2: 3, ...} that never falls",
    ..GAIN
};

/// The Q-measure, Q@k.
pub static Q_MEASURE: Definition = Info {
    name: "Q",
    aliases: &["Q-measure", "Qmeasure", "Q_measure"],
    title: "the Q-measure, an average precision for graded relevance",
    cutoff: Cutoff::Optional,
    parameters: &[BETA, GAINS, REL, JUDGED_ONLY],
    equation: "Q@k = (1 / min(k, R)) sum of BR(i) over the ranks i <= k of relevant documents, BR(i) = (C(i) + beta \
               cg(i)) / (i + beta cg*(i)), with C(i) relevant documents and gains cg(i) to rank i, cg*(i) the ideal's",
    tex: r"\mathrm{Q}@k = \frac{1}{\min(k, R)} \sum_{i \le k,\ x_i = 1} \mathrm{BR}(i), \quad \mathrm{BR}(i) = \frac{C(i) + \beta\, \mathrm{cg}(i)}{i + \beta\, \mathrm{cg}^*(i)}",
    reference: "Sakai 2004; Sakai 2007; cutoff as NTCIREVAL; ties: mean, exact, as AP",
    ..Info::DEFAULT
}
.built_by(|spec, scope| Ok(Box::new(QMeasure { blend: Blend::new(spec, scope)?, cutoff: spec.cutoff_or(usize::MAX) })));

/// The parameters that say what relevant documents count.
pub(super) struct Blend {
    pub rel: f64,
    pub beta: f64,
    pub gain: Gain,
}

/// The relevant documents of one grade.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BlendKind {
    /// The weight s of the blended ratio at one of these documents.
    pub weight: f64,
    /// What one of them counts, v.
    pub value: f64,
    pub count: usize,
}

impl Blend {
    pub(super) fn new(spec: &Spec, scope: &Scope<'_>) -> Result<Blend> {
        let rel = spec.rel()?;
        let beta = spec.number(BETA.name, 1.0, "a number of at least 0", |beta| beta >= 0.0)?;
        let gain = Gain::AtLeast(rel, Box::new(Gain::new(spec, scope.grades)?));
        rising(spec, scope, &gain)?;
        Ok(Blend { rel, beta, gain })
    }

    /// What a document of this relevant grade counts, v.
    pub(super) fn value(&self, grade: f64) -> f64 {
        1.0 + self.beta * self.gain.of(grade)
    }

    /// The relevant documents of these levels, highest grade first, all with the weight 1.
    pub(super) fn kinds(&self, levels: &[Level]) -> Vec<BlendKind> {
        let relevant = levels.iter().take_while(|level| level.grade >= self.rel);
        relevant
            .map(|level| BlendKind { weight: 1.0, value: self.value(level.grade), count: level.count as usize })
            .collect()
    }

    /// D(1) .. D(depth).
    pub(super) fn costs(&self, truth: &Judgments<'_>, depth: usize) -> Vec<f64> {
        let gains = truth
            .levels
            .iter()
            .take_while(|level| level.grade >= self.rel)
            .flat_map(|level| std::iter::repeat_n(self.beta * self.gain.of(level.grade), level.count as usize));
        let mut total = 0.0;
        let ideal = gains.chain(std::iter::repeat(0.0)).take(depth);
        let cost = |(i, gain)| {
            total += gain;
            i as f64 + total
        };
        (1..).zip(ideal).map(cost).collect()
    }
}

/// Checks that no gain is negative and none falls as grades rise, so that the order by grade is the ideal one.
pub(super) fn rising(spec: &Spec, scope: &Scope<'_>, gain: &Gain) -> Result<()> {
    let mut above = f64::INFINITY;
    for &grade in scope.grades.iter().filter(|&&grade| grade >= 0.0) {
        let here = gain.of(grade);
        if here > above || here < 0.0 {
            let what = if here < 0.0 { "is negative" } else { "is larger than the gain of the next higher grade" };
            return Err(Error::Value(format!("{spec}: gain of grade {grade} {what}")));
        }
        above = here;
    }
    Ok(())
}

/// A group with relevant documents.
pub(super) struct BlendedGroup<'a> {
    pub size: usize,
    pub kinds: Vec<BlendKind>,
    /// D at its positions within the cutoff.
    pub costs: &'a [f64],
}

impl<'a> BlendedGroup<'a> {
    pub(super) fn new(group: &Group<'_>, kinds: Vec<BlendKind>, costs: &'a [f64]) -> BlendedGroup<'a> {
        let slots = group.slots(costs.len());
        BlendedGroup { size: group.size, kinds, costs: &costs[group.start..group.start + slots] }
    }

    /// The mean of the sum of s BR over its relevant documents, after documents that count `before`.
    pub(super) fn mean(&self, before: f64) -> f64 {
        let n = self.size as f64;
        let BlendKind { weight, value, .. } = self.kinds[0];
        if self.is_alike() {
            let count = (0..).map(|above| before + (above + 1) as f64 * value);
            return self.costs.iter().zip(count).map(|(cost, count)| weight * count / cost).sum();
        }
        let sum = |of: &dyn Fn(&BlendKind) -> f64| -> f64 {
            self.kinds.iter().map(|kind| kind.count as f64 * of(kind)).sum()
        };
        let values = sum(&|kind| kind.value);
        let own = sum(&|kind| kind.weight * (before + kind.value)) / n;
        let pairs = sum(&|kind| kind.weight * (values - kind.value)) / (n * (n - 1.0));
        (0..).zip(self.costs).map(|(above, cost)| (own + f64::from(above) * pairs) / cost).sum()
    }

    /// The statistics of this sum, from counts of documents; none if these are too many.
    pub(super) fn outcome(&self, before: f64) -> Option<Outcome> {
        if self.is_alike() {
            return Some(Outcome::certain(self.mean(before)));
        }
        lattice::over_orders(&self.counts(), |placed, kind| {
            let (Some(kind), Some(cost)) = (self.kinds.get(kind), self.costs.get(placed.iter().sum::<usize>())) else {
                return 0.0;
            };
            kind.weight * (before + counted(&self.kinds, placed) + kind.value) / cost
        })
    }

    /// The variance of this sum.
    pub(super) fn variance(&self, before: f64) -> f64 {
        let counts = self.counts();
        if self.is_alike() || !lattice::is_long(&counts) {
            return self.outcome(before).map_or(f64::NAN, |outcome| outcome.variance);
        }
        let of = |kind: usize| self.kinds.get(kind).map_or((0.0, 0.0), |kind| (kind.weight, kind.value));
        let all = 0..counts.len();
        let weights: Vec<f64> = self.costs.iter().map(|cost| 1.0 / cost).collect();
        let own: Vec<f64> = all.clone().map(|kind| of(kind).0 * (before + of(kind).1)).collect();
        let pairs: Vec<Vec<f64>> =
            all.clone().map(|lower| all.clone().map(|upper| of(lower).0 * of(upper).1).collect()).collect();
        Pairs { counts: &counts, weights: &weights, own: &own, pairs: &pairs }.variance()
    }

    /// The number of documents of each kind; those that are not relevant come last.
    pub(super) fn counts(&self) -> Vec<usize> {
        let mut counts: Vec<usize> = self.kinds.iter().map(|kind| kind.count).collect();
        counts.push(self.size - counts.iter().sum::<usize>());
        counts
    }

    /// The smallest and the largest sum if all weights are 1: with the best documents last, and with them first.
    pub(super) fn extremes(&self, before: f64) -> (f64, f64) {
        let each = |kind: &BlendKind| std::iter::repeat_n(kind.value, kind.count);
        let sum = |values: &mut dyn Iterator<Item = f64>, costs: &[f64]| -> f64 {
            let counts = values.scan(before, |count, value| {
                *count += value;
                Some(*count)
            });
            counts.zip(costs).map(|(count, cost)| count / cost).sum()
        };
        let others = self.size - self.kinds.iter().map(|kind| kind.count).sum::<usize>();
        let low = sum(&mut self.kinds.iter().rev().flat_map(each), &self.costs[others.min(self.costs.len())..]);
        (low, sum(&mut self.kinds.iter().flat_map(each), self.costs))
    }

    /// Whether all its documents are relevant and of one grade, so that all its orders are the same.
    fn is_alike(&self) -> bool {
        self.kinds.len() == 1 && self.kinds[0].count == self.size
    }
}

/// What `placed` documents of each kind count.
pub(super) fn counted(kinds: &[BlendKind], placed: &[usize]) -> f64 {
    kinds.iter().zip(placed).map(|(kind, &placed)| placed as f64 * kind.value).sum()
}

struct QMeasure {
    blend: Blend,
    cutoff: usize,
}

impl QMeasure {
    /// What the sum is divided by, min(k, R); NaN if nothing is relevant.
    fn norm(&self, truth: &Judgments<'_>) -> f64 {
        match truth.relevant(self.blend.rel).min(self.cutoff) {
            0 => f64::NAN,
            norm => norm as f64,
        }
    }

    /// Calls `visit` with each group that has relevant documents, and with what those before it count.
    fn over_groups(&self, ranking: &Ranking, truth: &Judgments<'_>, mut visit: impl FnMut(&BlendedGroup<'_>, f64)) {
        let costs = self.blend.costs(truth, self.cutoff.min(ranking.retrieved));
        let mut before = 0.0;
        for group in ranking.groups_to(costs.len()) {
            let kinds = self.blend.kinds(group.levels);
            if !kinds.is_empty() {
                let part = BlendedGroup::new(&group, kinds, &costs);
                visit(&part, before);
                before += part.kinds.iter().map(|kind| kind.count as f64 * kind.value).sum::<f64>();
            }
        }
    }
}

impl Measure for QMeasure {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        self.over_groups(ranking, truth, |part, before| total += part.mean(before));
        total / self.norm(truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        self.over_groups(ranking, truth, |part, before| total += part.variance(before));
        total / self.norm(truth).powi(2)
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        of_ratios(self, open, self.blend.rel, |grade| Ratios {
            fading: 1.0,
            blend: self.blend.beta * self.blend.gain.of(grade),
            cutoff: self.cutoff,
        })
    }
}

impl TieDistribution for QMeasure {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, limits: Limits) -> Result<Option<Law>> {
        let mut laws = Vec::new();
        self.over_groups(ranking, truth, |part, before| {
            let term = |above: usize, placed: &[usize], kind: usize| match part.kinds.get(kind) {
                Some(kind) => kind.weight * (before + counted(&part.kinds, placed) + kind.value) / part.costs[above],
                None => 0.0,
            };
            laws.push(law::of_chain(&mut Walk::new(part.counts(), part.costs.len(), term), limits));
        });
        law::over(laws, self.norm(truth), limits)
    }
}
