//! The documents that are most worth judging, for Python.

use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use untied_core::error::text;
use untied_core::evaluate::Plan;
use untied_core::outlook::{self, BoundedValue, Candidate, Search};

use crate::arrays::packed;
use crate::errors::to_python;
use crate::measure::Measure;
use crate::tables::{Lengths, Qrels, Run};
use crate::threads::{self, Threads};

/// Values, and their lowest and highest ones, of all queries, as float64.
type Columns<'py> = [Bound<'py, PyByteArray>; 3];

/// (query, document, ranks, probability, narrowing, swing, worth)
type CandidateRow = (String, String, Vec<Option<usize>>, f64, f64, f64, f64);

/// What each run is worth now, query by query; the documents that are most worth judging; and how many were considered.
#[pyfunction]
#[pyo3(signature = (qrels, runs, measure, *, top, depth, prior, until_decided, docs, threads))]
pub fn judgment_outlook<'py>(
    py: Python<'py>,
    qrels: &Qrels,
    runs: Vec<Py<Run>>,
    measure: &Measure,
    top: usize,
    depth: usize,
    prior: Option<f64>,
    until_decided: bool,
    docs: Option<&Lengths>,
    threads: Option<Threads>,
) -> PyResult<(Vec<Columns<'py>>, Vec<CandidateRow>, usize)> {
    let qrels = &qrels.0;
    let tables: Vec<_> = runs.iter().map(|run| &*run.get().0).collect();
    let longest = tables.iter().map(|run| run.longest()).max().unwrap_or(0);
    // One more document is judged, which a run may lack: an ideal ranking can be longer by it.
    let lengths = docs.map(|docs| &docs.0);
    let plan = Plan::new(std::slice::from_ref(&measure.0), qrels, longest + 1, lengths).map_err(to_python)?;
    let search = Search { top, depth, prior, until_decided };
    let work = || outlook::advise(qrels, &tables, &plan, search);
    let advice = threads::run_formulas(py, threads, plan.has_formulas(), work)?;
    let columns = |run: usize| {
        let outcomes = || advice.now.iter().skip(run).step_by(tables.len());
        let column = |number: fn(&BoundedValue) -> f64| packed(py, outcomes().map(|now| number(now).to_ne_bytes()));
        Ok([column(|now| now.value)?, column(|now| now.low)?, column(|now| now.high)?])
    };
    let now = (0..tables.len()).map(columns).collect::<PyResult<_>>()?;
    let row = |one: Candidate| {
        let Candidate { query, document, ranks, probability, narrowing, swing, worth } = one;
        (text(qrels.id(query)), text(&document), ranks, probability, narrowing, swing, worth)
    };
    Ok((now, advice.candidates.into_iter().map(row).collect(), advice.considered))
}

/// The grades that an unjudged document may have for a measure, highest first; see `Spec::possible_grades`.
#[pyfunction]
pub fn possible_grades(qrels: &Qrels, measure: &Measure) -> Vec<f64> {
    measure.0.possible_grades(qrels.0.grades())
}
