//! The facts about a measure.

use super::Parameter;
use crate::elementary::{exp, ln};
use crate::table::profiles::Detail;

/// The facts of a measure: the source of help texts, pages and tooltips.
#[derive(Debug)]
pub struct Info {
    /// Canonical name.
    pub name: &'static str,
    /// Other names it is known by, compared without case; `_k` or `.k` after one of them is a cutoff.
    pub aliases: &'static [&'static str],
    /// What it measures, in a few words.
    pub title: &'static str,
    /// Whether it takes a cutoff `@k`.
    pub cutoff: Cutoff,
    /// The parameter that numbers after `_` or `.` stand for, where it is not the cutoff: `iprec_at_recall_0.10`.
    pub trailing: Option<&'static str>,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The parameter that, where it is given, makes every positive grade gain something: `rel` is refused then.
    pub instead_of_rel: Option<&'static str>,
    /// Parameters of `ir_measures` that make another measure of it.
    pub others: &'static [Other],
    /// How the values of queries are put together; sums are of whole numbers.
    pub aggregate: Aggregate,
    /// Whether the best order is the one with the lowest value.
    pub lower_is_better: bool,
    /// Whether no order of the retrieved documents changes it, unless it has a cutoff.
    pub is_of_set: bool,
    /// What it reads.
    pub needs: Needs,
    /// Range of its values.
    pub range: &'static str,
    /// The definition, on one total order.
    pub equation: &'static str,
    /// The same in TeX, which takes a line break for a blank.
    pub tex: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Where orders of ties are sampled, or something is left out.
    pub sampled: &'static [Sampled],
    /// Why bounds over the grades of unjudged documents are not known, where that is so.
    pub unbounded: Option<&'static str>,
    /// Whether a user has defined it: its parameters are its own, whatever they are called.
    pub by_user: bool,
}

/// The range of a measure that divides by R.
pub(crate) const SHARE: &str = "0 to 1; above 1 only if recall_base is an integer below R";
/// The range of a sum of discounted gains.
pub(crate) const GAINED: &str = "0 or more; any number if gains or discounts are negative";

impl Info {
    /// A measure whose values lie from 0 to 1, are averaged, and are better the higher they are.
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
        by_user: false,
    };

    /// The parameter that is a number between 0 and 1 by default.
    pub(super) fn fraction(&self) -> Option<&'static Parameter> {
        let is_fraction = |number: f64| number > 0.0 && number < 1.0;
        self.parameters.iter().find(|one| one.default.parse().is_ok_and(is_fraction))
    }

    /// The measure of these facts that is made by `build`.
    pub const fn built_by<B: Copy>(self, build: B) -> Definition<B> {
        Definition { info: self, build }
    }
}

/// There is one [`Info`] a measure.
impl PartialEq for Info {
    fn eq(&self, other: &Info) -> bool {
        std::ptr::eq(self, other)
    }
}

/// A measure: its facts, and how it is made.
#[derive(Debug)]
pub struct Definition<B> {
    /// Its facts.
    pub info: Info,
    /// Make it.
    pub build: B,
}

/// When an exact way takes too long, and what values are then.
#[derive(Debug)]
pub struct Sampled {
    /// All is exact unless this holds.
    pub unless: &'static str,
    /// What values are then.
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

    /// Whether the mean is an estimate then.
    pub fn is_of_mean(&self) -> bool {
        ![Sampled::NO_VARIANCE, Sampled::BOUNDS].contains(&self.then)
    }
}

/// Why bounds over the grades of unjudged documents are not known.
pub(crate) mod unbounded {
    pub const IDEAL: &str = "the grades of unjudged documents change the ideal ranking, or the last rank that counts";
    pub const WEIGHTS: &str = "the grades of unjudged documents change the weights of ranks";
    pub const PAIRS: &str = "the grades of unjudged documents change which pairs of documents are compared";
    pub const GROUPS: &str = "it is unknown to which group of the ground truth an unjudged document belongs";
    pub const SUBTOPICS: &str = "a document may have a grade for each subtopic";
    pub const ESTIMATOR: &str = "the measure itself makes an assumption about unjudged documents";
}

/// What a parameter makes of a measure: `SetP(relative=True)` is another one, `SetP(relative=False)` is itself.
#[derive(Debug)]
pub struct Other {
    /// The parameter.
    pub parameter: &'static str,
    /// Its value as it is written, which says no more than that; with any value where there is none, and then the
    /// other measure has the parameter too.
    pub value: Option<&'static str>,
    /// The other measure, if it is one.
    pub info: Option<&'static Info>,
}

/// Whether a measure takes a cutoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cutoff {
    /// `@k` is needed.
    Required,
    /// `@k` may be given; without it the whole ranking counts.
    Optional,
    /// There is none.
    None,
    /// `@x` is a recall level, kept as the parameter `recall`; it is needed.
    Recall,
}

impl Cutoff {
    /// All of them with their names.
    pub const NAMES: [(&str, Cutoff); 4] = [
        ("required", Cutoff::Required),
        ("optional", Cutoff::Optional),
        ("none", Cutoff::None),
        ("recall", Cutoff::Recall),
    ];

    /// What the facts of a measure say.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// How values of queries are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// Their arithmetic mean.
    Mean,
    /// Their geometric mean; values below 0.00001 count as that.
    Geometric,
    /// Their sum.
    Sum,
}

/// Values below this count as this in a geometric mean, as trec_eval has it.
pub const GEOMETRIC_FLOOR: f64 = 1e-5;

impl Aggregate {
    /// What a value adds to a sum over queries: of a geometric mean, its logarithm. NaN stays NaN.
    #[inline(always)]
    pub fn term(self, value: f64) -> f64 {
        match self {
            Aggregate::Geometric if !value.is_nan() => ln(value.max(GEOMETRIC_FLOOR)),
            _ => value,
        }
    }

    /// The aggregate from the sum of terms of `n` queries; NaN of none, but for sums.
    pub fn of_sum(self, sum: f64, n: f64) -> f64 {
        match self {
            Aggregate::Sum => sum,
            Aggregate::Mean => sum / n,
            Aggregate::Geometric => exp(sum / n),
        }
    }

    /// The difference of two aggregates, from the mean difference of their terms: of geometric means, of their logarithms.
    pub fn difference(self, mean: f64, n: usize) -> f64 {
        if self == Aggregate::Sum { mean * n as f64 } else { mean }
    }
}

/// What a measure reads besides the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Judgments: a grade a document.
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
    /// What judgments must say besides a grade.
    pub fn detail(self) -> Option<Detail> {
        match self {
            Needs::Judgments | Needs::Documents => None,
            Needs::Subtopics => Some(Detail::Subtopics),
            Needs::Strata => Some(Detail::Strata),
            Needs::Inclusion => Some(Detail::Inclusion),
        }
    }
}
