//! Discounted cumulative gain, plain and normalised.
//!
//! In a tie group every document stands at every position equally often, so each position has the group's mean gain
//! (McSherry & Najork 2008, section 2.6):
//!
//!   E\[DCG@k\] = sum over groups of (mean gain of the group) * (sum of D(i) over its positions i <= k).
//!
//! Variance of one group: S_g S_D / (n-1), with S the sums of squared deviations of its gains and of its discounts
//! (Hoeffding 1951, for a product form). nDCG divides by a constant, IDCG.

use super::bounds::dcg::Thresholds;
use super::bounds::{self, Bounds, Open};
use super::gain::{DISCOUNT, GAIN, Gain, LEAST, discounts, squared_deviations};
use super::orders::law::{self, Walk};
use super::uncertain::{Counted, IdealGain, LinearGain};
use super::{Definition, Measure, Orders, Scope, TieDistribution, sum};
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::law::{Law, Limits};
use crate::names::{Cutoff, GAINED, Info, JUDGED_ONLY, Parameter, RecallBase, Spec};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

const IDEAL_BASE: Parameter = Parameter {
    name: "recall_base",
    default: "'qrels'",
    help: "the ideal ranking holds the documents of the 'qrels', or those of the 'ranking'",
};

pub static DCG: Definition = Info {
    name: "DCG",
    aliases: &["dcg", "dcg_cut", "discounted_cumulative_gain"],
    title: "discounted cumulative gain",
    cutoff: Cutoff::Optional,
    parameters: &[GAIN, DISCOUNT, LEAST, JUDGED_ONLY],
    range: GAINED,
    equation: "DCG@k = sum over ranks i <= k of G(grade at i) D(i)",
    tex: r"\mathrm{DCG}@k = \sum_{i=1}^{k} G(g_i)\, D(i)",
    reference: "Järvelin & Kekäläinen 2002; ties: McSherry & Najork 2008, section 2.6",
    ..Info::DEFAULT
}
.built_by(|spec, scope| build(spec, scope, None));

pub static NDCG: Definition = Info {
    name: "nDCG",
    aliases: &["ndcg", "ndcg_cut", "normalized_discounted_cumulative_gain", "normalised_discounted_cumulative_gain"],
    title: "normalised discounted cumulative gain",
    cutoff: Cutoff::Optional,
    parameters: &[GAIN, DISCOUNT, LEAST, IDEAL_BASE, JUDGED_ONLY],
    range: "0 to 1; any number if gains or discounts are negative, or discounts rise",
    equation: "nDCG@k = DCG@k / IDCG@k, IDCG@k = DCG@k of all positive gains in descending order",
    tex: r"\mathrm{nDCG}@k = \frac{\mathrm{DCG}@k}{\mathrm{IDCG}@k}",
    reference: "Järvelin & Kekäläinen 2002; ties: McSherry & Najork 2008, section 2.6",
    ..Info::DEFAULT
}
.built_by(|spec, scope| match spec.recall_base()? {
    RecallBase::Number(_) => Err(Error::Measure(format!(
        "{spec}: recall_base must be 'qrels' or 'ranking': an ideal ranking cannot be made from a number"
    ))),
    base => build(spec, scope, Some(base)),
});

fn build(spec: &Spec, scope: &Scope<'_>, ideal: Option<RecallBase>) -> Result<Box<dyn Measure>> {
    let depth = spec.cutoff_or(usize::MAX).min(scope.depth);
    let gains = Gains::new(Gain::new(spec, scope.grades)?, discounts(spec, depth)?, scope);
    Ok(Box::new(gains.over(ideal)))
}

/// Adds documents of one gain, rank by rank. So the sum has the same bits whether they are tied or not, and a perfect
/// ranking has the bits of the ideal one.
#[inline]
fn add(total: &mut f64, gain: f64, discounts: &[f64]) {
    for discount in discounts {
        *total += gain * discount;
    }
}

/// The DCG of ideal rankings of 0, 1, .. documents of one gain.
fn ideal_sums(gain: f64, discounts: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    let mut total = 0.0;
    for discount in discounts {
        total += gain * discount;
        sums.push(total);
    }
    sums
}

/// A sum of gains times discounts, perhaps normalised.
pub struct Gains {
    gain: Gain,
    /// The discounts D(1), D(2), ... up to the last rank that counts.
    discounts: Vec<f64>,
    ideal: Option<RecallBase>,
    /// Whether higher grades gain no less and later ranks no more, so that the order by grade is the best one.
    ordered: bool,
    gained_by_relevant_only: bool,
    /// The gains of the grades of the qrels, highest grade first.
    gains_of_qrels: Vec<f64>,
}

impl Gains {
    /// The plain sum.
    pub(crate) fn new(gain: Gain, discounts: Vec<f64>, scope: &Scope<'_>) -> Gains {
        let ordered = scope.grades.windows(2).all(|pair| gain.of(pair[0]) >= gain.of(pair[1]))
            && scope.grades.iter().all(|&grade| gain.of(grade) >= 0.0 && (grade > 0.0 || gain.of(grade) == 0.0))
            && discounts.windows(2).all(|pair| pair[0] >= pair[1])
            && discounts.last().is_none_or(|&last| last >= 0.0);
        let gained_by_relevant_only = scope.grades.iter().all(|&grade| grade > 0.0 || gain.of(grade) == 0.0);
        let gains_of_qrels = scope.grades.iter().map(|&grade| gain.of(grade)).collect();
        Gains { gain, discounts, ideal: None, ordered, gained_by_relevant_only, gains_of_qrels }
    }

    /// The plain sum, with gains by grade; other grades gain nothing.
    pub fn of_table(gains: Vec<(f64, f64)>, discounts: Vec<f64>, scope: &Scope<'_>) -> Gains {
        Gains::new(Gain::Table(gains), discounts, scope)
    }

    /// Divides the sum by that of an ideal ranking.
    pub(super) fn over(self, ideal: Option<RecallBase>) -> Gains {
        Gains { ideal, ..self }
    }

    /// The gain of a grade.
    pub(super) fn gain(&self, grade: f64) -> f64 {
        self.gain.of(grade)
    }

    /// The discounts at a group's positions within the cutoff.
    #[inline]
    fn discounts_of(&self, group: &Group<'_>) -> &[f64] {
        &self.discounts[group.start..group.start + group.slots(self.discounts.len())]
    }

    /// The sum of the gains of a group.
    #[inline]
    fn gains_of(&self, group: &Group<'_>) -> f64 {
        group.levels.iter().map(|level| f64::from(level.count) * self.gain.of(level.grade)).sum()
    }

    /// The gains that a group's documents have, and how many have each.
    fn kinds_of(&self, group: &Group<'_>) -> (Vec<f64>, Vec<usize>) {
        let mut kinds = vec![(0.0, group.unjudged())];
        for level in group.levels {
            let (gain, count) = (self.gain.of(level.grade), level.count as usize);
            match kinds.iter_mut().find(|(known, _)| *known == gain) {
                Some((_, known)) => *known += count,
                None => kinds.push((gain, count)),
            }
        }
        kinds.into_iter().filter(|&(_, count)| count > 0).unzip()
    }

    fn dcg(&self, ranking: &Ranking) -> f64 {
        let mut total = 0.0;
        for group in ranking.groups_to(self.discounts.len()) {
            let discounts = self.discounts_of(&group);
            match group.levels {
                [level] if group.size == 1 => total += self.gain.of(level.grade) * discounts[0],
                [level] if level.count as usize == group.size => add(&mut total, self.gain.of(level.grade), discounts),
                _ => {
                    let gain = self.gains_of(&group);
                    if gain != 0.0 {
                        total += gain / group.size as f64 * sum(discounts.len(), |i| discounts[i]);
                    }
                }
            }
        }
        total
    }

    /// The DCG of the ideal ranking; NaN if it gains nothing.
    fn norm(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        match self.ideal {
            Some(RecallBase::Ranking) => self.norm_of(ranking.levels()),
            _ => self.base(truth),
        }
    }

    /// The DCG of the ideal ranking of these documents.
    fn norm_of(&self, levels: &[Level]) -> f64 {
        let ideal = if self.ordered && self.ideal != Some(RecallBase::Ranking) {
            self.ideal_dcg(levels.iter().map(|level| (self.gain.of(level.grade), level.count)))
        } else {
            let mut gains: Vec<(f64, u32)> =
                levels.iter().map(|&Level { grade, count }| (self.gain.of(grade), count)).collect();
            gains.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            self.ideal_dcg(gains)
        };
        if ideal > 0.0 { ideal } else { f64::NAN }
    }

    /// The DCG of positive gains in descending order.
    pub fn ideal_dcg(&self, gains: impl IntoIterator<Item = (f64, u32)>) -> f64 {
        let mut rest = self.discounts.as_slice();
        let mut ideal = 0.0;
        for (gain, count) in gains.into_iter().take_while(|&(gain, _)| gain > 0.0) {
            let (here, later) = rest.split_at((count as usize).min(rest.len()));
            add(&mut ideal, gain, here);
            rest = later;
        }
        ideal
    }

    /// The variance of a group's part of the sum.
    fn variance_of(&self, group: &Group<'_>) -> f64 {
        if group.size == 1 {
            return 0.0;
        }
        let discounts = self.discounts_of(group);
        let beyond = (group.size - discounts.len()) as f64;
        let gains = group.levels.iter().map(|level| (self.gain.of(level.grade), f64::from(level.count)));
        let s_g = squared_deviations(gains.chain([(0.0, group.unjudged() as f64)]));
        let s_d = squared_deviations(discounts.iter().map(|&discount| (discount, 1.0)).chain([(0.0, beyond)]));
        s_g * s_d / (group.size as f64 - 1.0)
    }

    /// The smallest and largest part of a group, for any gains and discounts. They follow from the rearrangement
    /// inequality.
    fn extremes_of(&self, group: &Group<'_>) -> (f64, f64) {
        let mut gains = vec![0.0; group.unjudged()];
        for level in group.levels {
            gains.extend(std::iter::repeat_n(self.gain.of(level.grade), level.count as usize));
        }
        let mut discounts = self.discounts_of(group).to_vec();
        discounts.resize(group.size, 0.0);
        gains.sort_unstable_by(f64::total_cmp);
        discounts.sort_unstable_by(f64::total_cmp);
        let high = gains.iter().zip(&discounts).map(|(g, d)| g * d).sum();
        let low = gains.iter().rev().zip(&discounts).map(|(g, d)| g * d).sum();
        (low, high)
    }
}

impl Measure for Gains {
    fn reads_relevant_only(&self) -> bool {
        self.gained_by_relevant_only
    }

    fn reads_to(&self) -> usize {
        self.ideal.unwrap_or(RecallBase::Qrels).reads_to(self.discounts.len())
    }

    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.mean_on(self.base(truth), ranking, truth)
    }

    fn base(&self, truth: &Judgments<'_>) -> f64 {
        match self.ideal {
            None => 1.0,
            Some(RecallBase::Ranking) => f64::NAN, // not by the judgments
            Some(_) => self.norm_of(truth.levels),
        }
    }

    fn mean_on(&self, norm: f64, ranking: &Ranking, _truth: &Judgments<'_>) -> f64 {
        let by_ranking = self.ideal == Some(RecallBase::Ranking);
        self.dcg(ranking) / if by_ranking { self.norm_of(ranking.levels()) } else { norm }
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let groups = ranking.groups_to(self.discounts.len());
        groups.map(|group| self.variance_of(&group)).sum::<f64>() / self.norm(ranking, truth).powi(2)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        if self.ordered {
            return (self.mean(&orders.worst, truth), self.mean(&orders.best, truth));
        }
        let norm = self.norm(&orders.tied, truth);
        let groups = orders.tied.groups_to(self.discounts.len());
        let parts = groups.map(|group| self.extremes_of(&group));
        let (low, high) = parts.fold((0.0, 0.0), |(low, high), part| (low + part.0, high + part.1));
        (low / norm, high / norm)
    }

    fn expected(&self) -> Option<Box<dyn Measure>> {
        let Some(base) = self.ideal else {
            return Some(Box::new(LinearGain { gain: self.gain.clone(), weights: self.discounts.clone() }));
        };
        // Only grades above 0 may gain anything, and no less than lower ones.
        let mut gains: Vec<f64> = self.gains_of_qrels.iter().copied().filter(|&gain| gain > 0.0).collect();
        gains.dedup();
        if !self.ordered {
            return None;
        }
        if let [gain] = gains[..] {
            let (discounts, of) = (self.discounts.clone(), self.gain.clone());
            let ideals = ideal_sums(gain, &self.discounts);
            let weight = move |rank: usize| gain * discounts[rank - 1];
            let ideal = move |relevant: f64| match relevant as usize {
                0 => f64::NAN,
                relevant => ideals[relevant.min(ideals.len() - 1)],
            };
            let gaining = move |grade: f64| of.of(grade) > 0.0;
            return Some(Box::new(Counted::gaining(gaining, base, self.discounts.len(), weight, ideal)));
        }
        IdealGain::new(self.gain.clone(), gains, self.discounts.clone(), base == RecallBase::Ranking)
            .map(|measure| Box::new(measure) as Box<dyn Measure>)
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        if !self.ordered {
            return None;
        }
        let Some(ideal) = self.ideal else { return Some(bounds::monotone(self, open)) };
        let judged = |least: f64| {
            let levels = if ideal == RecallBase::Ranking { open.ranking.levels() } else { open.truth.levels };
            let levels = levels.iter().filter(|level| level.grade >= 0.0 && self.gain.of(level.grade) >= least);
            levels.map(|level| level.count as usize).sum()
        };
        let unretrieved = if ideal == RecallBase::Ranking { 0 } else { open.unretrieved };
        let open = Open { unretrieved, ..*open };
        Some(Thresholds::new(&open, |grade| self.gain.of(grade), &self.discounts, judged).bounds())
    }
}

impl TieDistribution for Gains {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, limits: Limits) -> Result<Option<Law>> {
        law::of_groups(ranking, self.discounts.len(), self.norm(ranking, truth), limits, |group| {
            let (gains, counts) = self.kinds_of(&group);
            let discounts = self.discounts_of(&group);
            Walk::new(counts, discounts.len(), move |above, _, kind| gains[kind] * discounts[above])
        })
    }
}
