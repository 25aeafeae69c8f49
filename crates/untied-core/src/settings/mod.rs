//! How to evaluate: one table of policies, with the names and meanings of their values.
//!
//! [`Policy::read`] checks a value, and [`Settings::new`] values together. The command line, Python and pages take names,
//! help texts and refusals from [`POLICIES`], and the documentation is generated from it.

mod adjust;
mod on_undefined;
mod policy;
mod queries;
mod score_dtype;
mod ties;
mod unjudged;
mod unretrieved;

pub use adjust::{ADJUST, Adjust};
pub use on_undefined::{ON_UNDEFINED, Undefined};
pub use policy::{Choice, ChoiceInfo, Clash, Listed, Policy, PolicyInfo, Purpose};
pub use queries::{QUERIES, Queries};
pub use score_dtype::SCORE_DTYPE;
pub use ties::{TIES, Ties};
pub use unjudged::{UNJUDGED, UNJUDGED_OF_VERDICTS, Unjudged};
pub use unretrieved::{UNRETRIEVED, UNRETRIEVED_OF_VERDICTS};

use crate::error::{Error, Result, show};
use crate::ranking::Precision;

/// All policies; two of one name serve different purposes.
pub static POLICIES: [&dyn Listed; 9] = [
    &TIES,
    &UNJUDGED,
    &UNJUDGED_OF_VERDICTS,
    &UNRETRIEVED,
    &UNRETRIEVED_OF_VERDICTS,
    &SCORE_DTYPE,
    &QUERIES,
    &ON_UNDEFINED,
    &ADJUST,
];

/// Values that cannot be combined.
pub static CLASHES: [Clash; 3] = [
    Clash {
        one: ("score_dtype", &["float64", "float16", "bfloat16", "decimals=N"]),
        other: ("ties", &["trec"]),
        sentence: "ties 'trec' reads scores as float32; it cannot be combined with another score_dtype",
    },
    Clash {
        one: ("unretrieved", &["none", "pooled"]),
        other: ("unjudged", &["nonrelevant", "remove"]),
        sentence: "unretrieved '{}' has no effect unless unjudged is range, best or worst",
    },
    Clash {
        one: ("adjust", &["chance"]),
        other: ("unjudged", &["range", "best", "worst"]),
        sentence: "adjust '{}' needs unjudged nonrelevant or remove",
    },
];

/// Why other values are refused where one is needed.
const ONE_VALUE: &str = "here a result is one value; use best and worst instead";

/// Which value counts of all that a policy leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Take {
    /// The mean.
    #[default]
    Mean,
    /// The best, measure by measure.
    Best,
    /// The worst, measure by measure.
    Worst,
    /// The mean, the lowest and the highest.
    Range,
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
    /// Whether only documents of the pool get other grades than 0, where unjudged documents do; only for verdicts.
    pub pool_only: bool,
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

/// The policies of a purpose, each with its values; the first value is the default.
pub fn policies(on: Purpose) -> impl Iterator<Item = (&'static dyn Listed, Vec<ChoiceInfo>)> {
    let values = move |&policy: &&'static dyn Listed| (policy, policy.choices(on));
    POLICIES.iter().map(values).filter(|(_, values)| !values.is_empty())
}

/// The policy of a purpose by its name.
///
/// # Errors
/// The purpose has no such policy.
pub fn policy(on: Purpose, name: &str) -> Result<&'static dyn Listed> {
    let policy = policies(on).map(|(policy, _)| policy).find(|policy| policy.info().name == name);
    policy.ok_or_else(|| Error::Value(format!("'{}' is no policy of {}", show(name.as_bytes()), on.name())))
}

/// The error for values that cannot be combined; none if all can. The default of a policy clashes only if the policy is
/// among those that were typed.
pub fn clash(on: Purpose, chosen: &[(&str, &str)], typed: &[&str]) -> Option<String> {
    let value = |name: &str| chosen.iter().find(|policy| policy.0 == name).map(|policy| policy.1);
    let default =
        |name: &str| policies(on).find(|(policy, _)| policy.info().name == name).map(|(_, values)| values[0].name);
    let is_among = |names: &[&str], value: &str| {
        let matches = |name: &str| name.strip_suffix('N').is_some_and(|start| value.starts_with(start));
        names.iter().any(|&name| name == value || matches(name))
    };
    CLASHES.iter().find_map(|clash| {
        let (one, other) = (value(clash.one.0)?, value(clash.other.0).or_else(|| default(clash.other.0))?);
        let counts = typed.contains(&clash.one.0) || default(clash.one.0) != Some(one);
        let clashes = counts && is_among(clash.one.1, one) && is_among(clash.other.1, other);
        clashes.then(|| clash.sentence.replace("{}", one))
    })
}

impl Settings {
    /// Settings by the names of policies and of their values; the others are those of [`Settings::default`]. This is the only
    /// check of values together.
    ///
    /// # Errors
    /// The purpose has no such policy or value, or two values cannot be combined.
    pub fn new(on: Purpose, chosen: &[(&str, &str)]) -> Result<Settings> {
        let mut settings = Settings::default();
        for &(name, value) in chosen {
            policy(on, name)?;
            match name {
                "ties" => settings.ties = TIES.read(on, value)?,
                "unjudged" if on == Purpose::Verdicts => settings.pool_only = UNJUDGED_OF_VERDICTS.read(on, value)?,
                "unjudged" => settings.unjudged = UNJUDGED.read(on, value)?,
                "unretrieved" if on == Purpose::Verdicts => {
                    settings.pooled = UNRETRIEVED_OF_VERDICTS.read(on, value)?;
                }
                "unretrieved" => settings.pooled = UNRETRIEVED.read(on, value)?,
                "score_dtype" => settings.precision = SCORE_DTYPE.read(on, value)?,
                "queries" => settings.queries = QUERIES.read(on, value)?,
                "on_undefined" => settings.undefined = ON_UNDEFINED.read(on, value)?,
                _ => settings.adjust = ADJUST.read(on, value)?,
            }
        }
        if let Some(sentence) = clash(on, chosen, &[]) {
            return Err(Error::Value(sentence));
        }
        settings.precision = settings.ties.precision.unwrap_or(settings.precision);
        Ok(settings)
    }

    /// Whether values have a lowest and a highest one.
    pub fn has_range(&self) -> bool {
        self.ties.take == Take::Range || self.unjudged.take == Take::Range
    }
}
