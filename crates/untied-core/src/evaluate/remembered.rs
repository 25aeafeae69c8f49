//! Means of rankings that were met before: of many short rankings few are different.

use super::{Flags, Note, Row};

/// All that means of a query depend on, as a number: its ranking and its judgments. Its upper bits are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key(pub u128);

impl Key {
    /// Bits that it has.
    pub const BITS: u32 = u128::BITS - 4;
    /// Of a query of which that is not known.
    pub const NONE: Key = Key(0);

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
    /// Place by place the lower and the upper half of a key, with flags in the bits that it leaves free, or 0 where nothing
    /// is remembered; and the bits of the cells: together, as they are mostly loaded from afar.
    places: Vec<u64>,
    notes: Vec<Note>,
    /// What was found last.
    found: Vec<u128>,
}

/// Numbers that a key takes.
const KEY: usize = 2;

/// Beside the flags of a query, in the bits that a key leaves free: whether any note says something.
const NOTED: u8 = 1 << Flags::BITS;
const _: () = assert!(Flags::BITS < u128::BITS - Key::BITS);

impl Remembered {
    /// Fill in what is remembered of consecutive queries, of which notes say nothing yet; of which it is, a bit each.
    #[inline]
    pub fn find(&mut self, keys: &[Key], cells: &mut [f64], notes: &mut [Note], flags: &mut [Flags]) -> u64 {
        if self.places.is_empty() {
            return 0;
        }
        let (width, measures) = (cells.len() / flags.len(), notes.len() / flags.len());
        // All at once; the branches below wait for none.
        let place = |key: &Key| match self.places[key.place() * (KEY + width)..] {
            [low, high, ..] => u128::from(high) << 64 | u128::from(low),
            _ => 0,
        };
        self.found.clear();
        self.found.extend(keys.iter().map(place));
        let mut all = 0;
        for (i, ((&key, &found), flags)) in keys.iter().zip(&self.found).zip(flags).enumerate() {
            if key == Key::NONE || (found ^ key.0) << (u128::BITS - Key::BITS) != 0 {
                continue;
            }
            all |= 1 << i;
            let place = key.place();
            let bits = &self.places[place * (KEY + width) + KEY..][..width];
            match &mut cells[i * width..][..width] {
                [cell] => *cell = f64::from_bits(bits[0]),
                cells => cells.iter_mut().zip(bits).for_each(|(cell, &bits)| *cell = f64::from_bits(bits)),
            }
            let known = (found >> Key::BITS) as u8;
            *flags = Flags(known & !NOTED);
            if known & NOTED != 0 {
                notes[i * measures..][..measures].copy_from_slice(&self.notes[place * measures..][..measures]);
            }
        }
        all
    }

    /// Remember a ranking, once many were met.
    pub fn keep(&mut self, key: Key, Row { cells, notes, flags, .. }: &Row<'_>) {
        if key == Key::NONE {
            return;
        }
        if self.met < MET {
            self.met += 1;
            return;
        }
        let (place, width, measures) = (key.place(), cells.len(), notes.len());
        if self.places.is_empty() {
            self.places = vec![0; PLACES * (KEY + width)];
            self.notes = vec![Note::NONE; PLACES * measures];
        }
        let noted = if notes.iter().any(|&note| note != Note::NONE) { NOTED } else { 0 };
        let key = key.0 | u128::from(flags.0 | noted) << Key::BITS;
        let halves = [key as u64, (key >> u64::BITS) as u64].into_iter();
        let bits = halves.chain(cells.iter().map(|cell| cell.to_bits()));
        self.places[place * (KEY + width)..].iter_mut().zip(bits).for_each(|(to, bits)| *to = bits);
        self.notes[place * measures..][..measures].copy_from_slice(notes);
    }
}
