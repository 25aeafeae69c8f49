//! Randomisation tests on values of queries: of two runs by their differences, of many at once by their range.
//!
//! Values are laid on a grid of whole numbers first. Sums of these are exact, so a p-value depends neither on the order
//! of the queries nor on the number of threads.

mod randomization;
mod range;

pub use randomization::{Counts, randomization};
pub use range::{Ranges, largest_ranges};

/// How finely the largest magnitude is told: 2^40 steps, about 1e-12 of it.
const STEPS: i32 = 40;

/// Values as whole numbers, in the same proportions.
///
/// A step is a power of two, and the sum of 2^22 values cannot overflow.
fn on_grid<'a>(values: impl Iterator<Item = &'a f64> + Clone) -> Vec<i64> {
    let largest = values.clone().fold(0.0f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return values.map(|_| 0).collect();
    }
    let exponent = ((largest.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    // Two factors, as one alone may not be a number.
    let scale = STEPS - exponent.max(-1000);
    let (half, rest) = (scale / 2, scale - scale / 2);
    values.map(|value| (value * 2f64.powi(half) * 2f64.powi(rest)).round_ties_even() as i64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_keeps_proportions() {
        assert_eq!(on_grid([0.5, -0.25, 0.0].iter()), [1 << 40, -(1 << 39), 0]);
        assert_eq!(on_grid([3e200, 1e-9].iter())[1], 0);
        assert_eq!(on_grid([1e-300].iter()).len(), 1);
        assert_eq!(on_grid([0.0].iter()), [0]);
        // Sums that are equal but for rounding are equal on the grid.
        let grid = on_grid([0.1, 0.2, 0.1 + 0.2].iter());
        assert!((grid[0] + grid[1] - grid[2]).abs() <= 3);
    }
}
