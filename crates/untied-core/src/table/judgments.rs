//! The judgments of one query, and how the documents that are retrieved for it are found among them.

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
    /// How many documents have which grade, highest first.
    pub levels: &'a [Level],
}

impl Judgments<'static> {
    /// No judgments.
    pub fn none() -> Judgments<'static> {
        Judgments::of_levels(&[], &[])
    }
}

impl<'a> Judgments<'a> {
    /// Judgments of documents without ids: all grades that occur in any query, and how many documents of this one have
    /// which of them; both highest first.
    pub fn of_levels(grades: &'a [f64], levels: &'a [Level]) -> Judgments<'a> {
        Judgments { grades, profiles: &[], judged: Rows::none(), row_levels: &[], slots: &[0], levels }
    }

    /// The same with other numbers of documents a grade.
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

    /// The grade of a document, if the qrels hold it.
    pub fn grade(&self, document: &[u8], hash: u32) -> Option<f64> {
        let row = index::find(self.slots, hash, |row| are_equal(self.judged.doc(row as usize), document))?;
        Some(self.grades()[self.row_levels[row as usize] as usize])
    }

    /// Number of documents with at least this grade.
    #[inline]
    pub fn relevant(&self, rel: f64) -> usize {
        count_from(self.levels, rel)
    }

    /// What grades stand for where they are numbers of profiles, by number.
    pub fn profiles(&self) -> &'a [Profile] {
        self.profiles
    }

    /// What a grade stands for where grades are numbers of profiles.
    pub fn profile(&self, number: f64) -> &'a Profile {
        &self.profiles[if number < 0.0 { -1.0 - number } else { number } as usize]
    }

    /// The grades of all judged documents, in the order of the rows.
    pub fn judgments(&self) -> impl DoubleEndedIterator<Item = f64> + ExactSizeIterator + use<'a> {
        let grades = self.grades();
        self.row_levels.iter().map(|&level| grades[level as usize])
    }
}

/// The levels of a query's retrieved documents, by row.
#[derive(Debug, Clone, Copy)]
pub struct RowLevels<'a, C = u32> {
    /// Row by row the level plus 1, or 0 where there is no judgment.
    codes: &'a [C],
    /// Documents of levels from this one on are read as if they were not judged.
    end: u32,
}

impl<'a, C: Copy + Into<u32>> RowLevels<'a, C> {
    /// Levels of which those from `end` on do not count.
    pub fn before(end: u32, codes: &'a [C]) -> RowLevels<'a, C> {
        RowLevels { codes, end }
    }

    /// The level of the document in a row (an index into the grades), if it is judged.
    #[inline(always)]
    pub fn level(self, row: u32) -> Option<u32> {
        let level = self.codes[row as usize].into().wrapping_sub(1); // the largest number if it is not judged
        (level < self.end).then_some(level)
    }
}

/// Levels by look-up; with room to find them in.
#[derive(Debug, Default)]
pub struct Levels {
    found: Vec<u32>,
    candidates: Vec<(u32, u32)>,
}

impl Levels {
    /// The levels that were looked up last.
    #[inline]
    pub fn rows(&self) -> RowLevels<'_> {
        RowLevels::before(u32::MAX, &self.found)
    }

    /// Look all retrieved documents up.
    ///
    /// One by one, every look-up would wait for memory behind a branch that nobody can foresee. So first, without
    /// any branch, the rows are collected whose first slot is taken; then what stands there is looked at by hash;
    /// then, of the few that are left, the ids.
    ///
    /// Whether any is judged. With `relevant_only`, nothing but documents of a grade above 0 counts as found.
    pub fn look_up(&mut self, retrieved: &Rows<'_>, truth: &Judgments<'_>, relevant_only: bool) -> bool {
        let hashes = retrieved.hashes();
        self.found.clear();
        self.found.resize(hashes.len(), 0);
        if self.candidates.len() < hashes.len() {
            self.candidates.resize(hashes.len(), (0, 0));
        }
        // If few of many documents are looked up, waiting for these costs less than reading all.
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
                index::find(truth.slots, hashes[row as usize], is_same) // another document of the same hash
            };
            if let Some(judged) = judged {
                let level = truth.row_levels[judged as usize];
                self.found[row as usize] = if level < end { level + 1 } else { 0 };
                any = true;
            }
        }
        any
    }
}
