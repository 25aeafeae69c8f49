//! A user who may stop after every document: the contribution of one tie group to a cascade.
//!
//! The user gains g from a document and then goes on with probability q; the a-th position of the group has the weight
//! w_a. If the user reaches the group, it adds X = sum over a = 1..K of w_a g_a q_1 .. q_{a-1}, where K positions are
//! within the cutoff. The next group is reached with the same probability in every order, so groups are independent.

mod extremes;
mod moments;
mod series;

use extremes::{best_order, extremes};
use moments::{is_short, variance};

use crate::measures::Certainty;
use crate::names::Sampled;
use crate::ranking::Ranking;

/// Documents of a group with the same gain and the same probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Kind {
    /// The gain of each document, g.
    pub gain: f64,
    /// The probability that the user goes on after it, q.
    pub go_on: f64,
    /// The number of these documents.
    pub count: usize,
}

/// When values are not exact, because documents of too many kinds are tied.
pub(crate) const SAMPLED: Sampled = Sampled {
    unless: "a large tie group has documents of many different kinds",
    then: "the mean is exact; for very large groups, the variance is not available; \
        for Cascade, the lowest value may be too low and the highest value too high",
};

/// If [`moments::by_steps`] takes more steps, [`series`] is faster.
const STEPS: usize = 4_000_000;

/// The mean of X over all orders.
pub(crate) fn mean(kinds: &[Kind], weights: &[f64]) -> f64 {
    if moments::steps(kinds, weights.len()) > STEPS {
        series::mean(kinds, weights)
    } else {
        moments::by_steps(kinds, weights)
    }
}

/// E_a for a = 0, 1, .. up to `most`, as far as it is not negligible: the mean product of the q of a documents drawn.
pub(crate) fn products(kinds: &[Kind], most: usize) -> Vec<f64> {
    if moments::steps(kinds, most) > STEPS { series::moments(kinds, most).0 } else { moments::moments(kinds, most).0 }
}

/// A measure whose user walks a ranking like this.
pub(crate) trait Path {
    /// The weights of the ranks within the cutoff.
    fn weights(&self) -> &[f64];

    /// Calls `part` with the kinds of documents of one group after the other, as long as it returns true. Documents
    /// between two groups, which the ranking does not list, are passed like a group.
    fn walk(&self, ranking: &Ranking, part: &mut dyn FnMut(&[Kind]) -> bool);
}

/// Adds up a path; `tied(total, reach, kinds, weights)` adds a group of documents that differ.
fn add_up(path: &dyn Path, ranking: &Ranking, mut tied: impl FnMut(&mut f64, f64, &[Kind], &[f64])) -> f64 {
    let all = path.weights();
    let (mut total, mut reach, mut at) = (0.0, 1.0, 0);
    path.walk(ranking, &mut |kinds| {
        let size: usize = kinds.iter().map(|kind| kind.count).sum();
        let weights = &all[at..(at + size).min(all.len())];
        match kinds {
            [kind] => straight(&mut total, &mut reach, kind, weights),
            kinds => {
                if kinds.iter().any(|kind| kind.gain != 0.0) {
                    tied(&mut total, reach, kinds, weights);
                }
                reach = beyond(kinds, reach);
            }
        }
        at += weights.len();
        at < all.len() && reach > 0.0
    });
    total
}

/// The mean over all orders.
pub(crate) fn path_mean(path: &dyn Path, ranking: &Ranking) -> f64 {
    add_up(path, ranking, |total, reach, kinds, weights| *total += reach * mean(kinds, weights))
}

/// The variance over all orders; NaN if it would take too long.
pub(crate) fn path_variance(path: &dyn Path, ranking: &Ranking) -> f64 {
    let mut sum = 0.0;
    add_up(path, ranking, |_, reach, kinds, weights| sum += reach * reach * variance(kinds, weights));
    sum
}

/// The smallest and the largest value over all orders.
pub(crate) fn path_extremes(path: &dyn Path, ranking: &Ranking) -> (f64, f64) {
    let end = |most: bool| {
        add_up(path, ranking, |total, mut reach, kinds, mut weights| {
            let Some(mut order) = best_order(kinds, weights) else {
                let (low, high) = extremes(kinds, weights);
                *total += reach * if most { high } else { low };
                return;
            };
            if !most {
                order.reverse();
            }
            for kind in &order {
                straight(total, &mut reach, kind, weights);
                weights = &weights[kind.count.min(weights.len())..];
            }
        })
    };
    (end(false), end(true))
}

/// Whether the extremes are exact or only enclose all values. The mean always is exact.
pub(crate) fn path_certainty(path: &dyn Path, ranking: &Ranking) -> Certainty {
    let mut certainty = Certainty::Exact;
    add_up(path, ranking, |_, _, kinds, weights| {
        if best_order(kinds, weights).is_none() && !is_short(kinds, weights) {
            certainty = Certainty::Interval;
        }
    });
    certainty
}

/// Adds documents of one kind, one after the other. `reach` becomes the probability of getting beyond them.
pub(crate) fn straight(total: &mut f64, reach: &mut f64, kind: &Kind, weights: &[f64]) {
    if kind.go_on == 1.0 && kind.gain == 0.0 {
        return;
    }
    for weight in weights.iter().take(kind.count) {
        *total += *reach * (weight * kind.gain);
        *reach *= kind.go_on;
    }
}

/// The probability of getting beyond all of these documents.
pub(crate) fn beyond(kinds: &[Kind], mut reach: f64) -> f64 {
    for kind in kinds.iter().filter(|kind| kind.go_on < 1.0) {
        for _ in 0..kind.count {
            reach *= kind.go_on;
        }
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::moments::by_table;
    use super::*;

    fn kind(gain: f64, go_on: f64, count: usize) -> Kind {
        Kind { gain, go_on, count }
    }

    /// X of every order, by trying them all.
    fn every_order(kinds: &[Kind], weights: &[f64]) -> Vec<f64> {
        if kinds.iter().all(|kind| kind.count == 0) {
            return vec![0.0];
        }
        let (weight, later) = weights.split_first().map_or((0.0, weights), |(&weight, later)| (weight, later));
        let mut values = Vec::new();
        for i in 0..kinds.len() {
            let mut left = kinds.to_vec();
            for _ in 0..kinds[i].count {
                left[i].count = kinds[i].count - 1;
                let after = every_order(&left, later);
                values.extend(after.iter().map(|after| weight * kinds[i].gain + kinds[i].go_on * after));
            }
        }
        values
    }

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= 1e-13 * expected.abs().max(1e-3)
    }

    #[test]
    fn as_every_order_says() {
        let inverse = [0.5, 1.0 / 3.0, 0.25, 0.2, 1.0 / 6.0, 1.0 / 7.0];
        for kinds in [
            vec![kind(0.0, 1.0, 3), kind(0.25, 0.75, 2), kind(0.75, 0.25, 1)],
            vec![kind(0.1, 0.9, 1), kind(1.0, 0.0, 1), kind(0.5, 0.5, 4)],
            vec![kind(0.25, 0.75, 3), kind(1.0, 0.0, 3)],
            vec![kind(1.0, 0.5, 4), kind(0.0, 1.0, 2)],
            vec![kind(1.0, 0.0, 2), kind(0.0, 1.0, 4)],
            vec![kind(0.3, 0.9, 2), kind(1.0, 0.1, 2), kind(0.4, 0.2, 2)],
            vec![kind(-0.5, 0.8, 2), kind(1.0, 0.95, 1), kind(0.0, 0.3, 3)],
        ] {
            for weights in [&inverse[..], &inverse[..4], &inverse[..1], &[1.0; 6], &[0.1, 0.5, 0.2, 0.9, 0.0, 0.4]] {
                let all = every_order(&kinds, weights);
                let n = all.len() as f64;
                let expected = all.iter().sum::<f64>() / n;
                let spread = all.iter().map(|x| (x - expected).powi(2)).sum::<f64>() / n;
                let case = format!("{kinds:?} {weights:?}");
                assert!(close(mean(&kinds, weights), expected), "{case}");
                assert!(close(variance(&kinds, weights), spread), "{case}");
                assert!((by_table(&kinds, weights) - spread).abs() < 1e-14 * all[0].powi(2).max(1.0), "{case}");
                let low = all.iter().copied().fold(f64::INFINITY, f64::min);
                let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let (least, most) = extremes(&kinds, weights);
                assert!(close(least, low) && close(most, high), "{case}");
                if let Some(mut order) = best_order(&kinds, weights) {
                    let value = |order: &[Kind]| {
                        let (mut total, mut reach, mut at) = (0.0, 1.0, 0);
                        for kind in order {
                            straight(&mut total, &mut reach, kind, &weights[at.min(weights.len())..]);
                            at += kind.count;
                        }
                        total
                    };
                    assert!(close(value(&order), high), "{case}");
                    order.reverse();
                    assert!(close(value(&order), low), "{case}");
                }
            }
        }
    }

    #[test]
    fn when_one_order_is_known_to_be_the_best() {
        let stopping = [kind(0.0, 1.0, 5), kind(0.25, 0.75, 2), kind(0.75, 0.25, 1)];
        assert_eq!(best_order(&stopping, &[0.5, 0.4, 0.1]).map(|order| order[0].gain), Some(0.75));
        assert!(best_order(&stopping, &[0.5, 0.6]).is_none(), "weights that grow");
        // After a small gain the user nearly always goes on, and after a large one nearly never.
        let times = [kind(0.3, 0.95, 2), kind(1.0, 0.1, 2)];
        assert!(best_order(&times, &[1.0; 4]).is_some(), "Smith's rule");
        assert!(best_order(&times, &[1.0; 3]).is_none(), "the cutoff asks for the large gain, Smith's rule does not");
    }

    #[test]
    fn bounds_enclose_where_there_are_too_many_orders() {
        let kinds: Vec<Kind> = (1..=40).map(|i| kind(1.0 / f64::from(i), 0.02 * f64::from(i), 1)).collect();
        let weights = [1.0; 20];
        assert!(!is_short(&kinds, &weights) && best_order(&kinds, &weights).is_none());
        let (low, high) = extremes(&kinds, &weights);
        let computed = mean(&kinds, &weights);
        assert!(low < computed && computed < high, "{low} {computed} {high}");
        assert!(variance(&kinds, &weights) > 0.0);
    }

    #[test]
    fn large_groups() {
        let weights: Vec<f64> = (1..=100_000).map(|i| 1.0 / f64::from(i)).collect();
        let one = mean(&[kind(1.0, 0.0, 1), kind(0.0, 1.0, 99_999)], &weights);
        assert!(close(one, weights.iter().sum::<f64>() / 100_000.0));
        // Nobody goes on after the first of r documents. It is behind a others with probability C(n-r, a) / C(n, a) r /
        // (n-a).
        let (n, r): (usize, usize) = (50_000, 2_000);
        let (mut expected, mut chance) = (0.0, 1.0);
        for (a, weight) in weights[..=n - r].iter().enumerate() {
            let left = (n - a) as f64;
            expected += weight * chance * r as f64 / left;
            chance *= (left - r as f64) / left;
        }
        let computed = mean(&[kind(1.0, 0.0, r), kind(0.0, 1.0, n - r)], &weights[..n]);
        assert!((computed - expected).abs() < 1e-11 * expected, "{computed} {expected}");
        // The i-th of r documents of a kind is at position p with probability C(p-1, i-1) C(n-p, r-i) / C(n, r).
        let (n, r, q): (f64, i32, f64) = (100_000.0, 50, 15.0 / 16.0);
        let mut expected = 0.0;
        for i in 1..=r {
            let (i, r) = (f64::from(i), f64::from(r));
            let mut share: f64 = (0..i as i32).map(|j| (r - f64::from(j)) / (n - f64::from(j))).product();
            let mut p = i;
            while p <= n - r + i {
                expected += (1.0 - q) * q.powf(i - 1.0) * share / p;
                share *= p / (p - i + 1.0) * (n - p - r + i) / (n - p).max(1.0);
                p += 1.0;
            }
        }
        let computed = mean(&[kind(1.0 - q, q, r as usize), kind(0.0, 1.0, 99_950)], &weights);
        assert!((computed - expected).abs() < 1e-11 * expected, "{computed} {expected}");
    }
}
