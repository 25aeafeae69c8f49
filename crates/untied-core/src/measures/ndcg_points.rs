//! nDCG averaged over several ranks: those at which the gain of the ideal ranking changes (Rndcg), or those of
//! documents with a gain (nDCGRel).
//!
//! Rndcg is a sum of gains times discounts w(i) = D(i) (1/J) sum of 1/IDCG(k_j) over the points k_j >= i, so the
//! variance of a group is S_g S_w / (n-1), as for DCG. In nDCGRel, a document at rank i adds DCG(i)/IDCG(i). Of two
//! documents of a group, each is above the other equally often. With r of n documents that have a gain, G the sum of
//! their gains, and IDCG growing only to rank R,
//!
//!   E = (1/R) (sum over positions i of the group of (r E[DCG before the group] / n + (G/n) D(i)
//!              + G (r-1) / (n (n-1)) (sum of D(j) over the group's positions j < i)) / IDCG(i))
//!
//! and each of the R documents that is not retrieved adds DCG(n)/IDCG(R).

use super::gain::squared_deviations;
use super::gain::{GAIN, Gain};
use super::graded::{Ideal, by_gain, gain, log};
use super::orders::sampling;
use super::{Definition, Measure, Orders, Scope};
use crate::error::Result;
use crate::names::{Info, JUDGED_ONLY, Sampled, Spec, unbounded};
use crate::ranking::{Ranking, best, worst};
use crate::table::Judgments;

pub static NDCG_AT_CHANGES: Definition = Info {
    name: "Rndcg",
    aliases: &["rndcg"],
    title: "nDCG, averaged over the ranks at which the ideal gain changes",
    parameters: &[GAIN, JUDGED_ONLY],
    equation: "Rndcg = mean of DCG@k / IDCG@k over the last ranks k of each positive gain in the ideal ranking, and \
               the last rank of the ranking if it is longer",
    tex: r"\mathrm{Rndcg} = \frac{1}{|K|} \sum_{k \in K} \frac{\mathrm{DCG}@k}{\mathrm{IDCG}@k}",
    reference: "trec_eval (Rndcg, Buckley 2008)",
    unbounded: Some(unbounded::IDEAL),
    ..Info::DEFAULT
}
.built_by(|spec, scope| at_changes(spec, scope, 1));

pub static NDCG_AT_RELEVANT: Definition = Info {
    name: "nDCGRel",
    aliases: &["ndcg_rel"],
    title: "nDCG, averaged over the ranks of documents with a gain",
    parameters: &[GAIN, JUDGED_ONLY],
    equation: "nDCGRel = mean of DCG@k / IDCG@k over the ranks k of all documents with a positive gain; for those not \
               retrieved, k is the last rank",
    tex: r"\mathrm{nDCGRel} = \frac{1}{R} \sum_{d:\ g_d > 0} \frac{\mathrm{DCG}@k_d}{\mathrm{IDCG}@k_d}",
    reference: "trec_eval (ndcg_rel, Buckley 2008)",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::NO_VARIANCE }],
    unbounded: Some(unbounded::IDEAL),
    ..Info::DEFAULT
}
.built_by(|spec, scope| Ok(Box::new(NdcgAtRelevant { gain: gain(spec, scope)? })));

/// The extremes of a measure that never falls when a higher gain moves up.
fn extremes(orders: &Orders, gain: &Gain, value: impl Fn(&Ranking) -> f64) -> (f64, f64) {
    let tied = by_gain(&orders.tied, gain);
    let (mut low, mut high) = (Ranking::default(), Ranking::default());
    worst(&tied, &mut low);
    best(&tied, &mut high);
    (value(&low), value(&high))
}

/// Rndcg whose last point counts only if the ranking is longer, by this many documents, than the ideal ranking without
/// its documents of gain 0 (2 in `trec_eval`).
///
/// # Errors
/// Rndcg does not take this gain.
pub fn at_changes(spec: &Spec, scope: &Scope<'_>, longer: usize) -> Result<Box<dyn Measure>> {
    Ok(Box::new(NdcgAtChanges { gain: gain(spec, scope)?, longer }))
}

struct NdcgAtChanges {
    gain: Gain,
    longer: usize,
}

impl NdcgAtChanges {
    /// The ranks, ascending, and IDCG there.
    fn points(&self, retrieved: usize, ideal: &Ideal) -> Vec<(usize, f64)> {
        let dcg = ideal.dcg();
        let ends = ideal.levels.iter().scan(0, |end, level| {
            *end += level.count as usize;
            Some(*end)
        });
        let mut points: Vec<(usize, f64)> = ends.map(|end| (end, dcg[end - 1])).collect();
        if retrieved >= dcg.len() + self.longer {
            points.push((retrieved, dcg[dcg.len() - 1]));
        }
        points
    }

    fn value(&self, gains: &Ranking, ideal: &Ideal) -> f64 {
        let points = self.points(gains.retrieved, ideal);
        let number = points.len() as f64;
        let (mut dcg, mut total) = (0.0, 0.0);
        let mut points = points.into_iter().peekable();
        for group in gains.groups() {
            let gain: f64 = group.levels.iter().map(|level| f64::from(level.count) * level.grade).sum();
            for rank in group.start + 1..=group.start + group.size {
                while let Some((_, ideal)) = points.next_if(|&(k, _)| k < rank) {
                    total += dcg / ideal;
                }
                dcg += gain / group.size as f64 / log(rank);
            }
        }
        points.for_each(|(_, ideal)| total += dcg / ideal);
        total / number
    }
}

impl Measure for NdcgAtChanges {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let ideal = Ideal::new(truth, &self.gain);
        ideal.map_or(f64::NAN, |ideal| self.value(&by_gain(ranking, &self.gain), &ideal))
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let Some(ideal) = Ideal::new(truth, &self.gain) else { return f64::NAN };
        let points = self.points(ranking.retrieved, &ideal);
        let weight = |rank: usize| {
            let later = points.iter().filter(|&&(k, _)| k >= rank);
            later.map(|(_, ideal)| 1.0 / ideal).sum::<f64>() / points.len() as f64 / log(rank)
        };
        let groups = by_gain(ranking, &self.gain);
        let varying = groups.groups().filter(|group| group.size > 1);
        varying
            .map(|group| {
                let gains = group.levels.iter().map(|level| (level.grade, f64::from(level.count)));
                let gains = squared_deviations(gains.chain([(0.0, group.unjudged() as f64)]));
                let weights: Vec<f64> = (group.start + 1..=group.start + group.size).map(weight).collect();
                let weights = squared_deviations(weights.iter().map(|&weight| (weight, 1.0)));
                gains * weights / (group.size as f64 - 1.0)
            })
            .sum()
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let Some(ideal) = Ideal::new(truth, &self.gain) else { return (f64::NAN, f64::NAN) };
        extremes(orders, &self.gain, |gains| self.value(gains, &ideal))
    }
}

struct NdcgAtRelevant {
    gain: Gain,
}

/// nDCGRel of a ranking of gains.
fn at_relevant(gains: &Ranking, ideal: &Ideal) -> f64 {
    let ideal = ideal.dcg();
    let (mut dcg, mut total, mut retrieved) = (0.0, 0.0, 0);
    for group in gains.groups() {
        let (n, count) = (group.size as f64, group.levels.iter().map(|level| level.count as usize).sum::<usize>());
        let r = count as f64;
        let gain: f64 = group.levels.iter().map(|level| f64::from(level.count) * level.grade).sum();
        let others = if group.size > 1 { gain * (r - 1.0) / (n * (n - 1.0)) } else { 0.0 };
        let (mut gained, mut above) = (0.0, 0.0); // gains and discounts of the positions before
        for rank in group.start + 1..=group.start + group.size {
            let expected = gain / n / log(rank);
            let at_it = r / n * dcg + expected + others * above;
            total += at_it / ideal[rank.min(ideal.len()) - 1];
            gained += expected;
            above += 1.0 / log(rank);
        }
        dcg += gained;
        retrieved += count;
    }
    // A lenient reader may keep a document twice, which is then retrieved twice.
    total += ideal.len().saturating_sub(retrieved) as f64 * dcg / ideal[ideal.len() - 1];
    total / ideal.len() as f64
}

impl Measure for NdcgAtRelevant {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let ideal = Ideal::new(truth, &self.gain);
        ideal.map_or(f64::NAN, |ideal| at_relevant(&by_gain(ranking, &self.gain), &ideal))
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let Some(ideal) = Ideal::new(truth, &self.gain) else { return f64::NAN };
        let gains = by_gain(ranking, &self.gain);
        let outcome = sampling::listed(&gains, usize::MAX, |one| at_relevant(one, &ideal));
        outcome.map_or(f64::NAN, |outcome| outcome.variance)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let Some(ideal) = Ideal::new(truth, &self.gain) else { return (f64::NAN, f64::NAN) };
        extremes(orders, &self.gain, |gains| at_relevant(gains, &ideal))
    }
}
