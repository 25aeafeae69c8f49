//! Tests of the searches: small pairs against all assignments, and hard pairs with and without a proof within the limit
//! of work.

use super::budget::Budget;
use super::testing::{KINDS, Tied, adversarial, instance, judged, kind, largest, small};
use super::{Instance, Solution, cascade, quadratic, scores};
use crate::nightly::{by_day, many, seeds, some};
use crate::random::Random;

/// The largest gain of an unknown document in a cascade.
const TOP: f64 = 0.75;
const STOPS: [f64; 3] = [0.0, 0.25, TOP];
/// The work that one direction of a pair may take.
const STEPS: u64 = 250_000_000;

/// The gains by rank in A and in B. A rank that A lacks gains `top`, and one that B lacks gains nothing.
fn by_rank(instance: &Instance, gains: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut a, mut b) = (vec![instance.top; instance.depth + 1], vec![0.0; instance.depth + 1]);
    for (x, &gain) in instance.documents.iter().zip(gains) {
        (a[x.a as usize], b[x.b as usize]) = (gain, gain);
    }
    (a.split_off(1), b.split_off(1))
}

fn difference(instance: &Instance, gains: &[f64], score: fn(&[f64]) -> f64) -> f64 {
    let (a, b) = by_rank(instance, gains);
    score(&a) - score(&b)
}

/// Checks that a solution keeps the known gains, and that its value is the difference with its gains.
fn assert_consistent(instance: &Instance, found: &Solution, score: fn(&[f64]) -> f64) {
    assert!(instance.documents.iter().zip(&found.gains).all(|(x, gain)| x.known.is_none_or(|known| known == *gain)));
    let value = difference(instance, &found.gains, score);
    assert!((value - found.value).abs() < 1e-12 * value.abs().max(1.0), "{value} {found:?} {instance:?}");
}

/// Tests small pairs in both directions: as they are, and with the documents that fill them up listed.
fn small_pairs(count: usize, top: f64, grades: &[f64], mut test: impl FnMut(&mut Random, &Instance, &Instance)) {
    for seed in seeds(count) {
        let mut random = Random::new(seed);
        let pair = small(&mut random, top, grades);
        for pair in [pair.swapped(), pair] {
            let filled = pair.filled();
            if filled.documents.iter().filter(|x| x.known.is_none()).count() <= 11 {
                test(&mut random, &pair, &filled);
            }
        }
    }
}

/// Tests pairs of all kinds and several depths in both directions. Some documents are judged.
fn pairs(depths: &[usize], shares: &[f64], times: usize, grades: &[f64], mut test: impl FnMut(&str, &Instance)) {
    let mut random = Random::new(4);
    for (&depth, &share) in depths.iter().flat_map(|depth| shares.iter().map(move |share| (depth, share))) {
        for name in KINDS.iter().flat_map(|name| std::iter::repeat_n(name, times)) {
            let orders = kind(name, depth, &mut random);
            test_both(&format!("{name}, {share} judged"), &orders, share, grades, &mut random, &mut test);
        }
    }
}

/// Tests hard pairs in both directions.
fn hard_pairs(grades: &[f64], mut test: impl FnMut(&str, &Instance)) {
    let mut random = Random::new(3);
    for depth in [20, 50, 100, 200] {
        for share in [0.0, 0.25] {
            for (name, b) in adversarial(depth, &mut random) {
                let orders = ((0..depth).collect(), b);
                test_both(&format!("{name}, {share} judged"), &orders, share, grades, &mut random, &mut test);
            }
        }
    }
}

fn test_both(
    name: &str,
    (a, b): &(Vec<usize>, Vec<usize>),
    share: f64,
    grades: &[f64],
    random: &mut Random,
    test: &mut impl FnMut(&str, &Instance),
) {
    let known = judged(random, a.len(), share, grades);
    let pair = instance(a, b, a.len(), *grades.last().expect("gains"), |id| known[id]);
    test(name, &pair);
    test(name, &pair.swapped());
}

/// Searches for the largest difference of AP times the depth, which must be solved within a number of nodes.
fn precisions(name: &str, pair: &Instance, nodes: u64, workspace: &mut quadratic::QuadraticWorkspace) -> Solution {
    let found = quadratic::solve(pair, Budget::new(STEPS), workspace);
    let is_solved = found.bound == found.value && found.nodes <= nodes;
    assert!(is_solved, "{name} at depth {}: {} nodes", pair.depth, found.nodes);
    let found = Solution { value: found.value * pair.depth as f64, ..found };
    assert_consistent(pair, &found, scores::precisions);
    found
}

#[test]
fn average_precision_is_the_largest_over_all_assignments() {
    let mut workspace = quadratic::QuadraticWorkspace::default();
    small_pairs(150, 1.0, &[0.0, 1.0], |_, pair, filled| {
        let best = largest(filled, |gains| difference(filled, gains, scores::precisions));
        for pair in [pair, filled] {
            let found = precisions("small", pair, 20_000, &mut workspace);
            assert!((found.value - best).abs() < 1e-11, "{best} {found:?} {pair:?}");
        }
    });
}

#[test]
fn average_precision_of_any_recall_base_is_the_largest_over_all_assignments() {
    let mut workspace = quadratic::QuadraticWorkspace::default();
    small_pairs(150, 1.0, &[0.0, 1.0], |random, pair, filled| {
        let (elsewhere, most) = (random.below(3) as usize, random.below(6) as usize);
        let known = filled.documents.iter().filter(|x| x.known == Some(1.0)).count() + elsewhere;
        let worth = |gains: &[f64], limited: bool| {
            let relevant = gains.iter().sum::<f64>() + elsewhere as f64;
            let whole = if limited { (known + most) as f64 } else { relevant };
            let value = difference(filled, gains, scores::precisions) / whole.max(1.0);
            if limited && relevant > whole { f64::NEG_INFINITY } else { value }
        };
        let best = [false, true].map(|limited| largest(filled, |gains| worth(gains, limited)));
        for pair in [pair, filled] {
            let by_ratio = quadratic::solve_ratio(pair, usize::MAX, elsewhere, Budget::new(STEPS), &mut workspace);
            let limited = quadratic::solve_limited(pair, most, elsewhere, Budget::new(STEPS), &mut workspace);
            for (i, (found, best)) in [by_ratio, limited].iter().zip(best).enumerate() {
                assert!((found.value - best).abs() < 1e-12, "{best} {most} {found:?} {pair:?}");
                assert_eq!(found.bound, found.value);
                if found.gains.len() == filled.documents.len() {
                    assert!((worth(&found.gains, i == 1) - best).abs() < 1e-12, "{found:?} {pair:?}");
                }
            }
        }
    });
}

#[test]
fn average_precision_takes_few_nodes() {
    let mut workspace = quadratic::QuadraticWorkspace::default();
    let mut test = |name: &str, pair: &Instance| drop(precisions(name, pair, 20, &mut workspace));
    hard_pairs(&[0.0, 1.0], &mut test);
    pairs(&[10, 20, 50, 100], &[0.0, 0.25, 0.75], by_day(1, 5), &[0.0, 1.0], &mut test);
    pairs(by_day(&[20, 50][..], &[20, 50, 100]), &[0.0, 0.25], 1, &[0.0, 1.0], |name, pair| {
        let by_ratio = quadratic::solve_ratio(pair, usize::MAX, 0, Budget::new(STEPS), &mut workspace);
        let limited =
            [5, pair.depth / 5].map(|most| quadratic::solve_limited(pair, most, 0, Budget::new(STEPS), &mut workspace));
        let is_solved = |x: &Solution, nodes: u64| x.bound == x.value && x.nodes <= nodes;
        let are_solved = is_solved(&by_ratio, 1000) && limited.iter().all(|x| is_solved(x, 100));
        assert!(are_solved, "{name} at depth {}: {} nodes", pair.depth, by_ratio.nodes);
    });
}

/// Neighbours are exchanged as long as this makes the search longer.
#[test]
fn pairs_bred_to_be_hard_for_average_precision_are_solved() {
    let (mut random, mut workspace) = (Random::new(5), quadratic::QuadraticWorkspace::default());
    for depth in [20, 50] {
        let a: Vec<usize> = (0..depth).collect();
        let (_, mut b) = kind("permrand", depth, &mut random);
        let mut most = 0;
        for _ in 0..many(30) {
            let (x, y) = (random.below(depth as u64) as usize, random.below(depth as u64) as usize);
            b.swap(x, y);
            let pair = instance(&a, &b, depth, 1.0, |_| None);
            let nodes = [pair.swapped(), pair].map(|pair| precisions("bred", &pair, 200, &mut workspace).nodes);
            let nodes = nodes[0].max(nodes[1]);
            if nodes < most {
                b.swap(x, y);
            }
            most = most.max(nodes);
        }
    }
}

#[test]
fn cascades_are_the_largest_over_all_assignments() {
    let mut workspace = cascade::CascadeWorkspace::default();
    for top in [TOP, 0.5, 0.9375, 1.0] {
        small_pairs(50, top, &STOPS, |_, pair, filled| {
            let best = largest(filled, |gains| difference(filled, gains, scores::reciprocal_cascade));
            for pair in [pair, filled] {
                let found = cascade::solve(pair, false, 20_000, &mut workspace);
                assert!((found.value - best).abs() < 1e-12 && found.bound == found.value, "{best} {found:?} {pair:?}");
                assert_consistent(pair, &found, scores::reciprocal_cascade);
            }
            // The tail is close to a very long list of further unknown documents.
            let tail = cascade::solve(filled, true, 20_000, &mut workspace);
            let long = cascade::solve(&Instance { depth: 2000, ..filled.clone() }, false, 20_000, &mut workspace);
            assert!((tail.value - long.value).abs() < 1e-12 && tail.bound == tail.value, "{tail:?} {long:?}");
        });
    }
}

#[test]
fn cascades_are_solved() {
    let mut workspace = cascade::CascadeWorkspace::default();
    let mut test = |name: &str, pair: &Instance| {
        // The value is exact, or nearly so at large depths.
        let width = if pair.depth > 100 { 1.01e-7 } else { 0.0 };
        for tail in [false, true] {
            let found = cascade::solve(pair, tail, 20_000, &mut workspace);
            let open = found.bound - found.value;
            assert!(found.nodes <= 20_000 && open <= width, "{name} at depth {}: {open}, {}", pair.depth, found.nodes);
            if !tail {
                assert_consistent(pair, &found, scores::reciprocal_cascade);
            }
        }
    };
    hard_pairs(&STOPS, &mut test);
    pairs(&[10, 20, 50, 100], &[0.0, 0.25, 0.75], by_day(1, 5), &STOPS, &mut test);
}

/// If the exact value takes too many nodes, wider intervals are closed.
#[test]
fn nodes_are_spent_on_an_interval() {
    let a: Vec<usize> = (0..100).collect();
    let mut b = a.clone();
    b.rotate_left(1);
    let pair = instance(&b, &a, 100, TOP, |_| None);
    let found = cascade::solve(&pair, true, 2000, &mut cascade::CascadeWorkspace::default());
    assert!(found.nodes <= 2000);
    assert!(found.bound > found.value && found.bound - found.value <= 1.01e-4, "{found:?}");
}

#[test]
fn searches_cut_short_enclose_the_value() {
    let (mut of_ap, mut of_err) = (quadratic::QuadraticWorkspace::default(), cascade::CascadeWorkspace::default());
    let encloses = |cut: &Solution, whole: &Solution| {
        assert!(cut.value <= whole.value + 1e-12 && whole.value <= cut.bound + 1e-12, "{cut:?} {whole:?}");
    };
    pairs(by_day(&[20, 40], &[30, 100]), &[0.0, 0.2], 2, &[0.0, 1.0], |_, pair| {
        for steps in [0, 5_000, 100_000] {
            let works = || [steps, STEPS].map(Budget::new);
            let [cut, whole] = works().map(|work| quadratic::solve(pair, work, &mut of_ap));
            encloses(&cut, &whole);
            let [cut, whole] = works().map(|work| quadratic::solve_ratio(pair, usize::MAX, 0, work, &mut of_ap));
            encloses(&cut, &whole);
            let [cut, whole] = works().map(|work| quadratic::solve_limited(pair, 9, 0, work, &mut of_ap));
            encloses(&cut, &whole);
        }
    });
    pairs(&[40], &[0.0, 0.2], 4, &STOPS, |_, pair| {
        let whole = cascade::solve(pair, true, 20_000, &mut of_err);
        for nodes in [1, 3, 10] {
            let cut = cascade::solve(pair, true, nodes, &mut of_err);
            assert!(cut.nodes <= nodes);
            encloses(&cut, &whole);
        }
    });
}

/// Two unknown documents change places. The one that A has first is relevant, as the first bound shows.
#[test]
fn a_cascade_is_bounded_before_any_search() {
    let pair = instance(&[0, 1], &[1, 0], 2, 0.5, |_| None);
    let found = cascade::solve(&pair, false, 0, &mut cascade::CascadeWorkspace::default());
    assert_eq!((found.value, found.bound, found.nodes), (0.25, 0.25, 0));
}

/// The workspace is used for no depth, no documents, and instances of all sizes.
#[test]
fn nothing_to_compare_differs_by_nothing() {
    let (mut of_ap, mut of_err) = (quadratic::QuadraticWorkspace::default(), cascade::CascadeWorkspace::default());
    for (depth, ids) in [(3, &[0][..]), (0, &[]), (1, &[0]), (0, &[])] {
        let pair = instance(ids, ids, depth, 0.5, |_| None);
        let found = [
            quadratic::solve(&pair, Budget::new(STEPS), &mut of_ap),
            quadratic::solve_ratio(&pair, usize::MAX, 0, Budget::new(STEPS), &mut of_ap),
            quadratic::solve_limited(&pair, 0, 0, Budget::new(STEPS), &mut of_ap),
            cascade::solve(&pair, false, 10, &mut of_err),
        ];
        assert!(found.iter().all(|x| x.bound == x.value && (x.value == 0.0 || depth > ids.len())), "{found:?}");
        assert_eq!(found[2].value, 0.0);
    }
}

/// Checks that the largest mean over tie orders is found, and enclosed if there is little work.
fn assert_tied(tied: &Tied, beyond: usize, formula: impl Fn(&[f64]) -> f64, solve: impl Fn(Budget) -> Solution) {
    let difference = |gains: &[f64]| tied.difference(gains, beyond, &formula);
    let best = largest(&tied.instance, difference);
    for steps in [0, 100, 1000, 5000] {
        let found = solve(Budget::new(steps));
        assert!(found.value <= best + 1e-12 && best <= found.bound + 1e-12, "{steps} {found:?} {best} {tied:?}");
    }
    let found = solve(Budget::new(10_000_000));
    assert!((found.value - best).abs() < 1e-12 && found.bound == found.value, "{found:?} {best} {tied:?}");
    assert!((difference(&found.gains) - best).abs() < 1e-12, "{found:?} {best} {tied:?}");
}

#[test]
fn tied_average_precision_is_the_largest_mean_over_all_assignments() {
    for tied in seeds(150).map(Tied::draw).chain(seeds(5).map(Tied::draw_more)) {
        let depth = tied.instance.depth as f64;
        let solve =
            |work| quadratic::tied(&tied.instance, (&tied.ends.0, &tied.ends.1), work, &mut Default::default()).solve();
        assert_tied(&tied, 0, |by_rank| scores::precisions(by_rank) / depth, solve);
    }
}

#[test]
fn tied_cascades_are_the_largest_mean_over_all_assignments() {
    for (top, beyond) in [(0.75, 0), (0.5, 0), (0.9375, 200)] {
        for mut tied in seeds(100).map(Tied::draw) {
            tied.instance.top = top;
            let solve = |work| {
                let ends = (&*tied.ends.0, &*tied.ends.1);
                cascade::tied(&mut tied.instance.clone(), ends, beyond > 0, work, &mut Default::default()).solve()
            };
            assert_tied(&tied, beyond, scores::reciprocal_cascade, solve);
        }
    }
    for (top, flat) in [(1.0, false), (1.0, true), (0.3, false)] {
        let fall = |i: usize| if flat { i / 7 } else { i - usize::from(i % 3 == 1) };
        for mut tied in seeds(100).map(Tied::draw) {
            tied.instance.top = top;
            if top == 1.0 {
                tied.instance.documents.iter_mut().for_each(|x| x.known = x.known.map(f64::ceil));
            }
            let discounts: Vec<f64> = (0..tied.instance.depth).map(|i| 0.9f64.powi(fall(i) as i32)).collect();
            let ends = (&*tied.ends.0, &*tied.ends.1);
            let solve = |work| {
                let mut instance = tied.instance.clone();
                cascade::discounted_tied(&mut instance, ends, &discounts, work, &mut Default::default()).solve()
            };
            assert_tied(&tied, 0, |by_rank| scores::cascade(by_rank, &discounts), solve);
        }
    }
}

#[test]
fn both_directions_of_tied_rankings_are_solved_as_one_is() {
    for mut tied in seeds(100).map(Tied::draw).chain(seeds(5).map(Tied::draw_more)) {
        let ends = (&*tied.ends.0, &*tied.ends.1);
        let mut turned = tied.instance.clone();
        turned.swap();
        let work = Budget::new(10_000_000);
        let solve_all = |mut pair: Box<dyn super::TiedSolver + '_>| {
            let ahead = pair.solve();
            pair.swap();
            let behind = pair.solve();
            pair.swap();
            assert_eq!(pair.solve(), ahead, "{ends:?}");
            (ahead, behind)
        };
        let (mut of_ap, mut of_err) = (Default::default(), Default::default());
        let (_, behind) = solve_all(quadratic::tied(&tied.instance, ends, work, &mut of_ap));
        assert_eq!(quadratic::tied(&turned, (ends.1, ends.0), work, &mut of_ap).solve(), behind);
        let (_, behind) = solve_all(cascade::tied(&mut tied.instance, ends, true, work, &mut of_err));
        assert_eq!(cascade::tied(&mut turned, (ends.1, ends.0), true, work, &mut of_err).solve(), behind);
    }
}

/// Tests long rankings with a number of tie groups of about equal size, in both directions.
fn tied_pairs(
    (depth, groups): (usize, (u32, u32)),
    share: f64,
    top: f64,
    mut test: impl FnMut(&str, &Instance, (&[u32], &[u32])),
) {
    let ends = |groups: u32| (1..=groups).map(|number| depth as u32 * number / groups).collect::<Vec<u32>>();
    let (a, b) = (ends(groups.0), ends(groups.1));
    let mut one = true;
    pairs(&[depth], &[share], 1, &[0.0, top], |name, pair| {
        test(name, pair, if one { (&a, &b) } else { (&b, &a) });
        one = !one;
    });
}

#[test]
fn tied_average_precision_is_certified() {
    for shape in [(1000, (1, 1000)), (1000, (10, 10)), (400, (200, 200)), (100, (20, 33)), (100, (50, 100))] {
        for share in [0.0, 0.25] {
            tied_pairs(shape, share, 1.0, |name, pair, ends| {
                let found = quadratic::tied(pair, ends, Budget::new(STEPS), &mut Default::default()).solve();
                assert_eq!(found.bound, found.value, "{name} {shape:?}");
            });
        }
    }
}

#[test]
fn tied_cascades_of_few_groups_are_certified() {
    for shape in [(1000, (10, 10)), (1000, (1, 1000))] {
        for &(share, top) in some(&[(0.25, 0.9375), (0.0, 0.5), (0.0, 0.9375), (0.0, 1.0)], 1) {
            tied_pairs(shape, share, top, |name, pair, ends| {
                let found =
                    cascade::tied(&mut pair.clone(), ends, false, Budget::new(STEPS), &mut Default::default()).solve();
                assert_eq!(found.bound, found.value, "{name} {shape:?} {top}");
            });
        }
    }
}

#[test]
fn tied_cascades_of_many_groups_are_enclosed() {
    // The daily test is a quarter as long, with a fifth of the work.
    let (shape, steps) = by_day(((100, (50, 50)), STEPS / 5), ((400, (200, 200)), STEPS));
    for &top in some(&[0.5, 0.9375], 1) {
        tied_pairs(shape, 0.0, top, |name, pair, ends| {
            // Rankings that hardly differ leave most to decide.
            let width = if name.contains("sim") { 1e-2 } else { 1e-3 };
            let solve = |steps| {
                cascade::tied(&mut pair.clone(), ends, false, Budget::new(steps), &mut Default::default()).solve()
            };
            let found = solve(steps);
            assert!(found.bound - found.value <= width, "{name} {top} {} {}", found.value, found.bound);
            // The same search gives the same result again.
            assert!(!name.contains("near") || solve(steps / 12) == solve(steps / 12));
        });
    }
}
