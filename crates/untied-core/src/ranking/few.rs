//! Sorts a few values without branches on them: it counts for each value how many are smaller, which is its place.
//!
//! The processor cannot predict the outcome of a comparison of scores, so a wrong guess would cost more than the
//! comparisons that other algorithms save.

use crate::sorting;

/// Sorts values in ascending order.
#[inline]
pub fn sort<T: Copy + Ord + Send>(values: &mut [T]) {
    /// Calls `by_counting` for a slice of any of these lengths.
    macro_rules! by_length {
        ($($length:literal)*) => {
            match values.len() {
                0 | 1 => {}
                $($length => by_counting::<T, $length>(values),)*
                _ => sorting::sort_by(values, &T::cmp),
            }
        };
    }
    by_length!(2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
}

/// Sorts `N` values. The compiler unrolls its loops, because it knows `N`.
fn by_counting<T: Copy + Ord, const N: usize>(values: &mut [T]) {
    let Some(values) = values.first_chunk_mut::<N>() else { return };
    let unsorted = *values;
    let mut places = [0; N];
    for later in 1..N {
        for earlier in 0..later {
            let is_smaller = usize::from(unsorted[later] < unsorted[earlier]);
            places[earlier] += is_smaller;
            places[later] += 1 - is_smaller;
        }
    }
    for (&value, place) in unsorted.iter().zip(places) {
        values[place] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_sorted_whatever_their_number() {
        for n in 0..=40_u64 {
            for factor in 1..200 {
                for most in [2, 5, 1 << 40] {
                    let mut values: Vec<u64> = (0..n).map(|i| (i + 1) * factor * factor % 1_009 % most).collect();
                    let mut expected = values.clone();
                    expected.sort_unstable();
                    sort(&mut values);
                    assert_eq!(values, expected);
                }
            }
        }
    }
}
