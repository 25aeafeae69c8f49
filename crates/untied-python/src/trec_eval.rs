//! `untied trec_eval` for Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use untied_trec_eval::{Failure, Options, Report, Version, atol, evaluate, explain};

use crate::formats::{FilePath, path_text};
use crate::threads;

/// Options by the names of [`Options`]; numbers as text, to be read as C does.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TrecOptions {
    version: u8,
    measures: Vec<String>,
    per_topic: bool,
    summary: bool,
    complete: bool,
    judged_only: bool,
    level: String,
    collection: String,
    depth: Option<String>,
    judgments: String,
    results: String,
    deviations: Option<FilePath>,
    topic: Option<String>,
}

impl TrecOptions {
    fn options(self) -> PyResult<Options> {
        let number = |text: &str| atol(text.as_bytes());
        Ok(Options {
            version: if self.version == 9 { Version::Nine } else { Version::Ten },
            measures: self.measures,
            per_topic: self.per_topic,
            summary: self.summary,
            complete: self.complete,
            judged_only: self.judged_only,
            level: number(&self.level),
            collection: number(&self.collection),
            depth: self.depth.map(|depth| usize::try_from(number(&depth)).unwrap_or(0)),
            judgments: self.judgments,
            results: self.results,
            deviations: self.deviations.map(path_text).transpose()?,
            topic: self.topic,
        })
    }
}

/// What trec_eval prints, piece by piece, and how it ends.
#[pyclass(module = "untied._core")]
pub struct TrecReport {
    report: Result<Report, Failure>,
    next: usize,
}

#[pymethods]
impl TrecReport {
    /// Read and evaluate; no failure of trec_eval's is an exception.
    #[new]
    fn new(py: Python<'_>, judgments: FilePath, results: FilePath, options: TrecOptions) -> PyResult<TrecReport> {
        let (judgments, results) = (path_text(judgments)?, path_text(results)?);
        let options = options.options()?;
        let report = threads::run(py, None, || Ok(evaluate(&options, &judgments, &results)))?;
        Ok(TrecReport { report, next: 0 })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let Ok(report) = &self.report else { return Ok(None) };
        let text = threads::run(py, None, || Ok(report.text(self.next)))?;
        self.next += 1;
        Ok(text.map(|text| PyBytes::new(py, &text)))
    }

    /// Exit code and message, where something went wrong.
    #[getter]
    fn failure(&self) -> Option<(u8, String)> {
        let failure = match &self.report {
            Ok(report) => report.failure(),
            Err(failure) => Some(failure),
        };
        failure.map(|failure| (failure.code, failure.message.clone()))
    }
}

/// What requested measures are, as text; or exit code and message.
#[pyfunction]
pub fn explain_measures(options: TrecOptions) -> PyResult<(String, Option<(u8, String)>)> {
    Ok(match explain(&options.options()?) {
        Ok(text) => (text, None),
        Err(Failure { code, message }) => (String::new(), Some((code, message))),
    })
}
