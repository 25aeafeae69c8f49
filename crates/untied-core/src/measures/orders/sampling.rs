//! Statistics of any formula of one order, for measures without an exact algorithm for all orders.
//!
//! Documents of one class (a grade, for most measures) are interchangeable, so an order is an arrangement of classes.
//! If there are few arrangements, all are listed, and everything is exact. Otherwise orders are drawn with a fixed seed
//! until the standard error of the mean is small.

use super::Outcome;
use crate::grade::Level;
use crate::law::Law;
use crate::random::Random;
use crate::ranking::{Ranking, Text};
use crate::watch;

/// Up to this many arrangements, all are listed.
const LISTED: u64 = 5_000;
/// The condition under which orders are drawn, for users.
pub const MANY_ORDERS: &str = "the tied documents of a query can be arranged in more than 5,000 different ways";
/// The most orders that are drawn, and how many are drawn before the standard error is checked again.
const DRAWN: u64 = 10_000;
const STEP: u64 = 500;
/// The fewest orders that are drawn, unless there are very many documents.
const ENOUGH: u64 = 2 * STEP;
/// The most documents that all drawn orders place together, and the fewest orders that are drawn for any number of
/// documents. Few orders are enough for many documents, because a mean over many differs little between orders.
const PLACED: u64 = 8_000_000;
const FEWEST: u64 = 20;

/// The least and the largest number of orders that are drawn of a ranking with this number of documents.
fn drawn(documents: usize) -> (u64, u64) {
    let most = (PLACED / (documents as u64).max(1)).clamp(FEWEST, DRAWN);
    (ENOUGH.min(most), most)
}

/// The least number of orders that are drawn of a ranking with this number of documents.
pub fn drawn_at_least(documents: usize) -> u64 {
    drawn(documents).0
}
/// The standard error that is small enough, as a share of the largest value drawn.
const ERROR: f64 = 1e-3;

/// A tie group as numbers of documents by class. Documents that no formula reads have no class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Classes {
    /// The number of documents before the group.
    pub start: usize,
    /// The number of documents in the group.
    pub size: usize,
    /// How many of its first positions formulas read.
    pub slots: usize,
    /// Classes with their numbers of documents, which add up to at most `size`.
    pub counts: Vec<(u32, u32)>,
}

impl Classes {
    /// The number of documents that have a class.
    fn documents(&self) -> usize {
        self.counts.iter().map(|&(_, count)| count as usize).sum()
    }
}

/// A position with the class of the document there.
pub(crate) type PlacedDocument = (usize, u32);

/// The statistics over the orders that are listed or drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Statistics {
    /// Mean, variance, and the lowest and highest value of these orders.
    pub outcome: Outcome,
    /// The standard error of the mean; 0 if all orders are listed.
    pub error: f64,
}

/// The statistics of `value` over all orders of the groups. It receives the position and the class of each document
/// that has a class, by position; documents behind the slots of a group may be left out.
pub(crate) fn over_orders(groups: &[Classes], mut value: impl FnMut(&[PlacedDocument]) -> f64) -> Statistics {
    let mut values = Running::default();
    let exact = is_listed(groups);
    if exact {
        let mut placed = Vec::new();
        list(groups, &mut placed, &mut |placed| values.add(value(placed)));
    } else {
        let mut sampler = Sampler::new(groups);
        let (enough, most) = drawn(groups.iter().map(|group| group.slots.min(group.documents())).sum());
        'drawing: while values.n < most && !(values.n >= enough && values.standard_error() <= ERROR * values.scale()) {
            for _ in 0..STEP.min(most - values.n) {
                values.add(value(sampler.draw()));
                if watch::is_stopped() {
                    break 'drawing;
                }
            }
        }
    }
    values.statistics(exact)
}

/// The statistics of `value` over all orders of a ranking's groups that begin within a cutoff.
pub(crate) fn over_rankings(ranking: &Ranking, cutoff: usize, mut value: impl FnMut(&Ranking) -> f64) -> Statistics {
    let (groups, levels) = classes_of(ranking, cutoff);
    let mut one = Ranking::default();
    over_orders(&groups, |placed| {
        one.clear();
        one.retrieved = ranking.retrieved;
        for &(position, class) in placed {
            one.push(position, 1, [levels[class as usize]]);
        }
        value(&one)
    })
}

/// The law of `value` over all orders, if they are few enough to be listed and the value is defined in each.
pub(crate) fn law(ranking: &Ranking, cutoff: usize, value: impl Fn(&Ranking) -> f64) -> Option<Law> {
    let mut values: Vec<f64> = Vec::new();
    let all = listed(ranking, cutoff, |one| {
        values.push(value(one));
        values[values.len() - 1]
    })?;
    let chance = 1.0 / values.len() as f64;
    (!all.mean.is_nan()).then(|| Law::new(values.into_iter().map(|value| (value, chance)).collect()))
}

/// The law of `value` over all orders of documents with lengths, if they are few enough to be listed. Only the first
/// `cutoff` documents count.
pub(crate) fn law_of_texts(ranking: &Ranking, cutoff: usize, value: impl Fn(&Ranking) -> f64) -> Option<Law> {
    let mut texts: Vec<Text> = Vec::new();
    let mut start = 0;
    let mut groups: Vec<Classes> = Vec::new();
    for group in ranking.texts.groups() {
        if start >= cutoff {
            break;
        }
        let mut counts: Vec<(u32, u32)> = Vec::new();
        for text in group {
            let class = texts.iter().position(|other| text.is_same(other)).unwrap_or_else(|| {
                texts.push(*text);
                texts.len() - 1
            }) as u32;
            match counts.iter_mut().find(|count| count.0 == class) {
                Some(count) => count.1 += 1,
                None => counts.push((class, 1)),
            }
        }
        groups.push(Classes { start, size: group.len(), slots: group.len().min(cutoff - start), counts });
        start += group.len();
    }
    if !is_listed(&groups) {
        return None;
    }
    let mut values: Vec<f64> = Vec::new();
    let mut one = Ranking::default();
    list(&groups, &mut Vec::new(), &mut |placed| {
        one.clear();
        one.retrieved = ranking.retrieved;
        placed.iter().for_each(|&(_, class)| one.texts.push([texts[class as usize]]));
        values.push(value(&one));
    });
    let chance = 1.0 / values.len() as f64;
    Some(Law::new(values.into_iter().map(|value| (value, chance)).collect()))
}

/// The statistics over all orders, if they are few enough to be listed.
pub(crate) fn listed(ranking: &Ranking, cutoff: usize, value: impl FnMut(&Ranking) -> f64) -> Option<Outcome> {
    is_exact(ranking, cutoff).then(|| over_rankings(ranking, cutoff, value).outcome)
}

/// Whether [`over_rankings`] lists all orders.
pub(crate) fn is_exact(ranking: &Ranking, cutoff: usize) -> bool {
    is_listed(&classes_of(ranking, cutoff).0)
}

/// The groups with a class for each grade, and the grades.
fn classes_of(ranking: &Ranking, cutoff: usize) -> (Vec<Classes>, Vec<Level>) {
    let mut levels: Vec<Level> = Vec::new();
    let mut class_of = |grade: f64| {
        levels.iter().position(|level| level.grade == grade).unwrap_or_else(|| {
            levels.push(Level { grade, count: 1 });
            levels.len() - 1
        }) as u32
    };
    let classes = |group: crate::ranking::Group<'_>| Classes {
        start: group.start,
        size: group.size,
        slots: group.slots(cutoff),
        counts: group.levels.iter().map(|level| (class_of(level.grade), level.count)).collect(),
    };
    let groups = ranking.groups_to(cutoff).map(classes).collect();
    (groups, levels)
}

/// Whether there are few arrangements.
pub(crate) fn is_listed(groups: &[Classes]) -> bool {
    let mut arrangements: u64 = 1;
    for group in groups {
        let mut left = group.size as u64;
        for &(_, count) in &group.counts {
            // This multiplies by C(left, count) step by step; each step divides evenly.
            let mut choices: u64 = 1;
            for i in 0..u64::from(count).min(left - u64::from(count)) {
                choices = choices * (left - i) / (i + 1);
                if choices.saturating_mul(arrangements) > LISTED {
                    return false;
                }
            }
            arrangements *= choices;
            left -= u64::from(count);
        }
    }
    arrangements <= LISTED
}

/// Visits every arrangement once. Each stands for equally many orders.
fn list(groups: &[Classes], placed: &mut Vec<PlacedDocument>, visit: &mut dyn FnMut(&[PlacedDocument])) {
    let Some((group, others)) = groups.split_first() else { return visit(placed) };
    let mut counts = group.counts.clone();
    fill(group, 0, group.size - group.documents(), &mut counts, placed, &mut |placed| list(others, placed, visit));
}

/// Puts a document of each class in turn, or one without a class, at a position of the group, and fills later
/// positions.
fn fill(
    group: &Classes,
    position: usize,
    unseen: usize,
    counts: &mut Vec<(u32, u32)>,
    placed: &mut Vec<PlacedDocument>,
    then: &mut dyn FnMut(&mut Vec<PlacedDocument>),
) {
    if position + unseen == group.size {
        return then(placed); // no more documents with a class
    }
    if let (0, [(class, count)]) = (unseen, counts.as_slice()) {
        // Documents that are all of one class are placed in a loop, because there may be more of them than nested
        // calls.
        let (class, count, before) = (*class, *count as usize, placed.len());
        placed.extend((0..count).map(|i| (group.start + position + i, class)));
        then(placed);
        return placed.truncate(before);
    }
    for i in 0..counts.len() {
        if counts[i].1 > 0 {
            counts[i].1 -= 1;
            placed.push((group.start + position, counts[i].0));
            fill(group, position + 1, unseen, counts, placed, then);
            placed.pop();
            counts[i].1 += 1;
        }
    }
    if unseen > 0 {
        fill(group, position + 1, unseen - 1, counts, placed, then);
    }
}

/// Draws orders with a fixed seed.
struct Sampler<'g> {
    groups: &'g [Classes],
    /// For each group its last shuffled positions, or its classes if it has fewer slots than documents.
    shuffled: Vec<Vec<u32>>,
    /// The class at each position of a group, or [`NO_CLASS`].
    classes: Vec<u32>,
    placed: Vec<PlacedDocument>,
    random: Random,
}

/// The class of documents that no formula reads.
const NO_CLASS: u32 = u32::MAX;

impl<'g> Sampler<'g> {
    fn new(groups: &'g [Classes]) -> Self {
        let shuffled = groups.iter().map(|group| {
            if group.slots >= group.documents() {
                return (0..group.size as u32).collect();
            }
            let mut classes: Vec<u32> = each_document(group).collect();
            classes.resize(group.size, NO_CLASS);
            classes
        });
        Sampler {
            groups,
            shuffled: shuffled.collect(),
            classes: Vec::new(),
            placed: Vec::new(),
            random: Random::default(),
        }
    }

    fn draw(&mut self) -> &[PlacedDocument] {
        self.placed.clear();
        for (g, group) in self.groups.iter().enumerate() {
            let from = self.placed.len();
            if group.slots < group.documents() {
                for slot in 0..group.slots {
                    let class = self.next(g, slot);
                    self.placed.extend((class != NO_CLASS).then_some((group.start + slot, class)));
                }
            } else {
                for (i, class) in each_document(group).enumerate() {
                    let position = self.next(g, i) as usize;
                    self.placed.push((group.start + position, class));
                }
                self.sort(from, group);
            }
        }
        &self.placed
    }

    /// The next step of a Fisher-Yates shuffle, which may begin with any order.
    fn next(&mut self, group: usize, i: usize) -> u32 {
        let shuffled = &mut self.shuffled[group];
        let j = i + self.random.below((shuffled.len() - i) as u64) as usize;
        shuffled.swap(i, j);
        shuffled[i]
    }

    /// Sorts the documents of a group by position; they are those placed from index `from` on.
    fn sort(&mut self, from: usize, group: &Classes) {
        let placed = &mut self.placed[from..];
        if placed.len() < group.size / 8 {
            placed.sort_unstable();
            return;
        }
        // If most positions are taken, looking at all of them is faster than sorting.
        self.classes.clear();
        self.classes.resize(group.size, NO_CLASS);
        placed.iter().for_each(|&(position, class)| self.classes[position - group.start] = class);
        let taken = (group.start..).zip(&self.classes).filter(|&(_, &class)| class != NO_CLASS);
        placed.iter_mut().zip(taken).for_each(|(place, (position, &class))| *place = (position, class));
    }
}

/// The class of every document that has one.
fn each_document(group: &Classes) -> impl Iterator<Item = u32> + use<> {
    group.counts.clone().into_iter().flat_map(|(class, count)| std::iter::repeat_n(class, count as usize))
}

/// The mean and the sum of squared deviations of the values so far (Welford 1962).
#[derive(Default)]
struct Running {
    n: u64,
    mean: f64,
    squares: f64,
    /// The smallest and the largest value.
    range: Option<(f64, f64)>,
}

impl Running {
    fn add(&mut self, value: f64) {
        self.n += 1;
        let deviation = value - self.mean;
        self.mean += deviation / self.n as f64;
        self.squares += deviation * (value - self.mean);
        let (low, high) = self.range.unwrap_or((value, value));
        self.range = Some((low.min(value), high.max(value)));
    }

    fn standard_error(&self) -> f64 {
        (self.squares / (self.n as f64 * (self.n - 1) as f64)).sqrt()
    }

    /// The largest absolute value.
    fn scale(&self) -> f64 {
        self.range.map_or(0.0, |(low, high)| high.abs().max(low.abs()))
    }

    fn statistics(&self, exact: bool) -> Statistics {
        let (low, high) = self.range.unwrap_or((f64::NAN, f64::NAN));
        let (by, error) = if exact { (self.n, 0.0) } else { (self.n - 1, self.standard_error()) };
        let outcome = Outcome { mean: self.mean, variance: self.squares / by as f64, low, high };
        Statistics { outcome, error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(start: usize, size: usize, counts: &[(u32, u32)]) -> Classes {
        Classes { start, size, slots: size, counts: counts.to_vec() }
    }

    #[test]
    fn few_arrangements_are_listed() {
        let groups = [group(0, 3, &[(7, 1)]), group(3, 3, &[(7, 1), (8, 2)])];
        let mut seen = Vec::new();
        let statistics = over_orders(&groups, |placed| {
            seen.push(placed.to_vec());
            placed[0].0 as f64
        });
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 9);
        assert!(seen.iter().all(|placed| placed.len() == 4 && placed.windows(2).all(|pair| pair[0].0 < pair[1].0)));
        let Outcome { mean, variance, low, high } = statistics.outcome;
        assert!(statistics.error == 0.0 && mean == 1.0 && (low, high) == (0.0, 2.0));
        assert!((variance - 2.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn one_arrangement_of_many_is_listed_and_no_groups_are_one_order() {
        let statistics = over_orders(&[group(0, 200_000, &[(0, 200_000)])], |placed| placed.len() as f64);
        assert_eq!(statistics, Statistics { outcome: Outcome::certain(200_000.0), error: 0.0 });
        assert_eq!(over_orders(&[], |placed| placed.len() as f64).outcome.mean, 0.0);
    }

    #[test]
    fn many_arrangements_are_drawn() {
        // The value is the reciprocal rank of the first of two documents among a hundred.
        let groups = [group(0, 100, &[(0, 2)])];
        assert!(is_listed(&groups));
        let exact = over_orders(&groups, |placed| 1.0 / (placed[0].0 + 1) as f64);
        let twice = [group(0, 100, &[(0, 2)]), group(100, 100, &[(1, 2)])];
        assert!(!is_listed(&twice));
        let drawn = over_orders(&twice, |placed| 1.0 / (placed[0].0 + 1) as f64);
        let (exact, drawn, error) = (exact.outcome, drawn.outcome, drawn.error);
        assert!((error / (drawn.variance / 10_000.0).sqrt() - 1.0).abs() < 1e-12, "{drawn:?}");
        assert!((drawn.mean - exact.mean).abs() < 5.0 * (exact.variance / 10_000.0).sqrt(), "{drawn:?} {exact:?}");
        assert!((drawn.variance / exact.variance - 1.0).abs() < 0.2, "{drawn:?} {exact:?}");
    }
}
