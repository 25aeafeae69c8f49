//! A measure made ready for verdicts: what either run can be ahead of the other in each query, and what follows of it.

use std::collections::BTreeSet;

use super::laid_out::{Blocks, Pairing};
use super::{Ahead, Overturn, Settings, Verdict, overturn};
use crate::difference::moving::given::Given;
use crate::difference::moving::question::{Ceiling, Ceilings, Orders, Question, Witness};
use crate::difference::moving::{apart, catalogue, known};
use crate::equality::without_rounding;
use crate::error::{Error, Result};
use crate::measures::{Measure, Scope};
use crate::names::Spec;
use crate::registry;
use crate::statistics::sum;
use crate::table::{Qrels, Run};
use crate::watch;

/// What is closer to 0 than this, times the largest gain, is not told from it: more than all rounding errors of a mean.
const MARGIN: f64 = 1e-9;

/// Searches for single ceilings, for each query, and how often all that are wanted are sought.
const SEARCHES: usize = 4;
const ROUNDS: usize = 8;

/// What either run can be ahead of the other, query by query.
#[derive(Clone, Default)]
pub(super) struct Sides {
    /// What A can be ahead of B.
    pub up: Vec<Ceilings>,
    /// What B can be ahead of A.
    pub down: Vec<Ceilings>,
}

impl Sides {
    /// Add a query.
    pub fn push(&mut self, (mut up, mut down): (Ceilings, Ceilings)) {
        up.upto.shrink_to_fit();
        down.upto.shrink_to_fit();
        self.up.push(up);
        self.down.push(down);
    }

    /// The lowest and the highest difference of each query with at most `most` further relevant documents.
    pub fn bounds(&self, most: usize) -> impl Iterator<Item = (f64, f64)> {
        self.up.iter().zip(&self.down).map(move |(up, down)| ends(up, down, most))
    }

    /// What this run can be ahead of the other.
    fn of(&self, is_a: bool) -> &[Ceilings] {
        if is_a { &self.up } else { &self.down }
    }
}

/// The least and the most that the difference of a query can be; 0 where that is only rounding.
pub(super) fn ends(up: &Ceilings, down: &Ceilings, most: usize) -> (f64, f64) {
    let (low, high) = (0.0 - down.at(most), up.at(most));
    let size = low.abs().max(high.abs());
    (without_rounding(low, size), without_rounding(high, size))
}

/// The run that is behind without further relevant documents.
#[derive(Clone, Copy)]
pub(super) struct Behind {
    pub is_a: bool,
    /// What it must gain, over all queries together, to be behind no more.
    target: f64,
}

/// A measure made ready for verdicts.
pub(super) struct Certifier {
    ceiling: Box<dyn Ceiling>,
    measure: Box<dyn Measure>,
    /// Grades that an unknown document may have; see [`Spec::possible_grades`].
    possible: Vec<f64>,
    settings: Settings,
}

/// Make measures ready.
///
/// # Errors
/// There is no query, or a measure has no verdict or is refused.
pub(super) fn certifiers(runs: &[&Run], qrels: &Qrels, specs: &[Spec], settings: Settings) -> Result<Vec<Certifier>> {
    if qrels.is_empty() {
        return Err(Error::Value("the qrels have no query".into()));
    }
    let longest = runs.iter().map(|run| run.longest()).max().unwrap_or(0);
    let documents = 2 * longest + qrels.longest();
    let scope = Scope { depth: documents, grades: qrels.grades() };
    let certifier = |of: &Spec| {
        of.fits(qrels.detail())?;
        let possible = of.possible_grades(scope.grades);
        let given = Given { of, grades: scope.grades, possible: &possible, longest, documents };
        let ceiling = catalogue::make(&given)?;
        let measure = registry::build(of, &scope.with(&scope.grades_with(&possible)))?;
        Ok(Certifier { ceiling, measure, possible, settings })
    };
    specs.iter().map(certifier).collect()
}

impl Certifier {
    /// What A can be ahead of B, and B of A.
    pub fn both(&self, of: &Question<'_>, swapped: &Question<'_>) -> (Ceilings, Ceilings) {
        let (mut up, mut down) = self.ceiling.both(of, swapped);
        if !of.is_tied() || of.unknown == 0 && of.orders() == Orders::Any {
            return (up, down);
        }
        if of.orders() == Orders::Mean && !(up.is_reached(0) && down.is_reached(0)) {
            let none = known::difference(&*self.measure, of);
            (up, down) = (up.starting(none, of.unknown), down.starting(0.0 - none, of.unknown));
        }
        let is_short = of.a.len() + of.b.len() <= apart::MOST;
        if is_short && !(up.is_reached(usize::MAX) && down.is_reached(usize::MAX)) {
            let (most, other) = apart::most(&*self.measure, of, &self.possible);
            (up, down) = (up.no_more_than(most), down.no_more_than(other));
        }
        (up, down)
    }

    /// An assignment with at most `most` relevant unknown documents, see [`Ceiling::witness`].
    pub fn witness(&self, of: &Question<'_>, most: usize) -> Witness {
        let mut witness = self.ceiling.witness(of, most);
        if of.orders() == Orders::Mean && witness.documents.is_empty() && witness.free.is_empty() {
            witness.value = known::difference(&*self.measure, of);
        }
        witness
    }

    /// The verdict, and how many documents of each query overturn it.
    pub fn verdict(&self, found: Sides) -> (Verdict, Vec<usize>) {
        let most = self.settings.most();
        let queries = found.up.len();
        let margin = MARGIN * self.ceiling.scale();
        let mean = |ceilings: &[Ceilings]| {
            let mean = sum(ceilings.iter().map(|one| one.at(most))) / queries as f64;
            if mean.abs() <= margin { 0.0 } else { mean }
        };
        let reached = |one: &Ceilings| one.is_reached(most);
        let (high, low) = (mean(&found.up), 0.0 - mean(&found.down));
        let ahead = match (low > 0.0, high < 0.0) {
            (true, _) => Ahead::A,
            (_, true) => Ahead::B,
            _ => Ahead::Open,
        };
        let is_exact = found.up.iter().chain(&found.down).all(reached);
        let (overturn, chosen, largest, largest_is_exact) = match self.behind(&found) {
            Some(Behind { is_a, target }) => {
                let behind = if is_a { found.up } else { found.down }; // the other one is freed
                let (overturn, chosen) = overturn::overturn(&behind, target);
                let largest = overturn::largest(&behind, target);
                let ends_lead = |most: usize| behind.iter().all(|query| query.is_reached(most.saturating_add(1)));
                (overturn, chosen, largest, largest == Some(usize::MAX) || largest.is_some_and(ends_lead))
            }
            None => (Overturn::Needs(0), vec![0; queries], None, true),
        };
        (Verdict { low, high, is_exact, ahead, overturn, largest, largest_is_exact }, chosen)
    }

    /// Search for the ceilings of two runs, by number, that matter, where others need not be reached: those with the most
    /// documents that a query may have, and those on which the overturn number rests.
    pub fn settle(
        &self,
        found: &mut Sides,
        pairing: &mut Pairing,
        queries: &Blocks<'_>,
        pair: (usize, usize),
    ) -> Result<()> {
        let mut settle = |side: &mut [Ceilings], is_a: bool, query: usize, documents: usize| {
            let found = queries.ask(pairing, query, pair, |of, swapped| {
                self.ceiling.limited(if is_a { of } else { swapped }, documents)
            })?;
            if let Some((most, is_reached)) = found {
                side[query].lower(documents, most, is_reached);
            }
            watch::check()
        };
        for (side, is_a) in [(&mut found.up, true), (&mut found.down, false)] {
            for query in 0..side.len() {
                if let Some(most) = self.settings.most.filter(|&most| !side[query].is_reached(most)) {
                    settle(side, is_a, query, most)?;
                }
            }
        }
        let Some(Behind { is_a, target }) = self.behind(found) else { return Ok(()) };
        let side = if is_a { &mut found.up } else { &mut found.down };
        if side.iter().all(Ceilings::are_reached) {
            return Ok(());
        }
        let mut tried = BTreeSet::new();
        for choose in [overturn::first, |side: &[Ceilings], target| overturn::overturn(side, target).1] {
            for _ in 0..ROUNDS {
                let before = tried.len();
                for (query, documents) in choose(side, target).into_iter().enumerate() {
                    if !side[query].is_reached(documents) && tried.insert((query, documents)) {
                        settle(side, is_a, query, documents)?;
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

    /// Which run is behind without further relevant documents, if any.
    pub fn behind(&self, found: &Sides) -> Option<Behind> {
        let target = -MARGIN * self.ceiling.scale() * found.up.len() as f64;
        let is_behind = |&is_a: &bool| found.of(is_a).iter().map(|one| one.at(0)).sum::<f64>() < target;
        [true, false].into_iter().find(is_behind).map(|is_a| Behind { is_a, target })
    }
}
