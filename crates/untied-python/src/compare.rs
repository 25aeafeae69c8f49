//! Comparisons of two runs as Python objects.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyCapsule, PyString};
use untied_arrow::Rows;
use untied_core::compare::{self, Bulk, ComparisonSettings, Evidence, Lists, Rank};
use untied_core::error::text;
use untied_core::overlap::share_document;
use untied_core::similarity::items::{Distance, Items};
use untied_core::similarity::{PairScore, Symmetry};
use untied_core::watch;

use crate::arrow::capsule;
use crate::convert::{Parts, parts, with_id};
use crate::errors::{refused, to_python};
use crate::measure::{Measure, specs, valid};
use crate::policies::Policies;
use crate::tables::{Lengths, Qrels, Run};
use crate::threads::{self, Threads};

/// The values of two runs.
#[pyclass(frozen, module = "untied._core")]
pub struct Comparison {
    /// The first run. Its ids of queries are used.
    run: Py<Run>,
    comparison: compare::Comparison,
}

/// A measure that compares two rankings, by its name.
#[pyfunction]
pub fn comparing_measure(name: &Bound<'_, PyString>) -> PyResult<Measure> {
    compare::parse(valid(name)?).map(Measure).map_err(to_python)
}

/// Facts about a measure that compares two rankings: its cutoff, whether lower values mean more alike, and what happens
/// to a value when the rankings change places.
#[pyfunction]
pub fn comparing_info(measure: &Measure) -> PyResult<(Option<usize>, bool, &'static str)> {
    let symmetry = match compare::symmetry(&measure.0).map_err(to_python)? {
        Symmetry::Same => "same",
        Symmetry::Opposite => "opposite",
        Symmetry::None => "none",
    };
    Ok((compare::cutoff(&measure.0), measure.0.info.lower_is_better, symmetry))
}

/// In how many queries a ``MED`` or ``Delta`` fills up the ranking of the first run, and of the second.
#[pyfunction]
pub fn filled_rankings(measure: &Measure, a: &Run, b: &Run, depth: Option<usize>) -> (usize, usize) {
    compare::filled(&measure.0, &a.0, &b.0, depth)
}

/// Kendall's distance or Spearman's footrule of two rankings of the same items. Each ranking has the tie group of every
/// item.
#[pyfunction]
#[pyo3(signature = (a, b, *, footrule, weights, delta, unmoved, dissimilarities))]
pub fn item_distance(
    py: Python<'_>,
    a: Vec<u32>,
    b: Vec<u32>,
    footrule: bool,
    weights: Vec<f64>,
    delta: Vec<f64>,
    unmoved: f64,
    dissimilarities: Option<Vec<Vec<f64>>>,
) -> PyResult<Parts> {
    let distance = if footrule { Distance::Footrule } else { Distance::Kendall };
    let items = Items { groups: [a, b], weights, delta, unmoved, dissimilarities };
    let score = threads::run(py, Some(Threads(1)), || {
        let score = items.distance(distance);
        watch::check().map(|()| score)
    })?;
    Ok(parts(score))
}

fn evidence<'a>(qrels: Option<&'a Qrels>, probabilities: Option<&'a Run>, docs: Option<&'a Lengths>) -> Evidence<'a> {
    Evidence {
        qrels: qrels.map(|qrels| &qrels.0),
        probabilities: probabilities.map(|run| &*run.0),
        lengths: docs.map(|docs| docs.0.as_ref()),
    }
}

fn settings(policies: &Policies, variance: bool, depth: Option<usize>) -> PyResult<ComparisonSettings> {
    if depth == Some(0) {
        return Err(refused("depth must be at least 1, not 0"));
    }
    Ok(ComparisonSettings { variance, depth, ..ComparisonSettings::new(policies.settings) })
}

/// Compares every run with every later one, query by query.
#[pyfunction]
#[pyo3(signature = (runs, measures, *, names, qrels, probabilities, docs, depth, policies, variance, itself, threads, only_means = false))]
pub fn compare_runs(
    py: Python<'_>,
    runs: Vec<Py<Run>>,
    measures: Vec<PyRef<'_, Measure>>,
    names: Vec<String>,
    qrels: Option<&Qrels>,
    probabilities: Option<&Run>,
    docs: Option<&Lengths>,
    depth: Option<usize>,
    policies: &Policies,
    variance: bool,
    itself: bool,
    threads: Option<Threads>,
    only_means: bool,
) -> PyResult<Vec<Comparison>> {
    let settings = ComparisonSettings { itself, only_means, ..settings(policies, variance, depth)? };
    let specs = specs(&measures);
    let tables: Vec<_> = runs.iter().map(|run| &*run.get().0).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let evidence = evidence(qrels, probabilities, docs);
    let found = threads::run(py, threads, || compare::compare(&tables, &names, evidence, &specs, settings))?;
    let to_object = |comparison: compare::Comparison| {
        let run = runs[comparison.runs.0].clone_ref(py);
        Comparison { run, comparison }
    };
    Ok(found.into_iter().map(to_object).collect())
}

/// The values of all queries of two runs as a stream of Arrow batches. Queries that only one run has only have their
/// names. Parts of larger runs may have no query in common.
#[pyfunction]
#[pyo3(signature = (run_a, run_b, measures, *, qrels, probabilities, depth, policies, variance, threads))]
pub fn compare_rows<'py>(
    py: Python<'py>,
    run_a: &Run,
    run_b: &Run,
    measures: Vec<PyRef<'_, Measure>>,
    qrels: Option<&Qrels>,
    probabilities: Option<&Run>,
    depth: Option<usize>,
    policies: &Policies,
    variance: bool,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let (a, b) = (&*run_a.0, &*run_b.0);
    let names = measures.iter().map(|measure| measure.0.to_string()).collect();
    let optional = ["low", "high", "variance"].into_iter().take(if variance { 3 } else { 2 }).collect();
    let mut rows = Rows::new(names, optional, &["in_a", "in_b", "matched", "judged"]);
    let mut found = Vec::new();
    if a.union(b).any(|(_, a, b)| a.is_some() && b.is_some()) {
        let settings = settings(policies, variance, depth)?;
        let (specs, evidence) = (specs(&measures), evidence(qrels, probabilities, None));
        found = threads::run(py, threads, || compare::compare(&[a, b], &["a", "b"], evidence, &specs, settings))?;
    }
    let mut values = found.iter().flat_map(|comparison| comparison.values.iter());
    for (query, in_a, in_b) in a.union(b) {
        if let (Some(of_a), Some(of_b)) = (in_a, in_b) {
            let judged = qrels.and_then(|qrels| Some(qrels.0.rows(qrels.0.find(a.id(of_a))?)));
            let (of_a, of_b) = (a.rows(of_a), b.rows(of_b));
            let is_judged =
                judged.is_some_and(|judged| share_document(&of_a, &judged) || share_document(&of_b, &judged));
            let flags = [true, true, share_document(&of_a, &of_b), is_judged];
            for (measure, score) in values.by_ref().take(measures.len()).enumerate() {
                rows.push(query, Some((measure, score.into())), &flags);
            }
        } else {
            rows.push(query, None, &[in_a.is_some(), in_b.is_some(), false, false]);
        }
    }
    capsule(py, rows.batch())
}

/// (document, positions of its tie group in A, and in B, grade)
type Row = (String, Option<(u32, u32)>, Option<(u32, u32)>, Option<f64>);

/// The documents that one of two runs has within a depth, with their ranks in both runs.
#[pyfunction]
#[pyo3(signature = (run_a, run_b, query, *, qrels, depth, policies))]
pub fn moved_documents(
    run_a: &Run,
    run_b: &Run,
    query: &Bound<'_, PyAny>,
    qrels: Option<&Qrels>,
    depth: usize,
    policies: &Policies,
) -> PyResult<Vec<Row>> {
    let settings = ComparisonSettings { depth: Some(depth), ..ComparisonSettings::new(policies.settings) };
    let (runs, qrels) = ((&*run_a.0, &*run_b.0), qrels.map(|qrels| &qrels.0));
    let positions = |rank: Rank| (rank.first, rank.last);
    with_id(query, "a query id", |query| {
        let moved = compare::moved(runs, qrels, query, settings).map_err(to_python)?;
        Ok(moved
            .iter()
            .map(|one| (text(one.document), one.a.map(positions), one.b.map(positions), one.grade))
            .collect())
    })
}

/// How many queries have other first documents, and how many have the same ones at other ranks; then how many documents
/// left the first ranks.
#[pyfunction]
#[pyo3(signature = (run_a, run_b, *, depth, policies, threads))]
pub fn top_changes(
    py: Python<'_>,
    run_a: &Run,
    run_b: &Run,
    depth: usize,
    policies: &Policies,
    threads: Option<Threads>,
) -> PyResult<(usize, usize, usize)> {
    let settings = ComparisonSettings::new(policies.settings);
    let compare::TopChanges { changed, reordered, left } =
        threads::run(py, threads, || compare::top_changes((&run_a.0, &run_b.0), depth, settings))?;
    Ok((changed, reordered, left))
}

/// Whether A is ahead, the value, documents with grades, and the grades of documents that fill up the leading ranking.
type Assigned = (bool, f64, Vec<(String, f64)>, Vec<f64>);

/// The grades of unjudged documents with which one of two runs is as far ahead in a query as possible.
#[pyfunction]
#[pyo3(signature = (run_a, run_b, measure, query, *, qrels, docs, depth, policies))]
pub fn largest_assignment(
    run_a: &Run,
    run_b: &Run,
    measure: &Measure,
    query: &Bound<'_, PyAny>,
    qrels: Option<&Qrels>,
    docs: Option<&Lengths>,
    depth: Option<usize>,
    policies: &Policies,
) -> PyResult<Assigned> {
    let settings = settings(policies, false, depth)?;
    let (runs, evidence) = ((&*run_a.0, &*run_b.0), evidence(qrels, None, docs));
    with_id(query, "a query id", |query| {
        let found = compare::assignment(runs, evidence, &measure.0, query, settings).map_err(to_python)?;
        let documents = found.documents.iter().map(|&(document, grade)| (text(document), grade)).collect();
        Ok((found.a_is_ahead, found.value, documents, found.filling))
    })
}

/// The differences that two runs could have in a query, their probabilities, and by how much the differences may be
/// off. The last is not known of a sample.
#[pyfunction]
#[pyo3(signature = (run_a, run_b, measure, query, points, seed, *, qrels, probabilities, docs, depth, policies))]
pub fn difference_outcomes(
    run_a: &Run,
    run_b: &Run,
    measure: &Measure,
    query: &Bound<'_, PyAny>,
    points: usize,
    seed: u64,
    qrels: Option<&Qrels>,
    probabilities: Option<&Run>,
    docs: Option<&Lengths>,
    depth: Option<usize>,
    policies: &Policies,
) -> PyResult<(Vec<f64>, Vec<f64>, Option<f64>)> {
    let settings = settings(policies, false, depth)?;
    let (runs, evidence) = ((&*run_a.0, &*run_b.0), evidence(qrels, probabilities, docs));
    with_id(query, "a query id", |query| {
        let found = compare::outcomes(runs, evidence, &measure.0, query, settings, (points, seed));
        let found = found.map_err(to_python)?;
        Ok((found.values, found.probabilities, found.error))
    })
}

/// Measures prepared for arrays of ids with this number of columns.
#[pyclass(frozen, module = "untied._core")]
pub struct ArrayComparer {
    bulk: Bulk,
    padding: Option<u64>,
    threads: Option<Threads>,
}

#[pymethods]
impl ArrayComparer {
    /// `padding` is an id that stands for no document. Ids below 0 always do.
    #[new]
    fn new(
        measures: Vec<PyRef<'_, Measure>>,
        columns: usize,
        padding: Option<u64>,
        threads: Option<Threads>,
    ) -> PyResult<Self> {
        let bulk = Bulk::new(&specs(&measures), columns).map_err(to_python)?;
        Ok(ArrayComparer { bulk, padding, threads })
    }

    /// Compares row by row; `first` is the number of the first row. The result is a value, the lowest and the highest
    /// value for every row and each measure, as float64.
    fn compare<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        first: usize,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let lists = (self.lists(a, "a", first)?, self.lists(b, "b", first)?);
        let values = threads::run(a.py(), self.threads, || self.bulk.compare(&lists.0, &lists.1))?;
        PyByteArray::new_with(a.py(), size_of_val(values.as_slice()), |bytes| {
            let cells = bytes.chunks_exact_mut(size_of::<f64>());
            cells.zip(&values).for_each(|(cell, value)| cell.copy_from_slice(&value.to_ne_bytes()));
            Ok(())
        })
    }
}

impl ArrayComparer {
    fn lists(&self, array: &Bound<'_, PyAny>, name: &'static str, first: usize) -> PyResult<Lists> {
        let mut lists = Lists::new(name, first);
        let known = self.copy::<i64>(array, &mut lists)?
            || self.copy::<i32>(array, &mut lists)?
            || self.copy::<u64>(array, &mut lists)?
            || self.copy::<u32>(array, &mut lists)?;
        if known { Ok(lists) } else { Err(PyTypeError::new_err("ids must be integers of 32 or 64 bits")) }
    }

    /// Copies the array's ids if they are of this type; whether they are.
    fn copy<T: Element + TryInto<u64>>(&self, array: &Bound<'_, PyAny>, lists: &mut Lists) -> PyResult<bool> {
        let Ok(buffer) = PyBuffer::<T>::get(array) else { return Ok(false) };
        let columns = buffer.shape()[1];
        let id = |id: &T| (*id).try_into().ok().filter(|id| Some(*id) != self.padding);
        let ids = buffer.to_vec(array.py())?;
        (0..buffer.shape()[0])
            .try_for_each(|row| lists.push(ids[row * columns..][..columns].iter().map(id)))
            .map_err(to_python)?;
        Ok(true)
    }
}

#[pymethods]
impl Comparison {
    /// The indices of the two runs.
    fn runs(&self) -> (usize, usize) {
        self.comparison.runs
    }

    fn queries(&self) -> Vec<String> {
        let run = &self.run.get().0;
        self.comparison.queries.iter().map(|&query| text(run.id(query))).collect()
    }

    fn __len__(&self) -> usize {
        self.comparison.queries.len()
    }

    /// The id of a query, by its index.
    fn query(&self, query: usize) -> String {
        text(self.run.get().0.id(self.comparison.queries[query]))
    }

    /// The index of a query.
    fn find(&self, query: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        let number = with_id(query, "a query id", |id| Ok(self.run.get().0.find(id)))?;
        Ok(number.and_then(|number| self.comparison.queries.binary_search(&number).ok()))
    }

    fn totals(&self) -> Vec<Parts> {
        self.comparison.totals.iter().copied().map(parts).collect()
    }

    /// The values of all queries. A query has all its measures in a row.
    fn values(&self) -> Vec<Parts> {
        self.comparison.values.iter().map(parts).collect()
    }

    /// The value of one query, by its index.
    fn value(&self, query: usize, measure: usize) -> Parts {
        parts(self.comparison.values.get(query * self.comparison.totals.len() + measure))
    }

    /// The values of one measure for all queries. With `high`, the largest possible values where they are known.
    #[pyo3(signature = (measure, high = false))]
    fn column(&self, measure: usize, high: bool) -> Vec<f64> {
        let values = self.comparison.values.iter().skip(measure).step_by(self.comparison.totals.len());
        let end = |score: PairScore| score.range.filter(|_| high).map_or(score.value, |(_, most)| most);
        values.map(end).collect()
    }

    /// The number of queries that only the first run has, and that only the second run has.
    fn alone(&self) -> (usize, usize) {
        self.comparison.alone
    }
}
