//! Reads the text after a measure's name and a full stop in `-m`: cutoffs, levels, numbers, or gains of grades.

use std::fmt;

use untied_core::error::{Error, Result, quote};
use untied_core::names::{Spec, Value};

use crate::context::Context;
use crate::numbers::{atof, atol};

/// Names with numbers.
pub type Pairing<'a> = &'a [(&'a str, f64)];

pub fn problem(message: impl fmt::Display) -> Error {
    Error::Measure(message.to_string())
}

/// Cutoffs, ascending.
pub fn cutoffs(raw: &str) -> Result<Vec<i64>> {
    let mut cutoffs: Vec<i64> = raw.split(',').map(whole).collect();
    cutoffs.sort_unstable();
    if cutoffs[0] <= 0 {
        return Err(problem(format!(
            "expected whole numbers of at least 1 as cutoffs, found {}",
            quote(raw.as_bytes())
        )));
    }
    if cutoffs.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(problem(format!("a cutoff appears twice in {}", quote(raw.as_bytes()))));
    }
    Ok(cutoffs)
}

/// Levels, ascending.
pub fn levels(raw: &str) -> Result<Vec<f64>> {
    let mut levels: Vec<f64> = raw.split(',').map(number).collect();
    levels.sort_by(f64::total_cmp);
    if levels.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(problem(format!("a level appears twice in {}", quote(raw.as_bytes()))));
    }
    Ok(levels)
}

pub fn pairs(raw: &str) -> Result<Vec<(&str, f64)>> {
    fn pair(text: &str) -> Option<(&str, f64)> {
        let (name, value) = text.split_once('=').filter(|(_, value)| !value.contains('='))?;
        Some((name, number(value)))
    }
    let pairs = raw.split(',').map(pair).collect::<Option<_>>();
    pairs.ok_or_else(|| problem(format!("expected pairs as 1=3,2=9, found {}", quote(raw.as_bytes()))))
}

fn whole(text: &str) -> i64 {
    atol(text.as_bytes())
}

pub fn number(text: &str) -> f64 {
    atof(text.as_bytes())
}

pub fn beta(spec: Spec, values: &[f64], _: &Context) -> Result<Spec> {
    spec.with("beta", Value::Number(values[0]))
}

pub fn weights(spec: Spec, values: &[f64], context: &Context) -> Result<Spec> {
    if values.len() != 4 {
        return Err(problem(format!("expected 4 weights, found {}", values.len())));
    }
    spec.with("weights", Value::List(values.to_vec()))?.with("collection", Value::Number(context.collection as f64))
}

pub fn levels_of(spec: Spec, values: &[f64], _: &Context) -> Result<Spec> {
    spec.with("levels", Value::List(values.to_vec()))
}

/// Gains of grades; what is not named by a number is not looked at.
pub fn gains(spec: Spec, pairs: Pairing<'_>) -> Result<Spec> {
    let is_grade = |name: &str| {
        let digits = name.strip_prefix(['-', '+']).unwrap_or(name);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let gains = pairs.iter().filter(|(name, _)| is_grade(name));
    spec.with("pairs", Value::List(gains.flat_map(|&(name, gain)| [whole(name) as f64, gain]).collect()))
}

/// `p=0.5`: the last one counts.
pub fn persistence(spec: Spec, pairs: Pairing<'_>) -> Result<Spec> {
    match pairs.iter().rev().find(|(name, _)| *name == "p") {
        Some(&(_, p)) => spec.with("p", Value::Number(p)),
        None => Ok(spec),
    }
}

pub fn persistence_and_gains(spec: Spec, pairs: Pairing<'_>) -> Result<Spec> {
    persistence(gains(spec, pairs)?, pairs)
}
