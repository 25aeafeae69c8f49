//! Each feature of a learning-to-rank data set as a scoring function.
//!
//! McSherry & Najork (2008) made tie-aware measures for this, because features are often discrete and tie many documents.
//! Data is read in batches of complete queries, in the order of query ids. Each batch is evaluated for all features in
//! parallel, added to the aggregates and dropped. The values have the same bits as those of a run with the feature's values
//! as scores.

mod columns;
mod letor;
mod ties;

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

pub use columns::FeatureColumns;
pub use ties::FeatureTies;

use crate::arrays::{Bases, DocumentCounts, Groups, LabelInput, LabelledSource, Labels, NumberColumn};
use crate::error::{Error, Result};
use crate::evaluate::{Evaluation, Facts, MeasureValue, Plan, RankingFlags, Total, Workspace, evaluate_source};
use crate::measures::Scope;
use crate::names::{Needs, Spec};
use crate::ranking::Order;
use crate::ranking::score::Float64;
use crate::registry;
use crate::settings::{Settings, Ties as Policy};
use crate::table::Judgments;
use crate::watch;

/// Queries with labelled documents that have features.
pub trait Data: Sync {
    /// A batch of queries.
    type Batch<'a>: Batch
    where
        Self: 'a;

    /// The number of queries.
    fn queries(&self) -> usize;

    /// The id of a query, for messages.
    fn id(&self, query: usize) -> String;

    /// The number of documents of a query.
    fn documents(&self, query: usize) -> usize;

    /// The number of features.
    fn features(&self) -> usize;

    /// All labels that occur, highest first.
    fn grades(&self) -> &[f64];

    /// About how many bytes of memory a query needs.
    fn bytes(&self, query: usize) -> u64;

    /// Reads a batch of queries.
    ///
    /// # Errors
    /// The queries cannot be read.
    fn load(&self, queries: Range<usize>) -> Result<Self::Batch<'_>>;
}

/// The documents of some queries, one query after the other.
pub trait Batch: Sync {
    /// The labels of the documents; NaN if a document is not judged.
    fn labels(&self) -> Vec<f64>;

    /// Writes the values of a feature, NaN for `NULL` and 0 for a document that lacks the feature. Returns how many documents
    /// have it.
    ///
    /// # Errors
    /// A value is not a finite number.
    fn values(&self, feature: usize, values: &mut Vec<f64>) -> Result<usize>;
}

/// Bytes of queries that are in memory at a time, if there is more than one.
const BATCH: u64 = 8 << 20;

/// The values of all features.
#[derive(Debug)]
pub struct FeatureValues {
    /// The number of documents.
    pub documents: usize,
    /// The values of a random order of all documents, which a feature without information has.
    pub chance: Scorer,
    /// The values of each feature.
    pub features: Vec<Feature>,
}

/// The values of a feature.
#[derive(Debug, Default)]
pub struct Feature {
    /// How many documents it ties, and how many different values it has.
    pub ties: FeatureTies,
    /// Its values in each direction.
    pub scorers: Vec<Scorer>,
}

/// A feature in one direction.
#[derive(Debug)]
pub struct Scorer {
    ascending: bool,
    totals: Vec<Total>,
    /// What warnings and notes say.
    pub facts: Facts,
    /// The values of all measures, query by query; empty unless they were asked for.
    pub values: Vec<MeasureValue>,
}

impl Scorer {
    /// The aggregate of each measure.
    pub fn totals(&self) -> Vec<MeasureValue> {
        self.totals.iter().map(Total::finish).collect()
    }

    fn add(&mut self, evaluation: &Evaluation, per_query: bool) {
        for row in 0..evaluation.flags.len() {
            for (measure, total) in self.totals.iter_mut().enumerate() {
                let value = evaluation.value(row, measure);
                total.add(&value);
                if per_query {
                    self.values.push(value);
                }
            }
        }
        self.facts.add(&evaluation.facts);
    }
}

/// Evaluates each feature in some directions; a direction is whether the lowest value is best.
///
/// # Errors
/// A measure needs what the data does not have, the tie policy needs ids of documents, data cannot be read, or a value is
/// undefined and the settings make that an error.
pub fn evaluate<D: Data>(
    data: &D,
    specs: &[Spec],
    settings: Settings,
    directions: &[bool],
    per_query: bool,
) -> Result<FeatureValues> {
    if settings.ties.layout.reads_ids() {
        let what = "ties 'docid' and 'trec' need ids of documents, which feature data does not have; 'given' takes tied \
                    documents in the order of the input";
        return Err(Error::Value(what.into()));
    }
    if let Some(spec) = specs.iter().find(|spec| spec.info.needs == Needs::Documents) {
        return Err(Error::Value(format!("{spec} needs lengths of documents, which feature data does not have")));
    }
    let longest = (0..data.queries()).map(|query| data.documents(query)).max().unwrap_or(0);
    // As for a run, whose documents are not known to be those of the qrels.
    let plan = Plan::for_scope(
        registry::build,
        specs,
        None,
        &Scope { depth: 2 * longest, grades: data.grades() },
        None,
        longest,
        settings.unjudged,
    )?;
    let task = FeatureTask { data, plan: &plan, settings, per_query };
    let expected = Settings { ties: Policy::default(), ..settings };
    let chance = FeatureTask { settings: expected, ..task };
    let scorer = |&ascending: &bool| {
        let totals = plan.totals(settings);
        Scorer { ascending, totals, facts: Facts::default(), values: Vec::new() }
    };
    let mut random =
        Scorer { ascending: false, totals: plan.totals(expected), facts: Facts::default(), values: Vec::new() };
    let feature = |_| Feature { ties: FeatureTies::default(), scorers: directions.iter().map(scorer).collect() };
    let mut features: Vec<Feature> = (0..data.features()).map(feature).collect();
    let total = (0..data.queries()).map(|query| data.bytes(query)).sum();
    watch::begin(|| format!("evaluating {} features", data.features()), "bytes", Some(total));
    let mut first = 0;
    while first < data.queries() {
        let mut bytes = data.bytes(first);
        let mut end = first + 1;
        while end < data.queries() && bytes + data.bytes(end) <= BATCH {
            bytes += data.bytes(end);
            end += 1;
        }
        let batch = task.load(first..end)?;
        task.batch(&batch, &mut features)?;
        random.add(&chance.rank(&batch, &vec![0.0; batch.labels.documents()], false, None)?, per_query);
        watch::step(bytes)?;
        first = end;
    }
    let documents = (0..data.queries()).map(|query| data.documents(query)).sum();
    Ok(FeatureValues { documents, chance: random, features })
}

/// The data, plan and settings of all batches.
struct FeatureTask<'a, D> {
    data: &'a D,
    plan: &'a Plan,
    settings: Settings,
    per_query: bool,
}

/// A batch of queries with prepared labels.
struct Loaded<B> {
    batch: B,
    /// The number of the first query.
    first: usize,
    labels: Labels,
    bases: Bases,
}

impl<'a, D: Data> FeatureTask<'a, D> {
    fn load(&self, queries: Range<usize>) -> Result<Loaded<D::Batch<'a>>> {
        let batch = self.data.load(queries.clone())?;
        let ends = queries.clone().scan(0, |end, query| {
            *end += self.data.documents(query);
            Some(*end)
        });
        let grades = batch.labels();
        let input = LabelInput {
            labels: NumberColumn::Float64(&grades),
            present: None,
            judged: None,
            totals: DocumentCounts::InArray,
        };
        let labels = Labels::new(Groups::Ends(ends.collect()), &input)?;
        let bases = labels.bases(self.plan);
        Ok(Loaded { batch, first: queries.start, labels, bases })
    }

    fn batch(&self, loaded: &Loaded<D::Batch<'a>>, features: &mut [Feature]) -> Result<()> {
        let Loaded { batch, labels, .. } = loaded;
        // Features that no document of the batch has all give the same ranking, in which all documents are tied.
        let zeros = vec![0.0; labels.documents()];
        let mut of_zeros = FeatureTies::default();
        let constant = self.rank(loaded, &zeros, false, Some(&mut of_zeros))?;
        let outcomes: Vec<Result<()>> = features
            .par_iter_mut()
            .enumerate()
            .map_init(Vec::new, |values, (number, Feature { ties, scorers })| {
                watch::check()?;
                let given = batch.values(number, values)?;
                ties.absent += labels.documents() - given;
                if given == 0 {
                    ties.add(&of_zeros);
                    scorers.iter_mut().for_each(|scorer| scorer.add(&constant, self.per_query));
                    return Ok(());
                }
                let mut ties = Some(ties); // counted once, because both directions have the same ties
                for scorer in scorers {
                    let evaluation = self.rank(loaded, values, scorer.ascending, ties.take())?;
                    scorer.add(&evaluation, self.per_query);
                }
                Ok(())
            })
            .collect();
        outcomes.into_iter().collect()
    }

    /// Evaluates a batch by some values as scores, and counts their ties.
    fn rank(
        &self,
        Loaded { first, labels, bases, .. }: &Loaded<D::Batch<'a>>,
        values: &[f64],
        ascending: bool,
        ties: Option<&mut FeatureTies>,
    ) -> Result<Evaluation> {
        let ties = ties.map(Mutex::new);
        let sort = |query, order: &mut Order| {
            let values = &values[labels.groups().range(query)];
            // Documents without a value are not in the ranking.
            let ranked = values.iter().copied().zip(0..).filter(|(value, _)| !value.is_nan());
            order.sort_by::<Float64>(values.len(), ranked, ascending);
            if let Some(ties) = &ties {
                ties.lock().unwrap_or_else(PoisonError::into_inner).count(order, values);
            }
            Ok(())
        };
        let source = LabelledSource {
            labels,
            bases,
            name: |query| self.data.id(first + query),
            rank: |query, truth: &Judgments<'_>, workspace: &mut Workspace, (): &mut ()| {
                let every = (labels.grades().len(), usize::MAX);
                let mixed = labels.rank(query, every, truth, self.settings, workspace, |order| sort(query, order))?;
                Ok(RankingFlags { mixed, matched: workspace.all.tied.holds_judged() })
            },
            buffers: PhantomData,
        };
        evaluate_source(&source, self.plan, self.settings, |_| ()).map(|(evaluation, _)| evaluation)
    }
}
