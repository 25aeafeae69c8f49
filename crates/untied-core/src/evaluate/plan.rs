//! Measures made ready for the depth of rankings and the grades of qrels.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Shape, Total};
use crate::error::{Error, Result};
use crate::measures::{Build, Measure, Scope};
use crate::names::{Aggregate, Needs, Spec};
use crate::ranking::Layout;
use crate::registry;
use crate::settings::{Adjust, Settings, Unjudged};
use crate::table::profiles::Detail;
use crate::table::{Judgments, Lengths, Qrels};

/// A measure made ready.
pub(crate) struct Planned {
    /// Which one.
    pub spec: Spec,
    /// What computes it.
    pub measure: Box<dyn Measure>,
    /// Whether it reads rankings without unjudged documents.
    pub judged_only: bool,
    /// Whether it reads profiles, and not grades.
    pub by_profile: bool,
    /// How values of queries are put together.
    pub aggregate: Aggregate,
    /// Whether it reads no more than relevant documents.
    relevant_only: bool,
    /// The same of rankings without ties.
    relevant_only_untied: bool,
    /// See [`Spec::possible_grades`].
    pub possible_grades: Vec<f64>,
}

impl Planned {
    fn new(spec: &Spec, build: Build, scope: &Scope<'_>, unjudged: Unjudged) -> Result<Planned> {
        let possible_grades = spec.possible_grades(scope.grades);
        let measure = match unjudged {
            Unjudged::Nonrelevant | Unjudged::Remove => build(spec, scope),
            Unjudged::Best | Unjudged::Worst | Unjudged::Range => {
                build(spec, &scope.with(&scope.grades_with(&possible_grades)))
            }
        }?;
        let judged_only = spec.judged_only()?;
        Ok(Planned {
            spec: spec.clone(),
            judged_only,
            by_profile: spec.info.needs.detail().is_some(),
            aggregate: spec.aggregate()?,
            relevant_only: measure.reads_relevant_only() && !judged_only,
            relevant_only_untied: measure.reads_relevant_only_untied() && !judged_only,
            possible_grades,
            measure,
        })
    }

    /// Whether it reads no more than relevant documents of rankings that are laid out so.
    #[inline]
    pub fn reads_relevant_only(&self, layout: Layout) -> bool {
        if layout == Layout::Tied { self.relevant_only } else { self.relevant_only_untied }
    }

    /// The error where its bounds are asked for and not known.
    pub fn without_bounds(&self) -> Error {
        Error::Value(format!("bounds over unjudged documents are not known for {}", self.spec))
    }
}

/// Measures made ready for rankings up to some depth.
pub struct Plan {
    pub(super) measures: Vec<Planned>,
    /// The highest grade of all judgments, or 0.
    pub(super) highest: f64,
    /// Lengths of documents, where a measure needs them.
    pub(super) lengths: Option<Arc<Lengths>>,
    /// Whether a measure is a user's formula.
    formulas: bool,
    /// Longest ranking it is ready for.
    retrieved: usize,
}

impl Plan {
    /// Make measures ready for these qrels and runs of this depth, for any settings.
    ///
    /// # Errors
    /// A measure's parameters are wrong or do not fit the grades, or it needs what the qrels do not have or lengths.
    pub fn new(specs: &[Spec], qrels: &Qrels, depth: usize, lengths: Option<&Arc<Lengths>>) -> Result<Plan> {
        Plan::built_by(registry::build, specs, qrels, depth, lengths, Unjudged::Range)
    }

    /// The same with measures that are not all in the registry, for one way to count unjudged documents.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn built_by(
        build: Build,
        specs: &[Spec],
        qrels: &Qrels,
        depth: usize,
        lengths: Option<&Arc<Lengths>>,
        unjudged: Unjudged,
    ) -> Result<Plan> {
        let by_length = specs.iter().find(|spec| spec.info.needs == Needs::Documents);
        if let (Some(spec), None) = (by_length, lengths) {
            return Err(spec.lacks_lengths());
        }
        // A retrieved document that is not judged may be relevant too.
        let scope = Scope { depth: depth + qrels.longest(), grades: qrels.grades() };
        let lengths = by_length.and(lengths).cloned();
        Plan::of_scope(build, specs, qrels.detail(), &scope, lengths, depth, unjudged)
    }

    /// Make measures ready for rankings and judgments of which this is known.
    pub(crate) fn of_scope(
        build: Build,
        specs: &[Spec],
        detail: Option<Detail>,
        scope: &Scope<'_>,
        lengths: Option<Arc<Lengths>>,
        retrieved: usize,
        unjudged: Unjudged,
    ) -> Result<Plan> {
        specs.iter().try_for_each(|spec| spec.fits(detail))?;
        let planned = |spec: &Spec| Planned::new(spec, build, scope, unjudged);
        let measures: Vec<Planned> = specs.iter().map(planned).collect::<Result<_>>()?;
        Ok(Plan {
            highest: scope.grades.first().map_or(0.0, |highest| highest.max(0.0)),
            lengths,
            formulas: measures.iter().any(|planned| planned.measure.formula().is_some()),
            retrieved,
            measures,
        })
    }

    /// Whether its values can be adjusted, where that is asked for.
    fn fits(&self, settings: Settings) -> Result<()> {
        if settings.adjust == Adjust::None {
            return Ok(());
        }
        if !matches!(settings.unjudged, Unjudged::Nonrelevant | Unjudged::Remove) {
            return Err(Error::Value("adjust 'chance' needs unjudged nonrelevant or remove".into()));
        }
        for Planned { spec, aggregate, .. } in &self.measures {
            if spec.info.lower_is_better || *aggregate != Aggregate::Mean {
                return Err(Error::Measure(format!(
                    "{spec} cannot be adjusted for chance: only arithmetic means of values can be, if higher values are better"
                )));
            }
            if spec.info.is_of_set && spec.cutoff.is_none() {
                return Err(Error::Measure(format!(
                    "{spec} cannot be adjusted for chance: no order of the retrieved documents changes it"
                )));
            }
        }
        Ok(())
    }

    /// Aggregates of the measures, of no query yet.
    pub fn totals(&self, settings: Settings) -> Vec<Total> {
        let of = |one: &Planned| Total::new(one.aggregate, settings, one.spec.info.lower_is_better);
        self.measures.iter().map(of).collect()
    }

    /// Grades that an unjudged document may have, for a measure by number; see [`Spec::possible_grades`].
    pub fn possible_grades(&self, measure: usize) -> &[f64] {
        &self.measures[measure].possible_grades
    }

    /// The measure of a plan that was made for one.
    ///
    /// # Errors
    /// It reads rankings without unjudged documents, so that it has no bounds, or it may have no value.
    pub(crate) fn only(&self) -> Result<&Planned> {
        let planned = &self.measures[0];
        if planned.spec.info.lower_is_better {
            let spec = &planned.spec;
            return Err(Error::Value(format!(
                "{spec} is undefined if too few documents are relevant; use another measure"
            )));
        }
        if planned.judged_only { Err(planned.without_bounds()) } else { Ok(planned) }
    }

    /// Number of measures.
    pub(crate) fn len(&self) -> usize {
        self.measures.len()
    }

    /// Append what measures need of judgments alone.
    pub(crate) fn add_bases(&self, truth: &Judgments<'_>, bases: &mut Vec<f64>) {
        bases.extend(self.measures.iter().map(|one| one.measure.base(truth)));
    }

    /// Whether nothing but the places of relevant documents is read of a ranking, and no id.
    pub(crate) fn reads_relevant_only(&self, settings: Settings) -> bool {
        settings.ties.layout() != Layout::ByDocument && self.reads_grades_above_0(settings)
    }

    /// Whether nothing but the places of relevant documents is read of a ranking.
    pub(crate) fn reads_grades_above_0(&self, settings: Settings) -> bool {
        let Settings { unjudged, variance, depth, adjust, .. } = settings;
        let is_plain = unjudged == Unjudged::Nonrelevant && !variance && depth.is_none() && adjust == Adjust::None;
        let layout = settings.ties.layout();
        is_plain && self.measures.iter().all(|one| one.reads_relevant_only(layout))
    }

    /// A rank: no measure reads groups that begin behind it.
    pub(crate) fn reads_to(&self) -> usize {
        self.measures.iter().map(|one| one.measure.reads_to()).max().unwrap_or(usize::MAX)
    }

    /// Whether it holds formulas of users, which are called back: one thread at a time, as Python's lock has it.
    pub fn has_formulas(&self) -> bool {
        self.formulas
    }

    /// Whether a measure reads profiles, and not grades.
    pub(super) fn reads_profiles(&self) -> bool {
        self.measures.iter().any(|one| one.by_profile)
    }

    /// How the cells of a query are laid out.
    pub(super) fn shape(&self, settings: Settings) -> Shape {
        Shape::of(self.measures.len(), self.formulas, settings)
    }

    /// Whether it will do for rankings of this depth.
    pub fn reaches(&self, depth: usize) -> bool {
        depth <= self.retrieved
    }
}

/// Measures and settings for some qrels; plans are made as deep as runs turn out to be.
pub struct Prepared {
    /// The measures.
    pub specs: Vec<Spec>,
    /// How to evaluate.
    pub settings: Settings,
    /// See [`Plan::has_formulas`].
    pub formulas: bool,
    build: Build,
    lengths: Option<Arc<Lengths>>,
    /// Made for the deepest ranking so far.
    plan: Mutex<Arc<Plan>>,
}

impl Prepared {
    /// Make measures ready for these qrels.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn new(specs: Vec<Spec>, settings: Settings, qrels: &Qrels, lengths: Option<Arc<Lengths>>) -> Result<Prepared> {
        Prepared::built_by(registry::build, specs, settings, qrels, lengths)
    }

    /// The same with measures that are not all in the registry.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn built_by(
        build: Build,
        specs: Vec<Spec>,
        settings: Settings,
        qrels: &Qrels,
        lengths: Option<Arc<Lengths>>,
    ) -> Result<Prepared> {
        let plan = Plan::built_by(build, &specs, qrels, 0, lengths.as_ref(), settings.unjudged)?;
        plan.fits(settings)?;
        let formulas = plan.has_formulas();
        Ok(Prepared { specs, settings, formulas, build, lengths, plan: Mutex::new(Arc::new(plan)) })
    }

    /// How the cells of a query are laid out.
    pub(super) fn shape(&self) -> Shape {
        Shape::of(self.specs.len(), self.formulas, self.settings)
    }

    /// The plan for rankings of this depth, on the same qrels.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn plan(&self, qrels: &Qrels, depth: usize) -> Result<Arc<Plan>> {
        let lock = || self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let plan = Arc::clone(&lock());
        if plan.reaches(depth) {
            return Ok(plan);
        }
        // At least twice as deep, as a run that comes in pieces may become deeper with each of them. Not under the lock:
        // a measure that a user has defined may wait for whoever waits for it.
        let depth = depth.max(2 * plan.retrieved);
        let made = Arc::new(Plan::built_by(
            self.build,
            &self.specs,
            qrels,
            depth,
            self.lengths.as_ref(),
            self.settings.unjudged,
        )?);
        *lock() = Arc::clone(&made);
        Ok(made)
    }
}
