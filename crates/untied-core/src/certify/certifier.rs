//! Decides verdicts by one measure: it bounds how far either run can be ahead in each query, and concludes.

use std::collections::BTreeSet;

use super::queries::{PairJoiner, QueryBlocks};
use super::{Ahead, Evidence, Overturn, Verdict, VerdictSettings, overturn};
use crate::difference::assembled::{LONGEST, difference_if_nonrelevant, separate_bounds};
use crate::difference::catalogue;
use crate::difference::setup::{Options, Question, Setup};
use crate::difference::upper_bounds::UpperBounds;
use crate::difference::{Assignment, Difference, DifferenceWorkspace, LargestDifference, RankingPair, TieOrders};
use crate::equality::without_rounding;
use crate::error::{Error, Result};
use crate::measures::{Measure, Scope};
use crate::names::{Needs, Spec};
use crate::registry;
use crate::statistics::sum;
use crate::table::Run;
use crate::watch;

/// Sums that are closer to 0 than this share of the largest gain count as 0. This covers all rounding errors of a mean.
const MARGIN: f64 = 1e-9;

/// About how many bounds of each query are searched for to settle a verdict.
const SEARCHES: usize = 4;
/// How many times the bounds behind the overturn number are improved. Once they are better, the number may depend on
/// other bounds, which are improved in turn.
const ROUNDS: usize = 8;

/// Upper bounds of how far either run can be ahead, query by query.
#[derive(Clone, Default)]
pub(super) struct PairBounds {
    /// Upper bounds of A - B.
    pub up: Vec<UpperBounds>,
    /// Upper bounds of B - A.
    pub down: Vec<UpperBounds>,
}

impl PairBounds {
    /// Adds the bounds of a query.
    pub fn push(&mut self, (mut up, mut down): (UpperBounds, UpperBounds)) {
        up.by_count.shrink_to_fit();
        down.by_count.shrink_to_fit();
        self.up.push(up);
        self.down.push(down);
    }

    /// The lowest and the highest possible A - B of each query, with at most `most` relevant unknown documents.
    pub fn bounds(&self, most: usize) -> impl Iterator<Item = (f64, f64)> {
        self.up.iter().zip(&self.down).map(move |(up, down)| ends(up, down, most))
    }

    /// Upper bounds of how far A (`is_a`) or B can be ahead.
    fn upper_bounds(&self, is_a: bool) -> &[UpperBounds] {
        if is_a { &self.up } else { &self.down }
    }
}

/// The lowest and the highest possible A - B of a query. They are 0 if they differ from 0 only by rounding.
pub(super) fn ends(up: &UpperBounds, down: &UpperBounds, most: usize) -> (f64, f64) {
    let (low, high) = (0.0 - down.at_most(most), up.at_most(most));
    let size = low.abs().max(high.abs());
    (without_rounding(low, size), without_rounding(high, size))
}

/// The run that is behind if no unknown document is relevant.
#[derive(Clone, Copy)]
pub(super) struct TrailingRun {
    pub is_a: bool,
    /// How much it must gain, over all queries together, to catch up.
    target: f64,
}

/// A measure, prepared to decide verdicts.
pub(super) struct Certifier {
    difference: Box<dyn Difference>,
    /// The measure of one ranking. None if it reads more than the grades of a pair's documents.
    measure: Option<Box<dyn Measure>>,
    /// The possible grades of an unknown document; see [`Spec::possible_grades`].
    possible: Vec<f64>,
    settings: VerdictSettings,
}

/// Prepares measures.
///
/// # Errors
/// There is no query, a measure has no verdicts or is refused, or it needs lengths that are missing.
pub(super) fn certifiers(
    runs: &[&Run],
    Evidence { qrels, lengths }: Evidence<'_>,
    specs: &[Spec],
    settings: VerdictSettings,
) -> Result<Vec<Certifier>> {
    if qrels.is_empty() {
        return Err(Error::Value("the qrels have no query".into()));
    }
    let longest = runs.iter().map(|run| run.longest()).max().unwrap_or(0);
    let scope = Scope { depth: 2 * longest + qrels.longest(), grades: qrels.grades() };
    let options = Options { ties: settings.ties, ..Options::default() };
    let certifier = |spec: &Spec| {
        spec.fits_unjudged(qrels.detail())?;
        if spec.info.needs == Needs::Documents && lengths.is_none() {
            return Err(spec.lacks_lengths());
        }
        let possible = spec.possible_grades(scope.grades);
        let question = Question::Verdicts { possible: &possible };
        let setup = Setup { spec, scope: &scope, question, options: &options, build: registry::build };
        let difference = catalogue::make(&setup)?;
        let reads_grades = spec.info.needs == Needs::Judgments;
        let measure =
            reads_grades.then(|| registry::build(spec, &scope.with(&scope.grades_with(&possible)))).transpose()?;
        Ok(Certifier { difference, measure, possible, settings })
    };
    specs.iter().map(certifier).collect()
}

impl Certifier {
    /// Whether [`Certifier::assignment`] says which grades unknown documents have.
    pub fn assigns_grades(&self) -> bool {
        self.difference.assigns_grades()
    }

    /// Upper bounds of S(A) - S(B) and of S(B) - S(A).
    pub fn upper_bounds(
        &self,
        pair: &RankingPair<'_>,
        swapped: &RankingPair<'_>,
        workspace: &mut DifferenceWorkspace,
    ) -> (UpperBounds, UpperBounds) {
        let (mut up, mut down) = self.difference.both_upper_bounds(pair, swapped, workspace);
        let Some(measure) = self.measure.as_deref().filter(|_| pair.is_tied()) else { return (up, down) };
        let unknown = pair.unknown();
        match self.settings.ties {
            TieOrders::BestWorst if unknown == 0 => return (up, down),
            TieOrders::Mean if !(up.is_attained(0) && down.is_attained(0)) => {
                let none = difference_if_nonrelevant(measure, pair);
                (up, down) = (up.with_none_relevant(none, unknown), down.with_none_relevant(0.0 - none, unknown));
            }
            _ => {}
        }
        let is_short = pair.a.len() + pair.b.len() <= LONGEST;
        if is_short && !(up.is_attained(usize::MAX) && down.is_attained(usize::MAX)) {
            let (most, least) = separate_bounds(measure, pair, &self.possible, self.settings.ties);
            (up, down) = (up.cap(most), down.cap(least));
        }
        (up, down)
    }

    /// Grades that make the difference largest with at most `most` relevant unknown documents. Where the search only
    /// has a bound, they are the best grades that it found.
    pub fn assignment(&self, pair: &RankingPair<'_>, most: usize, workspace: &mut DifferenceWorkspace) -> Assignment {
        let mut solve = |most: usize| {
            let LargestDifference { value, assignment, .. } = self.difference.solve(pair, most, workspace);
            assignment.unwrap_or(Assignment { difference: value, ..Assignment::default() })
        };
        // The search without a limit finds the best grades, so it comes first.
        let any = (most > 0).then(|| solve(usize::MAX));
        let assignment = any.filter(|any| any.documents() <= most).unwrap_or_else(|| solve(most));
        match &self.measure {
            Some(measure) if pair.is_tied() && self.settings.ties == TieOrders::Mean && assignment.documents() == 0 => {
                Assignment { difference: difference_if_nonrelevant(&**measure, pair), ..assignment }
            }
            _ => assignment,
        }
    }

    /// The verdict, and the number of documents of each query in the smallest set that overturns it.
    pub fn verdict(&self, bounds: PairBounds) -> (Verdict, Vec<usize>) {
        let most = self.settings.most();
        let queries = bounds.up.len();
        let margin = MARGIN * self.difference.largest_weight();
        let mean = |by_query: &[UpperBounds]| {
            let mean = sum(by_query.iter().map(|query| query.at_most(most))) / queries as f64;
            if mean.abs() <= margin { 0.0 } else { mean }
        };
        let is_attained = |query: &UpperBounds| query.is_attained(most);
        let (high, low) = (mean(&bounds.up), 0.0 - mean(&bounds.down));
        let ahead = match (low > 0.0, high < 0.0) {
            (true, _) => Ahead::A,
            (_, true) => Ahead::B,
            _ => Ahead::Open,
        };
        let is_exact = bounds.up.iter().chain(&bounds.down).all(is_attained);
        let (overturn, chosen, largest, largest_is_exact) = match self.trailing(&bounds) {
            Some(TrailingRun { is_a, target }) => {
                let trailing = if is_a { bounds.up } else { bounds.down }; // the other one is freed
                let (overturn, chosen) = overturn::overturn(&trailing, target);
                let largest = overturn::largest(&trailing, target);
                let ends_lead = |most: usize| trailing.iter().all(|query| query.is_attained(most.saturating_add(1)));
                (overturn, chosen, largest, largest == Some(usize::MAX) || largest.is_some_and(ends_lead))
            }
            None => (Overturn::Needs(0), vec![0; queries], None, true),
        };
        (Verdict { low, high, is_exact, ahead, overturn, largest, largest_is_exact }, chosen)
    }

    /// Searches for exact values of the bounds that matter most for the verdict, and replaces each bound for which it
    /// finds one. Those that matter most are the bounds without a limit, and the bounds behind the overturn number.
    /// `pair` has the indices of the two runs.
    pub fn settle(
        &self,
        bounds: &mut PairBounds,
        joiner: &mut PairJoiner,
        queries: &QueryBlocks<'_>,
        pair: (usize, usize),
    ) -> Result<()> {
        let mut settle = |side: &mut [UpperBounds], is_a: bool, query: usize, documents: usize| {
            let searched = queries.ask(joiner, query, pair, |pair, swapped, workspace| {
                let pair = if is_a { pair } else { swapped };
                let is_searched = documents < pair.unknown() && self.difference.is_searched(pair);
                is_searched.then(|| self.difference.solve(pair, documents, workspace))
            })?;
            if let Some(LargestDifference { value, bound, .. }) = searched {
                side[query].cap_at(documents, bound, bound <= value);
            }
            watch::check()
        };
        for (side, is_a) in [(&mut bounds.up, true), (&mut bounds.down, false)] {
            for query in 0..side.len() {
                if let Some(most) = self.settings.most.filter(|&most| !side[query].is_attained(most)) {
                    settle(side, is_a, query, most)?;
                }
            }
        }
        let Some(TrailingRun { is_a, target }) = self.trailing(bounds) else { return Ok(()) };
        let side = if is_a { &mut bounds.up } else { &mut bounds.down };
        if side.iter().all(UpperBounds::are_attained) {
            return Ok(());
        }
        let mut tried = BTreeSet::new();
        for choose in [overturn::first, |side: &[UpperBounds], target| overturn::overturn(side, target).1] {
            for _ in 0..ROUNDS {
                let before = tried.len();
                for (query, documents) in choose(side, target).into_iter().enumerate() {
                    if !side[query].is_attained(documents) && tried.insert((query, documents)) {
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

    /// The run that is behind if no unknown document is relevant. None if the runs are level.
    pub fn trailing(&self, bounds: &PairBounds) -> Option<TrailingRun> {
        let target = -MARGIN * self.difference.largest_weight() * bounds.up.len() as f64;
        let is_behind =
            |&is_a: &bool| bounds.upper_bounds(is_a).iter().map(|query| query.at_most(0)).sum::<f64>() < target;
        [true, false].into_iter().find(is_behind).map(|is_a| TrailingRun { is_a, target })
    }
}
