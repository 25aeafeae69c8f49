//! Verdicts on runs, for Python.

use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use untied_core::certify::{self, Assignment, Evidence, Overturn, Verdict, VerdictSettings};
use untied_core::error::text;

use crate::arrays::packed;
use crate::measure::{Measure, specs};
use crate::policies::Policies;
use crate::tables::{Lengths, Qrels, Run};
use crate::threads::{self, Threads};

/// The low and high bound, and whether they are reached; 'A', 'B' or 'open'; the overturn number (none if no number
/// overturns the verdict), and whether it is exact; the largest m (-1 if any number will do), and whether it is exact.
type Concluded = (f64, f64, bool, &'static str, Option<usize>, bool, Option<i64>, bool);

fn concluded(verdict: &Verdict) -> Concluded {
    let (overturn, is_exact) = match verdict.overturn {
        Overturn::Never => (None, true),
        Overturn::Needs(number) => (Some(number), true),
        Overturn::AtLeast(number) => (Some(number), false),
    };
    let largest = verdict.largest.map(|most| if most == usize::MAX { -1 } else { most as i64 });
    let ahead = verdict.ahead.name();
    (verdict.low, verdict.high, verdict.is_exact, ahead, overturn, is_exact, largest, verdict.largest_is_exact)
}

fn settings(policies: &Policies, most: Option<usize>) -> VerdictSettings {
    VerdictSettings { most, ..VerdictSettings::new(policies.settings) }
}

fn evidence<'a>(qrels: &'a Qrels, docs: Option<&'a Lengths>) -> Evidence<'a> {
    Evidence { qrels: &qrels.0, lengths: docs.map(|docs| &*docs.0) }
}

/// The verdicts on every run and every later one, by all measures.
#[pyfunction]
#[pyo3(signature = (runs, measures, *, qrels, policies, most, docs, threads))]
pub fn certify_runs(
    py: Python<'_>,
    runs: Vec<Py<Run>>,
    measures: Vec<PyRef<'_, Measure>>,
    qrels: &Qrels,
    policies: &Policies,
    most: Option<usize>,
    docs: Option<&Lengths>,
    threads: Option<Threads>,
) -> PyResult<Vec<Vec<Concluded>>> {
    let (settings, evidence) = (settings(policies, most), evidence(qrels, docs));
    let specs = specs(&measures);
    let tables: Vec<_> = runs.iter().map(|run| &*run.get().0).collect();
    let found = threads::run(py, threads, || certify::certify(&tables, evidence, &specs, settings))?;
    Ok(found.iter().map(|pair| pair.iter().map(concluded).collect()).collect())
}

/// The lowest and the highest differences of all queries.
type Ends<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>);

/// The lowest and the highest difference of each query of the qrels, as float64. There is an entry for each pair of
/// runs and each measure.
#[pyfunction]
#[pyo3(signature = (runs, pairs, measures, *, qrels, policies, docs, threads))]
pub fn differences_of_queries<'py>(
    py: Python<'py>,
    runs: Vec<Py<Run>>,
    pairs: Vec<(usize, usize)>,
    measures: Vec<PyRef<'_, Measure>>,
    qrels: &Qrels,
    policies: &Policies,
    docs: Option<&Lengths>,
    threads: Option<Threads>,
) -> PyResult<Vec<Vec<Ends<'py>>>> {
    let (settings, evidence) = (settings(policies, None), evidence(qrels, docs));
    let specs = specs(&measures);
    let tables: Vec<_> = runs.iter().map(|run| &*run.get().0).collect();
    let found = threads::run(py, threads, || certify::spans(&tables, &pairs, evidence, &specs, settings))?;
    let bytes = |place: usize, end: fn((f64, f64)) -> f64| {
        PyByteArray::new_with(py, found.len() * size_of::<f64>(), |bytes| {
            for (query, cell) in found.iter().zip(bytes.chunks_exact_mut(size_of::<f64>())) {
                cell.copy_from_slice(&end(query[place]).to_ne_bytes());
            }
            Ok(())
        })
    };
    let of_pair = |pair: usize| {
        let places = (0..specs.len()).map(|measure| pair * specs.len() + measure);
        places.map(|place| Ok((bytes(place, |ends| ends.0)?, bytes(place, |ends| ends.1)?))).collect()
    };
    (0..pairs.len()).map(of_pair).collect()
}

/// The difference, documents with their grades, and the grades of documents that neither run retrieves.
type AssignedGrades = (f64, Vec<(String, f64)>, Vec<f64>);

/// A query, its lowest and highest difference, and grades that give the lowest, give the highest, and help to overturn.
type Explained = (String, f64, f64, AssignedGrades, AssignedGrades, AssignedGrades);

/// The verdict on two runs by a measure, and the reasons in each query.
#[pyfunction]
#[pyo3(signature = (run_a, run_b, measure, *, qrels, policies, most, docs, threads))]
pub fn explain_verdict(
    py: Python<'_>,
    run_a: &Run,
    run_b: &Run,
    measure: &Measure,
    qrels: &Qrels,
    policies: &Policies,
    most: Option<usize>,
    docs: Option<&Lengths>,
    threads: Option<Threads>,
) -> PyResult<(Concluded, Vec<Explained>)> {
    let (settings, evidence) = (settings(policies, most), evidence(qrels, docs));
    let runs = [&*run_a.0, &*run_b.0];
    let (verdict, queries) = threads::run(py, threads, || certify::explain(&runs, evidence, &measure.0, settings))?;
    let explained = queries.iter().map(|query| {
        let assigned = |assignment: &Assignment| {
            let id = |&(number, grade): &(u32, f64)| (text(query.documents[number as usize]), grade);
            (assignment.difference, assignment.grades.iter().map(id).collect(), assignment.elsewhere.clone())
        };
        let (low, high) = query.bounds;
        let (lowest, highest) = (assigned(&query.ends.0), assigned(&query.ends.1));
        (text(qrels.0.id(query.query)), low, high, lowest, highest, assigned(&query.overturning))
    });
    Ok((concluded(&verdict), explained.collect()))
}

/// For each query of the qrels, the number of its documents in the smallest set that overturns the verdict, as uint32.
#[pyfunction]
#[pyo3(signature = (run_a, run_b, measure, *, qrels, policies, most, docs, threads))]
pub fn overturning_documents<'py>(
    py: Python<'py>,
    run_a: &Run,
    run_b: &Run,
    measure: &Measure,
    qrels: &Qrels,
    policies: &Policies,
    most: Option<usize>,
    docs: Option<&Lengths>,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyByteArray>> {
    let (settings, evidence) = (settings(policies, most), evidence(qrels, docs));
    let runs = [&*run_a.0, &*run_b.0];
    let (_, counts) = threads::run(py, threads, || certify::overturning(&runs, evidence, &measure.0, settings))?;
    packed(py, counts.iter().map(|count| count.to_ne_bytes()))
}
