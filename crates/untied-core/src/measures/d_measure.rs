//! D-nDCG and D#-nDCG: nDCG of gains added up over subtopics, and its mean with intent recall.
//!
//! The global gain of a document is the sum of its gains for each subtopic, all equally probable. So D-nDCG is an nDCG
//! whose grades are these sums, and its mean, variance and extremes are those of [`super::dcg`]. D#-nDCG adds intent
//! recall (StRecall), whose mean is exact as well. The variance and the extremes of this sum do not follow from its
//! parts: all orders are tried if they are few; otherwise the extremes of both parts are added up, which encloses all
//! values.

use super::dcg::Gains;
use super::gain::{Gain, discounts};
use super::novelty::{Norm, Novelty, Worth};
use super::orders::{Outcome, sampling};
use super::{Certainty, Definition, Measure, Orders, Scope};
use crate::error::Result;
use crate::grade::{self, Level};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Needs, Parameter, REL, Sampled, Spec, unbounded};
use crate::ranking::{Ranking, best, worst};
use crate::table::Judgments;

const GAIN: Parameter = Parameter {
    name: "gain",
    default: "'linear'",
    help: "gain of a grade g for a subtopic: 'linear' (g) or 'exp2' (2^g - 1)",
};
const DISCOUNT: Parameter = Parameter { help: "discount of rank i, as nDCG's", ..super::gain::DISCOUNT };
const GAMMA: Parameter =
    Parameter { name: "gamma", default: "0.5", help: "weight of intent recall against D-nDCG, from 0 to 1" };

const OF_GLOBAL_GAIN: Info = Info {
    cutoff: Cutoff::Optional,
    needs: Needs::Subtopics,
    range: "0 to 1; any number if discounts are negative or rise",
    ..Info::DEFAULT
};

/// D-nDCG.
pub static D_NDCG: Definition = Info {
    name: "D_nDCG",
    aliases: &["D-nDCG"],
    title: "nDCG with gains that are added up over subtopics",
    parameters: &[GAIN, DISCOUNT, REL, JUDGED_ONLY],
    equation: "nDCG@k in which the gain of a document is the sum of its gains over the subtopics",
    tex: r"\text{D-nDCG}@k = \frac{\sum_{i \le k} D(i) \sum_j G(g_{ij})}{\text{the same of the ideal ranking}}",
    reference: "Sakai & Song 2011, with equally probable subtopics; ties: as DCG",
    unbounded: Some(unbounded::SUBTOPICS),
    ..OF_GLOBAL_GAIN
}
.built_by(|spec, scope| Ok(Box::new(GlobalGain::new(spec, scope)?)));

/// D#-nDCG.
pub static DSHARP_NDCG: Definition = Info {
    name: "Dsharp_nDCG",
    aliases: &["D#-nDCG", "D#_nDCG", "Dsharp-nDCG"],
    title: "weighted mean of subtopic recall and D-nDCG",
    parameters: &[GAMMA, GAIN, DISCOUNT, REL, JUDGED_ONLY],
    equation: "Dsharp_nDCG@k = gamma StRecall@k + (1-gamma) D_nDCG@k",
    tex: r"\text{D}\sharp\text{-nDCG}@k = \gamma\, \text{I-rec}@k + (1 - \gamma)\, \text{D-nDCG}@k",
    reference: "Sakai & Song 2011, with equally probable subtopics; ties: mean, exact, of both",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::BOUNDS }],
    unbounded: Some(unbounded::SUBTOPICS),
    ..OF_GLOBAL_GAIN
}
.built_by(|spec, scope| {
    let weights = vec![1.0; spec.cutoff_or(usize::MAX).min(scope.depth)];
    let recall = Novelty { rel: spec.rel()?, weights, worth: Worth::Falls(0.0), norm: Norm::Subtopics(1.0) };
    Ok(Box::new(Sharp { gamma: gamma(spec)?, recall, gain: GlobalGain::new(spec, scope)? }))
});

/// The gain of a grade for a subtopic, 0 below `rel`.
pub(crate) fn global_gain(spec: &Spec) -> Result<Gain> {
    let gain = if spec.choice(GAIN.name, &[("linear", true), ("exp2", false)])? { Gain::Linear } else { Gain::Exp2 };
    Ok(Gain::AtLeast(spec.rel()?, Box::new(gain)))
}

/// The parameter `gamma`.
pub(crate) fn gamma(spec: &Spec) -> Result<f64> {
    spec.number(GAMMA.name, 0.5, "a number from 0 to 1", |gamma| (0.0..=1.0).contains(&gamma))
}

struct GlobalGain {
    gain: Gain,
    /// nDCG of rankings that have global gains as grades.
    gains: Gains,
}

impl GlobalGain {
    fn new(spec: &Spec, scope: &Scope<'_>) -> Result<GlobalGain> {
        let depth = spec.cutoff_or(usize::MAX).min(scope.depth);
        let gains = Gains::new(Gain::Linear, discounts(spec, depth)?, scope);
        Ok(GlobalGain { gain: global_gain(spec)?, gains })
    }

    /// The documents by global gain, highest first, without those that gain nothing.
    fn by_gain(&self, levels: &[Level], truth: &Judgments<'_>) -> Vec<Level> {
        let gain = |level: &Level| {
            let profile = if level.grade > 0.0 { &truth.profile(level.grade)[..] } else { &[] };
            Level { grade: profile.iter().map(|&(_, grade)| self.gain.of(grade)).sum(), count: level.count }
        };
        let mut gains: Vec<Level> = levels.iter().map(gain).filter(|level| level.grade > 0.0).collect();
        grade::merge(&mut gains);
        gains
    }

    /// The ranking with global gains as grades, in place of profiles.
    fn gained(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Ranking {
        let mut gained = Ranking::default();
        gained.retrieved = ranking.retrieved;
        for group in ranking.groups() {
            gained.push(group.start, group.size, self.by_gain(group.levels, truth));
        }
        gained
    }

    /// The DCG of the ideal ranking; NaN if nothing gains anything.
    fn norm(&self, truth: &Judgments<'_>) -> f64 {
        let ideal = self.by_gain(truth.levels, truth).into_iter().map(|level| (level.grade, level.count));
        Some(self.gains.ideal_dcg(ideal)).filter(|&ideal| ideal > 0.0).unwrap_or(f64::NAN)
    }
}

impl Measure for GlobalGain {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.gains.mean(&self.gained(ranking, truth), truth) / self.norm(truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.gains.variance(&self.gained(ranking, truth), truth) / self.norm(truth).powi(2)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let mut gained = Orders { tied: self.gained(&orders.tied, truth), ..Orders::default() };
        best(&gained.tied, &mut gained.best);
        worst(&gained.tied, &mut gained.worst);
        let (low, high) = self.gains.extremes(&gained, truth);
        let norm = self.norm(truth);
        (low / norm, high / norm)
    }
}

struct Sharp {
    gamma: f64,
    recall: Novelty,
    gain: GlobalGain,
}

impl Sharp {
    fn combine(&self, recall: f64, gain: f64) -> f64 {
        self.gamma * recall + (1.0 - self.gamma) * gain
    }

    /// The ranking without documents that are relevant to no subtopic.
    fn seen(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Ranking {
        let mut seen = Ranking::default();
        seen.retrieved = ranking.retrieved;
        for group in ranking.groups() {
            let gains = |level: &&Level| !self.gain.by_gain(&[**level], truth).is_empty();
            seen.push(group.start, group.size, group.levels.iter().filter(gains).copied());
        }
        seen
    }

    /// The statistics over all orders, if there are few.
    fn listed(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Option<Outcome> {
        sampling::listed(&self.seen(ranking, truth), self.recall.weights.len(), |one| self.mean(one, truth))
    }
}

impl Measure for Sharp {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.combine(self.recall.mean(ranking, truth), self.gain.mean(ranking, truth))
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.listed(ranking, truth).map_or(f64::NAN, |listed| listed.variance)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        if let Some(listed) = self.listed(&orders.tied, truth) {
            return (listed.low, listed.high);
        }
        let (of_recall, of_gain) = (self.recall.extremes(orders, truth), self.gain.extremes(orders, truth));
        (self.combine(of_recall.0, of_gain.0), self.combine(of_recall.1, of_gain.1))
    }

    fn certainty(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Certainty {
        let few = sampling::is_exact(&self.seen(ranking, truth), self.recall.weights.len());
        if few { Certainty::Exact } else { Certainty::Interval }
    }
}
