//! Sums over the orders of one tie group that several measures share.

pub(super) mod above;
pub(super) mod down_to;
pub(crate) mod drawing;
pub(super) mod fading;
pub(super) mod gaps;
pub(super) mod lattice;
pub(super) mod law;
pub(super) mod pairs;
pub(super) mod precision;
pub(crate) mod sampling;
pub(crate) mod walk;

/// The statistics of a value over orders.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Outcome {
    pub mean: f64,
    pub variance: f64,
    pub low: f64,
    pub high: f64,
}

impl Outcome {
    /// The statistics of a value that is the same in all orders.
    pub(crate) fn certain(value: f64) -> Outcome {
        Outcome { mean: value, variance: 0.0, low: value, high: value }
    }

    /// The statistics of gain + factor x, from those of x.
    pub(super) fn after(self, gain: f64, factor: f64) -> Outcome {
        let value = |x: f64| gain + factor * x;
        let variance = factor * factor * self.variance;
        Outcome { mean: value(self.mean), variance, low: value(self.low), high: value(self.high) }
    }

    /// The statistics of a mixture of cases, each with its probability.
    pub(crate) fn mix(cases: &[(f64, Outcome)]) -> Outcome {
        let mean: f64 = cases.iter().map(|(share, case)| share * case.mean).sum();
        let spread = |case: &Outcome| case.variance + (case.mean - mean).powi(2);
        Outcome {
            mean,
            variance: cases.iter().map(|(share, case)| share * spread(case)).sum(),
            low: cases.iter().map(|(_, case)| case.low).fold(f64::INFINITY, f64::min),
            high: cases.iter().map(|(_, case)| case.high).fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

impl std::ops::Add for Outcome {
    type Output = Outcome;

    /// The statistics of the sum of two independent values.
    fn add(self, other: Outcome) -> Outcome {
        Outcome {
            mean: self.mean + other.mean,
            variance: self.variance + other.variance,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }
}
