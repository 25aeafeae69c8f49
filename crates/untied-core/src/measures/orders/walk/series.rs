//! The mean contribution of a large tie group, see [`super`], as a series in how much its documents differ.
//!
//! Let c be the mean of q, and q_i = c (1 + d_i). For ordered choices of a documents, the mean of the product of their
//! q is the coefficient of z^a in
//!
//!   (1 + q_1 z) (1 + q_2 z) ..  =  (1 + c z)^n (1 + d_1 y) (1 + d_2 y) ..,    y = c z / (1 + c z),
//!
//! divided by C(n, a); that of (1 + c z)^n y^k is c^a C(n-k, a-k). With Q the power series in y of the sum over i of g_i
//! times the product of all other 1 + d_j y, a document after a others therefore gains on average
//!
//!   G = (c^a / n) sum over k of Q_k  a (a-1) .. (a-k+1) / ((n-1) (n-2) .. (n-k)).
//!
//! and E_a is the same with the product of all 1 + d_i y, c^a and n (n-1) .. As the d_i add up to 0, few terms matter:
//! they fall as (a^2 v / 2n)^(k/2) / (k/2)!, v the variance of d. Documents with a large d y would need many terms, but
//! are few; [`add`] adds them one by one.

use super::Kind;
use super::moments::{add, documents, mean_go_on, reached};

/// A term that is smaller than the first one by this factor does not matter.
const SMALL: f64 = 1e-20;
/// If |d y| is larger, its powers fall too slowly for a series.
const FAR: f64 = 0.5;

/// E\[X\] over all orders of a group of thousands of documents.
pub(super) fn mean(kinds: &[Kind], weights: &[f64]) -> f64 {
    weights.iter().zip(moments(kinds, weights.len()).1).map(|(weight, gain)| weight * gain).sum()
}

/// E_0, E_1, .. and G_1, G_2, .., as far as they are not negligible.
pub(super) fn moments(kinds: &[Kind], slots: usize) -> (Vec<f64>, Vec<f64>) {
    let slots = reached(kinds, slots);
    let (all, go_on) = (documents(kinds), mean_go_on(kinds));
    let is_far = |kind: &Kind| (kind.go_on / go_on - 1.0).abs() * slots as f64 > FAR * all;
    let (far, near): (Vec<Kind>, Vec<Kind>) = kinds.iter().partition(|kind| is_far(kind));
    let (mut reach, mut gains) = near_moments(&near, slots);
    let mut placed = near.iter().map(|kind| kind.count).sum::<usize>();
    for kind in far.iter().flat_map(|kind| std::iter::repeat_n(kind, kind.count)) {
        placed += 1;
        let last = placed.min(slots);
        add(&mut reach[..=last], &mut gains[..last], kind, placed as f64);
    }
    (reach, gains)
}

/// E_0, E_1, .. and G_1, G_2, .. to the last slot, by the series. They are 0 beyond the number of documents.
fn near_moments(kinds: &[Kind], slots: usize) -> (Vec<f64>, Vec<f64>) {
    let (n, go_on) = (documents(kinds), mean_go_on(kinds));
    let last = slots.min(n as usize);
    let scale = last as f64 / n; // y at the last position
    // All d are 0 if nobody goes on.
    let d: Vec<f64> = kinds.iter().map(|kind| ((kind.go_on - go_on) / go_on.max(f64::MIN_POSITIVE)) * scale).collect();
    let (product, gained) = terms(kinds, &d);
    // If documents are drawn from n, each term is the one before times such a factor.
    let factors = |n: f64| (0..product.len()).map(|k| 1.0 / ((n - k as f64) * scale)).collect::<Vec<f64>>();
    let (of_reach, of_gain) = (factors(n), factors(n - 1.0));
    let value = |terms: &[f64], factors: &[f64], a: usize| {
        let each = terms.iter().zip(factors).enumerate().rev();
        each.fold(0.0, |after, (k, (term, factor))| term + if a > k { (a - k) as f64 * factor * after } else { 0.0 })
    };
    let (mut reach, mut gains) = (vec![0.0; slots + 1], vec![0.0; slots]);
    let mut power = 1.0;
    for a in 0..=last {
        reach[a] = power * value(&product, &of_reach, a);
        if a < last {
            gains[a] = power / n * value(&gained, &of_gain, a);
        }
        power *= go_on;
    }
    (reach, gains)
}

/// The coefficients of the product of all 1 + d y, by Newton's identities, and those of Q, as far as they matter.
fn terms(kinds: &[Kind], d: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut powers: Vec<f64> = kinds.iter().map(|kind| kind.count as f64).collect();
    let (mut product, mut gained, mut sums, mut shares) = (vec![1.0], Vec::new(), Vec::new(), Vec::new());
    let mut largest = 0.0_f64;
    let mut small = 0;
    for k in 1.. {
        let sign = if k % 2 == 0 { -1.0 } else { 1.0 };
        // The next coefficient of the sum of g / (1 + d y).
        shares.push(sign * kinds.iter().zip(&powers).map(|(kind, power)| kind.gain * power).sum::<f64>());
        gained.push(product.iter().zip(shares.iter().rev()).map(|(a, b)| a * b).sum::<f64>());
        largest = largest.max(shares[k - 1].abs());
        powers.iter_mut().zip(d).for_each(|(power, d)| *power *= d);
        sums.push(sign * powers.iter().sum::<f64>());
        let next = sums.iter().zip(product.iter().rev()).map(|(sum, before)| sum * before).sum::<f64>() / k as f64;
        // One term may be small by chance.
        small = if next.abs() <= SMALL && gained[k - 1].abs() <= SMALL * largest { small + 1 } else { 0 };
        if small == 4 {
            break;
        }
        product.push(next);
    }
    (product, gained)
}

#[cfg(test)]
mod tests {
    use super::super::moments::by_steps;
    use super::*;

    fn kind(gain: f64, go_on: f64, count: usize) -> Kind {
        Kind { gain, go_on, count }
    }

    #[test]
    fn as_step_by_step() {
        let inverse: Vec<f64> = (1..=5_000).map(|i| 1.0 / f64::from(i)).collect();
        let flat = vec![1.0; 5_000];
        for kinds in [
            vec![kind(0.0, 1.0, 3000), kind(1.0, 0.5, 900), kind(2.0, 0.25, 800), kind(3.0, 0.0, 300)],
            vec![kind(0.0, 1.0, 4900), kind(0.1, 0.9, 80), kind(0.9, 0.1, 20)],
            vec![kind(0.0, 1.0, 3_000), kind(0.001, 0.999, 960), kind(1.0, 0.0, 40)],
            vec![kind(0.0, 1.0, 4_970), kind(0.5, 0.5, 30)],
            vec![kind(0.0, 1.0, 3_000), kind(1.0, 1.0, 1_000)],
            vec![kind(0.3, 0.97, 1_000), kind(0.0, 0.96, 1_000), kind(0.3, 0.95, 1_000)],
            (1..200).map(|i| kind(f64::from(i % 2), 1.0 - f64::from(i) / 5e3, 20)).collect(),
            vec![kind(0.0, 1.0, 2_000), kind(-0.5, 0.9, 500), kind(1.0, 0.8, 100)],
            vec![kind(1.0, 0.0, 2_000), kind(0.5, 0.0, 2_000)],
        ] {
            let n: usize = kinds.iter().map(|kind| kind.count).sum();
            for weights in [&inverse, &flat] {
                for slots in [n, n / 3] {
                    let (computed, expected) = (mean(&kinds, &weights[..slots]), by_steps(&kinds, &weights[..slots]));
                    assert!(
                        (computed - expected).abs() < 1e-12 * expected.abs(),
                        "{computed} {expected} {slots} {kinds:?}"
                    );
                }
            }
        }
    }
}
