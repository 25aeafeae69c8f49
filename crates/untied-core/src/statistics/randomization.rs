//! The paired randomisation test (Fisher 1935; Smucker, Allan & Carterette 2007).
//!
//! If two runs are equally good, each difference d_i of a query could as well have the other sign. The test compares
//! T = sum of d_i with S = sum of s_i d_i under random signs s_i. Over all 2^n choices of signs the p-value is exact; over a
//! sample of B choices it is (1 + the number of sums at least as extreme) / (1 + B) (Phipson & Smyth 2010).

use std::collections::HashMap;

use rayon::prelude::*;

use super::{RunValues, StepGrid, on_grid, on_grid_of_digits};
use crate::elementary::ln;
use crate::error::Result;
use crate::random::Random;
use crate::watch;

/// If more differences are not 0, choices of signs are always sampled.
const MOST_LISTED: usize = 50;
/// How many signs one look-up in a table covers.
const TOGETHER: usize = 8;
/// How many words of 64 signs are added up for all samples while their tables are in the cache.
const BLOCK: usize = 8;
/// How many samples a thread adds to before it checks for an interruption.
const CHECKED: usize = 1 << 10;
/// How many samples are in memory at a time.
const HELD: usize = 1 << 17;
/// From this number of differences on, they are sorted, and the signs of equal ones are only counted.
const MANY: usize = 1 << 16;
/// If it is less probable than this that a sample has a sum as extreme, no sample is drawn.
const UNSEEN: f64 = 1e-12;
/// How many sums of all runs are in memory at a time.
const SHARED: usize = 1 << 22;
/// The largest number of binary digits of the grid that several runs share: the precision of floating point.
const MOST_DIGITS: i32 = 52;
/// The largest number of binary digits of a sum on that grid. The difference of two sums then does not overflow.
const SUM_BITS: i32 = 60;

/// How many choices of signs give a sum as extreme as the observed one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignCounts {
    /// The number of sums that are at least the observed one.
    pub at_least: f64,
    /// The number of sums that are at most the observed one.
    pub at_most: f64,
    /// The number of sums that are at least as far from 0 as the observed one.
    pub beyond: f64,
    /// The number of choices of signs: all of them, or a sample.
    pub choices: f64,
    /// Whether these are all choices.
    pub exact: bool,
}

impl SignCounts {
    /// The counts of a sample before it is drawn.
    fn of_sample(samples: usize) -> SignCounts {
        SignCounts { at_least: 0.0, at_most: 0.0, beyond: 0.0, choices: samples as f64, exact: false }
    }

    /// The counts of a sample whose sums are all less extreme than the observed one.
    fn of_sample_within(limits: &ObservedSum, samples: usize) -> SignCounts {
        let (all, none) = (samples as f64, 0.0);
        let (at_least, at_most) = if limits.sum > 0 { (none, all) } else { (all, none) };
        SignCounts { at_least, at_most, ..SignCounts::of_sample(samples) }
    }

    /// Counts more sums.
    fn add(&mut self, limits: &ObservedSum, sums: impl Iterator<Item = i64>) {
        let (least, most, beyond) = (limits.smallest_at_least(), limits.largest_at_most(), limits.smallest_beyond());
        let mut counts = [0u64; 3];
        for sum in sums {
            counts[0] += u64::from(sum >= least);
            counts[1] += u64::from(sum <= most);
            counts[2] += u64::from(sum.abs() >= beyond);
        }
        let [at_least, at_most, beyond] = counts.map(|count| count as f64);
        self.at_least += at_least;
        self.at_most += at_most;
        self.beyond += beyond;
    }

    /// The p-value of one of the counts. A sample needs one more, because the observed signs are one of all choices.
    pub fn p(&self, count: f64) -> f64 {
        if self.exact { count / self.choices } else { (count + 1.0) / (self.choices + 1.0) }
    }
}

/// Compares the sum of differences with their sums under random signs.
///
/// The differences are divided into two halves. If a half has at most `samples` choices of signs, all choices are
/// counted; otherwise `samples` choices are drawn. With fewer than 65,536 differences, the signs of a query depend only
/// on `seed` and its position. More differences are sorted by magnitude first, and nothing is drawn if no sample could
/// be as extreme. Sums that differ only by rounding count as equal.
///
/// # Errors
/// The user interrupts.
pub fn randomization(differences: &[f64], samples: usize, seed: u64) -> Result<SignCounts> {
    let grid = on_grid(differences.iter()).steps;
    let other_than_0: Vec<i64> = grid.iter().copied().filter(|&step| step != 0).collect();
    if are_listed(other_than_0.len(), samples) {
        Ok(all_signs(&other_than_0))
    } else if grid.len() < MANY {
        // Differences of 0 are kept, so that the signs of a query do not depend on other differences.
        sampled_signs(&grid, &ObservedSum::of(&grid), samples, seed)
    } else {
        let limits = ObservedSum::of(&grid);
        if limits.is_out_of_reach(&grid, samples) {
            watch::step((samples * grid.len()) as u64)?;
            return Ok(SignCounts::of_sample_within(&limits, samples));
        }
        sampled_signs(&by_magnitude(other_than_0, limits.sum < 0), &limits, samples, seed)
    }
}

/// The magnitudes of differences, ascending. Under random signs, their sums have the same distribution. If the
/// differences add up to less than 0, magnitudes are negated, so that exchanging the runs exchanges the one-sided
/// p-values.
fn by_magnitude(mut steps: Vec<i64>, is_negative: bool) -> Vec<i64> {
    let sign = if is_negative { -1 } else { 1 };
    steps.iter_mut().for_each(|step| *step = sign * step.abs());
    steps.sort_unstable_by_key(|step| step.abs());
    steps
}

/// Whether all choices of signs are counted instead of a sample.
fn are_listed(other_than_0: usize, samples: usize) -> bool {
    other_than_0 <= MOST_LISTED && 1 << other_than_0.div_ceil(2) <= samples.max(1)
}

/// The observed sum T, and how far rounding to the grid may have moved a sum.
struct ObservedSum {
    sum: i64,
    slack: i64,
}

impl ObservedSum {
    fn of(grid: &[i64]) -> ObservedSum {
        ObservedSum { sum: grid.iter().sum(), slack: grid.len() as i64 }
    }

    /// Whether a sample has a sum as extreme with a probability of at most [`UNSEEN`]: |S| is at least x with a
    /// probability of at most 2 exp(-x^2 / (2 sum of d_i^2)) (Hoeffding 1963).
    fn is_out_of_reach(&self, grid: &[i64], samples: usize) -> bool {
        let squares: f64 = grid.iter().map(|&step| step as f64 * step as f64).sum();
        let beyond = self.smallest_beyond() as f64;
        beyond > 0.0 && beyond * beyond / (2.0 * squares) >= ln(2.0 * samples as f64 / UNSEEN)
    }

    fn largest_at_most(&self) -> i64 {
        self.sum + self.slack
    }

    fn smallest_at_least(&self) -> i64 {
        self.sum - self.slack
    }

    /// The smallest magnitude that counts as at least that of the observed sum.
    fn smallest_beyond(&self) -> i64 {
        self.sum.abs() - self.slack
    }
}

/// Counts the sums of all choices of signs, from the sorted sums of two halves.
fn all_signs(grid: &[i64]) -> SignCounts {
    let limits = ObservedSum::of(grid);
    let (left, right) = grid.split_at(grid.len() / 2);
    let (left, right) = (sorted_sums(left), sorted_sums(right));
    let choices = left.len() as f64 * right.len() as f64;
    // If all signs are negated, so is the sum. So S <= -x is as frequent as S >= x.
    let beyond = limits.smallest_beyond();
    SignCounts {
        at_least: pairs_from(&left, &right, limits.smallest_at_least()),
        at_most: choices - pairs_from(&left, &right, limits.largest_at_most() + 1),
        beyond: if beyond <= 0 { choices } else { 2.0 * pairs_from(&left, &right, beyond) },
        choices,
        exact: true,
    }
}

/// The sums of all choices of signs, ascending.
fn sorted_sums(grid: &[i64]) -> Vec<i64> {
    let mut sums = vec![0];
    for &step in grid {
        let step = step.abs();
        // The sums with either sign of this step are sorted already. Merge them.
        let (mut low, mut high) = (sums.iter().map(|sum| sum - step).peekable(), sums.iter().map(|sum| sum + step));
        let mut merged = Vec::with_capacity(2 * sums.len());
        for next in high.by_ref() {
            while let Some(sum) = low.next_if(|&sum| sum <= next) {
                merged.push(sum);
            }
            merged.push(next);
        }
        merged.extend(low);
        sums = merged;
    }
    sums
}

/// How many pairs of ascending numbers have a sum of at least `least`.
fn pairs_from(left: &[i64], right: &[i64], least: i64) -> f64 {
    let (mut pairs, mut below) = (0u64, right.len());
    for sum in left {
        while below > 0 && sum + right[below - 1] >= least {
            below -= 1;
        }
        pairs += (right.len() - below) as u64;
    }
    pairs as f64
}

/// Counts the sums of a sample of choices of signs.
fn sampled_signs(grid: &[i64], limits: &ObservedSum, samples: usize, seed: u64) -> Result<SignCounts> {
    let mut counts = SignCounts::of_sample(samples);
    let mut sums = vec![0; samples.min(HELD)];
    for first in (0..samples).step_by(HELD) {
        let sums = &mut sums[..HELD.min(samples - first)];
        signed_sums(grid, first, sums, seed, 1)?;
        counts.add(limits, sums.iter().copied());
    }
    Ok(counts)
}

/// Sums steps under the random signs of the samples from `first` on. With w words of signs per sample, sample s takes
/// the words from s w on of one random sequence, so samples and words can be added up in any order and in parallel.
/// Each step of a sample counts as `progress` units of work.
fn signed_sums(grid: &[i64], first: usize, sums: &mut [i64], seed: u64, progress: usize) -> Result<()> {
    let all_words = grid.len().div_ceil(64) as u64;
    sums.fill(0);
    for (block, steps) in grid.chunks(64 * BLOCK).enumerate() {
        let words: Vec<SignedWord> = steps.chunks(64).map(SignedWord::new).collect();
        sums.par_chunks_mut(CHECKED).enumerate().try_for_each(|(chunk, sums)| {
            for (sample, sum) in (first + chunk * CHECKED..).zip(sums.iter_mut()) {
                let mut random = Random::after(seed, sample as u64 * all_words + (block * BLOCK) as u64);
                *sum += words.iter().map(|word| word.sum(random.bits())).sum::<i64>();
            }
            watch::step((progress * sums.len() * steps.len()) as u64)
        })?;
    }
    Ok(())
}

/// Tests each list of differences as [`randomization`] does. It is faster if `pairs` has the two runs of each list;
/// `pairs` may be empty.
///
/// Under some signs, the sum of the differences is the difference of the sums of the two runs' terms. So each run is
/// summed once for all pairs. The same holds for the lowest terms of one run and the highest of the other.
///
/// # Errors
/// The user interrupts.
pub fn randomizations(
    differences: &[Vec<f64>],
    pairs: &[(&RunValues, &RunValues)],
    samples: usize,
    seed: u64,
) -> Result<Vec<SignCounts>> {
    let values: usize = differences.iter().map(Vec::len).sum();
    watch::begin(|| "testing differences".into(), "values", Some(samples.saturating_mul(values) as u64));
    let mut shared = Vec::new();
    for (row, (differences, (a, b))) in differences.iter().zip(pairs).enumerate() {
        let grid = on_grid(differences.iter());
        let other_than_0 = grid.steps.iter().filter(|&&step| step != 0).count();
        // Very many differences are sorted first, see `MANY`, so they do not share signs with their runs.
        if differences.len() < MANY && !are_listed(other_than_0, samples) {
            let columns = RunValues::opposite(a, b).find(|&(a, b)| are_between(differences, &grid, a, b));
            shared.extend(columns.map(|(a, b)| SharedPair { row, columns: [a, b], scale: grid.scale }));
        }
    }
    let mut counts = vec![None; differences.len()];
    for (row, of_row) in shared_signs(&shared, samples, seed)? {
        counts[row] = Some(of_row);
    }
    let others = counts.into_par_iter().zip(differences);
    others.map(|(counts, differences)| counts.map_or_else(|| randomization(differences, samples, seed), Ok)).collect()
}

/// Two lists of terms whose differences, term by term, are one of the lists to sum.
struct SharedPair<'a> {
    /// The index of the list of differences.
    row: usize,
    columns: [&'a [f64]; 2],
    /// The scale of the grid of the differences.
    scale: i32,
}

/// Whether differences are those of two lists of terms, up to a step of their grid.
fn are_between(differences: &[f64], grid: &StepGrid, a: &[f64], b: &[f64]) -> bool {
    let half_a_step = grid.value(0.5);
    let mut rows = differences.iter().zip(a.iter().zip(b));
    differences.len() == a.len() && rows.all(|(difference, (a, b))| (a - b - difference).abs() <= half_a_step)
}

/// Counts sums under random signs for pairs, from the sums of each list of terms. Pairs whose differences are too small
/// for the grid of all lists are left out.
fn shared_signs(pairs: &[SharedPair<'_>], samples: usize, seed: u64) -> Result<Vec<(usize, SignCounts)>> {
    let Some(rows) = pairs.iter().map(|pair| pair.columns[0].len()).max() else { return Ok(Vec::new()) };
    let (mut columns, mut numbers): (Vec<&[f64]>, HashMap<*const f64, usize>) = (Vec::new(), HashMap::new());
    let pairs = pairs.iter().filter(|pair| pair.columns.iter().all(|column| column.len() == rows));
    for column in pairs.clone().flat_map(|pair| pair.columns) {
        numbers.entry(column.as_ptr()).or_insert_with(|| {
            columns.push(column);
            columns.len() - 1
        });
    }
    let digits = MOST_DIGITS.min(SUM_BITS - rows.next_power_of_two().ilog2() as i32);
    let StepGrid { steps, scale } = on_grid_of_digits(columns.iter().copied().flatten(), digits);
    let steps: Vec<&[i64]> = steps.chunks(rows).collect();
    let observed: Vec<i64> = steps.iter().map(|steps| steps.iter().sum()).collect();
    let mut counted: Vec<([usize; 2], ObservedSum, usize, SignCounts)> = Vec::new();
    for pair in pairs.filter(|pair| pair.scale <= scale) {
        let [a, b] = pair.columns.map(|column| numbers[&column.as_ptr()]);
        // Differences are rounded to their own grid, and lists of terms to the shared one.
        let slack = rows as i64 * ((1 << (scale - pair.scale)) + 2);
        counted.push((
            [a, b],
            ObservedSum { sum: observed[a] - observed[b], slack },
            pair.row,
            SignCounts::of_sample(samples),
        ));
    }
    let at_once = (SHARED / columns.len()).clamp(CHECKED, HELD).min(samples.max(1));
    let mut sums = vec![0; columns.len() * at_once];
    for first in (0..samples).step_by(at_once) {
        let length = at_once.min(samples - first);
        let sums_of_columns = sums.par_chunks_mut(at_once).zip(&steps);
        sums_of_columns.try_for_each(|(sums, steps)| signed_sums(steps, first, &mut sums[..length], seed, 0))?;
        counted.par_iter_mut().try_for_each(|([a, b], limits, _, counts)| {
            let [a, b] = [a, b].map(|&mut column| &sums[column * at_once..][..length]);
            counts.add(limits, a.iter().zip(b).map(|(a, b)| a - b));
            watch::step((length * rows) as u64)
        })?;
    }
    Ok(counted.into_iter().map(|(_, _, row, counts)| (row, counts)).collect())
}

/// Differences whose signs are the bits of one word.
enum SignedWord {
    /// All 64 differences are the same.
    Equal(i64),
    /// A table of sums for each byte of signs.
    Different(Vec<[i64; 1 << TOGETHER]>),
}

impl SignedWord {
    fn new(differences: &[i64]) -> SignedWord {
        if differences.len() == 64 && differences.iter().all(|&difference| difference == differences[0]) {
            SignedWord::Equal(differences[0])
        } else {
            SignedWord::Different(differences.chunks(TOGETHER).map(sums_by_bits).collect())
        }
    }

    #[inline]
    fn sum(&self, signs: u64) -> i64 {
        match self {
            SignedWord::Equal(difference) => difference * (2 * i64::from(signs.count_ones()) - 64),
            SignedWord::Different(tables) => {
                tables.iter().zip(signs.to_le_bytes()).map(|(table, byte)| table[usize::from(byte)]).sum()
            }
        }
    }
}

/// The sum of a few differences for every choice of their signs. Bit i is the sign of difference i.
fn sums_by_bits(differences: &[i64]) -> [i64; 1 << TOGETHER] {
    std::array::from_fn(|bits| {
        differences.iter().enumerate().map(|(i, step)| if bits >> i & 1 == 1 { *step } else { -step }).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn pairs_have_the_counts_of_their_differences() {
        let spec = registry::parse("AP").expect("a measure");
        let mut random = Random::new(3);
        let columns: Vec<RunValues> = (0..5)
            .map(|run| {
                let mut values = || (0..70).map(|_| random.below(1 << 20) as f64 / 1e6).collect::<Vec<_>>();
                let (terms, low) = (values(), values());
                // Some values have few digits, so that sums tie.
                let terms: Vec<f64> =
                    if run > 2 { terms.iter().map(|x| (x * 4.0).round() / 5.0).collect() } else { terms };
                let high = terms.iter().map(|x| x + 0.1).collect();
                RunValues::new("a", &spec, terms, Some([low, high])).expect("a column")
            })
            .collect();
        let (mut lists, mut pairs) = (Vec::new(), Vec::new());
        for (a, b) in (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))) {
            for (x, y) in RunValues::opposite(&columns[a], &columns[b]) {
                lists.push(x.iter().zip(y).map(|(x, y)| x - y).collect::<Vec<f64>>());
                pairs.push((&columns[a], &columns[b]));
            }
            // Differences of other terms, of fewer queries, and ones that are too small for the shared grid.
            lists.push(lists[0].iter().map(|x| x * 0.9).collect());
            lists.push(lists[1][..69].to_vec());
            lists.push(lists[0].iter().map(|x| x * 1e-17).collect());
            pairs.extend([(&columns[a], &columns[b]); 3]);
        }
        let together = randomizations(&lists, &pairs, 3000, 7).expect("nobody stops it");
        let alone: Vec<SignCounts> = lists.iter().map(|list| randomization(list, 3000, 7).expect("nor it")).collect();
        assert_eq!(together, alone);
        assert_eq!(randomizations(&lists, &[], 3000, 7).expect("nor this"), alone);
    }

    #[test]
    fn all_signs_are_counted_if_half_of_them_are_at_most_the_samples() {
        assert!(are_listed(50, 1 << 25) && !are_listed(50, (1 << 25) - 1));
        assert!(are_listed(49, 1 << 25) && !are_listed(51, usize::MAX));
    }

    #[test]
    fn blocks_draw_the_signs_of_one_sequence() {
        let mut random = Random::new(9);
        let mut steps: Vec<i64> = (0..1300).map(|_| random.below(2000) as i64 - 900).collect();
        steps[640..800].fill(700); // two words of equal ones and half of one
        let limits = ObservedSum { sum: 20_000, slack: 0 }; // about a standard deviation
        let mut random = Random::new(5);
        let mut sums = vec![];
        for _ in 0..3000 {
            let mut sum = 0;
            for word in steps.chunks(64) {
                let bits = random.bits();
                let signed = word.iter().enumerate().map(|(i, step)| if bits >> i & 1 == 1 { *step } else { -step });
                sum += signed.sum::<i64>();
            }
            sums.push(sum);
        }
        let counts = sampled_signs(&steps, &limits, 3000, 5).expect("nobody stops it");
        let count = |is: &dyn Fn(i64) -> bool| sums.iter().filter(|&&sum| is(sum)).count() as f64;
        let (at_least, beyond) = (count(&|sum| sum >= 20_000), count(&|sum| sum.abs() >= 20_000));
        assert!(300.0 < at_least && at_least < beyond && beyond < 1500.0);
        assert_eq!((counts.at_least, counts.beyond), (at_least, beyond));
    }

    #[test]
    fn many_differences_that_no_sample_reaches_count_as_if_they_were_drawn() {
        // If differences are 1 and -1, the sum m is m/256 standard deviations.
        let differences =
            |sum: usize| -> Vec<f64> { (0..MANY).map(|i| if i < (MANY + sum) / 2 { 1.0 } else { -1.0 }).collect() };
        for (sum, is_plain) in [(1024, false), (2560, true)] {
            for sign in [1.0, -1.0] {
                let signed: Vec<f64> = differences(sum).iter().map(|difference| sign * difference).collect();
                let grid = on_grid(signed.iter()).steps;
                let limits = ObservedSum::of(&grid);
                assert_eq!(limits.is_out_of_reach(&grid, 500), is_plain);
                let drawn = sampled_signs(&by_magnitude(grid, sign < 0.0), &limits, 500, 3).expect("nobody stops it");
                assert_eq!(randomization(&signed, 500, 3).expect("nor this"), drawn);
            }
        }
    }

    #[test]
    fn many_differences_have_the_p_values_of_their_normal_distribution() {
        // If differences are 0, 1 and -1, and some occur once, sums have the variance of the sum of squares.
        let differences = |sign: f64| -> Vec<f64> {
            (0..MANY).map(|i| sign * if i < 500 { i as f64 / 250.0 } else { (i % 3) as f64 - 1.0 }).collect()
        };
        let deviation = differences(1.0).iter().map(|difference| difference * difference).sum::<f64>().sqrt();
        let mut shifted = differences(1.0);
        // Some differences of -1 become 1, so that the sum is one standard deviation.
        let turned = ((deviation - shifted.iter().sum::<f64>()) / 2.0).round() as i32;
        let from = if turned > 0 { -1.0 } else { 1.0 };
        shifted[500..]
            .iter_mut()
            .filter(|value| **value == from)
            .take(turned.unsigned_abs() as usize)
            .for_each(|value| *value = -from);
        let counts = randomization(&shifted, 9999, 1).expect("nobody stops it");
        assert!((counts.p(counts.at_least) - 0.1587).abs() < 0.015, "{counts:?}");
        assert!((counts.p(counts.beyond) - 0.3173).abs() < 0.02, "{counts:?}");
        // Neither the order of queries matters nor which run is the first.
        let mut turned: Vec<f64> = shifted.iter().rev().copied().collect();
        assert_eq!(randomization(&turned, 9999, 1).expect("nobody stops it"), counts);
        turned.iter_mut().for_each(|value| *value = -*value);
        let exchanged = randomization(&turned, 9999, 1).expect("nobody stops it");
        assert_eq!((exchanged.at_least, exchanged.at_most), (counts.at_most, counts.at_least));
    }
}
