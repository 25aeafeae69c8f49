//! Labels by query, as levels: counted once, for any number of columns of scores.

use std::ops::Range;

use rayon::prelude::*;

use super::block::{Block, block};
use super::codes::{Code, Codes, by_width, encode};
use super::{Given, Groups, Totals};
use crate::error::{Error, Result};
use crate::evaluate::Plan;
use crate::ranking::Sparse;
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
    pub(super) relevant: usize,
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
                by_width!(&codes, codes => block(&groups, codes, &grades, given, queries))
            })
            .collect();
        let blocks = blocks.into_iter().collect::<Result<Vec<Block>>>()?;
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

    /// A query by its relevant documents, if these are few and no padding stands before any document.
    #[inline]
    pub(super) fn sparse(&self, query: usize) -> Option<Sparse<'_>> {
        let (block, number) = (&self.blocks[query / BLOCK], query % BLOCK);
        let relevant = &block.relevant[block.start(number)..block.start(number + 1)];
        block.queries[number].is_listed.then(|| Sparse {
            relevant,
            retrieved: self.retrieved(query).len(),
            judged: self.is_judged(query),
        })
    }

    /// Whether any document of the array is judged, for a query.
    #[inline]
    pub(super) fn is_judged(&self, query: usize) -> bool {
        let block = &self.blocks[query / BLOCK];
        block.compositions[usize::from(block.queries[query % BLOCK].composition)].judged
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
