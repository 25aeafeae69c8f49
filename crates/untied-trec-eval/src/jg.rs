//! Qrels with judgment groups, `-R qrels_jg`: a measure's mean over the groups, each with qrels of its own.

use untied_core::error::{Error, Result, quote};
use untied_core::table::{Chunk, Qrels};

use crate::Version;
use crate::fields::rows;
use crate::numbers::atol;

/// A line: query, group, document, grade.
type Row<'a> = (&'a [u8], &'a [u8], &'a [u8], i64);

/// Read qrels whose second field is the judgment group; `name` is the file's, for messages. The first qrels hold the
/// first group of every query, the second qrels the second group of queries that have two, and so on.
///
/// # Errors
/// The first line that does not have four fields; a document that a group judges twice.
pub fn read_groups(bytes: &[u8], name: &str, version: Version) -> Result<Vec<Qrels>> {
    let mut rows: Vec<Row> = rows(bytes, name, version, "4 columns (query group document grade)", |fields| {
        let [query, group, document, grade] = fields;
        (query, group, document, atol(grade))
    })?;
    rows.sort();
    let mut chunks: Vec<Chunk> = Vec::new();
    for query in rows.chunk_by(|a, b| a.0 == b.0) {
        for (nth, group) in query.chunk_by(|a, b| a.1 == b.1).enumerate() {
            if let Some(two) = group.windows(2).find(|two| two[0].2 == two[1].2) {
                let (query, group, document, _) = two[0];
                let expected = "every document once in a judgment group of a query";
                let found = format!("{} twice in group {} of {}", quote(document), quote(group), quote(query));
                return Err(Error::input(name, None, expected, found));
            }
            if nth == chunks.len() {
                chunks.push(Chunk::new(1));
            }
            let chunk = &mut chunks[nth];
            chunk.start_query(group[0].0);
            for (_, _, document, grade) in group {
                chunk.block.docs.push(document);
                chunk.block.columns[0].push(*grade as f64);
            }
        }
    }
    let close = |mut chunk: Chunk| {
        chunk.finish();
        Qrels::new(vec![chunk], name)
    };
    chunks.into_iter().map(close).collect()
}
