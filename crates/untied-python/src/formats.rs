//! Files and tables: their paths, formats and names of columns.

use std::collections::BTreeMap;
use std::iter;
use std::path::PathBuf;

use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use untied_core::error::alternatives;
use untied_core::read;
use untied_core::read::format::{self, Format, QRELS_FORMATS, Reader, qrels_format};
use untied_core::table::columns::{Columns, Content};
use untied_core::table::profiles::Detail;

use crate::convert::no_text;
use crate::errors::{refused, to_python};
use crate::threads::{self, Threads};

/// Where what a table holds stands among its columns: query, document, numbers (the score or grade first; whether it is
/// a rank, so that less is better), subtopic.
#[pyfunction]
#[pyo3(signature = (names, format, ranks, source))]
pub fn place_columns(names: Vec<String>, format: Option<&str>, ranks: bool, source: &str) -> PyResult<Found> {
    let kind = match format {
        None => Content::Run { ranks },
        Some(format) => Content::Qrels(detail(format)?),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = Columns::find(kind, &names, &[], source).map_err(to_python)?;
    one_document_a_row(&found, source)?;
    let numbers = found.numbers.iter().map(|number| (number.column, number.negated)).collect();
    Ok((found.query, found.document, numbers, found.subtopic))
}

/// Refuses columns of lists, where rows are taken one by one.
pub fn one_document_a_row(columns: &Columns, source: &str) -> PyResult<()> {
    if columns.lists.is_none() {
        return Ok(());
    }
    let expected = "expected one document in each row here, found columns of lists";
    Err(refused(format!("{source}: {expected}; lists are read from JSON lines, parquet, Arrow and frames")))
}

/// See [`place_columns`].
type Found = (usize, usize, Vec<(usize, bool)>, Option<usize>);

/// The details of judgments besides grades, for formats of qrels that are tables.
pub fn detail(format: &str) -> PyResult<Option<Detail>> {
    let is_detailed = |other: &&Format| other.detail.is_some();
    match qrels_format(format) {
        _ if matches!(format, "auto" | "trec") => Ok(None),
        Ok(found) if is_detailed(&found) => Ok(found.detail),
        _ => {
            let detailed = QRELS_FORMATS.iter().filter(is_detailed).map(|format| format.name);
            let names: Vec<String> = iter::once("trec").chain(detailed).map(String::from).collect();
            Err(refused(format!("qrels format must be {} for a table, not '{format}'", alternatives(&names))))
        }
    }
}

/// The formats of runs or qrels, as the core lists them.
#[pyfunction]
pub fn file_formats(py: Python<'_>, runs: bool) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let formats = if runs { format::RUNS } else { QRELS_FORMATS };
    let listed = formats.iter().map(|format| {
        let dict = PyDict::new(py);
        dict.set_item("name", format.name)?;
        dict.set_item("about", format.about)?;
        dict.set_item("suffixes", format.suffixes)?;
        dict.set_item("in_python", matches!(format.reader, Reader::Binding))?;
        dict.set_item("ordered", format.ordered)?;
        dict.set_item("has_names", format.has_names)?;
        dict.set_item("streams", format.streams)?;
        dict.set_item("detail", format.detail.map(Detail::column))?;
        Ok(dict)
    });
    listed.collect()
}

/// Columns that the user names: what they hold, and their names.
pub type Named = BTreeMap<String, String>;

pub fn named(columns: Option<Named>) -> Vec<(String, String)> {
    columns.unwrap_or_default().into_iter().collect()
}

/// Those columns of a table that are needed, the query first; `holds` is `run`, a format of qrels, or `queries`.
#[pyfunction]
#[pyo3(signature = (names, holds, columns, source))]
pub fn find_columns(names: Vec<String>, holds: &str, columns: Option<Named>, source: &str) -> PyResult<Vec<String>> {
    let refs: Vec<&str> = names.iter().map(String::as_str).collect();
    if holds == "queries" {
        let query = Columns::find_query(&refs, source).map_err(to_python)?;
        return Ok(vec![names[query].clone()]);
    }
    let kind = if holds == "run" { Content::Run { ranks: true } } else { Content::Qrels(detail(holds)?) };
    let found = Columns::find(kind, &refs, &named(columns), source).map_err(to_python)?;
    Ok(found.needed().map(|column| names[column].clone()).collect())
}

/// A path as Python gives it.
pub struct FilePath(PathBuf);

impl<'py> FromPyObject<'_, 'py> for FilePath {
    type Error = PyErr;

    fn extract(path: Borrowed<'_, 'py, PyAny>) -> PyResult<FilePath> {
        path.extract().map(FilePath).map_err(|error| match error.is_instance_of::<PyUnicodeEncodeError>(path.py()) {
            true => refused(no_text("a path", &path)),
            false => error,
        })
    }
}

/// A path as the core takes it.
pub fn path_text(path: FilePath) -> PyResult<String> {
    let text = path.0.into_os_string().into_string();
    text.map_err(|path| refused(format!("a path must be valid Unicode, not {}", path.display())))
}

/// Reads a file and unpacks it, for the formats that Python parses.
#[pyfunction]
#[pyo3(signature = (path, *, lines))]
pub fn read_bytes<'py>(py: Python<'py>, path: FilePath, lines: bool) -> PyResult<Bound<'py, PyBytes>> {
    let path = path_text(path)?;
    let bytes =
        threads::run(py, Some(Threads(1)), || if lines { read::read_lines(&path) } else { read::read_all(&path) })?;
    Ok(PyBytes::new(py, &bytes))
}
