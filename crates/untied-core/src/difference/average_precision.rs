//! Average precision. For MED and Delta, it is divided by the depth or by a number of relevant documents.
//!
//! For verdicts, it is divided by the number R of relevant documents. [`precisions`] finds an upper bound for every
//! number of relevant unknown documents in one pass. If rankings have no ties and not too many unknown documents,
//! [`quadratic::solve_ratio`] finds the difference itself. An unknown document below the cutoff, or in neither ranking,
//! only adds to R. If A can be ahead, no such document is relevant in a best assignment; otherwise, all are.

use super::assignment::Assignment;
use super::layout::{DifferenceWorkspace, Scale, Solvers};
use super::pair::{RankingPair, TieOrders};
use super::ranked::{ByRank, Ends, Ranked, TiedPair, UntiedRankings};
use super::setup::{PrecisionDivisor, Question, Setup};
use super::solution::{Difference, LargestDifference, STEPS};
use super::solve::budget::Budget;
use super::solve::expected::{self, DifferenceMoments, Uncertain};
use super::solve::precisions::{self, Precisions};
use super::solve::quadratic::{self, QuadraticWorkspace};
use super::solve::{Document, Instance, Relevance, Solution, scores};
use super::upper_bounds::{UpperBounds, rising};
use crate::error::{Error, Result};
use crate::names::Value;
use crate::ranking::{List, Placed};

pub(super) fn average_precision(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    if let Question::Verdicts { .. } = setup.question {
        return Ok(Box::new(MovingAveragePrecision { scale: setup.binary()?, ties: setup.options.ties }));
    }
    let Some(depth) = setup.spec.cutoff else {
        return Err(Error::Measure(
            "AP needs a cutoff, for instance AP@100, because MED divides AP by the depth".into(),
        ));
    };
    let scale = setup.binary()?;
    let divisor = setup.options.divisor;
    let measure = match divisor {
        PrecisionDivisor::Depth => {
            // AP is divided by the depth, as if this were the number of relevant documents.
            let by_depth = setup.spec.clone().with("recall_base", Value::Number(depth as f64))?;
            Some(setup.with_grades(&by_depth, scale.max_grade)?)
        }
        _ => None,
    };
    Ok(Box::new(ByRank { scale, solver: divisor, measure }))
}

impl Ranked for PrecisionDivisor {
    fn solve(&self, rankings: UntiedRankings<'_>, solvers: &mut Solvers) -> Solution {
        let (memory, work) = (&mut solvers.quadratic, Budget::new(STEPS));
        match *self {
            PrecisionDivisor::Depth => quadratic::solve(rankings.instance, work, memory),
            PrecisionDivisor::Relevant => {
                quadratic::solve_ratio(rankings.instance, usize::MAX, rankings.elsewhere(), work, memory)
            }
            PrecisionDivisor::Most(most) => {
                quadratic::solve_limited(rankings.instance, most, rankings.elsewhere(), work, memory)
            }
        }
    }

    fn tied<'p>(&self, instance: &'p mut Instance, ends: Ends<'p>, solvers: &'p mut Solvers) -> TiedPair<'p> {
        (*self == PrecisionDivisor::Depth)
            .then(move || quadratic::tied(instance, ends, Budget::new(STEPS), &mut solvers.quadratic))
    }

    fn expected(&self, documents: &[Uncertain], depth: usize) -> Option<DifferenceMoments> {
        (*self == PrecisionDivisor::Depth).then(|| expected::precisions(documents).divided(depth as f64))
    }

    fn expected_tied(&self, documents: &[Uncertain], ends: Ends<'_>, depth: usize) -> Option<DifferenceMoments> {
        let expected = || quadratic::expected_tied(documents, ends, depth).divided(depth as f64);
        (*self == PrecisionDivisor::Depth).then(expected)
    }

    fn score(&self, rankings: UntiedRankings<'_>, by_rank: &[f64], relevant: f64) -> f64 {
        let divisor = match *self {
            PrecisionDivisor::Depth => rankings.instance.depth as f64,
            PrecisionDivisor::Relevant => relevant + rankings.elsewhere() as f64,
            PrecisionDivisor::Most(most) => (rankings.relevant + most) as f64,
        };
        if divisor > 0.0 { scores::precisions(by_rank) / divisor } else { 0.0 }
    }
}

/// The largest number of unknown documents for which a verdict is searched.
const LARGEST: usize = 600;

/// The difference in AP for verdicts.
struct MovingAveragePrecision {
    scale: Scale,
    ties: TieOrders,
}

/// A pair without ties, in the form that a search takes.
struct UntiedQuery<'p> {
    instance: Instance,
    /// The ranks of each document of the instance.
    places: Vec<&'p Placed>,
    /// How many documents judged relevant are below the depth or in neither ranking.
    relevant_elsewhere: usize,
    /// How many unknown documents are below the depth or in neither ranking.
    unknown_elsewhere: usize,
}

/// The result of a search.
struct Searched {
    solution: Solution,
    /// How many relevant unknown documents are below the depth or in neither ranking, and so only add to R.
    elsewhere: usize,
}

impl MovingAveragePrecision {
    /// A ranking down to the cutoff. `ties` is the order of relevance in which tied documents are put.
    fn precisions(&self, pair: &RankingPair<'_>, list: &List, ties: [Relevance; 3]) -> Precisions {
        let mut by_rank = self.scale.relevance_by_rank(pair, list, ties);
        by_rank.truncate(self.scale.depth_of(pair));
        Precisions::new(&by_rank)
    }

    /// Upper bounds of the difference, in one pass. If there are ties, A is in its best order and B in its worst.
    fn outer(&self, pair: &RankingPair<'_>) -> UpperBounds {
        let a = self.precisions(pair, pair.a, [Relevance::Relevant, Relevance::Unknown, Relevance::NonRelevant]);
        let b = self.precisions(pair, pair.b, [Relevance::NonRelevant, Relevance::Unknown, Relevance::Relevant]);
        let relevant = self.scale.relevant(pair);
        let bounds = rising(precisions::separate_bounds(&a, &b, relevant, pair.unknown()).into_iter());
        if pair.is_tied() {
            return UpperBounds::of_best_and_worst(bounds, pair, self.ties == TieOrders::BestWorst);
        }
        // The bound for one relevant document is exact, because each document is tried.
        let none = bounds[0];
        let gain = |place: &Placed| a.gain(place.a) - b.gain(place.b);
        let gains = pair.unknown_documents().map(gain).chain((pair.facts.unretrieved > 0).then_some(0.0));
        let of_one = gains.reduce(f64::max).map(|gain| (a.certain() - b.certain() + gain) / (relevant + 1) as f64);
        let mut bounds = UpperBounds::partly(bounds, None, vec![0]);
        if let Some(of_one) = of_one {
            bounds.cap_at(1, of_one.max(none), true);
        }
        bounds
    }

    /// The pair in the form that a search takes. None if documents are tied, or the search would take too long.
    fn problem<'p>(&self, pair: &'p RankingPair<'_>) -> Option<UntiedQuery<'p>> {
        if pair.is_tied() {
            return None;
        }
        let mut instance = Instance::default();
        let places = self.scale.lay_out(pair, &mut instance).collect();
        let unknown = instance.unknown().count();
        let relevant = instance.documents.iter().filter(|x| x.known == Some(1.0)).count();
        (unknown <= LARGEST).then(|| UntiedQuery {
            relevant_elsewhere: self.scale.relevant(pair) - relevant,
            unknown_elsewhere: pair.unknown() - unknown,
            instance,
            places,
        })
    }
}

impl UntiedQuery<'_> {
    fn is_any_known_relevant(&self) -> bool {
        self.relevant_elsewhere > 0 || self.instance.documents.iter().any(|x| x.known == Some(1.0))
    }

    /// Searches with at most `most` relevant unknown documents.
    fn solve(&self, most: usize, workspace: &mut QuadraticWorkspace) -> Searched {
        let (own, work) = (&self.instance, Budget::new(STEPS));
        let alone = quadratic::solve_ratio(own, most, self.relevant_elsewhere, work, workspace);
        let elsewhere = self.unknown_elsewhere.min(most);
        if alone.bound > 0.0 || !self.is_any_known_relevant() || elsewhere == 0 {
            return Searched { solution: alone, elsewhere: 0 };
        }
        // The search also decides about documents that only add to R.
        let mut all = own.clone();
        all.documents.extend(std::iter::repeat_n(Document { a: 0, b: 0, known: None }, elsewhere));
        let mut solution = quadratic::solve_ratio(&all, most, self.relevant_elsewhere, work, workspace);
        let gains = solution.gains.split_off(own.documents.len());
        Searched { solution, elsewhere: gains.iter().filter(|&&gain| gain > 0.0).count() }
    }

    /// The number of relevant unknown documents that a search found.
    fn count(&self, searched: &Searched) -> usize {
        self.instance.assigned(&searched.solution.gains).count() + searched.elsewhere
    }
}

impl Difference for MovingAveragePrecision {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, most: usize, work: &mut DifferenceWorkspace) -> LargestDifference {
        let Some(problem) = self.problem(pair).filter(|_| most > 0) else {
            let outer = self.outer(pair);
            let assignment = Assignment { difference: outer.at_most(0), ..Assignment::default() };
            return LargestDifference::within(outer.at_most(most), assignment);
        };
        let Searched { solution, elsewhere } = problem.solve(most, &mut work.solvers.quadratic);
        let relevant = problem.instance.assigned(&solution.gains).map(|number| Some(problem.places[number].document));
        // Then come the documents that only add to R: those below the depth, and those of neither ranking.
        let is_below = |rank: u32| rank == 0 || rank as usize > problem.instance.depth;
        let below = pair.unknown_documents().filter(|x| is_below(x.a) && is_below(x.b));
        let below = below.map(|place| Some(place.document));
        let others = below.chain(std::iter::repeat_n(None, pair.facts.unretrieved)).take(elsewhere);
        let assignment = Assignment::of_grade(solution.value, self.scale.max_grade, relevant.chain(others));
        LargestDifference::within(solution.bound, assignment)
    }

    fn upper_bounds(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> UpperBounds {
        let outer = self.outer(pair);
        let Some(problem) = self.problem(pair) else { return outer };
        let searched = problem.solve(usize::MAX, &mut work.solvers.quadratic);
        let Solution { value, bound, .. } = searched.solution;
        let none = outer.at_most(0); // no document is chosen, so the bound is the difference itself
        outer.cap(bound.max(none)).attained_from((value == bound).then(|| problem.count(&searched)))
    }

    /// Whether this pair is searched: its documents are not tied, and few are unknown.
    fn is_searched(&self, pair: &RankingPair<'_>) -> bool {
        self.problem(pair).is_some()
    }
}
