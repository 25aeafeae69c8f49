//! Extended inferred AP: average precision estimated from a pool that was sampled stratum by stratum.
//!
//! Of the N_s documents of stratum s in the pool, n_s are judged, and r_s of these are relevant. So R^_s = r_s N_s /
//! n_s documents are estimated to be relevant, and R^ in all strata. A relevant document of stratum s at rank k is
//! worth N_s / (n_s R^) times
//!
//!   1/k + (1/k) sum over s' of D_s' (r_s' + eps) / (n_s' + prior eps),
//!
//! where D documents of the pool, n judged and r relevant ones of a stratum are above it. In a tie group, the mean of
//! this sum is the sum of the means for each stratum, which are those of infAP (see `inferred`); the document itself is
//! left out of its own stratum. Like infAP, it may fall when a relevant document moves up, so its variance and its
//! extremes come from `lattice`.

use super::orders::above::{SampledPool, Smoothing};
use super::orders::{Outcome, lattice};
use super::{Certainty, Definition, Measure, Orders};
use crate::error::Result;
use crate::grade::Level;
use crate::names::{Info, Needs, Parameter, REL, Sampled, Spec, unbounded};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

const EPS: Parameter =
    Parameter { name: "eps", default: "0.00001", help: "smoothing of the estimated precision, at least 0" };
const PRIOR: Parameter = Parameter {
    name: "prior",
    default: "None",
    help: "the smoothing adds prior * eps to the number of judged documents; at least 1, by default 2, or 3 with \
        estimator='sample_eval'",
};
pub(super) const ESTIMATOR: Parameter = Parameter {
    name: "estimator",
    default: "'paper'",
    help: "the formulas of the 'paper', or what NIST's script 'sample_eval' computes",
};
/// How many relevant documents sample_eval counts at most.
pub(super) const MOST: f64 = 1000.0;

pub static STRATIFIED_AP: Definition = Info {
    name: "xinfAP",
    aliases: &["xinfap"],
    title: "average precision inferred from a stratified sample of the pool",
    parameters: &[REL, EPS, ESTIMATOR, PRIOR],
    needs: Needs::Strata,
    range: "0 or more",
    equation: "xinfAP = (1/R^) sum over relevant documents at rank k of (N_s/n_s) (1/k) (1 + sum over strata of \
               D (r + eps) / (n + prior eps)), where D pooled, n judged and r relevant documents of a stratum stand \
               above; R^ = sum over strata of r_s N_s / n_s (at most 1000 with 'sample_eval')",
    tex: r"\mathrm{xinfAP} = \frac{1}{\hat R} \sum_{k:\ x_k = 1} \frac{N_s}{n_s} \cdot \frac{1}{k} \left( 1 +
           \sum_{t} D_t \frac{r_t + \varepsilon}{n_t + \mathit{prior}\, \varepsilon} \right)",
    reference: "Yilmaz, Kanoulas & Aslam 2008",
    sampled: &[Sampled { unless: lattice::MANY_KINDS, then: Sampled::BOUNDS }],
    unbounded: Some(unbounded::ESTIMATOR),
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let script = is_script(spec)?;
    let prior = if script { 3.0 } else { 2.0 };
    Ok(Box::new(StratifiedAp {
        rel: spec.rel()?,
        eps: spec.number(EPS.name, 1e-5, "a number of at least 0", |eps| eps >= 0.0)?,
        prior: spec.number(PRIOR.name, prior, "a number of at least 1", |prior| prior >= 1.0)?,
        most: if script { MOST } else { f64::INFINITY },
    }))
});

/// Whether the parameter `estimator` asks for the estimator of the script.
pub(super) fn is_script(spec: &Spec) -> Result<bool> {
    spec.choice(ESTIMATOR.name, &[("paper", false), ("sample_eval", true)])
}

/// The numbers of documents of a stratum that are relevant, judged non-relevant, and pooled but not judged.
pub(super) type StratumCounts = [usize; 3];

/// The strata of a query's pool.
pub(super) struct Strata<'a> {
    truth: &'a Judgments<'a>,
    rel: f64,
    /// The numbers of the strata, ascending. All other code refers to a stratum by its index here.
    numbers: Vec<u32>,
    pool: Vec<StratumCounts>,
}

impl<'a> Strata<'a> {
    pub fn new(truth: &'a Judgments<'a>, rel: f64) -> Self {
        let mut numbers: Vec<u32> = truth.levels.iter().map(|level| truth.profile(level.grade)[0].0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut strata = Strata { truth, rel, numbers, pool: Vec::new() };
        strata.pool = strata.count(truth.levels);
        strata
    }

    /// The stratum and the grade of a profile.
    pub fn of(&self, profile: f64) -> (usize, f64) {
        let (stratum, grade) = self.truth.profile(profile)[0];
        (self.numbers.partition_point(|&number| number < stratum), grade)
    }

    /// Counts documents by stratum.
    pub fn count(&self, levels: &[Level]) -> Vec<StratumCounts> {
        let mut counts = vec![[0; 3]; self.numbers.len()];
        for level in levels {
            let (stratum, grade) = self.of(level.grade);
            let kind = match grade {
                grade if grade < 0.0 => 2,
                grade if grade < self.rel => 1,
                _ => 0,
            };
            counts[stratum][kind] += level.count as usize;
        }
        counts
    }

    /// N_s / n_s, how many documents of the pool a judged one stands for.
    pub fn weight(&self, stratum: usize) -> f64 {
        share(&self.pool[stratum])
    }
}

/// How many documents of the pool a judged one stands for.
pub(super) fn share(counts: &StratumCounts) -> f64 {
    let judged = (counts[0] + counts[1]) as f64;
    if judged > 0.0 { (judged + counts[2] as f64) / judged } else { 0.0 }
}

struct StratifiedAp {
    rel: f64,
    eps: f64,
    prior: f64,
    most: f64,
}

/// The documents of a group and those before it, by stratum.
struct StratifiedGroup<'a> {
    start: usize,
    size: usize,
    before: &'a [StratumCounts],
    counts: &'a [StratumCounts],
    weights: &'a [f64],
}

impl StratifiedAp {
    fn smoothing(&self) -> Smoothing {
        Smoothing { eps: self.eps, prior: self.prior }
    }

    /// The estimate D (r + eps) / (n + prior eps).
    fn estimate(&self, pooled: f64, judged: f64, relevant: f64) -> f64 {
        self.smoothing().estimate(pooled, judged, relevant)
    }

    /// What the documents of one stratum above rank k add.
    fn estimate_of(&self, above: [usize; 3]) -> f64 {
        let [relevant, nonrelevant, unsampled] = above.map(|count| count as f64);
        self.estimate(relevant + nonrelevant + unsampled, relevant + nonrelevant, relevant)
    }

    /// Calls `visit` with each group that has relevant documents. Returns R^, or NaN if it is 0.
    fn over_groups(
        &self,
        ranking: &Ranking,
        truth: &Judgments<'_>,
        mut visit: impl FnMut(&StratifiedGroup<'_>),
    ) -> f64 {
        let strata = Strata::new(truth, self.rel);
        let weights: Vec<f64> = (0..strata.pool.len()).map(|stratum| strata.weight(stratum)).collect();
        let relevant: f64 = strata.pool.iter().zip(&weights).map(|(pool, weight)| pool[0] as f64 * weight).sum();
        if relevant == 0.0 {
            return f64::NAN;
        }
        let mut before = vec![[0; 3]; weights.len()];
        for Group { start, size, levels } in ranking.groups() {
            let counts = strata.count(levels);
            if counts.iter().any(|counts| counts[0] > 0) {
                visit(&StratifiedGroup { start, size, before: &before, counts: &counts, weights: &weights });
            }
            for (before, counts) in before.iter_mut().zip(counts) {
                before.iter_mut().zip(counts).for_each(|(before, count)| *before += count);
            }
        }
        relevant.min(self.most)
    }

    /// The mean of what a stratum adds at each position. `own` says whether the relevant document there belongs to it.
    fn means_above(&self, part: &StratifiedGroup<'_>, stratum: usize, own: bool) -> Vec<f64> {
        let sampled = |[relevant, nonrelevant, unsampled]: StratumCounts| SampledPool {
            relevant,
            judged: relevant + nonrelevant,
            unsampled,
        };
        let mut others = part.counts[stratum];
        others[0] -= usize::from(own);
        self.smoothing().means(sampled(part.before[stratum]), sampled(others), part.size - 1)
    }

    /// The mean of what a group adds.
    fn mean_of(&self, part: &StratifiedGroup<'_>) -> f64 {
        let means = |stratum, own, is_needed| if is_needed { self.means_above(part, stratum, own) } else { Vec::new() };
        let of_stratum = |stratum: usize| {
            let is_relevant = part.counts[stratum][0] > 0;
            [means(stratum, true, is_relevant), means(stratum, false, part.is_relevant_beside(stratum))]
        };
        let above: Vec<[Vec<f64>; 2]> = (0..part.counts.len()).map(of_stratum).collect();
        let mut total = 0.0;
        for position in 0..part.size {
            let rank = (part.start + position + 1) as f64;
            for (stratum, &[relevant, ..]) in part.counts.iter().enumerate().filter(|(_, counts)| counts[0] > 0) {
                // Strata are added in the same order as for single orders, so a ranking without ties has the same bits.
                let means =
                    above.iter().enumerate().map(|(other, means)| means[usize::from(other != stratum)][position]);
                let share = part.weights[stratum] * (relevant as f64 / part.size as f64);
                total += share * (1.0 + means.sum::<f64>()) / rank;
            }
        }
        total
    }

    /// The statistics of what a group adds, unless it is too large.
    fn outcome_of(&self, part: &StratifiedGroup<'_>) -> Option<Outcome> {
        let kinds = part.kinds();
        let counts: Vec<usize> = kinds.iter().map(|&(_, _, count)| count).collect();
        lattice::over_orders(&counts, |placed, kind| {
            let (stratum, 0, _) = kinds[kind] else { return 0.0 };
            let rank = (part.start + placed.iter().sum::<usize>() + 1) as f64;
            let mut sum = 0.0;
            for (other, &before) in part.before.iter().enumerate() {
                let mut above = before;
                let placed = kinds.iter().zip(placed).filter(|((stratum, ..), _)| *stratum == other);
                placed.for_each(|(&(_, sort, _), placed)| above[sort] += placed);
                sum += self.estimate_of(above);
            }
            part.weights[stratum] * (1.0 + sum) / rank
        })
    }

    /// Bounds what a group adds. The precision estimated above one of its documents is at most the highest of any
    /// stratum if all relevant documents of the group and no others are above. The documents before the group add at
    /// least what they add if all non-relevant ones are above. Both bounds fall with the rank.
    fn bounds_of(&self, part: &StratifiedGroup<'_>) -> (f64, f64) {
        let (mut most, mut least) = (0.0_f64, 0.0);
        for (before, counts) in part.before.iter().zip(part.counts) {
            let [relevant, nonrelevant, unsampled] = before.map(|count| count as f64);
            let best = relevant + counts[0] as f64;
            most = most.max(self.estimate(1.0, best + nonrelevant, best));
            let worst = relevant + nonrelevant + counts[1] as f64;
            least += self.estimate(relevant + nonrelevant + unsampled, worst, relevant);
        }
        let mut weights: Vec<f64> = Vec::new();
        for (counts, &weight) in part.counts.iter().zip(part.weights) {
            weights.extend(std::iter::repeat_n(weight, counts[0]));
        }
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        let (mut low, mut high) = (0.0, 0.0);
        for (i, weight) in weights.iter().enumerate() {
            high += weight * (most + (1.0 - most) / (part.start + i + 1) as f64);
            low += weight * (1.0 + least) / (part.start + part.size - i) as f64;
        }
        (low, high)
    }
}

impl StratifiedGroup<'_> {
    /// Whether another stratum has relevant documents in the group.
    fn is_relevant_beside(&self, stratum: usize) -> bool {
        self.counts.iter().enumerate().any(|(other, counts)| other != stratum && counts[0] > 0)
    }

    /// The kinds of documents that occur, each with its stratum, its index in [`StratumCounts`], and the number of
    /// documents. All other documents have no stratum.
    fn kinds(&self) -> Vec<(usize, usize, usize)> {
        let mut kinds = Vec::new();
        for (stratum, counts) in self.counts.iter().enumerate() {
            kinds.extend(counts.iter().enumerate().map(|(sort, &count)| (stratum, sort, count)));
        }
        let pooled: usize = kinds.iter().map(|kind| kind.2).sum();
        kinds.push((self.counts.len(), 2, self.size - pooled));
        kinds.retain(|kind| kind.2 > 0);
        kinds
    }
}

impl Measure for StratifiedAp {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |part| total += self.mean_of(part));
        total / relevant
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |part| {
            total += self.outcome_of(part).map_or(f64::NAN, |outcome| outcome.variance);
        });
        total / relevant.powi(2)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let (mut low, mut high) = (0.0, 0.0);
        let relevant = self.over_groups(&orders.tied, truth, |part| {
            let (least, most) = match self.outcome_of(part) {
                Some(outcome) => (outcome.low, outcome.high),
                None => self.bounds_of(part),
            };
            low += least;
            high += most;
        });
        (low / relevant, high / relevant)
    }

    fn certainty(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Certainty {
        let mut certainty = Certainty::Exact;
        self.over_groups(ranking, truth, |part| {
            let counts: Vec<usize> = part.kinds().iter().map(|kind| kind.2).collect();
            if !lattice::is_small(&counts) {
                certainty = Certainty::Interval;
            }
        });
        certainty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_enclose() {
        let befores: [&[StratumCounts]; 3] = [&[[0; 3], [0; 3]], &[[1, 2, 3], [0, 1, 0]], &[[0, 0, 2], [3, 1, 4]]];
        let groups: [&[StratumCounts]; 4] =
            [&[[1, 0, 1], [0; 3]], &[[2, 1, 1], [1, 1, 0]], &[[1, 0, 0], [1, 0, 3]], &[[0, 2, 1], [2, 0, 0]]];
        for eps in [0.0, 1e-5, 0.5] {
            let measure = StratifiedAp { rel: 1.0, eps, prior: 2.0, most: f64::INFINITY };
            for (before, counts) in befores.iter().flat_map(|before| groups.iter().map(move |counts| (before, counts)))
            {
                for others in [0, 3] {
                    let part = StratifiedGroup {
                        start: before.iter().flatten().sum::<usize>() + others,
                        size: counts.iter().flatten().sum::<usize>() + others,
                        before,
                        counts,
                        weights: &[1.5, 4.0],
                    };
                    let exact = measure.outcome_of(&part).expect("a small group");
                    let (low, high) = measure.bounds_of(&part);
                    let mean = measure.mean_of(&part);
                    assert!((mean - exact.mean).abs() < 1e-13, "{before:?} {counts:?} {mean} {exact:?}");
                    assert!(low <= exact.low + 1e-15 && exact.high <= high + 1e-15, "{before:?} {counts:?}");
                }
            }
        }
    }
}
