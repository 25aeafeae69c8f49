//! statAP: average precision from judgments with inclusion probabilities, after Horvitz & Thompson.
//!
//! A judged document d stands for y_d = 1/pi_d documents, where pi_d is the probability that it was chosen to be
//! judged. R^ is the sum of y over relevant documents, and
//!
//!   statAP = (1/R^) sum over relevant documents d at rank k of y_d (1/k) (self + sum of y over those above it),
//!
//! where self is 1, which makes the sum unbiased, or y_d. In a group of n documents, let Y and Q be the sums of y and
//! y^2 over its relevant ones, and B the sum of y over the relevant ones before it. Position a then adds on average
//!
//!   (1/k) \[(Y B + self)/n + (a-1)/(n-1) (Y^2 - Q)/n\],    self = Y or Q.
//!
//! Of two neighbours, having the one with the larger y first is worth more: the difference has the sign of
//! y (B + self) - y' (B + self'). So the order by y is the best one, and its reverse the worst.

use super::orders::lattice;
use super::{Definition, Measure, Orders};
use crate::grade::Level;
use crate::names::{Info, Needs, Parameter, REL, Sampled, unbounded};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

const SELF_WEIGHT: Parameter = Parameter {
    name: "self_weight",
    default: "'one'",
    help: "what a document counts in the precision at its own rank: 'one', or 'ht' for its weight 1/pi",
};

pub static STAT_AP: Definition = Info {
    name: "statAP",
    aliases: &["statap", "stat_ap"],
    title: "average precision estimated from judgments with inclusion probabilities",
    parameters: &[REL, SELF_WEIGHT],
    needs: Needs::Inclusion,
    range: "0 or more",
    equation: "statAP = (1/R^) sum over relevant documents d at rank k of (1/pi_d) (1/k) (1 + sum over relevant \
               documents e above of 1/pi_e), R^ = sum over relevant documents of 1/pi",
    tex: r"\mathrm{statAP} = \frac{1}{\hat R} \sum_{k:\ x_k = 1} \frac{1}{\pi_k} \cdot \frac{1}{k} \left( 1 +
           \sum_{j < k,\ x_j = 1} \frac{1}{\pi_j} \right), \quad \hat R = \sum_{x_d = 1} \frac{1}{\pi_d}",
    reference: "Pavlu & Aslam 2007",
    sampled: &[Sampled { unless: lattice::MANY_KINDS, then: Sampled::NO_VARIANCE }],
    unbounded: Some(unbounded::ESTIMATOR),
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let own = spec.choice(SELF_WEIGHT.name, &[("one", false), ("ht", true)])?;
    Ok(Box::new(StatAp { rel: spec.rel()?, own }))
});

struct StatAp {
    rel: f64,
    /// Whether self is y.
    own: bool,
}

/// The weight y of some relevant documents, and their number.
type WeightedDocuments = (f64, usize);

impl StatAp {
    /// The relevant documents by weight, largest first.
    fn relevant(&self, levels: &[Level], truth: &Judgments<'_>) -> Vec<WeightedDocuments> {
        let of = |level: &Level| {
            let [(_, grade), (_, probability)] = truth.profile(level.grade)[..] else { return None };
            (grade >= self.rel).then_some((1.0 / probability, level.count as usize))
        };
        let mut weighted: Vec<WeightedDocuments> = levels.iter().filter_map(of).collect();
        weighted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        weighted.dedup_by(|next, last| {
            let same = next.0 == last.0;
            last.1 += if same { next.1 } else { 0 };
            same
        });
        weighted
    }

    /// What a document of weight y at a rank adds.
    fn term(&self, rank: usize, y: f64, above: f64) -> f64 {
        y * (above + if self.own { y } else { 1.0 }) / rank as f64
    }

    /// Calls `visit` with each group that has relevant documents and the sum of y before it. Returns R^, or NaN if it
    /// is 0.
    fn over_groups(
        &self,
        ranking: &Ranking,
        truth: &Judgments<'_>,
        mut visit: impl FnMut(&Group<'_>, &[WeightedDocuments], f64),
    ) -> f64 {
        let relevant = total(&self.relevant(truth.levels, truth));
        if relevant == 0.0 {
            return f64::NAN;
        }
        let mut before = 0.0;
        for group in ranking.groups() {
            let weighted = self.relevant(group.levels, truth);
            if !weighted.is_empty() {
                visit(&group, &weighted, before);
                before += total(&weighted);
            }
        }
        relevant
    }

    /// The mean of what a group adds.
    fn mean_of(&self, group: &Group<'_>, weighted: &[WeightedDocuments], before: f64) -> f64 {
        if let (1, [(y, _)]) = (group.size, weighted) {
            return self.term(group.start + 1, *y, before);
        }
        let (size, sum) = (group.size as f64, total(weighted));
        let own = if self.own { weighted.iter().map(|&(y, count)| count as f64 * y * y).sum() } else { sum };
        // The sum over pairs of different documents is Y^2 - Q.
        let pairs: f64 = weighted.iter().map(|&(y, count)| count as f64 * y * (sum - y)).sum();
        let (first, rise) = ((sum * before + own) / size, pairs / (size * (size - 1.0)));
        (0..group.size).map(|above| (first + above as f64 * rise) / (group.start + above + 1) as f64).sum()
    }

    /// The variance of what a group adds; NaN if it has too many kinds of documents.
    fn variance_of(&self, group: &Group<'_>, weighted: &[WeightedDocuments], before: f64) -> f64 {
        let mut counts: Vec<usize> = weighted.iter().map(|&(_, count)| count).collect();
        let relevant: usize = counts.iter().sum();
        counts.push(group.size - relevant);
        let outcome = lattice::over_orders(&counts, |placed, kind| {
            let Some(&(y, _)) = weighted.get(kind) else { return 0.0 };
            let above: f64 = weighted.iter().zip(placed).map(|(&(y, _), &placed)| y * placed as f64).sum();
            self.term(group.start + placed.iter().sum::<usize>() + 1, y, before + above)
        });
        outcome.map_or(f64::NAN, |outcome| outcome.variance)
    }

    /// What documents of these weights add in this order, from this rank on.
    fn in_order(&self, rank: usize, weighted: impl Iterator<Item = WeightedDocuments>, before: f64) -> f64 {
        let documents = weighted.flat_map(|(y, count)| std::iter::repeat_n(y, count));
        let (mut sum, mut above) = (0.0, before);
        for (i, y) in documents.enumerate() {
            sum += self.term(rank + i, y, above);
            above += y;
        }
        sum
    }
}

/// The sum of y.
fn total(weighted: &[WeightedDocuments]) -> f64 {
    weighted.iter().map(|&(y, count)| y * count as f64).sum()
}

impl Measure for StatAp {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut sum = 0.0;
        let relevant = self.over_groups(ranking, truth, |group, weighted, before| {
            sum += self.mean_of(group, weighted, before);
        });
        sum / relevant
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut sum = 0.0;
        let relevant = self.over_groups(ranking, truth, |group, weighted, before| {
            sum += self.variance_of(group, weighted, before);
        });
        sum / relevant.powi(2)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let (mut low, mut high) = (0.0, 0.0);
        let relevant = self.over_groups(&orders.tied, truth, |group, weighted, before| {
            let others = group.size - weighted.iter().map(|&(_, count)| count).sum::<usize>();
            high += self.in_order(group.start + 1, weighted.iter().copied(), before);
            low += self.in_order(group.start + others + 1, weighted.iter().rev().copied(), before);
        });
        (low / relevant, high / relevant)
    }
}
