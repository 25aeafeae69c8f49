//! Evaluates rankings whose documents are positions of arrays and have no ids.
//!
//! [`Labels`] are prepared once; then any number of columns of [`Scores`] rank the same documents. Sorting, tie groups,
//! policies and measures are the same as for files, so the values have the same bits.
//!
//! ```
//! use untied_core::arrays::{NumberColumn, LabelInput, Groups, Labels, Scores, DocumentCounts};
//! use untied_core::{registry, settings::{Settings, Unjudged}};
//!
//! // Two queries with two documents each.
//! let labels = NumberColumn::Int64(&[1, 0, 0, 1]);
//! let input = LabelInput { labels, present: None, judged: None, totals: DocumentCounts::InArray };
//! let labels = Labels::new(Groups::Rows(2, 2), &input)?;
//! let plan = labels.plan(&registry::parse_all("RR")?, Unjudged::default())?;
//! let scores = |column| Scores { column, ascending: false, name: "scores" };
//! let columns = [scores(NumberColumn::Float32(&[0.5, 0.5, 0.1, 0.9])), scores(NumberColumn::Int8(&[1, 2, 3, 4]))];
//! let means = labels.means(&columns, &plan, Settings::default())?;
//! assert_eq!([means[0].values[0].mean, means[1].values[0].mean], [0.875, 0.75]);
//! # Ok::<(), untied_core::Error>(())
//! ```

mod block;
mod codes;
mod counts;
mod groups;
mod label_input;
mod labels;
mod number_column;

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use codes::{Code, by_width};
pub use groups::Groups;
pub use label_input::{DocumentCounts, LabelInput};
pub(crate) use labels::Bases;
pub use labels::Labels;
pub use number_column::NumberColumn;

use crate::error::{Error, Result};
use crate::evaluate::{Evaluation, Facts, MeasureValue, Plan, RankingFlags, RankingSource, Workspace, evaluate_source};
use crate::measures::Scope;
use crate::names::{Needs, Spec};
use crate::ranking::{Layout, Order, Places, Precision, are_few};
use crate::registry;
use crate::settings::{Settings, Unjudged};
use crate::table::{Judgments, RowLevels};

/// A column of scores.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'a> {
    /// A score for each label.
    pub column: NumberColumn<'a>,
    /// Whether the lowest score is best.
    pub ascending: bool,
    /// The name of the scores in messages.
    pub name: &'a str,
}

/// The aggregates of a column of scores.
#[derive(Debug, Clone)]
pub struct ColumnMeans {
    /// The aggregate of each measure.
    pub values: Vec<MeasureValue>,
    /// The facts for warnings and notes.
    pub facts: Facts,
}

impl Labels {
    /// Builds measures for these labels.
    ///
    /// # Errors
    /// A measure's parameters are wrong or do not fit the grades, or it needs lengths or details that arrays do not have.
    pub fn plan(&self, specs: &[Spec], unjudged: Unjudged) -> Result<Plan> {
        if let Some(spec) = specs.iter().find(|spec| spec.info.needs == Needs::Documents) {
            return Err(Error::Value(format!("{spec} needs lengths of documents, which arrays do not have")));
        }
        let scope = Scope { depth: self.longest + self.most_judged, grades: self.grades() };
        Plan::for_scope(registry::build, specs, None, &scope, None, self.longest, unjudged)
    }

    /// Evaluates a column of scores for each query.
    ///
    /// Scores are compared without rounding, unless the settings have another precision than double.
    ///
    /// # Errors
    /// There is no query, the number of scores is not that of the labels, a score is not finite, the tie policy needs ids,
    /// or a value is undefined and the settings make that an error.
    pub fn evaluate(&self, scores: &Scores<'_>, plan: &Plan, settings: Settings) -> Result<Evaluation> {
        if settings.ties.layout.reads_ids() {
            return Err(Error::Value(
                "ties 'docid' and 'trec' need ids of documents, which arrays do not have; 'given' takes tied documents \
                 in the order of the array"
                    .into(),
            ));
        }
        if self.groups().is_empty() {
            return Err(Error::Value("no query to evaluate: the arrays are empty".into()));
        }
        let (name, length, expected) = (scores.name, scores.column.len(), self.documents());
        if length != expected {
            return Err(Error::Value(format!(
                "{name}: expected {expected} scores, one for each label, found {length}"
            )));
        }
        let relevant_only = plan.reads_relevant_only(settings);
        let columns = ScoredLabels { labels: self, scores, settings, relevant_only, depth: plan.reads_to() };
        let name = |query| format!("{query} (counted from 0)");
        let rank = |query, truth: &Judgments<'_>, workspace: &mut Workspace, buffers: &mut ScoreBuffers| {
            columns.rank(query, truth, workspace, buffers)
        };
        let source = LabelledSource { labels: self, bases: &self.bases(plan), name, rank, buffers: PhantomData };
        evaluate_source(&source, plan, settings, |_| ()).map(|(evaluation, _)| evaluation)
    }

    /// Evaluates many columns of scores, and returns only aggregates.
    ///
    /// # Errors
    /// The error of [`Labels::evaluate`] for the first column that has one.
    pub fn means(&self, columns: &[Scores<'_>], plan: &Plan, settings: Settings) -> Result<Vec<ColumnMeans>> {
        let means = |scores| {
            let Evaluation { totals, facts, .. } = self.evaluate(scores, plan, settings)?;
            Ok(ColumnMeans { values: totals, facts })
        };
        let means: Vec<Result<ColumnMeans>> = columns.par_iter().map(means).collect();
        means.into_iter().collect()
    }
}

/// Memory to rank the scores of a query, used again for the next query.
#[derive(Default)]
struct ScoreBuffers {
    /// Scores rounded to the precision in which they are compared.
    rounded: Vec<f64>,
    places: Places,
}

/// A column of scores for labelled documents.
struct ScoredLabels<'a> {
    labels: &'a Labels,
    scores: &'a Scores<'a>,
    settings: Settings,
    /// Whether measures read only relevant documents.
    relevant_only: bool,
    /// The rank up to which measures read, to the end of its tie group.
    depth: usize,
}

impl ScoredLabels<'_> {
    /// Writes the ranking of a query.
    #[inline]
    fn rank(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        workspace: &mut Workspace,
        buffers: &mut ScoreBuffers,
    ) -> Result<RankingFlags> {
        let ScoredLabels { labels, scores, settings, .. } = *self;
        let range = labels.groups().range(query);
        if settings.precision == Precision::Float64 {
            return self.count_or_sort(query, truth, scores.column, range, workspace, &mut buffers.places);
        }
        let ScoreBuffers { rounded, places } = buffers;
        rounded.clear();
        scores.column.visit(range.clone(), |score| rounded.push(settings.precision.read(score)));
        self.count_or_sort(query, truth, NumberColumn::Float64(rounded), 0..range.len(), workspace, places)
    }

    /// Writes the ranking of a query whose scores are a range of a column, in the fastest way that the measures allow.
    fn count_or_sort(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        column: NumberColumn<'_>,
        range: Range<usize>,
        workspace: &mut Workspace,
        places: &mut Places,
    ) -> Result<RankingFlags> {
        let ScoredLabels { labels, scores, settings, relevant_only, depth } = *self;
        let how = (scores.ascending, settings.ties.layout);
        if relevant_only
            && let Some(sparse) = labels.sparse(query)
            && let Some(mixed) =
                column.rank(range.clone(), &sparse, how, truth.grades(), places, &mut workspace.all.tied)
        {
            return Ok(RankingFlags { mixed, matched: sparse.judged });
        }
        if relevant_only
            && !labels.is_padded()
            && are_few(depth, range.len())
            && let Some(ranked) = self.sort_first(query, truth, column, range.clone(), workspace)
        {
            return Ok(ranked);
        }
        self.sort(query, truth, column, range, workspace)
    }

    /// Writes the tie groups that measures read by partial sorting; None if a score is not finite.
    fn sort_first(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        column: NumberColumn<'_>,
        places: Range<usize>,
        workspace: &mut Workspace,
    ) -> Option<RankingFlags> {
        let ScoredLabels { labels, scores, settings, depth, .. } = *self;
        let Workspace { order, judge, all, .. } = workspace;
        let (codes, range) = labels.codes(query);
        let documents = range.len();
        let tied = settings.ties.layout == Layout::Tied;
        let mixed = by_width!(codes, codes => {
            let (codes, end) = (&codes[range], Code::of(labels.relevant));
            let behind =
                column.sort_first(places, depth, scores.ascending, codes, |code| code.is_before(end), order)?;
            let levels = RowLevels::before(labels.relevant as u32, codes);
            judge.judge_known(levels, order, truth, (tied, depth), false, &mut all.tied) || behind
        });
        all.tied.retrieved = documents;
        Some(RankingFlags { mixed, matched: labels.is_judged(query) })
    }

    /// Writes the ranking of a query by sorting all scores.
    fn sort(
        &self,
        query: usize,
        truth: &Judgments<'_>,
        column: NumberColumn<'_>,
        places: Range<usize>,
        workspace: &mut Workspace,
    ) -> Result<RankingFlags> {
        let ScoredLabels { labels, scores, settings, relevant_only, depth } = *self;
        let read = if relevant_only { (labels.relevant, depth) } else { (labels.grades().len(), usize::MAX) };
        let mixed = labels.rank(query, read, truth, settings, workspace, |order| {
            let finite = column.sort(places, labels.is_present(query), scores.ascending, order);
            if finite { Ok(()) } else { Err(self.refuse(query)) }
        })?;
        Ok(RankingFlags { mixed, matched: labels.is_judged(query) })
    }

    /// The error for the first score of a query that is not finite in the precision of the settings.
    #[cold]
    fn refuse(&self, query: usize) -> Error {
        let (range, precision) = (self.labels.groups().range(query), self.settings.precision);
        let is_present = |row| self.labels.is_present(query).is_none_or(|is_present| is_present(row));
        let mut place = range.start;
        let mut refused = None;
        self.scores.column.visit(range.clone(), |score| {
            if refused.is_none() && is_present((place - range.start) as u32) && !precision.read(score).is_finite() {
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

/// Labels as a source of rankings: `rank` writes the ranking of a query, and `name` returns its name in messages. `B` is
/// the memory that `rank` uses again for the next query.
pub(crate) struct LabelledSource<'a, N, R, B> {
    pub labels: &'a Labels,
    pub bases: &'a Bases,
    pub name: N,
    pub rank: R,
    pub buffers: PhantomData<fn(B)>,
}

impl<N, R, B> RankingSource for LabelledSource<'_, N, R, B>
where
    N: Fn(usize) -> String + Sync,
    R: Fn(usize, &Judgments<'_>, &mut Workspace, &mut B) -> Result<RankingFlags> + Sync,
    B: Default + Send,
{
    type Buffers = B;

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
        workspace: &mut Workspace,
        buffers: &mut B,
    ) -> Result<RankingFlags> {
        (self.rank)(query, truth, workspace, buffers)
    }
}

impl Labels {
    /// Writes the ranking of a query in the order that `sort` finds. Measures read only the levels before `end`, and no
    /// group that begins after the first `depth` documents. Returns whether tied documents have different grades.
    #[inline]
    pub(crate) fn rank(
        &self,
        query: usize,
        (end, depth): (usize, usize),
        truth: &Judgments<'_>,
        settings: Settings,
        workspace: &mut Workspace,
        sort: impl FnOnce(&mut Order) -> Result<()>,
    ) -> Result<bool> {
        let Workspace { order, judge, all, .. } = workspace;
        sort(order)?;
        let (tied, remove) = (settings.ties.layout == Layout::Tied, !settings.unjudged.kept);
        let (codes, range) = self.codes(query);
        Ok(by_width!(codes, codes => {
            let levels = RowLevels::before(end as u32, &codes[range]);
            judge.judge_known(levels, order, truth, (tied, depth), remove, &mut all.tied)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_no_document_and_nan_no_judgment() {
        // Two queries with three entries each; the last entry is padding.
        let labels = NumberColumn::Float64(&[1.0, f64::NAN, 0.0, 0.0, 1.0, 9.0]);
        let present: Option<&[u8]> = Some(&[1, 1, 1, 1, 1, 0]);
        let input = LabelInput { labels, present, judged: None, totals: DocumentCounts::InArray };
        let labels = Labels::new(Groups::Rows(2, 3), &input).expect("labels");
        assert_eq!((labels.grades(), labels.groups().range(1)), (&[1.0, 0.0][..], 3..6));
        assert_eq!(labels.total(1.0).collect::<Vec<_>>(), [1, 1]);
        let plan = labels.plan(&registry::parse_all("RR").expect("a measure"), Unjudged::default()).expect("a plan");
        let evaluate = |scores: &[f64]| {
            let scores = Scores { column: NumberColumn::Float64(scores), ascending: false, name: "scores" };
            labels.evaluate(&scores, &plan, Settings::default())
        };
        // The second query has two tied documents, one of which is relevant; padding has the highest score.
        let evaluation = evaluate(&[3.0, 2.0, 1.0, 5.0, 5.0, f64::INFINITY]).expect("values");
        assert_eq!([0, 1].map(|query| evaluation.value(query, 0).mean), [1.0, 0.75]);
        let error = evaluate(&[3.0, 2.0, 1.0, f64::NAN, 5.0, 0.0]).expect_err("a score that is not finite");
        assert!(error.to_string().ends_with("found NaN for query 1, document 0 (counted from 0)"), "{error}");
    }
}
