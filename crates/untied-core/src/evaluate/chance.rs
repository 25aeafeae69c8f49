//! Adjusts values for chance: 0 is what a random order of the retrieved documents scores, and 1 what their best order
//! scores.
//!
//! With the value v, the mean E over all orders of the retrieved documents, and the value m of their best order, the
//! adjusted value is
//!
//!   (v - E) / (m - E).
//!
//! This is the adjusted index of Hubert & Arabie (1985, equation 4), which Berrendorf, Faerman, Vermue & Tresp (2020)
//! use for ranks. It is linear in v, so the mean over tie orders can be adjusted instead of every value. It is
//! undefined if the best order is no better than a random one.

use super::spread::Spread;
use crate::equality::difference;
use crate::measures::{Certainty, Measure, Orders};
use crate::ranking::{best, shuffled, worst};
use crate::table::Judgments;

/// The value of a random order of a query's documents, and that of their best order.
pub(super) struct ChanceBaseline {
    expected: f64,
    /// The best value minus the expected one; NaN if this is not above 0.
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

    /// The adjusted values of a query.
    pub fn adjusted(&self, spread: Spread) -> Spread {
        let adjust = |value: f64| difference(value, self.expected) / self.span;
        Spread { mean: adjust(spread.mean), low: adjust(spread.low), high: adjust(spread.high), ..spread }
    }

    /// Turns the variance of a value into that of the adjusted value.
    pub fn variance(&self, variance: f64) -> f64 {
        variance / (self.span * self.span)
    }

    /// Turns the standard error of a value into that of the adjusted value.
    pub fn error(&self, error: f64) -> f64 {
        error / self.span
    }
}
