//! Measures built for the grades of the qrels and the depth of the run.

use std::sync::{Arc, Mutex, PoisonError};

use super::{CellLayout, Total};
use crate::error::{Error, Result};
use crate::measures::{Build, Measure, Scope};
use crate::names::{Aggregate, Needs, Spec};
use crate::ranking::Layout;
use crate::registry;
use crate::settings::{Adjust, Settings, Take, Unjudged};
use crate::table::profiles::Detail;
use crate::table::{Judgments, Lengths, Qrels};

/// A measure that was built, with facts that every query needs.
pub(crate) struct Planned {
    /// The measure with its parameters and cutoff.
    pub spec: Spec,
    /// The code that computes it.
    pub measure: Box<dyn Measure>,
    /// Whether it reads rankings without unjudged documents.
    pub judged_only: bool,
    /// Whether it reads the numbers of profiles instead of grades.
    pub by_profile: bool,
    /// How the values of queries are combined.
    pub aggregate: Aggregate,
    /// Whether it reads only the relevant documents of a ranking.
    relevant_only: bool,
    /// Whether it reads only the relevant documents of a ranking without ties.
    relevant_only_untied: bool,
    /// See [`Spec::possible_grades`].
    pub possible_grades: Vec<f64>,
}

impl Planned {
    fn new(
        spec: &Spec,
        build: Build,
        detail: Option<Detail>,
        scope: &Scope<'_>,
        unjudged: Unjudged,
    ) -> Result<Planned> {
        match unjudged.take {
            Take::Mean => spec.fits(detail)?,
            Take::Best | Take::Worst | Take::Range => spec.fits_unjudged(detail)?,
        }
        let possible_grades = spec.possible_grades(scope.grades);
        let measure = match unjudged.take {
            Take::Mean => build(spec, scope),
            Take::Best | Take::Worst | Take::Range => build(spec, &scope.with(&scope.grades_with(&possible_grades))),
        }?;
        let measure = match detail {
            Some(Detail::Probabilities) => measure.expected().ok_or_else(|| spec.lacks_expectation())?,
            _ => measure,
        };
        let judged_only = spec.judged_only()?;
        Ok(Planned {
            spec: spec.clone(),
            judged_only,
            by_profile: spec.info.needs.detail().is_some()
                || matches!(detail, Some(Detail::Preferences | Detail::Probabilities)),
            aggregate: spec.aggregate()?,
            relevant_only: measure.reads_relevant_only() && !judged_only,
            relevant_only_untied: measure.reads_relevant_only_untied() && !judged_only,
            possible_grades,
            measure,
        })
    }

    /// Whether it reads only the relevant documents of rankings with this layout.
    #[inline]
    pub fn reads_relevant_only(&self, layout: Layout) -> bool {
        if layout == Layout::Tied { self.relevant_only } else { self.relevant_only_untied }
    }

    /// What it reads of a judgment: 1 or 0 if it only asks whether the document is relevant, and else the grade.
    pub fn read(&self, grade: f64) -> f64 {
        match self.measure.only_relevance() {
            Some(rel) if grade >= 0.0 => f64::from(grade >= rel),
            _ => grade,
        }
    }

    /// The error for bounds that the measure does not have.
    pub fn without_bounds(&self) -> Error {
        Error::Value(format!("bounds over unjudged documents are not known for {}", self.spec))
    }
}

/// Measures built for rankings up to some depth.
pub struct Plan {
    pub(super) measures: Vec<Planned>,
    /// The highest grade of all judgments, or 0 if no grade is above 0. None if they are preferences.
    pub(super) highest: Option<f64>,
    /// The lengths of documents, if a measure needs them.
    pub(crate) lengths: Option<Arc<Lengths>>,
    /// Whether a measure is a user's formula.
    formulas: bool,
    /// Whether values are expected ones, because grades have probabilities.
    pub(super) expected: bool,
    /// The depth of the deepest ranking that the measures can evaluate.
    depth: usize,
}

impl Plan {
    /// Builds measures for these qrels, and for runs up to this depth.
    ///
    /// # Errors
    /// A measure's parameters are wrong or do not fit the grades, or it needs lengths or details that are missing.
    pub fn new(specs: &[Spec], qrels: &Qrels, depth: usize, lengths: Option<&Arc<Lengths>>) -> Result<Plan> {
        Plan::built_by(registry::build, specs, qrels, depth, lengths, Unjudged { kept: true, take: Take::Range })
    }

    /// Builds measures with `build`, which may make measures that are not in the registry.
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
        // Unjudged documents that are retrieved may be relevant in addition to all judged ones.
        let grades = qrels.possible_grades();
        let scope = Scope { depth: depth + qrels.longest(), grades: &grades };
        let lengths = by_length.and(lengths).cloned();
        Plan::for_scope(build, specs, qrels.detail(), &scope, lengths, depth, unjudged)
    }

    /// Builds measures from the grades, the depth and the details of judgments alone.
    pub(crate) fn for_scope(
        build: Build,
        specs: &[Spec],
        detail: Option<Detail>,
        scope: &Scope<'_>,
        lengths: Option<Arc<Lengths>>,
        depth: usize,
        unjudged: Unjudged,
    ) -> Result<Plan> {
        let planned = |spec: &Spec| Planned::new(spec, build, detail, scope, unjudged);
        let measures: Vec<Planned> = specs.iter().map(planned).collect::<Result<_>>()?;
        Ok(Plan {
            highest: (detail != Some(Detail::Preferences))
                .then(|| scope.grades.first().map_or(0.0, |highest| highest.max(0.0))),
            lengths,
            formulas: measures.iter().any(|planned| planned.measure.formula().is_some()),
            expected: detail == Some(Detail::Probabilities),
            depth,
            measures,
        })
    }

    /// Checks that all values can be adjusted for chance, if the settings ask for it.
    fn check_adjust(&self, settings: Settings) -> Result<()> {
        if settings.adjust == Adjust::None {
            return Ok(());
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

    /// An empty aggregate for each measure.
    pub fn totals(&self, settings: Settings) -> Vec<Total> {
        let total = |planned: &Planned| Total::new(planned.aggregate, settings, planned.spec.info.lower_is_better);
        self.measures.iter().map(total).collect()
    }

    /// The possible grades of an unjudged document for a measure; see [`Spec::possible_grades`].
    pub fn possible_grades(&self, measure: usize) -> &[f64] {
        &self.measures[measure].possible_grades
    }

    /// The only measure of a plan. It must have bounds over unjudged documents.
    ///
    /// # Errors
    /// The measure leaves out unjudged documents, so it has no bounds; or its value may be undefined.
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

    /// The number of measures.
    pub(crate) fn len(&self) -> usize {
        self.measures.len()
    }

    /// Appends [`Measure::base`] of each measure.
    pub(crate) fn add_bases(&self, truth: &Judgments<'_>, bases: &mut Vec<f64>) {
        bases.extend(self.measures.iter().map(|planned| planned.measure.base(truth)));
    }

    /// Whether the measures read only the relevant documents of a ranking, and no ids.
    pub(crate) fn reads_relevant_only(&self, settings: Settings) -> bool {
        !settings.ties.layout.reads_ids() && self.reads_grades_above_0(settings)
    }

    /// Whether the measures read only the relevant documents of a ranking.
    pub(crate) fn reads_grades_above_0(&self, settings: Settings) -> bool {
        let Settings { unjudged, variance, depth, adjust, .. } = settings;
        let is_plain = unjudged == Unjudged::default() && !variance && depth.is_none() && adjust == Adjust::None;
        let layout = settings.ties.layout;
        is_plain && self.measures.iter().all(|planned| planned.reads_relevant_only(layout))
    }

    /// The last rank that the measures read. No measure reads a group that begins after it.
    pub(crate) fn reads_to(&self) -> usize {
        self.measures.iter().map(|planned| planned.measure.reads_to()).max().unwrap_or(usize::MAX)
    }

    /// Whether a measure is a user's formula. Formulas call Python, so only one thread at a time can evaluate them.
    pub fn has_formulas(&self) -> bool {
        self.formulas
    }

    /// Whether a measure reads the numbers of profiles instead of grades.
    pub(super) fn reads_profiles(&self) -> bool {
        self.measures.iter().any(|planned| planned.by_profile)
    }

    /// The order of the cells of a query.
    pub(super) fn shape(&self, settings: Settings) -> CellLayout {
        CellLayout::new(self.measures.len(), self.formulas, settings)
    }

    /// Whether the measures can evaluate rankings of this depth.
    pub fn reaches(&self, depth: usize) -> bool {
        depth <= self.depth
    }
}

/// Checks that the settings ask for nothing but expected values, if grades have probabilities.
fn check_expected(settings: Settings) -> Result<()> {
    let asks = if settings.ties.take != Take::Mean {
        "ties must be expected, or one order"
    } else if settings.adjust != Adjust::None {
        "they cannot be adjusted for chance"
    } else {
        return Ok(());
    };
    Err(Error::Value(format!("with probabilities of grades, values are means over grades and orders of ties: {asks}")))
}

/// The depth for which measures are built at first. Few runs are deeper, so most measures are built only once.
const USUAL_DEPTH: usize = 1000;

/// Measures and settings for some qrels. If a run is deeper than all before, its measures are built again.
pub struct Prepared {
    /// The measures with their parameters and cutoffs.
    pub specs: Vec<Spec>,
    /// The settings of all evaluations.
    pub settings: Settings,
    /// See [`Plan::has_formulas`].
    pub formulas: bool,
    build: Build,
    lengths: Option<Arc<Lengths>>,
    /// The plan for the deepest ranking so far.
    plan: Mutex<Arc<Plan>>,
}

impl Prepared {
    /// Builds measures for these qrels.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn new(specs: Vec<Spec>, settings: Settings, qrels: &Qrels, lengths: Option<Arc<Lengths>>) -> Result<Prepared> {
        Prepared::built_by(registry::build, specs, settings, qrels, lengths)
    }

    /// Builds measures with `build`, which may make measures that are not in the registry.
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
        let plan = Plan::built_by(build, &specs, qrels, USUAL_DEPTH, lengths.as_ref(), settings.unjudged)?;
        plan.check_adjust(settings)?;
        if qrels.detail() == Some(Detail::Probabilities) {
            check_expected(settings)?;
        }
        let formulas = plan.has_formulas();
        Ok(Prepared { specs, settings, formulas, build, lengths, plan: Mutex::new(Arc::new(plan)) })
    }

    /// The order of the cells of a query.
    pub(super) fn shape(&self) -> CellLayout {
        CellLayout::new(self.specs.len(), self.formulas, self.settings)
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
        // It is at least twice as deep, because each piece of a streamed run may be deeper than the last. The lock is
        // not held: a user's measure calls Python, whose lock another thread may hold while it waits for this one.
        let depth = depth.max(2 * plan.depth);
        let deeper = Arc::new(Plan::built_by(
            self.build,
            &self.specs,
            qrels,
            depth,
            self.lengths.as_ref(),
            self.settings.unjudged,
        )?);
        *lock() = Arc::clone(&deeper);
        Ok(deeper)
    }
}
