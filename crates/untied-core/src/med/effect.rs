//! `MED(S)`, the largest difference that judgments could still make between two rankings in a measure S, and
//! `Delta(S)`, the difference with the interval of all that it could become.

use super::expected::Moments;
use super::form::{Assignment, Base, Extent, Form, Options, Outcomes};
use super::{Instance, average_precision, dot, err};
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::measures::{self, Certainty, Scope};
use crate::names::{Info, OF, Parameter, Spec, Value};
use crate::ranking::{List, Placed};
use crate::similarity::{Score, Symmetry};
use crate::table::Length;

/// Makes a measure of differences; the last argument makes measures of one ranking.
pub type Build = fn(&Spec, &Scope<'_>, measures::Build) -> Result<Box<dyn Effect>>;

/// A measure of differences: its facts, and how it is made.
pub type Definition = crate::names::Definition<Build>;

const MAX_GRADE: Parameter = Parameter {
    name: "max_grade",
    default: "None",
    help: "highest grade that an unjudged document may have; that of the measure, else the highest of the qrels, if \
           not given",
};
const TAIL: Parameter = Parameter {
    name: "tail",
    default: "'none'",
    help: "'none': the documents that both rankings have; 'upper': all that could follow them too (RBP, ERR)",
};

const BASE: Parameter = Parameter {
    name: "R",
    default: "'depth'",
    help: "what AP is divided by: the 'depth', the documents that are 'relevant', or the judged relevant ones and a \
           number, more of which are not relevant",
};
const PER_GRADE: Parameter = Parameter {
    name: "per_grade",
    default: "None",
    help: "if given, at most so many documents have each grade from 1 to max_grade (DCG, nDCG)",
};
const TIES: Parameter = Parameter {
    name: "ties",
    default: "'expected'",
    help: "tied documents: 'expected' (the mean over their orders), or 'optimistic' (the order that makes the \
           difference largest; sums of gains times discounts)",
};

/// The largest difference.
pub static MED: Definition = Info {
    name: "MED",
    aliases: &["med"],
    title: "maximized effectiveness difference",
    parameters: &[
        OF,
        MAX_GRADE,
        TAIL,
        BASE,
        PER_GRADE,
        TIES,
        Parameter { name: "direction", default: "'both'", help: "the largest of 'a-b', of 'b-a', or of 'both'" },
    ],
    lower_is_better: true,
    range: "that of the measure",
    equation: "max |S(A) - S(B)| over all grades that unjudged documents may have",
    tex: r"\mathrm{MED}(S) = \max_{\text{grades}} |S(A) - S(B)|",
    reference: "Tan & Clarke 2014",
    ..Info::DEFAULT
}
.built_by(|spec, scope, of_one| {
    let form = form(spec, scope, of_one)?;
    let known = [("both", (true, true)), ("a-b", (true, false)), ("b-a", (false, true))];
    let directions = spec.choice("direction", &known)?;
    Ok(Box::new(Largest { form, directions }))
});

const CHANCE: Parameter = Parameter {
    name: "p",
    default: "0",
    help: "probability that an unjudged document is relevant, of the highest grade: a number, or a list by its first \
           rank in either ranking (beyond its end its last number); documents may have probabilities of their own",
};

/// The difference, and all that it could become.
pub static DELTA: Definition = Info {
    name: "Delta",
    aliases: &["delta"],
    title: "expected difference of two rankings, and all that it could become",
    parameters: &[OF, CHANCE, MAX_GRADE, TAIL, BASE],
    range: "that of the measure, and its negative",
    equation: "mean and variance of S(A) - S(B), each unjudged document being relevant with probability p; low and \
                   high over all grades that they may have, and what fills short rankings up to the cutoff, which the \
                   mean counts as not relevant",
    tex: r"\mathrm{Delta}(S) = E[S(A) - S(B)]",
    reference: "Tan & Clarke 2014",
    ..Info::DEFAULT
}
.built_by(|spec, scope, of_one| {
    let form = form(spec, scope, of_one)?;
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
    Ok(Box::new(Signed { form, chance }))
});

/// What is known of a query's documents with regard to one of its subtopics.
#[derive(Debug, Clone)]
pub struct Subtopic {
    /// The highest grade that any document has.
    pub highest: f64,
    /// Grades by number of document; NaN where there is no judgment.
    pub grades: Vec<f64>,
}

/// Two rankings of a query with what is known of their documents.
#[derive(Debug, Clone, Copy)]
pub struct Both<'a> {
    /// The first ranking.
    pub a: &'a List,
    /// The second ranking.
    pub b: &'a List,
    /// The documents of both.
    pub places: &'a [Placed],
    /// Grades by number of document; NaN where there is no judgment.
    pub grades: &'a [f64],
    /// The grades of all judged documents of the query.
    pub levels: &'a [Level],
    /// Probabilities to be relevant, by number of document, if there are any; NaN where none is given.
    pub chances: &'a [f64],
    /// Lengths by number of document, where a measure needs them.
    pub lengths: &'a [Length],
    /// Its subtopics, if they are known.
    pub subtopics: &'a [Subtopic],
}

impl Both<'_> {
    /// Whether documents of either ranking are tied.
    #[must_use]
    pub fn is_tied(&self) -> bool {
        self.a.is_tied() || self.b.is_tied()
    }
}

/// Room that is kept between pairs of rankings.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) discounts: (Vec<f64>, Vec<f64>),
    pub(super) instance: Instance,
    pub(super) weights: dot::Weights,
    pub(super) average_precision: average_precision::Workspace,
    pub(super) err: err::Workspace,
}

/// How much two rankings differ, or could differ.
pub trait Effect: Send + Sync {
    /// Documents below this rank do not matter.
    fn depth(&self) -> usize;

    /// What becomes of it when the rankings change places.
    fn symmetry(&self) -> Symmetry;

    /// Its value.
    fn score(&self, both: &Both<'_>, work: &mut Workspace) -> Score;

    /// The grades under which one ranking is farthest ahead: of MED, where it is defined.
    fn assignment(&self, _both: &Both<'_>, _work: &mut Workspace) -> Option<Assignment> {
        None
    }

    /// All differences with their probabilities, on a grid of about so many points or drawn from a seed: of Delta, where
    /// it is defined.
    fn outcomes(&self, _both: &Both<'_>, _work: &mut Workspace, _grid: (usize, u64)) -> Option<Outcomes> {
        None
    }
}

/// What a measure of differences is applied to.
fn form(spec: &Spec, scope: &Scope<'_>, of_one: measures::Build) -> Result<Form> {
    let name = spec.info.name;
    let Some(Value::Measure(of)) = spec.parameter(OF.name) else {
        return Err(Error::Measure(format!("{name} needs a measure, for instance {name}(nDCG@20)")));
    };
    let number = |name: &str, expected: &str, fits: fn(f64) -> bool| {
        spec.number(name, f64::NAN, expected, fits).map(|number| Some(number).filter(|number| !number.is_nan()))
    };
    let whole = |n: f64| (1.0..1e9).contains(&n) && n.fract() == 0.0;
    let options = Options {
        max_grade: number(MAX_GRADE.name, "a number above 0", |grade| grade > 0.0)?,
        tail: spec.choice(TAIL.name, &[("none", false), ("upper", true)])?,
        base: match spec.parameter(BASE.name) {
            Some(&Value::Number(most)) if whole(most) => Base::Most(most as usize),
            Some(Value::Number(_)) => spec
                .number(BASE.name, 1.0, "'depth', 'relevant' or a whole number from 1", whole)
                .map(|_| Base::Depth)?,
            _ => spec.choice(BASE.name, &[("depth", Base::Depth), ("relevant", Base::Relevant)])?,
        },
        per_grade: number(PER_GRADE.name, "a whole number from 1", |n| (1.0..1e9).contains(&n) && n.fract() == 0.0)?
            .map(|n| n as usize),
        optimistic: spec.choice(TIES.name, &[("expected", false), ("optimistic", true)])?,
    };
    Form::new(of, options, scope, of_one)
}

/// MED.
struct Largest {
    form: Form,
    /// Whether to look at A - B, and at B - A.
    directions: (bool, bool),
}

impl Effect for Largest {
    fn depth(&self) -> usize {
        self.form.depth()
    }

    fn symmetry(&self) -> Symmetry {
        if self.directions == (true, true) { Symmetry::Same } else { Symmetry::None }
    }

    fn score(&self, both: &Both<'_>, work: &mut Workspace) -> Score {
        let Extent { up, down, unseen, sure } = self.form.extent(both, work, self.directions);
        let value = f64::max(up.0, down.0);
        if value.is_nan() {
            return Score { value: f64::NAN, range: None, variance: None, certainty: Certainty::Exact };
        }
        // What follows A's documents may add to A - B, what follows B's may take from it.
        let least = if self.directions == (true, true) { 0.0 } else { f64::NEG_INFINITY };
        let low = f64::max(up.0 - unseen.1, down.0 - unseen.0).max(least).min(value);
        let range = (low, f64::max(up.1 + unseen.0, down.1 + unseen.1));
        let solved = if range.0 == range.1 { Certainty::Exact } else { Certainty::Interval };
        Score { value, range: Some(range), variance: None, certainty: sure.max(solved) }
    }

    fn assignment(&self, both: &Both<'_>, work: &mut Workspace) -> Option<Assignment> {
        self.form.assignment(both, work, self.directions)
    }
}

/// Delta.
struct Signed {
    form: Form,
    /// By rank; what follows has the last one.
    chance: Vec<f64>,
}

impl Signed {
    /// The probability that an unjudged document is relevant: its own, or that of its first rank in either ranking.
    fn chance(&self, both: &Both<'_>, place: &Placed) -> f64 {
        let given = both.chances.get(place.document as usize).filter(|chance| !chance.is_nan());
        given.copied().unwrap_or_else(|| {
            let first = [place.a, place.b].into_iter().filter(|&rank| rank > 0).min();
            self.chance[first.map_or(0, |rank| rank as usize - 1).min(self.chance.len() - 1)]
        })
    }
}

impl Effect for Signed {
    fn depth(&self) -> usize {
        self.form.depth()
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Opposite
    }

    fn score(&self, both: &Both<'_>, work: &mut Workspace) -> Score {
        let chance = |place: &Placed| self.chance(both, place);
        let (Extent { up, down, unseen, .. }, Moments { mean, variance }, sure) = self.form.signed(both, work, chance);
        if mean.is_nan() {
            return Score { value: f64::NAN, range: None, variance: None, certainty: Certainty::Exact };
        }
        let solved = unseen == (0.0, 0.0) && up.0 == up.1 && down.0 == down.1;
        let certainty = if solved { sure } else { sure.max(Certainty::Interval) };
        let range = ((-down.1 - unseen.1).min(mean), (up.1 + unseen.0).max(mean));
        let variance = Some(variance).filter(|variance| !variance.is_nan());
        Score { value: mean, range: Some(range), variance, certainty }
    }

    fn outcomes(&self, both: &Both<'_>, work: &mut Workspace, grid: (usize, u64)) -> Option<Outcomes> {
        self.form.outcomes(both, work, |place| self.chance(both, place), grid)
    }
}
