//! Sorts the keys of a query together with their rows.
//!
//! A key and its row share a number of 64 bits, which sorts twice as fast as one of 128 bits. A key of 32 bits leaves
//! enough bits for the row. Of a key of 64 bits, the number has as many upper bits as the row leaves; rows whose keys agree
//! in these bits are then sorted by their complete keys.

use super::few;
use super::score::Key;
use crate::sorting;

/// Sorted keys with their rows, in memory that is used again for the next query.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// For each row the upper bits of its key, and in the lower bits the row.
    packed: Vec<u64>,
    /// The number of bits of the row.
    row_bits: u32,
    /// The complete keys by row, if the numbers in `packed` lack some of their bits.
    complete: Vec<u64>,
}

impl Keys {
    /// Sorts keys in ascending order, and equal keys by row. All rows must be below `rows`.
    pub fn sort<K: Key>(&mut self, rows: usize, keys: impl Iterator<Item = (K, u32)>) {
        self.packed.clear();
        self.complete.clear();
        if K::BITS <= u32::BITS {
            self.row_bits = u32::BITS;
            self.packed.extend(keys.map(|(key, row)| key.into() << u32::BITS | u64::from(row)));
            few::sort(&mut self.packed);
            return;
        }
        let row_bits = usize::BITS - rows.saturating_sub(1).leading_zeros();
        self.row_bits = row_bits;
        self.complete.resize(rows, 0);
        let complete = &mut self.complete[..];
        self.packed.extend(keys.map(|(key, row)| {
            complete[row as usize] = key.into();
            key.into() >> row_bits << row_bits | u64::from(row)
        }));
        few::sort(&mut self.packed);
        let key = |packed: u64| complete[(packed & !(u64::MAX << row_bits)) as usize];
        let are_alike = |a: u64, b: u64| (a ^ b) >> row_bits == 0;
        // Keys that are alike but different are rare, so one loop without branches looks for any.
        let is_unsorted = |a: u64, b: u64| are_alike(a, b) & (key(a) != key(b));
        if self.packed.windows(2).fold(false, |any, pair| any | is_unsorted(pair[0], pair[1])) {
            for alike in self.packed.chunk_by_mut(|&a, &b| are_alike(a, b)) {
                sorting::sort_by(alike, &|&a, &b| key(a).cmp(&key(b)).then(a.cmp(&b)));
            }
        }
    }

    /// The rows in the order of their keys.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = u32> {
        self.packed.iter().map(|&packed| self.row(packed))
    }

    /// Whether the keys at this place and at the next one are different.
    #[inline(always)]
    pub fn differ(&self, place: usize) -> bool {
        let (key, next) = (self.packed[place], self.packed[place + 1]);
        (key ^ next) >> self.row_bits != 0 || !self.complete.is_empty() && self.key(key) != self.key(next)
    }

    /// The smallest and the largest key, if there are any.
    pub fn ends<K: Key>(&self) -> Option<[K; 2]> {
        Some([*self.packed.first()?, *self.packed.last()?].map(|packed| K::from_bits(self.key(packed))))
    }

    #[inline(always)]
    fn row(&self, packed: u64) -> u32 {
        (packed & !(u64::MAX << self.row_bits)) as u32
    }

    #[inline(always)]
    fn key(&self, packed: u64) -> u64 {
        if self.complete.is_empty() { packed >> u32::BITS } else { self.complete[self.row(packed) as usize] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted<K: Key>(keys: &[K]) -> (Vec<u32>, Vec<bool>) {
        let mut sorted = Keys::default();
        sorted.sort(keys.len(), keys.iter().copied().zip(0..));
        let places = 0..keys.len().saturating_sub(1);
        (sorted.rows().collect(), places.map(|place| sorted.differ(place)).collect())
    }

    #[test]
    fn keys_that_agree_in_their_upper_bits_are_told_apart() {
        let keys = [1 << 40 | 3, 1 << 40, 7, 1 << 40 | 3, 1 << 40 | 1, u64::MAX, 0];
        assert_eq!(sorted(&keys), (vec![6, 2, 1, 4, 0, 3, 5], vec![true, true, true, true, false, true]));
        assert_eq!(sorted(&[5_u32, 5, u32::MAX, 0]), (vec![3, 0, 1, 2], vec![true, false, true]));
        assert_eq!(sorted::<u64>(&[]), (vec![], vec![]));
        assert_eq!(sorted(&[9_u64]), (vec![0], vec![]));
    }

    #[test]
    fn rows_may_be_left_out() {
        let mut sorted = Keys::default();
        sorted.sort(1_000, [(2_u64, 999), (1, 500), (2, 7)].into_iter());
        assert_eq!(sorted.rows().collect::<Vec<u32>>(), [500, 7, 999]);
        assert_eq!(sorted.ends::<u64>(), Some([1, 2]));
    }
}
