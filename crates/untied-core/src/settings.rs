//! How to evaluate: policies and their names, the same on the command line and in Python.

use crate::error::{Error, Result, alternatives, show};
use crate::ranking::{Layout, Precision};

/// What becomes of tied documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// Mean over all orders.
    #[default]
    Expected,
    /// By document id, descending.
    Document,
    /// As the input has them.
    Given,
    /// The order with the highest value, measure by measure.
    Best,
    /// The order with the lowest value, measure by measure.
    Worst,
    /// Mean, lowest and highest value.
    Range,
}

/// What becomes of documents that are not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unjudged {
    /// They are taken to be non-relevant.
    #[default]
    Nonrelevant,
    /// They are taken out of the ranking.
    Remove,
    /// They get the grades that make the value largest.
    Best,
    /// They get the grades that make the value smallest.
    Worst,
    /// They are taken to be non-relevant for the mean; lowest and highest value are over all grades they may have.
    Range,
}

/// Which queries count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Queries {
    /// All of the qrels; those that the run lacks as an empty ranking.
    #[default]
    Qrels,
    /// Those that are in both.
    Common,
}

/// What becomes of values that are not defined (no relevant document, for most measures).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Undefined {
    /// They are 0.
    #[default]
    Zero,
    /// They are NaN, and left out of the mean.
    Nan,
    /// They are an error.
    Raise,
}

/// What values are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Adjust {
    /// Nothing.
    #[default]
    None,
    /// A random order of the retrieved documents, which has 0, and the best one, which has 1.
    Chance,
}

/// How to evaluate.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// See [`Ties`].
    pub ties: Ties,
    /// See [`Unjudged`].
    pub unjudged: Unjudged,
    /// See [`Precision`].
    pub precision: Precision,
    /// See [`Queries`].
    pub queries: Queries,
    /// Whether documents of the pool (with a negative grade) that are not retrieved get grades too, where unjudged
    /// documents do.
    pub pooled: bool,
    /// See [`Undefined`].
    pub undefined: Undefined,
    /// See [`Adjust`].
    pub adjust: Adjust,
    /// Whether to compute variances over tie orders.
    pub variance: bool,
    /// How many documents of a query count, the others are cut off; only for orders without ties.
    pub depth: Option<usize>,
    /// Whether a query that the run lacks is a ranking of one document that nobody judged, instead of an empty one.
    pub placeholder: bool,
}

impl Ties {
    /// How the policy lays tied documents out.
    pub fn layout(self) -> Layout {
        match self {
            Ties::Document => Layout::ByDocument,
            Ties::Given => Layout::AsGiven,
            Ties::Expected | Ties::Best | Ties::Worst | Ties::Range => Layout::Tied,
        }
    }
}

/// Tie policies; the first four give one order or a mean, which is all there is without an order that is best.
const TIES: [(&str, Ties); 7] = [
    ("expected", Ties::Expected),
    ("docid", Ties::Document),
    ("trec", Ties::Document),
    ("given", Ties::Given),
    ("best", Ties::Best),
    ("worst", Ties::Worst),
    ("range", Ties::Range),
];

/// The layout of tied documents and the precision of scores by their names, where no order is best or worst.
///
/// # Errors
/// Nothing has such a name, or ties `trec` meets another precision.
pub fn layout(ties: &str, score_dtype: &str) -> Result<(Layout, Precision)> {
    order(&TIES[..4], ties, score_dtype).map(|(ties, precision)| (ties.layout(), precision))
}

/// The precision of scores by its name.
///
/// # Errors
/// Nothing has such a name.
pub fn precision(score_dtype: &str) -> Result<Precision> {
    let known = "float64, float32, float16, bfloat16 or decimals=N";
    Precision::parse(score_dtype).ok_or_else(|| unknown("score_dtype", known, score_dtype))
}

/// Ties `trec` is `docid` over 32-bit scores.
fn order(known: &[(&str, Ties)], ties: &str, score_dtype: &str) -> Result<(Ties, Precision)> {
    let precision = precision(score_dtype)?;
    let policy = named("ties", known, ties)?;
    match (ties, precision) {
        ("trec", Precision::Float64 | Precision::Float32) => Ok((policy, Precision::Float32)),
        ("trec", _) => Err(Error::Value(
            "ties 'trec' reads scores as float32; it cannot be combined with another score_dtype".into(),
        )),
        _ => Ok((policy, precision)),
    }
}

impl Settings {
    /// Whether values have a lowest and a highest one.
    pub fn has_range(&self) -> bool {
        self.ties == Ties::Range || self.unjudged == Unjudged::Range
    }

    /// The tie policy and the precision of scores by their names; `trec` is `docid` over 32-bit scores.
    ///
    /// # Errors
    /// Nothing has such a name, or `trec` meets another precision.
    pub fn set_ties(&mut self, ties: &str, score_dtype: &str) -> Result<()> {
        (self.ties, self.precision) = order(&TIES, ties, score_dtype)?;
        Ok(())
    }

    /// The policy for unjudged documents by its name.
    ///
    /// # Errors
    /// Nothing has this name.
    pub fn set_unjudged(&mut self, name: &str) -> Result<()> {
        let known = [
            ("nonrelevant", Unjudged::Nonrelevant),
            ("remove", Unjudged::Remove),
            ("best", Unjudged::Best),
            ("worst", Unjudged::Worst),
            ("range", Unjudged::Range),
        ];
        self.unjudged = named("unjudged", &known, name)?;
        Ok(())
    }

    /// Which queries count, by name.
    ///
    /// # Errors
    /// Nothing has this name.
    pub fn set_queries(&mut self, name: &str) -> Result<()> {
        self.queries = named("queries", &[("qrels", Queries::Qrels), ("common", Queries::Common)], name)?;
        Ok(())
    }

    /// What becomes of documents of the pool that are not retrieved, by name.
    ///
    /// # Errors
    /// Nothing has this name.
    pub fn set_unretrieved(&mut self, name: &str) -> Result<()> {
        self.pooled = named("unretrieved", &[("none", false), ("pooled", true)], name)?;
        Ok(())
    }

    /// What values are relative to, by name.
    ///
    /// # Errors
    /// Nothing has this name.
    pub fn set_adjust(&mut self, name: &str) -> Result<()> {
        self.adjust = named("adjust", &[("none", Adjust::None), ("chance", Adjust::Chance)], name)?;
        Ok(())
    }

    /// What becomes of undefined values, by name.
    ///
    /// # Errors
    /// Nothing has this name.
    pub fn set_undefined(&mut self, name: &str) -> Result<()> {
        let known = [("zero", Undefined::Zero), ("nan", Undefined::Nan), ("raise", Undefined::Raise)];
        self.undefined = named("on_undefined", &known, name)?;
        Ok(())
    }
}

/// What a name stands for.
fn named<T: Copy>(option: &str, known: &[(&str, T)], name: &str) -> Result<T> {
    known.iter().find(|one| one.0 == name).map(|one| one.1).ok_or_else(|| {
        let names: Vec<String> = known.iter().map(|one| one.0.to_owned()).collect();
        unknown(option, &alternatives(&names), name)
    })
}

fn unknown(option: &str, values: &str, found: &str) -> Error {
    Error::Value(format!("{option} must be {values}, not '{}'", show(found.as_bytes())))
}
