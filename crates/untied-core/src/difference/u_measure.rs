//! The U-measure: a document's weight decays with the text before it.

use super::additive::terms;
use super::layout::{Scale, Workspace};
use super::pair::RankingPair;
use super::setup::Setup;
use super::solution::{Chance, Difference, Extent, Outcomes, in_both};
use super::solve::dot::{self, Weights};
use super::solve::expected::{self, Moments, Term};
use crate::error::Result;
use crate::measures::Certainty;
use crate::measures::u_measure::UMeasure;

/// U.
struct Reading {
    scale: Scale,
    measure: UMeasure,
}

pub(super) fn u_measure(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let scale = Scale { fills: false, ..setup.binary()? };
    Ok(Box::new(Reading { scale, measure: UMeasure::new(setup.spec, setup.scope)? }))
}

impl Reading {
    /// Write what documents weigh in either ranking to the workspace; whether that is exact.
    fn weigh(&self, pair: &RankingPair<'_>, work: &mut Workspace) -> Certainty {
        let Workspace { weights, discounts: (of_a, of_b), .. } = work;
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

    fn terms(&self, pair: &RankingPair<'_>, work: &mut Workspace, chance: Chance<'_>) -> (Vec<Term>, Certainty) {
        let sure = self.weigh(pair, work);
        (terms(pair, &work.weights, chance), sure)
    }
}

impl Difference for Reading {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn extent(&self, pair: &RankingPair<'_>, work: &mut Workspace, directions: (bool, bool)) -> Extent {
        let sure = self.weigh(pair, work);
        let solve = |weights: &mut Weights| {
            let value = dot::largest(weights);
            (value, value)
        };
        Extent { sure, ..Extent::exact(in_both(directions, &mut work.weights, solve, Weights::swap)) }
    }

    fn assignment(&self, pair: &RankingPair<'_>, work: &mut Workspace) -> Option<(Vec<u32>, Vec<f64>)> {
        self.weigh(pair, work);
        let numbers = pair.places.iter().map(|place| place.document).collect();
        Some((numbers, self.scale.grades(dot::solve(&work.weights).gains)))
    }

    fn moments(&self, pair: &RankingPair<'_>, work: &mut Workspace, chance: Chance<'_>) -> (Moments, Certainty) {
        let (terms, sure) = self.terms(pair, work, chance);
        (expected::dot(&terms), sure)
    }

    fn outcomes(
        &self,
        pair: &RankingPair<'_>,
        work: &mut Workspace,
        chance: Chance<'_>,
        (points, _): (usize, u64),
    ) -> Option<Outcomes> {
        Some(Outcomes::of_terms(&self.terms(pair, work, chance).0, 1.0, points))
    }
}
