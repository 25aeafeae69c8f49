//! The topics of a report, and reasons why a topic cannot be evaluated.

use untied_core::error::{quote, show};
use untied_core::table::Run;

use crate::report::{Topic, Values};
use crate::{Failure, Options, Version, code};

/// A judged topic.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// Its number among the judged ones.
    pub number: usize,
    /// Its id.
    pub id: &'a [u8],
    /// Its number in the run, if the run has it.
    pub found: Option<usize>,
}

/// Go through judged topics (ids ascending). `fill` writes a topic's values, one a line of the report, and returns what
/// `relstring` shows; an error ends the report there. `needs_rankings`: whether any line depends on documents, so that
/// none may stand twice.
///
/// Version 10 takes a judged topic without results for an error, or with `-c` for a ranking of one unknown document;
/// version 9 leaves it out.
pub fn collect<'a>(
    ids: impl ExactSizeIterator<Item = &'a [u8]>,
    run: &Run,
    width: usize,
    options: &Options,
    needs_rankings: bool,
    mut fill: impl FnMut(Judged<'a>, &mut [f64]) -> Result<Vec<u8>, String>,
) -> Values {
    let judged = ids.len();
    let mut values = Values { topics: Vec::new(), cells: Vec::new(), averaged: 0, relevant: None, failure: None };
    for (number, id) in ids.enumerate() {
        let topic = Judged { number, id, found: run.find(id) };
        let asked_for = options.topic.as_ref().is_none_or(|only| only.as_bytes() == id);
        if !asked_for || topic.found.is_none() && options.version == Version::Nine {
            continue;
        }
        let row = values.cells.len();
        values.cells.resize(row + width, 0.0);
        match refused(topic, run, options, needs_rankings).map_or_else(|| fill(topic, &mut values.cells[row..]), Err) {
            Ok(relevances) => values.topics.push(Topic { id: id.to_vec(), relevances }),
            Err(message) => {
                values.cells.truncate(row);
                values.failure = Some(Failure { code: code::MEASURE, message });
                break;
            }
        }
    }
    values.averaged = if options.complete { judged } else { values.topics.len() };
    values
}

/// Why the results of a topic cannot be evaluated, if they cannot.
fn refused(topic: Judged<'_>, run: &Run, options: &Options, needs_rankings: bool) -> Option<String> {
    let Some(found) = topic.found else {
        let message = || format!("the results lack topic {}; with -c it counts 0", show(topic.id));
        return (!options.complete).then(message);
    };
    let row = run.duplicate(found).filter(|_| needs_rankings)?;
    Some(twice(topic, run.rows(found).doc(row as usize), "results"))
}

/// The message for a document that appears twice in a topic.
pub fn twice(topic: Judged<'_>, document: &[u8], input: &str) -> String {
    format!("document {} appears twice in topic {} of the {input}", quote(document), show(topic.id))
}
