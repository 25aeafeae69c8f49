//! Rank-biased utility: how well each subtopic's readers are served, less the effort of looking.
//!
//!   RBU@k = (1-p) sum over ranks i <= k of p^(i-1) ( (1/M) sum over subtopics j of c_ij (1-c_1j) .. (1-c_(i-1)j)  -  e ),
//!
//! c = (2^grade - 1) / 2^m with m the highest grade of the subtopic's documents. Each subtopic is a cascade
//! ([`super::orders::walk`]), so means add up; the effort is that of all ranks to the end of the ranking. Variance and extremes
//! belong to the whole: all orders are tried where they are few, else the subtopics' own extremes are added up, which
//! encloses all values.

use super::cascade::max_grade;
use super::orders::walk::{self, Kind, Path};
use super::orders::{Outcome, sampling};
use super::subtopics::Topic;
use super::{Certainty, Definition, Measure, Orders};
use crate::elementary::{exp2, powf};
use crate::error::Result;
use crate::names::{Cutoff, Info, JUDGED_ONLY, Needs, Parameter, REL, Sampled, Spec, unbounded};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

const PERSISTENCE: Parameter = Parameter {
    name: "p",
    default: "0.8",
    help: "probability of continuing to the next document, between 0 and 1 (persistence)",
};
const EFFORT: Parameter = Parameter {
    name: "e",
    default: "0.03",
    help: "effort of looking at a document, at least 0, on the scale of satisfaction",
};
const MAX_GRADE: Parameter = Parameter {
    name: "max_grade",
    default: "None",
    help: "a grade g satisfies with probability (2^g - 1) / 2^max_grade; by default the subtopic's highest",
};

/// RBU, RBU@k.
pub static RANK_BIASED_UTILITY: Definition = Info {
    name: "RBU",
    aliases: &["rank_biased_utility"],
    title: "rank-biased utility, the worth of novel relevant documents minus the effort of looking",
    cutoff: Cutoff::Optional,
    parameters: &[PERSISTENCE, EFFORT, MAX_GRADE, REL, JUDGED_ONLY],
    needs: Needs::Subtopics,
    range: "-e to 1",
    equation: "RBU@k = (1-p) sum over ranks i <= k of p^(i-1) (the mean over subtopics of c_i times the product of \
               (1 - c_j) over ranks j < i, less e), c = (2^grade - 1) / 2^max_grade",
    tex: r"\mathrm{RBU}@k = (1 - p) \sum_{i=1}^{k} p^{\,i-1} \left( \frac{1}{M} \sum_{j=1}^{M} c_{ij} \prod_{l < i} (1 - c_{lj}) - e \right)",
    reference: "Amigó, Spina & Carrillo-de-Albornoz 2018, as their program; ties: mean, exact, subtopic by subtopic",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::BOUNDS }],
    unbounded: Some(unbounded::SUBTOPICS),
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let (p, effort) = (persistence(spec)?, effort(spec)?);
    let most = spec.parameter(MAX_GRADE.name).map(|_| max_grade(spec, scope)).transpose()?;
    let depth = spec.cutoff_or(usize::MAX).min(scope.depth);
    let weights = (0..depth).map(|i| (1.0 - p) * powf(p, i as f64)).collect();
    Ok(Box::new(RankBiasedUtility { rel: spec.rel()?, effort, most, weights }))
});

/// The parameter `p`.
pub(crate) fn persistence(spec: &Spec) -> Result<f64> {
    spec.number(PERSISTENCE.name, 0.8, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)
}

/// The parameter `e`.
pub(crate) fn effort(spec: &Spec) -> Result<f64> {
    spec.number(EFFORT.name, 0.03, "a number of at least 0", |effort| effort >= 0.0)
}

struct RankBiasedUtility {
    rel: f64,
    effort: f64,
    most: Option<f64>,
    /// (1-p) p^(i-1) for the ranks within the cutoff.
    weights: Vec<f64>,
}

/// The readers of a subtopic, whom a document may satisfy.
struct Readers<'a> {
    weights: &'a [f64],
    truth: &'a Judgments<'a>,
    rel: f64,
    subtopic: u32,
    /// The highest grade of the subtopic's documents, m.
    most: f64,
}

impl Readers<'_> {
    /// The probability of being satisfied by a document of this profile.
    fn stop(&self, profile: f64) -> f64 {
        let grades = if profile > 0.0 { &self.truth.profile(profile)[..] } else { &[] };
        let grade = grades.iter().find(|&&(subtopic, grade)| subtopic == self.subtopic && grade >= self.rel);
        grade.map_or(0.0, |&(_, grade)| (exp2(grade) - 1.0) / exp2(self.most))
    }

    fn kinds(&self, group: &Group<'_>) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = Vec::new();
        let mut rest = group.size;
        for level in group.levels {
            let (stop, count) = (self.stop(level.grade), level.count as usize);
            if stop > 0.0 {
                rest -= count;
                match kinds.iter_mut().find(|kind| kind.gain == stop) {
                    Some(kind) => kind.count += count,
                    None => kinds.push(Kind { gain: stop, go_on: 1.0 - stop, count }),
                }
            }
        }
        if rest > 0 {
            kinds.push(unmoved(rest));
        }
        kinds
    }
}

/// Documents that satisfy nobody.
fn unmoved(count: usize) -> Kind {
    Kind { gain: 0.0, go_on: 1.0, count }
}

impl Path for Readers<'_> {
    fn weights(&self) -> &[f64] {
        self.weights
    }

    fn walk(&self, ranking: &Ranking, part: &mut dyn FnMut(&[Kind]) -> bool) {
        let mut at = 0;
        for group in ranking.groups_to(self.weights.len()) {
            if group.start > at && !part(&[unmoved(group.start - at)]) || !part(&self.kinds(&group)) {
                return;
            }
            at = group.start + group.size;
        }
    }
}

impl RankBiasedUtility {
    /// The mean over subtopics of `value`, less the effort; undefined if nothing is relevant.
    fn over_subtopics(&self, ranking: &Ranking, truth: &Judgments<'_>, value: impl Fn(&Readers<'_>) -> f64) -> f64 {
        let Some(topic) = Topic::new(truth, self.rel) else { return f64::NAN };
        let mut highest = vec![0.0_f64; topic.relevant.len()];
        for level in truth.levels.iter().filter(|level| level.grade > 0.0) {
            for &(subtopic, grade) in truth.profile(level.grade).iter().filter(|(_, grade)| *grade >= self.rel) {
                let highest = &mut highest[subtopic as usize];
                *highest = highest.max(grade);
            }
        }
        let mut total = 0.0;
        for (subtopic, &highest) in (0..).zip(&highest).filter(|(_, highest)| **highest > 0.0) {
            let most = self.most.unwrap_or(highest);
            total += value(&Readers { weights: &self.weights, truth, rel: self.rel, subtopic, most });
        }
        let looked_at = &self.weights[..self.weights.len().min(ranking.retrieved)];
        total / topic.covered as f64 - self.effort * looked_at.iter().sum::<f64>()
    }

    /// The ranking without documents that are relevant to no subtopic.
    fn seen(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Ranking {
        let mut seen = Ranking::default();
        seen.retrieved = ranking.retrieved;
        let is_seen = |profile: f64| profile > 0.0 && truth.profile(profile).iter().any(|one| one.1 >= self.rel);
        for group in ranking.groups() {
            seen.push(group.start, group.size, group.levels.iter().copied().filter(|level| is_seen(level.grade)));
        }
        seen
    }

    /// The statistics over all orders, if there are few.
    fn listed(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Option<Outcome> {
        sampling::listed(&self.seen(ranking, truth), self.weights.len(), |one| self.mean(one, truth))
    }
}

impl Measure for RankBiasedUtility {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.over_subtopics(ranking, truth, |readers| walk::path_mean(readers, ranking))
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.listed(ranking, truth).map_or(f64::NAN, |listed| listed.variance)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        if let Some(listed) = self.listed(&orders.tied, truth) {
            return (listed.low, listed.high);
        }
        let end = |value: &dyn Fn(&Readers<'_>) -> f64| self.over_subtopics(&orders.tied, truth, value);
        let low = end(&|readers| walk::path_extremes(readers, &orders.tied).0);
        (low, end(&|readers| walk::path_extremes(readers, &orders.tied).1))
    }

    fn certainty(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Certainty {
        let few = sampling::is_exact(&self.seen(ranking, truth), self.weights.len());
        if few { Certainty::Exact } else { Certainty::Interval }
    }
}
