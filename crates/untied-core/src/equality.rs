//! When two numbers are equal but for rounding: the one rule by which differences have a sign, and values ranks.
//!
//! The same value can be added up in several orders, and its last bits differ. A sum of n terms that are not negative is
//! off by at most n * 2^-53 of itself, in any order (Higham 2002, 4.2), which is below 1e-12 for 9,000 terms. Means add
//! no error of their own, because their sums are rounded once. So two values or two means are equal if they differ by at
//! most 1e-12 of the larger; and a difference of other numbers is 0 if it is at most 1e-12 of their magnitude.

/// What rounding may change, relative to the numbers.
const RELATIVE: f64 = 1e-12;

/// What rounding may leave where the result is 0, such as 1 - (0.9 + 0.1): measures have values around 1.
const ABSOLUTE: f64 = 1e-15;

/// Whether a difference of numbers of a magnitude is only rounding.
#[inline]
pub fn is_rounding(difference: f64, magnitude: f64) -> bool {
    difference.is_finite() && difference.abs() <= RELATIVE * magnitude + ABSOLUTE
}

/// Whether two values, or two means, are equal but for rounding.
#[inline]
pub fn are_equal(a: f64, b: f64) -> bool {
    a == b || is_rounding(a - b, a.abs().max(b.abs()))
}

/// The difference of two values, or of two means: 0 if they are equal.
#[inline]
pub fn difference(a: f64, b: f64) -> f64 {
    if are_equal(a, b) { 0.0 } else { a - b }
}

/// A difference of numbers of a magnitude: 0 if it is only rounding.
#[inline]
pub fn without_rounding(difference: f64, magnitude: f64) -> f64 {
    if is_rounding(difference, magnitude) { 0.0 } else { difference }
}

/// Places of values with their ranks, the best value first. Equal values share a rank and keep their order; those that are
/// not a number come last.
pub fn ranked(values: &[f64], lower_is_better: bool) -> Vec<(usize, usize)> {
    let key = |place: usize| if lower_is_better { values[place] } else { -values[place] };
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_unstable_by(|&one, &other| {
        values[one].is_nan().cmp(&values[other].is_nan()).then(key(one).total_cmp(&key(other)))
    });
    let mut ranked = Vec::with_capacity(values.len());
    while ranked.len() < values.len() {
        let rest = &mut places[ranked.len()..];
        let first = values[rest[0]];
        let ties = |&&place: &&usize| are_equal(values[place], first) || first.is_nan();
        let tied = rest.iter().take_while(ties).count();
        rest[..tied].sort_unstable();
        let rank = ranked.len() + 1;
        ranked.extend(rest[..tied].iter().map(|&place| (place, rank)));
    }
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rounding_is_no_difference() {
        assert_eq!(difference(0.1 + 0.2, 0.3), 0.0);
        assert_eq!(difference(1e6 * (0.1 + 0.2), 3e5), 0.0);
        assert_eq!(difference(0.0, 1e-17), 0.0);
        assert_eq!(difference(f64::INFINITY, f64::INFINITY), 0.0);
        assert_eq!(difference(f64::INFINITY, 1.0), f64::INFINITY);
        assert_eq!(difference(1.0, 1.0 - 1e-11), 1.0 - (1.0 - 1e-11));
        assert!(difference(f64::NAN, 1.0).is_nan());
        assert_eq!(without_rounding(1e-13, 0.5), 0.0);
        assert_eq!(without_rounding(-1e-12, 0.5), -1e-12);
    }

    #[test]
    fn equal_values_share_a_rank() {
        let values = [0.3, f64::NAN, 0.5, 0.1 + 0.2, 0.4, f64::NAN];
        assert_eq!(ranked(&values, false), [(2, 1), (4, 2), (0, 3), (3, 3), (1, 5), (5, 5)]);
        assert_eq!(ranked(&values, true), [(0, 1), (3, 1), (4, 3), (2, 4), (1, 5), (5, 5)]);
        assert_eq!(ranked(&[], true), []);
    }
}
