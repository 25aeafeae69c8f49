//! Long rankings with ties: what is certified within the work that a pair may take.

use untied_core::med::solve::work::Work;
use untied_core::med::solve::{Instance, Solution, cascade as err, quadratic as ap};

use crate::families::{CLASSES, Random, class, instance, judged};

/// As for one direction of a pair.
const STEPS: u64 = 250_000_000;

/// Ends of tie groups of about equal size over a number of documents.
fn ends(documents: usize, groups: usize) -> Vec<u32> {
    (1..=groups).map(|number| (documents * number / groups) as u32).collect()
}

/// A pair of rankings of a class, with this many tie groups each and a share of the documents judged.
fn pair(
    name: &str,
    depth: usize,
    groups: (usize, usize),
    share: f64,
    top: f64,
    seed: u64,
) -> (Instance, Vec<u32>, Vec<u32>) {
    let mut random = Random(seed);
    let (a, b) = class(name, depth, &mut random);
    let known = judged(&mut random, 400.max(40 * depth), depth, share, &[0.0, top]);
    (instance(&a, &b, depth, top, |id| known[id]), ends(depth, groups.0), ends(depth, groups.1))
}

/// Both directions.
fn both(
    (instance, a, b): &(Instance, Vec<u32>, Vec<u32>),
    solve: impl Fn(&Instance, (&[u32], &[u32])) -> Solution,
) -> [Solution; 2] {
    [solve(instance, (a, b)), solve(&instance.swapped(), (b, a))]
}

#[test]
fn average_precision_is_certified() {
    for name in CLASSES {
        for (depth, groups) in
            [(1000, (1, 1000)), (1000, (10, 10)), (400, (200, 200)), (100, (20, 33)), (100, (50, 100))]
        {
            for share in [0.0, 0.25] {
                let pair = pair(name, depth, groups, share, 1.0, 7);
                for found in both(&pair, |instance, ends| ap::solve_tied(instance, ends, Work::new(STEPS))) {
                    assert_eq!(found.bound, found.value, "{name} {depth} {groups:?} {share}");
                }
            }
        }
    }
}

#[test]
fn cascades_of_few_groups_are_certified() {
    for name in CLASSES {
        for (depth, groups) in [(1000, (10, 10)), (1000, (1, 1000))] {
            for (share, top) in [(0.0, 0.5), (0.0, 0.9375), (0.25, 0.9375), (0.0, 1.0)] {
                let pair = pair(name, depth, groups, share, top, 7);
                for found in both(&pair, |instance, ends| err::solve_tied(instance, ends, false, Work::new(STEPS))) {
                    assert_eq!(found.bound, found.value, "{name} {depth} {groups:?} {share} {top}");
                }
            }
        }
    }
}

#[test]
fn cascades_of_many_pairs_are_enclosed() {
    for name in CLASSES {
        for top in [0.5, 0.9375] {
            let pair = pair(name, 400, (200, 200), 0.0, top, 7);
            // Rankings that hardly differ leave most to decide.
            let width = if name == "permsim" || name == "similar" { 6e-3 } else { 1e-3 };
            for found in both(&pair, |instance, ends| err::solve_tied(instance, ends, false, Work::new(STEPS))) {
                assert!(found.bound - found.value <= width, "{name} {top} {} {}", found.value, found.bound);
            }
        }
    }
}

/// What is found does not depend on how often it is asked.
#[test]
fn the_same_work_finds_the_same() {
    let pair = pair("near", 400, (200, 200), 0.0, 0.5, 3);
    let solve = || both(&pair, |instance, ends| err::solve_tied(instance, ends, true, Work::new(20_000_000)));
    assert_eq!(solve(), solve());
}
