//! The facts about a measure.

use super::Parameter;
use crate::elementary::{exp, ln};
use crate::table::profiles::Detail;

/// The facts of a measure: the source of help texts, pages and tooltips.
#[derive(Debug)]
pub struct Info {
    /// Its canonical name.
    pub name: &'static str,
    /// Other names it is known by, compared without case; `_k` or `.k` after one of them is a cutoff.
    pub aliases: &'static [&'static str],
    /// What it measures, in a few words.
    pub title: &'static str,
    /// Whether it takes a cutoff `@k`.
    pub cutoff: Cutoff,
    /// The parameter that a number after `_` or `.` sets, if that is not the cutoff: in `iprec_at_recall_0.10`, the
    /// recall level.
    pub trailing: Option<&'static str>,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The parameter that gives every positive grade a gain; `rel` would have no effect beside it, and is refused.
    pub instead_of_rel: Option<&'static str>,
    /// Parameters of `ir_measures` that make another measure of it.
    pub others: &'static [Other],
    /// How the values of queries are combined. The values of a sum are whole numbers.
    pub aggregate: Aggregate,
    /// Whether the best order is the one with the lowest value.
    pub lower_is_better: bool,
    /// Whether no order of the retrieved documents changes it, unless it has a cutoff.
    pub is_of_set: bool,
    /// What it reads.
    pub needs: Needs,
    /// The range of its values.
    pub range: &'static str,
    /// Its definition for a ranking without ties, in plain text.
    pub equation: &'static str,
    /// Its definition in TeX, which prints a line break as a blank.
    pub tex: &'static str,
    /// The publications that define it, also under ties.
    pub reference: &'static str,
    /// When orders of tied documents are sampled, or a value is not available.
    pub sampled: &'static [Sampled],
    /// Why its bounds over the grades of unjudged documents are not known; None if they are.
    pub unbounded: Option<&'static str>,
    /// Whether preferences between documents say enough for it, even if they form no ordered groups.
    pub reads_preferences: bool,
    /// Whether a user has defined it. Then its parameters mean only what the user says, whatever they are called.
    pub by_user: bool,
}

/// The range of a measure that divides by R.
pub(crate) const SHARE: &str = "0 to 1; above 1 only if recall_base is an integer below R";
/// The range of a sum of discounted gains.
pub(crate) const GAINED: &str = "0 or more; any number if gains or discounts are negative";

impl Info {
    /// The facts that most measures share: values lie from 0 to 1, higher ones are better, and their mean is taken.
    pub const DEFAULT: Info = Info {
        name: "",
        aliases: &[],
        title: "",
        cutoff: Cutoff::None,
        trailing: None,
        parameters: &[],
        instead_of_rel: None,
        others: &[],
        aggregate: Aggregate::Mean,
        lower_is_better: false,
        is_of_set: false,
        needs: Needs::Judgments,
        range: "0 to 1",
        equation: "",
        tex: "",
        reference: "",
        sampled: &[],
        unbounded: None,
        reads_preferences: false,
        by_user: false,
    };

    /// The parameter that is a number between 0 and 1 by default.
    pub(super) fn fraction(&self) -> Option<&'static Parameter> {
        let is_fraction = |number: f64| number > 0.0 && number < 1.0;
        self.parameters.iter().find(|one| one.default.parse().is_ok_and(is_fraction))
    }

    /// Makes a measure of these facts and of the function that builds it.
    pub const fn built_by<B: Copy>(self, build: B) -> Definition<B> {
        Definition { info: self, build }
    }
}

/// Two references are equal if they refer to the same measure, because each measure has only one [`Info`].
impl PartialEq for Info {
    fn eq(&self, other: &Info) -> bool {
        std::ptr::eq(self, other)
    }
}

/// A measure: its facts, and the function that builds it.
#[derive(Debug)]
pub struct Definition<B> {
    /// Its facts.
    pub info: Info,
    /// Builds the measure.
    pub build: B,
}

/// When exact computation would take too long, and what the values are in that case.
#[derive(Debug)]
pub struct Sampled {
    /// The condition under which values are not exact.
    pub unless: &'static str,
    /// What the values are under this condition.
    pub then: &'static str,
}

impl Sampled {
    /// See [`Sampled::then`].
    pub const ESTIMATES: &str = "the mean and the variance are estimates";
    /// See [`Sampled::then`].
    pub const NO_VARIANCE: &str = "the variance is not available";
    /// See [`Sampled::then`].
    pub const BOUNDS: &str =
        "the lowest value may be too low and the highest value too high; the variance is not available";

    /// Whether the mean is an estimate under this condition.
    pub fn is_of_mean(&self) -> bool {
        ![Sampled::NO_VARIANCE, Sampled::BOUNDS].contains(&self.then)
    }
}

/// Reasons why a measure has no bounds over the grades of unjudged documents.
pub(crate) mod unbounded {
    pub const IDEAL: &str = "the grades of unjudged documents change the ideal ranking, or the last rank that counts";
    pub const WEIGHTS: &str = "the grades of unjudged documents change the weights of ranks";
    pub const PAIRS: &str = "the grades of unjudged documents change which pairs of documents are compared";
    pub const DIRECTION: &str = "a better ranking can have a lower value, so bounds would mean nothing";
    pub const SUBTOPICS: &str = "a document may have a grade for each subtopic";
    pub const ESTIMATOR: &str = "the measure itself makes an assumption about unjudged documents";
}

/// A parameter of `ir_measures` that turns a measure into another one. `SetP(relative=True)` is such another measure,
/// while `SetP(relative=False)` is `SetP` itself.
#[derive(Debug)]
pub struct Other {
    /// The parameter.
    pub parameter: &'static str,
    /// The value that does so, as it is written. If it is None, any value does, and the other measure has the parameter
    /// too.
    pub value: Option<&'static str>,
    /// The other measure; None if the measure stays the same.
    pub info: Option<&'static Info>,
}

/// Whether a measure takes a cutoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cutoff {
    /// `@k` is needed.
    Required,
    /// `@k` is optional; without it the whole ranking counts.
    Optional,
    /// It takes no cutoff.
    None,
    /// `@x` is needed, and is a recall level, which is stored as the parameter `recall`.
    Recall,
}

impl Cutoff {
    /// All values with their names.
    pub const NAMES: [(&str, Cutoff); 4] = [
        ("required", Cutoff::Required),
        ("optional", Cutoff::Optional),
        ("none", Cutoff::None),
        ("recall", Cutoff::Recall),
    ];

    /// Its name in the facts of a measure.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// How the values of queries are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// Their arithmetic mean.
    Mean,
    /// Their geometric mean, in which values below 0.00001 count as 0.00001.
    Geometric,
    /// Their sum.
    Sum,
}

/// Smaller values count as this one in a geometric mean, as in trec_eval.
pub const GEOMETRIC_FLOOR: f64 = 1e-5;

impl Aggregate {
    /// What a value adds to the sum over queries: its logarithm for a geometric mean, else itself. NaN stays NaN.
    #[inline(always)]
    pub fn term(self, value: f64) -> f64 {
        match self {
            Aggregate::Geometric if !value.is_nan() => ln(value.max(GEOMETRIC_FLOOR)),
            _ => value,
        }
    }

    /// Computes the aggregate from the sum of the terms of `n` queries. Without queries a mean is NaN, and a sum is 0.
    pub fn of_sum(self, sum: f64, n: f64) -> f64 {
        match self {
            Aggregate::Sum => sum,
            Aggregate::Mean => sum / n,
            Aggregate::Geometric => exp(sum / n),
        }
    }

    /// Computes the difference of two aggregates from the mean difference of their terms. For geometric means it is the
    /// difference of their logarithms.
    pub fn difference(self, mean: f64, n: usize) -> f64 {
        if self == Aggregate::Sum { mean * n as f64 } else { mean }
    }
}

/// What a measure reads besides the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Judgments, which give each document a grade.
    Judgments,
    /// Judgments, and lengths of documents.
    Documents,
    /// Judgments by subtopic.
    Subtopics,
    /// Judgments of a stratified pool.
    Strata,
    /// Judgments with probabilities of inclusion.
    Inclusion,
}

impl Needs {
    /// What judgments must say besides the grade of a document.
    pub fn detail(self) -> Option<Detail> {
        match self {
            Needs::Judgments | Needs::Documents => None,
            Needs::Subtopics => Some(Detail::Subtopics),
            Needs::Strata => Some(Detail::Strata),
            Needs::Inclusion => Some(Detail::Inclusion),
        }
    }
}
