//! Recognises the columns of a table by their names, for frames and for files with a header.
//!
//! Case does not matter, and `-` and blanks are the same as `_`. Names have ranks, and a column with a name of the first
//! rank wins: beside `qid`, a column `query` has the text of the query; beside `docno`, `docid` is a number within Terrier;
//! beside `label`, `score` is that of a run. Two columns with names of the same rank are ambiguous, and so is `rating`
//! beside `score`, because people use either name for both.
//!
//! A table has a row for each document of a query, or a row for each query with lists of its documents.

use super::profiles::{Accepted, Detail, GRADE, PROBABILITY, STRATUM};
use crate::error::{Error, Result, alternatives, quote};

/// The meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnRole {
    /// The query's id.
    Query,
    /// The document's id.
    Document,
    /// The score of a retrieved document.
    Score,
    /// Its rank.
    Rank,
    /// The grade of a judged document.
    Grade,
    /// The id of a subtopic.
    Subtopic,
    /// The number of a stratum.
    Stratum,
    /// The probability of inclusion.
    Probability,
    /// The list of the retrieved documents' ids, best first.
    Retrieved,
    /// The list of their scores.
    Scores,
    /// The list of the relevant documents' ids.
    Relevant,
    /// The list of their grades.
    Grades,
}

/// The names of a grade's column that win over `score`.
const GRADES: &[&str] = &["label", "relevance", "rel", "gain", "grade", "rating", "judgment", "judgement"];
/// Those that do not, because the score of a run may be beside them or the rating may be called a score.
const RATINGS: &[&str] = &["rating", "judgment", "judgement"];

/// Further names of the column of ids in a table of queries; BEIR's first.
const QUERY_IDS: &[&str] = &["_id", "id"];

const SCORE: Accepted = (f64::is_finite, "a finite number as the score");
const RANK: Accepted = (f64::is_finite, "a finite number as the rank");

impl ColumnRole {
    /// The name by which users assign a column to the role.
    fn name(self) -> &'static str {
        match self {
            ColumnRole::Query => "query",
            ColumnRole::Document => "document",
            ColumnRole::Score => "score",
            ColumnRole::Rank => "rank",
            ColumnRole::Grade => "grade",
            ColumnRole::Subtopic => "subtopic",
            ColumnRole::Stratum => "stratum",
            ColumnRole::Probability => "probability",
            ColumnRole::Retrieved => "retrieved",
            ColumnRole::Scores => "scores",
            ColumnRole::Relevant => "relevant",
            ColumnRole::Grades => "grades",
        }
    }

    /// The names of columns with this role, by rank.
    fn known(self) -> &'static [&'static [&'static str]] {
        match self {
            ColumnRole::Query => {
                &[&["qid", "query_id"], &["query"], &["query_text", "user_input", "question", "user_id"]]
            }
            ColumnRole::Document => {
                &[&["docno"], &["docid", "doc_id", "corpus_id", "chunk_id"], &["document"], &["item_id", "product_id"]]
            }
            ColumnRole::Score => &[&["score"], &["document_score"]],
            ColumnRole::Rank => &[&["rank"], &["position", "doc_position", "document_position"]],
            ColumnRole::Grade => &[GRADES, &["score"]],
            ColumnRole::Subtopic => &[&["subtopic", "subtopic_id"], &["iteration"]],
            ColumnRole::Stratum => &[&["stratum"]],
            ColumnRole::Probability => &[&["probability", "inclusion_probability", "iprob"]],
            ColumnRole::Retrieved => &[&["retrieved", "retrieved_ids", "retrieved_context_ids", "retrieved_docids"]],
            ColumnRole::Scores => &[&["scores", "similarity_scores"]],
            ColumnRole::Relevant => &[&[
                "relevant",
                "relevant_ids",
                "expected_ids",
                "reference_context_ids",
                "relevant_docs",
                "retrieval_gt",
            ]],
            ColumnRole::Grades => &[&["grades"]],
        }
    }

    /// The names of columns with this role.
    fn all_names(self) -> Vec<String> {
        self.known().concat().into_iter().map(Into::into).collect()
    }

    /// The numbers that are accepted; none if the role is of ids.
    fn accepted(self) -> Option<Accepted> {
        match self {
            ColumnRole::Query
            | ColumnRole::Document
            | ColumnRole::Subtopic
            | ColumnRole::Retrieved
            | ColumnRole::Relevant => None,
            ColumnRole::Score | ColumnRole::Scores => Some(SCORE),
            ColumnRole::Rank => Some(RANK),
            ColumnRole::Grade | ColumnRole::Grades => Some(GRADE),
            ColumnRole::Stratum => Some(STRATUM),
            ColumnRole::Probability => Some(PROBABILITY),
        }
    }
}

/// The kind of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A run.
    Run {
        /// Whether a column of ranks is read too, if there is one.
        ranks: bool,
    },
    /// Qrels, and what they say in addition to a grade.
    Qrels(Option<Detail>),
}

impl Content {
    /// The roles of its columns.
    fn roles(self) -> Vec<ColumnRole> {
        let lists = match self {
            Content::Run { .. } => {
                &[ColumnRole::Score, ColumnRole::Rank, ColumnRole::Retrieved, ColumnRole::Scores][..]
            }
            Content::Qrels(None) => &[ColumnRole::Grade, ColumnRole::Relevant, ColumnRole::Grades],
            Content::Qrels(Some(_)) => &[ColumnRole::Grade],
        };
        let more = match self {
            Content::Run { .. } | Content::Qrels(None | Some(Detail::Preferences | Detail::Probabilities)) => None,
            Content::Qrels(Some(Detail::Subtopics)) => Some(ColumnRole::Subtopic),
            Content::Qrels(Some(Detail::Strata)) => Some(ColumnRole::Stratum),
            Content::Qrels(Some(Detail::Inclusion)) => Some(ColumnRole::Probability),
        };
        [ColumnRole::Query, ColumnRole::Document].iter().chain(lists).copied().chain(more).collect()
    }

    /// The roles of lists of documents and of their numbers, and what documents have without numbers.
    fn lists(self) -> Option<(ColumnRole, ColumnRole, Unnumbered)> {
        match self {
            Content::Run { .. } => Some((ColumnRole::Retrieved, ColumnRole::Scores, Unnumbered::Ranked)),
            Content::Qrels(None) => Some((ColumnRole::Relevant, ColumnRole::Grades, Unnumbered::Relevant)),
            Content::Qrels(Some(_)) => None,
        }
    }
}

/// What is expected of the rows of a table with lists.
pub const ONE_LIST: &str = "one row for each query, because rows have lists";

/// What the documents of a list have if there is no list of numbers beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unnumbered {
    /// They are ranked, the best first.
    Ranked,
    /// They are equally relevant, with grade 1.
    Relevant,
}

impl Unnumbered {
    /// The score or grade of a document by its position in the list, from 0.
    pub fn number(self, position: usize) -> f64 {
        match self {
            Unnumbered::Ranked => -(position as f64 + 1.0),
            Unnumbered::Relevant => 1.0,
        }
    }
}

/// A column of numbers.
#[derive(Debug, Clone, Copy)]
pub struct NumericColumn {
    /// The index of the column.
    pub column: usize,
    /// The numbers that are accepted.
    pub accepted: Accepted,
    /// Whether lower numbers are better, because ranks replace scores.
    pub negated: bool,
}

/// The indexes of the columns of a table.
#[derive(Debug, Clone)]
pub struct Columns {
    /// The column of query ids.
    pub query: usize,
    /// The column of subtopic ids, if judgments have subtopics.
    pub subtopic: Option<usize>,
    /// The column of document ids.
    pub document: usize,
    /// The columns of numbers, in the order of a block's columns.
    pub numbers: Vec<NumericColumn>,
    /// Whether a row is a query with lists of documents and of numbers, and what documents have if there are no numbers.
    pub lists: Option<Unnumbered>,
}

impl Columns {
    /// Finds the columns of a table; `named` has the names of roles and of the columns that the user assigned to them.
    ///
    /// # Errors
    /// A column is missing or ambiguous, or the user named a role that such a table does not have.
    pub fn find(kind: Content, names: &[&str], named: &[(String, String)], source: &str) -> Result<Columns> {
        let (roles, named) = (kind.roles(), named_roles(kind, named, source)?);
        let finder = Finder { names, named, source };
        if let Some((documents, beside, unnumbered)) = kind.lists()
            && (finder.is_named(documents) || finder.optional(ColumnRole::Document)?.is_none())
            && let Some(document) = finder.optional(documents)?
        {
            finder.refuse_named(
                &[ColumnRole::Document, ColumnRole::Score, ColumnRole::Rank, ColumnRole::Grade],
                "have lists of documents",
            )?;
            let numbers = finder.optional(beside)?.zip(beside.accepted());
            let numbers = numbers.map(|(column, accepted)| NumericColumn { column, accepted, negated: false });
            let (query, numbers) = (finder.required(&[ColumnRole::Query], "")?, numbers.into_iter().collect());
            return Ok(Columns { query, subtopic: None, document, numbers, lists: Some(unnumbered) });
        }
        finder.refuse_named(&[ColumnRole::Scores, ColumnRole::Grades], "have one document each")?;
        let hint = kind.lists().map_or_else(String::new, |(documents, ..)| {
            format!("; for a list of documents: {}", alternatives(&documents.all_names()))
        });
        let numbers = match kind {
            Content::Run { ranks } => {
                let score = match finder.optional(ColumnRole::Score)? {
                    Some(column) => NumericColumn { column, accepted: SCORE, negated: false },
                    None => NumericColumn {
                        column: finder.required(&[ColumnRole::Score, ColumnRole::Rank], &hint)?,
                        accepted: RANK,
                        negated: true,
                    },
                };
                let rank = if ranks { finder.optional(ColumnRole::Rank)? } else { None };
                let rank = rank.map(|column| NumericColumn { column, accepted: (|_| true, "a rank"), negated: false });
                [score].into_iter().chain(rank).collect()
            }
            Content::Qrels(_) => {
                let of_rows = roles.iter().filter(|role| **role != ColumnRole::Grades);
                let numbers = of_rows.filter_map(|role| role.accepted().map(|accepted| (role, accepted)));
                let columns = numbers.map(|(role, accepted)| {
                    Ok(NumericColumn { column: finder.required(&[*role], &hint)?, accepted, negated: false })
                });
                columns.collect::<Result<_>>()?
            }
        };
        let subtopic =
            roles.contains(&ColumnRole::Subtopic).then(|| finder.required(&[ColumnRole::Subtopic], "")).transpose()?;
        let query = finder.required(&[ColumnRole::Query], "")?;
        let document = finder.required(&[ColumnRole::Document], &hint)?;
        Ok(Columns { query, subtopic, document, numbers, lists: None })
    }

    /// Finds the column of query ids in a table that only describes queries.
    ///
    /// # Errors
    /// The column is missing or ambiguous.
    pub fn find_query(names: &[&str], source: &str) -> Result<usize> {
        let finder = Finder { names, named: Vec::new(), source };
        if let Some(column) = finder.optional(ColumnRole::Query)? {
            return Ok(column);
        }
        QUERY_IDS.iter().find_map(|id| names.iter().position(|name| name == id)).ok_or_else(|| {
            let known = alternatives(&ColumnRole::Query.all_names());
            let found = if names.is_empty() { "none".into() } else { finder.names_for_message() };
            Error::Value(format!("{source}: expected a column for the query ({known}), found {found}"))
        })
    }

    /// The number of columns of numbers that the rows of a chunk have.
    pub fn width(&self) -> usize {
        self.numbers.len().max(1)
    }

    /// The indexes of all columns: query, subtopic if there is one, document, numbers.
    pub fn needed(&self) -> impl Iterator<Item = usize> {
        let ids = [Some(self.query), self.subtopic, Some(self.document)].into_iter().flatten();
        ids.chain(self.numbers.iter().map(|number| number.column))
    }
}

/// The roles of the columns that the user named.
fn named_roles<'a>(kind: Content, named: &'a [(String, String)], source: &str) -> Result<Vec<(ColumnRole, &'a str)>> {
    let roles = kind.roles();
    let what = match kind {
        Content::Run { .. } => "a run",
        Content::Qrels(_) => "qrels of this format",
    };
    named
        .iter()
        .map(|(role, column)| {
            let known = roles.iter().find(|known| known.name() == role);
            let expected = || {
                let names: Vec<String> = roles.iter().map(|role| role.name().into()).collect();
                let (names, role) = (alternatives(&names), quote(role.as_bytes()));
                Error::Value(format!("{source}: columns of {what} name {names}, not {role}"))
            };
            Ok((*known.ok_or_else(expected)?, column.as_str()))
        })
        .collect()
}

/// How users assign columns, for messages.
const OPTION: &str = "columns= or --column";

/// The name of a column, without differences that do not matter.
fn normalised(column: &str) -> String {
    column.trim().to_ascii_lowercase().replace(['-', ' '], "_")
}

/// A search for columns among the names of a table.
struct Finder<'a> {
    names: &'a [&'a str],
    named: Vec<(ColumnRole, &'a str)>,
    source: &'a str,
}

impl Finder<'_> {
    /// Whether the user named the column of a role.
    fn is_named(&self, role: ColumnRole) -> bool {
        self.named.iter().any(|(named, _)| *named == role)
    }

    /// Refuses names of columns that rows of this kind do not have.
    fn refuse_named(&self, roles: &[ColumnRole], rows: &str) -> Result<()> {
        let named = roles.iter().find(|role| self.is_named(**role));
        named.map_or(Ok(()), |role| {
            let message = format!("{}: the column for the {} is named, but rows {rows}", self.source, role.name());
            Err(Error::Value(message))
        })
    }

    /// The column of the first of several roles that has one; `hint` says what else may be there.
    fn required(&self, roles: &[ColumnRole], hint: &str) -> Result<usize> {
        for &role in roles {
            if let Some(column) = self.optional(role)? {
                return Ok(column);
            }
        }
        let what = alternatives(&roles.iter().map(|role| role.name().into()).collect::<Vec<_>>());
        let known: Vec<String> = roles.iter().flat_map(|role| role.all_names()).collect();
        Err(Error::Value(format!(
            "{}: expected a column for the {what} ({}{hint}; or name it by {}), found {}",
            self.source,
            alternatives(&known),
            OPTION,
            self.names_for_message()
        )))
    }

    /// The column of a role, if there is one.
    fn optional(&self, role: ColumnRole) -> Result<Option<usize>> {
        if let Some((_, name)) = self.named.iter().find(|(named, _)| *named == role) {
            return self.only(|column| column == *name, role)?.map(Some).ok_or_else(|| {
                let name = quote(name.as_bytes());
                Error::Value(format!("{}: expected a column {name}, found {}", self.source, self.names_for_message()))
            });
        }
        let is_assigned = |column: &str| self.named.iter().any(|(_, name)| *name == column);
        for names in role.known() {
            let is_known = |column: &str| !is_assigned(column) && names.contains(&normalised(column).as_str());
            if let Some(column) = self.only(is_known, role)? {
                if RATINGS.contains(&normalised(self.names[column]).as_str()) {
                    self.only(
                        |other| other == self.names[column] || normalised(other) == "score" && !is_assigned(other),
                        role,
                    )?;
                }
                return Ok(Some(column));
            }
        }
        Ok(None)
    }

    /// The only column with such a name.
    fn only(&self, has_name: impl Fn(&str) -> bool, role: ColumnRole) -> Result<Option<usize>> {
        let mut columns = self.names.iter().enumerate().filter(|(_, name)| has_name(name));
        match (columns.next(), columns.next()) {
            (Some((_, first)), Some((_, second))) => Err(Error::Value(format!(
                "{}: columns {} and {} may both hold the {}; name one of them by {}",
                self.source,
                quote(first.as_bytes()),
                quote(second.as_bytes()),
                role.name(),
                OPTION,
            ))),
            (first, _) => Ok(first.map(|(column, _)| column)),
        }
    }

    /// The names of the table's columns, for messages.
    fn names_for_message(&self) -> String {
        if self.names.is_empty() {
            return "none at all".into();
        }
        const MOST: usize = 20;
        let shown = self.names.iter().take(MOST).map(|name| quote(name.as_bytes())).collect::<Vec<_>>().join(", ");
        match self.names.len().saturating_sub(MOST) {
            0 => shown,
            others => format!("{shown} and {others} others"),
        }
    }
}
