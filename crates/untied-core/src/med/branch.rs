//! Branch and bound for any measure that never falls when a document gains more.
//!
//! What only A has gains r_G, what only B has nothing. Documents of both are decided one after the other, those at high
//! ranks first; with the undecided ones at r_G in A and at 0 in B, S(A) - S(B) is a bound for all that can still be
//! chosen. The search starts from the best assignment found by changing one document at a time. It takes exponential
//! time at worst: after so many nodes it ends, and nothing is above the bounds of the nodes that are left.
//!
//! Where a measure says that it is steady, two evaluations tell between which bounds a document changes S(A), and two
//! more S(B), whatever the undecided ones gain. A document whose change of S(A) - S(B) has one sign is decided, and
//! with [l_d, h_d] for the others, f = S(A) - S(B) is at most f(none) + sum of h_d > 0 and f(all) - sum of l_d < 0.

use super::scores::Scores;
use super::{Document, Solution};
use crate::watch;

/// Differences that floats do not tell apart.
const TOLERANCE: f64 = 1e-12;
/// How much a document may lose by being decided.
const SLACK: f64 = 1e-14;

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
    let mut search = Search { scores, top, limit: nodes, nodes: 0, gains, best, high, low, left: f64::NEG_INFINITY };
    search.climb(&open);
    let bound = search.naive();
    search.visit(&open, bound);
    Solution { value: search.best, bound: search.best.max(search.left), gains: search.gains, nodes: search.nodes }
}

struct Search<'s, S> {
    scores: &'s S,
    top: f64,
    limit: u64,
    nodes: u64,
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
    fn naive(&self) -> f64 {
        self.scores.a(&self.high) - self.scores.b(&self.low)
    }

    /// Change single documents for as long as that helps.
    fn climb(&mut self, open: &[usize]) {
        loop {
            let before = self.best;
            for &i in open {
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

    fn decide(&mut self, i: usize, gain: f64) {
        (self.high[i], self.low[i]) = (gain, gain);
    }

    /// Search where these are undecided; nothing there is above `above`.
    fn visit(&mut self, open: &[usize], above: f64) {
        let (mut left, mut above) = (open.to_vec(), above);
        loop {
            if above <= self.best + TOLERANCE {
                break;
            }
            if self.nodes == self.limit || watch::is_stopped() {
                self.left = self.left.max(above);
                break;
            }
            self.nodes += 1;
            above = above.min(self.naive());
            if left.is_empty() {
                // Nothing is undecided: the bound is the value.
                if above > self.best {
                    self.best = above;
                    self.gains.clone_from(&self.high);
                }
                break;
            }
            let mut next = 0;
            if self.scores.is_steady() {
                let (bound, spans) = self.spans(&left);
                above = above.min(bound);
                let undecided = left.len();
                let mut spans = spans.into_iter();
                let mut widest = 0.0;
                let mut kept = Vec::with_capacity(undecided);
                for &i in &left {
                    let (low, high) = spans.next().unwrap_or_default();
                    if low >= -SLACK || high <= SLACK {
                        self.decide(i, if low >= -SLACK { self.top } else { 0.0 });
                    } else {
                        if high.min(-low) > widest {
                            (widest, next) = (high.min(-low), kept.len());
                        }
                        kept.push(i);
                    }
                }
                left = kept;
                if left.len() < undecided {
                    continue;
                }
            }
            if above > self.best + TOLERANCE {
                let i = left.remove(next);
                let first = self.gains[i];
                for gain in [first, self.top - first] {
                    self.decide(i, gain);
                    self.visit(&left, above);
                }
            }
            break;
        }
        for &i in open {
            (self.high[i], self.low[i]) = (self.top, 0.0);
        }
    }

    /// A bound, and for each document by how much it changes S(A) - S(B) at least and at most.
    fn spans(&mut self, open: &[usize]) -> (f64, Vec<(f64, f64)>) {
        let at_low = (self.scores.a(&self.low), self.scores.b(&self.low));
        let at_high = (self.scores.a(&self.high), self.scores.b(&self.high));
        let (mut from_none, mut from_all) = (at_low.0 - at_low.1, at_high.0 - at_high.1);
        let mut span = |&i: &usize| {
            (self.low[i], self.high[i]) = (self.top, 0.0);
            let with = (self.scores.a(&self.low) - at_low.0, self.scores.b(&self.low) - at_low.1);
            let without = (at_high.0 - self.scores.a(&self.high), at_high.1 - self.scores.b(&self.high));
            (self.low[i], self.high[i]) = (0.0, self.top);
            let low = with.0.min(without.0) - with.1.max(without.1);
            let high = with.0.max(without.0) - with.1.min(without.1);
            from_none += high.max(0.0);
            from_all -= low.min(0.0);
            (low, high)
        };
        let spans = open.iter().map(&mut span).collect();
        (from_none.min(from_all), spans)
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
            let scores = Untied::new(&instance, formula);
            let scores = if seed % 8 < 4 { scores } else { scores.steady() };
            let found = solve(&instance.documents, instance.top, &scores, 10_000);
            let difference = |a: &[f64], b: &[f64]| formula(a) - formula(b);
            let largest = case.largest(&[0.0, 0.5], difference);
            assert!((found.value - largest).abs() < 1e-12 && found.bound == found.value, "{seed} {case:?}");
            let value = case.value(&found.gains[..case.instance.documents.len()], difference);
            assert!((value - largest).abs() < 1e-12, "{seed} {case:?}");
        }
    }

    #[test]
    fn a_search_without_a_limit_stops_when_it_is_told_to() {
        let documents = (1..=60).map(|a| Document { a, b: a * 37 % 61, known: None }).collect();
        let instance = super::super::Instance { depth: 60, lengths: (60, 60), documents, top: 1.0 };
        let found = std::thread::spawn(move || {
            let watch = std::sync::Arc::new(watch::Watch::default());
            watch.stop();
            watch.attend();
            solve(&instance.documents, 1.0, &Untied::new(&instance, average_precision), u64::MAX)
        });
        assert_eq!(found.join().expect("an end").nodes, 0);
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
            let steady = solve(&instance.documents, 1.0, &scores.clone().steady(), u64::MAX);
            assert!((steady.value - exact.value).abs() < 1e-12 && steady.bound == steady.value);
            assert!(2 * steady.nodes < exact.nodes);
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
