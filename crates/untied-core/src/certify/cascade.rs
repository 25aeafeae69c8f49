//! ERR, the mean of the largest 1/rank among documents that stop the user, each by chance.
//!
//! The largest difference of rankings in one order is that of a search, [`cascade`]. With at most c documents, A gains no
//! more than the c largest gains of one unknown document each, as a mean of maxima is submodular, and B never loses.

use super::given::{Given, witness};
use super::question::{Ceiling, Ceilings, Question, Witness};
use crate::error::Result;
use crate::measures::dcg::Gain;
use crate::med::solve::cascade::{self, Workspace};
use crate::med::solve::{Document, Instance, Solution};
use crate::ranking::{List, Placed};

/// Nodes that a search may take.
const NODES: u64 = 20_000;

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

    /// What one unknown document adds to A at most, in descending order: `reach p / i` at its rank i less p times what
    /// comes after.
    fn gains(&self, of: &Question<'_>, by_rank: &[u32], stops: &[f64]) -> Vec<f64> {
        let reach: Vec<f64> = stops
            .iter()
            .scan(1.0, |reach, stop| {
                let before = *reach;
                *reach *= 1.0 - stop;
                Some(before)
            })
            .collect();
        let (mut after, mut gains) = (0.0, Vec::new());
        let top = self.stop.of(self.grade);
        for (i, stop) in stops.iter().enumerate().rev() {
            let inverse = 1.0 / (i + 1) as f64;
            if of.grades[by_rank[i] as usize].is_nan() {
                gains.push(top * (reach[i] * inverse - after));
            }
            after += reach[i] * stop * inverse;
        }
        gains.sort_unstable_by(|one, other| other.total_cmp(one));
        gains
    }

    fn search<'p>(&self, of: &Question<'p>) -> (Solution, Vec<(&'p Placed, bool)>) {
        let depth = self.cutoff.min(of.a.len().max(of.b.len()));
        let within = |rank: u32| if rank as usize <= depth { rank } else { 0 };
        let counted = |(place, _): &(&Placed, f64)| within(place.a) > 0 || within(place.b) > 0;
        let (places, grades): (Vec<&Placed>, Vec<f64>) = of.documents().filter(counted).unzip();
        let known = |grade: f64| Some(grade).filter(|grade| !grade.is_nan()).map(|grade| self.stop.of(grade));
        let document = |(x, &grade): (&&Placed, &f64)| Document { a: within(x.a), b: within(x.b), known: known(grade) };
        let documents = places.iter().zip(&grades).map(document).collect();
        let instance = Instance { depth, lengths: (depth, depth), documents, top: self.stop.of(self.grade) };
        let solution = if depth == 0 {
            Solution { value: 0.0, bound: 0.0, gains: Vec::new(), nodes: 0 }
        } else {
            cascade::solve(&instance, false, NODES, &mut Workspace::default())
        };
        let open = places.into_iter().zip(&instance.documents).map(|(place, x)| (place, x.known.is_none())).collect();
        (solution, open)
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
            return Ceilings::outer(if of.unknown > 0 { vec![none, all.max(none)] } else { vec![none] });
        }
        let mut ceilings = vec![none];
        for gain in self.gains(of, &a, &stops) {
            ceilings.push(ceilings[ceilings.len() - 1] + gain);
        }
        let (Solution { value, bound, .. }, _) = self.search(of);
        let mut found = Ceilings::outer(ceilings).below(bound.max(none), bound <= value);
        found.are_reached = found.is_reached && found.upto.len() == 1;
        found
    }

    fn witness(&self, of: &Question<'_>, most: usize) -> Witness {
        let (solution, places) = self.search(of);
        let chosen = places.iter().zip(&solution.gains).filter(|((_, is_open), gain)| *is_open && **gain > 0.0);
        let chosen: Vec<u32> = chosen.map(|((place, _), _)| place.document).collect();
        if chosen.len() <= most {
            return witness(solution.value, chosen.into_iter().map(|document| (Some(document), self.grade)));
        }
        let (a, b) = of.by_rank();
        let none = value(&self.stops(of, of.a, &a, 0.0, false)) - value(&self.stops(of, of.b, &b, 0.0, true));
        witness(none, std::iter::empty())
    }
}
