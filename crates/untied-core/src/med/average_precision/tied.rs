//! Rankings with ties: the largest difference of AP's means over all orders of both rankings.
//!
//! A document of a tie group with n documents after t others has the inverse rank `m = 1/n sum_i 1/i` on average, i from
//! t + 1 to t + n. Two documents of different groups meet at the rank of the lower one, which makes that group's m, the
//! smaller; two of the same group at the lower of two ranks: `u = sum_i 2 (i - t - 1) / (n (n - 1)) / i`. Ranks below
//! the depth count nothing. So this is the same quadratic program with m for 1/rank, but that `q_xy` of two documents
//! tied in A is less by m - u, and of two tied in B it is more.

use super::core::{Core, Tie};
use super::program::Variable;
use super::{Solution, Workspace};
use crate::med::Instance;
use crate::med::expected::{self, Moments, Uncertain};

/// A tie group.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    /// Ranks of its first and its last document, added up.
    place: usize,
    /// m.
    mean: f64,
    /// u.
    together: f64,
    /// How many of its documents are relevant for certain.
    on: f64,
    /// What an undecided one gains with these and those of other groups.
    gain: f64,
}

impl Group {
    fn new(start: usize, end: usize, depth: usize) -> Group {
        let n = (end - start) as f64;
        let inverse = |rank: usize| 1.0 / rank as f64;
        let ranks = || start + 1..=end.min(depth);
        let lower = |rank: usize| (rank - start - 1) as f64 * inverse(rank);
        Group {
            place: start + 1 + end,
            mean: ranks().map(inverse).sum::<f64>() / n,
            together: if n > 1.0 { 2.0 * ranks().map(lower).sum::<f64>() / (n * (n - 1.0)) } else { 0.0 },
            ..Group::default()
        }
    }

    /// All groups of a ranking, and those of one document each that fill it up.
    fn all(ends: &[u32], depth: usize) -> Vec<Group> {
        let length = ends.last().map_or(0, |&end| end as usize);
        let mut start = 0;
        let ends = ends.iter().map(|&end| end as usize).chain(length + 1..=depth);
        ends.map(|end| Group::new(std::mem::replace(&mut start, end), end, depth)).collect()
    }

    fn tie(&self, number: usize) -> Tie {
        Tie { group: number, less: self.mean - self.together }
    }

    /// Put in what undecided documents gain; the value of what is certain.
    fn sum(groups: &mut [Group]) -> f64 {
        let (mut before, mut value, mut below) = (0.0, 0.0, 0.0);
        for group in &mut *groups {
            group.gain = (1.0 + before) * group.mean + group.on * group.together;
            value += group.on * ((1.0 + before) * group.mean + (group.on - 1.0) / 2.0 * group.together);
            before += group.on;
        }
        for group in groups.iter_mut().rev() {
            group.gain += below;
            below += group.on * group.mean;
        }
        value
    }
}

/// The largest mean of `S(A) - S(B)`, as [`super::solve`] but for rankings whose tie groups end after so many documents;
/// a document's rank is any within its group, also below the depth where the group begins above it.
#[must_use]
pub fn solve_tied(instance: &Instance, ends: (&[u32], &[u32]), limit: u64, workspace: &mut Workspace) -> Solution {
    let (mut a, mut b) = (Group::all(ends.0, instance.depth), Group::all(ends.1, instance.depth));
    let group = |ends: &[u32], rank: u32| ends.partition_point(|&end| end < rank);
    let of = |i: usize| {
        let x = &instance.documents[i];
        (group(ends.0, x.a), group(ends.1, x.b))
    };
    // What A lacks is relevant, as is what only A has.
    a.iter_mut().skip(ends.0.len()).for_each(|group| group.on = 1.0);
    let core = &mut workspace.search.core;
    core.variables.clear();
    let mut gains = Vec::with_capacity(instance.documents.len());
    for (id, x) in instance.documents.iter().enumerate() {
        let (of_a, of_b) = of(id);
        if x.known.is_none() && x.a > 0 && x.b > 0 {
            core.variables.push(Variable { a: a[of_a].place, b: b[of_b].place, id });
        }
        let on = x.known.map_or(x.b == 0, |gain| gain > 0.0);
        gains.push(x.known.unwrap_or(if on { instance.top } else { 0.0 }));
        if on && x.a > 0 {
            a[of_a].on += 1.0;
        }
        if on && x.b > 0 {
            b[of_b].on += 1.0;
        }
    }
    let certain = Group::sum(&mut a) - Group::sum(&mut b);
    core.variables.sort_unstable_by_key(|x| (x.a + x.b, x.a, x.id));
    core.inverse.clear();
    core.ties.clear();
    for x in &core.variables {
        let (of_a, of_b) = of(x.id);
        core.inverse.push((a[of_a].mean, b[of_b].mean));
        core.ties.push((a[of_a].tie(of_a), b[of_b].tie(of_b)));
    }
    let linear = |x: Variable| {
        let (of_a, of_b) = of(x.id);
        a[of_a].gain - b[of_b].gain
    };
    let search = &mut workspace.search;
    let open = search.settle(linear, certain, usize::MAX, limit);
    search.decided().filter(|(_, on)| *on).for_each(|(x, _)| gains[x.id] = instance.top);
    let depth = instance.depth.max(1) as f64;
    let value = search.value() / depth;
    Solution { value, bound: open.map_or(value, |bound| value.max(bound / depth)), gains, nodes: search.nodes }
}

/// Mean and variance of the difference of these means, times the depth, for documents that are relevant with chances of
/// their own, as [`crate::med::expected::average_precision`]; ranks as for [`solve_tied`]. What a ranking lacks gains
/// nothing. The variance is over what is relevant, not over orders.
#[must_use]
pub fn expected_tied(documents: &[Uncertain], ends: (&[u32], &[u32]), depth: usize) -> Moments {
    let (a, b) = (Group::all(ends.0, depth), Group::all(ends.1, depth));
    let place = |groups: &[Group], ends: &[u32], rank: u32| match rank {
        0 => (0.0, Tie { group: usize::MAX, less: 0.0 }),
        _ => {
            let number = ends.partition_point(|&end| end < rank);
            (groups[number].mean, groups[number].tie(number))
        }
    };
    let mut core = Core::default();
    let mut chances = Vec::new();
    for x in documents.iter().filter(|x| x.relevant() > 0.0) {
        let ((mean_a, of_a), (mean_b, of_b)) = (place(&a, ends.0, x.a), place(&b, ends.1, x.b));
        core.inverse.push((mean_a, mean_b));
        core.ties.push((of_a, of_b));
        chances.push(x.relevant());
    }
    expected::pairs(&chances, |x, y| core.pair(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::med::average_precision::solve;
    use crate::med::scores;
    use crate::med::testing::{Tied, assignments, orders};

    /// The mean of AP of a ranking over all its orders.
    fn mean(list: &[usize], ends: &[u32], gains: &[f64], depth: usize, lacking: f64) -> f64 {
        let orders = orders(list, ends);
        let score = |order: &Vec<usize>| {
            let mut by_rank: Vec<f64> = order.iter().map(|&x| gains[x]).collect();
            by_rank.resize(by_rank.len().max(depth), lacking);
            scores::average_precision(&by_rank[..depth]) / depth as f64
        };
        orders.iter().map(score).sum::<f64>() / orders.len() as f64
    }

    #[test]
    fn it_is_the_largest_mean_over_all_assignments() {
        for seed in 0..2000 {
            let tied = Tied::draw(seed);
            let (instance, depth) = (&tied.instance, tied.instance.depth);
            let difference = |gains: &[f64]| {
                mean(&tied.lists.0, &tied.ends.0, gains, depth, 1.0)
                    - mean(&tied.lists.1, &tied.ends.1, gains, depth, 0.0)
            };
            let largest = tied.largest(difference);
            let found = solve_tied(instance, (&tied.ends.0, &tied.ends.1), 1000, &mut Workspace::default());
            assert!((found.value - largest).abs() < 1e-12 && found.bound == found.value, "{seed} {found:?} {largest}");
            assert!((difference(&found.gains) - largest).abs() < 1e-12, "{seed} {found:?} {largest}");
        }
    }

    #[test]
    fn without_ties_it_is_the_solver_of_untied_rankings() {
        let mut workspace = Workspace::default();
        for seed in 0..500 {
            let Tied { mut instance, lists, .. } = Tied::draw(seed);
            instance.depth = lists.0.len().max(lists.1.len());
            let ends = |list: &[usize]| -> Vec<u32> { (1..=list.len() as u32).collect() };
            let found = solve_tied(&instance, (&ends(&lists.0), &ends(&lists.1)), 1000, &mut workspace);
            let untied = solve(&instance, 1000, &mut workspace);
            assert!((found.value - untied.value).abs() < 1e-12 && found.bound == found.value, "{seed}");
        }
    }

    #[test]
    fn expected_differences_are_those_over_all_assignments() {
        for seed in 0..1000 {
            let tied = Tied::draw(seed);
            let depth = tied.instance.depth;
            let documents = tied.instance.uncertain(|x| [0.0, 1.0, 0.5, 0.2][(x.a + x.b) as usize % 4]);
            let (mut first, mut second) = (0.0, 0.0);
            assignments(documents.len(), &[0.0, 1.0], &mut |chosen| {
                let pairs = || documents.iter().zip(chosen);
                let chance = |(x, &on): (&Uncertain, &f64)| if on > 0.0 { x.chance } else { 1.0 - x.chance };
                let weight: f64 = pairs().map(chance).product();
                if weight > 0.0 {
                    let gains: Vec<f64> = pairs().map(|(x, on)| x.gain * on).collect();
                    let of = |list, ends| depth as f64 * mean(list, ends, &gains, depth, 0.0);
                    let found = of(&tied.lists.0, &tied.ends.0) - of(&tied.lists.1, &tied.ends.1);
                    (first, second) = (first + weight * found, second + weight * found * found);
                }
            });
            let found = expected_tied(&documents, (&tied.ends.0, &tied.ends.1), depth);
            assert!((found.mean - first).abs() < 1e-12, "{seed} {found:?} {first}");
            assert!((found.variance - (second - first * first)).abs() < 1e-12, "{seed} {found:?} {second}");
        }
    }
}
