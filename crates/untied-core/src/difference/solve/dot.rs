//! Dot products: P@k, DCG, the numerator of nDCG, RBP, and other measures whose gains are weighted by rank.
//!
//!   S(C) = sum over documents d of g_d D_C(d),    S(A) - S(B) = sum over d of g_d (D_A(d) - D_B(d)).
//!
//! Every document counts for itself, so an unknown one gains r_G where D_A > D_B and nothing elsewhere (Tan & Clarke,
//! section III). D_C(d) may be any number: the discount of a rank, its mean over a tie group, 2^(-t/h) of a time.
//!
//! Section III-B also thinks of queries of which something is known: one highly relevant document, say, and no more
//! than a dozen marginally relevant ones. So at most m_j unknown documents have gain g_j. By the rearrangement
//! inequality the highest gains then go to the largest differences, as long as these are above 0; the ideal DCG is
//! that of these gains.

use super::Solution;

/// What a document's gain is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedDocument {
    /// In A, D_A.
    pub a: f64,
    /// In B, D_B.
    pub b: f64,
    /// Its gain, where that is known.
    pub known: Option<f64>,
}

/// Two rankings of a query as a dot product sees them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WeightedPair {
    /// All documents of either ranking.
    pub documents: Vec<WeightedDocument>,
    /// Discounts of the ranks that A lacks, and of those that B lacks: unknown documents of their own.
    pub lacking: (Vec<f64>, Vec<f64>),
    /// The most an unknown document may gain, r_G.
    pub top: f64,
}

/// A gain, and how many unknown documents may have it at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GradeLimit {
    /// The gain, g_j.
    pub gain: f64,
    /// How many, m_j, without those that are judged.
    pub most: usize,
}

impl WeightedPair {
    /// Exchange A and B.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.lacking.0, &mut self.lacking.1);
        self.documents.iter_mut().for_each(|x| std::mem::swap(&mut x.a, &mut x.b));
    }

    /// The gain of a document where S(A) - S(B) is largest.
    #[inline]
    fn gain(&self, x: &WeightedDocument) -> f64 {
        x.known.unwrap_or(if x.a > x.b { self.top } else { 0.0 })
    }
}

/// The largest S(A) - S(B), in one pass.
pub fn largest(weights: &WeightedPair) -> f64 {
    let of_documents: f64 = weights.documents.iter().map(|x| weights.gain(x) * (x.a - x.b)).sum();
    of_documents + weights.top * weights.lacking.0.iter().map(|d| d.max(0.0)).sum::<f64>()
}

/// The largest S(A) - S(B) with the gains of documents.
pub fn solve(weights: &WeightedPair) -> Solution {
    let value = largest(weights);
    let gains = weights.documents.iter().map(|x| weights.gain(x)).collect();
    Solution { value, bound: value, gains, nodes: 0 }
}

/// The largest S(A) - S(B) where each gain has a largest number of unknown documents; any number of them gain nothing.
pub fn solve_limited(weights: &WeightedPair, grades: &[GradeLimit]) -> Solution {
    let mut gains: Vec<f64> = weights.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
    let unknown = weights.documents.iter().enumerate().filter(|(_, x)| x.known.is_none());
    let lacking = weights.lacking.0.iter().map(|&d| (d, None));
    let mut open: Vec<(f64, Option<usize>)> = unknown.map(|(i, x)| (x.a - x.b, Some(i))).chain(lacking).collect();
    open.retain(|&(difference, _)| difference > 0.0);
    open.sort_by(|x, y| y.0.total_cmp(&x.0)); // stable: of equal ones the first
    let mut of_lacking = 0.0;
    for ((difference, document), gain) in open.into_iter().zip(descending(grades)) {
        match document {
            Some(i) => gains[i] = gain,
            None => of_lacking += gain * difference,
        }
    }
    let of_documents: f64 = weights.documents.iter().zip(&gains).map(|(x, gain)| gain * (x.a - x.b)).sum();
    let value = of_documents + of_lacking;
    Solution { value, bound: value, gains, nodes: 0 }
}

/// The most that a ranking can be worth if each gain has a largest number of documents: with `most` counting judged
/// documents too, the ideal DCG that goes with [`solve_limited`].
pub fn ideal(discounts: &[f64], grades: &[GradeLimit]) -> f64 {
    descending(grades).zip(discounts).map(|(gain, discount)| gain * discount).sum()
}

/// Positive gains from the highest one, each as often as it may occur.
fn descending(grades: &[GradeLimit]) -> impl Iterator<Item = f64> + use<> {
    let mut grades: Vec<GradeLimit> = grades.iter().copied().filter(|grade| grade.gain > 0.0).collect();
    grades.sort_by(|x, y| y.gain.total_cmp(&x.gain));
    grades.into_iter().flat_map(|grade| std::iter::repeat_n(grade.gain, grade.most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ideal_ranking_has_the_highest_gains_first() {
        let grades = [GradeLimit { gain: 0.25, most: 12 }, GradeLimit { gain: 0.75, most: 1 }];
        assert_eq!(ideal(&[1.0, 0.5, 0.25], &grades), 0.75 + 0.125 + 0.0625);
        assert_eq!(
            ideal(&[1.0, 0.5, 0.25], &[GradeLimit { gain: 1.0, most: 2 }, GradeLimit { gain: 0.0, most: 9 }]),
            1.5
        );
    }
}
