//! Attaching judgments to a sorted query, and laying its tie groups out under a tie policy.

use super::{Level, Order, Ranking};
use crate::table::{Rows, Truth};

/// How the documents of a tie group are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Left tied: a measure gives its mean over all orders.
    #[default]
    Tied,
    /// One after the other by document id, descending byte by byte: trec_eval's order.
    ByDocument,
    /// One after the other as the input has them.
    AsGiven,
}

/// Room for [`judge`], kept between queries.
#[derive(Debug, Default)]
pub struct Judge {
    counts: Vec<u32>,
    touched: Vec<u32>,
    hits: Vec<(u32, u32)>,
    by_document: Vec<u32>,
}

impl Judge {
    /// Write a query's ranking to `ranking`; whether a tie group holds documents of different value, so that its
    /// order matters.
    pub fn judge(
        &mut self,
        retrieved: &Rows<'_>,
        order: &Order,
        truth: &Truth<'_>,
        layout: Layout,
        ranking: &mut Ranking,
    ) -> bool {
        ranking.clear();
        ranking.retrieved = retrieved.len();
        self.counts.resize(truth.grades().len(), 0);
        let mut mixed = false;
        let mut start = 0;
        for &end in &order.ends {
            let (from, to) = (start as usize, end as usize);
            start = end;
            if to - from == 1 {
                if let Some(level) = truth.level(retrieved, order.rows[from] as usize) {
                    ranking.push(from, 1, [Level { grade: truth.grades()[level], count: 1 }]);
                }
                continue;
            }
            self.hits.clear();
            let rows = &order.rows[from..to];
            let levels = rows.iter().map(|&row| (row, truth.level(retrieved, row as usize)));
            self.hits.extend(levels.filter_map(|(row, level)| Some((row, level? as u32))));
            if self.hits.is_empty() {
                continue;
            }
            mixed |= is_mixed(rows.len(), &self.hits, truth.grades());
            match layout {
                Layout::Tied => self.push_tied(from, rows.len(), truth.grades(), ranking),
                Layout::AsGiven => self.push_in_order(from, rows, truth.grades(), ranking),
                Layout::ByDocument => {
                    let mut sorted = std::mem::take(&mut self.by_document);
                    sorted.clear();
                    sorted.extend_from_slice(rows);
                    sorted.sort_unstable_by(|&a, &b| retrieved.doc(b as usize).cmp(retrieved.doc(a as usize)));
                    self.hits.clear();
                    let levels = sorted.iter().map(|&row| (row, truth.level(retrieved, row as usize)));
                    self.hits.extend(levels.filter_map(|(row, level)| Some((row, level? as u32))));
                    self.push_in_order(from, &sorted, truth.grades(), ranking);
                    self.by_document = sorted;
                }
            }
        }
        mixed
    }

    fn push_tied(&mut self, start: usize, size: usize, grades: &[f64], ranking: &mut Ranking) {
        for &(_, level) in &self.hits {
            if self.counts[level as usize] == 0 {
                self.touched.push(level);
            }
            self.counts[level as usize] += 1;
        }
        self.touched.sort_unstable();
        let counts = &mut self.counts;
        ranking.push(
            start,
            size,
            self.touched.drain(..).map(|level| Level {
                grade: grades[level as usize],
                count: std::mem::take(&mut counts[level as usize]),
            }),
        );
    }

    /// The hits as groups of one, in the order of `rows`, of which they are a subsequence.
    fn push_in_order(&self, start: usize, rows: &[u32], grades: &[f64], ranking: &mut Ranking) {
        let mut hits = self.hits.iter().peekable();
        for (i, row) in rows.iter().enumerate() {
            if let Some(&(_, level)) = hits.next_if(|(hit, _)| hit == row) {
                ranking.push(start + i, 1, [Level { grade: grades[level as usize], count: 1 }]);
            }
        }
    }
}

/// Whether the order of a tie group can matter: some of its documents have a positive grade, and not all the same.
fn is_mixed(size: usize, hits: &[(u32, u32)], grades: &[f64]) -> bool {
    let first = hits[0].1;
    let positive = hits.iter().any(|&(_, level)| grades[level as usize] > 0.0);
    positive && (hits.len() < size || hits.iter().any(|&(_, level)| level != first))
}
