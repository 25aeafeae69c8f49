//! Measures of the first relevant document: RR and Success.
//!
//! Of all unknown documents made relevant, only the one that A ranks first counts in A, and the others can only help B;
//! so one is enough. With the first known relevant ranks k_A and k_B the largest difference is
//!
//!   max of f(k_A) - f(k_B) and, over unknown x, f(min(a(x), k_A)) - f(min(b(x), k_B)).
//!
//! Of tied rankings this is an outer bound, with the best ranks in A and the worst in B.

use super::given::{Given, witness};
use super::question::{Ceiling, Ceilings, Question, Witness};
use crate::error::Result;
use crate::ranking::Placed;

/// Such a measure: a value of the first relevant rank, which never rises.
struct First {
    rel: f64,
    grade: f64,
    cutoff: usize,
    value: fn(f64) -> f64,
}

fn first(given: &Given<'_>, value: fn(f64) -> f64) -> Result<Box<dyn Ceiling>> {
    let rel = given.of.rel()?;
    Ok(Box::new(First { rel, grade: given.highest().max(rel), cutoff: given.of.cutoff_or(usize::MAX), value }))
}

/// RR.
pub(super) fn reciprocal_rank(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    first(given, |rank| 1.0 / rank)
}

/// Success.
pub(super) fn success(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    first(given, |_| 1.0)
}

impl First {
    /// The value of a document's rank; 0 where it does not count.
    fn of(&self, rank: u32) -> f64 {
        if rank == 0 || rank as usize > self.cutoff { 0.0 } else { (self.value)(f64::from(rank)) }
    }

    /// The value of A and of B with what is known.
    fn known(&self, of: &Question<'_>) -> (f64, f64) {
        let relevant = of.documents().filter(|&(_, grade)| grade >= self.rel);
        relevant.fold((0.0, 0.0), |known, (place, _)| self.with(of, known, place))
    }

    /// The same with one more relevant document.
    fn with(&self, of: &Question<'_>, (a, b): (f64, f64), place: &Placed) -> (f64, f64) {
        (a.max(self.of(of.highest(place))), b.max(self.of(of.lowest(place))))
    }

    /// The largest difference with one unknown document relevant, and which one that is.
    fn best(&self, of: &Question<'_>, known: (f64, f64)) -> Option<(f64, u32)> {
        let values = of.open().map(|place| {
            let (a, b) = self.with(of, known, place);
            (a - b, place.document)
        });
        values.reduce(|best, next| if next.0 > best.0 { next } else { best })
    }
}

impl Ceiling for First {
    fn ceilings(&self, of: &Question<'_>) -> Ceilings {
        let known = self.known(of);
        let none = known.0 - known.1;
        let one = self.best(of, known).map_or(none, |(value, _)| value.max(none));
        Ceilings::exact_unless(of.is_tied(), vec![none, one])
    }

    fn witness(&self, of: &Question<'_>, most: usize) -> Witness {
        let known = self.known(of);
        let none = known.0 - known.1;
        match self.best(of, known).filter(|&(value, _)| most > 0 && value > none) {
            Some((value, document)) => witness(value, std::iter::once((Some(document), self.grade))),
            None => witness(none, std::iter::empty()),
        }
    }
}
