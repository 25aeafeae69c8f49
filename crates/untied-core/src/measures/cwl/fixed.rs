//! INSQ and SDCG, whose users continue with probabilities that are the same for all rankings.

use super::{DEPTH, GOAL, MAX_REL, MIN_REL, goal, grades, limit, squares};
use crate::error::Result;
use crate::measures::dcg::Gains;
use crate::measures::gain::{Gain, logarithmic};
use crate::measures::{Definition, Measure, Scope};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Other, Spec};

pub static INSQ: Definition = Info {
    name: "INSQ",
    title: "the mean gain of a user who hopes for the gain T and stops less often at later ranks",
    parameters: &[GOAL, MIN_REL, MAX_REL, DEPTH, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = ((i+2T-1) / (i+2T))^2",
    tex: r"\mathrm{INSQ} = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = \left( \frac{i + 2T - 1}{i + 2T}
           \right)^2",
    reference: "Moffat, Scholer & Thomas 2012; ties: as DCG, with discount W",
    ..Info::DEFAULT
}
.built_by(|spec, scope| gains(scope, insq(spec)?));

pub static SDCG: Definition = Info {
    name: "SDCG",
    title: "DCG relative to a ranking of k documents of the highest grade",
    cutoff: Cutoff::Required,
    others: &[Other { parameter: "dcg", value: Some("'log2'"), info: None }],
    parameters: &[MIN_REL, MAX_REL, JUDGED_ONLY],
    equation: "sum over ranks i <= k of W(i) g_i, W(i) = D(i) / (D(1) + .. + D(k)), D(i) = 1 / log2(1+i)",
    tex: r"\mathrm{SDCG}@k = \frac{\sum_{i \le k} g_i\, D(i)}{\sum_{i \le k} D(i)}, \quad D(i) = \frac{1}{\log_2 (1
           + i)}",
    reference: "Järvelin & Kekäläinen 2002, as in Azzopardi, Thomas & Moffat 2019; ties: as DCG",
    ..Info::DEFAULT
}
.built_by(|spec, scope| gains(scope, sdcg(spec)?));

/// The gains of grades, and the weight of each rank.
pub(crate) struct WeightedGains {
    pub gain: Gain,
    pub weights: Vec<f64>,
}

/// The gains and weights of INSQ.
pub(crate) fn insq(spec: &Spec) -> Result<WeightedGains> {
    let goal = goal(spec, 0.0)?;
    weighted(spec, (1..=limit(spec, false)?).map(|i| squares(goal, i as f64)).collect())
}

/// The gains and weights of SDCG.
pub(crate) fn sdcg(spec: &Spec) -> Result<WeightedGains> {
    weighted(spec, logarithmic(limit(spec, true)?))
}

fn weighted(spec: &Spec, mut weights: Vec<f64>) -> Result<WeightedGains> {
    let (least, most) = grades(spec)?;
    let all: f64 = weights.iter().rev().sum();
    weights.iter_mut().for_each(|weight| *weight /= all * (most - least));
    Ok(WeightedGains { gain: Gain::Within(least, most), weights })
}

fn gains(scope: &Scope<'_>, weighted: WeightedGains) -> Result<Box<dyn Measure>> {
    let WeightedGains { gain, mut weights } = weighted;
    weights.truncate(scope.depth);
    Ok(Box::new(Gains::new(gain, weights, scope)))
}
