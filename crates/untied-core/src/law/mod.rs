//! Distributions of a value with finitely many outcomes, and of sums of independent ones. What the values are of is no
//! concern here.
//!
//! A law is exact, or enclosed by two others: a value of the lower one is never above, a value of the upper one never
//! below it, in the sense of P(lower <= x) >= P(V <= x) >= P(upper <= x) for every x. Probabilities are right up to
//! [`PROBABILITY`], which is the rounding of floating point.

mod fourier;
mod sum;

pub use sum::sum;

use crate::equality::are_equal;

/// What probabilities may be off.
pub const PROBABILITY: f64 = 1e-11;

/// How far laws are exact, and how fine they are beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Values with their probabilities, over all steps, with which a tie group's law is exact; that of a sum is up to an
    /// eighth of it.
    pub states: usize,
    /// Cells of the grid beyond: between the least and the largest value.
    pub cells: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 1_000_000, cells: 1 << 16 }
    }
}

/// A value and its probability.
pub type Atom = (f64, f64);

/// Sort atoms by value, and put those of equal values together.
pub fn collapse(atoms: &mut Vec<Atom>) {
    atoms.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable: fast on the sorted pieces that these are made of
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

/// The distribution of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    /// Values, ascending, with their probabilities.
    lower: Vec<Atom>,
    /// The upper law, where it is another one.
    upper: Option<Vec<Atom>>,
}

/// A number, or between which ones it lies.
pub type Enclosed = (f64, f64);

/// How one value compares with another, independent one.
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
    /// Of a value that is certain.
    pub fn certain(value: f64) -> Law {
        Law { lower: vec![(value, 1.0)], upper: None }
    }

    /// By values and probabilities in any order.
    pub fn new(mut atoms: Vec<Atom>) -> Law {
        collapse(&mut atoms);
        Law { lower: atoms, upper: None }
    }

    /// What two laws enclose.
    pub fn enclosed(mut lower: Vec<Atom>, mut upper: Vec<Atom>) -> Law {
        collapse(&mut lower);
        collapse(&mut upper);
        Law { lower, upper: Some(upper) }
    }

    /// Of a value of which no more is known than that it lies between two others.
    pub fn between(low: f64, high: f64) -> Law {
        Law::enclosed(vec![(low, 1.0)], vec![(high, 1.0)])
    }

    /// Whether it is exact, and not only enclosed.
    pub fn is_exact(&self) -> bool {
        self.upper.is_none()
    }

    /// The lower law: values, ascending, with their probabilities.
    pub fn lower(&self) -> &[Atom] {
        &self.lower
    }

    /// The upper law; the same as the lower one if it is exact.
    pub fn upper(&self) -> &[Atom] {
        self.upper.as_deref().unwrap_or(&self.lower)
    }

    /// The law of `of(value)`; `of` never falls.
    pub fn map(mut self, of: impl Fn(f64) -> f64) -> Law {
        for atoms in std::iter::once(&mut self.lower).chain(self.upper.as_mut()) {
            atoms.iter_mut().for_each(|(value, _)| *value = of(*value));
            collapse(atoms); // `of` may be flat
        }
        self
    }

    /// The smallest value v with P(V <= v) >= q.
    pub fn quantile(&self, q: f64) -> Enclosed {
        match &self.upper {
            None => {
                // Of level 1 it is the last one, however improbable.
                let found = first(&self.lower, if q < 1.0 { q - PROBABILITY } else { f64::INFINITY });
                (found, found)
            }
            Some(upper) => (first(&self.lower, q - PROBABILITY), first(upper, q + PROBABILITY)),
        }
    }

    /// P(V <= x).
    pub fn at_most(&self, x: f64) -> Enclosed {
        in_order(at_most(self.upper(), x), at_most(&self.lower, x))
    }

    /// How a value compares with one of `other`, if neither says anything about the other.
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
        // Rounding must not make it certain that both can be equal.
        let equal = (if least > PROBABILITY { least } else { 0.0 }, most);
        Chances { greater, equal, less }
    }
}

/// The ends of a probability, which rounding may have swapped.
fn in_order(low: f64, high: f64) -> Enclosed {
    (low.min(high), low.max(high))
}

/// The first value with at least this probability of it or less; the last one if none has.
fn first(atoms: &[Atom], probability: f64) -> f64 {
    let mut below = 0.0;
    let reached = |&&(_, chance): &&Atom| {
        below += chance;
        below >= probability
    };
    atoms.iter().find(reached).or(atoms.last()).map_or(f64::NAN, |&(value, _)| value)
}

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
