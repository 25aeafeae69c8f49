//! Finds the first documents of a long ranking, and all that tie with the last of them, without sorting the others.
//!
//! The smallest key of each block of documents is computed, and the k-th smallest of these is a bound. At least k documents
//! have keys up to the bound, so the first k documents are among them, and no tie group is divided.

use super::Order;
use super::score::{Key, Score};
use crate::table::{hash_number, index};

/// The number of documents in a block.
const BLOCK: usize = 32;

/// Whether finding the first documents is faster than sorting all of them.
pub fn are_few(depth: usize, documents: usize) -> bool {
    0 < depth && depth <= documents / (2 * BLOCK)
}

impl Order {
    /// Sorts the tie groups that begin within a depth, and perhaps some after them. Returns whether any relevant document of
    /// the other groups ties with a document of another code, or None if a score is not finite. [`are_few`] must be true for
    /// the depth.
    pub fn sort_first<S: Score, C: Copy + Eq>(
        &mut self,
        scores: &[S::Raw],
        depth: usize,
        ascending: bool,
        codes: &[C],
        is_relevant: impl Fn(C) -> bool,
    ) -> Option<bool> {
        let turn = |key: S::Key| if ascending { !key } else { key };
        let keys: Vec<S::Key> = scores.iter().map(|&score| turn(S::key(score))).collect();
        let (least, most) = keys.iter().fold((keys[0], keys[0]), |(least, most), &key| (least.min(key), most.max(key)));
        if !S::is_finite(turn(least)) || !S::is_finite(turn(most)) {
            return None;
        }
        let last = bound(&keys, depth);
        let parts = keys.chunks(BLOCK).zip((0..).step_by(BLOCK));
        let first = parts
            .filter(|(part, _)| part.iter().any(|&key| key <= last))
            .flat_map(|(part, first)| part.iter().copied().zip(first..).filter(|&(key, _)| key <= last));
        self.sort_keys(keys.len(), first);
        Some(is_mixed(&keys, codes, last, is_relevant))
    }
}

/// A key that the keys of the first documents do not exceed.
fn bound<K: Key>(keys: &[K], depth: usize) -> K {
    let least = |part: &[K]| part.iter().fold(part[0], |least, &key| least.min(key));
    let mut minima: Vec<K> = keys.chunks(BLOCK).map(least).collect();
    *minima.select_nth_unstable(depth - 1).1
}

/// Whether any relevant document after this key ties with a document of another code.
fn is_mixed<K: Key, C: Copy + Eq>(keys: &[K], codes: &[C], last: K, is_relevant: impl Fn(C) -> bool) -> bool {
    let behind = || keys.iter().copied().zip(codes.iter().copied()).filter(|&(key, _)| key > last);
    let relevant: Vec<(K, C)> = behind().filter(|&(_, code)| is_relevant(code)).collect();
    let mut slots = vec![0; index::slots_for(relevant.len())];
    let hash = |key: K| hash_number(key.into());
    for (&(key, code), number) in relevant.iter().zip(0..) {
        match index::insert(&mut slots, hash(key), number, |other| relevant[other as usize].0 == key) {
            Err(other) if relevant[other as usize].1 != code => return true,
            _ => {}
        }
    }
    let ties = |key: K| index::find(&slots, hash(key), |other| relevant[other as usize].0 == key).is_some();
    behind().any(|(key, code)| !is_relevant(code) && ties(key))
}
