//! Labels by query, as levels: counted once, for any number of columns of scores.

use std::collections::HashSet;
use std::ops::Range;

use rayon::prelude::*;

use super::Column;
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::table::{Found, Judgments};
use crate::watch;

/// Which documents belong to which query.
#[derive(Debug, Clone)]
pub enum Groups {
    /// So many queries, each with as many documents.
    Rows(usize, usize),
    /// Query by query, the number of documents up to its end.
    Ends(Vec<usize>),
}

/// How many documents there are altogether, in the array or not: query by query.
#[derive(Debug, Clone, Copy)]
pub enum Totals<'a> {
    /// Those that the array has.
    Same,
    /// So many relevant ones; only where all of them have grade 1.
    Relevant(&'a [u64]),
    /// So many of each of these grades, and of others those in the array.
    ByGrade(&'a [(f64, &'a [u64])]),
}

/// What is known of documents, one by one.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// Grades; NaN is not judged.
    pub labels: Column<'a>,
    /// Where 0, there is no document: padding.
    pub present: Option<&'a [u8]>,
    /// Where 0, the document is not judged.
    pub judged: Option<&'a [u8]>,
    /// See [`Totals`].
    pub totals: Totals<'a>,
}

/// Queries that are prepared together.
const BLOCK: usize = 1 << 12;
/// Where there is no document; see [`Found`] for others.
const ABSENT: u32 = u32::MAX;
/// With more distinct grades than this, those of a query are sorted rather than counted.
const FEW: usize = 32;

/// Labels of the documents of many queries.
#[derive(Debug)]
pub struct Labels {
    groups: Groups,
    /// All grades, highest first.
    grades: Vec<f64>,
    found: Vec<u32>,
    blocks: Vec<Block>,
    has_padding: bool,
    pub(super) longest: usize,
    pub(super) most_judged: usize,
}

/// Levels of consecutive queries.
#[derive(Debug, Default)]
struct Block {
    levels: Vec<Level>,
    ends: Vec<u32>,
    most_judged: usize,
}

impl Groups {
    /// Number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Groups::Rows(queries, _) => *queries,
            Groups::Ends(ends) => ends.len(),
        }
    }

    /// Whether there is no query.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Documents before a query.
    #[inline]
    fn start(&self, query: usize) -> usize {
        match self {
            Groups::Rows(_, width) => query * width,
            Groups::Ends(ends) => query.checked_sub(1).map_or(0, |before| ends[before]),
        }
    }

    /// The documents of a query.
    #[inline]
    #[must_use]
    pub fn range(&self, query: usize) -> Range<usize> {
        self.start(query)..self.start(query + 1)
    }

    /// A document, as messages name it: by query and place, both counted from 0.
    #[must_use]
    pub fn place(&self, document: usize) -> String {
        let query = match self {
            Groups::Rows(_, width) => document / width,
            Groups::Ends(ends) => ends.partition_point(|&end| end <= document),
        };
        format!("query {query}, document {} (counted from 0)", document - self.start(query))
    }
}

impl Labels {
    /// Prepare labels.
    ///
    /// # Errors
    /// Lengths do not match, a label is infinite, or totals are below what the array has, or say too little.
    pub fn new(groups: Groups, given: &Given<'_>) -> Result<Labels> {
        let documents = given.labels.len();
        let longest = (0..groups.len()).map(|query| groups.range(query).len()).max().unwrap_or(0);
        check_lengths(&groups, given)?;
        let mut seen = Seen::in_labels(given, &groups)?;
        if let Totals::ByGrade(totals) = given.totals {
            totals.iter().for_each(|&(grade, _)| seen.insert(grade));
        }
        if let (Totals::Relevant(_), Some(grade)) = (given.totals, seen.positive_but_not_1()) {
            return Err(Error::Value(format!(
                "num_relevant: documents that the array lacks have a grade too, and labels such as {grade} show that \
                 it need not be 1: give {{grade: counts}}"
            )));
        }
        if matches!(given.totals, Totals::Relevant(_)) {
            seen.insert(1.0);
        }
        let grades = seen.grades();
        let codes = Codes::new(&grades);
        let mut found = vec![0; documents];
        let starts = (0..groups.len()).step_by(BLOCK);
        let mut parts = Vec::with_capacity(starts.len());
        let mut rest = found.as_mut_slice();
        for first in starts {
            let queries = first..(first + BLOCK).min(groups.len());
            let (part, others) = rest.split_at_mut(groups.start(queries.end) - groups.start(first));
            parts.push((queries, part));
            rest = others;
        }
        let blocks: Vec<Result<Block>> =
            parts.into_par_iter().map(|(queries, part)| block(&groups, given, &codes, queries, part)).collect();
        let blocks = blocks.into_iter().collect::<Result<Vec<Block>>>()?;
        let most_judged = blocks.iter().map(|block| block.most_judged).max().unwrap_or(0);
        Ok(Labels { groups, grades, found, blocks, has_padding: given.present.is_some(), longest, most_judged })
    }

    /// Which documents belong to which query.
    #[must_use]
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// All grades that occur, highest first.
    #[must_use]
    pub fn grades(&self) -> &[f64] {
        &self.grades
    }

    /// The grades of all documents, NaN where they are not judged, as they were given.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = f64> {
        let grade = |code: u32| code.checked_sub(1).and_then(|level| self.grades.get(level as usize));
        self.found.iter().map(move |&code| grade(code).copied().unwrap_or(f64::NAN))
    }

    /// Where there are documents, if there is padding.
    pub fn present(&self) -> Option<impl ExactSizeIterator<Item = bool>> {
        self.has_padding.then(|| self.found.iter().map(|&code| code != ABSENT))
    }

    /// How many documents every query has of a grade, in the array or not.
    pub fn total(&self, grade: f64) -> impl ExactSizeIterator<Item = u64> {
        let of = move |query: usize| self.judgments(query).levels.iter().find(|level| level.grade == grade);
        (0..self.groups.len()).map(move |query| of(query).map_or(0, |level| u64::from(level.count)))
    }

    /// Number of documents, padding included.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.found.len()
    }

    #[inline]
    pub(crate) fn judgments(&self, query: usize) -> Judgments<'_> {
        let (block, number) = (&self.blocks[query / BLOCK], query % BLOCK);
        let start = number.checked_sub(1).map_or(0, |before| block.ends[before] as usize);
        Judgments::of_levels(&self.grades, &block.levels[start..block.ends[number] as usize])
    }

    #[inline]
    pub(crate) fn found(&self, query: usize) -> Found<'_> {
        Found(&self.found[self.groups.range(query)])
    }

    /// Which rows of a query are documents, where there is padding.
    #[inline]
    pub(super) fn is_there<'a>(&self, found: Found<'a>) -> Option<impl Fn(u32) -> bool + Copy + use<'a>> {
        self.has_padding.then_some(move |row: u32| found.0[row as usize] != ABSENT)
    }
}

fn check_lengths(groups: &Groups, given: &Given<'_>) -> Result<()> {
    let documents = given.labels.len();
    let wrong = |what: String| Err(Error::Value(what));
    let expected = match groups {
        Groups::Rows(queries, width) => queries * width,
        Groups::Ends(ends) if !ends.is_sorted() => return wrong("the ends of groups must not fall".into()),
        Groups::Ends(ends) => ends.last().copied().unwrap_or(0),
    };
    if expected != documents {
        return wrong(format!("groups have {expected} documents altogether, labels {documents}"));
    }
    for (name, flags) in [("mask", given.present), ("judged", given.judged)] {
        if let Some(flags) = flags.filter(|flags| flags.len() != documents) {
            return wrong(format!("{name} has {} documents, labels {documents}", flags.len()));
        }
    }
    let counts: Vec<&[u64]> = match given.totals {
        Totals::Same => vec![],
        Totals::Relevant(counts) => vec![counts],
        Totals::ByGrade(totals) => totals.iter().map(|&(_, counts)| counts).collect(),
    };
    match counts.iter().find(|counts| counts.len() != groups.len()) {
        Some(counts) => wrong(format!("num_relevant has {} numbers for {} queries", counts.len(), groups.len())),
        None => Ok(()),
    }
}

/// Small whole numbers, which most labels are, by their place in a table.
#[inline]
fn small(grade: f64) -> Option<usize> {
    let whole = grade as i32;
    (f64::from(whole) == grade && (-64..192).contains(&whole)).then(|| (whole + 64) as usize)
}

/// Distinct grades.
struct Seen {
    small: [bool; 256],
    others: HashSet<u64>,
}

impl Seen {
    /// All of them; labels of padding and of what is not judged do not count.
    fn in_labels(given: &Given<'_>, groups: &Groups) -> Result<Seen> {
        let documents = given.labels.len();
        let parts: Vec<Result<Seen>> = (0..documents.div_ceil(1 << 16))
            .into_par_iter()
            .map(|part| {
                let first = part << 16;
                let mut seen = Seen { small: [false; 256], others: HashSet::new() };
                let mut infinite = None;
                given.each(first..(first + (1 << 16)).min(documents), |i, label| {
                    if let Label::Grade(grade) = label {
                        if grade.is_infinite() && infinite.is_none() {
                            infinite = Some((first + i, grade));
                        }
                        seen.insert(grade);
                    }
                });
                infinite.map_or(Ok(seen), |(document, grade)| {
                    let place = groups.place(document);
                    Err(Error::Value(format!("labels: expected finite numbers or NaN, found {grade} for {place}")))
                })
            })
            .collect();
        let mut all = Seen { small: [false; 256], others: HashSet::new() };
        for part in parts {
            let part = part?;
            all.small.iter_mut().zip(part.small).for_each(|(all, part)| *all |= part);
            all.others.extend(part.others);
        }
        Ok(all)
    }

    #[inline]
    fn insert(&mut self, grade: f64) {
        match small(grade) {
            Some(place) => self.small[place] = true,
            None => {
                self.others.insert(grade.to_bits());
            }
        }
    }

    fn grades(&self) -> Vec<f64> {
        let small = (0..256).filter(|&place| self.small[place]).map(|place| place as f64 - 64.0);
        let mut grades: Vec<f64> = small.chain(self.others.iter().copied().map(f64::from_bits)).collect();
        grades.sort_unstable_by(|a, b| b.total_cmp(a));
        grades
    }

    fn positive_but_not_1(&self) -> Option<f64> {
        self.grades().into_iter().find(|&grade| grade > 0.0 && grade != 1.0)
    }
}

/// From grades to levels, as [`Found`] has them.
struct Codes<'a> {
    small: [u32; 256],
    grades: &'a [f64],
}

impl Codes<'_> {
    fn new(grades: &[f64]) -> Codes<'_> {
        let mut codes = Codes { small: [0; 256], grades };
        for (&grade, code) in grades.iter().zip(1..) {
            if let Some(place) = small(grade) {
                codes.small[place] = code;
            }
        }
        codes
    }

    #[inline]
    fn of(&self, grade: f64) -> u32 {
        match small(grade) {
            Some(place) => self.small[place],
            None => self.grades.partition_point(|&other| other > grade) as u32 + 1,
        }
    }
}

/// What is known of a document.
enum Label {
    Absent,
    Unjudged,
    Grade(f64),
}

impl Given<'_> {
    #[inline]
    fn each(&self, range: Range<usize>, mut visit: impl FnMut(usize, Label)) {
        let first = range.start;
        let of = |grade: f64| if grade.is_nan() { Label::Unjudged } else { Label::Grade(grade) };
        let mut i = 0;
        if self.present.is_none() && self.judged.is_none() {
            self.labels.visit(range, |grade| {
                visit(i, of(grade));
                i += 1;
            });
            return;
        }
        let is_0 = |flags: Option<&[u8]>, i: usize| flags.is_some_and(|flags| flags[first + i] == 0);
        self.labels.visit(range, |grade| {
            let label = match grade {
                _ if is_0(self.present, i) => Label::Absent,
                _ if is_0(self.judged, i) => Label::Unjudged,
                _ => of(grade),
            };
            visit(i, label);
            i += 1;
        });
    }
}

/// Levels of some queries and of their documents.
fn block(
    groups: &Groups,
    given: &Given<'_>,
    codes: &Codes<'_>,
    queries: Range<usize>,
    found: &mut [u32],
) -> Result<Block> {
    watch::check()?;
    let first = groups.start(queries.start);
    given.each(first..first + found.len(), |i, label| {
        found[i] = match label {
            Label::Absent => ABSENT,
            Label::Unjudged => 0,
            Label::Grade(grade) => codes.of(grade),
        };
    });
    let totals: Vec<(usize, &[u64])> = match given.totals {
        Totals::Same => vec![],
        Totals::Relevant(counts) => vec![(codes.of(1.0) as usize - 1, counts)],
        Totals::ByGrade(totals) => {
            totals.iter().map(|&(grade, counts)| (codes.of(grade) as usize - 1, counts)).collect()
        }
    };
    let room = found.len().min(queries.len() * codes.grades.len());
    let mut block = Block { levels: Vec::with_capacity(room), ..Block::default() };
    block.ends.reserve_exact(queries.len());
    let mut counts = vec![0; codes.grades.len()];
    let mut met: Vec<u32> = Vec::new();
    for query in queries {
        let before = block.levels.len();
        let found = &found[groups.range(query).start - first..groups.range(query).end - first];
        let codes_met = found.iter().copied().filter(|&code| code != 0 && code != ABSENT);
        let few = codes.grades.len() <= FEW;
        if few {
            codes_met.for_each(|code| counts[code as usize - 1] += 1);
        } else {
            met.clear();
            met.extend(codes_met);
            met.iter().for_each(|&code| counts[code as usize - 1] += 1);
            met.extend(totals.iter().map(|&(level, _)| level as u32 + 1));
            met.sort_unstable();
            met.dedup();
        }
        for &(level, totals) in &totals {
            let (has, total) = (counts[level], totals[query]);
            counts[level] = u32::try_from(total).ok().filter(|&total| total >= has).ok_or_else(|| {
                let grade = codes.grades[level];
                Error::Value(format!(
                    "num_relevant: query {query} (counted from 0) has {has} documents of grade {grade} in the array, \
                     but {total} altogether"
                ))
            })?;
        }
        let mut push = |level: usize| {
            if counts[level] > 0 {
                block.levels.push(Level { grade: codes.grades[level], count: counts[level] });
                counts[level] = 0;
            }
        };
        if few {
            (0..codes.grades.len()).for_each(&mut push);
        } else {
            met.iter().for_each(|&code| push(code as usize - 1));
        }
        let judged = block.levels[before..].iter().map(|level| level.count as usize).sum();
        block.most_judged = block.most_judged.max(judged);
        block.ends.push(block.levels.len() as u32);
    }
    Ok(block)
}
