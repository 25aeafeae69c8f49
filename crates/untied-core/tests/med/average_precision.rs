use untied_core::med::average_precision::{Workspace, solve};
use untied_core::med::{Instance, Solution};

use crate::enumerate::{laid_out, largest};
use crate::families::{CLASSES, Random, adversarial, class, instance, judged, small};

/// `S(A) - S(B)` from the definition.
fn difference(instance: &Instance, gains: &[f64], fill: (f64, f64)) -> f64 {
    let score = |relevance: Vec<f64>| {
        let precision = |rank: usize| relevance[..=rank].iter().sum::<f64>() / (rank + 1) as f64;
        (0..instance.depth).map(|rank| relevance[rank] * precision(rank)).sum::<f64>() / instance.depth as f64
    };
    let (a, b) = laid_out(instance, gains, fill);
    score(a) - score(b)
}

fn enumerate(instance: &Instance) -> f64 {
    largest(instance, &[0.0, 1.0], |gains, fill| difference(instance, gains, fill))
}

fn assert_consistent(instance: &Instance, solution: &Solution) {
    let fill = (1.0, 0.0);
    assert!((difference(instance, &solution.gains, fill) - solution.value).abs() < 1e-12, "{instance:?} {solution:?}");
    for (document, gain) in instance.documents.iter().zip(&solution.gains) {
        assert!(document.known.is_none_or(|known| known == *gain));
    }
}

#[test]
fn equals_enumeration() {
    let (mut random, mut workspace) = (Random(1), Workspace::default());
    for _ in 0..3000 {
        let instance = small(&mut random, 1.0, &[0.0, 1.0]);
        for instance in [instance.swapped(), instance] {
            let solution = solve(&instance, 20_000, &mut workspace);
            let best = enumerate(&instance);
            assert!((solution.value - best).abs() < 1e-12, "{best} {solution:?} {instance:?}");
            assert_eq!(solution.bound, solution.value);
            assert_consistent(&instance, &solution);
        }
    }
}

/// All orders of six documents.
#[test]
fn equals_enumeration_of_all_orders() {
    let mut workspace = Workspace::default();
    let mut order: Vec<usize> = (0..6).collect();
    let mut counters = [0; 6];
    let mut place = 0;
    while place < 6 {
        let instance = instance(&[0, 1, 2, 3, 4, 5], &order, 6, 1.0, |_| None);
        let solution = solve(&instance, 20_000, &mut workspace);
        assert!((solution.value - enumerate(&instance)).abs() < 1e-12, "{order:?}");
        while place < 6 && counters[place] >= place {
            counters[place] = 0;
            place += 1;
        }
        if place < 6 {
            order.swap(if place % 2 == 0 { 0 } else { counters[place] }, place);
            counters[place] += 1;
            place = 1;
        }
    }
}

/// Documents in the same order in both rankings leave nothing to branch on.
#[test]
fn same_order_takes_one_node() {
    let (mut random, mut workspace) = (Random(2), Workspace::default());
    for round in 0..300 {
        let depth = if round < 200 { 9 } else { 100 };
        let pick = |random: &mut Random, first: usize| -> Vec<usize> {
            (0..2 * depth).map(|x| if random.unit() < 0.3 { first + x } else { x }).take(depth).collect()
        };
        let (a, b) = (pick(&mut random, 1000), pick(&mut random, 2000));
        let known: Vec<Option<f64>> =
            (0..3000).map(|_| (random.unit() < 0.2).then(|| random.below(2) as f64)).collect();
        let instance = instance(&a, &b, depth, 1.0, |id| known[id]);
        for instance in [instance.swapped(), instance] {
            let solution = solve(&instance, 20_000, &mut workspace);
            assert!(solution.nodes <= 1);
            assert_eq!(solution.bound, solution.value);
            if depth == 9 && instance.documents.len() < 15 {
                assert!((solution.value - enumerate(&instance)).abs() < 1e-12);
            }
        }
    }
}

fn assert_solved(name: &str, instance: &Instance, limit: u64, workspace: &mut Workspace) -> u64 {
    let mut most = 0;
    for instance in [instance.swapped(), instance.clone()] {
        let solution = solve(&instance, limit, workspace);
        assert_eq!(solution.bound, solution.value, "{name} at depth {}: {} nodes", instance.depth, solution.nodes);
        assert_consistent(&instance, &solution);
        most = most.max(solution.nodes);
    }
    most
}

#[test]
fn hard_pairs_take_few_nodes() {
    let (mut random, mut workspace) = (Random(3), Workspace::default());
    for depth in [20, 50, 100, 200] {
        let a: Vec<usize> = (0..depth).collect();
        for share in [0.0, 0.25] {
            for (name, b) in adversarial(depth, &mut random) {
                let known = judged(&mut random, 2 * depth, depth, share, &[0.0, 1.0]);
                assert_solved(&name, &instance(&a, &b, depth, 1.0, |id| known[id]), 20, &mut workspace);
            }
        }
    }
}

#[test]
fn pairs_of_runs_take_few_nodes() {
    let (mut random, mut workspace) = (Random(4), Workspace::default());
    for name in CLASSES {
        for depth in [10, 20, 50, 100] {
            for share in [0.0, 0.25, 0.75] {
                for _ in 0..5 {
                    let (a, b) = class(name, depth, &mut random);
                    let known = judged(&mut random, 400.max(40 * depth), depth, share, &[0.0, 1.0]);
                    assert_solved(name, &instance(&a, &b, depth, 1.0, |id| known[id]), 20, &mut workspace);
                }
            }
        }
    }
}

/// Neighbours exchanged as long as that takes more of the search.
#[test]
fn pairs_bred_to_be_hard_are_solved() {
    let (mut random, mut workspace) = (Random(5), Workspace::default());
    for depth in [20, 50] {
        let a: Vec<usize> = (0..depth).collect();
        let mut b = a.clone();
        random.shuffle(&mut b);
        let mut most = 0;
        for _ in 0..300 {
            let (x, y) = (random.below(depth), random.below(depth));
            b.swap(x, y);
            let nodes = assert_solved("bred", &instance(&a, &b, depth, 1.0, |_| None), 200, &mut workspace);
            if nodes < most {
                b.swap(x, y);
            }
            most = most.max(nodes);
        }
    }
}

/// A search cut short still encloses the value.
#[test]
fn limit_leaves_an_interval() {
    let (mut random, mut workspace) = (Random(6), Workspace::default());
    for _ in 0..300 {
        let (a, b) = class("permrand", 30, &mut random);
        let known = judged(&mut random, 30, 30, 0.2, &[0.0, 1.0]);
        let instance = instance(&a, &b, 30, 1.0, |id| known[id]);
        let cut = solve(&instance, 1, &mut workspace);
        let whole = solve(&instance, 20_000, &mut workspace);
        assert!(cut.nodes <= 1 && cut.value <= whole.value && whole.value <= cut.bound);
    }
}
