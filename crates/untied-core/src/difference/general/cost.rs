//! The cost of a value and of a bound in the general search.

use super::GeneralDifference;
use crate::difference::solution::STEPS;
use crate::measures::bounds::Resolution;
use crate::names::Sampled as SampledOrders;

/// Steps that a call of a user's formula counts as.
const CALL: usize = 5_000;
/// Most orders of a ranking over which a mean is taken.
const ORDERS: usize = 10_000;
/// Steps that bounds of means over the orders of ties are worth: a hundredth of all.
const WORTH: usize = STEPS as usize / 100;

/// About how many steps a value and a bound take, and what bounds are of.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub mean: usize,
    pub bound: usize,
    /// Tied documents stand in all orders, or in the worst and in the best one, between which the mean is.
    pub resolutions: [Resolution; 2],
}

impl Cost {
    /// The cost for tie groups of these sizes, with `units` documents to decide.
    pub fn new(difference: &GeneralDifference, sizes: &[usize], units: usize) -> Cost {
        let GeneralDifference { measure, info, .. } = difference;
        let documents = sizes.iter().sum::<usize>() + units;
        // Of a set documents are only counted.
        let each = if difference.is_of_set() { 5 } else { 20 };
        let untied = if measure.formula().is_some() { CALL } else { 1000 } + each * documents;
        let by_orders = measure.formula().is_some() || info.sampled.iter().any(SampledOrders::is_of_mean);
        let mean = if by_orders {
            // It may go through every order, or through a sample of them.
            untied * sizes.iter().flat_map(|&size| 2..=size).fold(1, |orders, n| (orders * n).min(ORDERS))
        } else {
            untied + 4 * sizes.iter().map(|size| size * size).sum::<usize>()
        };
        // Bounds may take as many means as there are documents, where some are tied; those of sets do not.
        let squares = if difference.is_of_set() { 0 } else { measure.bound_steps(documents) };
        let (in_one, tied) = ((2 * untied).saturating_add(squares), sizes.iter().any(|&size| size > 1));
        let of_means = if measure.formula().is_some() { 4 * mean } else { in_one.saturating_add(documents * mean / 4) };
        let (bound, resolutions) = match tied {
            false => (in_one, [Resolution::Mean; 2]),
            true if of_means <= WORTH || difference.fixed => (of_means, [Resolution::Mean; 2]),
            true => (in_one.saturating_mul(2), [Resolution::Worst, Resolution::Best]),
        };
        Cost { mean: 2 * mean, bound, resolutions }
    }
}
