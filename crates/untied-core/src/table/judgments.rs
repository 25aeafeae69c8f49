//! The judgments of one query, and the look-up of retrieved documents in them.

use super::ids::{are_equal, fetch};
use super::profiles::Profile;
use super::qrels::level_of;
use super::{Rows, index};
use crate::grade::{Level, count_from};
use crate::watch;

/// The judgments of one query.
#[derive(Clone)]
pub struct Judgments<'a> {
    pub(super) grades: &'a [f64],
    pub(super) profiles: &'a [Profile],
    pub(super) judged: Rows<'a>,
    pub(super) row_levels: &'a [u32],
    pub(super) slots: &'a [index::Slot],
    /// The number of documents with each grade, highest first.
    pub levels: &'a [Level],
}

impl Judgments<'static> {
    /// No judgments.
    pub fn none() -> Judgments<'static> {
        Judgments::of_levels(&[], &[])
    }
}

impl<'a> Judgments<'a> {
    /// Judgments of documents without ids: the grades that occur in any query, and the number of documents of this query
    /// with each of them, both highest first.
    pub fn of_levels(grades: &'a [f64], levels: &'a [Level]) -> Judgments<'a> {
        Judgments { grades, profiles: &[], judged: Rows::none(), row_levels: &[], slots: &[0], levels }
    }

    /// The same judgments with other numbers of documents per grade.
    pub fn with_levels<'b>(&self, levels: &'b [Level]) -> Judgments<'b>
    where
        'a: 'b,
    {
        Judgments { levels, ..self.clone() }
    }

    /// All grades that occur in the qrels, highest first.
    pub fn grades(&self) -> &'a [f64] {
        self.grades
    }

    /// The grade of a document, if it is judged.
    pub fn grade(&self, document: &[u8], hash: u32) -> Option<f64> {
        let row = index::find(self.slots, hash, |row| are_equal(self.judged.doc(row as usize), document))?;
        Some(self.grades()[self.row_levels[row as usize] as usize])
    }

    /// The number of documents with at least this grade.
    #[inline]
    pub fn relevant(&self, rel: f64) -> usize {
        count_from(self.levels, rel)
    }

    /// The profiles by number, if grades are numbers of profiles.
    pub fn profiles(&self) -> &'a [Profile] {
        self.profiles
    }

    /// The profile whose number a grade is.
    pub fn profile(&self, number: f64) -> &'a Profile {
        &self.profiles[if number < 0.0 { -1.0 - number } else { number } as usize]
    }

    /// The grades of all judged documents, in the order of the rows.
    pub fn judgments(&self) -> impl DoubleEndedIterator<Item = f64> + ExactSizeIterator + use<'a> {
        let grades = self.grades();
        self.row_levels.iter().map(|&level| grades[level as usize])
    }
}

/// The levels of the retrieved documents of a query, by row.
#[derive(Debug, Clone, Copy)]
pub struct RowLevels<'a, C = u32> {
    /// For each row the level plus 1, or 0 if the document is not judged.
    codes: &'a [C],
    /// Documents of this level or a later one count as not judged.
    end: u32,
}

impl<'a, C: Copy + Into<u32>> RowLevels<'a, C> {
    /// The levels before `end`; documents of other levels count as not judged.
    pub fn before(end: u32, codes: &'a [C]) -> RowLevels<'a, C> {
        RowLevels { codes, end }
    }

    /// The level of the document in a row (an index into the grades), if it is judged.
    #[inline(always)]
    pub fn level(self, row: u32) -> Option<u32> {
        let level = self.codes[row as usize].into().wrapping_sub(1); // 0, an unjudged document, becomes the largest number
        (level < self.end).then_some(level)
    }
}

/// The levels of retrieved documents that were looked up, with memory that is used again.
#[derive(Debug, Default)]
pub struct Levels {
    codes: Vec<u32>,
    candidates: Vec<(u32, u32)>,
}

impl Levels {
    /// The levels that were looked up last.
    #[inline]
    pub fn rows(&self) -> RowLevels<'_> {
        RowLevels::before(u32::MAX, &self.codes)
    }

    /// Looks up all retrieved documents, and returns whether any is judged. With `relevant_only`, only documents with a
    /// grade above 0 get a level.
    ///
    /// Looking up one document after the other would wait for memory, because the processor cannot predict the branches.
    /// Therefore a first loop without branches collects the rows whose first slot is full; a second one compares hashes;
    /// and a third one compares the ids of the few rows that are left.
    pub fn look_up(&mut self, retrieved: &Rows<'_>, truth: &Judgments<'_>, relevant_only: bool) -> bool {
        let hashes = retrieved.hashes();
        self.codes.clear();
        self.codes.resize(hashes.len(), 0);
        if self.candidates.len() < hashes.len() {
            self.candidates.resize(hashes.len(), (0, 0));
        }
        // Reading all judgments into the cache pays unless few of many are looked up.
        if hashes.len() >= truth.judged.len() / 2 {
            fetch(truth.slots);
            fetch(truth.row_levels);
            truth.judged.fetch();
        }
        let mut count = 0;
        for (row, &hash) in hashes.iter().enumerate() {
            self.candidates[count].0 = row as u32;
            count += usize::from(index::is_taken(truth.slots, hash));
        }
        let mut hits = 0;
        for i in watch::until_stopped(0..count) {
            let row = self.candidates[i].0;
            if let Some(judged) = index::find(truth.slots, hashes[row as usize], |_| true) {
                self.candidates[hits] = (row, judged);
                hits += 1;
            }
        }
        let end = if relevant_only { level_of(truth.grades, 0.0) } else { u32::MAX };
        let mut any = false;
        for &(row, judged) in watch::until_stopped(self.candidates[..hits].iter()) {
            let doc = retrieved.doc(row as usize);
            let is_same = |judged: u32| are_equal(truth.judged.doc(judged as usize), doc);
            let judged = if is_same(judged) {
                Some(judged)
            } else {
                index::find(truth.slots, hashes[row as usize], is_same) // another document has the same hash
            };
            if let Some(judged) = judged {
                let level = truth.row_levels[judged as usize];
                self.codes[row as usize] = if level < end { level + 1 } else { 0 };
                any = true;
            }
        }
        any
    }
}
