//! The labels of an array, counted by query and level once, for any number of columns of scores.

use std::ops::Range;

use rayon::prelude::*;

use super::block::{LabelBlock, block};
use super::codes::{Code, Codes, by_width, encode};
use super::{DocumentCounts, Groups, LabelInput};
use crate::error::{Error, Result};
use crate::evaluate::Plan;
use crate::ranking::Sparse;
use crate::table::Judgments;

/// How many queries one parallel task prepares. The number of a composition in a block fits into 16 bits.
const BLOCK: usize = 1 << 12;

/// The labels of many queries, prepared for ranking their documents.
#[derive(Debug)]
pub struct Labels {
    groups: Groups,
    /// All grades, highest first.
    grades: Vec<f64>,
    /// The number of grades above 0.
    pub(super) relevant: usize,
    codes: Codes,
    blocks: Vec<LabelBlock>,
    has_padding: bool,
    /// The number of documents of the longest query.
    pub(super) longest: usize,
    /// The largest number of judged documents of a query.
    pub(super) most_judged: usize,
}

impl Labels {
    /// Prepares labels.
    ///
    /// # Errors
    /// Lengths do not match, a label is infinite, or the counts of documents are below those of the array or leave their
    /// grades open.
    pub fn new(groups: Groups, input: &LabelInput<'_>) -> Result<Labels> {
        let longest = (0..groups.len()).map(|query| groups.range(query).len()).max().unwrap_or(0);
        input.check_lengths(&groups)?;
        let counted = match input.totals {
            DocumentCounts::InArray => vec![],
            DocumentCounts::Relevant(_) => vec![1.0],
            DocumentCounts::ByGrade(totals) => totals.iter().map(|&(grade, _)| grade).collect(),
        };
        let (grades, codes) = encode(input, &groups, &counted)?;
        let other = grades.iter().find(|&&grade| grade > 0.0 && grade != 1.0);
        if let (DocumentCounts::Relevant(_), Some(grade)) = (input.totals, other) {
            return Err(Error::Value(format!(
                "num_relevant: expected {{grade: counts}}, because labels such as {grade} leave open which grades the \
                 documents outside the array have"
            )));
        }
        let starts: Vec<usize> = (0..groups.len()).step_by(BLOCK).collect();
        let blocks: Vec<Result<LabelBlock>> = starts
            .into_par_iter()
            .map(|first| {
                let queries = first..(first + BLOCK).min(groups.len());
                by_width!(&codes, codes => block(&groups, codes, &grades, input, queries))
            })
            .collect();
        let blocks = blocks.into_iter().collect::<Result<Vec<LabelBlock>>>()?;
        let most_judged = blocks.iter().map(|block| block.most_judged).max().unwrap_or(0);
        let relevant = grades.partition_point(|&grade| grade > 0.0);
        let has_padding = input.present.is_some();
        Ok(Labels { groups, grades, relevant, codes, blocks, has_padding, longest, most_judged })
    }

    /// The division of the documents into queries.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// All grades that occur, highest first.
    pub fn grades(&self) -> &[f64] {
        &self.grades
    }

    /// The grades of all documents in the order of the array, NaN for those that are not judged.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = f64> {
        let grade = |code: u32| code.checked_sub(1).and_then(|level| self.grades.get(level as usize));
        (0..self.documents()).map(move |document| grade(self.code(document)).copied().unwrap_or(f64::NAN))
    }

    /// Whether each entry of the array is a document, if there is padding.
    pub fn present(&self) -> Option<impl ExactSizeIterator<Item = bool>> {
        self.has_padding.then(|| {
            (0..self.documents()).map(|document| by_width!(&self.codes, codes => codes[document] != Code::ABSENT))
        })
    }

    fn code(&self, document: usize) -> u32 {
        self.codes.at(document)
    }

    /// The number of documents with a grade for each query, including those that are not in the array.
    pub fn total(&self, grade: f64) -> impl ExactSizeIterator<Item = u64> {
        let level = move |query: usize| self.judgments(query).levels.iter().find(|level| level.grade == grade);
        (0..self.groups.len()).map(move |query| level(query).map_or(0, |level| u64::from(level.count)))
    }

    /// The number of documents, padding included.
    pub fn documents(&self) -> usize {
        by_width!(&self.codes, codes => codes.len())
    }

    #[inline]
    pub(crate) fn judgments(&self, query: usize) -> Judgments<'_> {
        let block = &self.blocks[query / BLOCK];
        block.judgments(&self.grades, usize::from(block.queries[query % BLOCK].composition))
    }

    /// The indexes of a query's documents, without the padding at its end.
    #[inline(always)]
    pub(super) fn retrieved(&self, query: usize) -> Range<usize> {
        self.blocks[query / BLOCK].retrieved(query % BLOCK, self.groups.range(query))
    }

    /// The relevant documents of a query, if they are few and no padding is before a document.
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

    /// Whether any document of a query is judged in the array.
    #[inline]
    pub(super) fn is_judged(&self, query: usize) -> bool {
        let block = &self.blocks[query / BLOCK];
        block.compositions[usize::from(block.queries[query % BLOCK].composition)].judged
    }

    /// Whether there is padding.
    pub(super) fn is_padded(&self) -> bool {
        self.has_padding
    }

    /// Computes [`Measure::base`] of each measure once for all queries that share a composition. Blocks in which most
    /// queries have a composition of their own are left out.
    ///
    /// [`Measure::base`]: crate::measures::Measure::base
    pub(crate) fn bases(&self, plan: &Plan) -> Bases {
        let bases_of_block = |block: &LabelBlock| {
            let mut bases = Vec::new();
            let shared = if block.is_shared() { block.compositions.len() } else { 0 };
            for composition in 0..shared {
                plan.add_bases(&block.judgments(&self.grades, composition), &mut bases);
            }
            bases
        };
        Bases { measures: plan.len(), blocks: self.blocks.par_iter().map(bases_of_block).collect() }
    }

    /// The bases of a query, if its block has them.
    #[inline]
    pub(super) fn bases_of<'a>(&self, bases: &'a Bases, query: usize) -> Option<&'a [f64]> {
        let composition = usize::from(self.blocks[query / BLOCK].queries[query % BLOCK].composition);
        bases.blocks[query / BLOCK].get(composition * bases.measures..(composition + 1) * bases.measures)
    }

    /// The codes of all documents, and the indexes of one query's documents.
    #[inline]
    pub(super) fn codes(&self, query: usize) -> (&Codes, Range<usize>) {
        (&self.codes, self.groups.range(query))
    }

    /// Whether a row of a query is a document, if there is padding.
    #[inline]
    pub(super) fn is_present(&self, query: usize) -> Option<impl Fn(u32) -> bool + Copy + use<'_>> {
        let start = self.groups.start(query);
        self.has_padding
            .then_some(move |row: u32| by_width!(&self.codes, codes => codes[start + row as usize] != Code::ABSENT))
    }
}

/// The values of [`Measure::base`] by block, composition and measure.
///
/// [`Measure::base`]: crate::measures::Measure::base
pub(crate) struct Bases {
    measures: usize,
    blocks: Vec<Vec<f64>>,
}
