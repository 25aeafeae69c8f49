//! What to know about values and queries, in a byte each: there may be millions.

use crate::measures::Certainty;

/// What to know about one value.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Note(u8);

impl Note {
    /// Of an exact value.
    pub(super) const NONE: Note = Note(0);
    const ENCLOSED: u8 = 1;
    const ESTIMATED: u8 = 2;
    const UNDEFINED: u8 = 4;
    const OVERSTATED: u8 = 8;
    const UNSETTLED: u8 = 16;

    pub(super) fn new(undefined: bool, overstated: bool, unsettled: bool) -> Note {
        let bits = [(undefined, Note::UNDEFINED), (overstated, Note::OVERSTATED), (unsettled, Note::UNSETTLED)];
        Note(bits.iter().fold(0, |all, &(is, bit)| if is { all | bit } else { all }))
    }

    /// The same with another certainty.
    pub(super) fn with(self, certainty: Certainty) -> Note {
        let bits = match certainty {
            Certainty::Exact => 0,
            Certainty::Interval => Note::ENCLOSED,
            Certainty::Estimate => Note::ESTIMATED,
        };
        Note(self.0 & !(Note::ENCLOSED | Note::ESTIMATED) | bits)
    }

    /// How sure it is.
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

    /// Whether its lower bound over grades of unjudged documents is below what it is with all of these non-relevant.
    #[inline]
    pub fn overstated(self) -> bool {
        self.0 & Note::OVERSTATED != 0
    }

    /// Whether grades of unjudged documents decide if the query counts.
    #[inline]
    pub fn unsettled(self) -> bool {
        self.0 & Note::UNSETTLED != 0
    }
}

/// What to know about one query.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Flags(pub(super) u8);

impl Flags {
    pub(super) fn new(mixed: bool, matched: bool, relevant: bool) -> Flags {
        Flags(u8::from(mixed) | u8::from(matched) << 1 | u8::from(relevant) << 2)
    }

    /// Whether tied documents differ in grade.
    #[inline]
    pub fn mixed(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether the qrels hold a retrieved document.
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

/// Of how many this holds: counted in bytes, which the compiler turns into vectors.
pub(super) fn count<T: Copy>(all: &[T], holds: impl Fn(T) -> bool) -> usize {
    let of_part = |part: &[T]| part.iter().fold(0_u8, |count, &one| count + u8::from(holds(one)));
    all.chunks(u8::MAX.into()).map(|part| usize::from(of_part(part))).sum()
}
