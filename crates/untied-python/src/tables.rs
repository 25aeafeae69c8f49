//! Runs and qrels as Python objects.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyIterator, PyList, PyString};
use untied_core::error::{quote, text};
use untied_core::read;
use untied_core::read::format::{qrels_format, run_format};
use untied_core::table::columns::Content;
use untied_core::table::profiles::{Detail, GRADE, PROBABILITY, PreferenceOrder, STRATUM, UncertainGrades};
use untied_core::table::{self, Chunk, LineMap, Table};

use crate::convert::{no_text, with_id};
use crate::errors::{refused, to_python};
use crate::formats::{FilePath, Named, detail, named, path_text};
use crate::mappings::{chunks, chunks_by_subtopic, chunks_of_pairs, is_by_subtopic, lengths};
use crate::registered::{AS_QRELS, AS_RUN};
use crate::threads::Threads;
use crate::{arrow, from_rows, threads};

/// A run in memory: for each query, the retrieved documents with their scores.
///
/// You rarely need it, because functions take files, frames and dicts. Make a `Run` to read a file only once, to give
/// it a name, or to say what its format or its columns are.
///
/// ``run["q1"]`` lists the documents of a query with their scores. ``len`` counts queries, and iteration goes over
/// their ids. A run can't be changed.
///
/// Parameters
/// ----------
/// run : path, frame, dict, or Run
///     A run of any kind that `untied.evaluate` takes, such as ``{"q1": {"d1": 7.5, "d2": 2}}``.
/// name : str, optional
///     What to call the run in tables. By default, it has the name of its file, or its key in a dict of runs.
/// format : str
///     The format of a file, as for `untied.read_run`.
/// columns : dict, optional
///     The names of its columns, if they are unusual: ``{"query": "q", "document": "d", "score": "s"}``.
/// duplicates : str
///     What to do if a query retrieves a document several times, as for `untied.read_run`; ``"first"`` and ``"last"``
///     follow the order of the rows.
/// threads : int, optional
///     How many threads to use; by default, one for each processor.
///
/// Raises
/// ------
/// InputError
///     A file does not match its format.
/// UntiedError
///     A score is not a finite number, a document appears twice in a query, or an option is refused.
/// OSError
///     The file cannot be read.
#[pyclass(frozen, module = "untied")]
pub struct Run(pub Arc<table::Run>, Option<String>, usize);

impl From<table::Run> for Run {
    fn from(run: table::Run) -> Run {
        Run(Arc::new(run), None, 0)
    }
}

impl Run {
    /// The number of rows in the source of the run that repeated a document of a query.
    pub fn duplicates(&self) -> usize {
        self.2
    }
}

/// The name of a run. It must be text that can be printed.
fn run_name(name: &Bound<'_, PyString>) -> PyResult<String> {
    match name.to_str() {
        Ok("") => Err(refused("name must not be empty")),
        Ok(name) => Ok(name.into()),
        Err(_) => Err(refused(no_text("name", name.as_any()))),
    }
}

/// Relevance judgments in memory: for each query, the judged documents with their grades.
///
/// You rarely need them, because functions take files, frames and dicts. Make `Qrels` to read a file only once, or to
/// say what its format or its columns are.
///
/// ``qrels["q1"]`` is a dict of the documents of a query and their grades. ``len`` counts queries, and iteration goes
/// over their ids. Qrels can't be changed. If they are preferences between documents, there are no grades to look up; if they are
/// probabilities of grades, a document's grade is the expected one.
///
/// Parameters
/// ----------
/// qrels : path, frame, dict, or Qrels
///     Qrels of any kind that `untied.evaluate` takes, such as ``{"q1": {"d1": 1, "d2": 0}}``. A negative grade means
///     *pooled but not judged*.
/// format : str
///     Their format, as for `untied.read_qrels`.
/// columns : dict, optional
///     The names of their columns, if they are unusual: ``{"query": "q", "document": "d", "grade": "g"}``.
/// threads : int, optional
///     How many threads to use; by default, one for each processor.
///
/// Raises
/// ------
/// InputError
///     A file does not match its format.
/// UntiedError
///     A grade is not a finite number, a document has two different grades in a query, or an option is refused.
/// OSError
///     The file cannot be read.
#[pyclass(frozen, module = "untied")]
pub struct Qrels(pub table::Qrels);

/// Lengths of documents.
#[pyclass(frozen, module = "untied._core")]
pub struct Lengths(pub Arc<table::Lengths>);

/// Chunks without row numbers, which would mean nothing in messages about a piece of a table.
fn without_rows(mut chunks: Vec<Chunk>) -> Vec<Chunk> {
    chunks.iter_mut().for_each(|chunk| chunk.lines = LineMap::default());
    chunks
}

/// A function and its arguments: what `__reduce__` returns.
type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>,));

/// What `__reduce__` returns for a run, which may have a name.
type ReducedRun<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>, Option<String>, usize));

/// What `__reduce__` returns for an object: the static method `restore` of its class, and the bytes that it takes.
fn reduced<'py>(object: &Bound<'py, PyAny>, store: impl FnOnce() -> Vec<u8> + Send) -> PyResult<Reduced<'py>> {
    let bytes = object.py().detach(store);
    Ok((object.get_type().getattr("restore")?, (PyBytes::new(object.py(), &bytes),)))
}

/// The object that was stored in these bytes.
fn restored<T: Send>(py: Python<'_>, bytes: &[u8], restore: fn(&[u8]) -> Option<T>, what: &str) -> PyResult<T> {
    let restored = threads::run(py, None, || Ok(restore(bytes)))?;
    restored.ok_or_else(|| refused(format!("these bytes are no {what} of this version of untied")))
}

/// A document, and the indices of all documents that are preferred to it.
type OrderedDocument<'py> = (Bound<'py, PyAny>, Vec<usize>);
/// A document, and its possible grades above 0 with their probabilities.
type UncertainDocument<'py> = (Bound<'py, PyAny>, Vec<(u32, f64)>);

fn ids(table: &Table) -> Vec<String> {
    (0..table.len()).map(|query| text(table.id(query))).collect()
}

fn documents(table: &Table) -> usize {
    (0..table.len()).map(|query| table.rows(query).len()).sum()
}

/// The documents of one query with their numbers, in the order of the input.
fn rows(table: &Table, query: &Bound<'_, PyAny>) -> PyResult<Vec<(String, f64)>> {
    let found = with_id(query, "a query id", |id| Ok(table.find(id)))?;
    let Some(found) = found else { return Err(PyKeyError::new_err(query.clone().unbind())) };
    let rows = table.rows(found);
    Ok((0..rows.len()).map(|row| (text(rows.doc(row)), rows.column(0)[row])).collect())
}

#[pymethods]
impl Run {
    #[new]
    #[pyo3(signature = (run, *, name = None, format = "auto", columns = None, duplicates = "error", threads = None))]
    fn new<'py>(
        run: &Bound<'py, PyAny>,
        name: Option<&Bound<'py, PyString>>,
        format: &str,
        columns: Option<&Bound<'py, PyAny>>,
        duplicates: &str,
        threads: Option<Threads>,
    ) -> PyResult<Py<Run>> {
        let py = run.py();
        let name = name.map(run_name).transpose()?;
        let unnamed: Py<Run> = AS_RUN.get(py)?.call1((run, threads, format, columns, duplicates))?.extract()?;
        if name.is_none() { Ok(unnamed) } else { Py::new(py, Run(Arc::clone(&unnamed.get().0), name, unnamed.get().2)) }
    }

    /// Return the run with the number of rows of its source that repeated a document.
    fn with_duplicates(&self, duplicates: usize) -> Run {
        Run(Arc::clone(&self.0), self.1.clone(), duplicates)
    }

    /// The run's name, or None if it has none.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.1.as_deref()
    }

    /// Read a run from a file. Call `untied.read_run`, which has defaults.
    #[staticmethod]
    #[pyo3(signature = (path, threads = None, format = "trec", columns = None, ranks = false))]
    fn read(
        py: Python<'_>,
        path: FilePath,
        threads: Option<Threads>,
        format: &str,
        columns: Option<Named>,
        ranks: bool,
    ) -> PyResult<Run> {
        let (path, columns) = (path_text(path)?, named(columns));
        threads::run(py, threads, || run_format(format)?.read_run(&path, &columns, ranks)).map(Run::from)
    }

    /// Make a run from a dict. ``Run(...)`` does the same.
    #[staticmethod]
    #[pyo3(signature = (run, threads = None))]
    fn from_mapping(run: &Bound<'_, PyAny>, threads: Option<Threads>) -> PyResult<Run> {
        let chunks = chunks(run, "run", "score")?;
        threads::run(run.py(), threads, || table::Run::new(chunks, "run")).map(Run::from)
    }

    /// Make a run from a table with Arrow's C stream. ``Run(...)`` does the same.
    #[staticmethod]
    #[pyo3(signature = (table, threads = None, columns = None, source = "run", ranks = false, piece = false))]
    fn from_arrow(
        table: &Bound<'_, PyAny>,
        threads: Option<Threads>,
        columns: Option<Named>,
        source: &str,
        ranks: bool,
        piece: bool,
    ) -> PyResult<Run> {
        let stream = arrow::stream(table, source)?;
        let (kind, columns) = (Content::Run { ranks }, named(columns));
        threads::run(table.py(), threads, || {
            let chunks = arrow::chunks(stream, kind, &columns, source)?;
            table::Run::new(if piece { without_rows(chunks) } else { chunks }, source)
        })
        .map(Run::from)
    }

    /// Make a run from a list of rows. ``Run(...)`` does the same.
    #[staticmethod]
    #[pyo3(signature = (rows, threads = None, columns = None, names = None))]
    fn from_rows(
        rows: &Bound<'_, PyAny>,
        threads: Option<Threads>,
        columns: Option<Named>,
        names: Option<Vec<String>>,
    ) -> PyResult<Run> {
        let chunks = from_rows::chunks(rows, Content::Run { ranks: false }, names, &named(columns), "run")?;
        threads::run(rows.py(), threads, || table::Run::new(chunks, "run")).map(Run::from)
    }

    /// Return the ids of the queries of the run, in byte order.
    fn queries(&self) -> Vec<String> {
        ids(&self.0)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, ids(&self.0))?.try_iter()
    }

    fn __contains__(&self, query: &Bound<'_, PyAny>) -> PyResult<bool> {
        with_id(query, "a query id", |id| Ok(self.0.find(id).is_some()))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, query: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, rows(&self.0, query)?)
    }

    /// Restore a pickled run.
    #[staticmethod]
    #[pyo3(signature = (bytes, name = None, duplicates = 0))]
    fn restore(py: Python<'_>, bytes: &[u8], name: Option<String>, duplicates: usize) -> PyResult<Run> {
        restored(py, bytes, table::Run::restore, "run").map(|run| Run(Arc::new(run), name, duplicates))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<ReducedRun<'py>> {
        let held = slf.get();
        let (restore, (bytes,)) = reduced(slf.as_any(), || held.0.store())?;
        Ok((restore, (bytes, held.1.clone(), held.2)))
    }

    /// A run cannot be changed, so it is its own copy.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (_memo))]
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        let name = self.1.as_ref().map_or_else(String::new, |name| format!(" {}", quote(name.as_bytes())));
        format!("<untied.Run{name}: {} queries, {} documents>", self.0.len(), documents(&self.0))
    }
}

#[pymethods]
impl Lengths {
    #[staticmethod]
    #[pyo3(signature = (path, threads = None))]
    fn read(py: Python<'_>, path: FilePath, threads: Option<Threads>) -> PyResult<Lengths> {
        let path = path_text(path)?;
        threads::run(py, threads, || read::read_lengths(&path)).map(|lengths| Lengths(Arc::new(lengths)))
    }

    #[staticmethod]
    #[pyo3(signature = (docs, threads = None))]
    fn from_mapping(docs: &Bound<'_, PyAny>, threads: Option<Threads>) -> PyResult<Lengths> {
        let chunks = lengths(docs)?;
        let made = threads::run(docs.py(), threads, || table::Lengths::new(chunks, "docs"))?;
        Ok(Lengths(Arc::new(made)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    #[staticmethod]
    fn restore(py: Python<'_>, bytes: &[u8]) -> PyResult<Lengths> {
        restored(py, bytes, table::Lengths::restore, "lengths").map(|lengths| Lengths(Arc::new(lengths)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let held = slf.get();
        reduced(slf.as_any(), || held.0.store())
    }

    /// A run cannot be changed, so it is its own copy.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (_memo))]
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }
}

impl Qrels {
    /// Whether they are preferences between documents, and not grades.
    fn has_preferences(&self) -> bool {
        self.0.detail() == Some(Detail::Preferences)
    }
}

#[pymethods]
impl Qrels {
    #[new]
    #[pyo3(signature = (qrels, *, format = "auto", columns = None, threads = None))]
    fn new<'py>(
        qrels: &Bound<'py, PyAny>,
        format: &str,
        columns: Option<&Bound<'py, PyAny>>,
        threads: Option<Threads>,
    ) -> PyResult<Py<Qrels>> {
        Ok(AS_QRELS.get(qrels.py())?.call1((qrels, threads, format, columns))?.extract()?)
    }

    /// Read qrels from a file. Call `untied.read_qrels`, which has defaults.
    #[staticmethod]
    #[pyo3(signature = (path, threads = None, format = "trec", layout = "trec", columns = None))]
    fn read(
        py: Python<'_>,
        path: FilePath,
        threads: Option<Threads>,
        format: &str,
        layout: &str,
        columns: Option<Named>,
    ) -> PyResult<Qrels> {
        let holds = qrels_format(format).map_err(to_python)?;
        let file = if layout == "trec" { holds } else { qrels_format(layout).map_err(to_python)? };
        let (path, columns) = (path_text(path)?, named(columns));
        threads::run(py, threads, || file.read_qrels(&path, holds.detail, &columns)).map(Qrels)
    }

    /// Make qrels from a dict. ``Qrels(...)`` does the same.
    #[staticmethod]
    #[pyo3(signature = (qrels, threads = None, format = "trec"))]
    fn from_mapping(qrels: &Bound<'_, PyAny>, threads: Option<Threads>, format: &str) -> PyResult<Qrels> {
        let format = qrels_format(if format == "auto" { "trec" } else { format }).map_err(to_python)?;
        if format.has_names {
            return Err(refused(format!("qrels of format {} are tables, not dicts", format.name)));
        }
        let (chunks, make): (_, fn(_, &str) -> _) = match format.detail {
            Some(Detail::Strata) => (chunks_of_pairs(qrels, (STRATUM, 1), (GRADE, 0))?, table::Qrels::with_strata),
            Some(Detail::Inclusion) => {
                (chunks_of_pairs(qrels, (GRADE, 0), (PROBABILITY, 1))?, table::Qrels::with_inclusion)
            }
            Some(Detail::Subtopics) | None if !format.ordered && is_by_subtopic(qrels)? => {
                (chunks_by_subtopic(qrels)?, table::Qrels::with_subtopics)
            }
            Some(Detail::Subtopics | Detail::Preferences | Detail::Probabilities) | None => {
                (chunks(qrels, "qrels", "grade")?, table::Qrels::new)
            }
        };
        threads::run(qrels.py(), threads, || make(chunks, "qrels")).map(Qrels)
    }

    /// Make qrels from preferences: for each query its documents, best first, each with the indices of those preferred to it.
    #[staticmethod]
    #[pyo3(signature = (orders, threads = None))]
    fn from_preferences<'py>(
        py: Python<'py>,
        orders: Vec<(Bound<'py, PyAny>, Vec<OrderedDocument<'py>>)>,
        threads: Option<Threads>,
    ) -> PyResult<Qrels> {
        let bytes = |id: &Bound<'_, PyAny>, what: &str| with_id(id, what, |id| Ok(id.to_vec()));
        let of_query = |(query, documents): (Bound<'py, PyAny>, Vec<OrderedDocument<'py>>)| {
            let row = |(index, (document, preferred)): (usize, OrderedDocument<'py>)| {
                if preferred.iter().any(|&other| other >= index) {
                    return Err(refused("a document comes before one that is preferred to it"));
                }
                Ok((bytes(&document, "a document id")?, preferred))
            };
            Ok((bytes(&query, "a query id")?, documents.into_iter().enumerate().map(row).collect::<PyResult<_>>()?))
        };
        let orders = orders.into_iter().map(of_query).collect::<PyResult<Vec<PreferenceOrder>>>()?;
        threads::run(py, threads, || table::Qrels::with_preferences(&orders)).map(Qrels)
    }

    /// Make qrels from probabilities: for each query its documents, each with its possible grades above 0 and how probable
    /// they are.
    #[staticmethod]
    #[pyo3(signature = (queries, threads = None))]
    fn from_probabilities<'py>(
        py: Python<'py>,
        queries: Vec<(Bound<'py, PyAny>, Vec<UncertainDocument<'py>>)>,
        threads: Option<Threads>,
    ) -> PyResult<Qrels> {
        let bytes = |id: &Bound<'_, PyAny>, what: &str| with_id(id, what, |id| Ok(id.to_vec()));
        let of_query = |(query, documents): (Bound<'py, PyAny>, Vec<UncertainDocument<'py>>)| {
            let row = |(document, grades): UncertainDocument<'py>| {
                let total: f64 = grades.iter().map(|&(_, probability)| probability).sum();
                let ascending = grades.windows(2).all(|pair| pair[0].0 < pair[1].0);
                let positive = grades.iter().all(|&(grade, probability)| grade > 0 && probability > 0.0);
                if !(ascending && positive && total <= 1.0 + 1e-9) {
                    return Err(refused(
                        "grades above 0 ascend, and their probabilities are above 0 and add up to at most 1",
                    ));
                }
                Ok((bytes(&document, "a document id")?, grades))
            };
            Ok((bytes(&query, "a query id")?, documents.into_iter().map(row).collect::<PyResult<_>>()?))
        };
        let queries = queries.into_iter().map(of_query).collect::<PyResult<Vec<UncertainGrades>>>()?;
        threads::run(py, threads, || table::Qrels::with_probabilities(queries)).map(Qrels)
    }

    /// Make qrels from a table with Arrow's C stream. ``Qrels(...)`` does the same.
    #[staticmethod]
    #[pyo3(signature = (table, threads = None, format = "trec", columns = None, source = "qrels", piece = false))]
    fn from_arrow(
        table: &Bound<'_, PyAny>,
        threads: Option<Threads>,
        format: &str,
        columns: Option<Named>,
        source: &str,
        piece: bool,
    ) -> PyResult<Qrels> {
        let detail = detail(format)?;
        let stream = arrow::stream(table, source)?;
        let (kind, columns) = (Content::Qrels(detail), named(columns));
        threads::run(table.py(), threads, || {
            let chunks = arrow::chunks(stream, kind, &columns, source)?;
            table::Qrels::with_detail(if piece { without_rows(chunks) } else { chunks }, detail, source)
        })
        .map(Qrels)
    }

    /// Make qrels from a list of rows. ``Qrels(...)`` does the same.
    #[staticmethod]
    #[pyo3(signature = (rows, threads = None, format = "trec", columns = None, names = None))]
    fn from_rows(
        rows: &Bound<'_, PyAny>,
        threads: Option<Threads>,
        format: &str,
        columns: Option<Named>,
        names: Option<Vec<String>>,
    ) -> PyResult<Qrels> {
        let detail = detail(format)?;
        let chunks = from_rows::chunks(rows, Content::Qrels(detail), names, &named(columns), "qrels")?;
        threads::run(rows.py(), threads, || table::Qrels::with_detail(chunks, detail, "qrels")).map(Qrels)
    }

    /// Return the ids of the judged queries, in byte order.
    fn queries(&self) -> Vec<String> {
        ids(&self.0)
    }

    /// Return all grades that occur, or that may occur if they have probabilities; highest first. Preferences have none.
    fn grades(&self) -> Vec<f64> {
        if self.has_preferences() { Vec::new() } else { self.0.possible_grades() }
    }

    /// Return a copy that also knows the grades of larger qrels, of which these are a part.
    #[allow(clippy::needless_pass_by_value)]
    fn among(&self, grades: Vec<f64>) -> Qrels {
        Qrels(self.0.clone().among(&grades))
    }

    /// Return the documents of a query and their grades by subtopic. Subtopics have numbers, in the order of their ids.
    ///
    /// A document that is not relevant to any has its grade, 0 or -1, in the first one.
    fn by_subtopic<'py>(&self, py: Python<'py>, query: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let profiled = self.0.by_profile(Detail::Subtopics).ok_or_else(|| refused("the qrels have no subtopics"))?;
        let found = with_id(query, "a query id", |id| Ok(profiled.find(id)))?;
        let Some(found) = found else { return Err(PyKeyError::new_err(query.clone().unbind())) };
        let profiles = profiled.judgments(found).profiles();
        let mut subtopics: BTreeMap<u32, Vec<(String, f64)>> = BTreeMap::new();
        for (document, profile) in rows(profiled, query)? {
            let relevant = if profile > 0.0 { &profiles[profile as usize][..] } else { &[(0, profile.max(-1.0))] };
            for &(subtopic, grade) in relevant {
                subtopics.entry(subtopic).or_default().push((document.clone(), grade));
            }
        }
        let dict = PyDict::new(py);
        for (subtopic, graded) in subtopics {
            // With zeros in front, the order of texts is that of numbers.
            dict.set_item(format!("{subtopic:010}"), graded.into_py_dict(py)?)?;
        }
        Ok(dict)
    }

    /// Return the positions of queries in which no document is judged.
    fn unanswered(&self) -> HashSet<usize> {
        (0..self.0.len()).filter(|&query| self.0.rows(query).is_empty()).collect()
    }

    /// Return a copy without the queries at some positions.
    fn without(&self, py: Python<'_>, queries: HashSet<usize>, threads: Option<Threads>) -> PyResult<Qrels> {
        threads::run(py, threads, || self.0.without(&queries)).map(Qrels)
    }

    /// The number of judgments that do not count, because an earlier one is about the same document.
    #[getter]
    fn repeated(&self) -> usize {
        self.0.repeated()
    }

    /// The format that these qrels need: ``"trec"`` if there are only grades, otherwise one such as ``"subtopics"``.
    #[getter]
    fn format(&self) -> &'static str {
        self.0.detail().map_or("trec", Detail::format)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, ids(&self.0))?.try_iter()
    }

    fn __contains__(&self, query: &Bound<'_, PyAny>) -> PyResult<bool> {
        with_id(query, "a query id", |id| Ok(self.0.find(id).is_some()))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, query: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        if self.has_preferences() {
            return Err(refused("the qrels have only preferences between documents, and no grades"));
        }
        let dict = PyDict::new(py);
        for (document, grade) in rows(&self.0, query)? {
            dict.set_item(document, grade)?;
        }
        Ok(dict)
    }

    /// Return the place of each document of a query: 1, and 1 more for each document that is preferred to it.
    fn places<'py>(&self, py: Python<'py>, query: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        if !self.has_preferences() {
            return Err(refused("the qrels have grades, and no preferences between documents"));
        }
        let dict = PyDict::new(py);
        let judged = rows(&self.0, query)?;
        for (document, unbeaten) in &judged {
            dict.set_item(document, judged.len() + 1 - *unbeaten as usize)?;
        }
        Ok(dict)
    }

    /// Return the grade of each document of a query, with its stratum or its probability of inclusion.
    fn drawn<'py>(&self, py: Python<'py>, query: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        if !matches!(self.0.detail(), Some(Detail::Strata | Detail::Inclusion)) {
            return Err(refused("the qrels have no strata and no probabilities of inclusion"));
        }
        let found = with_id(query, "a query id", |id| Ok(self.0.find(id)))?;
        let Some(found) = found else { return Err(PyKeyError::new_err(query.clone().unbind())) };
        let (dict, judged) = (PyDict::new(py), self.0.rows(found));
        for row in 0..judged.len() {
            dict.set_item(text(judged.doc(row)), (judged.column(0)[row], judged.column(1)[row]))?;
        }
        Ok(dict)
    }

    /// Restore pickled qrels.
    #[staticmethod]
    fn restore(py: Python<'_>, bytes: &[u8]) -> PyResult<Qrels> {
        restored(py, bytes, table::Qrels::restore, "qrels").map(Qrels)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let held = slf.get();
        reduced(slf.as_any(), || held.0.store())
    }

    /// Qrels cannot be changed, so they are their own copy.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (_memo))]
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        format!("<untied.Qrels: {} queries, {} judgments>", self.0.len(), documents(&self.0))
    }
}
