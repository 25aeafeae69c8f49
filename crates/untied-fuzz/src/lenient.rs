//! Files as trec_eval reads them, and its command line.

use std::ffi::{CString, c_char, c_double, c_long};

use untied_core::table::Run;
use untied_trec_eval::{Failure, Options, Report, Version, evaluate, explain, read_deviations, read_qrels, read_run};

use crate::readers::{assert_same, both};
use crate::scratch::{Scratch, with_file};
use crate::second::{self, Column, Format};
use crate::threads::many;

const NUMBER: Column = Column::Number(|field| Some(c_atof(field)));
const WHOLE: Column = Column::Number(|field| Some(c_atol(field)));

const RUN: Format = Format {
    columns: &[Column::Query, Column::Any, Column::Document, Column::Any, NUMBER, Column::Other],
    optional: 0,
    comments: true,
    blanks: true,
    more: true,
    rowless: true,
};

const QRELS: Format = Format {
    columns: &[Column::Query, Column::Any, Column::Document, WHOLE],
    blanks: false,
    more: false,
    rowless: false,
    ..RUN
};

const DEVIATIONS: Format =
    Format { columns: &[Column::Query, Column::Document, NUMBER, NUMBER], comments: false, ..QRELS };

unsafe extern "C" {
    fn atof(text: *const c_char) -> c_double;
    fn atol(text: *const c_char) -> c_long;
}

/// What C makes of a field, but for hexadecimal numbers, which are 0 here.
fn c_atof(field: &[u8]) -> f64 {
    let end = field.iter().position(|byte| b"xX".contains(byte)).unwrap_or(field.len());
    let Ok(text) = CString::new(&field[..end]) else { return 0.0 };
    // SAFETY: the text ends with a NUL byte and outlives the call.
    unsafe { atof(text.as_ptr()) }
}

fn c_atol(field: &[u8]) -> f64 {
    let Ok(text) = CString::new(field) else { return 0.0 };
    // SAFETY: the text ends with a NUL byte and outlives the call.
    unsafe { atol(text.as_ptr()) as f64 }
}

/// Results, judgments, means with deviations; the first byte tells which, and trec_eval's version.
pub fn tables(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    if second::is_packed(data) {
        return;
    }
    let (version, comments) = if choice.is_multiple_of(2) { (Version::Nine, false) } else { (Version::Ten, true) };
    match choice / 2 % 3 {
        0 => results(data, version, comments),
        1 => {
            let theirs = second::read(data, &Format { comments, ..QRELS });
            let ours = with_file(data, |path| read_qrels(path, version));
            if let Some((ours, theirs)) = both(ours, theirs) {
                assert_same(&ours, &theirs, &[0]);
            }
        }
        _ => {
            let theirs = second::read(data, &DEVIATIONS);
            if let Some((ours, theirs)) = both(with_file(data, read_deviations), theirs) {
                assert_same(&ours, &quiet(theirs), &[0, 1]);
            }
        }
    }
}

fn results(data: &[u8], version: Version, comments: bool) {
    let theirs = second::read(data, &Format { comments, ..RUN });
    let ours = with_file(data, |path| read_run(path, version));
    let Some(((run, tag), mut rows)) = both(ours, theirs) else { return };
    let last = rows.values().flatten().max_by_key(|row| row.line);
    assert_eq!(tag, last.map_or(&[][..], |row| &row.other));
    for row in rows.values_mut().flatten() {
        let score = &mut row.numbers[0];
        *score = if version == Version::Nine { f64::from(*score as f32) } else { *score };
        *score = if score.is_nan() { f64::NEG_INFINITY } else { *score };
    }
    assert_same(&run, &rows, &[0]);
    for (query, rows) in rows.values().enumerate() {
        let mut documents: Vec<&[u8]> = rows.iter().map(|row| row.document.as_slice()).collect();
        documents.sort_unstable();
        let twice = documents.windows(2).any(|two| two[0] == two[1]);
        assert_eq!(run.duplicate(query).is_some(), twice);
    }
    assert_eq!(run_rows(&run), rows.values().map(Vec::len).sum::<usize>());
}

fn run_rows(run: &Run) -> usize {
    (0..run.len()).map(|query| run.rows(query).len()).sum()
}

/// The same with one NaN: C has several.
fn quiet(mut rows: second::Rows) -> second::Rows {
    for number in rows.values_mut().flatten().flat_map(|row| &mut row.numbers) {
        *number = if number.is_nan() { f64::NAN } else { *number };
    }
    rows
}

/// The command: a line of options, then judgments, results and deviations, separated by lines with a `%`.
pub fn command(data: &[u8]) {
    let mut parts = sections(data).into_iter();
    let line = parts.next().unwrap_or_default();
    let files: [Scratch; 3] = std::array::from_fn(|_| Scratch::new(parts.next().unwrap_or_default()));
    let Some(options) = options(&String::from_utf8_lossy(line), &files[2].path) else { return };
    if let Err(failure) = explain(&options) {
        assert_message(&failure);
    }
    let [judgments, results, _] = &files;
    let run = || evaluate(&options, &judgments.path, &results.path).map(|report| written(&report));
    let alone = run();
    match &alone {
        Ok((text, failure)) => {
            failure.iter().for_each(assert_message);
            assert!(text.is_empty() || text.ends_with(b"\n"));
            assert_eq!(alone, many(run));
        }
        Err(failure) => assert_message(failure),
    }
}

fn written(report: &Report) -> (Vec<u8>, Option<Failure>) {
    let pieces: Vec<Vec<u8>> = (0..).map_while(|piece| report.text(piece)).collect();
    (pieces.concat(), report.failure().cloned())
}

fn assert_message(failure: &Failure) {
    assert!([1, 2, 4, 7, 255].contains(&failure.code), "{failure:?}");
    assert!(!failure.message.is_empty() && failure.message.len() < 2000, "{failure:?}");
    assert!(!failure.message.contains(char::is_control), "{failure:?}");
}

/// Parts between lines that hold nothing but `%`.
pub fn sections(data: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(3).position(|three| three == b"\n%\n") {
        parts.push(&rest[..=at]);
        rest = &rest[at + 3..];
    }
    parts.push(rest);
    parts
}

fn options(line: &str, deviations: &str) -> Option<Options> {
    let mut options = Options {
        version: Version::Nine,
        measures: Vec::new(),
        per_topic: false,
        summary: true,
        complete: false,
        judged_only: false,
        level: 1,
        collection: 0,
        depth: None,
        judgments: "qrels".into(),
        results: "trec_results".into(),
        deviations: None,
        topic: None,
    };
    let mut words = line.split_ascii_whitespace();
    while let Some(word) = words.next() {
        match word {
            "10" => options.version = Version::Ten,
            "-m" => options.measures.push(words.next()?.into()),
            "-q" => options.per_topic = true,
            "-n" => options.summary = false,
            "-c" => options.complete = true,
            "-J" => options.judged_only = true,
            "-l" => options.level = words.next()?.parse().ok()?,
            "-N" => options.collection = words.next()?.parse().ok()?,
            "-M" => options.depth = Some(words.next()?.parse().ok()?),
            "-R" => options.judgments = words.next()?.into(),
            "-T" => options.results = words.next()?.into(),
            "-Z" => options.deviations = Some(deviations.into()),
            "-D" => options.topic = Some(words.next()?.into()),
            _ => return None,
        }
    }
    Some(options)
}
