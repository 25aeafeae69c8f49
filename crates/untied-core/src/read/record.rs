//! Records of files with named columns: their fields and their types.

use std::borrow::Cow;
use std::ops::Range;

use super::limits::LineError;
use super::number;
use crate::error::quote;
use crate::table::columns::{Columns, ONE_LIST, Unnumbered};
use crate::table::{Chunk, subtopics};

/// A field of a record.
#[derive(Debug, Clone)]
pub enum Cell<'a> {
    /// Text that may be an id or a number.
    Plain(Cow<'a, [u8]>),
    /// A text, even if its characters are digits.
    Text(Cow<'a, [u8]>),
    /// A number, as it is written.
    Number(&'a [u8]),
    /// True or false.
    Truth(bool),
    /// A list, as it is written, and its elements.
    List(&'a [u8], Vec<Cell<'a>>),
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

    /// The elements of a list.
    fn list(&self) -> Option<&[Cell<'_>]> {
        if let Cell::List(_, cells) = self { Some(cells) } else { None }
    }

    fn found(&self) -> String {
        match self {
            Cell::Plain(text) | Cell::Text(text) if text.is_empty() => "an empty field".into(),
            Cell::Plain(text) | Cell::Text(text) => quote(text),
            Cell::Number(text) | Cell::List(text, _) | Cell::Other(text) => quote(text),
            Cell::Truth(truth) => truth.to_string(),
            Cell::Missing => "none".into(),
        }
    }
}

/// The meaning of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRole {
    /// The query's id.
    Query,
    /// The subtopic's id.
    Subtopic,
    /// The document's id.
    Document,
    /// A number, and the column of the block that stores it.
    Number(usize),
    /// The field is not needed.
    Ignored,
}

impl FieldRole {
    /// That of a cell, in the order of [`Columns::needed`].
    pub fn of_cell(columns: &Columns, cell: usize) -> FieldRole {
        let ids = 2 + usize::from(columns.subtopic.is_some());
        match cell {
            0 => FieldRole::Query,
            1 if ids == 3 => FieldRole::Subtopic,
            _ => cell.checked_sub(ids).map_or(FieldRole::Document, FieldRole::Number),
        }
    }

    /// Whether it tells to which query a record belongs.
    pub fn is_key(self) -> bool {
        matches!(self, FieldRole::Query | FieldRole::Subtopic)
    }
}

/// How many fields stand in front of the first that differs between the records of a query; 0 if the query's id, or part of
/// it, stands behind that.
pub fn common(roles: &[FieldRole]) -> usize {
    let differs = |role: &FieldRole| matches!(role, FieldRole::Document | FieldRole::Number(_));
    let first = roles.iter().position(differs).unwrap_or(0);
    if roles[first..].iter().any(|role| role.is_key()) { 0 } else { first }
}

/// A record of a text that needs no care.
#[derive(Debug, Default)]
pub struct Row<'a> {
    query: &'a [u8],
    subtopic: &'a [u8],
    document: Range<usize>,
    /// The place of each number in the line, and its value.
    numbers: Vec<(Range<usize>, f64)>,
}

impl<'a> Row<'a> {
    /// An empty one.
    pub fn new(columns: &Columns) -> Row<'a> {
        Row { numbers: vec![(0..0, 0.0); columns.numbers.len()], ..Row::default() }
    }

    /// Sets a field of the row to a part of the text. Numbers go through [`Row::put_number`].
    #[inline]
    pub fn put(&mut self, role: FieldRole, text: &'a [u8], place: Range<usize>) {
        match role {
            FieldRole::Query => self.query = &text[place],
            FieldRole::Subtopic => self.subtopic = &text[place],
            FieldRole::Document => self.document = place,
            FieldRole::Number(_) | FieldRole::Ignored => {}
        }
    }

    /// Put a number into the row.
    #[inline]
    pub fn put_number(&mut self, number: usize, place: Range<usize>, value: f64) {
        self.numbers[number] = (place, value);
    }
}

/// Takes records into a chunk.
pub struct Taker<'c> {
    columns: &'c Columns,
    chunk: &'c mut Chunk,
    key: Vec<u8>,
}

impl<'c> Taker<'c> {
    /// Takes them into this chunk.
    pub fn new(columns: &'c Columns, chunk: &'c mut Chunk) -> Taker<'c> {
        Taker { columns, chunk, key: Vec::new() }
    }

    /// The columns that are taken.
    pub fn columns(&self) -> &'c Columns {
        self.columns
    }

    /// A line without a record.
    pub fn skip(&mut self) {
        self.chunk.lines.skip(self.chunk.block.len());
    }

    /// A record that begins in this line of its piece, with the cells that are needed: query, subtopic if there is
    /// one, document, numbers.
    pub fn take(&mut self, cells: &[Cell<'_>], line: u64) -> Result<(), LineError> {
        if let Some(unnumbered) = self.columns.lists {
            return self.take_lists(cells, line, unnumbered);
        }
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
        if self.chunk.last_query() != Some(key) {
            self.chunk.start_query(key);
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

    /// Takes a record that has a query, the list of its documents, and perhaps the list of their numbers.
    fn take_lists(&mut self, cells: &[Cell<'_>], line: u64, unnumbered: Unnumbered) -> Result<(), LineError> {
        let wrong = |expected: &str, found: String| Err(LineError { line, expected: expected.into(), found });
        let [query, documents, numbers @ ..] = cells else { unreachable!("a query and its documents are needed") };
        let Some(id) = query.id() else { return wrong("a query's id", query.found()) };
        let Some(list) = documents.list() else {
            return wrong("a list of documents' ids", documents.found());
        };
        let chunk = &mut *self.chunk;
        let queries = chunk.queries.len();
        chunk.start_query(id);
        if chunk.queries.len() == queries {
            return wrong(ONE_LIST, format!("query {} again", quote(id)));
        }
        for document in list {
            let Some(document) = document.id() else { return wrong("a document's id in the list", document.found()) };
            chunk.block.docs.push(document);
        }
        match (numbers, self.columns.numbers.as_slice()) {
            ([cell], [column]) => {
                let Some(numbers) = cell.list() else { return wrong("a list of numbers", cell.found()) };
                if numbers.len() != list.len() {
                    let expected = format!("as many numbers as documents, {}", list.len());
                    return wrong(&expected, numbers.len().to_string());
                }
                let (accepts, expected) = column.accepted;
                for cell in numbers {
                    let Some(number) = cell.number().filter(|&number| accepts(number)) else {
                        return wrong(expected, cell.found());
                    };
                    chunk.block.columns[0].push(number);
                    cell.digits().into_iter().for_each(|digits| chunk.block.mark_rounded(digits, number));
                }
            }
            _ => chunk.block.columns[0].extend((0..list.len()).map(|position| unnumbered.number(position))),
        }
        chunk.lines.end_list(chunk.block.len());
        Ok(())
    }

    /// Take a row of a text as [`Taker::take`] takes its cells, if that has nothing to refuse; whether it was taken.
    /// `is_same` tells that it belongs to the query of the last record.
    #[inline]
    pub fn take_row(&mut self, text: &[u8], row: &Row<'_>, is_same: bool) -> bool {
        let numbers = || self.columns.numbers.iter().zip(&row.numbers);
        if row.document.is_empty() || numbers().any(|(column, (_, number))| !(column.accepted.0)(*number)) {
            return false;
        }
        if !is_same {
            let key = if self.columns.subtopic.is_some() {
                if row.subtopic.is_empty() || row.subtopic.contains(&subtopics::SEPARATOR) {
                    return false;
                }
                subtopics::key(row.query, row.subtopic, &mut self.key);
                &self.key
            } else {
                row.query
            };
            if row.query.is_empty() {
                return false;
            }
            if self.chunk.last_query() != Some(key) {
                self.chunk.start_query(key);
            }
        }
        let block = &mut self.chunk.block;
        block.docs.push_at(text, row.document.clone());
        for (at, (column, (place, number))) in numbers().enumerate() {
            block.columns[at].push(if column.negated { -number } else { *number });
            if at == 0 {
                block.mark_rounded(&text[place.clone()], *number);
            }
        }
        true
    }
}
