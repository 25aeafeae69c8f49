//! Rescales values so that a random order of the retrieved documents has 0 and the best order 1.
//!
//! With v the value, E the mean over all orders of the documents retrieved for the query, and m the value of the best
//! order, the adjusted value is
//!
//!   (v - E) / (m - E),
//!
//! the adjusted index of Hubert & Arabie (1985, equation 4), as Berrendorf, Faerman, Vermue & Tresp (2020) use it for
//! ranks. It is linear in v, so adjusting a mean over tie orders gives the mean of the adjusted values. It is undefined
//! where the best order is no better than a random one.

use super::spread::Spread;
use crate::equality::difference;
use crate::measures::{Certainty, Measure, Orders};
use crate::ranking::{best, shuffled, worst};
use crate::table::Judgments;

/// The two values of a query that its other values are compared with: the random order's and the best order's.
pub(super) struct ChanceBaseline {
    expected: f64,
    /// The best value minus the expected one; NaN if that is not above 0.
    span: f64,
    /// Whether both values are exact.
    pub certainty: Certainty,
}

impl ChanceBaseline {
    pub fn new(measure: &dyn Measure, orders: &Orders, truth: &Judgments<'_>) -> ChanceBaseline {
        let mut random = Orders::default();
        shuffled(&orders.tied, &mut random.tied);
        best(&random.tied, &mut random.best);
        worst(&random.tied, &mut random.worst);
        let expected = measure.mean(&random.tied, truth);
        let (_, highest) = measure.extremes(&random, truth);
        let span = difference(highest, expected);
        let certainty = if random.tied.is_tied() { measure.certainty(&random.tied, truth) } else { Certainty::Exact };
        ChanceBaseline { expected, span: if span > 0.0 { span } else { f64::NAN }, certainty }
    }

    /// Adjusts the values of a query.
    pub fn adjusted(&self, spread: Spread) -> Spread {
        let adjust = |value: f64| difference(value, self.expected) / self.span;
        Spread { mean: adjust(spread.mean), low: adjust(spread.low), high: adjust(spread.high), ..spread }
    }

    /// The variance of the adjusted value, from that of the value itself.
    pub fn variance(&self, variance: f64) -> f64 {
        variance / (self.span * self.span)
    }

    /// The standard error of the adjusted value, from that of the value itself.
    pub fn error(&self, error: f64) -> f64 {
        error / self.span
    }
}
