//! Rankings as people look at them.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use untied_core::error::text;
use untied_core::ranking;
use untied_core::settings::{Purpose, SCORE_DTYPE};

use crate::convert::with_id;
use crate::errors::to_python;
use crate::tables::Run;
use crate::threads::{self, Threads};

/// The first documents of a query by tie group, with scores read at some precision; how many of the last group lie
/// beyond the depth, and how many documents there are in all.
#[pyfunction]
#[pyo3(signature = (run, query, depth, score_dtype = "float64"))]
pub fn top_groups(
    run: &Run,
    query: &Bound<'_, PyAny>,
    depth: usize,
    score_dtype: &str,
) -> PyResult<(Vec<Vec<String>>, usize, usize)> {
    let found = with_id(query, "a query id", |id| Ok(run.0.find(id)))?;
    let Some(found) = found else { return Err(PyKeyError::new_err(query.clone().unbind())) };
    let rows = run.0.rows(found);
    let read = SCORE_DTYPE.read(Purpose::Runs, score_dtype).map_err(to_python)?;
    let top = ranking::top(&run.0, found, depth, read).map_err(to_python)?;
    let groups = top.groups.iter().map(|group| group.iter().map(|&row| text(rows.doc(row as usize))).collect());
    Ok((groups.collect(), top.beyond, rows.len()))
}

/// How much of a run is tied whose scores are read at some precision, as facts by name.
#[pyfunction]
#[pyo3(signature = (run, threads = None, score_dtype = "float64"))]
pub fn tie_counts<'py>(
    py: Python<'py>,
    run: &Run,
    threads: Option<Threads>,
    score_dtype: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let counts =
        threads::run(py, threads, || ranking::tie_counts(&run.0, SCORE_DTYPE.read(Purpose::Runs, score_dtype)?))?;
    let dict = PyDict::new(py);
    dict.set_item("documents", counts.documents)?;
    dict.set_item("tied", counts.tied)?;
    dict.set_item("queries", counts.queries)?;
    dict.set_item("all_tied", counts.all_tied)?;
    dict.set_item("largest", counts.largest)?;
    dict.set_item("deepest", counts.deepest)?;
    Ok(dict)
}
