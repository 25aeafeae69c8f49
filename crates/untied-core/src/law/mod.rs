//! Distributions of random values with finitely many outcomes, here called laws, and of sums of independent values.
//!
//! A law is exact, or enclosed by a lower and an upper law: P(lower <= x) >= P(V <= x) >= P(upper <= x) for every x.
//! Probabilities are right up to [`PROBABILITY`], which covers rounding.

mod fourier;
mod sum;

pub use sum::sum;

use rayon::prelude::*;

use crate::equality::are_equal;
use crate::error::Result;
use crate::watch;

/// The largest error of a probability.
pub const PROBABILITY: f64 = 1e-11;

/// How large exact laws may be, and how fine the grid of enclosing laws is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many values the exact law of a tie group may have, added up over its steps. The exact law of a sum may have
    /// an eighth as many.
    pub states: usize,
    /// The number of cells of the grid between the smallest and the largest value.
    pub cells: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 1_000_000, cells: 1 << 16 }
    }
}

/// A value and its probability.
pub type Atom = (f64, f64);

/// Sorts atoms by value, and joins those with equal values.
pub fn collapse(atoms: &mut Vec<Atom>) {
    atoms.sort_by(|a, b| a.0.total_cmp(&b.0)); // a stable sort is fast if the atoms consist of sorted pieces
    let mut kept = 0;
    for i in 1..atoms.len() {
        if are_equal(atoms[kept].0, atoms[i].0) {
            atoms[kept].1 += atoms[i].1;
        } else {
            kept += 1;
            atoms[kept] = atoms[i];
        }
    }
    atoms.truncate(kept + 1);
}

/// The distribution of a random value.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    /// The law itself, or the lower of two that enclose it. Values are ascending.
    lower: Vec<Atom>,
    /// The upper law, unless the law is exact.
    upper: Option<Vec<Atom>>,
}

/// A lower and an upper bound of a number. They are equal if it is exact.
pub type Enclosed = (f64, f64);

/// The probabilities that one random value is above, equal to or below another, independent one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chances {
    /// P(A > B).
    pub greater: Enclosed,
    /// P(A = B).
    pub equal: Enclosed,
    /// P(A < B).
    pub less: Enclosed,
}

impl Law {
    /// The law of a value that is certain.
    pub fn certain(value: f64) -> Law {
        Law { lower: vec![(value, 1.0)], upper: None }
    }

    /// The exact law of these values and probabilities, in any order.
    pub fn new(mut atoms: Vec<Atom>) -> Law {
        collapse(&mut atoms);
        Law { lower: atoms, upper: None }
    }

    /// The law that two laws enclose.
    pub fn enclosed(mut lower: Vec<Atom>, mut upper: Vec<Atom>) -> Law {
        collapse(&mut lower);
        collapse(&mut upper);
        Law { lower, upper: Some(upper) }
    }

    /// The law of a value that is only known to be between two numbers.
    pub fn between(low: f64, high: f64) -> Law {
        Law::enclosed(vec![(low, 1.0)], vec![(high, 1.0)])
    }

    /// Whether the law is exact.
    pub fn is_exact(&self) -> bool {
        self.upper.is_none()
    }

    /// The lower law, or the law itself if it is exact.
    pub fn lower(&self) -> &[Atom] {
        &self.lower
    }

    /// The upper law, or the law itself if it is exact.
    pub fn upper(&self) -> &[Atom] {
        self.upper.as_deref().unwrap_or(&self.lower)
    }

    /// The law of a function of the value. The function must never fall.
    pub fn map(mut self, function: impl Fn(f64) -> f64) -> Law {
        for atoms in std::iter::once(&mut self.lower).chain(self.upper.as_mut()) {
            atoms.iter_mut().for_each(|(value, _)| *value = function(*value));
            collapse(atoms); // different values may become equal
        }
        self
    }

    /// The smallest v with P(V <= v) >= q.
    pub fn quantile(&self, q: f64) -> Enclosed {
        match &self.upper {
            None => {
                // The quantile of 1 is the largest value, however improbable.
                let value = first(&self.lower, if q < 1.0 { q - PROBABILITY } else { f64::INFINITY });
                (value, value)
            }
            Some(upper) => (first(&self.lower, q - PROBABILITY), first(upper, q + PROBABILITY)),
        }
    }

    /// P(V <= x).
    pub fn at_most(&self, x: f64) -> Enclosed {
        in_order(at_most(self.upper(), x), at_most(&self.lower, x))
    }

    /// The probabilities that the value is above, equal to and below an independent one of `other`.
    pub fn against(&self, other: &Law) -> Chances {
        if self.is_exact() && other.is_exact() {
            let (greater, less) = (exceeds(&self.lower, &other.lower), exceeds(&other.lower, &self.lower));
            let equal = equals(&self.lower, &other.lower);
            return Chances { greater: (greater, greater), equal: (equal, equal), less: (less, less) };
        }
        let ahead = |a: &Law, b: &Law| in_order(exceeds(a.lower(), b.upper()), exceeds(a.upper(), b.lower()));
        let (greater, less) = (ahead(self, other), ahead(other, self));
        let rest = |greater: f64, less: f64| (1.0 - greater - less).max(0.0);
        let (least, most) = (rest(greater.1, less.1), rest(greater.0, less.0));
        // Rounding errors must not turn a possible equality into a certain one.
        let equal = (if least > PROBABILITY { least } else { 0.0 }, most);
        Chances { greater, equal, less }
    }
}

/// The probabilities that each run's value is above, equal to and below that of every later run, for each measure. None
/// if a run has no value.
///
/// # Errors
/// The user interrupts.
pub fn compare_all(runs: &[&[Option<Law>]]) -> Result<Vec<Vec<Option<Chances>>>> {
    let pairs: Vec<(usize, usize)> = (0..runs.len()).flat_map(|a| (a + 1..runs.len()).map(move |b| (a, b))).collect();
    watch::begin(|| "comparing distributions".into(), "pairs", Some(pairs.len() as u64));
    let of_pair = |&(a, b): &(usize, usize)| {
        watch::step(1)?;
        Ok(runs[a].iter().zip(runs[b]).map(|(a, b)| Some(a.as_ref()?.against(b.as_ref()?))).collect())
    };
    pairs.par_iter().map(of_pair).collect()
}

/// The two bounds in order. Rounding may have exchanged them.
fn in_order(low: f64, high: f64) -> Enclosed {
    (low.min(high), low.max(high))
}

/// The first value v for which P(V <= v) is at least this probability, or else the last value.
fn first(atoms: &[Atom], probability: f64) -> f64 {
    let mut below = 0.0;
    let reached = |&&(_, chance): &&Atom| {
        below += chance;
        below >= probability
    };
    atoms.iter().find(reached).or(atoms.last()).map_or(f64::NAN, |&(value, _)| value)
}

/// P(V <= x).
fn at_most(atoms: &[Atom], x: f64) -> f64 {
    let within = atoms.iter().take_while(|&&(value, _)| value <= x || are_equal(value, x));
    within.map(|(_, probability)| probability).sum::<f64>().min(1.0)
}

/// P(A > B).
fn exceeds(a: &[Atom], b: &[Atom]) -> f64 {
    let (mut below, mut at, mut total) = (0.0, 0, 0.0);
    for &(value, probability) in a {
        while at < b.len() && b[at].0 < value && !are_equal(b[at].0, value) {
            below += b[at].1;
            at += 1;
        }
        total += probability * below;
    }
    total.clamp(0.0, 1.0)
}

/// P(A = B).
fn equals(a: &[Atom], b: &[Atom]) -> f64 {
    let (mut at, mut total) = (0, 0.0);
    for &(value, probability) in a {
        while at < b.len() && b[at].0 < value && !are_equal(b[at].0, value) {
            at += 1;
        }
        if at < b.len() && are_equal(b[at].0, value) {
            total += probability * b[at].1;
        }
    }
    total.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fair_coin_against_a_die() {
        let coin = Law::new(vec![(1.0, 0.5), (0.0, 0.5)]);
        let die = Law::new((1..=6).map(|i| (f64::from(i), 1.0 / 6.0)).collect());
        let Chances { greater, equal, less } = coin.against(&die);
        assert_eq!(greater, (0.0, 0.0));
        assert!((equal.0 - 1.0 / 12.0).abs() < 1e-15 && (less.0 - 11.0 / 12.0).abs() < 1e-15);
        assert_eq!((coin.quantile(0.5), coin.quantile(0.51)), ((0.0, 0.0), (1.0, 1.0)));
        assert_eq!(die.quantile(0.5), (3.0, 3.0));
        let enclosed = Law::enclosed(vec![(0.0, 0.5), (0.9, 0.5)], vec![(0.1, 0.5), (1.0, 0.5)]);
        assert_eq!((enclosed.quantile(0.4), enclosed.quantile(1.0)), ((0.0, 0.1), (0.9, 1.0)));
        assert_eq!(enclosed.at_most(0.05), (0.0, 0.5));
        assert_eq!(enclosed.against(&Law::certain(0.95)).greater, (0.0, 0.5));
    }

    #[test]
    fn rounding_swaps_no_ends() {
        let (full, rounded) = (1.0, 1.0 - 4e-15);
        let above = Law::enclosed(vec![(0.5, full)], vec![(0.6, rounded)]);
        let Chances { greater, equal, less } = above.against(&Law::certain(0.1));
        assert_eq!((greater, less), ((rounded, full), (0.0, 0.0)));
        assert!(equal.0 == 0.0 && equal.1 < 5e-15, "{equal:?}");
        assert_eq!(Law::certain(0.1).against(&above).less, (rounded, full));
        let below = Law::enclosed(vec![(0.5, rounded)], vec![(0.6, full)]);
        assert_eq!(below.at_most(0.9), (rounded, full));
    }
}
