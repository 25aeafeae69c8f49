//! Interpolated precision at recall levels.
//!
//!   IPrec@x = max of P@i over the ranks i with H(i) >= ceil(x R) hits,    0 if there is none.
//!
//! [`super::orders::precision`] has its statistics over tie orders.

use super::bounds::{self, Bounds, Open};
use super::orders::precision::{Maxima, Maximum};
use super::orders::sampling;
use super::share::{Target, ceiling};
use super::{Certainty, Definition, Measure, Orders};
use crate::error::{Error, Result};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Parameter, RECALL, RECALL_BASE, REL, RecallBase, Sampled, Spec, Value};
use crate::ranking::Ranking;
use crate::table::Judgments;

const LEVELS: Parameter = Parameter {
    name: "levels",
    default: "[0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]",
    help: "recall levels, from 0 to 1",
};

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
        unless: "a large tie group has many relevant documents \
            (with 100 tied documents, 20 of them relevant, values are still exact)",
        then: Sampled::ESTIMATES,
    }],
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let level = spec.number(RECALL.name, 0.0, "a number from 0 to 1", is_level)?;
    Ok(Box::new(InterpolatedPrecision { rel: spec.rel()?, base: spec.recall_base()?, targets: vec![ceiling(level)] }))
});

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
            unless: "a large tie group has many relevant documents \
                (with 100 tied documents, 20 of them relevant, values are still exact)",
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
    /// The number of hits that a rank must have, given R.
    pub(crate) targets: Vec<Target>,
}

impl InterpolatedPrecision {
    /// The mean over the targets of `of(maximum)`, for the maximum over ranks with the hits that a target needs. NaN if
    /// nothing is relevant.
    fn over_targets(&self, ranking: &Ranking, truth: &Judgments<'_>, mut of: impl FnMut(Maximum) -> f64) -> f64 {
        let relevant = self.base.relevant(self.rel, ranking, truth) as usize;
        if relevant == 0 {
            return f64::NAN;
        }
        let hits = |target: &Target| target(relevant).max(1);
        let maxima = Maxima::new(ranking, self.rel, self.targets.iter().map(hits).min().unwrap_or(1));
        // trec_eval adds from the last target on, so this does too.
        let total: f64 = self.targets.iter().rev().map(|target| of(maxima.from(hits(target)))).sum();
        total / self.targets.len() as f64
    }
}

impl Measure for InterpolatedPrecision {
    fn reads_relevant_only_untied(&self) -> bool {
        self.rel > 0.0
    }

    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut sampled = Vec::new();
        let exact = self.over_targets(ranking, truth, |maximum| {
            maximum.moments().map_or_else(
                || {
                    sampled.push(maximum.hits);
                    0.0
                },
                |(mean, _)| mean,
            )
        });
        if sampled.is_empty() {
            return exact;
        }
        let value = |one: &Ranking| {
            let maxima = Maxima::new(one, self.rel, 1);
            sampled.iter().map(|&hits| maxima.from(hits).low).sum()
        };
        exact + sampling::over_rankings(ranking, usize::MAX, value).outcome.mean / self.targets.len() as f64
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        if self.targets.len() == 1 {
            return self.over_targets(ranking, truth, |maximum| {
                maximum.moments().map_or_else(|| maximum.sample(ranking, self.rel).variance, |(_, variance)| variance)
            });
        }
        // The maxima for different targets depend on each other, so only the means of their bounds are known.
        let spread = self.over_targets(ranking, truth, |maximum| maximum.high - maximum.low);
        if spread == 0.0 || spread.is_nan() {
            return spread;
        }
        let outcome = sampling::listed(ranking, usize::MAX, |one| self.over_targets(one, truth, |maximum| maximum.low));
        outcome.map_or(f64::NAN, |outcome| outcome.variance)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let low = self.over_targets(&orders.tied, truth, |maximum| maximum.low);
        (low, self.over_targets(&orders.tied, truth, |maximum| maximum.high))
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(bounds::interpolated::mean(self, self.rel, self.base, &self.targets, open))
    }

    fn certainty(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Certainty {
        let mut certainty = Certainty::Exact;
        self.over_targets(ranking, truth, |maximum| {
            if !maximum.is_exact() && !sampling::is_exact(ranking, usize::MAX) {
                certainty = Certainty::Estimate;
            }
            0.0
        });
        certainty
    }
}
