//! The unjudged documents that are most worth judging: what one more judgment does to a measure's value and bounds.
//!
//! A measure does not distinguish the unjudged documents of a tie group, nor the documents that are not retrieved, unless
//! it reads their lengths. So each group is evaluated only once for each grade, or once for each length, however many
//! documents it has. Short rankings often repeat, so
//! their outcomes are cached. Queries are evaluated one by one, and only the most valuable documents are kept.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::equality;
use crate::error::{Error, Result};
use crate::evaluate::{Plan, Planned};
use crate::grade::Level;
use crate::measures::bounds::{Bounds, Open, Resolution, judged};
use crate::measures::formula::Formula;
use crate::names::Aggregate;
use crate::ranking::{Judge, Layout, Order, Ranking, Text};
use crate::statistics;
use crate::table::{Judgments, Length, Lengths, Qrels, Rows, Run};
use crate::watch;

/// How many queries a thread evaluates as one task.
const AT_ONCE: usize = 256;
/// A ranking is cached if at most this many numbers describe it.
const SHORT: usize = 256;
/// How many tie groups a thread evaluates as one task.
const SEPARATE: usize = 16;
/// How many rankings the cache of a thread holds.
const KEPT: usize = 1 << 14;

/// A measure's value if unjudged documents are non-relevant, and its bounds over all grades that they may have. If
/// documents are tied, all three are means over all orders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundedValue {
    /// The value.
    pub value: f64,
    /// The smallest value that the measure may have.
    pub low: f64,
    /// The largest value that the measure may have.
    pub high: f64,
}

/// Which documents to look for.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// How many documents to keep.
    pub top: usize,
    /// How many documents of each ranking to consider: the first, with ties by id, descending.
    pub depth: usize,
    /// The probability that a document has a grade above 0. If it is None, it is the share of such grades among the
    /// judgments of the query, to which half a document of either kind is added.
    pub prior: Option<f64>,
    /// Whether a document of two runs counts by how much it helps to decide which of them is better.
    pub until_decided: bool,
}

/// A document that could be judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its query, by number in the qrels.
    pub query: usize,
    /// Its id.
    pub document: Vec<u8>,
    /// In each run, the rank of the first document that is tied with it; none if it is not retrieved.
    pub ranks: Vec<Option<usize>>,
    /// The probability that its grade is above 0.
    pub probability: f64,
    /// How much a judgment is expected to narrow the bounds of the means of all runs.
    pub narrowing: f64,
    /// How much the mean, or the difference of two, changes if its grade is above 0 instead of 0.
    pub swing: f64,
    /// How valuable a judgment is: candidates are ranked by this.
    pub worth: f64,
}

/// What to judge next.
#[derive(Debug)]
pub struct Advice {
    /// The value and bounds of every query of the qrels in each run: query by query, run by run.
    pub now: Vec<BoundedValue>,
    /// The documents that are worth most, best first.
    pub candidates: Vec<Candidate>,
    /// The number of documents considered.
    pub considered: usize,
}

/// Ranks the unjudged documents at the top of one or two runs by how valuable a judgment of each would be. The plan
/// must have one measure, and reach as deep as the runs.
///
/// # Errors
/// Bounds of the measure are not known, or it reads lengths and a document has none.
pub fn advise(qrels: &Qrels, runs: &[&Run], plan: &Plan, search: Search) -> Result<Advice> {
    let planned = plan.only()?;
    let valuer = Valuer {
        qrels,
        runs,
        planned,
        lengths: plan.lengths.as_deref(),
        search,
        shares: shares(qrels, &planned.possible_grades),
        queries: if planned.spec.info.aggregate == Aggregate::Sum { 1.0 } else { qrels.len() as f64 },
        lead: if search.until_decided { lead(qrels, runs, plan, planned)? } else { 0.0 },
    };
    watch::begin(|| "weighing judgments".into(), "queries", Some(qrels.len() as u64));
    let rooms: Mutex<Vec<Room>> = Mutex::default();
    let lock = || rooms.lock().unwrap_or_else(PoisonError::into_inner);
    let part = |(number, now): (usize, &mut [BoundedValue])| {
        let mut room = lock().pop().unwrap_or_default();
        let mut best = BestCandidates::new(qrels, search.top);
        for (query, now) in (number * AT_ONCE..).zip(now.chunks_mut(runs.len())) {
            valuer.consider(query, now, &mut room, &mut best)?;
            watch::step(1)?;
        }
        lock().push(room);
        Ok(best)
    };
    let mut now = vec![BoundedValue { value: 0.0, low: 0.0, high: 0.0 }; qrels.len() * runs.len()];
    let parts = now.par_chunks_mut(AT_ONCE * runs.len()).enumerate().map(part);
    let mut best = parts.try_reduce(|| BestCandidates::new(qrels, search.top), |one, other| Ok(one.join(other)))?;
    best.cut();
    Ok(Advice { now, candidates: best.kept, considered: best.considered })
}

/// The signs of the two runs in a difference.
const SIGNS: [f64; 2] = [1.0, -1.0];

/// By how much the first run leads if unjudged documents are non-relevant, over all queries.
fn lead(qrels: &Qrels, runs: &[&Run], plan: &Plan, planned: &Planned) -> Result<f64> {
    let values_of = |(judge, side): &mut (Judge, RunOfQuery), query: usize| {
        let truth = qrels.judgments(query);
        let mut values = [0.0; 2];
        for (run, value) in runs.iter().zip(&mut values) {
            side.rank(&rows_of(run, qrels.id(query)), &truth, judge, plan.lengths.as_deref(), qrels.id(query))?;
            *value = outcome(planned, &side.ranking, &truth)?.value;
        }
        watch::check()?;
        Ok(values)
    };
    let values = (0..qrels.len()).into_par_iter().map_init(Default::default, values_of);
    let values = values.collect::<Result<Vec<[f64; 2]>>>()?;
    let [a, b] = [0, 1].map(|run| statistics::sum(values.iter().map(|of_runs| of_runs[run])));
    Ok(equality::difference(a, b))
}

fn rows_of<'a>(run: &'a Run, query: &[u8]) -> Rows<'a> {
    run.find(query).map_or_else(Rows::none, |number| run.rows(number))
}

/// The share of each grade above 0 among the documents that have one; a grade that no document has counts as half a
/// document.
fn shares(qrels: &Qrels, possible_grades: &[f64]) -> Vec<f64> {
    let above_0 = &possible_grades[..possible_grades.len() - 1];
    let mut counts = vec![0u64; above_0.len()];
    for query in 0..qrels.len() {
        for level in qrels.judgments(query).levels {
            if let Some(place) = above_0.iter().position(|&grade| grade == level.grade) {
                counts[place] += u64::from(level.count);
            }
        }
    }
    let counts: Vec<f64> = counts.iter().map(|&count| if count == 0 { 0.5 } else { count as f64 }).collect();
    let total: f64 = counts.iter().sum();
    counts.iter().map(|count| count / total).collect()
}

/// The share of grades above 0 among a query's judgments, after half a document of either kind is added.
fn smoothed_share(levels: &[Level]) -> f64 {
    let from = |least: f64| levels.iter().filter(|level| level.grade >= least).map(|level| level.count).sum::<u32>();
    (f64::from(from(f64::MIN_POSITIVE)) + 0.5) / (f64::from(from(0.0)) + 1.0)
}

/// Computes what documents are worth.
struct Valuer<'a> {
    qrels: &'a Qrels,
    runs: &'a [&'a Run],
    planned: &'a Planned,
    /// The lengths of documents, if the measure reads them.
    lengths: Option<&'a Lengths>,
    search: Search,
    /// See [`shares`].
    shares: Vec<f64>,
    /// The number by which sums over queries are divided.
    queries: f64,
    /// The sum of the differences of two runs if it decides what documents are worth, else 0.
    lead: f64,
}

impl Valuer<'_> {
    /// Adds the candidates of a query, and writes each run's value and bounds with the present judgments.
    fn consider(
        &self,
        query: usize,
        now: &mut [BoundedValue],
        room: &mut Room,
        best: &mut BestCandidates<'_>,
    ) -> Result<()> {
        let truth = self.qrels.judgments(query);
        let id = self.qrels.id(query);
        let retrieved: Vec<Rows<'_>> = self.runs.iter().map(|run| rows_of(run, id)).collect();
        let Room { judge, sides, cache } = room;
        sides.resize_with(self.runs.len(), RunOfQuery::default);
        let mut documents: Vec<&[u8]> = Vec::new();
        for (rows, side) in retrieved.iter().zip(sides.iter_mut()) {
            side.rank(rows, &truth, judge, self.lengths, id)?;
            side.order.arrange(rows, self.search.depth);
            for &row in side.order.rows.iter().take(self.search.depth) {
                let (document, hash) = (rows.doc(row as usize), rows.hashes()[row as usize]);
                if !truth.grade(document, hash).is_some_and(|grade| grade >= 0.0) {
                    documents.push(document);
                }
            }
        }
        documents.sort_unstable();
        documents.dedup();
        best.considered += documents.len();
        let probability = self.search.prior.unwrap_or_else(|| smoothed_share(truth.levels));
        // The probability of each grade, in the order of the outcomes: highest first, and 0 last.
        let weights: Vec<f64> =
            self.shares.iter().map(|share| probability * share).chain([1.0 - probability]).collect();
        let mut sums = vec![(0.0, 0.0); documents.len()];
        for (((rows, side), now), sign) in retrieved.iter().zip(sides.iter_mut()).zip(now).zip(SIGNS) {
            side.place(rows, &documents, &truth, self.lengths);
            let prospects = cache.prospects(self.planned, side, &truth)?;
            *now = prospects.now;
            for (&place, (narrowing, swing)) in side.places.iter().zip(&mut sums) {
                let outcomes = &prospects.after[place];
                let spans = weights.iter().zip(outcomes).map(|(weight, after)| weight * (after.high - after.low));
                *narrowing += (now.high - now.low) - statistics::sum(spans);
                let relevant = self.shares.iter().zip(outcomes).map(|(share, after)| share * after.value);
                *swing += sign * (statistics::sum(relevant) - outcomes[outcomes.len() - 1].value);
            }
        }
        for (number, (document, (narrowing, swing))) in documents.iter().zip(sums).enumerate() {
            let (narrowing, swing) = (narrowing / self.queries, swing / self.queries);
            let worth = self.worth(probability, narrowing, swing);
            if best.admits(worth) {
                let ranks = sides.iter().map(|side| side.rank_of(side.places[number])).collect();
                let document = document.to_vec();
                best.push(Candidate { query, document, ranks, probability, narrowing, swing, worth });
            }
        }
        Ok(())
    }

    fn worth(&self, probability: f64, narrowing: f64, swing: f64) -> f64 {
        if self.runs.len() == 1 {
            return narrowing;
        }
        let is_against = self.search.until_decided && self.lead != 0.0 && swing * self.lead < 0.0;
        (if is_against { 1.0 - probability } else { probability }) * swing.abs()
    }
}

/// The most valuable candidates so far. It collects up to twice as many before it drops the rest.
struct BestCandidates<'a> {
    qrels: &'a Qrels,
    top: usize,
    kept: Vec<Candidate>,
    /// The smallest worth that a candidate needs to be kept.
    least: f64,
    /// The number of documents considered.
    considered: usize,
}

impl<'a> BestCandidates<'a> {
    fn new(qrels: &'a Qrels, top: usize) -> BestCandidates<'a> {
        BestCandidates { qrels, top, kept: Vec::new(), least: f64::NEG_INFINITY, considered: 0 }
    }

    fn admits(&self, worth: f64) -> bool {
        worth >= self.least
    }

    fn push(&mut self, candidate: Candidate) {
        self.kept.push(candidate);
        if self.kept.len() / 2 > self.top {
            self.cut();
        }
    }

    /// Keeps the best candidates, best first. If several have the same worth, those with lower ids of query and
    /// document come first.
    fn cut(&mut self) {
        let id = |one: &Candidate| self.qrels.id(one.query);
        self.kept.sort_unstable_by(|one, other| {
            let by_worth = other.worth.partial_cmp(&one.worth).unwrap_or(Ordering::Equal);
            by_worth.then_with(|| id(one).cmp(id(other))).then_with(|| one.document.cmp(&other.document))
        });
        self.kept.truncate(self.top);
        if self.kept.len() == self.top {
            self.least = self.kept.last().map_or(f64::NEG_INFINITY, |last| last.worth);
        }
    }

    fn join(mut self, other: BestCandidates<'a>) -> BestCandidates<'a> {
        self.considered += other.considered;
        self.least = self.least.max(other.least);
        self.kept.extend(other.kept);
        if self.kept.len() > self.top {
            self.cut();
        }
        self
    }
}

/// The outcomes of one ranking, with the present judgments and after one more.
struct Prospects {
    /// The outcome with the present judgments.
    now: BoundedValue,
    /// For each kind of document: the outcome of each grade that the judgment of such a document may have. It is empty
    /// until it is computed.
    after: Vec<Vec<BoundedValue>>,
}

impl Prospects {
    fn new(planned: &Planned, side: &RunOfQuery, truth: &Judgments<'_>) -> Result<Prospects> {
        let now = outcome(planned, &side.ranking, truth)?;
        Ok(Prospects { now, after: vec![Vec::new(); side.kinds.len()] })
    }

    /// Computes the outcomes of some kinds of documents that are not computed yet.
    fn complete(&mut self, planned: &Planned, side: &RunOfQuery, truth: &Judgments<'_>) -> Result<()> {
        let RunOfQuery { ranking, kinds, places, .. } = side;
        let mut missing: Vec<usize> = places.iter().copied().filter(|&place| self.after[place].is_empty()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        missing.sort_unstable();
        missing.dedup();
        let look = |next: &mut Ranking, &place: &usize| {
            watch::check()?;
            let grades = &planned.possible_grades;
            let mut outcomes: Vec<BoundedValue> = Vec::with_capacity(grades.len());
            for (number, &grade) in grades.iter().enumerate() {
                outcomes.push(match outcomes.last() {
                    Some(&before) if planned.read(grades[number - 1]) == planned.read(grade) => before,
                    _ => after(planned, ranking, truth, kinds[place], grade, next)?,
                });
            }
            Ok(outcomes)
        };
        let outcomes = missing.par_iter().with_min_len(SEPARATE).map_init(Ranking::default, look);
        for (place, outcomes) in missing.iter().zip(outcomes.collect::<Result<Vec<_>>>()?) {
            self.after[*place] = outcomes;
        }
        Ok(())
    }
}

/// Room for the work on one query, and the outcomes of short rankings.
#[derive(Default)]
struct Room {
    judge: Judge,
    /// The query in each run.
    sides: Vec<RunOfQuery>,
    cache: Cache,
}

/// A run's ranking of one query.
#[derive(Default)]
struct RunOfQuery {
    order: Order,
    /// With every tie group.
    ranking: Ranking,
    /// The kinds of documents that could be judged, as the measure tells them apart.
    kinds: Vec<Kind>,
    /// The number of the kind of each document that could be judged.
    places: Vec<usize>,
}

/// Documents that could be judged, and with which a measure has the same outcomes.
#[derive(Debug, Clone, Copy)]
struct Kind {
    /// The tie group; the number of groups if the documents are not retrieved.
    group: usize,
    /// Their length, if the measure reads it and they are retrieved.
    text: Option<Text>,
}

impl RunOfQuery {
    /// Order and judge a run's documents for a query.
    fn rank(
        &mut self,
        rows: &Rows<'_>,
        truth: &Judgments<'_>,
        judge: &mut Judge,
        lengths: Option<&Lengths>,
        query: &[u8],
    ) -> Result<()> {
        self.order.sort_exactly(rows.column(0));
        judge.every_group = true;
        judge.judge(rows, &self.order, truth, Layout::Tied, false, &mut self.ranking);
        if let Some(lengths) = lengths {
            let measured = judge.measure(rows, &self.order, truth, Layout::Tied, lengths, &mut self.ranking);
            measured.map_err(|row| lengths.lack(rows.doc(row), query))?;
        }
        Ok(())
    }

    /// Find the kinds of some documents, which are sorted.
    fn place(&mut self, rows: &Rows<'_>, documents: &[&[u8]], truth: &Judgments<'_>, lengths: Option<&Lengths>) {
        let groups = self.order.ends.len();
        self.places.clear();
        self.places.resize(documents.len(), groups);
        self.kinds.clear();
        self.kinds.extend((0..=groups).map(|group| Kind { group, text: None }));
        let mut from = 0;
        for (group, &end) in self.order.ends.iter().enumerate() {
            for &row in &self.order.rows[from..end as usize] {
                let Ok(number) = documents.binary_search(&rows.doc(row as usize)) else { continue };
                self.places[number] = group;
                if let Some(Length { length, seconds }) = lengths.and_then(|lengths| lengths.find(rows, row as usize)) {
                    let grade = truth.grade(rows.doc(row as usize), rows.hashes()[row as usize]);
                    let text = Text { grade: grade.unwrap_or(f64::NEG_INFINITY), length, seconds };
                    let is_same = |kind: &Kind| kind.group == group && kind.text.is_some_and(|of| of.is_same(&text));
                    self.places[number] = self.kinds.iter().position(is_same).unwrap_or(self.kinds.len());
                    if self.places[number] == self.kinds.len() {
                        self.kinds.push(Kind { group, text: Some(text) });
                    }
                }
            }
            from = end as usize;
        }
    }

    /// The rank of the first document that is tied with those of a kind; none if they are not retrieved.
    fn rank_of(&self, place: usize) -> Option<usize> {
        self.ranking.groups().nth(self.kinds[place].group).map(|group| group.start + 1)
    }
}

/// Outcomes of short rankings, which many queries share.
#[derive(Default)]
struct Cache {
    kept: HashMap<Vec<u64>, Prospects>,
    /// Those of the last ranking, if it is too long to be kept.
    long: Option<Prospects>,
}

impl Cache {
    /// Outcomes of a ranking, complete for the kinds of documents that could be judged.
    fn prospects(&mut self, planned: &Planned, side: &RunOfQuery, truth: &Judgments<'_>) -> Result<&Prospects> {
        let key = described(planned, &side.ranking, truth);
        let has_lengths = side.ranking.texts.groups().next().is_some(); // which the key lacks
        let prospects = if has_lengths || key.len() > SHORT {
            self.long.insert(Prospects::new(planned, side, truth)?)
        } else {
            if self.kept.len() == KEPT && !self.kept.contains_key(&key) {
                self.kept.clear();
            }
            match self.kept.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(Prospects::new(planned, side, truth)?),
            }
        };
        prospects.complete(planned, side, truth)?;
        Ok(prospects)
    }
}

/// All that outcomes depend on: the documents in every tie group, and among all judgments, of each grade that the measure
/// tells apart.
fn described(planned: &Planned, ranking: &Ranking, truth: &Judgments<'_>) -> Vec<u64> {
    /// Marks the end of a group's levels. The bits of no grade are the same.
    const END: u64 = u64::MAX;
    let mut described = vec![ranking.retrieved as u64];
    let mut add = |size: usize, levels: &[Level]| {
        described.push(size as u64);
        for alike in levels.chunk_by(|one, other| planned.read(one.grade) == planned.read(other.grade)) {
            let count: u32 = alike.iter().map(|level| level.count).sum();
            described.extend([planned.read(alike[0].grade).to_bits(), u64::from(count)]);
        }
        described.push(END);
    };
    ranking.groups().for_each(|group| add(group.size, group.levels));
    add(0, truth.levels);
    described
}

/// The outcome where one more document of a kind has this grade; `next` has room for that ranking.
fn after(
    planned: &Planned,
    ranking: &Ranking,
    truth: &Judgments<'_>,
    kind: Kind,
    grade: f64,
    next: &mut Ranking,
) -> Result<BoundedValue> {
    next.clear();
    next.retrieved = ranking.retrieved;
    for (number, group) in ranking.groups().enumerate() {
        if number == kind.group {
            next.push(group.start, group.size, judged(group.levels, grade, 1, 0));
        } else {
            let levels = group.levels.iter().filter(|level| level.grade >= 0.0);
            next.push(group.start, group.size, levels.copied());
        }
    }
    for (number, group) in ranking.texts.groups().enumerate() {
        let is_of_kind = |text: &Text| kind.text.is_some_and(|of| of.is_same(text));
        let chosen = if number == kind.group { group.iter().position(is_of_kind) } else { None };
        next.texts.push(
            group
                .iter()
                .enumerate()
                .map(|(i, text)| Text { grade: if Some(i) == chosen { grade } else { text.grade }, ..*text }),
        );
    }
    let levels: Vec<Level> = judged(truth.levels, grade, 1, 0).collect();
    outcome(planned, next, &truth.with_levels(&levels))
}

fn outcome(planned: &Planned, ranking: &Ranking, truth: &Judgments<'_>) -> Result<BoundedValue> {
    let Planned { spec, measure, possible_grades: grades, .. } = planned;
    let open = Open { ranking, truth, resolution: Resolution::Mean, grades, unretrieved: 0 };
    let bounds = measure.bounds(&open);
    // A measure without bounds may need more than grades.
    let value = if bounds.is_some() { measure.mean(ranking, truth) } else { f64::NAN };
    if let Some(source) = measure.formula().and_then(Formula::failure) {
        return Err(Error::Failure { measure: spec.to_string(), query: None, source });
    }
    let Some(bounds) = bounds else { return Err(planned.without_bounds()) };
    let Bounds { low, high, .. } = bounds.with_zero();
    // Undefined: nothing is relevant.
    let [value, low, high] = [value, low, high].map(|value| if value.is_nan() { 0.0 } else { value });
    Ok(BoundedValue { value, low, high })
}
