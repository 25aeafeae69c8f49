//! Measures as Python objects: `nDCG(gain='exp2') @ 10`.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use untied_core::measures::defined;
use untied_core::names::{Aggregate, Cutoff, Info, Needs, OF, Spec, Value};
use untied_core::registry::{self, FAMILIES};

use crate::convert::{items, no_text};
use crate::errors::{refused_measure, to_python};
use crate::registered::PICKLED;

/// A measure with its parameters and its cutoff, such as ``nDCG(gain="exp2") @ 10``.
///
/// Every measure is a name in `untied`, such as ``untied.nDCG``. Call it to set parameters, and give it a cutoff with
/// ``@``. `untied.parse_measure` makes a measure from text.
#[pyclass(frozen, module = "untied")]
pub struct Measure(pub Spec);

/// The measures as the core represents them.
pub fn specs(measures: &[PyRef<'_, Measure>]) -> Vec<Spec> {
    measures.iter().map(|measure| measure.0.clone()).collect()
}

#[pymethods]
impl Measure {
    #[new]
    fn new(name: &Bound<'_, PyString>) -> PyResult<Measure> {
        let name = valid(name)?;
        registry::parse_open(name).map(Measure).map_err(to_python)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let Measure(spec) = slf.get();
        if let Some(defined) = defined::find(spec.info) {
            let pickled = PICKLED.get(slf.py())?;
            return pickled.call1((&defined.place, &defined.by, spec.to_string()));
        }
        Ok((slf.get_type(), (spec.to_string(),)).into_pyobject(slf.py())?.into_any())
    }

    /// The name without parameters and cutoff, such as ``"nDCG"``.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.info.name
    }

    /// The cutoff, or None if there is none.
    #[getter]
    fn cutoff(&self) -> Option<usize> {
        self.0.cutoff
    }

    /// Whether the measure counts documents or queries. Its values are then summed over queries instead of averaged.
    #[getter]
    fn is_count(&self) -> bool {
        self.0.info.aggregate == Aggregate::Sum
    }

    /// Whether the mean over queries is the geometric mean.
    #[getter]
    fn is_geometric(&self) -> PyResult<bool> {
        Ok(self.0.aggregate().map_err(to_python)? == Aggregate::Geometric)
    }

    /// Whether lower values are better.
    #[getter]
    fn lower_is_better(&self) -> bool {
        self.0.info.lower_is_better
    }

    /// The lowest grade of a document that counts, or None if no parameter sets it.
    #[getter]
    fn least_grade(&self) -> Option<f64> {
        self.0.least_grade()
    }

    fn __matmul__(&self, number: &Bound<'_, PyAny>) -> PyResult<Measure> {
        let is_level = self.0.info.cutoff == Cutoff::Recall;
        if !is_level && number.call_method0("__index__").is_err() {
            let found = number.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a cutoff must be an int, not {found}")));
        }
        let number = number.extract::<f64>()?;
        let spec = self.0.clone().at_number(number).map_err(to_python)?;
        registry::check_open(&spec).map_err(to_python)?;
        Ok(Measure(spec))
    }

    /// Return the measure with these parameters. MED and Delta take the measure that they are about first.
    #[pyo3(signature = (of = None, /, **parameters))]
    fn __call__(&self, of: Option<&Bound<'_, PyAny>>, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Measure> {
        let mut spec = self.0.clone();
        if let Some(of) = of {
            let found = value(of)?;
            let of = match found {
                Some(Value::Measure(of)) => *of,
                Some(Value::Text(name)) => registry::parse(&name).map_err(to_python)?,
                _ => return Err(PyTypeError::new_err(format!("{spec}: expected a measure, found {}", of.repr()?))),
            };
            registry::check(&of).map_err(to_python)?;
            spec = spec.with(OF.name, Value::Measure(Box::new(of))).map_err(to_python)?;
        }
        for (name, object) in parameters.iter().flat_map(|parameters| parameters.iter()) {
            let name: String = name.extract()?;
            let Some(value) = value(&object)? else {
                let found = object.repr()?;
                return Err(refused_measure(format!("{spec}: parameter {name} cannot be {found}")));
            };
            spec = spec.with(&name, value).map_err(to_python)?;
        }
        registry::check_open(&spec).map_err(to_python)?;
        Ok(Measure(spec))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Measure>().is_ok_and(|other| other.get().0.to_string() == self.0.to_string())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &self.0.to_string()).hash()
    }
}

/// The text of a name, or the error for text that is not valid UTF-8.
pub fn valid<'a>(name: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    name.to_str().map_err(|_| refused_measure(no_text("a measure's name", name)))
}

/// The value of a parameter, or None if measures have no parameters of this type.
pub fn value(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    if let Ok(measure) = object.cast::<Measure>() {
        return Ok(Some(Value::Measure(Box::new(measure.get().0.clone()))));
    }
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(Some(Value::Flag(flag.is_true())));
    }
    if let Ok(text) = object.extract::<String>() {
        return Ok(Some(Value::Text(text)));
    }
    let finite = |number: &f64| number.is_finite();
    if let Ok(number) = object.extract::<f64>() {
        return Ok(Some(number).filter(finite).map(Value::Number));
    }
    if object.is_instance_of::<PyDict>() {
        let mut table = Vec::new();
        let all = items(
            object,
            || Ok("a table".into()),
            |grade, gain| {
                table.push((grade.extract()?, gain.extract()?));
                Ok(())
            },
        );
        return match all {
            Ok(()) => Value::table(table).map(Some).map_err(to_python),
            Err(_) => Ok(None),
        };
    }
    Ok(object.extract::<Vec<f64>>().ok().filter(|list| list.iter().all(finite)).map(Value::List))
}

/// The measures that a text names: one, or several, as in `P.5,10`.
#[pyfunction]
pub fn parse_measures(text: &Bound<'_, PyString>) -> PyResult<Vec<Measure>> {
    let text = valid(text)?;
    Ok(registry::parse_all(text).map_err(to_python)?.into_iter().map(Measure).collect())
}

/// The smallest number of tie orders for which the value of a ranking of this length is estimated.
#[pyfunction]
pub fn drawn_at_least(documents: usize) -> u64 {
    untied_core::measures::drawn_at_least(documents)
}

/// The facts about every measure of one ranking, or of two. Measures that users have defined come last.
#[pyfunction]
#[pyo3(signature = (*, comparing = false))]
pub fn measure_info(py: Python<'_>, comparing: bool) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let families = FAMILIES.iter().filter(|family| family.compares() == comparing);
    let ours = families.flat_map(|family| family.infos().into_iter().map(|info| to_dict(py, family.title, info, "")));
    let defined = if comparing { Vec::new() } else { defined::all() };
    let others = defined.iter().map(|one| to_dict(py, &format!("Defined in {}", one.place), one.info, &one.text));
    ours.chain(others).collect()
}

fn to_dict<'py>(py: Python<'py>, family: &str, info: &'static Info, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("family", family)?;
    dict.set_item("name", info.name)?;
    dict.set_item("aliases", info.aliases)?;
    dict.set_item("title", info.title)?;
    dict.set_item("text", text)?;
    dict.set_item("cutoff", info.cutoff.name())?;
    let needs = match info.needs {
        Needs::Judgments => "judgments",
        Needs::Documents => "documents",
        Needs::Subtopics => "subtopics",
        Needs::Strata => "strata",
        Needs::Inclusion => "inclusion",
    };
    dict.set_item("needs", needs)?;
    let parameters: Vec<_> = info.parameters.iter().map(|p| (p.name, p.default, p.help)).collect();
    dict.set_item("parameters", parameters)?;
    dict.set_item("range", info.range)?;
    dict.set_item("equation", info.equation)?;
    dict.set_item("tex", info.tex.split_whitespace().collect::<Vec<_>>().join(" "))?;
    dict.set_item("reference", info.reference)?;
    let sampled: Vec<_> = info.sampled.iter().map(|one| (one.unless, one.then)).collect();
    dict.set_item("sampled", sampled)?;
    dict.set_item("unbounded", info.unbounded)?;
    dict.set_item("has_solvers", registry::has_solvers(info))?;
    Ok(dict)
}
