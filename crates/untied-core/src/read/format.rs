//! Formats of files of runs and qrels, in one table: readers, Python, help texts and the documentation use it.

use super::layout::{self, LineLayout};
use super::pieces::Pieces;
use super::table::{TableFormat, open_table, read_table};
use super::trec::{PRELS, QRELS, RANKS, RUN, RUN_BY_RANK, RUN_WITH_RANKS, STRATA, SUBTOPICS, read_tagged};
use crate::error::{Error, Result, alternatives};
use crate::table::columns::Content;
use crate::table::profiles::Detail;
use crate::table::{Qrels, Run};

/// How files of a format are read.
#[derive(Debug, Clone, Copy)]
pub enum Reader {
    /// By their columns.
    Columns(&'static LineLayout),
    /// By the names of their columns.
    Named(TableFormat),
    /// By a function of the binding, such as Python.
    Binding,
}

/// A format of files.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Its name in options.
    pub name: &'static str,
    /// The content of such a file, for help texts and the documentation. Formats with the same text are listed
    /// together.
    pub about: &'static str,
    /// How it is read.
    pub reader: Reader,
    /// The details of its judgments besides grades.
    pub detail: Option<Detail>,
    /// Whether its grades only order groups of documents.
    pub ordered: bool,
    /// Whether its numbers are ranks, of which the lowest is best, instead of scores.
    pub by_rank: bool,
    /// Suffixes that files without a named format have.
    pub suffixes: &'static [&'static str],
    /// Whether its columns have names, which options can change.
    pub has_names: bool,
    /// Whether runs are evaluated while they are read.
    pub streams: bool,
}

const TABLE: &str = "a table with named columns";
const ANSWERS: &str = "a line for each query: {query_id, response} of this search engine";

/// The values that most formats share.
const PLAIN: Format = Format {
    name: "",
    about: TABLE,
    reader: Reader::Binding,
    detail: None,
    ordered: false,
    by_rank: false,
    suffixes: &[],
    has_names: false,
    streams: false,
};

const CSV: Format = Format {
    name: "csv",
    reader: Reader::Named(TableFormat::Delimited(b',')),
    suffixes: &[".csv"],
    has_names: true,
    streams: true,
    ..PLAIN
};
const TSV: Format =
    Format { name: "tsv", reader: Reader::Named(TableFormat::Delimited(b'\t')), suffixes: &[".tsv"], ..CSV };
const JSONL: Format =
    Format { name: "jsonl", reader: Reader::Named(TableFormat::JsonLines), suffixes: &[".jsonl", ".ndjson"], ..CSV };
const JSON: Format =
    Format { name: "json", about: "an object: {query: {document: number}}", suffixes: &[".json"], ..PLAIN };
const PARQUET: Format = Format { name: "parquet", reader: Reader::Binding, suffixes: &[".parquet"], ..CSV };

/// Formats of runs; files with other suffixes have the first one.
pub static RUNS: &[Format] = &[
    Format {
        name: "trec",
        about: "each line has: query Q0 document rank score tag",
        reader: Reader::Columns(&RUN),
        streams: true,
        ..PLAIN
    },
    Format {
        name: "trec-ranks",
        about: "like trec, but documents are sorted by rank instead of score",
        reader: Reader::Columns(&RUN_BY_RANK),
        by_rank: true,
        ..PLAIN
    },
    Format {
        name: "msmarco",
        about: "each line has: query document rank",
        reader: Reader::Columns(&RANKS),
        by_rank: true,
        ..PLAIN
    },
    CSV,
    TSV,
    JSONL,
    JSON,
    PARQUET,
    Format { name: "rank-eval", about: "a response of Elasticsearch's rank-eval API", ..PLAIN },
    Format {
        name: "search",
        about: "a line for each query: {query_id, response} of Elasticsearch or OpenSearch",
        ..PLAIN
    },
    Format { name: "vespa", about: ANSWERS, ..PLAIN },
    Format { name: "solr", about: ANSWERS, ..PLAIN },
    Format { name: "typesense", about: ANSWERS, ..PLAIN },
    Format { name: "meilisearch", about: ANSWERS, ..PLAIN },
    Format { name: "workbench", about: "evaluation results of OpenSearch's Search Relevance Workbench", ..PLAIN },
    Format { name: "quepid", about: "a snapshot of Quepid, as CSV or JSON", ..PLAIN },
    Format { name: "mteb", about: "predictions of MTEB: {subset: {split: {query: {document: score}}}}", ..PLAIN },
];

/// Formats of qrels; files with other suffixes have the first one.
pub static QRELS_FORMATS: &[Format] = &[
    Format {
        name: "trec",
        about: "each line has: query iteration document grade",
        reader: Reader::Columns(&QRELS),
        ..PLAIN
    },
    CSV,
    TSV,
    JSONL,
    JSON,
    PARQUET,
    Format { name: "rank-eval", about: "a request to Elasticsearch's rank-eval API", ..PLAIN },
    Format { name: "workbench", about: "judgments of OpenSearch's Search Relevance Workbench", ..PLAIN },
    Format { name: "quepid", about: "ratings of Quepid, as CSV or JSON", ..PLAIN },
    Format { name: "rre", about: "ratings of Rated Ranking Evaluator", ..PLAIN },
    Format {
        name: "subtopics",
        about: "each line has: query subtopic document grade (for diversity measures)",
        reader: Reader::Columns(&SUBTOPICS),
        detail: Some(Detail::Subtopics),
        ..PLAIN
    },
    Format {
        name: "stratified",
        about: "each line has: query 0 document stratum grade (for the measures xinfAP and infNDCG)",
        reader: Reader::Columns(&STRATA),
        detail: Some(Detail::Strata),
        ..PLAIN
    },
    Format {
        name: "prels",
        about: "each line has: query document grade method probability (for the measure statAP)",
        reader: Reader::Columns(&PRELS),
        detail: Some(Detail::Inclusion),
        ..PLAIN
    },
    Format {
        name: "groups",
        about: "each line has a query and its groups of documents, best group first, such as: q1 d1 d2 | d3",
        ordered: true,
        ..PLAIN
    },
    Format { name: "mirex", about: "each line has: source query document group", ordered: true, ..PLAIN },
    Format {
        name: "preferences",
        about: "each line has: query document document (the first document is preferred to the second)",
        ordered: true,
        ..PLAIN
    },
    Format {
        name: "probabilities",
        about: "a table with the probability of relevance, with that of each grade (columns p0, p1, ...), or with grades by several raters",
        ordered: true,
        ..PLAIN
    },
];

/// The format of runs with this name.
///
/// # Errors
/// There is none.
pub fn run_format(name: &str) -> Result<&'static Format> {
    find(RUNS, "run", name)
}

/// The format of qrels with this name.
///
/// # Errors
/// There is none.
pub fn qrels_format(name: &str) -> Result<&'static Format> {
    find(QRELS_FORMATS, "qrels", name)
}

fn find(formats: &'static [Format], what: &str, name: &str) -> Result<&'static Format> {
    formats.iter().find(|format| format.name == name).ok_or_else(|| {
        let names: Vec<String> = formats.iter().map(|format| format.name.into()).collect();
        Error::Value(format!("{what} format must be {}, not '{name}'", alternatives(&names)))
    })
}

impl Format {
    /// The columns of a file, if they are fixed.
    pub fn layout(&self) -> Option<&'static LineLayout> {
        match self.reader {
            Reader::Columns(layout) => Some(layout),
            Reader::Named(_) | Reader::Binding => None,
        }
    }

    /// Reads a run; `columns` are names of columns that the user gives, `ranks` keeps the rank column too.
    ///
    /// # Errors
    /// The file cannot be read, a line is malformed, a score or rank is not a finite number, a document appears twice in
    /// a query, there is no line at all, or a binding reads this format.
    pub fn read_run(&self, path: &str, columns: &[(String, String)], ranks: bool) -> Result<Run> {
        let mut chunks = match self.reader {
            Reader::Columns(_) if ranks && !self.by_rank => return read_tagged(path.into(), &RUN_WITH_RANKS),
            Reader::Columns(_) if !self.by_rank => self.open_run(path, columns)?.all_of_run()?,
            Reader::Columns(layout) => layout::read(path, layout)?,
            Reader::Named(format) => read_table(path, format, Content::Run { ranks }, columns)?,
            Reader::Binding => return Err(self.unread(path)),
        };
        if self.by_rank {
            // What has a lower rank is better, and equal ranks are tied.
            let ranks = chunks.iter_mut().flat_map(|chunk| &mut chunk.block.columns[0]);
            ranks.for_each(|rank| *rank = -*rank);
        }
        Run::new(chunks, path)
    }

    /// Opens a run to be read piece by piece; a document may stand twice.
    ///
    /// # Errors
    /// The file cannot be opened, or a binding reads this format.
    pub fn open_run(&self, path: &str, columns: &[(String, String)]) -> Result<Pieces> {
        match self.reader {
            Reader::Columns(layout) => layout::open(path, layout),
            Reader::Named(format) => open_table(path, format, Content::Run { ranks: false }, columns),
            Reader::Binding => Err(self.unread(path)),
        }
    }

    /// Reads qrels; a table holds `detail` besides grades.
    ///
    /// # Errors
    /// The file cannot be read, a line is malformed, a grade is not a finite number, a document is judged twice with
    /// different grades, there is no line at all, or a binding reads this format.
    pub fn read_qrels(&self, path: &str, detail: Option<Detail>, columns: &[(String, String)]) -> Result<Qrels> {
        match self.reader {
            Reader::Columns(layout) => Qrels::with_detail(layout::read(path, layout)?, self.detail, path),
            Reader::Named(format) => {
                let chunks = read_table(path, format, Content::Qrels(detail), columns)?;
                Qrels::with_detail(chunks, detail, path)
            }
            Reader::Binding => Err(self.unread(path)),
        }
    }

    fn unread(&self, path: &str) -> Error {
        Error::Value(format!("{path}: format {} is not read here", self.name))
    }
}
