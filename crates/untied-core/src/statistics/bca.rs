//! The bias-corrected and accelerated bootstrap interval of a mean (Efron 1987).
//!
//! The bias z0 is the normal quantile of the share of bootstrap means below the mean. The acceleration a of a mean is a
//! sixth of the sum of cubed deviations, divided by the sum of squared deviations to the power of 3/2. An interval of
//! confidence 1 - 2 alpha ends at the quantiles Phi(z0 + (z0 + z) / (1 - a (z0 + z))) of the bootstrap means, where z is
//! the normal quantile of alpha and of 1 - alpha.

use super::sum::{mean, sum};
use super::{Bootstrap, bootstrap};
use crate::elementary::{ln, normal_below, powf};
use crate::equality::{are_equal, without_rounding};
use crate::error::Result;

/// The confidence interval of the mean of values. It is NaN for one value, or if all bootstrap means are on one side of
/// the mean.
///
/// # Errors
/// As for [`bootstrap`].
pub fn interval(values: &[f64], level: f64, samples: usize, seed: u64) -> Result<(f64, f64)> {
    let mean = mean(values);
    if values.len() < 2 {
        return Ok((f64::NAN, f64::NAN));
    }
    if values.iter().all(|&value| are_equal(value, values[0])) {
        return Ok((mean, mean));
    }
    let Bootstrap { means, below, at_most } = bootstrap(values, samples, seed)?;
    if below + at_most == 0 || below + at_most == 2 * means.len() {
        return Ok((f64::NAN, f64::NAN));
    }
    let bias = quantile((below + at_most) as f64 / (2 * means.len()) as f64);
    let deviations = || values.iter().map(|value| value - mean);
    let squares = sum(deviations().map(|deviation| deviation * deviation));
    let cubes = sum(deviations().map(|deviation| powf(deviation, 3.0)));
    let acceleration = cubes / powf(squares, 1.5) / 6.0;
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let end = |z: f64| {
        let share = normal_below(bias + (bias + z) / (1.0 - acceleration * (bias + z)));
        let place = share * (means.len() - 1) as f64;
        let low = place as usize;
        let high = (low + 1).min(means.len() - 1);
        // An end that differs from 0 only by rounding must be 0, or the interval would exclude 0.
        without_rounding(means[low] + (place - low as f64) * (means[high] - means[low]), largest)
    };
    let z = quantile(f64::midpoint(1.0, level));
    Ok((end(-z), end(z)))
}

/// A quantile of the normal distribution, by the quotients of polynomials of Wichura (1988, AS 241).
fn quantile(share: f64) -> f64 {
    let from_middle = share - 0.5;
    if from_middle.abs() <= 0.425 {
        return quotient(&CENTRE, 0.180_625 - from_middle * from_middle, from_middle);
    }
    let r = (-ln(if from_middle <= 0.0 { share } else { 1.0 - share })).sqrt();
    let magnitude = if r <= 5.0 { quotient(&MIDDLE, r - 1.6, 1.0) } else { quotient(&TAIL, r - 5.0, 1.0) };
    if from_middle < 0.0 { -magnitude } else { magnitude }
}

/// `factor` times the quotient of two polynomials at r. The coefficient of the highest power comes first.
fn quotient([numerator, denominator]: &[[f64; 8]; 2], r: f64, factor: f64) -> f64 {
    let polynomial = |coefficients: &[f64; 8]| coefficients.iter().fold(0.0, |sum, coefficient| sum * r + coefficient);
    polynomial(numerator) * factor / polynomial(denominator)
}

const CENTRE: [[f64; 8]; 2] = [
    [
        2509.0809287301227,
        33430.57558358813,
        67265.7709270087,
        45921.95393154987,
        13731.69376550946,
        1971.5909503065513,
        133.14166789178438,
        3.3871328727963665,
    ],
    [
        5226.495278852854,
        28729.085735721943,
        39307.89580009271,
        21213.794301586597,
        5394.196021424751,
        687.1870074920579,
        42.31333070160091,
        1.0,
    ],
];
const MIDDLE: [[f64; 8]; 2] = [
    [
        0.0007745450142783414,
        0.022723844989269184,
        0.2417807251774506,
        1.2704582524523684,
        3.6478483247632045,
        5.769497221460691,
        4.630337846156546,
        1.4234371107496835,
    ],
    [
        1.0507500716444169e-09,
        0.0005475938084995345,
        0.015198666563616457,
        0.14810397642748008,
        0.6897673349851,
        1.6763848301838038,
        2.053191626637759,
        1.0,
    ],
];
const TAIL: [[f64; 8]; 2] = [
    [
        2.0103343992922881e-07,
        2.7115555687434876e-05,
        0.0012426609473880784,
        0.026532189526576124,
        0.29656057182850487,
        1.7848265399172913,
        5.463784911164114,
        6.657904643501103,
    ],
    [
        2.0442631033899397e-15,
        1.421511758316446e-07,
        1.8463183175100548e-05,
        0.0007868691311456133,
        0.014875361290850615,
        0.1369298809227358,
        0.599832206555888,
        1.0,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_shares_of_the_normal_distribution() {
        for (share, expected) in [(0.975, 1.959_963_984_540_054), (0.5, 0.0), (1e-9, -5.997_807_015_007_687)] {
            assert!((quantile(share) - expected).abs() < 1e-14 * expected.abs().max(1.0), "{share}");
        }
        for n in 1..200 {
            let share = f64::from(n) / 200.0;
            assert!((normal_below(quantile(share)) - share).abs() < 1e-15, "{share}");
        }
    }

    #[test]
    fn intervals_without_a_spread_and_of_one_value() {
        assert_eq!(interval(&[0.25; 4], 0.95, 99, 0).expect("nobody stops it"), (0.25, 0.25));
        assert!(interval(&[0.25], 0.95, 99, 0).expect("nobody stops it").0.is_nan());
        let (low, high) = interval(&[0.0, 0.5, 1.0, 0.25], 0.95, 999, 0).expect("nobody stops it");
        assert!(low < 0.4375 && 0.4375 < high && low >= 0.0 && high <= 1.0);
    }
}
