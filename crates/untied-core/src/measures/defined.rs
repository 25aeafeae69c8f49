//! User-defined measures, which work like those of the core in the grammar, lists and tables.

use std::sync::{Mutex, PoisonError, RwLock};

use super::dcg::Gains;
use super::gain::{Gain, out_of_range};
use super::{Measure, Scope};
use crate::error::{Error, Result, quote};
use crate::names::{Cutoff, Info, JUDGED_ONLY, MEAN, OF, Parameter, RECALL, RecallBase, Spec, is_in_range};

/// Makes the measure from a name with parameters.
pub type BuildDefined = Box<dyn Fn(&Spec, &Scope<'_>) -> Result<Box<dyn Measure>> + Send + Sync>;

/// What a user says about a measure.
pub struct Description {
    /// The measure's name: identifiers, joined by full stops.
    pub name: String,
    /// The first line of its description.
    pub title: String,
    /// The rest of its description.
    pub text: String,
    /// Where it is defined.
    pub place: String,
    /// What defines it there; a later definition at the same place and by the same replaces it.
    pub by: String,
    /// Whether it takes a cutoff.
    pub cutoff: Cutoff,
    /// The names of its parameters, each with its default as text.
    pub parameters: Vec<(String, String)>,
    /// Whether the best order is the one with the lowest value.
    pub lower_is_better: bool,
}

/// A measure that a user has defined.
pub struct Defined {
    /// The facts that the grammar needs.
    pub info: &'static Info,
    /// See [`Description`].
    pub text: String,
    /// See [`Description`].
    pub place: String,
    /// See [`Description`].
    pub by: String,
    /// The function that makes it.
    pub build: BuildDefined,
}

/// All measures that were ever defined, and whether their names still mean them. They stay until the process ends.
static DEFINED: RwLock<Vec<(&Defined, bool)>> = RwLock::new(Vec::new());
/// Held from looking up what a name means until it has its new meaning, so that threads define one measure at a time.
static DEFINING: Mutex<()> = Mutex::new(());

/// Defines a measure; `taken` says what a name already means, if anything.
///
/// # Errors
/// The name of the measure or of a parameter cannot be used, or already means something else.
pub fn define(
    description: Description,
    build: BuildDefined,
    taken: impl Fn(&str) -> Option<String>,
) -> Result<&'static Defined> {
    let Description { name, title, text, place, by, cutoff, parameters, lower_is_better } = description;
    let refuse = |why: String| Err(Error::Measure(why));
    if !name.split('.').all(is_identifier) {
        let name = quote(name.as_bytes());
        return refuse(format!("a measure's name must be identifiers in ASCII, joined by full stops, not {name}"));
    }
    let ours = [MEAN.name, OF.name, RECALL.name, JUDGED_ONLY.name];
    if let Some((parameter, _)) = parameters.iter().find(|(name, _)| ours.contains(&name.as_str())) {
        return refuse(format!("{name}: parameter {parameter} must have another name, because untied uses this one"));
    }
    if let Some((parameter, _)) = parameters.iter().find(|(name, _)| !is_identifier(name)) {
        return refuse(format!("{name}: parameter {parameter} must have a name in ASCII"));
    }
    let _defining = DEFINING.lock().unwrap_or_else(PoisonError::into_inner);
    let before = all().into_iter().find(|one| one.info.name == name);
    match (before, taken(&name)) {
        (Some(before), _) if (&before.place, &before.by) != (&place, &by) => {
            let Defined { place, by, .. } = before;
            return refuse(format!("{name} is already defined, by {by} in {place}; give one of the two another name"));
        }
        (None, Some(meaning)) => {
            return refuse(format!("the name {name} already stands for {meaning}; give the measure another name"));
        }
        _ => {}
    }
    let leak = |text: String| -> &'static str { text.leak() };
    let own =
        parameters.into_iter().map(|(name, default)| Parameter { name: leak(name), default: leak(default), help: "" });
    let parameters: Vec<Parameter> = own.chain([JUDGED_ONLY]).collect();
    let info = Box::leak(Box::new(Info {
        name: leak(name),
        title: leak(title),
        cutoff,
        parameters: parameters.leak(),
        lower_is_better,
        range: "",
        by_user: true,
        ..Info::DEFAULT
    }));
    let defined: &'static Defined = Box::leak(Box::new(Defined { info, text, place, by, build }));
    let mut list = DEFINED.write().unwrap_or_else(PoisonError::into_inner);
    list.iter_mut().filter(|(one, _)| one.info.name == info.name).for_each(|(_, current)| *current = false);
    list.push((defined, true));
    Ok(defined)
}

fn is_identifier(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The measures that names mean now, in the order of their definition.
pub fn all() -> Vec<&'static Defined> {
    let list = DEFINED.read().unwrap_or_else(PoisonError::into_inner);
    list.iter().filter(|(_, current)| *current).map(|(one, _)| *one).collect()
}

/// The user's definition of a measure, if a user has defined it.
pub fn find(info: &Info) -> Option<&'static Defined> {
    let list = DEFINED.read().unwrap_or_else(PoisonError::into_inner);
    list.iter().rfind(|(one, _)| one.info == info).map(|(one, _)| *one)
}

/// Makes a measure that sums the gain of each document's grade times the discount of its rank. If it is normalised, the
/// sum is divided by that of all judged documents in their best order.
///
/// # Errors
/// A gain is too large or too small.
pub fn additive(
    spec: &Spec,
    gains: Vec<(f64, f64)>,
    discounts: Vec<f64>,
    normalised: bool,
    scope: &Scope<'_>,
) -> Result<Box<dyn Measure>> {
    if let Some(&(grade, gain)) = gains.iter().find(|&&(_, gain)| !is_in_range(gain)) {
        return Err(out_of_range(spec, grade, gain));
    }
    Ok(Box::new(Gains::new(Gain::Table(gains), discounts, scope).over(normalised.then_some(RecallBase::Qrels))))
}
