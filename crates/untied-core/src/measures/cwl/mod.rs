//! The C/W/L family: the expected rate of gain of a user who continues from rank i with probability C(i).
//!
//!   W(i) = C(1) .. C(i-1) / (sum of the same over all ranks),    value = sum over ranks of W(i) g_i,
//!
//! where g_i is the gain at rank i: 0 for grade `min_rel`, 1 for `max_rel`, in proportion between them, and 0 after the
//! last document. If C is the same for all rankings (INSQ, SDCG), this is a sum of gains times weights, like DCG. If C
//! depends on what was gained, the value is a quotient of two cascades. No closed form of its mean over orders is
//! known, so orders are listed or sampled. BPM is an exception, because it depends only on counts.

pub(crate) mod bpm;
pub(crate) mod fixed;
pub(crate) mod inst;
pub(crate) mod nerr;

use super::gain::Gain;
use super::orders::sampling::{self, Classes, PlacedDocument};
use super::{Certainty, Scope};
use crate::error::{Error, Result};
use crate::names::{Parameter, Spec};
use crate::ranking::{Group, Ranking};

const MIN_REL: Parameter =
    Parameter { name: "min_rel", default: "0", help: "grade that gains 0, as do lower grades and unjudged documents" };
const MAX_REL: Parameter = Parameter { name: "max_rel", default: "", help: "grade that gains 1, as do higher grades" };
const GOAL: Parameter =
    Parameter { name: "T", default: "1", help: "gain that the user hopes for; a document of grade max_rel gains 1" };
const PATIENCE: Parameter =
    Parameter { name: "p", default: "0.9", help: "probability of continuing after a document without gain, 0 < p < 1" };
const DEPTH: Parameter = Parameter {
    name: "depth",
    default: "1000",
    help: "last rank that the user may reach, as in cwl-eval; unlimited in the papers",
};

/// W(i) of INSQ, up to a factor: the product of C(1) .. C(i-1), which telescopes.
fn squares(goal: f64, i: f64) -> f64 {
    (2.0 * goal / (i - 1.0 + 2.0 * goal)).powi(2)
}

fn goal(spec: &Spec, least: f64) -> Result<f64> {
    const MOST: f64 = 1e6;
    let expected = if least > 0.0 {
        "a number from 0.25 (below it C may be above 1) to 1000000"
    } else {
        "a number above 0, up to 1000000"
    };
    spec.number(GOAL.name, 1.0, expected, |goal| 0.0 < goal && least <= goal && goal <= MOST)
}

/// The last rank that counts: the cutoff, or `depth`.
fn limit(spec: &Spec, cutoff: bool) -> Result<usize> {
    const MOST: usize = 10_000_000;
    if cutoff {
        let limit = spec.cutoff_or(1);
        let error =
            || Error::Measure(format!("{spec}: the cutoff must be at most {MOST}, because every rank has a weight"));
        return if limit <= MOST { Ok(limit) } else { Err(error()) };
    }
    let fits = |depth: f64| depth >= 1.0 && depth.fract() == 0.0 && depth <= MOST as f64;
    Ok(spec.number(DEPTH.name, 1000.0, "a whole number from 1 to 10000000", fits)? as usize)
}

/// The parameters `min_rel` and `max_rel`.
fn grades(spec: &Spec) -> Result<(f64, f64)> {
    let least = spec.number(MIN_REL.name, 0.0, "a number of at least 0", |least| least >= 0.0)?;
    if spec.parameter(MAX_REL.name).is_none() {
        let name = spec.info.name;
        return Err(Error::Measure(format!("{name} needs the highest grade, for instance {name}(max_rel=1)")));
    }
    let most = spec.number(MAX_REL.name, 1.0, "a number above min_rel", |most| most > least)?;
    Ok((least, most))
}

fn steps(spec: &Spec, scope: &Scope<'_>) -> Result<Steps> {
    let (least, most) = grades(spec)?;
    let gain = Gain::Within(least, most);
    let mut above: Vec<f64> = scope.grades.iter().map(|&grade| gain.of(grade)).filter(|&above| above > 0.0).collect();
    above.dedup();
    Ok(Steps { gain, above, unit: most - least })
}

/// The gains of the grades above `min_rel`.
struct Steps {
    gain: Gain,
    /// The distances of these grades from `min_rel`, descending. They are not divided by `unit`, because sums of whole
    /// numbers are exact.
    above: Vec<f64>,
    /// The distance from `min_rel` that is a gain of 1.
    unit: f64,
}

impl Steps {
    /// The number of a group's documents with each gain above 0.
    fn counts(&self, group: &Group<'_>) -> Vec<(u32, u32)> {
        let mut counts: Vec<(u32, u32)> = Vec::new();
        for level in group.levels {
            let above = self.gain.of(level.grade);
            let Some(class) = self.above.iter().position(|&other| other == above) else { continue };
            match counts.last_mut() {
                Some((last, count)) if *last == class as u32 => *count += level.count,
                _ => counts.push((class as u32, level.count)),
            }
        }
        counts
    }

    /// The groups that begin within the limit, for [`sampling`].
    fn classes(&self, ranking: &Ranking, limit: usize) -> Vec<Classes> {
        let classes = |group: Group<'_>| Classes {
            start: group.start,
            size: group.size,
            slots: group.slots(limit),
            counts: self.counts(&group),
        };
        ranking.groups_to(limit).map(classes).filter(|classes| !classes.counts.is_empty()).collect()
    }

    /// The rank and the gain of each document of an order.
    fn of<'s>(&'s self, placed: &'s [PlacedDocument], limit: usize) -> impl Iterator<Item = (usize, f64)> + 's {
        let within = placed.iter().take_while(move |(position, _)| *position < limit);
        within.map(|&(position, class)| (position + 1, self.above[class as usize] / self.unit))
    }

    fn certainty(&self, ranking: &Ranking, limit: usize) -> Certainty {
        if sampling::is_listed(&self.classes(ranking, limit)) { Certainty::Exact } else { Certainty::Estimate }
    }
}
