//! Parallel sorting of long lists, which ends early when the user interrupts.

use std::cmp::Ordering;

use crate::watch;

/// Values that are sorted between two looks at whether to go on: some hundredths of a second.
const AT_ONCE: usize = 1 << 18;

/// Sort by a total order. Work that is told to stop leaves the values in any order.
pub fn sort_by<T: Send>(values: &mut [T], compare: &(impl Fn(&T, &T) -> Ordering + Sync)) {
    if values.len() <= AT_ONCE {
        values.sort_unstable_by(compare);
    } else if !watch::is_stopped() {
        let (lower, _, upper) = values.select_nth_unstable_by(values.len() / 2, compare);
        rayon::join(|| sort_by(lower, compare), || sort_by(upper, compare));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn long_and_short_ones_are_sorted() {
        for len in [0, 1, AT_ONCE, AT_ONCE + 1, 5 * AT_ONCE + 3] {
            for modulus in [3, 1_000_003] {
                let mut values: Vec<u64> = (0..len as u64).map(|i| i * 7_919 % modulus).collect();
                let sum: u64 = values.iter().sum();
                sort_by(&mut values, &|a, b| b.cmp(a));
                assert!(values.is_sorted_by(|a, b| a >= b) && values.iter().sum::<u64>() == sum);
            }
        }
    }

    #[test]
    fn what_is_told_to_stop_does_not_sort() {
        let watch = Arc::new(watch::Watch::default());
        watch.stop();
        let threads =
            rayon::ThreadPoolBuilder::new().num_threads(1).start_handler(move |_| Arc::clone(&watch).attend());
        let mut values: Vec<usize> = (0..2 * AT_ONCE).rev().collect();
        threads.build().expect("a thread").install(|| sort_by(&mut values, &usize::cmp));
        assert_eq!(values[0], 2 * AT_ONCE - 1);
    }
}
