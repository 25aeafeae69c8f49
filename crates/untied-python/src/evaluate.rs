//! Evaluators and their results as Python objects.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyCapsule, PyDict};
use untied_arrow::Rows;
use untied_core::error::text;
use untied_core::evaluate::{self, Fact, Facts, MeasureValue, Prepared, Streaming};
use untied_core::law::Limits;
use untied_core::read::format::run_format;
use untied_core::settings::{Queries, Settings};
use untied_core::{Error, read};

use crate::convert::{self, with_id};
use crate::errors::to_python;
use crate::formats::{FilePath, Named, named, path_text};
use crate::laws::Laws;
use crate::measure::{Measure, specs};
use crate::policies::Policies;
use crate::tables::{Lengths, Qrels, Run};
use crate::threads::Threads;
use crate::{arrow, threads};

/// Qrels, measures and settings, prepared once for any number of runs.
#[pyclass(frozen, module = "untied._core")]
pub struct Evaluator {
    qrels: Py<Qrels>,
    threads: Option<Threads>,
    prepared: Prepared,
}

/// The values of one run.
#[pyclass(frozen, module = "untied._core")]
pub struct Evaluation {
    qrels: Py<Qrels>,
    evaluation: evaluate::Evaluation,
}

#[pymethods]
impl Evaluator {
    #[new]
    #[pyo3(signature = (qrels, measures, policies, *, variance, threads, docs = None))]
    fn new(
        qrels: Py<Qrels>,
        measures: Vec<PyRef<'_, Measure>>,
        policies: &Policies,
        variance: bool,
        threads: Option<Threads>,
        docs: Option<PyRef<'_, Lengths>>,
    ) -> PyResult<Evaluator> {
        let settings = Settings { variance, ..policies.settings };
        let specs = specs(&measures);
        let lengths = docs.map(|docs| Arc::clone(&docs.0));
        let prepared = Prepared::new(specs, settings, &qrels.get().0, lengths).map_err(to_python)?;
        Ok(Evaluator { qrels, threads, prepared })
    }

    /// Evaluates a run in memory. `ungrouped` says that it was read into memory because it could not be streamed.
    #[pyo3(signature = (run, ungrouped = false))]
    fn evaluate(&self, py: Python<'_>, run: &Run, ungrouped: bool) -> PyResult<Evaluation> {
        let qrels = &self.qrels.get().0;
        let mut evaluation = threads::run_formulas(py, self.threads, self.prepared.formulas, || {
            evaluate::evaluate_held(qrels, &run.0, &self.prepared)
        })?;
        evaluation.facts.ungrouped = ungrouped;
        evaluation.facts.duplicates = run.duplicates();
        Ok(Evaluation { qrels: self.qrels.clone_ref(py), evaluation })
    }

    /// Evaluates a run's file while it is read. If its lines are not grouped by query, it is read again into memory. A
    /// file that cannot be read twice is read into memory at once, unless it is to be streamed.
    #[pyo3(signature = (path, format, columns, stream))]
    fn evaluate_file(
        &self,
        py: Python<'_>,
        path: FilePath,
        format: &str,
        columns: Option<Named>,
        stream: bool,
    ) -> PyResult<Evaluation> {
        let (path, columns, qrels) = (path_text(path)?, named(columns), &self.qrels.get().0);
        let format = run_format(format).map_err(to_python)?;
        let evaluation = threads::run_formulas(py, self.threads, self.prepared.formulas, || {
            let streaming = match stream {
                true => Streaming::Required,
                false if read::is_file(&path)? => Streaming::Preferred,
                false => Streaming::Never,
            };
            let (open, hold) = (|| format.open_run(&path, &columns), || format.read_run(&path, &columns, false));
            evaluate::evaluate_opened(open, hold, qrels, &self.prepared, streaming)
        })?;
        Ok(Evaluation { qrels: self.qrels.clone_ref(py), evaluation })
    }

    /// Evaluates a stream of Arrow batches. If they are not grouped by query, there is no result, unless the run is to
    /// be streamed.
    fn evaluate_arrow(
        &self,
        table: &Bound<'_, PyAny>,
        columns: Option<Named>,
        source: &str,
        stream: bool,
    ) -> PyResult<Option<Evaluation>> {
        let (py, columns, qrels) = (table.py(), named(columns), &self.qrels.get().0);
        let batches = arrow::stream(table, source)?;
        let evaluation = threads::run_formulas(py, self.threads, self.prepared.formulas, || {
            match evaluate::evaluate_stream(arrow::pieces(batches, &columns, source)?, qrels, &self.prepared) {
                Err(Error::Ungrouped(_)) if !stream => Ok(None),
                found => found.map(Some),
            }
        })?;
        Ok(evaluation.map(|evaluation| Evaluation { qrels: self.qrels.clone_ref(py), evaluation }))
    }

    /// The distributions over tie orders. They are exact up to a number of states, and beyond it on a grid of cells.
    fn laws(&self, py: Python<'_>, run: &Run, states: usize, cells: usize, per_query: bool) -> PyResult<Laws> {
        let (qrels, settings) = (&self.qrels.get().0, self.prepared.settings);
        let found = threads::run(py, self.threads, || {
            let plan = self.prepared.plan(qrels, run.0.longest())?;
            evaluate::laws(qrels, &run.0, &plan, settings, Limits { states, cells }, per_query)
        })?;
        Ok(Laws::new(found, qrels))
    }

    /// The values of all queries as a stream of Arrow batches. Queries that are not evaluated only have their names. A
    /// part of larger data may have no query to evaluate.
    fn rows<'py>(&self, py: Python<'py>, run: Py<Run>) -> PyResult<Bound<'py, PyCapsule>> {
        let (qrels, table, settings) = (&self.qrels.get().0, &run.get().0, self.prepared.settings);
        let is_evaluated = |judged: bool, retrieved: bool| judged && (retrieved || settings.queries == Queries::Qrels);
        let has_any = qrels.union(table).any(|(_, judged, found)| is_evaluated(judged.is_some(), found.is_some()));
        let evaluation = if has_any { Some(self.evaluate(py, run.get(), false)?.evaluation) } else { None };
        let measures = self.prepared.specs.iter().map(ToString::to_string).collect();
        let range = settings.has_range();
        let optional = [("low", range), ("high", range), ("variance", settings.variance)];
        let optional = optional.iter().filter(|(_, asked)| *asked).map(|(name, _)| *name).collect();
        let flags = ["judged", "retrieved", "matched", "relevant", "mixed", "undefined", "overstated", "unsettled"];
        let mut rows = Rows::new(measures, optional, &flags);
        let mut evaluated = 0..;
        for (query, judged, found) in qrels.union(table) {
            let (judged, found) = (judged.is_some(), found.is_some());
            let (Some(evaluation), true) = (&evaluation, is_evaluated(judged, found)) else {
                rows.push(query, None, &[judged, found, false, false, false, false, false, false]);
                continue;
            };
            let row = evaluated.next().expect("an endless range");
            for measure in 0..evaluation.totals.len() {
                let note = evaluation.note(row, measure);
                let of_query = evaluation.flags[row];
                let of_value = [note.undefined(), note.overstated(), note.unsettled()];
                let (matched, relevant, mixed) = (of_query.matched(), of_query.relevant(), of_query.mixed());
                let flags = [judged, found, matched, relevant, mixed, of_value[0], of_value[1], of_value[2]];
                rows.push(query, Some((measure, evaluation.value(row, measure))), &flags);
            }
        }
        arrow::capsule(py, rows.batch())
    }
}

/// The facts as a dict.
pub fn facts<'py>(py: Python<'py>, facts: &Facts) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    facts.each(|name, fact| match fact {
        Fact::Count(count) => dict.set_item(name, count),
        Fact::Flag(flag) => dict.set_item(name, flag),
        Fact::Number(number) => dict.set_item(name, number),
        Fact::Unknown => dict.set_item(name, py.None()),
    })?;
    Ok(dict)
}

/// The facts about no queries, to which those about queries are added.
#[pyfunction]
pub fn no_facts(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    facts(py, &Facts::default())
}

/// The names of all facts, with their types in Rust and their meanings.
#[pyfunction]
pub fn fact_info() -> Vec<(&'static str, &'static str, &'static str)> {
    Facts::ABOUT.to_vec()
}

/// The parts of a value, and its standard error.
pub type WithError = (f64, Option<f64>, Option<f64>, Option<f64>, &'static str, Option<f64>);

/// A value in the form that Python takes.
pub fn parts(value: MeasureValue) -> WithError {
    let (mean, low, high, variance, certainty) = convert::parts(value);
    (mean, low, high, variance, certainty, value.error)
}

/// One field (value, low, high or variance) of a measure for all queries, as float64. Missing ones are NaN.
pub fn column<'py>(
    py: Python<'py>,
    evaluation: &evaluate::Evaluation,
    measure: usize,
    field: &str,
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, evaluation.flags.len() * size_of::<f64>(), |bytes| {
        for (row, cell) in bytes.chunks_exact_mut(size_of::<f64>()).enumerate() {
            let value = evaluation.value(row, measure);
            let number = match field {
                "value" => Some(value.mean),
                "low" => value.range.map(|range| range.0),
                "high" => value.range.map(|range| range.1),
                _ => value.variance,
            };
            cell.copy_from_slice(&number.unwrap_or(f64::NAN).to_ne_bytes());
        }
        Ok(())
    })
}

#[pymethods]
impl Evaluation {
    /// One field of a measure for all queries; see [`column`].
    fn column<'py>(&self, py: Python<'py>, measure: usize, field: &str) -> PyResult<Bound<'py, PyByteArray>> {
        column(py, &self.evaluation, measure, field)
    }

    fn queries(&self) -> Vec<String> {
        let qrels = &self.qrels.get().0;
        self.evaluation.queries.iter().map(|&query| text(qrels.id(query))).collect()
    }

    fn columns(&self) -> Vec<&'static str> {
        self.evaluation.columns()
    }

    fn totals(&self) -> Vec<WithError> {
        self.evaluation.totals.iter().copied().map(parts).collect()
    }

    fn values(&self) -> Vec<WithError> {
        let measures = self.evaluation.totals.len();
        let rows = 0..self.evaluation.queries.len();
        rows.flat_map(|row| (0..measures).map(move |measure| parts(self.evaluation.value(row, measure)))).collect()
    }

    /// The id of a query, by its row.
    fn query(&self, row: usize) -> String {
        text(self.qrels.get().0.id(self.evaluation.queries[row]))
    }

    /// Whether another run was evaluated on the same queries.
    fn same_queries(&self, other: &Evaluation) -> bool {
        let (mine, theirs) = (&self.evaluation.queries, &other.evaluation.queries);
        if self.qrels.is(&other.qrels) {
            return mine == theirs;
        }
        let (one, two) = (&self.qrels.get().0, &other.qrels.get().0);
        mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(&a, &b)| one.id(a) == two.id(b))
    }

    fn value(&self, row: usize, measure: usize) -> WithError {
        parts(self.evaluation.value(row, measure))
    }

    fn find(&self, query: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        let qrels = &self.qrels.get().0;
        let number = with_id(query, "a query id", |id| Ok(qrels.find(id)))?;
        Ok(number.and_then(|number| self.evaluation.queries.binary_search(&number).ok()))
    }

    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts(py, &self.evaluation.facts)
    }

    /// Whether there is nothing to warn of: runs and qrels share documents, some are relevant, and a grade is at least
    /// `least`, if there are grades.
    fn is_plain(&self, least: f64) -> bool {
        let facts = &self.evaluation.facts;
        !facts.swapped
            && facts.matched > 0
            && facts.relevant > 0
            && facts.highest.is_none_or(|highest| highest >= least)
    }
}
