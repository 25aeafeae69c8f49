//! The C/W/L family: a user who goes on from rank i with probability C(i), and the rate at which he gains.
//!
//!   W(i) = C(1) .. C(i-1) / (sum of the same over all ranks),    value = sum over ranks of W(i) g_i,
//!
//! g_i the grade at rank i on the way from `min_rel` to `max_rel`, 0 to 1, and 0 after the last document. Where C is
//! the same for all rankings (INSQ, SDCG) that is a sum of gains times weights, as DCG is. Where it depends on what
//! was gained, the value is a quotient of two cascades, of whose mean over orders nothing is known but to list the
//! orders, or to sample them. BPM alone depends on counts only: see [`super::orders::lattice`].

use std::slice;

use super::dcg::{Gain, Gains, logarithmic};
use super::orders::Outcome;
use super::orders::lattice::Lattice;
use super::orders::sampling::{self, Classes, Placed};
use super::{Certainty, Definition, Measure, Orders, Scope};
use crate::error::{Error, Result};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Other, Parameter, Sampled, Spec, unbounded};
use crate::ranking::{Group, Ranking};
use crate::table::Truth;

const MIN_REL: Parameter =
    Parameter { name: "min_rel", default: "0", help: "grade that gains 0; lower ones and unjudged documents do too" };
const MAX_REL: Parameter =
    Parameter { name: "max_rel", default: "", help: "grade that gains 1, as do higher ones; it must be given" };
const GOAL: Parameter =
    Parameter { name: "T", default: "1", help: "gain that the user hopes for, in documents of grade max_rel" };
const PATIENCE: Parameter =
    Parameter { name: "p", default: "0.9", help: "probability of going on where nothing is gained, 0 < p < 1" };
const DEPTH: Parameter = Parameter {
    name: "depth",
    default: "1000",
    help: "ranks that the user may reach, as in cwl-eval; the papers have no end",
};

/// NERR8@k.
pub static NERR8: Definition = Info {
    name: "NERR8",
    title: "nearly ERR: stops by gain, and at k",
    cutoff: Cutoff::Required,
    parameters: &[MIN_REL, MAX_REL, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = 1 - g_i for i < k, else 0",
    tex: r"\mathrm{NERR8}@k = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = 1 - g_i \quad (i < k)",
    reference: "Azzopardi, Mackenzie & Moffat 2021, equation 8; ties: all orders where they are few, else a sample",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::ESTIMATES }],
    unbounded: Some(unbounded::WEIGHTS),
    ..Info::DEFAULT
}
.built_by(|spec, scope| until_gain(spec, scope, limit(spec, true)?, |_| 1.0));

/// NERR9@k.
pub static NERR9: Definition = Info {
    name: "NERR9",
    title: "nearly ERR: stops by gain and by rank, and at k",
    cutoff: Cutoff::Required,
    parameters: &[MIN_REL, MAX_REL, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = (1 - g_i) i / (i+1) for i < k, else 0",
    tex: concat!(
        r"\mathrm{NERR9}@k = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = (1 - g_i) \frac{i}{i + 1} ",
        r"\quad (i < k)",
    ),
    reference: "Azzopardi, Mackenzie & Moffat 2021, equation 9; ties: all orders where they are few, else a sample",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::ESTIMATES }],
    unbounded: Some(unbounded::WEIGHTS),
    ..Info::DEFAULT
}
.built_by(|spec, scope| until_gain(spec, scope, limit(spec, true)?, |i| 1.0 / i));

/// NERR10.
pub static NERR10: Definition = Info {
    name: "NERR10",
    title: "nearly ERR: stops by gain, with the patience of RBP",
    parameters: &[PATIENCE, MIN_REL, MAX_REL, DEPTH, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = p (1 - g_i)",
    tex: r"\mathrm{NERR10} = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = p\,(1 - g_i)",
    reference: "Azzopardi, Mackenzie & Moffat 2021, equation 10; ties: all orders where they are few, else a sample",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::ESTIMATES }],
    unbounded: Some(unbounded::WEIGHTS),
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let p = spec.number(PATIENCE.name, 0.9, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
    until_gain(spec, scope, limit(spec, false)?, move |i| p.powf(i - 1.0))
});

/// NERR11.
pub static NERR11: Definition = Info {
    name: "NERR11",
    title: "nearly ERR: stops by gain, with the goal of INSQ",
    parameters: &[GOAL, MIN_REL, MAX_REL, DEPTH, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = (1 - g_i) ((i+2T-1) / (i+2T))^2",
    tex: concat!(
        r"\mathrm{NERR11} = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = (1 - g_i) \left( \frac{i + ",
        r"2T - 1}{i + 2T} \right)^2",
    ),
    reference: "Azzopardi, Mackenzie & Moffat 2021, equation 12 (cwl-eval calls it 11); ties: all orders where they \
                are few, else a sample",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::ESTIMATES }],
    unbounded: Some(unbounded::WEIGHTS),
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let goal = goal(spec, 0.0)?;
    until_gain(spec, scope, limit(spec, false)?, move |i| squares(goal, i))
});

/// BPM@k.
pub static BPM: Definition = Info {
    name: "BPM",
    title: "bejeweled player model: stops when T is gained, or at k",
    cutoff: Cutoff::Required,
    parameters: &[GOAL, MIN_REL, MAX_REL, JUDGED_ONLY],
    equation: "(g_1 + .. + g_I) / I, I the first rank with g_1 + .. + g_I >= T, at most k",
    tex: concat!(
        r"\mathrm{BPM}@k = \frac{1}{I} \sum_{i=1}^{I} g_i, \quad I = \min \left( k, \min \{ i : g_1 + \cdots ",
        r"+ g_i \ge T \} \right)",
    ),
    reference: "Zhang, Liu, Li, Zhang, Xu & Ma 2017 (its static form); ties: by counts of documents gained, exact",
    sampled: &[Sampled {
        unless: "counts of documents gained come in more ways than 100 million steps can go through, in the \
                 group where the user may stop",
        then: "estimates",
    }],
    unbounded: Some(unbounded::WEIGHTS),
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let goal = goal(spec, 0.0)?;
    let (least, most) = grades(spec)?;
    Ok(Box::new(Player { gain: steps(spec, scope)?, goal: goal * (most - least), cutoff: spec.cutoff_or(1) }))
});

/// INST.
pub static INST: Definition = Info {
    name: "INST",
    title: "user who adapts to what was gained of the T hoped for",
    parameters: &[GOAL, MIN_REL, MAX_REL, DEPTH, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = ((x-1) / x)^2, x = i + 2T - (g_1 + .. + g_i)",
    tex: concat!(
        r"\mathrm{INST} = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = \left( \frac{x - 1}{x} ",
        r"\right)^2, \quad x = i + 2T - \sum_{j \le i} g_j",
    ),
    reference: "Moffat, Bailey, Scholer & Thomas 2015, 2017; ties: all orders where they are few, else a sample",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: "estimates" }],
    unbounded: Some(unbounded::WEIGHTS),
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let goal = goal(spec, 0.25)?;
    Ok(Box::new(Adaptive { gain: steps(spec, scope)?, goal, limit: limit(spec, false)? }))
});

/// INSQ.
pub static INSQ: Definition = Info {
    name: "INSQ",
    title: "user who hopes for T and goes on the more, the further he got",
    parameters: &[GOAL, MIN_REL, MAX_REL, DEPTH, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = ((i+2T-1) / (i+2T))^2",
    tex: concat!(
        r"\mathrm{INSQ} = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = \left( \frac{i + 2T - 1}{i + ",
        r"2T} \right)^2",
    ),
    reference: "Moffat, Scholer & Thomas 2012; ties: as DCG, with discount W",
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let goal = goal(spec, 0.0)?;
    weighted(spec, scope, (1..=limit(spec, false)?).map(|i| squares(goal, i as f64)).collect())
});

/// SDCG@k.
pub static SDCG: Definition = Info {
    name: "SDCG",
    title: "DCG relative to a ranking of k documents of the highest grade",
    cutoff: Cutoff::Required,
    others: &[Other { parameter: "dcg", value: Some("'log2'"), info: None }],
    parameters: &[MIN_REL, MAX_REL, JUDGED_ONLY],
    equation: "sum over ranks i <= k of W(i) g_i, W(i) = D(i) / (D(1) + .. + D(k)), D(i) = 1 / log2(1+i)",
    tex: concat!(
        r"\mathrm{SDCG}@k = \frac{\sum_{i \le k} g_i\, D(i)}{\sum_{i \le k} D(i)}, \quad D(i) = ",
        r"\frac{1}{\log_2 (1 + i)}",
    ),
    reference: "Järvelin & Kekäläinen 2002, as in Azzopardi, Thomas & Moffat 2019; ties: as DCG",
    ..Info::DEFAULT
}
.built_by(|spec, scope| weighted(spec, scope, logarithmic(limit(spec, true)?)));

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
        let error = || Error::Measure(format!("{spec}: the cutoff may be {MOST} at most, as all ranks are weighed"));
        return if limit <= MOST { Ok(limit) } else { Err(error()) };
    }
    let fits = |depth: f64| depth >= 1.0 && depth.fract() == 0.0 && depth <= MOST as f64;
    Ok(spec.number(DEPTH.name, 1000.0, "a whole number from 1 to 10000000", fits)? as usize)
}

/// `min_rel` and `max_rel`.
fn grades(spec: &Spec) -> Result<(f64, f64)> {
    let least = spec.number(MIN_REL.name, 0.0, "a number from 0", |least| least >= 0.0)?;
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

/// C does not depend on the ranking.
fn weighted(spec: &Spec, scope: &Scope<'_>, mut weights: Vec<f64>) -> Result<Box<dyn Measure>> {
    let (least, most) = grades(spec)?;
    let all: f64 = weights.iter().rev().sum();
    weights.truncate(scope.depth);
    weights.iter_mut().for_each(|weight| *weight /= all * (most - least));
    Ok(Box::new(Gains::new(Gain::Within(least, most), weights, scope)))
}

/// C(i) is 1 - g_i times what `weight(i)`, a product of factors up to rank i, tells.
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

/// What the documents gain that gain something.
struct Steps {
    gain: Gain,
    /// How far the grades are above `min_rel`, all but 0, descending. In grades, as sums of whole ones are exact.
    above: Vec<f64>,
    /// What is a gain of 1.
    unit: f64,
}

impl Steps {
    /// How many of a group's documents have which gain; those without any are left out.
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
        let classes = |group: Group<'_>| Classes { start: group.start, size: group.size, counts: self.counts(&group) };
        ranking.groups_to(limit).map(classes).filter(|classes| !classes.counts.is_empty()).collect()
    }

    /// Rank and gain of the documents of an order.
    fn of<'s>(&'s self, placed: &'s [Placed], limit: usize) -> impl Iterator<Item = (usize, f64)> + 's {
        let within = placed.iter().take_while(move |(position, _)| *position < limit);
        within.map(|&(position, class)| (position + 1, self.above[class as usize] / self.unit))
    }

    fn certainty(&self, ranking: &Ranking, limit: usize) -> Certainty {
        if sampling::is_listed(&self.classes(ranking, limit)) { Certainty::Exact } else { Certainty::Estimate }
    }
}

/// NERR8 to NERR11.
///
/// The best and worst orders are those by grade: where a better document moves up by one rank, the quotient's
/// numerator does not fall (as no factor of C is above 1), and its denominator does not rise.
struct UntilGain {
    gain: Steps,
    /// Products of the factors of C that are the same for all rankings, v_i = W(i) / W(1) if nothing is gained.
    weights: Vec<f64>,
    /// v_1 + .. + v_i.
    before: Vec<f64>,
}

impl UntilGain {
    fn value(&self, placed: &[Placed]) -> f64 {
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
    fn mean(&self, ranking: &Ranking, _: &Truth<'_>) -> f64 {
        let groups = self.gain.classes(ranking, self.weights.len());
        sampling::over_orders(&groups, |placed| self.value(placed)).outcome.mean
    }

    fn variance(&self, ranking: &Ranking, _: &Truth<'_>) -> f64 {
        let groups = self.gain.classes(ranking, self.weights.len());
        sampling::over_orders(&groups, |placed| self.value(placed)).outcome.variance
    }

    fn certainty(&self, ranking: &Ranking, _: &Truth<'_>) -> Certainty {
        self.gain.certainty(ranking, self.weights.len())
    }
}

/// INST.
struct Adaptive {
    gain: Steps,
    goal: f64,
    limit: usize,
}

impl Adaptive {
    fn value(&self, placed: &[Placed]) -> f64 {
        // `missing` is x of the rank before the next; without gains C(i) = ((x-1)/x)^2 telescopes.
        let (mut gained, mut all, mut reach, mut at) = (0.0, 0.0, 1.0, 0);
        let mut missing = 2.0 * self.goal;
        let pass = |all: &mut f64, reach: &mut f64, missing: &mut f64, ranks: usize| {
            let next = *missing + ranks as f64;
            *all += *reach * *missing * *missing * inverse_squares(*missing, ranks);
            *reach *= (*missing / next).powi(2);
            *missing = next;
        };
        for (rank, gain) in self.gain.of(placed, self.limit) {
            pass(&mut all, &mut reach, &mut missing, rank - 1 - at);
            all += reach;
            gained += reach * gain;
            missing += 1.0 - gain;
            reach *= ((missing - 1.0) / missing).powi(2);
            at = rank;
        }
        pass(&mut all, &mut reach, &mut missing, self.limit - at);
        gained / all
    }

    fn statistics(&self, ranking: &Ranking) -> Outcome {
        sampling::over_orders(&self.gain.classes(ranking, self.limit), |placed| self.value(placed)).outcome
    }
}

impl Measure for Adaptive {
    fn mean(&self, ranking: &Ranking, _: &Truth<'_>) -> f64 {
        self.statistics(ranking).mean
    }

    fn variance(&self, ranking: &Ranking, _: &Truth<'_>) -> f64 {
        self.statistics(ranking).variance
    }

    fn extremes(&self, orders: &Orders, _: &Truth<'_>) -> (f64, f64) {
        // The orders by grade are not known to be the best and the worst, but nearly always are.
        let found = self.statistics(&orders.tied);
        let (worst, best) = (self.statistics(&orders.worst).mean, self.statistics(&orders.best).mean);
        (found.low.min(worst).min(best), found.high.max(worst).max(best))
    }

    fn certainty(&self, ranking: &Ranking, _: &Truth<'_>) -> Certainty {
        self.gain.certainty(ranking, self.limit)
    }
}

/// 1/x^2 + 1/(x+1)^2 + .. of so many terms.
fn inverse_squares(x: f64, terms: usize) -> f64 {
    if terms <= 32 {
        return (0..terms).rev().map(|i| (x + i as f64).powi(-2)).sum();
    }
    // Of all terms from x on: some one by one, the others by their asymptotic series (Euler & Maclaurin).
    let from = |x: f64| {
        let near: f64 = (0..16).rev().map(|i| (x + f64::from(i)).powi(-2)).sum();
        let y = x + 16.0;
        let z = 1.0 / (y * y);
        near + (1.0 + 0.5 / y + z * (1.0 / 6.0 - z * (1.0 / 30.0 - z * (1.0 / 42.0 - z / 30.0)))) / y
    };
    from(x) - from(x + terms as f64)
}

/// BPM.
struct Player {
    gain: Steps,
    /// In grades too.
    goal: f64,
    cutoff: usize,
}

/// The group in which the user may stop, and what was gained before it. In all groups before, order makes no
/// difference.
struct Last {
    group: Classes,
    /// Documents of each gain: how many, and the gain, in grades. The gain of which there are most comes first.
    counts: Vec<usize>,
    gains: Vec<f64>,
    before: f64,
    slots: usize,
}

impl Player {
    /// There is none if the user reaches the cutoff among documents that gain nothing: then this is what was gained.
    fn last(&self, ranking: &Ranking) -> std::result::Result<Last, f64> {
        let mut before = 0.0;
        for group in ranking.groups_to(self.cutoff) {
            let counts = self.gain.counts(&group);
            let mut gains: Vec<(usize, f64)> =
                counts.iter().map(|&(class, n)| (n as usize, self.gain.above[class as usize])).collect();
            let rest = group.size - gains.iter().map(|(n, _)| n).sum::<usize>();
            gains.extend((rest > 0).then_some((rest, 0.0)));
            let all: f64 = gains.iter().map(|&(n, gain)| n as f64 * gain).sum();
            if before + all >= self.goal || group.start + group.size >= self.cutoff {
                let most = (0..gains.len()).max_by_key(|&kind| gains[kind].0).unwrap_or(0);
                gains[..=most].rotate_right(1);
                let (counts_of, gains) = gains.into_iter().unzip();
                let (start, size, slots) = (group.start, group.size, group.slots(self.cutoff));
                return Ok(Last { group: Classes { start, size, counts }, counts: counts_of, gains, before, slots });
            }
            before += all;
        }
        Err(before)
    }

    fn lattice<'l>(&self, last: &'l Last) -> Lattice<'l> {
        let missing = self.goal - last.before;
        Lattice::new(&last.counts, last.slots, |kind| {
            // One more, for what rounding may miss.
            if last.gains[kind] > 0.0 { (missing / last.gains[kind]) as usize + 2 } else { usize::MAX }
        })
    }

    fn statistics(&self, ranking: &Ranking) -> Outcome {
        let last = match self.last(ranking) {
            Ok(last) => last,
            Err(gained) => return Outcome::certain(gained / self.gain.unit / self.cutoff as f64),
        };
        let lattice = self.lattice(&last);
        if lattice.is_short() {
            let gained = |point: &[usize]| point.iter().zip(&last.gains).map(|(&n, gain)| n as f64 * gain).sum::<f64>();
            let settled = |placed, point: &[usize]| {
                let (rank, gained) = (last.group.start + placed, last.before + gained(point));
                // At the end always, though rounding may leave him short of the goal.
                let stops = gained >= self.goal || placed == last.slots;
                stops.then(|| Outcome::certain(gained / self.gain.unit / rank as f64))
            };
            return lattice.outcome(settled, |_, _, _, after| after);
        }
        sampling::over_orders(&[last.group], |placed| {
            let mut gained = last.before;
            for &(position, class) in placed.iter().take_while(|(position, _)| *position < self.cutoff) {
                gained += self.gain.above[class as usize];
                if gained >= self.goal {
                    return gained / self.gain.unit / (position + 1) as f64;
                }
            }
            gained / self.gain.unit / self.cutoff as f64
        })
        .outcome
    }
}

impl Measure for Player {
    fn mean(&self, ranking: &Ranking, _: &Truth<'_>) -> f64 {
        self.statistics(ranking).mean
    }

    fn variance(&self, ranking: &Ranking, _: &Truth<'_>) -> f64 {
        self.statistics(ranking).variance
    }

    fn extremes(&self, orders: &Orders, _: &Truth<'_>) -> (f64, f64) {
        let found = self.statistics(&orders.tied);
        (found.low, found.high)
    }

    fn certainty(&self, ranking: &Ranking, _: &Truth<'_>) -> Certainty {
        match self.last(ranking) {
            Ok(last) if !self.lattice(&last).is_short() && !sampling::is_listed(slice::from_ref(&last.group)) => {
                Certainty::Estimate
            }
            _ => Certainty::Exact,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_inverse_squares() {
        for (x, terms) in [(0.25, 1000), (2.0, 998), (7.3, 40), (500.0, 500), (1.0, 33), (3.0, 32)] {
            let sum: f64 = (0..terms).rev().map(|i| (x + f64::from(i)).powi(-2)).sum();
            let found = inverse_squares(x, terms as usize);
            assert!((found - sum).abs() < 1e-13 * sum, "{x} {terms}: {found} {sum}");
        }
    }
}
