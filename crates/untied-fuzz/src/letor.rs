//! Learning-to-rank data: the core's index and reader against a second reader.

use std::collections::{BTreeMap, BTreeSet};

use untied_core::Error;
use untied_core::read::letor::{Letor, LetorDocuments};

use crate::scratch::with_file;
use crate::second::{finite, is_blank, is_packed, lines};

/// A document: its label, and its features with values, NaN for `NULL`.
type Document = (f64, Vec<(u32, f64)>);

/// Queries with their documents, in the order of the file.
type Data = BTreeMap<Vec<u8>, Vec<Document>>;

/// Any text.
pub fn letor(data: &[u8]) {
    if is_packed(data) {
        return;
    }
    let theirs = read(data);
    with_file(data, |path| match (Letor::open(&[path.to_owned()]), theirs) {
        (Ok(ours), Ok(theirs)) => assert_same(&ours, &theirs),
        (Err(Error::Input(error)), Err(line)) => assert_eq!(error.line, line, "{error}"),
        (Err(error), theirs) => panic!("{error}, the other reader: {:?}", theirs.err()),
        (Ok(_), Err(line)) => panic!("only ours accepts, the other refuses line {line:?}"),
    });
}

fn assert_same(ours: &Letor, theirs: &Data) {
    let ids: Vec<&[u8]> = (0..ours.len()).map(|query| ours.id(query)).collect();
    assert_eq!(ids, theirs.keys().map(Vec::as_slice).collect::<Vec<_>>());
    let pairs = || theirs.values().flatten().flat_map(|(_, pairs)| pairs);
    let features: BTreeSet<u32> = pairs().map(|&(feature, _)| feature).collect();
    assert!(ours.features().iter().eq(&features));
    let mut documents = LetorDocuments::default();
    for (query, rows) in theirs.values().enumerate() {
        ours.read(query, &mut documents).expect("a query");
        assert_eq!(ours.documents(query), rows.len());
        assert_eq!(documents.labels, rows.iter().map(|(label, _)| *label).collect::<Vec<_>>());
        for (column, feature) in features.iter().enumerate() {
            let of_row = |(row, (_, pairs)): (u32, &Document)| {
                let found = pairs.iter().find(|pair| pair.0 == *feature);
                found.map(|&(_, value)| (row, value.to_bits()))
            };
            let expected: Vec<(u32, u64)> = (0..).zip(rows).filter_map(of_row).collect();
            let found: Vec<(u32, u64)> =
                documents.column(column).iter().map(|&(row, value)| (row, value.to_bits())).collect();
            assert_eq!(found, expected, "feature {feature}");
        }
    }
}

fn read(data: &[u8]) -> Result<Data, Option<u64>> {
    let mut all = Data::new();
    for (number, line) in lines(data) {
        if let Some((id, document)) = row(line).ok_or(Some(number))? {
            all.entry(id).or_default().push(document);
        }
    }
    let features = all.values().flatten().any(|(_, pairs)| !pairs.is_empty());
    if features { Ok(all) } else { Err(None) }
}

/// A line's query and document; nothing in a blank line or a comment.
#[allow(clippy::option_option)]
fn row(line: &[u8]) -> Option<Option<(Vec<u8>, Document)>> {
    let fields = line.split(|&byte| is_blank(byte)).filter(|field| !field.is_empty());
    let mut fields = fields.take_while(|field| field[0] != b'#');
    let Some(label) = fields.next() else { return Some(None) };
    let label = finite(label)?;
    let id = fields.next()?.strip_prefix(b"qid:")?;
    if id.is_empty() || id.contains(&0) {
        return None;
    }
    let mut pairs: Vec<(u32, f64)> = Vec::new();
    for field in fields {
        let (feature, value) = std::str::from_utf8(field).ok()?.split_once(':')?;
        if feature.is_empty() || !feature.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let feature = feature.parse().ok().filter(|&feature: &u32| feature < 1 << 24)?;
        if pairs.last().is_some_and(|&(last, _)| last >= feature) {
            return None;
        }
        pairs.push((feature, if value == "NULL" { f64::NAN } else { finite(value.as_bytes())? }));
    }
    Some(Some((id.to_vec(), (label, pairs))))
}
