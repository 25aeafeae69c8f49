//! The mean and the variance of the contribution of one tie group, see [`super`].

use super::Kind;
use crate::elementary::{ln, powi};
use crate::measures::orders::Outcome;
use crate::measures::orders::lattice::Lattice;

/// Positions that are reached with a smaller probability are left out.
const NEGLIGIBLE: f64 = 1e-30;
/// The most steps of the tables of second moments, and the most positions in them.
const TABLE_STEPS: usize = 80_000_000;
const TABLE_SLOTS: usize = 2_000;

pub(super) fn documents(kinds: &[Kind]) -> f64 {
    kinds.iter().map(|kind| kind.count as f64).sum()
}

pub(super) fn mean_go_on(kinds: &[Kind]) -> f64 {
    kinds.iter().map(|kind| kind.count as f64 * kind.go_on).sum::<f64>() / documents(kinds)
}

/// The positions that are reached with a probability that is not negligible: it is at most c^a, as means of products are
/// at most products of means (Maclaurin).
pub(super) fn reached(kinds: &[Kind], slots: usize) -> usize {
    let go_on = mean_go_on(kinds);
    if go_on >= 1.0 {
        return slots;
    }
    let most = ln(NEGLIGIBLE) / ln(go_on); // it is 0 if nobody goes on
    slots.min(most as usize + 1)
}

/// Separates the kind with most documents from the others, which are sorted by their probability to go on, highest
/// first.
fn split(kinds: &[Kind]) -> (Kind, Vec<Kind>) {
    let key = |&i: &usize| (kinds[i].count, kinds[i].go_on);
    let most = (0..kinds.len()).max_by(|a, b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1))).unwrap_or(0);
    let mut others = kinds.to_vec();
    let base = others.remove(most);
    others.sort_by(|a, b| b.go_on.total_cmp(&a.go_on));
    (base, others)
}

/// About how many steps [`by_steps`] takes.
pub(super) fn steps(kinds: &[Kind], slots: usize) -> usize {
    let most = kinds.iter().map(|kind| kind.count).max().unwrap_or(0);
    let others = kinds.iter().map(|kind| kind.count).sum::<usize>() - most;
    reached(kinds, slots).saturating_mul(others)
}

/// E\[X\] over all orders, document by document.
///
/// Let E_a be the mean, over all ordered choices of a documents, of the product of their q, and G_a the mean of
/// g_a q_1 .. q_{a-1}. If a document (g, q) is added to a group of m, they become
///
///   E'_a = \[(m+1-a) E_a + a q E_{a-1}\] / (m+1),
///   G'_a = \[(m+1-a) G_a + (a-1) q G_{a-1} + g E_{a-1}\] / (m+1).
///
/// These are averages, so no digits are lost. The most frequent kind comes first, because b documents of one kind have
/// E_a = q^a; the work is K times the number of other documents.
pub(super) fn by_steps(kinds: &[Kind], weights: &[f64]) -> f64 {
    let (_, gains) = moments(kinds, weights.len());
    weights.iter().zip(&gains).map(|(weight, gain)| weight * gain).sum()
}

/// E_0, E_1, .. and G_1, G_2, .. up to K, as far as they are not negligible.
pub(super) fn moments(kinds: &[Kind], slots: usize) -> (Vec<f64>, Vec<f64>) {
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
            // From here on, further documents raise no E_a, and E_a falls with a, so what is negligible stays so.
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

/// Adds a document as above. `reach` is E_0 .. E_last, `gains` is G_1 .. G_last, and `all` is m + 1.
#[inline]
pub(super) fn add(reach: &mut [f64], gains: &mut [f64], kind: &Kind, all: f64) {
    let part = 1.0 / all;
    for a in (1..reach.len()).rev() {
        let at = a as f64;
        let before = if a > 1 { (at - 1.0) * kind.go_on * gains[a - 2] } else { 0.0 };
        gains[a - 1] = ((all - at) * gains[a - 1] + before + kind.gain * reach[a - 1]) * part;
        reach[a] = ((all - at) * reach[a] + at * kind.go_on * reach[a - 1]) * part;
    }
}

/// Var\[X\] over all orders; NaN if it would take too long.
pub(super) fn variance(kinds: &[Kind], weights: &[f64]) -> f64 {
    by_counts(kinds, weights).map_or_else(|| by_table(kinds, weights), |moments| moments.variance)
}

/// The statistics of X from all numbers of placed documents of each kind; none if these are too many.
pub(super) fn by_counts(kinds: &[Kind], weights: &[f64]) -> Option<Outcome> {
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

/// Whether these numbers are few enough to try them all.
pub(super) fn is_short(kinds: &[Kind], weights: &[f64]) -> bool {
    let counts: Vec<usize> = kinds.iter().map(|kind| kind.count).collect();
    Lattice::new(&counts, weights.len(), |_| usize::MAX).is_short()
}

/// E\[X^2\] - E\[X\]^2, from the means of products over ordered choices of i + j + 2 documents. A product has i factors
/// q^2, one g q, j factors q, and one g. Like E_a, each mean follows from those with one document fewer.
pub(super) fn by_table(kinds: &[Kind], weights: &[f64]) -> f64 {
    if steps(kinds, weights.len()) > TABLE_STEPS {
        return f64::NAN;
    }
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
            let product = powi(base.go_on, (2 * i + j) as i32);
            let fits = |more: usize| if used + more <= base.count { product } else { 0.0 };
            plain[at] = fits(0);
            one[at] = base.gain * fits(1);
            on[at] = base.gain * base.go_on * fits(1);
            both[at] = base.gain * base.gain * base.go_on * fits(2);
        }
        *square = if i < base.count { base.gain.powi(2) * powi(base.go_on, 2 * i as i32) } else { 0.0 };
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
