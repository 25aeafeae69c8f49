//! ERR, and any cascade whose user stops at a document with a probability equal to its gain.
//!
//! For verdicts, the largest difference of rankings in one order is that of the same search. With at most c documents, A
//! gains no more than c times what one does at most, as a mean of maxima is submodular, and another search finds the most:
//! [`CappedCascade`].

use super::general::general;
use super::layout::{Scale, Solvers};
use super::pair::{RankingPair, TieOrders};
use super::ranked::{ByRank, Ends, Ranked, TiedPair, UntiedRankings};
use super::setup::Setup;
use super::solution::{Assignment, Difference, NODES, STEPS};
use super::solve::budget::Budget;
use super::solve::capped_cascade::{CappedCascade, CappedSolution};
use super::solve::cascade::{self, CascadeWorkspace};
use super::solve::expected::{self, DifferenceMoments, Uncertain};
use super::solve::{Instance, Solution, scores};
use super::upper_bounds::{MovingDifference, UpperBounds, rising};
use crate::error::{Error, Result};
use crate::measures::gain::{Gain, discounts};
use crate::names::{Spec, Value};
use crate::ranking::{List, Placed};

/// ERR; with a `tail`, all that could follow the documents there are is part of the value.
struct ExpectedReciprocalRank {
    tail: bool,
}

pub(super) fn fixed(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let most = setup.max_grade(4.0)?;
    let mut scale = setup.scale(Gain::Stop(most), most);
    scale.fills |= setup.options.tail;
    if let Some(grade) = setup.scope.grades.iter().chain([&scale.max_grade]).find(|&&grade| grade > most) {
        return Err(Error::Value(format!("{}: grade {grade} is above max_grade = {most}", setup.spec)));
    }
    ByRank::boxed(setup, scale, ExpectedReciprocalRank { tail: setup.options.tail })
}

impl Ranked for ExpectedReciprocalRank {
    fn solve(&self, rankings: UntiedRankings<'_>, solvers: &mut Solvers) -> Solution {
        cascade::solve(rankings.instance, self.tail, NODES, &mut solvers.cascade)
    }

    fn tied<'p>(&self, instance: &'p mut Instance, ends: Ends<'p>, solvers: &'p mut Solvers) -> TiedPair<'p> {
        Some(cascade::tied(instance, ends, self.tail, Budget::new(STEPS), &mut solvers.cascade))
    }

    fn expected(&self, documents: &[Uncertain], depth: usize) -> Option<DifferenceMoments> {
        Some(expected::reciprocal_cascade(documents, depth))
    }

    fn score(&self, _: UntiedRankings<'_>, by_rank: &[f64], _: f64) -> f64 {
        scores::reciprocal_cascade(by_rank)
    }
}

/// A cascade by its discounts.
pub(super) struct DiscountedCascade {
    discounts: Vec<f64>,
}

pub(super) fn any_cascade(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    match falling(setup.spec, setup.depth())? {
        Some(discounts) => DiscountedCascade::boxed(setup, setup.graded()?, discounts),
        None => general(setup),
    }
}

impl DiscountedCascade {
    /// One of these discounts, which never rise.
    pub fn boxed(setup: &Setup<'_>, scale: Scale, discounts: Vec<f64>) -> Result<Box<dyn Difference>> {
        ByRank::boxed(setup, scale, DiscountedCascade { discounts })
    }
}

impl Ranked for DiscountedCascade {
    fn solve(&self, rankings: UntiedRankings<'_>, solvers: &mut Solvers) -> Solution {
        let discounts = &self.discounts[..rankings.instance.depth];
        cascade::solve_discounted(rankings.instance, discounts, NODES, &mut solvers.cascade)
    }

    fn tied<'p>(&self, instance: &'p mut Instance, ends: Ends<'p>, solvers: &'p mut Solvers) -> TiedPair<'p> {
        let discounts = &self.discounts[..instance.depth];
        Some(cascade::discounted_tied(instance, ends, discounts, Budget::new(STEPS), &mut solvers.cascade))
    }

    fn expected(&self, documents: &[Uncertain], depth: usize) -> Option<DifferenceMoments> {
        Some(expected::discounted(documents, &self.discounts[..depth]))
    }

    fn score(&self, _: UntiedRankings<'_>, by_rank: &[f64], _: f64) -> f64 {
        scores::cascade(by_rank, &self.discounts)
    }
}

/// Discounts of a cascade with a solver of its own: discounts never rise nor are below 0, the user goes on with
/// probability 1 - gain, and grade 0 gains nothing.
fn falling(spec: &Spec, depth: usize) -> Result<Option<Vec<f64>>> {
    let gains_nothing = |table: &[(f64, f64)]| table.iter().all(|&(grade, gain)| grade != 0.0 || gain == 0.0);
    let gains = matches!(spec.parameter("gain"), Some(Value::Table(table)) if !gains_nothing(table));
    let mut by_rank = if spec.parameter("discount").is_some() { discounts(spec, depth)? } else { vec![1.0; depth] };
    by_rank.resize(depth, 0.0); // a list may be shorter
    let falls = by_rank.is_sorted_by(|one, next| one >= next) && by_rank.last().is_none_or(|&last| last >= 0.0);
    Ok(Some(by_rank).filter(|_| falls && !gains && spec.parameter("go_on").is_none()))
}

/// Steps that a search may take for a limited number of documents.
const CAPPED_STEPS: u64 = 2_000_000;

/// ERR for verdicts.
struct MovingCascade {
    scale: Scale,
    ties: TieOrders,
}

/// ERR for verdicts.
pub(super) fn moving(setup: &Setup<'_>) -> Result<Box<dyn MovingDifference>> {
    let scale = setup.moving(Gain::Stop(setup.checked_max_grade(4.0)?));
    Ok(Box::new(MovingCascade { scale, ties: setup.options.ties }))
}

impl MovingCascade {
    /// Probabilities to stop by rank to the cutoff, those of unknown documents being `unknown`; those of tied documents in
    /// ascending or in descending order.
    fn stops(&self, pair: &RankingPair<'_>, list: &List, unknown: f64, ascending: bool) -> Vec<f64> {
        let stop = |&document: &u32| match pair.facts.grades[document as usize] {
            grade if grade.is_nan() => unknown,
            grade => self.scale.gain.of(grade),
        };
        let mut stops: Vec<f64> = list.docs.iter().map(stop).collect();
        if list.is_tied() {
            let mut start = 0;
            for &end in &list.ends {
                let group = &mut stops[start..end as usize];
                group.sort_by(f64::total_cmp);
                if !ascending {
                    group.reverse();
                }
                start = end as usize;
            }
        }
        stops.truncate(self.scale.depth_of(pair));
        stops
    }

    /// The documents that count, and the problem that they make.
    fn instance<'p>(&self, pair: &'p RankingPair<'_>) -> (Vec<&'p Placed>, Instance) {
        let mut instance = Instance::default();
        (self.scale.lay_out(pair, &mut instance).collect(), instance)
    }

    /// The best assignment of any number of documents.
    fn search(instance: &Instance) -> Solution {
        if instance.depth == 0 {
            return Solution::exact(0.0, Vec::new());
        }
        cascade::solve(instance, false, NODES, &mut CascadeWorkspace::default())
    }

    fn search_capped(instance: &Instance, most: usize) -> CappedSolution {
        CappedCascade::new(instance).largest(most, &mut Budget::new(CAPPED_STEPS))
    }
}

impl MovingDifference for MovingCascade {
    fn upper_bounds(&self, pair: &RankingPair<'_>) -> UpperBounds {
        let value = scores::reciprocal_cascade;
        let worst = value(&self.stops(pair, pair.b, 0.0, true));
        let none = value(&self.stops(pair, pair.a, 0.0, false)) - worst;
        if pair.is_tied() {
            let all = value(&self.stops(pair, pair.a, self.scale.top, false)) - worst;
            let bounds = if pair.unknown() > 0 { vec![none, all.max(none)] } else { vec![none] };
            return UpperBounds::of_best_and_worst(bounds, pair, self.ties == TieOrders::BestWorst);
        }
        let (_, instance) = self.instance(pair);
        let gains = CappedCascade::new(&instance).gain_bounds();
        let bounds = UpperBounds::partly(rising(gains.into_iter().map(|gain| none + gain)), None, vec![0, 1]);
        let Solution { value, bound, gains, .. } = Self::search(&instance);
        let is_attained = bound <= value;
        bounds.cap(bound.max(none)).attained_from(is_attained.then(|| instance.assigned(&gains).count()))
    }

    fn search_at_most(&self, pair: &RankingPair<'_>, most: usize) -> Option<(f64, bool)> {
        if pair.is_tied() || most >= pair.unknown() {
            return None;
        }
        let CappedSolution { value, bound, .. } = Self::search_capped(&self.instance(pair).1, most);
        Some((bound, bound <= value))
    }

    fn assignment(&self, pair: &RankingPair<'_>, most: usize) -> Assignment {
        if pair.is_tied() {
            return Assignment { difference: self.upper_bounds(pair).at_most(0), ..Assignment::default() };
        }
        let (places, instance) = self.instance(pair);
        let Solution { value, gains, .. } = Self::search(&instance);
        let relevant: Vec<usize> = instance.assigned(&gains).collect();
        let (difference, relevant) = if relevant.len() > most {
            let CappedSolution { value, documents, .. } = Self::search_capped(&instance, most);
            (value, documents)
        } else {
            (value, relevant)
        };
        let documents = relevant.into_iter().map(|number| Some(places[number].document));
        Assignment::of_grade(difference, self.scale.max_grade, documents)
    }
}
