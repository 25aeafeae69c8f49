//! `MED(S)`, the largest difference that judgments could still make between two rankings in a measure S, and
//! `Delta(S)`, the difference with the interval of all that it could become.

use super::form::{Extent, Form};
use super::{Instance, average_precision};
use crate::error::{Error, Result};
use crate::measures::{Aggregate, Certainty, Cutoff, Info, Needs, OF, Parameter, Scope, Spec, Value};
use crate::ranking::{List, Placed};
use crate::similarity::{Score, Symmetry, not_alone};

/// All measures of differences, in the order in which they are listed.
pub static REGISTRY: &[&Contrast] = &[&MED, &DELTA];

/// What there is to know about a measure of differences, and how it is made.
pub struct Contrast {
    /// As for a measure; its builder says that there is nothing to measure in one ranking.
    pub info: Info,
    /// Make it for a measure of one ranking.
    build: fn(&Spec, Form) -> Result<Box<dyn Effect>>,
}

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

static MED: Contrast = Contrast {
    info: Info {
        name: "MED",
        aliases: &["med"],
        title: "maximized effectiveness difference",
        cutoff: Cutoff::None,
        parameters: &[
            OF,
            MAX_GRADE,
            TAIL,
            Parameter { name: "direction", default: "'both'", help: "the largest of 'a-b', of 'b-a', or of 'both'" },
        ],
        aggregate: Aggregate::Mean,
        lower_is_better: true,
        needs: Needs::Judgments,
        range: "that of the measure",
        equation: "max |S(A) - S(B)| over all grades that unjudged documents may have",
        reference: "Tan & Clarke 2014",
        build: not_alone,
    },
    build: |spec, form| {
        let known = [("both", (true, true)), ("a-b", (true, false)), ("b-a", (false, true))];
        let directions = spec.choice("direction", &known)?;
        Ok(Box::new(Largest { form, directions }))
    },
};

static DELTA: Contrast = Contrast {
    info: Info {
        name: "Delta",
        aliases: &["delta"],
        title: "difference of two rankings, and all that it could become",
        cutoff: Cutoff::None,
        parameters: &[OF, MAX_GRADE, TAIL],
        aggregate: Aggregate::Mean,
        lower_is_better: false,
        needs: Needs::Judgments,
        range: "that of the measure, and its negative",
        equation: "S(A) - S(B), unjudged documents having grade 0; low and high over all grades that they may have",
        reference: "Tan & Clarke 2014",
        build: not_alone,
    },
    build: |_, form| Ok(Box::new(Signed(form))),
};

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
}

/// Room that is kept between pairs of rankings.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) discounts: (Vec<f64>, Vec<f64>),
    pub(super) instance: Instance,
    pub(super) average_precision: average_precision::Workspace,
}

/// How much two rankings differ, or could differ.
pub trait Effect: Send + Sync {
    /// Documents below this rank do not matter.
    fn depth(&self) -> usize;

    /// What becomes of it when the rankings change places.
    fn symmetry(&self) -> Symmetry;

    /// Its value.
    fn score(&self, both: &Both<'_>, work: &mut Workspace) -> Score;
}

/// Check the whole and make what measures differences.
///
/// # Errors
/// The measure compares nothing, or a parameter is missing or has a value it cannot take.
pub fn build(spec: &Spec, scope: &Scope<'_>) -> Result<Box<dyn Effect>> {
    let Some(contrast) = REGISTRY.iter().find(|contrast| contrast.info == *spec.info) else {
        return Err(Error::Measure(format!("{spec} reads one ranking and judgments; it does not compare two")));
    };
    if spec.aggregate()? != Aggregate::Mean {
        return Err(Error::Measure(format!("{spec}: only the arithmetic mean of differences is taken")));
    }
    let name = spec.info.name;
    let Some(Value::Measure(of)) = spec.parameter(OF.name) else {
        return Err(Error::Measure(format!("{name} needs a measure, for instance {name}(nDCG@20)")));
    };
    let tail = spec.choice(TAIL.name, &[("none", false), ("upper", true)])?;
    let max_grade = spec.number(MAX_GRADE.name, f64::NAN, "a number above 0", |grade| grade > 0.0)?;
    (contrast.build)(spec, Form::new(of, Some(max_grade).filter(|grade| !grade.is_nan()), tail, scope)?)
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
        let Extent { up, down, unseen, .. } = self.form.extent(both, work, self.directions);
        let value = f64::max(up.0, down.0);
        let bound = f64::max(up.1, down.1);
        // What follows the documents that both have may add to the difference, or take from it.
        let range = ((value - unseen).max(0.0).min(value), bound + unseen);
        let certainty = if range.0 == range.1 { Certainty::Exact } else { Certainty::Interval };
        Score { value, range: Some(range), variance: None, certainty }
    }
}

/// Delta.
struct Signed(Form);

impl Effect for Signed {
    fn depth(&self) -> usize {
        self.0.depth()
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Opposite
    }

    fn score(&self, both: &Both<'_>, work: &mut Workspace) -> Score {
        let Extent { up, down, unseen, now } = self.0.extent(both, work, (true, true));
        let solved = unseen == 0.0 && up.0 == up.1 && down.0 == down.1;
        let certainty = if solved { Certainty::Exact } else { Certainty::Interval };
        let range = ((-down.1 - unseen).min(now), (up.1 + unseen).max(now));
        Score { value: now, range: Some(range), variance: None, certainty }
    }
}
