use untied_core::med::solve::cascade::{Workspace, solve};
use untied_core::med::solve::{Instance, Solution};

use crate::enumerate::{laid_out, largest};
use crate::families::{CLASSES, Random, adversarial, class, instance, judged, small};

/// The largest gain of an unknown document.
const TOP: f64 = 0.75;

/// `S(A) - S(B)` from the definition.
fn difference(instance: &Instance, gains: &[f64], fill: (f64, f64)) -> f64 {
    let score = |stops: Vec<f64>| {
        let (mut reach, mut sum) = (1.0, 0.0);
        for (rank, stop) in (1..).zip(stops) {
            sum += reach * stop / f64::from(rank);
            reach *= 1.0 - stop;
        }
        sum
    };
    let (a, b) = laid_out(instance, gains, fill);
    score(a) - score(b)
}

fn assert_consistent(instance: &Instance, solution: &Solution) {
    let value = difference(instance, &solution.gains, (instance.top, 0.0));
    assert!((value - solution.value).abs() < 1e-12, "{value} {instance:?} {solution:?}");
    for (document, gain) in instance.documents.iter().zip(&solution.gains) {
        assert!(document.known.is_none_or(|known| known == *gain));
    }
}

fn assert_best(instance: &Instance, gains: &[f64], workspace: &mut Workspace) {
    for instance in [instance.swapped(), instance.clone()] {
        let solution = solve(&instance, false, 20_000, workspace);
        let best = largest(&instance, gains, |gains, fill| difference(&instance, gains, fill));
        assert!((solution.value - best).abs() < 1e-12, "{best} {solution:?} {instance:?}");
        assert_eq!(solution.bound, solution.value);
        assert_consistent(&instance, &solution);
    }
}

#[test]
fn equals_enumeration() {
    let (mut random, mut workspace) = (Random(11), Workspace::default());
    for round in 0..3000 {
        let top = [TOP, 0.5, 0.9375, 1.0][round % 4];
        assert_best(&small(&mut random, top, &[0.0, 0.25, 0.75]), &[0.0, top], &mut workspace);
    }
}

/// Gains between the least and the largest are never better.
#[test]
fn unknown_gains_are_extreme() {
    let (mut random, mut workspace) = (Random(12), Workspace::default());
    let mut tried = 0;
    while tried < 300 {
        let instance = small(&mut random, TOP, &[0.0, 0.25, 0.75]);
        if instance.documents.iter().filter(|x| x.known.is_none()).count() <= 7 {
            assert_best(&instance, &[0.0, 0.25, TOP], &mut workspace);
            tried += 1;
        }
    }
}

/// The tail is what a very long list of further unknown documents comes to.
#[test]
fn tail_equals_long_extension() {
    let (mut random, mut workspace) = (Random(13), Workspace::default());
    for round in 0..300 {
        let short = small(&mut random, [TOP, 0.5][round % 2], &[0.0, 0.25, 0.75]);
        for short in [short.swapped(), short] {
            let long = Instance { depth: 2000, ..short.clone() };
            let tail = solve(&short, true, 20_000, &mut workspace);
            let cut = solve(&long, false, 20_000, &mut workspace);
            if short.lengths == (short.depth, short.depth) {
                assert!((tail.value - cut.value).abs() < 1e-12, "{tail:?} {cut:?} {short:?}");
                assert_eq!(tail.bound, tail.value);
            }
        }
    }
}

#[test]
fn same_order_takes_no_node() {
    let (mut random, mut workspace) = (Random(14), Workspace::default());
    for _ in 0..300 {
        let depth = 8;
        let pick = |random: &mut Random, first: usize| -> Vec<usize> {
            (0..2 * depth).map(|x| if random.unit() < 0.3 { first + x } else { x }).take(depth).collect()
        };
        let (a, b) = (pick(&mut random, 100), pick(&mut random, 200));
        let known: Vec<Option<f64>> = (0..300).map(|_| (random.unit() < 0.2).then_some(0.25)).collect();
        let instance = instance(&a, &b, depth, TOP, |id| known[id]);
        assert_eq!(solve(&instance, false, 20_000, &mut workspace).nodes, 0);
        assert_best(&instance, &[0.0, TOP], &mut workspace);
    }
}

/// Exactly, or at large depths but for `width`.
fn assert_solved(name: &str, instance: &Instance, width: f64, workspace: &mut Workspace) {
    let limit = 20_000;
    for instance in [instance.swapped(), instance.clone()] {
        for tail in [false, true] {
            let solution = solve(&instance, tail, limit, workspace);
            assert!(solution.nodes <= limit);
            let open = solution.bound - solution.value;
            assert!(open <= width, "{name} at depth {}: {open} after {} nodes", instance.depth, solution.nodes);
            if !tail {
                assert_consistent(&instance, &solution);
            }
        }
    }
}

#[test]
fn hard_pairs_are_solved() {
    let (mut random, mut workspace) = (Random(15), Workspace::default());
    for (depth, width) in [(20, 0.0), (50, 0.0), (100, 0.0), (200, 1.01e-7)] {
        let a: Vec<usize> = (0..depth).collect();
        for share in [0.0, 0.25] {
            for (name, b) in adversarial(depth, &mut random) {
                let known = judged(&mut random, 2 * depth, depth, share, &[0.0, 0.25, TOP]);
                assert_solved(&name, &instance(&a, &b, depth, TOP, |id| known[id]), width, &mut workspace);
            }
        }
    }
}

#[test]
fn pairs_of_runs_are_solved() {
    let (mut random, mut workspace) = (Random(16), Workspace::default());
    for name in CLASSES {
        for depth in [10, 20, 50, 100] {
            for share in [0.0, 0.25, 0.75] {
                for _ in 0..5 {
                    let (a, b) = class(name, depth, &mut random);
                    let known = judged(&mut random, 400.max(40 * depth), depth, share, &[0.0, 0.25, TOP]);
                    assert_solved(name, &instance(&a, &b, depth, TOP, |id| known[id]), 0.0, &mut workspace);
                }
            }
        }
    }
}

/// A search cut short still encloses the value.
#[test]
fn limit_leaves_an_interval() {
    let (mut random, mut workspace) = (Random(17), Workspace::default());
    for _ in 0..100 {
        let (a, b) = class("permmid", 40, &mut random);
        let known = judged(&mut random, 40, 40, 0.2, &[0.0, 0.25, TOP]);
        let instance = instance(&a, &b, 40, TOP, |id| known[id]);
        let whole = solve(&instance, true, 20_000, &mut workspace);
        for limit in [1, 3, 10] {
            let cut = solve(&instance, true, limit, &mut workspace);
            assert!(cut.nodes <= limit && cut.value <= whole.value && whole.value <= cut.bound);
        }
    }
}

/// Where exactness takes too many nodes, wider intervals are closed.
#[test]
fn limit_is_spent_on_an_interval() {
    let a: Vec<usize> = (0..100).collect();
    let mut b = a.clone();
    b.rotate_left(1);
    let instance = instance(&b, &a, 100, TOP, |_| None);
    let mut workspace = Workspace::default();
    let solution = solve(&instance, true, 2000, &mut workspace);
    assert!(solution.nodes <= 2000);
    assert!(solution.bound > solution.value && solution.bound - solution.value <= 1.01e-4, "{solution:?}");
}
