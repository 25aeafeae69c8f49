//! Reciprocal rank of the first relevant document.
//!
//! Only the first group with relevant documents matters. With t documents before it, r of its n relevant, and
//! f(x) the share of orders whose first x documents of the group are all non-relevant,
//!
//!   f(0) = 1,  f(x) = f(x-1) (1 - r/(n-x+1)),    E\[RR@k\] = sum over x = 1..K of (f(x-1) - f(x)) / (t+x).
//!
//! McSherry & Najork (2008, section 2.5) print f(x) / (t+x) instead, which exceeds 1: for one relevant document
//! among ten it gives 1.929, the mean over all orders is 0.2929.

use super::bounds::{self, Bounds, Open};
use super::uncertain::FirstStop;
use super::{Definition, Measure, TieDistribution, sum};
use crate::error::Result;
use crate::law::{Law, Limits};
use crate::names::{Cutoff, Info, JUDGED_ONLY, REL};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

pub static RECIPROCAL_RANK: Definition = Info {
    name: "RR",
    aliases: &["recip_rank", "mrr", "reciprocal_rank", "mean_reciprocal_rank"],
    title: "reciprocal rank of the first relevant document",
    cutoff: Cutoff::Optional,
    parameters: &[REL, JUDGED_ONLY],
    equation: "RR@k = 1 / (rank of the first relevant document) if that rank is at most k, else 0",
    tex: r"\mathrm{RR}@k = \begin{cases} 1/i & \text{if the first relevant rank } i \le k \\ 0 & \text{else}
           \end{cases}",
    reference: "Voorhees & Harman 2005; ties: McSherry & Najork 2008, section 2.5, corrected (see the errata)",
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(ReciprocalRank { rel: spec.rel()?, cutoff: spec.cutoff_or(usize::MAX) })));

struct ReciprocalRank {
    rel: f64,
    cutoff: usize,
}

impl ReciprocalRank {
    fn first<'r>(&self, ranking: &'r Ranking) -> Option<(Group<'r>, usize)> {
        ranking
            .groups_to(self.cutoff)
            .map(|group| (group, group.relevant(self.rel)))
            .find(|&(_, relevant)| relevant > 0)
    }
}

/// Calls `visit` with x and the probability f(x-1) - f(x) that the first relevant document is the x-th of the group,
/// and returns the probability that it is after the first `slots`.
pub(super) fn positions(n: usize, r: usize, slots: usize, mut visit: impl FnMut(usize, f64)) -> f64 {
    let mut f = 1.0;
    for x in 1..=slots.min(n - r + 1) {
        let left = (n - x + 1) as f64;
        visit(x, f * (r as f64 / left));
        f *= (n - x + 1 - r) as f64 / left;
        if f < 1e-30 {
            return 0.0; // what follows is below the last bit of what came before
        }
    }
    f
}

impl Measure for ReciprocalRank {
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
        if relevant == 0.0 {
            return f64::NAN;
        }
        let Some((group, relevant)) = self.first(ranking) else { return 0.0 };
        let (t, n, slots) = (group.start, group.size, group.slots(self.cutoff));
        match relevant {
            _ if relevant == n => 1.0 / (t + 1) as f64,
            1 => sum(slots, |x| 1.0 / (t + x + 1) as f64) / n as f64,
            _ => {
                let mut mean = 0.0;
                positions(n, relevant, slots, |x, probability| mean += probability / (t + x) as f64);
                mean
            }
        }
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mean = self.mean(ranking, truth);
        let Some((group, relevant)) = self.first(ranking) else { return mean * 0.0 };
        let mut variance = 0.0;
        let beyond = positions(group.size, relevant, group.slots(self.cutoff), |x, probability| {
            variance += probability * (1.0 / (group.start + x) as f64 - mean).powi(2);
        });
        variance + beyond * mean * mean
    }

    fn expected(&self) -> Option<Box<dyn Measure>> {
        Some(Box::new(FirstStop::at_relevant(self.rel, self.cutoff, |rank| 1.0 / rank as f64)))
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        bounds::growing(self, open, open.grade_from(self.rel))
    }
}

impl TieDistribution for ReciprocalRank {
    fn law(&self, ranking: &Ranking, _truth: &Judgments<'_>, _limits: Limits) -> Result<Option<Law>> {
        let Some((group, relevant)) = self.first(ranking) else { return Ok(Some(Law::certain(0.0))) };
        let mut atoms = Vec::new();
        let beyond = positions(group.size, relevant, group.slots(self.cutoff), |x, probability| {
            atoms.push((1.0 / (group.start + x) as f64, probability));
        });
        if beyond > 0.0 {
            atoms.push((0.0, beyond));
        }
        Ok(Some(Law::new(atoms)))
    }
}
