//! Branch and bound for any measure that never falls when a document gains more.
//!
//! What only A has gains r_G, what only B has nothing. Documents of both are decided one after the other, those at high
//! ranks first; with the undecided ones at r_G in A and at 0 in B, S(A) - S(B) is a bound for all that can still be
//! chosen. The search starts from the best assignment found by changing one document at a time. It takes exponential
//! time at worst: after so many nodes it ends, and nothing is above the bounds of the nodes that are left.

use super::scores::Scores;
use super::{Document, Solution};

/// Differences that floats do not tell apart.
const TOLERANCE: f64 = 1e-12;

/// The largest S(A) - S(B) where unknown documents gain 0 or `top`, within so many nodes.
///
/// What a ranking lacks is up to the measure: documents of their own, see [`super::Instance::filled`].
#[must_use]
pub fn solve(documents: &[Document], top: f64, scores: &impl Scores, nodes: u64) -> Solution {
    let start = |x: &Document| match x.known {
        Some(gain) => gain,
        None if x.b == 0 || 0 < x.a && x.a < x.b => top,
        None => 0.0,
    };
    let gains: Vec<f64> = documents.iter().map(start).collect();
    let mut open: Vec<usize> = (0..documents.len()).collect();
    open.retain(|&i| documents[i].known.is_none() && documents[i].a > 0 && documents[i].b > 0);
    open.sort_by_key(|&i| documents[i].a.min(documents[i].b));
    let best = scores.difference(&gains);
    let (mut high, mut low) = (gains.clone(), gains.clone());
    open.iter().for_each(|&i| (high[i], low[i]) = (top, 0.0));
    let mut search =
        Search { scores, top, limit: nodes, nodes: 0, open, gains, best, high, low, left: f64::NEG_INFINITY };
    search.climb();
    let bound = search.bound();
    search.visit(0, bound);
    Solution { value: search.best, bound: search.best.max(search.left), gains: search.gains, nodes: search.nodes }
}

struct Search<'s, S> {
    scores: &'s S,
    top: f64,
    limit: u64,
    nodes: u64,
    /// Documents to decide, in this order.
    open: Vec<usize>,
    /// The best gains so far, and what they are worth.
    gains: Vec<f64>,
    best: f64,
    /// Gains with the undecided documents at `top`, and at 0.
    high: Vec<f64>,
    low: Vec<f64>,
    /// The highest bound of a node that was not visited.
    left: f64,
}

impl<S: Scores> Search<'_, S> {
    fn bound(&self) -> f64 {
        self.scores.a(&self.high) - self.scores.b(&self.low)
    }

    /// Change single documents for as long as that helps.
    fn climb(&mut self) {
        loop {
            let before = self.best;
            for at in 0..self.open.len() {
                let i = self.open[at];
                let gain = self.gains[i];
                self.gains[i] = self.top - gain;
                let value = self.scores.difference(&self.gains);
                if value > self.best {
                    self.best = value;
                } else {
                    self.gains[i] = gain;
                }
            }
            if self.best <= before + TOLERANCE {
                return;
            }
        }
    }

    /// Search below a node whose first documents are decided; nothing there is above `above`.
    fn visit(&mut self, decided: usize, above: f64) {
        if above <= self.best + TOLERANCE {
            return;
        }
        if self.nodes == self.limit {
            self.left = self.left.max(above);
            return;
        }
        self.nodes += 1;
        let bound = self.bound();
        if bound <= self.best + TOLERANCE {
            return;
        }
        let Some(&i) = self.open.get(decided) else {
            // Nothing is undecided: the bound is the value.
            self.best = bound;
            self.gains.clone_from(&self.high);
            return;
        };
        let first = self.gains[i];
        for gain in [first, self.top - first] {
            (self.high[i], self.low[i]) = (gain, gain);
            self.visit(decided + 1, bound.min(above));
        }
        (self.high[i], self.low[i]) = (self.top, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::med::scores::{Untied, average_precision, expected_reciprocal_rank, reciprocal_rank};
    use crate::med::testing::Case;

    fn rank_biased(gains: &[f64]) -> f64 {
        gains.iter().enumerate().map(|(i, gain)| gain * 0.5f64.powi(i as i32)).sum()
    }

    #[test]
    fn it_is_the_largest_over_all_assignments() {
        let formulas = [average_precision, expected_reciprocal_rank, reciprocal_rank, rank_biased];
        for seed in 0..3000 {
            let formula = formulas[seed as usize % 4];
            let case = Case::draw(seed, &[0.0, 0.5]);
            let instance = case.instance.filled();
            let found = solve(&instance.documents, instance.top, &Untied::new(&instance, formula), 10_000);
            let difference = |a: &[f64], b: &[f64]| formula(a) - formula(b);
            let largest = case.largest(&[0.0, 0.5], difference);
            assert!((found.value - largest).abs() < 1e-12 && found.bound == found.value, "{seed} {case:?}");
            let value = case.value(&found.gains[..case.instance.documents.len()], difference);
            assert!((value - largest).abs() < 1e-12, "{seed} {case:?}");
        }
    }

    #[test]
    fn few_nodes_leave_an_interval_that_holds_the_value() {
        let mut intervals = 0;
        for seed in 0..300 {
            let mut documents = Vec::new();
            let mut random = crate::random::Random::new(seed);
            let mut of_b: Vec<u32> = (1..=14).collect();
            (1..14).for_each(|i| of_b.swap(i, random.below(i as u64 + 1) as usize));
            documents.extend((1..).zip(&of_b).map(|(a, &b)| Document { a, b, known: None }));
            let instance = super::super::Instance { depth: 14, lengths: (14, 14), documents, top: 1.0 };
            let scores = Untied::new(&instance, average_precision);
            let exact = solve(&instance.documents, 1.0, &scores, u64::MAX);
            assert_eq!(exact.bound, exact.value);
            for limit in [0, 1, 7, 40] {
                let found = solve(&instance.documents, 1.0, &scores, limit);
                assert!(found.nodes <= limit);
                assert!(found.value <= exact.value + 1e-12 && exact.value <= found.bound + 1e-12, "{seed} {limit}");
                assert!((scores.difference(&found.gains) - found.value).abs() < 1e-12);
                intervals += u32::from(found.bound > found.value);
            }
        }
        assert!(intervals > 300);
    }
}
