//! ERR, and other cascades whose user stops at a document with a probability equal to its gain.
//!
//! For rankings without ties, verdicts use the same search as MED. If the number of relevant unknown documents is
//! limited, [`CappedCascade`] searches instead.

use super::assignment::Assignment;
use super::general::general;
use super::layout::{DifferenceWorkspace, Scale, Solvers};
use super::pair::{RankingPair, TieOrders};
use super::ranked::{ByRank, Ends, Ranked, TiedPair, UntiedRankings};
use super::setup::{Question, Setup};
use super::solution::{Difference, LargestDifference, NODES, STEPS};
use super::solve::budget::Budget;
use super::solve::capped_cascade::{CappedCascade, CappedSolution};
use super::solve::cascade;
use super::solve::expected::{self, DifferenceMoments, Uncertain};
use super::solve::{Instance, Solution, scores};
use super::upper_bounds::{UpperBounds, rising};
use crate::error::{Error, Result};
use crate::measures::gain::{Gain, discounts};
use crate::names::{Spec, Value};
use crate::ranking::{List, Placed};

/// The difference in ERR, for MED and Delta.
struct ExpectedReciprocalRank {
    /// Whether unknown documents below the rankings may add to the score.
    tail: bool,
}

pub(super) fn expected_reciprocal_rank(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let most = setup.max_grade(4.0)?;
    let mut scale = setup.scale(Gain::Stop(most), most);
    if let Question::Verdicts { .. } = setup.question {
        return Ok(Box::new(MovingCascade { scale, ties: setup.options.ties }));
    }
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

/// The difference in a cascade with discounts, for MED and Delta.
pub(super) struct DiscountedCascade {
    /// The discount of each rank.
    discounts: Vec<f64>,
}

pub(super) fn any_cascade(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    match falling(setup.spec, setup.depth())? {
        Some(discounts) => DiscountedCascade::boxed(setup, setup.graded()?, discounts),
        None => general(setup),
    }
}

impl DiscountedCascade {
    /// The difference in a cascade with these discounts, which must never rise.
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

/// The discounts of a cascade with a solver of its own, or none. They must never rise and not be negative, the user
/// must go on with the probability 1 - gain, and grade 0 must gain nothing.
fn falling(spec: &Spec, depth: usize) -> Result<Option<Vec<f64>>> {
    let gains_nothing = |table: &[(f64, f64)]| table.iter().all(|&(grade, gain)| grade != 0.0 || gain == 0.0);
    let gains = matches!(spec.parameter("gain"), Some(Value::Table(table)) if !gains_nothing(table));
    let mut by_rank = if spec.parameter("discount").is_some() { discounts(spec, depth)? } else { vec![1.0; depth] };
    by_rank.resize(depth, 0.0); // a list may be shorter
    let falls = by_rank.is_sorted_by(|one, next| one >= next) && by_rank.last().is_none_or(|&last| last >= 0.0);
    Ok(Some(by_rank).filter(|_| falls && !gains && spec.parameter("go_on").is_none()))
}

/// The largest number of steps of a search in which the number of relevant unknown documents is limited.
const CAPPED_STEPS: u64 = 2_000_000;

/// The difference in ERR, for verdicts.
struct MovingCascade {
    scale: Scale,
    ties: TieOrders,
}

impl MovingCascade {
    /// For each rank, the probability that the user stops there. `unknown` is that of unknown documents. Tied documents
    /// are sorted by this probability.
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

    /// The difference if no unknown document is relevant, with A in its best order and B in its worst.
    fn difference_if_nonrelevant(&self, pair: &RankingPair<'_>) -> f64 {
        let value = scores::reciprocal_cascade;
        value(&self.stops(pair, pair.a, 0.0, false)) - value(&self.stops(pair, pair.b, 0.0, true))
    }

    /// Upper bounds of the difference of tied rankings: without relevant unknown documents, and with all of them
    /// relevant in A and none in B.
    fn tied_bounds(&self, pair: &RankingPair<'_>) -> UpperBounds {
        let value = scores::reciprocal_cascade;
        let none = self.difference_if_nonrelevant(pair);
        let worst = value(&self.stops(pair, pair.b, 0.0, true));
        let all = value(&self.stops(pair, pair.a, self.scale.top, false)) - worst;
        let bounds = if pair.unknown() > 0 { vec![none, all.max(none)] } else { vec![none] };
        UpperBounds::of_best_and_worst(bounds, pair, self.ties == TieOrders::BestWorst)
    }

    /// Searches for the largest difference of the instance in the workspace, with any number of relevant unknown
    /// documents.
    fn search(work: &mut DifferenceWorkspace) -> Solution {
        if work.instance.depth == 0 {
            return Solution::exact(0.0, Vec::new());
        }
        cascade::solve(&work.instance, false, NODES, &mut work.solvers.cascade)
    }
}

impl Difference for MovingCascade {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, most: usize, work: &mut DifferenceWorkspace) -> LargestDifference {
        if pair.is_tied() {
            let bounds = self.tied_bounds(pair);
            let assignment = Assignment { difference: bounds.at_most(0), ..Assignment::default() };
            return LargestDifference::within(bounds.at_most(most), assignment);
        }
        let places: Vec<&Placed> = self.scale.lay_out(pair, &mut work.instance).collect();
        let (value, bound, relevant) = if most >= pair.unknown() {
            let Solution { value, bound, gains, .. } = Self::search(work);
            (value, bound, work.instance.assigned(&gains).collect())
        } else {
            let CappedSolution { value, bound, documents, .. } =
                CappedCascade::new(&work.instance).largest(most, &mut Budget::new(CAPPED_STEPS));
            (value, bound, documents)
        };
        let documents = relevant.into_iter().map(|number| Some(places[number].document));
        LargestDifference::within(bound, Assignment::of_grade(value, self.scale.max_grade, documents))
    }

    fn upper_bounds(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> UpperBounds {
        if pair.is_tied() {
            return self.tied_bounds(pair);
        }
        drop(self.scale.lay_out(pair, &mut work.instance));
        let none = self.difference_if_nonrelevant(pair);
        let gains = CappedCascade::new(&work.instance).gain_bounds();
        let bounds = UpperBounds::partly(rising(gains.into_iter().map(|gain| none + gain)), None, vec![0, 1]);
        let Solution { value, bound, gains, .. } = Self::search(work);
        let is_attained = bound <= value;
        bounds.cap(bound.max(none)).attained_from(is_attained.then(|| work.instance.assigned(&gains).count()))
    }

    fn is_searched(&self, pair: &RankingPair<'_>) -> bool {
        !pair.is_tied()
    }
}
