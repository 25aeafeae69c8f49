//! The measures: one file each or one for a close family, with everything about it.
//!
//! A measure reads a [`Ranking`] whose tie groups may be larger than one and returns its exact mean over all
//! orders of the groups. On groups of one that *is* the ordinary measure, so there is one formula for both.
//! To add a measure: one file with a [`Definition`] and the formula; one line in `registry`.

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
pub mod defined;
pub(crate) mod diversity;
pub(crate) mod dynamic_recall;
pub mod formula;
mod graded;
pub(crate) mod hits;
pub(crate) mod inclusion;
pub(crate) mod inferred;
pub(crate) mod interpolated;
pub(crate) mod inverted_recall;
pub(crate) mod judged;
pub(crate) mod ndcg_points;
mod novelty;
pub(crate) mod orders;
pub(crate) mod rank_biased_precision;
pub(crate) mod reciprocal_rank;
pub(crate) mod search_length;
pub(crate) mod sets;
pub(crate) mod share;
pub(crate) mod stratified;
pub(crate) mod stratified_gain;
pub(crate) mod subcollection;
mod subtopics;
pub(crate) mod success;
pub(crate) mod time_biased_gain;
pub(crate) mod u_measure;
pub(crate) mod utility;
pub mod variants;
pub(crate) mod yaap;

pub use orders::sampling::DRAWN_AT_LEAST;

use crate::error::Result;
use crate::names::{RecallBase, Spec};
use crate::ranking::Ranking;
use crate::table::Judgments;
use bounds::{Bounds, Open};
use formula::Formula;

/// Makes a measure from its name, parameters and cutoff.
pub type Build = fn(&Spec, &Scope<'_>) -> Result<Box<dyn Measure>>;

/// A measure of one ranking: its facts, and how it is made.
pub type Definition = crate::names::Definition<Build>;

/// What a measure has to be ready for.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// Most documents that a ranking and judgments hold together.
    pub depth: usize,
    /// All grades in the qrels, highest first.
    pub grades: &'a [f64],
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
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64;

    /// Exact variance over all orders of the tie groups; NaN where it is not known.
    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64;

    /// Smallest and largest value over all orders of the tie groups.
    ///
    /// Right as it stands for every measure that never falls when a higher grade moves up past a lower one;
    /// others override it.
    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
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
    fn certainty(&self, _ranking: &Ranking, _truth: &Judgments<'_>) -> Certainty {
        Certainty::Exact
    }

    /// The user's formula, if it is one: it may fail, and has more to say about how sure it is.
    fn formula(&self) -> Option<&Formula> {
        None
    }
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

    fn relevant(self, rel: f64, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
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
