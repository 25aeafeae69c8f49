//! The one error type of the core: where, what was expected, what was found.

use std::fmt;
use std::io;

/// Everything that can go wrong between bytes and numbers.
#[derive(Debug)]
pub enum Error {
    /// The operating system refused: no such file, permission, a read that failed half-way.
    Io {
        /// The file as the caller named it.
        file: String,
        /// The system's own error.
        source: io::Error,
    },
    /// The content of an input is not what its format promises.
    Input(InputError),
    /// The rows of a query are not together, in a run that is read query by query.
    Ungrouped(Box<Error>),
    /// A query of a run retrieves a document twice, which users may tolerate.
    Repeated(Box<Error>),
    /// A measure's name or parameters are not understood.
    Measure(String),
    /// A measure has no value on a query and the caller asked for an error (`on_undefined = raise`).
    Undefined {
        /// The measure's canonical name.
        measure: String,
        /// The query, readable.
        query: String,
    },
    /// The run's scores or the qrels' grades do not fit the options asked for.
    Value(String),
    /// The work was interrupted.
    Stopped,
    /// More memory would be needed than there is, as is known beforehand.
    Memory {
        /// What for.
        what: String,
        /// How much.
        bytes: u128,
    },
    /// A measure that a user has defined failed.
    Failure {
        /// The measure's canonical name.
        measure: String,
        /// The query, readable; none before any is looked at.
        query: Option<String>,
        /// What went wrong there.
        source: Failure,
    },
}

/// What went wrong in code that is not ours.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What is wrong with an input, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    /// The file as the caller named it; `-` for standard input.
    pub file: String,
    /// Line, counted from 1; none where the whole file is meant.
    pub line: Option<u64>,
    /// What the format promises at this place.
    pub expected: String,
    /// What stands there, readable and shortened.
    pub found: String,
}

/// The core's result type.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", show(self.file.as_bytes()))?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { file, source } => write!(f, "{}: {source}", show(file.as_bytes())),
            Error::Input(error) => error.fmt(f),
            Error::Ungrouped(error) | Error::Repeated(error) => error.fmt(f),
            // They quote what was asked for, which may hold anything.
            Error::Measure(message) | Error::Value(message) => f.write_str(&show(message.as_bytes())),
            Error::Undefined { measure, query } => write!(f, "{measure} is undefined for query {query}"),
            Error::Stopped => f.write_str("stopped"),
            Error::Memory { what, bytes } => {
                write!(f, "not enough memory for {}: {} MB", show(what.as_bytes()), bytes / 1_000_000)
            }
            Error::Failure { measure, query: None, source } => write!(f, "{measure}: {source}"),
            Error::Failure { measure, query: Some(query), source } => write!(f, "{measure}, query {query}: {source}"),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// What is wrong with a file, in a line counted from 1 or as a whole.
    pub fn input(file: &str, line: Option<u64>, expected: impl Into<String>, found: impl Into<String>) -> Error {
        Error::Input(InputError { file: file.into(), line, expected: expected.into(), found: found.into() })
    }

    /// What is wrong in a row, counted from 0, of a table in memory.
    pub fn at_row(table: &str, row: u64, expected: &str, found: &str) -> Error {
        Error::Value(format!("{table}, row {row}: expected {expected}, found {found}"))
    }
}

/// Bytes as text: UTF-8 as it is, other bytes as `\xNN`.
pub fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Characters that would do something to a terminal instead of being shown there (controls, and what ends a line or turns
/// the direction of the text behind it), or that look like a blank or like nothing.
fn is_harmful(c: char) -> bool {
    let is_invisible = matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}');
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || is_invisible
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// [`text`] that does no harm to a terminal and can be read there: other characters are escaped too.
pub fn show(bytes: &[u8]) -> String {
    let text = text(bytes);
    if !text.contains(is_harmful) {
        return text;
    }
    text.chars().map(|c| if is_harmful(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// Names in a sentence: `a, b or c`.
pub fn alternatives(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}

/// [`show`] in quotes, shortened to what fits an error message.
pub fn quote(bytes: &[u8]) -> String {
    const LONGEST: usize = 80;
    let start = &bytes[..bytes.len().min(4 * LONGEST)];
    let text = show(start);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("\"{}...\"", &text[..end]),
        None if start.len() < bytes.len() => format!("\"{text}...\""),
        None => format!("\"{text}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_shown_readable_and_harmless() {
        assert_eq!(show("d\u{e9}".as_bytes()), "d\u{e9}");
        assert_eq!(show(b"a\xff\x1b[2J"), "a\\xff\\u{1b}[2J");
        assert_eq!(show("\u{9b}2J \u{202e}nur \u{2028}".as_bytes()), "\\u{9b}2J \\u{202e}nur \\u{2028}");
        assert_eq!(quote("\u{feff}qid\u{a0}\u{e9} x".as_bytes()), "\"\\u{feff}qid\\u{a0}\u{e9} x\"");
        assert_eq!(quote(&[b'x'; 500]), format!("\"{}...\"", "x".repeat(80)));
    }
}
