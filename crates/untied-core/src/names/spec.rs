//! A measure with its parameters and cutoff, and how it is written: `nDCG(gain='exp2')@10`.

use std::fmt;

use super::{Aggregate, Cutoff, Info, JUDGED_ONLY, MEAN, OF, Other, Parameter, RECALL, RecallBase};
use crate::error::{Error, Result, alternatives, quote};
use crate::table::profiles::Detail;

/// A measure with the parameters and the cutoff that a user asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The facts of the measure.
    pub info: &'static Info,
    /// The cutoff, as in `@k`.
    pub cutoff: Option<usize>,
    /// Parameters that differ from their defaults, by name.
    parameters: Vec<(&'static str, Value)>,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A string in quotes.
    Text(String),
    /// `True` or `False`.
    Flag(bool),
    /// A table such as `{0: 0, 1: 1, 2: 3}`, sorted by key.
    Table(Vec<(f64, f64)>),
    /// A list of numbers such as `[1, 0.5]`.
    List(Vec<f64>),
    /// A measure such as `nDCG@20`.
    Measure(Box<Spec>),
}

/// Whether a number may be a parameter or a gain: it is 0, or has a magnitude from 1e-60 to 1e60. Sums of products of a
/// gain and a discount, and their squares, are finite then, and do not vanish.
pub(crate) fn is_in_range(number: f64) -> bool {
    number == 0.0 || (1e-60..=1e60).contains(&number.abs())
}

impl Value {
    /// All numbers in the value, also those of tables and lists.
    fn numbers(&self) -> Vec<f64> {
        match self {
            Value::Number(number) => vec![*number],
            Value::List(list) => list.clone(),
            Value::Table(table) => table.iter().flat_map(|&(key, value)| [key, value]).collect(),
            Value::Text(_) | Value::Flag(_) | Value::Measure(_) => Vec::new(),
        }
    }

    /// Makes a table, and sorts its keys.
    ///
    /// # Errors
    /// A key appears twice, or a number is not finite.
    pub fn table(mut table: Vec<(f64, f64)>) -> Result<Value> {
        table.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(pair) = table.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::Measure(format!("the table has two values for {}", pair[0].0)));
        }
        match table.iter().find(|(key, value)| !key.is_finite() || !value.is_finite()) {
            Some((key, value)) => Err(Error::Measure(format!("a table needs finite numbers, not {key}: {value}"))),
            None => Ok(Value::Table(table)),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn join(items: impl Iterator<Item = String>) -> String {
            items.collect::<Vec<_>>().join(", ")
        }
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => write!(f, "'{text}'"),
            Value::Flag(flag) => f.write_str(if *flag { "True" } else { "False" }),
            Value::Table(table) => {
                write!(f, "{{{}}}", join(table.iter().map(|(key, value)| format!("{key}: {value}"))))
            }
            Value::List(list) => write!(f, "[{}]", join(list.iter().map(f64::to_string))),
            Value::Measure(spec) => write!(f, "{spec}"),
        }
    }
}

/// Writes the canonical spelling, which all tables print.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)?;
        let (recall, others): (Vec<_>, Vec<_>) = self.parameters.iter().partition(|(name, _)| *name == RECALL.name);
        let written = |(name, value): &&(&str, Value)| match value {
            Value::Measure(spec) => spec.to_string(),
            _ => format!("{name}={value}"),
        };
        let others: Vec<String> = others.iter().map(written).collect();
        if !others.is_empty() {
            write!(f, "({})", others.join(", "))?;
        }
        if let Some(cutoff) = self.cutoff {
            write!(f, "@{cutoff}")?;
        }
        recall.iter().try_for_each(|(_, level)| write!(f, "@{level}"))
    }
}

impl Spec {
    /// A measure without cutoff and parameters.
    pub fn of(info: &'static Info) -> Spec {
        Spec { info, cutoff: None, parameters: Vec::new() }
    }

    /// Adds a cutoff.
    ///
    /// # Errors
    /// The cutoff is 0, or the measure takes none.
    pub fn at(mut self, cutoff: usize) -> Result<Spec> {
        if matches!(self.info.cutoff, Cutoff::None | Cutoff::Recall) {
            return Err(Error::Measure(format!("{} takes no cutoff, found @{cutoff}", self.info.name)));
        }
        if cutoff == 0 {
            return Err(Error::Measure(format!("{}: a cutoff must be at least 1, found @0", self.info.name)));
        }
        self.cutoff = Some(cutoff);
        Ok(self)
    }

    /// Adds the number after `@`, which is a cutoff or a recall level.
    ///
    /// # Errors
    /// As [`Spec::at`] and [`Spec::with`]; or a cutoff is not a whole number.
    pub fn at_number(self, number: f64) -> Result<Spec> {
        match self.info.cutoff {
            Cutoff::Recall => match self.parameter(RECALL.name) {
                Some(given) => {
                    Err(Error::Measure(format!("{}: recall is given twice: {given} and {number}", self.info.name)))
                }
                None => self.with(RECALL.name, Value::Number(number)),
            },
            Cutoff::None => Err(Error::Measure(format!("{} takes no cutoff, found @{number}", self.info.name))),
            _ if number >= 0.0 && number.fract() == 0.0 && number < 1e15 => self.at(number as usize),
            _ => {
                let parameter = self.info.fraction().filter(|_| number > 0.0 && number < 1.0);
                let instead = parameter.map_or_else(String::new, |parameter| {
                    format!("; write {}({}={number})", self.info.name, parameter.name)
                });
                let name = self.info.name;
                Err(Error::Measure(format!("{name}: a cutoff must be a whole number, not {number}{instead}")))
            }
        }
    }

    /// A parameter's name and value as we write them; the measures of users have no other spellings.
    pub(crate) fn spelled<'n>(&self, name: &'n str, value: Value) -> (&'n str, Value) {
        if self.info.by_user { (name, value) } else { own_spelling(name, value) }
    }

    /// All parameters that the measure takes, also `mean` if its values are averaged.
    fn known(&self) -> impl Iterator<Item = &'static Parameter> {
        self.info.parameters.iter().chain((self.info.aggregate == Aggregate::Mean).then_some(&MEAN))
    }

    /// Adds a parameter, which may have the name that another library uses for it.
    ///
    /// # Errors
    /// The measure has no such parameter. Values are checked when the measure is made.
    pub fn with(mut self, name: &str, value: Value) -> Result<Spec> {
        let says =
            |other: &&Other| other.parameter == name && other.value.is_none_or(|written| value.to_string() == written);
        if let Some(other) = self.info.others.iter().find(says) {
            self.info = other.info.unwrap_or(self.info);
            if other.value.is_some() {
                return Ok(self);
            }
        }
        let (name, value) = self.spelled(name, value);
        let Some(parameter) = self.known().find(|parameter| parameter.name == name) else {
            let known: Vec<&str> = self.known().map(|parameter| parameter.name).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            return Err(Error::Measure(format!(
                "{} has no parameter {}; it has: {known}",
                self.info.name,
                quote(name.as_bytes())
            )));
        };
        self.parameters.retain(|(other, _)| *other != parameter.name);
        if value.to_string() != parameter.default {
            self.parameters.push((parameter.name, value));
        }
        let order: Vec<&str> = self.known().map(|parameter| parameter.name).collect();
        self.parameters.sort_by_key(|(name, _)| order.iter().position(|other| other == name));
        Ok(self)
    }

    /// The names of the parameters that differ from their defaults.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        self.parameters.iter().map(|(name, _)| *name).collect()
    }

    /// Checks what can be checked before the measure is built.
    ///
    /// # Errors
    /// A cutoff is missing, a parameter that many measures have has a value it cannot take, or `rel` has no effect.
    pub fn check(&self) -> Result<()> {
        let name = self.info.name;
        if self.info.cutoff == Cutoff::Required && self.cutoff.is_none() {
            return Err(Error::Measure(format!("{name} needs a cutoff, for instance {name}@10")));
        }
        if self.info.cutoff == Cutoff::Recall && self.parameter(RECALL.name).is_none() {
            return Err(Error::Measure(format!("{name} needs a recall level, for instance {name}@0.1")));
        }
        if let (Some(_), Some(other)) = (self.parameter("rel"), self.instead_of_rel()) {
            return Err(Error::Measure(format!("{self}: rel has no effect with {other}")));
        }
        self.judged_only()?;
        self.aggregate()?;
        self.sizes()
    }

    /// Checks that no number is so large or small that sums overflow or vanish, and that some gain is not 0. Parameters
    /// of users' measures may have any value.
    fn sizes(&self) -> Result<()> {
        if self.info.by_user {
            return Ok(());
        }
        for (name, value) in &self.parameters {
            if let Some(number) = value.numbers().into_iter().find(|&number| !is_in_range(number)) {
                return Err(Error::Measure(format!(
                    "{}: numbers in {name} must be 0, or from 1e-60 to 1e60 in magnitude, not {number:e}",
                    self.info.name
                )));
            }
            let is_nothing = match value {
                Value::List(list) => list.iter().all(|&weight| weight == 0.0),
                Value::Table(table) => table.iter().all(|&(_, gain)| gain == 0.0),
                _ => false,
            };
            if is_nothing && matches!(*name, "gain" | "discount" | "weights") {
                return Err(Error::Measure(format!(
                    "{}: a number in {name} must not be 0, or every ranking is worth 0",
                    self.info.name
                )));
            }
        }
        Ok(())
    }

    /// How the values of queries are combined.
    ///
    /// # Errors
    /// Parameter `mean` is neither `'arithmetic'` nor `'geometric'`.
    pub fn aggregate(&self) -> Result<Aggregate> {
        self.choice(MEAN.name, &[("arithmetic", self.info.aggregate), ("geometric", Aggregate::Geometric)])
    }

    /// The value of a parameter; None if it has its default.
    pub fn parameter(&self, name: &str) -> Option<&Value> {
        self.parameters.iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    /// The measure inside this one, such as nDCG@20 in `MED(nDCG@20)`.
    pub fn inner(&self) -> Option<&Spec> {
        match self.parameter(OF.name)? {
            Value::Measure(of) => Some(of),
            _ => None,
        }
    }

    /// The error for a measure without an expected value where grades have probabilities.
    pub(crate) fn lacks_expectation(&self) -> Error {
        Error::Value(format!(
            "{self} has no expected value that is known if grades have probabilities (nDCG has one, with a cutoff that is \
             not too large); untied measures --abilities lists the measures that have one"
        ))
    }

    /// The error for a measure without the lengths of documents that it needs.
    pub(crate) fn lacks_lengths(&self) -> Error {
        Error::Value(format!("{self} needs lengths of documents (--docs FILE, docs=)"))
    }

    /// The cutoff, or `none` if there is none.
    pub fn cutoff_or(&self, none: usize) -> usize {
        self.cutoff.unwrap_or(none)
    }

    /// Parameter `rel`.
    ///
    /// # Errors
    /// It is not a number above 0.
    pub fn rel(&self) -> Result<f64> {
        self.number("rel", 1.0, "a number above 0", |rel| rel > 0.0)
    }

    /// The parameter of this measure beside which `rel` has no effect, if there is one.
    fn instead_of_rel(&self) -> Option<&'static str> {
        self.info.instead_of_rel.filter(|other| self.parameter(other).is_some())
    }

    /// The lowest grade that gains anything, if a parameter names one.
    pub fn least_grade(&self) -> Option<f64> {
        if self.info.by_user || self.instead_of_rel().is_some() {
            return None;
        }
        let named = |name: &str| {
            let known = self.known().find(|one| one.name == name)?;
            match self.parameter(name) {
                Some(&Value::Number(number)) => Some(number),
                Some(_) => None,
                None => known.default.parse().ok(),
            }
        };
        named("rel").or_else(|| named("min_rel").map(f64::next_up))
    }

    /// The value of a parameter that must be a number.
    ///
    /// # Errors
    /// It isn't a number, or not one that `fits` accepts; `expected` describes these.
    pub fn number(&self, name: &str, default: f64, expected: &str, fits: impl Fn(f64) -> bool) -> Result<f64> {
        match self.parameter(name) {
            None => Ok(default),
            Some(&Value::Number(number)) if fits(number) => Ok(number),
            Some(other) => Err(Error::Measure(format!("{self}: {name} must be {expected}, not {other}"))),
        }
    }

    /// The value of a parameter that must be one of some names, of which the first is the default.
    ///
    /// # Errors
    /// It is none of them.
    pub fn choice<T: Copy>(&self, name: &str, known: &[(&str, T)]) -> Result<T> {
        let choice = match self.parameter(name) {
            None => known.first(),
            Some(Value::Text(text)) => known.iter().find(|one| one.0 == text),
            Some(_) => None,
        };
        choice.map(|one| one.1).ok_or_else(|| {
            let names: Vec<String> = known.iter().map(|one| format!("'{}'", one.0)).collect();
            let value = self.parameter(name).map_or_else(String::new, ToString::to_string);
            Error::Measure(format!("{self}: {name} must be {}, not {value}", alternatives(&names)))
        })
    }

    /// Parameter `recall_base`.
    ///
    /// # Errors
    /// It is neither `'qrels'` nor `'ranking'` nor an integer of at least 1.
    pub fn recall_base(&self) -> Result<RecallBase> {
        match self.parameter("recall_base") {
            None => Ok(RecallBase::Qrels),
            Some(Value::Text(text)) if text == "ranking" => Ok(RecallBase::Ranking),
            Some(&Value::Number(number)) if number >= 1.0 && number.fract() == 0.0 && number < 1e15 => {
                Ok(RecallBase::Number(number as usize))
            }
            Some(other) => Err(Error::Measure(format!(
                "{self}: recall_base must be 'qrels', 'ranking' or an integer of at least 1, not {other}"
            ))),
        }
    }

    /// Checks that the judgments have all details that the measure needs.
    ///
    /// # Errors
    /// They do not.
    pub(crate) fn fits(&self, qrels: Option<Detail>) -> Result<()> {
        let lacks = self.info.needs.detail().filter(|&detail| qrels != Some(detail));
        if lacks.is_none() && qrels == Some(Detail::Preferences) {
            return self.reads_preferences();
        }
        let Some(detail) = lacks else { return Ok(()) };
        let what = match detail {
            Detail::Subtopics => "judgments by subtopic",
            Detail::Strata => "strata",
            Detail::Inclusion => "inclusion probabilities",
            Detail::Preferences => "preferences",
            Detail::Probabilities => "probabilities of grades",
        };
        Err(Error::Value(format!("{self} needs {what} (qrels format '{}'), and the qrels have none", detail.format())))
    }

    /// Checks that preferences between documents say enough for the measure.
    fn reads_preferences(&self) -> Result<()> {
        if !self.info.reads_preferences {
            return Err(Error::Value(format!(
                "{self} needs grades or ordered groups of documents, and the qrels have only preferences between documents"
            )));
        }
        match self.parameter("rel") {
            None | Some(&Value::Number(1.0)) => Ok(()),
            Some(_) => Err(Error::Value(format!("{self}: rel= is for qrels with grades, and preferences have none"))),
        }
    }

    /// Checks that the judgments say enough for bounds over the grades of unjudged documents, and for differences.
    ///
    /// # Errors
    /// They do not.
    pub(crate) fn fits_unjudged(&self, qrels: Option<Detail>) -> Result<()> {
        self.fits(qrels)?;
        let what = match qrels {
            Some(Detail::Preferences) => "preferences",
            Some(Detail::Probabilities) => "probabilities of grades",
            _ => return Ok(()),
        };
        Err(Error::Value(format!(
            "{self}: {what} do not say what unjudged documents could be, so there are no bounds over them"
        )))
    }

    /// Parameter `judged_only`.
    ///
    /// # Errors
    /// It is neither `True` nor `False`.
    pub fn judged_only(&self) -> Result<bool> {
        self.flag(JUDGED_ONLY.name, false)
    }

    /// The value of a parameter that must be `True` or `False`.
    pub(crate) fn flag(&self, name: &str, default: bool) -> Result<bool> {
        match self.parameter(name) {
            None => Ok(default),
            Some(&Value::Flag(flag)) => Ok(flag),
            Some(other) => Err(Error::Measure(format!("{self}: {name} must be True or False, not {other}"))),
        }
    }
}

/// Translates a parameter's name and value into the spelling of this module.
fn own_spelling(name: &str, value: Value) -> (&str, Value) {
    let text = |text: &str| Value::Text(text.into());
    match (name, &value) {
        ("gains", _) => ("gain", value),
        ("dcg", Value::Text(dcg)) if dcg == "log2" => ("gain", text("linear")),
        ("dcg", Value::Text(dcg)) if dcg == "exp-log2" => ("gain", text("exp2")),
        ("gain", Value::Text(gain)) if gain == "exp" => ("gain", text("exp2")),
        ("discount", Value::Text(discount)) if discount == "inv" => ("discount", text("inverse")),
        ("discount", Value::Text(discount)) if discount.starts_with("jk") => {
            ("discount", text(&format!("log({})", discount["jk".len()..].trim())))
        }
        _ => (name, value),
    }
}
