//! Comparisons of two runs as Python objects.

use pyo3::prelude::*;
use untied_core::compare::{self, Settings};
use untied_core::error::text;
use untied_core::similarity::{self, Score};

use crate::errors::to_python;
use crate::tables::Run;
use crate::threads;

/// The values of two runs.
#[pyclass(frozen, module = "untied._core")]
pub struct Comparison {
    queries: Vec<String>,
    measures: Vec<String>,
    comparison: compare::Comparison,
}

/// (value, low, high, variance)
type Parts = (f64, Option<f64>, Option<f64>, Option<f64>);

fn parts(score: &Score) -> Parts {
    (score.value, score.range.map(|range| range.0), score.range.map(|range| range.1), score.variance)
}

/// Compare two runs by similarities, query by query.
#[pyfunction]
#[pyo3(signature = (a, b, measures, *, ties, score_dtype, variance, threads))]
#[allow(clippy::too_many_arguments)]
pub fn compare_runs(
    py: Python<'_>,
    a: &Run,
    b: &Run,
    measures: Vec<String>,
    ties: &str,
    score_dtype: &str,
    variance: bool,
    threads: Option<i64>,
) -> PyResult<Comparison> {
    let settings = Settings::new(ties, score_dtype, variance).map_err(to_python)?;
    let mut specs = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for measure in measures {
        let spec = similarity::parse(&measure).map_err(to_python)?;
        if !names.contains(&spec.to_string()) {
            names.push(spec.to_string());
            specs.push(spec);
        }
    }
    let comparison = threads::run(py, threads, || compare::compare(&a.0, &b.0, &specs, settings))?;
    let queries = comparison.queries.iter().map(|&query| text(a.0.id(query))).collect();
    Ok(Comparison { queries, measures: names, comparison })
}

#[pymethods]
impl Comparison {
    fn queries(&self) -> Vec<String> {
        self.queries.clone()
    }

    /// Canonical names.
    fn measures(&self) -> Vec<String> {
        self.measures.clone()
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
