//! The grades under which one ranking is as far ahead of the other as it can be.

use super::super::dot::{self, Weighed};
use super::super::effect::{Both, Workspace};
use super::super::work::Work;
use super::super::{average_precision, flow};
use super::{Base, Form, Kind, STEPS};
use crate::ranking::Placed;

/// Grades of documents that are not judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// Whether A is ahead of B with them, or B of A.
    pub a_is_ahead: bool,
    /// By how much.
    pub value: f64,
    /// Numbers of the documents, and their grades.
    pub documents: Vec<(u32, f64)>,
    /// Grades of the documents that fill the ranking ahead up to the cutoff, from the first rank that it lacks.
    pub filling: Vec<f64>,
}

impl Form {
    /// The assignment with which the extent is reached, in the better of the directions asked for; of equal ones with A
    /// ahead. None where the extent is not known, or assigns subtopics.
    pub fn assignment(&self, both: &Both<'_>, work: &mut Workspace, directions: (bool, bool)) -> Option<Assignment> {
        if matches!(self.kind, Kind::Novelty(_)) {
            return None; // it would assign subtopics to documents, not grades
        }
        let extent = self.extent(both, work, directions);
        let (up, down) = (extent.up.0, extent.down.0);
        if up.is_nan() || down.is_nan() {
            return None;
        }
        let a_is_ahead = up >= down;
        let swapped: Vec<Placed>;
        let both = if a_is_ahead {
            *both
        } else {
            swapped = both.places.iter().map(|place| Placed { a: place.b, b: place.a, ..*place }).collect();
            Both { a: both.b, b: both.a, places: &swapped, ..*both }
        };
        let (numbers, grades) = self.leading(&both, work)?;
        // Documents that fill A come after those of either ranking, then those that fill B, which gain nothing.
        let (own, filling) = grades.split_at(numbers.len());
        let open = numbers.into_iter().zip(own.iter().copied());
        Some(Assignment {
            a_is_ahead,
            value: up.max(down),
            documents: open.filter(|&(number, _)| both.grades[number as usize].is_nan()).collect(),
            filling: filling[..self.lacking(&both)].to_vec(),
        })
    }

    /// Documents that fill A.
    fn lacking(&self, both: &Both<'_>) -> usize {
        let is_filled = self.is_filled || self.options.tail && !self.is_sum();
        if is_filled { self.depth_of(both).saturating_sub(both.a.len()) } else { 0 }
    }

    /// Numbers of documents and their grades where A is farthest ahead; then the grades of those that fill rankings.
    fn leading(&self, both: &Both<'_>, work: &mut Workspace) -> Option<(Vec<u32>, Vec<f64>)> {
        let depth = self.depth_of(both);
        let mut numbers: Vec<u32> = both.places.iter().map(|place| place.document).collect();
        let ends = (&*both.a.ends, &*both.b.ends);
        let with_filling = |mut gains: Vec<f64>| {
            gains.resize(gains.len() + self.lacking(both), self.top);
            gains
        };
        let gains = match &self.kind {
            Kind::Dot { .. } if self.options.optimistic && both.is_tied() => {
                with_filling(flow::solve(&self.with_ties(both, depth), ends, self.discounts(depth)).gains)
            }
            Kind::AveragePrecision(Base::Depth) if self.is_tied(both) => {
                let instance = self.with_ties(both, depth);
                with_filling(average_precision::solve_tied(&instance, ends, Work::new(STEPS)).gains)
            }
            Kind::Dot { .. } | Kind::Read(_) => {
                self.weigh(both, work);
                let lacking = std::mem::take(&mut work.weights.lacking.0);
                work.weights.documents.extend(lacking.iter().map(|&a| Weighed { a, b: 0.0, known: None }));
                match self.options.per_grade {
                    None => dot::solve(&work.weights).gains,
                    Some(most) => dot::solve_limited(&work.weights, &self.grades(both, most, true)).gains,
                }
            }
            Kind::Share { .. } | Kind::Bpref(_) => {
                self.weigh(both, work);
                let gains = self.of_weights(both, work).map_or_else(Vec::new, |found| found.gains);
                let documents = numbers.into_iter().zip(gains).zip(&work.weights.documents);
                let counted = documents.filter(|(_, x)| x.a > 0.0 || x.b > 0.0).map(|(one, _)| one);
                let (kept, gains): (Vec<u32>, Vec<f64>) = counted.unzip();
                numbers = kept;
                with_filling(gains)
            }
            Kind::Timed(measure) => {
                let timed = self.timed(measure, both);
                let gains = timed.solve(Work::new(STEPS)).gains;
                let counted = numbers.into_iter().zip(gains).enumerate().filter(|(i, _)| timed.counts(*i));
                let (numbers, gains): (Vec<u32>, Vec<f64>) = counted.map(|(_, one)| one).unzip();
                return Some((numbers, gains.into_iter().map(|gain| self.grade(gain)).collect()));
            }
            _ if self.is_tied(both) => with_filling(self.cascade(&self.with_ties(both, depth), ends).gains),
            _ => {
                self.lay_out(both, &mut work.instance);
                work.instance = work.instance.filled();
                let within = |rank: u32| 0 < rank && rank as usize <= depth;
                numbers = both.places.iter().filter(|x| within(x.a) || within(x.b)).map(|x| x.document).collect();
                self.solution(both, work).gains
            }
        };
        Some((numbers, gains.into_iter().map(|gain| self.grade(gain)).collect()))
    }

    /// The grade that an unknown document has if it gains so much.
    fn grade(&self, gain: f64) -> f64 {
        if gain <= 0.0 {
            return 0.0;
        }
        let mut grades = (1..=self.max_grade as usize).map(|grade| grade as f64);
        let limited = self.options.per_grade.and_then(|_| grades.find(|&grade| self.gain.of(grade) == gain));
        limited.unwrap_or(self.max_grade)
    }
}
