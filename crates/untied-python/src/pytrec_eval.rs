//! `untied.compat.pytrec_eval`: dicts in, a dict of dicts out, in one call and with trec_eval's names.

use std::collections::HashMap;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use untied_core::Error;
use untied_core::evaluate::{Prepared, Streamed};
use untied_core::names::{GEOMETRIC_FLOOR, Spec};
use untied_core::ranking::Precision;
use untied_core::settings::{Queries, Settings, Take, Unjudged};
use untied_core::table;
use untied_trec_eval::{Context, Kind, Requested, Version, build, measures, nicknames};

use crate::convert::{RecentNumbers, items, with_id};
use crate::errors::{refused, to_python};
use crate::mappings::{Taken, place};
use crate::policies::Policies;
use crate::threads;

/// Names of trec_eval 9's measures, and its nicknames with what they stand for.
#[pyfunction]
pub fn trec_eval_names() -> (Vec<&'static str>, HashMap<&'static str, Vec<&'static str>>) {
    (measures(Version::Nine).collect(), nicknames(Version::Nine).collect())
}

/// Documents of a run that are taken over before they are evaluated.
const PIECE: usize = 1 << 14;

/// What stands under a key of a topic's results.
enum Entry {
    Constant(f64),
    Value(usize),
    /// The logarithm that a geometric mean is made from.
    Log(usize),
}

/// Qrels and measures, as pytrec_eval takes them.
#[pyclass(frozen, module = "untied._core")]
pub struct TrecEvaluator {
    qrels: table::Qrels,
    prepared: Prepared,
    entries: Vec<(Py<PyString>, Entry)>,
    /// Whether scores are read as 32-bit floats.
    single: bool,
}

#[pymethods]
impl TrecEvaluator {
    #[new]
    #[pyo3(signature = (qrels, measures, policies, *, level, judged_only))]
    fn new(
        py: Python<'_>,
        qrels: &Bound<'_, PyAny>,
        measures: Vec<String>,
        policies: &Policies,
        level: &Bound<'_, PyAny>,
        judged_only: bool,
    ) -> PyResult<TrecEvaluator> {
        let Some(level) = level.extract().ok().filter(|&level: &f64| level > 0.0 && level.is_finite()) else {
            let found = level.repr()?;
            return Err(PyTypeError::new_err(format!("relevance_level must be a number above 0, not {found}")));
        };
        // Scores are rounded when they are taken over, where infinite ones pass too.
        let single = policies.settings.precision == Precision::Float32;
        let settings = Settings {
            queries: Queries::Common,
            unjudged: Unjudged { kept: !judged_only, take: Take::Mean },
            precision: Precision::Float64,
            ..policies.settings
        };
        let mut specs = Vec::new();
        let entries = entries(&measures, level, &mut specs).map_err(to_python)?;
        let finite = |grade: f64| grade.is_finite().then_some(grade);
        let mut taken = Taken::new(qrels);
        take(&mut taken, qrels, ("query_relevance", "relevance"), |_, _| true, finite, |_| Ok(()))?;
        let qrels = threads::run(py, None, || table::Qrels::new(taken.chunks(), "query_relevance"))?;
        let prepared = Prepared::built_by(build, specs, settings, &qrels, None).map_err(to_python)?;
        let entries = entries.into_iter().map(|(name, entry)| (PyString::intern(py, &name).unbind(), entry)).collect();
        Ok(TrecEvaluator { qrels, prepared, entries, single })
    }

    fn evaluate<'py>(&self, py: Python<'py>, scores: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let mut topics = Vec::new();
        let judged = |query: &Bound<'py, PyAny>, id: &[u8]| {
            let number = self.qrels.find(id);
            topics.extend(number.map(|number| (plain(query, id), number)));
            number.is_some()
        };
        let read = |score: f64| {
            let score = if self.single { f64::from(score as f32) } else { score };
            (!score.is_nan()).then_some(score)
        };
        // Piece by piece, in the same room, which stays in the cache.
        let (mut streamed, mut taken) = (Streamed::new("scores", &self.qrels, &self.prepared), Taken::default());
        take(&mut taken, scores, ("scores", "score"), judged, read, |taken| {
            if taken.rows() >= PIECE {
                let chunks = std::mem::take(taken).chunks();
                let free = threads::run(py, None, || streamed.push(&self.qrels, &self.prepared, chunks))?;
                *taken = Taken::reusing(free);
                taken.are_distinct = true;
            }
            Ok(())
        })?;
        let results = PyDict::new(py);
        if topics.is_empty() {
            return Ok(results);
        }
        let evaluation = threads::run(py, None, || {
            streamed.push(&self.qrels, &self.prepared, taken.chunks())?;
            streamed.finish(&self.qrels, &self.prepared)
        })?;
        for (topic, number) in topics {
            let values = PyDict::new(py);
            // Every topic of the run that is judged has been evaluated.
            let row = evaluation.queries.partition_point(|&other| other < number);
            for (key, entry) in &self.entries {
                let value = match *entry {
                    Entry::Constant(value) => value,
                    Entry::Value(measure) => evaluation.value(row, measure).mean,
                    Entry::Log(measure) => evaluation.value(row, measure).mean.max(GEOMETRIC_FLOOR).ln(),
                };
                values.set_item(key, value)?;
            }
            results.set_item(topic, values)?;
        }
        Ok(results)
    }
}

/// A topic's id as a str, also of subclasses, whose own text may be another.
fn plain<'py>(query: &Bound<'py, PyAny>, id: &[u8]) -> Bound<'py, PyAny> {
    match query.is_exact_instance_of::<PyString>() {
        true => query.clone(),
        false => PyString::new(query.py(), &String::from_utf8_lossy(id)).into_any(),
    }
}

/// The keys of a topic's results; each measure stands in `specs` once.
fn entries(measures: &[String], level: f64, specs: &mut Vec<Spec>) -> Result<Vec<(String, Entry)>, Error> {
    let mut requested = Requested::new(Version::Nine);
    measures.iter().try_for_each(|measure| requested.add(measure))?;
    if measures.is_empty() {
        return Ok(Vec::new());
    }
    let mut known = HashMap::new();
    let mut place = |spec: Spec| {
        *known.entry(spec.to_string()).or_insert_with(|| {
            specs.push(spec);
            specs.len() - 1
        })
    };
    let context = Context { version: Version::Nine, level, collection: 0 };
    let lines = requested.printed(&context)?.into_iter().map(|line| {
        let entry = match line.kind {
            Kind::Topics => Entry::Constant(1.0),
            Kind::Tag | Kind::Relevances(_) => Entry::Constant(0.0),
            Kind::Count(spec) | Kind::Mean(spec) => Entry::Value(place(spec)),
            Kind::Geometric(spec) => Entry::Log(place(spec)),
            Kind::Failing(why) => return Err(Error::Measure(format!("{}: {why}", line.name))),
            Kind::Groups(_) | Kind::Preference => {
                return Err(Error::Measure(format!("unsupported measure {}", line.name)));
            }
        };
        Ok((line.key, entry))
    });
    lines.collect()
}

/// Take over `{query: {document: number}}`, where all ids must be strings; of the queries those that `keep` accepts,
/// and of their numbers what `read` makes of them. After each query, `end` is called.
fn take<'py>(
    taken: &mut Taken,
    source: &Bound<'py, PyAny>,
    (what, number): (&str, &str),
    mut keep: impl FnMut(&Bound<'py, PyAny>, &[u8]) -> bool,
    read: impl Fn(f64) -> Option<f64>,
    mut end: impl FnMut(&mut Taken) -> PyResult<()>,
) -> PyResult<()> {
    let check_id = |id: &Bound<'_, PyAny>, of: &str| match id.is_instance_of::<PyString>() {
        true => Ok(()),
        false => Err(PyTypeError::new_err(format!("{what}: a {of} id must be a str, not {}", id.get_type().name()?))),
    };
    let mut numbers = RecentNumbers::default();
    taken.are_distinct = true;
    items(
        source,
        || Ok(what.into()),
        |query, documents| {
            check_id(query, "query")?;
            let kept = with_id(query, "a query id", |id| {
                let kept = keep(query, id);
                if kept {
                    taken.start_query(id);
                }
                Ok(kept)
            })?;
            if !kept {
                return Ok(());
            }
            taken.are_distinct &= documents.is_exact_instance_of::<PyDict>();
            let what = || Ok(format!("{what}[{}]", query.repr()?));
            items(documents, what, |document, value| {
                if !document.is_exact_instance_of::<PyString>() {
                    check_id(document, "document")?;
                }
                let Some(value) = numbers.of(value).or_else(|| value.extract().ok()) else {
                    let (place, found) = (place(query, document), value.repr()?);
                    return Err(PyTypeError::new_err(format!("{place}: {number} must be a number, not {found}")));
                };
                match read(value) {
                    Some(value) => taken.push(document, value),
                    None => {
                        let place = place(query, document);
                        Err(refused(format!("{place}: {number} cannot be {value}")))
                    }
                }
            })?;
            end(taken)
        },
    )
}
