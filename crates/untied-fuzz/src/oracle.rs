//! Measures from their definitions, over all orders of tied documents.

use arbitrary::{Result, Unstructured};
use untied_core::evaluate::{MeasureValue, Plan, evaluate};
use untied_core::registry::parse;
use untied_core::settings::{Purpose, Settings};

use crate::case::{Case, Size, orders};

/// A measure of one order: the measure's name, grades in this order, grades of all judged documents.
type Formula = Box<dyn Fn(&[Option<f64>], &[f64]) -> f64>;

/// Measures with all statistics over orders.
pub fn oracle(data: &[u8]) {
    let _ = one(&mut Unstructured::new(data));
}

fn one(u: &mut Unstructured<'_>) -> Result<()> {
    let (name, formula) = measure(u)?;
    let case = Case::new(u, None, &Size { queries: 1, retrieved: 9, tied: 6 })?;
    let Some(run) = case.run() else { return Ok(()) };
    let groups = case.groups(0);
    if groups.iter().map(|group| (1..=group.len()).product::<usize>()).product::<usize>() > 1500 {
        return Ok(());
    }
    let judged: Vec<f64> = case.qrels.iter().map(|row| row.3).collect();
    let value =
        |order: &[u8]| formula(&order.iter().map(|&document| case.grade(0, document)).collect::<Vec<_>>(), &judged);
    let values: Vec<f64> = orders(&groups).iter().map(|order| value(order)).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);

    let qrels = case.qrels();
    let spec = parse(&name).expect(&name);
    let plan = Plan::new(&[spec], &qrels, run.longest(), None).expect(&name);
    let found = |ties: &str| {
        let settings = Settings::new(Purpose::Runs, &[("ties", ties)]).expect(ties);
        let settings = Settings { variance: true, ..settings };
        evaluate(&qrels, &run, &plan, settings).expect(&name).value(0, 0)
    };
    let same = |what: &str, found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-12, "{name}: {what} {found}, not {expected}: {case:?}");
    };
    let MeasureValue { mean: found_mean, variance: found_variance, range, .. } = found("range");
    let (found_low, found_high) = range.expect("a range");
    same("mean", found_mean, mean);
    same("variance", found_variance.expect("a variance"), variance);
    same("low", found_low, low);
    same("high", found_high, high);
    same("expected", found("expected").mean, mean);
    same("best", found("best").mean, high);
    same("worst", found("worst").mean, low);
    let given: Vec<u8> = groups.concat();
    same("given", found("given").mean, value(&given));
    let mut by_id = groups;
    by_id.iter_mut().for_each(|group| group.sort_by_key(|document| std::cmp::Reverse(format!("d{document}"))));
    same("docid", found("docid").mean, value(&by_id.concat()));
    Ok(())
}

fn measure(u: &mut Unstructured<'_>) -> Result<(String, Formula)> {
    let rel = f64::from(u.int_in_range(1u8..=2)?);
    let k = if u.ratio(1, 3)? { usize::MAX } else { u.int_in_range(1..=11)? };
    let cut = if k == usize::MAX { String::new() } else { format!("@{k}") };
    let at = k.min(10_000);
    Ok(match u.int_in_range(0..=7)? {
        0 => (format!("P(rel={rel})@{at}"), Box::new(move |order, _| hits(order, at, rel) / at as f64)),
        1 => {
            (format!("R(rel={rel})@{at}"), Box::new(move |order, all| share(hits(order, at, rel), relevant(all, rel))))
        }
        2 => (
            format!("AP(rel={rel}){cut}"),
            Box::new(move |order, all| {
                let precision = |(i, grade): (usize, &Option<f64>)| match grade {
                    Some(grade) if *grade >= rel => hits(order, i + 1, rel) / (i + 1) as f64,
                    _ => 0.0,
                };
                share(order.iter().enumerate().take(k).map(precision).sum(), relevant(all, rel))
            }),
        ),
        3 => (
            format!("RR(rel={rel}){cut}"),
            Box::new(move |order, _| {
                let first = order.iter().take(k).position(|grade| grade.is_some_and(|grade| grade >= rel));
                first.map_or(0.0, |i| 1.0 / (i + 1) as f64)
            }),
        ),
        4 => (
            format!("Bpref(rel={rel})"),
            Box::new(move |order, all| {
                let r = relevant(all, rel);
                let n = all.iter().filter(|&&grade| grade >= 0.0 && grade < rel).count() as f64;
                let (mut above, mut sum) = (0.0, 0.0);
                for grade in order.iter().flatten() {
                    if *grade >= rel {
                        sum += if above > 0.0 { 1.0 - f64::min(above, r) / f64::min(n, r) } else { 1.0 };
                    } else if *grade >= 0.0 {
                        above += 1.0;
                    }
                }
                share(sum, r)
            }),
        ),
        5 => (
            format!("RBP(rel={rel}){cut}"),
            Box::new(move |order, _| {
                let gain = |grade: &Option<f64>| f64::from(u8::from(grade.is_some_and(|grade| grade >= rel)));
                (0..).zip(order).take(k).map(|(i, grade)| 0.2 * gain(grade) * 0.8f64.powi(i)).sum()
            }),
        ),
        exponential => {
            let (gain, of): (_, fn(f64) -> f64) =
                if exponential == 7 { ("exp2", |grade| grade.exp2() - 1.0) } else { ("linear", |grade| grade) };
            let sum = move |grades: &mut dyn Iterator<Item = f64>| -> f64 {
                (2..).zip(grades.take(k)).map(|(i, grade)| of(grade.max(0.0)) / f64::from(i).log2()).sum()
            };
            let formula = move |order: &[Option<f64>], all: &[f64]| {
                let mut ideal = all.to_vec();
                ideal.sort_by(|a, b| b.total_cmp(a));
                share(sum(&mut order.iter().map(|grade| grade.unwrap_or(0.0))), sum(&mut ideal.into_iter()))
            };
            (format!("nDCG(gain='{gain}'){cut}"), Box::new(formula))
        }
    })
}

fn hits(order: &[Option<f64>], k: usize, rel: f64) -> f64 {
    order.iter().take(k).filter(|grade| grade.is_some_and(|grade| grade >= rel)).count() as f64
}

fn relevant(all: &[f64], rel: f64) -> f64 {
    all.iter().filter(|&&grade| grade >= rel).count() as f64
}

/// 0 where there is nothing to have a share of.
fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}
