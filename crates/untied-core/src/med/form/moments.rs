//! What a difference is on average, and how much it varies.

use super::super::effect::{Both, Workspace};
use super::super::expected::{self, Moments, Stake, Uncertain};
use super::super::scores::{self, Scores};
use super::super::tied::Tied;
use super::super::{Document, Instance, average_precision, distribution, dot};
use super::{Base, DRAWS, Extent, Form, Kind};
use crate::measures::Certainty;
use crate::ranking::Placed;

impl Form {
    /// The extent of S(A) - S(B) in both directions; with mean and variance where an unknown document is relevant, of the
    /// highest grade, with a probability; and how sure these are.
    pub fn signed(
        &self,
        both: &Both<'_>,
        work: &mut Workspace,
        chance: impl Fn(&Placed) -> f64,
    ) -> (Extent, Moments, Certainty) {
        if self.is_sum() {
            let (moments, sure) = self.moments(both, work, chance); // weights are in the workspace then
            return (self.extent_of_sum(both, work, (true, true), sure), moments, sure);
        }
        let extent = self.extent(both, work, (true, true));
        let (moments, sure) = self.moments(both, work, chance);
        (extent, moments, sure)
    }

    /// Mean and variance alone.
    pub fn moments(
        &self,
        both: &Both<'_>,
        work: &mut Workspace,
        chance: impl Fn(&Placed) -> f64,
    ) -> (Moments, Certainty) {
        if self.is_sum() {
            let (stakes, norm, sure) = self.stakes(both, work, chance);
            return (expected::dot(&stakes).divided(norm), sure);
        }
        let depth = self.depth_of(both);
        let exact = |moments: Moments, norm: f64| (moments.divided(norm), Certainty::Exact);
        match &self.kind {
            Kind::Novelty(novelty) => return novelty.moments(both, work, &chance),
            // Documents do not depend on each other, and S is affine in each; the variance is not known.
            Kind::Timed(measure) => {
                let timed = self.timed(measure, both);
                let documents = self.uncertain_timed(both, chance);
                let gains: Vec<f64> = documents.iter().map(|x| x.gain * x.chance).collect();
                return exact(Moments { mean: timed.difference(&gains), variance: f64::NAN }, 1.0);
            }
            Kind::Share { .. } | Kind::Bpref(_) => {
                let documents = self.uncertain_weighed(both, work, chance);
                return match &self.kind {
                    Kind::Share { is_f1, .. } => drawn(&documents, &self.share(both, &work.weights, *is_f1)),
                    _ => match self.bpref(both, &work.weights) {
                        Some(bpref) => drawn(&documents, &bpref),
                        None => exact(Moments::default(), 1.0),
                    },
                };
            }
            _ => {}
        }
        if both.is_tied() {
            if let Kind::AveragePrecision(Base::Depth) = self.kind {
                let mut open = both.places.iter().filter(|place| both.grades[place.document as usize].is_nan());
                let documents = self.with_ties(both, depth).uncertain(|_| open.next().map_or(0.0, &chance));
                let ends = (&*both.a.ends, &*both.b.ends);
                return exact(average_precision::expected_tied(&documents, ends, depth), depth as f64);
            }
            let undefined = Moments { mean: f64::NAN, variance: f64::NAN };
            let Some(tied) = self.tied(both) else { return (undefined, Certainty::Exact) };
            return drawn(&self.uncertain_tied(both, &tied, chance), &tied);
        }
        let documents = self.uncertain(both, work, chance);
        match &self.kind {
            Kind::ReciprocalRank => exact(expected::reciprocal_rank(&documents, depth), 1.0),
            Kind::ReciprocalCascade => exact(expected::expected_reciprocal_rank(&documents, depth), 1.0),
            Kind::Cascade(discounts) => exact(expected::discounted(&documents, &discounts[..depth]), 1.0),
            Kind::AveragePrecision(Base::Depth) => exact(expected::average_precision(&documents), depth as f64),
            _ => drawn(&documents, &self.by_counts(both, &work.instance)),
        }
    }

    /// What every document adds to a sum's difference, what that is divided by, and whether it is exact.
    pub(super) fn stakes(
        &self,
        both: &Both<'_>,
        work: &mut Workspace,
        chance: impl Fn(&Placed) -> f64,
    ) -> (Vec<Stake>, f64, Certainty) {
        let sure = self.weigh(both, work);
        let places = both.places.iter().zip(&work.weights.documents);
        let stakes = places.map(|(place, weighed)| Stake::new(weighed, self.top, chance(place))).collect();
        (stakes, self.norm(both), sure)
    }

    /// The documents of rankings whose weights are in the workspace then.
    pub(super) fn uncertain_weighed(
        &self,
        both: &Both<'_>,
        work: &mut Workspace,
        chance: impl Fn(&Placed) -> f64,
    ) -> Vec<Uncertain> {
        self.weigh(both, work);
        let uncertain = |(place, x): (&Placed, &dot::Weighed)| {
            let may = x.a > 0.0 || x.b > 0.0;
            let (gain, chance) =
                x.known.map_or_else(|| (self.top, if may { chance(place) } else { 0.0 }), |gain| (gain, 1.0));
            Uncertain { a: place.a, b: place.b, gain, chance }
        };
        both.places.iter().zip(&work.weights.documents).map(uncertain).collect()
    }

    /// The documents of rankings that take time, each relevant with a probability.
    pub(super) fn uncertain_timed(&self, both: &Both<'_>, chance: impl Fn(&Placed) -> f64) -> Vec<Uncertain> {
        let uncertain = |place: &Placed| {
            let known = self.known(both.grades[place.document as usize]).or((self.top == 0.0).then_some(0.0));
            let chance = known.map_or_else(|| chance(place), |gain| f64::from(u8::from(gain > 0.0)));
            Uncertain { a: place.a, b: place.b, gain: 1.0, chance }
        };
        both.places.iter().map(uncertain).collect()
    }

    /// The documents of untied rankings, whose instance is then in the workspace.
    pub(super) fn uncertain(
        &self,
        both: &Both<'_>,
        work: &mut Workspace,
        chance: impl Fn(&Placed) -> f64,
    ) -> Vec<Uncertain> {
        self.lay_out(both, &mut work.instance);
        let within = |rank: u32| 0 < rank && rank as usize <= work.instance.depth;
        let open = both.places.iter().filter(|place| both.grades[place.document as usize].is_nan());
        let mut open = open.filter(|place| within(place.a) || within(place.b));
        work.instance.uncertain(|_| open.next().map_or(0.0, &chance))
    }

    /// The documents of tied rankings; what fills these up is no document of theirs.
    pub(super) fn uncertain_tied(
        &self,
        both: &Both<'_>,
        tied: &Tied<'_>,
        chance: impl Fn(&Placed) -> f64,
    ) -> Vec<Uncertain> {
        let uncertain = |(x, place): (&Document, &Placed)| {
            let (gain, chance) = x.known.map_or_else(|| (self.max_grade, chance(place)), |grade| (grade, 1.0));
            Uncertain { a: x.a, b: x.b, gain, chance }
        };
        let (own, fillers) = tied.documents.split_at(both.places.len());
        let never = fillers.iter().map(|x| Uncertain { a: x.a, b: x.b, gain: 0.0, chance: 0.0 });
        own.iter().zip(both.places).map(uncertain).chain(never).collect()
    }

    /// Scores of rankings without ties, of any measure but dot products.
    pub(super) fn by_counts<'i>(
        &self,
        both: &Both<'_>,
        instance: &'i Instance,
    ) -> ByCounts<'i, impl Fn(&[f64], f64) -> f64> {
        let (k, elsewhere) = (instance.depth as f64, self.elsewhere(both, instance) as f64);
        let hits = |by_rank: &[f64]| by_rank.iter().filter(|&&gain| gain > 0.0).count() as f64;
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let formula = move |by_rank: &[f64], relevant: f64| {
            let relevant = relevant + elsewhere;
            match &self.kind {
                Kind::Success => f64::from(u8::from(hits(by_rank) > 0.0)),
                Kind::ReciprocalRank => scores::reciprocal_rank(by_rank),
                Kind::ReciprocalCascade => scores::expected_reciprocal_rank(by_rank),
                Kind::Cascade(discounts) => scores::cascade(by_rank, discounts),
                Kind::AveragePrecision(Base::Depth) => share(scores::average_precision(by_rank), k),
                Kind::AveragePrecision(Base::Most(most)) => {
                    let known = instance.documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0)).count();
                    share(scores::average_precision(by_rank), (known + *most) as f64 + elsewhere)
                }
                _ => share(scores::average_precision(by_rank), relevant),
            }
        };
        ByCounts { instance, formula }
    }
}

/// A formula of gains by rank and the number of relevant documents.
pub(super) struct ByCounts<'i, F> {
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
