//! Names of measures with parameters and cutoffs: `nDCG(gain='exp2')@10`, `AP(rel=2)`, `ndcg_cut_10`, `P.5,10`.

use super::parser::Parser;
use super::printed::{is_same, maximized, meant, near, printed};
use super::{Cutoff, Info, MEAN, OF, Parameter, RECALL, Spec, Value, spellings};
use crate::error::{Error, Result, quote};

/// The measures that a text may name, and how they are checked.
pub struct MeasureNames {
    /// All measures.
    pub all: Vec<&'static Info>,
    /// Checks a measure as far as that is possible without judgments.
    pub check: fn(&Spec) -> Result<()>,
}

impl MeasureNames {
    /// Finds the measure that has this name or, if there is none, this alias. Case does not matter, nor whether `_`,
    /// `-` or a blank joins the words.
    fn lookup(&self, name: &str) -> Option<&'static Info> {
        let is_alias =
            |info: &&&'static Info| is_same(info.name, name) || info.aliases.iter().any(|alias| is_same(alias, name));
        let named = self.all.iter().find(|info| info.name == name);
        named.or_else(|| self.all.iter().find(is_alias)).copied()
    }

    fn unknown(&self, name: &str) -> Error {
        let in_words = near(name).map(Into::into).or_else(|| self.in_words(name));
        let suggestion = match (in_words, self.similar(name).as_slice(), self.numbered(name)) {
            (Some::<String>(ours), ..) => format!("did you mean {ours}?"),
            (_, [known], _) if plain(known).eq_ignore_ascii_case(&plain(name)) => format!("did you mean {known}?"),
            (_, _, Some(ours)) => format!("did you mean {ours}?"),
            _ if name.contains([',', ' ']) => "name one measure at a time".into(),
            (_, [], _) => "untied measures lists all".into(),
            (_, names, _) => format!("did you mean {}?", names.join(" or ")),
        };
        Error::Measure(format!("unknown measure {}; {suggestion}", quote(name.as_bytes())))
    }

    /// Finds names that are similar to a misspelt one. If some differ from it only in punctuation, it returns only
    /// these.
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

    /// Reads one measure with its cutoff and parameters.
    ///
    /// # Errors
    /// The text is malformed, the measure or a parameter unknown, or several measures are meant (`P.5,10`).
    pub fn parse(&self, text: &str) -> Result<Spec> {
        let spec = self.parse_open(text)?;
        (self.check)(&spec)?;
        Ok(spec)
    }

    /// Reads one measure whose cutoff may be given later, such as `P(rel=2)`.
    ///
    /// # Errors
    /// As [`MeasureNames::parse`].
    pub fn parse_open(&self, text: &str) -> Result<Spec> {
        match self.read(text)?.as_slice() {
            [spec] => self.check_open(spec).map(|()| spec.clone()),
            specs => {
                let text = quote(text.as_bytes());
                Err(Error::Measure(format!("expected one measure, found {} in {text}", specs.len())))
            }
        }
    }

    /// Reads one measure, or several that differ by cutoff in trec_eval's spelling (`P.5,10`, `ndcg_cut.10`).
    ///
    /// # Errors
    /// The text is malformed, or the measure or a parameter unknown.
    pub fn parse_all(&self, text: &str) -> Result<Vec<Spec>> {
        let specs = self.read(text)?;
        specs.iter().try_for_each(self.check)?;
        Ok(specs)
    }

    /// Checks a measure whose cutoff or parameters may be given later.
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
    pub(super) fn named(&self, name: &str) -> Result<Vec<Spec>> {
        match (meant(name), self.lookup(name)) {
            (Some(ours), _) => self.read(ours),
            (None, Some(info)) => Ok(vec![Spec::of(info)]),
            (None, None) => self.with_trailing(name),
        }
    }

    /// What a name already means, so that a user cannot define it; None if it is free.
    pub fn taken(&self, name: &str) -> Option<String> {
        match self.read(name) {
            Ok(specs) => specs.first().map(ToString::to_string),
            Err(_) => geometric(name).map(|name| format!("the geometric mean of {name}")),
        }
    }

    /// The measure that is meant before a number: `P`, or `P_at` if the number can be a cutoff.
    fn before_number(&self, stem: &str) -> Option<&'static Info> {
        let takes_cutoff = |info: &&Info| matches!(info.cutoff, Cutoff::Optional | Cutoff::Required);
        self.lookup(stem).or_else(|| self.lookup(stem.strip_suffix("_at")?).filter(takes_cutoff))
    }

    /// trec_eval's spellings: a name, `_` or `.`, and numbers (`P_10`, `P.5,10`, `iprec_at_recall_0.10`), or gains of
    /// grades (`ndcg_1=3,2=9`); and MTEB's (`ndcg_at_10`).
    fn with_trailing(&self, name: &str) -> Result<Vec<Spec>> {
        let splits = name.match_indices(['_', '.']).map(|(at, _)| (&name[..at], &name[at..]));
        let splits: Vec<_> =
            splits.filter_map(|(stem, rest)| Some((stem, rest, Trailing::read(&rest[1..])?))).collect();
        // `iprec_at_recall_0.10` is not `iprec_at_recall_0` and 10.
        let Some((info, rest, trailing)) =
            splits.iter().find_map(|(stem, rest, read)| Some((self.before_number(stem)?, rest, read)))
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

/// Removes punctuation and blanks from a name.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Computes the edit distance of two names, in which case does not count.
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
    // Only one prefix is read, because a geometric mean of geometric means does not exist.
    name.strip_prefix("gm_").filter(|rest| !rest.starts_with("gm_") && !rest.eq_ignore_ascii_case("gmap"))
}

/// What may follow a measure's name.
enum Trailing {
    /// Cutoffs, such as `5,10`.
    Numbers(Vec<f64>),
    /// Gains of grades, such as `1=3,2=9`.
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
