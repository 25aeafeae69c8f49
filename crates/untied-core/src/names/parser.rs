//! Reads what follows a measure's name: cutoff, parameters and their values.

use super::{Cutoff, Info, MeasureNames, OF, Spec, Value};
use crate::error::{Error, Result, quote};

/// The rest of a measure's text, which is not read yet.
pub(super) struct Parser<'t> {
    pub(super) names: &'t MeasureNames,
    pub(super) text: &'t str,
    pub(super) rest: &'t str,
}

impl<'t> Parser<'t> {
    pub(super) fn error(&self, expected: &str) -> Error {
        let found = if self.rest.is_empty() { "the end".into() } else { quote(self.rest.as_bytes()) };
        Error::Measure(format!(
            "cannot read measure {}: expected {expected}, found {found}",
            quote(self.text.as_bytes())
        ))
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !keep(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// Skips blanks, then this character if it comes next, and returns whether it did.
    fn skip(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest).trim_start();
        rest.is_some()
    }

    fn expect(&mut self, c: char) -> Result<()> {
        if self.skip(c) { Ok(()) } else { Err(self.error(&format!("'{c}'"))) }
    }

    /// Reads a comma, unless the list ends here.
    fn comma_or(&mut self, close: char) -> Result<()> {
        if self.skip(',') || self.rest.starts_with(close) {
            Ok(())
        } else {
            Err(self.error(&format!("',' or '{close}'")))
        }
    }

    /// Reads the items of a list, and its closing character.
    fn items(&mut self, close: char, mut read: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        while !self.skip(close) {
            read(self)?;
            self.comma_or(close)?;
        }
        Ok(())
    }

    pub(super) fn end(&mut self) -> Result<()> {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(',') {
            _ if self.rest.is_empty() => Ok(()),
            Some(others) => Err(self.several(others)),
            None => Err(self.error("@cutoff, (parameters) or the end")),
        }
    }

    /// What to write instead of several measures that are joined by commas, such as `nDCG@10,20`.
    fn several(&self, others: &str) -> Error {
        let first = self.text[..self.text.len() - self.rest.len()].trim();
        let name = first.split_once('@').map_or(first, |(name, _)| name);
        let written = |other: &str| match other.parse::<u32>() {
            Ok(cutoff) => format!("-m {name}@{cutoff}"),
            Err(_) => format!("-m {other}"),
        };
        // Commas in parentheses separate parameters.
        let others = if others.contains('(') { vec![others] } else { others.split(',').collect() };
        let each: Vec<String> = std::iter::once(format!("-m {first}"))
            .chain(others.into_iter().map(|other| written(other.trim())))
            .collect();
        Error::Measure(format!("{}: name one measure at a time: {}", quote(self.text.as_bytes()), each.join(" ")))
    }

    /// Reads a measure's name, which may have several words. trec_eval's cutoffs (`.5,10`) are part of it.
    pub(super) fn name(&mut self) -> &'t str {
        self.take_while(|c| (c == ' ' || !c.is_whitespace()) && !"(@)\"".contains(c)).trim_end()
    }

    pub(super) fn suffixes(&mut self, mut spec: Spec) -> Result<Spec> {
        let mut given = spec.given();
        loop {
            if spec.info.cutoff == Cutoff::Recall && self.skip('@') {
                spec = spec.at_number(self.number()?)?;
            } else if spec.cutoff.is_none() && self.skip('@') {
                let before = self.rest;
                let digits = self.take_while(|c| c.is_ascii_digit());
                if self.rest.starts_with('.') && !digits.is_empty() {
                    self.rest = before;
                    return spec.at_number(self.number()?);
                }
                let Ok(cutoff) = digits.parse() else {
                    self.rest = before;
                    return Err(self.error("a whole number after @"));
                };
                spec = spec.at(cutoff)?;
            } else if self.skip('(') {
                if spec.info.parameters.contains(&OF) && spec.parameter(OF.name).is_none() && !self.is_parameter() {
                    let of = self.measure(spec.info.name)?;
                    spec = spec.with(OF.name, Value::Measure(Box::new(of)))?;
                    self.comma_or(')')?;
                }
                self.items(')', |parser| {
                    let name = parser.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
                    if name.is_empty() || (spec.info.cutoff != Cutoff::Recall && name.parse::<f64>().is_ok()) {
                        return Err(parser.nameless(spec.info, name));
                    }
                    parser.expect('=')?;
                    let value = parser.value()?;
                    let own = spec.spelled(name, value.clone()).0;
                    if given.contains(&own) {
                        return Err(Error::Measure(format!("{spec}: parameter {name} is given twice")));
                    }
                    given.push(own);
                    spec = spec.clone().with(name, value)?;
                    Ok(())
                })?;
            } else {
                return Ok(spec);
            }
        }
    }

    /// The parameter that a value without a name sets, as in `RBP(.95)`.
    fn nameless(&self, info: &Info, digits: &str) -> Error {
        let at = self.text.len() - self.rest.len() - digits.len();
        let number = self.text[at..].trim_end_matches(')').trim();
        match info.fraction().filter(|_| number.parse::<f64>().is_ok()) {
            Some(parameter) => {
                Error::Measure(format!("a parameter needs its name: write {}({}={number})", info.name, parameter.name))
            }
            None if matches!(info.cutoff, Cutoff::Optional | Cutoff::Required) && number.parse::<u32>().is_ok() => {
                Error::Measure(format!("a cutoff follows @: write {}@{number}", info.name))
            }
            None => self.error("a parameter's name"),
        }
    }

    /// Whether a parameter's name and `=` come next, or nothing.
    fn is_parameter(&self) -> bool {
        let rest = self.rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').trim_start();
        self.rest.starts_with(')') || (rest.starts_with('=') && !rest.len().eq(&self.rest.len()))
    }

    /// Reads a measure inside another one, with its cutoff and parameters.
    fn measure(&mut self, outer: &str) -> Result<Spec> {
        let name = self.take_while(|c| (c == ' ' || !c.is_whitespace()) && !"(@),'\"".contains(c)).trim_end();
        if name.is_empty() {
            return Err(self.error("a measure's name"));
        }
        let specs = self.names.named(name)?;
        let [spec] = <[Spec; 1]>::try_from(specs).map_err(|_| self.error("one measure"))?;
        if spec.info.parameters.contains(&OF) {
            let (name, of) = (outer, spec.info.name);
            return Err(Error::Measure(format!("{name} needs a measure of one ranking, not {of}")));
        }
        let spec = self.suffixes(spec)?;
        (self.names.check)(&spec)?;
        Ok(spec)
    }

    fn value(&mut self) -> Result<Value> {
        for quote in ['\'', '"'] {
            if self.rest.starts_with(quote) {
                self.rest = &self.rest[1..];
                let text = self.take_while(|c| c != quote);
                self.expect(quote)?;
                return Ok(Value::Text(text.into()));
            }
        }
        if self.skip('{') {
            let mut table = Vec::new();
            self.items('}', |parser| {
                let key = parser.number()?;
                parser.expect(':')?;
                table.push((key, parser.number()?));
                Ok(())
            })?;
            return Value::table(table);
        }
        if self.skip('[') {
            let mut list = Vec::new();
            self.items(']', |parser| parser.number().map(|number| list.push(number)))?;
            return Ok(Value::List(list));
        }
        for (word, flag) in [("True", true), ("False", false), ("true", true), ("false", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(Value::Flag(flag));
            }
        }
        if self.rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            // A word without quotes is text too, because quotes are awkward in a shell.
            return Ok(Value::Text(self.take_while(|c| c.is_ascii_alphanumeric() || "_-".contains(c)).into()));
        }
        self.number().map(Value::Number)
    }

    fn number(&mut self) -> Result<f64> {
        self.rest = self.rest.trim_start();
        let before = self.rest;
        let digits = self.take_while(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => {
                self.rest = before;
                Err(self.error("a number"))
            }
        }
    }
}
