//! Measures that are defined in Python: a function of one ranking, or gains and discounts.

use std::cell::RefCell;

use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyTuple};
use untied_core::Error;
use untied_core::error::{Failure, quote};
use untied_core::measures::Scope;
use untied_core::measures::defined::{Description, additive};
use untied_core::measures::formula::{Callback, Documents, Formula, Shown, Traits, ValueOf};
use untied_core::names::{Cutoff, Spec, Value};
use untied_core::ranking::Ranking;
use untied_core::registry::define;
use untied_core::table::Judgments;

use crate::calls::enter;
use crate::errors::{refused_measure, to_python};
use crate::measure::{Measure, value};

/// What all kinds of defined measures have.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct About {
    name: String,
    place: String,
    by: String,
    title: String,
    text: String,
    cutoff: String,
    parameters: Vec<(String, Py<PyAny>)>,
    lower_is_better: bool,
}

impl About {
    fn description(&self, py: Python<'_>) -> PyResult<Description> {
        let cutoff = match self.cutoff.as_str() {
            "optional" => Cutoff::Optional,
            "required" => Cutoff::Required,
            "none" => Cutoff::None,
            other => {
                let found = quote(other.as_bytes());
                let message = format!("{}: cutoff must be 'optional', 'required' or 'none', not {found}", self.name);
                return Err(refused_measure(message));
            }
        };
        let default = |(name, default): &(String, Py<PyAny>)| {
            let default = default.bind(py);
            match value(default)? {
                _ if default.is_none() => Ok((name.clone(), "None".into())),
                Some(written) if !matches!(written, Value::Measure(_)) => Ok((name.clone(), written.to_string())),
                _ => {
                    let kinds = "a finite number, a text, True, False, a list or table of numbers, or None";
                    let (measure, found) = (&self.name, default.repr()?);
                    let message = format!("{measure}: the default of parameter {name} must be {kinds}, not {found}");
                    Err(refused_measure(message))
                }
            }
        };
        Ok(Description {
            name: self.name.clone(),
            title: self.title.clone(),
            text: self.text.clone(),
            place: self.place.clone(),
            by: self.by.clone(),
            cutoff,
            parameters: self.parameters.iter().map(default).collect::<PyResult<_>>()?,
            lower_is_better: self.lower_is_better,
        })
    }
}

/// The parameters of a measure, as keyword arguments.
fn arguments<'py>(py: Python<'py>, spec: &Spec, known: &[(String, Py<PyAny>)]) -> PyResult<Bound<'py, PyDict>> {
    let given = PyDict::new(py);
    for (name, default) in known {
        match spec.parameter(name) {
            None => {}
            Some(Value::Number(number)) if number.fract() == 0.0 && !default.bind(py).is_instance_of::<PyFloat>() => {
                given.set_item(name, *number as i64)?;
            }
            Some(Value::Number(number)) => given.set_item(name, number)?,
            Some(Value::Text(text)) => given.set_item(name, text)?,
            Some(Value::Flag(flag)) => given.set_item(name, flag)?,
            Some(Value::List(list)) => given.set_item(name, list)?,
            Some(Value::Table(table)) => {
                let dict = PyDict::new(py);
                table.iter().try_for_each(|(key, value)| dict.set_item(key, value))?;
                given.set_item(name, dict)?;
            }
            Some(Value::Measure(_)) => {
                return Err(refused_measure(format!("{spec}: parameter {name} cannot be a measure")));
            }
        }
    }
    Ok(given)
}

/// The error for a failure before any query is evaluated.
fn failed(spec: &Spec, error: PyErr) -> Error {
    Error::Failure { measure: spec.to_string(), query: None, source: Box::new(error) }
}

/// A finite number that the user's code has returned, or an error.
fn finite(found: &Bound<'_, PyAny>, what: impl FnOnce() -> String) -> PyResult<f64> {
    match found.extract::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(PyTypeError::new_err(format!("expected a finite number as {}, found {}", what(), shown(found)))),
    }
}

fn shown(found: &Bound<'_, PyAny>) -> String {
    let text = found.repr().map_or_else(|_| String::new(), |text| text.to_string());
    let kind = found.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
    format!("{} ({kind})", quote(text.as_bytes()).trim_matches('"'))
}

/// Define a measure by a function that returns gains and discounts.
#[pyfunction]
#[pyo3(signature = (function, about, *, ideal))]
pub fn define_additive(py: Python<'_>, function: Py<PyAny>, about: About, ideal: bool) -> PyResult<Measure> {
    let description = about.description(py)?;
    let build = move |spec: &Spec, scope: &Scope<'_>| {
        let tables = Python::attach(|py| -> PyResult<_> {
            let _entered = enter(&spec.to_string())?;
            let made = function.bind(py).call((), Some(&arguments(py, spec, &about.parameters)?))?;
            let Ok((gain, discount)) = made.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
                return Err(PyTypeError::new_err(format!("expected (gain, discount), found {}", shown(&made))));
            };
            Ok((gains(&gain, scope.grades)?, discounts(&discount, spec.cutoff_or(usize::MAX).min(scope.depth))?))
        });
        let (gains, discounts) = tables.map_err(|error| failed(spec, error))?;
        additive(spec, gains, discounts, ideal, scope)
    };
    let defined = define(description, Box::new(build)).map_err(to_python)?;
    Ok(Measure(Spec::of(defined.info)))
}

/// The gain of every grade, from a function or a mapping. Grade 0 gains nothing if a mapping lacks it.
fn gains(gain: &Bound<'_, PyAny>, grades: &[f64]) -> PyResult<Vec<(f64, f64)>> {
    let grades = grades.iter().copied().filter(|&grade| grade > 0.0).chain([0.0]);
    let of = |grade: f64| {
        let found = match gain.is_callable() {
            true => gain.call1((grade,))?,
            false => match gain.get_item(grade) {
                Err(error) if grade == 0.0 && error.is_instance_of::<PyKeyError>(gain.py()) => return Ok((0.0, 0.0)),
                found => found?,
            },
        };
        Ok((grade, finite(&found, || format!("the gain of grade {grade}"))?))
    };
    grades.map(of).collect()
}

/// The discounts of the ranks to `depth`, from a function or a sequence. Beyond the end of a sequence they are 0.
fn discounts(discount: &Bound<'_, PyAny>, depth: usize) -> PyResult<Vec<f64>> {
    let of = |rank: usize, found: Bound<'_, PyAny>| finite(&found, || format!("the discount of rank {rank}"));
    if discount.is_callable() {
        return (1..=depth).map(|rank| of(rank, discount.call1((rank,))?)).collect();
    }
    discount.try_iter()?.take(depth).enumerate().map(|(i, found)| of(i + 1, found?)).collect()
}

/// A value that a formula can ask for, by the name of an argument.
#[derive(Clone, Copy, PartialEq)]
enum Input {
    Grades,
    Judged,
    Pooled,
    Groups,
    Ideal,
    Retrieved,
    Cutoff,
}

const INPUTS: [(&str, Input); 7] = [
    ("grades", Input::Grades),
    ("judged", Input::Judged),
    ("pooled", Input::Pooled),
    ("groups", Input::Groups),
    ("ideal", Input::Ideal),
    ("retrieved", Input::Retrieved),
    ("cutoff", Input::Cutoff),
];

/// The names of all values that a formula can ask for.
#[pyfunction]
pub fn formula_inputs() -> Vec<&'static str> {
    INPUTS.iter().map(|(name, _)| *name).collect()
}

/// Define a measure by a function of one ranking.
#[pyfunction]
#[pyo3(signature = (function, about, *, inputs, best_by_grade, grows_with_grade, frombuffer))]
pub fn define_formula(
    py: Python<'_>,
    function: Py<PyAny>,
    about: About,
    inputs: Vec<String>,
    best_by_grade: bool,
    grows_with_grade: bool,
    frombuffer: Option<Py<PyAny>>,
) -> PyResult<Measure> {
    let description = about.description(py)?;
    let inputs: Vec<Input> =
        inputs.iter().filter_map(|name| INPUTS.iter().find(|(known, _)| known == name)).map(|known| known.1).collect();
    let shown = match () {
        () if inputs.contains(&Input::Pooled) => Shown::Pooled,
        () if inputs.contains(&Input::Judged) => Shown::Judged,
        () => Shown::Grades,
    };
    let build = move |spec: &Spec, _: &Scope<'_>| -> Result<_, Error> {
        let function = Python::attach(|py| -> PyResult<_> {
            Ok(Function {
                name: spec.to_string(),
                function: function.clone_ref(py),
                arguments: arguments(py, spec, &about.parameters)?.unbind(),
                inputs: inputs.clone(),
                cutoff: spec.cutoff,
                frombuffer: frombuffer.as_ref().map(|function| function.clone_ref(py)),
            })
        });
        let traits = Traits {
            shown,
            of_groups: inputs.contains(&Input::Groups),
            by_grade: best_by_grade,
            grows: grows_with_grade,
            cutoff: spec.cutoff_or(usize::MAX),
        };
        let function = function.map_err(|error| failed(spec, error))?;
        Ok(Box::new(Formula::new(Box::new(function), traits)) as _)
    };
    let defined = define(description, Box::new(build)).map_err(to_python)?;
    Ok(Measure(Spec::of(defined.info)))
}

/// A function of one ranking, with parameters.
struct Function {
    name: String,
    function: Py<PyAny>,
    arguments: Py<PyDict>,
    inputs: Vec<Input>,
    cutoff: Option<usize>,
    /// `numpy.frombuffer`, if the function takes arrays.
    frombuffer: Option<Py<PyAny>>,
}

thread_local! {
    /// The exception that the function raised in this thread.
    static FAILED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

impl Callback for Function {
    fn with(&self, truth: &Judgments<'_>, work: &mut dyn FnMut(&mut ValueOf<'_>)) {
        Python::attach(|py| {
            let ideal = self.inputs.contains(&Input::Ideal).then(|| self.ideal(py, truth)).transpose();
            let ideal = ideal.unwrap_or_else(|error| {
                FAILED.set(Some(error));
                None
            });
            work(&mut |ranking| {
                if FAILED.with_borrow(Option::is_some) {
                    return f64::NAN;
                }
                self.call(py, ranking, ideal.as_ref()).unwrap_or_else(|error| {
                    FAILED.set(Some(error));
                    f64::NAN
                })
            });
        });
    }

    fn failure(&self) -> Option<Failure> {
        FAILED.take().map(|error| Box::new(error) as Failure)
    }
}

impl Function {
    fn call<'py>(&self, py: Python<'py>, ranking: &Ranking, ideal: Option<&Bound<'py, PyAny>>) -> PyResult<f64> {
        let documents = Documents::new(ranking, self.cutoff, self.inputs.contains(&Input::Groups));
        let input = |input: &Input| match input {
            Input::Grades => self.floats(py, &documents.grades(ranking)),
            Input::Judged => self.flags(py, &documents.flags(ranking, |level| level.grade >= 0.0)),
            Input::Pooled => self.flags(py, &documents.flags(ranking, |_| true)),
            Input::Groups => self.groups(py, &documents.groups(ranking)),
            Input::Ideal => Ok(ideal.map_or_else(|| py.None().into_bound(py), Bound::clone)),
            Input::Retrieved => Ok(ranking.retrieved.into_pyobject(py)?.into_any()),
            Input::Cutoff => Ok(self.cutoff.into_pyobject(py)?.into_any()),
        };
        let inputs = PyTuple::new(py, self.inputs.iter().map(input).collect::<PyResult<Vec<_>>>()?)?;
        let arguments = self.arguments.bind(py);
        let _entered = enter(&self.name)?;
        let found = self.function.bind(py).call(inputs, Some(arguments).filter(|given| !given.is_empty()))?;
        match found.extract::<f64>() {
            Ok(value) if !value.is_infinite() => Ok(value),
            _ => Err(PyTypeError::new_err(format!("expected a number or nan as the value, found {}", shown(&found)))),
        }
    }

    /// The judged grades, highest first.
    fn ideal<'py>(&self, py: Python<'py>, truth: &Judgments<'_>) -> PyResult<Bound<'py, PyAny>> {
        let judged = truth.levels.iter().filter(|level| level.grade >= 0.0);
        let grades: Vec<f64> =
            judged.flat_map(|level| std::iter::repeat_n(level.grade, level.count as usize)).collect();
        self.floats(py, &grades)
    }

    fn floats<'py>(&self, py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyAny>> {
        if let Some(frombuffer) = &self.frombuffer {
            return frombuffer.bind(py).call1((packed(py, numbers.iter().map(|number| number.to_ne_bytes()))?, "f8"));
        }
        let zero = PyFloat::new(py, 0.0);
        let float = |&number: &f64| if number == 0.0 { zero.clone() } else { PyFloat::new(py, number) };
        Ok(PyTuple::new(py, numbers.iter().map(float))?.into_any())
    }

    fn flags<'py>(&self, py: Python<'py>, flags: &[bool]) -> PyResult<Bound<'py, PyAny>> {
        if let Some(frombuffer) = &self.frombuffer {
            let bytes: Vec<u8> = flags.iter().map(|&flag| flag.into()).collect();
            return frombuffer.bind(py).call1((PyBytes::new(py, &bytes), "?"));
        }
        Ok(PyTuple::new(py, flags.iter().map(|&flag| PyBool::new(py, flag)))?.into_any())
    }

    fn groups<'py>(&self, py: Python<'py>, bounds: &[(usize, usize)]) -> PyResult<Bound<'py, PyAny>> {
        if let Some(frombuffer) = &self.frombuffer {
            let numbers = bounds.iter().flat_map(|&(start, end)| [start, end]).map(|at| (at as i64).to_ne_bytes());
            let numbers: Vec<[u8; 8]> = numbers.collect();
            let flat = frombuffer.bind(py).call1((packed(py, numbers.into_iter())?, "i8"))?;
            return flat.call_method1("reshape", ((-1, 2),));
        }
        Ok(PyTuple::new(py, bounds)?.into_any())
    }
}

/// Numbers in a row, as a buffer.
fn packed<'py>(py: Python<'py>, numbers: impl ExactSizeIterator<Item = [u8; 8]>) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, 8 * numbers.len(), |bytes| {
        bytes.chunks_exact_mut(8).zip(numbers).for_each(|(room, number)| room.copy_from_slice(&number));
        Ok(())
    })
}
