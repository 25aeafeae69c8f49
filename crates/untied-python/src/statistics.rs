//! Randomisation tests on values of queries.

use pyo3::prelude::*;
use rayon::prelude::*;
use untied_core::statistics::{bootstrap, interval, largest_ranges, randomization};
use untied_core::{Error, watch};

use crate::threads;

/// (at least as large, at most as large, of at least the magnitude, choices of signs, whether all)
type Counted = (f64, f64, f64, f64, bool);

/// For each list of differences: how many choices of signs give a sum at least as large, at most as large, of at least
/// the magnitude; how many choices were made; and whether these are all.
#[pyfunction]
#[pyo3(signature = (differences, samples, seed, threads=None))]
pub fn randomization_counts(
    py: Python<'_>,
    differences: Vec<Vec<f64>>,
    samples: usize,
    seed: u64,
    threads: Option<i64>,
) -> PyResult<Vec<Counted>> {
    threads::run(py, threads, || {
        let values: usize = differences.iter().map(Vec::len).sum();
        let total = samples.saturating_mul(values) as u64;
        watch::begin(|| "testing differences".into(), "values", Some(total));
        let counts = differences.par_iter().map(|differences| {
            let found = randomization(differences, samples, seed)?;
            Ok((found.at_least, found.at_most, found.beyond, found.choices, found.exact))
        });
        counts.collect()
    })
}

/// The bootstrap interval (BCa) of the mean of some values; NaN if there is none.
#[pyfunction]
#[pyo3(signature = (values, level, samples, seed, threads=None))]
pub fn bootstrap_interval(
    py: Python<'_>,
    values: Vec<f64>,
    level: f64,
    samples: usize,
    seed: u64,
    threads: Option<i64>,
) -> PyResult<(f64, f64)> {
    threads::run(py, threads, || {
        let total = samples.saturating_mul(values.len()) as u64;
        watch::begin(|| "drawing bootstrap samples".into(), "values", Some(total));
        interval(&values, level, samples, seed)
    })
}

/// What [`bootstrap_interval`] is found from, so that tests can hold it against another formula: means of samples that are
/// drawn from values with replacement, ascending; how many are below the values' own mean, and how many at most that.
#[pyfunction]
#[pyo3(signature = (values, samples, seed, threads=None))]
pub fn bootstrap_means(
    py: Python<'_>,
    values: Vec<f64>,
    samples: usize,
    seed: u64,
    threads: Option<i64>,
) -> PyResult<(Vec<f64>, usize, usize)> {
    threads::run(py, threads, || {
        let found = bootstrap(&values, samples, seed)?;
        Ok((found.means, found.below, found.at_most))
    })
}

/// For every two runs, those of the first one first: in how many of `samples` deals of each query's values (given run by
/// run) the largest difference of two means is at least theirs.
#[pyfunction]
#[pyo3(signature = (columns, samples, seed, threads=None))]
pub fn tukey_counts(
    py: Python<'_>,
    columns: Vec<Vec<f64>>,
    samples: usize,
    seed: u64,
    threads: Option<i64>,
) -> PyResult<Vec<usize>> {
    threads::run(py, threads, || {
        let runs = columns.len();
        if columns.iter().any(|column| column.len() != columns[0].len()) {
            return Err(Error::Value("every query must have a value of every run".to_owned()));
        }
        let ranges = largest_ranges(&columns, samples, seed)?;
        let pairs = (0..runs).flat_map(|a| (a + 1..runs).map(move |b| (a, b)));
        Ok(pairs.map(|(a, b)| ranges.at_least(a, b)).collect())
    })
}
