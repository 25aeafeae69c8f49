//! Statistics over all orders of a tie group that depend on the number of documents of each kind above each rank.
//!
//! A point c = (c_1, c_2, ..) says how many documents of each kind are placed so far. Let V(c) be the value of the rest
//! of the order, and s(c, k, x) this value if the next document is of kind k and those after it have the value x. Then
//!
//!   V(c) = s(c, k, V(c with one more k))    with probability (documents of kind k left) / (documents left).
//!
//! From the end backwards, this gives the mean, variance, minimum and maximum over all orders. They are exact, because
//! large numbers are never subtracted. The cost is the number of points, the product of (documents of a kind + 1).

use super::Outcome;

/// The most points that [`over_orders`] and [`by_kind`] visit.
const LIMIT: usize = 1 << 21;
/// The condition under which there are more points, for users.
pub const MANY_KINDS: &str = "a tie group has many documents of several kinds (grades, strata or weights)";

/// With more points than this, a formula for the variance is faster than visiting them, if there is one.
const MANY: usize = 1 << 14;

/// The largest number of steps between points, if only some of the points are visited.
const STEPS: usize = 100_000_000;

/// The points of a tie group: how many documents of each kind may stand before a position.
pub(crate) struct Lattice<'c> {
    /// The number of documents of each kind; `size` is their sum.
    counts: &'c [usize],
    size: usize,
    /// The number of positions that count.
    slots: usize,
    /// The largest number of documents of each kind that a point has.
    most: Vec<usize>,
    /// For each kind, how far apart two points are in a list of all points if one has a document of the kind more. The
    /// most frequent kind varies slowest, so that the fewest points have to be kept.
    strides: Vec<usize>,
    by_count: Vec<usize>,
}

impl Lattice<'_> {
    /// The lattice of a group with `counts` documents of each kind. Only the first `slots` positions matter, and after
    /// `most(kind)` documents of a kind the value no longer changes.
    pub(crate) fn new(counts: &[usize], slots: usize, most: impl Fn(usize) -> usize) -> Lattice<'_> {
        let mut by_count: Vec<usize> = (0..counts.len()).collect();
        by_count.sort_by_key(|&kind| counts[kind]);
        let most: Vec<usize> = (0..counts.len()).map(|kind| counts[kind].min(slots).min(most(kind))).collect();
        let mut strides = vec![0; counts.len()];
        let mut stride: usize = 1;
        for &kind in &by_count {
            strides[kind] = stride;
            stride = stride.saturating_mul(most[kind] + 1);
        }
        Lattice { counts, size: counts.iter().sum(), slots, most, strides, by_count }
    }

    /// Whether there are few enough steps.
    pub(crate) fn is_short(&self) -> bool {
        self.period().saturating_mul(self.slots).saturating_mul(self.counts.len()) <= STEPS
    }

    /// The number of points with a fixed number of documents of the most frequent kind.
    fn period(&self) -> usize {
        self.strides.iter().copied().max().unwrap_or(1)
    }

    /// The statistics of the whole group. `settled(placed, point)` returns them for a point after which the value no
    /// longer changes, such as one where all positions are taken. `step(placed, point, kind, after)` returns them for a
    /// point where a document of this kind comes next, given those of what follows.
    pub(crate) fn outcome(
        &self,
        settled: impl Fn(usize, &[usize]) -> Option<Outcome>,
        step: impl Fn(usize, &[usize], usize, Outcome) -> Outcome,
    ) -> Outcome {
        // A step leads to a point that is at most a period further on, so older points can be overwritten.
        let room = self.period() + 1;
        let mut recent = vec![Outcome::default(); room];
        let mut point = self.most.clone();
        let mut placed: usize = point.iter().sum();
        let points = point.iter().map(|most| most + 1).product::<usize>();
        let mut next = Vec::with_capacity(point.len());
        let mut at = (points - 1) % room;
        for _ in 0..points {
            if placed <= self.slots {
                recent[at] = settled(placed, &point).unwrap_or_else(|| {
                    next.clear();
                    for (kind, (&here, &count)) in point.iter().zip(self.counts).enumerate() {
                        if here < count {
                            let next_at = at + self.strides[kind];
                            let after = recent[if next_at < room { next_at } else { next_at - room }];
                            let share = (count - here) as f64 / (self.size - placed) as f64;
                            next.push((share, step(placed, &point, kind, after)));
                        }
                    }
                    Outcome::mix(&next)
                });
            }
            at = at.checked_sub(1).unwrap_or(room - 1);
            for &kind in &self.by_count {
                if point[kind] > 0 {
                    point[kind] -= 1;
                    placed -= 1;
                    break;
                }
                point[kind] = self.most[kind];
                placed += self.most[kind];
            }
        }
        recent[0]
    }
}

/// Whether [`over_orders`] has an answer for a group with `counts` documents of each kind.
pub(crate) fn is_small(counts: &[usize]) -> bool {
    points(counts).is_some()
}

/// Whether a formula for the variance, if there is one, is faster than visiting all points.
pub(crate) fn is_long(counts: &[usize]) -> bool {
    points(counts).is_none_or(|points| points > MANY)
}

fn points(counts: &[usize]) -> Option<usize> {
    let product = counts.iter().try_fold(1_usize, |product, count| product.checked_mul(count + 1));
    product.filter(|&product| product <= LIMIT)
}

/// The statistics of the sum of `term(documents of each kind before, kind)` over the documents of a group that has
/// `counts` of each kind; none if the lattice would have too many points.
pub(crate) fn over_orders(counts: &[usize], term: impl Fn(&[usize], usize) -> f64) -> Option<Outcome> {
    let lattice = is_small(counts).then(|| Lattice::new(counts, usize::MAX, |_| usize::MAX))?;
    let end = |placed, _: &[usize]| (placed == lattice.size).then(Outcome::default);
    Some(lattice.outcome(end, |_, point, kind, after| after.after(term(point, kind), 1.0)))
}

/// For each kind, how far apart two points are if one has a document of it more. The first kind varies fastest.
fn strides(counts: &[usize]) -> Vec<usize> {
    counts.iter().scan(1, |stride, count| Some(std::mem::replace(stride, *stride * (count + 1)))).collect()
}

/// Visits all points from the start, each with its probability. Returns false if there are too many points.
pub(crate) fn forward(counts: &[usize], mut visit: impl FnMut(&[usize], f64)) -> bool {
    let Some(points) = points(counts) else { return false };
    let all: usize = counts.iter().sum();
    let strides = strides(counts);
    let mut chances = vec![0.0; points];
    chances[0] = 1.0;
    let mut placed = vec![0; counts.len()];
    for point in 0..points {
        visit(&placed, chances[point]);
        let left = (all - placed.iter().sum::<usize>()) as f64;
        for kind in (0..counts.len()).filter(|&kind| placed[kind] < counts[kind]) {
            chances[point + strides[kind]] += chances[point] * ((counts[kind] - placed[kind]) as f64 / left);
        }
        next_point(&mut placed, counts);
    }
    true
}

/// Moves on to the next point.
fn next_point(placed: &mut [usize], counts: &[usize]) {
    for (placed, count) in placed.iter_mut().zip(counts) {
        *placed += 1;
        if *placed <= *count {
            break;
        }
        *placed = 0;
    }
}

/// For each kind, the mean of `term` for one document of it; none if there are too many points.
///
/// Points are visited forward. The probability of a point c is the sum over kinds of the probability of c with one
/// document less, times that of the step to c.
pub(crate) fn by_kind(counts: &[usize], term: impl Fn(&[usize], usize) -> f64) -> Option<Vec<f64>> {
    let points = points(counts)?;
    let all: usize = counts.iter().sum();
    let strides = strides(counts);
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
        next_point(&mut placed, counts);
    }
    Some(sums.iter().zip(counts).map(|(sum, &count)| sum / count as f64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_of_the_first_of_two_among_four() {
        // The first hit is at rank 1, 2 or 3, with probabilities 3/6, 2/6 and 1/6.
        let term = |placed: &[usize], kind: usize| {
            if kind == 1 && placed[1] == 0 { (placed[0] + placed[2] + 1) as f64 } else { 0.0 }
        };
        for counts in [[2, 2, 0], [1, 2, 1], [0, 2, 2]] {
            let outcome = over_orders(&counts, term).expect("few points");
            assert!((outcome.mean - 5.0 / 3.0).abs() < 1e-15, "{outcome:?}");
            assert!((outcome.variance - 5.0 / 9.0).abs() < 1e-15, "{outcome:?}");
            assert_eq!((outcome.low, outcome.high), (1.0, 3.0));
        }
        // The mean rank of four documents is 2.5, for each kind.
        assert_eq!(by_kind(&[1, 3], |placed, _| (placed[0] + placed[1] + 1) as f64), Some(vec![2.5, 2.5]));
        let outcome = by_kind(&[2, 2], |placed, kind| f64::from(u8::from(kind == 1 && placed[1] == 0))).expect("few");
        assert_eq!(outcome[0], 0.0);
        assert!((outcome[1] - 0.5).abs() < 1e-15, "{outcome:?}");
        assert_eq!(over_orders(&[], |_, _| 1.0), Some(Outcome::default()));
        assert!(!is_small(&[3_000, 3_000]) && over_orders(&[3_000, 3_000], |_, _| 1.0).is_none());
    }
}
