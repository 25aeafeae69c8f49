//! Reciprocal rank: the largest 1 / A's first relevant rank - 1 / B's.
//!
//! Of all unknown documents that are made relevant only the one that A ranks first counts in A, and others can only
//! help B; so one is enough. With the first known relevant ranks k_A and k_B the value is
//!
//!   max of 1/k_A - 1/k_B and, over unknown x, 1/min(a(x), k_A) - 1/min(b(x), k_B),    1/rank being 0 where absent.
//!
//! The documents that A lacks are relevant, those that B lacks are not.

use super::{Document, Instance, Solution};

/// The largest RR(A) - RR(B), in one pass; documents of a gain above 0 are relevant.
#[must_use]
pub fn solve(instance: &Instance) -> Solution {
    let inverse = |rank: u32| if rank == 0 { 0.0 } else { 1.0 / f64::from(rank) };
    let relevant = instance.documents.iter().filter(|x| x.known.is_some_and(|gain| gain > 0.0));
    let lacking = if instance.lengths.0 < instance.depth { 1.0 / (instance.lengths.0 + 1) as f64 } else { 0.0 };
    let known = relevant.fold((lacking, 0.0f64), |(a, b), x| (a.max(inverse(x.a)), b.max(inverse(x.b))));
    let with = |x: &Document| known.0.max(inverse(x.a)) - known.1.max(inverse(x.b));
    let (mut value, mut best) = (known.0 - known.1, None);
    for (i, x) in instance.documents.iter().enumerate().filter(|(_, x)| x.known.is_none()) {
        if with(x) > value {
            (value, best) = (with(x), Some(i));
        }
    }
    let mut gains: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
    if let Some(best) = best {
        gains[best] = instance.top;
    }
    Solution { value, bound: value, gains, nodes: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::med::scores::reciprocal_rank;
    use crate::med::testing::Case;

    #[test]
    fn it_is_the_largest_over_all_assignments() {
        for seed in 0..4000 {
            let case = Case::draw(seed, &[0.0, 1.0]);
            let found = solve(&case.instance);
            let difference = |a: &[f64], b: &[f64]| reciprocal_rank(a) - reciprocal_rank(b);
            let largest = case.largest(&[0.0, 1.0], difference);
            assert!((found.value - largest).abs() < 1e-15, "{seed} {case:?}");
            assert!((case.value(&found.gains, difference) - largest).abs() < 1e-15, "{seed} {case:?}");
        }
    }
}
