//! Gains that decay with time, measured in seconds or in characters read: `S = integral of dG/dt D(t) dt` (Tan &
//! Clarke, equations 26 and 27).
//!
//! Rankings of passages use them for text, in which each character has a gain: see [`super::passages`].

use crate::elementary::{exp_m1, exp2};

/// The factor D(t) by which a gain at time t is multiplied. It never rises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decay {
    /// max(0, 1 - t / L), as in the U-measure.
    Linear {
        /// The time L after which nothing counts.
        length: f64,
    },
    /// 2^(-t / h), as in time-biased gain.
    Exponential {
        /// The time h after which a gain counts half.
        half_life: f64,
    },
}

impl Decay {
    /// The factor at a time t.
    pub fn at(self, time: f64) -> f64 {
        match self {
            Decay::Linear { length } => ((length - time) / length).max(0.0),
            Decay::Exponential { half_life } => exp2(-time / half_life),
        }
    }

    /// The sum D(t + 1) + ... + D(t + n). `n` may be infinite.
    pub fn sum(self, time: f64, n: f64) -> f64 {
        match self {
            Decay::Linear { length } => {
                // The factor is 0 from the time L on.
                let n = n.min((length - time).ceil() - 1.0).max(0.0);
                (n * (length - time) - n * (n + 1.0) / 2.0) / length
            }
            Decay::Exponential { half_life } => {
                let rate = std::f64::consts::LN_2 / half_life;
                -self.at(time) * exp_m1(-rate * n) / exp_m1(rate)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_terms() {
        for decay in
            [Decay::Linear { length: 20.0 }, Decay::Linear { length: 7.5 }, Decay::Exponential { half_life: 3.0 }]
        {
            for time in [0.0, 1.0, 2.25, 19.0, 20.0, 33.0] {
                for n in [0, 1, 5, 40] {
                    let terms: f64 = (1..=n).map(|t| decay.at(time + f64::from(t))).sum();
                    assert!((decay.sum(time, f64::from(n)) - terms).abs() < 1e-13, "{decay:?} {time} {n}");
                }
                assert!((decay.sum(time, f64::INFINITY) - decay.sum(time, 2000.0)).abs() < 1e-13);
            }
        }
        assert_eq!(Decay::Linear { length: 12_000.0 }.sum(0.0, f64::INFINITY), 5999.5);
    }
}
