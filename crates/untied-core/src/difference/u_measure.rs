//! The U-measure: a document's weight decays with the text before it.

use super::additive::terms;
use super::layout::{DifferenceWorkspace, Scale};
use super::pair::RankingPair;
use super::setup::Setup;
use super::solution::{Chance, Difference, DifferenceRange, Outcomes, in_both};
use super::solve::dot::{self, WeightedPair};
use super::solve::expected::{self, DifferenceMoments, DifferenceTerm};
use crate::error::Result;
use crate::measures::Certainty;
use crate::measures::u_measure::UMeasure;

/// The difference in the U-measure.
struct UMeasureDifference {
    scale: Scale,
    measure: UMeasure,
}

pub(super) fn u_measure(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let scale = Scale { fills: false, ..setup.binary()? };
    Ok(Box::new(UMeasureDifference { scale, measure: UMeasure::new(setup.spec, setup.scope)? }))
}

impl UMeasureDifference {
    /// Write what documents weigh in either ranking to the workspace; whether that is exact.
    fn weigh(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> Certainty {
        let DifferenceWorkspace { weights, discounts: (of_a, of_b), .. } = work;
        let mut exact = true;
        for (list, worths) in [(pair.a, &mut *of_a), (pair.b, &mut *of_b)] {
            let lengths: Vec<f64> = list.docs.iter().map(|&i| pair.facts.lengths[i as usize].length).collect();
            let starts = std::iter::once(0).chain(list.ends.iter().map(|&end| end as usize));
            let groups = starts.zip(&list.ends).map(|(start, &end)| &lengths[start..end as usize]);
            exact &= self.measure.worths(groups, worths);
        }
        self.scale.weigh_by(pair, (of_a, of_b), weights);
        if exact { Certainty::Exact } else { Certainty::Estimate }
    }

    fn terms(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (Vec<DifferenceTerm>, Certainty) {
        let sure = self.weigh(pair, work);
        (terms(pair, &work.weights, chance), sure)
    }
}

impl Difference for UMeasureDifference {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn extent(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        directions: (bool, bool),
    ) -> DifferenceRange {
        let sure = self.weigh(pair, work);
        let solve = |weights: &mut WeightedPair| {
            let value = dot::largest(weights);
            (value, value)
        };
        DifferenceRange {
            sure,
            ..DifferenceRange::exact(in_both(directions, &mut work.weights, solve, WeightedPair::swap))
        }
    }

    fn assignment(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> Option<(Vec<u32>, Vec<f64>)> {
        self.weigh(pair, work);
        let numbers = pair.places.iter().map(|place| place.document).collect();
        Some((numbers, self.scale.grades(dot::solve(&work.weights).gains)))
    }

    fn moments(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (DifferenceMoments, Certainty) {
        let (terms, sure) = self.terms(pair, work, chance);
        (expected::dot(&terms), sure)
    }

    fn outcomes(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
        (points, _): (usize, u64),
    ) -> Option<Outcomes> {
        Some(Outcomes::of_terms(&self.terms(pair, work, chance).0, 1.0, points))
    }
}
