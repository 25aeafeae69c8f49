//! Records of files with named columns: their fields and their types.

use std::borrow::Cow;

use super::limits::LineError;
use super::number;
use crate::error::quote;
use crate::table::columns::Columns;
use crate::table::{Chunk, subtopics};

/// A field of a record.
#[derive(Debug, Clone)]
pub enum Cell<'a> {
    /// Text that may be an id or a number.
    Plain(Cow<'a, [u8]>),
    /// Text that is no number.
    Text(Cow<'a, [u8]>),
    /// A number, as it is written.
    Number(&'a [u8]),
    /// True or false.
    Truth(bool),
    /// Anything else, as it is written.
    Other(&'a [u8]),
    /// Nothing at all.
    Missing,
}

impl Cell<'_> {
    fn id(&self) -> Option<&[u8]> {
        match self {
            Cell::Plain(text) | Cell::Text(text) => Some(text).filter(|text| !text.is_empty()).map(AsRef::as_ref),
            Cell::Number(b"-0") => Some(b"0"), // the same whole number
            Cell::Number(digits) => {
                let unsigned = digits.strip_prefix(b"-").unwrap_or(digits);
                unsigned.iter().all(u8::is_ascii_digit).then_some(digits)
            }
            _ => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Cell::Truth(truth) => Some(f64::from(u8::from(*truth))),
            _ => number::parse(self.digits()?).ok(),
        }
    }

    /// A number as it is written.
    fn digits(&self) -> Option<&[u8]> {
        match self {
            Cell::Plain(text) => Some(text),
            Cell::Number(digits) => Some(digits),
            _ => None,
        }
    }

    fn found(&self) -> String {
        match self {
            Cell::Plain(text) | Cell::Text(text) if text.is_empty() => "an empty field".into(),
            Cell::Plain(text) | Cell::Text(text) => quote(text),
            Cell::Number(text) | Cell::Other(text) => quote(text),
            Cell::Truth(truth) => truth.to_string(),
            Cell::Missing => "none".into(),
        }
    }
}

/// Takes records into a chunk.
pub struct Taker<'c> {
    columns: &'c Columns,
    chunk: &'c mut Chunk,
    /// The key of the current query.
    current: Option<Vec<u8>>,
    key: Vec<u8>,
}

impl<'c> Taker<'c> {
    /// Takes them into this chunk.
    pub fn new(columns: &'c Columns, chunk: &'c mut Chunk) -> Taker<'c> {
        Taker { columns, chunk, current: None, key: Vec::new() }
    }

    /// A line without a record.
    pub fn skip(&mut self) {
        self.chunk.lines.skip(self.chunk.block.len());
    }

    /// A record that begins in this line of its piece, with the cells that are needed: query, subtopic if there is
    /// one, document, numbers.
    pub fn take(&mut self, cells: &[Cell<'_>], line: u64) -> Result<(), LineError> {
        let wrong =
            |expected: &str, cell: &Cell<'_>| Err(LineError { line, expected: expected.into(), found: cell.found() });
        let [query, rest @ ..] = cells else { unreachable!("every table has a query") };
        let Some(id) = query.id() else { return wrong("a query's id", query) };
        let mut rest = rest.iter();
        let mut next = || rest.next().unwrap_or(&Cell::Missing);
        let key = if self.columns.subtopic.is_some() {
            let subtopic = next();
            let fits = |subtopic: &&[u8]| !subtopic.contains(&subtopics::SEPARATOR);
            let Some(subtopic) = subtopic.id().filter(fits) else {
                return wrong("a subtopic's id, without blanks", subtopic);
            };
            subtopics::key(id, subtopic, &mut self.key);
            &self.key
        } else {
            id
        };
        let document = next();
        let Some(document) = document.id() else { return wrong("a document's id", document) };
        if self.current.as_deref() != Some(key) {
            self.chunk.start_query(key);
            self.current = Some(key.to_vec());
        }
        self.chunk.block.docs.push(document);
        for (at, column) in self.columns.numbers.iter().enumerate() {
            let cell = next();
            let (accepts, expected) = column.accepted;
            let Some(number) = cell.number().filter(|&number| accepts(number)) else { return wrong(expected, cell) };
            self.chunk.block.columns[at].push(if column.negated { -number } else { number });
            if let (0, Some(digits)) = (at, cell.digits()) {
                self.chunk.block.mark_rounded(digits, number);
            }
        }
        Ok(())
    }
}
