//! Tests whether differences between runs are significant. `paired` has the differences of two runs by query;
//! `randomization` tests two runs, and `range` many runs at once; `decide` corrects p-values and decides; `bootstrap` and
//! `bca` compute confidence intervals.
//!
//! Values are first rounded to a grid of whole numbers. Sums of whole numbers are exact, so a p-value depends neither on
//! the order of the queries nor on the number of threads.

mod bca;
mod bootstrap;
mod decide;
mod paired;
mod randomization;
mod range;
mod sum;

pub use bca::interval;
pub use bootstrap::{Bootstrap, bootstrap};
pub use decide::{Decided, adjust, decide};
pub use paired::{Differences, PairedValues, RunValues, Standing};
pub use randomization::{SignCounts, randomization, randomizations};
pub use range::{Ranges, largest_ranges, tukey};
pub use sum::{ExactSum, SignedMean, mean, sum};

use crate::elementary::powi;

/// The rows in which columns differ most, largest difference first. Equal differences keep their order. A row in which
/// a column has no value counts as one without a difference.
pub fn most_different<C: AsRef<[f64]>>(columns: &[C], most: usize) -> Vec<usize> {
    let count = columns.iter().map(|column| column.as_ref().len()).min().unwrap_or(0);
    let spread = |row: usize| {
        let values = || columns.iter().map(|column| column.as_ref()[row]);
        let difference = values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
        if values().any(f64::is_nan) { 0.0 } else { difference }
    };
    let mut rows: Vec<(f64, usize)> = (0..count).map(|row| (spread(row), row)).collect();
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if most < count {
        rows.select_nth_unstable_by(most, order);
        rows.truncate(most);
    }
    rows.sort_unstable_by(order);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The largest magnitude has at least 2 to this power steps of the grid, so a step is at most 1e-12 of it.
const STEPS: i32 = 40;
/// If there are more than 2 to this power of values, steps are larger, so that sums cannot overflow.
const MOST_VALUES: u32 = 22;

/// Values rounded to whole numbers of steps.
struct StepGrid {
    steps: Vec<i64>,
    /// A step is 2 to the power of -`scale`.
    scale: i32,
}

impl StepGrid {
    /// The value of a number of steps.
    fn value(&self, steps: f64) -> f64 {
        scaled(steps, -self.scale)
    }
}

/// A value times 2 to the power of `scale`. It multiplies twice, because the power itself may overflow.
fn scaled(value: f64, scale: i32) -> f64 {
    let (half, rest) = (scale / 2, scale - scale / 2);
    value * powi(2.0, half) * powi(2.0, rest)
}

/// Rounds values to a grid. A step is a power of two, and the sum of all values cannot overflow.
fn on_grid<'a>(values: impl Iterator<Item = &'a f64> + Clone) -> StepGrid {
    let coarser = values.clone().count().next_power_of_two().ilog2().saturating_sub(MOST_VALUES) as i32;
    on_grid_of_digits(values, STEPS - coarser)
}

/// Rounds values to a grid on which the largest magnitude has from 2^digits up to twice as many steps.
fn on_grid_of_digits<'a>(values: impl Iterator<Item = &'a f64> + Clone, digits: i32) -> StepGrid {
    let largest = values.clone().fold(0.0f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return StepGrid { steps: values.map(|_| 0).collect(), scale: 0 };
    }
    let exponent = ((largest.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let scale = digits - exponent.max(-1000);
    StepGrid { steps: values.map(|&value| scaled(value, scale).round_ties_even() as i64).collect(), scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_most_come_first() {
        let columns =
            [vec![0.5, 0.0, 1.0, f64::NAN, 0.25], vec![0.5, 0.5, 0.5, 1.0, 0.0], vec![0.5, 0.25, 0.75, 0.0, 0.0]];
        assert_eq!(most_different(&columns, 9), [1, 2, 4, 0, 3]);
        assert_eq!(most_different(&columns, 2), [1, 2]);
        assert_eq!(most_different(&columns[..1], 3), [0, 1, 2]);
        assert!(most_different(&columns, 0).is_empty() && most_different::<Vec<f64>>(&[], 3).is_empty());
    }

    #[test]
    fn the_grid_keeps_proportions() {
        let steps = |values: &[f64]| on_grid(values.iter()).steps;
        assert_eq!(steps(&[0.5, -0.25, 0.0]), [1 << 40, -(1 << 39), 0]);
        assert_eq!(steps(&[3e200, 1e-9])[1], 0);
        assert_eq!(steps(&[1e-300]).len(), 1);
        assert_eq!(steps(&[0.0]), [0]);
        // Sums that are equal but for rounding are equal on the grid.
        let sums = steps(&[0.1, 0.2, 0.1 + 0.2]);
        assert!((sums[0] + sums[1] - sums[2]).abs() <= 3);
        // Steps become the values again.
        for value in [0.3, 3e200, -7e-200] {
            let grid = on_grid([value].iter());
            assert!((grid.value(grid.steps[0] as f64) / value - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn sums_of_very_many_values_do_not_overflow() {
        let values = vec![1.999; 9_000_000];
        let steps = on_grid(values.iter()).steps;
        assert!(steps.iter().try_fold(0i64, |sum, &step| sum.checked_add(step)).is_some());
    }
}
