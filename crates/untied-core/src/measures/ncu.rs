//! Normalised cumulative utility: at each relevant document some share of the users stops, and gets the utility there.
//!
//!   NCU = sum over relevant documents d at rank i of s_d u(i),    s_d normalised over all relevant documents.
//!
//! The utility is precision or the blended ratio, which is precision if beta is 0, so there is one formula. If users
//! are uniform, this is AP or Q, with the same sum over pairs in a tie group. If they are graded-uniform, each grade
//! has a weight. If they are rank-biased, the c-th relevant document has the weight gamma^(c-1). Then, in a group of n
//! documents after c relevant ones, with r relevant documents that count V together, position a adds on average
//!
//!   sum over j of P(a is relevant, and j relevant ones above it) gamma^(c+j) (B + (j+1) V/r) / D(t+a);
//!
//! The mean of gamma^j is that of a product over the documents above ([`walk::products`]). The mean of j gamma^j is the
//! sum over these documents of the same mean, given that this one is relevant.
//!
//! For uniform and rank-biased users, the order by grade is the best one, because weights do not depend on which
//! documents are relevant (see `q_measure`). For graded-uniform users it is not: the best documents have the highest
//! precision if they come last among the relevant ones.

use super::bounds::one_grade::{Ratios, of_ratios};
use super::bounds::{Bounds, Open};
use super::orders::walk::{self, Kind as Stop};
use super::orders::{Outcome, fading, lattice};
use super::q_measure::{BETA, Blend, BlendKind, BlendedGroup, GAINS, counted};
use super::{Certainty, Definition, Measure, Orders, Scope};
use crate::elementary::powi;
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::names::{Info, JUDGED_ONLY, Parameter, REL, Sampled, Spec, Value};
use crate::ranking::Ranking;
use crate::table::Judgments;

const USER: Parameter = Parameter {
    name: "user",
    default: "'rank-biased'",
    help: "at which relevant documents users stop: 'rank-biased' (gamma^(c-1) at the c-th), 'graded-uniform' (by \
           grade, see stops) or 'uniform' (as AP and Q)",
};
const UTILITY: Parameter = Parameter {
    name: "utility",
    default: "'BR'",
    help: "utility of a user who stops: 'BR', the blended ratio, or 'P', precision",
};
const GAMMA: Parameter = Parameter {
    name: "gamma",
    default: "0.95",
    help: "for rank-biased users, the share that continues after a relevant document, above 0 and at most 1",
};
const STOPS: Parameter = Parameter {
    name: "stops",
    default: "None",
    help: "for graded-uniform users, the relative number that stops at a document of each grade: a table {1: 1, 2: 3, \
        ...}; \
           by default the gains",
};

const IN_MANY_ORDERS: &str = "the mean is exact; for graded-uniform users, the lowest value may be too low \
                              and the highest value too high; for rank-biased users, the variance may not be available";

/// NCU, of whichever users.
pub static NCU: Definition = Info {
    name: "NCU",
    title: "normalised cumulative utility",
    parameters: &[USER, UTILITY, GAMMA, STOPS, BETA, GAINS, REL, JUDGED_ONLY],
    equation: "NCU = (1/S) sum over the ranks i of relevant documents of s(i) u(i), S = sum of s over all relevant \
               documents; s(i) = gamma^(C(i)-1), stops(grade at i) or 1; u(i) = BR(i) as for Q, or P@i",
    tex: r"\mathrm{NCU} = \frac{1}{S} \sum_{i:\ x_i = 1} s(i)\, u(i)",
    reference: "Sakai & Robertson 2008; ties: mean, exact, as Q and, for rank-biased users, by the number of relevant \
                documents above",
    sampled: &[Sampled { unless: lattice::MANY_KINDS, then: IN_MANY_ORDERS }],
    ..Info::DEFAULT
}
.built_by(|spec, scope| Ok(Box::new(CumulativeUtility::new(spec, scope)?)));

/// The values of the parameter `user`; the first is the default.
const USERS: [&str; 3] = ["rank-biased", "graded-uniform", "uniform"];

/// At which relevant documents users stop, and how many.
enum Users {
    RankBiased(f64),
    /// The weight of each grade, unless it is the gain.
    Graded(Option<Vec<(f64, f64)>>),
    Uniform,
}

struct CumulativeUtility {
    blend: Blend,
    users: Users,
}

/// The relevant documents before a group.
#[derive(Clone, Copy, Default)]
struct Before {
    /// The number of these documents.
    hits: usize,
    /// The sum of their values.
    value: f64,
}

impl CumulativeUtility {
    fn new(spec: &Spec, scope: &Scope<'_>) -> Result<CumulativeUtility> {
        let mut blend = Blend::new(spec, scope)?;
        let by_precision = spec.choice(UTILITY.name, &[("BR", false), ("P", true)])?;
        let gamma =
            spec.number(GAMMA.name, 0.95, "a number above 0 and at most 1", |gamma| 0.0 < gamma && gamma <= 1.0)?;
        let user = spec.choice(USER.name, &USERS.map(|name| (name, name)))?;
        let no_effect = |unread: Parameter, with: &str| match spec.parameter(unread.name) {
            Some(_) => Err(Error::Measure(format!("{spec}: {} has no effect with {with}", unread.name))),
            None => Ok(()),
        };
        let is_graded = user == USERS[1];
        let users = format!("user='{user}'");
        if user != USERS[0] {
            no_effect(GAMMA, &users)?;
        }
        if !is_graded {
            no_effect(STOPS, &users)?;
        }
        if by_precision {
            no_effect(BETA, "utility='P'")?;
            if !is_graded {
                no_effect(GAINS, &format!("utility='P' and {users}"))?;
            } else if spec.parameter(STOPS.name).is_some() {
                no_effect(GAINS, "utility='P' and stops")?;
            }
            blend.beta = 0.0;
        }
        let users = match user {
            "rank-biased" => Users::RankBiased(gamma),
            "graded-uniform" => Users::Graded(stops(spec, scope, blend.rel)?),
            _ => Users::Uniform,
        };
        Ok(CumulativeUtility { blend, users })
    }

    /// The relevant documents of these levels, with the weights of their grades.
    fn kinds(&self, levels: &[Level]) -> Vec<BlendKind> {
        let mut kinds = self.blend.kinds(levels);
        if let Users::Graded(stops) = &self.users {
            for (kind, level) in kinds.iter_mut().zip(levels) {
                kind.weight = match stops {
                    None => self.blend.gain.of(level.grade),
                    Some(table) => table.iter().find(|stop| stop.0 == level.grade).map_or(0.0, |stop| stop.1),
                };
            }
        }
        kinds
    }

    /// S; NaN if it is 0.
    fn norm(&self, truth: &Judgments<'_>) -> f64 {
        let total: f64 = match self.users {
            Users::RankBiased(gamma) => std::iter::successors(Some(1.0), |weight| Some(weight * gamma))
                .take(truth.relevant(self.blend.rel))
                .sum(),
            _ => self.kinds(truth.levels).iter().map(|kind| kind.count as f64 * kind.weight).sum(),
        };
        if total > 0.0 { total } else { f64::NAN }
    }

    /// Calls `visit` with each group that has relevant documents.
    fn over_groups(&self, ranking: &Ranking, truth: &Judgments<'_>, mut visit: impl FnMut(&BlendedGroup<'_>, Before)) {
        let costs = self.blend.costs(truth, ranking.retrieved);
        let mut before = Before::default();
        for group in ranking.groups() {
            let kinds = self.kinds(group.levels);
            if !kinds.is_empty() {
                let part = BlendedGroup::new(&group, kinds, &costs);
                visit(&part, before);
                for kind in &part.kinds {
                    before.hits += kind.count;
                    before.value += kind.count as f64 * kind.value;
                }
            }
        }
    }

    /// The mean of what a group adds.
    fn mean_of(&self, part: &BlendedGroup<'_>, before: Before) -> f64 {
        let Users::RankBiased(gamma) = self.users else { return part.mean(before.value) };
        let relevant: usize = part.kinds.iter().map(|kind| kind.count).sum();
        let value = part.kinds.iter().map(|kind| kind.count as f64 * kind.value).sum::<f64>() / relevant as f64;
        let start = powi(gamma, before.hits as i32);
        // The mean of gamma^j, and that of gamma^(j-1), for which one of the relevant documents above is left out.
        let fading = |left_out: usize| {
            let relevant = Stop { gain: 0.0, go_on: gamma, count: relevant.saturating_sub(left_out) };
            let others = Stop { go_on: 1.0, count: part.size - relevant.count - left_out, ..relevant };
            walk::products(&[relevant, others], part.size)
        };
        let (all, but_one) = (fading(1), fading(2));
        let mut mean = 0.0;
        for ((a, cost), faded) in part.costs.iter().enumerate().zip(&all) {
            let mut ratio = (before.value + value) * faded;
            if a > 0 {
                let pairs = (a * (relevant - 1)) as f64 / (part.size - 1) as f64;
                ratio += value * pairs * gamma * but_one.get(a - 1).unwrap_or(&0.0);
            }
            mean += start * ratio / cost;
        }
        mean * relevant as f64 / part.size as f64
    }

    /// The variance of what a group adds; NaN if its documents can be counted in too many ways.
    fn variance_of(&self, part: &BlendedGroup<'_>, before: Before) -> f64 {
        let Users::RankBiased(gamma) = self.users else { return part.variance(before.value) };
        if !lattice::is_long(&part.counts()) {
            return self.outcome(part, before).map_or(f64::NAN, |outcome| outcome.variance);
        }
        let values: Vec<(f64, usize)> = part.kinds.iter().map(|kind| (kind.value, kind.count)).collect();
        let others = part.size - values.iter().map(|value| value.1).sum::<usize>();
        let powers: Vec<f64> = (0..part.size).map(|c| powi(gamma, (before.hits + c) as i32)).collect();
        fading::variance(&values, others, before.value, |at, c| powers[c] / part.costs[at]).unwrap_or(f64::NAN)
    }

    /// The statistics of what a group adds; none if its documents can be counted in too many ways.
    fn outcome(&self, part: &BlendedGroup<'_>, before: Before) -> Option<Outcome> {
        let Users::RankBiased(gamma) = self.users else { return part.outcome(before.value) };
        let counts = part.counts();
        if counts.len() == 2 && counts[1] == 0 {
            return Some(Outcome::certain(self.mean_of(part, before)));
        }
        lattice::over_orders(&counts, |placed, kind| {
            let Some(own) = part.kinds.get(kind) else { return 0.0 };
            let at: usize = placed.iter().sum();
            let hits = before.hits + at - placed[part.kinds.len()];
            powi(gamma, hits as i32) * (before.value + counted(&part.kinds, placed) + own.value) / part.costs[at]
        })
    }
}

/// Reads the parameter `stops`.
fn stops(spec: &Spec, scope: &Scope<'_>, rel: f64) -> Result<Option<Vec<(f64, f64)>>> {
    let table = match spec.parameter(STOPS.name) {
        None => return Ok(None),
        Some(Value::Table(table)) => table,
        Some(other) => {
            return Err(Error::Measure(format!("{spec}: stops must be a table such as {{1: 1, 2: 3}}, not {other}")));
        }
    };
    let relevant = || scope.grades.iter().copied().filter(|&grade| grade >= rel);
    if let Some(grade) = relevant().find(|&grade| !table.iter().any(|stop| stop.0 == grade)) {
        return Err(Error::Value(format!("{spec}: stops has no number for grade {grade}")));
    }
    if table.iter().any(|stop| stop.1 < 0.0) {
        return Err(Error::Measure(format!("{spec}: a number in stops must not be negative")));
    }
    Ok(Some(table.clone()))
}

/// Encloses the sum of weighted ratios of a group whose weights differ. No order has larger ratios than the one with
/// the best documents first, nor smaller ones than the one with them last. No sum of these ratios is larger than if the
/// largest weights have the largest ratios.
fn enclose(part: &BlendedGroup<'_>, before: f64) -> (f64, f64) {
    let mut values: Vec<f64> = part.kinds.iter().flat_map(|kind| std::iter::repeat_n(kind.value, kind.count)).collect();
    let mut weights: Vec<f64> =
        part.kinds.iter().flat_map(|kind| std::iter::repeat_n(kind.weight, kind.count)).collect();
    weights.sort_unstable_by(f64::total_cmp);
    let ratios = |values: &[f64], costs: &[f64]| {
        let mut count = before;
        let mut ratios: Vec<f64> = values
            .iter()
            .zip(costs)
            .map(|(value, cost)| {
                count += value;
                count / cost
            })
            .collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios
    };
    let most = ratios(&values, part.costs);
    values.reverse();
    let least = ratios(&values, &part.costs[part.size - values.len()..]);
    let low = weights.iter().rev().zip(&least).map(|(weight, ratio)| weight * ratio).sum();
    (low, weights.iter().zip(&most).map(|(weight, ratio)| weight * ratio).sum())
}

impl Measure for CumulativeUtility {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        self.over_groups(ranking, truth, |part, before| total += self.mean_of(part, before));
        total / self.norm(truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        self.over_groups(ranking, truth, |part, before| {
            total += self.variance_of(part, before);
        });
        total / self.norm(truth).powi(2)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        if !matches!(self.users, Users::Graded(_)) {
            return (self.mean(&orders.worst, truth), self.mean(&orders.best, truth));
        }
        let (mut low, mut high) = (0.0, 0.0);
        self.over_groups(&orders.tied, truth, |part, before| {
            let ends = self.outcome(part, before).map(|outcome| (outcome.low, outcome.high));
            let (least, most) = ends.unwrap_or_else(|| enclose(part, before.value));
            low += least;
            high += most;
        });
        let norm = self.norm(truth);
        (low / norm, high / norm)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        of_ratios(self, open, self.blend.rel, |grade| Ratios {
            fading: if let Users::RankBiased(gamma) = self.users { gamma } else { 1.0 },
            blend: self.blend.beta * self.blend.gain.of(grade),
            cutoff: usize::MAX,
        })
    }

    fn certainty(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Certainty {
        let mut certainty = Certainty::Exact;
        if matches!(self.users, Users::Graded(_)) {
            self.over_groups(ranking, truth, |part, _| {
                if !lattice::is_small(&part.counts()) {
                    certainty = Certainty::Interval;
                }
            });
        }
        certainty
    }
}
