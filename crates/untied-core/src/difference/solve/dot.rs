//! Dot products: P@k, DCG, the numerator of nDCG, RBP, and other measures whose gains are weighted by rank.
//!
//!   S(C) = sum over documents d of g_d D_C(d),    S(A) - S(B) = sum over d of g_d (D_A(d) - D_B(d)).
//!
//! Here g_d is the gain of document d, and D_C(d) its weight in ranking C: the discount of its rank, the mean discount
//! of its tie group, or 2^(-t/h) of a time t. Every document counts for itself, so an unknown one has the highest gain
//! r_G if D_A > D_B, and gains nothing otherwise (Tan & Clarke, section III).
//!
//! If something is known about a query, at most m_j unknown documents may have the gain g_j (section III-B). For
//! instance, one document is highly relevant, and at most a dozen are marginally relevant. By the rearrangement
//! inequality, the highest gains go to the documents with the largest differences D_A - D_B above 0. The ideal DCG is
//! that of these gains.

use super::Solution;

/// A document with its weights in both rankings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedDocument {
    /// The weight in A, D_A.
    pub a: f64,
    /// The weight in B, D_B.
    pub b: f64,
    /// The gain if the document is judged; none if it is unknown.
    pub known: Option<f64>,
}

/// Two rankings of a query as documents with weights.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WeightedPair {
    /// All documents of A or B.
    pub documents: Vec<WeightedDocument>,
    /// The discounts of the ranks that A lacks, and of those that B lacks. A further unknown document is at each of
    /// them.
    pub lacking: (Vec<f64>, Vec<f64>),
    /// The highest gain of an unknown document, r_G in the paper.
    pub top: f64,
}

/// A gain, and how many documents may have it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GradeLimit {
    /// The gain, g_j in the paper.
    pub gain: f64,
    /// How many unknown documents may have this gain, m_j in the paper. For an ideal ranking, judged ones count, too.
    pub most: usize,
}

impl WeightedPair {
    /// Exchanges A and B.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.lacking.0, &mut self.lacking.1);
        self.documents.iter_mut().for_each(|x| std::mem::swap(&mut x.a, &mut x.b));
    }

    /// The gain that makes S(A) - S(B) largest: the document's own if it is judged, else the highest or 0.
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

/// The largest S(A) - S(B), and gains that reach it.
pub fn solve(weights: &WeightedPair) -> Solution {
    let value = largest(weights);
    let gains = weights.documents.iter().map(|x| weights.gain(x)).collect();
    Solution { value, bound: value, gains, nodes: 0 }
}

/// The largest S(A) - S(B) if at most `most` unknown documents gain something.
pub fn solve_with(weights: &WeightedPair, most: usize) -> Solution {
    let chosen = most_weighty(weights);
    if chosen.len() <= most {
        return solve(weights);
    }
    let mut gains: Vec<f64> = weights.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
    chosen[..most].iter().for_each(|&(_, i)| gains[i] = weights.top);
    let value = largest_by_count(weights)[most];
    Solution { value, bound: value, gains, nodes: 0 }
}

/// The largest S(A) - S(B) if at most 0, 1, 2, ... unknown documents gain something, up to the number with which it is
/// largest. Rankings are not filled up.
pub fn largest_by_count(weights: &WeightedPair) -> Vec<f64> {
    let known: f64 = weights.documents.iter().filter_map(|x| x.known.map(|gain| gain * (x.a - x.b))).sum();
    let sums = most_weighty(weights).into_iter().scan(known, |sum, (weight, _)| {
        *sum += weights.top * weight;
        Some(*sum)
    });
    std::iter::once(known).chain(sums).collect()
}

/// The weights and the indices of unknown documents with which A can gain more than B, largest weight first.
fn most_weighty(weights: &WeightedPair) -> Vec<(f64, usize)> {
    let unknown = weights.documents.iter().enumerate().filter(|(_, x)| x.known.is_none());
    let mut open: Vec<(f64, usize)> =
        unknown.map(|(i, x)| (x.a - x.b, i)).filter(|&(weight, _)| weight > 0.0).collect();
    open.sort_by(|x, y| y.0.total_cmp(&x.0)); // stable: of equal weights, the first document comes first
    open
}

/// The largest S(A) - S(B) if `grades` limits how many unknown documents may have each gain. Any number may gain
/// nothing.
pub fn solve_limited(weights: &WeightedPair, grades: &[GradeLimit]) -> Solution {
    let mut gains: Vec<f64> = weights.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
    let unknown = weights.documents.iter().enumerate().filter(|(_, x)| x.known.is_none());
    let lacking = weights.lacking.0.iter().map(|&d| (d, None));
    let mut open: Vec<(f64, Option<usize>)> = unknown.map(|(i, x)| (x.a - x.b, Some(i))).chain(lacking).collect();
    open.retain(|&(difference, _)| difference > 0.0);
    open.sort_by(|x, y| y.0.total_cmp(&x.0)); // stable: of equal differences, the first document comes first
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

/// The highest score of a ranking if `grades` limits how many documents may have each gain. If judged documents count
/// in the limits, this is the ideal DCG for [`solve_limited`].
pub fn ideal(discounts: &[f64], grades: &[GradeLimit]) -> f64 {
    descending(grades).zip(discounts).map(|(gain, discount)| gain * discount).sum()
}

/// The gains above 0, highest first, each as often as it may occur.
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
