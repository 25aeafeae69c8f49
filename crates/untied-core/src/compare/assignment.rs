//! For one query, the grades of unjudged documents for which MED is reached, and the distribution of Delta.

use super::plan::{ComparisonPlan, QueryBuffers};
use super::{ComparisonSettings, Evidence, scope};
use crate::difference::{Comparer, DifferenceWorkspace, Outcomes, RankingPair};
use crate::error::{Error, Result, show};
use crate::names::Spec;
use crate::table::Run;

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
    known: Evidence<'_>,
    spec: &Spec,
    query: &[u8],
    settings: ComparisonSettings,
) -> Result<Assigned<'a>> {
    let mut buffers = QueryBuffers::default();
    let assigned = |comparer: &dyn Comparer, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace| {
        comparer.assignment(pair, work)
    };
    let (a_is_ahead, solution) =
        in_query(&mut buffers, runs, known, spec, query, settings, assigned)?.ok_or_else(|| {
            let query = show(query);
            Error::Value(format!(
                "no assignment for {spec} in query {query}: only MED has one, if it is defined and uses no subtopics"
            ))
        })?;
    let documents = buffers.documents();
    Ok(Assigned {
        a_is_ahead,
        value: solution.difference,
        documents: solution.grades.iter().map(|&(number, grade)| (documents[number as usize].0, grade)).collect(),
        filling: solution.elsewhere,
    })
}

/// The whole distribution of `Delta` in a query of two runs, on a grid of about this many points, or drawn from a seed.
///
/// # Errors
/// The measure, a score or a probability is refused, a run lacks the query, or the measure has no value.
pub fn outcomes(
    runs: (&Run, &Run),
    known: Evidence<'_>,
    spec: &Spec,
    query: &[u8],
    settings: ComparisonSettings,
    grid: (usize, u64),
) -> Result<Outcomes> {
    let outcomes = |comparer: &dyn Comparer, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace| {
        comparer.outcomes(pair, work, grid)
    };
    in_query(&mut QueryBuffers::default(), runs, known, spec, query, settings, outcomes)?.ok_or_else(|| {
        let query = show(query);
        Error::Value(format!(
            "no outcomes of {spec} in query {query}: only Delta has them, if it is defined and uses no subtopics"
        ))
    })
}

/// What a measure of differences tells of one query.
fn in_query<'a, T>(
    buffers: &mut QueryBuffers<'a>,
    runs: (&'a Run, &'a Run),
    evidence: Evidence<'_>,
    spec: &Spec,
    query: &[u8],
    settings: ComparisonSettings,
    tell: impl Fn(&dyn Comparer, &RankingPair<'_>, &mut DifferenceWorkspace) -> Option<T>,
) -> Result<Option<T>> {
    let evidence = evidence.needed_by(std::slice::from_ref(spec))?;
    let longest = runs.0.longest().max(runs.1.longest());
    let plan = ComparisonPlan::new(std::slice::from_ref(spec), settings.depth, &scope(longest, evidence.qrels))?;
    let queries = [runs.0.find(query), runs.1.find(query)];
    if queries.contains(&None) {
        return Err(Error::Value(format!("query {} is not in both runs", show(query))));
    }
    let evidence = evidence.in_query(query, None);
    plan.lay_out(buffers, &[runs.0, runs.1], &queries, &evidence, settings)?;
    let (pair, work) = buffers.pair();
    let told = plan.difference().and_then(|comparer| tell(comparer, &pair, work));
    plan.check_failures(query)?;
    Ok(told)
}
