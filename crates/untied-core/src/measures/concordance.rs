//! Pair concordance: the share of pairs of the truth that are ranked in the right order.
//!
//! A pair is two relevant documents of different grades. It is right if the one with the higher grade is retrieved, and
//! the other stands below it or is not retrieved. The share can break ties between rankings of equal ADR: moving the
//! better document of a pair up never lowers it, and exchanging the two raises it.
//!
//! A pair of tied documents is right in half of the orders. The variance in a tie group is the classical one of
//! Kendall's sum with ties in one ranking (Kendall 1945): with y the sum over its pairs of +1/2 (right) or -1/2, and
//! c_1, .. c_g documents of each grade, it is (n(n-1)(2n+5) - sum c(c-1)(2c+5)) / 18 / 4. Documents in no pair do not
//! count.
//!
//! If the truth is preferences between documents, the pairs are those of a document and another one that is preferred to
//! it, directly or by others in between. Two tied pairs that share their better or their worse document are both right in
//! 1/3 of the orders, and two in a chain in 1/6. So their covariance is 1/12 or -1/12, and 0 if they share no document.
//!
//! Bounds are over the grades of open documents (those without a judgment). Among the relevant ones, the better ones
//! stand higher if the value is highest, and lower if it is lowest: two that contradict this can be exchanged, which
//! makes no pair wrong (or right). Which of them are relevant is still open, because one of a middle grade that moved
//! up could pass better ones. So dynamic programming goes through the open documents from the top down, or from the
//! bottom up. Each is left out, or has the grade of the one before or a later grade. Of those before, only these
//! numbers matter: how many have better grades, how many have this grade, and how many of either are in the same tie
//! group. The quotient right / pairs is found by Dinkelbach's method: with a price on pairs, right - price * pairs is a
//! sum.

use std::collections::BTreeMap;

use super::bounds::groups::TruthGroup;
use super::bounds::{Bounds, Open, Resolution};
use super::orders::law::{self, Walk};
use super::orders::sampling;
use super::{Definition, Measure, TieDistribution};
use crate::error::Result;
use crate::grade::{Level, levels_from};
use crate::law::{Law, Limits};
use crate::names::{Info, JUDGED_ONLY, REL};
use crate::ranking::Ranking;
use crate::table::Judgments;
use crate::watch;

pub static PAIR_CONCORDANCE: Definition = Info {
    name: "PairConcordance",
    aliases: &["pair_concordance"],
    title: "share of pairs of different relevant grades that are ranked in the right order",
    parameters: &[REL, JUDGED_ONLY],
    equation: "PairConcordance = right pairs / pairs; a pair is right if its better document is retrieved and the \
        other one is below it or not retrieved",
    tex: r"\mathrm{PairConcordance} = \frac{\text{right pairs}}{\text{pairs of documents of different grades}}",
    reference: "untied's consistent tie-breaker for equal ADR; variance: Kendall 1945",
    reads_preferences: true,
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(Concordance { rel: spec.rel()? })));

struct Concordance {
    rel: f64,
}

/// The number of pairs of documents with different grades.
fn pairs(levels: &[Level]) -> f64 {
    let (mut pairs, mut higher) = (0.0, 0.0);
    for level in levels {
        pairs += higher * f64::from(level.count);
        higher += f64::from(level.count);
    }
    pairs
}

impl Concordance {
    fn relevant<'l>(&self, levels: &'l [Level]) -> &'l [Level] {
        levels_from(levels, self.rel)
    }

    /// All pairs; NaN if there is none.
    fn all(&self, truth: &Judgments<'_>) -> f64 {
        match pairs(self.relevant(truth.levels)) {
            0.0 => f64::NAN,
            pairs => pairs,
        }
    }
}

impl Concordance {
    /// The number of pairs that are right in every order, because their documents are not tied.
    fn certainly_right(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut left: Vec<Level> = self.relevant(truth.levels).to_vec();
        let mut right = 0.0;
        for group in ranking.groups() {
            for level in self.relevant(group.levels) {
                if let Some(of) = left.iter_mut().find(|of| of.grade == level.grade) {
                    of.count -= level.count;
                }
            }
            // All documents that were not yet visited, retrieved or not, are below.
            for level in self.relevant(group.levels) {
                let below = left.iter().filter(|of| of.grade < level.grade).map(|of| f64::from(of.count)).sum::<f64>();
                right += f64::from(level.count) * below;
            }
        }
        right
    }
}

impl Measure for Concordance {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        if let Some(preferred) = PreferredPairs::new(ranking, truth) {
            return preferred.mean();
        }
        let tied: f64 = ranking.groups().map(|group| pairs(self.relevant(group.levels))).sum();
        (self.certainly_right(ranking, truth) + tied / 2.0) / self.all(truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        if let Some(preferred) = PreferredPairs::new(ranking, truth) {
            return preferred.variance();
        }
        let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
        let mut total = 0.0;
        for group in ranking.groups() {
            let counts = self.relevant(group.levels).iter().map(|level| f64::from(level.count));
            let (n, ties) = counts.fold((0.0, 0.0), |(n, ties), count| (n + count, ties + term(count)));
            total += (term(n) - ties) / 72.0;
        }
        total / self.all(truth).powi(2)
    }
    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    fn bound_steps(&self, documents: usize) -> usize {
        documents.saturating_pow(3).saturating_mul(200)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let grades = TruthGroup::all(open, self.rel);
        let [low, high] = [false, true].map(|highest| PricedPairs::new(open, &grades, self.rel, highest).extreme());
        // Documents of one grade alone make no pair.
        let undefined = open.truth.levels.iter().filter(|level| level.grade >= self.rel && level.count > 0).count() < 2;
        Some(match (low, high) {
            (Some(low), Some(high)) => Bounds { low, high, undefined },
            _ => Bounds::UNDEFINED,
        })
    }
}

impl TieDistribution for Concordance {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, limits: Limits) -> Result<Option<Law>> {
        if let Some(preferred) = PreferredPairs::new(ranking, truth) {
            if preferred.tied == 0.0 {
                return Ok(Some(Law::certain(preferred.mean())));
            }
            return Ok(sampling::law(ranking, usize::MAX, |one| self.mean(one, truth)));
        }
        let tied = ranking.groups().filter(|group| self.relevant(group.levels).len() > 1).map(|group| {
            let counts: Vec<usize> = self.relevant(group.levels).iter().map(|level| level.count as usize).collect();
            let (of, size) = (counts.clone(), counts.iter().sum());
            let below = move |_: usize, placed: &[usize], kind: usize| {
                (kind + 1..of.len()).map(|lower| of[lower] - placed[lower]).sum::<usize>() as f64
            };
            law::of_chain(&mut Walk::new(counts, size, below), limits)
        });
        let certain = Law::certain(self.certainly_right(ranking, truth));
        law::over(tied.chain([Ok(Some(certain))]), self.all(truth), limits)
    }
}

/// The pairs of documents of which one is preferred to the other, in a ranking.
struct PreferredPairs {
    all: f64,
    /// How many are right in every order.
    right: f64,
    /// How many are of tied documents.
    tied: f64,
    /// The sum over documents of (tied pairs in which it is the better one - those in which it is the worse one)^2.
    squares: f64,
}

impl PreferredPairs {
    /// The pairs; none if the truth is not preferences.
    fn new(ranking: &Ranking, truth: &Judgments<'_>) -> Option<PreferredPairs> {
        if truth.profiles().is_empty() {
            return None;
        }
        let places = |level: &Level| truth.profile(level.grade).iter().map(|&(place, _)| place as usize);
        // For each document of the truth, by its place, the number of its tie group.
        let mut group_of = vec![usize::MAX; truth.levels.len()];
        for (number, group) in ranking.groups().enumerate() {
            for document in group.levels.iter().filter_map(|level| places(level).next()) {
                group_of[document] = number;
            }
        }
        let mut pairs = PreferredPairs { all: 0.0, right: 0.0, tied: 0.0, squares: 0.0 };
        let mut balance = vec![0.0_f64; group_of.len()];
        for level in truth.levels {
            let mut places = places(level);
            let Some(worse) = places.next() else { continue };
            for better in places {
                pairs.all += 1.0;
                if group_of[better] < group_of[worse] {
                    pairs.right += 1.0;
                } else if group_of[better] == group_of[worse] && group_of[worse] != usize::MAX {
                    pairs.tied += 1.0;
                    balance[better] += 1.0;
                    balance[worse] -= 1.0;
                }
            }
        }
        pairs.squares = balance.iter().map(|balance| balance * balance).sum();
        Some(pairs)
    }

    /// NaN if there are no pairs.
    fn mean(&self) -> f64 {
        (self.right + self.tied / 2.0) / self.all
    }

    /// Of each tied pair 1/4, and twice the covariances.
    fn variance(&self) -> f64 {
        (self.tied / 4.0 + (self.squares - 2.0 * self.tied) / 12.0) / self.all.powi(2)
    }
}

/// With more steps than this, exact bounds would take too long, and simpler ones are used.
const MOST_STEPS: usize = 20_000_000;

/// Open documents to which grades are assigned one after the other, from the best grade on.
struct PricedPairs {
    /// 1 to find the largest value, -1 to find the smallest.
    sign: f64,
    /// The pairs of judged documents.
    judged: PairCounts,
    /// The tie groups of open documents in the order in which they get grades.
    groups: Vec<OpenGroup>,
    /// For each grade, best first, whether open documents can have it.
    is_possible: Vec<bool>,
    /// Whether a pair of open documents is right if the better one comes first, and not in the same tie group.
    is_right: f64,
}

/// A number of pairs, and how many of them are right.
#[derive(Clone, Copy, Default)]
struct PairCounts {
    right: f64,
    all: f64,
}

/// Open documents of one tie group, or those that are not retrieved.
struct OpenGroup {
    count: usize,
    /// For each grade, the pairs with judged documents if one of these has that grade.
    with_judged: Vec<PairCounts>,
    /// How much of a pair of two of them is right.
    within: f64,
}

/// The open documents that have a grade so far: the index of the last grade, how many have a better one and how many
/// have this one, and how many of either are in the current tie group.
type GradedSoFar = (usize, [usize; 2], [usize; 2]);

impl PricedPairs {
    fn new(open: &Open<'_>, grades: &[TruthGroup], rel: f64, highest: bool) -> PricedPairs {
        let within = match open.resolution {
            Resolution::Mean => 0.5,
            Resolution::Best => 1.0,
            Resolution::Worst => 0.0,
        };
        let count_of = |levels: &[Level], grade: f64| {
            levels.iter().find(|level| level.grade == grade).map_or(0.0, |level| f64::from(level.count))
        };
        let counts = |levels: &[Level]| -> Vec<f64> { grades.iter().map(|of| count_of(levels, of.grade)).collect() };
        let all = counts(open.truth.levels);
        let mut judged = PairCounts { right: 0.0, all: pairs(levels_from(open.truth.levels, rel)) };
        let mut above = vec![0.0; grades.len()];
        // The judged documents of grade j below a group, and a share of those in it.
        let below = |above: &[f64], tied: &[f64], j: usize| all[j] - above[j] - (1.0 - within) * tied[j];
        // The pairs of a document of each grade with all judged ones, of which some stand above and some are tied.
        let pairs_of = |above: &[f64], tied: &[f64], is_retrieved: bool| -> Vec<PairCounts> {
            let pairs_of_grade = |grade: usize| {
                let better: f64 = (0..grade).map(|j| above[j] + within * tied[j]).sum();
                let worse = (grade + 1..all.len()).map(|j| below(above, tied, j));
                let worse: f64 = if is_retrieved { worse.sum() } else { 0.0 };
                PairCounts { right: better + worse, all: all.iter().sum::<f64>() - all[grade] }
            };
            (0..all.len()).map(pairs_of_grade).collect()
        };
        let mut groups = Vec::new();
        for group in open.ranking.groups() {
            let tied = counts(levels_from(group.levels, rel));
            let with_judged = pairs_of(&above, &tied, true);
            // Each pair of two judged documents is counted with its better one.
            for (grade, &count) in tied.iter().enumerate() {
                let worse = (grade + 1..all.len()).map(|j| below(&above, &tied, j));
                judged.right += count * worse.sum::<f64>();
            }
            above.iter_mut().zip(&tied).for_each(|(above, tied)| *above += tied);
            groups.push(OpenGroup { count: group.size - group.relevant(0.0), with_judged, within });
        }
        let with_judged = pairs_of(&above, &vec![0.0; grades.len()], false);
        groups.push(OpenGroup { count: open.unretrieved, with_judged, within: 0.0 });
        groups.retain(|group| group.count > 0);
        if !highest {
            groups.reverse();
        }
        PricedPairs {
            sign: if highest { 1.0 } else { -1.0 },
            judged,
            groups,
            is_possible: grades.iter().map(|grade| grade.is_possible).collect(),
            is_right: f64::from(u8::from(highest)),
        }
    }

    /// The largest or the smallest share of right pairs; none if there never is a pair.
    fn extreme(&self) -> Option<f64> {
        let (mut price, mut left) = (if self.sign > 0.0 { 0.0 } else { 1.0 }, MOST_STEPS);
        loop {
            match self.best(price, &mut left) {
                Err(()) => return Some(if self.sign > 0.0 { 1.0 } else { 0.0 }),
                Ok(None) => return None,
                Ok(Some(pairs)) => {
                    let share = pairs.right / pairs.all;
                    if self.sign * (share - price) <= 0.0 {
                        return Some(price);
                    }
                    price = share;
                }
            }
        }
    }

    /// The pairs, at least one, of which right - price * all is best; an error where that takes too many steps.
    fn best(&self, price: f64, left: &mut usize) -> std::result::Result<Option<PairCounts>, ()> {
        let worth = |pairs: &PairCounts| self.sign * (pairs.right - price * pairs.all);
        let mut states: BTreeMap<GradedSoFar, PairCounts> = BTreeMap::from([((0, [0; 2], [0; 2]), self.judged)]);
        for group in &self.groups {
            states =
                kept(states.into_iter().map(|((grade, counts, _), pairs)| ((grade, counts, [0; 2]), pairs)), &worth);
            for _ in 0..group.count {
                let mut next = Vec::with_capacity(2 * states.len());
                for (&assigned, &pairs) in &states {
                    next.push((assigned, pairs));
                    for grade in (assigned.0..self.is_possible.len()).filter(|&grade| self.is_possible[grade]) {
                        next.push(self.with_one(assigned, pairs, grade, group));
                    }
                }
                *left = left.checked_sub(next.len()).ok_or(())?;
                if watch::is_stopped() {
                    return Err(());
                }
                states = kept(next.into_iter(), &worth);
            }
        }
        let pairs = states.into_values().filter(|pairs| pairs.all > 0.0);
        Ok(pairs.max_by(|one, other| worth(one).total_cmp(&worth(other))))
    }

    /// What has got a grade, and the pairs, with one more document of a group and this grade.
    fn with_one(
        &self,
        (last, counts, tied): GradedSoFar,
        pairs: PairCounts,
        grade: usize,
        group: &OpenGroup,
    ) -> (GradedSoFar, PairCounts) {
        let passed = |[better, same]: [usize; 2]| if grade == last { [better, same] } else { [better + same, 0] };
        let ([better, same], [tied_better, tied_same]) = (passed(counts), passed(tied));
        let PairCounts { right, all } = group.with_judged[grade];
        let right = right + self.is_right * (better - tied_better) as f64 + group.within * tied_better as f64;
        let pairs = PairCounts { right: pairs.right + right, all: pairs.all + all + better as f64 };
        ((grade, [better, same + 1], [tied_better, tied_same + 1]), pairs)
    }
}

/// The best pairs for each state.
fn kept(
    states: impl Iterator<Item = (GradedSoFar, PairCounts)>,
    worth: &impl Fn(&PairCounts) -> f64,
) -> BTreeMap<GradedSoFar, PairCounts> {
    let mut kept: BTreeMap<GradedSoFar, PairCounts> = BTreeMap::new();
    for (assigned, pairs) in states {
        kept.entry(assigned)
            .and_modify(|best| *best = if worth(&pairs) > worth(best) { pairs } else { *best })
            .or_insert(pairs);
    }
    kept
}
