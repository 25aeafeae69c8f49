//! Attaching judgments to a sorted query, and laying its tie groups out under a tie policy.

use super::ties::ByDocument;
use super::{Layout, Order, Ranking, Text};
use crate::grade::Level;
use crate::table::{Judgments, Length, Lengths, Levels, RowLevels, Rows};
use crate::watch;

/// Attaches judgments; with room that is kept between queries.
#[derive(Debug, Default)]
pub struct Judge {
    /// Whether groups without a document of the qrels are kept too.
    pub every_group: bool,
    /// Whether documents of the qrels count only if their grade is above 0.
    pub relevant_only: bool,
    levels: Levels,
    counts: Counts,
    by_document: ByDocument,
}

impl Judge {
    /// Write a query's ranking to `ranking`; whether tied documents differ in grade (only judged ones count where
    /// `judged_only`, all others as non-relevant where not), and whether any document is judged.
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
        let mixed = writer.all(order, &mut self.counts, judged_only, |writer, start, rows| match layout {
            Layout::Tied => false,
            Layout::AsGiven => writer.push_in_order(start, rows),
            Layout::ByDocument => writer.push_in_order(start, self.by_document.sort(rows, retrieved)),
        });
        (mixed, any)
    }

    /// The same where it is known which grade which row has, and documents have no ids.
    pub fn judge_known<C: Copy + Into<u32>>(
        &mut self,
        levels: RowLevels<'_, C>,
        order: &Order,
        truth: &Judgments<'_>,
        tied: bool,
        judged_only: bool,
        ranking: &mut Ranking,
    ) -> bool {
        let mut writer = Writer { every_group: self.every_group, levels, truth, ranking };
        writer
            .all(order, &mut self.counts, judged_only, |writer, start, rows| !tied && writer.push_in_order(start, rows))
    }

    /// Add all documents of the query that was judged last, with their lengths.
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
            let rows = match layout {
                Layout::Tied => {
                    ranking.texts.push(rows.iter().map(|&row| texts[row as usize]));
                    continue;
                }
                Layout::AsGiven => rows,
                Layout::ByDocument => self.by_document.sort(rows, retrieved),
            };
            rows.iter().for_each(|&row| ranking.texts.push([texts[row as usize]]));
        }
        Ok(())
    }
}

/// How many documents of a tie group have which level.
#[derive(Debug, Default)]
struct Counts {
    by_level: Vec<u32>,
    /// Levels that have been met, ascending.
    met: Vec<u32>,
}

impl Counts {
    /// Count a group's documents; whether there are any with a level.
    #[inline]
    fn count<C: Copy + Into<u32>>(&mut self, rows: &[u32], levels: RowLevels<'_, C>) -> bool {
        for level in rows.iter().filter_map(|&row| levels.level(row)) {
            if self.by_level[level as usize] == 0 {
                self.met.push(level);
            }
            self.by_level[level as usize] += 1;
        }
        self.met.sort_unstable();
        !self.met.is_empty()
    }

    /// Forget the group.
    #[inline]
    fn clear(&mut self) {
        self.met.drain(..).for_each(|level| self.by_level[level as usize] = 0);
    }

    fn levels<'a>(&'a self, truth: &Judgments<'a>) -> impl Iterator<Item = Level> + use<'a> {
        let grades = truth.grades();
        self.met.iter().map(|&level| Level { grade: grades[level as usize], count: self.by_level[level as usize] })
    }

    /// Whether documents of the counted group have a positive grade, but not all the same.
    fn is_mixed(&self, size: usize, judged_only: bool, truth: &Judgments<'_>) -> bool {
        let is_judged = |level: &Level| level.grade >= 0.0;
        let count = |level: Level| level.count as usize;
        let size = if judged_only { self.levels(truth).filter(is_judged).map(count).sum() } else { size };
        self.levels(truth).next().is_some_and(|highest| highest.grade > 0.0 && count(highest) < size)
    }
}

/// A ranking being written.
struct Writer<'a, C> {
    every_group: bool,
    levels: RowLevels<'a, C>,
    truth: &'a Judgments<'a>,
    ranking: &'a mut Ranking,
}

impl<C: Copy + Into<u32>> Writer<'_, C> {
    /// Write all groups. `part` writes the documents of a group one by one, or tells that they are to stay tied.
    #[inline]
    fn all(
        &mut self,
        order: &Order,
        counts: &mut Counts,
        judged_only: bool,
        mut part: impl FnMut(&mut Self, usize, &[u32]) -> bool,
    ) -> bool {
        self.ranking.clear();
        self.ranking.retrieved = order.rows.len();
        counts.by_level.resize(self.truth.grades().len(), 0);
        let mut mixed = false;
        let mut start = 0;
        for &end in watch::until_stopped(order.ends.iter()) {
            let from = start as usize;
            let rows = &order.rows[from..end as usize];
            start = end;
            if let [_] = rows {
                self.push_in_order(from, rows);
            } else if counts.count(rows, self.levels) {
                mixed |= counts.is_mixed(rows.len(), judged_only, self.truth);
                if !part(self, from, rows) {
                    self.ranking.push(from, rows.len(), counts.levels(self.truth));
                }
                counts.clear();
            } else if self.every_group && !part(self, from, rows) {
                self.ranking.push(from, rows.len(), []);
            }
        }
        mixed
    }

    /// The documents of the qrels among `rows` (or all), each as a group of its own.
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
