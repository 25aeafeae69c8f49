//! trec_eval's own command line: its reading of files, its measures by their names, its report, its exit codes.
//!
//! Nothing here is reached by `untied eval`: names and deviations belong to `untied trec_eval` and to
//! `untied.compat.pytrec_eval`. No measure is computed here either, each is one of [`untied_core::measures`]; where
//! trec_eval computes something else than a measure means, the variant lies beside the names.

#![forbid(unsafe_code)]

mod arguments;
mod context;
mod fields;
mod jg;
mod names;
#[cfg(test)]
#[path = "../../untied-core/nightly.rs"]
mod nightly;
mod numbers;
mod preferences;
mod prefs;
mod prefs_group;
mod prefs_read;
mod qrels;
mod quirks;
mod read;
mod report;
mod requested;
mod topics;

pub use context::{Context, Version};
pub use names::{Kind, Printed, measures, nicknames};
pub use numbers::atol;
pub use quirks::build;
pub use read::{read_deviations, read_qrels, read_run};
pub use report::Report;
pub use requested::Requested;

use untied_core::error::{Error, quote, show};
use untied_core::read::read_lines;
use untied_core::table::Qrels;

use jg::read_groups;
use prefs_read::{Preferences, read_prefs, read_qrels_prefs};
use topics::collect;

/// The options of the command line.
#[derive(Debug, Clone)]
pub struct Options {
    /// `--trec-version`.
    pub version: Version,
    /// `-m`, in their order.
    pub measures: Vec<String>,
    /// `-q`: the topics' values too.
    pub per_topic: bool,
    /// Whether the summary is printed, which `-n` turns off.
    pub summary: bool,
    /// `-c`: means over all topics of the qrels.
    pub complete: bool,
    /// `-J`: without documents that are not judged.
    pub judged_only: bool,
    /// `-l`: lowest relevant grade.
    pub level: i64,
    /// `-N`: documents in the collection.
    pub collection: i64,
    /// `-M`: how many documents of a topic count.
    pub depth: Option<usize>,
    /// `-R`: format of the judgments.
    pub judgments: String,
    /// `-T`: format of the results.
    pub results: String,
    /// `-Z`: a file of means and standard deviations.
    pub deviations: Option<String>,
    /// `-D level.topic`: the only topic that is evaluated.
    pub topic: Option<String>,
}

impl Options {
    fn context(&self) -> Context {
        Context { version: self.version, level: self.level as f64, collection: self.collection }
    }
}

/// Why the command ends early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// trec_eval's exit code.
    pub code: u8,
    /// The messages for the user.
    pub message: String,
}

/// An error turned into a failure with this exit code.
fn failure(code: u8) -> impl Fn(Error) -> Failure {
    move |error| Failure { code, message: error.to_string() }
}

/// Exit codes.
mod code {
    pub const USAGE: u8 = 1;
    pub const INPUT: u8 = 2;
    pub const MEASURE: u8 = 4;
    pub const NOTHING: u8 = 7;
    /// The exit status of a C program that ends with -1.
    pub const DEVIATIONS: u8 = 255;
}

fn requested(options: &Options) -> Result<Requested, Failure> {
    let mut requested = Requested::new(options.version);
    options.measures.iter().try_for_each(|measure| requested.add(measure)).map_err(failure(code::USAGE))?;
    if options.level < 1 {
        let message = format!("-l: the lowest relevant grade must be at least 1, not {}", options.level);
        return Err(Failure { code: code::USAGE, message });
    }
    Ok(requested)
}

/// Judgments in one of the formats of `-R`.
enum Judgments<'a> {
    Qrels(Box<Qrels>),
    Groups(Vec<Qrels>),
    Preferences(Preferences<'a>),
}

impl<'a> Judgments<'a> {
    /// Read judgments; preferences point into `bytes`, which becomes the file's content.
    fn read(options: &Options, path: &str, bytes: &'a mut Vec<u8>) -> Result<Judgments<'a>, Failure> {
        let version = options.version;
        let format = options.judgments.as_str();
        let judgments = if format == "qrels" {
            read_qrels(path, version).map(Box::new).map(Judgments::Qrels)
        } else {
            let of_bytes = match format {
                "qrels_jg" => |bytes, path, version| read_groups(bytes, path, version).map(Judgments::Groups),
                "prefs" => |bytes, path, version| read_prefs(bytes, path, version).map(Judgments::Preferences),
                "qrels_prefs" => {
                    |bytes, path, version| read_qrels_prefs(bytes, path, version).map(Judgments::Preferences)
                }
                unknown => return Err(unknown_format("-R", unknown)),
            };
            read_lines(path).and_then(|content| {
                *bytes = content;
                of_bytes(bytes, path, version)
            })
        };
        judgments.map_err(failure(code::INPUT))
    }

    /// Why a line of the report cannot be computed from these judgments, if it cannot.
    fn refuse(&self, line: &Printed, options: &Options) -> Option<String> {
        let fits = match &line.kind {
            Kind::Failing(why) => return Some(format!("{}: {why}", line.name)),
            Kind::Tag | Kind::Topics => true,
            Kind::Relevances(_) | Kind::Count(_) | Kind::Mean(_) | Kind::Geometric(_) => {
                matches!(self, Judgments::Qrels(_))
            }
            Kind::Groups(_) => matches!(self, Judgments::Groups(_)),
            Kind::Preference => matches!(self, Judgments::Preferences(_)),
        };
        (!fits).then(|| format!("{} cannot be computed with -R {}", show(line.name.as_bytes()), options.judgments))
    }

    /// Ids of the judged topics, ascending.
    fn topics(&self) -> Vec<&[u8]> {
        match self {
            Judgments::Qrels(qrels) => (0..qrels.len()).map(|topic| qrels.id(topic)).collect(),
            Judgments::Groups(groups) => {
                groups.first().map_or_else(Vec::new, |qrels| (0..qrels.len()).map(|topic| qrels.id(topic)).collect())
            }
            Judgments::Preferences(preferences) => preferences.iter().map(|(id, _)| id).collect(),
        }
    }
}

fn unknown_format(option: &str, format: &str) -> Failure {
    Failure { code: code::INPUT, message: format!("{option}: unknown format {}", quote(format.as_bytes())) }
}

/// Evaluate results against judgments.
///
/// # Errors
/// All that keeps the report from being begun; what ends it half-way is [`Report::failure`].
pub fn evaluate(options: &Options, judgments: &str, results: &str) -> Result<Report, Failure> {
    let requested = requested(options)?;
    let mut bytes = Vec::new();
    let judgments = Judgments::read(options, judgments, &mut bytes)?;
    if options.results != "trec_results" {
        return Err(unknown_format("-T", &options.results));
    }
    let (run, tag) = read_run(results, options.version).map_err(failure(code::INPUT))?;
    let deviations = options.deviations.as_deref().map(read_deviations);
    let deviations = deviations.transpose().map_err(failure(code::DEVIATIONS))?;
    let lines = requested.printed(&options.context()).map_err(failure(code::INPUT))?;
    let refusal = lines.iter().find_map(|line| judgments.refuse(line, options));
    let values = match (refusal, &judgments) {
        // The report stops with this at the first topic; without a topic, it fails for lack of topics.
        (Some(why), _) => {
            collect(judgments.topics().into_iter(), &run, lines.len(), options, true, |_, _| Err(why.clone()))
        }
        (None, Judgments::Qrels(qrels)) => qrels::values(qrels, &run, &lines, options)?,
        (None, Judgments::Groups(groups)) => qrels::values_of_groups(groups, &run, &lines, options)?,
        (None, Judgments::Preferences(preferences)) => preferences::values(preferences, &run, &lines, options),
    };
    Report::new(lines, values, deviations.as_ref(), tag, options)
}

/// What the requested measures are, a paragraph each.
///
/// # Errors
/// No measure has one of the names.
pub fn explain(options: &Options) -> Result<String, Failure> {
    let requested = requested(options)?;
    let lines = requested.printed(&options.context()).map_err(failure(code::INPUT))?;
    let mut text = String::new();
    for Printed { name, kind, .. } in lines {
        let what = match kind {
            Kind::Tag => "the tag in the last line of the results; in the summary only".into(),
            Kind::Topics => "number of topics; in the summary only".into(),
            Kind::Relevances(_) => {
                "grades of the first documents, a character each: > for 10 and more, - for a document that the \
                 judgments lack, . for a negative grade; of topics only"
                    .into()
            }
            Kind::Count(spec) => format!("{}; summed over topics\n    {}", spec.info.title, spec.info.equation),
            Kind::Mean(spec) => format!("{}\n    {}", spec.info.title, spec.info.equation),
            Kind::Geometric(spec) => {
                format!(
                    "geometric mean over topics, in the summary only: {}\n    {}",
                    spec.info.title, spec.info.equation
                )
            }
            Kind::Groups(spec) => {
                format!("mean over judgment groups (-R qrels_jg): {}\n    {}", spec.info.title, spec.info.equation)
            }
            Kind::Preference => format!("{} (-R prefs, -R qrels_prefs)", prefs::title(&name)),
            Kind::Failing(why) => format!("fails at every topic: {name}: {why}"),
        };
        text.push_str(&format!("{name}\n    {what}\n"));
    }
    Ok(text)
}
