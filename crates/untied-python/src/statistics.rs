//! Randomisation tests on values of queries.

use pyo3::prelude::*;
use rayon::prelude::*;
use untied_core::statistics::{largest_ranges, randomization};
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
        let total = samples.saturating_mul(differences.len()) as u64;
        watch::begin(|| "drawing signs".into(), "samples", Some(total));
        let counts = differences.par_iter().map(|differences| {
            let found = randomization(differences, samples, seed)?;
            Ok((found.at_least, found.at_most, found.beyond, found.choices, found.exact))
        });
        counts.collect()
    })
}

/// For every two runs, those of the first one first: in how many of `samples` deals of each query's values (given query
/// by query, as many as there are runs) the largest difference of two means is at least theirs.
#[pyfunction]
#[pyo3(signature = (values, samples, seed, threads=None))]
pub fn tukey_counts(
    py: Python<'_>,
    values: Vec<Vec<f64>>,
    samples: usize,
    seed: u64,
    threads: Option<i64>,
) -> PyResult<Vec<usize>> {
    threads::run(py, threads, || {
        let runs = values.first().map_or(0, Vec::len);
        if values.iter().any(|query| query.len() != runs) {
            return Err(Error::Value("every query must have a value of every run".to_owned()));
        }
        let ranges = largest_ranges(&values.concat(), runs, samples, seed)?;
        let pairs = (0..runs).flat_map(|a| (a + 1..runs).map(move |b| (a, b)));
        Ok(pairs.map(|(a, b)| ranges.at_least(a, b)).collect())
    })
}
