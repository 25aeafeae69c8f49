//! Labels by query, as levels: counted once, for any number of columns of scores.

use std::ops::Range;

use rayon::prelude::*;

use super::codes::{Code, Codes, by_width, encode};
use super::{Given, Groups, Totals};
use crate::error::{Error, Result};
use crate::evaluate::Plan;
use crate::grade::Level;
use crate::ranking::Place;
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
    /// Queries with few documents have one composition if they have the same levels.
    compositions: Vec<Composition>,
    relevant: Vec<Place>,
    queries: Vec<Query>,
    most_judged: usize,
}

/// How many documents have which level.
#[derive(Debug, Clone, Copy)]
struct Composition {
    /// Where its levels end in the block; they begin where those of the composition before end.
    end: u32,
    /// Whether any document of the array is judged.
    judged: bool,
}

/// What a block has of a query.
#[derive(Debug, Clone, Copy)]
struct Query {
    /// The number of its composition in the block.
    composition: u32,
    /// Where its relevant documents end; they begin where those of the query before end.
    relevant: u32,
    /// Number of its documents.
    retrieved: u32,
    /// Whether the relevant documents are listed, being few, and no padding stands before any document.
    listed: bool,
}

/// A query with few relevant documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sparse<'a> {
    /// The documents with a grade above 0.
    pub relevant: &'a [Place],
    /// Number of documents. Padding stands behind them.
    pub retrieved: usize,
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
                "num_relevant: expected {{grade: counts}}, because labels such as {grade} leave open which grades the \
                 documents outside the array have"
            )));
        }
        let starts: Vec<usize> = (0..groups.len()).step_by(BLOCK).collect();
        let blocks: Vec<Result<Block>> = starts
            .into_par_iter()
            .map(|first| {
                let queries = first..(first + BLOCK).min(groups.len());
                by_width!(&codes, codes => block(&groups, codes, &grades, given, queries))
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

    #[inline]
    pub(crate) fn judgments(&self, query: usize) -> Judgments<'_> {
        let block = &self.blocks[query / BLOCK];
        block.judgments(&self.grades, block.queries[query % BLOCK].composition as usize)
    }

    /// A query by its relevant documents, if these are few and no padding stands before any document.
    #[inline]
    pub(super) fn sparse(&self, query: usize) -> Option<Sparse<'_>> {
        let (block, number) = (&self.blocks[query / BLOCK], query % BLOCK);
        let start = number.checked_sub(1).map_or(0, |before| block.queries[before].relevant);
        let Query { composition, relevant: end, retrieved, listed } = block.queries[number];
        let relevant = &block.relevant[start as usize..end as usize];
        let judged = block.compositions[composition as usize].judged;
        listed.then_some(Sparse { relevant, retrieved: retrieved as usize, judged })
    }

    /// What measures need of the judgments alone, for all compositions that many queries have.
    pub(crate) fn bases(&self, plan: &Plan) -> Bases {
        let of_block = |block: &Block| {
            let shared = 2 * block.compositions.len() <= block.queries.len();
            let mut bases = Vec::new();
            for composition in 0..if shared { block.compositions.len() } else { 0 } {
                plan.add_bases(&block.judgments(&self.grades, composition), &mut bases);
            }
            bases
        };
        Bases { measures: plan.len(), blocks: self.blocks.par_iter().map(of_block).collect() }
    }

    /// Those of a query, if they were made.
    #[inline]
    pub(super) fn bases_of<'a>(&self, bases: &'a Bases, query: usize) -> Option<&'a [f64]> {
        let composition = self.blocks[query / BLOCK].queries[query % BLOCK].composition as usize;
        bases.blocks[query / BLOCK].get(composition * bases.measures..(composition + 1) * bases.measures)
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

/// What measures need of the judgments alone: by block, composition and measure.
pub(crate) struct Bases {
    measures: usize,
    blocks: Vec<Vec<f64>>,
}

/// Levels and relevant documents of some queries.
fn block<C: Code>(
    groups: &Groups,
    codes: &[C],
    grades: &[f64],
    given: &Given<'_>,
    queries: Range<usize>,
) -> Result<Block> {
    watch::check()?;
    let level = |grade: f64| grades.partition_point(|&other| other > grade);
    let totals: Vec<(usize, &[u64])> = match given.totals {
        Totals::Same => vec![],
        Totals::Relevant(counts) => vec![(level(1.0), counts)],
        Totals::ByGrade(totals) => totals.iter().map(|&(grade, counts)| (level(grade), counts)).collect(),
    };
    let mut block = Block::default();
    block.queries.reserve_exact(queries.len());
    let mut counts = Counts::of(grades.len());
    let mut lately = [(u64::MAX, 0); LATELY];
    let mut room = [Place::default(); PART];
    let end = C::of(grades.partition_point(|&grade| grade > 0.0));
    for query in queries {
        let mut codes = &codes[groups.range(query)];
        let mut is_padded = false;
        if given.present.is_some() {
            codes = &codes[..codes.iter().rposition(|&code| code != C::ABSENT).map_or(0, |last| last + 1)];
            is_padded = codes.contains(&C::ABSENT);
        }
        let listed = block.list(codes, end, &mut room) && !is_padded;
        let retrieved = codes.len() as u32;
        let relevant = block.relevant.len() as u32;
        let packed = if totals.is_empty() { packed(codes, grades.len()) } else { None };
        if let Some(packed) = packed {
            let (known, composition) = &mut lately[(packed.wrapping_mul(SCATTER) >> SHIFT) as usize];
            if *known != packed {
                counts.unpack(packed);
                (*known, *composition) = (packed, block.compose(&mut counts, packed >> 8 << 8 != 0, grades));
            }
            block.queries.push(Query { composition: *composition, relevant, retrieved, listed });
            continue;
        }
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
        let composition = block.compose(&mut counts, judged, grades);
        block.queries.push(Query { composition, relevant, retrieved, listed });
    }
    Ok(block)
}

/// Compositions that were met lately: where many queries have few documents, few are different.
const LATELY: usize = 1 << 10;
/// What spreads packed counts over the upper bits (the golden ratio), and how many bits to leave out.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
const SHIFT: u32 = 54;

/// How many of few documents have which of few levels, a byte each, between the number of unjudged ones and that of
/// padding.
#[inline]
fn packed<C: Code>(codes: &[C], levels: usize) -> Option<u64> {
    let fits = levels < 7 && codes.len() < 256;
    fits.then(|| codes.iter().fold(0, |counts, &code| counts + (1 << (8 * (code.into() % 8)))))
}

impl Block {
    fn judgments<'a>(&'a self, grades: &'a [f64], composition: usize) -> Judgments<'a> {
        let start = composition.checked_sub(1).map_or(0, |before| self.compositions[before].end);
        Judgments::of_levels(grades, &self.levels[start as usize..self.compositions[composition].end as usize])
    }

    /// Add a composition, and forget the counts; its number.
    fn compose(&mut self, counts: &mut Counts, judged: bool, grades: &[f64]) -> u32 {
        let start = self.levels.len();
        counts.drain(|level, count| self.levels.push(Level { grade: grades[level], count }));
        let documents = self.levels[start..].iter().map(|level| level.count as usize).sum();
        self.most_judged = self.most_judged.max(documents);
        self.compositions.push(Composition { end: self.levels.len() as u32, judged });
        self.compositions.len() as u32 - 1
    }

    /// List the documents of the levels before `end`, unless they are more than half of all; whether they are listed.
    #[inline]
    fn list<C: Code>(&mut self, codes: &[C], end: C, room: &mut [Place; PART]) -> bool {
        let (start, most) = (self.relevant.len(), codes.len() / 2);
        for (part, first) in codes.chunks(PART).zip((0..).step_by(PART)) {
            // Where few of many are relevant, most parts have none.
            if codes.len() > PART && !part.iter().fold(false, |any, &code| any | code.is_before(end)) {
                continue;
            }
            // Without a branch: what is written here stays only if the document is relevant.
            let mut found = 0;
            for (&code, row) in part.iter().zip(first..) {
                room[found % PART] = Place { row, level: code.into().wrapping_sub(1) };
                found += usize::from(code.is_before(end));
            }
            self.relevant.extend_from_slice(&room[..found]);
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

    /// Counts that were packed, of levels that are not too many.
    fn unpack(&mut self, packed: u64) {
        self.by_level
            .iter_mut()
            .zip(packed.to_le_bytes().into_iter().skip(1))
            .for_each(|(to, count)| *to = count.into());
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
