//! A general search for the largest difference, for any measure with bounds over unjudged documents.
//!
//! The score S is the measure itself, on rankings in which every document has a grade. Judged documents keep theirs. An
//! unjudged document may have any of 0, 1, ... `max_grade`, and any grade of the qrels up to that. R and ideal rankings
//! count judged documents and those that get a grade. Documents that neither ranking retrieves stay unjudged. An
//! undefined S counts as 0.
//!
//! After some decisions, `S(A) - S(B)` is at most the highest S(A) minus the lowest S(B), which are the measure's
//! bounds. Documents in the same tie group of A and in the same tie group of B are alike.
//!
//! For verdicts, the search is the same, except that rankings are not filled up, and documents of the pool that neither
//! ranking retrieves may be relevant, too.

mod cost;
mod graded;
mod sets;

use std::cell::Cell;

use graded::{AlikeDocuments, GradedPair};

use super::assembled::separate_bounds;
use super::assignment::Assignment;
use super::layout::{DifferenceWorkspace, Scale};
use super::pair::{RankingPair, TieOrders};
use super::setup::{Question, Setup};
use super::solution::{
    Chance, Difference, DifferenceRange, LargestDifference, STEPS, ScoreSampler, fixed, in_both, solved_bounds,
};
use super::solve::branch::{self, Incumbent};
use super::solve::budget::Budget;
use super::solve::expected::Uncertain;
use super::upper_bounds::UpperBounds;
use crate::error::{Error, Failure, Result};
use crate::measures::bounds::{Open, Resolution};
use crate::measures::formula::Formula;
use crate::measures::gain::Gain;
use crate::measures::{Certainty, Measure};
use crate::names::{Aggregate, Info, Needs, Spec};
use crate::ranking::{List, Placed, Ranking};
use crate::table::Judgments;

/// The largest number of different grades that a document may have.
const MOST: usize = 256;

/// Whether a measure has bounds is tested on a ranking with at most this many documents.
const PROBED: usize = 1000;

/// The number of steps of a search for a verdict. A verdict takes two for each query.
const MOVING_STEPS: u64 = STEPS / 100;

/// The difference in a measure of which only bounds are known.
struct GeneralDifference {
    scale: Scale,
    info: &'static Info,
    measure: Box<dyn Measure>,
    /// Whether grades of unjudged documents do not change the measure, because it leaves them out.
    fixed: bool,
    /// Whether the difference is for verdicts.
    is_moving: bool,
    /// The order of tied documents that scores are for.
    ties: TieOrders,
    /// The possible grades of an unjudged document, highest first. The last is 0.
    grades: Vec<f64>,
}

/// The difference in any measure that has bounds over the grades of unjudged documents.
///
/// # Errors
/// The measure has no bounds, or a parameter has a value that it cannot take.
pub(super) fn general(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let spec = setup.spec;
    let scale = setup.scale(Gain::Linear, setup.highest());
    let Question::Verdicts { possible } = setup.question else {
        let most = scale.max_grade;
        // For MED and Delta, a document may have any whole grade, and any grade of the qrels.
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
        return Ok(Box::new(GeneralDifference::new(setup, scale, grades)?));
    };
    if spec.info.lower_is_better {
        return Err(refusal(spec, VERDICT, "lower values are better"));
    }
    if spec.info.aggregate != Aggregate::Mean {
        return Err(refusal(spec, VERDICT, "it is not a mean over queries"));
    }
    if possible.len() > MOST {
        return Err(refusal(spec, VERDICT, "documents may have too many different grades"));
    }
    let general = GeneralDifference::new(setup, scale, possible.to_vec())?;
    if general.fixed {
        return Err(refusal(spec, VERDICT, "no grade of an unjudged document changes it"));
    }
    Ok(Box::new(general))
}

const LARGEST: &str = "the largest difference";
const VERDICT: &str = "the verdict";

fn refusal(of: &Spec, what: &str, why: &str) -> Error {
    Error::Measure(format!("{what} in {of} is not known: {why}"))
}

impl GeneralDifference {
    /// The difference in a measure. It must have bounds. `grades` are the possible grades of an unjudged document,
    /// highest first.
    fn new(setup: &Setup<'_>, scale: Scale, grades: Vec<f64>) -> Result<GeneralDifference> {
        let of = setup.spec;
        let is_moving = matches!(setup.question, Question::Verdicts { .. });
        let refuse = |why: &str| Err(refusal(of, if is_moving { VERDICT } else { LARGEST }, why));
        if of.info.needs != Needs::Judgments {
            return refuse(match of.info.needs {
                Needs::Subtopics => "the grades of unjudged documents change what it is divided by",
                _ => "it needs more than the grades of documents",
            });
        }
        let measure = setup.measure(of, &grades, 2 * (setup.scope.depth + scale.cutoff.unwrap_or(0)))?;
        let ties = setup.options.ties;
        let general = GeneralDifference { scale, info: of.info, measure, fixed: false, is_moving, ties, grades };
        // Test the measure's bounds on a ranking of unjudged documents.
        let mut ranking = Ranking::default();
        ranking.retrieved = of.cutoff.unwrap_or(setup.scope.depth).min(PROBED);
        (0..ranking.retrieved).for_each(|start| ranking.push(start, 1, std::iter::empty()));
        match general.measure.bounds(&general.open(&ranking, &Judgments::none(), 0)) {
            None => {
                let why = of.info.unbounded.unwrap_or("it may fall when a grade grows");
                refuse(&format!("it has no bounds over unjudged documents ({why})"))
            }
            Some(bounds) if bounds.undefined && of.info.lower_is_better => {
                refuse("it is undefined with some grades, where 0 would be its best value")
            }
            Some(bounds) => {
                let fixed = bounds.low.is_nan() || bounds.low == bounds.high && !bounds.undefined;
                Ok(GeneralDifference { fixed, ..general })
            }
        }
    }

    /// Whether the order of documents does not change the measure.
    fn is_of_set(&self) -> bool {
        self.info.is_of_set && self.scale.cutoff.is_none()
    }

    /// The ranks at which tie groups end. If order does not change the measure, all documents are one group.
    fn ends<'l>(&self, list: &'l List) -> &'l [u32] {
        let from = if self.is_of_set() { list.ends.len().saturating_sub(1) } else { 0 };
        &list.ends[from..]
    }

    /// Whether both rankings have the same value with any grades.
    fn is_same(&self, pair: &RankingPair<'_>) -> bool {
        let is_in_both = || pair.places.iter().all(|x| x.a > 0 && x.b > 0);
        self.scale.lacking(pair) == 0 && (pair.is_same() || self.is_of_set() && is_in_both())
    }

    fn open<'o>(&'o self, ranking: &'o Ranking, truth: &'o Judgments<'o>, unretrieved: usize) -> Open<'o> {
        Open { ranking, truth, resolution: Resolution::Mean, grades: &self.grades, unretrieved }
    }

    /// Searches for the largest S(A) - S(B), and grades that reach it.
    fn search(&self, problem: &GradedPair<'_>) -> Incumbent {
        let last = (self.grades.len() - 1) as u8;
        let start = |choice: &dyn Fn(&AlikeDocuments) -> bool| {
            let choice_of = |&cell: &usize| if choice(&problem.cells[cell]) { 0 } else { last };
            problem.units.iter().map(choice_of).collect::<Vec<u8>>()
        };
        let at = |group: Option<usize>, side: usize| group.map_or(usize::MAX, |group| problem.sides[side][group].start);
        // For measures of sets, a scan finds the largest difference, or at least a start for the search.
        let mut work = Budget::new(if self.is_moving { MOVING_STEPS } else { STEPS });
        let scanned = if self.is_of_set() { sets::scan(problem, last, &mut work) } else { None };
        if let Some(best) = scanned.as_ref().filter(|best| best.bound == best.value) {
            return best.clone();
        }
        // Four starts: the highest grade for all documents that A has higher, for those that B lacks, for all, and for
        // none.
        let mut starts = vec![
            start(&|cell| at(cell.groups[0], 0) < at(cell.groups[1], 1)),
            start(&|cell| cell.groups[1].is_none()),
            start(&|_| true),
            start(&|_| false),
        ];
        if self.is_moving {
            starts.reverse(); // The first must be allowed however few documents may be relevant.
        }
        let most = scanned.as_ref().map_or(f64::INFINITY, |best| best.bound);
        starts.extend(scanned.map(|best| best.chosen));
        let incumbent = branch::solve(problem, starts, work);
        Incumbent { bound: incumbent.bound.min(most).max(incumbent.value), ..incumbent }
    }

    /// For MED and Delta: the grades of all unknown documents and of those that fill A, from a search.
    fn filled_assignment(&self, pair: &RankingPair<'_>, problem: &GradedPair<'_>, best: &Incumbent) -> Assignment {
        let numbers: Vec<u32> = pair.places.iter().map(|place| place.document).collect();
        let mut grades = vec![0.0; numbers.len() + self.scale.lacking(pair)];
        let mut chosen = best.chosen.iter().map(|&choice| self.grades[choice as usize]);
        for cell in &problem.cells {
            for (&place, grade) in cell.places.iter().zip(&mut chosen) {
                grades[place] = grade;
            }
            if cell.places.is_empty() {
                let filler = cell.groups[0].map(|group| problem.sides[0][group].start - pair.a.len());
                let grade = chosen.next();
                filler.zip(grade).into_iter().for_each(|(i, grade)| grades[numbers.len() + i] = grade);
            }
        }
        self.scale.assignment(pair, best.value, &numbers, &grades)
    }

    /// For verdicts: the unknown documents with a grade above 0, from a search.
    fn relevant_assignment(&self, pair: &RankingPair<'_>, problem: &GradedPair<'_>, best: &Incumbent) -> Assignment {
        let mut graded: Vec<(Option<u32>, f64)> = Vec::new();
        let mut chosen = best.chosen.iter().map(|&choice| self.grades[choice as usize]);
        for cell in &problem.cells {
            let places = cell.places.iter().map(|&place| Some(pair.places[place].document));
            let documents = places.chain(std::iter::repeat(None)).take(cell.len());
            graded.extend(documents.zip(&mut chosen));
        }
        Assignment::of_grades(best.value, graded.into_iter().filter(|&(_, grade)| grade > 0.0))
    }
}

impl Difference for GeneralDifference {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, most: usize, _: &mut DifferenceWorkspace) -> LargestDifference {
        let problem = GradedPair::new(self, pair).at_most(most);
        let best = match most {
            0 => problem.nonrelevant(),
            _ => self.search(&problem),
        };
        let assignment = match self.is_moving {
            true => self.relevant_assignment(pair, &problem, &best),
            false => self.filled_assignment(pair, &problem, &best),
        };
        LargestDifference::within(best.bound, assignment)
    }

    fn extent(&self, pair: &RankingPair<'_>, _: &mut DifferenceWorkspace, directions: (bool, bool)) -> DifferenceRange {
        if self.is_same(pair) {
            return fixed(directions, 0.0);
        }
        // `sure` collects whether means over tie orders were exact.
        let sure = Cell::new(Certainty::Exact);
        let solve = |problem: &mut GradedPair<'_>| {
            let best = self.search(problem);
            if pair.is_tied() {
                sure.set(sure.get().max(problem.certainty(&best.chosen)));
            }
            (best.value, best.bound)
        };
        // Without finite bounds, the difference is undefined. If no grade changes either score, it is known.
        let mut problem = GradedPair::new(self, pair);
        let [a, b] = *problem.root();
        if [a.low, a.high, b.low, b.high].iter().any(|bound| !bound.is_finite()) {
            return fixed(directions, f64::NAN); // the measure has bounds, but none for this pair
        }
        if let Some([a, b]) = problem.settled() {
            return fixed(directions, a - b);
        }
        let both = in_both(directions, &mut problem, solve, GradedPair::swap);
        DifferenceRange { sure: sure.get(), ..DifferenceRange::exact(both) }
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
    /// For the best order of A and the worst of B, only the measure's bounds are known.
    fn upper_bounds(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> UpperBounds {
        if self.is_searched(pair) {
            return solved_bounds(self, pair, work);
        }
        let (most, _) = separate_bounds(&*self.measure, pair, &self.grades, self.ties);
        UpperBounds::partly(vec![most], (pair.unknown() == 0).then_some(0), Vec::new())
    }

    fn is_searched(&self, pair: &RankingPair<'_>) -> bool {
        !self.ties.are_best_and_worst(pair)
    }
}
