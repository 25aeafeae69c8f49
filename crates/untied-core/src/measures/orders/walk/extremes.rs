//! Smallest and largest contribution of one tie group, see [`super`].

use super::Kind;
use super::moments::by_counts;

/// The order of kinds with the largest X, if one is known. Its reverse has the smallest.
///
/// Of two neighbours at positions a and a+1, d comes before e in the best order if
///
///   g_d (w_a - w_{a+1} q_e) >= g_e (w_a - w_{a+1} q_d).
///
/// With rho = w_{a+1} / w_a, this is linear in rho. So if all pairs have the same order at the smallest and at the
/// largest rho, one order is the best at all positions: that by descending g / (1 - rho q). If all positions have the
/// same weight, this is Smith's rule.
pub(super) fn best_order(kinds: &[Kind], weights: &[f64]) -> Option<Vec<Kind>> {
    ratio(kinds, weights).map(|rho| by_index(kinds, rho))
}

/// The smallest and the largest X over all orders where no such order is known. Where not [`super::moments::is_short`],
/// as there are too many orders, they only enclose all X, as if there were enough documents of each kind for every
/// position.
pub(super) fn extremes(kinds: &[Kind], weights: &[f64]) -> (f64, f64) {
    if let Some(outcome) = by_counts(kinds, weights) {
        return (outcome.low, outcome.high);
    }
    let end = |kinds: &[Kind], better: fn(f64, f64) -> f64| {
        weights.iter().rev().fold(0.0, |after, &weight| {
            kinds.iter().map(|kind| weight * kind.gain + kind.go_on * after).reduce(better).unwrap_or(0.0)
        })
    };
    if kinds.iter().any(|kind| kind.gain < 0.0) || weights.iter().any(|&weight| weight < 0.0) {
        return (end(kinds, f64::min), end(kinds, f64::max));
    }
    (end(&outer(kinds, false), f64::min), end(&outer(kinds, true), f64::max))
}

/// The kinds that no other kind beats at every position: none gains more and also goes on more (or less, if `more` is
/// false).
fn outer(kinds: &[Kind], more: bool) -> Vec<Kind> {
    let order = |a: f64, b: f64| if more { b.total_cmp(&a) } else { a.total_cmp(&b) };
    let mut kinds = kinds.to_vec();
    kinds.sort_by(|a, b| order(a.gain, b.gain).then(order(a.go_on, b.go_on)));
    let mut last: Option<f64> = None;
    kinds.retain(|kind| {
        let is_outer = last.is_none_or(|last| order(kind.go_on, last).is_lt());
        last = if is_outer { Some(kind.go_on) } else { last };
        is_outer
    });
    kinds
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
    // For one rho, kinds are ordered by numbers, so it is enough to compare neighbours.
    let agree = |d: &Kind, e: &Kind, rho: f64| {
        let ahead = d.gain - e.gain + rho * (e.gain * d.go_on - d.gain * e.go_on);
        ahead >= -1e-13 * (d.gain.abs() + e.gain.abs())
    };
    let order = by_index(kinds, middle);
    let sorted = || order.windows(2).all(|pair| [least, most].iter().all(|&rho| agree(&pair[0], &pair[1], rho)));
    (most <= 1.0 && (least == most || sorted())).then_some(middle)
}

/// The kinds by descending g / (1 - rho q).
fn by_index(kinds: &[Kind], rho: f64) -> Vec<Kind> {
    let index = |kind: &Kind| if kind.gain == 0.0 { 0.0 } else { kind.gain / (1.0 - rho * kind.go_on) };
    let mut order = kinds.to_vec();
    order.sort_by(|a, b| index(b).total_cmp(&index(a)));
    order
}
