//! Measures of novelty: gains of relevant documents added up over subtopics.
//!
//! Let a document at rank i be relevant to subtopic j, and let c documents above it be relevant to j, too. Then it adds
//! `D(i) (1 - alpha)^c` to the score, where D is the discount. Whether a document is relevant to one subtopic says
//! nothing about another one, so the largest difference is the sum of those of all subtopics. Times alpha, a subtopic's
//! sum is a cascade whose user stops at a relevant document with the probability alpha. (With alpha = 0 it is a dot
//! product; subtopic recall and P-IA add up Success and P.) The sum over subtopics is divided by the value of k
//! documents that are relevant to every subtopic, which no judgment changes. Without judgments all subtopics are alike,
//! and one stands for all.
//!
//! Subtopics are those to which the qrels have a relevant document, as for the measures; unknown documents may be
//! relevant to any of these.

use super::additive::{Additive, precision};
use super::cascade::DiscountedCascade;
use super::first_relevant::success;
use super::layout::{DifferenceWorkspace, Scale};
use super::pair::{PairFacts, RankingPair, Subtopic};
use super::setup::{Options, Setup};
use super::solution::{Chance, Difference, DifferenceRange, LargestDifference};
use super::solve::expected::DifferenceMoments;
use crate::error::{Error, Result};
use crate::measures::cascade::CASCADE;
use crate::measures::diversity::{ERR_IA, NERR_IA, P_IA, SUBTOPIC_RECALL};
use crate::measures::gain::{Gain, logarithmic};
use crate::measures::hits::PRECISION;
use crate::measures::success::SUCCESS;
use crate::measures::{Certainty, Scope};
use crate::names::{Spec, Value};

/// The difference in a measure of novelty, a sum over subtopics.
struct NoveltyDifference {
    /// The difference for one subtopic.
    of_subtopic: Box<dyn Difference>,
    /// The lowest grade that counts as relevant.
    rel: f64,
    /// The highest value for one subtopic, by which values are divided.
    norm: f64,
}

pub(super) fn novelty(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let spec = setup.spec;
    let Some(k) = spec.cutoff else {
        let name = spec.info.name;
        return Err(Error::Measure(format!(
            "{name} needs a cutoff, for instance {name}@10, because its divisor depends on the cutoff"
        )));
    };
    let rel = spec.rel()?;
    let max_grade = f64::from(u8::from(setup.options.max_grade.is_none_or(|most| most >= rel)));
    let options = &Options { max_grade: Some(max_grade), ..*setup.options };
    let scope = &Scope { depth: k, grades: &[1.0, 0.0] };
    let of_subtopic = |spec: &Spec, make: &dyn Fn(&Setup<'_>) -> Result<Box<dyn Difference>>| {
        make(&Setup { spec, scope, options, ..*setup })
    };
    let discounted = |alpha: f64, discounts: Vec<f64>| {
        // The gain of a relevant document.
        let gain = if alpha > 0.0 { alpha } else { 1.0 };
        let go_on = (0..).scan(1.0, |power, _| Some(std::mem::replace(power, *power * (1.0 - alpha))));
        let best = discounts.iter().zip(go_on).map(|(discount, go_on)| discount * go_on).sum::<f64>();
        let scale = Scale::new(Gain::Table(vec![(1.0, gain)]), max_grade, Some(k));
        if alpha == 0.0 {
            return Ok((Box::new(Additive::new(scale, discounts)) as Box<dyn Difference>, best));
        }
        let cascade = Spec::of(&CASCADE.info).with("gain", Value::Table(vec![(1.0, gain)]))?;
        let cascade = cascade.with("discount", Value::List(discounts.clone()))?.at(k)?;
        Ok((
            of_subtopic(&cascade, &|setup| DiscountedCascade::boxed(setup, scale.clone(), discounts.clone()))?,
            gain * best,
        ))
    };
    let (of_subtopic, norm) = if *spec.info == SUBTOPIC_RECALL.info {
        (of_subtopic(&Spec::of(&SUCCESS.info).at(k)?, &success)?, 1.0)
    } else if *spec.info == P_IA.info {
        (of_subtopic(&Spec::of(&PRECISION.info).at(k)?, &precision)?, 1.0)
    } else if [&ERR_IA.info, &NERR_IA.info].contains(&spec.info) {
        discounted(0.5, (1..=k).map(|rank| 1.0 / rank as f64).collect())?
    } else {
        let share = |alpha: f64| (0.0..=1.0).contains(&alpha);
        discounted(spec.number("alpha", 0.5, "a number from 0 to 1", share)?, logarithmic(k))?
    };
    Ok(Box::new(NoveltyDifference { of_subtopic, rel, norm }))
}

impl NoveltyDifference {
    /// Visits the pair once for each subtopic, with the judgments for this subtopic as grades 1 and 0. Returns the
    /// number of subtopics.
    fn each(&self, pair: &RankingPair<'_>, mut visit: impl FnMut(&RankingPair<'_>)) -> f64 {
        let mut number = 0.0;
        let mut visit_grades = |grades: Vec<f64>| {
            number += 1.0;
            visit(&RankingPair { facts: PairFacts { grades: &grades, subtopics: &[], ..pair.facts }, ..*pair });
        };
        let is_covered = |subtopic: &&Subtopic| subtopic.highest >= self.rel;
        let relevant = |&grade: &f64| if grade.is_nan() { grade } else { f64::from(u8::from(grade >= self.rel)) };
        for subtopic in pair.facts.subtopics.iter().filter(is_covered) {
            visit_grades(subtopic.grades.iter().map(relevant).collect());
        }
        if !pair.facts.subtopics.iter().any(|subtopic| is_covered(&subtopic)) {
            // Without a subtopic that has a relevant document, one stands for all: judged documents are not relevant to
            // it.
            visit_grades(pair.facts.grades.iter().map(|&grade| if grade.is_nan() { grade } else { 0.0 }).collect());
        }
        number
    }
}

impl Difference for NoveltyDifference {
    fn scale(&self) -> &Scale {
        self.of_subtopic.scale()
    }

    /// The largest difference, without an assignment, because a document would have a grade for each subtopic.
    fn solve(&self, pair: &RankingPair<'_>, _: usize, work: &mut DifferenceWorkspace) -> LargestDifference {
        let DifferenceRange { up: (value, bound), .. } = self.extent(pair, work, (true, false));
        LargestDifference { value, bound, assignment: None }
    }

    fn extent(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        directions: (bool, bool),
    ) -> DifferenceRange {
        let mut sum = DifferenceRange::exact(((0.0, 0.0), (0.0, 0.0)));
        let number = self.each(pair, |pair| {
            let DifferenceRange { up, down, .. } = self.of_subtopic.extent(pair, work, directions);
            sum.up = (sum.up.0 + up.0, sum.up.1 + up.1);
            sum.down = (sum.down.0 + down.0, sum.down.1 + down.1);
        });
        let share = |(value, bound): (f64, f64)| (value / (number * self.norm), bound / (number * self.norm));
        DifferenceRange { up: share(sum.up), down: share(sum.down), ..sum }
    }

    fn moments(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (DifferenceMoments, Certainty) {
        let (mut sum, mut sure) = (DifferenceMoments::default(), Certainty::Exact);
        let number = self.each(pair, |pair| {
            let (moments, certainty) = self.of_subtopic.moments(pair, work, chance);
            sum.mean += moments.mean;
            sum.variance += moments.variance;
            sure = sure.max(certainty);
        });
        (sum.divided(number * self.norm), sure)
    }
}
