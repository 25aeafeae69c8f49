//! Conclusions about two runs with incomplete judgments: bounds of their mean difference, whether one run is certainly
//! better, and how many further relevant documents would end its lead.
//!
//! A measure tells by [`question::Ceiling`] what S(A) - S(B) cannot exceed with at most 0, 1, 2, ... unknown documents
//! relevant, its normaliser moving with them; one file each or one for a close family, listed in [`catalogue`]. The other
//! direction is the same with A and B exchanged. What finds these is in [`solve`], which knows no measure. Assignments
//! of queries are independent, so the bounds of the mean are the means of the bounds; what couples queries is a number
//! of documents that they share: [`overturn`].

mod any_order;
mod apart;
mod average_precision;
mod cascade;
mod catalogue;
mod first;
mod given;
mod known;
mod laid_out;
mod overturn;
mod preference;
mod question;
mod r_precision;
mod solve;
mod spans;
mod sums;

pub use overturn::Overturn;
pub use question::Witness;
pub use spans::spans;

use std::collections::BTreeSet;

use rayon::prelude::*;

use self::given::Given;
use self::laid_out::Pairing;
use self::question::{Ceiling, Ceilings, Orders, Question};
use crate::error::{Error, Result};
use crate::measures::{Measure, Scope};
use crate::names::Spec;
use crate::ranking::{Layout, Precision};
use crate::registry;
use crate::settings;
use crate::table::{Qrels, Run};
use crate::watch;

/// What is closer to 0 than this, times the largest gain, is not told from it: more than all rounding errors of a mean.
const MARGIN: f64 = 1e-9;

/// Searches for single ceilings, for each query, and how often all that are wanted are sought.
const SEARCHES: usize = 4;
const ROUNDS: usize = 8;

/// What is unknown, and how documents are ordered.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// See [`Layout`]; tied ones give means over all orders.
    pub layout: Layout,
    /// See [`Precision`].
    pub precision: Precision,
    /// Whether documents outside the pool are non-relevant.
    pub pool_only: bool,
    /// Whether documents of the pool (with a negative grade) that neither run retrieves may be relevant.
    pub unretrieved: bool,
    /// The most unknown documents of a query that may be relevant.
    pub most: Option<usize>,
    /// Whether tied documents may stand in any order, each run's apart; else they give means.
    pub any_order: bool,
}

impl Settings {
    /// Settings by the names of their values; ties `trec` is `docid` over 32-bit scores, `range` any order.
    ///
    /// # Errors
    /// Nothing has such a name, or `trec` meets another precision.
    pub fn new(ties: &str, precision: &str) -> Result<Settings> {
        let any_order = ties == "range";
        let (layout, precision) = settings::layout(if any_order { "expected" } else { ties }, precision)?;
        Ok(Settings { layout, precision, any_order, ..Settings::default() })
    }
}

/// Which run is certainly better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// The first.
    A,
    /// The second.
    B,
    /// It is open.
    Open,
}

impl Ahead {
    /// What certificates say.
    pub fn name(self) -> &'static str {
        ["A", "B", "open"][self as usize]
    }
}

/// What can be concluded about two runs in a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The least that the mean of A less that of B can be.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// Whether these are reached, and do not only enclose what can be.
    pub is_exact: bool,
    /// Which run is certainly better.
    pub ahead: Ahead,
    /// The least number of further relevant documents, over all queries together, with which the run that is ahead
    /// without them is no more; 0 where none is.
    pub overturn: Overturn,
    /// The most further relevant documents a query with which the verdict is certain: `usize::MAX` for any number, none
    /// if it is not even without any.
    pub largest: Option<usize>,
}

/// What can be concluded about a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained<'a> {
    /// Its number in the qrels.
    pub query: usize,
    /// The least and the most that the difference can be.
    pub bounds: (f64, f64),
    /// Grades with which it is the least and the most, as far as they are known.
    pub ends: (Witness, Witness),
    /// The documents of this query that together with those of the others overturn the verdict first, where that is.
    pub overturning: Witness,
    /// Ids of documents by number.
    pub documents: Vec<&'a [u8]>,
}

/// What A can be ahead of B in each query, and B of A.
type Sides = (Vec<Ceilings>, Vec<Ceilings>);

/// Measures made ready.
struct Plan {
    ceilings: Vec<Box<dyn Ceiling>>,
    measures: Vec<Box<dyn Measure>>,
    /// Grades that an unknown document may have, for each measure; see [`Spec::possible_grades`].
    possible: Vec<Vec<f64>>,
    settings: Settings,
}

impl Plan {
    fn new(runs: &[&Run], qrels: &Qrels, specs: &[Spec], settings: Settings) -> Result<Plan> {
        if qrels.is_empty() {
            return Err(Error::Value("the qrels have no query".into()));
        }
        let longest = runs.iter().map(|run| run.longest()).max().unwrap_or(0);
        let documents = 2 * longest + qrels.longest();
        let scope = Scope { depth: documents, grades: qrels.grades() };
        let (mut ceilings, mut measures, mut possible) = (Vec::new(), Vec::new(), Vec::new());
        for of in specs {
            of.fits(qrels.detail())?;
            let grades = of.possible_grades(scope.grades);
            ceilings.push(catalogue::make(&Given { of, grades: scope.grades, possible: &grades, longest, documents })?);
            measures.push(registry::build(of, &scope.with(&scope.grades_with(&grades)))?);
            possible.push(grades);
        }
        Ok(Plan { ceilings, measures, possible, settings })
    }

    /// What A can be ahead of B in a measure, and B of A.
    fn both(&self, measure: usize, of: &Question<'_>, swapped: &Question<'_>) -> (Ceilings, Ceilings) {
        let (mut up, mut down) = self.ceilings[measure].both(of, swapped);
        if !of.is_tied() || of.unknown == 0 && of.orders() == Orders::Any {
            return (up, down);
        }
        if of.orders() == Orders::Mean && !(up.is_reached(0) && down.is_reached(0)) {
            let none = known::difference(&*self.measures[measure], of);
            (up, down) = (up.starting(none, of.unknown), down.starting(0.0 - none, of.unknown));
        }
        let is_short = of.a.len() + of.b.len() <= apart::MOST;
        if is_short && !(up.is_reached(usize::MAX) && down.is_reached(usize::MAX)) {
            let (most, other) = apart::most(&*self.measures[measure], of, &self.possible[measure]);
            (up, down) = (up.no_more_than(most), down.no_more_than(other));
        }
        (up, down)
    }

    /// An assignment with at most `most` relevant unknown documents, see [`Ceiling::witness`].
    fn witness(&self, measure: usize, of: &Question<'_>, most: usize) -> Witness {
        let mut witness = self.ceilings[measure].witness(of, most);
        if of.orders() == Orders::Mean && witness.documents.is_empty() && witness.free.is_empty() {
            witness.value = known::difference(&*self.measures[measure], of);
        }
        witness
    }

    /// The verdict of a measure, by what A and B can be ahead of the other one in each query; and how many documents of
    /// each query overturn it.
    fn verdict(&self, measure: usize, (up, down): &Sides) -> (Verdict, Vec<usize>) {
        let most = self.settings.most.unwrap_or(usize::MAX);
        let count = up.len() as f64;
        let margin = MARGIN * self.ceilings[measure].scale();
        let mean = |ceilings: &[Ceilings]| ceilings.iter().map(|one| one.at(most)).sum::<f64>() / count;
        let reached = |one: &Ceilings| one.is_reached(most);
        let (high, low) = (mean(up), 0.0 - mean(down));
        let ahead = match (low > margin, high < -margin) {
            (true, _) => Ahead::A,
            (_, true) => Ahead::B,
            _ => Ahead::Open,
        };
        let (overturn, chosen, largest) = match self.behind(measure, (up, down)) {
            Some((behind, target)) => {
                let (overturn, chosen) = overturn::overturn(behind, target);
                (overturn, chosen, overturn::largest(behind, target))
            }
            None => (Overturn::Needs(0), vec![0; up.len()], None),
        };
        let is_exact = up.iter().chain(down).all(reached);
        (Verdict { low, high, is_exact, ahead, overturn, largest }, chosen)
    }

    /// Search for the ceilings that matter, where others need not be reached: those with the most documents that a query
    /// may have, and those on which the overturn number rests. `search` does so for a query, for A or for B, and a number.
    fn settle(
        &self,
        measure: usize,
        found: &mut Sides,
        mut search: impl FnMut(usize, bool, usize) -> Option<(f64, bool)>,
    ) -> Result<()> {
        let mut settle = |side: &mut [Ceilings], is_up: bool, query: usize, documents: usize| {
            if let Some((most, is_reached)) = search(query, is_up, documents) {
                side[query].lower(documents, most, is_reached);
            }
        };
        for (side, is_up) in [(&mut found.0, true), (&mut found.1, false)] {
            for query in 0..side.len() {
                if let Some(most) = self.settings.most.filter(|&most| !side[query].is_reached(most)) {
                    settle(side, is_up, query, most);
                    watch::check()?;
                }
            }
        }
        let Some((behind, target)) = self.behind(measure, (&found.0, &found.1)) else { return Ok(()) };
        let is_up = std::ptr::eq(behind, found.0.as_slice());
        let side = if is_up { &mut found.0 } else { &mut found.1 };
        if side.iter().all(Ceilings::are_reached) {
            return Ok(());
        }
        let mut tried = BTreeSet::new();
        for choose in [overturn::first, |side: &[Ceilings], target| overturn::overturn(side, target).1] {
            for _ in 0..ROUNDS {
                let before = tried.len();
                for (query, documents) in choose(side, target).into_iter().enumerate() {
                    if !side[query].is_reached(documents) && tried.insert((query, documents)) {
                        settle(side, is_up, query, documents);
                        watch::check()?;
                    }
                }
                if tried.len() == before {
                    break;
                }
                if tried.len() >= SEARCHES * side.len() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// What the run can gain that is behind without further relevant documents, and how much it takes; none if none is.
    fn behind<'c>(
        &self,
        measure: usize,
        (up, down): (&'c [Ceilings], &'c [Ceilings]),
    ) -> Option<(&'c [Ceilings], f64)> {
        let target = -MARGIN * self.ceilings[measure].scale() * up.len() as f64;
        [up, down]
            .into_iter()
            .find(|side| side.iter().map(|one| one.at(0)).sum::<f64>() < target)
            .map(|side| (side, target))
    }
}

/// The verdicts of all measures about every two runs, pair by pair.
///
/// # Errors
/// A measure has no verdict or is refused, as is a score.
pub fn certify(runs: &[&Run], qrels: &Qrels, specs: &[Spec], settings: Settings) -> Result<Vec<Vec<Verdict>>> {
    let plan = Plan::new(runs, qrels, specs, settings)?;
    let queries = laid_out::all(runs, qrels, settings)?;
    let pairs: Vec<(usize, usize)> = (0..runs.len()).flat_map(|a| (a + 1..runs.len()).map(move |b| (a, b))).collect();
    watch::begin(|| "certifying".into(), "pairs of runs", Some(pairs.len() as u64));
    let of_pair = |pairing: &mut Pairing, &(a, b): &(usize, usize)| -> Result<Vec<Verdict>> {
        let mut found = vec![(Vec::with_capacity(queries.len()), Vec::with_capacity(queries.len())); specs.len()];
        for query in &queries {
            pairing.with(query, (a, b), |of, swapped| {
                for (measure, found) in found.iter_mut().enumerate() {
                    let (up, down) = plan.both(measure, of, swapped);
                    found.0.push(up);
                    found.1.push(down);
                }
            });
            watch::check()?;
        }
        for (measure, found) in found.iter_mut().enumerate() {
            let search = |query: usize, is_up: bool, most: usize| {
                let ceiling = &plan.ceilings[measure];
                pairing.with(&queries[query], (a, b), |of, swapped| {
                    ceiling.limited(if is_up { of } else { swapped }, most)
                })
            };
            plan.settle(measure, found, search)?;
        }
        watch::step(1)?;
        Ok(found.iter().enumerate().map(|(measure, found)| plan.verdict(measure, found).0).collect())
    };
    pairs.par_iter().map_init(Pairing::default, of_pair).collect()
}

/// Why the verdict of a measure about two runs is as it is, query by query.
///
/// # Errors
/// See [`certify`].
pub fn explain<'a>(
    runs: (&'a Run, &'a Run),
    qrels: &'a Qrels,
    spec: &Spec,
    settings: Settings,
) -> Result<(Verdict, Vec<Explained<'a>>)> {
    let runs = [runs.0, runs.1];
    let plan = Plan::new(&runs, qrels, std::slice::from_ref(spec), settings)?;
    let queries = laid_out::all(&runs, qrels, settings)?;
    let most = settings.most.unwrap_or(usize::MAX);
    let ceiling = &plan.ceilings[0];
    let mut pairing = Pairing::default();
    let mut found = (Vec::new(), Vec::new());
    for query in &queries {
        let (up, down) = pairing.with(query, (0, 1), |of, swapped| plan.both(0, of, swapped));
        found.0.push(up);
        found.1.push(down);
        watch::check()?;
    }
    let search = |query: usize, is_up: bool, most: usize| {
        pairing.with(&queries[query], (0, 1), |of, swapped| ceiling.limited(if is_up { of } else { swapped }, most))
    };
    plan.settle(0, &mut found, search)?;
    let (verdict, chosen) = plan.verdict(0, &found);
    let behind = plan.behind(0, (&found.0, &found.1));
    let a_is_behind = behind.is_some_and(|(behind, _)| std::ptr::eq(behind, found.0.as_slice()));
    let explained = queries.iter().enumerate().map(|(number, query)| {
        let (ends, overturning) = pairing.with(query, (0, 1), |of, swapped| {
            let against = |most: usize| plan.witness(0, swapped, most).turned();
            let overturning = if a_is_behind { plan.witness(0, of, chosen[number]) } else { against(chosen[number]) };
            ((against(most), plan.witness(0, of, most)), overturning)
        });
        watch::check()?;
        let bounds = (0.0 - found.1[number].at(most), found.0[number].at(most));
        Ok(Explained { query: query.number, bounds, ends, overturning, documents: query.documents.clone() })
    });
    Ok((verdict, explained.collect::<Result<Vec<_>>>()?))
}
