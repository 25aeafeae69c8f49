//! Graded average precision: the expectation of AP over users with different thresholds of relevance.
//!
//! With W(g) the share of users to whom grade g is relevant, and W(d, e) = W(the lower grade of d and e),
//!
//!   GAP@k = (1/N_k) sum over ranks i <= k of (1/i) sum over ranks j <= i of W(d_j, d_i),
//!
//! where N_k is the sum of the k largest W among the judged documents. In a group of n documents, position a adds on
//! average E = \[B + S + (a-1)/(n-1) P\] / (n (t+a)). Here S is the sum of W(d) over its relevant documents, P the sum
//! of W(d, e) over ordered pairs of different ones, and B that over pairs with a document before the group. Of two
//! neighbours, having the better one first is never worth less.

use super::bounds::one_grade::{Ratios, of_ratios};
use super::bounds::{Bounds, Open};
use super::orders::lattice;
use super::orders::pairs::Pairs;
use super::{Definition, Measure};
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::names::{Cutoff, Info, JUDGED_ONLY, Parameter, REL, Spec, Value};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

const THRESHOLDS: Parameter = Parameter {
    name: "thresholds",
    default: "None",
    help: "relative number of users for whom each grade is the lowest relevant one: a table {1: 0.5, 2: 0.5}; by \
        default the number for a grade s is proportional to s, as in NTCIREVAL",
};

/// GAP, GAP@k.
pub static GRADED_AVERAGE_PRECISION: Definition = Info {
    name: "GAP",
    aliases: &["graded_average_precision"],
    title: "graded average precision, over users with different thresholds of relevance",
    cutoff: Cutoff::Optional,
    parameters: &[THRESHOLDS, REL, JUDGED_ONLY],
    equation: "GAP@k = (1/N) sum over ranks i <= k of (1/i) sum over ranks j <= i of W(the lower of the grades at i \
        and \
               j), N = sum of the k largest W of judged documents; W(g) = share of users with a threshold of at most g, \
               by default g (g+1) / 2",
    tex: r"\mathrm{GAP}@k = \frac{1}{N} \sum_{i \le k} \frac{1}{i} \sum_{j \le i} W(\min(g_i, g_j))",
    reference: "Robertson, Kanoulas & Yilmaz 2010; default thresholds and cutoff as NTCIREVAL; ties: mean, exact, as AP",
    ..Info::DEFAULT
}
.built_by(|spec, _| {
        let (rel, thresholds) = (spec.rel()?, thresholds(spec)?);
        Ok(Box::new(GradedPrecision { rel, thresholds, cutoff: spec.cutoff_or(usize::MAX) }))
    });

fn thresholds(spec: &Spec) -> Result<Option<Vec<(f64, f64)>>> {
    match spec.parameter(THRESHOLDS.name) {
        None => Ok(None),
        Some(Value::Table(table)) if table.iter().all(|&(grade, share)| grade > 0.0 && share >= 0.0) => {
            Ok(Some(table.clone()))
        }
        Some(other) => Err(Error::Measure(format!(
            "{spec}: thresholds must be a table of grades above 0 and shares of at least 0, such as {{1: 0.5, 2: 0.5}}, not {other}"
        ))),
    }
}

struct GradedPrecision {
    rel: f64,
    thresholds: Option<Vec<(f64, f64)>>,
    cutoff: usize,
}

/// W and the number of the relevant documents of each grade, by descending W.
type Shares = Vec<(f64, usize)>;

impl GradedPrecision {
    /// W(g).
    fn share(&self, grade: f64) -> f64 {
        match &self.thresholds {
            None => grade * (grade + 1.0) / 2.0,
            Some(table) => table.iter().filter(|&&(least, _)| least <= grade).map(|&(_, share)| share).sum(),
        }
    }

    fn shares(&self, levels: &[Level]) -> Shares {
        let relevant = levels.iter().take_while(|level| level.grade >= self.rel);
        relevant.map(|level| (self.share(level.grade), level.count as usize)).collect()
    }

    /// N; NaN if it is 0.
    fn norm(&self, truth: &Judgments<'_>) -> f64 {
        let all = self.shares(truth.levels).into_iter();
        let total: f64 = all.flat_map(|(share, count)| std::iter::repeat_n(share, count)).take(self.cutoff).sum();
        if total > 0.0 { total } else { f64::NAN }
    }

    /// Calls `visit` with each group that has relevant documents, and with the relevant documents before it.
    fn over_groups(&self, ranking: &Ranking, mut visit: impl FnMut(&Group<'_>, &Shares, &Shares)) {
        let mut before: Shares = Vec::new();
        for group in ranking.groups_to(self.cutoff) {
            let shares = self.shares(group.levels);
            if shares.is_empty() {
                continue;
            }
            visit(&group, &shares, &before);
            for (share, count) in shares {
                match before.iter_mut().find(|known| known.0 == share) {
                    Some(known) => known.1 += count,
                    None => before.push((share, count)),
                }
            }
        }
    }

    fn mean_of(&self, group: &Group<'_>, shares: &Shares, before: &Shares) -> f64 {
        let n = group.size as f64;
        let slots = group.slots(self.cutoff);
        let rank = |above: usize| (group.start + above + 1) as f64;
        if let [(share, count)] = shares[..]
            && count == group.size
        {
            let above = with(before, share) + share;
            return (0..slots).map(|i| (above + i as f64 * share) / rank(i)).sum();
        }
        let each =
            |of: &dyn Fn(f64) -> f64| -> f64 { shares.iter().map(|&(share, count)| count as f64 * of(share)).sum() };
        let own = each(&|share| with(before, share) + share) / n;
        let pairs = each(&|share| with(shares, share) - share) / (n * (n - 1.0));
        (0..slots).map(|i| (own + i as f64 * pairs) / rank(i)).sum()
    }

    fn variance_of(&self, group: &Group<'_>, shares: &Shares, before: &Shares) -> f64 {
        let mut counts: Vec<usize> = shares.iter().map(|&(_, count)| count).collect();
        counts.push(group.size - counts.iter().sum::<usize>());
        let slots = group.slots(self.cutoff);
        if lattice::is_long(&counts) {
            let share = |kind: usize| shares.get(kind).map_or(0.0, |share| share.0);
            let all = 0..counts.len();
            let weights: Vec<f64> = (0..slots).map(|above| 1.0 / (group.start + above + 1) as f64).collect();
            let own: Vec<f64> = all.clone().map(|kind| with(before, share(kind)) + share(kind)).collect();
            let pairs: Vec<Vec<f64>> =
                all.clone().map(|lower| all.clone().map(|upper| share(lower).min(share(upper))).collect()).collect();
            return Pairs { counts: &counts, weights: &weights, own: &own, pairs: &pairs }.variance();
        }
        let outcome = lattice::over_orders(&counts, |placed, kind| {
            let at: usize = placed.iter().sum();
            let Some(&(share, _)) = shares.get(kind).filter(|_| at < slots) else { return 0.0 };
            let inside = shares.iter().zip(placed).map(|(other, &placed)| placed as f64 * share.min(other.0));
            (with(before, share) + share + inside.sum::<f64>()) / (group.start + at + 1) as f64
        });
        outcome.map_or(f64::NAN, |outcome| outcome.variance)
    }
}

/// The sum of W(d, e) over documents e.
fn with(others: &Shares, share: f64) -> f64 {
    others.iter().map(|&(other, count)| count as f64 * share.min(other)).sum()
}

impl Measure for GradedPrecision {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        self.over_groups(ranking, |group, shares, before| total += self.mean_of(group, shares, before));
        total / self.norm(truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        self.over_groups(ranking, |group, shares, before| {
            if shares[0].1 < group.size {
                total += self.variance_of(group, shares, before);
            }
        });
        total / self.norm(truth).powi(2)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        of_ratios(self, open, self.rel, |_| Ratios { fading: 1.0, blend: 0.0, cutoff: self.cutoff })
    }
}
