//! O-measure: the blended ratio at the first relevant document.
//!
//! Only the first group with relevant documents matters. Wherever its first relevant document is, each of them is
//! equally likely to be this one. So a group at ranks t+1 .. t+n adds
//!
//!   E = sum over x of P(the first relevant one is the x-th) (1 + beta times their mean gain) / D(t+x).
//!
//! The value falls with the rank and grows with the gain, so the orders by grade are the best and the worst one.

use super::bounds::one_grade::of_first;
use super::bounds::{Bounds, Open};
use super::q_measure::{BETA, Blend, BlendKind, GAINS};
use super::reciprocal_rank::positions;
use super::{Definition, Measure};
use crate::names::{Info, JUDGED_ONLY, REL};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

/// The O-measure.
pub static O_MEASURE: Definition = Info {
    name: "O",
    aliases: &["O-measure", "Omeasure", "O_measure"],
    title: "the O-measure, a reciprocal rank for graded relevance",
    parameters: &[BETA, GAINS, REL, JUDGED_ONLY],
    equation: "O = BR(i) at the rank i of the first relevant document, BR the blended ratio of Q; 0 if none is retrieved",
    tex: r"\mathrm{O} = \mathrm{BR}(i) \text{ at the first relevant rank } i",
    reference: "Sakai 2006, 2007; ties: as RR, with the mean gain of the group's relevant documents",
    ..Info::DEFAULT
}
.built_by(|spec, scope| Ok(Box::new(OMeasure { blend: Blend::new(spec, scope)? })));

struct OMeasure {
    blend: Blend,
}

impl OMeasure {
    /// The first group with relevant documents, these documents, and D at its positions; none if no relevant document
    /// is retrieved.
    fn first<'r>(&self, ranking: &'r Ranking, truth: &Judgments<'_>) -> Option<(Group<'r>, Vec<BlendKind>, Vec<f64>)> {
        let group = ranking.groups().find(|group| group.relevant(self.blend.rel) > 0)?;
        let costs = self.blend.costs(truth, group.start + group.size).split_off(group.start);
        Some((group, self.blend.kinds(group.levels), costs))
    }
}

impl Measure for OMeasure {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        if truth.relevant(self.blend.rel) == 0 {
            return f64::NAN;
        }
        let Some((group, kinds, costs)) = self.first(ranking, truth) else { return 0.0 };
        let (values, relevant) = total(&kinds);
        let mut mean = 0.0;
        positions(group.size, relevant, group.size, |x, probability| mean += probability / costs[x - 1]);
        mean * (values / relevant as f64)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mean = self.mean(ranking, truth);
        let Some((group, kinds, costs)) = self.first(ranking, truth) else { return mean * 0.0 };
        let relevant = total(&kinds).1;
        let mut variance = 0.0;
        positions(group.size, relevant, group.size, |x, probability| {
            for kind in &kinds {
                let share = kind.count as f64 / relevant as f64;
                variance += probability * share * (kind.value / costs[x - 1] - mean).powi(2);
            }
        });
        variance
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        of_first(self, open, self.blend.rel)
    }
}

/// The sum of what relevant documents count, and their number.
fn total(kinds: &[BlendKind]) -> (f64, usize) {
    kinds.iter().fold((0.0, 0), |(values, count), kind| (values + kind.count as f64 * kind.value, count + kind.count))
}
