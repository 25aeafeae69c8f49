//! Parts of a collection.

use pyo3::prelude::*;
use pyo3::types::PyIterator;
use untied_core::error::text;
use untied_core::table;
use untied_core::table::part::{self, DocumentSet};

use crate::convert::with_id;
use crate::errors::refused;
use crate::tables::Run;
use crate::threads::{self, Threads};

/// All documents that runs retrieve, each once, in the order of ids.
#[pyfunction]
#[pyo3(signature = (runs, threads = None))]
#[expect(clippy::needless_pass_by_value, reason = "what Python gives")]
pub fn retrieved_documents(py: Python<'_>, runs: Vec<Py<Run>>, threads: Option<Threads>) -> PyResult<Vec<String>> {
    threads::run(py, threads, || Ok(part::retrieved(&tables(&runs)).into_iter().map(text).collect()))
}

/// The runs without any documents but these.
#[pyfunction]
#[pyo3(signature = (runs, documents, threads = None))]
#[expect(clippy::needless_pass_by_value, reason = "what Python gives")]
pub fn only_documents(
    py: Python<'_>,
    runs: Vec<Py<Run>>,
    documents: &Bound<'_, PyIterator>,
    threads: Option<Threads>,
) -> PyResult<Vec<Run>> {
    let mut docs = table::Documents::default();
    for document in documents {
        with_id(&document?, "a document id", |id| {
            if !docs.has_room(id) {
                return Err(refused("more than 4 GiB of document ids"));
            }
            docs.push(id);
            Ok(())
        })?;
    }
    let parts = threads::run(py, threads, || part::only(&tables(&runs), &DocumentSet::new(docs)))?;
    Ok(parts.into_iter().map(Run::from).collect())
}

fn tables(runs: &[Py<Run>]) -> Vec<&table::Run> {
    runs.iter().map(|run| &*run.get().0).collect()
}
