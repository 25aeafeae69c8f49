//! Bounds measures: finds the smallest and the largest value over all grades that unjudged documents may have.
//!
//! Some assignments leave a measure undefined; most measures are undefined if no document is relevant. Bounds are over
//! the other assignments, and [`Bounds::undefined`] says whether there are such. The evaluation decides what they
//! count.
//!
//! If the normaliser is fixed, the two extreme assignments give the bounds. If it is not (R grows with every document
//! that becomes relevant), `of_sum` and [`filling`] try each number m of relevant documents. No measure here falls when
//! a relevant document moves up. So the best assignment for m has them as high up as possible, and the worst as far
//! down, first in documents that are not retrieved.

pub(super) mod dcg;
mod expansion;
pub(super) mod filling;
pub(super) mod groups;
pub(super) mod interpolated;
pub(super) mod one_grade;

use super::{Measure, Orders};
use crate::grade::Level;
use crate::ranking::{Group, Ranking, Text, best, worst};
use crate::table::Judgments;

/// Which order of tied documents a bound is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// The bound is of the mean over all orders.
    Mean,
    /// Tied documents are in the best order.
    Best,
    /// Tied documents are in the worst order.
    Worst,
}

/// A ranking with documents that are not judged.
pub struct Open<'a> {
    /// All groups, also those without a document of the qrels.
    pub ranking: &'a Ranking,
    /// The judgments.
    pub truth: &'a Judgments<'a>,
    /// The order of tied documents.
    pub resolution: Resolution,
    /// Grades that an unjudged document may have, highest first; the last is 0.
    pub grades: &'a [f64],
    /// The number of unjudged documents of the pool that are not retrieved. They may have any grade too.
    pub unretrieved: usize,
}

/// The smallest and largest value over the assignments for which the measure is defined; NaN if there are none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// Whether some assignment leaves the measure undefined.
    pub undefined: bool,
}

impl Bounds {
    /// The bounds of a measure that every assignment leaves undefined.
    pub const UNDEFINED: Bounds = Bounds { low: f64::NAN, high: f64::NAN, undefined: true };

    /// The bounds of a measure that is always defined.
    pub fn new(low: f64, high: f64) -> Bounds {
        Bounds { low, high, undefined: false }
    }

    /// Whether it depends on the grades if the measure is defined.
    pub fn unsettled(self) -> bool {
        self.undefined && !self.low.is_nan()
    }

    /// The bounds if undefined values count 0. They do not change if the measure is never defined.
    #[must_use]
    pub fn with_zero(self) -> Bounds {
        if self.unsettled() { Bounds::new(self.low.min(0.0), self.high.max(0.0)) } else { self }
    }
}

impl Open<'_> {
    /// A grade of at least `rel` that an open document may have.
    pub(crate) fn grade_from(&self, rel: f64) -> Option<f64> {
        self.grades.iter().copied().rfind(|&grade| grade >= rel)
    }

    /// The groups, each with the number of its documents that are judged relevant, and of those that can be relevant.
    pub(crate) fn relevant(&self, rel: f64) -> impl Iterator<Item = (Group<'_>, usize, usize)> {
        let can_be = self.grade_from(rel).is_some();
        self.ranking.groups().map(move |group| {
            let known = group.relevant(rel);
            let most = if can_be { known + group.size - group.relevant(0.0) } else { known };
            (group, known, most)
        })
    }

    /// The number of open documents that are not retrieved and can be relevant.
    pub(crate) fn not_retrieved(&self, rel: f64) -> usize {
        if self.grade_from(rel).is_some() { self.unretrieved } else { 0 }
    }

    /// The groups as parts of a sum over relevant documents. What a group adds, `of(group, r)`, depends only on the
    /// number r of its relevant documents.
    pub(crate) fn parts(&self, rel: f64, of: impl Fn(&Group<'_>, usize) -> f64) -> Vec<GroupTerms> {
        self.relevant(rel)
            .map(|(group, known, most)| GroupTerms { known, terms: (0..=most).map(|r| (of(&group, r), 0.0)).collect() })
            .collect()
    }

    /// The highest grade that an open document may have.
    pub(crate) fn highest(&self) -> f64 {
        self.grades.first().copied().unwrap_or(0.0)
    }

    /// The number of open documents that can be relevant.
    pub(crate) fn relevant_count(&self, rel: f64) -> usize {
        if self.grade_from(rel).is_some() { self.count() } else { 0 }
    }

    /// The number of open documents.
    pub(crate) fn count(&self) -> usize {
        self.open().iter().sum::<usize>() + self.unretrieved
    }

    /// The number of open documents of each group, best first.
    fn open(&self) -> Vec<usize> {
        self.ranking.groups().map(|group| group.size - group.relevant(0.0)).collect()
    }

    /// The value if some open documents have this grade: `chosen` has their number in each group, and `unretrieved` of
    /// them are not retrieved. All other open documents have grade 0.
    pub(crate) fn value(&self, measure: &dyn Measure, grade: f64, chosen: &[usize], unretrieved: usize) -> f64 {
        let mut assigned = Ranking::default();
        assigned.retrieved = self.ranking.retrieved;
        for (group, &chosen) in self.ranking.groups().zip(chosen) {
            let open = group.size - group.relevant(0.0);
            assigned.push(group.start, group.size, judged(group.levels, grade, chosen, open - chosen));
        }
        let retrieved: usize = chosen.iter().sum();
        self.resolved(measure, assigned, grade, retrieved + unretrieved)
    }

    /// The value of a measure that reads nothing after a group, if some open documents of this group have this grade.
    /// In all, `chosen` documents have it.
    pub(crate) fn value_of_group(
        &self,
        measure: &dyn Measure,
        grade: f64,
        group: Option<(&Group<'_>, usize)>,
        chosen: usize,
    ) -> f64 {
        let mut assigned = Ranking::default();
        if let Some((group, here)) = group {
            assigned.retrieved = group.start + group.size;
            let open = group.size - group.relevant(0.0);
            assigned.push(group.start, group.size, judged(group.levels, grade, here, open - here));
        }
        self.resolved(measure, assigned, grade, chosen)
    }

    /// The value if all open documents have this grade.
    fn value_of_all(&self, measure: &dyn Measure, grade: f64) -> f64 {
        let mut assigned = Ranking::default();
        assigned.retrieved = self.ranking.retrieved;
        for group in self.ranking.groups() {
            let open = group.size - group.relevant(0.0);
            assigned.push(group.start, group.size, judged(group.levels, grade, open, 0));
        }
        for group in self.ranking.texts.groups() {
            let graded = |text: &Text| Text { grade: if text.grade < 0.0 { grade } else { text.grade }, ..*text };
            assigned.texts.push(group.iter().map(graded));
        }
        self.resolved(measure, assigned, grade, self.count())
    }

    /// The value of a ranking without open documents, after `chosen` of them got this grade.
    fn resolved(&self, measure: &dyn Measure, tied: Ranking, grade: f64, chosen: usize) -> f64 {
        let levels: Vec<Level> = judged(self.truth.levels, grade, chosen, self.count() - chosen).collect();
        self.of_orders(measure, tied, &self.truth.with_levels(&levels))
    }

    /// The value of a ranking, with tied documents in the order that [`Open::resolution`] says.
    fn of_orders(&self, measure: &dyn Measure, tied: Ranking, truth: &Judgments<'_>) -> f64 {
        if self.resolution == Resolution::Mean {
            return measure.mean(&tied, truth);
        }
        let mut orders = Orders { tied, ..Orders::default() };
        best(&orders.tied, &mut orders.best);
        worst(&orders.tied, &mut orders.worst);
        let (low, high) = measure.extremes(&orders, truth);
        if self.resolution == Resolution::Best { high } else { low }
    }
}

/// The levels of the judged documents, with `chosen` more documents of one grade and `others` more of grade 0.
pub(crate) fn judged(levels: &[Level], grade: f64, chosen: usize, others: usize) -> impl Iterator<Item = Level> {
    let mut all: Vec<Level> = levels.iter().copied().filter(|level| level.grade >= 0.0).collect();
    for (grade, count) in [(grade, chosen), (0.0, others)] {
        if count > 0 {
            let at = all.partition_point(|level| level.grade > grade);
            match all.get_mut(at) {
                Some(level) if level.grade == grade => level.count += count as u32,
                _ => all.insert(at, Level { grade, count: count as u32 }),
            }
        }
    }
    all.into_iter()
}

/// Bounds a measure that never falls when a document's grade grows, or never rises. They are its values with all open
/// documents at grade 0, and with all at the highest grade. It must be defined for all grades.
pub(crate) fn monotone(measure: &dyn Measure, open: &Open<'_>) -> Bounds {
    let mut bounds = Widest::default();
    bounds.add(open.value_of_all(measure, 0.0));
    bounds.add(open.value_of_all(measure, open.highest()));
    bounds.finish()
}

/// Bounds a measure that never falls when a document's grade grows, or never rises, and then stays defined if it was.
/// If it is undefined with all open documents at grade 0, a single document of grade `least` must make it defined; one of these
/// documents then gives the smallest value. Otherwise nothing is known, and the result is none.
pub(crate) fn growing(measure: &dyn Measure, open: &Open<'_>, least: Option<f64>) -> Option<Bounds> {
    let (none, all) = (open.value_of_all(measure, 0.0), open.value_of_all(measure, open.highest()));
    if !none.is_nan() {
        if let Some(formula) = measure.formula() {
            formula.expect_growth(open.ranking, none, all);
        }
        return (!all.is_nan()).then(|| Bounds::new(none.min(all), none.max(all)));
    }
    let Some(least) = least.filter(|_| !all.is_nan()) else { return Some(Bounds::UNDEFINED) };
    let open_ones = open.open();
    let mut chosen = vec![0; open_ones.len()];
    let mut bounds = Widest::default();
    bounds.add(all);
    if open.unretrieved > 0 {
        bounds.add(open.value(measure, least, &chosen, 1));
    }
    for group in (0..open_ones.len()).filter(|&group| open_ones[group] > 0) {
        chosen[group] = 1;
        bounds.add(open.value(measure, least, &chosen, 0));
        chosen[group] = 0;
    }
    let bounds = bounds.finish();
    (!bounds.undefined).then_some(Bounds { undefined: true, ..bounds })
}

/// Bounds a measure that depends only on which documents are judged, not on the grades that unjudged ones may have.
pub(crate) fn fixed(measure: &dyn Measure, open: &Open<'_>) -> Bounds {
    let value = open.of_orders(measure, open.ranking.clone(), open.truth);
    Bounds { low: value, high: value, undefined: value.is_nan() }
}

/// Collects the smallest and the largest of the values that are added.
pub(crate) struct Widest(Bounds);

impl Default for Widest {
    fn default() -> Self {
        Widest(Bounds::new(f64::INFINITY, f64::NEG_INFINITY))
    }
}

impl Widest {
    /// Adds a value; NaN is an undefined one.
    pub fn add(&mut self, value: f64) {
        let Bounds { low, high, undefined } = self.0;
        self.0 = Bounds { low: low.min(value), high: high.max(value), undefined: undefined || value.is_nan() };
    }

    pub fn finish(self) -> Bounds {
        if self.0.low <= self.0.high { self.0 } else { Bounds::UNDEFINED }
    }
}

/// What a group adds to a sum over relevant documents, which must be linear in the number of relevant ones before the
/// group: with r relevant documents, it adds `own + before * each`, where `(own, each)` is the r-th of its terms.
pub(crate) struct GroupTerms {
    /// The number of documents that are judged relevant.
    pub known: usize,
    /// The pairs `(own, each)` for 0, 1, .. n relevant documents.
    pub terms: Vec<(f64, f64)>,
}

impl GroupTerms {
    /// What r relevant documents add after `before` others, and how much more with each further one before the group.
    fn sum_of(&self, r: usize, before: usize) -> (f64, f64) {
        let (own, each) = self.terms[r];
        (own + before as f64 * each, each)
    }

    /// The largest number of documents that can be relevant.
    fn most(&self) -> usize {
        self.terms.len() - 1
    }
}

/// Bounds a quotient: the sum of what groups add, divided by something that depends on the numbers of relevant open
/// documents that are retrieved and that are not. `value(sum, retrieved, not retrieved)` computes it; NaN is undefined.
///
/// It tries every number of relevant documents, once from the top down and once from the bottom up. What groups add is
/// linear, so one more relevant document changes the sum by sums over the groups above and below, which are known. This
/// takes O(n).
pub(crate) fn of_sum(parts: &[GroupTerms], unretrieved: usize, value: impl Fn(f64, usize, usize) -> f64) -> Bounds {
    let mut bounds = Widest::default();
    // For the groups from the g-th on, if only known documents are relevant: their sum, how much it grows with each
    // relevant document before them, and the number of known documents before them.
    let mut before: usize = parts.iter().map(|part| part.known).sum();
    let mut below = vec![(0.0, 0.0, before); parts.len() + 1];
    for (g, part) in parts.iter().enumerate().rev() {
        before -= part.known;
        let (sum, each) = part.sum_of(part.known, before);
        below[g] = (below[g + 1].0 + sum, below[g + 1].1 + each, before);
    }
    let total = below[0].0;
    (0..=unretrieved).for_each(|e| bounds.add(value(total, 0, e)));
    let (mut above, mut chosen) = (0.0, 0);
    for (part, (&(_, _, known), &(rest, each, _))) in parts.iter().zip(below.iter().zip(&below[1..])) {
        let before = known + chosen;
        for r in part.known + 1..=part.most() {
            chosen += 1;
            bounds.add(value(above + part.sum_of(r, before).0 + rest + chosen as f64 * each, chosen, 0));
        }
        above += part.sum_of(part.most(), before).0;
    }
    // From the bottom up: the sum of the groups after the g-th, if all their documents are relevant, and its growth.
    let (mut rest, mut each, mut chosen) = (0.0, 0.0, 0);
    for (part, &(below, _, before)) in parts.iter().zip(&below).rev() {
        for r in part.known + 1..=part.most() {
            chosen += 1;
            let more = (r - part.known) as f64;
            let sum = total - below + part.sum_of(r, before).0 + rest + more * each;
            bounds.add(value(sum, chosen, unretrieved));
        }
        let full = part.sum_of(part.most(), before);
        rest += (part.most() - part.known) as f64 * each + full.0;
        each += full.1;
    }
    bounds.finish()
}
