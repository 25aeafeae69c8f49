//! Cascades: ERR, plain and normalised, and those that a user defines.
//!
//! A user reads from the top and goes on after document d with probability q_d:
//!
//!   sum over ranks i <= k of  w_i g(d_i) q(d_1) .. q(d_{i-1}).
//!
//! ERR has g = c, q = 1 - c and w_i = 1/i, where c = (2^grade - 1) / 2^max_grade is the probability of stopping.
//! [`super::orders::walk`] has the mean over tie orders and the other statistics.

use super::bounds::{self, Bounds, Open};
use super::gain::{Gain, discounts};
use super::orders::law::{self, Walk};
use super::orders::walk::{self, Kind, Path};
use super::uncertain::FirstStop;
use super::{Certainty, Definition, Measure, Orders, Scope, TieDistribution};
use crate::elementary::{exp2, ln, powi};
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::law::{Law, Limits};
use crate::names::{Cutoff, GAINED, Info, JUDGED_ONLY, Parameter, Spec, Value, unbounded};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

pub(super) const MAX_GRADE: Parameter = Parameter {
    name: "max_grade",
    default: "4",
    help: "highest grade of the scale: a grade g stops the user with probability (2^g - 1) / 2^max_grade",
};
const GAIN: Parameter = Parameter {
    name: "gain",
    default: "'linear'",
    help: "gain of a grade g: 'linear' (g), 'exp2' (2^g - 1), or a table {1: 0.5, 2: 1, ...}; below 0 and unjudged: \
        as 0",
};
const GO_ON: Parameter = Parameter {
    name: "go_on",
    default: "None",
    help: "probability of continuing after a grade: a table {0: 1, 1: 0.5, ...} (grade 0: 1 if not in it); 1 - gain if \
           not given",
};
const WEIGHT: Parameter = Parameter {
    name: "discount",
    default: "'none'",
    help: "weight of rank i: 'none' (1), 'log2', 'log(b)', 'inverse' or a list, as for DCG",
};

pub static ERR: Definition = Info {
    name: "ERR",
    aliases: &["expected_reciprocal_rank"],
    title: "expected reciprocal rank",
    cutoff: Cutoff::Optional,
    parameters: &[MAX_GRADE, JUDGED_ONLY],
    equation: "ERR@k = sum over ranks i <= k of c_i / i times the product of 1 - c_j over ranks j < i, \
               c = (2^grade - 1) / 2^max_grade",
    tex: r"\mathrm{ERR}@k = \sum_{i=1}^{k} \frac{c_i}{i} \prod_{j < i} (1 - c_j), \quad c_i = \frac{2^{g_i} -
           1}{2^{g_{\max}}}",
    reference: "Chapelle, Metzler, Zhang & Grinspan 2009; ties: mean, exact, over elementary symmetric means",
    sampled: &[walk::SAMPLED],
    ..Info::DEFAULT
}
.built_by(|spec, scope| reciprocal_rank(spec, scope, false));

pub static NERR: Definition = Info {
    name: "nERR",
    title: "normalised expected reciprocal rank",
    cutoff: Cutoff::Optional,
    parameters: &[MAX_GRADE, JUDGED_ONLY],
    equation: "nERR@k = ERR@k / (ERR@k of all judged documents by descending grade)",
    tex: r"\mathrm{nERR}@k = \frac{\mathrm{ERR}@k}{\mathrm{ERR}@k \text{ of the ideal ranking}}",
    reference: "Chapelle, Metzler, Zhang & Grinspan 2009; ties: as ERR",
    sampled: &[walk::SAMPLED],
    unbounded: Some(unbounded::IDEAL),
    ..Info::DEFAULT
}
.built_by(|spec, scope| reciprocal_rank(spec, scope, true));

pub static CASCADE: Definition = Info {
    name: "Cascade",
    title: "any cascade model",
    cutoff: Cutoff::Optional,
    parameters: &[GAIN, GO_ON, WEIGHT, JUDGED_ONLY],
    range: GAINED,
    equation: "Cascade@k = sum over ranks i <= k of D(i) G(grade at i) times the product of go_on(grade at j) over \
               ranks j < i",
    tex: r"\mathrm{Cascade}@k = \sum_{i=1}^{k} D(i)\, G(g_i) \prod_{j < i} q(g_j)",
    reference: "Craswell, Zoeter, Taylor & Ramsey 2008; Carterette 2011; ties: as ERR",
    sampled: &[walk::SAMPLED],
    ..Info::DEFAULT
}
.built_by(|spec, scope| Ok(Box::new(general(spec, scope)?)));

fn reciprocal_rank(spec: &Spec, scope: &Scope<'_>, normalised: bool) -> Result<Box<dyn Measure>> {
    let most = max_grade(spec, scope)?;
    let depth = spec.cutoff_or(usize::MAX).min(scope.depth);
    let kind = move |grade: f64| {
        let stop = (exp2(grade) - 1.0) / exp2(most);
        Kind { gain: stop, go_on: 1.0 - stop, count: 1 }
    };
    let cascade = Cascade::new(scope, (1..=depth).map(|i| 1.0 / i as f64).collect(), normalised, kind);
    let cutoff = spec.cutoff;
    // ERR never falls when a document's probability c of stopping grows: its derivative by c is reach (1/i - what comes
    // after), and what comes after is at most 1/(i+1).
    let beyond = move |reach: f64, stop: f64, n: usize| reach * tail(stop, n, cutoff);
    Ok(Box::new(if normalised { cascade } else { cascade.growing(beyond) }))
}

/// The parameter `max_grade`, which no grade of the qrels exceeds.
pub(super) fn max_grade(spec: &Spec, scope: &Scope<'_>) -> Result<f64> {
    let most = spec.number(MAX_GRADE.name, 4.0, "a number above 0, up to 1000", |most| 0.0 < most && most <= 1000.0)?;
    not_exceeded(most, spec, scope)
}

/// Refuses a `max_grade` that a grade of the qrels exceeds.
pub(super) fn not_exceeded(most: f64, spec: &Spec, scope: &Scope<'_>) -> Result<f64> {
    match scope.grades.first() {
        Some(&grade) if grade > most => {
            Err(Error::Value(format!("{spec}: the qrels have grade {grade}, above max_grade = {most}")))
        }
        _ => Ok(most),
    }
}

fn general(spec: &Spec, scope: &Scope<'_>) -> Result<Cascade> {
    let gain = Gain::new(spec, scope.grades)?;
    let depth = spec.cutoff_or(usize::MAX).min(scope.depth);
    let weights = match spec.parameter(WEIGHT.name) {
        None => vec![1.0; depth],
        Some(_) => discounts(spec, depth)?,
    };
    let table = match spec.parameter(GO_ON.name) {
        None => None,
        Some(Value::Table(table)) if table.iter().all(|&(grade, q)| grade >= 0.0 && (0.0..=1.0).contains(&q)) => {
            Some(table.clone())
        }
        Some(other) => {
            let expected = "a table of grades of at least 0 and probabilities, such as {0: 1, 1: 0.5}";
            return Err(Error::Measure(format!("{spec}: go_on must be {expected}, not {other}")));
        }
    };
    for &grade in scope.grades.iter().filter(|&&grade| grade > 0.0) {
        match &table {
            Some(table) if !table.iter().any(|&(known, _)| known == grade) => {
                return Err(Error::Value(format!("{spec}: go_on has no probability for grade {grade}")));
            }
            None if !(0.0..=1.0).contains(&gain.of(grade)) => {
                let gained = gain.of(grade);
                return Err(Error::Value(format!(
                    "{spec}: without go_on, the gain is the probability that the user stops, so it must be from 0 to 1; \
                     the gain of grade {grade} is {gained}"
                )));
            }
            _ => {}
        }
    }
    let kind = move |grade: f64| {
        let go_on = match &table {
            None => 1.0 - gain.of(grade),
            Some(table) => table.iter().find(|&&(known, _)| known == grade).map_or(1.0, |&(_, q)| q),
        };
        Kind { gain: gain.of(grade), go_on, count: 1 }
    };
    Ok(Cascade::new(scope, weights, false, kind))
}

pub(super) struct Cascade {
    /// The weights of the ranks within the cutoff.
    weights: Vec<f64>,
    /// The gain and probability of a grade.
    kind_of: Box<KindOf>,
    /// Those of each grade above 0 that the qrels have.
    kinds: Vec<(f64, Kind)>,
    /// The gain and probability of unjudged and non-relevant documents.
    rest: Kind,
    normalised: bool,
    /// How much can follow a ranking, if the cascade never falls when a grade grows.
    beyond: Option<Box<UnseenRelevant>>,
}

type KindOf = dyn Fn(f64) -> Kind + Send + Sync;

/// The most that documents below the last one could add, given the probability of getting there, the probability of
/// stopping at a document of the highest grade, and the length of the ranking.
type UnseenRelevant = dyn Fn(f64, f64, usize) -> f64 + Send + Sync;

impl Cascade {
    pub(super) fn new(
        scope: &Scope<'_>,
        weights: Vec<f64>,
        normalised: bool,
        kind: impl Fn(f64) -> Kind + Send + Sync + 'static,
    ) -> Cascade {
        let positive = scope.grades.iter().copied().filter(|&grade| grade > 0.0);
        let kinds = positive.map(|grade| (grade, kind(grade))).collect();
        Cascade { weights, kinds, rest: kind(0.0), kind_of: Box::new(kind), normalised, beyond: None }
    }

    /// Declares that the cascade never falls when a grade grows. Bounds then include what can follow the ranking.
    pub(super) fn growing(self, beyond: impl Fn(f64, f64, usize) -> f64 + Send + Sync + 'static) -> Cascade {
        Cascade { beyond: Some(Box::new(beyond)), ..self }
    }

    /// The documents of a level as a kind.
    fn kind(&self, level: &Level) -> Kind {
        let known = self.kinds.iter().find(|(grade, _)| *grade == level.grade);
        let kind = known.map_or_else(|| (self.kind_of)(level.grade.max(0.0)), |(_, kind)| *kind);
        Kind { count: level.count as usize, ..kind }
    }

    /// The kinds of a group's documents, best grade first; unjudged and non-relevant ones are the last kind.
    fn kinds_of(&self, group: &Group<'_>) -> Vec<Kind> {
        let positive = group.levels.iter().take_while(|level| level.grade > 0.0);
        let mut kinds: Vec<Kind> = positive.map(|level| self.kind(level)).collect();
        let rest = group.size - kinds.iter().map(|kind| kind.count).sum::<usize>();
        if rest > 0 {
            kinds.push(Kind { count: rest, ..self.rest });
        }
        kinds
    }

    /// The probability of getting beyond all documents if the open ones have the highest grade, and the probability of
    /// stopping at a document of this grade.
    fn beyond_all(&self, open: &Open<'_>) -> (f64, f64) {
        let (mut reach, mut judged) = (1.0, 0);
        for level in open.ranking.levels().iter().filter(|level| level.grade >= 0.0) {
            reach = walk::beyond(&[self.kind(level)], reach);
            judged += level.count;
        }
        let open_ones = Level { grade: open.highest(), count: open.ranking.retrieved as u32 - judged };
        let kind = self.kind(&open_ones);
        (walk::beyond(&[kind], reach), kind.gain)
    }

    /// What values are divided by; NaN if nothing can be gained.
    fn norm(&self, truth: &Judgments<'_>) -> f64 {
        if !self.normalised {
            return 1.0;
        }
        let (mut total, mut reach) = (0.0, 1.0);
        let mut weights = self.weights.as_slice();
        for level in truth.levels.iter().take_while(|level| level.grade > 0.0) {
            let kind = self.kind(level);
            walk::straight(&mut total, &mut reach, &kind, weights);
            weights = &weights[kind.count.min(weights.len())..];
        }
        if total > 0.0 { total } else { f64::NAN }
    }
}

impl Path for Cascade {
    fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn walk(&self, ranking: &Ranking, part: &mut dyn FnMut(&[Kind]) -> bool) {
        let mut at = 0;
        let gap = |at: usize, next: usize, part: &mut dyn FnMut(&[Kind]) -> bool| {
            at == next || part(&[Kind { count: next - at, ..self.rest }])
        };
        for group in ranking.groups_to(self.weights.len()) {
            if !gap(at, group.start, part) || !part(&self.kinds_of(&group)) {
                return;
            }
            at = group.start + group.size;
        }
        gap(at, ranking.retrieved.max(at), part);
    }
}

impl Measure for Cascade {
    fn reads_relevant_only(&self) -> bool {
        self.rest.gain == 0.0 && self.rest.go_on == 1.0
    }

    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        walk::path_mean(self, ranking) / self.norm(truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        walk::path_variance(self, ranking) / self.norm(truth).powi(2)
    }

    /// Known if a document gains the probability of stopping at it.
    fn expected(&self) -> Option<Box<dyn Measure>> {
        let stops = |kind: &Kind| kind.go_on == 1.0 - kind.gain;
        let is_nothing = self.rest.gain == 0.0 && self.rest.go_on == 1.0;
        if self.normalised || !is_nothing || !self.kinds.iter().all(|(_, kind)| stops(kind)) {
            return None;
        }
        let kinds = self.kinds.clone();
        let stop = move |grade: f64| kinds.iter().find(|(known, _)| *known == grade).map_or(0.0, |(_, kind)| kind.gain);
        Some(Box::new(FirstStop::with_chance(stop, self.weights.clone())))
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let (low, high) = walk::path_extremes(self, &orders.tied);
        let norm = self.norm(truth);
        (low / norm, high / norm)
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    /// There are bounds only if a higher grade never gains less than what it keeps the user from seeing afterwards.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        if let Some(beyond) = &self.beyond {
            let Bounds { low, high, .. } = bounds::monotone(self, open);
            let (reach, stop) = self.beyond_all(open);
            return Some(Bounds::new(low, high + beyond(reach, stop, open.ranking.retrieved)));
        }
        let of = |&grade: &f64| self.kind(&Level { grade, count: 1 });
        let grades: Vec<Kind> = open.grades.iter().map(of).collect();
        let all = || self.kinds.iter().map(|(_, kind)| kind).chain([&self.rest]);
        let mut after: f64 = 0.0; // the most that can come after a rank
        let mut pays = !self.normalised && all().all(|kind| kind.gain >= 0.0);
        for weight in self.weights.iter().take(open.ranking.retrieved).rev() {
            pays &= *weight >= 0.0;
            pays &= grades.windows(2).all(|pair| {
                let (gain, loss) = (weight * (pair[0].gain - pair[1].gain), (pair[1].go_on - pair[0].go_on) * after);
                gain >= loss - 1e-12 * loss.abs()
            });
            after = all().map(|kind| weight * kind.gain + kind.go_on * after).fold(0.0, f64::max);
        }
        pays.then(|| bounds::monotone(self, open))
    }

    fn certainty(&self, ranking: &Ranking, _: &Judgments<'_>) -> Certainty {
        walk::path_certainty(self, ranking)
    }
}

impl TieDistribution for Cascade {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, limits: Limits) -> Result<Option<Law>> {
        let (mut start, mut reach, mut walks) = (0, 1.0, Vec::new());
        Path::walk(self, ranking, &mut |kinds| {
            let (kinds, before) = (kinds.to_vec(), reach);
            let size: usize = kinds.iter().map(|kind| kind.count).sum();
            let counts: Vec<usize> = kinds.iter().map(|kind| kind.count).collect();
            reach = walk::beyond(&kinds, reach);
            let weights = &self.weights[start.min(self.weights.len())..(start + size).min(self.weights.len())];
            start += size;
            if kinds.iter().any(|kind| kind.gain != 0.0) {
                walks.push(Walk::new(counts, weights.len(), move |above, placed, kind| {
                    let go_on = kinds.iter().zip(placed).map(|(kind, &placed)| powi(kind.go_on, placed as i32));
                    weights[above] * kinds[kind].gain * before * go_on.product::<f64>()
                }));
            }
            start < self.weights.len()
        });
        law::of_walks(walks.into_iter(), self.norm(truth), limits)
    }
}

/// What documents add that come after n others and all stop the user with probability c: the sum over ranks i = n+1,
/// n+2, .. (to a cutoff) of c (1-c)^(i-n-1) / i.
///
/// Without a cutoff, this sum F(n) converges slowly if c is small against 1/n. It then comes from F(0) = -c ln(c) /
/// (1-c) and F(i) = (F(i-1) - c/i) / (1-c), whose error grows only with (1-c)^-n.
fn tail(c: f64, n: usize, cutoff: Option<usize>) -> f64 {
    if c == 0.0 {
        return 0.0;
    }
    let go_on = 1.0 - c;
    if cutoff.is_none() && c * (n as f64) < 1.0 && go_on > 0.5 {
        return (1..=n).fold(-c * ln(c) / go_on, |sum, i| (sum - c / i as f64) / go_on);
    }
    let (mut sum, mut reach) = (0.0, 1.0);
    for i in n + 1..=cutoff.unwrap_or(usize::MAX) {
        sum += reach * (c / i as f64);
        reach *= go_on;
        if reach < 1e-18 {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= 1e-14 * expected.abs()
    }

    #[test]
    fn what_comes_after_the_ranking() {
        // 1/1 c + 1/2 c (1-c) + ..  = -c ln(c) / (1-c).
        assert!(close(tail(0.5, 0, None), 2f64.ln()) && close(tail(1.0, 4, None), 0.2));
        assert!(close(tail(0.5, 1, None), 2.0 * 2f64.ln() - 1.0));
        assert!(close(tail(0.5, 1, Some(3)), 0.25 + 0.5 * 0.5 / 3.0));
        for (c, n) in [(0.4_f64, 1), (0.1, 8), (1.0 / 1024.0, 1000), (0.001, 20)] {
            let slow: f64 = (1..100_000).rev().map(|i| c * (1.0 - c).powi(i - 1) / (n as f64 + f64::from(i))).sum();
            assert!((tail(c, n, None) / slow - 1.0).abs() < 1e-12, "{c} {n}");
        }
        assert_eq!(tail(0.0, 3, None), 0.0);
    }
}
