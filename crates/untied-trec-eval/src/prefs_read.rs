//! trec_eval's files of preferences: one line a judgment, fields between white space.
//!
//! - `-R prefs`: query, group, subgroup, document, level (a real number)
//! - `-R qrels_prefs`: query, group, document, level; all of a group is one subgroup

use std::ops::Range;

use untied_core::error::Result;

use crate::Version;
use crate::fields::rows;
use crate::numbers::atof;

/// A judgment of a preference file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preference<'a> {
    /// Judgment group: one user's view of the query.
    pub group: &'a [u8],
    /// Subgroup: within it every document is preferred to those of a lower level.
    pub subgroup: &'a [u8],
    /// The document's id.
    pub document: &'a [u8],
    /// Only the order of levels counts, and whether a level is above zero.
    pub level: f64,
}

/// Preferences query by query, queries in byte order.
#[derive(Debug)]
pub struct Preferences<'a> {
    queries: Vec<(&'a [u8], Range<usize>)>,
    all: Vec<Preference<'a>>,
}

impl<'a> Preferences<'a> {
    /// Every query with its preferences, sorted by document.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a [u8], &[Preference<'a>])> {
        self.queries.iter().map(|(id, rows)| (*id, &self.all[rows.clone()]))
    }

    fn new(mut rows: Vec<(&'a [u8], Preference<'a>)>) -> Self {
        rows.sort_by_key(|(query, preference)| (*query, preference.document));
        let mut queries: Vec<(&[u8], Range<usize>)> = Vec::new();
        for (row, (id, _)) in rows.iter().enumerate() {
            match queries.last_mut() {
                Some((last, rows)) if last == id => rows.end = row + 1,
                _ => queries.push((id, row..row + 1)),
            }
        }
        Preferences { queries, all: rows.into_iter().map(|(_, preference)| preference).collect() }
    }
}

/// Read preferences; `name` is the file's, for messages.
///
/// # Errors
/// The first line that does not have five fields.
pub fn read_prefs<'a>(bytes: &'a [u8], name: &str, version: Version) -> Result<Preferences<'a>> {
    let rows = rows(bytes, name, version, "query, group, subgroup, document and level", |fields| {
        let [query, group, subgroup, document, level] = fields;
        (query, Preference { group, subgroup, document, level: read_level(level, version) })
    })?;
    Ok(Preferences::new(rows))
}

/// Read qrels as preferences: the second field is the judgment group.
///
/// # Errors
/// The first line that does not have four fields.
pub fn read_qrels_prefs<'a>(bytes: &'a [u8], name: &str, version: Version) -> Result<Preferences<'a>> {
    let rows = rows(bytes, name, version, "query, group, document and level", |fields| {
        let [query, group, document, level] = fields;
        (query, Preference { group, subgroup: b"0", document, level: read_level(level, version) })
    })?;
    Ok(Preferences::new(rows))
}

/// Version 9 keeps levels in single precision; -0 is 0.
fn read_level(field: &[u8], version: Version) -> f64 {
    0.0 + match version {
        Version::Nine => f64::from(atof(field) as f32),
        Version::Ten => atof(field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_and_documents_are_sorted() {
        let text = b"2 g s b 1\n# c\n1\tg s\x0bz 2.5x \r\n2 g t a 0\n1 h s a -0";
        let read = read_prefs(text, "prefs", Version::Ten).expect("preferences");
        let found: Vec<_> = read
            .iter()
            .map(|(id, all)| (id, all.iter().map(|p| (p.group, p.subgroup, p.document, p.level)).collect::<Vec<_>>()))
            .collect();
        let first = vec![(&b"h"[..], &b"s"[..], &b"a"[..], 0.0), (b"g", b"s", b"z", 2.5)];
        let second = vec![(&b"g"[..], &b"t"[..], &b"a"[..], 0.0), (b"g", b"s", b"b", 1.0)];
        assert_eq!(found, [(&b"1"[..], first), (b"2", second)]);
    }

    #[test]
    fn versions_differ_in_comments_and_precision() {
        let text = b"#1 g a 16777217\n2 g a 16777217\n";
        let levels = |version| {
            let read = read_qrels_prefs(text, "qrels", version).expect("preferences");
            read.iter().flat_map(|(_, all)| all.iter().map(|p| p.level)).collect::<Vec<_>>()
        };
        assert_eq!(levels(Version::Nine), [16_777_216.0; 2]);
        assert_eq!(levels(Version::Ten), [16_777_217.0]);
    }
}
