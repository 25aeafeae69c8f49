//! The effect of further judgments, for Python.

use pyo3::prelude::*;
use pyo3::types::PyAny;
use untied_core::error::show;
use untied_core::evaluate::Plan;
use untied_core::outlook::{self, Outcome};

use crate::convert::with_id;
use crate::errors::{refused, to_python};
use crate::measure::Measure;
use crate::tables::{Qrels, Run};
use crate::threads::{self, Threads};

/// (value, low, high)
type Parts = (f64, f64, f64);

fn parts(outcome: Outcome) -> Parts {
    (outcome.value, outcome.low, outcome.high)
}

/// A query: what is now, and for every document its rank and what it leads to, grade by grade.
type Query = (Parts, Vec<(Option<usize>, Vec<Parts>)>);

/// The grades that a document may have, and for every query what judging each of its documents would change.
#[pyfunction]
#[pyo3(signature = (qrels, run, measure, documents, threads = None))]
pub fn judgment_outlook(
    py: Python<'_>,
    qrels: &Qrels,
    run: &Run,
    measure: &Measure,
    documents: Vec<(Bound<'_, PyAny>, Vec<Bound<'_, PyAny>>)>,
    threads: Option<Threads>,
) -> PyResult<(Vec<f64>, Vec<Query>)> {
    let (qrels, run) = (&qrels.0, &run.0);
    let mut asked = Vec::with_capacity(documents.len());
    for (query, documents) in &documents {
        let number = with_id(query, "a query id", |id| {
            qrels.find(id).ok_or_else(|| refused(format!("query {} is not judged", show(id))))
        })?;
        let ids = documents.iter().map(|doc| with_id(doc, "a document id", |id| Ok(id.to_vec())));
        asked.push((number, ids.collect::<PyResult<Vec<_>>>()?));
    }
    let plan = Plan::new(std::slice::from_ref(&measure.0), qrels, run.longest(), None).map_err(to_python)?;
    let work = || outlook::outlook(qrels, run, &plan, &asked);
    let found = threads::run_formulas(py, threads, plan.has_formulas(), work)?;
    let queries = found.into_iter().map(|query| {
        let after = query.after.into_iter().map(|one| (one.rank, one.outcomes.into_iter().map(parts).collect()));
        (parts(query.now), after.collect())
    });
    Ok((plan.possible_grades(0).to_vec(), queries.collect()))
}
