//! Means of rankings that were met before: of many short rankings few are different.

use super::{Flags, Note};

/// All that means of a query depend on.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// The ranking; 0 is that of none.
    pub ranking: u128,
    /// The judgments.
    pub kind: u32,
}

/// How many rankings are remembered, and what spreads their keys over the upper bits (the golden ratio).
const PLACES: usize = 1 << BITS;
const BITS: u32 = 13;
/// How many rankings are met before any is remembered: to make room takes as long as to evaluate some hundreds.
const MET: usize = 2048;
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Cells and notes by key; a later key takes the place of one that falls on the same.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    met: usize,
    keys: Vec<Key>,
    flags: Vec<Flags>,
    cells: Vec<f64>,
    notes: Vec<Note>,
}

impl Key {
    #[inline]
    fn place(self) -> usize {
        let mixed = self.ranking as u64 ^ ((self.ranking >> 64) as u64 ^ u64::from(self.kind) << 8).rotate_left(32);
        (mixed.wrapping_mul(SCATTER) >> (u64::BITS - BITS)) as usize
    }
}

impl Remembered {
    /// Fill in what is remembered of a ranking, if anything is.
    #[inline]
    pub fn find(&self, key: Key, cells: &mut [f64], notes: &mut [Note]) -> Option<Flags> {
        let place = key.place();
        if *self.keys.get(place)? != key {
            return None;
        }
        let measures = cells.len();
        // One by one, as they are few.
        cells.iter_mut().zip(&self.cells[place * measures..]).for_each(|(to, &cell)| *to = cell);
        notes.iter_mut().zip(&self.notes[place * measures..]).for_each(|(to, &note)| *to = note);
        Some(self.flags[place])
    }

    /// Remember a ranking, once many were met.
    pub fn keep(&mut self, key: Key, cells: &[f64], notes: &[Note], flags: Flags) {
        if self.met < MET {
            self.met += 1;
            return;
        }
        let (place, measures) = (key.place(), cells.len());
        if self.keys.is_empty() {
            self.keys = vec![Key::default(); PLACES];
            self.flags = vec![Flags::default(); PLACES];
            self.cells = vec![0.0; PLACES * measures];
            self.notes = vec![Note::NONE; PLACES * measures];
        }
        self.keys[place] = key;
        self.flags[place] = flags;
        self.cells[place * measures..][..measures].copy_from_slice(cells);
        self.notes[place * measures..][..measures].copy_from_slice(notes);
    }
}
