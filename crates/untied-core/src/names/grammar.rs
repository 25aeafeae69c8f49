//! Names of measures with parameters and cutoffs: `nDCG(gain='exp2')@10`, `AP(rel=2)`, `ndcg_cut_10`, `P.5,10`.

use super::printed::{is_same, maximized, meant, near, printed};
use super::{Cutoff, Info, MEAN, OF, Parameter, RECALL, Spec, Value, spellings};
use crate::error::{Error, Result, quote};

/// The measures that texts may name.
pub struct Names {
    /// All of them.
    pub all: Vec<&'static Info>,
    /// Says what is wrong with one, as far as that can be told without judgments.
    pub check: fn(&Spec) -> Result<()>,
}

impl Names {
    /// The measure by this name: its own, else an alias, whatever the case and what joins its words.
    fn lookup(&self, name: &str) -> Option<&'static Info> {
        let is_alias =
            |info: &&&'static Info| is_same(info.name, name) || info.aliases.iter().any(|alias| is_same(alias, name));
        let named = self.all.iter().find(|info| info.name == name);
        named.or_else(|| self.all.iter().find(is_alias)).copied()
    }

    fn unknown(&self, name: &str) -> Error {
        let suggestion =
            match (near(name).map(Into::into).or_else(|| self.in_words(name)), self.similar(name).as_slice()) {
                (Some::<String>(ours), _) => format!("did you mean {ours}?"),
                (_, [known]) if plain(known).eq_ignore_ascii_case(&plain(name)) => format!("did you mean {known}?"),
                _ if let Some(ours) = self.numbered(name) => format!("did you mean {ours}?"),
                _ if name.contains([',', ' ']) => "name one measure at a time".into(),
                (_, []) => "untied measures lists all".into(),
                (_, names) => format!("did you mean {}?", names.join(" or ")),
            };
        Error::Measure(format!("unknown measure {}; {suggestion}", quote(name.as_bytes())))
    }

    /// Names that are similar to one, whatever the punctuation; only those that are the same without it, if any are.
    fn similar(&self, name: &str) -> Vec<&str> {
        let names = self.all.iter().flat_map(|info| std::iter::once(&info.name).chain(info.aliases)).copied();
        let mut similar: Vec<(usize, usize, &str)> = names
            .chain(printed())
            .map(|known| (distance(&plain(name), &plain(known)), distance(name, known), known))
            .collect();
        similar.sort_unstable();
        let is_same = similar.first().is_some_and(|&(distance, ..)| distance == 0);
        similar.retain(|&(plain, distance, known)| if is_same { plain == 0 } else { distance <= 1 + known.len() / 3 });
        similar.dedup_by(|one, other| plain(one.2).eq_ignore_ascii_case(&plain(other.2)));
        similar.into_iter().map(|(.., known)| known).take(if is_same { 1 } else { 3 }).collect()
    }

    /// A measure and its cutoff in words: `ndcg at 10`.
    fn in_words(&self, name: &str) -> Option<String> {
        let (stem, cutoff) = name.split_once(" at ")?;
        let cutoff = cutoff.trim_start().parse::<u32>().ok()?;
        Some(format!("{}@{cutoff}", self.lookup(stem.trim())?.name))
    }

    /// A measure with a number attached: `MRR10`, `nDCG-20`, `rbp-0.8`.
    fn numbered(&self, name: &str) -> Option<String> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let digits = &name[stem.len()..];
        let info = self.lookup(stem.trim_end_matches(['-', '_', ' ', '=']))?;
        let number = digits.parse::<f64>().ok().filter(|_| !info.parameters.contains(&OF))?;
        let is_cutoff = number >= 1.0 && !digits.contains('.');
        match (info.fraction(), info.cutoff) {
            (_, Cutoff::Recall) if number <= 1.0 => Some(format!("{}@{digits}", info.name)),
            (_, Cutoff::Optional | Cutoff::Required) if is_cutoff => Some(format!("{}@{digits}", info.name)),
            (Some(parameter), _) if number < 1.0 => Some(format!("{}({}={digits})", info.name, parameter.name)),
            _ => None,
        }
    }

    /// One measure, complete.
    ///
    /// # Errors
    /// The text is malformed, the measure or a parameter unknown, or several measures are meant (`P.5,10`).
    pub fn parse(&self, text: &str) -> Result<Spec> {
        let spec = self.parse_open(text)?;
        (self.check)(&spec)?;
        Ok(spec)
    }

    /// One measure whose cutoff may still come: `P(rel=2)`.
    ///
    /// # Errors
    /// As [`Names::parse`].
    pub fn parse_open(&self, text: &str) -> Result<Spec> {
        match self.read(text)?.as_slice() {
            [spec] => self.check_open(spec).map(|()| spec.clone()),
            specs => {
                let text = quote(text.as_bytes());
                Err(Error::Measure(format!("expected one measure, found {} in {text}", specs.len())))
            }
        }
    }

    /// One measure, or several that differ by cutoff in trec_eval's spelling (`P.5,10`, `ndcg_cut.10`).
    ///
    /// # Errors
    /// The text is malformed, or the measure or a parameter unknown.
    pub fn parse_all(&self, text: &str) -> Result<Vec<Spec>> {
        let specs = self.read(text)?;
        specs.iter().try_for_each(self.check)?;
        Ok(specs)
    }

    /// Check all but a cutoff, or parameters, that may still come.
    ///
    /// # Errors
    /// As for `check`.
    pub fn check_open(&self, spec: &Spec) -> Result<()> {
        let missing = |one: &Parameter| one.default.is_empty() && spec.parameter(one.name).is_none();
        match (spec.info.cutoff, spec.cutoff) {
            (Cutoff::Recall, None) if spec.parameter(RECALL.name).is_none() => {
                (self.check)(&spec.clone().at_number(1.0)?)
            }
            _ if spec.info.parameters.iter().any(missing) => Ok(()),
            (Cutoff::Required, None) => (self.check)(&spec.clone().at(1)?),
            _ => (self.check)(spec),
        }
    }

    fn read(&self, text: &str) -> Result<Vec<Spec>> {
        let of_ranx = spellings::ranx(text.trim());
        let text = of_ranx.as_deref().unwrap_or(text);
        let mut parser = Parser { names: self, text, rest: text.trim() };
        let name = parser.name();
        if name.is_empty() {
            return Err(parser.error("a measure's name"));
        }
        if let Some(name) = geometric(name) {
            let specs = self.read(&format!("{name}{}", parser.rest))?;
            return specs.into_iter().map(|spec| spec.with(MEAN.name, Value::Text("geometric".into()))).collect();
        }
        if let Some(of) = maximized(name, parser.rest)? {
            return self.read(&format!("MED({of}{})", parser.rest));
        }
        let mut specs = self.named(name)?;
        if let [spec] = specs.as_mut_slice() {
            *spec = parser.suffixes(spec.clone())?;
            if spec.cutoff.is_none() && name.ends_with("_cut") {
                return Err(Error::Measure(format!("{name} needs a cutoff, for instance {name}_10")));
            }
        }
        parser.end()?;
        Ok(specs)
    }

    /// What a name says without anything behind it: a measure, or several that differ by cutoff.
    fn named(&self, name: &str) -> Result<Vec<Spec>> {
        match (meant(name), self.lookup(name)) {
            (Some(ours), _) => self.read(ours),
            (None, Some(info)) => Ok(vec![Spec::of(info)]),
            (None, None) => self.with_trailing(name),
        }
    }

    /// What a name stands for already, if anything.
    pub fn taken(&self, name: &str) -> Option<String> {
        match self.read(name) {
            Ok(specs) => specs.first().map(ToString::to_string),
            Err(_) => geometric(name).map(|name| format!("the geometric mean of {name}")),
        }
    }

    /// trec_eval's spellings: a name, `_` or `.`, and numbers (`P_10`, `P.5,10`, `iprec_at_recall_0.10`), or gains of
    /// grades (`ndcg_1=3,2=9`).
    fn with_trailing(&self, name: &str) -> Result<Vec<Spec>> {
        let splits = name.match_indices(['_', '.']).map(|(at, _)| (&name[..at], &name[at..]));
        let splits: Vec<_> =
            splits.filter_map(|(stem, rest)| Some((stem, rest, Trailing::read(&rest[1..])?))).collect();
        // `iprec_at_recall_0.10` is not `iprec_at_recall_0` and 10.
        let Some((info, rest, trailing)) =
            splits.iter().find_map(|(stem, rest, read)| Some((self.lookup(stem)?, rest, read)))
        else {
            let stem = splits.first().map_or(name, |(stem, ..)| stem);
            // `rbp-0.8` is not `rbp-0` and 8.
            return Err(self.unknown(if stem.ends_with(|c: char| c.is_ascii_digit()) { name } else { stem }));
        };
        let spec = Spec::of(info);
        if let (Trailing::Numbers(numbers), true) = (trailing, info.trailing.is_none() && rest.starts_with('.')) {
            refuse_fraction(info, name, rest, numbers.len())?;
        }
        let is_list =
            |name: &str| info.parameters.iter().any(|known| known.name == name && known.default.starts_with('['));
        match (trailing, info.trailing) {
            (Trailing::Pairs(pairs), _) => Ok(vec![spec.with("gain", Value::table(pairs.clone())?)?]),
            // No recall level is 10, so the full stop of `iprec_at_recall.10` is a decimal point.
            (Trailing::Numbers(numbers), Some("recall")) if numbers[0] > 1.0 && rest.starts_with('.') => {
                self.with_trailing(&format!("{}_0{rest}", info.name))
            }
            (Trailing::Numbers(numbers), Some(name)) if is_list(name) => {
                Ok(vec![spec.with(name, Value::List(numbers.clone()))?])
            }
            (Trailing::Numbers(numbers), Some(name)) => {
                numbers.iter().map(|&number| spec.clone().with(name, Value::Number(number))).collect()
            }
            (Trailing::Numbers(numbers), None) => {
                numbers.iter().map(|&cutoff| spec.clone().at_number(cutoff)).collect()
            }
        }
    }
}

/// Refuse `RBP.8`, in which 8 could be the cutoff, as in `P.8`, or the decimals of the measure's parameter.
fn refuse_fraction(info: &Info, name: &str, rest: &str, numbers: usize) -> Result<()> {
    match info.fraction().filter(|_| numbers == 1) {
        Some(parameter) => Err(Error::Measure(format!(
            "measure {} can be read in two ways: write {2}@{3} or {2}({1}=0{4})",
            quote(name.as_bytes()),
            parameter.name,
            info.name,
            &rest[1..],
            rest
        ))),
        None => Ok(()),
    }
}

/// A name without punctuation and blanks.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Edit distance without regard to case.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The measure whose geometric mean a name stands for: `gm_map`, `GMAP`.
fn geometric(name: &str) -> Option<&str> {
    if name.eq_ignore_ascii_case("gmap") {
        return Some("map");
    }
    // Once is enough: the mean of means is none, and a long row of prefixes must not be read one by one.
    name.strip_prefix("gm_").filter(|rest| !rest.starts_with("gm_") && !rest.eq_ignore_ascii_case("gmap"))
}

/// What may follow a measure's name.
enum Trailing {
    /// `5,10`.
    Numbers(Vec<f64>),
    /// `1=3,2=9`.
    Pairs(Vec<(f64, f64)>),
}

impl Trailing {
    fn read(text: &str) -> Option<Trailing> {
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        let pair = |text: &str| text.split_once('=').and_then(|(grade, gain)| Some((number(grade)?, number(gain)?)));
        let numbers = text.split(',').map(number).collect::<Option<_>>().map(Trailing::Numbers);
        numbers.or_else(|| text.split(',').map(pair).collect::<Option<_>>().map(Trailing::Pairs))
    }
}

/// What is left to read of a measure's text.
struct Parser<'t> {
    names: &'t Names,
    text: &'t str,
    rest: &'t str,
}

impl<'t> Parser<'t> {
    fn error(&self, expected: &str) -> Error {
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

    /// Skip blanks, then this character if it comes next.
    fn skip(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest).trim_start();
        rest.is_some()
    }

    fn expect(&mut self, c: char) -> Result<()> {
        if self.skip(c) { Ok(()) } else { Err(self.error(&format!("'{c}'"))) }
    }

    fn end(&mut self) -> Result<()> {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(',') {
            _ if self.rest.is_empty() => Ok(()),
            Some(others) => Err(self.several(others)),
            None => Err(self.error("@cutoff, (parameters) or the end")),
        }
    }

    /// What to write instead of several measures with commas between them, `nDCG@10,20`.
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

    /// A measure's name, which may be words; trec_eval's cutoffs (`.5,10`) are part of it.
    fn name(&mut self) -> &'t str {
        self.take_while(|c| (c == ' ' || !c.is_whitespace()) && !"(@)'\"".contains(c)).trim_end()
    }

    fn suffixes(&mut self, mut spec: Spec) -> Result<Spec> {
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
                    if !self.skip(',') && !self.rest.starts_with(')') {
                        return Err(self.error("',' or ')'"));
                    }
                }
                while !self.skip(')') {
                    let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
                    if name.is_empty() || (spec.info.cutoff != Cutoff::Recall && name.parse::<f64>().is_ok()) {
                        return Err(self.nameless(spec.info, name));
                    }
                    self.expect('=')?;
                    let value = self.value()?;
                    let own = spec.spelled(name, value.clone()).0;
                    if given.contains(&own) {
                        return Err(Error::Measure(format!("{spec}: parameter {name} is given twice")));
                    }
                    given.push(own);
                    spec = spec.with(name, value)?;
                    if !self.skip(',') && !self.rest.starts_with(')') {
                        return Err(self.error("',' or ')'"));
                    }
                }
            } else {
                return Ok(spec);
            }
        }
    }

    /// A parameter without its name, `RBP(.95)`.
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

    /// A measure within another, complete.
    fn measure(&mut self, outer: &str) -> Result<Spec> {
        let name = self.take_while(|c| (c == ' ' || !c.is_whitespace()) && !"(@),'\"".contains(c)).trim_end();
        if name.is_empty() {
            return Err(self.error("a measure's name"));
        }
        let specs = self.names.named(name)?;
        let [spec] = <[Spec; 1]>::try_from(specs).map_err(|_| self.error("one measure"))?;
        if spec.info.parameters.contains(&OF) {
            let (name, of) = (outer, spec.info.name);
            return Err(Error::Measure(format!("{name} is of a measure of one ranking, not of {of}")));
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
            while !self.skip('}') {
                let key = self.number()?;
                self.expect(':')?;
                table.push((key, self.number()?));
                if !self.skip(',') && !self.rest.starts_with('}') {
                    return Err(self.error("',' or '}'"));
                }
            }
            return Value::table(table);
        }
        if self.skip('[') {
            let mut list = Vec::new();
            while !self.skip(']') {
                list.push(self.number()?);
                if !self.skip(',') && !self.rest.starts_with(']') {
                    return Err(self.error("',' or ']'"));
                }
            }
            return Ok(Value::List(list));
        }
        for (word, flag) in [("True", true), ("False", false), ("true", true), ("false", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(Value::Flag(flag));
            }
        }
        if self.rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            // Shells make quotes awkward: a word is a text.
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

#[cfg(test)]
mod tests {
    use crate::registry::{parse, parse_all};

    fn canonical(text: &str) -> String {
        parse(text).map_or_else(|error| error.to_string(), |spec| spec.to_string())
    }

    #[test]
    fn spellings_of_several_libraries_mean_the_same() {
        for (text, name) in [
            ("nDCG@10", "nDCG@10"),
            ("ndcg_cut_10", "nDCG@10"),
            ("ndcg_cut.10", "nDCG@10"),
            ("nDCG(dcg='exp-log2')@10", "nDCG(gain='exp2')@10"),
            ("nDCG(gain=exp2)@10", "nDCG(gain='exp2')@10"),
            ("nDCG@10(gains={2: 3, 1: 1})", "nDCG(gain={1: 1, 2: 3})@10"),
            (" DCG( discount = [1, 0.5] , gain=\"linear\" ) @ 5 ", "DCG(discount=[1, 0.5])@5"),
            ("DCG(discount='jk2')", "DCG(discount='log(2)')"),
            ("map", "AP"),
            ("map_cut_100", "AP@100"),
            ("recip_rank", "RR"),
            ("mrr@10", "RR@10"),
            ("P_5", "P@5"),
            ("P.5", "P@5"),
            ("map_cut.10", "AP@10"),
            ("rbp.8", "RBP"),
            ("RBP_8", "RBP@8"),
            ("recall_1000", "R@1000"),
            ("AP(rel=1)", "AP"),
            ("AP(rel=2, recall_base=3)", "AP(rel=2, recall_base=3)"),
            ("AP(judged_only=True)", "AP(judged_only=True)"),
            ("num_rel_ret", "NumRelRet"),
            ("iprec_at_recall_0.10", "IPrec@0.1"),
            ("iprec_at_recall.1", "IPrec@1"),
            ("Rprec_mult_0.20", "Rprec(mult=0.2)"),
            ("Rprec_mult_1.00", "Rprec"),
            ("utility_1,-1,0,0", "Utility"),
            ("utility.1.0,-0.5,0,0", "Utility(weights=[1, -0.5, 0, 0])"),
            ("set_F_0.5", "SetF(beta=0.5)"),
            ("ndcg_1=3,2=9", "nDCG(gain={1: 3, 2: 9})"),
            ("11pt_avg", "IPrecMean"),
            ("11pt_avg.0.2,0.5,0.8", "IPrecMean(levels=[0.2, 0.5, 0.8])"),
            ("bpref", "Bpref"),
            ("bpref(extra=10)", "Bpref(extra=10)"),
            ("unj_5", "Unjudged@5"),
            ("gm_map", "AP(mean='geometric')"),
            ("GMAP", "AP(mean='geometric')"),
            ("gm_ndcg_cut_10(gain=exp2)", "nDCG(gain='exp2', mean='geometric')@10"),
            ("P(mean=arithmetic)@5", "P@5"),
        ] {
            assert_eq!(canonical(text), name, "{text}");
        }
        for (text, names) in [("P.5,10", ["P@5", "P@10"]), ("iprec_at_recall.10,.20", ["IPrec@0.1", "IPrec@0.2"])] {
            let several: Vec<String> = parse_all(text).expect(text).iter().map(ToString::to_string).collect();
            assert_eq!(several, names);
        }
    }

    #[test]
    fn a_long_row_of_prefixes_does_not_pile_up() {
        for (piece, part) in [("gm_", "unknown measure"), ("MED(", "MED is of a measure of one ranking, not of MED")] {
            let message = canonical(&piece.repeat(50_000));
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn messages_are_harmless() {
        let message = canonical("nDCG(gain='\x1b[2J')");
        assert!(message.contains("not '\\u{1b}[2J'"), "{message}");
    }

    #[test]
    fn errors_say_what_was_expected() {
        for (text, part) in [
            ("nDGC@10", "did you mean nDCG"),
            ("qwertyuiop", "untied measures lists all"),
            ("P", "P needs a cutoff, for instance P@10"),
            ("P@0", "at least 1"),
            ("Rprec@5", "takes no cutoff"),
            ("AP(rel=0)", "rel must be a number above 0, not 0"),
            ("AP(foo=1)", "no parameter \"foo\"; it has: rel, recall_base, judged_only, mean"),
            ("AP(mean=harmonic)", "mean must be 'arithmetic' or 'geometric', not 'harmonic'"),
            ("gm_num_rel", "NumRel has no parameter \"mean\""),
            ("nDCG(recall_base=3)@5", "'qrels' or 'ranking'"),
            ("nDCG(gain='cubic')@5", "gain must be"),
            ("DCG(discount='log(1)')", "discount must be"),
            ("nDCG@", "a whole number after @, found the end"),
            ("AP(rel=2", "',' or ')', found the end"),
            ("AP(rel=x)", "rel must be a number above 0, not 'x'"),
            ("AP(rel=-)", "a number, found \"-)\""),
            ("nDCG(gain={-1: 2})@5", "grades from 0 can have a gain"),
            ("nDCG(gain={1: 1, 1: 2})@5", "two values for 1"),
            ("P@5@10", "or the end, found \"@10\""),
            ("P@99999999999999999999", "a whole number after @, found \"99999999999999999999\""),
            ("AP(rel=2, rel=3)", "parameter rel is given twice"),
            ("AP(rel=1, rel=2)", "parameter rel is given twice"),
            ("nDCG(gains={1: 1}, gain='exp')", "parameter gain is given twice"),
            ("ndcg_cut", "ndcg_cut needs a cutoff, for instance ndcg_cut_10"),
            ("12pt_avg", "did you mean 11pt_avg"),
            ("iprecc_at_recall_0.10", "unknown measure \"iprecc_at_recall\"; did you mean iprec_at_recall"),
            ("IPrec@1.5", "recall must be a number from 0 to 1, not 1.5"),
            ("P_5.5", "P: a cutoff must be a whole number, not 5.5"),
            ("utility_1,2", "weights must be a list of four numbers, not [1, 2]"),
            ("Utility(weights=[1, 0, 0, 1])", "needs the size of the collection"),
            ("AP,nDCG@10", "name one measure at a time"),
            ("AP)", "found \")\""),
            ("MED(Delta(AP))", "MED is of a measure of one ranking, not of Delta"),
            ("bpref10", "unknown measure \"bpref10\"; did you mean bpref-10?"),
            ("R-Prec", "unknown measure \"R-Prec\"; did you mean Rprec?"),
            ("hit@10", "unknown measure \"hit\"; did you mean Success?"),
            ("condAP", "did you mean AP(judged_only=True)?"),
            ("ndcg at 10", "did you mean nDCG@10?"),
            ("rbp-0.8", "unknown measure \"rbp-0.8\"; did you mean RBP(p=0.8)?"),
            ("RBO-0.9", "did you mean RBO(p=0.9)?"),
            ("MRR10", "did you mean RR@10?"),
            ("nDCG-20", "did you mean nDCG@20?"),
            ("recall100", "did you mean R@100?"),
            ("IPrec-0.3", "did you mean IPrec@0.3?"),
            ("prec@10", "did you mean P?"),
            ("Rprec10", "unknown measure \"Rprec10\""),
            ("RBP@0.8", "RBP: a cutoff must be a whole number, not 0.8; write RBP(p=0.8)"),
            ("nDCG@20.5", "nDCG: a cutoff must be a whole number, not 20.5"),
            ("IPrec(recall=0.3)@0.5", "IPrec: recall is given twice: 0.3 and 0.5"),
            ("Rprec@0.5", "Rprec takes no cutoff, found @0.5"),
            ("P(10)", "a cutoff follows @: write P@10"),
            ("nDGC", "unknown measure \"nDGC\"; did you mean nDCG?"),
            ("RBP(.95)", "a parameter needs its name: write RBP(p=.95)"),
            ("RBP(0.95)", "a parameter needs its name: write RBP(p=0.95)"),
            ("AP(2)", "a cutoff follows @: write AP@2"),
            ("RBP.8", "measure \"RBP.8\" can be read in two ways: write RBP@8 or RBP(p=0.8)"),
            ("RBO.95", "write RBO@95 or RBO(p=0.95)"),
            ("nDCG@20,P@10", "\"nDCG@20,P@10\": name one measure at a time: -m nDCG@20 -m P@10"),
            ("nDCG@10, 20", "name one measure at a time: -m nDCG@10 -m nDCG@20"),
            ("AP(rel=2),P(rel=2)@5", "name one measure at a time: -m AP(rel=2) -m P(rel=2)@5"),
            ("gm_gm_map", "unknown measure \"gm_gm_map\""),
            ("", "cannot read measure \"\": expected a measure's name, found the end"),
            ("@10", "expected a measure's name, found \"@10\""),
        ] {
            let message = canonical(text);
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
