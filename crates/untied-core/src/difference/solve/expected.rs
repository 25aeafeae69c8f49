//! Expected differences: each document is relevant with a probability of its own, independently of all others.
//!
//! Mean and variance of D = S(A) - S(B) over all 2^n assignments, exactly, with x_d relevant with probability p_d and
//! v_d = p_d (1 - p_d). What a short ranking lacks gains nothing: nobody can judge it, and it has no probability.
//!
//! * Dot products: D = sum of x_d delta_d, delta_d = g_d (D_A(d) - D_B(d)); E D = sum p delta, Var D = sum v delta^2.
//! * AP, times k: D = sum l_d x_d + sum over pairs of q_de x_d x_e, with l_d = 1/a_d - 1/b_d and
//!   q_de = 1/max(a_d, a_e) - 1/max(b_d, b_e), 1/rank being 0 where absent. With h_d = l_d + sum over e of q_de p_e, the
//!   parts of D that depend on one and on two documents are uncorrelated: Var D = sum v_d h_d^2 + sum v_d v_e q_de^2.
//! * ERR: S = sum over t of w_t (1 - Q(t)), Q(t) the product of 1 - c over the first t, w_t = 1/(t (t + 1)), and
//!   w_K = 1/K at the end. So D = sum of w_t (Q_B(t) - Q_A(t)). Factors of different documents are independent:
//!   E Q(t) is the product of E(1 - c), and E Q_A(s) Q_B(t) takes E(1 - c)^2 for the documents in both prefixes.
//!   Where both prefixes hold the same documents Q_A = Q_B, and these t are left out, so nothing large cancels there.
//! * Any cascade with discounts D: ERR with w_t = D(t) - D(t + 1) and w_K = D(K).
//! * RR: ERR with c = 1.

use super::Document;
use super::dot::WeightedDocument;

/// A document that may be relevant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uncertain {
    /// Rank in A from 1; 0 if it is not among those that count.
    pub a: u32,
    /// Rank in B, likewise.
    pub b: u32,
    /// What it gains where it is relevant.
    pub gain: f64,
    /// The probability that it is, p.
    pub chance: f64,
}

/// What a difference is on average, and how much it varies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DifferenceMoments {
    /// The mean.
    pub mean: f64,
    /// The variance.
    pub variance: f64,
}

impl DifferenceMoments {
    /// The moments of the difference divided by a number.
    #[must_use]
    pub fn divided(self, by: f64) -> DifferenceMoments {
        DifferenceMoments { mean: self.mean / by, variance: self.variance / (by * by) }
    }
}

/// A term of a difference of dot products.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DifferenceTerm {
    /// What the document adds to the difference if it is relevant, delta.
    pub difference: f64,
    /// The probability that it is, p.
    pub chance: f64,
}

impl DifferenceTerm {
    /// The term of a document that gains `top` with a probability, unless its gain is known.
    pub fn new(weighed: &WeightedDocument, top: f64, chance: f64) -> DifferenceTerm {
        let (gain, chance) = weighed.known.map_or((top, chance), |gain| (gain, 1.0));
        DifferenceTerm { difference: gain * (weighed.a - weighed.b), chance }
    }
}

impl Uncertain {
    /// A document that gains so much with a probability, unless its gain is known.
    pub fn of(x: &Document, top: f64, chance: impl FnOnce() -> f64) -> Uncertain {
        let (gain, chance) = x.known.map_or_else(|| (top, chance()), |gain| (gain, 1.0));
        Uncertain { a: x.a, b: x.b, gain, chance }
    }

    /// The probability that it is relevant and gains something.
    pub(super) fn relevant(&self) -> f64 {
        if self.gain > 0.0 { self.chance } else { 0.0 }
    }

    /// E(1 - c), and E(1 - c)^2 / E(1 - c): what it adds to a product that does not have it, and to one that has.
    fn factors(&self) -> (f64, f64) {
        let (p, g) = (self.chance, self.gain);
        let once = 1.0 - p * g;
        let again = if p == 1.0 || p == 0.0 || once <= 0.0 { once } else { (1.0 - p * g * (2.0 - g)) / once };
        (once, again)
    }
}

/// Differences of dot products.
pub fn dot(terms: &[DifferenceTerm]) -> DifferenceMoments {
    let variance = |term: &DifferenceTerm| term.chance * (1.0 - term.chance) * term.difference * term.difference;
    DifferenceMoments {
        mean: terms.iter().map(|term| term.chance * term.difference).sum(),
        variance: terms.iter().map(variance).sum(),
    }
}

/// Differences of the sum of precisions at relevant ranks, which is AP times k, in O(n^2).
pub fn precisions(documents: &[Uncertain]) -> DifferenceMoments {
    let inverse = |rank: u32| if rank == 0 { 0.0 } else { 1.0 / f64::from(rank) };
    // 1/a and 1/b of those that can be relevant, and p.
    let all = documents.iter().map(|x| ((inverse(x.a), inverse(x.b)), x.relevant()));
    let (inverse, chances): (Vec<(f64, f64)>, Vec<f64>) = all.filter(|x| x.1 > 0.0).unzip();
    let step = |x: (f64, f64), y: (f64, f64)| x.0.min(y.0) - x.1.min(y.1);
    pairs(&chances, |x, y| step(inverse[x], inverse[y]))
}

/// The moments of `sum q_xx x + sum over pairs of q_xy x y`, for relevance with these chances.
pub(super) fn pairs(chances: &[f64], q: impl Fn(usize, usize) -> f64) -> DifferenceMoments {
    let mut moments = DifferenceMoments::default();
    for (x, &chance) in chances.iter().enumerate() {
        let own = q(x, x);
        let (mut with_others, mut squares) = (0.0, 0.0);
        for (y, &other) in chances.iter().enumerate().filter(|&(y, _)| y != x) {
            let pair = q(x, y);
            with_others += pair * other;
            squares += pair * pair * other * (1.0 - other);
        }
        // Every pair is met twice.
        moments.mean += chance * (own + with_others / 2.0);
        moments.variance += chance * (1.0 - chance) * ((own + with_others).powi(2) + squares / 2.0);
    }
    moments
}

/// Differences of ERR to a depth, in O(depth^2).
pub fn reciprocal_cascade(documents: &[Uncertain], depth: usize) -> DifferenceMoments {
    let fall = |t: usize| 1.0 / (t as f64 * if t == depth { 1.0 } else { (t + 1) as f64 });
    ExpectedCascade::new(documents, depth, fall).moments()
}

/// Differences of a cascade with these discounts by rank, in the square of their number.
pub fn discounted(documents: &[Uncertain], discounts: &[f64]) -> DifferenceMoments {
    let fall = |t: usize| discounts[t - 1] - discounts.get(t).unwrap_or(&0.0);
    ExpectedCascade::new(documents, discounts.len(), fall).moments()
}

/// Differences of RR to a depth, in O(depth^2).
pub fn first_relevant(documents: &[Uncertain], depth: usize) -> DifferenceMoments {
    let stops = |x: &Uncertain| Uncertain { gain: 1.0, chance: x.relevant(), ..*x };
    reciprocal_cascade(&documents.iter().map(stops).collect::<Vec<_>>(), depth)
}

/// What stands at a rank: (E(1 - c), E(1 - c)^2 / E(1 - c)), and the rank in the other ranking or 0.
#[derive(Clone, Copy)]
struct ExpectedRank {
    once: f64,
    again: f64,
    other: usize,
}

struct ExpectedCascade {
    a: Vec<ExpectedRank>,
    b: Vec<ExpectedRank>,
    /// w_t, 0 where the prefixes hold the same documents.
    weights: Vec<f64>,
}

impl ExpectedCascade {
    fn new(documents: &[Uncertain], depth: usize, fall: impl Fn(usize) -> f64) -> ExpectedCascade {
        let nothing = ExpectedRank { once: 1.0, again: 1.0, other: 0 };
        let (mut a, mut b) = (vec![nothing; depth], vec![nothing; depth]);
        // Prefixes of t that hold the document on one side only.
        let mut open_changes = vec![0i64; depth + 2];
        for x in documents {
            let (once, again) = x.factors();
            if x.a > 0 {
                a[x.a as usize - 1] = ExpectedRank { once, again, other: x.b as usize };
            }
            if x.b > 0 {
                b[x.b as usize - 1] = ExpectedRank { once, again, other: x.a as usize };
            }
            let rank = |rank: u32| if rank == 0 { depth + 1 } else { rank as usize };
            open_changes[rank(x.a).min(rank(x.b))] += 1;
            open_changes[rank(x.a).max(rank(x.b))] -= 1;
        }
        let mut open = 0;
        let weight = |t: usize| {
            open += open_changes[t];
            if open == 0 { 0.0 } else { fall(t) }
        };
        let weights = (1..=depth).map(weight).collect();
        ExpectedCascade { a, b, weights }
    }

    fn moments(&self) -> DifferenceMoments {
        let ((mean_a, square_a), (mean_b, square_b)) = (self.alone(&self.a), self.alone(&self.b));
        let of_a = square_a - mean_a * mean_a;
        let of_b = square_b - mean_b * mean_b;
        let shared = self.product() - mean_a * mean_b;
        // Rounding may leave less than nothing.
        DifferenceMoments { mean: mean_b - mean_a, variance: (of_a + of_b - 2.0 * shared).max(0.0) }
    }

    /// E and E^2 of sum over t of w_t Q(t).
    fn alone(&self, places: &[ExpectedRank]) -> (f64, f64) {
        // From the end: sum over t > s of w_t E Q(t) / E Q(s).
        let mut below = vec![0.0; places.len() + 1];
        for s in (1..=places.len()).rev() {
            below[s - 1] = places[s - 1].once * (self.weights[s - 1] + below[s]);
        }
        let (mut square, mut total) = (1.0, 0.0);
        for (s, (place, weight)) in places.iter().zip(&self.weights).enumerate() {
            square *= place.once * place.again;
            total += weight * square * (weight + 2.0 * below[s + 1]);
        }
        (below[0], total)
    }

    /// E of the product of both sums.
    fn product(&self) -> f64 {
        let (mut first, mut total) = (1.0, 0.0);
        for (s, (place, weight)) in (1..).zip(self.a.iter().zip(&self.weights)) {
            first *= place.once;
            if *weight == 0.0 {
                continue;
            }
            let (mut both, mut sum) = (first, 0.0);
            for (y, of_t) in self.b.iter().zip(&self.weights) {
                both *= if (1..=s).contains(&y.other) { y.again } else { y.once };
                sum += of_t * both;
            }
            total += weight * sum;
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rankings_differ_by_nothing_and_equal_prefixes_do_not_cost_digits() {
        let x = |a: u32, b: u32, chance: f64| Uncertain { a, b, gain: 0.75, chance };
        let mut documents: Vec<Uncertain> = (1..=50).map(|i| x(i, i, 0.3)).collect();
        assert_eq!(reciprocal_cascade(&documents, 50), DifferenceMoments::default());
        documents[48].b = 50;
        documents[49].b = 49;
        // Only Q(49) differs: by c_49 - c_50 times what is left of the first 48.
        let weight = 1.0 / (49.0 * 50.0);
        let one = 0.3 * 0.75f64.powi(2) - (0.3f64 * 0.75).powi(2);
        let left = (0.7 + 0.3 * 0.25f64.powi(2)).powi(48);
        let found = reciprocal_cascade(&documents, 50);
        assert!((found.variance / (weight * weight * left * 2.0 * one) - 1.0).abs() < 1e-12, "{found:?}");
    }
}
