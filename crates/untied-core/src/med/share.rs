//! R@k and F1@k: shares of the relevant documents.
//!
//! R, the number of relevant documents, grows with every one that is found:
//!
//!   R@k = h / R,    F1@k = 2 h / (k + R),    h relevant documents among the first k,
//!
//! of tied documents the mean: h(C) = sum of x_d w_C(d), w_C(d) being the share of a tie group that is within k. The
//! difference of two rankings has the same denominator: it is (n + sum of x_d delta_d) / (m + sum of x_d), with
//! delta = w_A - w_B. If lambda is its maximum, then n - lambda m + sum of x_d (delta_d - lambda) is 0 at most, and 0 for
//! the best x (Dinkelbach 1967): so all documents are relevant that have delta > lambda. They are the first ones by delta,
//! and it is enough to try how many. With R = 0 there is no difference.

use super::difference::Difference;
use super::given::Given;
use super::solve::Solution;
use super::solve::dot::{Weighed, Weights};
use super::solve::scores::Scores;
use super::weighed::{ByWeights, Closed};
use crate::error::Result;

/// R.
pub(super) fn recall(given: &Given<'_>) -> Result<Box<dyn Difference>> {
    ByWeights::boxed(
        given,
        |_| 1.0,
        |pair, scale, weights| Some(Box::new(Share { weights, relevant: scale.relevant(pair) as f64, f1: None })),
    )
}

/// F1.
pub(super) fn f1(given: &Given<'_>) -> Result<Box<dyn Difference>> {
    ByWeights::boxed(
        given,
        |_| 1.0,
        |pair, scale, weights| {
            let f1 = Some(scale.depth_of(pair) as f64);
            Some(Box::new(Share { weights, relevant: scale.relevant(pair) as f64, f1 }))
        },
    )
}

/// The difference of two rankings in R@k or F1@k, with weights w.
#[derive(Debug, Clone, Copy)]
struct Share<'w> {
    /// Weights of ranks that are 1 within k.
    weights: &'w Weights,
    /// Judged documents that are relevant, wherever they are.
    relevant: f64,
    /// k, for F1.
    f1: Option<f64>,
}

impl Share<'_> {
    /// Of so many relevant documents among the first k, and so many in all.
    fn value(&self, hits: f64, relevant: f64) -> f64 {
        match self.f1 {
            Some(k) => 2.0 * hits / (k + relevant),
            None if relevant == 0.0 => 0.0,
            None => hits / relevant,
        }
    }

    fn score(&self, gains: &[f64], weight: impl Fn(&Weighed) -> f64) -> f64 {
        let found = || self.weights.documents.iter().zip(gains).filter(|(_, gain)| **gain > 0.0).map(|(x, _)| x);
        let unknown = found().filter(|x| x.known.is_none()).count();
        self.value(found().map(weight).sum(), self.relevant + unknown as f64)
    }
}

impl Closed for Share<'_> {
    fn largest(&self) -> Solution {
        let documents = &self.weights.documents;
        let mut gains: Vec<f64> = documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        let may = |x: &Weighed| x.known.is_none() && (x.a > 0.0 || x.b > 0.0) && self.weights.top > 0.0;
        let open = documents.iter().enumerate().filter(|(_, x)| may(x)).map(|(i, x)| (x.a - x.b, Some(i)));
        let mut open: Vec<_> = self.weights.lacking.0.iter().map(|&w| (w, None)).chain(open).collect();
        open.sort_by(|one, other| other.0.total_cmp(&one.0)); // stable: of equal ones the first
        let known = documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0));
        let (mut ahead, mut relevant) = (known.map(|x| x.a - x.b).sum::<f64>(), self.relevant);
        let (mut value, mut taken) = (self.value(ahead, relevant), 0);
        for (n, (delta, _)) in open.iter().enumerate() {
            ahead += delta;
            relevant += 1.0;
            if self.value(ahead, relevant) > value {
                (value, taken) = (self.value(ahead, relevant), n + 1);
            }
        }
        open[..taken].iter().filter_map(|one| one.1).for_each(|i| gains[i] = self.weights.top);
        Solution::exact(value, gains)
    }
}

impl Scores for Share<'_> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.a)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::med::solve::Document;
    use crate::med::solve::testing::Case;
    use crate::random::Random;

    /// Hits of both, and relevant documents in either.
    fn counts(case: &Case, gains: &[f64], lacking: (f64, f64)) -> (f64, f64, f64) {
        let of = |gains: &[f64]| gains.iter().filter(|&&gain| gain > 0.0).count() as f64;
        let (a, b) = case.by_rank(gains, lacking);
        let alone = case.instance.documents.iter().zip(gains).filter(|(x, _)| x.a == 0).map(|(_, &gain)| gain);
        let of_b = of(&alone.collect::<Vec<_>>()) + case.lacking().1 as f64 * lacking.1;
        (of(&a), of(&b), of(&a) + of_b)
    }

    #[test]
    fn they_are_the_largest_over_all_assignments() {
        let mut random = Random::new(1);
        for seed in 0..3000 {
            let mut case = Case::draw(seed, &[0.0, 1.0]);
            if seed % 3 > 0 {
                case.instance = case.instance.filled(); // each of them has a value of its own
            }
            let elsewhere = random.below(3) as f64;
            let k = case.instance.depth as f64;
            let recall_of =
                |(a, b, r): (f64, f64, f64), more: f64| if r + more > 0.0 { (a - b) / (r + more) } else { 0.0 };
            let f1_of = |(a, b, r): (f64, f64, f64), more: f64| 2.0 * (a - b) / (k + r + more);
            let unknown = case.instance.documents.iter().filter(|x| x.known.is_none()).count();
            let mut largest = [f64::NEG_INFINITY; 2];
            for lacking in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
                crate::med::solve::testing::assignments(unknown, &[0.0, 1.0], &mut |chosen| {
                    let mut next = chosen.iter();
                    let mut gain = |x: &Document| x.known.unwrap_or_else(|| *next.next().expect("one for each"));
                    let gains: Vec<f64> = case.instance.documents.iter().map(&mut gain).collect();
                    let found = counts(&case, &gains, lacking);
                    largest[0] = largest[0].max(recall_of(found, elsewhere));
                    largest[1] = largest[1].max(f1_of(found, elsewhere));
                });
            }
            let weights = Weights::by_rank(&case.instance, &vec![1.0; case.instance.depth]);
            let known = case.instance.documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0)).count();
            let share = |f1| Share { weights: &weights, relevant: elsewhere + known as f64, f1 };
            let solutions = [share(None).largest(), share(Some(k)).largest()];
            for (i, (found, largest)) in solutions.iter().zip(largest).enumerate() {
                assert!((found.value - largest).abs() < 1e-15, "{seed} {i} {found:?} {largest} {case:?} {elsewhere:?}");
                let with = counts(&case, &found.gains, (1.0, 0.0));
                let again = [recall_of(with, elsewhere), f1_of(with, elsewhere)][i];
                assert!((again - largest).abs() < 1e-15, "{seed} {i} {found:?} {largest} {case:?}");
            }
        }
    }
}
