//! Attaching judgments to a sorted query, and laying its tie groups out under a tie policy.

use super::ties::ByDocument;
use super::{Layout, Level, Order, Ranking, Text};
use crate::table::{Length, Lengths, Levels, Rows, Truth};

/// Attaches judgments; with room that is kept between queries.
#[derive(Debug, Default)]
pub struct Judge {
    /// Whether groups without a document of the qrels are kept too.
    pub every_group: bool,
    levels: Levels,
    counts: Vec<u32>,
    touched: Vec<u32>,
    by_document: ByDocument,
}

impl Judge {
    /// Write a query's ranking to `ranking`; whether tied documents differ in grade (only judged ones count where
    /// `judged_only`, all others as non-relevant where not).
    pub fn judge(
        &mut self,
        retrieved: &Rows<'_>,
        order: &Order,
        truth: &Truth<'_>,
        layout: Layout,
        judged_only: bool,
        ranking: &mut Ranking,
    ) -> bool {
        ranking.clear();
        ranking.retrieved = retrieved.len();
        self.levels.look_up(retrieved, truth);
        self.counts.resize(truth.grades().len(), 0);
        let mut mixed = false;
        let mut start = 0;
        for &end in &order.ends {
            let from = start as usize;
            let rows = &order.rows[from..end as usize];
            start = end;
            if let [row] = rows {
                self.push_in_order(ranking, from, &[*row], truth);
            } else if self.count(rows) {
                mixed |= self.is_mixed(rows.len(), judged_only, truth);
                match layout {
                    Layout::Tied => self.push_tied(ranking, from, rows.len(), truth),
                    Layout::AsGiven => self.push_in_order(ranking, from, rows, truth),
                    Layout::ByDocument => {
                        self.by_document.sort(rows, retrieved);
                        self.push_in_order(ranking, from, &self.by_document.rows, truth);
                    }
                }
                self.touched.drain(..).for_each(|level| self.counts[level as usize] = 0);
            } else if self.every_group {
                match layout {
                    Layout::Tied => ranking.push(from, rows.len(), []),
                    Layout::AsGiven | Layout::ByDocument => self.push_in_order(ranking, from, rows, truth),
                }
            }
        }
        mixed
    }

    /// Add all documents of the query that was judged last, with their lengths.
    ///
    /// # Errors
    /// The first row whose document has no length.
    pub fn measure(
        &mut self,
        retrieved: &Rows<'_>,
        order: &Order,
        truth: &Truth<'_>,
        layout: Layout,
        lengths: &Lengths,
        ranking: &mut Ranking,
    ) -> Result<(), usize> {
        let mut texts = Vec::with_capacity(retrieved.len());
        for row in 0..retrieved.len() {
            let Length { length, seconds } = lengths.find(retrieved, row).ok_or(row)?;
            let grade = self.levels.of(row as u32).map_or(f64::NEG_INFINITY, |level| truth.grades()[level as usize]);
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

    /// Count a group's documents by level; whether there are any.
    fn count(&mut self, rows: &[u32]) -> bool {
        for level in rows.iter().filter_map(|&row| self.levels.of(row)) {
            if self.counts[level as usize] == 0 {
                self.touched.push(level);
            }
            self.counts[level as usize] += 1;
        }
        self.touched.sort_unstable();
        !self.touched.is_empty()
    }

    /// Whether documents of the counted group have a positive grade, but not all the same.
    fn is_mixed(&self, size: usize, judged_only: bool, truth: &Truth<'_>) -> bool {
        let count = |level: u32| self.counts[level as usize] as usize;
        let is_judged = |level: &u32| truth.grades()[*level as usize] >= 0.0;
        let size = if judged_only { self.touched.iter().copied().filter(is_judged).map(count).sum() } else { size };
        let highest = self.touched[0];
        truth.grades()[highest as usize] > 0.0 && count(highest) < size
    }

    fn push_tied(&self, ranking: &mut Ranking, start: usize, size: usize, truth: &Truth<'_>) {
        let level = |&level: &u32| Level { grade: truth.grades()[level as usize], count: self.counts[level as usize] };
        ranking.push(start, size, self.touched.iter().map(level));
    }

    /// The documents of the qrels among `rows` (or all), each as a group of its own.
    #[inline]
    fn push_in_order(&self, ranking: &mut Ranking, start: usize, rows: &[u32], truth: &Truth<'_>) {
        for (i, &row) in rows.iter().enumerate() {
            if let Some(level) = self.levels.of(row) {
                ranking.push(start + i, 1, [Level { grade: truth.grades()[level as usize], count: 1 }]);
            } else if self.every_group {
                ranking.push(start + i, 1, []);
            }
        }
    }
}
