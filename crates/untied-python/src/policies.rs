//! Policies, checked by the core, and their table for help texts, pages and types.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use untied_core::ranking::Precision;
use untied_core::settings::{self, Purpose, Settings, Take, clash, policy};

use crate::errors::{refused, to_python};

/// The policies of an evaluation or comparison, checked before anything is read.
#[pyclass(frozen, module = "untied._core")]
pub struct Policies {
    purpose: Purpose,
    /// All policies of the purpose with their values. Values are chosen, default, or implied by another policy.
    chosen: Vec<(&'static str, String)>,
    pub settings: Settings,
}

#[pymethods]
impl Policies {
    /// Policies that are not chosen have their defaults. If a default clashes with another value, this is an error only
    /// if the user typed its policy.
    #[new]
    #[pyo3(signature = (purpose, /, *, typed = Vec::new(), **chosen))]
    fn new(purpose: &str, typed: Vec<String>, chosen: Option<&Bound<'_, PyDict>>) -> PyResult<Policies> {
        let purpose = Purpose::named(purpose).map_err(to_python)?;
        let mut named = Vec::new();
        for (name, value) in chosen.into_iter().flatten() {
            let name = policy(purpose, &name.extract::<String>()?).map_err(to_python)?.info().name;
            if let Some(why) = wrong(purpose, name, &value)? {
                return Err(refused(&why));
            }
            named.push((name, value.extract::<String>()?));
        }
        let pairs: Vec<(&str, &str)> = named.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        if let Some(sentence) = clash(purpose, &pairs, &typed) {
            return Err(refused(&sentence));
        }
        let settings = Settings::new(purpose, &pairs).map_err(to_python)?;
        let all = settings::policies(purpose).map(|(policy, choices)| {
            let name = policy.info().name;
            let value = named.iter().find(|chosen| chosen.0 == name).map(|chosen| chosen.1.clone());
            let implied = if name == "score_dtype" { settings.ties.precision } else { None };
            (name, implied.map(Precision::name).or(value).unwrap_or_else(|| choices[0].name.to_owned()))
        });
        Ok(Policies { purpose, chosen: all.collect(), settings })
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&'static str,), Bound<'py, PyDict>)> {
        Ok(((self.purpose.name(),), self.chosen(py)?))
    }

    fn __getitem__(&self, name: &str) -> PyResult<&str> {
        let value = self.chosen.iter().find(|chosen| chosen.0 == name).map(|chosen| chosen.1.as_str());
        value.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    /// All policies of the purpose with their values.
    fn chosen<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        self.chosen.iter().try_for_each(|(name, value)| dict.set_item(name, value))?;
        Ok(dict)
    }

    /// What the lowest and the highest values range over: `ties`, `judgments`, both or neither.
    #[getter]
    fn varied<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Settings { ties, unjudged, .. } = self.settings;
        let causes = [(ties.take, "ties"), (unjudged.take, "judgments")];
        let varied: Vec<&str> = causes.iter().filter(|cause| cause.0 == Take::Range).map(|cause| cause.1).collect();
        PyTuple::new(py, varied)
    }
}

/// The error for a wrong value, or none for a right one.
fn wrong(purpose: Purpose, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let policy = policy(purpose, name).map_err(to_python)?;
    // An object that is not valid text is no value of a policy.
    let text = value.extract::<String>().unwrap_or_default();
    Ok(policy.why_not(purpose, &text, &value.repr()?.to_string()))
}

/// Why a policy refuses a value, or none for a right one. This is the error without the policy's name.
#[pyfunction]
pub fn why_not(purpose: &str, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let purpose = Purpose::named(purpose).map_err(to_python)?;
    let why = wrong(purpose, name, value)?;
    Ok(why.map(|why| why[name.len()..].trim_start().to_owned()))
}

/// The policies of a purpose, and the values of each, the default first.
#[pyfunction]
pub fn policies<'py>(py: Python<'py>, purpose: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let purpose = Purpose::named(purpose).map_err(to_python)?;
    let described = settings::policies(purpose).map(|(policy, choices)| {
        let info = policy.info();
        let dict = PyDict::new(py);
        dict.set_item("name", info.name)?;
        dict.set_item("label", info.label)?;
        dict.set_item("about", info.about)?;
        dict.set_item("placeholder", info.placeholder)?;
        let choices = choices.iter().map(|choice| (choice.name, choice.meaning, choice.phrase));
        dict.set_item("choices", choices.collect::<Vec<_>>())?;
        Ok(dict)
    });
    described.collect()
}
