//! Lines and where they end: how long one may be, and errors that name one.

use std::io;

use super::source::damage;
use crate::error::{Error, quote};
use crate::watch;

/// The longest line accepted in any format.
pub const LONGEST_LINE: usize = 16 << 20;

/// The error of a parser, which only knows the line within its block.
#[derive(Debug)]
pub struct LineError {
    /// The line within the block, counted from 0.
    pub line: u64,
    /// See [`InputError`](crate::InputError).
    pub expected: String,
    /// See [`InputError`](crate::InputError).
    pub found: String,
}

impl LineError {
    /// The error with its line in the file, which has `before` lines before the block.
    pub fn of(self, path: &str, before: u64) -> Error {
        Error::input(path, Some(before + self.line + 1), self.expected, self.found)
    }
}

/// The error for a line that is not text.
pub fn binary(text: &[u8], line: u64) -> LineError {
    LineError { line, expected: "text".into(), found: format!("binary data: a NUL byte in {}", quote(text)) }
}

/// The byte-order mark that some editors write before text in UTF-8.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// The error for a line that begins with a byte-order mark, which would become part of an id.
pub fn marked(line: u64) -> LineError {
    let found = "a byte-order mark (U+FEFF) behind the beginning of the file";
    LineError { line, expected: "text".into(), found: found.into() }
}

/// Number of ends of lines.
pub fn newlines(bytes: &[u8]) -> u64 {
    count(bytes, b'\n')
}

/// How often a byte occurs.
pub fn count(bytes: &[u8], wanted: u8) -> u64 {
    // A byte holds the sum of 255 at a time, so that many are added at once.
    let of_part = |part: &[u8]| part.iter().map(|&byte| u8::from(byte == wanted)).sum::<u8>();
    bytes.chunks(255).map(|part| u64::from(of_part(part))).sum()
}

/// The error for a line that is too long.
pub fn too_long(path: &str, line: u64) -> Error {
    Error::input(path, Some(line), format!("lines of at most {} MiB", LONGEST_LINE >> 20), "a longer one")
}

/// A failed read. A damaged archive is an error of content: it says how far the text could be unpacked.
pub fn io_error(path: &str, line: u64, source: io::Error) -> Error {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    if watch::check().is_err() {
        return Error::Stopped;
    }
    match source.kind() {
        UnexpectedEof | InvalidData | InvalidInput | Other => {
            Error::input(path, Some(line), "more data", damage(&source))
        }
        _ => Error::Io { file: path.into(), source },
    }
}
