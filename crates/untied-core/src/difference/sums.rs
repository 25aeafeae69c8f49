//! Sums of gains times discounts: P, Hits, DCG, nDCG, RBP, INSQ, SDCG. The weight of a document is the discount of its
//! rank.

use super::layout::{Scale, Workspace};
use super::pair::{RankingPair, Ties};
use super::ranked::Ends;
use super::setup::Setup;
use super::solution::{Chance, Difference, Extent, Outcomes, in_both};
use super::solve::expected::{self, Moments, Term};
use super::solve::{Instance, dot, flow};
use crate::elementary::powf;
use crate::error::Result;
use crate::measures::Certainty;
use crate::measures::cwl::fixed::{self, Weighted};
use crate::measures::gain::{Gain, discounts};

/// Such a sum, and what it is divided by.
pub(super) struct Sum {
    scale: Scale,
    /// D(1) and so on, as far as rankings go.
    discounts: Vec<f64>,
    /// Whether it is divided by that of r_G at all ranks.
    normalised: bool,
    /// p of RBP without a cutoff: documents below rank K weigh p^K together.
    persistence: Option<f64>,
    /// Whether these are part of the value.
    tail: bool,
    /// The most documents that may have each grade.
    per_grade: Option<usize>,
    /// The orders of tied documents.
    ties: Ties,
}

impl Sum {
    /// One that goes on to the cutoff, or as far as rankings do.
    pub fn new(scale: Scale, discounts: Vec<f64>) -> Sum {
        let (normalised, persistence) = (false, None);
        Sum { scale, discounts, normalised, persistence, tail: false, per_grade: None, ties: Ties::Mean }
    }

    fn with(self, setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
        let options = setup.options;
        let (tail, per_grade, ties) = (options.tail, options.per_grade, options.ties);
        Ok(Box::new(Sum { tail, per_grade, ties, ..self }))
    }
}

/// P.
pub(super) fn precision(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let depth = setup.depth();
    Sum::new(setup.binary()?, vec![1.0 / depth as f64; depth]).with(setup)
}

/// Hits.
pub(super) fn hits(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    Sum::new(setup.scale(Gain::From(setup.spec.rel()?), setup.highest()), vec![1.0; setup.depth()]).with(setup)
}

/// INSQ.
pub(super) fn insq(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    weighted(setup, fixed::insq(setup.spec)?)
}

/// SDCG.
pub(super) fn sdcg(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    weighted(setup, fixed::sdcg(setup.spec)?)
}

fn weighted(setup: &Setup<'_>, Weighted { gain, mut weights }: Weighted) -> Result<Box<dyn Difference>> {
    weights.resize(setup.depth(), 0.0); // what is below the last rank that counts weighs nothing
    Sum::new(setup.scale(gain, setup.highest()), weights).with(setup)
}

/// DCG.
pub(super) fn dcg(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    Sum::new(setup.graded()?, of_ranks(setup)?).with(setup)
}

/// nDCG.
pub(super) fn ndcg(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let discounts = of_ranks(setup)?;
    Sum { normalised: true, ..Sum::new(setup.graded()?, discounts) }.with(setup)
}

fn of_ranks(setup: &Setup<'_>) -> Result<Vec<f64>> {
    let mut discounts = discounts(setup.spec, setup.depth())?;
    discounts.resize(setup.depth(), 0.0); // a list may be shorter
    Ok(discounts)
}

/// RBP.
pub(super) fn rank_biased_precision(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let p = setup.spec.number("p", 0.8, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
    let discounts = (0..setup.depth()).map(|i| (1.0 - p) * powf(p, i as f64)).collect();
    let scale = match setup.max_grade(f64::NAN)? {
        most if most.is_nan() => setup.binary()?,
        most => setup.scale(Gain::ShareOf(most), most),
    };
    let persistence = Some(p).filter(|_| scale.cutoff.is_none());
    Sum { persistence, ..Sum::new(scale, discounts) }.with(setup)
}

impl Sum {
    /// Discounts of the ranks that count.
    fn discounts(&self, pair: &RankingPair<'_>) -> &[f64] {
        &self.discounts[..self.scale.depth_of(pair)]
    }

    fn weigh(&self, pair: &RankingPair<'_>, work: &mut Workspace) {
        self.scale.weigh(pair, self.discounts(pair), work);
    }

    /// Grades from 1 on with their gains, and how many documents may have each: judged ones aside where `open`.
    fn grades(&self, pair: &RankingPair<'_>, most: usize, open: bool) -> Vec<dot::Grade> {
        let judged = |grade: f64| {
            let levels = pair.facts.levels.iter().filter(|level| level.grade == grade);
            levels.map(|level| level.count as usize).sum::<usize>()
        };
        let limit = |grade: f64| if open { most.saturating_sub(judged(grade)) } else { most.max(judged(grade)) };
        self.whole_grades().map(|grade| dot::Grade { gain: self.scale.gain.of(grade), most: limit(grade) }).collect()
    }

    fn whole_grades(&self) -> impl Iterator<Item = f64> + use<> {
        (1..=self.scale.max_grade as usize).map(|grade| grade as f64)
    }

    /// What it is divided by: of nDCG the ideal; 1 where that is nothing, as of two empty rankings.
    fn norm(&self, pair: &RankingPair<'_>) -> f64 {
        if !self.normalised {
            return 1.0;
        }
        let discounts = self.discounts(pair);
        let ideal = match self.per_grade {
            None => self.scale.top * discounts.iter().sum::<f64>(),
            Some(most) => dot::ideal(discounts, &self.grades(pair, most, false)),
        };
        if ideal > 0.0 { ideal } else { 1.0 }
    }

    fn terms(&self, pair: &RankingPair<'_>, work: &mut Workspace, chance: Chance<'_>) -> Vec<Term> {
        self.weigh(pair, work);
        terms(pair, &work.weights, chance)
    }
}

/// What every document adds to a difference, by weights.
pub(super) fn terms(pair: &RankingPair<'_>, weights: &dot::Weights, chance: Chance<'_>) -> Vec<Term> {
    let places = pair.places.iter().zip(&weights.documents);
    places.map(|(place, weighed)| Term::new(weighed, weights.top, chance(place))).collect()
}

impl Difference for Sum {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn extent(&self, pair: &RankingPair<'_>, work: &mut Workspace, directions: (bool, bool)) -> Extent {
        let norm = self.norm(pair);
        let mut extent = Extent::exact(if self.ties.are_best_and_worst(pair) {
            self.scale.lay_out_tied(pair, &mut work.instance);
            let solve = |(instance, ends): &mut (&mut Instance, Ends<'_>)| {
                let value = flow::solve(instance, *ends, self.discounts(pair)).value / norm;
                (value, value)
            };
            in_both(directions, &mut (&mut work.instance, pair.ends()), solve, |(instance, ends)| {
                instance.swap();
                *ends = (ends.1, ends.0);
            })
        } else {
            self.weigh(pair, work);
            let solve = |weights: &mut dot::Weights| {
                let value = match self.per_grade {
                    None => dot::largest(weights),
                    Some(most) => dot::solve_limited(weights, &self.grades(pair, most, true)).value,
                };
                (value / norm, value / norm)
            };
            in_both(directions, &mut work.weights, solve, dot::Weights::swap)
        });
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

    fn assignment(&self, pair: &RankingPair<'_>, work: &mut Workspace) -> Option<(Vec<u32>, Vec<f64>)> {
        let numbers = pair.places.iter().map(|place| place.document).collect();
        if self.ties.are_best_and_worst(pair) {
            let gains = flow::solve(&self.scale.with_ties(pair), pair.ends(), self.discounts(pair)).gains;
            return Some((numbers, self.scale.grades(self.scale.with_filling(pair, gains))));
        }
        self.weigh(pair, work);
        let weights = &mut work.weights;
        let lacking = std::mem::take(&mut weights.lacking.0);
        weights.documents.extend(lacking.iter().map(|&a| dot::Weighed { a, b: 0.0, known: None }));
        let Some(most) = self.per_grade else { return Some((numbers, self.scale.grades(dot::solve(weights).gains))) };
        let gains = dot::solve_limited(weights, &self.grades(pair, most, true)).gains;
        let grade = |gain: &f64| self.whole_grades().find(|&grade| self.scale.gain.of(grade) == *gain);
        let grades =
            gains.iter().map(|gain| if *gain <= 0.0 { 0.0 } else { grade(gain).unwrap_or(self.scale.max_grade) });
        Some((numbers, grades.collect()))
    }

    fn moments(&self, pair: &RankingPair<'_>, work: &mut Workspace, chance: Chance<'_>) -> (Moments, Certainty) {
        let terms = self.terms(pair, work, chance);
        (expected::dot(&terms).divided(self.norm(pair)), Certainty::Exact)
    }

    fn outcomes(
        &self,
        pair: &RankingPair<'_>,
        work: &mut Workspace,
        chance: Chance<'_>,
        (points, _): (usize, u64),
    ) -> Option<Outcomes> {
        Some(Outcomes::of_terms(&self.terms(pair, work, chance), self.norm(pair), points))
    }
}
