//! Compatibility: the highest rank-biased overlap of a ranking with an ideal one (Clarke, Vtyurina & Smucker 2020, 2021).
//!
//! An ideal ranking holds all documents with a grade above 0, higher grades first and equal ones in any order. One of
//! them has the highest overlap at every depth: it has documents of equal grade in the order of the ranking, and those
//! that are not retrieved last. If position d of the ideal ranking belongs to group j of the truth, the overlap at
//! depth d is
//!
//!   X_d = (documents of higher grades among the first d) + min(slots, documents of group j among the first d),
//!
//! where slots is how many documents of group j the ideal ranking has at that depth, and
//!
//!   Compat = sum over d <= K of p^(d-1) X_d / d, over the same sum for the ideal ranking with itself
//!   (normalize=True), or over sum of p^(d-1).
//!
//! If documents are tied, X_d is an expected number. Only the tie group at rank d matters for it, and the numbers of
//! its documents among the first d are hypergeometric.
//!
//! Bounds are over the grades of open documents (those without a judgment). Let F_c(d) documents of groups 1..c be
//! among the first d, and M_c in all. X_d = min(F_(j-1)(d) + d - M_(j-1), F_j(d)) never falls when a count grows. So if
//! the numbers u_c of open documents in groups 1..c are given, [`super::bounds::groups`] says which they are. The u_c
//! are chosen by dynamic programming over c and u_c. The divisor depends only on u_g.

use super::bounds::groups::{AssignedGroups, TruthGroup};
use super::bounds::{Bounds, Open, Resolution, Widest};
use super::orders::{drawing, sampling};
use super::{Definition, Measure};
use crate::elementary::powf;
use crate::error::{Error, Result};
use crate::grade::levels_from;
use crate::names::{Info, Parameter, Sampled, Spec, Value};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;
use crate::watch;

const PERSISTENCE: Parameter = Parameter {
    name: "p",
    default: "0.95",
    help: "weight of each rank relative to the one before, between 0 and 1 (persistence)",
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

/// Grades are preferences, so they may be any real numbers, and all above 0 count.
const LEAST: Parameter =
    Parameter { name: "rel", default: "None", help: "lowest grade in the ideal ranking; by default all above 0" };

pub static COMPATIBILITY: Definition = Info {
    name: "Compat",
    aliases: &["compatibility"],
    title: "compatibility, the highest rank-biased overlap with an ideal ranking",
    parameters: &[PERSISTENCE, DEPTH, NORMALIZE, LEAST],
    equation: "Compat = max over ideal rankings I of RBO(ranking, I) / RBO(I, I), RBO = sum over d of p^(d-1) \
               (overlap of the first d) / d",
    tex: r"\mathrm{Compat} = \max_I \frac{\mathrm{RBO}(\mathit{ranking}, I)}{\mathrm{RBO}(I, I)}, \quad \mathrm{RBO}
           = \sum_d p^{\,d-1} \frac{X_d}{d}",
    reference: "Clarke, Vtyurina & Smucker 2020, 2021; exact under ties, as one ideal ranking is the best at every \
               depth",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::NO_VARIANCE }],
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

/// The depth to which rankings are compared, or none if the longer ranking sets it.
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
    /// What the sum is divided by, for `total` documents in the ideal ranking.
    fn norm(&self, weights: &[f64], rest: f64, total: usize, depth: usize) -> f64 {
        if self.normalize {
            weights.iter().zip(1..).map(|(weight, d)| weight * total.min(d) as f64).sum::<f64>() + rest * total as f64
        } else {
            (1.0 - powf(self.p, depth as f64)) / (1.0 - self.p)
        }
    }

    /// The weights p^(d-1) / d for d = 1 .. ranks (or the depth), and the sum of all later weights within the depth.
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
            // All later weights together are below next / (1 - p).
            if next <= rest * 1e-18 * (1.0 - self.p) {
                break;
            }
        }
        (weights, rest)
    }

    /// The weighted sum of the expected X_d.
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

/// The expected value of min(`slots`, `fixed` + the number of special documents among the first `inside` of a group).
/// The group has `size` documents, of which `special` are special.
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
        // Beyond the longer of the two rankings, the overlap no longer changes.
        let longest = ranking.retrieved.max(total);
        let depth = self.depth.unwrap_or(longest);
        let (weights, rest) = self.weights(longest, depth);
        let retrieved: usize = ranking.relevant(self.rel);
        (self.overlaps(ranking, truth, &weights) + rest * retrieved as f64) / self.norm(&weights, rest, total, depth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let outcome = sampling::listed(ranking, self.depth.unwrap_or(usize::MAX), |one| self.mean(one, truth));
        outcome.map_or(f64::NAN, |outcome| outcome.variance)
    }
    fn bound_steps(&self, documents: usize) -> usize {
        documents.saturating_pow(3).saturating_mul(4)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let unjudged = open.relevant_count(self.rel);
        let truth = TruthGroup::all(open, self.rel);
        let judged = truth.last().map_or(0, |last| last.judged);
        let undefined = judged == 0;
        if judged + unjudged == 0 {
            return Some(Bounds::UNDEFINED);
        }
        let steps = truth.len() as f64 * (unjudged as f64).powi(2) / 2.0 * (judged + unjudged) as f64;
        if unjudged > MOST_UNJUDGED || truth.len() > 1 && steps > MOST_STEPS {
            return Some(Bounds { low: 0.0, high: 1.0, undefined });
        }
        let extreme = |highest: bool| {
            let assigned = AssignedGroups { open, unjudged, highest };
            AssignedOverlaps::new(self, assigned).extreme(&truth)
        };
        Some(Bounds { low: extreme(false).low, high: extreme(true).high, undefined })
    }
}

/// With more open documents than this, exact bounds would take too long, and simpler ones are used.
const MOST_UNJUDGED: usize = 2048;
const MOST_STEPS: f64 = 1e9;

/// The overlaps of a ranking with ideal rankings, if open documents are assigned to groups.
struct AssignedOverlaps<'a> {
    of: &'a Compatibility,
    assigned: AssignedGroups<'a>,
    /// The weights p^(d-1) / d for all ranks that one of the rankings can have, and the sum of all later weights.
    weights: Vec<f64>,
    rest: f64,
    /// For each rank of the ranking, the number of its tie group.
    at: Vec<usize>,
    /// The start and the size of each tie group; the last is of documents that are not retrieved.
    spans: Vec<(usize, usize)>,
}

/// The number of documents that belong to some groups of the truth, before a tie group and in it.
#[derive(Clone, Copy)]
struct Counted {
    before: u32,
    here: u32,
}

impl<'a> AssignedOverlaps<'a> {
    fn new(of: &'a Compatibility, assigned: AssignedGroups<'a>) -> AssignedOverlaps<'a> {
        let ranking = assigned.open.ranking;
        let longest = ranking.retrieved.max(assigned.open.truth.relevant(of.rel) + assigned.unjudged);
        let (weights, rest) = of.weights(longest, of.depth.unwrap_or(longest));
        let at = ranking.groups().enumerate().flat_map(|(number, group)| std::iter::repeat_n(number, group.size));
        let spans = ranking.groups().map(|group| (group.start, group.size)).chain([(ranking.retrieved, usize::MAX)]);
        AssignedOverlaps { of, weights, rest, at: at.collect(), spans: spans.collect(), assigned }
    }

    /// For each tie group, the documents with at least a grade, if u open documents have it.
    fn counted(&self, grade: f64, u: usize) -> Vec<Counted> {
        let mut before = 0;
        let groups = self.assigned.by_tie_group(grade, u).map(|(_, here)| {
            let here = here as u32;
            before += here;
            Counted { before: before - here, here }
        });
        let mut counted: Vec<Counted> = groups.collect();
        counted.push(Counted { before, here: 0 });
        counted
    }

    /// X_d. If the ideal ranking has group j at rank d, `better` counts the documents of groups 1..j-1 and `all` those
    /// of groups 1..j, and `slots` is how many documents of group j it has down to d.
    fn overlap(&self, d: usize, slots: usize, better: &[Counted], all: &[Counted]) -> f64 {
        let number = self.at.get(d - 1).copied().unwrap_or(all.len() - 1);
        let ((start, size), better, all) = (self.spans[number], better[number], all[number]);
        let inside = d - start;
        if self.assigned.open.resolution == Resolution::Mean {
            let higher = f64::from(better.before) + f64::from(better.here) * (inside as f64 / size as f64);
            let (fixed, special) = ((all.before - better.before) as usize, (all.here - better.here) as usize);
            return higher + expected_least(slots, fixed, size, special, inside);
        }
        let within = |of: Counted| f64::from(of.before) + self.assigned.within(size, of.here as usize, inside);
        (within(better) + slots as f64).min(within(all))
    }

    /// The smallest and the largest value over all numbers of open documents in the groups of the truth.
    fn extreme(&self, truth: &[TruthGroup]) -> Bounds {
        let sign = if self.assigned.highest { 1.0 } else { -1.0 };
        let unjudged = self.assigned.unjudged;
        // For each u_c: the best sum over the ranks of groups 1..c, and the counts of these groups.
        let mut sums = vec![f64::NEG_INFINITY; unjudged + 1];
        sums[0] = 0.0;
        let mut better: Vec<Vec<Counted>> = vec![self.counted(f64::INFINITY, 0)];
        let mut before = 0;
        for group in truth {
            let all: Vec<Vec<Counted>> = (0..=unjudged).map(|u| self.counted(group.grade, u)).collect();
            let choose = |u: usize| {
                let fewest = if group.is_possible { 0 } else { u };
                let reached = (fewest..=u).filter(|&v| sums[v].is_finite());
                let sums = reached.map(|v| {
                    let (first, last) = (before + v, (group.judged + u).min(self.weights.len()));
                    let added = (first + 1..=last)
                        .map(|d| self.weights[d - 1] * self.overlap(d, d - first, &better[v], &all[u]));
                    sums[v] + sign * added.sum::<f64>()
                });
                sums.fold(f64::NEG_INFINITY, f64::max)
            };
            sums = watch::until_stopped(0..sums.len()).map(choose).collect();
            sums.resize(unjudged + 1, f64::NEG_INFINITY);
            better = all;
            before = group.judged;
        }
        let mut bounds = Widest::default();
        for (u, &sum) in sums.iter().enumerate().filter(|&(u, sum)| before + u > 0 && sum.is_finite()) {
            let (n, counted) = (before + u, &better[u]);
            let longest = self.assigned.open.ranking.retrieved.max(n);
            // If the depth is that of the longer ranking, nothing counts below it.
            let depth = self.of.depth.unwrap_or(longest);
            let weights = &self.weights[..self.weights.len().min(depth)];
            let below = (n + 1..=weights.len()).map(|d| weights[d - 1] * self.overlap(d, 0, counted, counted));
            let counted_above = counted.last().map_or(0.0, |last| f64::from(last.before));
            let total = sign * sum + below.sum::<f64>() + self.rest * counted_above;
            bounds.add(total / self.of.norm(weights, self.rest, n, depth));
        }
        bounds.finish()
    }
}
