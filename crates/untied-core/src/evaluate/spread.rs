//! A measure's value for one query, with its bounds under the policies.

use crate::equality::{are_equal, difference};
use crate::grade::Level;
use crate::measures::bounds::{Bounds, Open, Resolution};
use crate::measures::{Measure, Orders};
use crate::settings::{Settings, Ties, Undefined, Unjudged};
use crate::table::Judgments;

/// A measure's value under the policies.
pub struct Spread {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    /// Whether the smallest value is below that with all unjudged documents non-relevant.
    pub overstated: bool,
    /// Whether grades of unjudged documents decide if the query counts.
    pub unsettled: bool,
}

impl Spread {
    fn new(mean: f64, low: f64, high: f64) -> Spread {
        Spread { mean, low, high, overstated: false, unsettled: false }
    }
}

/// A measure, and the query it is taken of.
pub struct MeasuredQuery<'a> {
    pub measure: &'a dyn Measure,
    pub orders: &'a Orders,
    pub truth: &'a Judgments<'a>,
    /// See [`Measure::base`].
    pub base: f64,
    /// Grades that an unjudged document may have, highest first.
    pub grades: &'a [f64],
    pub settings: Settings,
    pub lower_is_better: bool,
    /// Whether the measure leaves out unjudged documents on its own.
    pub judged_only: bool,
}

impl MeasuredQuery<'_> {
    /// Over all that the policies leave open, if the measure can tell.
    pub fn spread(&self) -> Option<Spread> {
        match self.settings.unjudged {
            Unjudged::Nonrelevant | Unjudged::Remove => Some(self.ties()),
            _ if self.judged_only => None,
            _ => self.grades(),
        }
    }

    /// Over orders of tied documents.
    #[inline]
    fn ties(&self) -> Spread {
        let extremes = || self.measure.extremes(self.orders, self.truth);
        let mean = || self.measure.mean_on(self.base, &self.orders.tied, self.truth);
        match self.settings.ties {
            Ties::Expected | Ties::Document | Ties::Given => Spread::new(mean(), f64::NAN, f64::NAN),
            Ties::Best => Spread::new(self.better(extremes()), f64::NAN, f64::NAN),
            Ties::Worst => Spread::new(self.worse(extremes()), f64::NAN, f64::NAN),
            Ties::Range => {
                let (mean, (low, high)) = (mean(), extremes());
                // The mean is added up in another order; it must not lie outside by a last bit.
                Spread::new(mean, low.min(mean), high.max(mean))
            }
        }
    }

    /// Over grades of unjudged documents too, if the measure can tell.
    fn grades(&self) -> Option<Spread> {
        let unretrieved = if self.settings.pooled { self.pooled_elsewhere() } else { 0 };
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
        let resolution = match self.settings.ties {
            Ties::Expected | Ties::Document | Ties::Given | Ties::Range => Resolution::Mean,
            Ties::Best => Resolution::Best,
            Ties::Worst => Resolution::Worst,
        };
        let range = self.settings.ties == Ties::Range;
        let plain = self.ties();
        let enclosing = |resolution, value: f64| Some(stretched(bounds(resolution)?, value));
        let extremes = || {
            let ends = (plain.low, plain.high);
            let one = enclosing(Resolution::Worst, self.worse(ends))?;
            Some((one, enclosing(Resolution::Best, self.better(ends))?))
        };
        Some(match self.settings.unjudged {
            Unjudged::Best | Unjudged::Worst => {
                let end = |bounds: Bounds| {
                    let ends = (bounds.low, bounds.high);
                    if self.settings.unjudged == Unjudged::Best { self.better(ends) } else { self.worse(ends) }
                };
                let mean = enclosing(resolution, plain.mean)?;
                let (low, high) = if range {
                    let (one, other) = extremes()?;
                    (end(one).min(end(other)), end(one).max(end(other)))
                } else {
                    (f64::NAN, f64::NAN)
                };
                Spread { unsettled: mean.unsettled(), ..Spread::new(end(mean), low, high) }
            }
            _ => {
                let bounds = if range {
                    let (one, other) = extremes()?;
                    Bounds { low: one.low.min(other.low), high: one.high.max(other.high), ..one }
                } else {
                    enclosing(resolution, plain.mean)?
                };
                let Bounds { low, high, .. } = bounds;
                let nonrelevant = if range { (plain.low, plain.high) } else { (plain.mean, plain.mean) };
                let (found, worst) = (self.worse(nonrelevant), self.worse((low, high)));
                let lost = if self.lower_is_better { difference(worst, found) } else { difference(found, worst) };
                let overstated = lost > 0.0;
                Spread { overstated, unsettled: bounds.unsettled(), ..Spread::new(plain.mean, low, high) }
            }
        })
    }

    /// Documents of the pool (with a negative grade) that are not retrieved.
    fn pooled_elsewhere(&self) -> usize {
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

    /// Variance over orders of tied documents.
    pub fn variance(&self) -> f64 {
        let ranking = match self.settings.ties {
            Ties::Best | Ties::Worst if !self.measure.varies_in_one_order() => return 0.0,
            Ties::Best => &self.orders.best,
            Ties::Worst => &self.orders.worst,
            _ => &self.orders.tied,
        };
        match self.settings.unjudged {
            Unjudged::Best | Unjudged::Worst => f64::NAN, // of the grades that were chosen, nothing is known
            _ => self.measure.variance(ranking, self.truth),
        }
    }
}

/// Bounds that a value lies outside of only because it was added up in another order, made to enclose it. Others stay:
/// Bpref leaves unjudged documents out, which is none of the grades that they may have.
fn stretched(bounds: Bounds, value: f64) -> Bounds {
    let Bounds { low, high, .. } = bounds;
    Bounds {
        low: if are_equal(value, low) { low.min(value) } else { low },
        high: if are_equal(value, high) { high.max(value) } else { high },
        ..bounds
    }
}
