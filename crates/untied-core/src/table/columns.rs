//! The columns of a table, recognised by their names: for frames, and for files with a header.
//!
//! Case does not count, and `-` is `_`. Where names of several ranks occur, the first rank counts: a column `query`
//! beside `qid` holds the text of the query, `docid` beside `docno` a number within Terrier, and `score` beside `label`
//! is a run's. Two names of one rank are ambiguous.

use super::profiles::{Accepted, Detail, GRADE, PROBABILITY, STRATUM};
use crate::error::{Error, Result, alternatives, quote};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
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
}

const SCORE: Accepted = (f64::is_finite, "a finite number as the score");
const RANK: Accepted = (f64::is_finite, "a finite number as the rank");

impl Role {
    /// Its name where columns are named by the user.
    fn name(self) -> &'static str {
        match self {
            Role::Query => "query",
            Role::Document => "document",
            Role::Score => "score",
            Role::Rank => "rank",
            Role::Grade => "grade",
            Role::Subtopic => "subtopic",
            Role::Stratum => "stratum",
            Role::Probability => "probability",
        }
    }

    /// Names of columns, by rank.
    fn known(self) -> &'static [&'static [&'static str]] {
        match self {
            Role::Query => &[&["qid", "query_id"], &["query"]],
            Role::Document => &[&["docno"], &["docid", "doc_id", "corpus_id"], &["document"]],
            Role::Score => &[&["score"]],
            Role::Rank => &[&["rank"]],
            Role::Grade => &[&["label", "relevance", "rel", "gain", "grade"], &["score"]],
            Role::Subtopic => &[&["subtopic", "subtopic_id"], &["iteration"]],
            Role::Stratum => &[&["stratum"]],
            Role::Probability => &[&["probability", "inclusion_probability", "iprob"]],
        }
    }

    /// What is accepted as a number; ids are none.
    fn accepted(self) -> Option<Accepted> {
        match self {
            Role::Query | Role::Document | Role::Subtopic => None,
            Role::Score => Some(SCORE),
            Role::Rank => Some(RANK),
            Role::Grade => Some(GRADE),
            Role::Stratum => Some(STRATUM),
            Role::Probability => Some(PROBABILITY),
        }
    }
}

/// What a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A run; with ranks too where they are asked for and there is such a column.
    Run {
        /// Whether they are asked for.
        ranks: bool,
    },
    /// Qrels, with what they say besides a grade.
    Qrels(Option<Detail>),
}

impl Content {
    /// What its columns hold.
    fn roles(self) -> Vec<Role> {
        let more = match self {
            Content::Run { .. } => return vec![Role::Query, Role::Document, Role::Score, Role::Rank],
            Content::Qrels(None) => None,
            Content::Qrels(Some(Detail::Subtopics)) => Some(Role::Subtopic),
            Content::Qrels(Some(Detail::Strata)) => Some(Role::Stratum),
            Content::Qrels(Some(Detail::Inclusion)) => Some(Role::Probability),
        };
        [Role::Query, Role::Document, Role::Grade].into_iter().chain(more).collect()
    }
}

/// A column of numbers.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// Where it stands.
    pub column: usize,
    /// What is accepted.
    pub accepted: Accepted,
    /// Whether smaller is better: ranks in the place of scores.
    pub negated: bool,
}

/// Where everything stands.
#[derive(Debug, Clone)]
pub struct Columns {
    /// The query's id.
    pub query: usize,
    /// The subtopic's, where judgments have one.
    pub subtopic: Option<usize>,
    /// The document's.
    pub document: usize,
    /// Numbers, in the order of a block's columns.
    pub numbers: Vec<Number>,
}

impl Columns {
    /// Find the columns of a table; `named` has pairs of what a column holds and the name that the user gives for it.
    ///
    /// # Errors
    /// A column is missing or ambiguous, or a pair names what such a table does not hold.
    pub fn find(kind: Content, names: &[&str], named: &[(String, String)], source: &str) -> Result<Columns> {
        let option = match kind {
            Content::Run { .. } => "columns= or --run-column",
            Content::Qrels(_) => "columns= or --qrels-column",
        };
        let (roles, named) = (kind.roles(), pairs(kind, named, source)?);
        let finder = Finder { names, option, named, source };
        let numbers = match kind {
            Content::Run { ranks } => {
                let score = match finder.one(Role::Score)? {
                    Some(column) => Number { column, accepted: SCORE, negated: false },
                    None => {
                        Number { column: finder.required(&[Role::Score, Role::Rank])?, accepted: RANK, negated: true }
                    }
                };
                let rank = if ranks { finder.one(Role::Rank)? } else { None };
                let rank = rank.map(|column| Number { column, accepted: (|_| true, "a rank"), negated: false });
                [score].into_iter().chain(rank).collect()
            }
            Content::Qrels(_) => {
                let numbers = roles.iter().filter_map(|role| role.accepted().map(|accepted| (role, accepted)));
                let found = numbers.map(|(role, accepted)| {
                    Ok(Number { column: finder.required(&[*role])?, accepted, negated: false })
                });
                found.collect::<Result<_>>()?
            }
        };
        let subtopic = roles.contains(&Role::Subtopic).then(|| finder.required(&[Role::Subtopic])).transpose()?;
        let (query, document) = (finder.required(&[Role::Query])?, finder.required(&[Role::Document])?);
        Ok(Columns { query, subtopic, document, numbers })
    }

    /// All of them: query, subtopic if there is one, document, numbers.
    pub fn needed(&self) -> impl Iterator<Item = usize> {
        let ids = [Some(self.query), self.subtopic, Some(self.document)].into_iter().flatten();
        ids.chain(self.numbers.iter().map(|number| number.column))
    }
}

/// What the user's pairs say.
fn pairs<'a>(kind: Content, named: &'a [(String, String)], source: &str) -> Result<Vec<(Role, &'a str)>> {
    let roles = kind.roles();
    let what = match kind {
        Content::Run { .. } => "a run",
        Content::Qrels(_) => "qrels of this format",
    };
    named
        .iter()
        .map(|(role, column)| {
            let found = roles.iter().find(|known| known.name() == role);
            let expected = || {
                let names: Vec<String> = roles.iter().map(|role| role.name().into()).collect();
                let (names, role) = (alternatives(&names), quote(role.as_bytes()));
                Error::Value(format!("{source}: columns of {what} name {names}, not {role}"))
            };
            Ok((*found.ok_or_else(expected)?, column.as_str()))
        })
        .collect()
}

struct Finder<'a> {
    names: &'a [&'a str],
    /// How users name columns.
    option: &'static str,
    named: Vec<(Role, &'a str)>,
    source: &'a str,
}

impl Finder<'_> {
    /// The first of several columns that there is.
    fn required(&self, roles: &[Role]) -> Result<usize> {
        for &role in roles {
            if let Some(column) = self.one(role)? {
                return Ok(column);
            }
        }
        let what = alternatives(&roles.iter().map(|role| role.name().into()).collect::<Vec<_>>());
        let known: Vec<String> = roles.iter().flat_map(|role| role.known().concat()).map(Into::into).collect();
        Err(Error::Value(format!(
            "{}: expected a column for the {what} ({}; or name it by {}), found {}",
            self.source,
            alternatives(&known),
            self.option,
            self.found()
        )))
    }

    fn one(&self, role: Role) -> Result<Option<usize>> {
        if let Some((_, name)) = self.named.iter().find(|(of, _)| *of == role) {
            return self.only(|column| column == *name, role)?.map(Some).ok_or_else(|| {
                let name = quote(name.as_bytes());
                Error::Value(format!("{}: expected a column {name}, found {}", self.source, self.found()))
            });
        }
        let taken = |column: &str| self.named.iter().any(|(_, name)| *name == column);
        for names in role.known() {
            let is_known = |column: &str| {
                !taken(column) && names.contains(&column.to_ascii_lowercase().replace('-', "_").as_str())
            };
            if let Some(column) = self.only(is_known, role)? {
                return Ok(Some(column));
            }
        }
        Ok(None)
    }

    /// The only column of such a name.
    fn only(&self, is_it: impl Fn(&str) -> bool, role: Role) -> Result<Option<usize>> {
        let mut found = self.names.iter().enumerate().filter(|(_, name)| is_it(name));
        match (found.next(), found.next()) {
            (Some((_, one)), Some((_, other))) => Err(Error::Value(format!(
                "{}: columns {} and {} may both hold the {}; name one of them by {}",
                self.source,
                quote(one.as_bytes()),
                quote(other.as_bytes()),
                role.name(),
                self.option,
            ))),
            (first, _) => Ok(first.map(|(column, _)| column)),
        }
    }

    fn found(&self) -> String {
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
