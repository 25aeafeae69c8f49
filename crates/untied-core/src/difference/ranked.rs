//! Measures whose largest difference is found by a search over ranks and gains of documents (an [`Instance`]).

use super::assembled::Means;
use super::layout::{DifferenceWorkspace, Scale, Solvers};
use super::pair::RankingPair;
use super::setup::Setup;
use super::solution::{Chance, Difference, DifferenceRange, LargestDifference, ScoreSampler, in_both};
use super::solve::expected::{DifferenceMoments, Uncertain};
use super::solve::scores::ScoresByGains;
use super::solve::{Document, Instance, Solution, TiedSolver};
use crate::error::Result;
use crate::measures::{Certainty, Measure};
use crate::ranking::Placed;

/// Two rankings without ties.
#[derive(Clone, Copy)]
pub(super) struct UntiedRankings<'q> {
    pub instance: &'q Instance,
    /// The number of documents judged relevant. Those that neither ranking has count, too.
    pub relevant: usize,
}

impl UntiedRankings<'_> {
    /// The number of documents judged relevant that A or B has.
    pub fn relevant_retrieved(&self) -> usize {
        self.instance.documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0)).count()
    }

    /// The number of documents judged relevant that neither ranking has.
    pub fn elsewhere(&self) -> usize {
        self.relevant - self.relevant_retrieved()
    }
}

/// The rank at which each tie group ends, in A and in B.
pub(super) type Ends<'e> = (&'e [u32], &'e [u32]);

/// A pair of tied rankings, prepared for both directions. None if the measure has no solver for ties.
pub(super) type TiedPair<'p> = Option<Box<dyn TiedSolver + 'p>>;

/// A measure whose largest difference is found by a search over ranks and gains.
pub(super) trait Ranked: Send + Sync {
    /// The largest S(A) - S(B) of rankings without ties.
    fn solve(&self, rankings: UntiedRankings<'_>, solvers: &mut Solvers) -> Solution;

    /// Prepares rankings with ties, whose scores are means over tie orders.
    fn tied<'p>(&self, instance: &'p mut Instance, ends: Ends<'p>, solvers: &'p mut Solvers) -> TiedPair<'p>;

    /// The mean and the variance of the difference of rankings without ties, if each document is relevant with a
    /// probability. None if there is no formula, and a sample is drawn instead.
    fn expected(&self, _documents: &[Uncertain], _depth: usize) -> Option<DifferenceMoments> {
        None
    }

    /// The mean and the variance of the difference of rankings with ties. None if there is no formula, and a sample is
    /// drawn instead.
    fn expected_tied(&self, _documents: &[Uncertain], _ends: Ends<'_>, _depth: usize) -> Option<DifferenceMoments> {
        None
    }

    /// The score of one ranking, from the gains at its ranks and the number of relevant documents in both rankings.
    fn score(&self, rankings: UntiedRankings<'_>, by_rank: &[f64], relevant: f64) -> f64;
}

/// The difference in a measure that implements [`Ranked`].
pub(super) struct ByRank<M> {
    pub scale: Scale,
    pub solver: M,
    /// The measure of one ranking. None if a mean over its tie orders is not what the difference is about.
    pub measure: Option<Box<dyn Measure>>,
}

impl<M: Ranked + 'static> ByRank<M> {
    pub fn boxed(setup: &Setup<'_>, scale: Scale, solver: M) -> Result<Box<dyn Difference>> {
        let measure = Some(setup.with_grades(setup.spec, scale.max_grade)?);
        Ok(Box::new(ByRank { scale, solver, measure }))
    }
}

impl<M: Ranked> ByRank<M> {
    fn search(&self, relevant: usize, work: &mut DifferenceWorkspace) -> Solution {
        let DifferenceWorkspace { instance, solvers, .. } = work;
        self.solver.solve(UntiedRankings { instance, relevant }, solvers)
    }

    /// The documents of rankings without ties, with their probabilities of being relevant. Writes the instance to the
    /// workspace.
    fn uncertain(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace, chance: Chance<'_>) -> Vec<Uncertain> {
        let places = self.scale.lay_out(pair, &mut work.instance);
        uncertain(&work.instance, places, chance)
    }
}

impl<M: Ranked> Difference for ByRank<M> {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, _: usize, work: &mut DifferenceWorkspace) -> LargestDifference {
        let (numbers, solution): (Vec<u32>, Solution) = if pair.is_tied() {
            self.scale.lay_out_tied(pair, &mut work.instance);
            let Some(mut tied) = self.solver.tied(&mut work.instance, pair.ends(), &mut work.solvers) else {
                return LargestDifference { value: f64::NAN, bound: f64::NAN, assignment: None };
            };
            let mut solution = tied.solve();
            drop(tied);
            solution.gains = self.scale.with_filling(pair, solution.gains);
            (pair.places.iter().map(|place| place.document).collect(), solution)
        } else {
            let numbers = self.scale.lay_out(pair, &mut work.instance).map(|place| place.document).collect();
            work.instance = work.instance.filled();
            (numbers, self.search(self.scale.relevant(pair), work))
        };
        let Solution { value, bound, gains, .. } = solution;
        let grades = self.scale.grades(gains);
        LargestDifference::within(bound, self.scale.assignment(pair, value, &numbers, &grades))
    }

    fn extent(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        directions: (bool, bool),
    ) -> DifferenceRange {
        if pair.is_tied() {
            let DifferenceWorkspace { instance, solvers, .. } = work;
            self.scale.lay_out_tied(pair, instance);
            let Some(mut tied) = self.solver.tied(instance, pair.ends(), solvers) else {
                return DifferenceRange::exact(((f64::NAN, f64::NAN), (f64::NAN, f64::NAN)));
            };
            let solve = |tied: &mut Box<dyn TiedSolver + '_>| {
                let Solution { value, bound, .. } = tied.solve();
                (value, bound)
            };
            return DifferenceRange::exact(in_both(directions, &mut tied, solve, |tied| tied.swap()));
        }
        drop(self.scale.lay_out(pair, &mut work.instance));
        let relevant = self.scale.relevant(pair);
        let solve = |work: &mut DifferenceWorkspace| {
            let Solution { value, bound, .. } = self.search(relevant, work);
            (value, bound)
        };
        DifferenceRange::exact(in_both(directions, work, solve, |work| work.instance.swap()))
    }

    fn sampled<'s>(
        &'s self,
        pair: &'s RankingPair<'_>,
        work: &'s mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> Option<ScoreSampler<'s>> {
        if pair.is_tied() {
            let means = Means::new(pair, self.scale.cutoff.unwrap_or(0), self.measure.as_deref()?);
            let documents = means.uncertain(pair, self.scale.max_grade, chance);
            return Some(ScoreSampler { documents, scores: Box::new(means) });
        }
        let documents = self.uncertain(pair, work, chance);
        let rankings = UntiedRankings { instance: &work.instance, relevant: self.scale.relevant(pair) };
        Some(ScoreSampler { documents, scores: Box::new(Untied { measure: &self.solver, rankings }) })
    }

    fn moments(
        &self,
        pair: &RankingPair<'_>,
        work: &mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> (DifferenceMoments, Certainty) {
        let depth = self.scale.depth_of(pair);
        let moments = if pair.is_tied() {
            let documents = uncertain(&self.scale.with_ties(pair), pair.places.iter(), chance);
            self.solver.expected_tied(&documents, pair.ends(), depth)
        } else {
            self.solver.expected(&self.uncertain(pair, work, chance), depth)
        };
        moments.map_or_else(|| self.drawn_moments(pair, work, chance), |moments| (moments, Certainty::Exact))
    }
}

/// The scores of two rankings without ties, as functions of the documents' gains.
struct Untied<'s, M> {
    measure: &'s M,
    rankings: UntiedRankings<'s>,
}

impl<M: Ranked> Untied<'_, M> {
    fn score(&self, gains: &[f64], rank: impl Fn(&Document) -> u32) -> f64 {
        let instance = self.rankings.instance;
        let mut by_rank = vec![0.0; instance.depth];
        for (x, &gain) in instance.documents.iter().zip(gains).filter(|(x, _)| rank(x) > 0) {
            by_rank[rank(x) as usize - 1] = gain;
        }
        self.measure.score(self.rankings, &by_rank, gains.iter().filter(|&&gain| gain > 0.0).count() as f64)
    }
}

impl<M: Ranked> ScoresByGains for Untied<'_, M> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.a)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.b)
    }
}

/// The documents of an instance, with their probabilities of being relevant. `chance` gives it for an unjudged
/// document.
fn uncertain<'p>(instance: &Instance, places: impl Iterator<Item = &'p Placed>, chance: Chance<'_>) -> Vec<Uncertain> {
    let documents = instance.documents.iter().zip(places);
    documents.map(|(x, place)| Uncertain::of(x, instance.top, || chance(place))).collect()
}
