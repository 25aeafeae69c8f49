//! Arrays of scores and labels, without a copy.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use untied_core::arrays::{DocumentCounts, Groups, LabelInput, Labels, NumberColumn, Scores};
use untied_core::evaluate;
use untied_core::kinds_of_numbers;
use untied_core::settings::Settings;

use crate::evaluate::{WithError, column, facts, parts};
use crate::measure::{Measure, specs};
use crate::policies::Policies;
use crate::threads::{self, Threads};

/// The numbers of a contiguous buffer.
fn slice<T: Element>(buffer: &PyBuffer<T>) -> PyResult<&[T]> {
    if !buffer.is_c_contiguous() {
        return Err(PyTypeError::new_err("an array must be contiguous"));
    }
    if buffer.item_count() == 0 {
        return Ok(&[]);
    }
    // SAFETY: the buffer is held, contiguous, aligned for T and of T's format (`PyBuffer::get` checks both), and any
    // bits are a number. Nobody writes to it while it is read, unless the caller does so in another thread.
    Ok(unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.item_count()) })
}

macro_rules! numbers {
    (() $($kind:ident, $raw:ty, $score:ty, $name:literal;)*) => {
        /// The buffer of a contiguous array of numbers.
        pub enum Numbers {
            $($kind(PyBuffer<$raw>),)*
        }

        impl Numbers {
            /// The type has numpy's name. Floating-point numbers of 16 bits come as unsigned integers.
            pub fn new(array: &Bound<'_, PyAny>, dtype: &str) -> PyResult<Numbers> {
                match dtype {
                    $($name => Ok(Numbers::$kind(PyBuffer::get(array)?)),)*
                    _ => Err(PyTypeError::new_err(format!("no type of scores or labels: {dtype}"))),
                }
            }

            pub fn column(&self) -> PyResult<NumberColumn<'_>> {
                Ok(match self {
                    $(Numbers::$kind(buffer) => NumberColumn::$kind(slice(buffer)?),)*
                })
            }
        }
    };
}
kinds_of_numbers!(numbers());

/// Labels, measures and settings, prepared once for any number of columns of scores.
#[pyclass(frozen, module = "untied._core")]
pub struct ArrayEvaluator {
    labels: Labels,
    plan: evaluate::Plan,
    settings: Settings,
    threads: Option<Threads>,
}

/// The aggregates and the facts of a column.
type Means<'py> = (Vec<WithError>, Bound<'py, PyDict>);

/// The values of one column of scores.
#[pyclass(frozen, module = "untied._core")]
pub struct ArrayEvaluation(evaluate::Evaluation);

#[pymethods]
impl ArrayEvaluator {
    /// `groups` has the number of documents of every query, or a buffer with the end of each query. `totals` has the
    /// number of documents of each grade, or without a grade that of relevant documents.
    #[new]
    #[pyo3(signature = (labels, groups, measures, policies, *, present, judged, totals, variance, threads))]
    fn new(
        py: Python<'_>,
        labels: (Bound<'_, PyAny>, String),
        groups: (Option<usize>, Bound<'_, PyAny>),
        measures: Vec<PyRef<'_, Measure>>,
        policies: &Policies,
        present: Option<PyBuffer<u8>>,
        judged: Option<PyBuffer<u8>>,
        totals: Vec<(Option<f64>, PyBuffer<u64>)>,
        variance: bool,
        threads: Option<Threads>,
    ) -> PyResult<ArrayEvaluator> {
        let settings = Settings { variance, ..policies.settings };
        let groups = match groups {
            (Some(width), queries) => Groups::Rows(queries.extract()?, width),
            (None, ends) => {
                let ends: PyBuffer<u64> = PyBuffer::get(&ends)?;
                Groups::Ends(slice(&ends)?.iter().map(|&end| end as usize).collect())
            }
        };
        let numbers = Numbers::new(&labels.0, &labels.1)?;
        let relevant = match totals.first() {
            Some((None, counts)) => Some(slice(counts)?),
            _ => None,
        };
        let by_grade = totals
            .iter()
            .filter_map(|(grade, counts)| grade.map(|grade| Ok((grade, slice(counts)?))))
            .collect::<PyResult<Vec<_>>>()?;
        let given = LabelInput {
            labels: numbers.column()?,
            present: present.as_ref().map(slice).transpose()?,
            judged: judged.as_ref().map(slice).transpose()?,
            totals: match relevant {
                Some(counts) => DocumentCounts::Relevant(counts),
                None if by_grade.is_empty() => DocumentCounts::InArray,
                None => DocumentCounts::ByGrade(&by_grade),
            },
        };
        let specs = specs(&measures);
        let (labels, plan) = threads::run(py, threads, || {
            let labels = Labels::new(groups, &given)?;
            let plan = labels.plan(&specs, settings.unjudged)?;
            Ok((labels, plan))
        })?;
        Ok(ArrayEvaluator { labels, plan, settings, threads })
    }

    /// The labels as they were given, as float64, for pickling.
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        packed(py, self.labels.labels().map(f64::to_ne_bytes))
    }

    /// Which entries are documents, if there is padding, for pickling.
    fn present<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyByteArray>>> {
        self.labels.present().map(|flags| packed(py, flags.map(|flag| [u8::from(flag)]))).transpose()
    }

    /// The number of documents of each grade in every query, including those outside the array, for pickling.
    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Vec<(f64, Bound<'py, PyByteArray>)>> {
        let grades = self.labels.grades().iter().filter(|&&grade| grade >= 0.0);
        grades.map(|&grade| Ok((grade, packed(py, self.labels.total(grade).map(u64::to_ne_bytes))?))).collect()
    }

    /// Evaluates columns of scores, each given as an array, its type and its name. With `aggregates`, it returns only
    /// the aggregates and facts of each column.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<(Bound<'py, PyAny>, String, String)>,
        aggregates: bool,
    ) -> PyResult<(Vec<ArrayEvaluation>, Vec<Means<'py>>)> {
        let numbers =
            columns.iter().map(|(array, dtype, _)| Numbers::new(array, dtype)).collect::<PyResult<Vec<_>>>()?;
        let scores = numbers
            .iter()
            .zip(&columns)
            .map(|(numbers, (_, _, name))| Ok(Scores { column: numbers.column()?, ascending: false, name }))
            .collect::<PyResult<Vec<_>>>()?;
        let (labels, plan, settings) = (&self.labels, &self.plan, self.settings);
        if aggregates {
            let means =
                threads::run_formulas(py, self.threads, plan.has_formulas(), || labels.means(&scores, plan, settings))?;
            let means = means.into_iter().map(|means| {
                let values = means.values.into_iter().map(parts).collect();
                Ok((values, facts(py, &means.facts)?))
            });
            return Ok((vec![], means.collect::<PyResult<_>>()?));
        }
        let all = || scores.iter().map(|scores| labels.evaluate(scores, plan, settings)).collect::<Result<Vec<_>, _>>();
        Ok((
            threads::run_formulas(py, self.threads, plan.has_formulas(), all)?
                .into_iter()
                .map(ArrayEvaluation)
                .collect(),
            vec![],
        ))
    }
}

/// Numbers one after the other.
pub fn packed<'py, const SIZE: usize>(
    py: Python<'py>,
    numbers: impl ExactSizeIterator<Item = [u8; SIZE]>,
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, SIZE * numbers.len(), |bytes| {
        bytes.chunks_exact_mut(SIZE).zip(numbers).for_each(|(room, number)| room.copy_from_slice(&number));
        Ok(())
    })
}

#[pymethods]
impl ArrayEvaluation {
    fn totals(&self) -> Vec<WithError> {
        self.0.totals.iter().copied().map(parts).collect()
    }

    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts(py, &self.0.facts)
    }

    fn has_variance(&self) -> bool {
        self.0.columns().contains(&"variance")
    }

    fn column<'py>(&self, py: Python<'py>, measure: usize, field: &str) -> PyResult<Bound<'py, PyByteArray>> {
        column(py, &self.0, measure, field)
    }
}
