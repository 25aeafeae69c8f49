//! Sums over the documents of a tie group whose terms depend on how many documents of each kind stand before.
//!
//! With c = (c_1, c_2, ..) documents of each kind placed so far and f(c, k) what a document of kind k adds there,
//!
//!   V(c) = f(c, k) + V(c with one more k)    with probability (documents of kind k left) / (documents left),
//!
//! gives mean, variance, minimum and maximum over all orders from the end backwards: exact, and with no differences
//! of large numbers. The cost is the number of points c, the product of (documents of the kind + 1).

/// Points that are visited at most in one group.
const LIMIT: usize = 1 << 21;
/// The same in words.
pub const MANY_KINDS: &str = "(documents of each kind + 1) times each other exceed 2 million in a group";

/// Statistics of a group's sum over its orders.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Outcome {
    pub mean: f64,
    pub variance: f64,
    pub low: f64,
    pub high: f64,
}

impl Outcome {
    /// Of a sum that is the same in all orders.
    pub(super) fn certain(value: f64) -> Outcome {
        Outcome { mean: value, variance: 0.0, low: value, high: value }
    }
}

/// Whether [`over_orders`] has an answer for so many documents of each kind.
pub(super) fn is_small(counts: &[usize]) -> bool {
    points(counts).is_some()
}

fn points(counts: &[usize]) -> Option<usize> {
    let product = counts.iter().try_fold(1_usize, |product, count| product.checked_mul(count + 1));
    product.filter(|&product| product <= LIMIT)
}

/// Statistics of the sum of `term(documents of each kind before, kind)` over the documents of a group, so many of
/// each kind; none where there are too many points.
pub(super) fn over_orders(counts: &[usize], term: impl Fn(&[usize], usize) -> f64) -> Option<Outcome> {
    let points = points(counts)?;
    // The largest kind varies slowest: the points that one still needs are then the fewest.
    let mut kinds: Vec<usize> = (0..counts.len()).collect();
    kinds.sort_by_key(|&kind| counts[kind]);
    let mut strides = vec![0; counts.len()];
    let mut stride = 1;
    for &kind in &kinds {
        strides[kind] = stride;
        stride *= counts[kind] + 1;
    }
    let room = strides.iter().max().map_or(1, |most| most + 1);
    let mut recent = vec![Outcome::default(); room];
    let mut placed = counts.to_vec();
    let mut left = 0;
    let mut next = Vec::with_capacity(counts.len()); // what may come next, with its probability
    for point in (0..points).rev() {
        next.clear();
        for kind in (0..counts.len()).filter(|&kind| placed[kind] < counts[kind]) {
            let (term, rest) = (term(&placed, kind), recent[(point + strides[kind]) % room]);
            let share = (counts[kind] - placed[kind]) as f64 / left as f64;
            next.push((
                share,
                Outcome { mean: term + rest.mean, low: term + rest.low, high: term + rest.high, ..rest },
            ));
        }
        let mut here = Outcome::default();
        if !next.is_empty() {
            here.mean = next.iter().map(|(share, next)| share * next.mean).sum();
            let variance = |next: &Outcome| next.variance + (next.mean - here.mean).powi(2);
            here.variance = next.iter().map(|(share, next)| share * variance(next)).sum();
            here.low = next.iter().map(|(_, next)| next.low).fold(f64::INFINITY, f64::min);
            here.high = next.iter().map(|(_, next)| next.high).fold(f64::NEG_INFINITY, f64::max);
        }
        recent[point % room] = here;
        for &kind in &kinds {
            if placed[kind] > 0 {
                placed[kind] -= 1;
                left += 1;
                break;
            }
            placed[kind] = counts[kind];
            left -= counts[kind];
        }
    }
    Some(recent[0])
}

/// For each kind, the mean of `term` for one document of it; none where there are too many points.
///
/// Forward, with the probability of each point: that of c is the sum over kinds of that of c with one less, times what
/// makes this step.
pub(super) fn by_kind(counts: &[usize], term: impl Fn(&[usize], usize) -> f64) -> Option<Vec<f64>> {
    let points = points(counts)?;
    let all: usize = counts.iter().sum();
    let strides: Vec<usize> =
        counts.iter().scan(1, |stride, count| Some(std::mem::replace(stride, *stride * (count + 1)))).collect();
    let mut chances = vec![0.0; points];
    chances[0] = 1.0;
    let mut sums = vec![0.0; counts.len()];
    let mut placed = vec![0; counts.len()];
    for point in 0..points {
        let left = (all - placed.iter().sum::<usize>()) as f64;
        for kind in (0..counts.len()).filter(|&kind| placed[kind] < counts[kind]) {
            let step = chances[point] * (counts[kind] - placed[kind]) as f64 / left;
            chances[point + strides[kind]] += step;
            sums[kind] += step * term(&placed, kind);
        }
        for (placed, count) in placed.iter_mut().zip(counts) {
            *placed += 1;
            if *placed <= *count {
                break;
            }
            *placed = 0;
        }
    }
    Some(sums.iter().zip(counts).map(|(sum, &count)| sum / count as f64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_of_the_first_of_two_among_four() {
        // Ranks 1, 2 and 3 with probabilities 3/6, 2/6 and 1/6.
        let term = |placed: &[usize], kind: usize| {
            if kind == 1 && placed[1] == 0 { (placed[0] + placed[2] + 1) as f64 } else { 0.0 }
        };
        for counts in [[2, 2, 0], [1, 2, 1], [0, 2, 2]] {
            let found = over_orders(&counts, term).expect("few points");
            assert!((found.mean - 5.0 / 3.0).abs() < 1e-15, "{found:?}");
            assert!((found.variance - 5.0 / 9.0).abs() < 1e-15, "{found:?}");
            assert_eq!((found.low, found.high), (1.0, 3.0));
        }
        // One of four stands at rank 2.5 on average, of whatever kind.
        assert_eq!(by_kind(&[1, 3], |placed, _| (placed[0] + placed[1] + 1) as f64), Some(vec![2.5, 2.5]));
        let found = by_kind(&[2, 2], |placed, kind| f64::from(u8::from(kind == 1 && placed[1] == 0))).expect("few");
        assert_eq!(found[0], 0.0);
        assert!((found[1] - 0.5).abs() < 1e-15, "{found:?}");
        assert_eq!(over_orders(&[], |_, _| 1.0), Some(Outcome::default()));
        assert!(!is_small(&[3_000, 3_000]) && over_orders(&[3_000, 3_000], |_, _| 1.0).is_none());
    }
}
