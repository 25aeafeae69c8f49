//! Runs and qrels in pieces of whole queries, for engines that hold tables in partitions: values of queries as rows of
//! Arrow tables, and aggregates of such rows.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use untied_core::compare::Mean;
use untied_core::error::text;
use untied_core::evaluate::{MeasureValue, Total};
use untied_core::measures::Certainty;
use untied_core::settings::Settings;
use untied_core::similarity::PairScore;
use untied_core::table::Table;

use crate::arrow::capsule;
use crate::convert::{Parts, parts};
use crate::errors::to_python;
use crate::measure::Measure;
use crate::policies::Policies;

/// Rows of a table in the making: one for each query and measure, and one with only its name for every other query.
pub struct Rows {
    measures: Vec<String>,
    queries: Vec<String>,
    of: Vec<Option<usize>>,
    values: Vec<Option<MeasureValue>>,
    /// Columns of yes or no, with their names.
    flags: Vec<(&'static str, Vec<bool>)>,
    optional: Vec<&'static str>,
}

impl Rows {
    /// No rows; `optional` names columns of [low, high, variance] that there are, `flags` those of yes or no.
    pub fn new(measures: Vec<String>, optional: Vec<&'static str>, flags: &[&'static str]) -> Rows {
        let flags = flags.iter().map(|&name| (name, Vec::new())).collect();
        Rows { measures, queries: Vec::new(), of: Vec::new(), values: Vec::new(), flags, optional }
    }

    /// A query's value of a measure; or neither.
    pub fn push(&mut self, query: &str, value: Option<(usize, MeasureValue)>, flags: &[bool]) {
        self.queries.push(query.into());
        self.of.push(value.map(|(measure, _)| measure));
        self.values.push(value.map(|(_, value)| value));
        self.flags.iter_mut().zip(flags).for_each(|((_, column), &flag)| column.push(flag));
    }

    /// A capsule that streams the rows.
    pub fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let number = |get: fn(&MeasureValue) -> Option<f64>| -> ArrayRef {
            Arc::new(Float64Array::from_iter(self.values.iter().map(|value| value.as_ref().and_then(get))))
        };
        let name = |measure: Option<usize>| measure.map(|measure| self.measures[measure].as_str());
        let certainty = |value: &Option<MeasureValue>| value.map(|value| value.certainty.name());
        let mut fields = vec![
            Field::new("query", DataType::Utf8, false),
            Field::new("measure", DataType::Utf8, true),
            Field::new("value", DataType::Float64, true),
        ];
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(&self.queries)),
            Arc::new(StringArray::from_iter(self.of.iter().copied().map(name))),
            number(|value| Some(value.mean)),
        ];
        for &column in &self.optional {
            fields.push(Field::new(column, DataType::Float64, true));
            columns.push(number(match column {
                "low" => |value| value.range.map(|range| range.0),
                "high" => |value| value.range.map(|range| range.1),
                _ => |value| value.variance,
            }));
        }
        fields.push(Field::new("certainty", DataType::Utf8, true));
        columns.push(Arc::new(StringArray::from_iter(self.values.iter().map(certainty))));
        for (name, flags) in &self.flags {
            fields.push(Field::new(*name, DataType::Boolean, false));
            columns.push(Arc::new(BooleanArray::from(flags.clone())));
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema, columns);
        capsule(py, batch.map_err(|error| PyValueError::new_err(error.to_string()))?)
    }
}

/// The queries of two tables in the order of their ids, with their numbers in both.
pub fn joined<'a>(a: &'a Table, b: &'a Table) -> impl Iterator<Item = (String, Option<usize>, Option<usize>)> + 'a {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        let (one, other) = ((i < a.len()).then(|| a.id(i)), (j < b.len()).then(|| b.id(j)));
        let id = match (one, other) {
            (Some(one), Some(other)) => one.min(other),
            (one, other) => one.or(other)?,
        };
        let (in_a, in_b) = (one == Some(id), other == Some(id));
        let found = (text(id), in_a.then_some(i), in_b.then_some(j));
        (i, j) = (i + usize::from(in_a), j + usize::from(in_b));
        Some(found)
    })
}

enum Sum {
    Total(Total),
    Mean(Mean),
}

/// [`Parts`] that come back, and whether grades decide if the query counts.
type ValueParts = (f64, Option<f64>, Option<f64>, Option<f64>, String, bool);

/// Aggregates of values of queries, measure by measure; values are added in the order of the queries' ids.
#[pyclass(module = "untied._core")]
pub struct Totals(Vec<Sum>);

#[pymethods]
impl Totals {
    /// Of comparisons, or of an evaluation under these policies.
    #[new]
    #[pyo3(signature = (measures, policies = None, variance = false))]
    fn new(measures: Vec<PyRef<'_, Measure>>, policies: Option<&Policies>, variance: bool) -> PyResult<Totals> {
        let Some(policies) = policies else {
            return Ok(Totals(measures.iter().map(|_| Sum::Mean(Mean::default())).collect()));
        };
        let settings = Settings { variance, ..policies.settings };
        let sum = |measure: &PyRef<'_, Measure>| {
            let aggregate = measure.0.aggregate().map_err(to_python)?;
            Ok(Sum::Total(Total::new(aggregate, settings, measure.0.info.lower_is_better)))
        };
        measures.iter().map(sum).collect::<PyResult<_>>().map(Totals)
    }

    /// Add values of a measure: (value, low, high, variance, certainty, unsettled).
    fn add(&mut self, measure: usize, values: Vec<ValueParts>) {
        for (value, low, high, variance, certainty, unsettled) in values {
            let range = low.zip(high);
            let certainty = Certainty::named(&certainty).unwrap_or(Certainty::Estimate);
            match &mut self.0[measure] {
                Sum::Total(total) => {
                    total.add(&MeasureValue { mean: value, variance, range, certainty, error: None, unsettled });
                }
                Sum::Mean(mean) => mean.add(&PairScore { value, range, variance, certainty }),
            }
        }
    }

    /// The aggregate of each measure.
    fn finish(&self) -> Vec<Parts> {
        let finish = |sum: &Sum| match sum {
            Sum::Total(total) => parts(total.finish()),
            Sum::Mean(mean) => parts(mean.finish()),
        };
        self.0.iter().map(finish).collect()
    }
}
