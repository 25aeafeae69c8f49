//! Common queries and documents of runs and qrels, for Python.

use pyo3::prelude::*;
use untied_core::overlap;

use crate::tables::{Qrels, Run};
use crate::threads::{self, Threads};

/// The judgments or run that a run is compared with.
#[derive(FromPyObject)]
pub enum Other<'py> {
    /// Judgments.
    Qrels(PyRef<'py, Qrels>),
    /// Another run.
    Run(PyRef<'py, Run>),
}

/// Number of queries that are in both, and whether one of them has a document that is in both.
#[pyfunction]
#[pyo3(signature = (run, other, threads = None))]
pub fn in_common(py: Python<'_>, run: &Run, other: Other<'_>, threads: Option<Threads>) -> PyResult<(usize, bool)> {
    let (run, other) = (
        &run.0,
        match &other {
            Other::Qrels(qrels) => &*qrels.0,
            Other::Run(run) => &*run.0,
        },
    );
    threads::run(py, threads, || overlap::in_common(run, other))
}

/// Whether the qrels look like a run and the run like qrels.
#[pyfunction]
pub fn look_swapped(qrels: &Qrels, run: &Run) -> bool {
    overlap::look_swapped(&qrels.0, &run.0)
}
