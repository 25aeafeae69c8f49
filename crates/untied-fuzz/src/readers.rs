//! Runs and judgments: the core's readers against the second one.

use std::collections::BTreeMap;

use untied_core::read;
use untied_core::read::format::qrels_format;
use untied_core::table::profiles::Detail;
use untied_core::table::{Chunk, Qrels, Run, Table};
use untied_core::{Error, InputError, Result};

use crate::scratch::with_file;
use crate::second::{self, Column, Format, Rows, contradiction, finite};

const ANY: Column = Column::Any;
const NUMBER: Column = Column::Number(finite);

pub const RUN: Format = Format {
    columns: &[Column::Query, ANY, Column::Document, Column::Number(|field| Some(rank(field))), NUMBER, ANY],
    optional: 0,
    comments: true,
    blanks: true,
    more: false,
    rowless: false,
};

const QRELS: Format = Format { columns: &[Column::Query, ANY, Column::Document, NUMBER], ..RUN };

const SUBTOPICS: Format = Format { columns: &[Column::Query, Column::Other, Column::Document, NUMBER], ..RUN };

const STRATA: Format =
    Format { columns: &[Column::Query, ANY, Column::Document, Column::Number(stratum), NUMBER], ..RUN };

const PRELS: Format =
    Format { columns: &[Column::Query, Column::Document, NUMBER, ANY, Column::Number(probability)], ..RUN };

const LENGTHS: Format = Format { columns: &[Column::Document, NUMBER, NUMBER], optional: 1, ..RUN };

fn rank(field: &[u8]) -> f64 {
    finite(field).unwrap_or(f64::NAN)
}

fn stratum(field: &[u8]) -> Option<f64> {
    finite(field).filter(is_stratum)
}

fn probability(field: &[u8]) -> Option<f64> {
    finite(field).filter(is_probability)
}

/// Whether strata have such numbers.
pub fn is_stratum(number: &f64) -> bool {
    number.fract() == 0.0 && *number >= 0.0 && *number < 4e9
}

/// Whether inclusion has such a probability.
pub fn is_probability(number: &f64) -> bool {
    *number > 0.0 && *number <= 1.0
}

/// The two readers agree on what is refused, and in which line. What was read, if it was.
pub fn both<T>(ours: Result<T>, theirs: std::result::Result<Rows, Option<u64>>) -> Option<(T, Rows)> {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => Some((ours, theirs)),
        (Err(error), Err(line)) => {
            let shown = error.to_string();
            let Some(input) = input_of(&error) else { panic!("not an error of input: {error}, line {line:?}") };
            assert_eq!(input.line, line, "{error}");
            assert!(!shown.contains(char::is_control) && shown.len() < 2000, "{shown:?}");
            None
        }
        (Err(error), Ok(_)) => panic!("only ours refuses: {error}"),
        (Ok(_), Err(line)) => panic!("only ours accepts, the other refuses line {line:?}"),
    }
}

/// Rows, unless a document appears twice and `agrees` does not hold for the two.
pub fn once(
    rows: Rows,
    agrees: impl FnMut(&second::Row, &second::Row) -> bool,
) -> std::result::Result<Rows, Option<u64>> {
    match contradiction(&rows, agrees) {
        Some(line) => Err(Some(line)),
        None => Ok(rows),
    }
}

/// Queries, documents and columns of numbers are the same to the last bit; `columns` are those of the second reader.
pub fn assert_same(ours: &Table, theirs: &Rows, columns: &[usize]) {
    let ids: Vec<&[u8]> = (0..ours.len()).map(|query| ours.id(query)).collect();
    assert_eq!(ids, theirs.keys().map(Vec::as_slice).collect::<Vec<_>>());
    for (query, theirs) in theirs.values().enumerate() {
        let rows = ours.rows(query);
        assert_eq!(rows.len(), theirs.len());
        for (i, row) in theirs.iter().enumerate() {
            assert_eq!(rows.doc(i), row.document);
            for (to, &from) in columns.iter().enumerate() {
                assert_eq!(rows.column(to)[i].to_bits(), row.numbers[from].to_bits(), "line {}", row.line);
            }
        }
        assert_eq!(ours.find(ours.id(query)), Some(query));
    }
    assert_eq!(ours.longest(), theirs.values().map(Vec::len).max().unwrap_or(0));
}

/// Runs.
pub fn run(data: &[u8]) {
    if second::is_packed(data) {
        assert!(!second::is_refused(data) || with_file(data, |path| read::read_run(path, false)).is_err());
        return;
    }
    let theirs = second::read(data, &RUN).and_then(|rows| once(rows, |_, _| false));
    let plain = with_file(data, |path| read::read_run(path, false));
    let ranked = with_file(data, |path| read::read_run(path, true));
    assert_eq!(plain.as_ref().err().map(line_of), ranked.as_ref().err().map(line_of));
    if let Some((run, rows)) = both(ranked, theirs) {
        assert_same(&run, &rows, &[1, 0]);
        assert_same(&plain.expect("a run"), &rows, &[1]);
    }
}

fn line_of(error: &Error) -> Option<u64> {
    input_of(error)?.line
}

/// What is wrong with an input, if the error is about one.
fn input_of(error: &Error) -> Option<&InputError> {
    match error {
        Error::Input(error) => Some(error),
        Error::Repeated(error) => input_of(error),
        _ => None,
    }
}

/// Judgments and lengths; the first byte tells the format.
pub fn qrels(data: &[u8]) {
    let Some((&format, data)) = data.split_first() else { return };
    if second::is_packed(data) {
        return;
    }
    match format % 5 {
        0 => plain(data),
        1 => subtopics(data),
        2 => profiled(data, &STRATA, Detail::Strata),
        3 => profiled(data, &PRELS, Detail::Inclusion),
        _ => lengths(data),
    }
}

/// Whether two rows of a document say the same.
pub fn same(a: &second::Row, b: &second::Row) -> bool {
    a.numbers == b.numbers
}

fn plain(data: &[u8]) {
    let theirs = second::read(data, &QRELS).and_then(|rows| once(rows, same));
    let Some((qrels, rows)) = both(with_file(data, |path| read::read_qrels(path)), theirs) else { return };
    assert_plain(&qrels, &rows);
}

/// Judgments are the same, and the counts made of them.
pub fn assert_plain(qrels: &Qrels, rows: &Rows) {
    assert_same(qrels, rows, &[0]);
    assert_levels(qrels, rows, 0);
}

/// Counts of documents by grade, and repeated judgments.
fn assert_levels(qrels: &Qrels, rows: &Rows, grade: usize) {
    let mut repeated = 0;
    for (query, rows) in rows.values().enumerate() {
        let mut judged: BTreeMap<&[u8], f64> = BTreeMap::new();
        for row in rows {
            judged.entry(&row.document).or_insert(row.numbers[grade]);
        }
        repeated += rows.len() - judged.len();
        let truth = qrels.judgments(query);
        let mut expected: Vec<f64> = judged.values().copied().collect();
        expected.sort_by(|a, b| b.total_cmp(&(a + 0.0)));
        let found: Vec<f64> = truth.levels.iter().flat_map(|level| vec![level.grade; level.count as usize]).collect();
        assert_eq!(found, expected);
        for (document, grade) in judged {
            assert_eq!(truth.grade(document, untied_core::table::hash(document)), Some(grade));
        }
    }
    assert_eq!(qrels.repeated(), repeated);
}

fn read_qrels(format: &str, path: &str) -> Result<Qrels> {
    qrels_format(format)?.read_qrels(path, None, &[])
}

fn subtopics(data: &[u8]) {
    let theirs = second::read(data, &SUBTOPICS).and_then(|rows| once(rows, same));
    let Some((qrels, rows)) = both(with_file(data, |path| read_qrels("subtopics", path)), theirs) else { return };
    assert_subtopics(&qrels, &rows);
}

/// Highest grades, and profiles of the grades above 0 by subtopic.
pub fn assert_subtopics(qrels: &Qrels, rows: &Rows) {
    let by_profile = qrels.by_profile(Detail::Subtopics).expect("profiles");
    let mut repeated = 0;
    assert_eq!(qrels.len(), rows.len());
    for (query, (id, rows)) in rows.iter().enumerate() {
        let mut all: BTreeMap<&[u8], BTreeMap<&[u8], f64>> = BTreeMap::new();
        for row in rows {
            all.entry(&row.document).or_default().insert(&row.other, row.numbers[0]);
        }
        repeated += rows.len() - all.values().map(BTreeMap::len).sum::<usize>();
        let mut names: Vec<&[u8]> = rows.iter().map(|row| row.other.as_slice()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(qrels.id(query), id);
        let found = qrels.rows(query);
        assert_eq!(found.len(), all.len());
        let (truth, profiles) = (qrels.judgments(query), by_profile.judgments(query));
        for (row, (document, grades)) in all.iter().enumerate() {
            let highest = grades.values().copied().fold(f64::NEG_INFINITY, f64::max);
            let hash = untied_core::table::hash(document);
            assert_eq!((found.doc(row), found.column(0)[row]), (*document, highest));
            assert_eq!(truth.grade(document, hash), Some(highest));
            let positive = grades.iter().filter(|(_, grade)| **grade > 0.0);
            let positive: Vec<(u32, f64)> =
                positive.map(|(name, grade)| (names.binary_search(name).expect("a subtopic") as u32, *grade)).collect();
            let number = profiles.grade(document, hash).expect("a profile");
            if highest < 0.0 {
                assert_eq!((number, positive.len()), (-1.0, 0));
            } else {
                assert_eq!(profiles.profile(number), &positive);
            }
        }
    }
    assert_eq!(qrels.repeated(), repeated);
}

fn profiled(data: &[u8], format: &Format, detail: Detail) {
    // Numbers of the second reader: grade and the other one, in the order of the columns.
    let (grade, other) = if detail == Detail::Strata { (1, 0) } else { (0, 1) };
    let theirs = second::read(data, format).and_then(|rows| once(rows, same));
    let Some((qrels, rows)) = both(with_file(data, |path| read_qrels(detail.format(), path)), theirs) else { return };
    assert_profiled(&qrels, &rows, detail, [grade, other]);
}

/// Grades with the other number that judgments have, and profiles of the two; where the second reader has them.
pub fn assert_profiled(qrels: &Qrels, rows: &Rows, detail: Detail, [grade, other]: [usize; 2]) {
    assert_same(qrels, rows, &[grade, other]);
    assert_levels(qrels, rows, grade);
    let by_profile = qrels.by_profile(detail).expect("profiles");
    for (query, rows) in rows.values().enumerate() {
        let profiles = by_profile.judgments(query);
        for row in rows {
            let (grade, other) = (row.numbers[grade], row.numbers[other]);
            let number = profiles.grade(&row.document, untied_core::table::hash(&row.document)).expect("a profile");
            assert_eq!(number < 0.0, grade < 0.0);
            let expected = match detail {
                Detail::Strata => vec![(other as u32, grade)],
                _ => vec![(0, grade), (1, other)],
            };
            assert_eq!(profiles.profile(number), &expected);
        }
    }
}

fn lengths(data: &[u8]) {
    let same = |a: &second::Row, b: &second::Row| {
        a.numbers[0] == b.numbers[0] && (a.numbers[1] == b.numbers[1] || a.numbers[1].is_nan() && b.numbers[1].is_nan())
    };
    let theirs = second::read(data, &LENGTHS).and_then(|rows| {
        let negative = rows.values().flatten().find(|row| row.numbers.iter().any(|&number| number < 0.0));
        let first = negative.map(|row| row.line).into_iter().chain(contradiction(&rows, same)).min();
        first.map_or(Ok(rows), |line| Err(Some(line)))
    });
    let Some((lengths, rows)) = both(with_file(data, read::read_lengths), theirs) else { return };
    let mut all: BTreeMap<&[u8], &[f64]> = BTreeMap::new();
    for row in rows.values().flatten() {
        all.insert(&row.document, &row.numbers);
    }
    let mut chunk = Chunk::new(1);
    chunk.start_query(b"q");
    for document in all.keys() {
        chunk.block.docs.push(document);
        chunk.block.columns[0].push(0.0);
    }
    chunk.finish();
    let run = Run::new(vec![chunk], "run").expect("a run");
    for (row, numbers) in all.values().enumerate() {
        let found = lengths.find(&run.rows(0), row).expect("a length");
        assert_eq!(found.length, numbers[0]);
        assert!(found.seconds == numbers[1] || found.seconds.is_nan() && numbers[1].is_nan());
    }
}
