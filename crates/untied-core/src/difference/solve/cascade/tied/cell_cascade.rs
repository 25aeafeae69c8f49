//! Two rankings with ties as cells: the documents that a tie group of A and one of B have in common. A *count* says how
//! many documents of a cell are on (relevant).

use super::side::GroupLosses;
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::TieCell;

/// A change must gain more than this.
const LEAST: f64 = 1e-13;

/// How many relevant documents are in each group of A, and in each group of B.
pub(super) type GroupTotals = (Vec<usize>, Vec<usize>);

/// Two rankings with ties, whose counts are to be decided.
#[derive(Debug, Default)]
pub(super) struct CellCascade {
    /// The cells, sorted by their group in A, then in B. Groups are numbered as in `a` and `b`.
    pub cells: Vec<TieCell>,
    /// The loss of each group of A, by its number of relevant documents.
    pub a: GroupLosses,
    /// The loss of each group of B, by its number of relevant documents.
    pub b: GroupLosses,
}

/// A range of counts: the lowest and the highest for each cell.
#[derive(Debug, Clone)]
pub(super) struct CountRange {
    pub low: Vec<u32>,
    pub high: Vec<u32>,
}

impl CountRange {
    /// Whether some cells are undecided, but at most half of them.
    pub fn is_mostly_decided(&self) -> bool {
        let open = self.low.iter().zip(&self.high).filter(|(low, high)| low < high).count();
        (1..=self.low.len() / 2).contains(&open)
    }

    /// The counts in this range that are nearest to the given ones.
    pub fn clamp(&self, counts: &[u32]) -> Vec<u32> {
        let within = |(&count, (&low, &high)): (&u32, (&u32, &u32))| count.clamp(low, high);
        counts.iter().zip(self.low.iter().zip(&self.high)).map(within).collect()
    }
}

impl CellCascade {
    /// Adds up the counts by group of A and by group of B, into `(a, b)`.
    pub fn add_up(&self, counts: &[u32], (a, b): &mut GroupTotals) {
        a.clear();
        a.resize(self.a.len(), 0);
        b.clear();
        b.resize(self.b.len(), 0);
        for (cell, &count) in self.cells.iter().zip(counts) {
            a[cell.a] += count as usize;
            b[cell.b] += count as usize;
        }
    }

    /// The sums of the counts by group of A and by group of B.
    pub fn by_group(&self, counts: &[u32]) -> GroupTotals {
        let mut totals = GroupTotals::default();
        self.add_up(counts, &mut totals);
        totals
    }

    /// `S(A) - S(B)` with these counts. `room` is memory for the sums by group.
    pub fn value(&self, counts: &[u32], room: &mut GroupTotals) -> f64 {
        self.add_up(counts, room);
        self.b.loss(&room.1) - self.a.loss(&room.0)
    }

    /// A simple upper bound of `S(A) - S(B)` in a range: A has the highest counts, and B the lowest. `room` is memory
    /// for the sums by group.
    pub fn most(&self, range: &CountRange, room: &mut GroupTotals) -> f64 {
        self.add_up(&range.low, room);
        let of_b = self.b.loss(&room.1);
        self.add_up(&range.high, room);
        of_b - self.a.loss(&room.0)
    }

    /// About how many steps it takes to compute `S(A) - S(B)`.
    pub fn steps(&self) -> usize {
        2 * (self.a.len() + self.b.len())
    }

    /// The range of all counts.
    pub fn range(&self) -> CountRange {
        CountRange { low: vec![0; self.cells.len()], high: self.cells.iter().map(|cell| cell.size as u32).collect() }
    }

    /// Improves counts by a local search, and returns `S(A) - S(B)` with the last ones. Each step changes the relevance
    /// of the one document that gains most. If none gains, a step changes the count of one cell by several.
    pub fn climb(&self, counts: &mut [u32], work: &mut Budget) -> f64 {
        let (mut a, mut b) = self.by_group(counts);
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        while work.take(2 * self.steps() + 2 * counts.len()) {
            self.a.marginals(&a, &mut of_a);
            self.b.marginals(&b, &mut of_b);
            let (mut best, mut most) = (None, LEAST);
            for (i, cell) in self.cells.iter().enumerate() {
                let (of_a, of_b) = (of_a[cell.a], of_b[cell.b]);
                // The gain of one more document of the cell, and of one fewer.
                let (more, less) = (of_a.0 - of_b.0, of_b.1 - of_a.1);
                if counts[i] < cell.size as u32 && more > most {
                    (best, most) = (Some((i, 1)), more);
                }
                if counts[i] > 0 && less > most {
                    (best, most) = (Some((i, -1)), less);
                }
            }
            let Some((i, by)) = best.or_else(|| self.leap(counts, (&mut a, &mut b), work)) else { break };
            // Make the best change, in the cell's count and in those of its groups.
            let turn = |count: &mut usize| *count = count.wrapping_add_signed(by);
            counts[i] = counts[i].wrapping_add_signed(by as i32);
            turn(&mut a[self.cells[i].a]);
            turn(&mut b[self.cells[i].b]);
        }
        self.b.loss(&b) - self.a.loss(&a)
    }

    /// A cell, and a change of its count by more than one, that improve `S(A) - S(B)`. None if no change that was tried
    /// does. `a` and `b` are the counts by group.
    fn leap(&self, counts: &[u32], (a, b): (&mut [usize], &mut [usize]), work: &mut Budget) -> Option<(usize, isize)> {
        let now = self.b.loss(b) - self.a.loss(a);
        for (i, cell) in self.cells.iter().enumerate().filter(|(_, cell)| cell.size > 1) {
            let count = counts[i] as isize;
            let mut width = cell.size as isize;
            while width > 1 {
                // Try to change the count by this width, down and up, as far as the cell allows.
                for by in [(count - width).max(0) - count, (count + width).min(cell.size as isize) - count] {
                    if by.abs() < 2 || !work.take(self.steps()) {
                        continue;
                    }
                    let (of_a, of_b) = (a[cell.a], b[cell.b]);
                    (a[cell.a], b[cell.b]) = (of_a.wrapping_add_signed(by), of_b.wrapping_add_signed(by));
                    let value = self.b.loss(b) - self.a.loss(a);
                    (a[cell.a], b[cell.b]) = (of_a, of_b);
                    if value > now + LEAST {
                        return Some((i, by));
                    }
                }
                width /= 2;
            }
        }
        None
    }

    /// Narrows a range by dominance, and by the effect of one document whatever the others are. A document adds least
    /// to a score if all others of the range are on, and most if none is. So a cell is on if its documents, with all
    /// others on, add no less to S(A) than they add to S(B) with none on. It is off if the opposite holds.
    pub fn narrow(&self, range: &mut CountRange, work: &mut Budget) {
        let count = self.cells.len();
        let (mut most, mut least) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
        let (mut totals, mut changed) = (GroupTotals::default(), true);
        while std::mem::take(&mut changed) && work.take(4 * count + 4 * self.steps()) {
            self.dominate(range);
            self.add_up(&range.low, &mut totals);
            self.a.marginals(&totals.0, &mut most.0);
            self.b.marginals(&totals.1, &mut most.1);
            self.add_up(&range.high, &mut totals);
            self.a.marginals(&totals.0, &mut least.0);
            self.b.marginals(&totals.1, &mut least.1);
            for (i, cell) in self.cells.iter().enumerate() {
                if range.low[i] == range.high[i] {
                    continue;
                }
                // The least that a document adds to S(A), against the most that it adds to S(B); then the opposite.
                if least.0[cell.a].1 >= most.1[cell.b].0 {
                    range.low[i] = range.high[i];
                    changed = true;
                } else if most.0[cell.a].0 <= least.1[cell.b].1 {
                    range.high[i] = range.low[i];
                    changed = true;
                }
            }
        }
    }

    /// Narrows a range by dominance ([`crate::difference::solve::cells`]). If a document of a cell is on, all documents
    /// of the cells above it are. If a document of a cell is off, all documents of the cells below it are.
    pub fn dominate(&self, range: &mut CountRange) {
        // From A's last group to its first: `least` is the smallest group of B with a relevant document in one of the
        // later groups of A. A cell at this group of B or after it is above that document's cell, so all its documents
        // are relevant.
        let (mut least, mut end) = (usize::MAX, self.cells.len());
        for row in self.cells.chunk_by(|x, y| x.a == y.a).rev() {
            end -= row.len();
            let mut on = least;
            for (i, cell) in (end..).zip(row) {
                if on <= cell.b && range.high[i] == cell.size as u32 {
                    range.low[i] = cell.size as u32;
                }
                on = if range.low[i] > 0 { on.min(cell.b) } else { on };
            }
            least = on;
        }
        // From A's first group to its last: `most` is the largest group of B with a non-relevant document in one of the
        // earlier groups of A. A cell at this group of B or before it is below that document's cell, so none of its
        // documents is relevant.
        let (mut most, mut start) = (None, 0);
        for row in self.cells.chunk_by(|x, y| x.a == y.a) {
            let mut off = most;
            start += row.len();
            for (i, cell) in (start - row.len()..start).zip(row).rev() {
                if off >= Some(cell.b) && range.low[i] == 0 {
                    range.high[i] = 0;
                }
                off = if range.high[i] < cell.size as u32 { off.max(Some(cell.b)) } else { off };
            }
            most = off;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nightly::seeds;
    use crate::random::Random;

    #[test]
    fn a_range_is_mostly_decided_if_at_most_half_of_its_cells_are_open() {
        let is_mostly_decided =
            |high: &[u32]| CountRange { low: vec![1; high.len()], high: high.to_vec() }.is_mostly_decided();
        assert!(!is_mostly_decided(&[1, 1]));
        assert!(is_mostly_decided(&[1, 2]));
        assert!(!is_mostly_decided(&[2, 2]));
        assert!(is_mostly_decided(&[1, 2, 1, 1, 2]));
    }

    #[test]
    fn dominance_decides_the_cells_above_and_below() {
        for seed in seeds(300) {
            let mut random = Random::new(seed);
            let places = (0..16).filter(|_| random.below(2) == 0).map(|place| (place / 4, place % 4));
            let places: Vec<(usize, usize)> = places.collect();
            let cells: Vec<TieCell> =
                places.into_iter().map(|groups| TieCell::new(groups, 1 + random.below(2) as usize)).collect();
            let high: Vec<u32> = cells.iter().map(|cell| random.below(cell.size as u64 + 1) as u32).collect();
            let low = high.iter().map(|&high| random.below(u64::from(high) + 1) as u32).collect();
            let mut range = CountRange { low, high };
            let mut expected = range.clone();
            // Compare all pairs of cells, until nothing changes.
            let is_above = |x: usize, y: usize| x != y && cells[x].is_above(&cells[y]);
            let pairs = || (0..cells.len()).flat_map(|x| (0..cells.len()).map(move |y| (x, y)));
            for _ in 0..cells.len() {
                for (x, y) in pairs().filter(|&(x, y)| is_above(x, y)) {
                    if expected.low[y] > 0 && expected.high[x] == cells[x].size as u32 {
                        expected.low[x] = cells[x].size as u32;
                    }
                }
            }
            for _ in 0..cells.len() {
                for (x, y) in pairs().filter(|&(x, y)| is_above(x, y)) {
                    if expected.high[x] < cells[x].size as u32 && expected.low[y] == 0 {
                        expected.high[y] = 0;
                    }
                }
            }
            let problem = CellCascade { cells, ..CellCascade::default() };
            problem.dominate(&mut range);
            assert_eq!((range.low, range.high), (expected.low, expected.high), "{seed} {:?}", problem.cells);
        }
    }
}
