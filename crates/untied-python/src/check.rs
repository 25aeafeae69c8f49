//! `untied check` for Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use untied_core::check::{self, TOP};
use untied_core::error::text;
use untied_core::read::faults::faults;
use untied_core::read::format::{qrels_format, run_format};
use untied_core::settings::{Purpose, SCORE_DTYPE};

use crate::errors::to_python;
use crate::formats::{FilePath, path_text};
use crate::tables::{Qrels, Run};
use crate::threads::{self, Threads};

/// Facts by name that are suspicious about a run. The run must have been read with its ranks.
#[pyfunction]
#[pyo3(signature = (qrels, run, threads = None))]
pub fn check_run<'py>(
    py: Python<'py>,
    qrels: &Qrels,
    run: &Run,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyDict>> {
    let (qrels, run) = (&qrels.0, &run.0);
    let found = threads::run(py, threads, || check::check(qrels, run))?;
    let in_qrels = |queries: &[usize]| queries.iter().map(|&query| text(qrels.id(query))).collect::<Vec<_>>();
    let dict = PyDict::new(py);
    dict.set_item("queries", found.queries)?;
    dict.set_item("documents", found.documents)?;
    dict.set_item("absent", in_qrels(&found.absent))?;
    dict.set_item("unknown", found.unknown.iter().map(|&query| text(run.id(query))).collect::<Vec<_>>())?;
    let near = found.near_queries.iter().map(|&(ours, theirs)| (text(run.id(ours)), text(qrels.id(theirs))));
    dict.set_item("near_queries", near.collect::<Vec<_>>())?;
    dict.set_item("rank_contradicts", found.rank_contradicts)?;
    dict.set_item("rank_not_a_number", found.rank_not_a_number)?;
    dict.set_item("tied_queries", found.tied_queries)?;
    dict.set_item("tied_documents", found.tied_documents)?;
    dict.set_item("tied_in_32_bits", found.tied_in_32_bits)?;
    dict.set_item("depths", found.depths)?;
    dict.set_item("top", (TOP, found.top.retrieved, found.top.judged))?;
    dict.set_item("judged", found.judged)?;
    dict.set_item("near_document", found.near_document.map(|(ours, theirs)| (text(&ours), text(&theirs))))?;
    dict.set_item("without_relevant", in_qrels(&found.without_relevant))?;
    dict.set_item("repeated", found.repeated)?;
    dict.set_item("swapped", found.swapped)?;
    dict.set_item("tags", found.tags.iter().map(|tag| text(tag)).collect::<Vec<_>>())?;
    Ok(dict)
}

/// For each depth, the number of documents to this depth in judged queries, and how many of them are judged.
#[pyfunction]
#[pyo3(signature = (qrels, run, depths, score_dtype = "float64", threads = None))]
pub fn judged_tops(
    py: Python<'_>,
    qrels: &Qrels,
    run: &Run,
    depths: Vec<usize>,
    score_dtype: &str,
    threads: Option<Threads>,
) -> PyResult<Vec<(usize, f64)>> {
    let tops = threads::run(py, threads, || {
        check::judged_tops(&qrels.0, &run.0, &depths, SCORE_DTYPE.read(Purpose::Runs, score_dtype)?)
    })?;
    Ok(tops.into_iter().map(|top| (top.retrieved, top.judged)).collect())
}

/// The malformed lines of a file: the errors of the first `most`, and the number of all. A format without fixed columns
/// has none.
#[pyfunction]
#[pyo3(signature = (path, format, is_run, most, threads = None))]
pub fn malformed_lines(
    py: Python<'_>,
    path: FilePath,
    format: &str,
    is_run: bool,
    most: usize,
    threads: Option<Threads>,
) -> PyResult<(Vec<String>, u64)> {
    let path = path_text(path)?;
    let found = if is_run { run_format(format) } else { qrels_format(format) }.map_err(to_python)?;
    let Some(layout) = found.layout() else { return Ok((Vec::new(), 0)) };
    let found = threads::run(py, threads, || faults(&path, layout, most))?;
    Ok((found.errors.iter().map(ToString::to_string).collect(), found.count))
}
