//! The core's errors as Python exceptions, defined in `untied.errors`.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use untied_core::Error;

/// Turn a core error into the exception that documents it.
pub fn to_python(error: Error) -> PyErr {
    Python::attach(|py| raise(py, error).unwrap_or_else(|failure| failure))
}

/// The exception for what the user has given.
pub fn refused(message: impl Into<String>) -> PyErr {
    to_python(Error::Value(message.into()))
}

/// The same, of a measure.
pub fn refused_measure(message: impl Into<String>) -> PyErr {
    to_python(Error::Measure(message.into()))
}

fn raise(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let error = match error {
        Error::Failure { measure, query, source } => match source.downcast::<PyErr>() {
            Ok(raised) => return noted(py, *raised, &measure, query.as_deref()),
            Err(source) => Error::Failure { measure, query, source },
        },
        other => other,
    };
    if let Error::Io { file, source } = &error
        && let Some(code) = source.raw_os_error()
    {
        // OSError picks its subclass (FileNotFoundError, ...) by the code.
        let text = py.import("os")?.getattr("strerror")?.call1((code,))?.unbind();
        return Ok(PyOSError::new_err((code, text, file.clone())));
    }
    if let Error::Ungrouped(error) = error {
        return raise(py, *error);
    }
    let errors = py.import("untied.errors")?;
    let message = error.to_string();
    let exception = match error {
        Error::Input(input) => {
            let found = (message, input.file, input.line, input.expected, input.found);
            errors.getattr("InputError")?.call1(found)?
        }
        Error::Measure(_) => errors.getattr("MeasureError")?.call1((message,))?,
        Error::Undefined { .. } => errors.getattr("UndefinedError")?.call1((message,))?,
        Error::Io { .. } | Error::Ungrouped(_) => py.import("builtins")?.getattr("OSError")?.call1((message,))?,
        Error::Memory { .. } => py.import("builtins")?.getattr("MemoryError")?.call1((message,))?,
        // Only where Python did not raise what it was stopped for.
        Error::Stopped => py.import("builtins")?.getattr("KeyboardInterrupt")?.call0()?,
        Error::Value(_) | Error::Failure { .. } => errors.getattr("UntiedError")?.call1((message,))?,
    };
    Ok(PyErr::from_value(exception))
}

/// The exception that a user's code raised, unchanged, with a note that says where.
fn noted(py: Python<'_>, raised: PyErr, measure: &str, query: Option<&str>) -> PyResult<PyErr> {
    let of_query = query.map(|query| format!(", query {query}")).unwrap_or_default();
    raised.value(py).call_method1("add_note", (format!("in measure {measure}{of_query}"),))?;
    Ok(raised)
}
