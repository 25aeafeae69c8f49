//! Rprec, whose cutoff is the number of relevant documents: see [`counts`].
//!
//! Of tied rankings this is an outer bound: a document counts in A as soon as its group begins, in B when it has ended.

use super::given::{Given, witness};
use super::question::{Ceiling, Ceilings, Question, Witness};
use super::solve::counts::{Counted, Placing, at_moving_cutoff};
use super::solve::rising;
use crate::error::Result;

struct RPrecision {
    rel: f64,
    grade: f64,
}

/// Rprec.
pub(super) fn r_precision(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    let rel = given.of.rel()?;
    Ok(Box::new(RPrecision { rel, grade: given.highest().max(rel) }))
}

impl RPrecision {
    fn by_number(&self, of: &Question<'_>) -> Vec<f64> {
        let relevant = |grade: f64| (!grade.is_nan()).then_some(grade >= self.rel);
        let (a, b) = of.by_rank();
        let place = |number: u32| &of.places[number as usize];
        at_moving_cutoff(Placing {
            documents: of.grades.iter().map(|&grade| Counted::new(relevant(grade))).collect(),
            a: a.into_iter().map(|number| (number, of.highest(place(number)))).collect(),
            b: b.into_iter().map(|number| (number, of.lowest(place(number)))).collect(),
            relevant: of.relevant(self.rel),
            unknown: of.unknown,
        })
    }
}

impl Ceiling for RPrecision {
    fn ceilings(&self, of: &Question<'_>) -> Ceilings {
        Ceilings::exact_unless(of.is_tied(), rising(self.by_number(of).into_iter()))
    }

    fn witness(&self, of: &Question<'_>, most: usize) -> Witness {
        let values = self.by_number(of);
        let first = |best: usize, m: usize| if values[m] > values[best] { m } else { best };
        let m = (0..values.len().min(most.saturating_add(1))).fold(0, first);
        let cutoff = of.relevant(self.rel) + m;
        let within = |rank: u32| i8::from(rank > 0 && rank as usize <= cutoff);
        let weighed =
            of.open().map(|place| (within(of.highest(place)) - within(of.lowest(place)), Some(place.document)));
        let mut weighed: Vec<_> = weighed.chain(std::iter::repeat_n((0, None), of.free)).collect();
        weighed.sort_by_key(|&(weight, document)| (-weight, document.is_none()));
        witness(values[m], weighed.into_iter().take(m).map(|(_, document)| (document, self.grade)))
    }
}
