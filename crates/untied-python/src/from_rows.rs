//! Rows of Python objects to columns: tuples of query, document and score or grade; named tuples of more.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use untied_core::Error;
use untied_core::error::quote;
use untied_core::table::columns::{Columns, Content};
use untied_core::table::{Chunk, LineMap, subtopics};

use crate::convert::{NO_TEXT, found, found_number, is_id, number, with_id};
use crate::errors::to_python;
use crate::formats::one_document_a_row;
use crate::mappings::Taken;

/// The chunks of rows. `names` are the names of the columns, and `named` the columns that the user names.
///
/// Without names, named tuples have their own. Plain tuples are query, document and number.
pub fn chunks(
    rows: &Bound<'_, PyAny>,
    kind: Content,
    names: Option<Vec<String>>,
    named: &[(String, String)],
    source: &str,
) -> PyResult<Vec<Chunk>> {
    let mut reader: Option<Reader> = None;
    for (at, row) in rows.try_iter()?.enumerate() {
        let row = row?;
        if reader.is_none() {
            let names = names.clone().map_or_else(|| names_of(&row, kind, at, source), Ok)?;
            let borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
            let columns = Columns::find(kind, &borrowed, named, source).map_err(to_python)?;
            one_document_a_row(&columns, source)?;
            reader = Some(Reader::new(rows, columns, names, source));
        }
        if let Some(reader) = &mut reader {
            reader.take(&row, at as u64)?;
        }
    }
    let mut chunks = reader.map_or_else(Vec::new, |reader| reader.taken.chunks());
    let mut first = 0;
    for chunk in &mut chunks {
        chunk.lines = LineMap::of_rows(first);
        first += chunk.block.len() as u64;
    }
    Ok(chunks)
}

/// The names of the columns, from the first row.
fn names_of(row: &Bound<'_, PyAny>, kind: Content, at: usize, source: &str) -> PyResult<Vec<String>> {
    if let Ok(fields) = row.getattr("_fields") {
        return fields.extract();
    }
    let number = if let Content::Run { .. } = kind { "score" } else { "grade" };
    if matches!(kind, Content::Run { .. } | Content::Qrels(None)) && is_row(row) && row.len()? == 3 {
        return Ok(vec!["query".into(), "document".into(), number.into()]);
    }
    let expected = match kind {
        Content::Run { .. } | Content::Qrels(None) => format!("(query, document, {number}), or a named tuple"),
        Content::Qrels(_) => "a named tuple, as ir_datasets has them".into(),
    };
    Err(to_python(Error::at_row(source, at as u64, &expected, &found(row))))
}

fn is_row(row: &Bound<'_, PyAny>) -> bool {
    row.is_instance_of::<PyTuple>() || row.is_instance_of::<PyList>()
}

/// The state of a table that is built row by row.
struct Reader<'s> {
    columns: Columns,
    names: Vec<String>,
    source: &'s str,
    taken: Taken,
    /// The id of the current query.
    current: Option<Vec<u8>>,
    key: Vec<u8>,
    numbers: Vec<f64>,
}

impl<'s> Reader<'s> {
    fn new(rows: &Bound<'_, PyAny>, columns: Columns, names: Vec<String>, source: &'s str) -> Reader<'s> {
        let numbers = Vec::with_capacity(columns.numbers.len());
        let taken = Taken::with_columns(rows, columns.numbers.len());
        Reader { columns, names, source, taken, current: None, key: Vec::new(), numbers }
    }

    fn take(&mut self, row: &Bound<'_, PyAny>, at: u64) -> PyResult<()> {
        let (source, columns, names) = (self.source, &self.columns, &self.names);
        let wrong = |expected: &str, found: &str| Err(to_python(Error::at_row(source, at, expected, found)));
        if !is_row(row) || row.len()? != names.len() {
            return wrong(&format!("({})", names.join(", ")), &found(row));
        }
        let query = row.get_item(columns.query)?;
        let key = &mut self.key;
        let told = match columns.subtopic {
            None => with_id(&query, "", |id| {
                key.clear();
                key.extend_from_slice(id);
                Ok(())
            }),
            Some(subtopic) => {
                let subtopic = row.get_item(subtopic)?;
                let told = with_id(&subtopic, "", |subtopic| {
                    if subtopic.contains(&subtopics::SEPARATOR) {
                        return wrong("a subtopic's id without blanks", &quote(subtopic));
                    }
                    with_id(&query, "", |query| {
                        subtopics::key(query, subtopic, key);
                        Ok(())
                    })
                });
                told.or_else(|error| self.refused(error, &subtopic, columns.subtopic.unwrap_or_default(), at))
            }
        };
        told.or_else(|error| self.refused(error, &query, columns.query, at))?;
        if self.current.as_deref() != Some(&self.key) {
            self.taken.start_query(&self.key);
            self.current = Some(self.key.clone());
        }
        self.numbers.clear();
        let mut first = None;
        for column in &columns.numbers {
            let value = row.get_item(column.column)?;
            let (accepts, expected) = column.accepted;
            match number(&value) {
                Some(number) if accepts(number) => {
                    self.numbers.push(if column.negated { -number } else { number });
                    first.get_or_insert((number, value));
                }
                _ => {
                    let name = quote(names[column.column].as_bytes());
                    return wrong(&format!("{expected} in column {name}"), &found_number(&value));
                }
            }
        }
        let document = row.get_item(columns.document)?;
        let pushed = self.taken.push_all(&document, &self.numbers).map(|()| {
            first.into_iter().for_each(|(number, given)| self.taken.mark(number, &given));
        });
        pushed.or_else(|error| self.refused(error, &document, self.columns.document, at))
    }

    /// The error for an object that is no id. Other errors stay as they are.
    fn refused(&self, error: PyErr, value: &Bound<'_, PyAny>, column: usize, at: u64) -> PyResult<()> {
        let what = match is_id(value) {
            true => return Err(error),
            false if value.is_instance_of::<PyString>() => format!("valid text (no {NO_TEXT})"),
            false => "a str, bytes or an int".into(),
        };
        let expected = format!("{what} in column {}", quote(self.names[column].as_bytes()));
        Err(to_python(Error::at_row(self.source, at, &expected, &found(value))))
    }
}
