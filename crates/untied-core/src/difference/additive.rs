//! Sums of gains times discounts: P, Hits, DCG, nDCG, RBP, INSQ, SDCG, U, R and F1.
//!
//! The weight of a document is w = D(a) - D(b): the discount of its rank in A, minus the discount of its rank in B. For
//! the mean over tie orders, a rank has the mean discount of its tie group, and everything else stays the same. In U,
//! the discount depends on the text before a document. If A is in its best order and B in its worst, [`TieGroups`] has
//! the gains instead.
//!
//! The sum is divided by a norm. For MED and Delta, the norm is constant, except in R and F1. For verdicts, it is
//! constant in P, Hits, RBP and DCG; in R and F1, it grows with the number of relevant documents; and in nDCG, it is
//! the best possible sum. If this norm depends on several grades, tie groups are solved for each grade separately,
//! which only encloses the difference.
//!
//! With h relevant documents among the first k, and R relevant documents in all, R@k = h / R and
//! F1@k = h / ((k + R) / 2). Let l be the largest difference. Then the sum minus l times the norm is at most 0, and it
//! is 0 for the best choice of relevant documents (Dinkelbach 1967). So the relevant documents are those with a weight
//! above some threshold, and it is enough to try every number of them.

use std::collections::BTreeSet;

use super::assignment::Assignment;
use super::layout::{DifferenceWorkspace, Scale, discounts_by_rank};
use super::pair::{RankingPair, TieOrders};
use super::setup::{Question, Setup};
use super::solution::{
    Chance, Difference, DifferenceRange, LargestDifference, Outcomes, ScoreSampler, in_both, weighed_documents,
};
use super::solve::expected::{self, DifferenceMoments, DifferenceTerm};
use super::solve::scores::ScoresByGains;
use super::solve::shares::{SortedWeights, shares};
use super::solve::thresholds::{GradeThresholds, STEPS};
use super::solve::{Solution, dot, share};
use super::tie_groups::TieGroups;
use super::upper_bounds::UpperBounds;
use crate::elementary::powf;
use crate::error::{Error, Result};
use crate::measures::Certainty;
use crate::measures::cwl::fixed::{self, WeightedGains};
use crate::measures::gain::{Gain, discounts};
use crate::measures::u_measure::UMeasure;
use crate::ranking::Placed;

/// The difference in a sum with a constant norm, for MED and Delta.
pub(super) struct Additive {
    scale: Scale,
    /// The discounts of the ranks, down to the end of the longest ranking.
    discounts: Vec<f64>,
    /// Whether the sum is divided by that of the ideal ranking, which has the highest gain at every rank.
    normalised: bool,
    /// The persistence p of RBP without a cutoff. All documents below rank K together have the discount p^K.
    persistence: Option<f64>,
    /// Whether documents below the rankings may add to the difference.
    tail: bool,
    /// How many documents may have each of the grades 1, 2, ..., if this is limited.
    per_grade: Option<Vec<usize>>,
    /// The order of tied documents that scores are for.
    ties: TieOrders,
    /// For U: how to compute the discount of a document from the text before it. It replaces `discounts`.
    texts: Option<UMeasure>,
}

impl Additive {
    /// A sum of gains times these discounts, without a norm.
    pub fn new(scale: Scale, discounts: Vec<f64>) -> Additive {
        Additive {
            scale,
            discounts,
            normalised: false,
            persistence: None,
            tail: false,
            per_grade: None,
            ties: TieOrders::Mean,
            texts: None,
        }
    }

    fn with(self, setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
        let options = setup.options;
        let (tail, ties) = (options.tail, options.ties);
        let per_grade = options.per_grade.map(|most| self.whole_grades().map(|grade| most.of(grade)).collect());
        Ok(Box::new(Additive { tail, per_grade, ties, ..self }))
    }
}

pub(super) fn precision(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let depth = setup.depth();
    match setup.question {
        Question::Med => Additive::new(setup.binary()?, vec![1.0 / depth as f64; depth]).with(setup),
        Question::Verdicts { .. } => MovingAdditive::counting(setup, Normaliser::Fixed(setup.spec.cutoff_or(1) as f64)),
    }
}

/// The difference in Hits, the number of relevant documents down to the cutoff.
pub(super) fn hits(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let Question::Med = setup.question else { return MovingAdditive::counting(setup, Normaliser::Fixed(1.0)) };
    Additive::new(setup.scale(Gain::From(setup.spec.rel()?), setup.highest()), vec![1.0; setup.depth()]).with(setup)
}

pub(super) fn insq(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    weighted(setup, fixed::insq(setup.spec)?)
}

pub(super) fn sdcg(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    weighted(setup, fixed::sdcg(setup.spec)?)
}

fn weighted(setup: &Setup<'_>, WeightedGains { gain, mut weights }: WeightedGains) -> Result<Box<dyn Difference>> {
    weights.resize(setup.depth(), 0.0); // what is below the last rank that counts weighs nothing
    Additive::new(setup.scale(gain, setup.highest()), weights).with(setup)
}

pub(super) fn u_measure(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let texts = Some(UMeasure::new(setup.spec, setup.scope)?);
    Additive { texts, ..Additive::new(setup.binary()?, Vec::new()) }.with(setup)
}

pub(super) fn dcg(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    match setup.question {
        Question::Med => Additive::new(setup.graded()?, of_ranks(setup)?).with(setup),
        Question::Verdicts { possible } => {
            let (scale, discounts) = (setup.graded()?, discounts(setup.spec, setup.depth())?);
            MovingAdditive::graded(setup, possible, scale, discounts, Normaliser::Fixed(1.0))
        }
    }
}

pub(super) fn ndcg(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let Question::Verdicts { possible } = setup.question else {
        let discounts = of_ranks(setup)?;
        return Additive { normalised: true, ..Additive::new(setup.graded()?, discounts) }.with(setup);
    };
    // The ideal ranking also has relevant documents that neither ranking retrieves.
    let all = discounts(setup.spec, setup.depth())?;
    if all.first().is_some_and(|&first| first <= 0.0) || all.iter().any(|&discount| discount < 0.0) {
        let message = format!("{}: verdicts need discounts of at least 0, and a first discount above 0", setup.spec);
        return Err(Error::Measure(message));
    }
    let sums = all.iter().scan(0.0, |sum, discount| {
        *sum += discount;
        Some(*sum)
    });
    let ideal = std::iter::once(0.0).chain(sums).collect();
    MovingAdditive::graded(setup, possible, setup.graded()?, all, Normaliser::Ideal(ideal))
}

fn of_ranks(setup: &Setup<'_>) -> Result<Vec<f64>> {
    let mut discounts = discounts(setup.spec, setup.depth())?;
    discounts.resize(setup.depth(), 0.0); // a list may be shorter
    Ok(discounts)
}

/// The persistence of RBP, and its discounts down to a depth.
fn persistence(setup: &Setup<'_>, depth: usize) -> Result<(f64, Vec<f64>)> {
    let p = setup.spec.number("p", 0.8, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
    Ok((p, (0..depth).map(|i| (1.0 - p) * powf(p, i as f64)).collect()))
}

pub(super) fn rank_biased_precision(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let (p, discounts) = persistence(setup, setup.depth())?;
    let most = setup.max_grade(f64::NAN)?;
    let is_binary = most.is_nan();
    let scale = if is_binary { setup.binary()? } else { setup.scale(Gain::ShareOf(most), most) };
    match setup.question {
        Question::Med => {
            let persistence = Some(p).filter(|_| scale.cutoff.is_none());
            Additive { persistence, ..Additive::new(scale, discounts) }.with(setup)
        }
        Question::Verdicts { .. } if is_binary => MovingAdditive::binary(setup, discounts, Normaliser::Fixed(1.0)),
        Question::Verdicts { possible } => {
            MovingAdditive::graded(setup, possible, scale, discounts, Normaliser::Fixed(1.0))
        }
    }
}

impl Additive {
    /// The discounts of the ranks of this pair.
    fn discounts(&self, pair: &RankingPair<'_>) -> &[f64] {
        &self.discounts[..self.scale.depth_of(pair)]
    }

    /// Writes each document's discounts in A and in B to the workspace. Returns whether they are exact.
    fn weigh(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> Certainty {
        let Some(texts) = &self.texts else {
            self.scale.weigh(pair, self.discounts(pair), work);
            return Certainty::Exact;
        };
        let DifferenceWorkspace { weights, discounts: (of_a, of_b), .. } = work;
        let mut are_exact = true;
        for (list, worths) in [(pair.a, &mut *of_a), (pair.b, &mut *of_b)] {
            let lengths: Vec<f64> = list.docs.iter().map(|&i| pair.facts.lengths[i as usize].length).collect();
            let starts = std::iter::once(0).chain(list.ends.iter().map(|&end| end as usize));
            let groups = starts.zip(&list.ends).map(|(start, &end)| &lengths[start..end as usize]);
            are_exact &= texts.worths(groups, worths);
        }
        self.scale.weigh_by(pair, (of_a, of_b), weights);
        if are_exact { Certainty::Exact } else { Certainty::Estimate }
    }

    /// The gain of each of the grades 1, 2, ..., and how many documents may have it. If `open`, the limits are about
    /// unknown documents only; otherwise judged ones count, too.
    fn grades(&self, pair: &RankingPair<'_>, most: &[usize], open: bool) -> Vec<dot::GradeLimit> {
        let judged = |grade: f64| {
            let levels = pair.facts.levels.iter().filter(|level| level.grade == grade);
            levels.map(|level| level.count as usize).sum::<usize>()
        };
        let limit = |(grade, &most): (f64, &usize)| dot::GradeLimit {
            gain: self.scale.gain.of(grade),
            most: if open { most.saturating_sub(judged(grade)) } else { most.max(judged(grade)) },
        };
        self.whole_grades().zip(most).map(limit).collect()
    }

    fn whole_grades(&self) -> impl Iterator<Item = f64> + use<> {
        (1..=self.scale.max_grade as usize).map(|grade| grade as f64)
    }

    /// The norm: the ideal DCG for nDCG (unless it is 0), and else 1.
    fn norm(&self, pair: &RankingPair<'_>) -> f64 {
        if !self.normalised {
            return 1.0;
        }
        let discounts = self.discounts(pair);
        let ideal = match &self.per_grade {
            None => self.scale.top * discounts.iter().sum::<f64>(),
            Some(most) => dot::ideal(discounts, &self.grades(pair, most, false)),
        };
        if ideal > 0.0 { ideal } else { 1.0 }
    }

    /// The largest difference with A in its best order and B in its worst, before it is divided by the norm; and the
    /// unknown documents that are relevant then.
    fn best_orders(&self, pair: &RankingPair<'_>) -> (f64, Vec<u32>) {
        let (discounts, top) = (self.discounts(pair), self.scale.top);
        let groups = TieGroups::new(pair, discounts, |grade| self.scale.gain.of(grade), top);
        let filling = if self.scale.fills { &discounts[pair.a.len().min(discounts.len())..] } else { &[] };
        let positive: Vec<f64> = groups.gains().filter(|&gain| gain > 0.0).collect();
        let value = groups.known + positive.iter().sum::<f64>() + top * filling.iter().map(|d| d.max(0.0)).sum::<f64>();
        (value, groups.best(positive.len()).flatten().collect())
    }

    /// What each document adds to the difference, and how probable that is; and whether these are exact.
    fn terms(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (Vec<DifferenceTerm>, Certainty) {
        let sure = self.weigh(pair, work);
        let places = pair.places.iter().zip(&work.weights.documents);
        let term =
            |(place, x): (&Placed, &dot::WeightedDocument)| DifferenceTerm::new(x, work.weights.top, chance(place));
        (places.map(term).collect(), sure)
    }
}

impl Difference for Additive {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, most: usize, work: &mut DifferenceWorkspace) -> LargestDifference {
        let numbers: Vec<u32> = pair.places.iter().map(|place| place.document).collect();
        let norm = self.norm(pair);
        if self.ties.are_best_and_worst(pair) {
            let (sum, mut relevant) = self.best_orders(pair);
            relevant.sort_unstable();
            let gain = |number: &u32| if relevant.binary_search(number).is_ok() { self.scale.top } else { 0.0 };
            let gains = self.scale.with_filling(pair, numbers.iter().map(gain).collect());
            let assignment = self.scale.assignment(pair, sum / norm, &numbers, &self.scale.grades(gains));
            return LargestDifference::exact(assignment);
        }
        self.weigh(pair, work);
        let weights = &mut work.weights;
        // The documents that fill A are listed with the others, so that they get a grade, too.
        let lacking = std::mem::take(&mut weights.lacking.0);
        weights.documents.extend(lacking.iter().map(|&a| dot::WeightedDocument { a, b: 0.0, known: None }));
        let (value, grades): (f64, Vec<f64>) = match &self.per_grade {
            None => {
                let Solution { value, gains, .. } = dot::solve_with(weights, most);
                (value, self.scale.grades(gains))
            }
            Some(most) => {
                let Solution { value, gains, .. } = dot::solve_limited(weights, &self.grades(pair, most, true));
                let grade = |gain: f64| self.whole_grades().find(|&grade| self.scale.gain.of(grade) == gain);
                let grade = |&gain: &f64| if gain <= 0.0 { 0.0 } else { grade(gain).unwrap_or(self.scale.max_grade) };
                (value, gains.iter().map(grade).collect())
            }
        };
        LargestDifference::exact(self.scale.assignment(pair, value / norm, &numbers, &grades))
    }

    /// The bounds of U, the only one of these measures whose verdicts are solved here. Every unknown document adds its
    /// weight, so those with the largest weights come first.
    fn upper_bounds(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> UpperBounds {
        if self.weigh(pair, work) == Certainty::Exact {
            return UpperBounds::exact(dot::largest_by_count(&work.weights));
        }
        // The weights are estimates, so A has what all documents that may be relevant can be worth, and B has nothing.
        let gains = |grade: f64| grade.is_nan() || self.scale.gain.of(grade) > 0.0;
        let may_gain = pair.documents().filter(|&(place, grade)| place.a > 0 && gains(grade));
        let most = self.texts.as_ref().map_or(f64::INFINITY, UMeasure::most_of_document);
        UpperBounds::outer(vec![self.scale.top * most * may_gain.count() as f64])
    }

    fn extent(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        directions: (bool, bool),
    ) -> DifferenceRange {
        // The largest differences of both directions.
        let (norm, mut sure) = (self.norm(pair), Certainty::Exact);
        let mut extent = DifferenceRange::exact(if self.ties.are_best_and_worst(pair) {
            let mut places = Vec::new();
            let swapped = pair.swapped(&mut places);
            let solve = |pair: &mut &RankingPair<'_>| {
                let value = self.best_orders(pair).0 / norm;
                (value, value)
            };
            in_both(directions, &mut { pair }, solve, |pair| *pair = &swapped)
        } else {
            sure = self.weigh(pair, work);
            let solve = |weights: &mut dot::WeightedPair| {
                let value = match &self.per_grade {
                    None => dot::largest(weights),
                    Some(most) => dot::solve_limited(weights, &self.grades(pair, most, true)).value,
                };
                (value / norm, value / norm)
            };
            in_both(directions, &mut work.weights, solve, dot::WeightedPair::swap)
        });
        extent.sure = sure;
        // RBP without a cutoff: documents below the end of a ranking could add this much to it.
        if let Some(p) = self.persistence {
            let below = |length: usize| self.scale.top * powf(p, length as f64);
            extent.unseen = (below(pair.a.len()), below(pair.b.len()));
        }
        if self.tail {
            let (of_a, of_b) = std::mem::take(&mut extent.unseen);
            extent.up = (extent.up.0 + of_a, extent.up.1 + of_a);
            extent.down = (extent.down.0 + of_b, extent.down.1 + of_b);
        }
        extent
    }

    fn moments(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (DifferenceMoments, Certainty) {
        let (terms, sure) = self.terms(pair, work, chance);
        (expected::dot(&terms).divided(self.norm(pair)), sure)
    }

    fn outcomes(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
        (points, _): (usize, u64),
    ) -> Option<Outcomes> {
        Some(Outcomes::of_terms(&self.terms(pair, work, chance).0, self.norm(pair), points))
    }
}

/// What a sum of gains times discounts is divided by.
enum Normaliser {
    /// A constant.
    Fixed(f64),
    /// The number R of relevant documents.
    Relevant,
    /// The mean of R and this cutoff.
    MeanWithCutoff(usize),
    /// The sum of the ideal ranking. The list has the sum of the first n discounts, for n = 0, 1, 2, ... relevant
    /// documents.
    Ideal(Vec<f64>),
}

/// The difference in a sum whose norm may depend on the judgments: for verdicts, and in R and F1 also for MED and
/// Delta.
struct MovingAdditive {
    scale: Scale,
    /// Whether unknown documents at every rank count, as for verdicts. Otherwise, only ranks with a discount do.
    counts_all: bool,
    /// The order of tied documents that scores are for.
    ties: TieOrders,
    /// The possible grades of an unknown document with a gain above 0, and their gains, lowest gain first.
    levels: Vec<(f64, f64)>,
    /// The discounts of the ranks.
    discounts: Vec<f64>,
    norm: Normaliser,
}

impl MovingAdditive {
    fn boxed(
        setup: &Setup<'_>,
        scale: Scale,
        levels: Vec<(f64, f64)>,
        discounts: Vec<f64>,
        norm: Normaliser,
    ) -> Box<dyn Difference> {
        let counts_all = matches!(setup.question, Question::Verdicts { .. });
        Box::new(MovingAdditive { scale, counts_all, ties: setup.options.ties, levels, discounts, norm })
    }

    fn binary(setup: &Setup<'_>, discounts: Vec<f64>, norm: Normaliser) -> Result<Box<dyn Difference>> {
        let scale = setup.binary()?;
        let levels = vec![(scale.max_grade, 1.0)];
        Ok(MovingAdditive::boxed(setup, scale, levels, discounts, norm))
    }

    /// The difference in the number of relevant documents down to the cutoff, divided by a norm.
    fn counting(setup: &Setup<'_>, norm: Normaliser) -> Result<Box<dyn Difference>> {
        MovingAdditive::binary(setup, vec![1.0; setup.depth()], norm)
    }

    fn graded(
        setup: &Setup<'_>,
        possible: &[f64],
        scale: Scale,
        discounts: Vec<f64>,
        norm: Normaliser,
    ) -> Result<Box<dyn Difference>> {
        // The bounds hold only if no gain is negative and grade 0 gains nothing.
        let gain = &scale.gain;
        let known = setup.scope.grades.iter().filter(|&&grade| grade >= 0.0);
        if let Some(grade) =
            known.clone().chain([&0.0]).find(|&&grade| gain.of(grade) < 0.0 || grade == 0.0 && gain.of(0.0) > 0.0)
        {
            let (spec, gain) = (setup.spec, gain.of(*grade));
            return Err(Error::Measure(format!(
                "{spec}: verdicts need a gain of 0 for grade 0, and no negative gain; the gain of grade {grade} is {gain}"
            )));
        }
        let mut levels: Vec<(f64, f64)> = possible.iter().map(|&grade| (grade, gain.of(grade))).collect();
        levels.retain(|&(_, gain)| gain > 0.0);
        levels.sort_by(|x, y| x.1.total_cmp(&y.1));
        levels.dedup_by(|next, last| next.1 == last.1);
        if levels.is_empty() {
            return Err(Error::Measure(format!("{}: no document could gain anything", setup.spec)));
        }
        Ok(MovingAdditive::boxed(setup, scale, levels, discounts, norm))
    }
}

pub(super) fn recall(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    MovingAdditive::counting(setup, Normaliser::Relevant)
}

pub(super) fn f1(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    MovingAdditive::counting(setup, Normaliser::MeanWithCutoff(setup.spec.cutoff_or(1)))
}

/// The weights of one query's documents: discounts in A minus discounts in B.
struct QueryWeights {
    /// The sum of gains times weights of the judged documents.
    known: f64,
    /// The weights of the unknown documents.
    weights: SortedWeights,
    /// For each level of gain, the weights of unknown documents with at least this gain. Empty if they are the same for
    /// all levels.
    by_level: Vec<SortedWeights>,
}

impl MovingAdditive {
    /// Every document that counts, with its grade (NaN if unknown) and its weight. The documents that fill A come
    /// first.
    fn weigh<'w>(&self, pair: &RankingPair<'w>) -> Vec<(Option<&'w Placed>, f64, f64)> {
        let may_gain = self.counts_all || self.scale.top > 0.0;
        let (mut memory_a, mut memory_b) = (Vec::new(), Vec::new());
        let a = discounts_by_rank(&self.discounts, pair.a, &mut memory_a);
        let b = discounts_by_rank(&self.discounts, pair.b, &mut memory_b);
        let at = |discounts: &[f64], rank: u32| discounts.get((rank as usize).wrapping_sub(1)).copied().unwrap_or(0.0);
        let own = pair.documents().filter_map(|(place, grade)| {
            let (a, b) = (at(a, place.a), at(b, place.b));
            let counts = self.counts_all || a > 0.0 || b > 0.0;
            let grade = if grade.is_nan() && !may_gain { 0.0 } else { grade };
            counts.then_some((Some(place), grade, a - b))
        });
        let from = if self.scale.fills && may_gain { pair.a.len() } else { usize::MAX };
        let fillers = self.discounts.iter().skip(from).map(|&discount| (None, f64::NAN, discount));
        fillers.chain(own).collect()
    }

    /// The weights of a pair's documents, or of its tie groups if A is in its best order and B in its worst.
    fn parts(&self, pair: &RankingPair<'_>) -> QueryWeights {
        if self.ties.are_best_and_worst(pair) {
            return self.tie_group_weights(pair);
        }
        let mut known = 0.0;
        let weights = self.weigh(pair).into_iter().filter_map(|(_, grade, weight)| {
            if grade.is_nan() {
                return Some(weight);
            }
            known += self.scale.gain.of(grade) * weight;
            None
        });
        let weights = SortedWeights::new(weights, pair.facts.unretrieved);
        QueryWeights { known, weights, by_level: Vec::new() }
    }

    fn tie_groups(&self, pair: &RankingPair<'_>) -> TieGroups {
        TieGroups::new(pair, &self.discounts, |grade| self.scale.gain.of(grade), self.top())
    }

    fn tie_group_weights(&self, pair: &RankingPair<'_>) -> QueryWeights {
        let all = self.tie_groups(pair);
        let of_level = |&(_, least): &(f64, f64)| {
            let reaches = |grade: f64| f64::from(u8::from(self.scale.gain.of(grade) >= least));
            SortedWeights::new(TieGroups::new(pair, &self.discounts, reaches, 1.0).gains(), 0)
        };
        let by_level = if self.has_thresholds() { self.levels.iter().map(of_level).collect() } else { Vec::new() };
        let weights = SortedWeights::new(all.gains().map(|gain| gain / self.top()), 0);
        QueryWeights { known: all.known, weights, by_level }
    }

    /// Whether the norm depends on the grades of relevant documents, and not only on their number.
    fn has_thresholds(&self) -> bool {
        matches!(self.norm, Normaliser::Ideal(_)) && self.levels.len() > 1
    }

    /// The highest gain of an unknown document.
    fn top(&self) -> f64 {
        self.levels[self.levels.len() - 1].1
    }

    /// The number of judged documents that gain at least `least`.
    fn judged(&self, pair: &RankingPair<'_>, least: f64) -> usize {
        let judged =
            pair.facts.levels.iter().filter(|level| level.grade >= 0.0 && self.scale.gain.of(level.grade) >= least);
        judged.map(|level| level.count as usize).sum()
    }

    /// The norm for this number of relevant documents, if all have the same gain. The ideal sum is divided by this
    /// gain.
    fn norm(&self, relevant: usize) -> f64 {
        match &self.norm {
            Normaliser::Fixed(norm) => *norm,
            Normaliser::Relevant => relevant as f64,
            Normaliser::MeanWithCutoff(cutoff) => (*cutoff + relevant) as f64 / 2.0,
            Normaliser::Ideal(sums) => sums[relevant.min(sums.len() - 1)],
        }
    }

    /// The grades at which the norm changes, if it depends on grades.
    fn thresholds(
        &self,
        pair: &RankingPair<'_>,
        QueryWeights { known, weights, by_level }: &QueryWeights,
    ) -> Option<GradeThresholds<'_>> {
        let Normaliser::Ideal(ideal) = &self.norm else { return None };
        if !self.has_thresholds() {
            return None;
        }
        let below = std::iter::once(0.0).chain(self.levels.iter().map(|&(_, gain)| gain));
        let steps = self.levels.iter().zip(below).map(|(&(_, gain), below)| (gain - below, self.judged(pair, gain)));
        let levels = if by_level.is_empty() { std::slice::from_ref(weights) } else { by_level };
        let sums = levels.iter().map(|weights| weights.sums(0.0).collect()).collect();
        Some(GradeThresholds { known: *known, sums, ideal, steps: steps.collect() })
    }

    /// The largest difference with exactly 0, 1, 2, ... relevant unknown documents, if all of these have the highest
    /// gain.
    fn by_number(&self, pair: &RankingPair<'_>, parts: &QueryWeights) -> impl Iterator<Item = f64> {
        let (top, relevant) = (self.top(), self.judged(pair, f64::MIN_POSITIVE));
        shares(parts.known / top, &parts.weights, move |m| self.norm(relevant + m)).map(move |share| match self.norm {
            Normaliser::Ideal(_) => share,
            _ => share * top,
        })
    }

    /// Upper bounds of the difference, by the number of relevant unknown documents.
    fn largest(&self, pair: &RankingPair<'_>, parts: &QueryWeights) -> UpperBounds {
        let Some(thresholds) = self.thresholds(pair, parts) else {
            return UpperBounds::of_exact_counts(self.by_number(pair, parts));
        };
        let bounds = thresholds.upper_bounds();
        if !parts.by_level.is_empty() {
            return UpperBounds::outer(bounds);
        }
        if pair.unknown() <= STEPS {
            return UpperBounds::exact(bounds);
        }
        UpperBounds::partly(bounds, Some(pair.unknown()), (0..=STEPS).collect())
    }

    /// An assignment for MED, with the grades of all unknown documents, from one with the relevant documents only.
    fn filled_assignment(&self, pair: &RankingPair<'_>, relevant: Assignment) -> Assignment {
        let counted = self.weigh(pair).into_iter().filter_map(|(place, ..)| place);
        let numbers: Vec<u32> = counted.map(|place| place.document).collect();
        let relevant_numbers: BTreeSet<u32> = relevant.grades.iter().map(|&(document, _)| document).collect();
        let gain = |number: &u32| if relevant_numbers.contains(number) { self.scale.top } else { 0.0 };
        let gains = self.scale.with_filling(pair, numbers.iter().map(gain).collect());
        self.scale.assignment(pair, relevant.difference, &numbers, &self.scale.grades(gains))
    }
}

impl Difference for MovingAdditive {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, most: usize, _: &mut DifferenceWorkspace) -> LargestDifference {
        let parts = self.parts(pair);
        // If the difference is only enclosed, the only known assignment is the one without relevant unknown documents.
        let is_enclosed = !parts.by_level.is_empty();
        let bound = is_enclosed.then(|| self.largest(pair, &parts).at_most(most));
        let most = if is_enclosed { 0 } else { most };
        // The largest difference, and how many unknown documents have each level of gain or a higher one.
        let (value, sizes) = match self.thresholds(pair, &parts) {
            Some(thresholds) => thresholds.largest(most.min(pair.unknown()), vec![0; self.levels.len()]),
            None => {
                let first = |(best, at), (m, value)| if value > best { (value, m) } else { (best, at) };
                let (value, m) = self
                    .by_number(pair, &parts)
                    .take(most.saturating_add(1))
                    .enumerate()
                    .fold((f64::NEG_INFINITY, 0), first);
                (value, [vec![0; self.levels.len() - 1], vec![m]].concat())
            }
        };
        let bound = bound.unwrap_or(value);
        if self.ties.are_best_and_worst(pair) {
            let (highest, _) = self.levels[sizes.len() - 1];
            let relevant = self.tie_groups(pair).best(sizes[sizes.len() - 1]);
            return LargestDifference::within(bound, Assignment::of_grade(value, highest, relevant));
        }
        // Unknown documents by falling weight. Of equal weights, those of documents in neither ranking come last.
        let unknown = self.weigh(pair).into_iter().filter(|(_, grade, _)| grade.is_nan());
        let unknown = unknown.map(|(place, _, weight)| (weight, place.map(|place| place.document)));
        let mut unknown: Vec<(f64, Option<u32>)> =
            unknown.chain(std::iter::repeat_n((0.0, None), pair.facts.unretrieved)).collect();
        unknown.sort_by(|x, y| y.0.total_cmp(&x.0)); // stable
        let documents = unknown.into_iter().map(|(_, document)| document).enumerate();
        // The i-th document gets the highest level whose number of documents is above i.
        let graded = documents.map_while(|(i, document)| {
            let (_, &(grade, _)) = sizes.iter().zip(&self.levels).rfind(|(size, _)| **size > i)?;
            Some((document, grade))
        });
        let assignment = Assignment::of_grades(value, graded);
        let assignment = if self.counts_all { assignment } else { self.filled_assignment(pair, assignment) };
        LargestDifference::within(bound, assignment)
    }

    fn upper_bounds(&self, pair: &RankingPair<'_>, _: &mut DifferenceWorkspace) -> UpperBounds {
        self.largest(pair, &self.parts(pair))
    }

    /// The upper bounds of both directions. The weights are sorted only once.
    fn both_upper_bounds(
        &self,
        pair: &RankingPair<'_>,
        swapped: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
    ) -> (UpperBounds, UpperBounds) {
        if self.ties.are_best_and_worst(pair) {
            return (self.upper_bounds(pair, work), self.upper_bounds(swapped, work));
        }
        let parts = self.parts(pair);
        let up = self.largest(pair, &parts);
        // If A and B are exchanged, all weights change their sign.
        let parts = QueryWeights { known: -parts.known, weights: parts.weights.swapped(), ..parts };
        (up, self.largest(swapped, &parts))
    }

    fn largest_weight(&self) -> f64 {
        if matches!(self.norm, Normaliser::Ideal(_)) { 1.0 } else { self.top().max(1.0) }
    }

    fn sampled<'s>(
        &'s self,
        pair: &'s RankingPair<'_>,
        work: &'s mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> Option<ScoreSampler<'s>> {
        self.scale.weigh(pair, &self.discounts, work);
        let documents = weighed_documents(pair, &work.weights, chance);
        let relevant = self.scale.relevant(pair);
        Some(ScoreSampler {
            documents,
            scores: Box::new(MovingScores { measure: self, weights: &work.weights, relevant }),
        })
    }
}

/// The scores of two rankings by R or F1, from the documents' gains.
struct MovingScores<'s> {
    measure: &'s MovingAdditive,
    /// The documents with their discounts in A and in B.
    weights: &'s dot::WeightedPair,
    /// The number of documents judged relevant. Those that neither ranking has count, too.
    relevant: usize,
}

impl MovingScores<'_> {
    fn score(&self, gains: &[f64], weight: fn(&dot::WeightedDocument) -> f64) -> f64 {
        let relevant = || self.weights.documents.iter().zip(gains).filter(|(_, gain)| **gain > 0.0).map(|(x, _)| x);
        let unknown = relevant().filter(|x| x.known.is_none()).count();
        share(relevant().map(weight).sum(), self.measure.norm(self.relevant + unknown))
    }
}

impl ScoresByGains for MovingScores<'_> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.a)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.b)
    }
}
