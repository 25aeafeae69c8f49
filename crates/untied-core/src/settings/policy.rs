//! What a policy is: an option with named values, each with its meaning and the purposes that it serves.

use crate::error::{Error, Result, alternatives, show};

/// What is evaluated; it decides which values a policy has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Runs, by qrels.
    Runs,
    /// Arrays and features, whose documents have no ids.
    Arrays,
    /// Two rankings that are compared.
    Pairs,
    /// Two runs about which there are verdicts for all grades of unjudged documents.
    Verdicts,
    /// A run whose measures need one value each, as in gates and for other packages.
    OneValue,
    /// Distributions of values over orders of tied documents.
    Distributions,
    /// Verdicts from a random sample of judgments.
    Samples,
}

impl Purpose {
    /// All purposes with their names.
    pub const ALL: [(&'static str, Purpose); 7] = [
        ("runs", Purpose::Runs),
        ("arrays", Purpose::Arrays),
        ("pairs", Purpose::Pairs),
        ("verdicts", Purpose::Verdicts),
        ("one-value", Purpose::OneValue),
        ("distributions", Purpose::Distributions),
        ("samples", Purpose::Samples),
    ];

    /// The purpose of this name.
    ///
    /// # Errors
    /// No purpose has it.
    pub fn named(name: &str) -> Result<Purpose> {
        let purpose = Purpose::ALL.iter().find(|purpose| purpose.0 == name).map(|purpose| purpose.1);
        purpose.ok_or_else(|| Error::Value(format!("'{}' is no purpose of policies", show(name.as_bytes()))))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Purpose::ALL[self as usize].0
    }
}

/// What a policy is about, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyInfo {
    /// The name of the parameter in Python; on the command line, underscores become hyphens.
    pub name: &'static str,
    /// The question that pages ask, as a label.
    pub label: &'static str,
    /// The first line of help texts.
    pub about: &'static str,
    /// What stands for a value in help texts.
    pub placeholder: &'static str,
}

/// A value of a policy.
#[derive(Debug, Clone, Copy)]
pub struct Choice<T: 'static> {
    /// Its name, or the pattern of names that the policy's parser reads.
    pub name: &'static str,
    /// What the core does with it.
    pub value: T,
    /// What it means, in help texts, docstrings, docs and pages; neighbours with the same meaning share it.
    pub meaning: &'static str,
    /// How captions describe values under it; empty for what needs no words.
    pub phrase: &'static str,
    /// The purposes for which it can be chosen; rows of one name serve different purposes.
    pub on: &'static [Purpose],
    /// Why it is refused for other purposes.
    pub refused: &'static [(Purpose, &'static str)],
}

/// An option with named values; for each purpose, the first value is the default.
#[derive(Debug)]
pub struct Policy<T: 'static> {
    /// What it is about.
    pub info: PolicyInfo,
    /// Its values.
    pub choices: &'static [Choice<T>],
    /// Reads names that match a pattern, such as `decimals=3`.
    pub pattern: Option<fn(&str) -> Option<T>>,
}

/// The name of a policy's value, its meaning, and the phrase for captions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceInfo {
    /// See [`Choice::name`].
    pub name: &'static str,
    /// See [`Choice::meaning`].
    pub meaning: &'static str,
    /// See [`Choice::phrase`].
    pub phrase: &'static str,
}

/// A policy of the table, whatever its values do.
pub trait Listed: Sync {
    /// What it is about.
    fn info(&self) -> &PolicyInfo;

    /// Its values for a purpose, the default first; none if the purpose does not have the policy.
    fn choices(&self, on: Purpose) -> Vec<ChoiceInfo>;

    /// The error for a wrong value; none for a right one. `shown` is the value as the error quotes it.
    fn why_not(&self, on: Purpose, name: &str, shown: &str) -> Option<String>;
}

impl<T: Copy> Policy<T> {
    /// The value of this name, for this purpose. This is the only check of a value.
    ///
    /// # Errors
    /// The purpose has no value of this name.
    pub fn read(&self, on: Purpose, name: &str) -> Result<T> {
        let refused = || Error::Value(self.refusal(on, name, &format!("'{}'", show(name.as_bytes()))));
        self.find(on, name).ok_or_else(refused)
    }

    fn served(&self, on: Purpose) -> impl Iterator<Item = &'static Choice<T>> {
        self.choices.iter().filter(move |choice| choice.on.contains(&on))
    }

    fn find(&self, on: Purpose, name: &str) -> Option<T> {
        match self.pattern {
            Some(read) => read(name).filter(|_| self.served(on).next().is_some()),
            None => self.served(on).find(|choice| choice.name == name).map(|choice| choice.value),
        }
    }

    fn refusal(&self, on: Purpose, name: &str, shown: &str) -> String {
        let names: Vec<String> = self.served(on).map(|choice| choice.name.to_owned()).collect();
        let reasons = self.choices.iter().filter(|choice| choice.name == name).flat_map(|choice| choice.refused);
        let reason = reasons.filter(|(purpose, _)| *purpose == on).map(|(_, reason)| format!(": {reason}")).next();
        let reason = reason.unwrap_or_default();
        format!("{} must be {}, not {shown}{reason}", self.info.name, alternatives(&names))
    }
}

impl<T: Copy + Sync> Listed for Policy<T> {
    fn info(&self) -> &PolicyInfo {
        &self.info
    }

    fn choices(&self, on: Purpose) -> Vec<ChoiceInfo> {
        let info = |&Choice { name, meaning, phrase, .. }: &Choice<T>| ChoiceInfo { name, meaning, phrase };
        self.served(on).map(info).collect()
    }

    fn why_not(&self, on: Purpose, name: &str, shown: &str) -> Option<String> {
        self.find(on, name).is_none().then(|| self.refusal(on, name, shown))
    }
}

/// Values of two policies that cannot be combined.
#[derive(Debug, Clone, Copy)]
pub struct Clash {
    /// A policy whose values have no effect or contradict `other`. Its default clashes only if it was typed.
    pub one: (&'static str, &'static [&'static str]),
    /// The values of another policy that it cannot be combined with.
    pub other: (&'static str, &'static [&'static str]),
    /// The error; `{}` stands for the value of `one`.
    pub sentence: &'static str,
}
