//! How many random instances the tests in Rust draw, and from which seed; for tests alone.
//!
//! As a rule they are few, and the same on every machine. `python3 dev.py nightly` draws ten times as many from a seed
//! that it prints; it is in `UNTIED_NIGHTLY`, as for the tests in Python (`tests/support/nightly.py`).

#![allow(dead_code, reason = "each crate of tests uses some")]

use std::ops::Range;

/// Numbers that follow from the seed of a nightly run, whatever text it is; none by day.
fn shift() -> Option<u64> {
    let seed = std::env::var("UNTIED_NIGHTLY").ok().filter(|seed| !seed.is_empty())?;
    Some(seed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)))
}

/// How many instances to draw: these by day, ten times as many in a nightly run.
pub fn many(instances: usize) -> usize {
    if shift().is_some() { 10 * instances } else { instances }
}

/// The seed of a test: this one by day.
pub fn seeded(seed: u64) -> u64 {
    seed.wrapping_add(shift().unwrap_or(0))
}

/// Seeds, one for each instance.
pub fn seeds(instances: usize) -> Range<u64> {
    let first = shift().unwrap_or(0) >> 1;
    first..first + many(instances) as u64
}

/// All of these in a nightly run, by day only the first.
pub fn some<T>(all: &[T], by_day: usize) -> &[T] {
    if shift().is_some() { all } else { &all[..by_day] }
}

/// The first by day, the second in a nightly run.
pub fn by_day<T>(day: T, night: T) -> T {
    if shift().is_some() { night } else { day }
}
