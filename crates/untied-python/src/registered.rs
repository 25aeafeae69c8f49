//! Python functions that the border's types call. The border imports nothing of the package but its errors; modules
//! register these functions when they are imported.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A function that a module registers.
pub struct Registered {
    name: &'static str,
    function: PyOnceLock<Py<PyAny>>,
}

/// Makes a run from any object that holds one.
pub static AS_RUN: Registered = Registered::new("as_run");
/// Makes qrels from any object that holds them.
pub static AS_QRELS: Registered = Registered::new("as_qrels");
/// Tells pickle how to make a measure again that a user has defined.
pub static PICKLED: Registered = Registered::new("pickled");

impl Registered {
    const fn new(name: &'static str) -> Registered {
        Registered { name, function: PyOnceLock::new() }
    }

    /// The function.
    pub fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        let missing = || PyRuntimeError::new_err(format!("untied has not registered {}", self.name));
        self.function.get(py).map(|function| function.bind(py)).ok_or_else(missing)
    }
}

/// Registers a function that the border's types call. The first one of a name stays.
#[pyfunction]
pub fn register(py: Python<'_>, name: &str, function: Py<PyAny>) -> PyResult<()> {
    let known = [&AS_RUN, &AS_QRELS, &PICKLED].into_iter().find(|known| known.name == name);
    let known = known.ok_or_else(|| PyValueError::new_err(format!("the border calls no function {name}")))?;
    known.function.get_or_init(py, || function);
    Ok(())
}
