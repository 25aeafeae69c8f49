//! Values relative to chance: a random order of the same documents has 0, the best one 1.
//!
//! With v the value, E the mean over all orders of the retrieved documents of the query, and m the value of the best order,
//!
//!   (v - E) / (m - E),
//!
//! the adjusted index of Hubert & Arabie (1985, equation 4), as Berrendorf, Faerman, Vermue & Tresp (2020) use it for
//! ranks. It is linear in v, so means over orders of ties are those of the adjusted values. Where the best order is no
//! better than a random one it is undefined.

use super::spread::Spread;
use crate::equality::difference;
use crate::measures::{Certainty, Measure, Orders};
use crate::ranking::{best, shuffled, worst};
use crate::table::Judgments;

/// What a query's values are relative to.
pub(super) struct Chance {
    expected: f64,
    /// How far the best value is above the expected one; NaN if it is not.
    room: f64,
    /// How sure this is.
    pub certainty: Certainty,
}

impl Chance {
    pub fn new(measure: &dyn Measure, orders: &Orders, truth: &Judgments<'_>) -> Chance {
        let mut of = Orders::default();
        shuffled(&orders.tied, &mut of.tied);
        best(&of.tied, &mut of.best);
        worst(&of.tied, &mut of.worst);
        let expected = measure.mean(&of.tied, truth);
        let (_, most) = measure.extremes(&of, truth);
        let room = difference(most, expected);
        let certainty = if of.tied.is_tied() { measure.certainty(&of.tied, truth) } else { Certainty::Exact };
        Chance { expected, room: if room > 0.0 { room } else { f64::NAN }, certainty }
    }

    /// The same values relative to chance.
    pub fn adjusted(&self, spread: Spread) -> Spread {
        let of = |value: f64| difference(value, self.expected) / self.room;
        Spread { mean: of(spread.mean), low: of(spread.low), high: of(spread.high), ..spread }
    }

    /// Their variance, given that of values.
    pub fn variance(&self, of_values: f64) -> f64 {
        of_values / (self.room * self.room)
    }

    /// Their standard error.
    pub fn error(&self, of_values: f64) -> f64 {
        of_values / self.room
    }
}
