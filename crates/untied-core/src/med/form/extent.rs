//! How much one ranking can be ahead of the other: the closed form or the solver of each kind of measure.

use super::super::effect::{Both, Workspace};
use super::super::tied::Tied;
use super::super::time_biased::Timed;
use super::super::work::Work;
use super::super::{Document, Instance, Solution, average_precision, counts, dot, err, flow, reciprocal_rank};
use super::{Base, Extent, Form, Kind, NODES, STEPS};
use crate::measures::Certainty;
use crate::ranking::{List, Placed};

impl Form {
    /// The extent of differences, in the directions asked for.
    pub fn extent(&self, both: &Both<'_>, work: &mut Workspace, directions: (bool, bool)) -> Extent {
        if self.is_sum() {
            let sure = self.weigh(both, work);
            return self.extent_of_sum(both, work, directions, sure);
        }
        let (up, down) = match &self.kind {
            Kind::Novelty(novelty) => return novelty.extent(both, work, directions),
            Kind::Share { .. } | Kind::Bpref(_) => {
                self.weigh(both, work);
                let solve = |work: &mut Workspace| {
                    let value = self.of_weights(both, work).map_or(0.0, |found| found.value);
                    (value, value)
                };
                in_both(directions, work, solve, |work| work.weights.swap())
            }
            Kind::AveragePrecision(Base::Depth) if both.is_tied() => {
                let instance = self.with_ties(both, self.depth_of(both));
                in_both_orders(both, instance, directions, |instance, ends| {
                    let found = average_precision::solve_tied(instance, ends, Work::new(STEPS));
                    (found.value, found.bound)
                })
            }
            Kind::Timed(measure) => {
                let solve = |timed: &mut Timed| {
                    let Solution { value, bound, .. } = timed.solve(Work::new(STEPS));
                    (value, bound)
                };
                in_both(directions, &mut self.timed(measure, both), solve, Timed::swap)
            }
            // AP divided by what is relevant: what is expected of tied rankings is not known.
            Kind::AveragePrecision(_) if both.is_tied() => ((f64::NAN, f64::NAN), (f64::NAN, f64::NAN)),
            _ if both.is_tied() => {
                let instance = self.with_ties(both, self.depth_of(both));
                in_both_orders(both, instance, directions, |instance, ends| {
                    let found = self.cascade(instance, ends);
                    (found.value, found.bound)
                })
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
        Extent { up, down, unseen: (0.0, 0.0), sure: Certainty::Exact }
    }

    /// The same of a sum, with weights in the workspace that are as sure as `sure` says; they may be exchanged then.
    pub(super) fn extent_of_sum(
        &self,
        both: &Both<'_>,
        work: &mut Workspace,
        directions: (bool, bool),
        sure: Certainty,
    ) -> Extent {
        let norm = self.norm(both);
        let (mut up, mut down) = if self.options.optimistic && both.is_tied() {
            let depth = self.depth_of(both);
            in_both_orders(both, self.with_ties(both, depth), directions, |instance, ends| {
                let value = flow::solve(instance, ends, self.discounts(depth)).value / norm;
                (value, value)
            })
        } else {
            let solve = |work: &mut Workspace| {
                let value = match self.options.per_grade {
                    None => dot::largest(&work.weights),
                    Some(most) => dot::solve_limited(&work.weights, &self.grades(both, most, true)).value,
                };
                (value / norm, value / norm)
            };
            in_both(directions, work, solve, |work| work.weights.swap())
        };
        let mut unseen = (0.0, 0.0);
        if let Kind::Dot { persistence: Some(p), .. } = self.kind {
            unseen = (self.top * p.powf(both.a.len() as f64), self.top * p.powf(both.b.len() as f64));
        }
        if self.options.tail {
            up = (up.0 + unseen.0, up.1 + unseen.0);
            down = (down.0 + unseen.1, down.1 + unseen.1);
            unseen = (0.0, 0.0);
        }
        Extent { up, down, unseen, sure }
    }

    /// All documents with their gains, wherever they stand.
    pub(super) fn with_ties(&self, both: &Both<'_>, depth: usize) -> Instance {
        let known = |place: &Placed| self.known(both.grades[place.document as usize]);
        let place = |place: &Placed| Document { a: place.a, b: place.b, known: known(place) };
        let is_filled = self.cutoff.is_some() || self.options.tail && !self.is_sum();
        let filled = |list: &List| if is_filled { list.len() } else { list.len().max(depth) };
        Instance {
            depth,
            lengths: (filled(both.a), filled(both.b)),
            documents: both.places.iter().map(place).collect(),
            top: self.top,
        }
    }

    /// Grades from 1 on with their gains, and how many documents may have each: judged ones aside where `open`.
    pub(super) fn grades(&self, both: &Both<'_>, most: usize, open: bool) -> Vec<dot::Grade> {
        let judged = |grade: f64| {
            let levels = both.levels.iter().filter(|level| level.grade == grade);
            levels.map(|level| level.count as usize).sum::<usize>()
        };
        let limit = |grade: f64| if open { most.saturating_sub(judged(grade)) } else { most.max(judged(grade)) };
        let grades = (1..=self.max_grade as usize).map(|grade| grade as f64);
        grades.map(|grade| dot::Grade { gain: self.gain.of(grade), most: limit(grade) }).collect()
    }

    /// What a sum is divided by: of nDCG the ideal; 1 where that is nothing, as of two empty rankings.
    pub(super) fn norm(&self, both: &Both<'_>) -> f64 {
        let Kind::Dot { normalised: true, .. } = self.kind else { return 1.0 };
        let discounts = self.discounts(self.depth_of(both));
        let ideal = match self.options.per_grade {
            None => self.top * discounts.iter().sum::<f64>(),
            Some(most) => dot::ideal(discounts, &self.grades(both, most, false)),
        };
        if ideal > 0.0 { ideal } else { 1.0 }
    }

    /// Whether tied rankings need a search: those of dot products have a closed form.
    pub(super) fn is_tied(&self, both: &Both<'_>) -> bool {
        !self.is_sum() && both.is_tied()
    }

    pub(super) fn tied(&self, both: &Both<'_>) -> Option<Tied<'_>> {
        Some(Tied::new(both, self.cutoff.unwrap_or(0), self.measure.as_deref()?))
    }

    /// What solves a cascade of tied rankings. RR is one whose user stops for certain, Success one that has all the time.
    pub(super) fn cascade(&self, instance: &Instance, ends: (&[u32], &[u32])) -> Solution {
        let (ranks, work) = (1..=instance.depth, Work::new(STEPS));
        let discounts: Vec<f64> = match &self.kind {
            Kind::ReciprocalCascade => return err::solve_tied(instance, ends, self.options.tail, work),
            Kind::ReciprocalRank => ranks.map(|rank| 1.0 / rank as f64).collect(),
            Kind::Cascade(discounts) => discounts[..instance.depth].to_vec(),
            _ => vec![1.0; instance.depth],
        };
        err::solve_discounted_tied(instance, ends, &discounts, work)
    }

    /// What solves the weights of the workspace, of R, F1 and bpref; none where there is nothing to solve.
    pub(super) fn of_weights(&self, both: &Both<'_>, work: &Workspace) -> Option<Solution> {
        match self.kind {
            Kind::Share { is_f1, .. } => Some(self.share(both, &work.weights, is_f1).largest()),
            Kind::Bpref(_) => Some(self.bpref(both, &work.weights)?.largest()),
            _ => None,
        }
    }

    /// What solves the instance of the workspace.
    pub(super) fn solution(&self, both: &Both<'_>, work: &mut Workspace) -> Solution {
        let Workspace { instance, average_precision: room, .. } = work;
        let elsewhere = || self.elsewhere(both, instance);
        match &self.kind {
            Kind::ReciprocalRank => reciprocal_rank::solve(instance),
            Kind::ReciprocalCascade => err::solve(instance, self.options.tail, NODES, &mut work.err),
            Kind::Cascade(discounts) => {
                err::solve_discounted(instance, &discounts[..instance.depth], NODES, &mut work.err)
            }
            Kind::Success => counts::success(instance),
            Kind::AveragePrecision(Base::Relevant) => {
                average_precision::solve_ratio(instance, elsewhere(), NODES, room)
            }
            Kind::AveragePrecision(Base::Most(most)) => {
                average_precision::solve_limited(instance, *most, elsewhere(), NODES, room)
            }
            Kind::AveragePrecision(Base::Depth) => average_precision::solve(instance, NODES, room),
            Kind::Dot { .. }
            | Kind::Read(_)
            | Kind::Share { .. }
            | Kind::Bpref(_)
            | Kind::Timed(_)
            | Kind::Novelty(_) => {
                unreachable!("they are solved without an instance")
            }
        }
    }

    /// Judged relevant documents that are not in the instance.
    pub(super) fn elsewhere(&self, both: &Both<'_>, instance: &Instance) -> usize {
        let relevant = |grade: f64| self.gain.of(grade) > 0.0;
        let all = both.levels.iter().filter(|level| relevant(level.grade)).map(|level| level.count as usize);
        let here = instance.documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0)).count();
        all.sum::<usize>() - here
    }
}

/// The same for rankings with ties, whose groups' ends come with the instance.
fn in_both_orders(
    both: &Both<'_>,
    instance: Instance,
    directions: (bool, bool),
    solve: impl Fn(&Instance, (&[u32], &[u32])) -> (f64, f64),
) -> ((f64, f64), (f64, f64)) {
    let mut tied = (instance, (&*both.a.ends, &*both.b.ends));
    let swap = |(instance, ends): &mut (Instance, (_, _))| {
        instance.swap();
        std::mem::swap(&mut ends.0, &mut ends.1);
    };
    in_both(directions, &mut tied, |(instance, ends)| solve(instance, *ends), swap)
}

/// What a solver finds in one direction and, rankings being exchanged, in the other; nothing where it is not asked for.
fn in_both<W>(
    directions: (bool, bool),
    work: &mut W,
    solve: impl Fn(&mut W) -> (f64, f64),
    swap: impl Fn(&mut W),
) -> ((f64, f64), (f64, f64)) {
    let never = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let up = if directions.0 { solve(work) } else { never };
    if !directions.1 {
        return (up, never);
    }
    swap(work);
    (up, solve(work))
}
