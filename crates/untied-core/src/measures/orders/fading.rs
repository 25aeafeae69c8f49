//! The variance of rank-biased sums over the relevant documents of a tie group, whatever their values.
//!
//! The c-th relevant document of the group has weight w_c, which its position and c decide, and counts
//! u_c = B + v_1 + .. + v_c with the values of those above it. Which relevant document is the c-th does not depend on
//! their positions, so given these the values are drawn without replacement, with mean m and variance s^2; with
//! T_c = w_c + .. + w_r the weight of what counts v_c,
//!
//!   E\[S | positions\] = sum of w_c (B + c m),
//!   Var(S | positions) = s^2 r/(r-1) \[sum of T_c^2 - (sum of T_c)^2 / r\],    sum of T_c = sum of c w_c.
//!
//! So it is enough to know how many relevant documents are above each position, and not how many there are of each
//! value. There is one step, backwards, for each pair of numbers of relevant and of other documents above.

use super::lattice;

/// The mean and variance of a sum.
#[derive(Clone, Copy, Default)]
pub(super) struct FadingMoments {
    pub mean: f64,
    pub variance: f64,
}

impl FadingMoments {
    pub fn plus(self, gain: f64) -> FadingMoments {
        FadingMoments { mean: gain + self.mean, ..self }
    }

    pub fn square(self) -> f64 {
        self.mean * self.mean + self.variance
    }

    pub fn mixed(self, other: FadingMoments, share: f64) -> FadingMoments {
        let apart = self.mean - other.mean;
        FadingMoments {
            mean: share * self.mean + (1.0 - share) * other.mean,
            variance: share * self.variance + (1.0 - share) * (other.variance + share * apart * apart),
        }
    }
}

/// The sums over the relevant documents from the (c+1)-th on.
#[derive(Clone, Copy, Default)]
struct Below {
    /// The moments of the sum of w_i (B + i m).
    value: FadingMoments,
    /// The moments of the sum of w_i, which is T_(c+1).
    weight: FadingMoments,
    /// The moments of the sum of i w_i.
    weights: FadingMoments,
    /// The mean of the sum of T_i^2.
    squares: f64,
}

impl Below {
    fn after(self, weight: f64, c: f64, value: f64) -> Below {
        let first = self.weight.plus(weight);
        Below {
            value: self.value.plus(weight * value),
            weight: first,
            weights: self.weights.plus(c * weight),
            squares: self.squares + first.square(),
        }
    }

    fn mixed(self, other: Below, share: f64) -> Below {
        Below {
            value: self.value.mixed(other.value, share),
            weight: self.weight.mixed(other.weight, share),
            weights: self.weights.mixed(other.weights, share),
            squares: share * self.squares + (1.0 - share) * other.squares,
        }
    }
}

/// The variance of S; none if documents can be counted in too many ways. `values` has the values of relevant documents
/// with their numbers, `others` documents are not relevant, and `before` is B. `weight(position, c)` is the weight of
/// the c-th relevant document at a position, both from 0.
pub(crate) fn variance(
    values: &[(f64, usize)],
    others: usize,
    before: f64,
    weight: impl Fn(usize, usize) -> f64,
) -> Option<f64> {
    let relevant: usize = values.iter().map(|value| value.1).sum();
    if !lattice::is_small(&[relevant, others]) {
        return None;
    }
    let r = relevant as f64;
    let mean = values.iter().map(|&(value, count)| count as f64 * value).sum::<f64>() / r;
    // With i other documents above: the sums by the number of relevant ones above.
    let mut below = vec![Below::default(); relevant + 1];
    for i in (0..=others).rev() {
        for c in (0..=relevant).rev() {
            let (hits, rest) = ((relevant - c) as f64, (others - i) as f64);
            let value = (c < relevant).then(|| {
                let count = (c + 1) as f64;
                below[c + 1].after(weight(i + c, c), count, before + count * mean)
            });
            below[c] = match (value, i < others) {
                (Some(hit), true) => hit.mixed(below[c], hits / (hits + rest)),
                (Some(hit), false) => hit,
                (None, true) => below[c],
                (None, false) => Below::default(),
            };
        }
    }
    let Below { value, weights, squares, .. } = below[0];
    if relevant < 2 {
        return Some(value.variance);
    }
    let spread: f64 = values.iter().map(|&(value, count)| count as f64 * (value - mean).powi(2)).sum();
    Some(value.variance + (spread / (r - 1.0) * (squares - weights.square() / r)).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nightly::seeds;
    use crate::random::Random;

    #[test]
    fn as_by_all_counts() {
        for seed in seeds(100) {
            let mut random = Random::new(seed);
            let mut below = |n: u64| random.below(n) as usize;
            let kinds = 1 + below(3);
            let mut counts: Vec<usize> = (0..=kinds).map(|_| below(5)).collect();
            counts[0] += 1;
            let values: Vec<f64> = (0..kinds).map(|_| 1.0 + below(4) as f64).collect();
            let (start, before, gamma) = (below(30), below(9) as f64, [1.0, 0.9, 0.3][below(3)]);
            let weight = |at: usize, c: usize| f64::powi(gamma, c as i32) / (start + at + 1) as f64;
            let expected = lattice::over_orders(&counts, |placed, kind| {
                let Some(value) = values.get(kind) else { return 0.0 };
                let (at, hits) = (placed.iter().sum(), placed[..kinds].iter().sum());
                let above: f64 = placed.iter().zip(&values).map(|(&placed, value)| placed as f64 * value).sum();
                weight(at, hits) * (before + above + value)
            });
            let expected = expected.expect("few points").variance;
            let each: Vec<(f64, usize)> = values.iter().copied().zip(counts.iter().copied()).collect();
            let computed = variance(&each, counts[kinds], before, weight).expect("few points");
            assert!(
                (computed - expected).abs() <= 1e-12 * expected.max(1e-3),
                "{seed}: {computed} {expected} {counts:?}"
            );
        }
    }
}
