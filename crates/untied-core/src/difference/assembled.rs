//! Two rankings whose unknown documents have a grade, or none yet, as a measure of one ranking takes them: what its own
//! means and bounds say about tied rankings, for verdicts in AP, ERR and Bpref.

use std::collections::BTreeMap;

use super::pair::{RankingPair, TieOrders};
use crate::grade::Level;
use crate::measures::Measure;
use crate::measures::bounds::{Bounds, Open, Resolution, judged};
use crate::ranking::{List, Ranking};
use crate::table::Judgments;

/// The most documents of two rankings whose bounds are taken apart: the time grows with the square of their number, and
/// ties change little in long rankings.
pub(crate) const LONGEST: usize = 500;

/// S(A) - S(B) if no unknown document is relevant, from the measure's own means over all orders of ties; the bounds of AP,
/// ERR and Bpref would only enclose it.
pub(crate) fn difference_if_nonrelevant(measure: &dyn Measure, pair: &RankingPair<'_>) -> f64 {
    let levels: Vec<Level> = judged(pair.facts.levels, 0.0, 0, pair.unknown() + pair.facts.outside).collect();
    let grades: Vec<f64> = levels.iter().map(|level| level.grade).collect();
    let truth = Judgments::of_levels(&grades, &levels);
    let value = |list: &List| {
        let mean = measure.mean(&ranking(pair, list, Some(0.0)), &truth);
        if mean.is_nan() { 0.0 } else { mean } // nothing is relevant
    };
    value(pair.a) - value(pair.b)
}

/// A ranking, for a measure; unknown documents have this grade, or are not judged where it is none.
fn ranking(pair: &RankingPair<'_>, list: &List, unknown: Option<f64>) -> Ranking {
    let mut ranking = Ranking::default();
    ranking.retrieved = list.len();
    let grade = |&number: &u32| Some(pair.facts.grades[number as usize]).filter(|grade| !grade.is_nan()).or(unknown);
    let mut start = 0;
    let ends: Vec<usize> = match list.is_tied() {
        true => list.ends.iter().map(|&end| end as usize).collect(),
        false => (1..=list.len()).collect(),
    };
    for end in ends {
        // Grades are not negative here, so their bits are in their order.
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        list.docs[start..end]
            .iter()
            .filter_map(grade)
            .for_each(|grade| *counts.entry(grade.to_bits()).or_default() += 1);
        let levels = counts.into_iter().rev().map(|(bits, count)| Level { grade: f64::from_bits(bits), count });
        ranking.push(start, end - start, levels);
        start = end;
    }
    ranking
}

/// What S(A) - S(B) cannot exceed, nor S(B) - S(A): the highest value of one ranking less the lowest of the other, over
/// the grades of all unknown documents, of each ranking by itself. Infinite where the measure has no bounds.
///
/// Means over orders of ties are exact here, which the bounds of AP, ERR and Bpref only enclose by the best order of one
/// ranking and the worst of the other. Unknown documents that only the other ranking has count as pooled ones that are not
/// retrieved: they may be relevant, too.
pub(crate) fn separate_bounds(
    measure: &dyn Measure,
    pair: &RankingPair<'_>,
    grades: &[f64],
    ties: TieOrders,
) -> (f64, f64) {
    let levels: Vec<Level> = judged(pair.facts.levels, 0.0, 0, pair.facts.outside).collect();
    let known: Vec<f64> = levels.iter().map(|level| level.grade).collect();
    let truth = Judgments::of_levels(&known, &levels);
    let unknown = pair.unknown();
    let ends = |list: &List| {
        let ranking = ranking(pair, list, None);
        let retrieved = list.docs.iter().filter(|&&document| pair.facts.grades[document as usize].is_nan()).count();
        let bounds = |resolution| {
            let unretrieved = unknown - retrieved;
            measure.bounds(&Open { ranking: &ranking, truth: &truth, resolution, grades, unretrieved })
        };
        let (lowest, highest) = match ties {
            TieOrders::BestWorst => (bounds(Resolution::Worst), bounds(Resolution::Best)),
            TieOrders::Mean => (bounds(Resolution::Mean), bounds(Resolution::Mean)),
        };
        (
            lowest.map_or(f64::NEG_INFINITY, |bounds| counted(bounds).low),
            highest.map_or(f64::INFINITY, |bounds| counted(bounds).high),
        )
    };
    let ((low_a, high_a), (low_b, high_b)) = (ends(pair.a), ends(pair.b));
    (high_a - low_b, high_b - low_a)
}

/// Bounds in which an undefined value counts as 0, because verdicts count it so.
fn counted(bounds: Bounds) -> Bounds {
    if bounds.low.is_nan() { Bounds::new(0.0, 0.0) } else { bounds.with_zero() }
}
