//! Comparisons of two runs as Python objects.

use pyo3::prelude::*;
use untied_core::compare::{self, Settings};
use untied_core::error::text;
use untied_core::measures::Certainty;
use untied_core::similarity::Score;

use crate::errors::to_python;
use crate::tables::{Qrels, Run};
use crate::threads;

/// The values of two runs.
#[pyclass(frozen, module = "untied._core")]
pub struct Comparison {
    queries: Vec<String>,
    comparison: compare::Comparison,
}

/// (value, low, high, variance, certificate)
type Parts = (f64, Option<f64>, Option<f64>, Option<f64>, &'static str);

fn parts(score: &Score) -> Parts {
    let certificate = match score.certainty {
        Certainty::Exact => "exact",
        Certainty::Interval => "interval",
        Certainty::Estimate => "estimate",
    };
    (score.value, score.range.map(|range| range.0), score.range.map(|range| range.1), score.variance, certificate)
}

/// Canonical names of measures that compare two rankings, each once.
#[pyfunction]
pub fn comparing_measures(measures: Vec<String>) -> PyResult<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for measure in measures {
        let name = compare::parse(&measure).map_err(to_python)?.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Compare every run with every later one, query by query; measures by their canonical names.
#[pyfunction]
#[pyo3(signature = (runs, measures, *, qrels, depth, ties, score_dtype, variance, threads))]
#[allow(clippy::too_many_arguments)]
pub fn compare_runs(
    py: Python<'_>,
    runs: Vec<Py<Run>>,
    measures: Vec<String>,
    qrels: Option<&Qrels>,
    depth: Option<usize>,
    ties: &str,
    score_dtype: &str,
    variance: bool,
    threads: Option<i64>,
) -> PyResult<Vec<Comparison>> {
    let settings = Settings::new(ties, score_dtype, variance).map_err(to_python)?;
    let specs = measures.iter().map(|measure| compare::parse(measure)).collect::<Result<Vec<_>, _>>();
    let specs = specs.map_err(to_python)?;
    let tables: Vec<_> = runs.iter().map(|run| &run.get().0).collect();
    let qrels = qrels.map(|qrels| &qrels.0);
    let depth = depth.unwrap_or(usize::MAX);
    let found = threads::run(py, threads, || compare::compare(&tables, qrels, &specs, depth, settings))?;
    let to_object = |comparison: compare::Comparison| {
        let queries = comparison.queries.iter().map(|&query| text(tables[comparison.runs.0].id(query))).collect();
        Comparison { queries, comparison }
    };
    Ok(found.into_iter().map(to_object).collect())
}

#[pymethods]
impl Comparison {
    /// Numbers of the two runs.
    fn runs(&self) -> (usize, usize) {
        self.comparison.runs
    }

    fn queries(&self) -> Vec<String> {
        self.queries.clone()
    }

    fn totals(&self) -> Vec<Parts> {
        self.comparison.totals.iter().map(parts).collect()
    }

    /// Query by query.
    fn values(&self) -> Vec<Parts> {
        self.comparison.values.iter().map(parts).collect()
    }

    /// Queries that only the first and only the second run has.
    fn alone(&self) -> (usize, usize) {
        self.comparison.alone
    }
}
