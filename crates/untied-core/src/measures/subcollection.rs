//! Subcollection AP: average precision on a random part of the collection (Yilmaz & Aslam 2006, section 4).
//!
//! Judged documents are kept, and documents of the pool that are not judged (negative grades) are dropped. Each
//! document outside the pool, which counts as non-relevant, is kept with probability p, the share of the pool that is
//! judged. Let rho relevant and c judged documents be above a relevant document, counting itself, and m documents
//! outside the pool. Its expected precision is rho I(c, m), where I(c, m) = E\[1 / (c + Binomial(m, p))\] follows from
//!
//!   I(c, 0) = 1/c,    I(c, m) = (1 + m (1-p) I(c, m-1)) / (m + c)    (by integration by parts),
//!
//! E\[subAP\] is the sum over relevant documents, divided by R, and needs no random numbers. In a tie group, let J
//! documents be judged, r of them relevant, and m outside the pool. Above a relevant one are s = 0..J-1 judged ones of
//! the group, all equally likely; given s, the number of those outside the pool above it is negative hypergeometric. In
//! large groups, it is faster to sum over the number of those outside the pool that are kept ([`by_kept`]).

use super::orders::drawing;
use super::{Definition, Measure};
use crate::error::{Error, Result};
use crate::names::{Info, Parameter, REL, Sampled, Spec, Value, unbounded};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;
use crate::watch;

const RATE: Parameter = Parameter {
    name: "p",
    default: "None",
    help: "probability of keeping a document outside the pool, from 0 to 1; by default, the judged share of the \
        query's pool",
};

pub static SUBCOLLECTION_AP: Definition = Info {
    name: "subAP",
    aliases: &["subcollection_ap"],
    title: "expected average precision on a random part of the collection",
    parameters: &[REL, RATE],
    equation: "subAP = (1/R) sum over relevant documents of rho E[1 / (c + Binomial(m, p))], with rho relevant and c \
               judged documents up to it and m documents outside the pool above it",
    tex: r"\mathrm{subAP} = \frac{1}{R} \sum_{k:\ x_k = 1} \rho_k \; E \left[ \frac{1}{c_k + \mathrm{Binomial}(m_k,
           p)} \right]",
    reference: "Yilmaz & Aslam 2006; exact mean and variance, over inclusion and ties",
    sampled: &[Sampled {
        unless: "a tie group has many documents of several kinds \
            (grades, unjudged documents, documents outside the pool), or a ranking has very many documents",
        then: Sampled::NO_VARIANCE,
    }],
    unbounded: Some(unbounded::ESTIMATOR),
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(SubcollectionAp { rel: spec.rel()?, rate: rate(spec)? })));

fn rate(spec: &Spec) -> Result<Option<f64>> {
    match spec.parameter(RATE.name) {
        None => Ok(None),
        Some(&Value::Number(p)) if (0.0..=1.0).contains(&p) => Ok(Some(p)),
        Some(other) => Err(Error::Measure(format!("{spec}: p must be a number from 0 to 1, not {other}"))),
    }
}

struct SubcollectionAp {
    rel: f64,
    rate: Option<f64>,
}

/// Numbers of documents: relevant, judged non-relevant, and outside the pool.
#[derive(Clone, Copy, Default)]
struct DocumentKinds {
    relevant: usize,
    nonrelevant: usize,
    outside: usize,
}

impl SubcollectionAp {
    /// The probability p; NaN if nothing is relevant.
    fn rate(&self, truth: &Judgments<'_>) -> f64 {
        let pooled = truth.relevant(f64::NEG_INFINITY);
        match truth.relevant(self.rel) {
            0 => f64::NAN,
            _ => self.rate.unwrap_or(truth.relevant(0.0) as f64 / pooled as f64),
        }
    }

    fn kinds(&self, group: &Group<'_>) -> DocumentKinds {
        let relevant = group.relevant(self.rel);
        DocumentKinds { relevant, nonrelevant: group.relevant(0.0) - relevant, outside: group.unjudged() }
    }

    /// Calls `visit` with the documents before each group, and with those in it, for each group with documents of the
    /// qrels.
    fn over_groups(&self, ranking: &Ranking, mut visit: impl FnMut(DocumentKinds, DocumentKinds)) {
        let mut before = DocumentKinds::default();
        let mut end = 0;
        for group in ranking.groups() {
            before.outside += group.start - end;
            end = group.start + group.size;
            let kinds = self.kinds(&group);
            visit(before, kinds);
            before.relevant += kinds.relevant;
            before.nonrelevant += kinds.nonrelevant;
            before.outside += kinds.outside;
        }
    }
}

/// The mean of what a group adds.
fn mean_of(before: DocumentKinds, group: DocumentKinds, p: f64) -> f64 {
    let judged = group.relevant + group.nonrelevant;
    let ranks = settling(p).min(before.outside) + group.outside + 1;
    let mean =
        if judged.saturating_mul(ranks) > STEPS { by_kept(before, group, p) } else { by_above(before, group, p) };
    mean * group.relevant as f64
}

/// With more steps than this, [`by_kept`] is faster than [`by_above`].
const STEPS: usize = 4_000_000;

/// How far the number of relevant documents rises from one judged document of a group to the next.
fn rise(group: DocumentKinds) -> f64 {
    let judged = group.relevant + group.nonrelevant;
    if judged > 1 { (group.relevant - 1) as f64 / (judged - 1) as f64 } else { 0.0 }
}

/// Mean part of a relevant document, by how many judged ones and how many others are above it.
fn by_above(before: DocumentKinds, group: DocumentKinds, p: f64) -> f64 {
    let judged = group.relevant + group.nonrelevant;
    let mut total = 0.0;
    for s in 0..judged {
        if watch::is_stopped() {
            return f64::NAN;
        }
        let c = (before.relevant + before.nonrelevant + s + 1) as f64;
        let rho = before.relevant as f64 + 1.0 + s as f64 * rise(group);
        let mut at = before.outside;
        let mut inverse = mean_inverse(c, at, p);
        let mut inverse_at = |m: usize| {
            while at < m {
                at += 1;
                inverse = next_inverse(inverse, c, at, p);
            }
            inverse
        };
        let above = drawing::before_special(judged - 1, group.outside, s);
        total += rho * above.map(|(mu, probability)| probability * inverse_at(before.outside + mu)).sum::<f64>();
    }
    total / judged as f64
}

/// I(c, m), see the head of this file.
fn mean_inverse(c: f64, m: usize, p: f64) -> f64 {
    let from = m - settling(p).min(m);
    (from + 1..=m).fold(1.0 / (c + from as f64 * p), |inverse, m| next_inverse(inverse, c, m, p))
}

/// I(c, m), given I(c, m-1).
fn next_inverse(inverse: f64, c: f64, m: usize, p: f64) -> f64 {
    (1.0 + m as f64 * (1.0 - p) * inverse) / (m as f64 + c)
}

/// After this number of steps, I(c, m) no longer depends on I(c, 0), of which each step leaves a share below 1 - p.
fn settling(p: f64) -> usize {
    (42.0 / p) as usize // it is usize::MAX if nothing is kept
}

/// The same as [`by_above`], as a sum over how many documents outside the pool are kept. If b of them are kept before
/// the group and k in it, a relevant document is equally likely to be at each of J + k positions. With H the harmonic
/// numbers and C + b documents before the group, the mean is
///
///   1/(J+k) sum over i = 0 .. J+k-1 of (A + B i) / (C+b+i+1)  =  B + (A - B (C+b+1)) (H_{C+b+J+k} - H_{C+b}) / (J+k).
fn by_kept(before: DocumentKinds, group: DocumentKinds, p: f64) -> f64 {
    let judged = group.relevant + group.nonrelevant;
    let (least_before, kept_before) = drawing::kept(before.outside, p);
    let (least, kept) = drawing::kept(group.outside, p);
    let first = before.relevant + before.nonrelevant + least_before;
    let inverses = harmonic(first, kept_before.len() + judged + least + kept.len());
    let hits = before.relevant as f64 + 1.0;
    let mut total = 0.0;
    for (b, of_before) in kept_before.iter().enumerate() {
        if watch::is_stopped() {
            return f64::NAN;
        }
        let next = (first + b + 1) as f64;
        let mut mean = 0.0;
        for (size, of_group) in (judged + least..).zip(&kept) {
            let rise = if size > 1 { rise(group) * (judged - 1) as f64 / (size - 1) as f64 } else { 0.0 };
            mean += of_group * (rise + (hits - rise * next) * (inverses[b + size] - inverses[b]) / size as f64);
        }
        total += of_before * mean;
    }
    total
}

/// The sums of the first 0, 1, .. of the terms 1 / (first + 1), 1 / (first + 2), .., with what rounding loses added
/// again.
fn harmonic(first: usize, terms: usize) -> Vec<f64> {
    let (mut sum, mut lost) = (0.0, 0.0);
    let mut sums = vec![0.0];
    sums.extend((first + 1..=first + terms).map(|i| {
        let term = 1.0 / i as f64;
        let (next, smaller, larger) = (sum + term, term.min(sum), term.max(sum));
        lost += (larger - next) + smaller;
        sum = next;
        sum + lost
    }));
    sums
}

impl Measure for SubcollectionAp {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let p = self.rate(truth);
        let mut total = 0.0;
        self.over_groups(ranking, |before, group| {
            if group.relevant > 0 {
                total += mean_of(before, group, p);
            }
        });
        total / truth.relevant(self.rel) as f64
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let relevant = ranking.relevant(self.rel);
        let mut path = SamplePath::new(self.rate(truth));
        let mut passed = 0;
        self.over_groups(ranking, |before, group| {
            if before.relevant < relevant {
                path.pass(before.outside - passed);
                path.place(before, group);
                passed = before.outside + group.outside;
            }
        });
        path.variance() / (truth.relevant(self.rel) as f64).powi(2)
    }

    fn varies_in_one_order(&self) -> bool {
        true // over inclusion
    }
}

/// How many cells the table of a group may have, and how many steps lead from group to group; the variance is not
/// computed if it takes more.
const LARGEST: usize = 10_000_000;
const LONGEST: usize = 30_000_000;

/// The probability that a number of documents outside the pool was kept so far, and the mean and the spread (variance
/// times probability) of the sum then. The spread is centred, because subtracting a squared mean would lose digits.
type SampleMoments = [f64; 3];

/// Goes down the ranking. What relevant documents add depends on each other through the documents kept above them.
struct SamplePath {
    p: f64,
    /// The smallest number of kept documents whose probability is not negligible.
    least: usize,
    by_kept: Vec<SampleMoments>,
    steps: usize,
}

impl SamplePath {
    fn new(p: f64) -> Self {
        SamplePath { p, least: 0, by_kept: vec![[1.0, 0.0, 0.0]], steps: 0 }
    }

    /// Passes documents outside the pool, one after the other.
    fn pass(&mut self, number: usize) {
        const NEGLIGIBLE: f64 = 1e-30;
        if number == 0 {
            return;
        }
        let (least, kept) = drawing::kept(number, self.p);
        if self.is_too_long(self.by_kept.len().saturating_mul(kept.len())) {
            return;
        }
        let mut next = vec![[0.0; 3]; self.by_kept.len() + kept.len() - 1];
        for (from, moments) in self.by_kept.iter().enumerate() {
            kept.iter().enumerate().for_each(|(more, chance)| add_part(&mut next[from + more], moments, 0.0, *chance));
        }
        self.least += least;
        self.by_kept = next;
        let is_negligible = |moments: &SampleMoments| moments[0] < NEGLIGIBLE;
        let first = self.by_kept.iter().position(|moments| !is_negligible(moments)).unwrap_or(0);
        self.by_kept.drain(..first);
        self.least += first;
        while self.by_kept.len() > 1 && self.by_kept.last().is_some_and(is_negligible) {
            self.by_kept.pop();
        }
    }

    /// Counts steps, and returns whether they are too many; all further moments are then NaN.
    fn is_too_long(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps);
        let is_too_long = self.steps > LONGEST;
        if is_too_long {
            self.by_kept = vec![[f64::NAN; 3]];
        }
        is_too_long
    }

    /// Passes a tie group in all orders, by a table over the numbers of placed documents of each kind.
    fn place(&mut self, before: DocumentKinds, group: DocumentKinds) {
        // Only differences of means matter, so the first mean is subtracted: small numbers keep more digits.
        let far = self.by_kept[0][1];
        self.by_kept.iter_mut().for_each(|[_, mean, _]| *mean -= far);
        let DocumentKinds { relevant, nonrelevant, outside } = group;
        let shape = [relevant + 1, nonrelevant + 1, outside + 1];
        let width = self.by_kept.len() + outside;
        let cells = shape.iter().fold(width, |cells, &side| cells.saturating_mul(side));
        if cells > LARGEST || self.is_too_long(cells) {
            self.by_kept = vec![[f64::NAN; 3]];
            return;
        }
        let at = |i: usize, j: usize, l: usize| ((i * shape[1]) + j) * shape[2] + l;
        let mut table = vec![vec![[0.0; 3]; width]; shape.iter().product()];
        table[0][..self.by_kept.len()].copy_from_slice(&self.by_kept);
        for i in 0..=relevant {
            for j in 0..=nonrelevant {
                for l in 0..=outside {
                    let here = std::mem::take(&mut table[at(i, j, l)]);
                    let left = relevant - i + nonrelevant - j + outside - l;
                    if left == 0 {
                        self.by_kept = here;
                        return;
                    }
                    let share = |number: usize| number as f64 / left as f64;
                    if i < relevant {
                        let rho = (before.relevant + i + 1) as f64;
                        let counted = before.relevant + before.nonrelevant + i + j + 1 + self.least;
                        for (kept, (from, to)) in here.iter().zip(&mut table[at(i + 1, j, l)]).enumerate() {
                            add_part(to, from, rho / (counted + kept) as f64, share(relevant - i));
                        }
                    }
                    if j < nonrelevant {
                        for (from, to) in here.iter().zip(&mut table[at(i, j + 1, l)]) {
                            add_part(to, from, 0.0, share(nonrelevant - j));
                        }
                    }
                    if l < outside {
                        keep_or_not(&here, self.p, share(outside - l), &mut table[at(i, j, l + 1)]);
                    }
                }
            }
        }
    }

    fn variance(&self) -> f64 {
        let mut total = [0.0; 3];
        for moments in &self.by_kept {
            add_part(&mut total, moments, 0.0, 1.0);
        }
        total[2]
    }
}

/// Adds the moments of a case in which the sum grows by `part`.
fn add_part(to: &mut SampleMoments, &[one, mean, spread]: &SampleMoments, part: f64, probability: f64) {
    let one = one * probability;
    if one == 0.0 {
        return;
    }
    let together = to[0] + one;
    let apart = mean + part - to[1];
    to[2] += probability * spread + apart * apart * (to[0] * one / together);
    to[1] += apart * (one / together);
    to[0] = together;
}

/// Adds the moments after one more document outside the pool, which is kept with probability p.
fn keep_or_not(from: &[SampleMoments], p: f64, probability: f64, to: &mut [SampleMoments]) {
    for (kept, moments) in from.iter().enumerate() {
        add_part(&mut to[kept], moments, 0.0, probability * (1.0 - p));
        if let Some(to) = to.get_mut(kept + 1) {
            add_part(to, moments, 0.0, probability * p);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ways_to_the_mean() {
        let kinds = |[relevant, nonrelevant, outside]: [usize; 3]| DocumentKinds { relevant, nonrelevant, outside };
        for before in [[0, 0, 0], [3, 5, 0], [0, 0, 300], [20, 300, 1000]].map(kinds) {
            for group in [[1, 0, 0], [1, 0, 40], [30, 0, 0], [60, 200, 300], [200, 0, 150]].map(kinds) {
                for p in [0.0, 0.003, 0.3, 0.9, 1.0] {
                    let (one, other) = (by_above(before, group, p), by_kept(before, group, p));
                    assert!((one - other).abs() < 1e-11 * one, "{p}: {one} {other}");
                }
            }
        }
    }

    #[test]
    fn inverses_settle() {
        for (c, p) in [(1.0, 0.1), (20.0, 0.5), (3.0, 0.02)] {
            let slow = (1..=3000).fold(1.0 / c, |inverse, m| next_inverse(inverse, c, m, p));
            assert!((mean_inverse(c, 3000, p) / slow - 1.0).abs() < 1e-14);
        }
    }
}
