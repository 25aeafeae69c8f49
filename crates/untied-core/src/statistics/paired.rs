//! The differences between two runs by query, with their bounds over orders of ties and grades of unjudged documents.

use std::cmp::Ordering::Less;

use super::sum::{mean, sum};
use crate::elementary::exp;
use crate::equality::{are_equal, difference, is_rounding, without_rounding};
use crate::error::{Error, Result};
use crate::names::{Aggregate, Spec};

/// How far rounding may move a bound beyond an evaluated difference.
const SLACK: f64 = 1e-9;

/// The values of one measure for a run, as terms of the measure's aggregate: one for each query, or NaN if it is
/// undefined.
#[derive(Debug)]
pub struct RunValues {
    run: String,
    /// The aggregate of the terms.
    pub aggregate: Aggregate,
    lower_is_better: bool,
    pub(super) terms: Vec<f64>,
    /// The lowest and the highest terms, if values have bounds.
    ends: Option<[Vec<f64>; 2]>,
}

impl RunValues {
    /// The values of all queries, with their bounds if there are any. A bound that is NaN is the value itself.
    ///
    /// # Errors
    /// The measure's parameter `mean` is invalid, or there are not as many bounds as values.
    pub fn new(run: &str, spec: &Spec, mut values: Vec<f64>, mut ends: Option<[Vec<f64>; 2]>) -> Result<RunValues> {
        let aggregate = spec.aggregate()?;
        values.iter_mut().for_each(|value| *value = aggregate.term(*value));
        for end in ends.iter_mut().flatten() {
            check_length(end, &values)?;
            let terms = end.iter_mut().zip(&values);
            terms.for_each(|(end, &value)| *end = if end.is_nan() { value } else { aggregate.term(*end) });
        }
        Ok(RunValues { run: run.into(), aggregate, lower_is_better: spec.info.lower_is_better, terms: values, ends })
    }

    /// The terms that are defined.
    pub fn defined(&self) -> Vec<f64> {
        self.terms.iter().copied().filter(|term| !term.is_nan()).collect()
    }

    /// The aggregate, from a mean of terms such as a confidence limit.
    pub fn of_mean(&self, mean: f64) -> f64 {
        if self.aggregate == Aggregate::Geometric {
            exp(mean)
        } else {
            self.aggregate.difference(mean, self.defined().len())
        }
    }

    /// The pairs of lists whose differences may be tested: the terms of both runs, or the lowest terms of one and the
    /// highest of the other.
    pub(super) fn opposite<'a>(a: &'a RunValues, b: &'a RunValues) -> impl Iterator<Item = (&'a [f64], &'a [f64])> {
        let [low_a, high_a] = a.either_end();
        let [low_b, high_b] = b.either_end();
        [(a.terms.as_slice(), b.terms.as_slice()), (low_a, high_b), (high_a, low_b)].into_iter()
    }

    /// The lists of the lowest and of the highest terms.
    fn either_end(&self) -> [&[f64]; 2] {
        self.ends.as_ref().map_or([&self.terms; 2], |[low, high]| [low, high])
    }

    /// The lowest and the highest term of a query.
    fn ends(&self, row: usize) -> [f64; 2] {
        self.ends.as_ref().map_or([self.terms[row]; 2], |[low, high]| [low[row], high[row]])
    }

    /// The lowest and the highest term of a query for which one of two runs has no value. NaN if no judgments could
    /// give this run a value.
    fn open_ends(&self, row: usize, other: &RunValues) -> [f64; 2] {
        let (ends, other_is_open) = (self.ends(row), other.terms[row].is_nan() && !other.ends(row)[0].is_nan());
        if ends[0].is_nan() && other_is_open && !self.lower_is_better {
            // If a document of the other run is relevant, this run retrieves nothing relevant, and has 0.
            return [self.aggregate.term(0.0); 2];
        }
        ends
    }
}

/// How one run compares with another over all orders of ties and all grades of unjudged documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is always better.
    Better,
    /// It is always worse.
    Worse,
    /// Both are always equal.
    Equal,
    /// It depends on the order or the grades.
    Open,
    /// Nothing follows from the bounds, because they do not contain the evaluated difference. This happens to Bpref,
    /// which ignores unjudged documents, while its bounds give each of them a grade.
    Unknown,
}

impl Standing {
    /// The name in pages and in Python.
    pub fn name(self) -> &'static str {
        ["better", "worse", "equal", "open", "unknown"][self as usize]
    }
}

/// The differences of two runs, for the queries for which both have a value.
#[derive(Debug)]
pub struct PairedValues {
    /// The terms of the first run minus those of the second.
    pub differences: Vec<f64>,
    /// How many queries are left out, and how many of these would count with some grades of unjudged documents.
    pub dropped: [usize; 2],
    /// The aggregates of both runs.
    pub means: [f64; 2],
    /// The difference of the aggregates.
    pub difference: f64,
    /// How many queries have a difference above, equal to and below 0; see [`crate::equality`].
    pub counts: [usize; 3],
    /// The smallest and the largest difference of the aggregates, whichever of the uncertain queries count.
    pub ends: [f64; 2],
    /// The differences within the bounds that have the largest two-sided p-value. Empty if their sum can be 0, because
    /// p is 1 then. A query that does not count would have the difference 0, which changes no p-value.
    pub nearest: Vec<f64>,
    /// Whether the bounds of every query contain its evaluated difference.
    is_enclosed: bool,
    lower_is_better: bool,
}

impl PairedValues {
    /// Compares two runs query by query. `bounds` has the lowest and the highest difference of each query, and whether
    /// every query may count. Without it, each run has its own bounds. A query for which a run has no value may count
    /// only if the bounds of both runs allow it.
    ///
    /// # Errors
    /// No query has a value for both runs, or the runs have different numbers of queries.
    pub fn new(a: &RunValues, b: &RunValues, bounds: Option<([&[f64]; 2], bool)>) -> Result<PairedValues> {
        for column in bounds.iter().flat_map(|(ends, _)| ends).chain([&b.terms.as_slice()]) {
            check_length(column, &a.terms)?;
        }
        let is_defined = |&row: &usize| !a.terms[row].is_nan() && !b.terms[row].is_nan();
        let (both, others): (Vec<usize>, Vec<usize>) = (0..a.terms.len()).partition(is_defined);
        if both.is_empty() {
            return Err(Error::Value(format!("runs {} and {} have no query with a value for both", a.run, b.run)));
        }
        let total = |column: &RunValues| sum(both.iter().map(|&row| column.terms[row]));
        let difference_of = |x: f64, y: f64| match a.aggregate {
            Aggregate::Geometric if are_equal(exp(x), exp(y)) => 0.0,
            _ => difference(x, y),
        };
        let differences = Differences::new(both.iter().map(|&row| (a.terms[row], b.terms[row])), difference_of);
        let (magnitude, mean, differences) = (differences.magnitude, differences.mean(), differences.tied());
        let count = |is: fn(f64) -> bool| differences.iter().filter(|&&difference| is(difference)).count();
        let (above, below) = (count(|x| x > 0.0), count(|x| x < 0.0));
        let ends = |a: [f64; 2], b: [f64; 2]| [difference_of(a[0], b[1]), difference_of(a[1], b[0])];
        let closed = |&row: &usize| match bounds {
            // Bounds are widened to contain the tested difference. They may miss it by rounding, or for Bpref, which
            // ignores unjudged documents.
            Some(([low, high], _)) => {
                let difference = difference_of(a.terms[row], b.terms[row]);
                [low[row].min(difference), high[row].max(difference)]
            }
            None => ends(a.ends(row), b.ends(row)),
        };
        let open = |&row: &usize| {
            let independent = ends(a.open_ends(row, b), b.open_ends(row, a));
            let may_count = !independent[0].is_nan() || bounds.is_some_and(|(_, all_may_count)| all_may_count);
            may_count.then(|| bounds.map_or(independent, |([low, high], _)| [low[row], high[row]]))
        };
        let is_enclosed = bounds.is_none_or(|([low, high], _)| {
            let mut rows = both.iter().zip(&differences);
            rows.all(|(&row, &difference)| low[row] - SLACK <= difference && difference <= high[row] + SLACK)
        });
        let closed: Vec<[f64; 2]> = both.iter().map(closed).collect();
        let open: Vec<[f64; 2]> = others.iter().filter_map(open).collect();
        Ok(PairedValues {
            dropped: [others.len(), open.len()],
            means: [total(a), total(b)].map(|sum| a.aggregate.of_sum(sum, both.len() as f64)),
            difference: a.aggregate.difference(mean, differences.len()),
            counts: [above, both.len() - above - below, below],
            ends: [0, 1].map(|end| extreme_aggregate(&closed, &open, end, a.aggregate, magnitude)),
            nearest: nearest_to_0(&closed, &open, magnitude),
            is_enclosed,
            lower_is_better: a.lower_is_better,
            differences,
        })
    }

    /// How the first run compares with the second.
    pub fn standing(&self) -> Standing {
        let [low, high] = self.ends;
        match (self.is_enclosed, low > 0.0, high < 0.0) {
            (false, ..) => Standing::Unknown,
            (_, true, _) if self.lower_is_better => Standing::Worse,
            (_, _, true) if self.lower_is_better => Standing::Better,
            (_, true, _) => Standing::Better,
            (_, _, true) => Standing::Worse,
            _ if low == 0.0 && high == 0.0 => Standing::Equal,
            _ => Standing::Open,
        }
    }

    /// The quantiles 0.05, 0.5 and 0.95 of the differences, interpolated linearly.
    pub fn quantiles(&self) -> [f64; 3] {
        let mut ordered = self.differences.clone();
        ordered.sort_unstable_by(f64::total_cmp);
        [0.05, 0.5, 0.95].map(|share| {
            let place = share * (ordered.len() - 1) as f64;
            let (below, above) = (place as usize, (place as usize + 1).min(ordered.len() - 1));
            ordered[below] + (place - below as f64) * (ordered[above] - ordered[below])
        })
    }
}

/// The differences of pairs of values, query by query.
#[derive(Debug)]
pub struct Differences {
    /// The difference of each query. It is 0 if it is only rounding.
    values: Vec<f64>,
    /// The larger magnitude of the two values of each query.
    magnitudes: Vec<f64>,
    /// The mean of the magnitudes. Rounding of the mean difference is relative to it.
    magnitude: f64,
}

impl Differences {
    /// The difference of each pair of values.
    pub fn new(pairs: impl Iterator<Item = (f64, f64)> + Clone, difference: impl Fn(f64, f64) -> f64) -> Differences {
        let magnitudes: Vec<f64> = pairs.clone().map(|(a, b)| a.abs().max(b.abs())).collect();
        let values = pairs.map(|(a, b)| difference(a, b)).collect();
        Differences { values, magnitude: mean(&magnitudes), magnitudes }
    }

    /// The mean difference. It is 0 if it is only rounding.
    pub fn mean(&self) -> f64 {
        without_rounding(mean(&self.values), self.magnitude)
    }

    /// The differences of the queries, for tests by ranks. Magnitudes that differ only by rounding are made equal.
    pub fn tied(self) -> Vec<f64> {
        let Differences { mut values, magnitudes, .. } = self;
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_unstable_by(|&a, &b| values[a].abs().total_cmp(&values[b].abs()));
        let mut first = order.first().copied().unwrap_or(0);
        for row in order {
            let (least, value) = (values[first].abs(), values[row]);
            if is_rounding(value.abs() - least, magnitudes[first].max(magnitudes[row])) {
                values[row] = least.copysign(value);
            } else {
                first = row;
            }
        }
        values
    }
}

/// The smallest (end 0) or the largest (end 1) aggregate of differences within bounds. The queries of `closed` count,
/// and those of `open` if they move the aggregate further. The aggregate is 0 if it is only rounding of values of a
/// mean magnitude.
fn extreme_aggregate(closed: &[[f64; 2]], open: &[[f64; 2]], end: usize, aggregate: Aggregate, magnitude: f64) -> f64 {
    let sign = if end == 0 { 1.0 } else { -1.0 };
    let mut chosen: Vec<f64> = closed.iter().map(|ends| ends[end]).collect();
    let mut may_count: Vec<f64> = open.iter().map(|ends| ends[end]).collect();
    may_count.sort_unstable_by(|x, y| (sign * x).total_cmp(&(sign * y)));
    let mut total = sum(chosen.iter().copied());
    for difference in may_count {
        let now = if aggregate == Aggregate::Sum { 0.0 } else { total / chosen.len() as f64 };
        if (sign * difference).partial_cmp(&(sign * now)) != Some(Less) {
            break;
        }
        chosen.push(difference);
        total += difference;
    }
    aggregate.difference(mean_of_bounds(&chosen, magnitude), chosen.len())
}

/// The mean of bounds of differences. It is 0 if it can be a rounding error, given the magnitude of the values and of
/// the bounds, which may be larger.
fn mean_of_bounds(differences: &[f64], magnitude: f64) -> f64 {
    let largest = magnitude.max(sum(differences.iter().map(|difference| difference.abs())) / differences.len() as f64);
    without_rounding(mean(differences), largest)
}

/// The differences within bounds whose mean is nearest to 0. Empty if it can be 0.
fn nearest_to_0(closed: &[[f64; 2]], open: &[[f64; 2]], magnitude: f64) -> Vec<f64> {
    for (end, sign) in [(0, 1.0), (1, -1.0)] {
        let may_count = open.iter().filter(|ends| sign * ends[end] < 0.0);
        let extreme: Vec<f64> = closed.iter().chain(may_count).map(|ends| ends[end]).collect();
        if sign * mean_of_bounds(&extreme, magnitude) > 0.0 {
            return extreme;
        }
    }
    Vec::new()
}

/// Checks that there is a value for each query.
fn check_length(values: &[f64], queries: &[f64]) -> Result<()> {
    if values.len() == queries.len() {
        return Ok(());
    }
    Err(Error::Value(format!("expected values of {} queries, found {}", queries.len(), values.len())))
}
