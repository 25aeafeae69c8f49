//! Python's dicts and lists to columns: dicts of dicts, ranked lists, lengths of documents.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMapping, PyString, PyTuple};
use untied_core::error::quote;
use untied_core::table::profiles::Accepted;
use untied_core::table::{Chunk, Chunks, hash, subtopics};

use crate::convert::{RecentNumbers, found, found_number, is_id, items, mark, number, with_id};
use crate::errors::{refused, to_python};

/// Rows taken from Python objects, in chunks of a size that columns can hold.
pub struct Taken {
    chunks: Chunks,
    /// Whether no query can have a document twice, because its documents are keys of a dict and all of them are str.
    pub are_distinct: bool,
}

impl Default for Taken {
    fn default() -> Taken {
        Taken { chunks: Chunks::new(1), are_distinct: false }
    }
}

/// The length of an id for which columns have room at first.
const TYPICAL_ID: usize = 16;

/// The largest number of rows for which there is room at first. Rows beyond it make the columns grow.
const MOST_ROOM: usize = 1 << 24;

impl Taken {
    /// No rows yet, with room for those of a dict of dicts.
    pub fn new(source: &Bound<'_, PyAny>) -> Taken {
        Taken::with_columns(source, 1)
    }

    /// No rows yet, with several numbers a row.
    pub fn with_columns(source: &Bound<'_, PyAny>, numbers: usize) -> Taken {
        let mut chunks = Chunks::new(numbers);
        if let Ok(dict) = source.cast_exact::<PyDict>() {
            // Other types would run Python code to tell their length.
            let length = |documents: Bound<'_, PyAny>| {
                let list = || documents.cast::<PyList>().map_or(0, PyListMethods::len);
                documents.cast_exact::<PyDict>().map_or_else(|_| list(), PyDictMethods::len)
            };
            let rows = dict.iter().map(|(_, documents)| length(documents).min(MOST_ROOM)).sum::<usize>();
            chunks.last.reserve(rows.min(MOST_ROOM), rows.min(MOST_ROOM) * TYPICAL_ID);
        }
        Taken { chunks, are_distinct: false }
    }

    /// No rows yet, in the memory of chunks that are no longer needed.
    pub fn reusing(mut free: Vec<Chunk>) -> Taken {
        let mut taken = Taken::default();
        if let Some(mut chunk) = free.pop() {
            chunk.clear(1);
            taken.chunks.last = chunk;
        }
        taken
    }

    pub fn rows(&self) -> usize {
        self.chunks.last.block.len()
    }

    /// Begin a query.
    pub fn start_query(&mut self, id: &[u8]) {
        self.chunks.start_query(id, self.chunks.last.block.columns.len());
    }

    /// Add a document to the query.
    #[inline]
    pub fn push(&mut self, document: &Bound<'_, PyAny>, value: f64) -> PyResult<()> {
        self.push_id(document)?;
        self.chunks.last.block.columns[0].push(value);
        Ok(())
    }

    /// Add a document with a number that 64 bits may not hold exactly; `given` is the number itself.
    #[inline]
    pub fn push_given(&mut self, document: &Bound<'_, PyAny>, value: f64, given: &Bound<'_, PyAny>) -> PyResult<()> {
        self.push(document, value)?;
        self.mark(value, given);
        Ok(())
    }

    /// Record how the last document's first number was given.
    #[inline]
    pub fn mark(&mut self, value: f64, given: &Bound<'_, PyAny>) {
        mark(given, value).into_iter().for_each(|mark| self.chunks.last.block.mark(mark));
    }

    /// Add a document with a number for each column.
    pub fn push_all(&mut self, document: &Bound<'_, PyAny>, values: &[f64]) -> PyResult<()> {
        self.push_id(document)?;
        self.chunks.last.block.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(*value));
        Ok(())
    }

    #[inline]
    fn push_id(&mut self, document: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(string) = document.cast_exact::<PyString>()
            && let Ok(utf8) = string.to_str()
            && self.chunks.push(utf8.as_bytes(), hash(utf8.as_bytes())).is_ok()
        {
            return Ok(());
        }
        self.push_other_id(document)
    }

    /// Add an id that is no str, or for which there is no room.
    #[cold]
    fn push_other_id(&mut self, document: &Bound<'_, PyAny>) -> PyResult<()> {
        // The int 1 and the str "1" are the same document.
        self.are_distinct = false;
        let push = |id: &[u8]| self.chunks.push(id, hash(id)).map_err(to_python);
        with_id(document, "a document id", push).or_else(|error| {
            let query = quote(self.chunks.last.last_query().unwrap_or_default());
            with_id(document, &format!("query {query}: a document id"), |_| Err(error))
        })
    }

    /// All rows as chunks.
    pub fn chunks(self) -> Vec<Chunk> {
        let mut chunks = self.chunks.finish();
        chunks.iter_mut().for_each(|chunk| chunk.block.are_distinct = self.are_distinct);
        chunks
    }
}

/// The rows of `{query: {document: number}}` or `{query: [[document, ...], ...]}`. A run may also be `{query:
/// [document, ...]}`. In messages, the number is called `number`: score or grade.
pub fn chunks(source: &Bound<'_, PyAny>, what: &str, number: &str) -> PyResult<Vec<Chunk>> {
    let (mut taken, mut numbers) = (Taken::new(source), RecentNumbers::default());
    taken.are_distinct = true;
    items(
        source,
        || Ok(what.into()),
        |query, documents| {
            with_id(query, "a query id", |id| {
                taken.start_query(id);
                Ok(())
            })?;
            taken.are_distinct &= documents.is_exact_instance_of::<PyDict>();
            if documents.is_instance_of::<PyList>() || documents.is_instance_of::<PyTuple>() {
                let ranked: Vec<Bound<'_, PyAny>> = documents.try_iter()?.collect::<PyResult<_>>()?;
                let is_group =
                    |entry: &Bound<'_, PyAny>| entry.is_instance_of::<PyList>() || entry.is_instance_of::<PyTuple>();
                if number == "grade" && !ranked.iter().all(is_group) {
                    return Err(without_grades(query, documents));
                }
                // Scores may be negative; the grades of groups end with 1.
                let best = if number == "score" { 0 } else { ranked.len() };
                return ranked_list(&mut taken, ranked, best as f64, number);
            }
            let is_text = documents.is_instance_of::<PyString>() || documents.is_instance_of::<PyBytes>();
            if number == "grade" && !is_text && documents.cast::<PyMapping>().is_err() && documents.try_iter().is_ok() {
                return Err(without_grades(query, documents));
            }
            let what = || Ok(format!("{what}[{}]", found(query)));
            items(documents, what, |document, value| {
                let nearest = finite(&mut numbers, value, number, query, document)?;
                taken.push_given(document, nearest, value)
            })
        },
    )?;
    Ok(taken.chunks())
}

/// Whether a mapping has a level for subtopics: `{query: {subtopic: {document: grade}}}`. The first query tells.
pub fn is_by_subtopic(source: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(queries) = source.cast::<PyMapping>() else { return Ok(false) };
    for query in queries.values()?.iter() {
        let Ok(held) = query.cast::<PyMapping>() else { return Ok(false) };
        if let Some(first) = held.values()?.iter().next() {
            return Ok(first.cast::<PyMapping>().is_ok());
        }
    }
    Ok(false)
}

/// The rows of `{query: {subtopic: {document: grade}}}`.
pub fn chunks_by_subtopic(source: &Bound<'_, PyAny>) -> PyResult<Vec<Chunk>> {
    let (mut taken, mut numbers) = (Taken::new(source), RecentNumbers::default());
    let mut key = Vec::new();
    let of = |query: &Bound<'_, PyAny>| Ok(format!("qrels[{}]", found(query)));
    let what = || Ok("qrels".into());
    items(source, what, |query, by_subtopic| {
        let (what, mut is_empty) = (|| of(query), true);
        items(by_subtopic, what, |subtopic, documents| {
            is_empty = false;
            with_id(query, "a query id", |query| {
                with_id(subtopic, "a subtopic's id", |subtopic| {
                    if subtopic.contains(&subtopics::SEPARATOR) {
                        let message = format!("a subtopic's id must not contain blanks, found {}", quote(subtopic));
                        return Err(refused(message));
                    }
                    subtopics::key(query, subtopic, &mut key);
                    Ok(())
                })
            })?;
            taken.start_query(&key);
            let what = || Ok(format!("{}[{}]", of(query)?, found(subtopic)));
            items(documents, what, |document, grade| {
                let nearest = finite(&mut numbers, grade, "grade", query, document)?;
                taken.push_given(document, nearest, grade)
            })
        })?;
        // A query without answers stays a query. A subtopic without relevant documents does not count.
        if is_empty {
            with_id(query, "a query id", |query| {
                subtopics::key(query, b"0", &mut key);
                Ok(())
            })?;
            taken.start_query(&key);
        }
        Ok(())
    })?;
    Ok(taken.chunks())
}

/// The rows of `{query: {document: (one, other)}}`, with the column of each number and the check that it must pass.
pub fn chunks_of_pairs(
    source: &Bound<'_, PyAny>,
    one: (Accepted, usize),
    other: (Accepted, usize),
) -> PyResult<Vec<Chunk>> {
    let mut taken = Taken::with_columns(source, 2);
    let what = || Ok("qrels".into());
    items(source, what, |query, documents| {
        with_id(query, "a query id", |id| {
            taken.start_query(id);
            Ok(())
        })?;
        let what = || Ok(format!("qrels[{}]", found(query)));
        items(documents, what, |document, pair| {
            let wrong = |expected: &str, found: String| {
                let place = place(query, document);
                Err(refused(format!("{place}: expected {expected}, found {found}")))
            };
            let (Ok(first), Ok(second), Ok(2)) = (pair.get_item(0), pair.get_item(1), pair.len()) else {
                return wrong("a pair of numbers", found(pair));
            };
            let mut numbers = [0.0; 2];
            for (given, ((accepts, expected), column)) in [(first, one), (second, other)] {
                match number(&given) {
                    Some(number) if accepts(number) => numbers[column] = number,
                    _ => return wrong(expected, found_number(&given)),
                }
            }
            taken.push_all(document, &numbers)
        })
    })?;
    Ok(taken.chunks())
}

/// The rows of `{document: length}` or `{document: (length, seconds)}`.
pub fn lengths(docs: &Bound<'_, PyAny>) -> PyResult<Vec<Chunk>> {
    let mut chunk = Chunk::new(2);
    chunk.start_query(b"");
    items(
        docs,
        || Ok("docs".into()),
        |document, value| {
            let numbers = match value.cast::<PyTuple>() {
                Ok(pair) => pair.iter().map(|one| number(&one)).collect::<Option<Vec<f64>>>(),
                Err(_) => number(value).map(|length| vec![length]),
            };
            let (length, seconds) = match numbers.as_deref() {
                Some([length]) => (*length, f64::NAN),
                Some([length, seconds]) if seconds.is_finite() => (*length, *seconds),
                _ => (f64::NAN, f64::NAN),
            };
            with_id(document, "a document id", |id| {
                if !length.is_finite() {
                    let expected = "a finite length, or a tuple of it and seconds";
                    let message = format!("document {}: expected {expected}, found {}", quote(id), found_number(value));
                    return Err(refused(message));
                }
                if !chunk.block.docs.has_room(id) {
                    return Err(refused("docs have more than 4 GiB of document ids"));
                }
                chunk.block.docs.push(id);
                Ok(())
            })?;
            chunk.block.columns[0].push(length);
            chunk.block.columns[1].push(seconds);
            Ok(())
        },
    )?;
    chunk.finish();
    Ok(vec![chunk])
}

/// Adds documents best first. A list among them is a group of tied documents. The first one gets the number `best`.
fn ranked_list(taken: &mut Taken, documents: Vec<Bound<'_, PyAny>>, best: f64, name: &str) -> PyResult<()> {
    for (rank, entry) in documents.into_iter().enumerate() {
        let number = best - rank as f64;
        if entry.is_instance_of::<PyTuple>() {
            return Err(PyTypeError::new_err(format!(
                "a ranked list holds document ids and lists of tied ones, not tuples; {name}s go into a dict"
            )));
        }
        let Ok(group) = entry.cast::<PyList>() else {
            taken.push(&entry, number)?;
            continue;
        };
        // JSON writes a pair of a document and its score as a list, too; the score is no document.
        let texts = group.iter().filter(PyAnyMethods::is_instance_of::<PyString>).count();
        if texts != 0 && texts != group.len() && group.iter().all(|document| is_id(&document)) {
            let group = found(group);
            return Err(PyTypeError::new_err(format!(
                "a list in a ranked list holds tied documents, all with ids of one type, not {group}; {name}s go into \
                 a dict, {{document: {name}}}"
            )));
        }
        group.iter().try_for_each(|document| taken.push(&document, number))?;
    }
    Ok(())
}

/// The error for a list of documents without grades: it does not say whether they are equally relevant or best first.
fn without_grades(query: &Bound<'_, PyAny>, documents: &Bound<'_, PyAny>) -> PyErr {
    let kind = documents.get_type().name().map_or_else(|_| "collection".into(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "qrels[{}] is a {kind} of documents without grades: write {{document: 1, ...}} if they are equally relevant, or \
         [[document, ...], ...], groups of equal documents with the best group first, if they are not",
        found(query)
    ))
}

fn finite<'py>(
    numbers: &mut RecentNumbers<'py>,
    value: &Bound<'py, PyAny>,
    name: &str,
    query: &Bound<'_, PyAny>,
    doc: &Bound<'_, PyAny>,
) -> PyResult<f64> {
    match numbers.of(value) {
        Some(number) if number.is_finite() => Ok(number),
        other => {
            let found = other.map_or_else(|| found_number(value), |number| number.to_string());
            let place = place(query, doc);
            Err(refused(format!("{place}: expected a finite number as the {name}, found {found}")))
        }
    }
}

/// Where a number is, for messages.
pub fn place(query: &Bound<'_, PyAny>, doc: &Bound<'_, PyAny>) -> String {
    let id = |id: &Bound<'_, PyAny>| with_id(id, "id", |bytes| Ok(quote(bytes))).unwrap_or_default();
    format!("query {}, document {}", id(query), id(doc))
}
