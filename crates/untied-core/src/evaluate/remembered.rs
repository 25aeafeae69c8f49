//! Means of rankings that were met before: of many short rankings few are different.

use super::{Flags, Note, Row};

/// All that means of a query depend on, as a number: its ranking and its judgments. It is not 0, and its upper bits are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key(pub u128);

impl Key {
    /// Bits that it has.
    pub const BITS: u32 = u128::BITS - 4;

    #[inline]
    fn place(self) -> usize {
        let mixed = self.0 as u64 ^ ((self.0 >> 64) as u64).rotate_left(32);
        (mixed.wrapping_mul(SCATTER) >> (u64::BITS - BITS)) as usize
    }
}

/// How many rankings are remembered, and what spreads their keys over the upper bits (the golden ratio).
const PLACES: usize = 1 << BITS;
const BITS: u32 = 14;
/// How many rankings are met before any is remembered: to make room takes as long as to evaluate some hundreds.
const MET: usize = 2048;
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Cells and notes by key; a later key takes the place of one that falls on the same.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    met: usize,
    /// Keys, with flags in the bits that they leave free.
    keys: Vec<u128>,
    cells: Vec<f64>,
    notes: Vec<Note>,
}

/// Flags in the bits that a key leaves free; the last tells whether any note says something.
#[inline]
fn packed(Flags { mixed, matched, relevant }: Flags, is_noted: bool) -> u128 {
    let flags = [mixed, matched, relevant, is_noted];
    flags.iter().fold(0, |bits, &flag| bits << 1 | u128::from(flag)) << Key::BITS
}

impl Remembered {
    /// Fill in what is remembered of a ranking, and tell whether anything is; notes say nothing yet.
    #[inline]
    pub fn find(&self, key: Key, row: &mut Row<'_>) -> bool {
        let Row { cells, notes, flags, .. } = row;
        let place = key.place();
        let Some(&found) = self.keys.get(place) else { return false };
        if (found ^ key.0) << (u128::BITS - Key::BITS) != 0 {
            return false;
        }
        let (known, measures) = ((found >> Key::BITS) as u8, cells.len());
        // One by one, as they are few.
        cells.iter_mut().zip(&self.cells[place * measures..]).for_each(|(to, &cell)| *to = cell);
        if known & 1 != 0 {
            notes.copy_from_slice(&self.notes[place * measures..][..measures]);
        }
        **flags = Flags { mixed: known & 8 != 0, matched: known & 4 != 0, relevant: known & 2 != 0 };
        true
    }

    /// Remember a ranking, once many were met.
    pub fn keep(&mut self, key: Key, row: &Row<'_>) {
        let Row { cells, notes, flags, .. } = row;
        if self.met < MET {
            self.met += 1;
            return;
        }
        let (place, measures) = (key.place(), cells.len());
        if self.keys.is_empty() {
            self.keys = vec![0; PLACES];
            self.cells = vec![0.0; PLACES * measures];
            self.notes = vec![Note::NONE; PLACES * measures];
        }
        self.keys[place] = key.0 | packed(**flags, notes.iter().any(|&note| note != Note::NONE));
        self.cells[place * measures..][..measures].copy_from_slice(cells);
        self.notes[place * measures..][..measures].copy_from_slice(notes);
    }
}
