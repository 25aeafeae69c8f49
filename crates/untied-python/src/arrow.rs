//! Tables for other libraries, through Arrow's C stream interface.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A capsule that streams columns of text and of numbers (`None` is null), in this order.
#[pyfunction]
pub fn arrow_stream<'py>(
    py: Python<'py>,
    texts: Vec<(String, Vec<String>)>,
    numbers: Vec<(String, Vec<Option<f64>>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (name, column) in texts {
        fields.push(Field::new(name, DataType::Utf8, false));
        columns.push(Arc::new(StringArray::from(column)));
    }
    for (name, column) in numbers {
        fields.push(Field::new(name, DataType::Float64, true));
        columns.push(Arc::new(Float64Array::from(column)));
    }
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns);
    capsule(py, batch.map_err(|error| PyValueError::new_err(error.to_string()))?)
}

/// A capsule that streams one batch.
pub fn capsule(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = batch.schema();
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}
