//! The randomised Tukey HSD test for many runs over the same queries (Carterette 2012).
//!
//! If all runs are equally good, the values of a query could belong to the runs in any order. The test shuffles the values
//! of each query among the runs, and compares the difference of two means with the largest difference of two means after
//! each shuffle. Every pair of runs is tested against this one distribution.

use rayon::prelude::*;

use super::{RunValues, on_grid};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::{memory, watch};

/// The observed sums of all runs, and the largest differences of sums after shuffles, in steps of a grid.
#[derive(Debug)]
pub struct Ranges {
    /// The observed sum of each run.
    sums: Vec<i64>,
    /// The largest difference of two sums after each shuffle, ascending.
    largest: Vec<i64>,
    /// How far rounding to the grid may have moved a difference.
    slack: i64,
}

impl Ranges {
    /// The number of shuffles whose largest difference is at least that of two runs.
    pub fn at_least(&self, a: usize, b: usize) -> usize {
        let observed = (self.sums[a] - self.sums[b]).abs() - self.slack;
        self.largest.len() - self.largest.partition_point(|&largest| largest < observed)
    }
}

/// The p-values of Tukey's test for pairs of runs, which are given by index. They are 1 + the number of shuffles whose
/// largest difference of means is at least that of the two runs, divided by 1 + the number of shuffles. Queries for
/// which a run has no value are left out.
///
/// # Errors
/// All queries are left out, or an error of [`largest_ranges`].
pub fn tukey(columns: &[&RunValues], pairs: &[(usize, usize)], samples: usize, seed: u64) -> Result<Vec<f64>> {
    let queries = columns.iter().map(|column| column.terms.len()).min().unwrap_or(0);
    let is_defined = |&row: &usize| !columns.iter().any(|column| column.terms[row].is_nan());
    let rows: Vec<usize> = (0..queries).filter(is_defined).collect();
    if rows.is_empty() {
        return Err(Error::Value("no query has a value for every run".into()));
    }
    let terms = |column: &&RunValues| rows.iter().map(|&row| column.terms[row]).collect();
    let ranges = largest_ranges(&columns.iter().map(terms).collect::<Vec<_>>(), samples, seed)?;
    Ok(pairs.iter().map(|&(a, b)| (ranges.at_least(a, b) as f64 + 1.0) / (samples as f64 + 1.0)).collect())
}

/// Shuffles the values of each query among the runs, `samples` times. `columns` has the values of each run, query by
/// query.
///
/// # Errors
/// The user interrupts, or there is not enough memory.
pub fn largest_ranges(columns: &[Vec<f64>], samples: usize, seed: u64) -> Result<Ranges> {
    let (runs, queries) = (columns.len(), columns.first().map_or(0, Vec::len));
    let by_query = (0..queries).flat_map(|query| columns.iter().map(move |column| &column[query]));
    let grid = on_grid(by_query).steps;
    let mut sums = vec![0; runs];
    grid.chunks_exact(runs).for_each(|query| add(&mut sums, query));
    let shuffle = |(sums, values): &mut (Vec<i64>, Vec<i64>), sample: usize| {
        // Each sample has its own generator, so any thread may draw it.
        let mut random = Random::of_sample(seed, sample);
        sums.fill(0);
        for query in grid.chunks_exact(runs) {
            values.copy_from_slice(query);
            for last in (1..runs).rev() {
                values.swap(last, random.below(last as u64 + 1) as usize);
            }
            add(sums, values);
        }
        let (least, most) =
            sums.iter().fold((i64::MAX, i64::MIN), |(least, most), &sum| (least.min(sum), most.max(sum)));
        most - least
    };
    let mut largest: Vec<i64> = memory::room(samples, "samples")?;
    largest.resize(samples, 0);
    watch::begin(|| "dealing values out".into(), "samples", Some(samples as u64));
    let numbered = largest.par_iter_mut().enumerate();
    numbered.try_for_each_init(
        || (vec![0; runs], vec![0; runs]),
        |buffers, (sample, largest)| {
            *largest = shuffle(buffers, sample);
            watch::step(1)
        },
    )?;
    largest.sort_unstable();
    Ok(Ranges { sums, largest, slack: 2 * queries as i64 })
}

fn add(sums: &mut [i64], values: &[i64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}
