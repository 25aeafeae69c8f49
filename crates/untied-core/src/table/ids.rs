//! Document ids as columns: all bytes one after the other, with ends and hashes.

use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::ops::Range;
use std::sync::LazyLock;

use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

/// The secrets of the hash function, drawn anew in every process. So nobody can write a file with ids that have equal
/// hashes, which would make every look-up a search. No result depends on them, because hashes only say where to look.
static SECRETS: LazyLock<RapidSecrets> = LazyLock::new(|| RapidSecrets::seed(RandomState::new().hash_one(0)));

/// A 32-bit hash of an id. Different ids may have equal hashes, so callers compare the ids, too.
#[inline]
pub fn hash(id: &[u8]) -> u32 {
    rapidhash_v3_seeded(id, &SECRETS) as u32
}

/// The same as [`hash`] for an id that is a number.
#[inline]
pub fn hash_number(id: u64) -> u32 {
    hash(&id.to_le_bytes())
}

/// Whether two texts are equal. Most are short, and comparing both ends is faster than a library call for any length.
#[inline]
pub fn are_equal(one: &[u8], other: &[u8]) -> bool {
    fn in_ends<const N: usize>(one: &[u8], other: &[u8]) -> bool {
        one.first_chunk::<N>() == other.first_chunk() && one.last_chunk::<N>() == other.last_chunk()
    }
    one.len() == other.len()
        && match one.len() {
            8..=16 => in_ends::<8>(one, other),
            4..8 => in_ends::<4>(one, other),
            2..4 => in_ends::<2>(one, other),
            1 => one[0] == other[0],
            _ => one == other,
        }
}

/// Brings memory into the cache by reading one value of every cache line in order. Without this, each look-up
/// afterwards would wait for memory.
pub(super) fn fetch<T: Copy>(values: &[T]) {
    const LINE: usize = 64;
    values.iter().step_by(LINE / size_of::<T>()).for_each(|&value| {
        black_box(value);
    });
}

/// Appends an id. Copying its two ends, whose lengths are constants, is faster than a library call for any length.
#[inline]
fn append(bytes: &mut Vec<u8>, id: &[u8]) {
    fn ends<const N: usize>(bytes: &mut Vec<u8>, id: &[u8]) -> Option<()> {
        let (first, last) = (id.first_chunk::<N>()?, id.last_chunk::<N>()?);
        let end = bytes.len() + id.len();
        bytes.extend_from_slice(first);
        bytes.truncate(end - N);
        bytes.extend_from_slice(last);
        Some(())
    }
    let appended = match id.len() {
        8..=16 => ends::<8>(bytes, id),
        4..8 => ends::<4>(bytes, id),
        _ => None,
    };
    if appended.is_none() {
        bytes.extend_from_slice(id);
    }
}

/// How many bytes are copied at once; those after a short id are dropped.
const AT_ONCE: usize = 16;

/// A column of document ids.
#[derive(Debug, Default, Clone)]
pub struct Documents {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    hashes: Vec<u32>,
}

impl Documents {
    /// How many bytes of ids a column can hold.
    pub const MOST_BYTES: usize = u32::MAX as usize;

    /// A column without ids.
    pub const EMPTY: Documents = Documents { bytes: Vec::new(), ends: Vec::new(), hashes: Vec::new() };

    /// The number of ids.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of bytes of all ids together.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Whether an id still fits in; a column holds at most 4 GiB.
    #[inline]
    pub fn has_room(&self, id: &[u8]) -> bool {
        self.bytes.len() + id.len() <= Documents::MOST_BYTES
    }

    /// Reserves memory for more ids, which have `bytes` bytes together.
    pub fn reserve(&mut self, ids: usize, bytes: usize) {
        self.bytes.reserve(bytes + AT_ONCE);
        self.ends.reserve(ids);
        self.hashes.reserve(ids);
    }

    /// Removes all ids, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.hashes.clear();
    }

    /// Appends an id.
    ///
    /// # Panics
    /// If a column grows beyond 4 GiB of ids; readers start a new block long before.
    #[inline]
    pub fn push(&mut self, id: &[u8]) {
        self.push_hashed(id, hash(id));
    }

    /// Appends an id, which is the bytes `place` of a text.
    ///
    /// # Panics
    /// As [`Documents::push`], or if the place is not in the text.
    #[inline]
    pub fn push_at(&mut self, text: &[u8], place: Range<usize>) {
        let id = &text[place.clone()];
        match text[place.start..].first_chunk::<AT_ONCE>() {
            // A copy of a constant length takes a fraction of the time of one that must look up its length.
            Some(more) if id.len() <= AT_ONCE => {
                let end = self.bytes.len() + id.len();
                self.bytes.extend_from_slice(more);
                self.bytes.truncate(end);
            }
            _ => self.bytes.extend_from_slice(id),
        }
        self.ends.push(u32::try_from(self.bytes.len()).expect("at most 4 GiB of ids in a block"));
        self.hashes.push(hash(id));
    }

    /// Appends an id whose hash is known.
    ///
    /// # Panics
    /// As [`Documents::push`].
    #[inline]
    pub fn push_hashed(&mut self, id: &[u8], hash: u32) {
        append(&mut self.bytes, id);
        self.ends.push(u32::try_from(self.bytes.len()).expect("at most 4 GiB of ids in a block"));
        self.hashes.push(hash);
    }

    /// Appends ids that follow each other in `bytes`; `ends` has the end of each.
    ///
    /// # Panics
    /// As [`Documents::push`], or if the ends are not ascending or not within the bytes.
    pub fn extend(&mut self, bytes: &[u8], ends: impl ExactSizeIterator<Item = usize>) {
        let before = self.bytes.len();
        assert!(before + bytes.len() <= Documents::MOST_BYTES, "at most 4 GiB of ids in a block");
        self.bytes.extend_from_slice(bytes);
        self.ends.reserve(ends.len());
        self.hashes.reserve(ends.len());
        let mut start = 0;
        for end in ends {
            self.ends.push((before + end) as u32);
            self.hashes.push(hash(&bytes[start..end]));
            start = end;
        }
    }

    /// The id in row `i`.
    #[inline]
    pub fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.bytes[start..self.ends[i] as usize]
    }

    /// Brings some ids into the cache; see [`fetch`].
    pub(super) fn fetch(&self, rows: Range<usize>) {
        let Some(last) = rows.clone().last() else { return };
        let start = rows.start.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        fetch(&self.bytes[start..self.ends[last] as usize]);
        fetch(&self.ends[rows]);
    }

    /// The hash of the id in row `i`.
    #[inline]
    pub fn hash(&self, i: usize) -> u32 {
        self.hashes[i]
    }

    /// The hashes of a range of rows.
    #[inline]
    pub fn hashes(&self, rows: Range<usize>) -> &[u32] {
        &self.hashes[rows]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_all_lengths_are_kept_and_told_apart() {
        let text: Vec<u8> = (1..=40).collect();
        let mut documents = Documents::default();
        (0..=40).for_each(|length| documents.push(&text[..length]));
        for length in 0..=40 {
            assert_eq!(documents.get(length), &text[..length]);
            assert!((0..=40).all(|other| are_equal(documents.get(length), documents.get(other)) == (length == other)));
            for place in 0..length {
                let mut other = text[..length].to_vec();
                other[place] = 0;
                assert!(!are_equal(&other, documents.get(length)));
            }
        }
    }
}
