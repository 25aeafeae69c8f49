//! Rank-biased precision, and how much of it unjudged documents could add.
//!
//! A user goes on from each document to the next with probability p, so rank i weighs (1-p) p^(i-1). The weights of
//! all ranks, seen or not, add up to 1.

use super::bounds::{self, Bounds, Open};
use super::cascade::not_exceeded;
use super::dcg::Gains;
use super::gain::Gain;
use super::{Definition, Measure, Orders, Scope, TieDistribution, sum};
use crate::elementary::powf;
use crate::error::Result;
use crate::law::{Law, Limits};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Parameter, REL, Spec};
use crate::ranking::Ranking;
use crate::table::Judgments;

const PERSISTENCE: Parameter = Parameter {
    name: "p",
    default: "0.8",
    help: "probability of continuing to the next document, between 0 and 1 (persistence)",
};
const MAX_GRADE: Parameter = Parameter {
    name: "max_grade",
    default: "None",
    help: "if given, a document of grade g gains g / max_grade, instead of 1 if g >= rel",
};

const ANY_REL: Parameter = Parameter { help: "as for RBP; an unjudged document may still gain 1", ..REL };
const ANY_MAX_GRADE: Parameter = Parameter { help: ANY_REL.help, ..MAX_GRADE };

pub static RBP: Definition = Info {
    name: "RBP",
    aliases: &["rank_biased_precision"],
    title: "rank-biased precision",
    cutoff: Cutoff::Optional,
    parameters: &[PERSISTENCE, REL, MAX_GRADE, JUDGED_ONLY],
    instead_of_rel: Some(MAX_GRADE.name),
    equation: "RBP@k = (1-p) sum over ranks i <= k of gain_i p^(i-1)",
    tex: r"\mathrm{RBP}@k = (1 - p) \sum_{i=1}^{k} g_i\, p^{\,i-1}",
    reference: "Moffat & Zobel 2008; ties: as DCG, with discount (1-p) p^(i-1)",
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let gains = Gains::new(gain(spec, scope)?, weights(spec, scope)?, scope);
    Ok(Box::new(RankBiased { gains, p: persistence(spec)?, cutoff: spec.cutoff }))
});

pub static RBP_RESIDUAL: Definition = Info {
    name: "RBPResidual",
    aliases: &["rbp_resid"],
    title: "the most that unjudged documents and unseen ranks could add to RBP",
    cutoff: Cutoff::Optional,
    parameters: &[PERSISTENCE, ANY_REL, ANY_MAX_GRADE],
    instead_of_rel: Some(MAX_GRADE.name),
    equation: "RBPResidual@k = (1-p) sum over ranks i <= k of unjudged documents of p^(i-1), plus p^min(k, n) for the \
        ranks after the end",
    tex: r"\mathrm{RBPResidual}@k = (1 - p) \sum_{i \le k,\ \text{unjudged}} p^{\,i-1} + p^{\min(k, n)}",
    reference: "Moffat & Zobel 2008",
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    gain(spec, scope)?; // refused where RBP is
    let weights = weights(spec, scope)?;
    let judged = Gains::new(Gain::From(0.0), weights.clone(), scope);
    Ok(Box::new(Residual { p: persistence(spec)?, weights, judged }))
});

fn gain(spec: &Spec, scope: &Scope<'_>) -> Result<Gain> {
    Ok(match spec.parameter(MAX_GRADE.name) {
        None => Gain::From(spec.rel()?),
        Some(_) => {
            let most = spec.number(MAX_GRADE.name, 1.0, "a number above 0", |most| most > 0.0)?;
            Gain::ShareOf(not_exceeded(most, spec, scope)?)
        }
    })
}

fn persistence(spec: &Spec) -> Result<f64> {
    spec.number(PERSISTENCE.name, 0.8, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)
}

/// The weights of the ranks, as far as they are needed.
fn weights(spec: &Spec, scope: &Scope<'_>) -> Result<Vec<f64>> {
    let p = persistence(spec)?;
    let depth = spec.cutoff_or(usize::MAX).min(scope.depth);
    Ok((0..depth).map(|i| (1.0 - p) * powf(p, i as f64)).collect())
}

/// RBP: a sum of gains times weights, like DCG, and a tail of unseen documents after the last one.
struct RankBiased {
    gains: Gains,
    p: f64,
    cutoff: Option<usize>,
}

impl Measure for RankBiased {
    fn reads_relevant_only(&self) -> bool {
        self.gains.reads_relevant_only()
    }

    fn reads_to(&self) -> usize {
        self.gains.reads_to()
    }

    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.gains.mean(ranking, truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.gains.variance(ranking, truth)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        self.gains.extremes(orders, truth)
    }

    fn expected(&self) -> Option<Box<dyn Measure>> {
        self.gains.expected()
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    /// For the largest value, all documents after the last one also have the highest grade.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let Bounds { low, high, .. } = self.gains.bounds(open)?;
        let retrieved = open.ranking.retrieved;
        let beyond = self.cutoff.map_or(0.0, |cutoff| powf(self.p, cutoff.max(retrieved) as f64));
        let highest = open.grades.first().map_or(0.0, |&grade| self.gains.gain(grade));
        Some(Bounds::new(low, high + highest * (powf(self.p, retrieved as f64) - beyond)))
    }
}

impl TieDistribution for RankBiased {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, limits: Limits) -> Result<Option<Law>> {
        self.gains.law(ranking, truth, limits)
    }
}

/// The weight of unjudged documents and of all ranks after the last one. It is added up directly, because 1 minus the
/// weight of judged documents would lose all digits if nearly everything is judged.
struct Residual {
    p: f64,
    weights: Vec<f64>,
    /// The weight of the judged documents, which has the same variance.
    judged: Gains,
}

impl Residual {
    /// The sum over groups of `part(weights of the group's positions, its size, how many of it are judged)`, and over
    /// all other positions.
    fn over_groups(&self, ranking: &Ranking, part: impl Fn(&[f64], usize, usize) -> f64) -> f64 {
        let seen = &self.weights[..ranking.retrieved.min(self.weights.len())];
        let mut total = powf(self.p, seen.len() as f64);
        let mut at = 0;
        for group in ranking.groups_to(seen.len()) {
            let end = group.start + group.slots(seen.len());
            total += all(&seen[at..group.start]);
            total += part(&seen[group.start..end], group.size, group.relevant(0.0));
            at = end;
        }
        total + all(&seen[at..])
    }
}

fn all(weights: &[f64]) -> f64 {
    sum(weights.len(), |i| weights[i])
}

impl Measure for Residual {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        self.over_groups(ranking, |weights, size, judged| (size - judged) as f64 / size as f64 * all(weights))
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.judged.variance(ranking, truth)
    }

    fn extremes(&self, orders: &Orders, _: &Judgments<'_>) -> (f64, f64) {
        // The residual is smallest if judged documents, whatever their grade, come first, and largest if they come
        // last.
        let low = |weights: &[f64], _, judged: usize| all(&weights[judged.min(weights.len())..]);
        let high = |weights: &[f64], size, judged: usize| all(&weights[..usize::min(size - judged, weights.len())]);
        (self.over_groups(&orders.tied, low), self.over_groups(&orders.tied, high))
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(bounds::fixed(self, open))
    }
}
