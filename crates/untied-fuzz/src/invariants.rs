//! Invariants of all measures.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use untied_core::Error;
use untied_core::evaluate::{Evaluation, Plan, evaluate};
use untied_core::measures::Certainty;
use untied_core::names::{Cutoff, Info, Needs, Spec, Value};
use untied_core::registry::{FAMILIES, Family};
use untied_core::settings::{Purpose, Settings, TIES, Take, UNJUDGED, Unjudged};

use crate::case::{Case, Size};
use crate::threads::many;

const POLICIES: [&str; 6] = ["expected", "docid", "given", "best", "worst", "range"];

/// These tell how much is judged, which no grade changes.
const COUNT_JUDGMENTS: [&str; 4] = ["Judged", "Unjudged", "RBPResidual", "NumNonrelJudgedRet"];

/// Any measure on a small run.
pub fn evaluation(data: &[u8]) {
    let _ = one(&mut Unstructured::new(data));
}

fn one(u: &mut Unstructured<'_>) -> Result<()> {
    let infos: Vec<&'static Info> =
        FAMILIES.iter().filter(|family| !family.compares()).flat_map(Family::infos).collect();
    let info = *u.choose(&infos)?;
    let spec = spec(info, u)?;
    let unjudged = *u.choose(&["nonrelevant", "nonrelevant", "remove", "range"])?;
    let unjudged = UNJUDGED.read(Purpose::Runs, unjudged).expect("a policy");
    let detail = info.needs.detail();
    let case = Case::new(u, detail, &Size { queries: 3, retrieved: 12, tied: 9 })?;
    let settings = Settings { unjudged, variance: true, ..Settings::default() };
    let all = |case: &Case, deeper: usize| evaluate_all(case, &spec, settings, deeper);
    let Some(found) = all(&case, 0) else { return Ok(()) };
    for (evaluation, ties) in found.iter().zip(POLICIES) {
        within(evaluation, &spec, ties, unjudged);
    }
    consistent(&found, &case, &spec, unjudged);

    // The same to the last bit from lines in another order, for a plan of deeper rankings, on several threads.
    let mut other = case.clone();
    for _ in 0..4 {
        let (i, j) = (u.int_in_range(0..=other.run.len())?, u.int_in_range(0..=other.qrels.len())?);
        other.run.rotate_left(i);
        other.qrels.rotate_left(j);
        other.run.reverse();
        let end = other.qrels.len() / 2;
        other.qrels[..end].reverse();
    }
    same(&found, &all(&other, 7).expect("values"), &spec);
    if u.ratio(1, 8)? {
        same(&found, &many(|| all(&other, 0)).expect("values"), &spec);
    }
    if unjudged.take == Take::Range && detail.is_none() && !COUNT_JUDGMENTS.contains(&info.name) {
        filled(u, &case, &spec, &found)?;
    }
    Ok(())
}

fn spec(info: &'static Info, u: &mut Unstructured<'_>) -> Result<Spec> {
    let mut spec = Spec::of(info);
    if info.cutoff == Cutoff::Recall {
        spec = spec.at_number(*u.choose(&[0.0, 0.1, 0.5, 0.7, 1.0])?).expect("a recall level");
    } else if info.cutoff == Cutoff::Required || info.cutoff == Cutoff::Optional && u.arbitrary()? {
        spec = spec.at(*u.choose(&[1, 2, 3, 5, 10, 20, 1_000_000_007, usize::MAX])?).expect("a cutoff");
    }
    for parameter in info.parameters {
        let value = match parameter.name {
            "rel" | "max_grade" if u.ratio(1, 4)? => Value::Number(*u.choose(&[1.0, 2.0, 4.0])?),
            "judged_only" if u.ratio(1, 6)? => Value::Flag(true),
            "gain" if u.ratio(1, 4)? => Value::Text("exp2".into()),
            "recall_base" if u.ratio(1, 4)? => {
                if u.arbitrary()? {
                    Value::Text("ranking".into())
                } else {
                    Value::Number(f64::from(u.int_in_range(1..=20)?))
                }
            }
            "q" | "x" | "eps" | "extra" | "beta" | "mult" if u.ratio(1, 4)? => {
                Value::Number(*u.choose(&[0.0, 0.5, 1.0, 2.0, 3.0])?)
            }
            name if parameter.default.is_empty() && name == "gains" => Value::List(vec![0.5]),
            _ => continue,
        };
        spec = spec.with(parameter.name, value).expect("a parameter of the measure");
    }
    Ok(spec)
}

/// Values under every policy; nothing where the measure refuses parameters or grades.
fn evaluate_all(case: &Case, spec: &Spec, settings: Settings, deeper: usize) -> Option<Vec<Evaluation>> {
    let (qrels, run) = (case.qrels(), case.run()?);
    let lengths = (spec.info.needs == Needs::Documents).then(|| Arc::new(Case::lengths()));
    let plan = match Plan::new(std::slice::from_ref(spec), &qrels, run.longest() + deeper, lengths.as_ref()) {
        Ok(plan) => plan,
        Err(Error::Measure(_) | Error::Value(_)) => return None,
        Err(error) => panic!("{spec}: {error}"),
    };
    let all = POLICIES.map(|ties| {
        let ties = TIES.read(Purpose::Runs, ties).expect("a policy");
        evaluate(&qrels, &run, &plan, Settings { ties, ..settings })
    });
    let mut values = Vec::new();
    for one in all {
        match one {
            Ok(evaluation) => values.push(evaluation),
            Err(Error::Value(_)) => return None,
            Err(error) => panic!("{spec}: {error}"),
        }
    }
    Some(values)
}

/// Values lie within the measure's range, the mean within its ends, and nothing is infinite.
fn within(evaluation: &Evaluation, spec: &Spec, ties: &str, unjudged: Unjudged) {
    let (least, most) = match spec.info.range {
        "0 to 1" => (0.0, 1.0),
        range if range.starts_with("0 or more") || range.starts_with("0 to 1; rarely") => (0.0, f64::INFINITY),
        range if range.starts_with("0 to 1;") => (0.0, 1.0),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    };
    // Of another number of relevant documents than there are, shares may be above 1.
    let most = if spec.parameter("recall_base").is_some() { f64::INFINITY } else { most };
    for row in 0..evaluation.queries.len() {
        let value = evaluation.value(row, 0);
        assert!(spec.info.lower_is_better || !value.mean.is_nan(), "{spec}: {value:?}");
        if value.mean.is_nan() {
            continue;
        }
        let (low, high) = value.range.unwrap_or((value.mean, value.mean));
        // Bounds over grades of unjudged documents need not be reached.
        let slack = 1e-9 * (1.0 + value.mean.abs());
        // Bpref passes over unjudged documents, which is no grade that they may have: mean and variance are without them.
        let is_another = unjudged.take == Take::Range && spec.info.name == "Bpref";
        assert!(is_another || low <= value.mean && value.mean <= high, "{spec}: {value:?}");
        assert!(least - slack <= low && high <= most + slack && high.is_finite(), "{spec}: {value:?}");
        assert!(value.variance.is_none_or(|variance| variance >= -1e-12), "{spec}: {value:?}");
        let spread = (high - low) / 2.0;
        let is_over_orders = is_over_orders(spec) && !is_another;
        if ties == "range" && value.certainty != Certainty::Estimate && is_over_orders {
            assert!(value.variance.is_none_or(|variance| variance <= spread * spread + 1e-9), "{spec}: {value:?}");
        }
    }
}

/// Whether the variance is over orders of ties alone; that of subAP is over inclusion too.
fn is_over_orders(spec: &Spec) -> bool {
    spec.info.name != "subAP"
}

/// Policies agree with each other.
fn consistent(found: &[Evaluation], case: &Case, spec: &Spec, unjudged: Unjudged) {
    // Queries have numbers among those that are judged.
    let mut judged: Vec<u8> = case.qrels.iter().map(|row| row.0).collect();
    judged.dedup();
    for (row, &query) in found[0].queries.iter().enumerate() {
        let values: Vec<_> = found.iter().map(|evaluation| evaluation.value(row, 0)).collect();
        let [expected, document, given, best, worst, range] = values.as_slice() else { panic!("six policies") };
        assert_eq!(expected.mean.to_bits(), range.mean.to_bits(), "{spec}: {values:?}");
        let untied = case.groups(judged[query]).iter().all(|group| group.len() == 1);
        if untied {
            assert!(values.iter().all(|value| value.mean.to_bits() == expected.mean.to_bits()), "{spec}: {values:?}");
            let none = |variance: f64| variance == 0.0 || variance.is_nan() || !is_over_orders(spec);
            assert!(values.iter().all(|value| value.variance.is_none_or(none)), "{spec}: {values:?}");
        }
        if unjudged.take == Take::Range || expected.mean.is_nan() || range.certainty == Certainty::Estimate {
            continue;
        }
        let (low, high) = range.range.expect("a range");
        let (least, most) = if spec.info.lower_is_better { (best, worst) } else { (worst, best) };
        let slack = 1e-9 * (1.0 + high.abs());
        assert!((least.mean - low).abs() <= slack && (most.mean - high).abs() <= slack, "{spec}: {values:?} {case:?}");
        for one in [document, given].iter().filter(|one| !one.mean.is_nan()) {
            assert!(low - slack <= one.mean && one.mean <= high + slack, "{spec}: {values:?} {case:?}");
        }
    }
}

/// The same to the last bit; the order of the input is a policy of its own.
fn same(found: &[Evaluation], again: &[Evaluation], spec: &Spec) {
    for ((ties, one), other) in POLICIES.iter().zip(found).zip(again) {
        if *ties == "given" {
            continue;
        }
        assert_eq!(one.queries, other.queries);
        let bits = |evaluation: &Evaluation| -> Vec<[u64; 4]> {
            let values =
                (0..evaluation.queries.len()).map(|row| evaluation.value(row, 0)).chain(evaluation.totals.clone());
            let numbers = values.map(|value| {
                let (low, high) = value.range.unwrap_or_default();
                [value.mean, low, high, value.variance.unwrap_or_default()]
            });
            numbers.map(|numbers| numbers.map(f64::to_bits)).collect()
        };
        assert_eq!(bits(one), bits(other), "{spec}, {ties:?}: {:?} {:?}", one.totals, other.totals);
    }
}

/// With grades for some of the unjudged documents, the value is within the bounds over all grades; that of Bpref, which
/// passes over the others, with grades for all of them.
fn filled(u: &mut Unstructured<'_>, case: &Case, spec: &Spec, found: &[Evaluation]) -> Result<()> {
    let mut grades: Vec<f64> = case.qrels.iter().map(|row| row.3).filter(|&grade| grade > 0.0).collect();
    grades.push(0.0);
    let mut other = case.clone();
    for &(query, document, _) in &case.run {
        // A negative grade is that of a document in the pool that nobody judged.
        let is_open = case.grade(query, document).is_none_or(|grade| grade < 0.0);
        let is_judged = case.qrels.iter().any(|row| row.0 == query);
        if is_judged && is_open && (spec.info.name == "Bpref" || u.ratio(2, 3)?) {
            other.qrels.retain(|row| (row.0, row.1) != (query, document));
            other.qrels.push((query, document, 0, *u.choose(&grades)?, 1.0));
        }
    }
    let settings = Settings::default();
    let Some(values) = evaluate_all(&other, spec, settings, 0) else { return Ok(()) };
    assert_eq!(values[0].queries, found[0].queries);
    for row in 0..values[0].queries.len() {
        for (policy, ties) in POLICIES.iter().enumerate() {
            let (value, bounds) = (values[policy].value(row, 0), found[policy].value(row, 0));
            let Some((low, high)) = bounds.range else { continue };
            let skipped = value.mean.is_nan() || low.is_nan() || value.certainty == Certainty::Estimate;
            let slack = 1e-9 * (1.0 + high.abs());
            let inside = low - slack <= value.mean && value.mean <= high + slack;
            assert!(skipped || inside, "{spec}, {ties:?}: {value:?} {bounds:?} {case:?} {other:?}");
        }
    }
    Ok(())
}
