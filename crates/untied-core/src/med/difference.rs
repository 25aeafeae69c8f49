//! The trait [`Difference`], by which a measure supports `MED` and `Delta`, and shared code of its implementations.
//!
//! Normalisers do not depend on judgments: AP is divided by the depth, nDCG by the ideal ranking of r_G at all ranks, as
//! Tan & Clarke do it. Shorter rankings are filled up to the cutoff with unknown documents of their own.

use super::solve::distribution::{self, Distribution};
use super::solve::expected::{Moments, Term, Uncertain};
use super::solve::scores::Scores;
use super::solve::{Document, Instance, cascade, dot, quadratic};
use crate::error::Failure;
use crate::grade::Level;
use crate::measures::Certainty;
use crate::measures::gain::Gain;
use crate::ranking::{List, Placed};
use crate::table::Length;

/// Nodes that the search for one largest difference may take.
pub(super) const NODES: u64 = 20_000;
/// Steps that it may take where documents are tied, or take time: with both directions less than a second.
pub(super) const STEPS: u64 = 250_000_000;
/// Draws from which an expected difference is estimated where there is no formula.
const DRAWS: usize = 10_000;

/// Judgments of a query's documents with regard to one of its subtopics.
#[derive(Debug, Clone)]
pub struct Subtopic {
    /// The highest grade that any document has.
    pub highest: f64,
    /// Grades by number of document; NaN where there is no judgment.
    pub grades: Vec<f64>,
}

/// Two rankings of a query, with facts about their documents.
#[derive(Debug, Clone, Copy)]
pub struct RankingPair<'a> {
    /// The first ranking.
    pub a: &'a List,
    /// The second ranking.
    pub b: &'a List,
    /// The documents of both.
    pub places: &'a [Placed],
    /// Grades and other facts about these documents.
    pub known: Known<'a>,
}

/// Grades and other facts about a query's documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Grades by number of document; NaN where there is no judgment.
    pub grades: &'a [f64],
    /// The grades of all judged documents of the query.
    pub levels: &'a [Level],
    /// Probabilities to be relevant, by number of document, if there are any; NaN where none is given.
    pub chances: &'a [f64],
    /// Lengths by number of document, where a measure needs them.
    pub lengths: &'a [Length],
    /// Its subtopics, if they are known.
    pub subtopics: &'a [Subtopic],
}

impl<'a> RankingPair<'a> {
    /// Whether documents of either ranking are tied.
    pub fn is_tied(&self) -> bool {
        self.a.is_tied() || self.b.is_tied()
    }

    /// Where tie groups of A and of B end.
    pub(super) fn ends(&self) -> (&'a [u32], &'a [u32]) {
        (&self.a.ends, &self.b.ends)
    }

    /// Whether both have the same tie groups, so that every measure gives them the same value.
    pub(super) fn is_same(&self) -> bool {
        let group = |list: &List, rank: u32| list.ends.partition_point(|&end| end < rank);
        self.a.ends == self.b.ends
            && self.places.iter().all(|x| x.a > 0 && x.b > 0 && group(self.a, x.a) == group(self.b, x.b))
    }

    /// The grade of a document, if it is judged.
    #[inline]
    pub(super) fn grade(&self, place: &Placed) -> Option<f64> {
        Some(self.known.grades[place.document as usize]).filter(|grade| !grade.is_nan())
    }
}

/// Memory that is kept between pairs of rankings.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) discounts: (Vec<f64>, Vec<f64>),
    pub(super) instance: Instance,
    pub(super) weights: dot::Weights,
    pub(super) solvers: Solvers,
}

/// Memory of solvers.
#[derive(Debug, Default)]
pub(super) struct Solvers {
    pub quadratic: quadratic::Workspace,
    pub cascade: cascade::Workspace,
}

/// How much one ranking can be ahead of the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// The largest S(A) - S(B) that was found, and what it cannot exceed.
    pub up: (f64, f64),
    /// The same of S(B) - S(A).
    pub down: (f64, f64),
    /// What documents below the last of A, and of B, may still add to it.
    pub unseen: (f64, f64),
    /// Whether scores of rankings with ties are exact.
    pub sure: Certainty,
}

impl Extent {
    /// One that nothing below the rankings changes.
    pub fn exact((up, down): ((f64, f64), (f64, f64))) -> Extent {
        Extent { up, down, unseen: (0.0, 0.0), sure: Certainty::Exact }
    }
}

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

/// Differences with their probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcomes {
    /// The differences in ascending order.
    pub values: Vec<f64>,
    /// Their probabilities; in a sample how often each was drawn.
    pub probabilities: Vec<f64>,
    /// Every outcome is this close to the difference that it was counted for; none for a sample.
    pub error: Option<f64>,
}

/// The probability that an unjudged document is relevant.
pub(super) type Chance<'c> = &'c dyn Fn(&Placed) -> f64;

/// Documents that are relevant with a probability each, and the scores of two rankings by what they gain.
pub(super) struct Sampled<'s> {
    pub documents: Vec<Uncertain>,
    pub scores: Box<dyn Scores + 's>,
}

/// The difference of two rankings in a measure, S(A) - S(B).
pub(super) trait Difference: Send + Sync {
    /// How documents gain, and which ones count.
    fn scale(&self) -> &Scale;

    /// The extent of differences, in the directions asked for.
    fn extent(&self, pair: &RankingPair<'_>, work: &mut Workspace, directions: (bool, bool)) -> Extent;

    /// Numbers of documents and their grades where A is farthest ahead, then the grades of those that fill rankings:
    /// first those of A. None where what is assigned are no grades, or nothing is known.
    fn assignment(&self, pair: &RankingPair<'_>, work: &mut Workspace) -> Option<(Vec<u32>, Vec<f64>)>;

    /// What mean and distribution are drawn from, where there is no formula; none where nothing is known.
    fn sampled<'s>(
        &'s self,
        _pair: &'s RankingPair<'_>,
        _work: &'s mut Workspace,
        _chance: Chance<'_>,
    ) -> Option<Sampled<'s>> {
        None
    }

    /// Mean and variance where an unknown document is relevant, of the highest grade, with a probability; and how sure
    /// they are.
    fn moments(&self, pair: &RankingPair<'_>, work: &mut Workspace, chance: Chance<'_>) -> (Moments, Certainty) {
        self.drawn_moments(pair, work, chance)
    }

    /// The same, drawn.
    fn drawn_moments(&self, pair: &RankingPair<'_>, work: &mut Workspace, chance: Chance<'_>) -> (Moments, Certainty) {
        let undefined = Moments { mean: f64::NAN, variance: f64::NAN };
        self.sampled(pair, work, chance).map_or((undefined, Certainty::Exact), |sampled| sampled.moments())
    }

    /// The distribution of S(A) - S(B): on a grid of about that many points where possible, else drawn from the seed.
    fn outcomes(
        &self,
        pair: &RankingPair<'_>,
        work: &mut Workspace,
        chance: Chance<'_>,
        (_, seed): (usize, u64),
    ) -> Option<Outcomes> {
        Some(self.sampled(pair, work, chance)?.outcomes(seed))
    }

    /// What went wrong in code of the user's since this was last asked.
    fn failure(&self) -> Option<Failure> {
        None
    }
}

impl Sampled<'_> {
    /// Mean and variance of a difference: as it is where nothing is uncertain, else of a sample.
    pub fn moments(&self) -> (Moments, Certainty) {
        if self.documents.iter().all(|x| x.chance == 0.0 || x.chance == 1.0) {
            let gains: Vec<f64> = self.documents.iter().map(|x| x.gain * x.chance).collect();
            return (Moments { mean: self.scores.difference(&gains), variance: 0.0 }, Certainty::Exact);
        }
        let found = distribution::drawn(&self.documents, &*self.scores, DRAWS, 0);
        let mean = found.iter().sum::<f64>() / DRAWS as f64;
        let squares: f64 = found.iter().map(|one| (one - mean).powi(2)).sum();
        (Moments { mean, variance: squares / (DRAWS - 1) as f64 }, Certainty::Estimate)
    }

    fn outcomes(&self, seed: u64) -> Outcomes {
        let found = distribution::drawn(&self.documents, &*self.scores, DRAWS, seed);
        let (values, probabilities) =
            found.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as f64 / DRAWS as f64)).unzip();
        Outcomes { values, probabilities, error: None }
    }
}

impl Outcomes {
    /// Those of a sum of independent terms, which is divided by a number.
    pub(super) fn of_terms(terms: &[Term], norm: f64, points: usize) -> Outcomes {
        let terms: Vec<Term> = terms.iter().map(|x| Term { difference: x.difference / norm, ..*x }).collect();
        let found = Distribution::of(&terms, points);
        let all = found.masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0);
        let (values, probabilities) = all.map(|(i, &mass)| (found.low + i as f64 * found.step, mass)).unzip();
        Outcomes { values, probabilities, error: Some(found.error) }
    }
}

/// How documents gain, and which ones count.
#[derive(Clone)]
pub(super) struct Scale {
    pub gain: Gain,
    /// The highest grade that an unknown document may have, and the most that it gains, r_G.
    pub max_grade: f64,
    pub top: f64,
    /// Documents below this rank do not matter.
    pub cutoff: Option<usize>,
    /// Whether shorter rankings are filled up to the depth.
    pub fills: bool,
}

impl Scale {
    /// Shorter rankings are filled up if there is a cutoff.
    pub fn new(gain: Gain, max_grade: f64, cutoff: Option<usize>) -> Scale {
        Scale { top: gain.of(max_grade), gain, max_grade, cutoff, fills: cutoff.is_some() }
    }

    /// The rank to which these rankings count: the cutoff, or the end of the longer one.
    pub fn depth_of(&self, pair: &RankingPair<'_>) -> usize {
        self.cutoff.unwrap_or(pair.a.len().max(pair.b.len()))
    }

    /// Documents that fill A.
    pub fn lacking(&self, pair: &RankingPair<'_>) -> usize {
        if self.fills { self.depth_of(pair).saturating_sub(pair.a.len()) } else { 0 }
    }

    /// Gain of a document; none if it is unknown.
    #[inline]
    pub fn known(&self, pair: &RankingPair<'_>, place: &Placed) -> Option<f64> {
        pair.grade(place).map(|grade| self.gain.of(grade))
    }

    /// Judged documents that are relevant, wherever they are.
    pub fn relevant(&self, pair: &RankingPair<'_>) -> usize {
        let relevant = pair.known.levels.iter().filter(|level| self.gain.of(level.grade) > 0.0);
        relevant.map(|level| level.count as usize).sum()
    }

    /// The grades that unknown documents have if they gain so much: nothing, or the most.
    pub fn grades(&self, gains: Vec<f64>) -> Vec<f64> {
        gains.into_iter().map(|gain| if gain > 0.0 { self.max_grade } else { 0.0 }).collect()
    }

    /// Gains of documents, and then of those that fill A.
    pub fn with_filling(&self, pair: &RankingPair<'_>, mut gains: Vec<f64>) -> Vec<f64> {
        gains.resize(gains.len() + self.lacking(pair), self.top);
        gains
    }

    /// Write the documents within the depth to an instance; their places.
    pub fn lay_out<'p>(
        &self,
        pair: &'p RankingPair<'_>,
        instance: &mut Instance,
    ) -> impl Iterator<Item = &'p Placed> + use<'p> {
        let depth = self.depth_of(pair);
        let within = move |rank: u32| if rank as usize <= depth { rank } else { 0 };
        let counted = move |place: &&Placed| within(place.a) > 0 || within(place.b) > 0;
        // Where there is nothing to fill rankings up to, they are as long as the depth.
        let filled = |list: &List| if self.fills { list.len().min(depth) } else { depth };
        instance.depth = depth;
        instance.top = self.top;
        instance.lengths = (filled(pair.a), filled(pair.b));
        instance.documents.clear();
        let document = |x: &Placed| Document { a: within(x.a), b: within(x.b), known: self.known(pair, x) };
        instance.documents.extend(pair.places.iter().filter(counted).map(document));
        pair.places.iter().filter(counted)
    }

    /// All documents with their gains, wherever they stand.
    pub fn with_ties(&self, pair: &RankingPair<'_>) -> Instance {
        let mut instance = Instance::default();
        self.lay_out_tied(pair, &mut instance);
        instance
    }

    /// Write all documents with their gains to an instance, wherever they stand.
    pub fn lay_out_tied(&self, pair: &RankingPair<'_>, instance: &mut Instance) {
        let depth = self.depth_of(pair);
        let place = |place: &Placed| Document { a: place.a, b: place.b, known: self.known(pair, place) };
        let filled = |list: &List| if self.fills { list.len() } else { list.len().max(depth) };
        instance.depth = depth;
        instance.top = self.top;
        instance.lengths = (filled(pair.a), filled(pair.b));
        instance.documents.clear();
        instance.documents.extend(pair.places.iter().map(place));
    }

    /// Write what documents weigh to the workspace: the discounts of their ranks, of tied ones the mean.
    pub fn weigh(&self, pair: &RankingPair<'_>, discounts: &[f64], work: &mut Workspace) {
        let Workspace { weights, discounts: (of_a, of_b), .. } = work;
        let (at_a, at_b) = (by_rank(discounts, pair.a, of_a), by_rank(discounts, pair.b, of_b));
        self.weigh_by(pair, (at_a, at_b), weights);
        for (lacking, list) in [(&mut weights.lacking.0, pair.a), (&mut weights.lacking.1, pair.b)] {
            if self.fills {
                lacking.extend(&discounts[list.len().min(discounts.len())..]);
            }
        }
    }

    /// The same with weights of the ranks of A and of B; nothing is filled up.
    pub fn weigh_by(&self, pair: &RankingPair<'_>, (of_a, of_b): (&[f64], &[f64]), weights: &mut dot::Weights) {
        let at = |discounts: &[f64], rank: u32| discounts.get((rank as usize).wrapping_sub(1)).copied().unwrap_or(0.0);
        weights.top = self.top;
        weights.lacking.0.clear();
        weights.lacking.1.clear();
        weights.documents.clear();
        weights.documents.extend(pair.places.iter().map(|place| {
            let known = self.known(pair, place);
            dot::Weighed { a: at(of_a, place.a), b: at(of_b, place.b), known }
        }));
    }
}

/// Discounts of a ranking's documents, rank by rank: in a tie group the mean over its positions.
fn by_rank<'a>(discounts: &'a [f64], list: &List, room: &'a mut Vec<f64>) -> &'a [f64] {
    if !list.is_tied() {
        return discounts;
    }
    room.clear();
    for &end in &list.ends {
        let start = room.len();
        let size = end as usize - start;
        let within = &discounts[start.min(discounts.len())..(end as usize).min(discounts.len())];
        room.resize(end as usize, within.iter().sum::<f64>() / size as f64);
    }
    room
}

/// What a solver finds in one direction and, rankings being exchanged, in the other; nothing where it is not asked for.
pub(super) fn in_both<P>(
    directions: (bool, bool),
    problem: &mut P,
    solve: impl Fn(&mut P) -> (f64, f64),
    swap: impl Fn(&mut P),
) -> ((f64, f64), (f64, f64)) {
    let never = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let up = if directions.0 { solve(problem) } else { never };
    if !directions.1 {
        return (up, never);
    }
    swap(problem);
    (up, solve(problem))
}

/// A difference that no grade changes.
pub(super) fn fixed(directions: (bool, bool), difference: f64) -> Extent {
    let solve = |difference: &mut f64| (*difference, *difference);
    Extent::exact(in_both(directions, &mut { difference }, solve, |difference| *difference = 0.0 - *difference))
}
