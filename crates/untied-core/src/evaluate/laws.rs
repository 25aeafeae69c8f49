//! The distributions of values over all orders of tied documents, for queries and for aggregates. Orders of different
//! queries are independent.

use rayon::prelude::*;

use super::files::{Files, no_query};
use super::plan::Planned;
use super::workspace::{EvaluationTask, Workspace};
use super::{Plan, RankingSource};
use crate::error::{Error, Result};
use crate::law::{self, Law, Limits};
use crate::measures::orders::sampling;
use crate::measures::search_length::PROBABILITY_OF_RELEVANCE;
use crate::measures::{Measure, Orders};
use crate::names::Aggregate;
use crate::ranking::{Ranking, best, worst};
use crate::settings::{Adjust, Settings, Take, Ties, Undefined};
use crate::table::{Judgments, Qrels, Run};
use crate::watch;

/// The distributions of a run's values.
#[derive(Debug, Clone, PartialEq)]
pub struct Laws {
    /// The indices of the queries in the qrels, ascending.
    pub queries: Vec<usize>,
    /// The distribution of each measure's aggregate; none if no query has a value.
    pub totals: Vec<Option<Law>>,
    /// The distribution of each measure for each query, or none where the value is undefined and left out. The list is
    /// empty unless it was asked for.
    pub of_queries: Vec<Vec<Option<Law>>>,
}

/// Computes the distributions of a run's values. With `keep`, it also returns those of each query.
///
/// # Errors
/// A measure has no distribution, the settings allow none, or an error of [`super::evaluate`].
pub fn laws(qrels: &Qrels, run: &Run, plan: &Plan, settings: Settings, limits: Limits, keep: bool) -> Result<Laws> {
    plan.measures.iter().try_for_each(require_law)?;
    if settings.ties != Ties::default() || settings.unjudged.take != Take::Mean {
        return Err(Error::Value(
            "distributions are over all orders of ties: ties must be expected, and unjudged nonrelevant or remove"
                .into(),
        ));
    }
    if plan.expected {
        return Err(Error::Value(
            "distributions are over orders of ties alone, and with probabilities of grades, values also vary with grades"
                .into(),
        ));
    }
    if settings.adjust != Adjust::None {
        return Err(Error::Value("distributions cannot be adjusted for chance".into()));
    }
    let files = Files::new(qrels, run, settings.queries);
    if files.pairs.is_empty() {
        return Err(no_query(qrels));
    }
    watch::begin(|| "distributions over tie orders".into(), "queries", Some(files.len() as u64));
    let task = EvaluationTask::new(plan, settings);
    let of_query = |workspace: &mut Workspace, query: usize| {
        let laws = laws_of_query(workspace, &files, query, &task, limits)?;
        watch::step(1)?;
        Ok(laws)
    };
    let mut of_queries = Vec::new();
    let mut terms = vec![Terms::default(); plan.len()];
    for first in (0..files.len()).step_by(AT_ONCE) {
        let block = (first..(first + AT_ONCE).min(files.len())).into_par_iter();
        let laws: Vec<Vec<Option<Law>>> = block.map_init(Workspace::default, of_query).collect::<Result<_>>()?;
        for laws in &laws {
            for ((terms, law), planned) in terms.iter_mut().zip(laws).zip(&plan.measures) {
                if let Some(law) = law {
                    terms.add(law, planned.aggregate);
                }
            }
        }
        if keep {
            of_queries.extend(laws);
        }
    }
    let total = |(terms, planned): (Terms, &Planned)| terms.total(planned.aggregate, limits);
    let totals = terms.into_par_iter().zip(&plan.measures).map(total).collect::<Result<_>>()?;
    let queries = files.pairs.iter().map(|&(query, _)| query).collect();
    Ok(Laws { queries, totals, of_queries })
}

/// How many queries' distributions are in memory at a time, unless all are kept.
const AT_ONCE: usize = 1 << 13;

/// Refuses a measure whose distribution is not known.
fn require_law(Planned { spec, measure, .. }: &Planned) -> Result<()> {
    let why = if measure.formula().is_some() {
        "it is your own formula"
    } else if *spec.info == PROBABILITY_OF_RELEVANCE.info {
        "its value for tied documents is not the mean over their orders, but that of EP is"
    } else {
        return Ok(());
    };
    Err(Error::Measure(format!("{spec}: the distribution over tie orders is not known: {why}")))
}

/// The distribution of a measure's value over tie orders: by the measure's own algorithm, or from all orders if they
/// are few. Otherwise, the lowest and the highest value enclose it.
fn law_of(measure: &dyn Measure, tied: &Ranking, truth: &Judgments<'_>, limits: Limits) -> Result<Law> {
    let law = match measure.distribution() {
        Some(distribution) => distribution.law(tied, truth, limits)?,
        None if tied.texts.are_tied() => {
            sampling::law_of_texts(tied, measure.reads_to(), |one| measure.mean(one, truth))
        }
        None => sampling::law(tied, measure.reads_to(), |one| measure.mean(one, truth)),
    };
    Ok(law.unwrap_or_else(|| {
        let mut orders = Orders { tied: tied.clone(), ..Orders::default() };
        best(tied, &mut orders.best);
        worst(tied, &mut orders.worst);
        let (low, high) = measure.extremes(&orders, truth);
        if low == high { Law::certain(low) } else { Law::between(low, high) }
    }))
}

/// The distribution of each measure's value for one query.
fn laws_of_query(
    workspace: &mut Workspace,
    files: &Files<'_>,
    query: usize,
    task: &EvaluationTask<'_>,
    limits: Limits,
) -> Result<Vec<Option<Law>>> {
    let EvaluationTask { plan, settings, .. } = task;
    let grades = files.judgments(query);
    workspace.rank(files, query, &grades, task, &mut ())?;
    let profiles = files.profiles(query, plan);
    let of_measure = |Planned { spec, measure, judged_only, by_profile, .. }: &Planned| {
        let without_unjudged = !settings.unjudged.kept || *judged_only;
        let (orders, truth) = match &profiles {
            Some(profiles) if *by_profile => (workspace.profile_orders(without_unjudged), profiles),
            _ => (workspace.orders(without_unjudged), &grades),
        };
        let mean = measure.mean(&orders.tied, truth) + 0.0;
        if mean.is_nan() {
            return match settings.undefined {
                Undefined::Raise => Err(Error::Undefined { measure: spec.to_string(), query: files.name(query) }),
                Undefined::Zero if !spec.info.lower_is_better => Ok(Some(Law::certain(0.0))),
                _ => Ok(None),
            };
        }
        if !orders.tied.is_tied() && !orders.tied.texts.are_tied() {
            return Ok(Some(Law::certain(mean)));
        }
        law_of(measure.as_ref(), &orders.tied, truth, limits).map(Some)
    };
    plan.measures.iter().map(of_measure).collect()
}

/// The terms of an aggregate: the sum of the certain ones, and the distributions of the others.
#[derive(Default, Clone)]
struct Terms {
    count: usize,
    certain: f64,
    others: Vec<Law>,
}

impl Terms {
    /// Adds the value of a query.
    fn add(&mut self, law: &Law, aggregate: Aggregate) {
        self.count += 1;
        let law = match aggregate {
            Aggregate::Geometric => law.clone().map(|value| aggregate.term(value)),
            Aggregate::Mean | Aggregate::Sum => law.clone(),
        };
        match law.lower() {
            &[(value, _)] if law.is_exact() => self.certain += value,
            _ => self.others.push(law),
        }
    }

    /// The distribution of the aggregate. There is none if no value was added, except that an empty sum is 0.
    fn total(self, aggregate: Aggregate, limits: Limits) -> Result<Option<Law>> {
        if self.count == 0 {
            return Ok((aggregate == Aggregate::Sum).then(|| Law::certain(0.0)));
        }
        let n = self.count as f64;
        let sum = law::sum(self.others, limits)?.map(|sum| sum + self.certain);
        Ok(Some(if aggregate == Aggregate::Sum { sum } else { sum.map(|sum| aggregate.of_sum(sum, n)) }))
    }
}
