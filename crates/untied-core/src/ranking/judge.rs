//! Adds judgments to a sorted query, and writes its ranking under a tie policy.

use super::ties::ByDocument;
use super::{Layout, Order, Ranking, Text, few};
use crate::grade::Level;
use crate::table::{Judgments, Length, Lengths, Levels, RowLevels, Rows};
use crate::watch;

/// Writes judged rankings, with memory that is used again for the next query.
#[derive(Debug, Default)]
pub struct Judge {
    /// Whether groups without judged documents are kept.
    pub every_group: bool,
    /// Whether documents without a grade above 0 are treated as unjudged.
    pub relevant_only: bool,
    levels: Levels,
    counts: GroupCounts,
    by_document: ByDocument,
}

impl Judge {
    /// Writes the ranking of a query. Returns whether tied documents have different grades, and whether any document is
    /// judged. Unjudged documents count as non-relevant for the first, or not at all with `judged_only`.
    pub fn judge(
        &mut self,
        retrieved: &Rows<'_>,
        order: &Order,
        truth: &Judgments<'_>,
        layout: Layout,
        judged_only: bool,
        ranking: &mut Ranking,
    ) -> (bool, bool) {
        let any = self.levels.look_up(retrieved, truth, self.relevant_only);
        let mut writer = Writer { every_group: self.every_group, levels: self.levels.rows(), truth, ranking };
        let mixed = writer.all(order, usize::MAX, &mut self.counts, judged_only, |writer, start, rows| {
            let rows = self.by_document.lay_out(layout, rows, retrieved);
            rows.is_some_and(|rows| writer.push_in_order(start, rows))
        });
        (mixed, any)
    }

    /// Writes the ranking of a query whose documents have no ids, from the level of each row. Groups that begin after
    /// the first `depth` documents may be left out. Returns whether tied documents have different grades.
    pub fn judge_known<C: Copy + Into<u32>>(
        &mut self,
        levels: RowLevels<'_, C>,
        order: &Order,
        truth: &Judgments<'_>,
        (tied, depth): (bool, usize),
        judged_only: bool,
        ranking: &mut Ranking,
    ) -> bool {
        let grades = truth.grades();
        if order.ends.len() == order.rows.len() && !self.every_group && !grades.is_empty() {
            ranking.clear();
            ranking.retrieved = order.rows.len();
            ranking.push_untied(&order.rows[..order.rows.len().min(depth)], |row| {
                let level = levels.level(row);
                (level.is_some(), grades[level.unwrap_or(0) as usize])
            });
            return false;
        }
        let mut writer = Writer { every_group: self.every_group, levels, truth, ranking };
        writer.all(order, depth, &mut self.counts, judged_only, |writer, start, rows| {
            !tied && writer.push_in_order(start, rows)
        })
    }

    /// Adds all documents of the last query, with their lengths, to its ranking.
    ///
    /// # Errors
    /// The first row whose document has no length.
    pub fn measure(
        &mut self,
        retrieved: &Rows<'_>,
        order: &Order,
        truth: &Judgments<'_>,
        layout: Layout,
        lengths: &Lengths,
        ranking: &mut Ranking,
    ) -> Result<(), usize> {
        let mut texts = Vec::with_capacity(retrieved.len());
        for row in 0..retrieved.len() {
            let Length { length, seconds } = lengths.find(retrieved, row).ok_or(row)?;
            let grade =
                self.levels.rows().level(row as u32).map_or(f64::NEG_INFINITY, |level| truth.grades()[level as usize]);
            texts.push(Text { grade, length, seconds });
        }
        let mut start = 0;
        for &end in &order.ends {
            let rows = &order.rows[start as usize..end as usize];
            start = end;
            match self.by_document.lay_out(layout, rows, retrieved) {
                None => ranking.texts.push(rows.iter().map(|&row| texts[row as usize])),
                Some(rows) => rows.iter().for_each(|&row| ranking.texts.push([texts[row as usize]])),
            }
        }
        Ok(())
    }
}

/// The number of documents of each level in a tie group.
#[derive(Debug, Default)]
struct GroupCounts {
    /// The count of each level, then that of documents without a level.
    by_level: Vec<u32>,
    /// The levels that occur, ascending; the memory after them is used while documents are counted.
    levels: Vec<u32>,
    /// The number of levels that occur.
    occurring: usize,
}

impl GroupCounts {
    /// Makes memory for a number of levels. All counts are 0 before and after.
    fn prepare(&mut self, levels: usize) {
        self.by_level.resize(levels + 1, 0);
        self.levels.resize(levels + 2, 0);
    }

    /// Counts the documents of a group, and returns whether any has a level.
    #[inline]
    fn count<C: Copy + Into<u32>>(&mut self, rows: &[u32], levels: RowLevels<'_, C>) -> bool {
        let unjudged = self.by_level.len() as u32 - 1;
        let mut occurring = 0;
        for &row in rows {
            // There is no branch: every level is written, and overwritten by the next unless it occurs for the first
            // time.
            let level = levels.level(row).unwrap_or(unjudged);
            self.levels[occurring] = level;
            occurring += usize::from(self.by_level[level as usize] == 0);
            self.by_level[level as usize] += 1;
        }
        few::sort(&mut self.levels[..occurring]);
        self.occurring = occurring - usize::from(self.by_level[unjudged as usize] > 0);
        self.occurring > 0
    }

    /// Sets all counts to 0.
    #[inline]
    fn clear(&mut self) {
        self.levels[..self.occurring].iter().for_each(|&level| self.by_level[level as usize] = 0);
        if let Some(unjudged) = self.by_level.last_mut() {
            *unjudged = 0;
        }
    }

    /// The levels with their counts, highest grade first.
    fn levels<'a>(&'a self, truth: &Judgments<'a>) -> impl Iterator<Item = Level> + use<'a> {
        let grades = truth.grades();
        self.levels[..self.occurring]
            .iter()
            .map(|&level| Level { grade: grades[level as usize], count: self.by_level[level as usize] })
    }

    /// Whether a document of the group has a grade above 0 and others have different grades.
    fn is_mixed(&self, size: usize, judged_only: bool, truth: &Judgments<'_>) -> bool {
        let is_judged = |level: &Level| level.grade >= 0.0;
        let count = |level: Level| level.count as usize;
        let size = if judged_only { self.levels(truth).filter(is_judged).map(count).sum() } else { size };
        self.levels(truth).next().is_some_and(|highest| highest.grade > 0.0 && count(highest) < size)
    }
}

/// A ranking that is being written.
struct Writer<'a, C> {
    every_group: bool,
    levels: RowLevels<'a, C>,
    truth: &'a Judgments<'a>,
    ranking: &'a mut Ranking,
}

impl<C: Copy + Into<u32>> Writer<'_, C> {
    /// Writes all groups that begin within a depth, and perhaps some after it. `untie` writes the documents of a group
    /// one by one, or returns false if they stay tied. Returns whether tied documents have different grades.
    #[inline]
    fn all(
        &mut self,
        order: &Order,
        depth: usize,
        counts: &mut GroupCounts,
        judged_only: bool,
        mut untie: impl FnMut(&mut Self, usize, &[u32]) -> bool,
    ) -> bool {
        self.ranking.clear();
        self.ranking.retrieved = order.rows.len();
        counts.prepare(self.truth.grades().len());
        let mut mixed = false;
        let mut start = 0;
        for &end in watch::until_stopped(order.ends.iter()) {
            let from = start as usize;
            let rows = &order.rows[from..end as usize];
            start = end;
            if mixed && from >= depth {
                break;
            }
            if let [_] = rows {
                self.push_in_order(from, rows);
                continue;
            }
            let is_judged = counts.count(rows, self.levels);
            mixed |= is_judged && counts.is_mixed(rows.len(), judged_only, self.truth);
            if (is_judged || self.every_group) && !untie(self, from, rows) {
                self.ranking.push(from, rows.len(), counts.levels(self.truth));
            }
            counts.clear();
        }
        mixed
    }

    /// Writes the judged documents, or all, each as a group of its own; returns true.
    #[inline]
    fn push_in_order(&mut self, start: usize, rows: &[u32]) -> bool {
        for (i, &row) in rows.iter().enumerate() {
            if let Some(level) = self.levels.level(row) {
                self.ranking.push_one(start + i, self.truth.grades()[level as usize]);
            } else if self.every_group {
                self.ranking.push(start + i, 1, []);
            }
        }
        true
    }
}
