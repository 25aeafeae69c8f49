//! Sums that are exact until they are read.

use super::scaled;
use crate::equality::without_rounding;

/// A digit is worth 2 to this power times the digit below. Digits have 64 bits, so they overflow only after 2^31
/// additions.
const BITS: usize = 32;
/// The smallest bit of a 64-bit float is worth 2 to this power.
const LOWEST: i32 = -1074;
/// How many digits the 53 bits of a number can overlap.
const REACH: usize = 3;

/// An exact sum of floats (Kulisch's accumulator). It is rounded only when it is read, so the order of additions does
/// not matter.
#[derive(Debug, Clone, Default)]
pub struct ExactSum {
    /// The digits that were needed so far, lowest first.
    digits: Vec<i64>,
    /// The index of the first of these among all digits.
    lowest: usize,
    /// The sum of the infinite numbers and NaNs.
    not_finite: f64,
}

impl ExactSum {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, number: f64) {
        let bits = number.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as usize;
        if number == 0.0 {
            return;
        }
        if exponent == 0x7ff {
            self.not_finite += number;
            return;
        }
        let leading = u64::from(exponent > 0) << 52;
        let shift = exponent.max(1) - 1;
        let mantissa = u128::from(bits & ((1 << 52) - 1) | leading) << (shift % BITS);
        let place = shift / BITS;
        if place < self.lowest || place + REACH > self.lowest + self.digits.len() {
            self.reach(place);
        }
        let sign = if number < 0.0 { -1 } else { 1 };
        for (step, digit) in self.digits[place - self.lowest..][..REACH].iter_mut().enumerate() {
            *digit += sign * i64::from((mantissa >> (step * BITS)) as u32);
        }
    }

    /// Adds the digits that a number needs. `place` is the index of its lowest digit.
    #[cold]
    fn reach(&mut self, place: usize) {
        if self.digits.is_empty() {
            self.lowest = place;
        }
        let below = self.lowest.saturating_sub(place);
        self.digits.splice(0..0, (0..below).map(|_| 0));
        self.lowest -= below;
        self.digits.resize(self.digits.len().max(place + REACH - self.lowest), 0);
    }

    /// The sum, rounded to the nearest number.
    pub fn value(&self) -> f64 {
        if self.not_finite != 0.0 {
            return self.not_finite;
        }
        let mut digits = self.digits.clone();
        let mut highest = carry(&mut digits);
        let is_negative = highest < 0;
        if is_negative {
            digits.clone_from(&self.digits);
            digits.iter_mut().for_each(|digit| *digit = -*digit);
            highest = carry(&mut digits);
        }
        digits.push(highest);
        let Some(top) = digits.iter().rposition(|&digit| digit != 0) else { return 0.0 };
        let last = top.saturating_sub(2);
        let mut bits = digits[last..=top].iter().rev().fold(0u128, |bits, &digit| bits << BITS | digit as u128);
        if digits[..last].iter().any(|&digit| digit != 0) {
            bits |= 1; // digits that are dropped decide the rounding if the rest is a tie
        }
        let magnitude = scaled(bits as f64, ((self.lowest + last) * BITS) as i32 + LOWEST);
        if is_negative { -magnitude } else { magnitude }
    }
}

impl Extend<f64> for ExactSum {
    fn extend<T: IntoIterator<Item = f64>>(&mut self, numbers: T) {
        numbers.into_iter().for_each(|number| self.add(number));
    }
}

/// The mean of numbers that may cancel out, such as differences.
#[derive(Debug, Clone, Default)]
pub struct SignedMean {
    sum: ExactSum,
    magnitudes: ExactSum,
}

impl SignedMean {
    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        self.sum.add(number);
        self.magnitudes.add(number.abs());
    }

    /// The mean of the `count` numbers that were added. It is 0 if it is only rounding.
    pub fn value(&self, count: f64) -> f64 {
        without_rounding(self.sum.value() / count, self.magnitudes.value() / count)
    }
}

/// Carries between the digits until each is from 0 to 2^32 - 1. Returns the digit above them, which is negative if the
/// number is.
fn carry(digits: &mut [i64]) -> i64 {
    digits.iter_mut().fold(0, |carried, digit| {
        let sum = *digit + carried;
        *digit = sum & ((1 << BITS) - 1);
        sum >> BITS
    })
}

/// The sum of numbers, rounded once.
pub fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut sum = ExactSum::default();
    sum.extend(numbers);
    sum.value()
}

/// The mean of values, from a sum that is rounded once.
pub fn mean(values: &[f64]) -> f64 {
    sum(values.iter().copied()) / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nightly::{many, seeded};
    use crate::random::Random;

    #[test]
    fn sums_are_rounded_once() {
        let sum = |numbers: &[f64]| sum(numbers.iter().copied());
        assert_eq!(sum(&[0.1; 10]), 1.0);
        assert_eq!(sum(&[1e100, 1.0, -1e100, 1e-20]), 1.0);
        assert_eq!(sum(&[1.0, 2f64.powi(-53)]), 1.0);
        assert_eq!(sum(&[1.0, 2f64.powi(-53), 2f64.powi(-110)]), 1.0 + f64::EPSILON);
        assert_eq!(sum(&[-1.0, -(2f64.powi(-53)), -5e-324]), -1.0 - f64::EPSILON);
        assert_eq!(sum(&[1.0, -(2f64.powi(-54)), -(2f64.powi(-110))]), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(sum(&[5e-324, 5e-324, -1e-323]).to_bits(), 0);
        assert_eq!(sum(&[5e-324, -1e-323]), -5e-324);
        assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX, -1.0]), f64::MAX);
        assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(sum(&[f64::INFINITY, 1e100, 1.0]), f64::INFINITY);
        assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY, 1.0]).is_nan());
        assert_eq!(sum(&[-0.0]).to_bits(), 0);
        assert_eq!(sum(&[]).to_bits(), 0);
    }

    #[test]
    fn the_order_changes_no_sum() {
        let mut random = Random::new(seeded(5));
        for _ in 0..many(300) {
            let wholes: Vec<(i128, i32)> = (0..random.below(40))
                .map(|_| (i128::from(random.bits() as i32), random.below(80) as i32 - 60))
                .collect();
            let mut numbers: Vec<f64> = wholes.iter().map(|&(whole, power)| whole as f64 * 2f64.powi(power)).collect();
            let exact = wholes.iter().map(|&(whole, power)| whole << (power + 60)).sum::<i128>();
            let forwards = sum(numbers.iter().copied());
            assert_eq!(forwards, exact as f64 * 2f64.powi(-60));
            numbers.sort_by(f64::total_cmp);
            assert_eq!(sum(numbers.iter().copied()), forwards);
            assert_eq!(sum(numbers.iter().map(|number| -number)), 0.0 - forwards);
        }
    }
}
