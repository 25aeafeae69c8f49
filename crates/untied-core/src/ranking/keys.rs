//! Sorting the keys of a query together with their rows.
//!
//! A key and its row share one number of 64 bits, which sorts in half the time of one of 128 bits. A key of 32 bits
//! leaves room for the row. Of a key of 64 bits the number holds the upper bits, as many as the row leaves; rows whose
//! keys agree in these are then sorted by their whole keys.

use super::network;
use super::score::Key;
use crate::sorting;

/// Keys with their rows; the room is kept between queries.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// The upper bits of each key, and its row in the lower bits.
    packed: Vec<u64>,
    /// How many bits the row takes.
    row_bits: u32,
    /// Whole keys by row, where the numbers in `packed` lack some of their bits.
    whole: Vec<u64>,
}

impl Keys {
    /// Sort keys, ascending, and equal ones by their row; all rows are below `rows`.
    pub fn sort<K: Key>(&mut self, rows: usize, keys: impl Iterator<Item = (K, u32)>) {
        self.packed.clear();
        self.whole.clear();
        if K::BITS <= u32::BITS {
            self.row_bits = u32::BITS;
            self.packed.extend(keys.map(|(key, row)| key.into() << u32::BITS | u64::from(row)));
            network::sort(&mut self.packed);
            return;
        }
        let row_bits = usize::BITS - rows.saturating_sub(1).leading_zeros();
        self.row_bits = row_bits;
        self.whole.resize(rows, 0);
        let whole = &mut self.whole[..];
        self.packed.extend(keys.map(|(key, row)| {
            whole[row as usize] = key.into();
            key.into() >> row_bits << row_bits | u64::from(row)
        }));
        network::sort(&mut self.packed);
        let key = |packed: u64| whole[(packed & !(u64::MAX << row_bits)) as usize];
        for alike in self.packed.chunk_by_mut(|one, other| (one ^ other) >> row_bits == 0) {
            if alike.iter().any(|&packed| key(packed) != key(alike[0])) {
                sorting::sort_by(alike, &|&one, &other| key(one).cmp(&key(other)).then(one.cmp(&other)));
            }
        }
    }

    /// The rows as they were sorted.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = u32> {
        self.packed.iter().map(|&packed| self.row(packed))
    }

    /// Whether neighbours, the first of which stands at this place, have different keys.
    #[inline(always)]
    pub fn differ(&self, place: usize) -> bool {
        let (one, other) = (self.packed[place], self.packed[place + 1]);
        (one ^ other) >> self.row_bits != 0 || !self.whole.is_empty() && self.key(one) != self.key(other)
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
        if self.whole.is_empty() { packed >> u32::BITS } else { self.whole[self.row(packed) as usize] }
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
