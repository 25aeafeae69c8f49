//! Two rankings: MED against all assignments of grades, RBO against its definition over all orders of ties.

use arbitrary::{Result, Unstructured};
use untied_core::compare::{ComparisonSettings, Evidence, compare, parse};
use untied_core::ranking::Layout;
use untied_core::similarity::PairScore;
use untied_core::table::{Qrels, Run};

use crate::case::{Case, Judged, Retrieved, orders, shuffled};

/// Value of one order from the grades by rank.
type RankFormula = Box<dyn Fn(&[f64]) -> f64>;

/// MED of two short rankings without ties.
pub fn med(data: &[u8]) {
    let _ = one_med(&mut Unstructured::new(data));
}

fn one_med(u: &mut Unstructured<'_>) -> Result<()> {
    let k = u.int_in_range(1..=5)?;
    let (name, grades, formula) = measure(u, k)?;
    let a = short(u, k)?;
    let b = short(u, k)?;
    let mut judged: Vec<Judged> = Vec::new();
    for document in 0..14 {
        if u.ratio(1, 3)? {
            judged.push((0, document, 0, *u.choose(&grades)?, 1.0));
        }
    }
    let (one, other) = (run(&a), run(&b));
    let case = Case { detail: None, run: Vec::new(), qrels: judged };
    let qrels = (!case.qrels.is_empty()).then(|| case.qrels());
    let PairScore { value, range, .. } = compared(&format!("MED({name})"), &one, &other, qrels.as_ref(), Layout::Tied);

    // Ranks of A, then of B, as numbers of documents; what they lack is filled up with documents of their own.
    let mut documents: Vec<u8> = Vec::new();
    let mut numbers = |ranking: &[u8], own: u8| -> Vec<usize> {
        let filled = ranking.iter().copied().chain((0..).map(|i| own + i)).take(k);
        let number = |document| {
            documents.iter().position(|&other| other == document).unwrap_or_else(|| {
                documents.push(document);
                documents.len() - 1
            })
        };
        filled.map(number).collect()
    };
    let (of_a, of_b) = (numbers(&a, 100), numbers(&b, 200));
    let choices: Vec<Vec<f64>> = documents
        .iter()
        .map(|&document| case.grade(0, document).map_or_else(|| grades.clone(), |grade| vec![grade]))
        .collect();
    let mut largest = 0.0f64;
    for_all(&choices, &mut |assigned| {
        let value = |ranks: &[usize]| formula(&ranks.iter().map(|&number| assigned[number]).collect::<Vec<_>>());
        largest = largest.max((value(&of_a) - value(&of_b)).abs());
    });
    assert!((value - largest).abs() < 1e-12, "MED({name}) is {value}, not {largest}: {a:?} {b:?} {case:?}");
    if let Some((low, high)) = range {
        assert!(low <= value + 1e-12 && largest <= high + 1e-12, "MED({name}) {value} in {low}..{high}");
    }
    let back = compared(&format!("MED({name})"), &other, &one, qrels.as_ref(), Layout::Tied);
    assert!((back.value - value).abs() < 1e-12, "MED({name}) is not symmetric: {a:?} {b:?} {case:?}");
    Ok(())
}

/// A measure to depth k: its name, the grades that documents may have, its formula.
fn measure(u: &mut Unstructured<'_>, k: usize) -> Result<(String, Vec<f64>, RankFormula)> {
    let binary = vec![0.0, 1.0];
    Ok(match u.int_in_range(0..=5)? {
        0 => (format!("P@{k}"), binary, Box::new(move |grades| grades.iter().sum::<f64>() / k as f64)),
        1 => (
            format!("AP@{k}"),
            binary,
            Box::new(move |grades| {
                let precision = |i: usize| grades[i] * grades[..=i].iter().sum::<f64>() / (i + 1) as f64;
                (0..grades.len()).map(precision).sum::<f64>() / k as f64
            }),
        ),
        2 => (
            format!("RR@{k}"),
            binary,
            Box::new(|grades| grades.iter().position(|&grade| grade > 0.0).map_or(0.0, |i| 1.0 / (i + 1) as f64)),
        ),
        3 => (
            format!("RBP(p=0.7)@{k}"),
            binary,
            Box::new(|grades| (0..).zip(grades).map(|(i, grade)| 0.3 * grade * 0.7f64.powi(i)).sum()),
        ),
        4 => (
            format!("nDCG@{k}"),
            binary,
            Box::new(move |grades| {
                let discount = |i: usize| 1.0 / (i as f64 + 2.0).log2();
                let ideal: f64 = (0..k).map(discount).sum();
                grades.iter().enumerate().map(|(i, grade)| grade * discount(i)).sum::<f64>() / ideal
            }),
        ),
        _ => (
            format!("ERR(max_grade=2)@{k}"),
            vec![0.0, 1.0, 2.0],
            Box::new(|grades| {
                let (mut go_on, mut sum) = (1.0, 0.0);
                for (i, grade) in grades.iter().enumerate() {
                    let stop = (grade.exp2() - 1.0) / 4.0;
                    sum += go_on * stop / (i + 1) as f64;
                    go_on *= 1.0 - stop;
                }
                sum
            }),
        ),
    })
}

/// Up to k documents, most of them among the first ones.
fn short(u: &mut Unstructured<'_>, k: usize) -> Result<Vec<u8>> {
    let length = u.int_in_range(1..=k)?;
    let of = if u.arbitrary()? { 14 } else { k.min(13) + 1 };
    let mut all = shuffled(u, 14)?;
    all.retain(|&document| usize::from(document) < of);
    all.truncate(length);
    Ok(all)
}

fn run(ranking: &[u8]) -> Run {
    let row = |(i, &document): (usize, &u8)| (0, document, -(i as f64));
    tied_run(ranking.iter().enumerate().map(row).collect())
}

fn tied_run(rows: Vec<Retrieved>) -> Run {
    Case { detail: None, run: rows, qrels: Vec::new() }.run().expect("documents")
}

fn compared(name: &str, one: &Run, other: &Run, qrels: Option<&Qrels>, layout: Layout) -> PairScore {
    let settings = ComparisonSettings { layout, variance: true, ..ComparisonSettings::default() };
    let evidence = Evidence { qrels, ..Evidence::default() };
    let found = compare(&[one, other], &["one", "other"], evidence, &[parse(name).expect(name)], settings).expect(name);
    found[0].values.get(0)
}

/// Every choice of one for each.
fn for_all(choices: &[Vec<f64>], visit: &mut impl FnMut(&[f64])) {
    let mut digits = vec![0; choices.len()];
    loop {
        let assigned: Vec<f64> = digits.iter().zip(choices).map(|(&digit, choices)| choices[digit]).collect();
        visit(&assigned);
        let Some(place) = (0..digits.len()).find(|&i| digits[i] + 1 < choices[i].len()) else { return };
        digits[..place].fill(0);
        digits[place] += 1;
    }
}

/// RBO of two short rankings with ties.
pub fn rbo(data: &[u8]) {
    let _ = one_rbo(&mut Unstructured::new(data));
}

fn one_rbo(u: &mut Unstructured<'_>) -> Result<()> {
    let p = *u.choose(&[0.5, 0.8, 0.9, 0.95])?;
    let kind = *u.choose(&["ext", "truncated", "min", "max", "res"])?;
    let (a, b) = (tied(u)?, tied(u)?);
    let all = (orders(&a), orders(&b));
    if all.0.len() * all.1.len() > 1500 {
        return Ok(());
    }
    let mut values = Vec::new();
    for one in &all.0 {
        values.extend(all.1.iter().map(|other| rbo_of(one, other, p, kind)));
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let name = format!("RBO(p={p}, score='{kind}')");
    let score = compared(&name, &scored(&a), &scored(&b), None, Layout::Tied);
    let same = |what: &str, found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-9, "{name}: {what} {found}, not {expected}: {a:?} {b:?}");
    };
    same("mean", score.value, mean);
    score.variance.into_iter().for_each(|found| same("variance", found, variance));
    if let Some(range) = score.range {
        same("low", range.0, low);
        same("high", range.1, high);
    }
    Ok(())
}

fn tied(u: &mut Unstructured<'_>) -> Result<Vec<Vec<u8>>> {
    let length = u.int_in_range(1..=7)?;
    let mut groups: Vec<Vec<u8>> = Vec::new();
    for document in shuffled(u, length)? {
        match groups.last_mut() {
            Some(group) if group.len() < 4 && u.arbitrary()? => group.push(document),
            _ => groups.push(vec![document]),
        }
    }
    Ok(groups)
}

fn scored(groups: &[Vec<u8>]) -> Run {
    let rows =
        groups.iter().enumerate().flat_map(|(i, group)| group.iter().map(move |&document| (0, document, -(i as f64))));
    tied_run(rows.collect())
}

/// `(1-p) sum p^(d-1) A_d`, summed as far as it makes a difference.
fn rbo_of(a: &[u8], b: &[u8], p: f64, kind: &str) -> f64 {
    const FAR: usize = 1500;
    let (s, l) = (a.len().min(b.len()), a.len().max(b.len()));
    let overlap =
        |d: usize| a.iter().take(d).filter(|document| b.iter().take(d).any(|other| other == *document)).count();
    let (at_s, at_l) = (overlap(s) as f64, overlap(l) as f64);
    let seen = |d: usize| if d <= l { overlap(d) as f64 } else { at_l };
    // All that the shorter ranking lacks is in the longer one, as far as there are enough; then both go on alike.
    let most = |d: usize| {
        if d <= l {
            overlap(d) as f64 + d.saturating_sub(s) as f64
        } else {
            f64::min(d as f64, 2.0 * d as f64 + at_l - (s + l) as f64)
        }
    };
    let agreement = |d: usize| match kind {
        "truncated" => {
            if d <= l {
                seen(d) / d as f64
            } else {
                0.0
            }
        }
        "min" => seen(d) / d as f64,
        "max" => most(d) / d as f64,
        "res" => (most(d) - seen(d)) / d as f64,
        // The shorter ranking goes on to agree as it did at its end, then both as they did.
        _ => {
            let beyond = |d: usize| (overlap(d) as f64 + at_s * (d - s) as f64 / s as f64) / d as f64;
            if d <= s { seen(d) / d as f64 } else { beyond(d.min(l)) }
        }
    };
    (1..=FAR).map(|d| (1.0 - p) * p.powi(d as i32 - 1) * agreement(d)).sum()
}
