//! The facts about an evaluation. Python's types and the documentation are made from this list.

/// The value of a fact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fact {
    /// A number of items.
    Count(usize),
    /// Yes or no.
    Flag(bool),
    /// Another number.
    Number(f64),
    /// A number that is not known.
    Unknown,
}

impl From<usize> for Fact {
    fn from(count: usize) -> Fact {
        Fact::Count(count)
    }
}

impl From<bool> for Fact {
    fn from(flag: bool) -> Fact {
        Fact::Flag(flag)
    }
}

impl From<f64> for Fact {
    fn from(number: f64) -> Fact {
        Fact::Number(number)
    }
}

impl From<Option<f64>> for Fact {
    fn from(number: Option<f64>) -> Fact {
        number.map_or(Fact::Unknown, Fact::Number)
    }
}

/// How a fact is combined with that of other queries.
mod rules {
    pub(super) fn sum(all: &mut usize, more: usize) {
        *all += more;
    }

    pub(super) fn any(all: &mut bool, more: bool) {
        *all |= more;
    }

    /// Keeps a fact that is the same for all queries.
    pub(super) fn same(all: &mut Option<f64>, more: Option<f64>) {
        *all = more;
    }

    pub(super) fn largest(all: &mut Option<f64>, more: Option<f64>) {
        *all = all.iter().copied().chain(more).reduce(f64::max);
    }
}

/// Defines the struct, the sum of two, and the loop over all facts, from a list of facts with their meanings.
macro_rules! facts {
    ($(#[doc = $about:literal] $name:ident: $type:ty => $rule:ident,)*) => {
        /// Counts and flags of an evaluation, for warnings and notes.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct Facts {
            $(#[doc = $about] pub $name: $type,)*
        }

        impl Facts {
            /// The facts by name, with their types in Python and their meanings.
            pub const ABOUT: &'static [(&'static str, &'static str, &'static str)] =
                &[$((stringify!($name), stringify!($type), $about.trim_ascii()),)*];

            /// Calls a function with the name and value of each fact.
            ///
            /// # Errors
            /// An error of the function.
            pub fn each<E>(&self, mut look: impl FnMut(&'static str, Fact) -> Result<(), E>) -> Result<(), E> {
                $(look(stringify!($name), self.$name.into())?;)*
                Ok(())
            }

            /// Adds the facts about other queries of the same data.
            pub(crate) fn add(&mut self, other: &Facts) {
                $(rules::$rule(&mut self.$name, other.$name);)*
            }
        }
    };
}

facts! {
    /// queries that were evaluated
    evaluated: usize => sum,
    /// evaluated queries in which tied documents have different grades
    mixed: usize => sum,
    /// judged queries that are not in the run
    absent: usize => sum,
    /// queries of the run that are not judged
    unknown: usize => sum,
    /// queries that are both in the judgments and in the run
    common: usize => sum,
    /// queries for which the qrels contain at least one retrieved document
    matched: usize => sum,
    /// evaluated queries that have a judgment with a grade above 0, of a retrieved document or another
    relevant: usize => sum,
    /// whether the qrels and the run seem to be swapped
    swapped: bool => any,
    /// the highest grade of all judgments, or 0 if no grade is above 0; None if they are preferences, which have no grades
    highest: Option<f64> => same,
    /// values that are undefined
    undefined: usize => sum,
    /// queries with an undefined value, usually because no document is relevant
    undefined_queries: usize => sum,
    /// undefined values that are left out of the means, instead of counting as 0
    left_out: usize => sum,
    /// values that are estimated from a sample of the orders of tied documents
    estimated: usize => sum,
    /// the largest standard error of the estimated values (known only for measures that you define)
    standard_error: Option<f64> => largest,
    /// values for which only a lower and an upper bound are known
    enclosed: usize => sum,
    /// values that could fall if unjudged documents were relevant (only with `unjudged="range"`)
    overstated: usize => sum,
    /// values that are defined or undefined, depending on the grades of unjudged documents
    unsettled: usize => sum,
    /// rows of the run that repeat a document of a query (0 if they are refused)
    duplicates: usize => sum,
    /// whether the whole run was held in memory because the lines of a query are not adjacent
    ungrouped: bool => any,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_more_queries_are_added() {
        let mut all = Facts { mixed: 1, highest: Some(2.0), standard_error: Some(0.5), ..Facts::default() };
        all.add(&Facts { mixed: 2, highest: Some(2.0), ungrouped: true, ..Facts::default() });
        all.add(&Facts { highest: Some(2.0), standard_error: Some(0.25), ..Facts::default() });
        let expected =
            Facts { mixed: 3, highest: Some(2.0), standard_error: Some(0.5), ungrouped: true, ..Facts::default() };
        assert_eq!(all, expected);
    }

    #[test]
    fn each_fact_is_seen_once_by_its_name() {
        let facts = Facts { absent: 3, swapped: true, ..Facts::default() };
        let mut seen = Vec::new();
        let look = |name, fact| {
            seen.push((name, fact));
            Ok::<_, ()>(())
        };
        facts.each(look).expect("no error");
        let names: Vec<&str> = Facts::ABOUT.iter().map(|(name, ..)| *name).collect();
        assert_eq!(seen.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
        assert!(seen.contains(&("absent", Fact::Count(3))) && seen.contains(&("swapped", Fact::Flag(true))));
        assert!(seen.contains(&("standard_error", Fact::Unknown)) && seen.contains(&("highest", Fact::Unknown)));
    }
}
