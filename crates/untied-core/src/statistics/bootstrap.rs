//! Bootstrap means: means of samples that are drawn with replacement (Efron 1979).
//!
//! Values that fit into a block are drawn one by one, with a few bits of a random word for each draw. More values are
//! sorted and halved repeatedly: of N draws, the number in the left half is the number of ones in N random bits. This
//! ends at halves of equal values, which need no further draws, and at halves of a few values, which are drawn one by one.
//! Each draw is uniform, and reads values that are in the cache; single draws from a million values would wait for memory.
//! Halves are those of the next power of two, so some draws hit no value; they are repeated.

use std::ops::Range;

use rayon::prelude::*;

use super::on_grid;
use crate::error::{Error, Result};
use crate::random::Random;
use crate::{memory, watch};

/// The largest number of values in a block.
const BLOCK: usize = 1 << 12;
/// If there are several blocks, this many values are drawn one by one. Halving further costs more than it saves.
const FEW: usize = 1 << 9;
/// How many samples draw from a block while it is in the cache.
const GROUP: usize = 16;

/// Bootstrap means, and where the mean of the values is among them.
#[derive(Debug)]
pub struct Bootstrap {
    /// The means of the samples, ascending.
    pub means: Vec<f64>,
    /// How many of them are below the mean of the values.
    pub below: usize,
    /// How many of them are at most the mean of the values.
    pub at_most: usize,
}

/// Draws `samples` samples with replacement. Each has as many draws as there are values.
///
/// Values are rounded to a grid, on which sums are exact. Sums that differ only by this rounding count as equal.
/// Negated values have the negated sums.
///
/// # Errors
/// There is no value, the user interrupts, or there is not enough memory.
pub fn bootstrap(values: &[f64], samples: usize, seed: u64) -> Result<Bootstrap> {
    let mut grid = on_grid(values.iter());
    let count = grid.steps.len();
    if count == 0 {
        return Err(Error::Value("there are no values to draw from".to_owned()));
    }
    watch::begin(|| "drawing bootstrap samples".into(), "values", Some(samples.saturating_mul(count) as u64));
    let observed = grid.steps.iter().sum::<i64>();
    if count > BLOCK {
        grid.steps.sort_unstable();
        if observed < 0 {
            grid.steps.reverse();
        }
    }
    let steps = grid.steps.as_slice();
    let mut sums: Vec<i64> = memory::room(samples, "bootstrap samples")?;
    sums.resize(samples, 0);
    sums.par_chunks_mut(GROUP).enumerate().try_for_each(|(group, sums)| {
        let first = group * GROUP;
        draw_group(steps, first..first + sums.len(), seed, sums)?;
        watch::step((count * sums.len()) as u64)
    })?;
    sums.sort_unstable();
    let slack = count as i64;
    let below = sums.partition_point(|&sum| sum < observed - slack);
    let at_most = sums.partition_point(|&sum| sum <= observed + slack);
    let means = sums.iter().map(|&sum| grid.value(sum as f64 / count as f64)).collect();
    Ok(Bootstrap { means, below, at_most })
}

/// Draws a few samples, and adds up the values of each.
fn draw_group(steps: &[i64], samples: Range<usize>, seed: u64, sums: &mut [i64]) -> Result<()> {
    let size = steps.len().next_power_of_two();
    let block = size.min(BLOCK);
    let singly = if size > BLOCK { FEW } else { block };
    let mut generators: Vec<Random> = samples.map(|sample| Random::of_sample(seed, sample)).collect();
    let mut missing = vec![steps.len(); sums.len()];
    let mut counts = vec![vec![0; size / block]; sums.len()];
    while missing.iter().any(|&missing| missing > 0) {
        for ((random, counts), missing) in generators.iter_mut().zip(&mut counts).zip(&missing) {
            draw_by_block(random, *missing, steps, counts);
        }
        for (number, values) in steps.chunks(block).enumerate() {
            watch::check()?;
            for (sample, random) in generators.iter_mut().enumerate() {
                let (sum, drawn) = draw(random, counts[sample][number], values, block, singly);
                sums[sample] += sum;
                missing[sample] -= drawn;
            }
        }
    }
    Ok(())
}

/// Divides `draws` random draws among the blocks of sorted values. The number of blocks is a power of two.
fn draw_by_block(random: &mut Random, draws: usize, sorted: &[i64], counts: &mut [usize]) {
    counts.fill(0);
    if counts.len() == 1 || are_equal(sorted, counts.len() * BLOCK) {
        counts[0] = draws;
        return;
    }
    let half = counts.len() / 2;
    let left = draws_of_left_half(random, draws);
    let (left_values, right_values) = sorted.split_at(sorted.len().min(half * BLOCK));
    let (left_counts, right_counts) = counts.split_at_mut(half);
    draw_by_block(random, left, left_values, left_counts);
    draw_by_block(random, draws - left, right_values, right_counts);
}

/// Whether there are `size` sorted values, and all are equal.
fn are_equal(sorted: &[i64], size: usize) -> bool {
    sorted.len() == size && sorted[0] == sorted[size - 1]
}

/// How many of `draws` random bits are ones, which is a binomial number.
fn draws_of_left_half(random: &mut Random, draws: usize) -> usize {
    let words: u32 = (0..draws / 64).map(|_| random.bits().count_ones()).sum();
    let rest = random.bits() & ((1 << (draws % 64)) - 1);
    (words + rest.count_ones()) as usize
}

/// Draws from `size` places, the first of which have values. Returns the sum of the drawn values, and how many draws
/// hit one. Up to `singly` places are drawn one by one; if there are more, their values must be sorted.
fn draw(random: &mut Random, draws: usize, values: &[i64], size: usize, singly: usize) -> (i64, usize) {
    if draws == 0 || values.is_empty() {
        return (0, 0);
    }
    if size <= singly {
        return draw_singly(random, draws, values, size.ilog2());
    }
    if are_equal(values, size) {
        return (values[0] * draws as i64, draws);
    }
    let half = size / 2;
    let left = draws_of_left_half(random, draws);
    let (left_values, right_values) = values.split_at(values.len().min(half));
    let (left_sum, left_drawn) = draw(random, left, left_values, half, singly);
    let (right_sum, right_drawn) = draw(random, draws - left, right_values, half, singly);
    (left_sum + right_sum, left_drawn + right_drawn)
}

/// Draws values one by one, with `bits` random bits each. Returns their sum, and how many draws hit a value.
fn draw_singly(random: &mut Random, draws: usize, values: &[i64], bits: u32) -> (i64, usize) {
    let (mask, per_word) = ((1usize << bits) - 1, 64 / bits.max(1) as usize);
    let (mut sum, mut drawn, mut left) = (0, 0, draws);
    while left > 0 {
        let mut word = random.bits();
        for _ in 0..per_word.min(left) {
            if let Some(value) = values.get(word as usize & mask) {
                sum += value;
                drawn += 1;
            }
            word >>= bits;
        }
        left -= per_word.min(left);
    }
    (sum, drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_drawn_as_often() {
        // If there are two values, the sum counts how often the second was drawn, which is binomial.
        let sampled = bootstrap(&[0.0, 1.0], 40_000, 3).expect("nobody stops it");
        let share = |mean: f64| sampled.means.iter().filter(|&&other| other == mean).count() as f64 / 40_000.0;
        for (mean, expected) in [(0.0, 0.25), (0.5, 0.5), (1.0, 0.25)] {
            assert!((share(mean) - expected).abs() < 0.01, "{mean} {}", share(mean));
        }
        assert_eq!((sampled.below, sampled.at_most), {
            let (zero, half) = (share(0.0) * 40_000.0, share(0.5) * 40_000.0);
            (zero.round() as usize, (zero + half).round() as usize)
        });
    }

    #[test]
    fn all_values_of_many_blocks_are_drawn_alike() {
        // The mean number of draws from each third of the values, and how it varies in a multinomial.
        let count = 3 * 5000;
        for third in 0..3 {
            let values: Vec<f64> = (0..count).map(|i| f64::from(u8::from(i / 5000 == third))).collect();
            let means = bootstrap(&values, 4000, 1).expect("nobody stops it").means;
            let mean = means.iter().sum::<f64>() / 4000.0;
            let variance = means.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 4000.0;
            let expected = 2.0 / 9.0 / count as f64;
            assert!((mean - 1.0 / 3.0).abs() < 4.0 * (expected / 4000.0).sqrt(), "{third}: {mean}");
            assert!((variance / expected - 1.0).abs() < 0.1, "{third}: {variance}");
        }
    }

    #[test]
    fn neither_the_order_of_many_values_nor_their_sign_changes_the_samples() {
        let values: Vec<f64> = (0..3 * BLOCK).map(|i| f64::from((i * 7919 % 1000) as u16) / 1000.0 - 0.4).collect();
        let means = |values: &[f64]| bootstrap(values, 50, 1).expect("nobody stops it").means;
        let reversed: Vec<f64> = values.iter().rev().copied().collect();
        assert_eq!(means(&values), means(&reversed));
        let negated: Vec<f64> = values.iter().map(|value| -value).collect();
        assert_eq!(means(&values), means(&negated).iter().rev().map(|mean| -mean).collect::<Vec<_>>());
    }

    #[test]
    fn one_value_and_none() {
        assert_eq!(bootstrap(&[0.25], 3, 0).expect("nobody stops it").means, [0.25; 3]);
        assert!(bootstrap(&[], 3, 0).is_err());
    }
}
