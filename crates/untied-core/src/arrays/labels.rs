//! Labels by query, as levels: counted once, for any number of columns of scores.

use std::ops::Range;

use rayon::prelude::*;

use super::codes::{Code, Codes, by_width, encode};
use super::{Given, Groups, Totals};
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::table::Judgments;
use crate::watch;

/// Queries that are prepared together.
const BLOCK: usize = 1 << 12;
/// Codes that are looked at together.
const PART: usize = 64;
/// With more distinct grades than this, levels are counted as they are met.
const FEW: usize = 32;
/// With more documents than this and few grades, they are counted level by level.
const LONG: usize = 256;
/// Labels of the documents of many queries.
#[derive(Debug)]
pub struct Labels {
    groups: Groups,
    /// All grades, highest first.
    grades: Vec<f64>,
    codes: Codes,
    blocks: Vec<Block>,
    has_padding: bool,
    pub(super) longest: usize,
    pub(super) most_judged: usize,
}

/// Levels and relevant documents of consecutive queries.
#[derive(Debug, Default)]
struct Block {
    levels: Vec<Level>,
    relevant: Vec<Place>,
    ends: Vec<End>,
    most_judged: usize,
}

/// A document: its row in the query, and its level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub row: u32,
    pub level: u32,
}

/// Where what belongs to a query ends in its block.
#[derive(Debug, Default, Clone, Copy)]
struct End {
    levels: u32,
    relevant: u32,
    /// Whether the relevant documents are listed, being few.
    listed: bool,
    /// Whether any document of the array is judged.
    judged: bool,
}

/// A query with few relevant documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sparse<'a> {
    /// The documents with a grade above 0.
    pub relevant: &'a [Place],
    /// Whether any document of the array is judged.
    pub judged: bool,
}

impl Labels {
    /// Prepare labels.
    ///
    /// # Errors
    /// Lengths do not match, a label is infinite, or totals are below what the array has, or say too little.
    pub fn new(groups: Groups, given: &Given<'_>) -> Result<Labels> {
        let longest = (0..groups.len()).map(|query| groups.range(query).len()).max().unwrap_or(0);
        given.check_lengths(&groups)?;
        let more = match given.totals {
            Totals::Same => vec![],
            Totals::Relevant(_) => vec![1.0],
            Totals::ByGrade(totals) => totals.iter().map(|&(grade, _)| grade).collect(),
        };
        let (grades, codes) = encode(given, &groups, &more)?;
        let other = grades.iter().find(|&&grade| grade > 0.0 && grade != 1.0);
        if let (Totals::Relevant(_), Some(grade)) = (given.totals, other) {
            return Err(Error::Value(format!(
                "num_relevant: documents that the array lacks have a grade too, and labels such as {grade} show that \
                 it need not be 1: give {{grade: counts}}"
            )));
        }
        let starts: Vec<usize> = (0..groups.len()).step_by(BLOCK).collect();
        let blocks: Vec<Result<Block>> = starts
            .into_par_iter()
            .map(|first| {
                let queries = first..(first + BLOCK).min(groups.len());
                by_width!(&codes, codes => block(&groups, codes, &grades, given.totals, queries))
            })
            .collect();
        let blocks = blocks.into_iter().collect::<Result<Vec<Block>>>()?;
        let most_judged = blocks.iter().map(|block| block.most_judged).max().unwrap_or(0);
        Ok(Labels { groups, grades, codes, blocks, has_padding: given.present.is_some(), longest, most_judged })
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
        (0..self.documents()).map(move |document| grade(self.code(document)).copied().unwrap_or(f64::NAN))
    }

    /// Where there are documents, if there is padding.
    pub fn present(&self) -> Option<impl ExactSizeIterator<Item = bool>> {
        self.has_padding.then(|| {
            (0..self.documents()).map(|document| by_width!(&self.codes, codes => codes[document] != Code::ABSENT))
        })
    }

    fn code(&self, document: usize) -> u32 {
        self.codes.at(document)
    }

    /// How many documents every query has of a grade, in the array or not.
    pub fn total(&self, grade: f64) -> impl ExactSizeIterator<Item = u64> {
        let of = move |query: usize| self.judgments(query).levels.iter().find(|level| level.grade == grade);
        (0..self.groups.len()).map(move |query| of(query).map_or(0, |level| u64::from(level.count)))
    }

    /// Number of documents, padding included.
    #[must_use]
    pub fn documents(&self) -> usize {
        by_width!(&self.codes, codes => codes.len())
    }

    /// The block of a query, and where its part begins and ends there.
    #[inline]
    fn part(&self, query: usize) -> (&Block, End, End) {
        let (block, number) = (&self.blocks[query / BLOCK], query % BLOCK);
        let start = number.checked_sub(1).map_or_else(End::default, |before| block.ends[before]);
        (block, start, block.ends[number])
    }

    #[inline]
    pub(crate) fn judgments(&self, query: usize) -> Judgments<'_> {
        let (block, start, end) = self.part(query);
        Judgments::of_levels(&self.grades, &block.levels[start.levels as usize..end.levels as usize])
    }

    /// A query by its relevant documents, if these are few and there is no padding.
    #[inline]
    pub(super) fn sparse(&self, query: usize) -> Option<Sparse<'_>> {
        let (block, start, end) = self.part(query);
        let relevant = &block.relevant[start.relevant as usize..end.relevant as usize];
        (end.listed && !self.has_padding).then_some(Sparse { relevant, judged: end.judged })
    }

    /// The codes of a query's documents.
    #[inline]
    pub(super) fn codes(&self, query: usize) -> (&Codes, Range<usize>) {
        (&self.codes, self.groups.range(query))
    }

    /// Which rows of a query are documents, where there is padding.
    #[inline]
    pub(super) fn is_there(&self, query: usize) -> Option<impl Fn(u32) -> bool + Copy + use<'_>> {
        let start = self.groups.start(query);
        self.has_padding
            .then_some(move |row: u32| by_width!(&self.codes, codes => codes[start + row as usize] != Code::ABSENT))
    }
}

/// Levels and relevant documents of some queries.
fn block<C: Code>(
    groups: &Groups,
    codes: &[C],
    grades: &[f64],
    totals: Totals<'_>,
    queries: Range<usize>,
) -> Result<Block> {
    watch::check()?;
    let level = |grade: f64| grades.partition_point(|&other| other > grade);
    let totals: Vec<(usize, &[u64])> = match totals {
        Totals::Same => vec![],
        Totals::Relevant(counts) => vec![(level(1.0), counts)],
        Totals::ByGrade(totals) => totals.iter().map(|&(grade, counts)| (level(grade), counts)).collect(),
    };
    let documents = groups.start(queries.end) - groups.start(queries.start);
    let room = documents.min(queries.len() * grades.len());
    let mut block = Block { levels: Vec::with_capacity(room), ..Block::default() };
    block.ends.reserve_exact(queries.len());
    let mut counts = Counts::of(grades.len());
    let end = C::of(grades.partition_point(|&grade| grade > 0.0));
    for query in queries {
        let codes = &codes[groups.range(query)];
        let before = block.levels.len();
        let judged = counts.count(codes);
        for &(level, totals) in &totals {
            let (has, total) = (counts.by_level[level], totals[query]);
            let total = u32::try_from(total).ok().filter(|&total| total >= has).ok_or_else(|| {
                let grade = grades[level];
                Error::Value(format!(
                    "num_relevant: query {query} (counted from 0) has {has} documents of grade {grade} in the array, \
                     but {total} altogether"
                ))
            })?;
            counts.set(level, total);
        }
        counts.drain(|level, count| block.levels.push(Level { grade: grades[level], count }));
        let in_all = block.levels[before..].iter().map(|level| level.count as usize).sum();
        block.most_judged = block.most_judged.max(in_all);
        let listed = block.list(codes, end);
        let (levels, places) = (block.levels.len() as u32, block.relevant.len() as u32);
        block.ends.push(End { levels, relevant: places, listed, judged });
    }
    Ok(block)
}

impl Block {
    /// List the documents of the levels before `end`, unless they are more than half of all; whether they are listed.
    fn list<C: Code>(&mut self, codes: &[C], end: C) -> bool {
        let (start, most) = (self.relevant.len(), codes.len() / 2);
        // Where few are relevant, most parts have none.
        for (codes, first) in codes.chunks(PART).zip((0..).step_by(PART)) {
            if codes.iter().fold(false, |any, &code| any | code.is_before(end)) {
                let places = codes.iter().zip(first..).filter(|&(&code, _)| code.is_before(end));
                self.relevant.extend(places.map(|(&code, row)| Place { row, level: code.into() - 1 }));
            }
            if self.relevant.len() - start > most {
                self.relevant.truncate(start);
                return false;
            }
        }
        true
    }
}

/// How many documents of a query have which level.
struct Counts {
    by_level: Vec<u32>,
    /// Levels that have been met, where all of them are too many to go through.
    met: Option<Vec<u32>>,
}

impl Counts {
    fn of(levels: usize) -> Counts {
        Counts { by_level: vec![0; levels], met: (levels > FEW).then(Vec::new) }
    }

    /// Count the documents of a query; whether any is judged.
    fn count<C: Code>(&mut self, codes: &[C]) -> bool {
        let Counts { by_level, met } = self;
        if met.is_none() && codes.len() > LONG {
            by_level.iter_mut().enumerate().for_each(|(level, count)| *count = of(codes, C::of(level)));
            return by_level.iter().any(|&count| count > 0);
        }
        let mut any = false;
        for level in codes.iter().filter(|&&code| code != C::ABSENT).filter_map(|&code| code.into().checked_sub(1)) {
            by_level[level as usize] += 1;
            any = true;
            met.iter_mut().for_each(|met| met.push(level));
        }
        any
    }

    fn set(&mut self, level: usize, count: u32) {
        self.by_level[level] = count;
        if let Some(met) = &mut self.met {
            met.push(level as u32);
        }
    }

    /// Take all counts, highest grade first.
    fn drain(&mut self, mut take: impl FnMut(usize, u32)) {
        let mut take = |level: usize, count: &mut u32| {
            if *count > 0 {
                take(level, std::mem::take(count));
            }
        };
        match &mut self.met {
            None => self.by_level.iter_mut().enumerate().for_each(|(level, count)| take(level, count)),
            Some(met) => {
                met.sort_unstable();
                met.drain(..).for_each(|level| take(level as usize, &mut self.by_level[level as usize]));
            }
        }
    }
}

/// How many codes are this one: in narrow counters, which the compiler turns into vectors.
fn of<C: Code>(codes: &[C], code: C) -> u32 {
    let in_part = |codes: &[C]| codes.iter().fold(0_u8, |count, &other| count + u8::from(other == code));
    codes.chunks(255).map(|codes| u32::from(in_part(codes))).sum()
}
