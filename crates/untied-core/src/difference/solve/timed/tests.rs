use super::*;
use crate::difference::solve::testing::assignments;
use crate::nightly::seeds;
use crate::random::Random;

/// A ranking, from a permutation and its groups.
fn side(
    order: &[usize],
    tied: bool,
    cutoff: usize,
    which: usize,
    documents: &mut [TimedDocument],
    draw: &mut Random,
) -> TimedRanking {
    let mut side = TimedRanking { documents: Vec::new(), ends: Vec::new(), cutoff };
    for &i in order {
        let more = tied && draw.below(3) == 0;
        if !more || side.ends.is_empty() {
            if side.documents.len() >= cutoff {
                break;
            }
            side.ends.push(0);
        }
        side.documents.push(i);
        documents[i].groups[which] = side.ends.len() - 1;
        *side.ends.last_mut().expect("there is one") = side.documents.len();
    }
    side
}

/// Two rankings of n documents each, most of them shared. Times depend on relevance much, or little.
fn draw(seed: u64, length: usize, tied: bool) -> Timed {
    let mut random = Random::new(seed);
    let share = |random: &mut Random| random.below(1000) as f64 / 1000.0;
    let width = [0.05, 0.3, 1.0][random.below(3) as usize];
    let mut reading = || {
        let q = share(&mut random);
        let longer = share(&mut random) * width * if seed.is_multiple_of(5) { -1.0 } else { 1.0 };
        let known = (random.below(4) == 0).then(|| random.below(2) == 0);
        TimedDocument { groups: [NONE; 2], go_on: [q, (q - longer).clamp(0.0, 1.0)], known }
    };
    let mut documents: Vec<TimedDocument> = (0..length + length / 4).map(|_| reading()).collect();
    let mut order: Vec<usize> = (0..documents.len()).collect();
    let near = seed.is_multiple_of(2);
    let mut sides = [0, 1].map(|which| {
        for i in (1..order.len()).rev() {
            let j =
                if near { i - random.below(2.min(i as u64 + 1)) as usize } else { random.below(i as u64 + 1) as usize };
            order.swap(i, j);
        }
        let cutoff = if seed.is_multiple_of(3) { length - 1 } else { usize::MAX };
        side(&order[..length], tied, cutoff, which, &mut documents, &mut random)
    });
    if seed.is_multiple_of(7) {
        sides[1].documents.clear();
        sides[1].ends.clear();
        documents.iter_mut().for_each(|x| x.groups[1] = NONE);
    }
    Timed { documents, sides, gain: 0.1 + share(&mut random) }
}

fn largest(timed: &Timed) -> f64 {
    let unknown = timed.documents.iter().filter(|x| x.known.is_none()).count();
    let mut largest = f64::NEG_INFINITY;
    assignments(unknown, &[0.0, 1.0], &mut |chosen| {
        let mut next = chosen.iter();
        let gain = |x: &TimedDocument| x.known.map_or_else(|| *next.next().expect("one for each"), f64::from);
        let gains: Vec<f64> = timed.documents.iter().map(gain).collect();
        largest = largest.max(timed.difference(&gains));
    });
    largest
}

#[test]
fn it_is_the_largest_over_all_assignments() {
    for seed in seeds(200) {
        let timed = draw(seed, 7, seed % 4 == 3);
        let found = timed.solve(Budget::new(1_000_000_000));
        let expected = largest(&timed);
        assert!((found.value - expected).abs() < 1e-11, "{seed} {found:?} {expected} {timed:?}");
        assert_eq!(found.bound, found.value, "{seed}");
        assert!((timed.difference(&found.gains) - found.value).abs() < 1e-14);
        let is_known = |(x, gain): (&TimedDocument, &f64)| x.known.is_none_or(|known| f64::from(known) == *gain);
        assert!(timed.documents.iter().zip(&found.gains).all(is_known));
    }
}

#[test]
fn a_search_finds_the_largest_value_without_a_local_search() {
    for seed in seeds(100) {
        let timed = draw(seed, 7, seed % 4 == 3);
        let mut search = TimedSearch::new(&timed);
        let found = search.bound(&TimedComponent::everything(&timed), Budget::new(1_000_000_000));
        let expected = largest(&timed);
        assert!((found.value - expected).abs() < 1e-11, "{seed} {found:?} {expected} {timed:?}");
        assert_eq!(found.bound, found.value, "{seed}");
    }
}

#[test]
fn little_work_leaves_an_interval_that_holds_the_value() {
    let mut intervals = 0;
    for seed in seeds(100) {
        let timed = draw(seed, 12, seed % 4 == 3);
        let exact = timed.solve(Budget::new(u64::MAX));
        for steps in [0, 5_000, 20_000, 100_000] {
            let found = timed.solve(Budget::new(steps));
            assert!(found.value <= exact.value + 1e-11 && exact.value <= found.bound + 1e-11, "{seed} {steps}");
            intervals += u32::from(found.bound > found.value);
        }
    }
    assert!(intervals > 2, "{intervals}");
}

#[test]
fn rankings_that_agree_take_little_work() {
    let mut timed = draw(1, 40, false);
    timed.documents.iter_mut().for_each(|x| x.known = None);
    timed.sides[1] = timed.sides[0].clone();
    timed.documents.iter_mut().for_each(|x| x.groups[1] = x.groups[0]);
    let found = timed.solve(Budget::new(100_000));
    assert_eq!((found.value, found.bound), (0.0, 0.0));
}
