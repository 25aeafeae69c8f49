//! Measures that add up over subtopics: novelty measures, and measures of single subtopics.
//!
//! If a document at rank i is relevant to subtopic j, and c documents above it are relevant to j, too, then it adds
//! `D(i) (1 - alpha)^c` to the score, where D is the discount. A judgment about one subtopic says nothing about
//! another. So the largest difference is the sum of those of all subtopics. For one subtopic, the sum times alpha is a
//! cascade whose user stops at a relevant document with the probability alpha. With alpha = 0, it is a dot product.
//! Subtopic recall, P-IA, AP-IA and D-nDCG add up Success, P, AP and nDCG.
//!
//! The sum over subtopics is divided by the value of k documents that are relevant to every subtopic, which no judgment
//! changes. If nothing is judged, all subtopics are alike, and one stands for all.
//!
//! RBU is a cascade by grade for each subtopic. The effort of looking makes no difference for MED with a cutoff, because
//! rankings are filled up to it.
//!
//! Subtopics are those with a relevant document in the qrels. An unknown document may be relevant to any of them.

use super::additive::{Additive, ndcg, precision};
use super::average_precision::average_precision;
use super::cascade::DiscountedCascade;
use super::first_relevant::success;
use super::layout::{DifferenceWorkspace, Scale};
use super::pair::{PairFacts, RankingPair, Subtopic};
use super::setup::{Options, Question, Setup};
use super::solution::{Chance, Difference, DifferenceRange, LargestDifference};
use super::solve::expected::DifferenceMoments;
use super::upper_bounds::UpperBounds;
use crate::elementary::{powf, powi};
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::measures::average_precision::AVERAGE_PRECISION;
use crate::measures::cascade::CASCADE;
use crate::measures::d_measure::global_gain;
use crate::measures::dcg::NDCG;
use crate::measures::diversity::{alpha, beta};
use crate::measures::gain::{DISCOUNT, Gain, logarithmic};
use crate::measures::hits::PRECISION;
use crate::measures::rbu::{effort, persistence};
use crate::measures::success::SUCCESS;
use crate::measures::{Certainty, Scope};
use crate::names::{Info, Spec, Value};
use crate::ranking::List;

/// The difference in a measure that adds up over subtopics.
struct NoveltyDifference {
    /// The difference for one subtopic, in which a document's gain is its grade.
    of_subtopic: Box<dyn Difference>,
    /// The lowest relevant grade.
    rel: f64,
    /// The gain of a grade.
    gain: Gain,
    /// The highest value for one subtopic. Values are divided by it.
    norm: f64,
    /// For RBU of rankings that are not filled up: the effort of looking at a document, and the probability of going on.
    effort: Option<(f64, f64)>,
}

pub(super) fn alpha_dcg(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    discounted(setup, alpha(setup.spec)?, logarithmic(cutoff(setup)?), None)
}

pub(super) fn err_ia(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    discounted(setup, 0.5, (1..=cutoff(setup)?).map(|rank| 1.0 / rank as f64).collect(), None)
}

/// The difference in NRBP and nNRBP. An endless ranking has the value 1 if all its documents are relevant to every
/// subtopic.
pub(super) fn nrbp(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let (alpha, beta) = (alpha(setup.spec)?, beta(setup.spec)?);
    let discounts = (0..setup.depth().max(1)).map(|i| powi(beta, i as i32)).collect();
    discounted(setup, alpha, discounts, Some(1.0 / (1.0 - (1.0 - alpha) * beta)))
}

/// The difference in a measure whose documents count less after others about the same subtopic. `most` is the highest
/// sum for a subtopic; by default, relevant documents are at all ranks with a discount.
fn discounted(setup: &Setup<'_>, alpha: f64, discounts: Vec<f64>, most: Option<f64>) -> Result<Box<dyn Difference>> {
    let go_on = (0..).scan(1.0, |power, _| Some(std::mem::replace(power, *power * (1.0 - alpha))));
    let most = most.unwrap_or_else(|| discounts.iter().zip(go_on).map(|(discount, go_on)| discount * go_on).sum());
    let relevant = Gain::From(setup.spec.rel()?);
    if alpha == 0.0 {
        return summed(setup, relevant, most, None, |setup, top| {
            Ok(Box::new(Additive::new(setup.scale(Gain::Linear, top), discounts)))
        });
    }
    let stop = Gain::Table(vec![(1.0, alpha)]);
    summed(setup, relevant, alpha * most, None, |setup, top| cascade(setup, stop, top, discounts))
}

pub(super) fn subtopic_recall(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    averaged(setup, &SUCCESS.info, success)
}

pub(super) fn p_ia(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    averaged(setup, &PRECISION.info, precision)
}

/// The difference in AP-IA. For MED, AP is divided by the depth; for verdicts, by the number of documents relevant to the
/// subtopic, which changes with the judgments.
pub(super) fn ap_ia(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let Question::Verdicts { .. } = setup.question else {
        return averaged(setup, &AVERAGE_PRECISION.info, average_precision);
    };
    let mut spec = Spec::of(&AVERAGE_PRECISION.info);
    spec.cutoff = setup.spec.cutoff;
    let question = Question::Verdicts { possible: &[1.0, 0.0] };
    summed(setup, Gain::From(setup.spec.rel()?), 1.0, None, |setup, _| {
        average_precision(&Setup { spec: &spec, question, ..*setup })
    })
}

/// The difference in the mean over subtopics of a measure of relevant documents.
fn averaged(
    setup: &Setup<'_>,
    of: &'static Info,
    make: fn(&Setup<'_>) -> Result<Box<dyn Difference>>,
) -> Result<Box<dyn Difference>> {
    let spec = &Spec::of(of).at(cutoff(setup)?)?;
    summed(setup, Gain::From(setup.spec.rel()?), 1.0, None, |setup, _| make(&Setup { spec, ..*setup }))
}

/// The difference in D-nDCG. Both the gains and the ideal gains are sums over subtopics.
pub(super) fn d_ndcg(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let mut spec = Spec::of(&NDCG.info).at(cutoff(setup)?)?;
    if let Some(discount) = setup.spec.parameter(DISCOUNT.name) {
        spec = spec.with(DISCOUNT.name, discount.clone())?;
    }
    summed(setup, global_gain(setup.spec)?, 1.0, None, |setup, _| ndcg(&Setup { spec: &spec, ..*setup }))
}

/// The difference in RBU. Without `max_grade`, all subtopics have the same one: the highest grade of any document.
pub(super) fn rank_biased_utility(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let (spec, p) = (setup.spec, persistence(setup.spec)?);
    if setup.options.stays_short && spec.parameter("max_grade").is_none() {
        let why = "without max_grade=, the grades of unjudged documents change what it is divided by";
        return Err(Error::Measure(format!("the verdict in {spec} is not known: {why}")));
    }
    let highest = setup.highest().max(highest(setup));
    let most = setup.max_grade(highest)?;
    if highest > most {
        return Err(Error::Value(format!("{spec}: grade {highest} is above max_grade = {most}")));
    }
    let stop = Gain::AtLeast(spec.rel()?, Box::new(Gain::Stop(most)));
    let discounts = (0..setup.depth().max(1)).map(|i| (1.0 - p) * powf(p, i as f64)).collect();
    // Rankings that are filled up to a cutoff cost the same effort.
    let effort = Some((effort(spec)?, p)).filter(|_| spec.cutoff.is_none() || setup.options.stays_short);
    summed(setup, stop, 1.0, effort, |setup, top| cascade(setup, Gain::Linear, top, discounts))
}

/// The cutoff of a measure that needs one.
pub(super) fn cutoff(setup: &Setup<'_>) -> Result<usize> {
    let name = setup.spec.info.name;
    let message =
        || format!("{name} needs a cutoff, for instance {name}@10, because its divisor depends on the cutoff");
    setup.spec.cutoff.ok_or_else(|| Error::Measure(message()))
}

/// The highest grade of an unknown document.
pub(super) fn highest(setup: &Setup<'_>) -> f64 {
    setup.options.max_grade.unwrap_or(setup.highest())
}

/// The sum over subtopics of the difference that `make` builds, divided by `norm`. In it, a document's gain is its
/// grade. `make` also gets the highest gain of an unknown document.
pub(super) fn summed(
    setup: &Setup<'_>,
    gain: Gain,
    norm: f64,
    effort: Option<(f64, f64)>,
    make: impl FnOnce(&Setup<'_>, f64) -> Result<Box<dyn Difference>>,
) -> Result<Box<dyn Difference>> {
    let top = gain.of(highest(setup));
    let options = &Options { max_grade: Some(top), ..*setup.options };
    let scope = &Scope { depth: setup.depth(), grades: &[top, 0.0] };
    let of_subtopic = make(&Setup { scope, options, ..*setup }, top)?;
    Ok(Box::new(NoveltyDifference { of_subtopic, rel: setup.spec.rel()?, gain, norm, effort }))
}

/// The difference in a cascade for one subtopic, whose user stops at a document with a probability equal to its gain.
fn cascade(setup: &Setup<'_>, gain: Gain, top: f64, discounts: Vec<f64>) -> Result<Box<dyn Difference>> {
    let mut spec = Spec::of(&CASCADE.info).with("discount", Value::List(discounts.clone()))?;
    if let Gain::Table(table) = &gain {
        spec = spec.with("gain", Value::Table(table.clone()))?;
    }
    spec.cutoff = setup.spec.cutoff;
    let setup = &Setup { spec: &spec, ..*setup };
    DiscountedCascade::boxed(setup, setup.scale(gain, top), discounts)
}

impl NoveltyDifference {
    /// Visits the pair once for each subtopic, with its judgments as grades 1 and 0. Returns the number of subtopics.
    fn each(&self, pair: &RankingPair<'_>, mut visit: impl FnMut(&RankingPair<'_>)) -> f64 {
        let mut number = 0.0;
        let mut visit_grades = |grades: Vec<f64>, levels: &[Level]| {
            number += 1.0;
            visit(&RankingPair { facts: PairFacts { grades: &grades, levels, subtopics: &[], ..pair.facts }, ..*pair });
        };
        let is_covered = |subtopic: &&Subtopic| subtopic.highest >= self.rel;
        let relevant = |&grade: &f64| if grade.is_nan() { grade } else { self.gain.of(grade) };
        for subtopic in pair.facts.subtopics.iter().filter(is_covered) {
            let gained = |level: &Level| Level { grade: self.gain.of(level.grade), ..*level };
            let levels: Vec<Level> = subtopic.levels.iter().map(gained).collect();
            visit_grades(subtopic.grades.iter().map(relevant).collect(), &levels);
        }
        if !pair.facts.subtopics.iter().any(|subtopic| is_covered(&subtopic)) {
            // If no subtopic has a relevant document, one stands for all. Judged documents are not relevant to it.
            let grades = pair.facts.grades.iter().map(|&grade| if grade.is_nan() { grade } else { 0.0 });
            visit_grades(grades.collect(), &[]);
        }
        number
    }

    /// The effort in A minus the effort in B: the sum of e (1-p) p^(i-1) over the ranks i that only A has.
    fn effort(&self, pair: &RankingPair<'_>) -> f64 {
        let seen = |list: &List| list.len().min(self.scale().cutoff.unwrap_or(usize::MAX)) as f64;
        self.effort.map_or(0.0, |(e, p)| e * (powf(p, seen(pair.b)) - powf(p, seen(pair.a))))
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

    fn assigns_grades(&self) -> bool {
        false
    }

    /// The bounds of AP-IA, whose verdicts are solved subtopic by subtopic. A document that is relevant to several counts
    /// for each of them, so the bounds for a number of documents may not be attained.
    fn upper_bounds(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> UpperBounds {
        let mut all: Vec<UpperBounds> = Vec::new();
        let number = self.each(pair, |pair| all.push(self.of_subtopic.upper_bounds(pair, work)));
        let most = all.iter().map(|bounds| bounds.by_count.len()).max().unwrap_or(1);
        let sum = |count: usize| all.iter().map(|bounds| bounds.at_most(count)).sum::<f64>() / (number * self.norm);
        let are_attained = |count: usize| all.iter().all(|bounds| bounds.is_attained(count));
        let from = are_attained(usize::MAX).then(|| pair.unknown());
        UpperBounds::partly((0..most).map(sum).collect(), from, if are_attained(0) { vec![0] } else { Vec::new() })
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
        let effort = self.effort(pair);
        let share = |(value, bound): (f64, f64), effort: f64| {
            let norm = number * self.norm;
            (value / norm - effort, bound / norm - effort)
        };
        DifferenceRange { up: share(sum.up, effort), down: share(sum.down, -effort), ..sum }
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
        let sum = sum.divided(number * self.norm);
        (DifferenceMoments { mean: sum.mean - self.effort(pair), ..sum }, sure)
    }
}
