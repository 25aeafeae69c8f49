//! Sums of gains times discounts, divided by a norm: constant for P, Hits, RBP and DCG, growing with the number of
//! relevant documents for R and F1, and the best possible sum for nDCG.
//!
//! A document weighs w = D(a) - D(b), the discount of its rank in A less that of its rank in B; in the mean over the
//! orders of ties that of its group's mean discount, so that the mean is found just as one order is. Where ties may stand
//! in any order, the gains of [`AnyOrder`] take the place of weights. With several grades and a norm that depends on
//! them, they are found for the documents of each grade or a higher one apart, which only encloses the difference.

use super::any_order::AnyOrder;
use super::layout::Scale;
use super::pair::{RankingPair, Ties};
use super::setup::Setup;
use super::solution::Assignment;
use super::solve::chain::{Chain, STEPS};
use super::solve::shares::{Sorted, shares};
use super::upper_bounds::{MovingDifference, UpperBounds};
use crate::elementary::powf;
use crate::error::{Error, Result};
use crate::measures::gain::{Gain, discounts};
use crate::ranking::{List, Placed};

/// What a sum is divided by.
enum Norm {
    /// A constant.
    Fixed(f64),
    /// The relevant documents, R.
    Relevant,
    /// The mean of this cutoff and R.
    MeanWithCutoff(usize),
    /// The sum of the best ranking: the sums of the first 0, 1, 2, ... discounts.
    Ideal(Vec<f64>),
}

/// Such a measure.
struct Sum {
    scale: Scale,
    ties: Ties,
    /// Grades that unknown documents may have with their gains, by ascending gain; all above 0.
    levels: Vec<(f64, f64)>,
    /// D(1), D(2), ...
    discounts: Vec<f64>,
    norm: Norm,
}

impl Sum {
    fn binary(setup: &Setup<'_>, discounts: Vec<f64>, norm: Norm) -> Result<Box<dyn MovingDifference>> {
        let scale = setup.moving_binary()?;
        let levels = vec![(scale.max_grade, 1.0)];
        Ok(Box::new(Sum { scale, ties: setup.options.ties, levels, discounts, norm }))
    }

    /// One that counts the relevant documents down to the cutoff.
    fn counting(setup: &Setup<'_>, norm: Norm) -> Result<Box<dyn MovingDifference>> {
        Sum::binary(setup, vec![1.0; setup.unfilled_depth()], norm)
    }

    fn graded(setup: &Setup<'_>, gain: Gain, discounts: Vec<f64>, norm: Norm) -> Result<Box<dyn MovingDifference>> {
        let known = setup.scope.grades.iter().filter(|&&grade| grade >= 0.0);
        if let Some(grade) =
            known.clone().chain([&0.0]).find(|&&grade| gain.of(grade) < 0.0 || grade == 0.0 && gain.of(0.0) > 0.0)
        {
            let (spec, found) = (setup.spec, gain.of(*grade));
            return Err(Error::Measure(format!(
                "{spec}: verdicts need a gain of 0 for grade 0, and no negative gain; the gain of grade {grade} is {found}"
            )));
        }
        let mut levels: Vec<(f64, f64)> = setup.possible.iter().map(|&grade| (grade, gain.of(grade))).collect();
        levels.retain(|&(_, gain)| gain > 0.0);
        levels.sort_by(|one, other| one.1.total_cmp(&other.1));
        levels.dedup_by(|next, last| next.1 == last.1);
        if levels.is_empty() {
            return Err(Error::Measure(format!("{}: no document could gain anything", setup.spec)));
        }
        Ok(Box::new(Sum { scale: setup.moving(gain), ties: setup.options.ties, levels, discounts, norm }))
    }
}

/// P.
pub(super) fn precision(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    Sum::counting(setup, Norm::Fixed(setup.spec.cutoff_or(1) as f64))
}

/// Hits.
pub(super) fn hits(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    Sum::counting(setup, Norm::Fixed(1.0))
}

/// R.
pub(super) fn recall(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    Sum::counting(setup, Norm::Relevant)
}

/// F1.
pub(super) fn f1(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    Sum::counting(setup, Norm::MeanWithCutoff(setup.spec.cutoff_or(1)))
}

/// RBP.
pub(super) fn rank_biased_precision(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    let p = setup.spec.number("p", 0.8, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
    let weights: Vec<f64> = (0..setup.unfilled_depth()).map(|i| (1.0 - p) * powf(p, i as f64)).collect();
    match setup.spec.parameter("max_grade") {
        None => Sum::binary(setup, weights, Norm::Fixed(1.0)),
        Some(_) => Sum::graded(setup, Gain::ShareOf(setup.checked_max_grade(1.0)?), weights, Norm::Fixed(1.0)),
    }
}

/// DCG.
pub(super) fn dcg(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    Sum::graded(
        setup,
        Gain::new(setup.spec, setup.scope.grades)?,
        discounts(setup.spec, setup.unfilled_depth())?,
        Norm::Fixed(1.0),
    )
}

/// nDCG.
pub(super) fn ndcg(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    // Relevant documents that no ranking has count in the ideal one.
    let all = discounts(setup.spec, setup.unfilled_depth())?;
    if all.first().is_some_and(|&first| first <= 0.0) || all.iter().any(|&discount| discount < 0.0) {
        let message = format!("{}: verdicts need discounts of at least 0, and a first discount above 0", setup.spec);
        return Err(Error::Measure(message));
    }
    let sums = all.iter().scan(0.0, |sum, discount| {
        *sum += discount;
        Some(*sum)
    });
    let ideal = std::iter::once(0.0).chain(sums).collect();
    Sum::graded(setup, Gain::new(setup.spec, setup.scope.grades)?, all, Norm::Ideal(ideal))
}

/// Discounts by rank: of tied documents the mean over their group.
fn by_rank(discounts: &[f64], list: &List) -> Vec<f64> {
    let mut found = discounts[..discounts.len().min(list.len())].to_vec();
    if list.is_tied() {
        found.resize(list.len(), 0.0);
        let mut start = 0;
        for &end in &list.ends {
            let group = &mut found[start..end as usize];
            let mean = group.iter().sum::<f64>() / group.len() as f64;
            group.fill(mean);
            start = end as usize;
        }
    }
    found
}

/// What a query's judged documents and weights come to.
struct Parts {
    known: f64,
    weights: Sorted,
    /// Weights of each grade, where these differ.
    by_level: Vec<Sorted>,
}

impl Sum {
    /// Every document with its grade and weight.
    fn weigh<'w>(&self, pair: &RankingPair<'w>) -> impl Iterator<Item = (&'w Placed, f64, f64)> + use<'w> {
        let (a, b) = (by_rank(&self.discounts, pair.a), by_rank(&self.discounts, pair.b));
        let at = |weights: &[f64], rank: u32| weights.get((rank as usize).wrapping_sub(1)).copied().unwrap_or(0.0);
        pair.documents().map(move |(place, grade)| (place, grade, at(&a, place.a) - at(&b, place.b)))
    }

    fn parts(&self, pair: &RankingPair<'_>) -> Parts {
        if self.ties.are_best_and_worst(pair) {
            return self.parts_of_any_order(pair);
        }
        let mut known = 0.0;
        let weights = self.weigh(pair).filter_map(|(_, grade, weight)| {
            if grade.is_nan() {
                return Some(weight);
            }
            known += self.scale.gain.of(grade) * weight;
            None
        });
        let weights = Sorted::new(weights, pair.facts.unretrieved);
        Parts { known, weights, by_level: Vec::new() }
    }

    fn any_order(&self, pair: &RankingPair<'_>) -> AnyOrder {
        AnyOrder::new(pair, &self.discounts, |grade| self.scale.gain.of(grade), self.top())
    }

    fn parts_of_any_order(&self, pair: &RankingPair<'_>) -> Parts {
        let all = self.any_order(pair);
        let of_level = |&(_, least): &(f64, f64)| {
            let reaches = |grade: f64| f64::from(u8::from(self.scale.gain.of(grade) >= least));
            Sorted::new(AnyOrder::new(pair, &self.discounts, reaches, 1.0).matching.gains(), 0)
        };
        let by_level = if self.has_chain() { self.levels.iter().map(of_level).collect() } else { Vec::new() };
        let weights = Sorted::new(all.matching.gains().map(|gain| gain / self.top()), 0);
        Parts { known: all.known, weights, by_level }
    }

    /// Whether grades and the norm depend on each other.
    fn has_chain(&self) -> bool {
        matches!(self.norm, Norm::Ideal(_)) && self.levels.len() > 1
    }

    /// The most that a document may gain.
    fn top(&self) -> f64 {
        self.levels[self.levels.len() - 1].1
    }

    /// Judged documents that gain at least so much.
    fn judged(&self, pair: &RankingPair<'_>, least: f64) -> usize {
        let judged =
            pair.facts.levels.iter().filter(|level| level.grade >= 0.0 && self.scale.gain.of(level.grade) >= least);
        judged.map(|level| level.count as usize).sum()
    }

    /// Z(m) over the most that a document may gain, where all relevant documents gain the same.
    fn norm(&self, relevant: usize) -> f64 {
        match &self.norm {
            Norm::Fixed(norm) => *norm,
            Norm::Relevant => relevant as f64,
            Norm::MeanWithCutoff(cutoff) => (*cutoff + relevant) as f64 / 2.0,
            Norm::Ideal(sums) => sums[relevant.min(sums.len() - 1)],
        }
    }

    /// The chain of grades, where these and the norm depend on each other.
    fn chain(&self, pair: &RankingPair<'_>, Parts { known, weights, by_level }: &Parts) -> Option<Chain<'_>> {
        let Norm::Ideal(ideal) = &self.norm else { return None };
        if !self.has_chain() {
            return None;
        }
        let below = std::iter::once(0.0).chain(self.levels.iter().map(|&(_, gain)| gain));
        let steps = self.levels.iter().zip(below).map(|(&(_, gain), below)| (gain - below, self.judged(pair, gain)));
        let levels = if by_level.is_empty() { std::slice::from_ref(weights) } else { by_level };
        let sums = levels.iter().map(|weights| weights.sums(0.0).collect()).collect();
        Some(Chain { known: *known, sums, ideal, steps: steps.collect() })
    }

    /// The largest difference with exactly 0, 1, 2, ... relevant documents, all of which gain the most.
    fn by_number(&self, pair: &RankingPair<'_>, parts: &Parts) -> impl Iterator<Item = f64> {
        let (top, relevant) = (self.top(), self.judged(pair, f64::MIN_POSITIVE));
        shares(parts.known / top, &parts.weights, move |m| self.norm(relevant + m)).map(move |found| match self.norm {
            Norm::Ideal(_) => found,
            _ => found * top,
        })
    }

    fn largest(&self, pair: &RankingPair<'_>, parts: &Parts) -> UpperBounds {
        let Some(chain) = self.chain(pair, parts) else {
            return UpperBounds::of_exact_counts(self.by_number(pair, parts));
        };
        let bounds = chain.upper_bounds();
        if !parts.by_level.is_empty() {
            return UpperBounds::outer(bounds);
        }
        if pair.unknown() <= STEPS {
            return UpperBounds::exact(bounds);
        }
        UpperBounds::partly(bounds, Some(pair.unknown()), (0..=STEPS).collect())
    }
}

impl MovingDifference for Sum {
    fn largest_weight(&self) -> f64 {
        if matches!(self.norm, Norm::Ideal(_)) { 1.0 } else { self.top().max(1.0) }
    }

    fn upper_bounds(&self, pair: &RankingPair<'_>) -> UpperBounds {
        self.largest(pair, &self.parts(pair))
    }

    /// Weights are sorted once.
    fn both_upper_bounds(&self, pair: &RankingPair<'_>, swapped: &RankingPair<'_>) -> (UpperBounds, UpperBounds) {
        if self.ties.are_best_and_worst(pair) {
            return (self.upper_bounds(pair), self.upper_bounds(swapped));
        }
        let parts = self.parts(pair);
        let up = self.largest(pair, &parts);
        let parts = Parts { known: -parts.known, weights: parts.weights.swapped(), ..parts };
        (up, self.largest(swapped, &parts))
    }

    fn assignment(&self, pair: &RankingPair<'_>, most: usize) -> Assignment {
        let parts = self.parts(pair);
        // Where grades are enclosed, no assignment but this one is known.
        let most = if parts.by_level.is_empty() { most.min(pair.unknown()) } else { 0 };
        let (value, sizes) = match self.chain(pair, &parts) {
            Some(chain) => chain.largest(most, vec![0; self.levels.len()]),
            None => {
                let first = |(best, at), (m, value)| if value > best { (value, m) } else { (best, at) };
                let (value, m) =
                    self.by_number(pair, &parts).take(most + 1).enumerate().fold((f64::NEG_INFINITY, 0), first);
                (value, [vec![0; self.levels.len() - 1], vec![m]].concat())
            }
        };
        if self.ties.are_best_and_worst(pair) {
            let (grade, AnyOrder { matching, documents, .. }) = (self.levels[sizes.len() - 1].0, self.any_order(pair));
            let chosen = matching.chosen(sizes[sizes.len() - 1]);
            return Assignment::of_grades(value, chosen.into_iter().map(|x| (documents.get(x).copied(), grade)));
        }
        // Documents by falling weight, the free ones among those that weigh nothing.
        let mut open: Vec<(f64, Option<u32>)> = self
            .weigh(pair)
            .filter(|(_, grade, _)| grade.is_nan())
            .map(|(place, _, weight)| (weight, Some(place.document)))
            .chain(std::iter::repeat_n((0.0, None), pair.facts.unretrieved))
            .collect();
        open.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.is_none().cmp(&other.1.is_none())));
        Assignment::of_grades(
            value,
            open.into_iter().map(|(_, document)| document).enumerate().map_while(|(i, document)| {
                let (_, &(grade, _)) = sizes.iter().zip(&self.levels).rfind(|(size, _)| **size > i)?;
                Some((document, grade))
            }),
        )
    }
}
