//! The distributions of values over all orders of tied documents: of every query, and of their aggregates. Orders of
//! different queries are independent.

use rayon::prelude::*;

use super::files::{Files, none};
use super::plan::Planned;
use super::workspace::{Task, Workspace};
use super::{Plan, Source};
use crate::error::{Error, Result};
use crate::law::{self, Law, Limits};
use crate::measures::Orders;
use crate::names::{Aggregate, Info};
use crate::ranking::{best, worst};
use crate::registry::{FAMILIES, Family};
use crate::settings::{Adjust, Settings, Ties, Undefined, Unjudged};
use crate::table::{Qrels, Run};
use crate::watch;

/// The distributions of one run's values.
#[derive(Debug, Clone, PartialEq)]
pub struct Laws {
    /// The queries, by their number in the qrels, ascending.
    pub queries: Vec<usize>,
    /// Of aggregates, measure by measure; none where no query has a value.
    pub totals: Vec<Option<Law>>,
    /// Of every query, measure by measure, where they were to be kept; none where the value is undefined and left out.
    pub of_queries: Vec<Vec<Option<Law>>>,
}

/// The distributions of the values of a run; those of every query only if they are to be kept.
///
/// # Errors
/// A measure has no law, or settings do not go with one; and as [`super::evaluate`].
pub fn laws(qrels: &Qrels, run: &Run, plan: &Plan, settings: Settings, limits: Limits, keep: bool) -> Result<Laws> {
    plan.measures.iter().try_for_each(|Planned { spec, .. }| refuse(spec.info, &spec.to_string()))?;
    if settings.ties != Ties::Expected || !matches!(settings.unjudged, Unjudged::Nonrelevant | Unjudged::Remove) {
        return Err(Error::Value(
            "distributions are over all orders of ties: ties must be expected, and unjudged nonrelevant or remove"
                .into(),
        ));
    }
    if settings.adjust != Adjust::None {
        return Err(Error::Value("distributions cannot be adjusted for chance".into()));
    }
    let files = Files::new(qrels, run, settings.queries);
    if files.pairs.is_empty() {
        return Err(none(qrels));
    }
    watch::begin(|| "distributions over tie orders".into(), "queries", Some(files.len() as u64));
    let task = Task::new(plan, settings);
    let of_query = |room: &mut Workspace, query: usize| {
        let found = of_query(room, &files, query, &task, limits)?;
        watch::step(1)?;
        Ok(found)
    };
    let mut of_queries = Vec::new();
    let mut terms = vec![Terms::default(); plan.len()];
    for first in (0..files.len()).step_by(AT_ONCE) {
        let block = (first..(first + AT_ONCE).min(files.len())).into_par_iter();
        let found: Vec<Vec<Option<Law>>> = block.map_init(Workspace::default, of_query).collect::<Result<_>>()?;
        for laws in &found {
            for ((terms, law), planned) in terms.iter_mut().zip(laws).zip(&plan.measures) {
                if let Some(law) = law {
                    terms.add(law, planned.aggregate);
                }
            }
        }
        if keep {
            of_queries.extend(found);
        }
    }
    let total = |(terms, planned): (Terms, &Planned)| terms.total(planned.aggregate, limits);
    let totals = terms.into_par_iter().zip(&plan.measures).map(total).collect::<Result<_>>()?;
    let queries = files.pairs.iter().map(|&(query, _)| query).collect();
    Ok(Laws { queries, totals, of_queries })
}

/// Queries whose laws are held at once, unless all are to be kept.
const AT_ONCE: usize = 1 << 13;

fn refuse(info: &Info, name: &str) -> Result<()> {
    if info.has_law {
        return Ok(());
    }
    let known: Vec<&str> =
        FAMILIES.iter().flat_map(Family::infos).filter(|info| info.has_law).map(|info| info.name).collect();
    let known = known.join(", ");
    Err(Error::Measure(format!("{name}: the distribution over tie orders is available only for {known}")))
}

/// The laws of a query, measure by measure.
fn of_query(
    room: &mut Workspace,
    files: &Files<'_>,
    query: usize,
    task: &Task<'_>,
    limits: Limits,
) -> Result<Vec<Option<Law>>> {
    let Task { plan, settings, .. } = task;
    let truth = files.judgments(query);
    room.rank(files, query, &truth, task)?;
    let of_measure = |Planned { spec, measure, judged_only, .. }: &Planned| {
        let orders = room.laid_out(settings.unjudged == Unjudged::Remove || *judged_only);
        let mean = measure.mean(&orders.tied, &truth) + 0.0;
        if mean.is_nan() {
            return match settings.undefined {
                Undefined::Raise => Err(Error::Undefined { measure: spec.to_string(), query: files.name(query) }),
                Undefined::Zero if !spec.info.lower_is_better => Ok(Some(Law::certain(0.0))),
                _ => Ok(None),
            };
        }
        if !orders.tied.is_tied() {
            return Ok(Some(Law::certain(mean)));
        }
        let law = measure.law(&orders.tied, &truth, limits)?;
        Ok(Some(law.unwrap_or_else(|| {
            let mut orders = Orders { tied: orders.tied.clone(), ..Orders::default() };
            best(&orders.tied, &mut orders.best);
            worst(&orders.tied, &mut orders.worst);
            let (low, high) = measure.extremes(&orders, &truth);
            Law::between(low, high)
        })))
    };
    plan.measures.iter().map(of_measure).collect()
}

/// Independent values that are added up: the sum of those that are certain, and the laws of the others.
#[derive(Default, Clone)]
struct Terms {
    count: usize,
    certain: f64,
    others: Vec<Law>,
}

impl Terms {
    /// Add a query's value.
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

    /// The law of their aggregate; none of no value.
    fn total(self, aggregate: Aggregate, limits: Limits) -> Result<Option<Law>> {
        if self.count == 0 {
            return Ok((aggregate == Aggregate::Sum).then(|| Law::certain(0.0)));
        }
        let n = self.count as f64;
        let sum = law::sum(self.others, limits)?.map(|sum| sum + self.certain);
        Ok(Some(if aggregate == Aggregate::Sum { sum } else { sum.map(|sum| aggregate.of_sum(sum, n)) }))
    }
}
