//! The exact difference of two tied rankings if no unknown document is relevant, from the measure's own means over all
//! orders; the ceilings of AP, ERR and Bpref would only enclose it.

use std::collections::BTreeMap;

use super::question::Question;
use crate::grade::Level;
use crate::measures::Measure;
use crate::ranking::{List, Ranking};
use crate::table::Judgments;

/// S(A) - S(B), every unknown document being judged non-relevant.
pub(crate) fn difference(measure: &dyn Measure, of: &Question<'_>) -> f64 {
    let levels = levels(of, of.unknown + of.outside);
    let grades: Vec<f64> = levels.iter().map(|level| level.grade).collect();
    let truth = Judgments::of_levels(&grades, &levels);
    let (a, b) = of.by_rank();
    let value = |list: &List, by_rank: &[u32]| {
        let mean = measure.mean(&ranking(of, list, by_rank, Some(0.0)), &truth);
        if mean.is_nan() { 0.0 } else { mean } // nothing is relevant
    };
    value(of.a, &a) - value(of.b, &b)
}

/// The judged documents by grade, with so many more that are non-relevant.
pub(crate) fn levels(of: &Question<'_>, more: usize) -> Vec<Level> {
    let mut levels: Vec<Level> = of.levels.iter().copied().filter(|level| level.grade >= 0.0).collect();
    match levels.last_mut() {
        Some(last) if last.grade == 0.0 => last.count += more as u32,
        _ => levels.push(Level { grade: 0.0, count: more as u32 }),
    }
    levels
}

/// A ranking, for a measure; unknown documents have this grade, or are not judged where it is none.
pub(crate) fn ranking(of: &Question<'_>, list: &List, by_rank: &[u32], unknown: Option<f64>) -> Ranking {
    let mut ranking = Ranking::default();
    ranking.retrieved = by_rank.len();
    let grade = |&number: &u32| Some(of.grades[number as usize]).filter(|grade| !grade.is_nan()).or(unknown);
    let mut start = 0;
    let ends: Vec<usize> = match list.is_tied() {
        true => list.ends.iter().map(|&end| end as usize).collect(),
        false => (1..=by_rank.len()).collect(),
    };
    for end in ends {
        // Grades are not negative here, so their bits are in their order.
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        by_rank[start..end].iter().filter_map(grade).for_each(|one| *counts.entry(one.to_bits()).or_default() += 1);
        let levels = counts.into_iter().rev().map(|(bits, count)| Level { grade: f64::from_bits(bits), count });
        ranking.push(start, end - start, levels);
        start = end;
    }
    ranking
}
