//! Measures that are asked for by `-m`: each by its name, with parameters, or many by a nickname.

use untied_core::error::{Error, Result, quote};

use crate::arguments::problem;
use crate::context::{Context, Version};
use crate::names::{ENTRIES, Entry, Printed, members};

/// Measures asked for by the arguments of `-m`.
#[derive(Debug, Clone)]
pub struct Requested {
    version: Version,
    /// Position in [`ENTRIES`] of what is asked for, in any order.
    wanted: Vec<usize>,
    /// Names with their parameters, as given. The first of a name counts.
    parameters: Vec<(String, String)>,
}

impl Requested {
    /// Nothing as yet.
    pub fn new(version: Version) -> Requested {
        Requested { version, wanted: Vec::new(), parameters: Vec::new() }
    }

    /// Add what an argument of `-m` names: `map`, `P.5,10`, `official`.
    ///
    /// # Errors
    /// No measure of this version has the name.
    pub fn add(&mut self, argument: &str) -> Result<()> {
        let (name, parameters) = match argument.split_once('.') {
            Some((name, parameters)) => (name, Some(parameters)),
            None => (argument, None),
        };
        if parameters == Some("") {
            return Err(problem(format!("-m {argument}: parameters are missing after the full stop")));
        }
        let members = members(name);
        let known = |entry: &Entry| {
            entry.since <= self.version && members.as_ref().map_or(entry.name == name, |all| all.contains(&entry.name))
        };
        let found: Vec<usize> = (0..ENTRIES.len()).filter(|&at| known(&ENTRIES[at])).collect();
        if found.is_empty() {
            return Err(Error::Measure(format!("unknown measure {}", quote(argument.as_bytes()))));
        }
        self.wanted.extend(found);
        self.parameters.extend(parameters.map(|parameters| (name.to_owned(), parameters.to_owned())));
        Ok(())
    }

    /// The lines of a report, in trec_eval's order; the official ones where nothing was added.
    ///
    /// # Errors
    /// Parameters are not what the measure takes.
    pub fn printed(&self, context: &Context) -> Result<Vec<Printed>> {
        if self.wanted.is_empty() {
            let mut official = Requested::new(self.version);
            official.add("official")?;
            return official.printed(context);
        }
        let mut lines = Vec::new();
        for (at, entry) in ENTRIES.iter().enumerate() {
            if self.wanted.contains(&at) {
                let given = self.parameters.iter().find(|(name, _)| name == entry.name);
                lines.extend(entry.print(given.map(|(_, parameters)| parameters.as_str()), context)?);
            }
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Version::Nine;
    use crate::names::Kind;

    fn lines(arguments: &[&str], version: Version) -> Result<Vec<(String, String)>> {
        let mut requested = Requested::new(version);
        arguments.iter().try_for_each(|argument| requested.add(argument))?;
        let context = Context { version, level: 2.0, collection: 0 };
        let show = |kind: &Kind| match kind {
            Kind::Count(spec) | Kind::Mean(spec) | Kind::Geometric(spec) | Kind::Groups(spec) => spec.to_string(),
            other => format!("{other:?}"),
        };
        Ok(requested.printed(&context)?.into_iter().map(|line| (line.name, show(&line.kind))).collect())
    }

    #[test]
    fn names_and_parameters() {
        let found = lines(&["set_F.0.5", "P.10,5", "map.7", "P.1", "relstring.20"], Nine).expect("known");
        let expected = [
            ("map", "AP(rel=2)"),
            ("P_5", "P(rel=2)@5"),
            ("P_10", "P(rel=2)@10"),
            ("relstring_20", "Relevances(20)"),
            ("set_F_0.5", "set_F of trec_eval(beta=0.5, rel=2)"),
        ];
        assert_eq!(found, expected.map(|(name, spec)| (name.to_owned(), spec.to_owned())));
        // What C's atof reads.
        let found = lines(&["set_F.-Infinity"], Nine).expect("known");
        assert_eq!(found[0], ("set_F_-Infinity".to_owned(), "set_F of trec_eval(beta=-inf, rel=2)".to_owned()));
        assert_eq!(lines(&["set_F.1e1z"], Nine).expect("known")[0].1, "set_F of trec_eval(beta=10, rel=2)");
    }
}
