//! Arrays against tables with ids: the same values, to the last bit.

use untied_core::arrays::{Column, Given, Groups, Labels, Scores, Totals};
use untied_core::evaluate::{Evaluation, Plan, evaluate};
use untied_core::registry::parse_all;
use untied_core::settings::Settings;
use untied_core::table::{Chunk, Qrels, Run};

const MEASURES: &str = "nDCG@10 nDCG AP(rel=2) AP@5 RR P@3 R@5 RBP(p=0.8) Bpref ERR@10 NumRet NumRel infAP";
const QUERIES: usize = 40;
const WIDTH: usize = 12;

/// Numbers that look drawn.
fn drawn(n: usize, below: u64) -> Vec<u64> {
    let mut state = 7u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..n).map(next).collect()
}

/// A table with a row for each document that is there; ids are places.
fn table(values: &[f64], keep: impl Fn(usize) -> bool) -> Vec<Chunk> {
    let mut chunk = Chunk::new(1);
    for query in 0..QUERIES {
        chunk.start_query(format!("{query:02}").as_bytes());
        for place in (query * WIDTH..(query + 1) * WIDTH).filter(|&place| keep(place)) {
            chunk.block.docs.push(format!("{place}").as_bytes());
            chunk.block.columns[0].push(values[place]);
        }
    }
    chunk.finish();
    vec![chunk]
}

fn bits(evaluation: &Evaluation) -> Vec<u64> {
    let measures = evaluation.totals.len();
    let values = (0..QUERIES).flat_map(|row| (0..measures).map(move |m| evaluation.value(row, m)));
    values
        .chain(evaluation.totals.iter().copied())
        .flat_map(|value| {
            let (low, high) = value.range.unwrap_or_default();
            [value.mean, low, high, value.variance.unwrap_or_default()].map(f64::to_bits)
        })
        .collect()
}

#[test]
fn arrays_and_tables_agree_to_the_last_bit() {
    let documents = QUERIES * WIDTH;
    let scores: Vec<f32> = drawn(documents, 5).iter().map(|&score| score as f32 / 3.0).collect();
    // Grades from -1 to 3, and 4 for what is not judged.
    let labels: Vec<f64> =
        drawn(documents * 2, 6).split_off(documents).iter().map(|&grade| grade as f64 - 1.0).collect();
    let judged: Vec<u8> = labels.iter().map(|&grade| u8::from(grade < 4.0)).collect();
    let present: Vec<u8> = drawn(documents * 3, 7).split_off(2 * documents).iter().map(|&n| u8::from(n > 0)).collect();

    let wide: Vec<f64> = scores.iter().copied().map(f64::from).collect();
    let run = Run::new(table(&wide, |place| present[place] == 1), "run").expect("run");
    let qrels = Qrels::new(table(&labels, |place| present[place] == 1 && judged[place] == 1), "").expect("qrels");
    let specs = MEASURES.split(" ").flat_map(|name| parse_all(name).expect("measure")).collect::<Vec<_>>();
    let plan = Plan::new(&specs, &qrels, run.longest(), None).expect("plan");

    let column = Column::Float64(&labels);
    let given = Given { labels: column, present: Some(&present), judged: Some(&judged), totals: Totals::Same };
    let ends = (1..=QUERIES).map(|query| query * WIDTH).collect();
    for groups in [Groups::Rows(QUERIES, WIDTH), Groups::Ends(ends)] {
        let prepared = Labels::new(groups, &given).expect("labels");
        assert_eq!(prepared.grades(), qrels.grades());
        let array_plan = prepared.plan(&specs).expect("plan");
        for ties in ["expected", "range", "best", "worst", "given"] {
            for unjudged in ["nonrelevant", "remove"] {
                let mut settings = Settings { variance: true, ..Settings::default() };
                settings.set_ties(ties, "float64").and_then(|()| settings.set_unjudged(unjudged)).expect("settings");
                let expected = evaluate(&qrels, &run, &plan, settings).expect("values");
                let scores = Scores { column: Column::Float32(&scores), ascending: false, name: "scores" };
                let found = prepared.evaluate(&scores, &array_plan, settings).expect("values");
                assert_eq!(bits(&found), bits(&expected), "{ties} {unjudged}");
                assert_eq!(found.facts, expected.facts);
                let negative: Vec<f64> = wide.iter().map(|&score| -score).collect();
                let turned = Scores { column: Column::Float64(&negative), ascending: true, name: "turned" };
                let means = prepared.means(&[scores, turned], &array_plan, settings).expect("means");
                assert!(means.iter().all(|means| means.values == expected.totals));
            }
        }
    }
}

#[test]
fn totals_count_what_the_array_lacks() {
    let value = |totals: Totals<'_>, measure: &str, labels: &[i64]| {
        let given = Given { labels: Column::Int64(labels), present: None, judged: None, totals };
        let labels = Labels::new(Groups::Rows(1, 3), &given)?;
        let plan = labels.plan(&parse_all(measure)?)?;
        let scores = Scores { column: Column::Int32(&[3, 2, 1]), ascending: false, name: "scores" };
        Ok::<f64, untied_core::Error>(labels.evaluate(&scores, &plan, Settings::default())?.value(0, 0).mean)
    };
    assert_eq!(value(Totals::Same, "R@3", &[1, 0, 1]).ok(), Some(1.0));
    assert_eq!(value(Totals::Relevant(&[4]), "R@3", &[1, 0, 1]).ok(), Some(0.5));
    assert_eq!(value(Totals::ByGrade(&[(2.0, &[3]), (1.0, &[1])]), "R@3", &[2, 0, 1]).ok(), Some(0.5));
    let refused = |totals, labels: &[i64]| value(totals, "R@3", labels).expect_err("refused").to_string();
    assert!(refused(Totals::Relevant(&[1]), &[1, 0, 1]).contains("has 2 documents of grade 1 in the array, but 1"));
    assert!(refused(Totals::Relevant(&[4]), &[2, 0, 1]).contains("labels such as 2"));
    assert!(refused(Totals::Relevant(&[4, 4]), &[1, 0, 1]).contains("2 numbers for 1 queries"));
}

#[test]
fn scores_are_compared_as_they_are() {
    // 1 + 2^-8 and 1 are one bfloat16; next to them 1 + 2^-7.
    let halves = [0x3f80, 0x3f80, 0x3f81];
    let given = Given { labels: Column::Uint8(&[1, 0, 0]), present: None, judged: None, totals: Totals::Same };
    let labels = Labels::new(Groups::Rows(1, 3), &given).expect("labels");
    let plan = labels.plan(&parse_all("RR").expect("RR")).expect("plan");
    let mean = |column| {
        let scores = Scores { column, ascending: false, name: "scores" };
        labels.evaluate(&scores, &plan, Settings::default()).map(|found| found.value(0, 0).mean)
    };
    assert_eq!(mean(Column::Bfloat16(&halves)).ok(), Some((0.5 + 1.0 / 3.0) / 2.0));
    // No double precision number can tell these apart.
    assert_eq!(mean(Column::Int64(&[i64::MAX - 1, i64::MAX, i64::MAX - 2])).ok(), Some(0.5));
    let error = mean(Column::Float32(&[1.0, f32::NAN, 0.0])).expect_err("NaN").to_string();
    assert_eq!(error, "scores: expected finite numbers, found NaN for query 0, document 1 (counted from 0)");
    assert!(mean(Column::Float32(&[1.0])).is_err());
}
