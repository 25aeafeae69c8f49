//! Runs in; for every two of them a value a query and measure out: what they have in common, or how much they could
//! differ.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::measures::{Info, Scope, Spec, parse_among, parse_open};
use crate::med::{self, Both, Effect, Workspace};
use crate::ranking::{Joiner, Layout, List, Numbering, Order, Placed, Precision, misfit};
use crate::settings;
use crate::similarity::{self, Overlaps, Score, Similarity};
use crate::table::{Qrels, Rows, Run, Truth};

/// How to compare.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// See [`Layout`]; tied ones give means over all orders.
    pub layout: Layout,
    /// See [`Precision`].
    pub precision: Precision,
    /// Whether to compute variances over tie orders.
    pub variance: bool,
}

impl Settings {
    /// Settings by the names of their values; ties `trec` is `docid` over 32-bit scores.
    ///
    /// # Errors
    /// Nothing has such a name, or `trec` meets another precision.
    pub fn new(ties: &str, precision: &str, variance: bool) -> Result<Settings> {
        let (layout, precision) = settings::layout(ties, precision)?;
        Ok(Settings { layout, precision, variance })
    }
}

/// One measure that compares two rankings, by its name.
///
/// # Errors
/// The text is malformed, the name or a parameter unknown, or a parameter has a value it cannot take.
pub fn parse(text: &str) -> Result<Spec> {
    let spec = parse_listed(text)?;
    Plan::new(std::slice::from_ref(&spec), &Scope { depth: 0, grades: &[] })?;
    Ok(spec)
}

/// All measures that compare two rankings with the titles of their families, in the order in which they are listed.
pub fn infos() -> impl Iterator<Item = (&'static str, &'static Info)> {
    let similar = similarity::REGISTRY.iter().map(|similar| ("What two rankings have in common", &similar.info));
    let contrasts = med::REGISTRY.iter().map(|contrast| ("How much two rankings could differ", &contrast.info));
    similar.chain(contrasts)
}

/// What a text names, parameters aside: a measure of one ranking or of two.
///
/// # Errors
/// The text is malformed, or the name or a parameter unknown.
pub fn named(text: &str) -> Result<&'static Info> {
    let of_one = parse_open(text);
    of_one.or_else(|unknown| parse_listed(text).map_err(|_| unknown)).map(|spec| spec.info)
}

fn parse_listed(text: &str) -> Result<Spec> {
    parse_among(&infos().map(|(_, info)| info).collect::<Vec<_>>(), text)
}

/// The values of two runs.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Numbers of the two runs.
    pub runs: (usize, usize),
    /// The queries of both, by their numbers in the first.
    pub queries: Vec<usize>,
    /// Values, query by query.
    pub values: Vec<Score>,
    /// For each measure, the mean over queries.
    pub totals: Vec<Score>,
    /// Queries that only the first and only the second run has.
    pub alone: (usize, usize),
}

/// Compare every run with every later one, in parallel over queries; where there are judgments, judged documents have
/// their grades. Of longer rankings only the tie groups count that begin within `depth`.
///
/// # Errors
/// A measure or a score is refused, or two runs have no query in common.
pub fn compare<'a>(
    runs: &[&'a Run],
    qrels: Option<&Qrels>,
    specs: &[Spec],
    depth: usize,
    settings: Settings,
) -> Result<Vec<Comparison>> {
    let depth = depth.min(runs.iter().map(|run| run.longest()).max().unwrap_or(0));
    let scope = Scope { depth, grades: qrels.map_or(&[], |qrels| qrels.grades()) };
    let plan = Plan::new(specs, &scope)?;
    let ids = all_ids(runs);
    let of_query = |room: &mut Room<'a>, id: &&[u8]| -> Result<(Vec<Option<usize>>, Vec<Score>)> {
        let queries: Vec<Option<usize>> = runs.iter().map(|run| run.find(id)).collect();
        let truth = qrels.and_then(|qrels| Some(qrels.truth(qrels.find(id)?)));
        let values = plan.one_query(room, runs, &queries, truth.as_ref(), settings)?;
        Ok((queries, values))
    };
    let values = ids.par_iter().map_init(Room::default, of_query).collect::<Result<Vec<_>>>()?;
    gather(runs, specs.len(), &values)
}

/// Query by query and pair by pair to pair by pair and query by query.
fn gather(runs: &[&Run], width: usize, found: &[(Vec<Option<usize>>, Vec<Score>)]) -> Result<Vec<Comparison>> {
    let mut all: Vec<Comparison> = pairs(runs.len()).map(|runs| Comparison { runs, ..Comparison::default() }).collect();
    for (numbers, values) in found {
        let both = all.iter_mut().filter(|one| numbers[one.runs.1].is_some());
        let both = both.filter_map(|one| Some((numbers[one.runs.0]?, one)));
        for ((query, one), values) in both.zip(values.chunks(width)) {
            one.queries.push(query);
            one.values.extend(values);
        }
    }
    for one in &mut all {
        let (a, b) = one.runs;
        if one.queries.is_empty() {
            return Err(Error::Value("the runs have no query in common".into()));
        }
        one.alone = (runs[a].len() - one.queries.len(), runs[b].len() - one.queries.len());
        one.totals = (0..width).map(|measure| mean(one.values.iter().skip(measure).step_by(width))).collect();
    }
    Ok(all)
}

/// Every two of so many runs.
fn pairs(runs: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..runs).flat_map(move |a| (a + 1..runs).map(move |b| (a, b)))
}

/// Ids of all queries, in order.
fn all_ids<'a>(runs: &[&'a Run]) -> Vec<&'a [u8]> {
    let mut ids: Vec<&[u8]> = runs.iter().flat_map(|run| (0..run.len()).map(|query| run.id(query))).collect();
    ids.sort(); // the ids of each run are sorted, so there is little to do
    ids.dedup();
    ids
}

/// What is computed of two rankings.
enum Comparator {
    Similarity(Box<dyn Similarity>),
    Effect(Box<dyn Effect>),
}

/// All that is computed, and how deep rankings must be read for it.
struct Plan {
    comparators: Vec<Comparator>,
    similar: bool,
    effects: bool,
    depth: usize,
}

/// Room that is kept between queries.
#[derive(Default)]
struct Room<'a> {
    order: Order,
    numbering: Numbering<'a>,
    lists: Vec<List>,
    grades: Vec<f64>,
    pairing: Pairing,
}

/// Room that is kept between pairs of rankings.
#[derive(Default)]
struct Pairing {
    joiner: Joiner,
    places: Vec<Placed>,
    workspace: Workspace,
}

impl Plan {
    fn new(specs: &[Spec], scope: &Scope<'_>) -> Result<Plan> {
        let make = |spec: &Spec| match similarity::build(spec)? {
            Some(similarity) => Ok(Comparator::Similarity(similarity)),
            None => med::build(spec, scope).map(Comparator::Effect),
        };
        let comparators = specs.iter().map(make).collect::<Result<Vec<_>>>()?;
        let depth = |comparator: &Comparator| match comparator {
            Comparator::Similarity(_) => scope.depth,
            Comparator::Effect(effect) => effect.depth().min(scope.depth),
        };
        Ok(Plan {
            similar: comparators.iter().any(|one| matches!(one, Comparator::Similarity(_))),
            effects: comparators.iter().any(|one| matches!(one, Comparator::Effect(_))),
            depth: comparators.iter().map(depth).max().unwrap_or(0),
            comparators,
        })
    }

    /// The values of all pairs of runs that have the query.
    fn one_query<'a>(
        &self,
        room: &mut Room<'a>,
        runs: &[&'a Run],
        queries: &[Option<usize>],
        truth: Option<&Truth<'_>>,
        settings: Settings,
    ) -> Result<Vec<Score>> {
        room.numbering.clear();
        room.lists.resize_with(runs.len(), List::default);
        for ((run, query), list) in runs.iter().zip(queries).zip(&mut room.lists) {
            let Some(query) = *query else { continue };
            let rows = run.rows(query);
            sort(&mut room.order, run, query, &rows, settings)?;
            list.fill(&rows, &room.order, self.depth, &mut room.numbering);
        }
        let unknown = f64::NAN;
        room.grades.clear();
        match truth {
            None => room.grades.resize(room.numbering.documents().len(), unknown),
            Some(truth) => {
                let grade = |&(doc, hash): &(&[u8], u32)| truth.grade(doc, hash).filter(|&grade| grade >= 0.0);
                room.grades.extend(room.numbering.documents().iter().map(|one| grade(one).unwrap_or(unknown)));
            }
        }
        let mut values = Vec::new();
        for (a, b) in pairs(runs.len()).filter(|&(a, b)| queries[a].is_some() && queries[b].is_some()) {
            self.one_pair(
                &mut room.pairing,
                &room.lists[a],
                &room.lists[b],
                &room.grades,
                settings.variance,
                &mut values,
            );
        }
        Ok(values)
    }

    fn one_pair(
        &self,
        room: &mut Pairing,
        a: &List,
        b: &List,
        grades: &[f64],
        variance: bool,
        values: &mut Vec<Score>,
    ) {
        let overlaps = self.similar.then(|| Overlaps::new(room.joiner.pair(a, b)));
        if self.effects {
            room.joiner.places(a, b, &mut room.places);
        }
        let both = Both { a, b, places: &room.places, grades };
        values.extend(self.comparators.iter().map(|comparator| match (comparator, &overlaps) {
            (Comparator::Similarity(similarity), Some(overlaps)) => similarity.score(overlaps, variance),
            (Comparator::Similarity(_), None) => unreachable!("there are overlaps where there are similarities"),
            (Comparator::Effect(effect), _) => effect.score(&both, &mut room.workspace),
        }));
    }
}

/// Sort a query of a run, and part its ties as asked for.
fn sort(order: &mut Order, run: &Run, query: usize, rows: &Rows<'_>, settings: Settings) -> Result<()> {
    order.sort(run.scores(query), settings.precision).map_err(|score| misfit(score, run.id(query)))?;
    order.untie(rows, settings.layout);
    Ok(())
}

/// Means of values and bounds; orders of different queries are independent.
fn mean<'a>(scores: impl Iterator<Item = &'a Score>) -> Score {
    let (mut n, mut sum) = (0.0, Score::constant(0.0));
    for score in scores {
        n += 1.0;
        sum.value += score.value;
        sum.range = sum.range.zip(score.range).map(|(sum, one)| (sum.0 + one.0, sum.1 + one.1));
        sum.variance = sum.variance.zip(score.variance).map(|(sum, one)| sum + one);
        sum.certainty = sum.certainty.max(score.certainty);
    }
    Score {
        value: sum.value / n,
        range: sum.range.map(|(low, high)| (low / n, high / n)),
        variance: sum.variance.map(|variance| variance / (n * n)),
        certainty: sum.certainty,
    }
}
