//! Rankings and judgments as arrays: a document has no id, but the same position in all columns.
//!
//! [`Labels`] are prepared once; then any number of columns of [`Scores`] rank the same documents. Everything after that
//! is what happens to files: the same sorting, tie groups, policies and measures, so the values have the same bits.
//!
//! ```
//! use untied_core::arrays::{Column, Given, Groups, Labels, Scores, Totals};
//! use untied_core::{registry, settings::{Settings, Unjudged}};
//!
//! // Two queries with two documents each.
//! let labels = Column::Int64(&[1, 0, 0, 1]);
//! let given = Given { labels, present: None, judged: None, totals: Totals::Same };
//! let labels = Labels::new(Groups::Rows(2, 2), &given)?;
//! let plan = labels.plan(&registry::parse_all("RR")?, Unjudged::Nonrelevant)?;
//! let scores = |column| Scores { column, ascending: false, name: "scores" };
//! let columns = [scores(Column::Float32(&[0.5, 0.5, 0.1, 0.9])), scores(Column::Int8(&[1, 2, 3, 4]))];
//! let found = labels.means(&columns, &plan, Settings::default())?;
//! assert_eq!([found[0].values[0].mean, found[1].values[0].mean], [0.875, 0.75]);
//! # Ok::<(), untied_core::Error>(())
//! ```

mod block;
mod codes;
mod column;
mod counts;
mod given;
mod groups;
mod labels;

use std::ops::Range;

use rayon::prelude::*;

use codes::{Code, by_width};
pub use column::Column;
pub use given::{Given, Totals};
pub use groups::Groups;
pub(crate) use labels::Bases;
pub use labels::Labels;

use crate::error::{Error, Result};
use crate::evaluate::{Evaluation, Facts, Plan, Ranked, Source, Value, Workspace, evaluate_source};
use crate::measures::Scope;
use crate::names::{Needs, Spec};
use crate::ranking::{Layout, Order, Precision, are_few};
use crate::registry;
use crate::settings::{Settings, Unjudged};
use crate::table::{Judgments, RowLevels};

/// A column of scores.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'a> {
    /// The scores, one for every label.
    pub column: Column<'a>,
    /// Whether the lowest score is best.
    pub ascending: bool,
    /// What to call them in messages.
    pub name: &'a str,
}

/// Aggregates of a column.
#[derive(Debug, Clone)]
pub struct Means {
    /// Measure by measure.
    pub values: Vec<Value>,
    /// What to tell the user.
    pub facts: Facts,
}

impl Labels {
    /// Make measures ready for these labels.
    ///
    /// # Errors
    /// A measure's parameters are wrong or do not fit the grades, or it needs what arrays do not have.
    pub fn plan(&self, specs: &[Spec], unjudged: Unjudged) -> Result<Plan> {
        if let Some(spec) = specs.iter().find(|spec| spec.info.needs == Needs::Documents) {
            return Err(Error::Value(format!("{spec} needs lengths of documents, which arrays do not have")));
        }
        let scope = Scope { depth: self.longest + self.most_judged, grades: self.grades() };
        Plan::of_scope(registry::build, specs, None, &scope, None, self.longest, unjudged)
    }

    /// Evaluate a column of scores, query by query. Queries have the numbers from 0.
    ///
    /// Scores are compared as they are, unless the settings have another precision than double.
    ///
    /// # Errors
    /// There is no query, there are not as many scores as labels, a score is not finite, the tie policy needs ids, or a
    /// value is undefined and that is to be an error.
    pub fn evaluate(&self, scores: &Scores<'_>, plan: &Plan, settings: Settings) -> Result<Evaluation> {
        if settings.ties.layout() == Layout::ByDocument {
            return Err(Error::Value(
                "ties 'docid' and 'trec' need ids of documents, which arrays do not have; 'given' takes tied documents \
                 in the order of the array"
                    .into(),
            ));
        }
        if self.groups().is_empty() {
            return Err(Error::Value("no query to evaluate: the arrays are empty".into()));
        }
        let (name, found, expected) = (scores.name, scores.column.len(), self.documents());
        if found != expected {
            return Err(Error::Value(format!("{name}: expected {expected} scores, one for each label, found {found}")));
        }
        let relevant_only = plan.reads_relevant_only(settings);
        let columns = Columns { labels: self, scores, settings, relevant_only, depth: plan.reads_to() };
        let name = |query| format!("{query} (counted from 0)");
        let rank = |query, truth: &Judgments<'_>, room: &mut Workspace| columns.rank(query, truth, room);
        let source = Labelled { labels: self, bases: &self.bases(plan), name, rank };
        evaluate_source(&source, plan, settings, |_| ()).map(|(evaluation, _)| evaluation)
    }

    /// Aggregates of many columns of scores. Values do not depend on the number of threads.
    ///
    /// # Errors
    /// As [`Labels::evaluate`], of the first column for which there is one.
    pub fn means(&self, columns: &[Scores<'_>], plan: &Plan, settings: Settings) -> Result<Vec<Means>> {
        let means = |scores| {
            let Evaluation { totals, facts, .. } = self.evaluate(scores, plan, settings)?;
            Ok(Means { values: totals, facts })
        };
        let found: Vec<Result<Means>> = columns.par_iter().map(means).collect();
        found.into_iter().collect()
    }
}

/// A column of scores for labelled documents.
struct Columns<'a> {
    labels: &'a Labels,
    scores: &'a Scores<'a>,
    settings: Settings,
    /// Whether nothing but the places of relevant documents is read.
    relevant_only: bool,
    /// Nothing behind the tie group at this rank is read.
    depth: usize,
}

impl Columns<'_> {
    /// Write the ranking of a query.
    #[inline]
    fn rank(&self, query: usize, truth: &Judgments<'_>, room: &mut Workspace) -> Result<Ranked> {
        let Columns { labels, scores, settings, .. } = *self;
        let range = labels.groups().range(query);
        if settings.precision == Precision::Float64 {
            return self.count_or_sort(query, truth, scores.column, range, room);
        }
        let mut read = std::mem::take(&mut room.read);
        read.clear();
        scores.column.visit(range.clone(), |score| read.push(settings.precision.read(score)));
        let ranked = self.count_or_sort(query, truth, Column::Float64(&read), 0..range.len(), room);
        room.read = read;
        ranked
    }

    /// Write the ranking of a query whose scores, as they are compared, stand at these places of a column.
    fn count_or_sort(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        column: Column<'_>,
        range: Range<usize>,
        room: &mut Workspace,
    ) -> Result<Ranked> {
        let Columns { labels, scores, settings, relevant_only, depth } = *self;
        let how = (scores.ascending, settings.ties.layout());
        let Workspace { places, all, .. } = &mut *room;
        if relevant_only
            && let Some(sparse) = labels.sparse(query)
            && let Some(mixed) = column.rank(range.clone(), &sparse, how, truth.grades(), places, &mut all.tied)
        {
            return Ok(Ranked { mixed, matched: sparse.judged });
        }
        if relevant_only
            && !labels.is_padded()
            && are_few(depth, range.len())
            && let Some(ranked) = self.sort_first(query, truth, column, range.clone(), room)
        {
            return Ok(ranked);
        }
        self.sort(query, truth, column, range, room)
    }

    /// Write the first groups of the same ranking, up to all that is read; None if a score is not finite.
    fn sort_first(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        column: Column<'_>,
        places: Range<usize>,
        room: &mut Workspace,
    ) -> Option<Ranked> {
        let Columns { labels, scores, settings, depth, .. } = *self;
        let Workspace { order, judge, all, .. } = room;
        let (codes, range) = labels.codes(query);
        let documents = range.len();
        let tied = settings.ties.layout() == Layout::Tied;
        let mixed = by_width!(codes, codes => {
            let (codes, end) = (&codes[range], Code::of(labels.relevant));
            let behind =
                column.sort_first(places, depth, scores.ascending, codes, |code| code.is_before(end), order)?;
            let levels = RowLevels::before(labels.relevant as u32, codes);
            judge.judge_known(levels, order, truth, tied, false, &mut all.tied) || behind
        });
        all.tied.retrieved = documents;
        Some(Ranked { mixed, matched: labels.is_judged(query) })
    }

    /// Write the same ranking by sorting.
    fn sort(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        column: Column<'_>,
        places: Range<usize>,
        room: &mut Workspace,
    ) -> Result<Ranked> {
        let Columns { labels, scores, settings, relevant_only, .. } = *self;
        let end = if relevant_only { labels.relevant } else { labels.grades().len() };
        let mixed = labels.rank(query, end, truth, settings, room, |order| {
            let finite = column.sort(places, labels.is_there(query), scores.ascending, order);
            if finite { Ok(()) } else { Err(self.refuse(query)) }
        })?;
        Ok(Ranked { mixed, matched: labels.is_judged(query) })
    }

    /// What to say of the first score of a query that is refused.
    #[cold]
    fn refuse(&self, query: usize) -> Error {
        let (range, precision) = (self.labels.groups().range(query), self.settings.precision);
        let is_there = |row| self.labels.is_there(query).is_none_or(|is_there| is_there(row));
        let mut place = range.start;
        let mut refused = None;
        self.scores.column.visit(range.clone(), |score| {
            if refused.is_none() && is_there((place - range.start) as u32) && !precision.read(score).is_finite() {
                refused = Some((place, score));
            }
            place += 1;
        });
        let (place, score) = refused.unwrap_or((range.start, f64::NAN));
        let (name, place) = (self.scores.name, self.labels.groups().place(place));
        Error::Value(match score.is_finite() {
            true => format!("{name}: score {score:?} for {place} does not fit the score_dtype"),
            false if score == f64::NEG_INFINITY => {
                format!("{name}: expected finite numbers, found {score} for {place}; for padding, pass mask=")
            }
            false => format!("{name}: expected finite numbers, found {score} for {place}"),
        })
    }
}

/// Labelled documents, each query with the ranking that `rank` writes; `name` is what a query is called in messages.
pub(crate) struct Labelled<'a, N, R> {
    pub labels: &'a Labels,
    /// What measures need of the labels alone.
    pub bases: &'a Bases,
    pub name: N,
    pub rank: R,
}

impl<N, R> Source for Labelled<'_, N, R>
where
    N: Fn(usize) -> String + Sync,
    R: Fn(usize, &Judgments<'_>, &mut Workspace) -> Result<Ranked> + Sync,
{
    fn len(&self) -> usize {
        self.labels.groups().len()
    }

    fn name(&self, query: usize) -> String {
        (self.name)(query)
    }

    #[inline]
    fn judgments(&self, query: usize) -> Judgments<'_> {
        self.labels.judgments(query)
    }

    #[inline]
    fn bases(&self, query: usize) -> Option<&[f64]> {
        self.labels.bases_of(self.bases, query)
    }

    #[inline]
    fn rank(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        _plan: &Plan,
        _settings: Settings,
        room: &mut Workspace,
    ) -> Result<Ranked> {
        (self.rank)(query, truth, room)
    }
}

impl Labels {
    /// Write the ranking of a query in the order that `sort` finds, as if documents of the levels from `end` on were not
    /// judged; whether tied documents differ in grade.
    #[inline]
    pub(crate) fn rank(
        &self,
        query: usize,
        end: usize,
        truth: &Judgments<'_>,
        settings: Settings,
        room: &mut Workspace,
        sort: impl FnOnce(&mut Order) -> Result<()>,
    ) -> Result<bool> {
        let Workspace { order, judge, all, .. } = room;
        sort(order)?;
        let (tied, remove) = (settings.ties.layout() == Layout::Tied, settings.unjudged == Unjudged::Remove);
        let (codes, range) = self.codes(query);
        Ok(by_width!(codes, codes => {
            let levels = RowLevels::before(end as u32, &codes[range]);
            judge.judge_known(levels, order, truth, tied, remove, &mut all.tied)
        }))
    }
}
