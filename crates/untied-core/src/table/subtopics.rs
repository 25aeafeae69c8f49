//! Judgments by subtopic: the possible meanings of a query, and the documents relevant to each.
//!
//! For ordinary measures, a document has the highest of its grades. For measures of diversity, it has a *profile*: its
//! grades above 0, by the number of the subtopic among those of its query (see [`super::profiles`]). One ranking and one
//! count then serve all subtopics, and documents with the same grades for all subtopics are counted together.

use super::profiles::{Detail, Profiles};
use super::{Chunk, Chunks, Qrels, hash};
use crate::error::Result;

/// The byte between query and subtopic in the key of a subtopic's judgments; no id of a subtopic contains it.
pub const SEPARATOR: u8 = b' ';

/// Writes the key of a subtopic's judgments.
pub fn key(query: &[u8], subtopic: &[u8], key: &mut Vec<u8>) {
    key.clear();
    key.extend_from_slice(query);
    key.push(SEPARATOR);
    key.extend_from_slice(subtopic);
}

/// The query and the subtopic of a key.
fn split(key: &[u8]) -> (&[u8], &[u8]) {
    let at = key.iter().rposition(|&byte| byte == SEPARATOR).unwrap_or(key.len() - 1);
    (&key[..at], &key[at + 1..])
}

impl Qrels {
    /// Joins judgments by subtopic; the queries of the chunks are [`key`]s.
    ///
    /// # Errors
    /// A document is judged twice for a subtopic, with different grades.
    pub fn with_subtopics(chunks: Vec<Chunk>, source: &str) -> Result<Qrels> {
        let by_subtopic = Qrels::new(chunks, source)?;
        let mut sets: Vec<_> = (0..by_subtopic.len()).map(|set| (split(by_subtopic.id(set)), set)).collect();
        sets.sort_unstable();
        let mut profiles = Profiles::default();
        let mut chunks = Chunks::new(2);
        for query_sets in sets.chunk_by(|a, b| a.0.0 == b.0.0) {
            chunks.start_query(query_sets[0].0.0, 2);
            let mut judgments: Vec<(&[u8], u32, f64)> = Vec::new();
            for (subtopic, &(_, set)) in query_sets.iter().enumerate() {
                let rows = by_subtopic.rows(set);
                let grades = rows.column(0).iter().enumerate();
                judgments.extend(grades.map(|(row, &grade)| (rows.doc(row), subtopic as u32, grade)));
            }
            judgments.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
            judgments.dedup_by_key(|judgment| (judgment.0, judgment.1));
            for same_document in judgments.chunk_by(|a, b| a.0 == b.0) {
                chunks.push(same_document[0].0, hash(same_document[0].0))?;
                let highest = same_document.iter().map(|judgment| judgment.2).fold(f64::NEG_INFINITY, f64::max);
                let columns = &mut chunks.last.block.columns;
                columns[0].push(highest);
                let positive = same_document.iter().filter(|judgment| judgment.2 > 0.0);
                let profile = positive.map(|&(_, subtopic, grade)| (subtopic, grade)).collect();
                columns[1].push(if highest < 0.0 { -1.0 } else { profiles.number(profile) });
            }
        }
        Qrels::of_two_columns(chunks.finish(), profiles, source, Detail::Subtopics, by_subtopic.repeated())
    }
}
