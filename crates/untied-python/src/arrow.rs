//! Tables from and for other libraries, through Arrow's C stream interface.

use std::sync::Arc;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyException, PyImportError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use untied_core::Error;
use untied_core::table::Chunk;
use untied_core::table::columns::Content;

use crate::errors::refused;

/// The stream that an object's `__arrow_c_stream__` returns.
pub fn stream(object: &Bound<'_, PyAny>, source: &str) -> PyResult<FFI_ArrowArrayStream> {
    let Ok(method) = object.getattr("__arrow_c_stream__") else {
        let found = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{source} must be a table with __arrow_c_stream__, not {found}")));
    };
    let py = object.py();
    // Whatever the library raises, but where it lacks another one to do this with, which the caller may do without.
    let capsule = method.call0().map_err(|error| {
        if !error.is_instance_of::<PyException>(py) || error.is_instance_of::<PyImportError>(py) {
            return error;
        }
        let kind = object.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
        let refused = refused(format!("{source}: this {kind} cannot be read as an Arrow table: {error}"));
        refused.set_cause(py, Some(error));
        refused
    })?;
    let wrong =
        || PyTypeError::new_err(format!("{source}: __arrow_c_stream__ must return a capsule \"arrow_array_stream\""));
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| wrong())?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream")).map_err(|_| wrong())?;
    // SAFETY: a capsule of this name holds a pointer to such a stream, as the Arrow PyCapsule interface says. The
    // stream is moved out and marked as released, so that the capsule does not release it again.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) })
}

/// Runs or qrels from a stream. Its producer may be Python: it is asked without Python's lock.
pub fn chunks(
    stream: FFI_ArrowArrayStream,
    kind: Content,
    named: &[(String, String)],
    source: &str,
) -> Result<Vec<Chunk>, Error> {
    untied_arrow::chunks(reader(stream, source)?, kind, named, source)
}

/// A run that is read from a stream piece by piece.
pub fn pieces(
    stream: FFI_ArrowArrayStream,
    named: &[(String, String)],
    source: &str,
) -> Result<untied_arrow::Pieces, Error> {
    let kind = Content::Run { ranks: false };
    untied_arrow::Pieces::open(reader(stream, source)?, untied_arrow::STREAMED_ROWS, kind, named, source)
}

fn reader(stream: FFI_ArrowArrayStream, source: &str) -> Result<RecordBatchStreamReader, Error> {
    RecordBatchStreamReader::try_new(stream).map_err(|error| {
        let advice = "cast the column to a type of Arrow's first, or read the table anew if it was read before";
        Error::Value(format!("{source}: this table cannot be read: {error}; {advice}"))
    })
}

/// A capsule that streams columns of names and of numbers (`None` is null), in this order. Names are texts, or an
/// `array.array` of whole numbers.
#[pyfunction]
pub fn arrow_stream<'py>(
    py: Python<'py>,
    names: Vec<(String, Bound<'py, PyAny>)>,
    numbers: Vec<(String, Vec<Option<f64>>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (name, column) in names {
        let found: ArrayRef = if column.hasattr("typecode")? {
            Arc::new(Int64Array::from(column.extract::<Vec<i64>>()?))
        } else {
            Arc::new(StringArray::from(column.extract::<Vec<String>>()?))
        };
        fields.push(Field::new(name, found.data_type().clone(), false));
        columns.push(found);
    }
    for (name, column) in numbers {
        fields.push(Field::new(name, DataType::Float64, true));
        columns.push(Arc::new(Float64Array::from(column)));
    }
    capsule(py, RecordBatch::try_new(Arc::new(Schema::new(fields)), columns))
}

/// A capsule that streams one batch.
pub fn capsule(py: Python<'_>, batch: Result<RecordBatch, ArrowError>) -> PyResult<Bound<'_, PyCapsule>> {
    let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let schema = batch.schema();
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}
