//! Labels by query, as levels: counted once, for any number of columns of scores.

use std::ops::Range;

use rayon::prelude::*;

use super::block::{Block, PART, RARE, block, list_part, name_kinds};
use super::codes::{Code, Codes, by_width, encode};
use super::{Given, Groups, Totals};
use crate::error::{Error, Result};
use crate::evaluate::{Key, Plan};
use crate::ranking::{Place, Rows, Short, ShortRanking, Sparse};
use crate::table::Judgments;

/// Queries that are prepared together: a number of 16 bits tells them apart.
const BLOCK: usize = 1 << 12;

/// Labels of the documents of many queries.
#[derive(Debug)]
pub struct Labels {
    groups: Groups,
    /// All grades, highest first.
    grades: Vec<f64>,
    /// How many of these are above 0.
    relevant: usize,
    codes: Codes,
    blocks: Vec<Block>,
    has_padding: bool,
    pub(super) longest: usize,
    pub(super) most_judged: usize,
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
                by_width!(&codes, codes => block(&groups, codes, &grades, given, queries, longest >= Short::LONG))
            })
            .collect();
        let mut blocks = blocks.into_iter().collect::<Result<Vec<Block>>>()?;
        name_kinds(&mut blocks);
        let most_judged = blocks.iter().map(|block| block.most_judged).max().unwrap_or(0);
        let relevant = grades.partition_point(|&grade| grade > 0.0);
        let has_padding = given.present.is_some();
        Ok(Labels { groups, grades, relevant, codes, blocks, has_padding, longest, most_judged })
    }

    /// Which documents belong to which query.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// All grades that occur, highest first.
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
    pub fn documents(&self) -> usize {
        by_width!(&self.codes, codes => codes.len())
    }

    #[inline]
    pub(crate) fn judgments(&self, query: usize) -> Judgments<'_> {
        let block = &self.blocks[query / BLOCK];
        block.judgments(&self.grades, usize::from(block.queries[query % BLOCK].composition))
    }

    /// The documents of a query; if there is padding, with what stands before the last of them.
    #[inline(always)]
    pub(super) fn retrieved(&self, query: usize) -> Range<usize> {
        self.blocks[query / BLOCK].retrieved(query % BLOCK, self.groups.range(query))
    }

    /// A query by its relevant documents, if these are few and no padding stands before any document; with room to list
    /// those of a short query.
    #[inline]
    pub(super) fn sparse<'a>(&'a self, query: usize, listed: &'a mut Vec<Place>) -> Option<Sparse<'a>> {
        let (block, number) = (&self.blocks[query / BLOCK], query % BLOCK);
        if !block.queries[number].is_listed {
            return None;
        }
        let (retrieved, judged) = (self.retrieved(query), self.is_judged(query));
        let places = retrieved.len();
        let relevant = if self.are_short() {
            listed.resize(PART, Place::default());
            let room = listed.first_chunk_mut().expect("room was made");
            let found = by_width!(&self.codes, codes => list_part(&codes[retrieved], 0, Code::of(self.relevant), room));
            &listed[..found]
        } else {
            &block.relevant[block.start(number)..block.start(number + 1)]
        };
        Some(Sparse { relevant, retrieved: places, judged })
    }

    /// Whether all queries are so short that their relevant documents need no list.
    pub(super) fn are_short(&self) -> bool {
        self.longest < Short::LONG
    }

    /// Whether any document of the array is judged, for a query.
    #[inline]
    pub(super) fn is_judged(&self, query: usize) -> bool {
        let block = &self.blocks[query / BLOCK];
        block.compositions[usize::from(block.queries[query % BLOCK].composition)].judged
    }

    /// Consecutive short queries, if they were prepared together and grades are not many; with their codes.
    #[inline]
    pub(super) fn rows<'a, C: Code>(&'a self, queries: &Range<usize>, codes: &'a [C]) -> Option<Together<'a, C>> {
        let (number, first) = (queries.start / BLOCK, queries.start / BLOCK * BLOCK);
        let relevant = u8::try_from(self.relevant).ok().filter(|_| queries.end <= first + BLOCK)?;
        Some(Together { labels: self, block: &self.blocks[number], codes, relevant, first })
    }

    /// Whether there is padding.
    pub(super) fn is_padded(&self) -> bool {
        self.has_padding
    }

    /// What measures need of the judgments alone, for all compositions that many queries have.
    pub(crate) fn bases(&self, plan: &Plan) -> Bases {
        let of_block = |block: &Block| {
            let mut bases = Vec::new();
            for composition in 0..if block.is_shared() { block.compositions.len() } else { 0 } {
                plan.add_bases(&block.judgments(&self.grades, composition), &mut bases);
            }
            bases
        };
        Bases { measures: plan.len(), blocks: self.blocks.par_iter().map(of_block).collect() }
    }

    /// Those of a query, if they were made.
    #[inline]
    pub(super) fn bases_of<'a>(&self, bases: &'a Bases, query: usize) -> Option<&'a [f64]> {
        let composition = usize::from(self.blocks[query / BLOCK].queries[query % BLOCK].composition);
        bases.blocks[query / BLOCK].get(composition * bases.measures..(composition + 1) * bases.measures)
    }

    /// The codes of all documents.
    pub(super) fn all_codes(&self) -> &Codes {
        &self.codes
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

/// Consecutive short queries of a block.
pub(super) struct Together<'a, C> {
    labels: &'a Labels,
    block: &'a Block,
    codes: &'a [C],
    /// How many levels are those of relevant documents.
    relevant: u8,
    /// The number of the first query of the block.
    first: usize,
}

impl<C: Code> Together<'_, C> {
    /// All that means of a query with this ranking depend on, if many queries have the same documents of each level.
    #[inline(always)]
    pub fn key(&self, query: usize, ranking: ShortRanking) -> Key {
        const KIND: u32 = u32::BITS;
        const { assert!(ShortRanking::BITS + KIND + Short::LONG.ilog2() <= Key::BITS) };
        let kind = self.block.compositions[usize::from(self.block.queries[query - self.first].composition)].kind;
        let judgments = (self.scores(query).len() as u128) << KIND | u128::from(kind);
        if kind == RARE { Key::NONE } else { Key(judgments << ShortRanking::BITS | u128::from(ranking.bits())) }
    }
}

impl<C: Code> Rows for Together<'_, C> {
    #[inline(always)]
    fn scores(&self, query: usize) -> Range<usize> {
        self.block.retrieved(query - self.first, self.labels.groups.range(query))
    }

    #[inline(always)]
    fn is_known(&self, query: usize) -> bool {
        self.block.queries[query - self.first].is_listed
    }

    #[inline(always)]
    fn levels(&self, query: usize) -> impl Iterator<Item = u32> {
        self.codes[self.scores(query)].iter().map(|&code| code.level())
    }

    #[inline(always)]
    fn wanted(&self) -> u8 {
        self.relevant
    }
}

/// What measures need of the judgments alone: by block, composition and measure.
pub(crate) struct Bases {
    measures: usize,
    blocks: Vec<Vec<f64>>,
}
