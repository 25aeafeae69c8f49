//! For one query, the grades of unjudged documents that make the difference of two rankings as large as MED says.

use super::Settings;
use super::plan::{Plan, Room};
use crate::error::{Error, Result, show};
use crate::measures::{Scope, Spec};
use crate::table::{Qrels, Run};

/// Grades of documents that are not judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Assigned<'a> {
    /// Whether the first run is ahead with them, or the second.
    pub a_is_ahead: bool,
    /// By how much.
    pub value: f64,
    /// The documents with their grades.
    pub documents: Vec<(&'a [u8], f64)>,
    /// Grades of the documents that fill the ranking ahead up to the cutoff, from the first rank that it lacks.
    pub filling: Vec<f64>,
}

/// The assignment that `MED` found for a query of two runs; of equal ones with the first run ahead.
///
/// # Errors
/// The measure or a score is refused, a run lacks the query, or the measure has no value.
pub fn assignment<'a>(
    runs: (&'a Run, &'a Run),
    qrels: Option<&Qrels>,
    spec: &Spec,
    query: &[u8],
    depth: usize,
    settings: Settings,
) -> Result<Assigned<'a>> {
    let longest = runs.0.longest().max(runs.1.longest());
    let scope = Scope { depth: longest, grades: qrels.map_or(&[], |qrels| qrels.grades()) };
    let plan = Plan::new(std::slice::from_ref(spec), depth, &scope)?;
    let queries = [runs.0.find(query), runs.1.find(query)];
    if queries.contains(&None) {
        return Err(Error::Value(format!("query {} is not in both runs", show(query))));
    }
    let truth = qrels.and_then(|qrels| Some(qrels.truth(qrels.find(query)?)));
    let mut room = Room::default();
    plan.lay_out(&mut room, &[runs.0, runs.1], &queries, (truth.as_ref(), None), settings)?;
    let (both, work) = room.both(truth.as_ref().map_or(&[], |truth| truth.levels));
    let found = plan.effect().and_then(|effect| effect.assignment(&both, work)).ok_or_else(|| {
        Error::Value(format!(
            "no assignment for {spec} in query {}: there is one for MED where it is defined",
            show(query)
        ))
    })?;
    let documents = room.documents();
    Ok(Assigned {
        a_is_ahead: found.a_is_ahead,
        value: found.value,
        documents: found.documents.iter().map(|&(number, grade)| (documents[number as usize].0, grade)).collect(),
        filling: found.filling,
    })
}
