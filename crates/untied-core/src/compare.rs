//! Two runs and similarities in; a value for every query of both and every similarity out.

use rayon::prelude::*;

use crate::error::{Error, Result, show};
use crate::measures::Spec;
use crate::ranking::{Order, Pair, Precision};
use crate::similarity::{Overlaps, Score, build};
use crate::table::{Rows, Run};

/// What becomes of tied documents before rankings are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// They stay tied: values are means over all orders.
    #[default]
    Expected,
    /// They stand by document id, descending.
    Document,
    /// They stand as the input has them.
    Given,
}

/// How to compare.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// See [`Ties`].
    pub ties: Ties,
    /// See [`Precision`].
    pub precision: Precision,
    /// Whether to compute variances over tie orders.
    pub variance: bool,
}

impl Settings {
    /// Settings by the names of their values; ties `trec` is `docid` over 32-bit scores.
    ///
    /// # Errors
    /// Nothing has such a name, or `trec` meets another precision.
    pub fn new(ties: &str, precision: &str, variance: bool) -> Result<Settings> {
        let Some(mut read) = Precision::parse(precision) else {
            return unknown("score_dtype", "float64, float32, float16, bfloat16 or decimals=N", precision);
        };
        let by_name = match ties {
            "expected" => Ties::Expected,
            "docid" | "trec" => Ties::Document,
            "given" => Ties::Given,
            _ => return unknown("ties", "expected, docid, trec or given", ties),
        };
        if ties == "trec" {
            if !matches!(read, Precision::Float64 | Precision::Float32) {
                let message = "ties 'trec' reads scores as float32; it goes with no other score_dtype";
                return Err(Error::Value(message.into()));
            }
            read = Precision::Float32;
        }
        Ok(Settings { ties: by_name, precision: read, variance })
    }
}

fn unknown<T>(option: &str, expected: &str, found: &str) -> Result<T> {
    Err(Error::Value(format!("{option} must be {expected}, not '{}'", show(found.as_bytes()))))
}

/// The values of two runs.
#[derive(Debug)]
pub struct Comparison {
    /// The queries of both runs, by their numbers in the first.
    pub queries: Vec<usize>,
    /// Values, query by query.
    pub values: Vec<Score>,
    /// For each similarity, the mean over queries.
    pub totals: Vec<Score>,
    /// Queries that only the first and only the second run has.
    pub alone: (usize, usize),
}

/// Compare two runs, in parallel over queries.
///
/// # Errors
/// A similarity or a score is refused, or the runs have no query in common.
pub fn compare(a: &Run, b: &Run, specs: &[Spec], settings: Settings) -> Result<Comparison> {
    let similarities = specs.iter().map(build).collect::<Result<Vec<_>>>()?;
    let both: Vec<(usize, usize)> = (0..a.len()).filter_map(|query| Some((query, b.find(a.id(query))?))).collect();
    if both.is_empty() {
        return Err(Error::Value("the runs have no query in common".into()));
    }
    let of_query = |orders: &mut (Order, Order), &(in_a, in_b): &(usize, usize)| -> Result<Vec<Score>> {
        let rows = (a.rows(in_a), b.rows(in_b));
        sort(&mut orders.0, a, in_a, &rows.0, settings)?;
        sort(&mut orders.1, b, in_b, &rows.1, settings)?;
        let overlaps = Overlaps::new(Pair::join((&rows.0, &orders.0), (&rows.1, &orders.1)));
        Ok(similarities.iter().map(|similarity| similarity.score(&overlaps, settings.variance)).collect())
    };
    let values: Vec<Vec<Score>> = both.par_iter().map_init(Default::default, of_query).collect::<Result<_>>()?;
    let values: Vec<Score> = values.into_iter().flatten().collect();
    let total = |number: usize| mean(values.iter().skip(number).step_by(specs.len()));
    Ok(Comparison {
        totals: (0..specs.len()).map(total).collect(),
        alone: (a.len() - both.len(), b.len() - both.len()),
        queries: both.into_iter().map(|(query, _)| query).collect(),
        values,
    })
}

/// Sort a query of a run, and part its ties as asked for.
fn sort(order: &mut Order, run: &Run, query: usize, rows: &Rows<'_>, settings: Settings) -> Result<()> {
    order.sort(run.scores(query), settings.precision).map_err(|score| {
        let id = show(run.id(query));
        Error::Value(format!("a score of query {id} does not fit score_dtype: {score}"))
    })?;
    if settings.ties == Ties::Document {
        let mut start = 0;
        for &end in &order.ends {
            let group = &mut order.rows[start..end as usize];
            group.sort_unstable_by(|&one, &other| rows.doc(other as usize).cmp(rows.doc(one as usize)));
            start = end as usize;
        }
    }
    if settings.ties != Ties::Expected {
        order.ends.clear();
        order.ends.extend(1..=order.rows.len() as u32);
    }
    Ok(())
}

/// Means of values and bounds; orders of different queries are independent.
fn mean<'a>(scores: impl Iterator<Item = &'a Score>) -> Score {
    let (mut n, mut sum) = (0.0, Score::constant(0.0));
    for score in scores {
        n += 1.0;
        sum.value += score.value;
        sum.range = sum.range.zip(score.range).map(|(sum, one)| (sum.0 + one.0, sum.1 + one.1));
        sum.variance = sum.variance.zip(score.variance).map(|(sum, one)| sum + one);
    }
    Score {
        value: sum.value / n,
        range: sum.range.map(|(low, high)| (low / n, high / n)),
        variance: sum.variance.map(|variance| variance / (n * n)),
    }
}
