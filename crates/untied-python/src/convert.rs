//! Python's objects and the core's values: ids, numbers, the items of a mapping.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyMapping, PyString};
use untied_core::error::show;
use untied_core::evaluate::MeasureValue;

use crate::errors::refused;

/// An id as a terminal or a table can show it, with control characters and invalid UTF-8 escaped.
#[pyfunction]
pub fn show_id(id: &Bound<'_, PyAny>) -> PyResult<String> {
    with_id(id, "id", |bytes| Ok(show(bytes)))
}

/// An unexpected object as an error message shows it.
pub fn found(value: &Bound<'_, PyAny>) -> String {
    const LONGEST: usize = 60;
    let Ok(shown) = value.repr().map(|shown| shown.to_string()) else {
        return value.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
    };
    match shown.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &shown[..end]),
        None => shown,
    }
}

/// An unexpected object in the place of a number, as an error message shows it.
pub fn found_number(value: &Bound<'_, PyAny>) -> String {
    let reason = if number(value).is_none() && value.call_method0("__index__").is_ok() {
        ", which a 64-bit float does not hold exactly"
    } else {
        ""
    };
    format!("{}{reason}", found(value))
}

/// The number that an object holds. Python's own numbers come first, because others take a detour by `__float__`.
///
/// A whole number that float64 does not hold exactly is refused, because it would tie with its neighbours.
#[inline]
pub fn number(value: &Bound<'_, PyAny>) -> Option<f64> {
    if let Ok(float) = value.cast_exact::<PyFloat>() {
        return Some(float.value());
    }
    other_number(value)
}

/// The numbers of objects that occur again and again, such as grades.
#[derive(Default)]
pub struct RecentNumbers<'py> {
    lately: [Option<(Bound<'py, PyAny>, f64)>; 16],
}

impl<'py> RecentNumbers<'py> {
    /// The number that an object holds, as [`number`] finds it.
    #[inline]
    pub fn of(&mut self, value: &Bound<'py, PyAny>) -> Option<f64> {
        if let Ok(float) = value.cast_exact::<PyFloat>() {
            return Some(float.value());
        }
        // The slot depends on the address. An object that is kept here is alive, so no other has its address.
        let place = &mut self.lately[value.as_ptr() as usize / 32 % 16];
        if let Some((known, number)) = place
            && known.is(value)
        {
            return Some(*number);
        }
        let number = other_number(value)?;
        if value.is_exact_instance_of::<PyInt>() {
            *place = Some((value.clone(), number));
        }
        Some(number)
    }
}

/// Converts an object that is not exactly a Python float to a number.
fn other_number(value: &Bound<'_, PyAny>) -> Option<f64> {
    const ALL_HELD: u64 = 1 << f64::MANTISSA_DIGITS;
    if value.is_exact_instance_of::<PyInt>()
        && let Ok(small) = value.extract::<i64>()
        && small.unsigned_abs() <= ALL_HELD
    {
        return Some(small as f64);
    }
    let number: f64 = value.extract().ok()?;
    if number.abs() < ALL_HELD as f64 {
        return Some(number);
    }
    // Python compares them exactly. NumPy would round its integers first.
    match value.call_method0("__index__") {
        Ok(whole) => whole.eq(number).is_ok_and(|held| held).then_some(number),
        Err(_) => Some(number),
    }
}

/// The mark of a number that has more digits than float64 (Decimal, Fraction, longdouble). A float has none if its
/// value is what Python prints, such as 0.1.
pub fn mark(value: &Bound<'_, PyAny>, number: f64) -> Option<u64> {
    let is_plain = value.is_exact_instance_of::<PyFloat>() || value.is_exact_instance_of::<PyInt>();
    if is_plain || value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
        return None; // held exactly, see `number`
    }
    if value.eq(number).is_ok_and(|held| held) {
        return None;
    }
    let ratio = value.call_method0("as_integer_ratio");
    let mut hasher = DefaultHasher::new();
    match ratio.and_then(|ratio| Ok((ratio.eq(printed_ratio(value.py(), number)?)?, ratio.hash()?))) {
        Ok((true, _)) => return None,
        Ok((false, ratio)) => ratio.hash(&mut hasher),
        Err(_) => found(value).hash(&mut hasher),
    }
    Some(hasher.finish())
}

/// The number that Python prints for a float, as a fraction.
fn printed_ratio(py: Python<'_>, number: f64) -> PyResult<Bound<'_, PyAny>> {
    let decimal = py.import("decimal")?.getattr("Decimal")?;
    decimal.call1((PyFloat::new(py, number).repr()?,))?.call_method0("as_integer_ratio")
}

/// Why a str is not valid text.
pub const NO_TEXT: &str = "half of a surrogate pair";

/// The message about a str that is not valid text.
pub fn no_text(what: &str, value: &Bound<'_, PyAny>) -> String {
    format!("{what} must be valid text, not {} ({NO_TEXT})", found(value))
}

/// Calls `use_id` with the bytes of an id, which is a str, bytes or an int.
#[inline]
pub fn with_id<T>(id: &Bound<'_, PyAny>, what: &str, use_id: impl FnOnce(&[u8]) -> PyResult<T>) -> PyResult<T> {
    if let Ok(string) = id.cast::<PyString>() {
        return match string.to_str() {
            Ok(utf8) => use_id(utf8.as_bytes()),
            // Python keeps bytes that were not UTF-8 as lone surrogates. Other surrogates are invalid.
            Err(_) => match string.call_method1("encode", ("utf-8", "surrogateescape")) {
                Ok(bytes) => use_id(bytes.cast::<PyBytes>()?.as_bytes()),
                Err(_) => Err(refused(no_text(what, id))),
            },
        };
    }
    if let Ok(bytes) = id.cast::<PyBytes>() {
        return use_id(bytes.as_bytes());
    }
    // A bool is an int in Python, but no id.
    if !id.is_instance_of::<PyBool>()
        && let Ok(number) = id.call_method0("__index__")
    {
        return use_id(number.str()?.to_str()?.as_bytes());
    }
    Err(PyTypeError::new_err(format!("{what} must be a str, bytes or an int, not {}", id.get_type().name()?)))
}

/// Whether an object can be an id.
pub fn is_id(id: &Bound<'_, PyAny>) -> bool {
    with_id(id, "", |_| Ok(())).is_ok()
}

/// Calls `visit` with every key and value of a dict. It may run Python code (`__float__`) that changes the dict. This
/// is an error here, where PyO3's iterator panics.
fn dict_items<'py>(
    dict: &Bound<'py, PyDict>,
    mut visit: impl FnMut(&Bound<'py, PyAny>, &Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let changed = || PyRuntimeError::new_err("a dict changed while it was read");
    let (mut items, size) = (dict.iter(), dict.len());
    let mut ran = false;
    for _ in 0..size {
        let item = if ran && dict.len() != size { None } else { items.next() };
        let (key, value) = item.ok_or_else(changed)?;
        // Iterating over these types runs no user code, and their length takes longer to find.
        let is_number = value.is_exact_instance_of::<PyFloat>() || value.is_exact_instance_of::<PyInt>();
        ran = !(is_number && key.is_exact_instance_of::<PyString>());
        visit(&key, &value)?;
    }
    if dict.len() == size { Ok(()) } else { Err(changed()) }
}

/// Calls `visit` with every key and value of a mapping. It uses the mapping's own `items`, unless it is exactly a dict.
pub fn items<'py>(
    mapping: &Bound<'py, PyAny>,
    what: impl FnOnce() -> PyResult<String>,
    mut visit: impl FnMut(&Bound<'py, PyAny>, &Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(dict) = mapping.cast_exact::<PyDict>() {
        return dict_items(dict, visit);
    }
    let Ok(mapping) = mapping.cast::<PyMapping>() else {
        let found = mapping.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{} must be a mapping, not {found}", what()?)));
    };
    for item in mapping.items()?.iter() {
        let Ok((key, value)) = item.extract() else {
            let message = format!("{}: items() must give pairs of a key and a value, not {}", what()?, found(&item));
            return Err(PyTypeError::new_err(message));
        };
        visit(&key, &value)?;
    }
    Ok(())
}

/// The value, low, high, variance and certainty.
pub type Parts = (f64, Option<f64>, Option<f64>, Option<f64>, &'static str);

/// A value of an evaluation or a comparison in the form that Python takes.
pub fn parts(value: impl Into<MeasureValue>) -> Parts {
    let MeasureValue { mean, range, variance, certainty, .. } = value.into();
    (mean, range.map(|range| range.0), range.map(|range| range.1), variance, certainty.name())
}
