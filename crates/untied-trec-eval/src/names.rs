//! trec_eval's measures in its own order: their names, parameters and printed names, each as a measure of ours.

use untied_core::error::Result;
use untied_core::names::{Info, Spec, Value};
use untied_core::registry::parse_open;

use crate::arguments::{
    Pairing, beta, cutoffs, gains, levels, levels_of, number, pairs, persistence, persistence_and_gains, weights,
};
use crate::context::{Context, Version};
use crate::quirks::{self, gains};

/// How a value is computed and printed.
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

/// The facts of a measure in trec_eval.
pub(crate) struct Entry {
    pub name: &'static str,
    pub since: Version,
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

/// How the core computes a measure.
enum Core {
    /// The measure of the core with this name.
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
pub(crate) static ENTRIES: &[Entry] = &[
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
    mean("G", "G", false, Pairs(|_, pairs| gains(Spec::of(&gains::G.info), pairs))),
    since_ten(mean("dcg", "DCG", false, Pairs(|_, pairs| gains(Spec::of(&gains::DCG.info), pairs)))),
    since_ten(quirk("ideal_dcg", |_| &gains::IDEAL_DCG.info, false, Pairs(gains))),
    mean("ndcg", "nDCG", false, Pairs(|_, pairs| gains(Spec::of(&gains::NDCG.info), pairs))),
    mean("ndcg_rel", "nDCGRel", false, Pairs(|_, pairs| gains(Spec::of(&gains::NDCG_REL.info), pairs))),
    quirk("Rndcg", |_| &gains::RNDCG.info, true, Pairs(gains)),
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
    since_ten(quirk("rbp", |_| &gains::RBP.info, false, Pairs(persistence_and_gains))),
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
pub(crate) fn members(nickname: &str) -> Option<Vec<&'static str>> {
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

impl Entry {
    /// The lines of this measure.
    pub fn print(&self, given: Option<&str>, context: &Context) -> Result<Vec<Printed>> {
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

fn interpolated(version: Version) -> &'static Info {
    match version {
        Nine => &quirks::INTERPOLATED_9.info,
        Ten => &quirks::INTERPOLATED_10.info,
    }
}
