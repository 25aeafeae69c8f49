//! Features as scoring functions, evaluated for Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use untied_core::error::text;
use untied_core::features::{Data, Feature, FeatureColumns, FeatureValues, Scorer, evaluate};
use untied_core::names::Spec;
use untied_core::read::letor::Letor;
use untied_core::settings::Settings;

use crate::arrays::Numbers;
use crate::convert::with_id;
use crate::evaluate::{WithError, facts, parts};
use crate::formats::{FilePath, path_text};
use crate::measure::{Measure, specs};
use crate::policies::Policies;
use crate::threads::{self, Threads};

/// How features are evaluated.
#[pyclass(frozen, module = "untied._core")]
pub struct FeatureEvaluator {
    specs: Vec<Spec>,
    settings: Settings,
    /// For each direction, whether the lowest value is best.
    directions: Vec<bool>,
    per_query: bool,
    threads: Option<Threads>,
}

/// The values of all features of a data set.
#[pyclass(frozen, module = "untied._core")]
pub struct FeatureEvaluation {
    evaluated: FeatureValues,
    queries: Vec<String>,
    numbers: Vec<u32>,
}

#[pymethods]
impl FeatureEvaluator {
    #[new]
    #[pyo3(signature = (measures, policies, *, directions, per_query, threads))]
    fn new(
        measures: Vec<PyRef<'_, Measure>>,
        policies: &Policies,
        directions: Vec<bool>,
        per_query: bool,
        threads: Option<Threads>,
    ) -> FeatureEvaluator {
        FeatureEvaluator { specs: specs(&measures), settings: policies.settings, directions, per_query, threads }
    }

    /// Evaluates the features of files in the format of SVMlight. The files are one data set.
    fn read(&self, py: Python<'_>, paths: Vec<FilePath>) -> PyResult<FeatureEvaluation> {
        let paths = paths.into_iter().map(path_text).collect::<PyResult<Vec<String>>>()?;
        threads::run(py, self.threads, || {
            let letor = Letor::open(&paths)?;
            let evaluated = evaluate(&letor, &self.specs, self.settings, &self.directions, self.per_query)?;
            let queries = (0..letor.len()).map(|query| text(letor.id(query))).collect();
            Ok(FeatureEvaluation { evaluated, queries, numbers: letor.features().to_vec() })
        })
    }

    /// Evaluates features in columns, each given as an array, its type and its name. Each query has an id, a first
    /// document and an end.
    fn columns(
        &self,
        py: Python<'_>,
        queries: Vec<(Bound<'_, PyAny>, usize, usize)>,
        labels: (Bound<'_, PyAny>, String),
        columns: Vec<(Bound<'_, PyAny>, String, String)>,
    ) -> PyResult<FeatureEvaluation> {
        let query = |(id, start, end): &(Bound<'_, PyAny>, usize, usize)| {
            with_id(id, "a query id", |id| Ok((Box::from(id), *start..*end)))
        };
        let queries = queries.iter().map(query).collect::<PyResult<Vec<_>>>()?;
        let labels = Numbers::new(&labels.0, &labels.1)?;
        let numbers =
            columns.iter().map(|(array, dtype, _)| Numbers::new(array, dtype)).collect::<PyResult<Vec<_>>>()?;
        let names = columns.iter().map(|(.., name)| name.as_str());
        let features = numbers.iter().zip(names).map(|(numbers, name)| Ok((numbers.column()?, name)));
        let (labels, features) = (labels.column()?, features.collect::<PyResult<Vec<_>>>()?);
        threads::run(py, self.threads, || {
            let columns = FeatureColumns::new(queries, labels, features)?;
            let evaluated = evaluate(&columns, &self.specs, self.settings, &self.directions, self.per_query)?;
            let queries = (0..columns.queries()).map(|query| text(columns.id(query))).collect();
            Ok(FeatureEvaluation { evaluated, queries, numbers: Vec::new() })
        })
    }
}

impl FeatureEvaluation {
    fn feature(&self, feature: usize) -> &Feature {
        &self.evaluated.features[feature]
    }

    fn scorer(&self, feature: usize, direction: usize) -> &Scorer {
        &self.feature(feature).scorers[direction]
    }
}

#[pymethods]
impl FeatureEvaluation {
    fn __len__(&self) -> usize {
        self.evaluated.features.len()
    }

    /// Numbers of the features in the files, ascending.
    fn numbers(&self) -> Vec<u32> {
        self.numbers.clone()
    }

    fn queries(&self) -> Vec<String> {
        self.queries.clone()
    }

    fn documents(&self) -> usize {
        self.evaluated.documents
    }

    /// Five counts after the number of distinct values (none if there are too many): documents that are tied, that have
    /// a value, that have none, and whose line lacks the feature; and queries in which it has several values.
    fn ties(&self, feature: usize) -> (Option<usize>, usize, usize, usize, usize, usize) {
        let ties = &self.feature(feature).ties;
        (ties.distinct(), ties.tied, ties.ranked, ties.missing, ties.absent, ties.varied)
    }

    /// The means of a random order.
    fn chance(&self) -> Vec<WithError> {
        self.evaluated.chance.totals().into_iter().map(parts).collect()
    }

    /// The values of queries in a random order. A query has all its measures in a row.
    fn chances(&self) -> Vec<WithError> {
        self.evaluated.chance.values.iter().copied().map(parts).collect()
    }

    fn totals(&self, feature: usize, direction: usize) -> Vec<WithError> {
        self.scorer(feature, direction).totals().into_iter().map(parts).collect()
    }

    /// The values of queries. A query has all its measures in a row.
    fn values(&self, feature: usize, direction: usize) -> Vec<WithError> {
        self.scorer(feature, direction).values.iter().copied().map(parts).collect()
    }

    fn facts<'py>(&self, py: Python<'py>, feature: usize, direction: usize) -> PyResult<Bound<'py, PyDict>> {
        facts(py, &self.scorer(feature, direction).facts)
    }
}
