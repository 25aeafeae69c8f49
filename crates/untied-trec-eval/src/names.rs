//! trec_eval's measures in its own order: their names, parameters and printed names, each as a measure of ours.

use std::fmt;

use untied_core::error::{Error, Result, quote};
use untied_core::names::{Info, Spec, Value};
use untied_core::registry::parse_open;

use crate::numbers::{atof, atol};
use crate::quirks;

/// Which trec_eval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 9.0.8, also inside pytrec_eval.
    Nine,
    /// 10.0.
    Ten,
}

/// What decides on measures beside their names.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Which trec_eval.
    pub version: Version,
    /// `-l`, the lowest relevant grade.
    pub level: f64,
    /// `-N`, the number of documents in the collection; 0 where it is not said.
    pub collection: i64,
}

/// How a value is made and shown.
#[derive(Debug, Clone)]
pub enum Kind {
    /// The run's tag, only in the summary.
    Tag,
    /// The number of topics, only in the summary.
    Topics,
    /// One character for each of the first documents, up to a number; only for topics.
    Relevances(usize),
    /// Whole numbers, summed over topics.
    Count(Spec),
    /// Their arithmetic mean.
    Mean(Spec),
    /// The geometric mean of this, only in the summary.
    Geometric(Spec),
    /// The mean of this over a topic's judgment groups.
    Groups(Spec),
    /// A measure of preferences.
    Preference,
    /// A measure that fails at every topic, and why.
    Failing(String),
}

/// One line of a report.
#[derive(Debug, Clone)]
pub struct Printed {
    /// As printed: `P_5`, `utility_1,-1,0,0`, `iprec_at_recall_0.10`.
    pub name: String,
    /// The same without parameters that are no cutoffs, which is pytrec_eval's key: `P_5`, `utility`.
    pub key: String,
    /// See [`Kind`].
    pub kind: Kind,
}

/// What trec_eval knows about a measure.
struct Entry {
    name: &'static str,
    since: Version,
    what: What,
}

enum What {
    Tag,
    Topics,
    Relevances,
    Preference,
    Measure {
        core: Core,
        /// Whether `-l` has an effect on it.
        level: bool,
        kind: fn(Spec) -> Kind,
        parameters: Parameters,
    },
}

/// Which measure of ours it is.
enum Core {
    /// The one of this name.
    Named(&'static str),
    /// One that differs by version or from all of ours.
    Quirk(fn(Version) -> &'static Info),
}

/// The parameters that a measure takes after its name and a full stop.
enum Parameters {
    /// None; what is given is not looked at.
    None,
    /// Cutoffs: a line each, `P_5`.
    Cutoffs(&'static [i64]),
    /// Recall levels or multiples of R: a line each, `Rprec_mult_0.20`.
    Levels(&'static [f64]),
    /// Numbers of one line, `set_F_0.5`; they make a measure of one.
    Numbers(fn(Spec, &[f64], &Context) -> Result<Spec>, &'static [f64]),
    /// `grade=gain` or `p=0.5`, separated by commas; one line, `ndcg_1=3,2=9`.
    Pairs(fn(Spec, Pairing<'_>) -> Result<Spec>),
}

/// Names with numbers.
type Pairing<'a> = &'a [(&'a str, f64)];

use Parameters::{Cutoffs, Levels, Numbers, Pairs};
use Version::{Nine, Ten};

const RANKS: &[i64] = &[5, 10, 15, 20, 30, 100, 200, 500, 1000];

const RECALL: &[f64] = &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
const MULTIPLES: &[f64] = &[0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0];

const fn entry(name: &'static str, what: What) -> Entry {
    Entry { name, since: Nine, what }
}

const fn measure(name: &'static str, core: Core, level: bool, kind: fn(Spec) -> Kind, parameters: Parameters) -> Entry {
    entry(name, What::Measure { core, level, kind, parameters })
}

const fn count(name: &'static str, core: &'static str, level: bool) -> Entry {
    measure(name, Core::Named(core), level, Kind::Count, Parameters::None)
}

const fn mean(name: &'static str, core: &'static str, level: bool, parameters: Parameters) -> Entry {
    measure(name, Core::Named(core), level, Kind::Mean, parameters)
}

const fn other(name: &'static str, core: &'static str, kind: fn(Spec) -> Kind, parameters: Parameters) -> Entry {
    measure(name, Core::Named(core), true, kind, parameters)
}

const fn quirk(name: &'static str, core: fn(Version) -> &'static Info, level: bool, parameters: Parameters) -> Entry {
    measure(name, Core::Quirk(core), level, Kind::Mean, parameters)
}

const fn since_ten(entry: Entry) -> Entry {
    Entry { since: Ten, ..entry }
}

/// All measures, in the order in which they are printed.
static ENTRIES: &[Entry] = &[
    entry("runid", What::Tag),
    entry("num_q", What::Topics),
    count("num_ret", "NumRet", false),
    count("num_rel", "NumRel", true),
    count("num_rel_ret", "NumRelRet", true),
    mean("map", "AP", true, Parameters::None),
    other("gm_map", "AP", Kind::Geometric, Parameters::None),
    mean("Rprec", "Rprec", true, Parameters::None),
    mean("bpref", "Bpref", true, Parameters::None),
    mean("recip_rank", "RR", true, Parameters::None),
    quirk("iprec_at_recall", interpolated, true, Levels(RECALL)),
    mean("P", "P", true, Cutoffs(RANKS)),
    entry("relstring", What::Relevances),
    mean("recall", "R", true, Cutoffs(RANKS)),
    mean("infAP", "infAP", true, Parameters::None),
    other("gm_bpref", "Bpref", Kind::Geometric, Parameters::None),
    quirk("Rprec_mult", |_| &quirks::R_PRECISION_MULTIPLE.info, true, Levels(MULTIPLES)),
    quirk("utility", |_| &quirks::UTILITY.info, true, Numbers(weights, &[1.0, -1.0, 0.0, 0.0])),
    quirk("11pt_avg", interpolated, true, Numbers(levels_of, RECALL)),
    mean("binG", "binG", true, Parameters::None),
    mean("G", "G", false, Pairs(|_, pairs| gains(Spec::of(&quirks::G.info), pairs))),
    since_ten(mean("dcg", "DCG", false, Pairs(|_, pairs| gains(Spec::of(&quirks::DCG.info), pairs)))),
    since_ten(quirk("ideal_dcg", |_| &quirks::IDEAL_DCG.info, false, Pairs(gains))),
    mean("ndcg", "nDCG", false, Pairs(|_, pairs| gains(Spec::of(&quirks::NDCG.info), pairs))),
    mean("ndcg_rel", "nDCGRel", false, Pairs(|_, pairs| gains(Spec::of(&quirks::NDCG_REL.info), pairs))),
    quirk("Rndcg", |_| &quirks::RNDCG.info, true, Pairs(gains)),
    mean("ndcg_cut", "nDCG", false, Cutoffs(RANKS)),
    mean("map_cut", "AP", true, Cutoffs(RANKS)),
    mean("relative_P", "RelP", true, Cutoffs(RANKS)),
    mean("success", "Success", true, Cutoffs(&[1, 5, 10])),
    mean("set_P", "SetP", true, Parameters::None),
    mean("set_relative_P", "SetRelP", true, Parameters::None),
    mean("set_recall", "SetR", true, Parameters::None),
    mean("set_map", "SetAP", true, Parameters::None),
    quirk("set_F", |_| &quirks::SET_F.info, true, Numbers(beta, &[1.0])),
    count("num_nonrel_judged_ret", "NumNonrelJudgedRet", true),
    entry("prefs_num_prefs_poss", What::Preference),
    entry("prefs_num_prefs_ful", What::Preference),
    entry("prefs_num_prefs_ful_ret", What::Preference),
    entry("prefs_simp", What::Preference),
    entry("prefs_pair", What::Preference),
    entry("prefs_avgjg", What::Preference),
    entry("prefs_avgjg_Rnonrel", What::Preference),
    entry("prefs_simp_ret", What::Preference),
    entry("prefs_pair_ret", What::Preference),
    entry("prefs_avgjg_ret", What::Preference),
    entry("prefs_avgjg_Rnonrel_ret", What::Preference),
    entry("prefs_simp_imp", What::Preference),
    entry("prefs_pair_imp", What::Preference),
    entry("prefs_avgjg_imp", What::Preference),
    other("map_avgjg", "AP", Kind::Groups, Parameters::None),
    other("P_avgjg", "P", Kind::Groups, Cutoffs(RANKS)),
    measure(
        "Rprec_mult_avgjg",
        Core::Quirk(|_| &quirks::R_PRECISION_MULTIPLE.info),
        true,
        Kind::Groups,
        Levels(MULTIPLES),
    ),
    mean("yaap", "yaap", true, Parameters::None),
    since_ten(quirk("rbp", |_| &quirks::RBP.info, false, Pairs(persistence_and_gains))),
    since_ten(quirk("rbp_resid", |_| &quirks::RBP_RESIDUAL.info, false, Pairs(persistence))),
    since_ten(mean("unj", "Unjudged", false, Cutoffs(&[5, 10, 20]))),
];

/// Sets of measures that have a name of their own.
const NICKNAMES: [(&str, &str); 6] = [
    ("official", "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"),
    ("set", "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F"),
    (
        "all_trec",
        "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P relstring \
         recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut map_cut \
         relative_P success set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret rbp rbp_resid \
         unj",
    ),
    (
        "all_prefs",
        "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair \
         prefs_avgjg prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret \
         prefs_simp_imp prefs_pair_imp prefs_avgjg_imp",
    ),
    (
        "prefs",
        "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair \
         prefs_avgjg",
    ),
    ("qrels_jg", "runid num_q map_avgjg P_avgjg Rprec_mult_avgjg"),
];

/// The measures of a set, if it is one.
fn members(nickname: &str) -> Option<Vec<&'static str>> {
    NICKNAMES.iter().find(|(known, _)| *known == nickname).map(|(_, members)| members.split(' ').collect())
}

/// The names of a version's measures, in the order in which they are printed.
pub fn measures(version: Version) -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().filter(move |entry| entry.since <= version).map(|entry| entry.name)
}

/// A version's sets of measures: name and members.
pub fn nicknames(version: Version) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    NICKNAMES.iter().map(move |&(name, members)| {
        (name, measures(version).filter(|measure| members.split(' ').any(|member| member == *measure)).collect())
    })
}

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

impl Entry {
    /// The lines of this measure.
    fn print(&self, given: Option<&str>, context: &Context) -> Result<Vec<Printed>> {
        let name = |raw: Option<&str>| raw.map_or_else(|| self.name.to_owned(), |raw| format!("{}_{raw}", self.name));
        let line = |raw: Option<&str>, kind: Kind| Printed { name: name(raw), key: self.name.to_owned(), kind };
        let cut = |cutoff: &str, kind: Kind| Printed { name: name(Some(cutoff)), key: name(Some(cutoff)), kind };
        let (core, level, kind, parameters) = match &self.what {
            What::Tag => return Ok(vec![line(None, Kind::Tag)]),
            What::Topics => return Ok(vec![line(None, Kind::Topics)]),
            What::Preference => return Ok(vec![line(None, Kind::Preference)]),
            What::Relevances => {
                let length = given.map_or(10.0, |raw| number(raw.split(',').next().unwrap_or_default()));
                return Ok(vec![line(given, Kind::Relevances(length.max(0.0) as usize))]);
            }
            What::Measure { core, level, kind, parameters } => (core, *level, *kind, parameters),
        };
        let mut spec = match core {
            Core::Named(name) => parse_open(name)?,
            Core::Quirk(info) => Spec::of(info(context.version)),
        };
        if level {
            spec = spec.with("rel", Value::Number(context.level))?;
        }
        match *parameters {
            Parameters::None => Ok(vec![line(None, kind(spec))]),
            Cutoffs(standard) => {
                let at = |cutoff: i64| {
                    let spec = spec.clone().at(usize::try_from(cutoff).unwrap_or(usize::MAX))?;
                    Ok(cut(&cutoff.to_string(), kind(spec)))
                };
                given.map_or(Ok(standard.to_vec()), cutoffs)?.into_iter().map(at).collect()
            }
            Levels(standard) => {
                let at = |level: f64| {
                    let spec = spec.clone().with("levels", Value::List(vec![level]))?;
                    Ok(cut(&format!("{level:.2}"), kind(spec)))
                };
                given.map_or(Ok(standard.to_vec()), levels)?.into_iter().map(at).collect()
            }
            Numbers(with, standard) => {
                let values = given.map_or_else(|| standard.to_vec(), |raw| raw.split(',').map(number).collect());
                // As trec_eval: a wrong number of parameters is an error where the first topic is evaluated.
                let made = with(spec, &values, context);
                Ok(vec![line(given, made.map_or_else(|error| Kind::Failing(error.to_string()), kind))])
            }
            Pairs(with) => {
                let pairs = given.map_or(Ok(Vec::new()), pairs)?;
                Ok(vec![line(given, kind(if pairs.is_empty() { spec } else { with(spec, &pairs)? }))])
            }
        }
    }
}

fn problem(message: impl fmt::Display) -> Error {
    Error::Measure(message.to_string())
}

/// Cutoffs, ascending.
fn cutoffs(raw: &str) -> Result<Vec<i64>> {
    let mut cutoffs: Vec<i64> = raw.split(',').map(whole).collect();
    cutoffs.sort_unstable();
    if cutoffs[0] <= 0 {
        return Err(problem(format!("expected whole numbers from 1 as cutoffs, found {}", quote(raw.as_bytes()))));
    }
    if cutoffs.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(problem(format!("a cutoff appears twice in {}", quote(raw.as_bytes()))));
    }
    Ok(cutoffs)
}

/// Levels, ascending.
fn levels(raw: &str) -> Result<Vec<f64>> {
    let mut levels: Vec<f64> = raw.split(',').map(number).collect();
    levels.sort_by(f64::total_cmp);
    if levels.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(problem(format!("a level appears twice in {}", quote(raw.as_bytes()))));
    }
    Ok(levels)
}

fn pairs(raw: &str) -> Result<Vec<(&str, f64)>> {
    let pair = |text: &'_ str| match text.split_once('=') {
        Some((name, value)) if !value.contains('=') => Some((name.len(), number(value))),
        _ => None,
    };
    raw.split(',')
        .map(|text| pair(text).map(|(length, value)| (&text[..length], value)))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| problem(format!("expected pairs as 1=3,2=9, found {}", quote(raw.as_bytes()))))
}

fn whole(text: &str) -> i64 {
    atol(text.as_bytes())
}

fn number(text: &str) -> f64 {
    atof(text.as_bytes())
}

fn beta(spec: Spec, values: &[f64], _: &Context) -> Result<Spec> {
    spec.with("beta", Value::Number(values[0]))
}

fn weights(spec: Spec, values: &[f64], context: &Context) -> Result<Spec> {
    if values.len() != 4 {
        return Err(problem(format!("expected 4 weights, found {}", values.len())));
    }
    spec.with("weights", Value::List(values.to_vec()))?.with("collection", Value::Number(context.collection as f64))
}

fn levels_of(spec: Spec, values: &[f64], _: &Context) -> Result<Spec> {
    spec.with("levels", Value::List(values.to_vec()))
}

fn interpolated(version: Version) -> &'static Info {
    match version {
        Nine => &quirks::INTERPOLATED_9.info,
        Ten => &quirks::INTERPOLATED_10.info,
    }
}

/// Gains of grades; what is not named by a number is not looked at.
fn gains(spec: Spec, pairs: Pairing<'_>) -> Result<Spec> {
    let is_grade = |name: &str| {
        let digits = name.strip_prefix(['-', '+']).unwrap_or(name);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let gains = pairs.iter().filter(|(name, _)| is_grade(name));
    spec.with("pairs", Value::List(gains.flat_map(|&(name, gain)| [whole(name) as f64, gain]).collect()))
}

/// `p=0.5`: the last one counts.
fn persistence(spec: Spec, pairs: Pairing<'_>) -> Result<Spec> {
    match pairs.iter().rev().find(|(name, _)| *name == "p") {
        Some(&(_, p)) => spec.with("p", Value::Number(p)),
        None => Ok(spec),
    }
}

fn persistence_and_gains(spec: Spec, pairs: Pairing<'_>) -> Result<Spec> {
    persistence(gains(spec, pairs)?, pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

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
