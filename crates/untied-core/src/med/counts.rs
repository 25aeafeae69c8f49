//! Measures of the numbers of relevant documents: R@k, F1@k, Success@k.
//!
//! R, the number of relevant documents, grows with every one that is found:
//!
//!   R@k = h / R,    F1@k = 2 h / (k + R),    h relevant documents among the first k.
//!
//! The difference of two rankings has the same denominator, and h(A) - h(B) is at most R. So a document of A alone
//! never lowers it when it becomes relevant ((n + 1) / (d + 1) >= n / d where n <= d), one of B alone never raises it,
//! and one of both, or of neither, only makes the denominator larger: that helps just where A stays behind.
//! With R = 0 there is no difference.

use super::{Document, Instance, Solution};

/// Documents that are in neither ranking, but count in R.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Elsewhere {
    /// Those that are known to be relevant.
    pub relevant: usize,
    /// Those that are not known, and may be relevant.
    pub unknown: usize,
}

/// The largest R@k(A) - R@k(B), k the depth.
#[must_use]
pub fn recall(instance: &Instance, elsewhere: Elsewhere) -> Solution {
    share(instance, elsewhere, |ahead, relevant| if relevant == 0.0 { 0.0 } else { ahead / relevant })
}

/// The largest F1@k(A) - F1@k(B), k the depth.
#[must_use]
pub fn f1(instance: &Instance, elsewhere: Elsewhere) -> Solution {
    let k = instance.depth as f64;
    share(instance, elsewhere, |ahead, relevant| 2.0 * ahead / (k + relevant))
}

/// The value of h(A) - h(B) and R at their best.
fn share(instance: &Instance, elsewhere: Elsewhere, value: impl Fn(f64, f64) -> f64) -> Solution {
    let lacking = instance.depth.saturating_sub(instance.lengths.0) as f64;
    let mut gains = gains(instance);
    let (mut ahead, mut relevant) = (lacking, lacking + elsewhere.relevant as f64);
    for (x, &gain) in instance.documents.iter().zip(&gains).filter(|(_, gain)| **gain > 0.0) {
        ahead += f64::from(i8::from(x.a > 0) - i8::from(x.b > 0));
        relevant += gain.signum();
    }
    if ahead < 0.0 {
        relevant += elsewhere.unknown as f64;
        for (x, gain) in instance.documents.iter().zip(&mut gains).filter(|(x, _)| is_open(x)) {
            *gain = instance.top;
            relevant += f64::from(u8::from(x.a > 0 && x.b > 0));
        }
    }
    solution(value(ahead, relevant), gains)
}

/// The largest Success@k(A) - Success@k(B), k the depth: 1 if only A has a relevant document, -1 if only B.
#[must_use]
pub fn success(instance: &Instance) -> Solution {
    let mut gains = gains(instance);
    let lacking = instance.lengths.0 < instance.depth;
    let relevant = || instance.documents.iter().zip(&gains).filter(|(_, gain)| **gain > 0.0).map(|(x, _)| x);
    let (mut of_a, of_b) = (lacking || relevant().any(|x| x.a > 0), relevant().any(|x| x.b > 0));
    if of_b && !of_a {
        // B has one anyway, so one of both does no harm.
        if let Some(open) = instance.documents.iter().position(is_open) {
            gains[open] = instance.top;
            of_a = true;
        }
    }
    solution(f64::from(i8::from(of_a) - i8::from(of_b)), gains)
}

/// Whether it is unknown and in both rankings.
fn is_open(x: &Document) -> bool {
    x.known.is_none() && x.a > 0 && x.b > 0
}

/// Gains where all that only A has is relevant, and nothing else that is unknown.
fn gains(instance: &Instance) -> Vec<f64> {
    let gain = |x: &Document| x.known.unwrap_or(if x.b == 0 { instance.top } else { 0.0 });
    instance.documents.iter().map(gain).collect()
}

fn solution(value: f64, gains: Vec<f64>) -> Solution {
    Solution { value, bound: value, gains, nodes: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::med::testing::Case;
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
            let elsewhere = Elsewhere { relevant: random.below(3) as usize, unknown: random.below(3) as usize };
            let k = case.instance.depth as f64;
            let recall_of =
                |(a, b, r): (f64, f64, f64), more: f64| if r + more > 0.0 { (a - b) / (r + more) } else { 0.0 };
            let f1_of = |(a, b, r): (f64, f64, f64), more: f64| 2.0 * (a - b) / (k + r + more);
            let success_of = |(a, b, _): (f64, f64, f64)| a.min(1.0) - b.min(1.0);
            let unknown = case.instance.documents.iter().filter(|x| x.known.is_none()).count();
            let mut largest = [f64::NEG_INFINITY; 3];
            for lacking in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
                crate::med::testing::assignments(unknown, &[0.0, 1.0], &mut |chosen| {
                    let mut next = chosen.iter();
                    let mut gain = |x: &Document| x.known.unwrap_or_else(|| *next.next().expect("one for each"));
                    let gains: Vec<f64> = case.instance.documents.iter().map(&mut gain).collect();
                    let found = counts(&case, &gains, lacking);
                    for more in elsewhere.relevant..=elsewhere.relevant + elsewhere.unknown {
                        largest[0] = largest[0].max(recall_of(found, more as f64));
                        largest[1] = largest[1].max(f1_of(found, more as f64));
                    }
                    largest[2] = largest[2].max(success_of(found));
                });
            }
            let solutions = [recall(&case.instance, elsewhere), f1(&case.instance, elsewhere), success(&case.instance)];
            for (i, (found, largest)) in solutions.iter().zip(largest).enumerate() {
                assert!((found.value - largest).abs() < 1e-15, "{seed} {i} {found:?} {largest} {case:?} {elsewhere:?}");
                let with = counts(&case, &found.gains, (1.0, 0.0));
                let more = elsewhere.relevant as f64 + if with.0 < with.1 { elsewhere.unknown as f64 } else { 0.0 };
                let again = [recall_of(with, more), f1_of(with, more), success_of(with)][i];
                assert!((again - largest).abs() < 1e-15, "{seed} {i} {found:?} {largest} {case:?}");
            }
        }
    }
}
