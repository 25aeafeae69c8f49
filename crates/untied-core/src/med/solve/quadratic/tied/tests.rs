use super::*;
use crate::med::solve::quadratic::{Workspace, solve};
use crate::med::solve::scores;
use crate::med::solve::testing::{Tied, assignments, orders, uncertain};

/// The mean of AP of a ranking over all its orders.
fn mean(list: &[usize], ends: &[u32], gains: &[f64], depth: usize, lacking: f64) -> f64 {
    let orders = orders(list, ends);
    let score = |order: &Vec<usize>| {
        let mut by_rank: Vec<f64> = order.iter().map(|&x| gains[x]).collect();
        by_rank.resize(by_rank.len().max(depth), lacking);
        scores::precisions(&by_rank[..depth]) / depth as f64
    };
    orders.iter().map(score).sum::<f64>() / orders.len() as f64
}

#[test]
fn it_is_the_largest_mean_over_all_assignments() {
    for seed in 0..2000 {
        let tied = Tied::draw(seed);
        let (instance, depth) = (&tied.instance, tied.instance.depth);
        let difference = |gains: &[f64]| {
            mean(&tied.lists.0, &tied.ends.0, gains, depth, 1.0) - mean(&tied.lists.1, &tied.ends.1, gains, depth, 0.0)
        };
        let largest = tied.largest(difference);
        let found = solve_tied(instance, (&tied.ends.0, &tied.ends.1), Work::new(1_000_000));
        assert!((found.value - largest).abs() < 1e-12 && found.bound == found.value, "{seed} {found:?} {largest}");
        assert!((difference(&found.gains) - largest).abs() < 1e-12, "{seed} {found:?} {largest}");
    }
}

#[test]
fn it_is_the_largest_mean_over_all_assignments_to_more_documents() {
    for seed in 0..60 {
        let tied = Tied::draw_more(seed);
        let depth = tied.instance.depth;
        let orders = (orders(&tied.lists.0, &tied.ends.0), orders(&tied.lists.1, &tied.ends.1));
        if orders.0.len() + orders.1.len() > 2000 {
            continue;
        }
        let difference = |gains: &[f64]| {
            mean(&tied.lists.0, &tied.ends.0, gains, depth, 1.0) - mean(&tied.lists.1, &tied.ends.1, gains, depth, 0.0)
        };
        let largest = tied.largest(difference);
        for steps in [0, 1000, 3000, 1_000_000] {
            let found = solve_tied(&tied.instance, (&tied.ends.0, &tied.ends.1), Work::new(steps));
            assert!(found.value <= largest + 1e-12 && largest <= found.bound + 1e-12, "{seed} {steps} {found:?}");
            assert!(steps < 1_000_000 || found.bound == found.value, "{seed} {found:?}");
        }
    }
}

#[test]
fn little_work_leaves_an_interval_that_holds_the_value() {
    let mut intervals = 0;
    for seed in 0..500 {
        let tied = Tied::draw(seed);
        let ends = (&*tied.ends.0, &*tied.ends.1);
        let whole = solve_tied(&tied.instance, ends, Work::new(1_000_000));
        for steps in [0, 30, 100, 300] {
            let found = solve_tied(&tied.instance, ends, Work::new(steps));
            assert!(
                found.value <= whole.value + 1e-12 && whole.value <= found.bound + 1e-12,
                "{seed} {steps} {found:?}"
            );
            intervals += u32::from(found.bound > found.value);
        }
    }
    assert!(intervals > 100, "{intervals}");
}

#[test]
fn without_ties_it_is_the_solver_of_untied_rankings() {
    let mut workspace = Workspace::default();
    for seed in 0..500 {
        let Tied { mut instance, lists, .. } = Tied::draw(seed);
        instance.depth = lists.0.len().max(lists.1.len());
        let ends = |list: &[usize]| -> Vec<u32> { (1..=list.len() as u32).collect() };
        let found = solve_tied(&instance, (&ends(&lists.0), &ends(&lists.1)), Work::new(1_000_000));
        let untied = solve(&instance, 1000, &mut workspace);
        assert!((found.value - untied.value).abs() < 1e-12 && found.bound == found.value, "{seed}");
    }
}

#[test]
fn expected_differences_are_those_over_all_assignments() {
    for seed in 0..1000 {
        let tied = Tied::draw(seed);
        let depth = tied.instance.depth;
        let documents = uncertain(&tied.instance, |x| [0.0, 1.0, 0.5, 0.2][(x.a + x.b) as usize % 4]);
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
