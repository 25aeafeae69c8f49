//! Fields of a line: separated by any number of blanks, ended by a newline.

use std::ops::Range;

use super::number::plain;
use crate::table::are_equal;

/// The classes of bytes that the readers distinguish.
const ORDINARY: u8 = 0;
const BLANK: u8 = 1;
const NEWLINE: u8 = 2;
const NUL: u8 = 3;

const CLASS: [u8; 256] = {
    let mut class = [ORDINARY; 256];
    class[b' ' as usize] = BLANK;
    class[b'\t' as usize] = BLANK;
    class[b'\r' as usize] = BLANK; // so CRLF ends a line like LF
    class[0x0b] = BLANK;
    class[0x0c] = BLANK;
    class[b'\n' as usize] = NEWLINE;
    class[0] = NUL;
    class
};

/// A position in a block of lines.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    /// Whether all lines have been read.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Bytes before this position (the last line may lack its newline).
    pub fn position(&self) -> usize {
        self.at.min(self.bytes.len())
    }

    #[inline]
    fn class(&self) -> u8 {
        self.bytes.get(self.at).map_or(NEWLINE, |&byte| CLASS[byte as usize])
    }

    /// Go past blanks.
    #[inline]
    pub fn skip_blanks(&mut self) {
        while self.class() == BLANK {
            self.at += 1;
        }
    }

    /// Reads the next field of this line. It is empty if the line has no more fields, or if a NUL byte comes first.
    #[inline]
    pub fn field(&mut self) -> &'a [u8] {
        let place = self.place();
        &self.bytes[place]
    }

    /// Reads the next field like [`Cursor::field`], and returns its place.
    #[inline]
    pub fn place(&mut self) -> Range<usize> {
        self.skip_blanks();
        let start = self.at;
        self.at = end_of_field(self.bytes, start);
        start..self.at
    }

    /// The next field, if it is a number that needs no care, see [`plain`].
    #[inline]
    pub fn number(&mut self) -> Option<(f64, &'a [u8])> {
        self.skip_blanks();
        let (value, length) = plain(&self.bytes[self.at..])?;
        let (start, end) = (self.at, self.at + length);
        let is_whole = self.bytes.get(end).is_none_or(|&byte| CLASS[byte as usize] != ORDINARY);
        is_whole.then(|| {
            self.at = end;
            (value, &self.bytes[start..end])
        })
    }

    /// All lines.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// If the line holds nothing more, go to the next one.
    #[inline]
    pub fn next_line(&mut self) -> bool {
        self.skip_blanks();
        let ended = self.class() == NEWLINE;
        if ended {
            self.at += 1;
        }
        ended
    }

    /// Go past this text, if it comes next.
    #[inline]
    pub fn passes(&mut self, text: &[u8]) -> bool {
        let comes = starts_with(&self.bytes[self.at..], text);
        if comes {
            self.at += text.len();
        }
        comes
    }

    /// The bytes between an earlier position and this one.
    pub fn since(&self, start: Cursor<'a>) -> &'a [u8] {
        &self.bytes[start.at..self.position()]
    }

    /// Whether this byte comes next, behind blanks.
    pub fn is_at(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        self.bytes.get(self.at) == Some(&byte)
    }

    /// Whether a NUL byte comes next.
    pub fn at_nul(&mut self) -> bool {
        self.skip_blanks();
        self.class() == NUL
    }

    /// Go to the next line whatever this one still holds.
    pub fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |newline| newline + 1);
    }

    /// The whole line at this position, without its newline, for messages.
    pub fn line(&self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end])
    }
}

/// Whether this text comes first.
#[inline]
pub fn starts_with(bytes: &[u8], text: &[u8]) -> bool {
    bytes.get(..text.len()).is_some_and(|first| are_equal(first, text))
}

/// The end of the field that begins at `at`: the next blank, newline or NUL, or the end of the bytes.
#[inline]
fn end_of_field(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at = next_below(bytes, at, b'!', []);
        match bytes.get(at) {
            Some(&byte) if CLASS[byte as usize] == ORDINARY => at += 1, // some other control character
            _ => return at,
        }
    }
}

/// Where, from `at` on, the first byte stands that is below `least` or among `others`; where all end, if none does.
#[inline(always)]
pub fn next_below<const N: usize>(bytes: &[u8], mut at: usize, least: u8, others: [u8; N]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    // Eight bytes at a time: what is looked for leaves a mark in the byte's highest bit. The lowest mark is right; above
    // it a borrow may set false ones.
    let below = |word: u64, least: u8| word.wrapping_sub(ONES * u64::from(least)) & !word;
    while let Some(eight) = bytes.get(at..at + 8) {
        let Ok(eight) = eight.try_into() else { break };
        let word = u64::from_le_bytes(eight);
        let is_other = others.iter().fold(0, |marks, &other| marks | below(word ^ (ONES * u64::from(other)), 1));
        let marks = (below(word, least) | is_other) & (ONES << 7);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let end = bytes[at..].iter().position(|byte| *byte < least || others.contains(byte));
    end.map_or(bytes.len(), |end| at + end)
}

/// The fields of one line, for counting them in messages.
pub fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| CLASS[byte as usize] == BLANK).filter(|field| !field.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_end_where_a_byte_by_byte_reader_ends_them() {
        // All bytes, at every distance from the end of the input.
        for byte in 0..=255u8 {
            for before in 0..20 {
                for after in 0..12 {
                    let mut text = vec![b'x'; before];
                    text.push(byte);
                    text.extend(std::iter::repeat_n(0xe9, after));
                    let end = text.iter().position(|&b| CLASS[b as usize] != ORDINARY).unwrap_or(text.len());
                    assert_eq!(end_of_field(&text, 0), end, "{byte} {before} {after}");
                }
            }
        }
    }

    #[test]
    fn what_is_looked_for_is_found_where_a_byte_by_byte_reader_finds_it() {
        for byte in 0..=255 {
            for distance in 0..12 {
                for next in [b'x', b' ', b'!', b'"', b'#', 0x7f, 0x80, 0xff, 0] {
                    let text = [&vec![0xe9; distance][..], &[byte, next], &[b'a'; 9]].concat();
                    let end = text.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\');
                    assert_eq!(
                        next_below(&text, 0, 0x20, [b'"', b'\\']),
                        end.unwrap_or(text.len()),
                        "{byte} {distance} {next}"
                    );
                }
            }
        }
    }

    #[test]
    fn lines_and_fields() {
        let mut cursor = Cursor::new(b" a\tbc \r\n\nd");
        assert_eq!([cursor.field(), cursor.field(), cursor.field()], [&b"a"[..], b"bc", b""]);
        assert!(cursor.next_line() && cursor.next_line() && !cursor.is_done());
        assert_eq!(cursor.line(), b"d");
        assert_eq!(cursor.field(), b"d");
        assert!(cursor.next_line() && cursor.is_done());
    }
}
