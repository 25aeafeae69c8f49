//! Distinct names, numbered in order of appearance. Their bytes are stored one after the other, which is ten times faster
//! for ten million names than a string for each and a map of strings.

use super::{ids, index};
use crate::{sorting, watch};

/// Names by number, and while names are added also numbers by name.
#[derive(Debug, Default, Clone)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The hashes of all names, while they are indexed.
    hashes: Vec<u32>,
    slots: Vec<index::Slot>,
}

impl Names {
    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name with this number.
    #[inline]
    pub fn get(&self, number: usize) -> &[u8] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start..self.ends[number]]
    }

    /// All names, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// The number of a name, a new one if the name is new.
    pub fn number(&mut self, name: &[u8]) -> u32 {
        if 2 * (self.len() + 1) > self.slots.len() {
            self.grow();
        }
        let (hash, next) = (ids::hash(name), self.len() as u32);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let is_same = |other: u32| {
            let start = if other == 0 { 0 } else { ends[other as usize - 1] };
            &bytes[start..ends[other as usize]] == name
        };
        if let Err(number) = index::insert(&mut self.slots, hash, next, is_same) {
            return number;
        }
        self.hashes.push(hash);
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        next
    }

    #[cold]
    fn grow(&mut self) {
        let hash_again = self.hashes.len()..self.ends.len();
        let hashes: Vec<u32> = hash_again.map(|number| ids::hash(self.get(number))).collect();
        self.hashes.extend(hashes);
        self.slots.clear();
        self.slots.resize(index::slots_for(2 * (self.len() + 1)), 0);
        for (number, &hash) in self.hashes.iter().enumerate() {
            // All names are different, so there is nothing to compare.
            let inserted = index::insert(&mut self.slots, hash, number as u32, |_| false);
            debug_assert!(inserted.is_ok());
        }
    }

    /// Removes the index of numbers by name, to save memory after the last name. Adding a name makes it again.
    pub fn finish(&mut self) {
        self.slots.clear();
        self.hashes.clear();
    }

    /// Removes all names, and keeps the memory.
    pub fn clear(&mut self) {
        self.finish();
        self.bytes.clear();
        self.ends.clear();
    }

    /// Removes the last name.
    pub fn pop(&mut self) {
        self.finish();
        self.ends.pop();
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// The numbers in the order of the names' bytes; in any order if the user interrupts.
    pub fn order(&self) -> Vec<u32> {
        let same = match self.iter().next() {
            Some(first) => self.iter().fold(first.len(), |same, name| {
                if name.get(..same) == first.get(..same) {
                    return same;
                }
                name.iter().zip(first).take_while(|(a, b)| a == b).count()
            }),
            None => 0,
        };
        // Names mostly have a common prefix, and the eight bytes after it mostly differ.
        let key = |name: &[u8]| {
            let mut key = [0; 8];
            let rest = &name[same..name.len().min(same + 8)];
            key[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(key)
        };
        let mut keyed: Vec<(u64, u32)> = self.iter().map(key).zip(0..).collect();
        let rest = |number: u32| &self.get(number as usize)[same..];
        sorting::sort_by(&mut keyed, &|a: &(u64, u32), b: &(u64, u32)| {
            a.0.cmp(&b.0).then_with(|| rest(a.1).cmp(rest(b.1)))
        });
        keyed.into_iter().map(|(_, number)| number).collect()
    }

    /// The names in this order, to be found by [`Names::find`].
    pub fn sorted(&self, order: &[u32]) -> Names {
        let mut sorted = Names { bytes: Vec::with_capacity(self.bytes.len()), ..Names::default() };
        sorted.ends.reserve(self.len());
        for &number in watch::until_stopped(order.iter()) {
            sorted.bytes.extend_from_slice(self.get(number as usize));
            sorted.ends.push(sorted.bytes.len());
        }
        sorted
    }

    /// The number of a name, where names are sorted.
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        let at = self.lower(0..self.len(), name);
        (at < self.len() && self.get(at) == name).then_some(at)
    }

    /// The first of these sorted names that does not stand before this one, or the end.
    pub fn lower(&self, mut within: std::ops::Range<usize>, name: &[u8]) -> usize {
        while !within.is_empty() {
            let middle = within.start + within.len() / 2;
            if self.get(middle) < name {
                within.start = middle + 1;
            } else {
                within.end = middle;
            }
        }
        within.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers_and_an_order() {
        let given: [&[u8]; 9] = [b"ab", b"a", b"", b"ab\0", b"b", b"ab", b"abcdefghijk", b"abcdefghij", b""];
        let mut names = Names::default();
        let numbers: Vec<u32> = given.iter().map(|name| names.number(name)).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 0, 5, 6, 2]);
        let order = names.order();
        let sorted = names.sorted(&order);
        let names: Vec<&[u8]> = sorted.iter().collect();
        let mut expected = given.to_vec();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(names, expected);
        assert!(expected.iter().enumerate().all(|(number, name)| sorted.find(name) == Some(number)));
        assert_eq!([&b"aa"[..], b"zz"].map(|name| sorted.find(name)), [None, None]);
        assert!(Names::default().order().is_empty());
    }

    #[test]
    fn what_all_names_begin_with_is_left_out_of_the_comparison() {
        let mut names = Names::default();
        for number in [30, 4, 100, 1, 25] {
            names.number(format!("a-long-beginning-of-names-{number}-and-an-end").as_bytes());
        }
        assert_eq!(names.order(), [3, 2, 4, 0, 1]);
        names.pop();
        names.number(b"a");
        names.number(b"a-long-beginning-of-names-4-and-an-end");
        assert_eq!((names.len(), names.order()), (5, vec![4, 3, 2, 0, 1]));
    }
}
