//! Rprec, whose cutoff is the number of relevant documents: see [`counts`](crate::difference::solve::counts).

use super::any_order::AnyOrder;
use super::given::{Given, witness};
use super::question::{Ceiling, Ceilings, Orders, Question, Witness};
use crate::difference::solve::counts::{Counted, Placing, Side, at_moving_cutoff};
use crate::difference::solve::rising;
use crate::error::Result;
use crate::ranking::List;

struct RPrecision {
    rel: f64,
    grade: f64,
}

/// Rprec.
pub(super) fn r_precision(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    let rel = given.of.rel()?;
    Ok(Box::new(RPrecision { rel, grade: given.highest() }))
}

/// The share of its group within a cutoff: the chance that a document is.
fn within(list: &List, rank: u32, cutoff: usize) -> f64 {
    if rank == 0 {
        return 0.0;
    }
    let group = list.ends.partition_point(|&end| end < rank);
    let start = if group == 0 { 0 } else { list.ends[group - 1] as usize };
    let size = list.ends[group] as usize - start;
    cutoff.saturating_sub(start).min(size) as f64 / size as f64
}

impl RPrecision {
    fn by_number(&self, of: &Question<'_>) -> Vec<f64> {
        let relevant = |grade: f64| (!grade.is_nan()).then_some(grade >= self.rel);
        let (a, b) = of.by_rank();
        at_moving_cutoff(Placing {
            documents: of.grades.iter().map(|&grade| Counted::new(relevant(grade))).collect(),
            a: Side { documents: a, ends: &of.a.ends },
            b: Side { documents: b, ends: &of.b.ends },
            relevant: of.relevant(self.rel),
            unknown: of.unknown,
            any_order: of.orders() == Orders::Any,
        })
    }
}

impl Ceiling for RPrecision {
    fn ceilings(&self, of: &Question<'_>) -> Ceilings {
        Ceilings::exact(rising(self.by_number(of).into_iter()))
    }

    fn witness(&self, of: &Question<'_>, most: usize) -> Witness {
        let values = self.by_number(of);
        let first = |best: usize, m: usize| if values[m] > values[best] { m } else { best };
        let m = (0..values.len().min(most.saturating_add(1))).fold(0, first);
        let cutoff = of.relevant(self.rel) + m;
        if of.orders() == Orders::Any {
            let gain = |grade: f64| f64::from(u8::from(grade >= self.rel));
            let AnyOrder { matching, documents, .. } = AnyOrder::new(of, &vec![1.0; cutoff], gain, 1.0);
            let chosen = matching.chosen(m).into_iter().map(|x| (documents.get(x).copied(), self.grade));
            return witness(values[m], chosen);
        }
        let weigh = |rank: (u32, u32)| within(of.a, rank.0, cutoff) - within(of.b, rank.1, cutoff);
        let weighed = of.open().map(|place| (weigh((place.a, place.b)), Some(place.document)));
        let mut weighed: Vec<_> = weighed.chain(std::iter::repeat_n((0.0, None), of.free)).collect();
        weighed.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.is_none().cmp(&other.1.is_none())));
        witness(values[m], weighed.into_iter().take(m).map(|(_, document)| (document, self.grade)))
    }
}
