//! Evaluators and their results as Python objects.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use untied_core::error::text;
use untied_core::evaluate::{self, Facts, Plan, Value};
use untied_core::measures::Spec;
use untied_core::settings::{Queries, Settings, Ties, Unjudged};

use crate::batches::{Rows, joined};
use crate::convert::{self, Parts, with_id};
use crate::errors::to_python;
use crate::measure::Measure;
use crate::tables::{Lengths, Qrels, Run};
use crate::threads;

/// Qrels, measures and settings, prepared once for any number of runs.
#[pyclass(frozen, module = "untied._core")]
pub struct Evaluator {
    qrels: Py<Qrels>,
    threads: Option<i64>,
    prepared: Prepared,
}

/// Measures made ready for some qrels.
pub struct Prepared {
    specs: Vec<Spec>,
    pub settings: Settings,
    lengths: Option<Arc<untied_core::table::Lengths>>,
    /// Made for the deepest run so far.
    plan: Mutex<Arc<Plan>>,
}

impl Prepared {
    pub fn new(
        specs: Vec<Spec>,
        settings: Settings,
        qrels: &untied_core::table::Qrels,
        lengths: Option<Arc<untied_core::table::Lengths>>,
    ) -> PyResult<Prepared> {
        let plan = Plan::new(&specs, qrels, 0, lengths.as_ref()).map_err(to_python)?;
        Ok(Prepared { specs, settings, lengths, plan: Mutex::new(Arc::new(plan)) })
    }

    /// The plan for a run of this depth, on the same qrels.
    pub fn plan(&self, qrels: &untied_core::table::Qrels, depth: usize) -> PyResult<Arc<Plan>> {
        let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        if !plan.reaches(depth) {
            let made = Plan::new(&self.specs, qrels, depth, self.lengths.as_ref());
            *plan = Arc::new(made.map_err(to_python)?);
        }
        Ok(Arc::clone(&plan))
    }
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
    #[pyo3(signature = (qrels, measures, *, ties, unjudged, unretrieved, score_dtype, queries, on_undefined, variance, threads, docs = None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        qrels: Py<Qrels>,
        measures: Vec<PyRef<'_, Measure>>,
        ties: &str,
        unjudged: &str,
        unretrieved: &str,
        score_dtype: &str,
        queries: &str,
        on_undefined: &str,
        variance: bool,
        threads: Option<i64>,
        docs: Option<PyRef<'_, Lengths>>,
    ) -> PyResult<Evaluator> {
        let mut settings = Settings { variance, ..Settings::default() };
        settings
            .set_ties(ties, score_dtype)
            .and_then(|()| settings.set_unjudged(unjudged))
            .and_then(|()| settings.set_unretrieved(unretrieved))
            .and_then(|()| settings.set_queries(queries))
            .and_then(|()| settings.set_undefined(on_undefined))
            .map_err(to_python)?;
        let specs: Vec<Spec> = measures.iter().map(|measure| measure.0.clone()).collect();
        let prepared = Prepared::new(specs, settings, &qrels.get().0, docs.map(|docs| Arc::clone(&docs.0)))?;
        Ok(Evaluator { qrels, threads, prepared })
    }

    fn evaluate(&self, py: Python<'_>, run: &Run) -> PyResult<Evaluation> {
        let qrels = &self.qrels.get().0;
        let plan = self.prepared.plan(qrels, run.0.longest())?;
        let settings = self.prepared.settings;
        let evaluation = threads::run(py, self.threads, || evaluate::evaluate(qrels, &run.0, &plan, settings))?;
        Ok(Evaluation { qrels: self.qrels.clone_ref(py), evaluation })
    }

    /// Values of all queries of the qrels or the run, as a stream of Arrow batches; of those that are not evaluated only
    /// the names. There need not be any to evaluate, as in a part of larger qrels and runs.
    fn rows<'py>(&self, py: Python<'py>, run: Py<Run>) -> PyResult<Bound<'py, PyCapsule>> {
        let (qrels, table, settings) = (&self.qrels.get().0, &run.get().0, self.prepared.settings);
        let is_evaluated = |judged: bool, retrieved: bool| judged && (retrieved || settings.queries == Queries::Qrels);
        let has_any = joined(qrels, table).any(|(_, judged, found)| is_evaluated(judged.is_some(), found.is_some()));
        let evaluation = if has_any { Some(self.evaluate(py, run.get())?.evaluation) } else { None };
        let measures = self.prepared.specs.iter().map(ToString::to_string).collect();
        let range = settings.ties == Ties::Range || settings.unjudged == Unjudged::Range;
        let optional = [("low", range), ("high", range), ("variance", settings.variance)];
        let optional = optional.iter().filter(|(_, asked)| *asked).map(|(name, _)| *name).collect();
        let flags = ["judged", "retrieved", "mixed", "undefined", "overstated"];
        let mut rows = Rows::new(measures, optional, &flags);
        let mut evaluated = 0..;
        for (query, judged, found) in joined(qrels, table) {
            let (judged, found) = (judged.is_some(), found.is_some());
            let (Some(evaluation), true) = (&evaluation, is_evaluated(judged, found)) else {
                rows.push(&query, None, &[judged, found, false, false, false]);
                continue;
            };
            let row = evaluated.next().expect("an endless range");
            for measure in 0..evaluation.totals.len() {
                let note = evaluation.note(row, measure);
                let flags = [judged, found, evaluation.mixed[row], note.undefined, note.overstated];
                rows.push(&query, Some((measure, evaluation.value(row, measure))), &flags);
            }
        }
        rows.stream(py)
    }
}

/// What to know about an evaluation of so many queries.
pub fn facts<'py>(py: Python<'py>, facts: &Facts, evaluated: usize) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("evaluated", evaluated)?;
    dict.set_item("mixed", facts.mixed)?;
    dict.set_item("absent", facts.absent)?;
    dict.set_item("unknown", facts.unknown)?;
    dict.set_item("undefined", facts.undefined)?;
    dict.set_item("estimated", facts.estimated)?;
    dict.set_item("enclosed", facts.enclosed)?;
    dict.set_item("overstated", facts.overstated)?;
    Ok(dict)
}

/// A value as Python has it.
pub fn parts(value: Value) -> Parts {
    convert::parts(value.mean, value.range, value.variance, value.certainty)
}

#[pymethods]
impl Evaluation {
    fn queries(&self) -> Vec<String> {
        let qrels = &self.qrels.get().0;
        self.evaluation.queries.iter().map(|&query| text(qrels.id(query))).collect()
    }

    fn columns(&self) -> Vec<&'static str> {
        self.evaluation.columns()
    }

    fn totals(&self) -> Vec<Parts> {
        self.evaluation.totals.iter().copied().map(parts).collect()
    }

    fn values(&self) -> Vec<Parts> {
        let measures = self.evaluation.totals.len();
        let rows = 0..self.evaluation.queries.len();
        rows.flat_map(|row| (0..measures).map(move |measure| parts(self.evaluation.value(row, measure)))).collect()
    }

    fn value(&self, row: usize, measure: usize) -> Parts {
        parts(self.evaluation.value(row, measure))
    }

    fn find(&self, query: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        let qrels = &self.qrels.get().0;
        let number = with_id(query, "a query id", |id| Ok(qrels.find(id)))?;
        Ok(number.and_then(|number| self.evaluation.queries.binary_search(&number).ok()))
    }

    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts(py, &self.evaluation.facts, self.evaluation.queries.len())
    }
}
