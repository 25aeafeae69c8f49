//! The mean and the variance of the difference D = S(A) - S(B) of two rankings, if each document is relevant with a
//! probability of its own, independently of all others.
//!
//! They are exact over all 2^n assignments. Let x_d be 1 if document d is relevant, and 0 if not; p_d is its
//! probability to be relevant, and v_d = p_d (1 - p_d) the variance of x_d. The ranks that a short ranking lacks gain
//! nothing, because nobody can judge what is not there.
//!
//! * *Dot products.* Document d adds delta_d = g_d (D_A(d) - D_B(d)) to D if it is relevant, its gain times the difference
//!   of its discounts. So D = sum of x_d delta_d, E D = sum of p_d delta_d and Var D = sum of v_d delta_d^2.
//! * *AP*, times the depth k. With the ranks a_d and b_d of document d, and 1/rank = 0 if a ranking lacks it,
//!   D = sum of l_d x_d + sum over pairs of q_de x_d x_e, where l_d = 1/a_d - 1/b_d and
//!   q_de = 1/max(a_d, a_e) - 1/max(b_d, b_e). Let h_d = l_d + sum over e of q_de p_e. The parts of D that depend on one
//!   document and on two are uncorrelated, so Var D = sum of v_d h_d^2 + sum over pairs of v_d v_e q_de^2.
//! * *ERR* down to depth K. A user stops at a document with a probability c, which is 0 if it is not relevant. With Q(t)
//!   the product of 1 - c over the first t documents, S = sum over t of w_t (1 - Q(t)), where w_t = 1/(t (t + 1)) and
//!   w_K = 1/K. So D = sum of w_t (Q_B(t) - Q_A(t)). Factors of different documents are independent: E Q(t) is the
//!   product of E(1 - c), and E Q_A(s) Q_B(t) has E((1 - c)^2) for the documents in both prefixes. If both prefixes of
//!   length t hold the same documents, Q_A(t) = Q_B(t), and this t is left out, so that nothing large cancels.
//! * *Other cascades* with discounts D(t) are ERR with w_t = D(t) - D(t + 1) and w_K = D(K). *RR* is ERR with c = 1.

use super::Document;
use super::dot::WeightedDocument;

/// A document that is relevant with some probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uncertain {
    /// The rank in A, from 1; 0 if A lacks the document within the depth.
    pub a: u32,
    /// The rank in B, from 1; 0 if B lacks the document within the depth.
    pub b: u32,
    /// The gain if the document is relevant. In a cascade, it is the probability that the user stops there.
    pub gain: f64,
    /// The probability that the document is relevant, p.
    pub chance: f64,
}

/// The mean and the variance of a difference of two scores, over the relevance of documents.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DifferenceMoments {
    pub mean: f64,
    pub variance: f64,
}

impl DifferenceMoments {
    /// The moments of the difference divided by a number.
    #[must_use]
    pub fn divided(self, by: f64) -> DifferenceMoments {
        DifferenceMoments { mean: self.mean / by, variance: self.variance / (by * by) }
    }
}

/// One document of a difference of dot products: what it adds if it is relevant, and how likely that is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DifferenceTerm {
    /// What the document adds if it is relevant, delta.
    pub difference: f64,
    /// The probability that the document is relevant, p.
    pub chance: f64,
}

impl DifferenceTerm {
    /// The term of a document that gains `top` with the probability `chance`, or its known gain for certain.
    pub fn new(weighed: &WeightedDocument, top: f64, chance: f64) -> DifferenceTerm {
        let (gain, chance) = weighed.known.map_or((top, chance), |gain| (gain, 1.0));
        DifferenceTerm { difference: gain * (weighed.a - weighed.b), chance }
    }
}

impl Uncertain {
    /// A document that gains `top` with the probability `chance()`, or its known gain for certain.
    pub fn of(x: &Document, top: f64, chance: impl FnOnce() -> f64) -> Uncertain {
        let (gain, chance) = x.known.map_or_else(|| (top, chance()), |gain| (gain, 1.0));
        Uncertain { a: x.a, b: x.b, gain, chance }
    }

    /// The probability that the document has a gain above 0.
    pub(super) fn relevant(&self) -> f64 {
        if self.gain > 0.0 { self.chance } else { 0.0 }
    }

    /// The factors of the document in the mean of a product of probabilities of going on. With c, the probability of
    /// stopping at it, a document that occurs once in the product contributes E(1 - c). If it occurs again, the factor
    /// E((1 - c)^2) / E(1 - c) makes that E((1 - c)^2).
    fn factors(&self) -> (f64, f64) {
        let (p, g) = (self.chance, self.gain);
        let once = 1.0 - p * g;
        let again = if p == 1.0 || p == 0.0 || once <= 0.0 { once } else { (1.0 - p * g * (2.0 - g)) / once };
        (once, again)
    }
}

/// The moments of a difference of dot products (P, DCG, RBP) with these terms.
pub fn dot(terms: &[DifferenceTerm]) -> DifferenceMoments {
    let variance = |term: &DifferenceTerm| term.chance * (1.0 - term.chance) * term.difference * term.difference;
    DifferenceMoments {
        mean: terms.iter().map(|term| term.chance * term.difference).sum(),
        variance: terms.iter().map(variance).sum(),
    }
}

/// The moments of the difference of AP times the depth, in O(n^2) for n documents.
pub fn precisions(documents: &[Uncertain]) -> DifferenceMoments {
    let inverse = |rank: u32| if rank == 0 { 0.0 } else { 1.0 / f64::from(rank) };
    // For each document that can be relevant: the inverses 1/a and 1/b of its ranks, and its probability p.
    let all = documents.iter().map(|x| ((inverse(x.a), inverse(x.b)), x.relevant()));
    let (inverse, chances): (Vec<(f64, f64)>, Vec<f64>) = all.filter(|x| x.1 > 0.0).unzip();
    let step = |x: (f64, f64), y: (f64, f64)| x.0.min(y.0) - x.1.min(y.1);
    pairs(&chances, |x, y| step(inverse[x], inverse[y]))
}

/// The moments of a quadratic form, `sum over x of q_xx x + sum over pairs of q_xy x y`. Each x is 1 with its
/// probability in `chances`, and else 0. `q(x, y)` is the coefficient of two indices.
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
        // Each pair of documents is met twice, so its terms count half.
        moments.mean += chance * (own + with_others / 2.0);
        moments.variance += chance * (1.0 - chance) * ((own + with_others).powi(2) + squares / 2.0);
    }
    moments
}

/// The moments of the difference of ERR down to a depth, in O(depth^2).
pub fn reciprocal_cascade(documents: &[Uncertain], depth: usize) -> DifferenceMoments {
    let fall = |t: usize| 1.0 / (t as f64 * if t == depth { 1.0 } else { (t + 1) as f64 });
    ExpectedCascade::new(documents, depth, fall).moments()
}

/// The moments of the difference of a cascade with these discounts, in a time that grows with the square of their
/// number.
pub fn discounted(documents: &[Uncertain], discounts: &[f64]) -> DifferenceMoments {
    let fall = |t: usize| discounts[t - 1] - discounts.get(t).unwrap_or(&0.0);
    ExpectedCascade::new(documents, discounts.len(), fall).moments()
}

/// The moments of the difference of RR down to a depth, in O(depth^2). RR is the inverse rank of the first relevant
/// document.
pub fn first_relevant(documents: &[Uncertain], depth: usize) -> DifferenceMoments {
    let stops = |x: &Uncertain| Uncertain { gain: 1.0, chance: x.relevant(), ..*x };
    reciprocal_cascade(&documents.iter().map(stops).collect::<Vec<_>>(), depth)
}

/// The document at one rank.
#[derive(Clone, Copy)]
struct ExpectedRank {
    /// E(1 - c), the mean probability of going on after the document.
    once: f64,
    /// E((1 - c)^2) / E(1 - c), the document's factor in a product that already has it once.
    again: f64,
    /// The rank in the other ranking, or 0.
    other: usize,
}
/// Two rankings of a cascade whose documents are relevant by chance.
struct ExpectedCascade {
    /// The ranks of A, down to the depth.
    a: Vec<ExpectedRank>,
    /// The ranks of B, down to the depth.
    b: Vec<ExpectedRank>,
    /// The weight w_t of each rank t; 0 if the first t documents of A and of B are the same.
    weights: Vec<f64>,
}

impl ExpectedCascade {
    fn new(documents: &[Uncertain], depth: usize, fall: impl Fn(usize) -> f64) -> ExpectedCascade {
        let nothing = ExpectedRank { once: 1.0, again: 1.0, other: 0 };
        let (mut a, mut b) = (vec![nothing; depth], vec![nothing; depth]);
        // For each t, the change from t - 1 in the number of documents that are among the first t of one ranking only.
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

    /// The moments of sum over t of w_t (Q_B(t) - Q_A(t)).
    fn moments(&self) -> DifferenceMoments {
        let ((mean_a, square_a), (mean_b, square_b)) = (self.alone(&self.a), self.alone(&self.b));
        let of_a = square_a - mean_a * mean_a;
        let of_b = square_b - mean_b * mean_b;
        let shared = self.product() - mean_a * mean_b;
        // Rounding may make the variance slightly negative.
        DifferenceMoments { mean: mean_b - mean_a, variance: (of_a + of_b - 2.0 * shared).max(0.0) }
    }

    /// The mean, and the mean of the square, of the sum over t of w_t Q(t) in one ranking.
    fn alone(&self, places: &[ExpectedRank]) -> (f64, f64) {
        // From the last rank up: below[s] is the sum over t > s of w_t E Q(t) / E Q(s), the mean of what follows rank s
        // for those who get there.
        let mut below = vec![0.0; places.len() + 1];
        for s in (1..=places.len()).rev() {
            below[s - 1] = places[s - 1].once * (self.weights[s - 1] + below[s]);
        }
        let (mut square, mut total) = (1.0, 0.0);
        for (s, (place, weight)) in places.iter().zip(&self.weights).enumerate() {
            // E Q(s)^2; then w_s^2 E Q(s)^2, and twice w_s w_t E Q(s) Q(t) for the ranks t below s.
            square *= place.once * place.again;
            total += weight * square * (weight + 2.0 * below[s + 1]);
        }
        (below[0], total)
    }

    /// The mean of the product of both rankings' sums over t of w_t Q(t).
    fn product(&self) -> f64 {
        let (mut first, mut total) = (1.0, 0.0);
        for (s, (place, weight)) in (1..).zip(self.a.iter().zip(&self.weights)) {
            first *= place.once;
            if *weight == 0.0 {
                continue;
            }
            // `both` is E Q_A(s) Q_B(t). A document of B that is among the first s of A counts for the second time.
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
        // Only Q(49) differs: by c_49 - c_50, times the users who are left after the first 48.
        let weight = 1.0 / (49.0 * 50.0);
        let one = 0.3 * 0.75f64.powi(2) - (0.3f64 * 0.75).powi(2);
        let left = (0.7 + 0.3 * 0.25f64.powi(2)).powi(48);
        let found = reciprocal_cascade(&documents, 50);
        assert!((found.variance / (weight * weight * left * 2.0 * one) - 1.0).abs() < 1e-12, "{found:?}");
    }
}
