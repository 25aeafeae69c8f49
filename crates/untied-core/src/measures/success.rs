//! Success@k: whether any of the first k documents is relevant.

use super::bounds::{self, Bounds, Open};
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

struct Success {
    rel: f64,
    cutoff: usize,
}

impl Success {
    /// The probabilities of success and of failure, each computed without cancellation.
    fn chances(&self, ranking: &Ranking) -> (f64, f64) {
        for group in ranking.groups_to(self.cutoff) {
            let (n, r, k) = (group.size, group.relevant(self.rel), group.slots(self.cutoff));
            if r == 0 {
                continue;
            }
            // C(n-r, K) / C(n, K) = C(n-K, r) / C(n, r), of which the shorter product is computed.
            let (few, many) = (r.min(k), r.max(k));
            let (mut success, mut failure) = (0.0, 1.0);
            for i in 0..few {
                let left = n - i;
                success += failure * (many.min(left) as f64 / left as f64);
                failure *= left.saturating_sub(many) as f64 / left as f64;
            }
            return if failure == 0.0 { (1.0, 0.0) } else { (success, failure) };
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
        Ok(Some(Law::new([(0.0, failure), (1.0, success)].into_iter().filter(|&(_, chance)| chance > 0.0).collect())))
    }
}
