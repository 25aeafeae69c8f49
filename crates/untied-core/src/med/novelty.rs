//! Measures of novelty: what relevant documents are worth to each subtopic, added up.
//!
//! A document at rank i that is relevant to subtopic j, after c others that are, adds `D(i) (1 - alpha)^c`. Whether a
//! document is relevant to one subtopic says nothing about another, so the largest difference is that of each subtopic,
//! added up. Times alpha, a subtopic's sum is a cascade whose user stops at a relevant document with probability alpha
//! (with alpha = 0 it is a dot product; subtopic recall and P-IA add up Success and P). All is divided by the value of k documents that are relevant to every subtopic,
//! which no judgment changes. Without judgments subtopics are alike, and one stands for all.
//!
//! Subtopics are those to which the qrels have a relevant document, as for the measures; unknown documents may be
//! relevant to any of these.

use super::effect::{Both, Subtopic, Workspace};
use super::expected::Moments;
use super::form::{Base, Extent, Form, Options};
use crate::error::{Error, Result};
use crate::measures::cascade::CASCADE;
use crate::measures::dcg::{DCG, discounts};
use crate::measures::hits::PRECISION;
use crate::measures::success::SUCCESS;
use crate::measures::{Build, Certainty, Scope};
use crate::names::{Spec, Value};
use crate::ranking::Placed;

/// See above.
pub(super) struct Novelty {
    /// Of one subtopic.
    form: Form,
    rel: f64,
    /// What its values are divided by.
    norm: f64,
}

impl Novelty {
    /// The form of a measure of novelty, where unjudged documents have at most this grade.
    ///
    /// # Errors
    /// It has no cutoff, or a parameter has a value it cannot take.
    pub fn new(of: &Spec, max_grade: Option<f64>, of_one: Build) -> Result<Novelty> {
        let Some(k) = of.cutoff else {
            let name = of.info.name;
            return Err(Error::Measure(format!(
                "{name} needs a cutoff, for instance {name}@10: it is divided by the value of so many documents"
            )));
        };
        let discounted = |alpha: f64, discount: &str| {
            // The gain of a relevant document.
            let (measure, one) = if alpha > 0.0 { (&CASCADE.info, alpha) } else { (&DCG.info, 1.0) };
            let gain = Value::Table(vec![(1.0, one)]);
            let discount = Value::Text(discount.into());
            let of_subtopic = Spec::of(measure).with("gain", gain)?.with("discount", discount)?.at(k)?;
            let go_on = (0..).scan(1.0, |power, _| Some(std::mem::replace(power, *power * (1.0 - alpha))));
            let best =
                discounts(&of_subtopic, k)?.iter().zip(go_on).map(|(discount, go_on)| discount * go_on).sum::<f64>();
            Ok((of_subtopic, one * best))
        };
        let (of_subtopic, norm) = match of.info.name {
            "StRecall" => (Spec::of(&SUCCESS.info).at(k)?, 1.0),
            "P_IA" => (Spec::of(&PRECISION.info).at(k)?, 1.0),
            "ERR_IA" | "nERR_IA" => discounted(0.5, "inverse")?,
            _ => {
                let share = |alpha: f64| (0.0..=1.0).contains(&alpha);
                discounted(of.number("alpha", 0.5, "a number from 0 to 1", share)?, "log2")?
            }
        };
        let rel = of.rel()?;
        let options = Options {
            max_grade: Some(f64::from(u8::from(max_grade.is_none_or(|most| most >= rel)))),
            tail: false,
            base: Base::Depth,
            per_grade: None,
            optimistic: false,
        };
        let form = Form::new(&of_subtopic, options, &Scope { depth: k, grades: &[1.0, 0.0] }, of_one)?;
        Ok(Novelty { form, rel, norm })
    }

    /// Go through the subtopics, for which grades are 1 and 0; their number.
    fn each(&self, both: &Both<'_>, mut visit: impl FnMut(&Both<'_>)) -> f64 {
        let mut number = 0.0;
        let mut of = |grades: Vec<f64>| {
            number += 1.0;
            visit(&Both { grades: &grades, subtopics: &[], ..*both });
        };
        let is_covered = |subtopic: &&Subtopic| subtopic.highest >= self.rel;
        let relevant = |&grade: &f64| if grade.is_nan() { grade } else { f64::from(u8::from(grade >= self.rel)) };
        for subtopic in both.subtopics.iter().filter(is_covered) {
            of(subtopic.grades.iter().map(relevant).collect());
        }
        if !both.subtopics.iter().any(|subtopic| is_covered(&subtopic)) {
            // What is judged is relevant to none of however many there are.
            of(both.grades.iter().map(|&grade| if grade.is_nan() { grade } else { 0.0 }).collect());
        }
        number
    }

    /// See [`Form::extent`].
    pub fn extent(&self, both: &Both<'_>, work: &mut Workspace, directions: (bool, bool)) -> Extent {
        let mut sum = Extent { up: (0.0, 0.0), down: (0.0, 0.0), unseen: (0.0, 0.0), sure: Certainty::Exact };
        let number = self.each(both, |both| {
            let Extent { up, down, .. } = self.form.extent(both, work, directions);
            sum.up = (sum.up.0 + up.0, sum.up.1 + up.1);
            sum.down = (sum.down.0 + down.0, sum.down.1 + down.1);
        });
        let share = |(value, bound): (f64, f64)| (value / (number * self.norm), bound / (number * self.norm));
        Extent { up: share(sum.up), down: share(sum.down), ..sum }
    }

    /// See [`Form::moments`].
    pub fn moments(
        &self,
        both: &Both<'_>,
        work: &mut Workspace,
        chance: &dyn Fn(&Placed) -> f64,
    ) -> (Moments, Certainty) {
        let (mut sum, mut sure) = (Moments::default(), Certainty::Exact);
        let number = self.each(both, |both| {
            let (moments, certainty) = self.form.moments(both, work, chance);
            sum.mean += moments.mean;
            sum.variance += moments.variance;
            sure = sure.max(certainty);
        });
        let norm = number * self.norm;
        (Moments { mean: sum.mean / norm, variance: sum.variance / (norm * norm) }, sure)
    }
}

/// Discounts of a cascade whose largest difference is known.
///
/// # Errors
/// Its user goes on after a document with another probability than 1 - gain, or grade 0 gains something, or discounts
/// are below 0 or rise.
pub(super) fn falling(of: &Spec, depth: usize) -> Result<Vec<f64>> {
    let refuse = |why: &str| Err(Error::Measure(format!("the largest difference in {of} is not known: {why}")));
    if of.parameter("go_on").is_some() {
        return refuse("go_on must be 1 - gain");
    }
    let gains_nothing = |table: &[(f64, f64)]| table.iter().all(|&(grade, gain)| grade != 0.0 || gain == 0.0);
    if matches!(of.parameter("gain"), Some(Value::Table(table)) if !gains_nothing(table)) {
        return refuse("grade 0 must gain nothing");
    }
    let mut found = if of.parameter("discount").is_some() { discounts(of, depth)? } else { vec![1.0; depth] };
    found.resize(depth, 0.0); // a list may be shorter
    if !found.is_sorted_by(|one, next| one >= next) || found.last().is_some_and(|&last| last < 0.0) {
        return refuse("discounts must not rise, nor be below 0");
    }
    Ok(found)
}
