//! Facts about single values and queries, in a byte each, because there may be millions.

use crate::measures::Certainty;

/// Facts about a value: its certainty, and why it may be undefined or misleading.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Note(u8);

impl Note {
    /// The note of an exact value that is defined.
    pub(super) const NONE: Note = Note(0);
    const ENCLOSED: u8 = 1;
    const ESTIMATED: u8 = 2;
    const UNDEFINED: u8 = 4;
    const OVERSTATED: u8 = 8;
    const UNSETTLED: u8 = 16;

    pub(super) fn new(undefined: bool, overstated: bool, unsettled: bool) -> Note {
        let bits = [(undefined, Note::UNDEFINED), (overstated, Note::OVERSTATED), (unsettled, Note::UNSETTLED)];
        Note(bits.iter().fold(0, |set, &(holds, bit)| if holds { set | bit } else { set }))
    }

    /// The same note with another certainty.
    pub(super) fn with(self, certainty: Certainty) -> Note {
        let bits = match certainty {
            Certainty::Exact => 0,
            Certainty::Interval => Note::ENCLOSED,
            Certainty::Estimate => Note::ESTIMATED,
        };
        Note(self.0 & !(Note::ENCLOSED | Note::ESTIMATED) | bits)
    }

    /// Whether the value is exact, enclosed or estimated.
    #[inline]
    pub fn certainty(self) -> Certainty {
        match self.0 & (Note::ENCLOSED | Note::ESTIMATED) {
            0 => Certainty::Exact,
            Note::ENCLOSED => Certainty::Interval,
            _ => Certainty::Estimate,
        }
    }

    /// Whether the measure has no value for the query.
    #[inline]
    pub fn undefined(self) -> bool {
        self.0 & Note::UNDEFINED != 0
    }

    /// Whether relevant documents among the unjudged ones could lower the value.
    #[inline]
    pub fn overstated(self) -> bool {
        self.0 & Note::OVERSTATED != 0
    }

    /// Whether grades of unjudged documents decide if the value is defined.
    #[inline]
    pub fn unsettled(self) -> bool {
        self.0 & Note::UNSETTLED != 0
    }
}

/// Facts about a query.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Flags(pub(super) u8);

impl Flags {
    pub(super) fn new(mixed: bool, matched: bool, relevant: bool) -> Flags {
        Flags(u8::from(mixed) | u8::from(matched) << 1 | u8::from(relevant) << 2)
    }

    /// Whether tied documents have different grades.
    #[inline]
    pub fn mixed(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether the qrels have any retrieved document.
    #[inline]
    pub fn matched(self) -> bool {
        self.0 & 2 != 0
    }

    /// Whether a document has a grade above 0, retrieved or not.
    #[inline]
    pub fn relevant(self) -> bool {
        self.0 & 4 != 0
    }
}

/// How many items fulfil `holds`. Counters of one byte let the compiler use vector instructions.
pub(super) fn count<T: Copy>(items: &[T], holds: impl Fn(T) -> bool) -> usize {
    let in_chunk = |chunk: &[T]| chunk.iter().fold(0_u8, |count, &item| count + u8::from(holds(item)));
    items.chunks(u8::MAX.into()).map(|chunk| usize::from(in_chunk(chunk))).sum()
}
