//! The randomised Tukey HSD test for many runs over the same queries (Carterette 2012).
//!
//! If all runs are alike, a query's values may be dealt out to the runs in any order. The largest difference between two
//! means, max - min, is compared with itself under such deals; with its distribution every two runs are tested at once.

use rayon::prelude::*;

use super::{RunValues, on_grid};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::{memory, watch};

/// Differences of sums as they were seen and as deals of the values make them, in whole steps.
#[derive(Debug)]
pub struct Ranges {
    /// The sum of every run.
    sums: Vec<i64>,
    /// The largest difference of two sums in every deal, ascending.
    largest: Vec<i64>,
    /// How far rounding to the grid may have moved a difference.
    slack: i64,
}

impl Ranges {
    /// In how many deals the largest difference is at least that of these two runs.
    pub fn at_least(&self, a: usize, b: usize) -> usize {
        let seen = (self.sums[a] - self.sums[b]).abs() - self.slack;
        self.largest.len() - self.largest.partition_point(|&largest| largest < seen)
    }
}

/// p-values of Tukey's test for pairs of runs, by number: 1 plus the number of deals of which the largest difference of two
/// means is at least theirs, over 1 plus the number of deals. Queries without a value of every run are left out.
///
/// # Errors
/// There are no others; or see [`largest_ranges`].
pub fn tukey(columns: &[&RunValues], pairs: &[(usize, usize)], samples: usize, seed: u64) -> Result<Vec<f64>> {
    let queries = columns.iter().map(|column| column.terms.len()).min().unwrap_or(0);
    let is_known = |&row: &usize| !columns.iter().any(|column| column.terms[row].is_nan());
    let known: Vec<usize> = (0..queries).filter(is_known).collect();
    if known.is_empty() {
        return Err(Error::Value("no query has a value for every run".into()));
    }
    let of_run = |column: &&RunValues| known.iter().map(|&row| column.terms[row]).collect();
    let ranges = largest_ranges(&columns.iter().map(of_run).collect::<Vec<_>>(), samples, seed)?;
    Ok(pairs.iter().map(|&(a, b)| (ranges.at_least(a, b) as f64 + 1.0) / (samples as f64 + 1.0)).collect())
}

/// Deal out the values of each query `samples` times.
///
/// `columns` are the values of each run, query by query.
///
/// # Errors
/// Work shall stop, or there is no memory for as many samples.
pub fn largest_ranges(columns: &[Vec<f64>], samples: usize, seed: u64) -> Result<Ranges> {
    let (runs, queries) = (columns.len(), columns.first().map_or(0, Vec::len));
    let by_query = (0..queries).flat_map(|query| columns.iter().map(move |column| &column[query]));
    let grid = on_grid(by_query).steps;
    let mut sums = vec![0; runs];
    grid.chunks_exact(runs).for_each(|query| add(&mut sums, query));
    let deal = |(sums, dealt): &mut (Vec<i64>, Vec<i64>), sample: usize| {
        // A generator for every deal: no deal depends on the thread that makes it.
        let mut random = Random::of_sample(seed, sample);
        sums.fill(0);
        for query in grid.chunks_exact(runs) {
            dealt.copy_from_slice(query);
            for last in (1..runs).rev() {
                dealt.swap(last, random.below(last as u64 + 1) as usize);
            }
            add(sums, dealt);
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
        |room, (sample, largest)| {
            *largest = deal(room, sample);
            watch::step(1)
        },
    )?;
    largest.sort_unstable();
    Ok(Ranges { sums, largest, slack: 2 * queries as i64 })
}

fn add(sums: &mut [i64], values: &[i64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}
