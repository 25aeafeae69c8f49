//! Significance tests on values of queries, and what they are made of.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use untied_core::equality;
use untied_core::statistics::{
    self, Decided, Differences, PairedValues, RunValues, SignCounts, bootstrap, interval, randomizations, tukey,
};

use crate::arrays::packed;
use crate::errors::to_python;
use crate::measure::Measure;
use crate::threads::{self, Threads};

/// A run's values of one measure by query, in the form that its aggregate adds up.
#[pyclass(frozen, module = "untied")]
pub struct Terms(RunValues);

/// The lowest and the highest values, or differences.
type BoundBuffers = [PyBuffer<f64>; 2];

fn read(py: Python<'_>, ends: Option<BoundBuffers>) -> PyResult<Option<[Vec<f64>; 2]>> {
    ends.map(|[low, high]| Ok([low.to_vec(py)?, high.to_vec(py)?])).transpose()
}

#[pymethods]
impl Terms {
    #[new]
    #[pyo3(signature = (run, measure, values, ends=None))]
    fn new(
        py: Python<'_>,
        run: &str,
        measure: &Measure,
        values: PyBuffer<f64>,
        ends: Option<BoundBuffers>,
    ) -> PyResult<Terms> {
        RunValues::new(run, &measure.0, values.to_vec(py)?, read(py, ends)?).map(Terms).map_err(to_python)
    }

    /// The values that are defined.
    fn known(&self) -> Vec<f64> {
        self.0.defined()
    }

    /// The aggregate, from the mean of the defined values.
    fn of_mean(&self, mean: f64) -> f64 {
        self.0.of_mean(mean)
    }

    /// The difference of two aggregates, from the mean difference of their terms and the number of queries.
    fn difference(&self, mean: f64, queries: usize) -> f64 {
        self.0.aggregate.difference(mean, queries)
    }
}

/// The fields of the core's `PairedValues`, with differences as float64.
type Paired<'py> =
    (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, [usize; 2], [f64; 2], f64, [usize; 3], [f64; 2], [f64; 3]);

/// Pairs two runs, with bounds of the differences of all queries if they are known.
#[pyfunction]
#[pyo3(signature = (a, b, bounds=None, all=false))]
pub fn pair<'py>(
    py: Python<'py>,
    a: &Terms,
    b: &Terms,
    bounds: Option<BoundBuffers>,
    all: bool,
) -> PyResult<Paired<'py>> {
    let bounds = read(py, bounds)?;
    let bounds = bounds.as_ref().map(|[low, high]| ([low.as_slice(), high.as_slice()], all));
    let pair = PairedValues::new(&a.0, &b.0, bounds).map_err(to_python)?;
    let bytes = |values: &[f64]| packed(py, values.iter().map(|value| value.to_ne_bytes()));
    let (differences, nearest, quantiles) = (bytes(&pair.differences)?, bytes(&pair.nearest)?, pair.quantiles());
    Ok((differences, nearest, pair.dropped, pair.means, pair.difference, pair.counts, pair.ends, quantiles))
}

/// The lowest and the highest difference of two runs, and how the first stands to the second in every possible case.
#[pyfunction]
#[pyo3(signature = (a, b, bounds=None))]
pub fn standing(
    py: Python<'_>,
    a: &Terms,
    b: &Terms,
    bounds: Option<BoundBuffers>,
) -> PyResult<(f64, f64, &'static str)> {
    let bounds = read(py, bounds)?;
    let bounds = bounds.as_ref().map(|[low, high]| ([low.as_slice(), high.as_slice()], false));
    let pair = PairedValues::new(&a.0, &b.0, bounds).map_err(to_python)?;
    Ok((pair.ends[0], pair.ends[1], pair.standing().name()))
}

/// The difference of two values or means. It is 0 if they differ only by rounding.
#[pyfunction]
pub fn difference(a: f64, b: f64) -> f64 {
    equality::difference(a, b)
}

/// The positions of values with their ranks, best first. Equal values share a rank.
#[pyfunction]
pub fn ranked(values: Vec<f64>, lower_is_better: bool) -> Vec<(usize, usize)> {
    equality::ranked(&values, lower_is_better)
}

/// The rows in which columns differ most, largest difference first.
#[pyfunction]
pub fn most_different(py: Python<'_>, columns: Vec<PyBuffer<f64>>, most: usize) -> PyResult<Vec<usize>> {
    let columns = columns.iter().map(|column| column.to_vec(py)).collect::<PyResult<Vec<_>>>()?;
    Ok(statistics::most_different(&columns, most))
}

/// The differences of values of the same queries, as float64, and their mean.
#[pyfunction]
pub fn differences<'py>(
    py: Python<'py>,
    a: PyBuffer<f64>,
    b: PyBuffer<f64>,
) -> PyResult<(Bound<'py, PyByteArray>, f64)> {
    let (a, b) = (a.to_vec(py)?, b.to_vec(py)?);
    let differences = Differences::new(a.into_iter().zip(b), equality::difference);
    let mean = differences.mean();
    Ok((packed(py, differences.tied().iter().map(|value| value.to_ne_bytes()))?, mean))
}

/// For each list of differences: the p-values of a sum that is at least as large, at most as large, and at least as far
/// from 0, and whether they are exact. `pairs` names the two runs of each list, if they are known.
#[pyfunction]
#[pyo3(signature = (differences, samples, seed, threads=None, pairs=None))]
pub fn randomization_p(
    py: Python<'_>,
    differences: Vec<Vec<f64>>,
    samples: usize,
    seed: u64,
    threads: Option<Threads>,
    pairs: Option<Vec<(Py<Terms>, Py<Terms>)>>,
) -> PyResult<Vec<([f64; 3], bool)>> {
    let pairs: Vec<(&RunValues, &RunValues)> = pairs.iter().flatten().map(|(a, b)| (&a.get().0, &b.get().0)).collect();
    threads::run(py, threads, || {
        let p_values =
            |counts: &SignCounts| [counts.at_least, counts.at_most, counts.beyond].map(|count| counts.p(count));
        let counts = randomizations(&differences, &pairs, samples, seed)?;
        Ok(counts.iter().map(|counts| (p_values(counts), counts.exact)).collect())
    })
}

/// The p-values of Tukey's test for pairs of runs, by index.
#[pyfunction]
#[pyo3(signature = (columns, pairs, samples, seed, threads=None))]
pub fn tukey_p(
    py: Python<'_>,
    columns: Vec<Py<Terms>>,
    pairs: Vec<(usize, usize)>,
    samples: usize,
    seed: u64,
    threads: Option<Threads>,
) -> PyResult<Vec<f64>> {
    let columns: Vec<&RunValues> = columns.iter().map(|column| &column.get().0).collect();
    threads::run(py, threads, || tukey(&columns, &pairs, samples, seed))
}

/// Corrected p-values.
#[pyfunction]
pub fn adjust(p: Vec<f64>, correction: &str) -> PyResult<Vec<f64>> {
    statistics::adjust(&p, correction).map_err(to_python)
}

/// Which differences are significant, and which of them survive.
#[pyfunction]
pub fn decide(p: Vec<f64>, p_most: Vec<f64>, ends: Vec<[f64; 2]>, correction: &str, level: f64) -> PyResult<Decided> {
    statistics::decide(&p, &p_most, &ends, correction, level).map_err(to_python)
}

/// The bootstrap interval (BCa) of the mean of some values. It is NaN if there is none.
#[pyfunction]
#[pyo3(signature = (values, level, samples, seed, threads=None))]
pub fn bootstrap_interval(
    py: Python<'_>,
    values: Vec<f64>,
    level: f64,
    samples: usize,
    seed: u64,
    threads: Option<Threads>,
) -> PyResult<(f64, f64)> {
    threads::run(py, threads, || interval(&values, level, samples, seed))
}

/// The bootstrap distribution behind [`bootstrap_interval`], for tests: the means of samples with replacement,
/// ascending, and how many of them are below, and how many at most, the mean of the values.
#[pyfunction]
#[pyo3(signature = (values, samples, seed, threads=None))]
pub fn bootstrap_means(
    py: Python<'_>,
    values: Vec<f64>,
    samples: usize,
    seed: u64,
    threads: Option<Threads>,
) -> PyResult<(Vec<f64>, usize, usize)> {
    threads::run(py, threads, || {
        let found = bootstrap(&values, samples, seed)?;
        Ok((found.means, found.below, found.at_most))
    })
}
