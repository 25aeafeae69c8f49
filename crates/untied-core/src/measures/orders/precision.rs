//! Interpolated precision of tied rankings: the highest precision at any rank with at least h hits.
//!
//! The maximum is at the last hit of a tie group or at a hit within one. P(max <= v) is a product over groups. A
//! group's factor is the probability that no hit h that counts is at a position a with (R_c + h) / (t + a) > v. If T_h
//! is the last of these positions, hit h has to come after it, so at most h - 1 hits may be among the first T_h
//! positions, for all h. Binomials count the ways to place hits from T_h to T_{h+1}. With v_1 < v_2 < .. all values
//! above the lowest possible maximum v_0,
//!
//!   E = v_0 + sum over i of (1 - P(max <= v_i)) (v_{i+1} - v_i).

use std::borrow::Cow;

use super::{Outcome, sampling};
use crate::elementary::log10;
use crate::ranking::Ranking;

/// How many steps an exact mean may take; if it would take more, orders are sampled.
const WORK: f64 = 3e7;

/// A group in which the maximum may lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HitGroup {
    /// The numbers of documents and of hits before it.
    pub start: usize,
    pub before: usize,
    pub size: usize,
    pub relevant: usize,
    /// The number of the first hit of the group that counts.
    pub first: usize,
}

/// The groups with relevant documents, from which the maxima for any number of hits follow.
pub(crate) struct Maxima {
    groups: Vec<HitGroup>,
    /// For each group, the smallest and the largest maximum over it and all later groups.
    maxima: Vec<(f64, f64)>,
}

/// The highest precision at any rank with at least h hits, over the orders of ties.
#[derive(Debug)]
pub(crate) struct Maximum {
    /// The smallest and the largest maximum.
    pub low: f64,
    pub high: f64,
    pub hits: usize,
    /// The groups that decide where the maximum is between these two.
    groups: Vec<HitGroup>,
}

impl Maxima {
    /// Prepares maxima over ranks with at least a number of hits, which must be `least` or more.
    pub fn new(ranking: &Ranking, rel: f64, least: usize) -> Maxima {
        let (mut groups, mut before) = (Vec::new(), 0);
        for group in ranking.groups() {
            let relevant = group.relevant(rel);
            if relevant > 0 {
                if before + relevant >= least {
                    groups.push(HitGroup { start: group.start, before, size: group.size, relevant, first: 1 });
                }
                before += relevant;
            }
        }
        let mut maxima = vec![(0.0, 0.0); groups.len() + 1];
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        for (group, place) in groups.iter().zip(&mut maxima).rev() {
            // Precision rises from hit to hit if nothing is between them.
            let best = group.best();
            low =
                low.max(if group.relevant == group.size { best } else { group.precision(group.relevant, group.size) });
            high = high.max(best);
            *place = (low, high);
        }
        Maxima { groups, maxima }
    }

    /// The highest precision at any rank with at least `hits` hits.
    pub fn from(&self, hits: usize) -> Maximum {
        let from = self.groups.partition_point(|group| group.before + group.relevant < hits);
        let (low, high) = self.maxima[from];
        Maximum::new(low, high, hits, &self.groups[from..])
    }
}

impl Maximum {
    /// The maximum; `all` has the groups from the first that counts on.
    pub fn new<'p>(low: f64, high: f64, hits: usize, all: impl IntoIterator<Item = &'p HitGroup>) -> Maximum {
        let mut groups = Vec::new();
        if low < high {
            let deciding = all.into_iter().filter(|group| group.relevant < group.size && group.best() > low);
            groups.extend(deciding.map(|group| HitGroup { first: hits.saturating_sub(group.before).max(1), ..*group }));
        }
        Maximum { low, high, hits, groups }
    }

    /// The mean and the variance, if they do not take too long.
    pub fn moments(&self) -> Option<(f64, f64)> {
        if self.low == self.high {
            return Some((self.low, 0.0));
        }
        if !self.is_exact() {
            return None;
        }
        let mut values: Vec<(f64, usize)> = Vec::new();
        for (number, group) in self.groups.iter().enumerate() {
            group.values_above(self.low, |value| values.push((value, number)));
        }
        values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut ways: Vec<Ways> = self.groups.iter().map(Ways::new).collect();
        let of_group = self.groups.iter().zip(&mut ways);
        let mut below: Vec<f64> = of_group.map(|(group, ways)| group.stays_below(self.low, ways)).collect();
        let (mut last, mut reached) = (self.low, below.iter().product::<f64>());
        let (mut mean, mut steps) = (last, vec![(last, reached)]);
        for same in values.chunk_by(|a, b| a.0 == b.0) {
            let value = same[0].0;
            mean += (1.0 - reached) * (value - last);
            for &(_, number) in same {
                below[number] = self.groups[number].stays_below(value, &mut ways[number]);
            }
            let now = below.iter().product::<f64>();
            steps.push((value, now - reached));
            (last, reached) = (value, now);
        }
        let variance = steps.iter().map(|(value, probability)| probability * (value - mean).powi(2)).sum::<f64>();
        Some((mean, variance.max(0.0)))
    }

    pub fn is_exact(&self) -> bool {
        self.low == self.high
            || self.groups.iter().map(|group| group.work() + self.groups.len() as f64).sum::<f64>() <= WORK
    }

    pub fn sample(&self, ranking: &Ranking, rel: f64) -> Outcome {
        sampling::over_rankings(ranking, usize::MAX, |one| Maxima::new(one, rel, self.hits).from(self.hits).low).outcome
    }
}

impl HitGroup {
    /// The precision at a position of the group, from 1, where its h-th hit stands.
    fn precision(&self, h: usize, position: usize) -> f64 {
        (self.before + h) as f64 / (self.start + position) as f64
    }

    /// The largest precision: at the last hit, if all hits come first.
    fn best(&self) -> f64 {
        self.precision(self.relevant, self.relevant)
    }

    /// Visits all precisions above `low` that a hit that counts may have.
    fn values_above(&self, low: f64, mut visit: impl FnMut(f64)) {
        for h in self.first..=self.relevant {
            let positions = h..=self.size - self.relevant + h;
            positions.map(|position| self.precision(h, position)).take_while(|&value| value > low).for_each(&mut visit);
        }
    }

    /// An upper bound of the number of steps for all values.
    fn work(&self) -> f64 {
        let (n, r) = (self.size as f64, self.relevant as f64);
        let values = (self.relevant - self.first + 1) as f64 * (n - r + 1.0);
        // Counts must be exact enough, so C(n, r) and all smaller binomials must be finite.
        let smaller = r.min(n / 2.0);
        let digits = smaller * log10(n / smaller) + smaller / std::f64::consts::LN_10;
        if digits > 300.0 { f64::INFINITY } else { values * (r * n).min(r * (r + 1.0) * (r + 2.0) / 6.0) }
    }

    /// The probability that no precision at a hit that counts is above `value`.
    fn stays_below(&self, value: f64, ways: &mut Ways) -> f64 {
        ways.start();
        let mut seen = 0;
        for h in self.first..=self.relevant {
            let too_early = self.too_early(h, value, seen);
            if too_early > seen {
                ways.extend(too_early - seen, h - 1);
                seen = too_early;
            }
        }
        ways.ending(self.size - seen) / ways.all
    }

    /// The number of first positions at which the h-th hit has a precision above `value`; at least `from`.
    fn too_early(&self, h: usize, value: f64, from: usize) -> usize {
        let near = ((self.before + h) as f64 / value) as usize;
        let mut position = near.saturating_sub(self.start + 1).clamp(from, self.size);
        while position < self.size && self.precision(h, position + 1) > value {
            position += 1;
        }
        while position > from && self.precision(h, position) <= value {
            position -= 1;
        }
        position
    }
}

/// Counts the arrangements of the first positions of a group, by the number of their hits.
struct Ways {
    by_hits: Vec<f64>,
    longer: Vec<f64>,
    relevant: usize,
    /// The number of all arrangements of the group.
    all: f64,
    /// C(n, 0), C(n, 1), .. for each n that was needed, up to `ROWS`.
    rows: Vec<Vec<f64>>,
}

/// The most rows that are kept. Each takes 24 bytes, and 8 for each hit.
const ROWS: usize = 1 << 12;

impl Ways {
    fn new(group: &HitGroup) -> Ways {
        let HitGroup { size, relevant, .. } = *group;
        let all = binomials(size, relevant)[relevant];
        Ways { by_hits: vec![1.0], longer: Vec::new(), relevant, all, rows: vec![Vec::new(); ROWS.min(size + 1)] }
    }

    /// Begins with no position.
    fn start(&mut self) {
        self.by_hits.clear();
        self.by_hits.push(1.0);
    }

    /// Adds positions, among which and those before are at most `most` hits.
    fn extend(&mut self, positions: usize, most: usize) {
        let Ways { by_hits, longer, .. } = self;
        let more = row(&mut self.rows, positions, self.relevant);
        longer.clear();
        longer.resize(most + 1, 0.0);
        // The sums for neighbouring h are next to each other, so that the processor computes several at once.
        for (h, ways) in by_hits.iter().enumerate().take(most + 1) {
            for (sum, more) in longer[h..].iter_mut().zip(more.iter()) {
                *sum += ways * more;
            }
        }
        std::mem::swap(by_hits, longer);
    }

    /// The number of whole arrangements, with all other hits in the remaining positions.
    fn ending(&mut self, positions: usize) -> f64 {
        let rest = row(&mut self.rows, positions, self.relevant);
        self.by_hits.iter().enumerate().map(|(h, ways)| ways * rest[self.relevant - h]).sum()
    }
}

/// C(n, 0), .., C(n, most), which are kept for the next call unless n is large.
fn row(rows: &mut [Vec<f64>], n: usize, most: usize) -> Cow<'_, [f64]> {
    match rows.get_mut(n) {
        None => binomials(n, most).into(),
        Some(row) => {
            if row.is_empty() {
                *row = binomials(n, most);
            }
            row.as_slice().into()
        }
    }
}

/// C(n, 0), .., C(n, most).
fn binomials(n: usize, most: usize) -> Vec<f64> {
    let mut row = Vec::with_capacity(most + 1);
    let mut ways = 1.0;
    for k in 0..=most {
        row.push(ways);
        ways = if k < n { ways * (n - k) as f64 / (k + 1) as f64 } else { 0.0 };
    }
    row
}
