//! Aggregates of values that other processes computed, for engines that hold tables in partitions.

use pyo3::prelude::*;
use untied_core::compare::Mean;
use untied_core::evaluate::{MeasureValue, Total};
use untied_core::measures::Certainty;
use untied_core::settings::Settings;
use untied_core::similarity::PairScore;

use crate::convert::{Parts, parts};
use crate::errors::to_python;
use crate::measure::Measure;
use crate::policies::Policies;

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
