//! From a measure of one ranking to what finds its largest and its expected difference.
//!
//! A form turns two rankings into the instance that its solver takes: ranks within the depth, gains of judged
//! documents, and r_G, the most that an unknown one may gain. Normalisers do not depend on judgments: AP is divided by
//! the depth, nDCG by the ideal ranking of r_G at all ranks, as Tan & Clarke do it. Shorter rankings are filled up to the
//! cutoff with unknown documents of their own.

mod assignment;
mod outcomes;

pub use assignment::Assignment;
pub use outcomes::Outcomes;

use super::effect::{Both, Workspace};
use super::expected::{self, Moments, Stake, Uncertain};
use super::novelty::{self, Novelty};
use super::scores::{self, Scores};
use super::tied::{Swapped, Tied};
use super::{
    Document, Instance, Solution, average_precision, bpref, branch, counts, distribution, dot, err, flow,
    reciprocal_rank,
};
use crate::error::{Error, Result};
use crate::measures::dcg::{Gain, discounts};
use crate::measures::{Certainty, Measure, Scope, Spec, Value};
use crate::ranking::{List, Placed};

/// How much one ranking can be ahead of the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// The largest S(A) - S(B) that was found, and what it cannot exceed.
    pub up: (f64, f64),
    /// The same of S(B) - S(A).
    pub down: (f64, f64),
    /// What documents below the last of A, and of B, may still add to it.
    pub unseen: (f64, f64),
}

/// A measure, as far as differences need it.
pub(super) struct Form {
    gain: Gain,
    /// The most that an unknown document gains, r_G.
    top: f64,
    cutoff: Option<usize>,
    kind: Kind,
    /// The measure itself where it is no dot product, for rankings with ties; and the grade of r_G.
    measure: Option<Box<dyn Measure>>,
    max_grade: f64,
    options: Options,
}

enum Kind {
    /// A sum of gains times discounts.
    Dot {
        /// D(1) and so on, as far as rankings go.
        discounts: Vec<f64>,
        /// Whether it is divided by that of r_G at all ranks.
        normalised: bool,
        /// p of RBP: documents below rank K weigh p^K together.
        persistence: Option<f64>,
    },
    AveragePrecision(Base),
    ReciprocalRank,
    /// ERR.
    ReciprocalCascade,
    /// Another cascade, by its discounts.
    Cascade(Vec<f64>),
    /// A sum over subtopics.
    Novelty(Box<Novelty>),
    Recall,
    F1,
    Success,
    Bpref,
}

/// What AP is divided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Base {
    /// The depth.
    Depth,
    /// The documents that are relevant: judged ones, and those that an assignment makes so.
    Relevant,
    /// The judged relevant ones and so many others, more of which are not relevant.
    Most(usize),
}

/// What goes with a measure.
pub(super) struct Options {
    /// The highest grade that unjudged documents may have; none: that of the measure or the qrels.
    pub max_grade: Option<f64>,
    /// Whether all that could follow the documents of both rankings is part of the value.
    pub tail: bool,
    /// See [`Base`].
    pub base: Base,
    /// At most so many documents have each grade.
    pub per_grade: Option<usize>,
    /// Whether tied documents stand in the order that makes the difference largest, not in any.
    pub optimistic: bool,
}

/// Nodes that the search for one largest difference may take.
const NODES: u64 = 20_000;
/// The same where tied rankings are evaluated anew at every node.
const TIED_NODES: u64 = 1_000;
/// Draws from which an expected difference is estimated where there is no formula.
const DRAWS: usize = 10_000;

impl Form {
    /// The form of a measure.
    ///
    /// # Errors
    /// The measure has none, or a parameter has a value it cannot take.
    pub fn new(of: &Spec, options: Options, scope: &Scope<'_>) -> Result<Form> {
        let highest = scope.grades.first().copied().unwrap_or(0.0).max(1.0);
        let cutoff = of.cutoff;
        let depth = cutoff.unwrap_or(scope.depth);
        let most = |default: f64| of.number("max_grade", default, "a number above 0", |most| most > 0.0);
        let of_ranks = || -> Result<Vec<f64>> {
            let mut discounts = discounts(of, depth)?;
            discounts.resize(depth, 0.0); // a list may be shorter
            Ok(discounts)
        };
        let weighted = |discounts| Kind::Dot { discounts, normalised: false, persistence: None };
        let binary = |kind| of.rel().map(|rel| (Gain::From(rel), rel, kind));
        let (gain, own, kind) = match of.info.name {
            "P" => binary(weighted(vec![1.0 / depth as f64; depth]))?,
            "AP" if cutoff.is_none() => {
                return Err(Error::Measure(
                    "AP needs a cutoff, for instance AP@100: it is divided by the depth".into(),
                ));
            }
            "AP" => binary(Kind::AveragePrecision(options.base))?,
            "R" => binary(Kind::Recall)?,
            "F1" => binary(Kind::F1)?,
            "Success" => binary(Kind::Success)?,
            "Bpref" => binary(Kind::Bpref)?,
            "RR" => binary(Kind::ReciprocalRank)?,
            "DCG" => (Gain::new(of, scope.grades)?, highest, weighted(of_ranks()?)),
            "nDCG" => {
                let kind = Kind::Dot { discounts: of_ranks()?, normalised: true, persistence: None };
                (Gain::new(of, scope.grades)?, highest, kind)
            }
            "RBP" => {
                let p = of.number("p", 0.8, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
                let discounts = (0..depth).map(|i| (1.0 - p) * p.powf(i as f64)).collect();
                let kind =
                    Kind::Dot { discounts, normalised: false, persistence: Some(p).filter(|_| cutoff.is_none()) };
                match most(f64::NAN)? {
                    most if most.is_nan() => binary(kind)?,
                    most => (Gain::ShareOf(most), most, kind),
                }
            }
            "ERR" => (Gain::Stop(most(4.0)?), most(4.0)?, Kind::ReciprocalCascade),
            "Cascade" => (Gain::new(of, scope.grades)?, highest, Kind::Cascade(novelty::falling(of, depth)?)),
            "alpha_DCG" | "alpha_nDCG" | "ERR_IA" | "nERR_IA" | "StRecall" | "P_IA" => {
                binary(Kind::Novelty(Box::new(Novelty::new(of, options.max_grade)?)))?
            }
            _ => return Err(Error::Measure(format!("the largest difference in {of} is not known"))),
        };
        let refuse = |option: &str, goes_with: &str| {
            Err(Error::Measure(format!("{option} goes with {goes_with}, not with {of}")))
        };
        let is_dot = matches!(kind, Kind::Dot { .. });
        if options.tail && !matches!(kind, Kind::Dot { persistence: Some(_), .. } | Kind::ReciprocalCascade) {
            return refuse("tail='upper'", "RBP without a cutoff and with ERR");
        }
        if options.base != Base::Depth && !matches!(kind, Kind::AveragePrecision(_)) {
            return refuse("R", "AP");
        }
        if options.per_grade.is_some() && !matches!(of.info.name, "DCG" | "nDCG") {
            return refuse("per_grade", "DCG and nDCG");
        }
        if options.optimistic && (!is_dot || options.per_grade.is_some()) {
            return refuse("ties='optimistic'", "sums of gains times discounts (P, DCG, nDCG, RBP)");
        }
        let max_grade = options.max_grade.unwrap_or(own);
        if let (Gain::Stop(most), Some(grade)) = (&gain, scope.grades.iter().chain([&max_grade]).find(|&&g| g > own)) {
            return Err(Error::Value(format!("{of}: grade {grade} is above max_grade = {most}")));
        }
        let measure = match kind {
            Kind::AveragePrecision(Base::Depth) => {
                // R is the depth.
                let of = of.clone().with("recall_base", Value::Number(depth as f64))?;
                Some(with_grades(&of, max_grade, scope)?)
            }
            Kind::ReciprocalRank | Kind::ReciprocalCascade | Kind::Cascade(_) | Kind::Success => {
                Some(with_grades(of, max_grade, scope)?)
            }
            _ => None,
        };
        Ok(Form { top: gain.of(max_grade), gain, cutoff, kind, measure, max_grade, options })
    }

    /// Documents below this rank do not matter.
    pub fn depth(&self) -> usize {
        self.cutoff.unwrap_or(usize::MAX)
    }

    /// The rank to which these rankings count: the cutoff, or the end of the longer one.
    fn depth_of(&self, both: &Both<'_>) -> usize {
        self.cutoff.unwrap_or(both.a.len().max(both.b.len()))
    }

    /// The extent of differences, in the directions asked for.
    pub fn extent(&self, both: &Both<'_>, work: &mut Workspace, directions: (bool, bool)) -> Extent {
        let mut unseen = (0.0, 0.0);
        let (mut up, mut down) = match &self.kind {
            Kind::Novelty(novelty) => return novelty.extent(both, work, directions),
            Kind::Dot { discounts, normalised, persistence } => {
                let discounts = &discounts[..self.depth_of(both)];
                self.weigh(both, discounts, work);
                let norm = if *normalised { self.ideal(both, discounts) } else { 1.0 };
                if let Some(p) = persistence {
                    unseen = (self.top * p.powf(both.a.len() as f64), self.top * p.powf(both.b.len() as f64));
                }
                let solve = |work: &mut Workspace| {
                    let value = match self.options.per_grade {
                        None => dot::largest(&work.weights),
                        Some(most) => dot::solve_limited(&work.weights, &self.grades(both, most, true)).value,
                    };
                    (value / norm, value / norm)
                };
                if self.options.optimistic && (both.a.is_tied() || both.b.is_tied()) {
                    return self.optimistic(both, discounts, norm, unseen, directions);
                }
                in_both(directions, work, solve, |work| work.weights.swap())
            }
            Kind::AveragePrecision(Base::Depth) if self.is_tied(both) => {
                let instance = self.with_ties(both, self.depth_of(both));
                in_both_orders(both, instance, directions, |instance, ends| {
                    let found = average_precision::solve_tied(instance, ends, NODES, &mut work.average_precision);
                    (found.value, found.bound)
                })
            }
            _ if self.is_tied(both) => {
                let ((up, above_up), (down, above_down)) = self.searched(both, directions);
                // What follows rank K is reached with at most probability 1, and is worth at most 1 / (K + 1).
                let tail = if self.options.tail { 1.0 / (self.depth_of(both) + 1) as f64 } else { 0.0 };
                ((up, above_up + tail), (down, above_down + tail))
            }
            _ => {
                self.lay_out(both, &mut work.instance);
                let solve = |work: &mut Workspace| {
                    let Solution { value, bound, .. } = self.solution(both, work);
                    (value, bound)
                };
                in_both(directions, work, solve, |work| work.instance.swap())
            }
        };
        if self.options.tail {
            up = (up.0 + unseen.0, up.1 + unseen.0);
            down = (down.0 + unseen.1, down.1 + unseen.1);
            unseen = (0.0, 0.0);
        }
        Extent { up, down, unseen }
    }

    /// The extent where tied documents may stand in any order too.
    fn optimistic(
        &self,
        both: &Both<'_>,
        discounts: &[f64],
        norm: f64,
        unseen: (f64, f64),
        directions: (bool, bool),
    ) -> Extent {
        let instance = self.with_ties(both, discounts.len());
        let (up, down) = in_both_orders(both, instance, directions, |instance, ends| {
            let value = flow::solve(instance, ends, discounts).value / norm;
            (value, value)
        });
        Extent { up, down, unseen }
    }

    /// All documents with their gains, wherever they stand.
    fn with_ties(&self, both: &Both<'_>, depth: usize) -> Instance {
        let known = |place: &Placed| self.known(both.grades[place.document as usize]);
        let place = |place: &Placed| Document { a: place.a, b: place.b, known: known(place) };
        let filled = |list: &List| if self.cutoff.is_some() { list.len() } else { list.len().max(depth) };
        Instance {
            depth,
            lengths: (filled(both.a), filled(both.b)),
            documents: both.places.iter().map(place).collect(),
            top: self.top,
        }
    }

    /// Grades from 1 on with their gains, and how many documents may have each: judged ones aside where `open`.
    fn grades(&self, both: &Both<'_>, most: usize, open: bool) -> Vec<dot::Grade> {
        let judged = |grade: f64| {
            let levels = both.levels.iter().filter(|level| level.grade == grade);
            levels.map(|level| level.count as usize).sum::<usize>()
        };
        let limit = |grade: f64| if open { most.saturating_sub(judged(grade)) } else { most.max(judged(grade)) };
        let grades = (1..=self.max_grade as usize).map(|grade| grade as f64);
        grades.map(|grade| dot::Grade { gain: self.gain.of(grade), most: limit(grade) }).collect()
    }

    /// What nDCG is divided by; 1 where that is nothing, as of two empty rankings.
    fn ideal(&self, both: &Both<'_>, discounts: &[f64]) -> f64 {
        let ideal = match self.options.per_grade {
            None => self.top * discounts.iter().sum::<f64>(),
            Some(most) => dot::ideal(discounts, &self.grades(both, most, false)),
        };
        if ideal > 0.0 { ideal } else { 1.0 }
    }

    /// Whether tied rankings need a search: those of dot products have a closed form.
    fn is_tied(&self, both: &Both<'_>) -> bool {
        !matches!(self.kind, Kind::Dot { .. }) && (both.a.is_tied() || both.b.is_tied())
    }

    fn tied(&self, both: &Both<'_>) -> Option<Tied<'_>> {
        Some(Tied::new(both, self.cutoff.unwrap_or(0), self.measure.as_deref()?))
    }

    /// What a search finds over the expected scores of rankings with ties.
    fn searched(&self, both: &Both<'_>, directions: (bool, bool)) -> ((f64, f64), (f64, f64)) {
        let never = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        // Denominators that move: what is expected of tied rankings is not known.
        let Some(mut tied) = self.tied(both) else { return ((f64::NAN, f64::NAN), (f64::NAN, f64::NAN)) };
        let ends = |solution: Solution| (solution.value, solution.bound);
        let solve = |tied: &Tied<'_>| branch::solve(&tied.documents, self.max_grade, tied, TIED_NODES);
        let up = if directions.0 { ends(solve(&tied)) } else { never };
        if !directions.1 {
            return (up, never);
        }
        tied.documents.iter_mut().for_each(|x| std::mem::swap(&mut x.a, &mut x.b));
        (up, ends(branch::solve(&tied.documents, self.max_grade, &Swapped(&tied), TIED_NODES)))
    }

    /// What solves the instance of the workspace.
    fn solution(&self, both: &Both<'_>, work: &mut Workspace) -> Solution {
        let Workspace { instance, average_precision: room, .. } = work;
        let elsewhere = || self.elsewhere(both, instance);
        let judged = || counts::Elsewhere { relevant: elsewhere(), unknown: 0 };
        match &self.kind {
            Kind::ReciprocalRank => reciprocal_rank::solve(instance),
            Kind::ReciprocalCascade => err::solve(instance, self.options.tail, NODES, &mut work.err),
            Kind::Cascade(discounts) => {
                err::solve_discounted(instance, &discounts[..instance.depth], NODES, &mut work.err)
            }
            Kind::Recall => counts::recall(instance, judged()),
            Kind::F1 => counts::f1(instance, judged()),
            Kind::Success => counts::success(instance),
            Kind::Bpref => {
                let k = instance.depth as f64;
                let nothing = || Solution { value: 0.0, bound: 0.0, gains: Vec::new(), nodes: 0 };
                if k == 0.0 { nothing() } else { bpref::solve(instance, k, k).unwrap_or_else(nothing) }
            }
            Kind::AveragePrecision(Base::Relevant) => {
                average_precision::solve_ratio(instance, elsewhere(), NODES, room)
            }
            Kind::AveragePrecision(Base::Most(most)) => {
                average_precision::solve_limited(instance, *most, elsewhere(), NODES, room)
            }
            Kind::AveragePrecision(Base::Depth) => average_precision::solve(instance, NODES, room),
            Kind::Dot { .. } | Kind::Novelty(_) => unreachable!("they are solved without an instance"),
        }
    }

    /// Judged relevant documents that are not in the instance.
    fn elsewhere(&self, both: &Both<'_>, instance: &Instance) -> usize {
        let relevant = |grade: f64| self.gain.of(grade) > 0.0;
        let all = both.levels.iter().filter(|level| relevant(level.grade)).map(|level| level.count as usize);
        let here = instance.documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0)).count();
        all.sum::<usize>() - here
    }

    /// Mean and variance of S(A) - S(B) where an unknown document is relevant, of the highest grade, with a probability.
    /// How sure they are comes with them.
    pub fn moments(
        &self,
        both: &Both<'_>,
        work: &mut Workspace,
        chance: impl Fn(&Placed) -> f64,
    ) -> (Moments, Certainty) {
        if let Kind::Novelty(novelty) = &self.kind {
            return novelty.moments(both, work, &chance);
        }
        let depth = self.depth_of(both);
        if self.is_tied(both) {
            if let Kind::AveragePrecision(Base::Depth) = self.kind {
                let mut open = both.places.iter().filter(|place| both.grades[place.document as usize].is_nan());
                let documents = self.with_ties(both, depth).uncertain(|_| open.next().map_or(0.0, &chance));
                let found = average_precision::expected_tied(&documents, (&both.a.ends, &both.b.ends), depth);
                let by = depth as f64;
                return (Moments { mean: found.mean / by, variance: found.variance / (by * by) }, Certainty::Exact);
            }
            let undefined = Moments { mean: f64::NAN, variance: f64::NAN };
            let Some(tied) = self.tied(both) else { return (undefined, Certainty::Exact) };
            return drawn(&self.uncertain_tied(both, &tied, chance), &tied);
        }
        let (moments, norm) = match &self.kind {
            Kind::Dot { .. } => {
                let (stakes, norm) = self.stakes(both, work, chance);
                (expected::dot(&stakes), norm)
            }
            kind => {
                let documents = self.uncertain(both, work, chance);
                match kind {
                    Kind::ReciprocalRank => (expected::reciprocal_rank(&documents, depth), 1.0),
                    Kind::ReciprocalCascade => (expected::expected_reciprocal_rank(&documents, depth), 1.0),
                    Kind::Cascade(discounts) => (expected::discounted(&documents, &discounts[..depth]), 1.0),
                    Kind::AveragePrecision(Base::Depth) => (expected::average_precision(&documents), depth as f64),
                    _ => return drawn(&documents, &self.by_counts(both, &work.instance)),
                }
            }
        };
        (Moments { mean: moments.mean / norm, variance: moments.variance / (norm * norm) }, Certainty::Exact)
    }

    /// What every document adds to a dot product's difference, and what that is divided by.
    fn stakes(&self, both: &Both<'_>, work: &mut Workspace, chance: impl Fn(&Placed) -> f64) -> (Vec<Stake>, f64) {
        let Kind::Dot { discounts, normalised, .. } = &self.kind else { return (Vec::new(), 1.0) };
        let discounts = &discounts[..self.depth_of(both)];
        self.weigh(both, discounts, work);
        let places = both.places.iter().zip(&work.weights.documents);
        let stakes = places.map(|(place, weighed)| Stake::new(weighed, self.top, chance(place))).collect();
        (stakes, if *normalised { self.ideal(both, discounts) } else { 1.0 })
    }

    /// The documents of untied rankings, whose instance is then in the workspace.
    fn uncertain(&self, both: &Both<'_>, work: &mut Workspace, chance: impl Fn(&Placed) -> f64) -> Vec<Uncertain> {
        self.lay_out(both, &mut work.instance);
        let within = |rank: u32| 0 < rank && rank as usize <= work.instance.depth;
        let open = both.places.iter().filter(|place| both.grades[place.document as usize].is_nan());
        let mut open = open.filter(|place| within(place.a) || within(place.b));
        work.instance.uncertain(|_| open.next().map_or(0.0, &chance))
    }

    /// The documents of tied rankings; what fills these up is no document of theirs.
    fn uncertain_tied(&self, both: &Both<'_>, tied: &Tied<'_>, chance: impl Fn(&Placed) -> f64) -> Vec<Uncertain> {
        let uncertain = |(x, place): (&Document, &Placed)| {
            let (gain, chance) = x.known.map_or_else(|| (self.max_grade, chance(place)), |grade| (grade, 1.0));
            Uncertain { a: x.a, b: x.b, gain, chance }
        };
        let (own, fillers) = tied.documents.split_at(both.places.len());
        let never = fillers.iter().map(|x| Uncertain { a: x.a, b: x.b, gain: 0.0, chance: 0.0 });
        own.iter().zip(both.places).map(uncertain).chain(never).collect()
    }

    /// Scores of rankings without ties, of any measure but dot products.
    fn by_counts<'i>(&self, both: &Both<'_>, instance: &'i Instance) -> ByCounts<'i, impl Fn(&[f64], f64) -> f64> {
        let (k, elsewhere) = (instance.depth as f64, self.elsewhere(both, instance) as f64);
        let hits = |by_rank: &[f64]| by_rank.iter().filter(|&&gain| gain > 0.0).count() as f64;
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let formula = move |by_rank: &[f64], relevant: f64| {
            let relevant = relevant + elsewhere;
            match &self.kind {
                Kind::Recall => share(hits(by_rank), relevant),
                Kind::F1 => share(2.0 * hits(by_rank), k + relevant),
                Kind::Success => f64::from(u8::from(hits(by_rank) > 0.0)),
                Kind::ReciprocalRank => scores::reciprocal_rank(by_rank),
                Kind::ReciprocalCascade => scores::expected_reciprocal_rank(by_rank),
                Kind::Cascade(discounts) => scores::cascade(by_rank, discounts),
                Kind::AveragePrecision(Base::Depth) => share(scores::average_precision(by_rank), k),
                Kind::Bpref => share(bpref::score(by_rank, k), k),
                Kind::AveragePrecision(Base::Most(most)) => {
                    let known = instance.documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0)).count();
                    share(scores::average_precision(by_rank), (known + *most) as f64 + elsewhere)
                }
                _ => share(scores::average_precision(by_rank), relevant),
            }
        };
        ByCounts { instance, formula }
    }

    /// Write what documents weigh in either ranking to the workspace.
    fn weigh(&self, both: &Both<'_>, discounts: &[f64], work: &mut Workspace) {
        let Workspace { weights, discounts: (of_a, of_b), .. } = work;
        let (of_a, of_b) = (by_rank(discounts, both.a, of_a), by_rank(discounts, both.b, of_b));
        let at = |discounts: &[f64], rank: u32| discounts.get((rank as usize).wrapping_sub(1)).copied().unwrap_or(0.0);
        weights.top = self.top;
        weights.documents.clear();
        weights.documents.extend(both.places.iter().map(|place| {
            let known = self.known(both.grades[place.document as usize]);
            dot::Weighed { a: at(of_a, place.a), b: at(of_b, place.b), known }
        }));
        for (lacking, list) in [(&mut weights.lacking.0, both.a), (&mut weights.lacking.1, both.b)] {
            lacking.clear();
            if self.cutoff.is_some() {
                lacking.extend(&discounts[list.len().min(discounts.len())..]);
            }
        }
    }

    /// Write the documents within the depth to an instance.
    fn lay_out(&self, both: &Both<'_>, instance: &mut Instance) {
        let depth = self.depth_of(both);
        let within = |rank: u32| if rank as usize <= depth { rank } else { 0 };
        instance.depth = depth;
        instance.top = self.top;
        // Without a cutoff there is nothing to fill rankings up to, unless all that could follow them counts.
        let filled =
            |list: &List| if self.cutoff.is_some() || self.options.tail { list.len().min(depth) } else { depth };
        instance.lengths = (filled(both.a), filled(both.b));
        instance.documents.clear();
        instance.documents.extend(both.places.iter().filter_map(|place| {
            let (a, b) = (within(place.a), within(place.b));
            let known = self.known(both.grades[place.document as usize]);
            (a > 0 || b > 0).then_some(Document { a, b, known })
        }));
    }

    /// Gain of a document; none if it is unknown.
    #[inline]
    fn known(&self, grade: f64) -> Option<f64> {
        if grade.is_nan() { None } else { Some(self.gain.of(grade)) }
    }
}

/// A formula of gains by rank and the number of relevant documents.
struct ByCounts<'i, F> {
    instance: &'i Instance,
    formula: F,
}

impl<F: Fn(&[f64], f64) -> f64> ByCounts<'_, F> {
    fn score(&self, gains: &[f64], rank: impl Fn(&Document) -> u32) -> f64 {
        let mut by_rank = vec![0.0; self.instance.depth];
        for (x, &gain) in self.instance.documents.iter().zip(gains).filter(|(x, _)| rank(x) > 0) {
            by_rank[rank(x) as usize - 1] = gain;
        }
        (self.formula)(&by_rank, gains.iter().filter(|&&gain| gain > 0.0).count() as f64)
    }
}

impl<F: Fn(&[f64], f64) -> f64> Scores for ByCounts<'_, F> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.a)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.b)
    }
}

/// Mean and variance of a difference: as it is where nothing is uncertain, else of a sample.
fn drawn(documents: &[Uncertain], scores: &impl Scores) -> (Moments, Certainty) {
    if documents.iter().all(|x| x.chance == 0.0 || x.chance == 1.0) {
        let gains: Vec<f64> = documents.iter().map(|x| x.gain * x.chance).collect();
        return (Moments { mean: scores.difference(&gains), variance: 0.0 }, Certainty::Exact);
    }
    let found = distribution::drawn(documents, scores, DRAWS, 0);
    let mean = found.iter().sum::<f64>() / DRAWS as f64;
    let squares: f64 = found.iter().map(|one| (one - mean).powi(2)).sum();
    (Moments { mean, variance: squares / (DRAWS - 1) as f64 }, Certainty::Estimate)
}

/// The measure, ready for the grades that documents may have.
fn with_grades(of: &Spec, max_grade: f64, scope: &Scope<'_>) -> Result<Box<dyn Measure>> {
    let mut grades: Vec<f64> = scope.grades.iter().copied().chain([max_grade, 0.0]).collect();
    grades.sort_unstable_by(|one, other| other.total_cmp(one));
    grades.dedup();
    // Rankings are filled up to the cutoff.
    of.build(&Scope { depth: scope.depth.max(of.cutoff_or(0)), grades: &grades })
}

/// The same for rankings with ties, whose groups' ends come with the instance.
fn in_both_orders(
    both: &Both<'_>,
    mut instance: Instance,
    directions: (bool, bool),
    mut solve: impl FnMut(&Instance, (&[u32], &[u32])) -> (f64, f64),
) -> ((f64, f64), (f64, f64)) {
    let never = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let up = if directions.0 { solve(&instance, (&both.a.ends, &both.b.ends)) } else { never };
    if !directions.1 {
        return (up, never);
    }
    instance.swap();
    (up, solve(&instance, (&both.b.ends, &both.a.ends)))
}

/// What a solver finds in one direction and, rankings being exchanged, in the other; nothing where it is not asked for.
fn in_both(
    directions: (bool, bool),
    work: &mut Workspace,
    solve: impl Fn(&mut Workspace) -> (f64, f64),
    swap: impl Fn(&mut Workspace),
) -> ((f64, f64), (f64, f64)) {
    let never = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let up = if directions.0 { solve(work) } else { never };
    if !directions.1 {
        return (up, never);
    }
    swap(work);
    (up, solve(work))
}

/// Discounts of a ranking's documents, rank by rank: in a tie group the mean over its positions (SPEC 7.3).
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
