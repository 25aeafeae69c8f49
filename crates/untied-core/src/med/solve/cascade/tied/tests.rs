use super::super::{solve_discounted_tied, solve_tied};
use super::*;
use crate::med::solve::scores;
use crate::med::solve::testing::{Tied, orders};

/// The mean of a formula of a ranking over all its orders.
fn mean(
    list: &[usize],
    ends: &[u32],
    gains: &[f64],
    depth: usize,
    lacking: f64,
    formula: &dyn Fn(&[f64]) -> f64,
) -> f64 {
    let orders = orders(list, ends);
    let score = |order: &Vec<usize>| {
        let mut by_rank: Vec<f64> = order.iter().map(|&x| gains[x]).collect();
        by_rank.resize(by_rank.len().max(depth), lacking);
        formula(&by_rank[..depth])
    };
    orders.iter().map(score).sum::<f64>() / orders.len() as f64
}

/// Pairs of rankings, with what their orders are worth.
fn check(
    top: f64,
    tail: bool,
    formula: impl Fn(&[f64], &Instance, f64) -> f64,
    solve: impl Fn(&Tied, Work) -> Solution,
) {
    for seed in 0..1500 {
        let mut tied = Tied::draw(seed);
        tied.instance.top = top;
        if top == 1.0 {
            tied.instance.documents.iter_mut().for_each(|x| x.known = x.known.map(f64::ceil));
        }
        let depth = tied.instance.depth;
        let difference = |gains: &[f64]| {
            let of_a = |by_rank: &[f64]| formula(by_rank, &tied.instance, if tail { top } else { 0.0 });
            let of_b = |by_rank: &[f64]| formula(by_rank, &tied.instance, 0.0);
            mean(&tied.lists.0, &tied.ends.0, gains, depth, top, &of_a)
                - mean(&tied.lists.1, &tied.ends.1, gains, depth, 0.0, &of_b)
        };
        let largest = tied.largest(difference);
        let found = solve(&tied, Work::new(10_000_000));
        assert!((found.value - largest).abs() < 1e-12, "{seed} {found:?} {largest} {tied:?}");
        assert_eq!(found.bound, found.value, "{seed}");
        assert!((difference(&found.gains) - largest).abs() < 1e-12, "{seed} {found:?} {largest}");
        for steps in [0, 100, 1000, 5000] {
            let found = solve(&tied, Work::new(steps));
            assert!(
                found.value <= largest + 1e-12 && largest <= found.bound + 1e-12,
                "{seed} {steps} {found:?} {largest}"
            );
        }
    }
}

/// ERR with a tail of documents that all stop users with the same probability.
fn with_tail(by_rank: &[f64], tail: f64) -> f64 {
    let mut long = by_rank.to_vec();
    long.resize(if tail > 0.0 { 200 } else { by_rank.len() }, tail);
    scores::reciprocal_cascade(&long)
}

#[test]
fn reciprocal_cascades_are_the_largest_mean_over_all_assignments() {
    for (top, tail) in [(0.75, false), (0.5, false), (0.9375, true)] {
        let ends = |tied: &Tied| (tied.ends.0.clone(), tied.ends.1.clone());
        check(
            top,
            tail,
            |by_rank, _, tail| with_tail(by_rank, tail),
            |tied, work| {
                let (a, b) = ends(tied);
                solve_tied(&tied.instance, (&a, &b), tail, work)
            },
        );
    }
}

#[test]
fn discounted_cascades_are_the_largest_mean_over_all_assignments() {
    for (top, flat) in [(1.0, false), (1.0, true), (0.3, false)] {
        let discounts = |instance: &Instance| -> Vec<f64> {
            let fall = |i: usize| if flat { i / 7 } else { i - usize::from(i % 3 == 1) };
            (0..instance.depth).map(|i| 0.9f64.powi(fall(i) as i32)).collect()
        };
        check(
            top,
            false,
            |by_rank, instance, _| scores::cascade(by_rank, &discounts(instance)),
            |tied, work| {
                solve_discounted_tied(&tied.instance, (&tied.ends.0, &tied.ends.1), &discounts(&tied.instance), work)
            },
        );
    }
}
