//! The value and the bounds of a measure for one query, under the policies for ties and unjudged documents.

use crate::equality::{are_equal, difference};
use crate::grade::Level;
use crate::measures::bounds::{Bounds, Open, Resolution};
use crate::measures::{Measure, Orders};
use crate::settings::{Settings, Take, Undefined};
use crate::table::Judgments;

/// The value and the bounds of a measure. Bounds that the policies do not ask for are NaN.
pub struct Spread {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    /// Whether the lower bound is below the value in which all unjudged documents are non-relevant.
    pub overstated: bool,
    /// Whether grades of unjudged documents decide if the value is defined.
    pub unsettled: bool,
}

impl Spread {
    fn new(mean: f64, low: f64, high: f64) -> Spread {
        Spread { mean, low, high, overstated: false, unsettled: false }
    }
}

/// A measure, and a query to evaluate it on.
pub struct MeasuredQuery<'a> {
    pub measure: &'a dyn Measure,
    pub orders: &'a Orders,
    pub truth: &'a Judgments<'a>,
    /// See [`Measure::base`].
    pub base: f64,
    /// The possible grades of an unjudged document, highest first.
    pub grades: &'a [f64],
    pub settings: Settings,
    pub lower_is_better: bool,
    /// Whether the measure itself leaves out unjudged documents.
    pub judged_only: bool,
}

impl MeasuredQuery<'_> {
    /// The value and the bounds over everything that the policies leave open. None if the measure has no such bounds.
    pub fn spread(&self) -> Option<Spread> {
        match self.settings.unjudged.take {
            Take::Mean => Some(self.over_ties()),
            _ if self.judged_only => None,
            _ => self.over_grades(),
        }
    }

    /// The value and the bounds over orders of tied documents.
    #[inline]
    fn over_ties(&self) -> Spread {
        let extremes = || self.measure.extremes(self.orders, self.truth);
        let mean = || self.measure.mean_on(self.base, &self.orders.tied, self.truth);
        match self.settings.ties.take {
            Take::Mean => Spread::new(mean(), f64::NAN, f64::NAN),
            Take::Best => Spread::new(self.better(extremes()), f64::NAN, f64::NAN),
            Take::Worst => Spread::new(self.worse(extremes()), f64::NAN, f64::NAN),
            Take::Range => {
                let (mean, (low, high)) = (mean(), extremes());
                // Rounding may put the mean outside of the extremes, because it is added up in another order.
                Spread::new(mean, low.min(mean), high.max(mean))
            }
        }
    }

    /// The value and the bounds over orders of tied documents and grades of unjudged ones. None if the measure has no
    /// such bounds.
    fn over_grades(&self) -> Option<Spread> {
        let unretrieved = if self.settings.pooled { self.unretrieved_pool() } else { 0 };
        let counts_zero = self.settings.undefined == Undefined::Zero && !self.lower_is_better;
        let bounds = |resolution| {
            let bounds = self.measure.bounds(&Open {
                ranking: &self.orders.tied,
                truth: self.truth,
                resolution,
                grades: self.grades,
                unretrieved,
            })?;
            Some(if counts_zero { bounds.with_zero() } else { bounds })
        };
        let resolution = match self.settings.ties.take {
            Take::Mean | Take::Range => Resolution::Mean,
            Take::Best => Resolution::Best,
            Take::Worst => Resolution::Worst,
        };
        let range = self.settings.ties.take == Take::Range;
        let nonrelevant = self.over_ties();
        let enclosing = |resolution, value: f64| Some(with_rounding(bounds(resolution)?, value));
        let extremes = || {
            let ends = (nonrelevant.low, nonrelevant.high);
            let of_worst_order = enclosing(Resolution::Worst, self.worse(ends))?;
            Some((of_worst_order, enclosing(Resolution::Best, self.better(ends))?))
        };
        Some(match self.settings.unjudged.take {
            Take::Best | Take::Worst => {
                let end = |bounds: Bounds| {
                    let ends = (bounds.low, bounds.high);
                    if self.settings.unjudged.take == Take::Best { self.better(ends) } else { self.worse(ends) }
                };
                let mean = enclosing(resolution, nonrelevant.mean)?;
                let (low, high) = if range {
                    let (worst, best) = extremes()?;
                    (end(worst).min(end(best)), end(worst).max(end(best)))
                } else {
                    (f64::NAN, f64::NAN)
                };
                Spread { unsettled: mean.unsettled(), ..Spread::new(end(mean), low, high) }
            }
            _ => {
                let bounds = if range {
                    let (worst, best) = extremes()?;
                    Bounds { low: worst.low.min(best.low), high: worst.high.max(best.high), ..worst }
                } else {
                    enclosing(resolution, nonrelevant.mean)?
                };
                let Bounds { low, high, .. } = bounds;
                let Spread { mean, .. } = nonrelevant;
                let without_relevant = if range { (nonrelevant.low, nonrelevant.high) } else { (mean, mean) };
                let (value, worst) = (self.worse(without_relevant), self.worse((low, high)));
                let lost = if self.lower_is_better { difference(worst, value) } else { difference(value, worst) };
                let overstated = lost > 0.0;
                Spread { overstated, unsettled: bounds.unsettled(), ..Spread::new(mean, low, high) }
            }
        })
    }

    /// The number of documents that were in the pool but stayed unjudged, and are not retrieved. The qrels give them a
    /// negative grade.
    fn unretrieved_pool(&self) -> usize {
        let pooled = |levels: &[Level]| {
            let negative = levels.iter().filter(|level| level.grade < 0.0);
            negative.map(|level| level.count as usize).sum::<usize>()
        };
        pooled(self.truth.levels) - pooled(self.orders.tied.levels())
    }

    fn better(&self, (low, high): (f64, f64)) -> f64 {
        if self.lower_is_better { low } else { high }
    }

    fn worse(&self, (low, high): (f64, f64)) -> f64 {
        if self.lower_is_better { high } else { low }
    }

    /// The variance over orders of tied documents; NaN if it is not known.
    pub fn variance(&self) -> f64 {
        let ranking = match self.settings.ties.take {
            Take::Best | Take::Worst if !self.measure.varies_in_one_order() => return 0.0,
            Take::Best => &self.orders.best,
            Take::Worst => &self.orders.worst,
            _ => &self.orders.tied,
        };
        match self.settings.unjudged.take {
            Take::Best | Take::Worst => f64::NAN, // which grades the bound chose is not known
            _ => self.measure.variance(ranking, self.truth),
        }
    }
}

/// Widens bounds to enclose a value that is outside only by rounding. A value may be farther outside: Bpref leaves out
/// unjudged documents, while its bounds give each of them a grade.
fn with_rounding(bounds: Bounds, value: f64) -> Bounds {
    let Bounds { low, high, .. } = bounds;
    Bounds {
        low: if are_equal(value, low) { low.min(value) } else { low },
        high: if are_equal(value, high) { high.max(value) } else { high },
        ..bounds
    }
}
