//! A second reader of files with names of columns. Values are those of other parsers, `csv` and `serde_json`; what the
//! core is stricter in, and which columns hold what, is written from the description of inputs.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use untied_core::table::columns::Content;
use untied_core::table::profiles::Detail;

use crate::readers::{is_probability, is_stratum};
use crate::second::{Row, Rows, finite, lines};

/// Why a file is refused.
#[derive(Debug, Clone)]
pub enum Refusal {
    /// A column is missing or ambiguous.
    Columns,
    /// This line is malformed; none where there is no record at all.
    Line(Option<u64>),
}

/// A record, and the line in which it begins.
type Record = (u64, Cells);

enum Cells {
    /// Fields below a header.
    Fields(Vec<Vec<u8>>),
    /// Members of an object.
    Members(Vec<(String, Json)>),
}

/// A value of JSON.
#[derive(Clone)]
enum Json {
    Text(String),
    Number(String),
    Judgments(bool),
    Other,
}

/// All rows; fields lie between delimiters, or records are objects of JSON.
pub fn read(data: &[u8], delimiter: Option<u8>, kind: Content, named: &[(String, String)]) -> Result<Rows, Refusal> {
    let (names, records, flaw) = match delimiter {
        Some(delimiter) => fields(data, delimiter),
        None => members(data),
    };
    if let (true, true, Some(line)) = (names.is_empty(), records.is_empty(), flaw) {
        return Err(Refusal::Line(Some(line)));
    }
    let columns = columns(&names, kind, named).ok_or(Refusal::Columns)?;
    let mut rows = Rows::new();
    for record in &records {
        let (query, row) = row(record, &names, &columns).ok_or(Refusal::Line(Some(record.0)))?;
        rows.entry(query).or_default().push(row);
    }
    if rows.is_empty() || flaw.is_some() { Err(Refusal::Line(flaw)) } else { Ok(rows) }
}

/// A column with what it holds.
type NamedColumn = (usize, &'static str);

fn row((line, cells): &Record, names: &[Vec<u8>], columns: &[NamedColumn]) -> Option<(Vec<u8>, Row)> {
    let mut row = Row { line: *line, document: Vec::new(), other: Vec::new(), numbers: Vec::new() };
    let mut query = Vec::new();
    for &(column, role) in columns {
        let (id, number) = match cells {
            Cells::Fields(fields) if fields.len() != names.len() => return None,
            Cells::Fields(fields) => (Some(fields[column].clone()), finite(&fields[column])),
            Cells::Members(members) => {
                let mut found = members.iter().filter(|(name, _)| name.as_bytes() == names[column]);
                let (Some((_, value)), None) = (found.next(), found.next()) else { return None };
                of_json(value)
            }
        };
        let id = id.filter(|id| !id.is_empty());
        match role {
            "query" => query = id?,
            "document" => row.document = id?,
            "subtopic" => row.other = id.filter(|id| !id.contains(&b' '))?,
            "stratum" => row.numbers.push(number.filter(is_stratum)?),
            "probability" => row.numbers.push(number.filter(is_probability)?),
            "rank as score" => row.numbers.push(-number?),
            _ => row.numbers.push(number?),
        }
    }
    Some((query, row))
}

/// What a value is as an id, and as a number.
fn of_json(value: &Json) -> (Option<Vec<u8>>, Option<f64>) {
    match value {
        Json::Text(text) => (Some(text.clone().into_bytes()), None),
        Json::Number(text) => {
            let is_whole = !text.contains(['.', 'e', 'E']);
            let id = if text == "-0" { "0" } else { text };
            (is_whole.then(|| id.into()), serde_json::from_str(text).ok().filter(|number: &f64| number.is_finite()))
        }
        Json::Judgments(truth) => (None, Some(f64::from(u8::from(*truth)))),
        Json::Other => (None, None),
    }
}

/// Which columns are read.
fn columns(names: &[Vec<u8>], kind: Content, named: &[(String, String)]) -> Option<Vec<NamedColumn>> {
    let held: &[&str] = match kind {
        Content::Run { .. } => &["score", "rank"],
        Content::Qrels(None | Some(Detail::Preferences | Detail::Probabilities)) => &["grade"],
        Content::Qrels(Some(Detail::Subtopics)) => &["grade", "subtopic"],
        Content::Qrels(Some(Detail::Strata)) => &["grade", "stratum"],
        Content::Qrels(Some(Detail::Inclusion)) => &["grade", "probability"],
    };
    if named.iter().any(|(of, _)| ![&["query", "document"], held].concat().contains(&of.as_str())) {
        return None;
    }
    let mut columns = vec![(one(names, "query", named)??, "query"), (one(names, "document", named)??, "document")];
    match kind {
        Content::Run { ranks } => {
            let rank = one(names, "rank", named);
            columns.push(match one(names, "score", named)? {
                Some(score) => (score, "score"),
                None => (rank??, "rank as score"),
            });
            if ranks {
                columns.extend(rank?.map(|rank| (rank, "rank")));
            }
        }
        Content::Qrels(_) => {
            for role in held {
                columns.push((one(names, role, named)??, role));
            }
        }
    }
    Some(columns)
}

/// The column for this, if there is one; nothing at all where it is ambiguous, or named and not there.
#[allow(clippy::option_option)]
fn one(names: &[Vec<u8>], role: &str, named: &[(String, String)]) -> Option<Option<usize>> {
    let only = |is_it: &dyn Fn(&[u8]) -> bool| {
        let found: Vec<usize> = (0..names.len()).filter(|&column| is_it(&names[column])).collect();
        if found.len() > 1 { None } else { Some(found.first().copied()) }
    };
    if let Some((_, name)) = named.iter().find(|(of, _)| of == role) {
        return only(&|column| column == name.as_bytes())?.map(Some);
    }
    let known: &[&str] = match role {
        "query" => &["qid query_id", "query"],
        "document" => &["docno", "docid doc_id corpus_id", "document"],
        "grade" => &["label relevance rel gain grade", "score"],
        "subtopic" => &["subtopic subtopic_id", "iteration"],
        "probability" => &["probability inclusion_probability iprob"],
        other => &[other],
    };
    for known in known {
        let is_known = |column: &[u8]| {
            let is_taken = named.iter().any(|(_, name)| name.as_bytes() == column);
            let plain = column.to_ascii_lowercase().into_iter().map(|byte| if byte == b'-' { b'_' } else { byte });
            !is_taken && known.split(' ').any(|known| plain.clone().eq(known.bytes()))
        };
        if let found @ Some(_) = only(&is_known)? {
            return Some(found);
        }
    }
    Some(None)
}

/// Names in the header and the records below; up to the line where a field begins that is malformed.
fn fields(data: &[u8], delimiter: u8) -> (Vec<Vec<u8>>, Vec<Record>, Option<u64>) {
    let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let mut begins = Vec::new();
    let (mut at, mut line, mut flaw) = (0, 1, None);
    while flaw.is_none() && at < text.len() {
        if let Some(end) = end_of_line(&text[at..]) {
            at += end;
            line += 1;
            continue;
        }
        match record(&text[at..], delimiter) {
            Ok((bytes, newlines)) => {
                begins.push(line);
                at += bytes;
                line += newlines;
            }
            Err(newlines) => flaw = Some(line + newlines),
        }
    }
    // Its reader drops a mark of byte order too.
    let whole = &data[..data.len() - text.len() + at];
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.delimiter(delimiter).has_headers(false).flexible(true).from_reader(whole);
    let records = reader.byte_records().map(|record| record.expect("a record"));
    let mut records: Vec<Vec<Vec<u8>>> = records.map(|record| record.iter().map(<[u8]>::to_vec).collect()).collect();
    assert_eq!(records.len(), begins.len());
    let names = if records.is_empty() { Vec::new() } else { records.remove(0) };
    let records = begins.into_iter().skip(1).zip(records.into_iter().map(Cells::Fields));
    (names, records.collect(), flaw)
}

/// The bytes and line feeds of the record that a text begins with; or how many line feeds there are before a field that
/// is malformed.
fn record(text: &[u8], delimiter: u8) -> Result<(usize, u64), u64> {
    let (mut at, mut newlines) = (0, 0);
    loop {
        let before = newlines;
        if text.get(at) == Some(&b'"') {
            at += 1;
            loop {
                match &text[at..] {
                    [b'"', b'"', ..] => at += 1,
                    [b'"', ..] => break,
                    [] | [0, ..] => return Err(before),
                    [byte, ..] => newlines += u64::from(*byte == b'\n'),
                }
                at += 1;
            }
            at += 1;
        } else {
            let plain = text[at..].iter().take_while(|byte| **byte != delimiter && !b"\0\n\r\"".contains(byte));
            at += plain.count();
        }
        match text.get(at) {
            Some(&byte) if byte == delimiter => at += 1,
            None => return Ok((at, newlines)),
            Some(_) => {
                let end = end_of_line(&text[at..]).ok_or(before)?;
                return Ok((at + end, newlines + 1));
            }
        }
    }
}

/// How long the end of a line is, where one comes next.
fn end_of_line(text: &[u8]) -> Option<usize> {
    let ends: [&[u8]; 2] = [b"\n", b"\r\n"];
    let found = ends.iter().find(|end| text.starts_with(end)).map(|end| end.len());
    found.or((text == b"\r").then_some(1))
}

/// Names of the first object and all objects, up to the line that is malformed.
fn members(data: &[u8]) -> (Vec<Vec<u8>>, Vec<Record>, Option<u64>) {
    let mut names = Vec::new();
    let mut records = Vec::new();
    for (number, line) in lines(data) {
        if line.iter().all(|byte| b" \t\r".contains(byte)) {
            continue;
        }
        let Some(members) = object(line) else { return (names, records, Some(number)) };
        if records.is_empty() {
            names = members.iter().map(|(name, _)| name.clone().into_bytes()).collect();
        }
        records.push((number, Cells::Members(members)));
    }
    (names, records, None)
}

/// Members of an object, in their order.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(All)
    }
}

fn object(line: &[u8]) -> Option<Vec<(String, Json)>> {
    let text = strict(std::str::from_utf8(line).ok()?)?;
    let Members(members) = serde_json::from_str(&text).ok()?;
    let value = |raw: &RawValue| match raw.get().as_bytes()[0] {
        b'"' => Json::Text(serde_json::from_str(raw.get()).expect("a string")),
        b'-' | b'0'..=b'9' => Json::Number(raw.get().into()),
        b't' | b'f' => Json::Judgments(raw.get() == "true"),
        _ => Json::Other,
    };
    Some(members.into_iter().map(|(name, raw)| (name, value(raw))).collect())
}

/// What JSON has not is null; every string is text, or there is none.
fn strict(text: &str) -> Option<String> {
    let mut strict = String::new();
    let mut rest = text;
    loop {
        let (outside, from_quote) = rest.split_at(rest.find('"').unwrap_or(rest.len()));
        let words = outside.replace("-Infinity", "null").replace("Infinity", "null");
        strict.push_str(&words.replace("NaN", "null"));
        if from_quote.is_empty() {
            return Some(strict);
        }
        let mut strings = serde_json::Deserializer::from_str(from_quote).into_iter::<String>();
        strings.next()?.ok()?;
        let (string, behind) = from_quote.split_at(strings.byte_offset());
        strict.push_str(string);
        rest = behind;
    }
}
