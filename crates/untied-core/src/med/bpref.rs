//! Bpref, with denominators that do not move: R relevant and C = min(N, R) non-relevant documents, whatever is assigned.
//!
//! Every document within the depth k is judged, one way or the other; with n_C(x) non-relevant ones above x
//!
//!   S(C) = (1/R) sum over relevant x of 1 - n_C(x) / C,    n_C(x) = rank - 1 - relevant ones above it,
//!
//! where C >= k - 1, so that min(n, C) = n. (As R of AP, both may be taken as k: there may be so many.) With h relevant
//! documents the sum of n is that of rank - 1, less h (h - 1) / 2. For s relevant documents of both rankings and
//! u_A, u_B others, (h_A^2 - h_B^2) / 2 = (u_A - u_B) (u_A + u_B + 2 s) / 2 is linear in s. A document of A alone always
//! helps and one of B alone never does, so u_A and u_B are given, and what is left is one choice a document:
//!
//!   x of both is relevant iff b(x) - a(x) + u_A - u_B > 0.

use super::{Instance, Solution};

/// The largest difference in bpref for R relevant documents and C non-relevant ones that count; nothing where C is
/// less than the depth - 1, as then there is no such closed form.
#[must_use]
pub fn solve(instance: &Instance, relevant: f64, nonrelevant: f64) -> Option<Solution> {
    if nonrelevant < instance.depth as f64 - 1.0 {
        return None;
    }
    let alone = |x: &super::Document| x.a == 0 || x.b == 0;
    let mut gains: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
    let mut others = instance.depth.saturating_sub(instance.lengths.0) as f64;
    let mut places: f64 = (instance.lengths.0..instance.depth).map(|above| above as f64).sum();
    let mut shown = others;
    for (x, gain) in instance.documents.iter().zip(&mut gains).filter(|(x, _)| alone(x)) {
        if x.known.is_none() && x.a > 0 {
            *gain = instance.top;
        }
        if *gain > 0.0 {
            let (sign, rank) = if x.a > 0 { (1.0, x.a) } else { (-1.0, x.b) };
            others += sign;
            shown += 1.0;
            places += sign * (f64::from(rank) - 1.0);
        }
    }
    let mut of_both = 0.0;
    for (x, gain) in instance.documents.iter().zip(&mut gains).filter(|(x, _)| !alone(x)) {
        let nearer = f64::from(x.b) - f64::from(x.a) + others;
        if x.known.is_none() && nearer > 0.0 {
            *gain = instance.top;
        }
        if *gain > 0.0 {
            of_both += nearer;
        }
    }
    // Without those of both: sums of rank - 1, and h (h - 1) / 2 of either.
    let above = places - (others * shown - others) / 2.0;
    let value = (others - (above - of_both) / nonrelevant.max(1.0)) / relevant;
    Some(Solution { value, bound: value, gains, nodes: 0 })
}

/// Bpref times R of gains by rank, where so many non-relevant documents count.
#[must_use]
pub fn score(gains: &[f64], nonrelevant: f64) -> f64 {
    let (mut above, mut sum) = (0.0, 0.0);
    for &gain in gains {
        if gain > 0.0 {
            sum += if above == 0.0 { 1.0 } else { 1.0 - f64::min(above, nonrelevant) / nonrelevant };
        } else {
            above += 1.0;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::med::testing::Case;

    fn bpref(gains: &[f64], relevant: f64, nonrelevant: f64) -> f64 {
        score(gains, nonrelevant) / relevant
    }

    #[test]
    fn it_is_the_largest_over_all_assignments() {
        for seed in 0..4000 {
            let case = Case::draw(seed, &[0.0, 1.0]);
            let nonrelevant = (case.instance.depth as u64 - 1 + seed % 3) as f64;
            let difference = |a: &[f64], b: &[f64]| bpref(a, 7.0, nonrelevant) - bpref(b, 7.0, nonrelevant);
            let found = solve(&case.instance, 7.0, nonrelevant).expect("enough");
            let largest = case.largest(&[0.0, 1.0], difference);
            assert!((found.value - largest).abs() < 1e-14, "{seed} {found:?} {largest} {case:?}");
            assert!((case.value(&found.gains, difference) - largest).abs() < 1e-14, "{seed} {case:?}");
            assert_eq!(solve(&case.instance, 7.0, case.instance.depth as f64 - 2.0), None);
        }
    }
}
