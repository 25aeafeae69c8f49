//! The core's errors as Python exceptions, defined in `untied.errors`.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use untied_core::Error;

/// The Python exception for an error of the core.
pub fn to_python(error: Error) -> PyErr {
    Python::attach(|py| raise(py, error).unwrap_or_else(|failure| failure))
}

/// The exception for wrong input or a wrong option.
pub fn refused(message: impl Into<String>) -> PyErr {
    to_python(Error::Value(message.into()))
}

/// The exception for a wrong measure.
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
        // OSError picks a subclass, such as FileNotFoundError, by the code.
        let text = py.import("os")?.getattr("strerror")?.call1((code,))?.unbind();
        return Ok(PyOSError::new_err((code, text, file.clone())));
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
        Error::Ungrouped(error) => return raise(py, *error),
        Error::Repeated(error) => {
            let raised = raise(py, *error)?;
            raised.value(py).setattr("kind", "repeated")?;
            return Ok(raised);
        }
        Error::Io { .. } => py.import("builtins")?.getattr("OSError")?.call1((message,))?,
        Error::Memory { .. } => py.import("builtins")?.getattr("MemoryError")?.call1((message,))?,
        // This is reached only if Python did not raise the exception for which it was stopped.
        Error::Stopped => py.import("builtins")?.getattr("KeyboardInterrupt")?.call0()?,
        Error::Value(_) | Error::Failure { .. } => errors.getattr("UntiedError")?.call1((message,))?,
    };
    Ok(PyErr::from_value(exception))
}

/// The exception that the user's code raised, with a note that says where.
fn noted(py: Python<'_>, raised: PyErr, measure: &str, query: Option<&str>) -> PyResult<PyErr> {
    let of_query = query.map(|query| format!(", query {query}")).unwrap_or_default();
    raised.value(py).call_method1("add_note", (format!("in measure {measure}{of_query}"),))?;
    Ok(raised)
}
