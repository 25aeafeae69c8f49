//! Levels and relevant documents of consecutive queries.

use std::ops::Range;

use super::codes::Code;
use super::counts::Counts;
use super::{Given, Groups, Totals};
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::ranking::Place;
use crate::table::Judgments;
use crate::watch;

/// Codes that are looked at together.
const PART: usize = 64;
/// Room for relevant documents is made for this many parts at once.
const AHEAD: usize = 16;

/// Levels and relevant documents of consecutive queries.
#[derive(Debug, Default)]
pub(super) struct Block {
    levels: Vec<Level>,
    /// Queries with few documents have one composition if they have the same levels.
    pub compositions: Vec<Composition>,
    pub relevant: Vec<Place>,
    /// Where those of each query end; they begin where those of the query before end.
    ends: Vec<u32>,
    /// How many of these there are so far, while more are found.
    listed: usize,
    pub queries: Vec<Query>,
    /// Where there is padding, the number of documents of each query, and of the padding before the last of them.
    retrieved: Vec<u32>,
    pub most_judged: usize,
}

/// How many documents have which level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Composition {
    /// Where its levels end in the block; they begin where those of the composition before end.
    end: u32,
    /// Whether any document of the array is judged.
    pub judged: bool,
}

/// What a block has of a query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Query {
    /// The number of its composition in the block, which has no more of them than queries.
    pub composition: u16,
    /// Whether the relevant documents are listed, being few, and no padding stands before any document.
    pub is_listed: bool,
}

/// Levels and relevant documents of some queries.
pub(super) fn block<C: Code>(
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
    block.relevant.reserve_exact(2 * queries.len());
    block.ends.reserve_exact(queries.len());
    let mut counts = Counts::of(grades.len());
    let mut lately = [(u64::MAX, 0); LATELY];
    let end = C::of(grades.partition_point(|&grade| grade > 0.0));
    for query in queries {
        let mut codes = &codes[groups.range(query)];
        let mut is_padded = false;
        if given.present.is_some() {
            codes = &codes[..codes.iter().rposition(|&code| code != C::ABSENT).map_or(0, |last| last + 1)];
            is_padded = codes.contains(&C::ABSENT);
        }
        let is_listed = block.list(codes, end) && !is_padded;
        if given.present.is_some() {
            block.retrieved.push(codes.len() as u32);
        }
        block.ends.push(block.listed as u32);
        if totals.is_empty() && grades.len() < LEVELS && codes.len() < DOCUMENTS {
            let packed = packed(codes);
            let (known, composition) = &mut lately[(packed.wrapping_mul(SCATTER) >> SHIFT) as usize];
            if *known != packed {
                counts.unpack(packed);
                (*known, *composition) = (packed, block.compose(&mut counts, packed >> 8 << 8 != 0, grades));
            }
            block.queries.push(Query { composition: *composition, is_listed });
            continue;
        }
        let judged = counts.count(codes);
        for &(level, totals) in &totals {
            let (has, total) = (counts.by_level[level], totals[query]);
            let total = u32::try_from(total).ok().filter(|&total| total >= has).ok_or_else(|| {
                let grade = grades[level];
                Error::Value(format!(
                    "num_relevant: query {query} (counted from 0) has {has} documents of grade {grade} in the array, \
                     more than num_relevant has: {total}"
                ))
            })?;
            counts.set(level, total);
        }
        let composition = block.compose(&mut counts, judged, grades);
        block.queries.push(Query { composition, is_listed });
    }
    block.relevant.truncate(block.listed);
    Ok(block)
}

/// Compositions that were met lately: where many queries have few documents, few are different.
const LATELY: usize = 1 << 10;
/// What spreads packed counts over the upper bits (the golden ratio), and how many bits to leave out.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
const SHIFT: u32 = 54;

/// How many documents there are of each code, a byte each: first unjudged ones, then level by level; without padding. Of
/// fewer levels and documents than these.
#[inline]
fn packed<C: Code>(codes: &[C]) -> u64 {
    /// One document of a code: a table for all that one byte holds needs no check of its index.
    static ONES: [u64; 256] = {
        let mut ones = [0; 256];
        let mut code = 0;
        while code <= LEVELS {
            ones[code] = 1 << (8 * code);
            code += 1;
        }
        ones
    };
    codes.iter().fold(0, |counts, &code| counts + ONES[usize::from(code.into() as u8)])
}

const LEVELS: usize = 7;
const DOCUMENTS: usize = 256;

/// List the documents of the levels before `end`, of a part whose first document stands in this row; how many they are.
#[inline]
fn list_part<C: Code>(part: &[C], first: u32, end: C, room: &mut [Place; PART]) -> usize {
    // Without a branch: what is written here stays only if the document is relevant.
    let mut found = 0;
    for (&code, row) in part.iter().zip(first..) {
        room[found % PART] = Place { row, level: code.level() };
        found += usize::from(code.is_before(end));
    }
    found
}

impl Block {
    /// Whether most queries have a composition that others have too.
    pub fn is_shared(&self) -> bool {
        2 * self.compositions.len() <= self.queries.len()
    }

    /// The judgments of a composition.
    pub fn judgments<'a>(&'a self, grades: &'a [f64], composition: usize) -> Judgments<'a> {
        let start = composition.checked_sub(1).map_or(0, |before| self.compositions[before].end);
        Judgments::of_levels(grades, &self.levels[start as usize..self.compositions[composition].end as usize])
    }

    /// The documents of a query among these places; if there is padding, with what stands before the last of them.
    #[inline(always)]
    pub fn retrieved(&self, query: usize, places: Range<usize>) -> Range<usize> {
        match self.retrieved.get(query) {
            Some(&retrieved) => places.start..places.start + retrieved as usize,
            None => places,
        }
    }

    /// Where the listed documents of a query begin, or behind the last one where they end.
    #[inline(always)]
    pub fn start(&self, query: usize) -> usize {
        query.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// Add a composition, and forget the counts; its number.
    fn compose(&mut self, counts: &mut Counts, judged: bool, grades: &[f64]) -> u16 {
        let start = self.levels.len();
        counts.drain(|level, count| self.levels.push(Level { grade: grades[level], count }));
        let documents = self.levels[start..].iter().map(|level| level.count as usize).sum();
        self.most_judged = self.most_judged.max(documents);
        self.compositions.push(Composition { end: self.levels.len() as u32, judged });
        (self.compositions.len() - 1) as u16
    }

    /// List the documents of the levels before `end`, unless they are more than half of all; whether they are listed.
    #[inline]
    fn list<C: Code>(&mut self, codes: &[C], end: C) -> bool {
        let (start, most) = (self.listed, codes.len() / 2);
        for (part, first) in codes.chunks(PART).zip((0..).step_by(PART)) {
            // Where few of many are relevant, most parts have none.
            if part.iter().fold(false, |any, &code| any | code.is_before(end)) {
                let found = list_part(part, first, end, self.room());
                self.listed += found;
            }
            if self.listed - start > most {
                break;
            }
        }
        let is_listed = self.listed - start <= most;
        if !is_listed {
            self.listed = start;
        }
        is_listed
    }

    /// Room for the relevant documents of a part.
    #[inline]
    fn room(&mut self) -> &mut [Place; PART] {
        if self.relevant.len() < self.listed + PART {
            self.relevant.resize(self.listed + AHEAD * PART, Place::default());
        }
        let (_, rest) = self.relevant.split_at_mut(self.listed);
        rest.first_chunk_mut().expect("room for a part was made")
    }
}
