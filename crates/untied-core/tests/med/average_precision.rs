use untied_core::med::solve::quadratic::{Workspace, solve, solve_limited, solve_ratio};
use untied_core::med::solve::{Document, Instance, Solution};

use crate::enumerate::{laid_out, largest};
use crate::families::{CLASSES, Random, adversarial, class, instance, judged, small};

/// `S(A) - S(B)` from the definition.
fn difference(instance: &Instance, gains: &[f64], fill: (f64, f64)) -> f64 {
    let (a, b) = laid_out(instance, gains, fill);
    (precisions(&a) - precisions(&b)) / instance.depth as f64
}

/// Precisions at all relevant ranks, added up.
fn precisions(relevance: &[f64]) -> f64 {
    let precision = |rank: usize| relevance[..=rank].iter().sum::<f64>() / (rank + 1) as f64;
    (0..relevance.len()).map(|rank| relevance[rank] * precision(rank)).sum()
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

/// All assignments to what is not known, missing documents being documents of their own.
fn spelled_out(instance: &Instance) -> Instance {
    let mut documents = instance.documents.clone();
    documents.extend((instance.lengths.0..instance.depth).map(|rank| Document {
        a: rank as u32 + 1,
        b: 0,
        known: None,
    }));
    documents.extend((instance.lengths.1..instance.depth).map(|rank| Document {
        a: 0,
        b: rank as u32 + 1,
        known: None,
    }));
    Instance { lengths: (instance.depth, instance.depth), documents, ..instance.clone() }
}

fn with_few_unknown(random: &mut Random) -> Instance {
    loop {
        let instance = spelled_out(&small(random, 1.0, &[0.0, 1.0]));
        if instance.documents.iter().filter(|x| x.known.is_none()).count() <= 9 {
            return instance;
        }
    }
}

fn numerator(instance: &Instance, gains: &[f64]) -> f64 {
    let (a, b) = laid_out(instance, gains, (0.0, 0.0));
    precisions(&a) - precisions(&b)
}

fn ratio(instance: &Instance, gains: &[f64], elsewhere: usize) -> f64 {
    let relevant = gains.iter().sum::<f64>() + elsewhere as f64;
    if relevant > 0.0 { numerator(instance, gains) / relevant } else { 0.0 }
}

#[test]
fn ratio_equals_enumeration() {
    let (mut random, mut workspace) = (Random(7), Workspace::default());
    for round in 0..1500 {
        let (instance, elsewhere) = (with_few_unknown(&mut random), round % 3);
        for instance in [instance.swapped(), instance] {
            let solution = solve_ratio(&instance, elsewhere, 20_000, &mut workspace);
            let best = largest(&instance, &[0.0, 1.0], |gains, _| ratio(&instance, gains, elsewhere));
            assert!((solution.value - best).abs() < 1e-12, "{best} {solution:?} {instance:?}");
            assert_eq!(solution.bound, solution.value);
            assert!((ratio(&instance, &solution.gains, elsewhere) - best).abs() < 1e-12);
        }
    }
}

#[test]
fn limited_equals_enumeration() {
    let (mut random, mut workspace) = (Random(8), Workspace::default());
    for round in 0..1500 {
        let (instance, elsewhere, most) = (with_few_unknown(&mut random), round % 2, random.below(6));
        let known = instance.documents.iter().filter(|x| x.known == Some(1.0)).count();
        let divisor = (known + elsewhere + most).max(1) as f64;
        for instance in [instance.swapped(), instance] {
            let solution = solve_limited(&instance, most, elsewhere, 20_000, &mut workspace);
            let worth = |gains: &[f64], _: (f64, f64)| {
                let relevant = gains.iter().filter(|gain| **gain > 0.0).count();
                if relevant > known + most { f64::NEG_INFINITY } else { numerator(&instance, gains) / divisor }
            };
            let best = largest(&instance, &[0.0, 1.0], worth);
            assert!((solution.value - best).abs() < 1e-12, "{best} {most} {solution:?} {instance:?}");
            assert_eq!(solution.bound, solution.value);
            assert!((worth(&solution.gains, (0.0, 0.0)) - best).abs() < 1e-12);
        }
    }
}

/// What rankings lack is as good as a document of their own.
#[test]
fn missing_documents_count_in_the_recall_base() {
    let (mut random, mut workspace) = (Random(9), Workspace::default());
    for _ in 0..500 {
        let instance = small(&mut random, 1.0, &[0.0, 1.0]);
        let whole = spelled_out(&instance);
        let pairs = [
            (solve_ratio(&instance, 1, 20_000, &mut workspace), solve_ratio(&whole, 1, 20_000, &mut workspace)),
            (
                solve_limited(&instance, 3, 1, 20_000, &mut workspace),
                solve_limited(&whole, 3, 1, 20_000, &mut workspace),
            ),
        ];
        assert!(pairs.iter().all(|(x, y)| (x.value - y.value).abs() < 1e-12), "{pairs:?} {instance:?}");
    }
}

#[test]
fn recall_bases_of_runs_are_solved() {
    let (mut random, mut workspace) = (Random(10), Workspace::default());
    for name in CLASSES {
        for share in [0.0, 0.25] {
            for depth in [20, 50, 100] {
                let (a, b) = class(name, depth, &mut random);
                let known = judged(&mut random, 400.max(40 * depth), depth, share, &[0.0, 1.0]);
                let instance = instance(&a, &b, depth, 1.0, |id| known[id]);
                let by_ratio = solve_ratio(&instance, 0, 1000, &mut workspace);
                assert_eq!(by_ratio.bound, by_ratio.value, "{name} at depth {depth}: {} nodes", by_ratio.nodes);
                for most in [5, depth / 5] {
                    let limited = solve_limited(&instance, most, 0, 100, &mut workspace);
                    assert_eq!(
                        limited.bound, limited.value,
                        "{name} at depth {depth}, {most}: {} nodes",
                        limited.nodes
                    );
                }
            }
        }
    }
}

/// Cut short, both still enclose the value.
#[test]
fn limit_leaves_intervals_of_recall_bases() {
    let (mut random, mut workspace) = (Random(18), Workspace::default());
    for _ in 0..30 {
        let (a, b) = class("mid", 100, &mut random);
        let instance = instance(&a, &b, 100, 1.0, |_| None);
        let pairs = [
            (solve_ratio(&instance, 0, 1, &mut workspace), solve_ratio(&instance, 0, 1000, &mut workspace)),
            (solve_limited(&instance, 9, 0, 1, &mut workspace), solve_limited(&instance, 9, 0, 100, &mut workspace)),
        ];
        for (cut, whole) in pairs {
            assert!(cut.value <= whole.value + 1e-12 && whole.value <= cut.bound + 1e-12, "{cut:?} {whole:?}");
        }
    }
}
