//! The measures: one file each or one for a close family, with everything about it.
//!
//! A measure reads a [`Ranking`] whose tie groups may be larger than one and returns its exact mean over all
//! orders of the groups. On groups of one that *is* the ordinary measure, so there is one formula for both.
//! To add a measure: one file with an [`Info`], a builder and the formula; one line in `registry`.

pub(crate) mod accuracy;
pub(crate) mod average_precision;
pub(crate) mod binary_gain;
pub mod bounds;
pub(crate) mod bpref;
pub(crate) mod cascade;
pub(crate) mod compatibility;
pub(crate) mod concordance;
pub(crate) mod cost_gain;
pub(crate) mod counts;
pub(crate) mod cwl;
pub(crate) mod dcg;
mod dcg_bounds;
pub mod defined;
pub(crate) mod diversity;
pub(crate) mod drawing;
pub(crate) mod dynamic_recall;
mod filling;
pub mod formula;
mod gaps;
mod graded;
pub(crate) mod hits;
pub(crate) mod inclusion;
pub(crate) mod inferred;
pub(crate) mod interpolated;
mod interpolated_bounds;
pub(crate) mod inverted_recall;
pub(crate) mod judged;
mod lattice;
pub(crate) mod ndcg_points;
mod novelty;
pub(crate) mod rank_biased_precision;
pub(crate) mod reciprocal_rank;
pub(crate) mod sampling;
pub(crate) mod search_length;
pub(crate) mod sets;
pub(crate) mod share;
mod spec;
pub(crate) mod stratified;
pub(crate) mod stratified_gain;
pub(crate) mod subcollection;
mod subtopics;
pub(crate) mod success;
pub(crate) mod time_biased_gain;
pub(crate) mod u_measure;
pub(crate) mod utility;
pub mod variants;
pub(crate) mod walk;
pub(crate) mod yaap;

pub use sampling::DRAWN_AT_LEAST;
pub(crate) use spec::LARGEST;
pub use spec::{Spec, Value};

use crate::error::Result;
use crate::ranking::Ranking;
use crate::table::Truth;
use crate::table::profiles::Detail;
use bounds::{Bounds, Open};
use formula::Formula;

/// What there is to know about a measure: the source of help texts, pages and tooltips.
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
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// How the values of queries are put together; sums are of whole numbers.
    pub aggregate: Aggregate,
    /// Whether the best order is the one with the lowest value.
    pub lower_is_better: bool,
    /// What it reads.
    pub needs: Needs,
    /// Range of its values.
    pub range: &'static str,
    /// The definition, on one total order.
    pub equation: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Make the measure.
    pub build: fn(&Spec, &Scope<'_>) -> Result<Box<dyn Measure>>,
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
    #[must_use]
    pub fn detail(self) -> Option<Detail> {
        match self {
            Needs::Judgments | Needs::Documents => None,
            Needs::Subtopics => Some(Detail::Subtopics),
            Needs::Strata => Some(Detail::Strata),
            Needs::Inclusion => Some(Detail::Inclusion),
        }
    }
}

/// A parameter of a measure.
#[derive(Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its value where none is given, as it would be written; empty if it has to be given.
    pub default: &'static str,
    /// What it does, and the values it takes.
    pub help: &'static str,
}

/// Lowest grade that counts as relevant.
pub const REL: Parameter = Parameter { name: "rel", default: "1", help: "lowest relevant grade, a number above 0" };
/// What recall is measured against.
pub const RECALL_BASE: Parameter = Parameter {
    name: "recall_base",
    default: "'qrels'",
    help: "R: the relevant documents in the 'qrels', those in the 'ranking', or an integer",
};
/// The range of a measure that divides by [`RECALL_BASE`].
const SHARE: &str = "0 to 1; above 1 only where recall_base is an integer below R";
/// The range of a sum of discounted gains.
const GAINED: &str = "0 or more; any number where gains or discounts are negative";
/// Ignore what is not judged.
pub const JUDGED_ONLY: Parameter = Parameter {
    name: "judged_only",
    default: "False",
    help: "drop unjudged documents from the ranking first (as --unjudged remove)",
};

/// The measure that another one is of; written without its name, first.
pub const OF: Parameter = Parameter { name: "of", default: "", help: "the measure" };
/// Recall level of `@x`.
pub const RECALL: Parameter = Parameter { name: "recall", default: "", help: "recall level, from 0 to 1" };
/// How the values of queries are put together: of every measure that has a mean.
pub static MEAN: Parameter = Parameter {
    name: "mean",
    default: "'arithmetic'",
    help: "mean over queries, 'arithmetic' or 'geometric' (of values of at least 0.00001)",
};

/// There is one [`Info`] a measure.
impl PartialEq for Info {
    fn eq(&self, other: &Info) -> bool {
        std::ptr::eq(self, other)
    }
}

/// What a measure has to be ready for.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// Most documents that a ranking and judgments hold together.
    pub depth: usize,
    /// All grades in the qrels, highest first.
    pub grades: &'a [f64],
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

/// A ranking with its best and its worst order.
#[derive(Debug, Default)]
pub struct Orders {
    /// As it is, ties and all.
    pub tied: Ranking,
    /// See [`crate::ranking::best`].
    pub best: Ranking,
    /// See [`crate::ranking::worst`].
    pub worst: Ranking,
}

/// How sure a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Mean, variance and extremes are exact, up to the rounding of floating point.
    Exact,
    /// The mean is exact; smallest and largest value enclose all values, but need not be reached.
    Interval,
    /// Mean and variance are estimated from a sample.
    Estimate,
}

/// A measure with its parameters, ready to be computed. NaN stands for *undefined*.
pub trait Measure: Send + Sync {
    /// Exact mean over all orders of the tie groups.
    fn mean(&self, ranking: &Ranking, truth: &Truth<'_>) -> f64;

    /// Exact variance over all orders of the tie groups; NaN where it is not known.
    fn variance(&self, ranking: &Ranking, truth: &Truth<'_>) -> f64;

    /// Smallest and largest value over all orders of the tie groups.
    ///
    /// Right as it stands for every measure that never falls when a higher grade moves up past a lower one;
    /// others override it.
    fn extremes(&self, orders: &Orders, truth: &Truth<'_>) -> (f64, f64) {
        (self.mean(&orders.worst, truth), self.mean(&orders.best, truth))
    }

    /// Smallest and largest value over all assignments of grades to unjudged documents, if that is known.
    fn bounds(&self, _open: &Open<'_>) -> Option<Bounds> {
        None
    }

    /// Whether the variance is not over orders of ties alone, and so not 0 for one order.
    fn varies_in_one_order(&self) -> bool {
        false
    }

    /// How sure the values for this ranking are; asked only where documents are tied.
    fn certainty(&self, _ranking: &Ranking, _truth: &Truth<'_>) -> Certainty {
        Certainty::Exact
    }

    /// The user's formula, if it is one: it may fail, and has more to say about how sure it is.
    fn formula(&self) -> Option<&Formula> {
        None
    }
}

/// R, the number of relevant documents that recall is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RecallBase {
    /// All relevant documents of the qrels, as trec_eval.
    Qrels,
    /// Those in the ranking, as McSherry & Najork.
    Ranking,
    /// So many.
    Number(usize),
}

impl RecallBase {
    /// R by the number of open documents that are relevant, those retrieved and those not.
    fn open(self, rel: f64, open: &Open<'_>) -> impl Fn(usize, usize) -> f64 {
        let known = self.relevant(rel, open.ranking, open.truth);
        move |retrieved, others| match self {
            RecallBase::Qrels => known + (retrieved + others) as f64,
            RecallBase::Ranking => known + retrieved as f64,
            RecallBase::Number(_) => known,
        }
    }

    fn relevant(self, rel: f64, ranking: &Ranking, truth: &Truth<'_>) -> f64 {
        match self {
            RecallBase::Qrels => truth.relevant(rel) as f64,
            RecallBase::Ranking => ranking.relevant(rel) as f64,
            RecallBase::Number(number) => number as f64,
        }
    }
}

/// The sum of `term(0) .. term(n - 1)` in four interleaved parts, which a processor adds up at the same time; always
/// the same parts, so always the same bits.
#[inline]
fn sum(n: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut parts = [0.0; 4];
    let whole = n - n % 4;
    let mut i = 0;
    while i < whole {
        for (lane, part) in parts.iter_mut().enumerate() {
            *part += term(i + lane);
        }
        i += 4;
    }
    let rest: f64 = (whole..n).map(term).sum();
    (parts[0] + parts[1]) + (parts[2] + parts[3]) + rest
}
