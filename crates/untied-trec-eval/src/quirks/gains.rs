//! Values that trec_eval computes with gains for some grades, `ndcg.1=3,2=9`.

use untied_core::error::Result;
use untied_core::measures::variants::{Gains, ndcg_at_changes};
use untied_core::measures::{Definition, Measure, Orders, Scope};
use untied_core::names::{Parameter, REL, Spec, Value};
use untied_core::ranking::Ranking;
use untied_core::registry::{self, parse_open};
use untied_core::table::Judgments;

use super::{P, list, quirk};

const PAIRS: Parameter = Parameter { name: "pairs", default: "", help: "grade, gain, grade, gain, ..." };

/// DCG with gains for some grades.
pub static DCG: Definition =
    quirk("dcg of trec_eval", "discounted cumulative gain", "sum over ranks i of gain_i / log2(1 + i)", &[PAIRS])
        .built_by(|spec, scope| Ok(Box::new(gains(spec, scope)?.0)));

/// nDCG with gains for some grades, and their ideal order as trec_eval sorts it.
pub static NDCG: Definition = quirk(
    "ndcg of trec_eval",
    "normalised discounted cumulative gain",
    "DCG / ideal DCG; gains that differ by less than 1 are not sorted in the ideal ranking",
    &[PAIRS],
)
.built_by(|spec, scope| {
    let (gains, pairs) = gains(spec, scope)?;
    Ok(Box::new(Sorted { gains, pairs, normalised: true }))
});

/// What that nDCG divides by.
pub static IDEAL_DCG: Definition = quirk(
    "ideal_dcg of trec_eval",
    "discounted cumulative gain of the ideal ranking",
    "DCG of all positive gains; those that differ by less than 1 are not sorted",
    &[PAIRS],
)
.built_by(|spec, scope| {
    let (gains, pairs) = gains(spec, scope)?;
    Ok(Box::new(Sorted { gains, pairs, normalised: false }))
});

/// G with gains for some grades.
pub static G: Definition = quirk(
    "G of trec_eval",
    "normalised gain, discounted by the gain missed",
    "as G, with gains for some grades",
    &[PAIRS],
)
.built_by(|spec, scope| registry::build(&with_gains("G", spec, scope)?, scope));

/// nDCGRel with gains for some grades.
pub static NDCG_REL: Definition = quirk(
    "ndcg_rel of trec_eval",
    "mean of nDCG at relevant documents",
    "as nDCGRel, with gains for some grades",
    &[PAIRS],
)
.built_by(|spec, scope| registry::build(&with_gains("nDCGRel", spec, scope)?, scope));

/// Rndcg, with gains for some grades: 0 where nothing is relevant, whatever the gains. The ranking's last rank is a
/// point only if at least two documents come after the ideal ranking's end.
pub static RNDCG: Definition = quirk(
    "Rndcg of trec_eval",
    "mean of nDCG at the ranks where the gain of the ideal ranking changes",
    "as Rndcg, but the last rank counts if it is two beyond; 0 if no document is relevant",
    &[PAIRS, REL],
)
.built_by(|spec, scope| {
    let rel = spec.rel()?;
    let undefined: Condition = Box::new(move |_, truth| truth.relevant(rel) == 0);
    let measure = ndcg_at_changes(&with_gains("Rndcg", spec, scope)?, scope, 2)?;
    Ok(Box::new(Unless { measure, undefined }))
});

/// RBP of version 10, with the scaling of gains that its code means (there the variables for it are never set).
pub static RBP: Definition = quirk(
    "rbp of trec_eval 10",
    "rank-biased precision",
    "(1-p) sum over ranks i of gain_i p^(i-1), gains scaled to 0 .. 1 where any is outside",
    &[P, PAIRS],
)
.built_by(|spec, scope| {
    let p = spec.number(P.name, 0.9, "a number", |_| true)?;
    let weights: Vec<f64> = (0..scope.depth).map(|i| (1.0 - p) * p.powi(i as i32)).collect();
    let pairs = pairs(spec);
    let judged = scope.grades.iter().filter(|&&grade| grade >= 0.0).map(|&grade| (grade, 1.0)).collect();
    let judged = Gains::of_table(judged, weights.clone(), scope);
    Ok(Box::new(Scaled { gains: Gains::of_table(completed(&pairs, scope.grades), weights, scope), judged, pairs }))
});

/// Gains by grade: those given, in their order.
type Pairs = Vec<(f64, f64)>;

fn pairs(spec: &Spec) -> Pairs {
    list(spec, PAIRS.name).chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The gains given, and the grades themselves for all others.
fn completed(given: &[(f64, f64)], grades: &[f64]) -> Pairs {
    let others = grades.iter().filter(|&&grade| grade > 0.0 && given.iter().all(|&(other, _)| other != grade));
    given.iter().copied().chain(others.map(|&grade| (grade, grade))).collect()
}

/// A measure of ours with the gains given.
fn with_gains(name: &str, spec: &Spec, scope: &Scope<'_>) -> Result<Spec> {
    let (measure, pairs) = (parse_open(name)?, pairs(spec));
    match pairs.is_empty() {
        true => Ok(measure),
        false => measure.with("gain", Value::table(completed(&pairs, scope.grades))?),
    }
}

/// DCG with the gains given, and these.
fn gains(spec: &Spec, scope: &Scope<'_>) -> Result<(Gains, Pairs)> {
    let pairs = pairs(spec);
    let discounts = (1..=scope.depth).map(|i| 1.0 / (i as f64 + 1.0).log2()).collect();
    Ok((Gains::of_table(completed(&pairs, scope.grades), discounts, scope), pairs))
}

/// Grades to which all are listed, whether a document has them or not.
const LISTED: u32 = 1 << 16;

/// A topic's gains as trec_eval lists them before it sorts: those given, then the grades 0, 1, .. up to the topic's
/// highest that are not among them; with the number of documents. Of very high grades only those that documents have
/// are listed: a grade must not decide how much memory is taken.
fn listed(pairs: &[(f64, f64)], truth: &Judgments<'_>) -> Vec<(f64, u32)> {
    let count = |grade: f64| truth.levels.iter().find(|level| level.grade == grade).map_or(0, |level| level.count);
    let highest = truth.levels.first().map_or(-1.0, |level| level.grade.floor());
    let low = (0..=LISTED).map(f64::from).take_while(|&grade| grade <= highest);
    let high = truth.levels.iter().rev().map(|level| level.grade).filter(|&grade| grade > f64::from(LISTED));
    let others = low.chain(high);
    let others = others.filter(|&grade| pairs.iter().all(|&(other, _)| other != grade)).map(|grade| (grade, grade));
    let all = pairs.iter().copied().chain(others);
    all.map(|(grade, gain)| (gain, if grade <= highest { count(grade) } else { 0 })).collect()
}

/// Merge sort by a difference of which only the integer part is looked at: gains that differ by less than 1 are equal.
fn sort_as_integers(gains: &mut [(f64, u32)]) {
    if gains.len() < 2 {
        return;
    }
    let middle = gains.len() / 2;
    sort_as_integers(&mut gains[..middle]);
    sort_as_integers(&mut gains[middle..]);
    let halves = gains.to_vec();
    let (one, other) = halves.split_at(middle);
    let (mut i, mut j) = (0, 0);
    for place in gains {
        let from_one = j == other.len() || (i < one.len() && (one[i].0 - other[j].0) as i32 <= 0);
        *place = if from_one { one[i] } else { other[j] };
        if from_one { i += 1 } else { j += 1 }
    }
}

/// A DCG whose ideal comes from gains in that order.
struct Sorted {
    gains: Gains,
    pairs: Pairs,
    normalised: bool,
}

impl Sorted {
    /// The ideal DCG, or NaN: it ends at the first gain that is not positive.
    fn ideal(&self, truth: &Judgments<'_>) -> f64 {
        let mut gains = listed(&self.pairs, truth);
        sort_as_integers(&mut gains);
        gains.reverse();
        if gains.first().is_none_or(|&(gain, _)| gain <= 0.0) {
            return f64::NAN;
        }
        let ideal = self.gains.ideal_dcg(gains.into_iter().filter(|&(_, count)| count > 0));
        if ideal > 0.0 { ideal } else { f64::NAN }
    }
}

impl Measure for Sorted {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let ideal = self.ideal(truth);
        if self.normalised { self.gains.mean(ranking, truth) / ideal } else { ideal }
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let ideal = self.ideal(truth);
        if self.normalised { self.gains.variance(ranking, truth) / (ideal * ideal) } else { ideal * 0.0 }
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let ideal = self.ideal(truth);
        let (low, high) = self.gains.extremes(orders, truth);
        if self.normalised { (low / ideal, high / ideal) } else { (ideal, ideal) }
    }
}

/// RBP whose gains are scaled to 0 .. 1, topic by topic, if any of them is outside.
struct Scaled {
    gains: Gains,
    /// The weight of the judged documents.
    judged: Gains,
    pairs: Pairs,
}

impl Scaled {
    /// The smallest of the topic's gains, and how far the largest is from it.
    fn scale(&self, truth: &Judgments<'_>) -> (f64, f64) {
        let ends = listed(&self.pairs, truth).into_iter().map(|(gain, _)| (gain, gain));
        match ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) {
            Some((least, most)) if least < 0.0 || most > 1.0 => (least, most - least),
            _ => (0.0, 1.0),
        }
    }
}

impl Measure for Scaled {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let (least, by) = self.scale(truth);
        let shift = if least == 0.0 { 0.0 } else { least * self.judged.mean(ranking, truth) };
        (self.gains.mean(ranking, truth) - shift) / by
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let (least, by) = self.scale(truth);
        if least == 0.0 { self.gains.variance(ranking, truth) / (by * by) } else { f64::NAN }
    }
}

type Condition = Box<dyn Fn(&Ranking, &Judgments<'_>) -> bool + Send + Sync>;

/// A measure that is not defined in some more cases.
struct Unless {
    measure: Box<dyn Measure>,
    undefined: Condition,
}

impl Measure for Unless {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        if (self.undefined)(ranking, truth) { f64::NAN } else { self.measure.mean(ranking, truth) }
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.measure.variance(ranking, truth)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        if (self.undefined)(&orders.tied, truth) { (f64::NAN, f64::NAN) } else { self.measure.extremes(orders, truth) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_closer_than_1_are_not_sorted() {
        let sorted = |gains: &[f64]| {
            let mut gains: Vec<(f64, u32)> = gains.iter().map(|&gain| (gain, 1)).collect();
            sort_as_integers(&mut gains);
            gains.into_iter().map(|(gain, _)| gain).collect::<Vec<_>>()
        };
        assert_eq!(sorted(&[9.0, 4.5, 0.0, 3.0, 2.0]), [0.0, 2.0, 3.0, 4.5, 9.0]);
        // -m ndcg.1=0.9,2=0.5,3=0.7: grade 0 comes last, which is taken for the highest gain.
        assert_eq!(sorted(&[0.9, 0.5, 0.7, 0.0]), [0.9, 0.5, 0.7, 0.0]);
        assert_eq!(sorted(&[]), [0.0; 0]);
    }

    #[test]
    fn high_grades_take_no_more_room_than_their_documents() {
        let levels =
            [(9e15, 1), (70_000.0, 2), (1.0, 3)].map(|(grade, count)| untied_core::grade::Level { grade, count });
        let gains = listed(&[(1.0, 0.5)], &Judgments::none().with_levels(&levels));
        assert_eq!(gains.len(), 1 + LISTED as usize + 2);
        assert_eq!((gains[0], gains[1]), ((0.5, 3), (0.0, 0)));
        assert_eq!(gains[gains.len() - 2..], [(70_000.0, 2), (9e15, 1)]);
    }
}
