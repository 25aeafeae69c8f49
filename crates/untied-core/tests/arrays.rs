//! Arrays: counting places of few relevant documents finds what sorting finds, to the last bit.

use untied_core::arrays::{DocumentCounts, Groups, LabelInput, Labels, NumberColumn, Scores};
use untied_core::evaluate::MeasureValue;
use untied_core::registry::parse_all;
use untied_core::settings::{Purpose, Settings, Take, Unjudged};

/// Numbers that look drawn.
fn drawn(n: usize, below: u64) -> Vec<u64> {
    let mut state = 7u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..n).map(next).collect()
}

/// Scores of a type with few values, so that there are ties, beside the same in double precision.
fn columns(documents: usize) -> (Vec<i8>, Vec<f32>, Vec<u16>, Vec<f64>) {
    let whole: Vec<i8> = drawn(documents, 90).iter().map(|&n| n as i8 - 45).collect();
    let single = whole.iter().map(|&n| f32::from(n) / 8.0).collect();
    // Upper halves of single precision; 0 has both signs.
    let halves = whole.iter().map(|&n| (-f32::from(n) / 8.0).to_bits()).map(|bits| (bits >> 16) as u16).collect();
    let double = whole.iter().map(|&n| f64::from(n) / 8.0).collect();
    (whole, single, halves, double)
}

#[test]
fn counting_and_sorting_agree_to_the_last_bit() {
    let names = "nDCG@10 nDCG(gain=exp2) DCG AP AP@5 AP(rel=2) RR@10 RR P@10 R@100 F1@5 RBP(p=0.8) Rprec Success@10 \
                 ERR@10 nERR SetP SetF NumRet NumRel NumRelRet RelP@5 Hits@20";
    let specs = names.split(' ').flat_map(|name| parse_all(name).expect("measure")).collect::<Vec<_>>();
    let shapes = [
        (30, 700, 40, false),
        (3, 70_000, 5_000, false),
        (200, 10, 4, false),
        (200, 10, 4, true),
        (40, 12, 3, false),
        (40, 13, 3, true),
        (20, 63, 9, false),
        (40, 64, 3, true),
        (5, 3, 2, false),
    ];
    for (queries, width, one_in, is_padded) in shapes {
        let documents = queries * width;
        // Mostly 0, some not judged, a few of grades -1 and 1 to 3.
        let labels: Vec<f64> = drawn(2 * documents, 4 * one_in)
            .split_off(documents)
            .iter()
            .map(|&n| match n {
                0..4 => n as f64,
                4 => -1.0,
                5..9 => f64::NAN,
                _ => 0.0,
            })
            .collect();
        let (whole, mut single, halves, double) = columns(documents);
        // Every third query ends in padding, which is no number; every fifth of these also begins so.
        let is_there = |document: usize| {
            let (query, row) = (document / width, document % width);
            query % 3 > 0 || row < width - width / 4 && (query % 5 > 0 || row > 0)
        };
        let present: Option<Vec<u8>> = is_padded.then(|| (0..documents).map(|i| u8::from(is_there(i))).collect());
        if is_padded {
            (0..documents).filter(|&i| !is_there(i)).for_each(|i| single[i] = f32::NAN);
        }
        let labels = NumberColumn::Float64(&labels);
        let input = LabelInput { labels, present: present.as_deref(), judged: None, totals: DocumentCounts::InArray };
        let labels = Labels::new(Groups::Rows(queries, width), &input).expect("labels");
        let plan = labels.plan(&specs, Unjudged { kept: true, take: Take::Range }).expect("plan");
        for (column, ascending) in [
            (NumberColumn::Int8(&whole), false),
            (NumberColumn::Float32(&single), false),
            (NumberColumn::Bfloat16(&halves), true),
            (NumberColumn::Float64(&double), true),
        ] {
            for ties in ["expected", "range", "best", "worst", "given"] {
                let settings = Settings::new(Purpose::Arrays, &[("ties", ties)]).expect("settings");
                let evaluate = |variance| {
                    let scores = Scores { column, ascending, name: "scores" };
                    labels.evaluate(&scores, &plan, Settings { variance, ..settings }).expect("values")
                };
                // Variances read all judged documents, so everything is sorted for them.
                let (counted, sorted) = (evaluate(false), evaluate(true));
                for row in 0..queries {
                    for (measure, spec) in specs.iter().enumerate() {
                        let (one, other) = (counted.value(row, measure), sorted.value(row, measure));
                        let bits = |value: MeasureValue| {
                            let (low, high) = value.range.unwrap_or_default();
                            [value.mean, low, high].map(f64::to_bits)
                        };
                        assert_eq!(bits(one), bits(other), "{spec} of {width}, {ties}, {column:.0?}");
                        assert_eq!(one.certainty, other.certainty);
                    }
                }
                assert_eq!((&counted.facts, &counted.flags), (&sorted.facts, &sorted.flags));
            }
        }
    }
}

/// Rankings of which most documents are relevant are sorted, and only groups that begin within the cutoff are written.
#[test]
fn groups_after_the_cutoff_change_no_bit() {
    let specs = ["nDCG@10", "AP@5", "P@3"].map(|name| parse_all(name).expect("a measure")).concat();
    for width in [1, 2, 3, 9, 10, 16, 17, 50, 64, 300] {
        let (queries, documents) = (40, 40 * width);
        let grade = |&n: &u64| if n == 4 { f64::NAN } else { n as f64 };
        let labels: Vec<f64> = drawn(documents, 5).iter().map(grade).collect();
        let labels = NumberColumn::Float64(&labels);
        let input = LabelInput { labels, present: None, judged: None, totals: DocumentCounts::InArray };
        let labels = Labels::new(Groups::Rows(queries, width), &input).expect("labels");
        let plan = labels.plan(&specs, Unjudged::default()).expect("a plan");
        let (_, single, _, double) = columns(documents);
        let untied: Vec<f64> = drawn(2 * documents, 1 << 30)[documents..].iter().map(|&n| n as f64 / 7.0).collect();
        // Numbers that are different only in their last bits.
        let close: Vec<f64> =
            drawn(3 * documents, 5)[2 * documents..].iter().map(|&n| 1.0 + n as f64 * f64::EPSILON).collect();
        for column in [
            NumberColumn::Float32(&single),
            NumberColumn::Float64(&double),
            NumberColumn::Float64(&untied),
            NumberColumn::Float64(&close),
        ] {
            for ties in ["expected", "range", "given"] {
                let settings = Settings::new(Purpose::Arrays, &[("ties", ties)]).expect("settings");
                let scores = Scores { column, ascending: false, name: "scores" };
                let evaluate = |variance| labels.evaluate(&scores, &plan, Settings { variance, ..settings });
                // Variances read all groups.
                let (cut, whole) = (evaluate(false).expect("values"), evaluate(true).expect("values"));
                for (row, measure) in (0..queries).flat_map(|row| (0..specs.len()).map(move |measure| (row, measure))) {
                    let (one, other) = (cut.value(row, measure), whole.value(row, measure));
                    assert_eq!(one.mean.to_bits(), other.mean.to_bits(), "{} of {width}, {ties}", specs[measure]);
                    assert_eq!(one.range, other.range);
                }
                assert_eq!((&cut.facts, &cut.flags), (&whole.facts, &whole.flags), "{width}, {ties}");
            }
        }
    }
}

#[test]
fn rankings_that_are_met_again_have_the_values_that_sorting_finds() {
    let names = "nDCG@3 AP RR P@5 NumRet";
    let specs = names.split(' ').flat_map(|name| parse_all(name).expect("measure")).collect::<Vec<_>>();
    let queries = 20_000; // so many that several are one step, and that rankings are remembered
    let lengths: Vec<usize> = drawn(queries, 9).iter().map(|&n| n as usize).collect();
    let ends = || {
        lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(*end)
        })
    };
    for (groups, documents, is_padded, highest) in [
        (Groups::Rows(queries, 7), 7 * queries, false, 3),
        (Groups::Rows(queries, 7), 7 * queries, true, 3),
        (Groups::Ends(ends().collect()), lengths.iter().sum(), false, 12),
    ] {
        // Most are 0; of one query in eight, few or none are judged.
        let grade = |(document, &n): (usize, &u64)| match n {
            _ if document / 7 % 8 == 0 => f64::NAN,
            n if n <= highest => n as f64,
            _ => 0.0,
        };
        let labels: Vec<f64> = drawn(documents, 4 * highest).iter().enumerate().map(grade).collect();
        let present: Vec<u8> = drawn(2 * documents, 5)[documents..].iter().map(|&n| u8::from(n > 0)).collect();
        let (_, mut single, ..) = columns(documents);
        let present = is_padded.then_some(&present[..]);
        single.iter_mut().zip(present.unwrap_or_default()).for_each(|(score, &there)| {
            *score = if there == 0 { f32::NAN } else { *score };
        });
        let input = LabelInput {
            labels: NumberColumn::Float64(&labels),
            present,
            judged: None,
            totals: DocumentCounts::InArray,
        };
        let labels = Labels::new(groups, &input).expect("labels");
        let plan = labels.plan(&specs, Unjudged { kept: true, take: Take::Range }).expect("plan");
        let evaluate = |variance| {
            let scores = Scores { column: NumberColumn::Float32(&single), ascending: is_padded, name: "scores" };
            labels.evaluate(&scores, &plan, Settings { variance, ..Settings::default() }).expect("values")
        };
        let (counted, sorted) = (evaluate(false), evaluate(true));
        for row in 0..queries {
            for (measure, spec) in specs.iter().enumerate() {
                let (one, other) = (counted.value(row, measure), sorted.value(row, measure));
                assert_eq!(one.mean.to_bits(), other.mean.to_bits(), "{spec} of {row}");
                assert_eq!(counted.note(row, measure), sorted.note(row, measure));
            }
        }
        assert_eq!((&counted.facts, &counted.flags), (&sorted.facts, &sorted.flags));
    }
}

#[test]
fn scores_that_are_no_numbers_are_refused_wherever_they_stand() {
    for width in [10, 1000] {
        let mut labels = vec![0_i8; 2 * width];
        labels[width + 1] = 1;
        let input = LabelInput {
            labels: NumberColumn::Int8(&labels),
            present: None,
            judged: None,
            totals: DocumentCounts::InArray,
        };
        let labels = Labels::new(Groups::Rows(2, width), &input).expect("labels");
        let plan = labels
            .plan(&parse_all("nDCG@10").expect("nDCG"), Unjudged { kept: true, take: Take::Range })
            .expect("plan");
        for (place, number) in [(0, f64::NAN), (width - 1, f64::INFINITY), (width + 1, f64::NEG_INFINITY)] {
            let mut scores = vec![0.5; 2 * width];
            scores[place] = number;
            let scores = Scores { column: NumberColumn::Float64(&scores), ascending: false, name: "scores" };
            let refused = labels.evaluate(&scores, &plan, Settings::default()).expect_err("refused").to_string();
            let place = format!("query {}, document {}", place / width, place % width);
            assert!(refused.contains(&format!("found {number} for {place}")), "{refused}");
        }
    }
}
