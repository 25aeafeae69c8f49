//! How many steps the general search takes for one value of the difference, and for one bound.

use super::GeneralDifference;
use crate::difference::solution::STEPS;
use crate::measures::bounds::Resolution;
use crate::names::Sampled as SampledOrders;

/// The number of steps that a call of user code counts as.
const CALL: usize = 5_000;
/// The largest number of tie orders over which a mean is taken.
const ORDERS: usize = 10_000;
/// The largest number of steps of a bound of means over tie orders: a hundredth of a search. If a bound takes more, the
/// bounds of the best and the worst order replace it.
const WORTH: usize = STEPS as usize / 100;

/// The costs of the general search for one pair, and the tie orders of its bounds.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    /// About how many steps one value takes.
    pub mean: usize,
    /// About how many steps one upper bound takes.
    pub bound: usize,
    /// The tie orders for the lowest value of a score, and for its highest: the mean over all orders, or the worst and
    /// the best order, which enclose it.
    pub resolutions: [Resolution; 2],
}

impl Cost {
    /// The cost for tie groups of these sizes, with `units` documents to decide.
    pub fn new(difference: &GeneralDifference, sizes: &[usize], units: usize) -> Cost {
        let GeneralDifference { measure, info, .. } = difference;
        let documents = sizes.iter().sum::<usize>() + units;
        // A measure of sets only counts documents.
        let each = if difference.is_of_set() { 5 } else { 20 };
        let untied = if measure.formula().is_some() { CALL } else { 1000 } + each * documents;
        let by_orders = measure.formula().is_some() || info.sampled.iter().any(SampledOrders::is_of_mean);
        let mean = if by_orders {
            // The measure may go through all tie orders, or through a sample.
            untied * sizes.iter().flat_map(|&size| 2..=size).fold(1, |orders, n| (orders * n).min(ORDERS))
        } else {
            untied + 4 * sizes.iter().map(|size| size * size).sum::<usize>()
        };
        // If documents are tied, a bound may take as many means as there are documents, except for measures of sets.
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
