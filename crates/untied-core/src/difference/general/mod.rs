//! A general search, for any measure with bounds over unjudged documents.
//!
//! S is the measure itself, on rankings in which every document has a grade: judged ones their own, unjudged ones any of
//! 0, 1, .. `max_grade`, and those of the qrels up to it. Normalisers are those of the measure: R and ideal rankings count
//! the judged documents of the query and those that are given a grade; documents that neither ranking retrieves stay
//! unjudged. Where S is undefined it counts 0.
//!
//! With some documents decided, `S(A) - S(B)` is at most the highest S(A) less the lowest S(B) that the measure's bounds
//! tell. Documents of one tie group of A and one of B are alike.

mod cost;
mod graded;
mod sets;

use std::cell::Cell;

use graded::{AlikeDocuments, GradedPair};

use super::layout::{DifferenceWorkspace, Scale};
use super::pair::RankingPair;
use super::setup::Setup;
use super::solution::{Chance, Difference, DifferenceRange, STEPS, ScoreSampler, fixed, in_both};
use super::solve::branch::{self, Incumbent};
use super::solve::budget::Budget;
use super::solve::expected::Uncertain;
use crate::error::{Error, Failure, Result};
use crate::measures::bounds::{Open, Resolution};
use crate::measures::formula::Formula;
use crate::measures::gain::Gain;
use crate::measures::{Certainty, Measure};
use crate::names::{Info, Needs};
use crate::ranking::{List, Placed, Ranking};
use crate::table::Judgments;

/// The most grades that documents may have.
const MOST: usize = 256;

/// Documents of the ranking for which a measure has to have bounds.
const PROBED: usize = 1000;

/// The difference in a measure of which only bounds are known.
struct GeneralDifference {
    scale: Scale,
    info: &'static Info,
    measure: Box<dyn Measure>,
    /// Whether no grade of an unjudged document changes it, as of a measure of what is judged.
    fixed: bool,
    /// Grades that an unjudged document may have, highest first; the last is 0.
    grades: Vec<f64>,
}

/// The difference in a measure that can tell its bounds.
///
/// # Errors
/// It cannot, or a parameter has a value that it cannot take.
pub(super) fn general(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let spec = setup.spec;
    let refuse = |why: &str| Err(Error::Measure(format!("the largest difference in {spec} is not known: {why}")));
    if spec.info.needs != Needs::Judgments {
        return refuse("it needs more than the grades of documents");
    }
    let scale = setup.scale(Gain::Linear, setup.highest());
    let most = scale.max_grade;
    let whole_grades = (0..=most.min(MOST as f64) as usize).map(|grade| grade as f64);
    let known = setup.scope.grades.iter().copied().filter(|&grade| 0.0 < grade && grade < most);
    let mut grades: Vec<f64> = whole_grades.chain(known).chain([most]).collect();
    grades.sort_unstable_by(|x, y| y.total_cmp(x));
    grades.dedup();
    if grades.len() > MOST {
        return Err(Error::Value(format!(
            "{spec}: the largest difference is searched for up to {MOST} grades; give max_grade"
        )));
    }
    let measure = setup.measure(spec, &grades, 2 * (setup.scope.depth + scale.cutoff.unwrap_or(0)))?;
    let mut difference = GeneralDifference { scale, info: spec.info, measure, fixed: false, grades };
    // As many documents that are not judged as rankings may have.
    let mut ranking = Ranking::default();
    ranking.retrieved = setup.depth().min(PROBED);
    (0..ranking.retrieved).for_each(|start| ranking.push(start, 1, std::iter::empty()));
    let bounds = difference.measure.bounds(&difference.open(&ranking, &Judgments::none(), 0));
    match bounds {
        None => {
            let why = spec.info.unbounded.unwrap_or("it may fall when a grade grows");
            refuse(&format!("it has no bounds over unjudged documents ({why})"))
        }
        Some(bounds) if bounds.undefined && spec.info.lower_is_better => {
            refuse("it is undefined with some grades, where 0 would be its best value")
        }
        Some(bounds) => {
            difference.fixed = bounds.low.is_nan() || bounds.low == bounds.high && !bounds.undefined;
            Ok(Box::new(difference))
        }
    }
}

impl GeneralDifference {
    /// Whether no order of documents changes the measure.
    fn is_of_set(&self) -> bool {
        self.info.is_of_set && self.scale.cutoff.is_none()
    }

    /// Where tie groups end. Where no order changes anything, all documents are one group: they are alike.
    fn ends<'l>(&self, list: &'l List) -> &'l [u32] {
        let from = if self.is_of_set() { list.ends.len().saturating_sub(1) } else { 0 };
        &list.ends[from..]
    }

    /// Whether both rankings have the same value whatever the grades are.
    fn is_same(&self, pair: &RankingPair<'_>) -> bool {
        let is_in_both = || pair.places.iter().all(|x| x.a > 0 && x.b > 0);
        self.scale.lacking(pair) == 0 && (pair.is_same() || self.is_of_set() && is_in_both())
    }

    fn open<'o>(&'o self, ranking: &'o Ranking, truth: &'o Judgments<'o>, unretrieved: usize) -> Open<'o> {
        Open { ranking, truth, resolution: Resolution::Mean, grades: &self.grades, unretrieved }
    }

    /// Searches for the largest S(A) - S(B) and the grades with which it is attained.
    fn solve(&self, problem: &GradedPair<'_>) -> Incumbent {
        let last = (self.grades.len() - 1) as u8;
        let start = |choice: &dyn Fn(&AlikeDocuments) -> bool| {
            let choice_of = |&cell: &usize| if choice(&problem.cells[cell]) { 0 } else { last };
            problem.units.iter().map(choice_of).collect::<Vec<u8>>()
        };
        let at = |group: Option<usize>, side: usize| group.map_or(usize::MAX, |group| problem.sides[side][group].start);
        let mut work = Budget::new(STEPS);
        let scanned = if self.is_of_set() { sets::scan(problem, last, &mut work) } else { None };
        if let Some(best) = scanned.as_ref().filter(|best| best.bound == best.value) {
            return best.clone();
        }
        let mut starts = vec![
            start(&|cell| at(cell.groups[0], 0) < at(cell.groups[1], 1)),
            start(&|cell| cell.groups[1].is_none()),
            start(&|_| true),
            start(&|_| false),
        ];
        let most = scanned.as_ref().map_or(f64::INFINITY, |best| best.bound);
        starts.extend(scanned.map(|best| best.chosen));
        let incumbent = branch::solve(problem, starts, work);
        Incumbent { bound: incumbent.bound.min(most).max(incumbent.value), ..incumbent }
    }
}

impl Difference for GeneralDifference {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn extent(&self, pair: &RankingPair<'_>, _: &mut DifferenceWorkspace, directions: (bool, bool)) -> DifferenceRange {
        if self.is_same(pair) {
            return fixed(directions, 0.0);
        }
        let sure = Cell::new(Certainty::Exact);
        let solve = |problem: &mut GradedPair<'_>| {
            let best = self.solve(problem);
            if pair.is_tied() {
                sure.set(sure.get().max(problem.certainty(&best.chosen)));
            }
            (best.value, best.bound)
        };
        let mut problem = GradedPair::new(self, pair);
        let [a, b] = *problem.root();
        if [a.low, a.high, b.low, b.high].iter().any(|bound| !bound.is_finite()) {
            return fixed(directions, f64::NAN); // it has bounds, but not here
        }
        if let Some([a, b]) = problem.settled() {
            return fixed(directions, a - b);
        }
        let both = in_both(directions, &mut problem, solve, GradedPair::swap);
        DifferenceRange { sure: sure.get(), ..DifferenceRange::exact(both) }
    }

    fn assignment(&self, pair: &RankingPair<'_>, _: &mut DifferenceWorkspace) -> Option<(Vec<u32>, Vec<f64>)> {
        let problem = GradedPair::new(self, pair);
        let best = self.solve(&problem);
        let numbers: Vec<u32> = pair.places.iter().map(|place| place.document).collect();
        let mut grades = vec![0.0; numbers.len()];
        let mut filling = vec![0.0; self.scale.lacking(pair)];
        let mut chosen = best.chosen.iter().map(|&choice| self.grades[choice as usize]);
        for cell in &problem.cells {
            for (&place, grade) in cell.places.iter().zip(&mut chosen) {
                grades[place] = grade;
            }
            if cell.places.is_empty() {
                let grade = chosen.next()?;
                let of_a = cell.groups[0].map(|group| problem.sides[0][group].start - pair.a.len());
                of_a.into_iter().for_each(|i| filling[i] = grade);
            }
        }
        grades.append(&mut filling);
        Some((numbers, grades))
    }

    fn sampled<'s>(
        &'s self,
        pair: &'s RankingPair<'_>,
        _: &'s mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> Option<ScoreSampler<'s>> {
        let uncertain = |place: &Placed| {
            let (gain, chance) =
                pair.grade(place).map_or_else(|| (self.scale.max_grade, chance(place)), |grade| (grade, 1.0));
            Uncertain { a: place.a, b: place.b, gain, chance }
        };
        let documents = pair.places.iter().map(uncertain).collect();
        Some(ScoreSampler { documents, scores: Box::new(GradedPair::new(self, pair)) })
    }

    fn failure(&self) -> Option<Failure> {
        self.measure.formula().and_then(Formula::failure)
    }
}
