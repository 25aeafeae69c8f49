//! Distributions over orders of ties, for Python.

use pyo3::prelude::*;
use untied_core::error::text;
use untied_core::evaluate;
use untied_core::law::{self, Atom, Chances, Law};
use untied_core::table;

use crate::threads::{self, Threads};

/// The distributions of one run's values.
#[pyclass(frozen, module = "untied._core")]
pub struct Laws {
    queries: Vec<String>,
    totals: Vec<Option<Law>>,
    /// For each measure, the distribution of every query, if they were kept.
    of_queries: Vec<Vec<Option<Law>>>,
}

/// The lower distribution, and the upper one if it is different.
type Held = (Vec<Atom>, Option<Vec<Atom>>);

/// Lower and upper bounds of P(A > B), P(A = B) and P(A < B).
type Compared = ((f64, f64), (f64, f64), (f64, f64));

fn held(law: &Law) -> Held {
    (law.lower().to_vec(), (!law.is_exact()).then(|| law.upper().to_vec()))
}

fn from_held((lower, upper): Held) -> Law {
    match upper {
        None => Law::new(lower),
        Some(upper) => Law::enclosed(lower, upper),
    }
}

fn compared(Chances { greater, equal, less }: Chances) -> Compared {
    (greater, equal, less)
}

impl Laws {
    pub fn new(found: evaluate::Laws, qrels: &table::Qrels) -> Laws {
        let evaluate::Laws { queries, totals, of_queries } = found;
        Laws { queries: queries.iter().map(|&query| text(qrels.id(query))).collect(), totals, of_queries }
    }

    /// The distribution of a measure, for the query in a row, or for the mean.
    fn get(&self, measure: usize, row: Option<usize>) -> Option<&Law> {
        row.map_or(&self.totals, |row| &self.of_queries[row])[measure].as_ref()
    }
}

#[pymethods]
impl Laws {
    /// The laws that `parts` took apart.
    #[staticmethod]
    fn of(queries: Vec<String>, totals: Vec<Option<Held>>, of_queries: Vec<Vec<Option<Held>>>) -> Laws {
        let all = |laws: Vec<Option<Held>>| laws.into_iter().map(|one| one.map(from_held)).collect();
        Laws { queries, totals: all(totals), of_queries: of_queries.into_iter().map(all).collect() }
    }

    /// All distributions as plain data.
    #[allow(clippy::type_complexity)]
    fn parts(&self) -> (Vec<String>, Vec<Option<Held>>, Vec<Vec<Option<Held>>>) {
        let all = |laws: &Vec<Option<Law>>| laws.iter().map(|one| one.as_ref().map(held)).collect();
        (self.queries.clone(), all(&self.totals), self.of_queries.iter().map(all).collect())
    }

    fn queries(&self) -> Vec<String> {
        self.queries.clone()
    }

    /// Whether distributions of queries were kept.
    fn has_queries(&self) -> bool {
        !self.of_queries.is_empty()
    }

    /// A distribution, or none if there is no value.
    #[pyo3(signature = (measure, row=None))]
    fn law(&self, measure: usize, row: Option<usize>) -> Option<Held> {
        self.get(measure, row).map(held)
    }

    /// Whether it is exact.
    #[pyo3(signature = (measure, row=None))]
    fn is_exact(&self, measure: usize, row: Option<usize>) -> bool {
        self.get(measure, row).is_none_or(Law::is_exact)
    }

    /// Lower and upper bounds of quantiles.
    #[pyo3(signature = (measure, levels, row=None))]
    fn quantiles(&self, measure: usize, levels: Vec<f64>, row: Option<usize>) -> Vec<(f64, f64)> {
        let law = self.get(measure, row);
        levels.iter().map(|&level| law.map_or((f64::NAN, f64::NAN), |law| law.quantile(level))).collect()
    }

    /// Lower and upper bounds of the probability of a value of at most x.
    #[pyo3(signature = (measure, x, row=None))]
    fn at_most(&self, measure: usize, x: f64, row: Option<usize>) -> (f64, f64) {
        self.get(measure, row).map_or((f64::NAN, f64::NAN), |law| law.at_most(x))
    }

    /// The probabilities that a value is above, equal to and below the value of another run.
    #[pyo3(signature = (other, measure, rows=None))]
    fn against(&self, other: &Laws, measure: usize, rows: Option<(usize, usize)>) -> Option<Compared> {
        let (mine, theirs) = rows.unzip();
        Some(compared(self.get(measure, mine)?.against(other.get(measure, theirs)?)))
    }
}

/// For each measure, the same probabilities for the means of every two runs.
#[pyfunction]
#[pyo3(signature = (laws, threads))]
pub fn compare_laws(
    py: Python<'_>,
    laws: Vec<Py<Laws>>,
    threads: Option<Threads>,
) -> PyResult<Vec<Vec<Option<Compared>>>> {
    let totals: Vec<&[Option<Law>]> = laws.iter().map(|laws| laws.get().totals.as_slice()).collect();
    let pairs = threads::run(py, threads, || law::compare_all(&totals))?;
    Ok(pairs.into_iter().map(|measures| measures.into_iter().map(|chances| chances.map(compared)).collect()).collect())
}
