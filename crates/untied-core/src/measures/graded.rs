//! What graded measures share that compare a ranking with the ideal one rank by rank.

use super::Scope;
use super::gain::{GAIN, Gain};
use crate::elementary::log2;
use crate::error::{Error, Result};
use crate::grade::{self, Level};
use crate::names::Spec;
use crate::ranking::Ranking;
use crate::table::Judgments;

/// Reads the parameter `gain`, and refuses negative gains.
pub(super) fn gain(spec: &Spec, scope: &Scope<'_>) -> Result<Gain> {
    let gain = Gain::new(spec, scope.grades)?;
    match scope.grades.iter().find(|&&grade| gain.of(grade) < 0.0) {
        Some(grade) => Err(Error::Value(format!("{spec}: {} of grade {grade} is negative", GAIN.name))),
        None => Ok(gain),
    }
}

/// The same ranking with gains as grades. Documents without a gain are left out.
pub(super) fn by_gain(ranking: &Ranking, gain: &Gain) -> Ranking {
    let mut gains = Ranking::default();
    gains.retrieved = ranking.retrieved;
    let mut levels = Vec::new();
    for group in ranking.groups() {
        descending(group.levels, gain, &mut levels);
        if !levels.is_empty() {
            gains.push(group.start, group.size, levels.iter().copied());
        }
    }
    gains
}

/// Writes the positive gains of documents, each once, to `gains`.
fn descending(levels: &[Level], gain: &Gain, gains: &mut Vec<Level>) {
    let all = levels.iter().map(|level| Level { grade: gain.of(level.grade), ..*level });
    gains.clear();
    gains.extend(all.filter(|level| level.grade > 0.0));
    grade::merge(gains);
}

/// The ideal ranking: all positive gains, highest first.
pub(super) struct Ideal {
    pub(super) levels: Vec<Level>,
}

impl Ideal {
    /// None if no document gains anything.
    pub(super) fn new(truth: &Judgments<'_>, gain: &Gain) -> Option<Ideal> {
        let mut levels = Vec::new();
        descending(truth.levels, gain, &mut levels);
        (!levels.is_empty()).then_some(Ideal { levels })
    }

    /// The gains of its documents, rank by rank.
    pub(super) fn gains(&self) -> impl Iterator<Item = f64> {
        self.levels.iter().flat_map(|level| std::iter::repeat_n(level.grade, level.count as usize))
    }

    /// Its DCG at each rank, from rank 1 on.
    pub(super) fn dcg(&self) -> Vec<f64> {
        let terms = self.gains().zip(1..).map(|(gain, rank)| gain / log(rank));
        terms.scan(0.0, |dcg, term| Some(add(dcg, term))).collect()
    }
}

fn add(total: &mut f64, term: f64) -> f64 {
    *total += term;
    *total
}

/// log2(1 + rank), what a gain is divided by.
pub(super) fn log(rank: usize) -> f64 {
    log2((rank + 1) as f64)
}
