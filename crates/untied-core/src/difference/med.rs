//! The measures `MED(S)`, the largest possible difference of two rankings by a measure S, and `Delta(S)`, the expected
//! difference with its bounds.

use super::assignment::Assignment;
use super::catalogue;
use super::layout::DifferenceWorkspace;
use super::pair::{RankingPair, TieOrders};
use super::setup::{Options, PerGrade, PrecisionDivisor, Question, Setup};
use super::solution::{Difference, DifferenceRange, Outcomes};
use super::solve::expected::DifferenceMoments;
use crate::error::{Error, Failure, Result};
use crate::measures::{self, Certainty, Scope};
use crate::names::{Info, OF, Parameter, Spec, Value};
use crate::ranking::Placed;
use crate::similarity::{PairScore, Symmetry};

/// Builds MED or Delta. The last argument builds measures of one ranking.
pub type ComparerBuild = fn(&Spec, &Scope<'_>, measures::Build) -> Result<Box<dyn Comparer>>;

/// The facts about MED or Delta, and how to build it.
pub type ComparerDefinition = crate::names::Definition<ComparerBuild>;

const MAX_GRADE: Parameter = Parameter {
    name: "max_grade",
    default: "None",
    help: "highest grade that an unjudged document may have; by default that of the measure, else the highest of the \
        qrels",
};
const TAIL: Parameter = Parameter {
    name: "tail",
    default: "'none'",
    help: "'none': only the documents in the rankings; 'upper': also all that could follow them (RBP, ERR)",
};

const DIVISOR: Parameter = Parameter {
    name: "R",
    default: "'depth'",
    help: "divisor of AP: the 'depth', the number of 'relevant' documents, or a number N: the judged relevant \
        documents and up to N more",
};
const PER_GRADE: Parameter = Parameter {
    name: "per_grade",
    default: "None",
    help: "if given, the largest number of documents with each grade from 1 to max_grade, or of some: {3: 1, 1: 12} (DCG, \
        nDCG)",
};
const TIES: Parameter = Parameter {
    name: "ties",
    default: "'expected'",
    help: "tied documents: 'expected' (the mean over their orders), or 'optimistic' (the order that makes the \
           difference largest; sums of gains times discounts)",
};

/// The largest possible difference.
pub static MED: ComparerDefinition = Info {
    name: "MED",
    aliases: &["med"],
    title: "maximized effectiveness difference",
    parameters: &[
        OF,
        MAX_GRADE,
        TAIL,
        DIVISOR,
        PER_GRADE,
        TIES,
        Parameter { name: "direction", default: "'both'", help: "the largest of 'a-b', of 'b-a', or of 'both'" },
    ],
    lower_is_better: true,
    range: "that of the measure",
    equation: "max |S(A) - S(B)| over all grades that unjudged documents may have",
    tex: r"\mathrm{MED}(S) = \max_{\text{grades}} |S(A) - S(B)|",
    reference: "Tan & Clarke 2015",
    ..Info::DEFAULT
}
.built_by(|spec, scope, build| {
    let difference = difference(spec, scope, build)?;
    let known = [("both", (true, true)), ("a-b", (true, false)), ("b-a", (false, true))];
    let directions = spec.choice("direction", &known)?;
    Ok(Box::new(Largest { difference, directions }))
});

const CHANCE: Parameter = Parameter {
    name: "p",
    default: "0",
    help: "probability that an unjudged document has the highest grade: a number, or a list of numbers by the \
           document's better rank in the two rankings; after the end of the list, its last number; single documents \
           may have other probabilities",
};

/// The expected difference.
pub static DELTA: ComparerDefinition = Info {
    name: "Delta",
    aliases: &["delta"],
    title: "expected difference of two rankings, with the lowest and highest possible one",
    parameters: &[OF, CHANCE, MAX_GRADE, TAIL, DIVISOR],
    range: "that of the measure, and its negative",
    equation: "mean and variance of S(A) - S(B) if each unjudged document is relevant with probability p; low and \
                   high over all grades of unjudged documents; documents that fill up short rankings are unjudged for \
                   low and high, and non-relevant for the mean",
    tex: r"\mathrm{Delta}(S) = E[S(A) - S(B)]",
    reference: "Tan & Clarke 2015",
    ..Info::DEFAULT
}
.built_by(|spec, scope, build| {
    let difference = difference(spec, scope, build)?;
    let share = |p: &f64| (0.0..=1.0).contains(p);
    let chance = match spec.parameter(CHANCE.name) {
        None => vec![0.0],
        Some(Value::Number(p)) if share(p) => vec![*p],
        Some(Value::List(list)) if !list.is_empty() && list.iter().all(share) => list.clone(),
        Some(other) => {
            let expected = "a number from 0 to 1, or a list of such numbers by rank";
            return Err(Error::Measure(format!("{spec}: p must be {expected}, not {other}")));
        }
    };
    Ok(Box::new(Signed { difference, chance }))
});

/// MED or Delta of some measure.
pub trait Comparer: Send + Sync {
    /// The cutoff of the measure. Documents below it do not count.
    fn depth(&self) -> usize;

    /// What happens to the value if A and B change places.
    fn symmetry(&self) -> Symmetry;

    /// The exception that user code raised since the last call, if any.
    fn failure(&self) -> Option<Failure>;

    /// The value for two rankings.
    fn score(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> PairScore;

    /// Grades that reach the value of MED, and whether A is ahead with them. None for Delta, and if MED is undefined.
    fn assignment(&self, _pair: &RankingPair<'_>, _work: &mut DifferenceWorkspace) -> Option<(bool, Assignment)> {
        None
    }

    /// The possible differences with their probabilities. `grid` has the number of points of a grid, and a seed for
    /// measures without a grid. None for MED, and if Delta is undefined.
    fn outcomes(
        &self,
        _pair: &RankingPair<'_>,
        _work: &mut DifferenceWorkspace,
        _grid: (usize, u64),
    ) -> Option<Outcomes> {
        None
    }
}

/// The difference in the measure S of MED(S) or Delta(S).
fn difference(spec: &Spec, scope: &Scope<'_>, build: measures::Build) -> Result<Box<dyn Difference>> {
    let name = spec.info.name;
    let Some(inner) = spec.inner() else {
        return Err(Error::Measure(format!("{name} needs a measure, for instance {name}(nDCG@20)")));
    };
    let number = |name: &str, expected: &str, fits: fn(f64) -> bool| {
        spec.number(name, f64::NAN, expected, fits).map(|number| Some(number).filter(|number| !number.is_nan()))
    };
    let is_whole = |n: f64| (1.0..1e9).contains(&n) && n.fract() == 0.0;
    let options = Options {
        max_grade: number(MAX_GRADE.name, "a number above 0", |grade| grade > 0.0)?,
        tail: spec.choice(TAIL.name, &[("none", false), ("upper", true)])?,
        divisor: match spec.parameter(DIVISOR.name) {
            Some(&Value::Number(most)) if is_whole(most) => PrecisionDivisor::Most(most as usize),
            Some(Value::Number(_)) => spec
                .number(DIVISOR.name, 1.0, "'depth', 'relevant' or a whole number of at least 1", is_whole)
                .map(|_| PrecisionDivisor::Depth)?,
            _ => spec.choice(
                DIVISOR.name,
                &[("depth", PrecisionDivisor::Depth), ("relevant", PrecisionDivisor::Relevant)],
            )?,
        },
        per_grade: match spec.parameter(PER_GRADE.name) {
            Some(Value::Table(table)) => {
                let is_allowed = |&(grade, most): &(f64, f64)| is_whole(grade) && (is_whole(most) || most == 0.0);
                if !table.iter().all(is_allowed) {
                    let expected = "whole grades of at least 1 with whole numbers of at least 0";
                    return Err(Error::Measure(format!("{spec}: {} must have {expected}", PER_GRADE.name)));
                }
                Some(PerGrade::Table(table))
            }
            _ => number(PER_GRADE.name, "a whole number of at least 1", is_whole)?.map(|n| PerGrade::Each(n as usize)),
        },
        ties: spec.choice(TIES.name, &[("expected", TieOrders::Mean), ("optimistic", TieOrders::BestWorst)])?,
        stays_short: false,
    };
    catalogue::make(&Setup { spec: inner, scope, question: Question::Med, options: &options, build })
}

/// MED of a measure.
struct Largest {
    difference: Box<dyn Difference>,
    /// Whether S(A) - S(B) counts, and whether S(B) - S(A) counts.
    directions: (bool, bool),
}

impl Comparer for Largest {
    fn depth(&self) -> usize {
        self.difference.scale().cutoff.unwrap_or(usize::MAX)
    }

    fn failure(&self) -> Option<Failure> {
        self.difference.failure()
    }

    fn symmetry(&self) -> Symmetry {
        if self.directions == (true, true) { Symmetry::Same } else { Symmetry::None }
    }

    fn score(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> PairScore {
        let DifferenceRange { up, down, unseen, sure } = self.difference.extent(pair, work, self.directions);
        let value = f64::max(up.0, down.0);
        if value.is_nan() {
            return PairScore { value: f64::NAN, range: None, variance: None, certainty: Certainty::Exact };
        }
        // Documents below the end of A may add to the difference, and those below the end of B may reduce it.
        let least = if self.directions == (true, true) { 0.0 } else { f64::NEG_INFINITY };
        let low = f64::max(up.0 - unseen.1, down.0 - unseen.0).max(least).min(value);
        let range = (low, f64::max(up.1 + unseen.0, down.1 + unseen.1));
        let solved = if range.0 == range.1 { Certainty::Exact } else { Certainty::Interval };
        PairScore { value, range: Some(range), variance: None, certainty: sure.max(solved) }
    }

    fn assignment(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> Option<(bool, Assignment)> {
        let DifferenceRange { up: (up, _), down: (down, _), .. } = self.difference.extent(pair, work, self.directions);
        if up.is_nan() || down.is_nan() {
            return None;
        }
        let a_is_ahead = up >= down;
        let mut places = Vec::new();
        let pair = if a_is_ahead { *pair } else { pair.swapped(&mut places) };
        let assignment = self.difference.solve(&pair, usize::MAX, work).assignment?;
        let assignment = Assignment { difference: up.max(down), ..assignment };
        Some((a_is_ahead, assignment))
    }
}

/// Delta of a measure.
struct Signed {
    difference: Box<dyn Difference>,
    /// The probability that an unjudged document is relevant, by rank. Ranks after the end of the list have its last
    /// number.
    chance: Vec<f64>,
}

impl Signed {
    /// The probability that an unjudged document is relevant: its own, or that of its better rank.
    fn chance(&self, pair: &RankingPair<'_>, place: &Placed) -> f64 {
        let own = pair.facts.chances.get(place.document as usize).filter(|chance| !chance.is_nan());
        own.copied().unwrap_or_else(|| {
            let first = [place.a, place.b].into_iter().filter(|&rank| rank > 0).min();
            self.chance[first.map_or(0, |rank| rank as usize - 1).min(self.chance.len() - 1)]
        })
    }
}

impl Comparer for Signed {
    fn depth(&self) -> usize {
        self.difference.scale().cutoff.unwrap_or(usize::MAX)
    }

    fn failure(&self) -> Option<Failure> {
        self.difference.failure()
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Opposite
    }

    fn score(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace) -> PairScore {
        let chance = |place: &Placed| self.chance(pair, place);
        let (DifferenceMoments { mean, variance }, sure) = self.difference.moments(pair, work, &chance);
        if mean.is_nan() {
            return PairScore { value: f64::NAN, range: None, variance: None, certainty: Certainty::Exact };
        }
        let DifferenceRange { up, down, unseen, sure: of_range } = self.difference.extent(pair, work, (true, true));
        let solved = unseen == (0.0, 0.0) && up.0 == up.1 && down.0 == down.1;
        let certainty = sure.max(of_range).max(if solved { Certainty::Exact } else { Certainty::Interval });
        let range = ((-down.1 - unseen.1).min(mean), (up.1 + unseen.0).max(mean));
        let variance = Some(variance).filter(|variance| !variance.is_nan());
        PairScore { value: mean, range: Some(range), variance, certainty }
    }

    fn outcomes(&self, pair: &RankingPair<'_>, work: &mut DifferenceWorkspace, grid: (usize, u64)) -> Option<Outcomes> {
        self.difference.outcomes(pair, work, &|place| self.chance(pair, place), grid)
    }
}
