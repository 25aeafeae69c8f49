//! Preferences worked out by hand, and a count pair by pair.

use super::*;
use crate::Version;
use crate::nightly::{many, seeded};
use crate::prefs_read::read_prefs;

/// A run that retrieves these documents in this order.
fn run<'a>(ids: &[&'a str]) -> Vec<Retrieved<'a>> {
    let retrieved = |(i, id): (usize, &&'a str)| Retrieved { document: id.as_bytes(), score: -(i as f64) };
    ids.iter().enumerate().map(retrieved).collect()
}

/// Values on lines of `group subgroup document level`.
fn evaluate(lines: &[&str], run: &[Retrieved]) -> Result<[f64; 14]> {
    let text: String = lines.iter().map(|line| format!("q {line}\n")).collect();
    let judged = read_prefs(text.as_bytes(), "test", Version::Ten)?;
    let (_, preferences) = judged.iter().next().expect("a query");
    measure(preferences, run, usize::MAX)
}

#[test]
fn more_non_relevant_documents_than_relevant_ones() {
    // Only n1 stays; all three documents are compared with it, n1 and n2 too. So the best ranking gets a third.
    let lines = ["g s r 1", "g s n1 0", "g s n2 0"];
    let balanced = |ids: &[&str]| evaluate(&lines, &run(ids)).map(|values| (values[6], values[10])).expect("values");
    assert_eq!(balanced(&["r", "n1", "n2"]), (1.0 / 3.0, 1.0 / 3.0));
    assert_eq!(balanced(&["n1", "r", "n2"]), (0.0, 0.0));
    // None relevant: nothing to divide by, 0 for the whole query.
    assert_eq!(evaluate(&["g s n1 0", "h s a 1", "h s b 0"], &run(&["a", "b"])).expect("values")[6], 0.0);
}

#[test]
fn preferences_that_follow_from_others() {
    // 1 > 2 > 3 and 2 > 4, so 1 > 4: 5 preferences. Retrieved are 1 4 2: not fulfilled is 2 > 4.
    let lines = ["g s 1 3", "g s 2 2", "g s 3 1", "g t 2 5", "g t 4 4"];
    let values = evaluate(&lines, &run(&["1", "4", "2"])).expect("values");
    assert_eq!(values[..4], [5.0, 4.0, 2.0, 4.0 / 5.0]);
    assert_eq!(values[7], 2.0 / 3.0);
}

#[test]
fn groups_that_disagree() {
    // The first prefers 1 to 2; the second 3 to 4, both to 1, and 2 to 1. Ranked 1 2 3 4.
    let lines = ["g s 1 3", "g s 2 2", "h s 1 0", "h s 3 6", "h s 4 2", "h t 1 0", "h t 2 8"];
    let values = evaluate(&lines, &run(&["1", "2", "3", "4"])).expect("values");
    assert_eq!(values[..4], [5.0, 2.0, 2.0, 2.0 / 5.0]);
    assert_eq!(values[4], (0.5 + 1.0) / 4.0); // pairs 12, 13, 14 and 34
    assert_eq!(values[5], (1.0 / 1.0 + 1.0 / 4.0) / 2.0);
}

#[test]
fn a_document_is_retrieved_once() {
    let message = evaluate(&["g s a 1"], &run(&["b", "c", "b"])).expect_err("twice").to_string();
    assert!(message.contains("\"b\" is retrieved twice"), "{message}");
}

/// Every measure pair by pair from the definitions, with trec_eval's deviations.
fn naive(preferences: &[Preference], run: &[Retrieved]) -> [f64; 14] {
    let mut ids: Vec<&[u8]> = preferences.iter().map(|p| p.document).collect();
    ids.dedup();
    let mut ranking = run.to_vec();
    ranking.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(b.document)));
    let retrieved: Vec<&[u8]> = ranking.iter().map(|r| r.document).filter(|id| ids.contains(id)).collect();
    let order: Vec<&[u8]> =
        retrieved.iter().copied().chain(ids.iter().copied().filter(|id| !retrieved.contains(id))).collect();
    let (n, ret) = (order.len(), retrieved.len());
    let place = |p: &Preference| order.iter().position(|id| *id == p.document).expect("judged");
    let mut names: Vec<&[u8]> = preferences.iter().map(|p| p.group).collect();
    names.sort_unstable();
    names.dedup();
    let mut total = vec![vec![0.0; n]; n];
    let [mut all, mut both, mut neither] = [[0.0; 2]; 3];
    let mut means = [0.0; 5];
    for name in &names {
        let group: Vec<&Preference> = preferences.iter().filter(|p| p.group == *name).collect();
        let partial = group.iter().any(|p| p.subgroup != group[0].subgroup);
        let mut prefers = vec![vec![0.0; n]; n];
        let mut level = vec![f64::NAN; n];
        for a in &group {
            level[place(a)] = a.level;
            for b in group.iter().filter(|b| a.subgroup == b.subgroup && a.level > b.level) {
                prefers[place(a)][place(b)] += 1.0;
            }
        }
        for k in 0..if partial { n } else { 0 } {
            for i in 0..n {
                for j in 0..n {
                    if prefers[i][j] > 0.0 || prefers[i][k] > 0.0 && prefers[k][j] > 0.0 {
                        prefers[i][j] = 1.0;
                    }
                }
            }
        }
        let share = |first: usize, end: usize, keep: &dyn Fn(usize) -> bool| {
            let mut share = [0.0; 2];
            for i in (first..end).filter(|&i| keep(i)) {
                for j in (first..end).filter(|&j| keep(j)) {
                    share[1] += prefers[i][j];
                    share[0] += if i < j && i < ret { prefers[i][j] } else { 0.0 };
                }
            }
            share
        };
        let [a, b, c] = [share(0, n, &|_| true), share(0, ret, &|_| true), share(ret, n, &|_| true)];
        let weight = |i: usize| if partial { 1.0 } else { group.iter().filter(|p| place(p) == i).count() as f64 };
        let count = |end: usize, which: &dyn Fn(f64) -> bool| -> f64 {
            (0..end).filter(|&i| which(level[i])).map(weight).sum()
        };
        let other = |level: f64| if partial { level == 0.0 } else { level <= 0.0 };
        let relevant = |end: usize| count(end, &|level| level > 0.0);
        let balanced = |end: usize, counted: [f64; 2]| {
            let missing = relevant(end) - count(end, &other);
            if missing >= 0.0 {
                return [counted[0] + relevant(ret) * missing, counted[1] + relevant(n) * missing];
            }
            let lowest = level.iter().copied().filter(|l| !l.is_nan()).fold(f64::INFINITY, f64::min);
            if partial {
                let before = |i: usize| level[..=i].iter().filter(|l| **l == 0.0).count() as f64;
                return share(0, end, &|i| level[i] != 0.0 || before(i) <= relevant(n));
            }
            // All documents against the first ones of the last class, and the other classes among themselves.
            let [mut ful, mut poss] = share(0, end, &|i| level[i] > lowest);
            let mut kept = Vec::new();
            for i in (0..end).filter(|&i| level[i] == lowest) {
                kept.extend(std::iter::repeat_n(i, weight(i) as usize));
            }
            kept.truncate(relevant(end) as usize);
            for &j in &kept {
                for i in (0..end).filter(|&i| !level[i].is_nan()) {
                    poss += weight(i);
                    ful += if i < j && i < ret { weight(i) } else { 0.0 };
                }
            }
            [ful, poss]
        };
        let ratio = |[ful, poss]: [f64; 2]| if poss > 0.0 { ful / poss } else { 0.0 };
        let bare = |[ful, poss]: [f64; 2]| ful / poss;
        let found = [ratio(a), bare(balanced(n, a)), ratio(b), bare(balanced(ret, b)), ratio([a[0], a[1] - c[1]])];
        means.iter_mut().zip(found).for_each(|(mean, value)| *mean += value / names.len() as f64);
        for (sum, part) in [(&mut all, a), (&mut both, b), (&mut neither, c)] {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        total.iter_mut().flatten().zip(prefers.iter().flatten()).for_each(|(sum, part)| *sum += part);
    }
    let pair = |keep: &dyn Fn(usize, usize) -> bool| {
        let (mut sum, mut number) = (0.0, 0.0);
        for (i, j) in (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).filter(|&(i, j)| keep(i, j)) {
            let both = total[i][j] + total[j][i];
            if both > 0.0 {
                number += 1.0;
                sum += if i < ret { total[i][j] / both } else { 0.0 };
            }
        }
        if number > 0.0 { sum / number } else { 0.0 }
    };
    let ratio = |ful: f64, poss: f64| if poss > 0.0 { ful / poss } else { 0.0 };
    let or_zero = |value: f64| if value.is_nan() { 0.0 } else { value };
    [
        all[1],
        all[0],
        both[0],
        ratio(all[0], all[1]),
        pair(&|_, _| true),
        means[0],
        or_zero(means[1]),
        ratio(both[0], both[1]),
        pair(&|_, j| j < ret),
        means[2],
        or_zero(means[3]),
        ratio(all[0], all[1] - neither[1]),
        pair(&|i, _| i < ret),
        means[4],
    ]
}

#[test]
fn equals_a_count_pair_by_pair() {
    let mut state = seeded(1);
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..many(200) {
        let documents = 1 + random(if round % 100 == 0 { 150 } else { 9 });
        let groups = 1 + random(3);
        let mut lines = Vec::new();
        for group in 0..groups {
            let levels = 1 + random(5);
            let lowest = random(2) as i64 * -(random(2) as i64);
            // A level a document, so that subgroups do not contradict each other.
            let level: Vec<i64> = (0..documents).map(|_| lowest + random(levels) as i64).collect();
            for subgroup in 0..1 + random(2) * random(4) {
                for document in (0..documents).filter(|_| random(4) > 0).collect::<Vec<_>>() {
                    let times = if random(20) == 0 { 2 } else { 1 };
                    let line = format!("g{group} s{subgroup} d{document:03} {}", level[document as usize]);
                    lines.extend(std::iter::repeat_n(line, times));
                }
            }
        }
        if lines.is_empty() {
            continue;
        }
        let ids: Vec<String> = (0..documents + 3).filter(|_| random(3) > 0).map(|d| format!("d{d:03}")).collect();
        let scores: Vec<f64> = ids.iter().map(|_| random(6) as f64).collect();
        let run: Vec<Retrieved> =
            ids.iter().zip(scores).map(|(id, score)| Retrieved { document: id.as_bytes(), score }).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let text: String = lines.iter().map(|line| format!("q {line}\n")).collect();
        let judged = read_prefs(text.as_bytes(), "test", Version::Ten).expect("preferences");
        let (_, preferences) = judged.iter().next().expect("a query");
        let ours = measure(preferences, &run, usize::MAX).expect("values");
        for (((name, _), ours), naive) in MEASURES.iter().zip(ours).zip(naive(preferences, &run)) {
            assert!((ours - naive).abs() < 1e-12, "{name}: {ours}, pair by pair {naive}\n{text}{ids:?}");
        }
    }
}
