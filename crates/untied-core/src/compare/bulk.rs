//! Very many pairs of untied rankings at once, as numbers.

use rayon::prelude::*;

use super::evidence::Evidence;
use super::plan::{ComparisonPlan, PairBuffers};
use crate::difference::PairFacts;
use crate::error::{Error, Result};
use crate::measures::Scope;
use crate::names::Spec;
use crate::ranking::{List, Numbering};
use crate::similarity::PairScore;
use crate::table::hash_number;
use crate::watch;

/// Pairs of rankings that one thread takes at a time.
const BLOCK: usize = 256;

/// Ranked ids of many queries, one after the other: rows of an array.
#[derive(Debug)]
pub struct Lists {
    /// What the array is called, and the number of its first row here: for messages.
    name: &'static str,
    first: usize,
    ids: Vec<u64>,
    /// For every row, the number of ids up to its end.
    ends: Vec<usize>,
}

impl Lists {
    /// No rows yet of an array of this name; the first has this number.
    pub fn new(name: &'static str, first: usize) -> Lists {
        Lists { name, first, ids: Vec::new(), ends: Vec::new() }
    }

    /// Add a row: ids, best first, then nothing where there are fewer of them.
    ///
    /// # Errors
    /// An id stands behind nothing.
    pub fn push(&mut self, ids: impl Iterator<Item = Option<u64>>) -> Result<()> {
        let start = self.ids.len();
        for (place, id) in ids.enumerate() {
            let Some(id) = id else { continue };
            if self.ids.len() - start < place {
                return Err(self.error(self.ends.len(), id, "follows padding"));
            }
            self.ids.push(id);
        }
        self.ends.push(self.ids.len());
        Ok(())
    }

    fn row(&self, row: usize) -> &[u64] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.ids[start..self.ends[row]]
    }

    fn error(&self, row: usize, id: u64, what: &str) -> Error {
        Error::Value(format!("row {} of {}: id {id} {what}", self.first + row, self.name))
    }
}

/// Measures made ready for rankings up to a depth.
pub struct Bulk {
    plan: ComparisonPlan,
    measures: usize,
}

/// Buffers that are kept between pairs.
#[derive(Default)]
struct RowBuffers {
    numbering: Numbering<u64>,
    lists: (List, List),
    seen: Vec<bool>,
    grades: Vec<f64>,
    pairing: PairBuffers,
    scores: Vec<PairScore>,
}

impl Bulk {
    /// Make measures ready.
    ///
    /// # Errors
    /// A measure is refused.
    pub fn new(specs: &[Spec], depth: usize) -> Result<Bulk> {
        Evidence::default().needed_by(specs)?;
        let plan = ComparisonPlan::new(specs, Some(depth), &Scope { depth, grades: &[] })?;
        Ok(Bulk { plan, measures: specs.len() })
    }

    /// Compare row by row, in parallel: for each row and measure in turn its value, lowest and highest value (NaN where
    /// there is none).
    ///
    /// # Errors
    /// A row has an id twice.
    pub fn compare(&self, a: &Lists, b: &Lists) -> Result<Vec<f64>> {
        let width = 3 * self.measures;
        let mut values = vec![0.0; width * a.ends.len()];
        watch::begin(|| "comparing".into(), "pairs of rankings", Some(a.ends.len() as u64));
        let blocks = values.par_chunks_mut(width * BLOCK).enumerate();
        blocks.try_for_each_init(RowBuffers::default, |buffers, (block, values)| {
            watch::step((values.len() / width) as u64)?;
            (block * BLOCK..).zip(values.chunks_exact_mut(width)).try_for_each(|(row, values)| {
                buffers.number([a, b], row, self.plan.depth)?;
                self.one_row(buffers, values);
                Ok(())
            })
        })?;
        watch::check()?; // similarities that are stopped give anything
        Ok(values)
    }

    fn one_row(&self, buffers: &mut RowBuffers, values: &mut [f64]) {
        buffers.scores.clear();
        let (a, b) = (&buffers.lists.0, &buffers.lists.1);
        let facts = PairFacts { grades: &buffers.grades, ..PairFacts::default() };
        self.plan.one_pair(&mut buffers.pairing, (a, b), facts, false, &mut buffers.scores);
        for (values, score) in values.chunks_exact_mut(3).zip(&buffers.scores) {
            let (low, high) = score.range.unwrap_or((f64::NAN, f64::NAN));
            values.copy_from_slice(&[score.value, low, high]);
        }
    }
}

impl RowBuffers {
    /// Number the documents of two rankings within a depth: those of A in its order, then the others of B.
    fn number(&mut self, both: [&Lists; 2], row: usize, depth: usize) -> Result<()> {
        let RowBuffers { numbering, lists, seen, grades, .. } = self;
        numbering.clear();
        for (lists, list) in both.into_iter().zip([&mut lists.0, &mut lists.1]) {
            let ids = lists.row(row);
            let ids = &ids[..ids.len().min(depth)];
            list.fill_untied(ids.iter().map(|&id| numbering.number(id, hash_number(id))));
            let documents = numbering.documents().len();
            seen.clear();
            seen.resize(documents, false);
            let mut numbers = list.docs.iter();
            if let Some(place) = numbers.position(|&number| std::mem::replace(&mut seen[number as usize], true)) {
                return Err(lists.error(row, ids[place], "occurs twice"));
            }
            // Nothing is judged.
            grades.resize(documents.max(grades.len()), f64::NAN);
        }
        Ok(())
    }
}
