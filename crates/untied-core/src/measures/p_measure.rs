//! P-measure and P+: blended ratios down to the preferred rank, which is that of the first document of the highest
//! grade retrieved. A user who looks for one good document stops there.
//!
//! Ties matter for this rank only within one group, of n documents after t others. If m of them have the highest grade,
//! the x-th document is the first of these with probability P(x), and the x-1 above it are any of the N = n-m others.
//! Let the relevant documents before the group count B, a document of the highest grade v, and the o other relevant
//! ones V. Then
//!
//!   E\[P\] = sum over x of P(x) (B + v + (x-1) V/N) / D(t+x).
//!
//! P+ divides by the number of relevant documents down to this rank, so it also matters how many of the x-1 are
//! relevant: j, with a hypergeometric probability. Given x and j, the sum of the ratios is one over pairs (see
//! `q_measure`). With A0(x) = sum over a < x of 1/D(t+a) and A1(x) = sum over a < x of (a-1)/D(t+a), it is
//!
//!   (j/(x-1)) (B + V/o) A0(x)  +  j (j-1) / ((x-1) (x-2)) (V/o) A1(x)  +  (B + j V/o + v) / D(t+x).
//!
//! [`super::orders::down_to`] has the variance of P+. In the best order, only the j best others are above, for some j;
//! in the worst, all documents that are not relevant and the j worst others. These are not the orders by grade, because
//! a good document above the best one may cost more, by its rank, than it adds.

use super::bounds::one_grade::of_first;
use super::bounds::{Bounds, Open};
use super::orders::down_to::DownTo;
use super::orders::{Outcome, drawing};
use super::q_measure::{BETA, Blend, BlendKind, BlendedGroup, GAINS};
use super::reciprocal_rank::positions;
use super::{Definition, Measure, Orders};
use crate::names::{Info, JUDGED_ONLY, REL, Sampled};
use crate::ranking::Ranking;
use crate::table::Judgments;

const OF_PREFERRED_RANK: Info = Info { parameters: &[BETA, GAINS, REL, JUDGED_ONLY], ..Info::DEFAULT };

/// The P-measure.
pub static P_MEASURE: Definition = Info {
    name: "Pmeasure",
    aliases: &["P-measure", "P_measure"],
    title: "the P-measure, which looks at the first document of the highest grade retrieved",
    equation: "Pmeasure = BR(rp), rp = rank of the first document of the highest grade retrieved, BR as for Q; 0 if \
               nothing relevant is retrieved",
    tex: r"\text{P-measure} = \mathrm{BR}(r_p)",
    reference: "Sakai 2006, 2007; ties: mean and variance, exact, over the preferred rank",
    ..OF_PREFERRED_RANK
}
.built_by(|spec, scope| Ok(Box::new(Preferred { blend: Blend::new(spec, scope)?, plus: false })));

/// P+.
pub static P_PLUS: Definition = Info {
    name: "Pplus",
    aliases: &["P+", "P-plus", "P_plus"],
    title: "the measure P+, which looks down to the first document of the highest grade retrieved",
    equation: "Pplus = (1 / C(rp)) sum of BR(i) over the ranks i <= rp of relevant documents, rp as for Pmeasure, BR \
        and \
               C as for Q",
    tex: r"\mathrm{P}^+ = \frac{1}{C(r_p)} \sum_{i \le r_p,\ x_i = 1} \mathrm{BR}(i)",
    reference: "Sakai 2006, 2007; ties: mean, exact, over the preferred rank and the relevant documents above it",
    sampled: &[Sampled {
        unless: "a large tie group has many relevant documents \
            (with 2,000 tied documents, 1,000 of them relevant, values are still exact)",
        then: Sampled::NO_VARIANCE,
    }],
    ..OF_PREFERRED_RANK
}
.built_by(|spec, scope| Ok(Box::new(Preferred { blend: Blend::new(spec, scope)?, plus: true })));

struct Preferred {
    blend: Blend,
    /// Whether it is P+.
    plus: bool,
}

/// The mean and the variance of a value over orders; the variance is NaN if it would take too long.
struct ValueMoments {
    mean: f64,
    variance: f64,
}

/// The group that holds the preferred rank, and what stands before it.
struct Decisive {
    /// The number of relevant documents before the group, and the sum of their values.
    hits: usize,
    before: f64,
    /// The sum of the ratios at these documents.
    sum: Outcome,
    /// The value of a document of the highest grade, and the number of these documents.
    best: f64,
    bests: usize,
    /// Other relevant documents, highest grade first, and all other documents.
    others: Vec<BlendKind>,
    rest: usize,
    /// The values of D at its positions.
    costs: Vec<f64>,
}

impl Preferred {
    /// Finds the group; none if nothing relevant is retrieved. `variance` says whether the variance before it is
    /// needed.
    fn decisive(&self, ranking: &Ranking, truth: &Judgments<'_>, variance: bool) -> Option<Decisive> {
        let relevant = ranking.levels().iter().map(|level| level.grade).filter(|&grade| grade >= self.blend.rel);
        let highest = relevant.reduce(f64::max)?;
        let mut costs = self.blend.costs(truth, ranking.retrieved);
        let (mut hits, mut before, mut sum) = (0, 0.0, Outcome::default());
        for group in ranking.groups() {
            let mut kinds = self.blend.kinds(group.levels);
            if group.levels.first().is_some_and(|level| level.grade == highest) {
                let BlendKind { value: best, count: bests, .. } = kinds.remove(0);
                let rest = group.size - group.relevant(self.blend.rel);
                costs.truncate(group.start + group.size);
                let costs = costs.split_off(group.start);
                return Some(Decisive { hits, before, sum, best, bests, others: kinds, rest, costs });
            }
            if kinds.is_empty() {
                continue;
            }
            let part = BlendedGroup::new(&group, kinds, &costs);
            if self.plus {
                let (low, high) = part.extremes(before);
                sum.mean += part.mean(before);
                sum.low += low;
                sum.high += high;
            }
            if self.plus && variance {
                sum.variance += part.variance(before);
            }
            hits += group.relevant(self.blend.rel);
            before += part.kinds.iter().map(|kind| kind.count as f64 * kind.value).sum::<f64>();
        }
        None
    }

    fn moments(&self, ranking: &Ranking, truth: &Judgments<'_>, variance: bool) -> ValueMoments {
        if truth.relevant(self.blend.rel) == 0 {
            return ValueMoments { mean: f64::NAN, variance: f64::NAN };
        }
        let first = self.decisive(ranking, truth, variance);
        first.map_or(ValueMoments { mean: 0.0, variance: 0.0 }, |decisive| match self.plus {
            false => decisive.last(),
            true if variance => decisive.listed(),
            true => ValueMoments { mean: decisive.mean(), variance: f64::NAN },
        })
    }
}

impl Decisive {
    /// The number of documents of the group without those of the highest grade, how many of them are relevant, and what
    /// these count together.
    fn others(&self) -> (usize, usize, f64) {
        let relevant: usize = self.others.iter().map(|kind| kind.count).sum();
        let values = self.others.iter().map(|kind| kind.count as f64 * kind.value).sum();
        (relevant + self.rest, relevant, values)
    }

    /// The moments of the ratio at the preferred rank.
    fn last(&self) -> ValueMoments {
        let (all, relevant, values) = self.others();
        let each = if all > 0 { values / all as f64 } else { 0.0 };
        let ratio = |x: usize| (self.before + self.best + (x - 1) as f64 * each) / self.costs[x - 1];
        let mut mean = 0.0;
        positions(self.costs.len(), self.bests, self.costs.len(), |x, probability| mean += probability * ratio(x));
        // The variance of what one of the others counts, and of what k of them count that are drawn without
        // replacement.
        let squares: f64 = self.others.iter().map(|kind| kind.count as f64 * (kind.value - each).powi(2)).sum();
        let one = (squares + (all - relevant) as f64 * each * each) / all.max(1) as f64;
        let drawn = |k: usize| if all > 1 { one * (k * (all - k)) as f64 / (all - 1) as f64 } else { 0.0 };
        let mut variance = 0.0;
        positions(self.costs.len(), self.bests, self.costs.len(), |x, probability| {
            variance += probability * ((ratio(x) - mean).powi(2) + drawn(x - 1) / self.costs[x - 1].powi(2));
        });
        ValueMoments { mean, variance }
    }

    /// The mean of P+.
    fn mean(&self) -> f64 {
        let (all, relevant, values) = self.others();
        let each = if relevant > 0 { values / relevant as f64 } else { 0.0 };
        let mut rows = drawing::DrawnRows::new(all, relevant);
        let (mut plain, mut rising) = (0.0, 0.0); // A0 and A1
        let mut mean = 0.0;
        positions(self.costs.len(), self.bests, self.costs.len(), |x, probability| {
            let above = (x - 1) as f64;
            let (from, row) = rows.row();
            for (j, chance) in (from..).zip(row) {
                let j = j as f64;
                let mut sum = (self.before + j * each + self.best) / self.costs[x - 1];
                if j > 0.0 {
                    sum += j / above * (self.before + each) * plain;
                }
                if j > 1.0 {
                    sum += j * (j - 1.0) / (above * (above - 1.0)) * each * rising;
                }
                mean += probability * chance * (self.sum.mean + sum) / (self.hits as f64 + j + 1.0);
            }
            plain += 1.0 / self.costs[x - 1];
            rising += above / self.costs[x - 1];
            if x <= all {
                rows.advance();
            }
        });
        mean
    }

    /// The moments of P+, from all numbers of relevant and of other documents above the preferred rank.
    fn listed(&self) -> ValueMoments {
        let weights: Vec<f64> = self.costs.iter().map(|cost| 1.0 / cost).collect();
        let values: Vec<(f64, usize)> = self.others.iter().map(|kind| (kind.value, kind.count)).collect();
        let best = (self.best, self.bests);
        let group = DownTo { best, values: &values, rest: self.rest, before: self.before, weights: &weights };
        // Moments are around the mean of the values so far, so that the variance of a single value is exactly 0.
        let (mut chance, mut mean, mut variance) = (0.0, 0.0, 0.0);
        let listed = group.visit(|tops| {
            let hits = (self.hits + tops.hits + 1) as f64;
            let value = (self.sum.mean + tops.mean) / hits;
            let apart = value - mean;
            chance += tops.chance;
            if chance > 0.0 {
                mean += apart * (tops.chance / chance);
            }
            variance += tops.chance * (apart * (value - mean) + (self.sum.variance + tops.variance) / (hits * hits));
        });
        ValueMoments { mean: self.mean(), variance: if listed { variance } else { f64::NAN } }
    }

    /// The smallest and the largest value. The smallest has all documents that are not relevant and some of the worst
    /// others above, the largest only some of the best others.
    fn extremes(&self, plus: bool) -> (f64, f64) {
        let each = |kind: &BlendKind| std::iter::repeat_n(kind.value, kind.count);
        let up = self.others.iter().rev().flat_map(each);
        let down = self.others.iter().flat_map(each);
        let (low, high) = if plus { (self.sum.low, self.sum.high) } else { (0.0, 0.0) };
        let worst = self.by_number(plus, low, self.rest, up).fold(f64::INFINITY, f64::min);
        let best = self.by_number(plus, high, 0, down).fold(f64::NEG_INFINITY, f64::max);
        (worst, best)
    }

    /// The values with 0, 1, .. other relevant documents of the group above the preferred rank.
    fn by_number(
        &self,
        plus: bool,
        mut sum: f64,
        rest: usize,
        others: impl Iterator<Item = f64>,
    ) -> impl Iterator<Item = f64> {
        let (mut before, mut hits) = (self.before, self.hits);
        let nobody = std::iter::once(0.0);
        nobody.chain(others).zip(rest..).enumerate().map(move |(j, (value, at))| {
            if j > 0 {
                before += value;
                hits += 1;
                sum += before / self.costs[at - 1];
            }
            let last = (before + self.best) / self.costs[at];
            if plus { (sum + last) / (hits + 1) as f64 } else { last }
        })
    }
}

impl Measure for Preferred {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.moments(ranking, truth, false).mean
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.moments(ranking, truth, true).variance
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        if truth.relevant(self.blend.rel) == 0 {
            return (f64::NAN, f64::NAN);
        }
        self.decisive(&orders.tied, truth, false).map_or((0.0, 0.0), |decisive| decisive.extremes(self.plus))
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        of_first(self, open, self.blend.rel)
    }
}
