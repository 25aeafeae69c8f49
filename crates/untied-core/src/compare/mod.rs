//! Comparisons of all pairs of runs: a similarity or a possible difference for each query and measure.

mod assignment;
mod bulk;
mod evidence;
mod mean;
mod moved;
mod pair_scores;
mod plan;

pub use assignment::{Assigned, assignment, outcomes};
pub use bulk::{Bulk, Lists};
pub use evidence::Evidence;
pub(crate) use evidence::subtopics;
pub use mean::Mean;
pub use moved::{Moved, Rank, TopChanges, moved, top_changes};
pub use pair_scores::PairScores;

use rayon::prelude::*;

use crate::difference;
use crate::error::{Error, Result};
use crate::measures::Scope;
use crate::names::{Needs, Spec};
use crate::ranking::{Layout, Order, Precision, misfit};
use crate::registry;
use crate::settings;
use crate::similarity::{PairScore, Symmetry};
use crate::table::profiles::Detail;
use crate::table::{Qrels, Rows, Run};
use crate::watch;
use plan::{ComparisonPlan, QueryBuffers};

/// How many queries are compared before their values are sorted by pair of runs.
const COMPARED_TOGETHER: usize = 1 << 14;

/// How to compare.
#[derive(Debug, Clone, Copy, Default)]
pub struct ComparisonSettings {
    /// The order of tied documents; if they stay tied, values are means over all orders.
    pub layout: Layout,
    /// The precision to which scores are rounded.
    pub precision: Precision,
    /// If set, only tie groups that begin within this depth count.
    pub depth: Option<usize>,
    /// Whether to compute variances over tie orders.
    pub variance: bool,
    /// Whether to compare each run also with itself.
    pub itself: bool,
    /// Whether to keep means only, not the values of queries.
    pub only_means: bool,
}

impl ComparisonSettings {
    /// Translates the policies of a comparison.
    pub fn new(policies: settings::Settings) -> ComparisonSettings {
        let settings::Settings { ties, precision, .. } = policies;
        ComparisonSettings { layout: ties.layout, precision, ..ComparisonSettings::default() }
    }
}

/// One measure that compares two rankings, by its name.
///
/// # Errors
/// The text is malformed, the name or a parameter unknown, a parameter has a value it cannot take, or the measure
/// reads one ranking.
pub fn parse(text: &str) -> Result<Spec> {
    let spec = registry::parse(text)?;
    check(&spec)?;
    Ok(spec)
}

/// Check a measure that compares two rankings, as far as that is possible without them.
///
/// # Errors
/// See [`parse`].
pub fn check(spec: &Spec) -> Result<()> {
    alone(spec).map(|_| ())
}

/// A measure without rankings to compare.
fn alone(spec: &Spec) -> Result<ComparisonPlan> {
    ComparisonPlan::new(std::slice::from_ref(spec), None, &Scope { depth: 0, grades: &[] })
}

/// The depth of rankings and the grades that measures are built for.
fn scope(longest: usize, qrels: Option<&Qrels>) -> Scope<'_> {
    match qrels {
        Some(qrels) => Scope { depth: longest + qrels.longest(), grades: qrels.grades() },
        None => Scope { depth: longest, grades: &[] },
    }
}

/// How the value of a measure changes if the two rankings are exchanged.
///
/// # Errors
/// See [`parse`].
pub fn symmetry(spec: &Spec) -> Result<Symmetry> {
    alone(spec).map(|plan| plan.symmetry())
}

/// The cutoff of a measure that compares two rankings, or of the one that it is of.
pub fn cutoff(spec: &Spec) -> Option<usize> {
    spec.cutoff.or_else(|| spec.inner()?.cutoff)
}

/// In how many queries of two runs the first and the second ranking end before the cutoff of a measure of differences,
/// which fills them up with unknown documents; of longer rankings only the documents to the depth count.
pub fn filled(spec: &Spec, a: &Run, b: &Run, depth: Option<usize>) -> (usize, usize) {
    let Some(filled_to) = spec.inner().and_then(difference::filled_to) else { return (0, 0) };
    let is_short = |run: &Run, query| run.rows(query).len().min(depth.unwrap_or(usize::MAX)) < filled_to;
    a.common(b).fold((0, 0), |(of_a, of_b), (query, other)| {
        (of_a + usize::from(is_short(a, query)), of_b + usize::from(is_short(b, other)))
    })
}

/// The comparison of two runs.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The numbers of the two runs.
    pub runs: (usize, usize),
    /// The queries that both have, by their numbers in the first run, ascending.
    pub queries: Vec<usize>,
    /// The values of all measures, query by query.
    pub values: PairScores,
    /// The mean of each measure over the queries for which it is defined.
    pub totals: Vec<PairScore>,
    /// The numbers of queries that only the first and only the second run has.
    pub alone: (usize, usize),
}

/// The number of a query in each run that has it, and the values of all pairs of these runs.
type QueryScores = (Vec<Option<usize>>, Vec<PairScore>);

/// Compares all pairs of runs, query by query and in parallel. `names` has the names of the runs in errors.
///
/// # Errors
/// A measure or a score is refused, a document has no length, or two runs have no query in common.
pub fn compare<'a>(
    runs: &[&'a Run],
    names: &[&str],
    evidence: Evidence<'_>,
    specs: &[Spec],
    settings: ComparisonSettings,
) -> Result<Vec<Comparison>> {
    evidence.check_probabilities()?;
    let evidence = evidence.needed_by(specs)?;
    let qrels = evidence.qrels;
    // A tie group counts whole, so rankings may be longer than the depth.
    let longest = runs.iter().map(|run| run.longest()).max().unwrap_or(0);
    let scope = scope(longest, qrels);
    let plan = ComparisonPlan::new(specs, settings.depth, &scope)?;
    if let Some(qrels) = qrels {
        specs.iter().filter_map(Spec::inner).try_for_each(|of| of.fits_unjudged(qrels.detail()))?;
    }
    let needs = |spec: &Spec| spec.inner().is_some_and(|of| of.info.needs == Needs::Subtopics);
    let by_subtopic = qrels.and_then(|qrels| qrels.by_profile(Detail::Subtopics)).filter(|_| specs.iter().any(needs));
    let ids = all_ids(runs);
    let of_query = |buffers: &mut QueryBuffers<'a>, id: &&[u8]| -> Result<QueryScores> {
        let queries: Vec<Option<usize>> = runs.iter().map(|run| run.find(id)).collect();
        let values = plan.one_query(buffers, runs, &queries, &evidence.in_query(id, by_subtopic), settings)?;
        Ok((queries, values))
    };
    let pairs = pairs(runs.len(), settings.itself).count();
    watch::begin(|| "comparing".into(), "pairs of rankings", Some((pairs * ids.len()) as u64));
    let mut gathered = Gathered::new(runs, specs.len(), settings);
    // The values of a query are those of all pairs, so they are gathered by pair after some queries.
    for ids in ids.chunks(COMPARED_TOGETHER) {
        let values = ids.par_iter().map_init(QueryBuffers::default, of_query).collect::<Result<Vec<_>>>()?;
        gathered.add(&values);
    }
    gathered.finish(runs, names)
}

/// The comparisons of all pairs, which are filled query by query.
struct Gathered {
    width: usize,
    only_means: bool,
    all: Vec<(Comparison, usize, Vec<Mean>)>,
}

impl Gathered {
    fn new(runs: &[&Run], width: usize, settings: ComparisonSettings) -> Gathered {
        let of_pair = |runs| (Comparison { runs, ..Comparison::default() }, 0, vec![Mean::default(); width]);
        let all = pairs(runs.len(), settings.itself).map(of_pair).collect();
        Gathered { width, only_means: settings.only_means, all }
    }

    /// Adds queries that follow those before, with their numbers in the runs.
    fn add(&mut self, queries: &[QueryScores]) {
        for (numbers, values) in queries {
            let both = self.all.iter_mut().filter(|one| numbers[one.0.runs.1].is_some());
            let both = both.filter_map(|one| Some((numbers[one.0.runs.0]?, one)));
            for ((query, (one, count, means)), values) in both.zip(values.chunks(self.width)) {
                *count += 1;
                means.iter_mut().zip(values).for_each(|(mean, score)| mean.add(score));
                if !self.only_means {
                    one.queries.push(query);
                    values.iter().for_each(|score| one.values.push(score));
                }
            }
        }
    }

    fn finish(self, runs: &[&Run], names: &[&str]) -> Result<Vec<Comparison>> {
        let of_pair = |(mut one, count, means): (Comparison, usize, Vec<Mean>)| {
            let (a, b) = one.runs;
            if count == 0 {
                return Err(Error::Value(format!("runs {} and {} have no query in common", names[a], names[b])));
            }
            one.alone = (runs[a].len() - count, runs[b].len() - count);
            one.totals = means.iter().map(Mean::finish).collect();
            Ok(one)
        };
        self.all.into_iter().map(of_pair).collect()
    }
}

/// All pairs of several runs, with each run and itself if `itself`.
fn pairs(runs: usize, itself: bool) -> impl Iterator<Item = (usize, usize)> {
    (0..runs).flat_map(move |a| (a + usize::from(!itself)..runs).map(move |b| (a, b)))
}

/// The ids of all queries, in order.
fn all_ids<'a>(runs: &[&'a Run]) -> Vec<&'a [u8]> {
    let mut ids: Vec<&[u8]> = runs.iter().flat_map(|run| (0..run.len()).map(|query| run.id(query))).collect();
    ids.sort(); // the ids of each run are sorted, so there is little to do
    ids.dedup();
    ids
}

/// Sorts a query of a run, and orders its tied documents by the settings.
fn sort(order: &mut Order, run: &Run, query: usize, rows: &Rows<'_>, settings: ComparisonSettings) -> Result<()> {
    order.sort(run.scores(query), settings.precision).map_err(|score| misfit(score, run.id(query)))?;
    order.untie(rows, settings.layout);
    Ok(())
}
