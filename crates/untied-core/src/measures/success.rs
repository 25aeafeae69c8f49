//! Success@k and AllFound@k: whether any relevant document is among the first k, and whether all are.
//!
//! In a group of n tied documents, r of them relevant, K are within the cutoff. No relevant document is among the K with
//! probability C(n-r, K) / C(n, K). All r are, if none is among the other n-K; so this probability is the same
//! quotient with n-K instead of K.

use super::bounds::{self, Bounds, Open};
use super::uncertain::FirstStop;
use super::{Definition, Measure, TieDistribution};
use crate::error::Result;
use crate::law::{Law, Limits};
use crate::names::{Cutoff, Info, JUDGED_ONLY, REL};
use crate::ranking::Ranking;
use crate::table::Judgments;

pub static SUCCESS: Definition = Info {
    name: "Success",
    aliases: &["hit_rate", "hitrate"],
    title: "whether a relevant document is found",
    cutoff: Cutoff::Optional,
    parameters: &[REL, JUDGED_ONLY],
    is_of_set: true,
    equation: "Success@k = 1 if H(k) > 0, else 0",
    tex: r"\mathrm{Success}@k = \begin{cases} 1 & \text{if } H(k) > 0 \\ 0 & \text{else} \end{cases}",
    reference: "trec_eval (success); ties: 1 - C(n-r, K) / C(n, K) in the first group with relevant documents",
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(Success { rel: spec.rel()?, cutoff: spec.cutoff_or(usize::MAX) })));

pub static ALL_FOUND: Definition = Info {
    name: "AllFound",
    title: "whether all relevant documents are found",
    cutoff: Cutoff::Optional,
    parameters: &[REL, JUDGED_ONLY],
    is_of_set: true,
    equation: "AllFound@k = 1 if H(k) = R, else 0",
    tex: r"\mathrm{AllFound}@k = \begin{cases} 1 & \text{if } H(k) = R \\ 0 & \text{else} \end{cases}",
    reference: "Asai et al. 2020 (paragraph exact match); ties: C(K, r) / C(n, r) in the group at the cutoff",
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(AllFound { rel: spec.rel()?, cutoff: spec.cutoff_or(usize::MAX) })));

/// The probabilities that some of `r` relevant documents are among the first `k` of `n` tied documents, and that none
/// is, each computed without cancellation. The second is C(n-r, k) / C(n, k).
fn any_and_none(n: usize, r: usize, k: usize) -> (f64, f64) {
    // C(n-r, k) / C(n, k) = C(n-k, r) / C(n, r), of which the shorter product is computed.
    let (few, many) = (r.min(k), r.max(k));
    let (mut any, mut none) = (0.0, 1.0);
    for i in 0..few {
        let left = n - i;
        any += none * (many.min(left) as f64 / left as f64);
        none *= left.saturating_sub(many) as f64 / left as f64;
    }
    if none == 0.0 { (1.0, 0.0) } else { (any, none) }
}

/// The law of a measure that is 1 or else 0, from the probabilities of both.
fn of_two(success: f64, failure: f64) -> Law {
    Law::new([(0.0, failure), (1.0, success)].into_iter().filter(|&(_, chance)| chance > 0.0).collect())
}

struct Success {
    rel: f64,
    cutoff: usize,
}

impl Success {
    /// The probabilities of success and of failure.
    fn chances(&self, ranking: &Ranking) -> (f64, f64) {
        for group in ranking.groups_to(self.cutoff) {
            let r = group.relevant(self.rel);
            if r > 0 {
                return any_and_none(group.size, r, group.slots(self.cutoff));
            }
        }
        (0.0, 1.0)
    }
}

impl Measure for Success {
    fn only_relevance(&self) -> Option<f64> {
        Some(self.rel)
    }

    fn reads_to(&self) -> usize {
        self.cutoff
    }

    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.mean_on(self.base(truth), ranking, truth)
    }

    fn base(&self, truth: &Judgments<'_>) -> f64 {
        truth.relevant(self.rel) as f64
    }

    fn mean_on(&self, relevant: f64, ranking: &Ranking, _truth: &Judgments<'_>) -> f64 {
        if relevant == 0.0 { f64::NAN } else { self.chances(ranking).0 }
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let (success, failure) = self.chances(ranking);
        if truth.relevant(self.rel) == 0 { f64::NAN } else { success * failure }
    }

    fn expected(&self) -> Option<Box<dyn Measure>> {
        Some(Box::new(FirstStop::at_relevant(self.rel, self.cutoff, |_| 1.0)))
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        bounds::growing(self, open, open.grade_from(self.rel))
    }
}

impl TieDistribution for Success {
    fn law(&self, ranking: &Ranking, _truth: &Judgments<'_>, _limits: Limits) -> Result<Option<Law>> {
        let (success, failure) = self.chances(ranking);
        Ok(Some(of_two(success, failure)))
    }
}

struct AllFound {
    rel: f64,
    cutoff: usize,
}

impl AllFound {
    /// The probabilities that all of the relevant documents are found, and that some is not; `relevant` is their number.
    fn chances(&self, relevant: f64, ranking: &Ranking) -> (f64, f64) {
        let (mut found, mut chances) = (0, (1.0, 0.0));
        for group in ranking.groups_to(self.cutoff) {
            let (n, r) = (group.size, group.relevant(self.rel));
            found += r;
            // The only group that can have documents behind the cutoff is the last one.
            let (any_behind, none_behind) = any_and_none(n, r, n - group.slots(self.cutoff));
            chances = (none_behind, any_behind);
        }
        if (found as f64) < relevant { (0.0, 1.0) } else { chances }
    }
}

impl Measure for AllFound {
    fn only_relevance(&self) -> Option<f64> {
        Some(self.rel)
    }

    fn reads_to(&self) -> usize {
        self.cutoff
    }

    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.mean_on(self.base(truth), ranking, truth)
    }

    fn base(&self, truth: &Judgments<'_>) -> f64 {
        truth.relevant(self.rel) as f64
    }

    fn mean_on(&self, relevant: f64, ranking: &Ranking, _truth: &Judgments<'_>) -> f64 {
        if relevant == 0.0 { f64::NAN } else { self.chances(relevant, ranking).0 }
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let relevant = self.base(truth);
        let (success, failure) = self.chances(relevant, ranking);
        if relevant == 0.0 { f64::NAN } else { success * failure }
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    // Every further relevant document must be found too, so the value never rises with their number.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        bounds::growing(self, open, open.grade_from(self.rel))
    }
}

impl TieDistribution for AllFound {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, _limits: Limits) -> Result<Option<Law>> {
        let (success, failure) = self.chances(self.base(truth), ranking);
        Ok(Some(of_two(success, failure)))
    }
}
