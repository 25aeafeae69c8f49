//! What rankings need of the labels of consecutive queries: counts by level, and lists of relevant documents.

use std::ops::Range;

use super::codes::Code;
use super::counts::{LevelCounts, occurrences};
use super::{DocumentCounts, Groups, LabelInput};
use crate::error::{Error, Result};
use crate::grade::Level;
use crate::ranking::{Place, are_sparse};
use crate::table::Judgments;
use crate::watch;

/// How many codes are searched for relevant documents at once.
const PART: usize = 64;
/// How many parts the list of relevant documents makes room for when it grows.
const AHEAD: usize = 16;

/// The labels of consecutive queries, counted by level, with lists of relevant documents.
#[derive(Debug, Default)]
pub(super) struct LabelBlock {
    /// The levels of all compositions, one composition after the other.
    levels: Vec<Level>,
    /// The counts of documents by level. Queries with few documents share a composition if their counts are the same.
    pub compositions: Vec<Composition>,
    /// The relevant documents of the queries that list them, query by query.
    pub relevant: Vec<Place>,
    /// For each query, the index after its last document in `relevant`.
    ends: Vec<u32>,
    /// The number of documents in `relevant` while it is filled.
    listed: usize,
    pub queries: Vec<LabelledQuery>,
    /// If there is padding, the number of entries of each query down to its last document.
    retrieved: Vec<u32>,
    pub most_judged: usize,
}

/// How many documents have each grade, for one query or for several with the same counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Composition {
    /// The index in [`LabelBlock::levels`] after the composition's last level.
    end: u32,
    /// Whether any document of the array is judged.
    pub judged: bool,
}

/// The counts of one query, and whether its relevant documents are listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelledQuery {
    /// The index of the query's composition in [`LabelBlock::compositions`].
    pub composition: u16,
    /// Whether the relevant documents are listed. They are if they are few and no padding is before a document.
    pub is_listed: bool,
}

/// Counts the labels of some queries by level, and lists their relevant documents.
pub(super) fn block<C: Code>(
    groups: &Groups,
    codes: &[C],
    grades: &[f64],
    input: &LabelInput<'_>,
    queries: Range<usize>,
) -> Result<LabelBlock> {
    watch::check()?;
    let level = |grade: f64| grades.partition_point(|&other| other > grade);
    let totals: Vec<(usize, &[u64])> = match input.totals {
        DocumentCounts::InArray => vec![],
        DocumentCounts::Relevant(counts) => vec![(level(1.0), counts)],
        DocumentCounts::ByGrade(totals) => totals.iter().map(|&(grade, counts)| (level(grade), counts)).collect(),
    };
    let mut block = LabelBlock::default();
    block.queries.reserve_exact(queries.len());
    block.relevant.reserve_exact(2 * queries.len());
    block.ends.reserve_exact(queries.len());
    let mut counts = LevelCounts::new(grades.len());
    let mut recent = [(u64::MAX, 0); RECENT];
    let end = C::of(grades.partition_point(|&grade| grade > 0.0));
    for query in queries {
        let mut codes = &codes[groups.range(query)];
        let mut is_padded = false;
        if input.present.is_some() {
            codes = &codes[..codes.iter().rposition(|&code| code != C::ABSENT).map_or(0, |last| last + 1)];
            is_padded = codes.contains(&C::ABSENT);
        }
        let is_listed = block.list(codes, end) && !is_padded;
        if input.present.is_some() {
            block.retrieved.push(codes.len() as u32);
        }
        block.ends.push(block.listed as u32);
        if totals.is_empty() && grades.len() < LEVELS && codes.len() < DOCUMENTS {
            let packed = packed(codes);
            let (recent_counts, composition) = &mut recent[(packed.wrapping_mul(SCATTER) >> SHIFT) as usize];
            if *recent_counts != packed {
                counts.unpack(packed);
                (*recent_counts, *composition) = (packed, block.compose(&mut counts, packed >> 8 << 8 != 0, grades));
            }
            block.queries.push(LabelledQuery { composition: *composition, is_listed });
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
        block.queries.push(LabelledQuery { composition, is_listed });
    }
    block.relevant.truncate(block.listed);
    Ok(block)
}

/// How many recent compositions are cached. Queries with few documents often have the same counts.
const RECENT: usize = 1 << 10;
/// A factor that spreads packed counts over the upper bits (the golden ratio), and how many lower bits to drop.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
const SHIFT: u32 = 54;

/// The number of documents of each code, in a byte each: first the unjudged ones, then level by level. Padding does not
/// count. There must be fewer levels than [`LEVELS`] and fewer documents than [`DOCUMENTS`].
#[inline]
fn packed<C: Code>(codes: &[C]) -> u64 {
    /// The packed count of one document, by code. The table has an entry for every byte, so its index needs no check.
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

/// Lists the documents of the levels before `end` in a part, and returns how many there are. `first` is the row of the
/// part's first document.
#[inline]
fn list_part<C: Code>(part: &[C], first: u32, end: C, places: &mut [Place; PART]) -> usize {
    // There is no branch: every document is written, and the next one overwrites it unless it is relevant.
    let mut listed = 0;
    for (&code, row) in part.iter().zip(first..) {
        places[listed % PART] = Place { row, level: code.level() };
        listed += usize::from(code.is_before(end));
    }
    listed
}

impl LabelBlock {
    /// Whether most queries share their composition with others.
    pub fn is_shared(&self) -> bool {
        2 * self.compositions.len() <= self.queries.len()
    }

    /// The judgments of the queries with this composition.
    pub fn judgments<'a>(&'a self, grades: &'a [f64], composition: usize) -> Judgments<'a> {
        let start = composition.checked_sub(1).map_or(0, |before| self.compositions[before].end);
        Judgments::of_levels(grades, &self.levels[start as usize..self.compositions[composition].end as usize])
    }

    /// The indexes of a query's documents, without the padding at its end.
    #[inline(always)]
    pub fn retrieved(&self, query: usize, places: Range<usize>) -> Range<usize> {
        match self.retrieved.get(query) {
            Some(&retrieved) => places.start..places.start + retrieved as usize,
            None => places,
        }
    }

    /// The index of the first listed document of a query. For the number of queries, it is the index after the last
    /// one.
    #[inline(always)]
    pub fn start(&self, query: usize) -> usize {
        query.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// Adds a composition and returns its number. Sets the counts to 0.
    fn compose(&mut self, counts: &mut LevelCounts, judged: bool, grades: &[f64]) -> u16 {
        let start = self.levels.len();
        counts.drain(|level, count| self.levels.push(Level { grade: grades[level], count }));
        let documents = self.levels[start..].iter().map(|level| level.count as usize).sum();
        self.most_judged = self.most_judged.max(documents);
        self.compositions.push(Composition { end: self.levels.len() as u32, judged });
        (self.compositions.len() - 1) as u16
    }

    /// Lists the documents of the levels before `end` if they are few. Returns whether it did.
    #[inline]
    fn list<C: Code>(&mut self, codes: &[C], end: C) -> bool {
        let is_sparse = are_sparse(occurrences(codes, |code| code.is_before(end)) as usize, codes.len());
        if is_sparse {
            for (part, first) in codes.chunks(PART).zip((0..).step_by(PART)) {
                // Most parts have no relevant document.
                if part.iter().fold(false, |any, &code| any | code.is_before(end)) {
                    self.listed += list_part(part, first, end, self.next_places());
                }
            }
        }
        is_sparse
    }

    /// The memory for the relevant documents of the next part.
    #[inline]
    fn next_places(&mut self) -> &mut [Place; PART] {
        if self.relevant.len() < self.listed + PART {
            self.relevant.resize(self.listed + AHEAD * PART, Place::default());
        }
        let (_, rest) = self.relevant.split_at_mut(self.listed);
        rest.first_chunk_mut().expect("the list has memory for a part")
    }
}
