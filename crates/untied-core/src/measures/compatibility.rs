//! Compatibility: the highest rank-biased overlap of a ranking with an ideal one (Clarke, Vtyurina & Smucker 2020, 2021).
//!
//! The ideal rankings hold all documents of positive grade, higher grades first, equal ones in any order. Best of them
//! for every depth at once is the one in which documents of equal grade stand as the ranking has them, those not
//! retrieved last. So at depth d, where the ideal's position d lies in the grade of the truth's group j, the
//! overlap of the two is
//!
//!   X_d = (documents of higher grades among the first d) + min(slots, documents of group j among the first d),
//!
//! slots being how many of group j the ideal has at that depth; and
//!
//!   Compat = sum over d <= K of p^(d-1) X_d / d, over the same sum for the ideal ranking with itself
//!   (normalize=True), or over sum of p^(d-1).
//!
//! Under ties X_d is an expected number: only the tie group that holds rank d is open, and its numbers of documents among
//! the first d are hypergeometric.

use super::orders::{drawing, sampling};
use super::{Definition, Measure};
use crate::elementary::powf;
use crate::error::{Error, Result};
use crate::grade::levels_from;
use crate::names::{Info, Parameter, Sampled, Spec, Value, unbounded};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

const PERSISTENCE: Parameter = Parameter {
    name: "p",
    default: "0.95",
    help: "persistence: weight of each rank relative to the one before, 0 < p < 1",
};
const DEPTH: Parameter = Parameter {
    name: "depth",
    default: "1000",
    help: "depth to which rankings are compared: a whole number of at least 1, 'infinite', or 'longest' (for each query, the \
        length of the longer ranking, as in ir_measures)",
};
const NORMALIZE: Parameter = Parameter {
    name: "normalize",
    default: "True",
    help: "whether to divide by the value of the ideal ranking itself, which is finite too",
};

/// Preferences are real numbers, and all above 0 count.
const LEAST: Parameter =
    Parameter { name: "rel", default: "None", help: "lowest grade in the ideal ranking; by default all above 0" };

pub static COMPATIBILITY: Definition = Info {
    name: "Compat",
    aliases: &["compatibility"],
    title: "compatibility: the highest rank-biased overlap with an ideal ranking of the judged preferences",
    parameters: &[PERSISTENCE, DEPTH, NORMALIZE, LEAST],
    equation: "Compat = max over ideal rankings I of RBO(ranking, I) / RBO(I, I), RBO = sum over d of p^(d-1) \
               (overlap of the first d) / d",
    tex: r"\mathrm{Compat} = \max_I \frac{\mathrm{RBO}(\mathit{ranking}, I)}{\mathrm{RBO}(I, I)}, \quad \mathrm{RBO}
           = \sum_d p^{\,d-1} \frac{X_d}{d}",
    reference: "Clarke, Vtyurina & Smucker 2020, 2021; exact under ties, as one ideal ranking is the best at every \
               depth",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::NO_VARIANCE }],
    unbounded: Some(unbounded::GROUPS),
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let expected = "a number between 0 and 1";
    Ok(Box::new(Compatibility {
        p: spec.number(PERSISTENCE.name, 0.95, expected, |p| 0.0 < p && p < 1.0)?,
        depth: depth(spec)?,
        normalize: spec.flag(NORMALIZE.name, true)?,
        rel: if spec.parameter(LEAST.name).is_some() { spec.rel()? } else { f64::MIN_POSITIVE },
    }))
});

/// How deep rankings are compared; None for as deep as the longer one.
fn depth(spec: &Spec) -> Result<Option<usize>> {
    match spec.parameter(DEPTH.name) {
        None => Ok(Some(1000)),
        Some(Value::Text(text)) if text == "infinite" => Ok(Some(usize::MAX)),
        Some(Value::Text(text)) if text == "longest" => Ok(None),
        Some(&Value::Number(depth)) if depth >= 1.0 && depth.fract() == 0.0 && depth < 1e9 => Ok(Some(depth as usize)),
        Some(other) => Err(Error::Measure(format!(
            "{spec}: depth must be a whole number of at least 1, 'infinite' or 'longest', not {other}"
        ))),
    }
}

struct Compatibility {
    p: f64,
    depth: Option<usize>,
    normalize: bool,
    rel: f64,
}

impl Compatibility {
    /// p^(d-1) / d for d = 1 .. ranks (or the depth), and the sum of all that follow within the depth.
    fn weights(&self, ranks: usize, depth: usize) -> (Vec<f64>, f64) {
        let mut power = 1.0;
        let mut weight = |d: usize| {
            let weight = power / d as f64;
            power *= self.p;
            weight
        };
        let within = ranks.min(depth);
        let weights: Vec<f64> = (1..=within).map(&mut weight).collect();
        let mut rest = 0.0;
        for d in within + 1..=depth {
            let next = weight(d);
            rest += next;
            // What follows is below next / (1 - p).
            if next <= rest * 1e-18 * (1.0 - self.p) {
                break;
            }
        }
        (weights, rest)
    }

    /// X_d for d = 1 .. `ranks`, in expectation, added up with weights.
    fn overlaps(&self, ranking: &Ranking, truth: &Judgments<'_>, weights: &[f64]) -> f64 {
        let ideal = levels_from(truth.levels, self.rel);
        let mut above = vec![0usize; ideal.len()]; // documents of each group of the truth in finished tie groups
        let (mut j, mut before) = (0, 0); // the group of the truth at position d, and the truth's documents before it
        let mut groups = ranking.groups().peekable();
        let mut here = vec![0usize; ideal.len()];
        let mut group: Option<Group<'_>> = None;
        let mut total = 0.0;
        for d in 1..=weights.len() {
            while j < ideal.len() && before + (ideal[j].count as usize) < d {
                before += ideal[j].count as usize;
                j += 1;
            }
            if group.is_some_and(|group| group.start + group.size < d) {
                above.iter_mut().zip(&mut here).for_each(|(above, here)| *above += std::mem::take(here));
                group = None;
            }
            if group.is_none() && groups.peek().is_some_and(|next| next.start < d) {
                group = groups.next();
                for level in group.iter().flat_map(|group| levels_from(group.levels, self.rel)) {
                    if let Some(at) = ideal.iter().position(|of| of.grade == level.grade) {
                        here[at] += level.count as usize;
                    }
                }
            }
            let (size, inside) = group.map_or((1, 0), |group| (group.size, group.slots(d)));
            let share = inside as f64 / size as f64;
            let higher: usize = above[..j].iter().sum();
            let higher_here: usize = here[..j].iter().sum();
            let mut overlap = higher as f64 + higher_here as f64 * share;
            if j < ideal.len() {
                let slots = d - before;
                overlap += expected_least(slots, above[j], size, here[j], inside);
            }
            total += weights[d - 1] * overlap;
        }
        total
    }
}

/// The expected smaller one of `slots` and `fixed` + the number of `special` documents of a group of `size` among its
/// first `inside`.
fn expected_least(slots: usize, fixed: usize, size: usize, special: usize, inside: usize) -> f64 {
    let most = fixed + special.min(inside);
    if most <= slots {
        return fixed as f64 + special as f64 * (inside as f64 / size as f64);
    }
    if fixed >= slots {
        return slots as f64;
    }
    let drawn = drawing::within(size, special, inside);
    drawn.map(|(number, probability)| probability * slots.min(fixed + number) as f64).sum()
}

impl Measure for Compatibility {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let total = truth.relevant(self.rel);
        if total == 0 {
            return f64::NAN;
        }
        // Beyond the longer of the two rankings the overlap stays what it is.
        let longest = ranking.retrieved.max(total);
        let depth = self.depth.unwrap_or(longest);
        let (weights, rest) = self.weights(longest, depth);
        let retrieved: usize = ranking.relevant(self.rel);
        let value = self.overlaps(ranking, truth, &weights) + rest * retrieved as f64;
        let norm = if self.normalize {
            weights.iter().zip(1..).map(|(weight, d)| weight * total.min(d) as f64).sum::<f64>() + rest * total as f64
        } else {
            (1.0 - powf(self.p, depth as f64)) / (1.0 - self.p)
        };
        value / norm
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let outcome = sampling::listed(ranking, self.depth.unwrap_or(usize::MAX), |one| self.mean(one, truth));
        outcome.map_or(f64::NAN, |outcome| outcome.variance)
    }
}
