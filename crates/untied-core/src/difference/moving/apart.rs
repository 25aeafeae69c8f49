//! What the difference of two tied rankings cannot exceed: the highest value of one less the lowest of the other, over the
//! grades of all unknown documents, each by itself. Means over orders of ties are exact here, which the ceilings of AP, ERR
//! and Bpref only enclose by the best order of one and the worst of the other.
//!
//! Unknown documents that only the other ranking has count as pooled ones that are not retrieved: they may be relevant, too.

use super::known::{levels, ranking};
use super::question::{Orders, Question};
use crate::measures::Measure;
use crate::measures::bounds::{Bounds, Open, Resolution};
use crate::ranking::List;
use crate::table::Judgments;

/// The most documents of two rankings for which this is done: its time grows with the square of their number, and ties
/// change little in long rankings.
pub(crate) const MOST: usize = 500;

/// What S(A) - S(B) cannot exceed, nor S(B) - S(A); infinite where the measure has no bounds.
pub(crate) fn most(measure: &dyn Measure, of: &Question<'_>, grades: &[f64]) -> (f64, f64) {
    let levels = levels(of, of.outside);
    let known: Vec<f64> = levels.iter().map(|level| level.grade).collect();
    let truth = Judgments::of_levels(&known, &levels);
    let (a, b) = of.by_rank();
    let ends = |list: &List, by_rank: &[u32]| {
        let ranking = ranking(of, list, by_rank, None);
        let here = by_rank.iter().filter(|&&number| of.grades[number as usize].is_nan()).count();
        let bounds = |resolution| {
            let unretrieved = of.unknown - here;
            measure.bounds(&Open { ranking: &ranking, truth: &truth, resolution, grades, unretrieved })
        };
        let (lowest, highest) = match of.orders() {
            Orders::Any => (bounds(Resolution::Worst), bounds(Resolution::Best)),
            Orders::One | Orders::Mean => (bounds(Resolution::Mean), bounds(Resolution::Mean)),
        };
        (
            lowest.map_or(f64::NEG_INFINITY, |one| counted(one).low),
            highest.map_or(f64::INFINITY, |one| counted(one).high),
        )
    };
    let ((low_a, high_a), (low_b, high_b)) = (ends(of.a, &a), ends(of.b, &b));
    (high_a - low_b, high_b - low_a)
}

/// The same where an undefined value is 0, as it is for verdicts.
fn counted(bounds: Bounds) -> Bounds {
    if bounds.low.is_nan() { Bounds::new(0.0, 0.0) } else { bounds.with_zero() }
}
