//! Sums of gains times discounts, divided by a norm: constant for P, Hits, RBP and DCG, growing with the number of
//! relevant documents for R and F1, and the best possible sum for nDCG.
//!
//! A document weighs w = D(a) - D(b), the discount of its rank in A less that of its rank in B; in the mean over the
//! orders of ties that of its group's mean discount, so that the mean is found just as one order is. Where ties may stand
//! in any order, the gains of [`AnyOrder`] take the place of weights. With several grades and a norm that depends on
//! them, they are found for the documents of each grade or a higher one apart, which only encloses the difference.

use super::any_order::AnyOrder;
use super::given::{self, Given};
use super::question::{Ceiling, Ceilings, Orders, Question, Witness};
use crate::difference::solve::chain::{Chain, STEPS};
use crate::difference::solve::rising;
use crate::difference::solve::shares::{Sorted, shares};
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
    Both(usize),
    /// The sum of the best ranking: the sums of the first 0, 1, 2, ... discounts.
    Ideal(Vec<f64>),
}

/// Such a measure.
pub(super) struct Sum {
    gain: Gain,
    /// Grades that unknown documents may have with their gains, by ascending gain; all above 0.
    levels: Vec<(f64, f64)>,
    /// D(1), D(2), ...
    discounts: Vec<f64>,
    norm: Norm,
}

impl Sum {
    fn binary(given: &Given<'_>, norm: Norm) -> Result<Box<dyn Ceiling>> {
        let rel = given.of.rel()?;
        let levels = vec![(given.highest(), 1.0)];
        let discounts = vec![1.0; given.depth()];
        Ok(Box::new(Sum { gain: Gain::From(rel.max(0.0)), levels, discounts, norm }))
    }

    fn graded(given: &Given<'_>, gain: Gain, discounts: Vec<f64>, norm: Norm) -> Result<Box<dyn Ceiling>> {
        let known = given.grades.iter().filter(|&&grade| grade >= 0.0);
        if let Some(grade) =
            known.clone().chain([&0.0]).find(|&&grade| gain.of(grade) < 0.0 || grade == 0.0 && gain.of(0.0) > 0.0)
        {
            let (of, found) = (given.of, gain.of(*grade));
            return Err(Error::Measure(format!(
                "{of}: verdicts need a gain of 0 for grade 0, and no negative gain; the gain of grade {grade} is {found}"
            )));
        }
        let mut levels: Vec<(f64, f64)> = given.possible.iter().map(|&grade| (grade, gain.of(grade))).collect();
        levels.retain(|&(_, gain)| gain > 0.0);
        levels.sort_by(|one, other| one.1.total_cmp(&other.1));
        levels.dedup_by(|next, last| next.1 == last.1);
        if levels.is_empty() {
            return Err(Error::Measure(format!("{}: no document could gain anything", given.of)));
        }
        Ok(Box::new(Sum { gain, levels, discounts, norm }))
    }
}

/// P.
pub(super) fn precision(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    Sum::binary(given, Norm::Fixed(given.of.cutoff_or(1) as f64))
}

/// Hits.
pub(super) fn hits(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    Sum::binary(given, Norm::Fixed(1.0))
}

/// R.
pub(super) fn recall(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    Sum::binary(given, Norm::Relevant)
}

/// F1.
pub(super) fn f1(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    Sum::binary(given, Norm::Both(given.of.cutoff_or(1)))
}

/// RBP.
pub(super) fn rank_biased_precision(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    let p = given.of.number("p", 0.8, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
    let weights = (0..given.depth()).map(|i| (1.0 - p) * powf(p, i as f64)).collect();
    let gain = match given.of.parameter("max_grade") {
        None => {
            let rel = given.of.rel()?;
            let levels = vec![(given.highest(), 1.0)];
            let norm = Norm::Fixed(1.0);
            return Ok(Box::new(Sum { gain: Gain::From(rel.max(0.0)), levels, discounts: weights, norm }));
        }
        Some(_) => Gain::ShareOf(given.max_grade(1.0)?),
    };
    Sum::graded(given, gain, weights, Norm::Fixed(1.0))
}

/// DCG.
pub(super) fn dcg(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    Sum::graded(given, Gain::new(given.of, given.grades)?, discounts(given.of, given.depth())?, Norm::Fixed(1.0))
}

/// nDCG.
pub(super) fn ndcg(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    // Relevant documents that no ranking has count in the ideal one.
    let all = discounts(given.of, given.of.cutoff_or(usize::MAX).min(given.documents))?;
    if all.first().is_some_and(|&first| first <= 0.0) || all.iter().any(|&discount| discount < 0.0) {
        let message = format!("{}: verdicts need discounts of at least 0, and a first discount above 0", given.of);
        return Err(Error::Measure(message));
    }
    let sums = all.iter().scan(0.0, |sum, discount| {
        *sum += discount;
        Some(*sum)
    });
    let ideal = std::iter::once(0.0).chain(sums).collect();
    Sum::graded(given, Gain::new(given.of, given.grades)?, all, Norm::Ideal(ideal))
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
    fn weigh<'w>(&self, of: &Question<'w>) -> impl Iterator<Item = (&'w Placed, f64, f64)> + use<'w> {
        let (a, b) = (by_rank(&self.discounts, of.a), by_rank(&self.discounts, of.b));
        let at = |weights: &[f64], rank: u32| weights.get((rank as usize).wrapping_sub(1)).copied().unwrap_or(0.0);
        of.documents().map(move |(place, grade)| (place, grade, at(&a, place.a) - at(&b, place.b)))
    }

    fn parts(&self, of: &Question<'_>) -> Parts {
        if of.orders() == Orders::Any {
            return self.parts_of_any_order(of);
        }
        let mut known = 0.0;
        let weights = self.weigh(of).filter_map(|(_, grade, weight)| {
            if grade.is_nan() {
                return Some(weight);
            }
            known += self.gain.of(grade) * weight;
            None
        });
        let weights = Sorted::new(weights, of.free);
        Parts { known, weights, by_level: Vec::new() }
    }

    fn any_order(&self, of: &Question<'_>) -> AnyOrder {
        AnyOrder::new(of, &self.discounts, |grade| self.gain.of(grade), self.top())
    }

    fn parts_of_any_order(&self, of: &Question<'_>) -> Parts {
        let all = self.any_order(of);
        let of_level = |&(_, least): &(f64, f64)| {
            let reaches = |grade: f64| f64::from(u8::from(self.gain.of(grade) >= least));
            Sorted::new(AnyOrder::new(of, &self.discounts, reaches, 1.0).matching.gains(), 0)
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
    fn judged(&self, of: &Question<'_>, least: f64) -> usize {
        let judged = of.levels.iter().filter(|level| level.grade >= 0.0 && self.gain.of(level.grade) >= least);
        judged.map(|level| level.count as usize).sum()
    }

    /// Z(m) over the most that a document may gain, where all relevant documents gain the same.
    fn norm(&self, relevant: usize) -> f64 {
        match &self.norm {
            Norm::Fixed(norm) => *norm,
            Norm::Relevant => relevant as f64,
            Norm::Both(cutoff) => (*cutoff + relevant) as f64 / 2.0,
            Norm::Ideal(sums) => sums[relevant.min(sums.len() - 1)],
        }
    }

    /// The chain of grades, where these and the norm depend on each other.
    fn chain(&self, of: &Question<'_>, Parts { known, weights, by_level }: &Parts) -> Option<Chain<'_>> {
        let Norm::Ideal(ideal) = &self.norm else { return None };
        if !self.has_chain() {
            return None;
        }
        let below = std::iter::once(0.0).chain(self.levels.iter().map(|&(_, gain)| gain));
        let steps = self.levels.iter().zip(below).map(|(&(_, gain), below)| (gain - below, self.judged(of, gain)));
        let levels = if by_level.is_empty() { std::slice::from_ref(weights) } else { by_level };
        let sums = levels.iter().map(|weights| weights.sums(0.0).collect()).collect();
        Some(Chain { known: *known, sums, ideal, steps: steps.collect() })
    }

    /// The largest difference with exactly 0, 1, 2, ... relevant documents, all of which gain the most.
    fn by_number(&self, of: &Question<'_>, parts: &Parts) -> impl Iterator<Item = f64> {
        let (top, relevant) = (self.top(), self.judged(of, f64::MIN_POSITIVE));
        shares(parts.known / top, &parts.weights, move |m| self.norm(relevant + m)).map(move |found| match self.norm {
            Norm::Ideal(_) => found,
            _ => found * top,
        })
    }

    fn largest(&self, of: &Question<'_>, parts: &Parts) -> Ceilings {
        let Some(chain) = self.chain(of, parts) else {
            return Ceilings::exact(rising(self.by_number(of, parts)));
        };
        let ceilings = chain.ceilings();
        if !parts.by_level.is_empty() {
            return Ceilings::outer(ceilings);
        }
        if of.unknown <= STEPS {
            return Ceilings::exact(ceilings);
        }
        Ceilings::partly(ceilings, Some(of.unknown), (0..=STEPS).collect())
    }
}

impl Ceiling for Sum {
    fn scale(&self) -> f64 {
        if matches!(self.norm, Norm::Ideal(_)) { 1.0 } else { self.top().max(1.0) }
    }

    fn ceilings(&self, of: &Question<'_>) -> Ceilings {
        self.largest(of, &self.parts(of))
    }

    /// Weights are sorted once.
    fn both(&self, of: &Question<'_>, swapped: &Question<'_>) -> (Ceilings, Ceilings) {
        if of.orders() == Orders::Any {
            return (self.ceilings(of), self.ceilings(swapped));
        }
        let parts = self.parts(of);
        let up = self.largest(of, &parts);
        let parts = Parts { known: -parts.known, weights: parts.weights.swapped(), ..parts };
        (up, self.largest(swapped, &parts))
    }

    fn witness(&self, of: &Question<'_>, most: usize) -> Witness {
        let parts = self.parts(of);
        // Where grades are enclosed, no assignment but this one is known.
        let most = if parts.by_level.is_empty() { most.min(of.unknown) } else { 0 };
        let (value, sizes) = match self.chain(of, &parts) {
            Some(chain) => chain.largest(most, vec![0; self.levels.len()]),
            None => {
                let first = |(best, at), (m, value)| if value > best { (value, m) } else { (best, at) };
                let (value, m) =
                    self.by_number(of, &parts).take(most + 1).enumerate().fold((f64::NEG_INFINITY, 0), first);
                (value, [vec![0; self.levels.len() - 1], vec![m]].concat())
            }
        };
        if of.orders() == Orders::Any {
            let (grade, AnyOrder { matching, documents, .. }) = (self.levels[sizes.len() - 1].0, self.any_order(of));
            let chosen = matching.chosen(sizes[sizes.len() - 1]);
            return given::witness(value, chosen.into_iter().map(|x| (documents.get(x).copied(), grade)));
        }
        // Documents by falling weight, the free ones among those that weigh nothing.
        let mut open: Vec<(f64, Option<u32>)> = self
            .weigh(of)
            .filter(|(_, grade, _)| grade.is_nan())
            .map(|(place, _, weight)| (weight, Some(place.document)))
            .chain(std::iter::repeat_n((0.0, None), of.free))
            .collect();
        open.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.is_none().cmp(&other.1.is_none())));
        given::witness(
            value,
            open.into_iter().map(|(_, document)| document).enumerate().map_while(|(i, document)| {
                let (_, &(grade, _)) = sizes.iter().zip(&self.levels).rfind(|(size, _)| **size > i)?;
                Some((document, grade))
            }),
        )
    }
}
