//! NERR8 to NERR11: the stopping model of ERR as a C/W/L measure.

use super::{DEPTH, GOAL, MAX_REL, MIN_REL, PATIENCE, Steps, goal, limit, squares, steps};
use crate::elementary::powf;
use crate::error::Result;
use crate::measures::orders::sampling::{self, PlacedDocument};
use crate::measures::{Certainty, Definition, Measure, Scope};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Sampled, Spec, unbounded};
use crate::ranking::Ranking;
use crate::table::Judgments;

/// The facts that all four share.
const OF_NERR: Info = Info {
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::ESTIMATES }],
    unbounded: Some(unbounded::WEIGHTS),
    ..Info::DEFAULT
};

pub static NERR8: Definition = Info {
    name: "NERR8",
    title: "nearly ERR, for a user who stops at a gain or at rank k",
    cutoff: Cutoff::Required,
    parameters: &[MIN_REL, MAX_REL, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = 1 - g_i for i < k, else 0",
    tex: r"\mathrm{NERR8}@k = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = 1 - g_i \quad (i < k)",
    reference: "Azzopardi, Mackenzie & Moffat 2021, equation 8; ties: all orders if there are few, else a sample",
    ..OF_NERR
}
.built_by(|spec, scope| until_gain(spec, scope, limit(spec, true)?, |_| 1.0));

pub static NERR9: Definition = Info {
    name: "NERR9",
    title: "nearly ERR, for a user who stops at a gain, at rank k, or else 1 time in i + 1",
    cutoff: Cutoff::Required,
    parameters: &[MIN_REL, MAX_REL, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = (1 - g_i) i / (i+1) for i < k, else 0",
    tex: r"\mathrm{NERR9}@k = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = (1 - g_i) \frac{i}{i + 1} \quad
           (i < k)",
    reference: "Azzopardi, Mackenzie & Moffat 2021, equation 9; ties: all orders if there are few, else a sample",
    ..OF_NERR
}
.built_by(|spec, scope| until_gain(spec, scope, limit(spec, true)?, |i| 1.0 / i));

pub static NERR10: Definition = Info {
    name: "NERR10",
    title: "nearly ERR, for a user who stops at a gain or runs out of patience, as in RBP",
    parameters: &[PATIENCE, MIN_REL, MAX_REL, DEPTH, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = p (1 - g_i)",
    tex: r"\mathrm{NERR10} = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = p\,(1 - g_i)",
    reference: "Azzopardi, Mackenzie & Moffat 2021, equation 10; ties: all orders if there are few, else a sample",
    ..OF_NERR
}
.built_by(|spec, scope| {
    let p = spec.number(PATIENCE.name, 0.9, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
    until_gain(spec, scope, limit(spec, false)?, move |i| powf(p, i - 1.0))
});

pub static NERR11: Definition = Info {
    name: "NERR11",
    title: "nearly ERR, for a user who stops at a gain, and otherwise goes on as in INSQ",
    parameters: &[GOAL, MIN_REL, MAX_REL, DEPTH, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = (1 - g_i) ((i+2T-1) / (i+2T))^2",
    tex: r"\mathrm{NERR11} = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = (1 - g_i) \left( \frac{i + 2T -
           1}{i + 2T} \right)^2",
    reference: "Azzopardi, Mackenzie & Moffat 2021, equation 12 (cwl-eval calls it 11); ties: all orders where they \
                are few, else a sample",
    ..OF_NERR
}
.built_by(|spec, scope| {
    let goal = goal(spec, 0.0)?;
    until_gain(spec, scope, limit(spec, false)?, move |i| squares(goal, i))
});

/// A measure with C(i) = (1 - g_i) times a factor, given the product `weight(i)` of these factors up to rank i.
fn until_gain(spec: &Spec, scope: &Scope<'_>, limit: usize, weight: impl Fn(f64) -> f64) -> Result<Box<dyn Measure>> {
    let weights: Vec<f64> = (1..=limit).map(|i| weight(i as f64)).collect();
    let mut total = 0.0;
    let mut before = vec![0.0];
    before.extend(weights.iter().map(|weight| {
        total += weight;
        total
    }));
    Ok(Box::new(UntilGain { gain: steps(spec, scope)?, weights, before }))
}

/// NERR8 to NERR11 with their parameters.
///
/// The best and the worst order are those by grade. If a better document moves up by one rank, the quotient's numerator
/// does not fall, because no factor of C is above 1, and its denominator does not rise.
struct UntilGain {
    gain: Steps,
    /// v_i = W(i) / W(1) if nothing is gained: the products of those factors of C that are the same for all rankings.
    weights: Vec<f64>,
    /// The sums v_1 + .. + v_i.
    before: Vec<f64>,
}

impl UntilGain {
    fn value(&self, placed: &[PlacedDocument]) -> f64 {
        let limit = self.weights.len();
        let (mut gained, mut all, mut reach, mut at) = (0.0, 0.0, 1.0, 0);
        for (rank, gain) in self.gain.of(placed, limit) {
            all += reach * (self.before[rank] - self.before[at]);
            gained += reach * self.weights[rank - 1] * gain;
            reach *= 1.0 - gain;
            at = rank;
        }
        all += reach * (self.before[limit] - self.before[at]);
        gained / all
    }
}

impl Measure for UntilGain {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        let groups = self.gain.classes(ranking, self.weights.len());
        sampling::over_orders(&groups, |placed| self.value(placed)).outcome.mean
    }

    fn variance(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        let groups = self.gain.classes(ranking, self.weights.len());
        sampling::over_orders(&groups, |placed| self.value(placed)).outcome.variance
    }

    fn certainty(&self, ranking: &Ranking, _: &Judgments<'_>) -> Certainty {
        self.gain.certainty(ranking, self.weights.len())
    }
}
