//! Values of the measures of preferences, `-R prefs` and `-R qrels_prefs`.

use rayon::prelude::*;
use untied_core::error::show;
use untied_core::table::{Rows, Run};

use crate::prefs::{Retrieved, find, measure};
use crate::prefs_read::Preferences;
use crate::report::Values;
use crate::topics::collect;
use crate::{Kind, Options, Printed};

/// Values of all topics.
pub fn values(preferences: &Preferences<'_>, run: &Run, lines: &[Printed], options: &Options) -> Values {
    let topics: Vec<_> = preferences.iter().collect();
    let depth = options.depth.unwrap_or(usize::MAX);
    let measured: Vec<_> = topics
        .par_iter()
        .map(|(id, preferences)| {
            let rows = run.find(id).map_or_else(Rows::none, |found| run.rows(found));
            let retrieved = |row| Retrieved { document: rows.doc(row), score: rows.column(0)[row] };
            measure(preferences, &(0..rows.len()).map(retrieved).collect::<Vec<_>>(), depth)
        })
        .collect();
    let places: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| matches!(line.kind, Kind::Preference))
        .filter_map(|(place, line)| Some((place, find(&line.name)?)))
        .collect();
    let ids = topics.iter().map(|(id, _)| *id);
    collect(ids, run, lines.len(), options, !places.is_empty(), |topic, cells| {
        let found = measured[topic.number].as_ref().map_err(|error| format!("topic {}: {error}", show(topic.id)))?;
        places.iter().for_each(|&(place, which)| cells[place] = found[which]);
        Ok(Vec::new())
    })
}
