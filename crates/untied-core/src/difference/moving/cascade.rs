//! ERR, the mean of the largest 1/rank among documents that stop the user, each by chance.
//!
//! The largest difference of rankings in one order is that of a search, [`cascade`]. With at most c documents, A gains no
//! more than c times what one does at most, as a mean of maxima is submodular, and another search finds the most:
//! [`Stopping`].

use super::given::{Given, witness};
use super::question::{Ceiling, Ceilings, Question, Witness};
use crate::difference::solve::cascade::{self, Workspace};
use crate::difference::solve::rising;
use crate::difference::solve::stopping::{Chosen, Stopping};
use crate::difference::solve::work::Work;
use crate::difference::solve::{Instance, Solution};
use crate::error::Result;
use crate::measures::gain::Gain;
use crate::ranking::{List, Placed};

/// Nodes that a search may take.
const NODES: u64 = 20_000;
/// Steps that a search may take for a limited number of documents.
const WORK: u64 = 2_000_000;

struct Cascade {
    stop: Gain,
    /// The highest grade that an unknown document may have.
    grade: f64,
    cutoff: usize,
}

/// ERR.
pub(super) fn expected_reciprocal_rank(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    let stop = Gain::Stop(given.max_grade(4.0)?);
    Ok(Box::new(Cascade { stop, grade: given.highest(), cutoff: given.of.cutoff_or(usize::MAX) }))
}

/// ERR of probabilities to stop by rank.
fn value(stops: &[f64]) -> f64 {
    let (mut reach, mut sum) = (1.0, 0.0);
    for (rank, stop) in (1..).zip(stops) {
        sum += reach * stop / f64::from(rank);
        reach *= 1.0 - stop;
    }
    sum
}

impl Cascade {
    /// Probabilities to stop by rank to the cutoff, those of unknown documents given; ties in ascending order if `worst`,
    /// else in descending order.
    fn stops(&self, of: &Question<'_>, list: &List, by_rank: &[u32], unknown: f64, worst: bool) -> Vec<f64> {
        let stop = |&number: &u32| match of.grades[number as usize] {
            grade if grade.is_nan() => unknown,
            grade => self.stop.of(grade),
        };
        let mut stops: Vec<f64> = by_rank.iter().map(stop).collect();
        if list.is_tied() {
            let mut start = 0;
            for &end in &list.ends {
                let group = &mut stops[start..end as usize];
                group.sort_by(f64::total_cmp);
                if !worst {
                    group.reverse();
                }
                start = end as usize;
            }
        }
        stops.truncate(self.cutoff);
        stops
    }

    /// The documents that count, and the question about them.
    fn instance<'p>(&self, of: &Question<'p>) -> (Vec<&'p Placed>, Instance) {
        let known = |grade: f64| Some(grade).filter(|grade| !grade.is_nan()).map(|grade| self.stop.of(grade));
        of.instance(self.cutoff, self.stop.of(self.grade), known)
    }

    /// The best assignment of any number of documents.
    fn search(instance: &Instance) -> Solution {
        if instance.depth == 0 {
            return Solution { value: 0.0, bound: 0.0, gains: Vec::new(), nodes: 0 };
        }
        cascade::solve(instance, false, NODES, &mut Workspace::default())
    }

    /// How many unknown documents are relevant.
    fn count(instance: &Instance, solution: &Solution) -> usize {
        let all = instance.documents.iter().zip(&solution.gains);
        all.filter(|(document, gain)| document.known.is_none() && **gain > 0.0).count()
    }

    fn at_most(instance: &Instance, most: usize) -> Chosen {
        let Instance { depth, documents, top, .. } = instance;
        Stopping { documents, top: *top, depth: *depth }.largest(most, &mut Work::new(WORK))
    }
}

impl Ceiling for Cascade {
    fn ceilings(&self, of: &Question<'_>) -> Ceilings {
        let (a, b) = of.by_rank();
        let worst = value(&self.stops(of, of.b, &b, 0.0, true));
        let stops = self.stops(of, of.a, &a, 0.0, false);
        let none = value(&stops) - worst;
        if of.is_tied() {
            let all = value(&self.stops(of, of.a, &a, self.stop.of(self.grade), false)) - worst;
            return of.in_any_order(if of.unknown > 0 { vec![none, all.max(none)] } else { vec![none] });
        }
        let (_, instance) = self.instance(of);
        let Instance { depth, documents, top, .. } = &instance;
        let rises = Stopping { documents, top: *top, depth: *depth }.rises();
        let found = Ceilings::partly(rising(rises.into_iter().map(|rise| none + rise)), None, vec![0, 1]);
        let solution = Self::search(&instance);
        let is_reached = solution.bound <= solution.value;
        found.below(solution.bound.max(none), is_reached.then(|| Self::count(&instance, &solution)))
    }

    fn limited(&self, of: &Question<'_>, most: usize) -> Option<(f64, bool)> {
        if of.is_tied() || most >= of.unknown {
            return None;
        }
        let Chosen { value, bound, .. } = Self::at_most(&self.instance(of).1, most);
        Some((bound, bound <= value))
    }

    fn witness(&self, of: &Question<'_>, most: usize) -> Witness {
        if of.is_tied() {
            return witness(self.ceilings(of).at(0), std::iter::empty());
        }
        let (places, instance) = self.instance(of);
        let mut solution = Self::search(&instance);
        let chosen: Vec<usize> = if Self::count(&instance, &solution) > most {
            let Chosen { value, documents, .. } = Self::at_most(&instance, most);
            solution.value = value;
            documents
        } else {
            let is_on = |&x: &usize| instance.documents[x].known.is_none() && solution.gains[x] > 0.0;
            (0..instance.documents.len()).filter(is_on).collect()
        };
        witness(solution.value, chosen.into_iter().map(|x| (Some(places[x].document), self.grade)))
    }
}
