//! A user who walks down a ranking and may stop after every document: what one tie group adds to a cascade.
//!
//! A document gains g and is followed by the next one with probability q; the a-th position of the group weighs w_a.
//! Given that the group is reached, it adds X = sum over a = 1..K of w_a g_a q_1 .. q_{a-1}, K positions being within
//! the cutoff. Whatever the order, the next group is reached with the same probability, so groups are independent.

use super::Certainty;
use super::lattice::{Lattice, Outcome};
use crate::names::Sampled;
use crate::ranking::Ranking;

/// Documents that are alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Kind {
    /// What each gains, g.
    pub gain: f64,
    /// Probability of going on after it, q.
    pub go_on: f64,
    /// How many they are.
    pub count: usize,
}

/// What is reached with a probability below this is not worth a step.
const NEGLIGIBLE: f64 = 1e-30;

/// What becomes of values beyond.
pub const SAMPLED: Sampled = Sampled {
    unless: "documents that differ come in more ways than 100 million steps can go through in a group",
    then: "mean stays exact; variance comes from second moments, up to 2,000 positions (fewer with many documents that \
           differ), and is left out beyond; low and high of Cascade may be bounds (`interval`)",
};

/// Steps of the tables of second moments, and positions in them, at most.
const TABLE_STEPS: usize = 200_000_000;
const TABLE_SLOTS: usize = 2_000;

/// A ranking as such a user walks it.
pub(super) trait Path {
    /// The weights of the ranks within the cutoff.
    fn weights(&self) -> &[f64];

    /// Call `part` with the kinds of documents of one group after the other, documents that are no group among them,
    /// as long as it answers that there is more to do.
    fn walk(&self, ranking: &Ranking, part: &mut dyn FnMut(&[Kind]) -> bool);
}

/// Add up a path; `tied(total, reach, kinds, weights)` adds a group of documents that differ.
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

/// Mean over all orders.
pub(super) fn path_mean(path: &dyn Path, ranking: &Ranking) -> f64 {
    add_up(path, ranking, |total, reach, kinds, weights| *total += reach * mean(kinds, weights))
}

/// Variance over all orders; NaN where it is too much work.
pub(super) fn path_variance(path: &dyn Path, ranking: &Ranking) -> f64 {
    let mut sum = 0.0;
    add_up(path, ranking, |_, reach, kinds, weights| sum += reach * reach * variance(kinds, weights));
    sum
}

/// Smallest and largest value over all orders.
pub(super) fn path_extremes(path: &dyn Path, ranking: &Ranking) -> (f64, f64) {
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

/// How sure the extremes are: the mean is exact.
pub(super) fn path_certainty(path: &dyn Path, ranking: &Ranking) -> Certainty {
    let mut certainty = Certainty::Exact;
    add_up(path, ranking, |_, _, kinds, weights| {
        if best_order(kinds, weights).is_none() && !is_short(kinds, weights) {
            certainty = Certainty::Interval;
        }
    });
    certainty
}

/// Add documents that are alike, one after the other; `reach` becomes the probability of getting beyond them.
pub(super) fn straight(total: &mut f64, reach: &mut f64, kind: &Kind, weights: &[f64]) {
    if kind.go_on == 1.0 && kind.gain == 0.0 {
        return;
    }
    for weight in weights.iter().take(kind.count) {
        *total += *reach * (weight * kind.gain);
        *reach *= kind.go_on;
    }
}

/// Probability of getting beyond all of these documents.
pub(super) fn beyond(kinds: &[Kind], mut reach: f64) -> f64 {
    for kind in kinds.iter().filter(|kind| kind.go_on < 1.0) {
        for _ in 0..kind.count {
            reach *= kind.go_on;
        }
    }
    reach
}

/// Those of which there are most, and the others, most likely to go on first.
fn split(kinds: &[Kind]) -> (Kind, Vec<Kind>) {
    let key = |&i: &usize| (kinds[i].count, kinds[i].go_on);
    let most = (0..kinds.len()).max_by(|a, b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1))).unwrap_or(0);
    let mut others = kinds.to_vec();
    let base = others.remove(most);
    others.sort_by(|a, b| b.go_on.total_cmp(&a.go_on));
    (base, others)
}

/// E\[X\] over all orders.
///
/// With E_a the mean, over all ordered choices of a documents, of the product of their q, and G_a that of
/// g_a q_1 .. q_{a-1}, a further document (g, q) makes of a group of m
///
///   E'_a = \[(m+1-a) E_a + a q E_{a-1}\] / (m+1),
///   G'_a = \[(m+1-a) G_a + (a-1) q G_{a-1} + g E_{a-1}\] / (m+1):
///
/// averages, so no digits are lost. The work is K times the documents that are not of the most frequent kind, as a
/// group of b alike has E_a = q^a.
pub(crate) fn mean(kinds: &[Kind], weights: &[f64]) -> f64 {
    let (_, gains) = moments(kinds, weights.len());
    weights.iter().zip(&gains).map(|(weight, gain)| weight * gain).sum()
}

/// E_0 .. and G_1 .., as far as they are not negligible, to K at most.
fn moments(kinds: &[Kind], slots: usize) -> (Vec<f64>, Vec<f64>) {
    let (base, others) = split(kinds);
    let mut reach = vec![0.0; slots + 1];
    let mut gains = vec![0.0; slots];
    let mut product = 1.0;
    for (a, reach) in reach.iter_mut().enumerate().take(base.count + 1) {
        *reach = product;
        if a < base.count.min(slots) {
            gains[a] = base.gain * product;
        }
        product *= base.go_on;
    }
    let mut placed = base.count;
    for kind in &others {
        for _ in 0..kind.count {
            placed += 1;
            let last = placed.min(reach.len() - 1);
            add(&mut reach[..=last], &mut gains[..last], kind, placed as f64);
            // From here on no E_a rises with a document, and E_a falls with a: what is negligible stays so.
            if kind.go_on <= base.go_on && reach[last] < NEGLIGIBLE {
                // G_a may be worth something as long as E_{a-1} is.
                let kept = reach.partition_point(|&reach| reach >= NEGLIGIBLE).max(1);
                reach.truncate(kept + 1);
                gains.truncate(kept);
            }
        }
    }
    (reach, gains)
}

/// The step above: `reach` is E_0 .. E_last, `gains` G_1 .. G_last, `all` is m + 1.
#[inline]
fn add(reach: &mut [f64], gains: &mut [f64], kind: &Kind, all: f64) {
    let part = 1.0 / all;
    for a in (1..reach.len()).rev() {
        let at = a as f64;
        let before = if a > 1 { (at - 1.0) * kind.go_on * gains[a - 2] } else { 0.0 };
        gains[a - 1] = ((all - at) * gains[a - 1] + before + kind.gain * reach[a - 1]) * part;
        reach[a] = ((all - at) * reach[a] + at * kind.go_on * reach[a - 1]) * part;
    }
}

/// Var\[X\] over all orders; NaN where it is too much work.
fn variance(kinds: &[Kind], weights: &[f64]) -> f64 {
    by_counts(kinds, weights).map_or_else(|| by_table(kinds, weights), |found| found.variance)
}

/// Statistics of X by how many documents of each kind are placed, unless there are too many ways.
fn by_counts(kinds: &[Kind], weights: &[f64]) -> Option<Outcome> {
    let (base, mut kinds) = split(kinds);
    kinds.insert(0, base);
    let counts: Vec<usize> = kinds.iter().map(|kind| kind.count).collect();
    let lattice = Lattice::new(&counts, weights.len(), |_| usize::MAX);
    let end = |placed, _: &[usize]| (placed == weights.len()).then(Outcome::default);
    lattice.is_short().then(|| {
        lattice.outcome(end, |placed, _, kind, after| {
            let Kind { gain, go_on, .. } = kinds[kind];
            after.after(weights[placed] * gain, go_on)
        })
    })
}

/// E\[X^2\] - E\[X\]^2, from means of products over ordered choices of i + j + 2 documents: i of q^2, one of g q, j of
/// q, one of g. Each follows, as E_a does, from those with one document fewer.
fn by_table(kinds: &[Kind], weights: &[f64]) -> f64 {
    let (reach, gains) = moments(kinds, weights.len());
    let (base, others) = split(kinds);
    let slots = gains.len();
    let cells = slots * (slots + 1) / 2;
    let added: usize = others.iter().map(|kind| kind.count).sum();
    if slots > TABLE_SLOTS || cells.saturating_mul(added) > TABLE_STEPS || reach.len() < 2 {
        return f64::NAN;
    }
    // Row i holds i documents of q^2, column j those of q; i + j < slots.
    let row = |i: usize| i * slots - i * i.saturating_sub(1) / 2;
    let mut plain = vec![0.0; cells];
    let (mut one, mut on, mut both) = (plain.clone(), plain.clone(), plain.clone());
    let mut square = vec![0.0; slots];
    for (i, square) in square.iter_mut().enumerate() {
        for j in 0..slots - i {
            let (at, used) = (row(i) + j, i + j);
            let product = base.go_on.powi((2 * i + j) as i32);
            let fits = |more: usize| if used + more <= base.count { product } else { 0.0 };
            plain[at] = fits(0);
            one[at] = base.gain * fits(1);
            on[at] = base.gain * base.go_on * fits(1);
            both[at] = base.gain * base.gain * base.go_on * fits(2);
        }
        *square = if i < base.count { base.gain.powi(2) * base.go_on.powi(2 * i as i32) } else { 0.0 };
    }
    let mut all = base.count;
    for kind in others.iter().flat_map(|kind| std::iter::repeat_n(kind, kind.count)) {
        all += 1;
        let (q, g, part) = (kind.go_on, kind.gain, 1.0 / all as f64);
        for i in (0..slots).rev() {
            let stays = |used: usize| all as f64 - used as f64;
            let before = if i > 0 { i as f64 * q * q * square[i - 1] } else { 0.0 };
            square[i] = (stays(i + 1).max(0.0) * square[i] + before + g * g * plain[row(i)]) * part;
            for j in (0..slots - i).rev() {
                let at = row(i) + j;
                let step = |table: &[f64], more: usize, new: f64| {
                    let up = if i > 0 { i as f64 * q * q * table[row(i - 1) + j] } else { 0.0 };
                    let left = if j > 0 { j as f64 * q * table[at - 1] } else { 0.0 };
                    (stays(i + j + more).max(0.0) * table[at] + up + left + new) * part
                };
                both[at] = step(&both, 2, g * q * one[at] + g * on[at]);
                one[at] = step(&one, 1, g * plain[at]);
                on[at] = step(&on, 1, g * q * plain[at]);
                plain[at] = step(&plain, 0, 0.0);
            }
        }
    }
    let mut second = 0.0;
    for a in 0..slots {
        second += weights[a].powi(2) * square[a];
        for b in a + 1..slots {
            second += 2.0 * weights[a] * weights[b] * both[row(a) + b - a - 1];
        }
    }
    let mean: f64 = weights.iter().zip(&gains).map(|(weight, gain)| weight * gain).sum();
    (second - mean * mean).max(0.0)
}

/// The order of kinds with the largest X, if one is known; backwards it has the smallest.
///
/// Of two neighbours at positions a and a+1, d stands before e in the best order if
/// g_d (w_a - w_{a+1} q_e) >= g_e (w_a - w_{a+1} q_d). With rho = w_{a+1} / w_a that is linear in rho, so where all
/// pairs agree at the smallest and the largest rho one order is the best: by descending g / (1 - rho q), which is
/// Smith's rule where all positions weigh the same.
fn best_order(kinds: &[Kind], weights: &[f64]) -> Option<Vec<Kind>> {
    ratio(kinds, weights).map(|rho| by_index(kinds, rho))
}

/// Smallest and largest X over all orders where no such order is known. Where not [`is_short`], as there are too
/// many orders, they only enclose all X, as if there were enough documents of each kind for every position.
fn extremes(kinds: &[Kind], weights: &[f64]) -> (f64, f64) {
    if let Some(found) = by_counts(kinds, weights) {
        return (found.low, found.high);
    }
    let end = |better: fn(f64, f64) -> f64| {
        weights.iter().rev().fold(0.0, |after, &weight| {
            kinds.iter().map(|kind| weight * kind.gain + kind.go_on * after).reduce(better).unwrap_or(0.0)
        })
    };
    (end(f64::min), end(f64::max))
}

/// Whether there are few enough ways through a group to look at all.
fn is_short(kinds: &[Kind], weights: &[f64]) -> bool {
    let counts: Vec<usize> = kinds.iter().map(|kind| kind.count).collect();
    Lattice::new(&counts, weights.len(), |_| usize::MAX).is_short()
}

/// A ratio of neighbouring weights by which all kinds may be ordered, if there is one.
fn ratio(kinds: &[Kind], weights: &[f64]) -> Option<f64> {
    let size: usize = kinds.iter().map(|kind| kind.count).sum();
    let pairs = || weights.windows(2).map(|pair| (pair[0], pair[1]));
    if weights.iter().any(|&weight| weight < 0.0) || pairs().any(|(one, next)| one == 0.0 && next > 0.0) {
        return None;
    }
    let cut = (weights.len() < size).then_some(0.0);
    let ratios = || pairs().filter(|pair| pair.0 > 0.0).map(|(one, next)| next / one).chain(cut);
    let least = ratios().reduce(f64::min).unwrap_or(0.0);
    let most = ratios().reduce(f64::max).unwrap_or(0.0);
    let middle = f64::midpoint(least, most);
    // For one rho the order is one of numbers, so it is enough to look at neighbours.
    let agree = |d: &Kind, e: &Kind, rho: f64| {
        let ahead = d.gain - e.gain + rho * (e.gain * d.go_on - d.gain * e.go_on);
        ahead >= -1e-13 * (d.gain.abs() + e.gain.abs())
    };
    let order = by_index(kinds, middle);
    let sorted = || order.windows(2).all(|pair| [least, most].iter().all(|&rho| agree(&pair[0], &pair[1], rho)));
    (most <= 1.0 && (least == most || sorted())).then_some(middle)
}

/// By descending g / (1 - rho q).
fn by_index(kinds: &[Kind], rho: f64) -> Vec<Kind> {
    let index = |kind: &Kind| if kind.gain == 0.0 { 0.0 } else { kind.gain / (1.0 - rho * kind.go_on) };
    let mut order = kinds.to_vec();
    order.sort_by(|a, b| index(b).total_cmp(&index(a)));
    order
}

#[cfg(test)]
mod tests {
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
        let mut found = Vec::new();
        for i in 0..kinds.len() {
            let mut left = kinds.to_vec();
            for _ in 0..kinds[i].count {
                left[i].count = kinds[i].count - 1;
                let after = every_order(&left, later);
                found.extend(after.iter().map(|after| weight * kinds[i].gain + kinds[i].go_on * after));
            }
        }
        found
    }

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-13 * expected.abs().max(1e-3)
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
        // A small gain that nearly always goes on, against a large one that nearly never does.
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
        let found = mean(&kinds, &weights);
        assert!(low < found && found < high, "{low} {found} {high}");
        assert!(variance(&kinds, &weights) > 0.0);
    }

    #[test]
    fn large_groups() {
        let weights: Vec<f64> = (1..=100_000).map(|i| 1.0 / f64::from(i)).collect();
        let one = mean(&[kind(1.0, 0.0, 1), kind(0.0, 1.0, 99_999)], &weights);
        assert!(close(one, weights.iter().sum::<f64>() / 100_000.0));
        // Nobody goes on beyond the first of r: it stands behind a others with probability C(n-r, a) / C(n, a) r / (n-a).
        let (n, r): (usize, usize) = (50_000, 2_000);
        let (mut expected, mut chance) = (0.0, 1.0);
        for (a, weight) in weights[..=n - r].iter().enumerate() {
            let left = (n - a) as f64;
            expected += weight * chance * r as f64 / left;
            chance *= (left - r as f64) / left;
        }
        let found = mean(&[kind(1.0, 0.0, r), kind(0.0, 1.0, n - r)], &weights[..n]);
        assert!((found - expected).abs() < 1e-11 * expected, "{found} {expected}");
        // The i-th of r alike stands at position p with probability C(p-1, i-1) C(n-p, r-i) / C(n, r).
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
        let found = mean(&[kind(1.0 - q, q, r as usize), kind(0.0, 1.0, 99_950)], &weights);
        assert!((found - expected).abs() < 1e-11 * expected, "{found} {expected}");
    }
}
