//! A measure from a user's formula, which computes the value of one order and is called for many orders of ties.
//!
//! The mean is exact if tied documents can be arranged in few ways; otherwise orders are drawn with a fixed seed (see
//! `sampling`). A formula may also take tied rankings and average over orders itself. Documents are interchangeable if
//! the formula cannot see how they differ.

use std::sync::{Mutex, PoisonError};

use super::bounds::{self, Bounds, Open};
use super::orders::Outcome;
use super::orders::sampling::{self, Statistics};
use super::{Certainty, Measure, Orders};
use crate::error::Failure;
use crate::grade::Level;
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;
use crate::watch;

/// Computes the value of a ranking.
pub type ValueOf<'a> = dyn FnMut(&Ranking) -> f64 + 'a;

/// The user's code.
pub trait Callback: Send + Sync {
    /// Calls `work` with the function that computes the value of a ranking of one query, which is NaN after it failed.
    fn with(&self, truth: &Judgments<'_>, work: &mut dyn FnMut(&mut ValueOf<'_>));

    /// The exception that the code raised in this thread since the last call, if it raised one.
    fn failure(&self) -> Option<Failure>;
}

/// The documents of a ranking that a formula is given.
pub struct Documents(usize);

impl Documents {
    /// Those within the cutoff; with whole groups, all that are tied with them too.
    pub fn new(ranking: &Ranking, cutoff: Option<usize>, whole_groups: bool) -> Documents {
        let depth = ranking.retrieved.min(cutoff.unwrap_or(usize::MAX));
        let last = ranking.groups().last().filter(|_| whole_groups);
        Documents(last.map_or(depth, |group| depth.max(group.start + group.size)))
    }

    fn fill<T: Copy>(&self, ranking: &Ranking, none: T, of: impl Fn(&Level) -> T) -> Vec<T> {
        let mut filled = vec![none; self.0];
        for group in ranking.groups() {
            let mut at = group.start;
            for level in group.levels {
                let end = at + level.count as usize;
                filled[at.min(self.0)..end.min(self.0)].fill(of(level));
                at = end;
            }
        }
        filled
    }

    /// Their grades, 0 where it is negative or there is none.
    pub fn grades(&self, ranking: &Ranking) -> Vec<f64> {
        self.fill(ranking, 0.0, |level| level.grade.max(0.0))
    }

    /// Whether something is true of them; nothing is of documents without a judgment.
    pub fn flags(&self, ranking: &Ranking, of: impl Fn(&Level) -> bool) -> Vec<bool> {
        self.fill(ranking, false, of)
    }

    /// Where groups begin and end; documents that no group holds are not judged, and stand by themselves.
    pub fn groups(&self, ranking: &Ranking) -> Vec<(usize, usize)> {
        let mut bounds = Vec::new();
        let mut at = 0;
        for group in ranking.groups() {
            bounds.extend((at..group.start).map(|rank| (rank, rank + 1)));
            at = group.start + group.size;
            bounds.push((group.start, at));
        }
        bounds.extend((at..self.0).map(|rank| (rank, rank + 1)));
        bounds
    }
}

/// What a formula can see of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// Grades above 0.
    Grades,
    /// Grades, and whether a document is judged.
    Judged,
    /// Grades, and whether a document is judged or only in the pool.
    Pooled,
}

/// What a formula receives, and what its author promises.
#[derive(Debug, Clone, Copy)]
pub struct Traits {
    /// What it can see of documents.
    pub shown: Shown,
    /// Whether it takes tied rankings, and returns the mean over their orders.
    pub of_groups: bool,
    /// Whether its largest and smallest value are those of the best and worst order by grade.
    pub by_grade: bool,
    /// Whether it never falls when the grade of a document grows.
    pub grows: bool,
    /// Documents below this rank are cut off.
    pub cutoff: usize,
}

/// A formula as a measure.
pub struct Formula {
    callback: Box<dyn Callback>,
    traits: Traits,
    /// The last statistics. All questions about a ranking are answered by one pass over its orders.
    last: Mutex<Option<CachedStatistics>>,
    /// The message about a promise that does not hold, until [`Formula::failure`] returns it.
    broken: Mutex<Option<String>>,
}

/// Values that differ by less, as a share of the larger one (or of 1), may differ by rounding.
const ROUNDING: f64 = 1e-9;

struct CachedStatistics {
    ranking: Ranking,
    truth: Vec<Level>,
    statistics: Statistics,
}

impl Formula {
    /// Makes a measure of a formula.
    pub fn new(callback: Box<dyn Callback>, traits: Traits) -> Formula {
        Formula { callback, traits, last: Mutex::new(None), broken: Mutex::new(None) }
    }

    /// The exception that the formula raised in this thread since the last call, or a promise that does not hold.
    pub fn failure(&self) -> Option<Failure> {
        let broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.callback.failure().or_else(|| broken.map(Into::into))
    }

    /// Notes that the value of a ranking falls though grades grow, if its author has promised that it does not. The
    /// values of tied rankings may be estimates, which tell nothing.
    pub fn expect_growth(&self, ranking: &Ranking, before: f64, after: f64) {
        if self.traits.grows && before > after + ROUNDING * before.abs().max(1.0) && !ranking.is_tied() {
            self.refute(format!(
                "grows_with_grade=True is wrong: the value falls from {before} to {after} where grades grow"
            ));
        }
    }

    fn refute(&self, what: String) {
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
    }

    /// The standard error of the mean.
    pub fn standard_error(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let shown = self.shown(ranking);
        if self.traits.of_groups || !is_mixed(&shown) { 0.0 } else { self.statistics(shown, truth).error }
    }

    /// Whether the smallest and the largest value are exact or estimated.
    pub fn certainty_of_extremes(&self, ranking: &Ranking) -> Certainty {
        let shown = self.shown(ranking);
        if self.traits.by_grade || sampling::is_exact(&shown, usize::MAX) {
            Certainty::Exact
        } else {
            Certainty::Estimate
        }
    }

    /// The ranking with only what the formula can see.
    fn shown(&self, ranking: &Ranking) -> Ranking {
        let mut shown = Ranking::default();
        shown.retrieved = ranking.retrieved;
        for group in ranking.groups_to(self.traits.cutoff) {
            let levels = group.levels.iter().take_while(|level| match self.traits.shown {
                Shown::Grades => level.grade > 0.0,
                Shown::Judged => level.grade >= 0.0,
                Shown::Pooled => true,
            });
            let levels: Vec<Level> = levels.copied().collect();
            if !levels.is_empty() || self.traits.of_groups {
                shown.push(group.start, group.size, levels);
            }
        }
        shown
    }

    /// The formula's value of a ranking.
    fn value(&self, shown: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut value = f64::NAN;
        self.callback.with(truth, &mut |formula| value = formula(shown));
        value
    }

    fn value_of(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.value(&self.shown(ranking), truth)
    }

    /// The statistics over all orders, or over a sample of them.
    fn statistics(&self, shown: Ranking, truth: &Judgments<'_>) -> Statistics {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = last.as_ref().filter(|cached| cached.ranking == shown && cached.truth == truth.levels) {
            return cached.statistics;
        }
        drop(last.take()); // not held while code that is not ours runs
        drop(last);
        let mut computed = None;
        self.callback.with(truth, &mut |formula| {
            let mut is_defined = true;
            computed = Some(sampling::over_rankings(&shown, usize::MAX, |one| {
                // If one order has no value, the mean has none, so the others need not be computed.
                let value = if is_defined && watch::check().is_ok() { formula(one) } else { f64::NAN };
                is_defined = !value.is_nan();
                value
            }));
        });
        let nan = f64::NAN;
        let none = Statistics { outcome: Outcome::certain(nan), error: nan };
        let statistics = computed.unwrap_or(none);
        // Nothing is kept if the formula failed, because it may succeed the next time.
        if !statistics.outcome.mean.is_nan() {
            let computed = CachedStatistics { ranking: shown, truth: truth.levels.to_vec(), statistics };
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(computed);
        }
        statistics
    }
}

/// Whether the order of tied documents makes a difference.
fn is_mixed(ranking: &Ranking) -> bool {
    let alike = |group: Group<'_>| match group.levels {
        [] => true,
        [level] => level.count as usize == group.size,
        _ => false,
    };
    !ranking.groups().all(alike)
}

impl Measure for Formula {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let shown = self.shown(ranking);
        if self.traits.of_groups || !is_mixed(&shown) {
            self.value(&shown, truth)
        } else {
            self.statistics(shown, truth).outcome.mean
        }
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let shown = self.shown(ranking);
        if !is_mixed(&shown) {
            0.0
        } else if self.traits.of_groups && !sampling::is_exact(&shown, usize::MAX) {
            f64::NAN
        } else {
            self.statistics(shown, truth).outcome.variance
        }
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let shown = self.shown(&orders.tied);
        if !is_mixed(&shown) {
            let value = self.value(&shown, truth);
            return (value, value);
        }
        let by_grade = || [&orders.worst, &orders.best].map(|order| self.value_of(order, truth));
        let seen = |statistics: Statistics| [statistics.outcome.low, statistics.outcome.high];
        let values = if self.traits.by_grade {
            let values = by_grade();
            if !self.traits.of_groups && sampling::is_exact(&shown, usize::MAX) {
                let Outcome { low, high, .. } = self.statistics(shown, truth).outcome;
                let (least, most) = (values[0].min(values[1]), values[0].max(values[1]));
                if least > low + ROUNDING * low.abs().max(1.0) || most < high - ROUNDING * high.abs().max(1.0) {
                    self.refute(format!(
                        "best_by_grade=True is wrong: orders of tied documents have values from {low} to {high}, but \
                         those by grade have {} and {}",
                        values[0], values[1]
                    ));
                }
            }
            values.to_vec()
        } else if sampling::is_exact(&shown, usize::MAX) {
            seen(self.statistics(shown, truth)).to_vec()
        } else if self.traits.of_groups {
            by_grade().to_vec()
        } else {
            [seen(self.statistics(shown, truth)), by_grade()].concat()
        };
        if values.iter().any(|value| value.is_nan()) {
            return (f64::NAN, f64::NAN);
        }
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)))
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let positive = open.grade_from(f64::MIN_POSITIVE);
        if self.traits.grows { bounds::growing(self, open, positive) } else { None }
    }

    fn certainty(&self, ranking: &Ranking, _: &Judgments<'_>) -> Certainty {
        if self.traits.of_groups || sampling::is_exact(&self.shown(ranking), usize::MAX) {
            Certainty::Exact
        } else {
            Certainty::Estimate
        }
    }

    fn formula(&self) -> Option<&Formula> {
        Some(self)
    }
}
