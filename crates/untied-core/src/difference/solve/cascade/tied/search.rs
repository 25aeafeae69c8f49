//! Best-first search for the counts with the largest `S(A) - S(B)`: the number of relevant documents of each cell. A
//! node is a range of counts. The range with the highest bound is cut in two next.

use super::super::search::TOLERANCE;
use super::cell_cascade::{CellCascade, CountRange, GroupTotals};
use super::positions::PositionBounds;
use super::prices::DocumentPrices;
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::TieCell;
use crate::difference::solve::open_nodes::OpenNodes;

/// How many times the bound by prices is improved, for the first range and for each later one.
const STEPS: (usize, usize) = (60, 12);

/// The number of nodes that are only bounded position by position. Later nodes are also bounded by prices, which is
/// slower but closer.
const BY_POSITION: u64 = 300;

/// The state of the search: the best counts so far, and memory for bounds.
#[derive(Debug)]
pub(super) struct TiedCascadeSearch<'q> {
    problem: &'q CellCascade,
    /// The best counts so far.
    pub counts: Vec<u32>,
    /// `S(A) - S(B)` with the best counts.
    pub value: f64,
    prices: DocumentPrices,
    /// Bounds position by position. None if a tie group is too large.
    positions: Option<&'q mut PositionBounds>,
    totals: GroupTotals,
    /// For each cell, the mean of the counts at which the bounds of the current range were reached.
    mean_counts: Vec<f64>,
    pub work: Budget,
    /// The number of ranges visited.
    pub nodes: u64,
}

impl<'q> TiedCascadeSearch<'q> {
    pub fn new(problem: &'q CellCascade, positions: &'q mut PositionBounds, work: Budget) -> TiedCascadeSearch<'q> {
        let (counts, mut totals) = (vec![0; problem.cells.len()], GroupTotals::default());
        let value = problem.value(&counts, &mut totals);
        TiedCascadeSearch {
            problem,
            counts,
            value,
            prices: DocumentPrices::new(problem),
            positions: positions.fit(problem).then_some(positions),
            totals,
            mean_counts: Vec::new(),
            work,
            nodes: 0,
        }
    }

    /// The range of all counts, without some that cannot be the best.
    pub fn root(&mut self) -> CountRange {
        let mut range = self.problem.range();
        self.narrow(&mut range);
        range
    }

    /// Finds the best counts of a range. Returns an upper bound of `S(A) - S(B)` in it. If the work sufficed, this is
    /// the value found.
    pub fn run(&mut self, mut range: CountRange) -> f64 {
        let bound = self.narrow(&mut range).min(self.problem.most(&range, &mut self.totals));
        if self.list(&range) {
            return self.value;
        }
        self.improve(range.low.clone());
        self.improve(self.ahead(&range));
        let mut left = OpenNodes::new(bound, range);
        while let Some((highest, range)) = left.pop().filter(|(bound, _)| *bound > self.value + TOLERANCE) {
            if self.list(&range) {
                continue;
            }
            // The first nodes are only cut in two. Narrowing them bounds them by position.
            if self.positions.is_some() && self.nodes < BY_POSITION {
                self.nodes += 1;
                for mut range in self.cut_first(&range) {
                    let bound = self.narrow(&mut range).min(highest);
                    left.push(bound, range);
                }
                continue;
            }
            // Later nodes are bounded by prices first. Where these bounds are reached also tells where to cut.
            let Some(bound) = self.bound(&range) else { return highest };
            let bound = bound.min(highest);
            if bound <= self.value + TOLERANCE {
                continue;
            }
            for mut range in self.cut(&range) {
                let bound = self.narrow(&mut range).min(bound);
                left.push(bound, range);
            }
        }
        self.value
    }

    /// Narrows a range until nothing changes. Returns an upper bound of `S(A) - S(B)` in it.
    fn narrow(&mut self, range: &mut CountRange) -> f64 {
        let Some(positions) = &mut self.positions else {
            self.problem.narrow(range, &mut self.work);
            return f64::INFINITY;
        };
        loop {
            self.problem.dominate(range);
            let (bound, changed) = positions.narrow(self.problem, range, &mut self.work);
            if !changed {
                return bound;
            }
        }
    }

    /// Cuts a range in two, at the undecided cell whose group is nearest to the top of A or of B.
    fn cut_first(&self, range: &CountRange) -> [CountRange; 2] {
        let open = (0..self.counts.len()).filter(|&i| range.low[i] < range.high[i]);
        let place = |&i: &usize| {
            let TieCell { a, b, .. } = self.problem.cells[i];
            (a.min(b), a.max(b), a)
        };
        let cell = open.min_by_key(place).unwrap_or(0);
        self.halves(range, cell)
    }

    /// Counts to start from: the highest in cells that are higher up in A than in B, relative to the number of groups,
    /// and the lowest in all others.
    fn ahead(&self, range: &CountRange) -> Vec<u32> {
        let (of_a, of_b) = (self.problem.a.len() as f64, self.problem.b.len() as f64);
        let is_ahead = |cell: &TieCell| (cell.a as f64 + 0.5) / of_a < (cell.b as f64 + 0.5) / of_b;
        let ends = range.low.iter().zip(&range.high);
        self.problem
            .cells
            .iter()
            .zip(ends)
            .map(|(cell, (&low, &high))| if is_ahead(cell) { high } else { low })
            .collect()
    }

    /// Improves counts by a local search, and keeps them if they are the best so far.
    fn improve(&mut self, mut counts: Vec<u32>) {
        let value = self.problem.climb(&mut counts, &mut self.work);
        if value > self.value {
            (self.value, self.counts) = (value, counts);
        }
    }

    /// Tries all counts of a range if this takes less work than a bound. Returns whether it did.
    fn list(&mut self, range: &CountRange) -> bool {
        let widths = range.low.iter().zip(&range.high).map(|(&low, &high)| (high - low) as usize + 1);
        let all = widths.fold(1, usize::saturating_mul);
        let steps = all.saturating_mul(self.problem.steps() + range.low.len());
        let of_bounds = self.positions.as_ref().map_or(STEPS.1 * self.prices.steps, |positions| 4 * positions.steps);
        if all > 1 && (steps > of_bounds || !self.work.take(steps)) {
            return false;
        }
        // Count up like an odometer whose wheels are the undecided cells.
        let wide: Vec<usize> = (0..range.low.len()).filter(|&i| range.low[i] < range.high[i]).collect();
        let mut counts = range.low.clone();
        loop {
            let value = self.problem.value(&counts, &mut self.totals);
            if value > self.value {
                self.value = value;
                self.counts.clone_from(&counts);
            }
            let Some(place) = wide.iter().position(|&i| counts[i] < range.high[i]) else { return true };
            wide[..place].iter().for_each(|&i| counts[i] = range.low[i]);
            counts[wide[place]] += 1;
        }
    }

    /// The lowest bound by prices, which move from step to step. None if no work is left.
    fn bound(&mut self, range: &CountRange) -> Option<f64> {
        let steps = if self.nodes == 0 { STEPS.0 } else { STEPS.1 };
        self.nodes += 1;
        self.mean_counts.clear();
        self.mean_counts.resize(self.counts.len(), 0.0);
        let start = range.clamp(&self.counts);
        let mut least = None;
        // Each step has other prices. The lowest bound counts, and good counts are kept.
        for step in 0..steps {
            if !self.work.take(self.prices.steps) {
                break;
            }
            match step {
                0 => self.prices.start(self.problem, range, &start),
                _ => self.prices.move_on(self.problem, range, 2.0 / (step as f64 + 2.0)),
            }
            let bound = self.prices.bound(self.problem, range);
            let counts = self.prices.counts.clone();
            self.mean_counts
                .iter_mut()
                .zip(&counts)
                .for_each(|(mean, &count)| *mean += f64::from(count) / steps as f64);
            if self.problem.value(&counts, &mut self.totals) > self.value {
                self.improve(counts);
            }
            least = Some(least.map_or(bound, |least: f64| least.min(bound)));
            if bound <= self.value + TOLERANCE {
                break;
            }
        }
        least
    }

    /// Cuts a range in two at the cell whose count was most in doubt: the bounds disagreed about it, and its price is
    /// high.
    fn cut(&self, range: &CountRange) -> [CountRange; 2] {
        let (mut cell, mut most) = (0, -1.0);
        for i in 0..self.counts.len() {
            let (low, high) = (range.low[i], range.high[i]);
            let width = f64::from(high - low);
            // Bounds disagree about a cell if the mean of its counts is far from both ends of its range.
            let above = self.mean_counts[i] - f64::from(low);
            let tension = (above.min(width - above).max(0.0) / width + 1e-3) * self.prices.worth(i);
            if low < high && tension > most {
                (cell, most) = (i, tension);
            }
        }
        self.halves(range, cell)
    }

    /// Splits the range of a cell's counts in two: after the count of the best assignment so far, or in the middle if
    /// one half would be empty.
    fn halves(&self, range: &CountRange, cell: usize) -> [CountRange; 2] {
        let (low, high) = (range.low[cell], range.high[cell]);
        let half = if (low..high).contains(&self.counts[cell]) { self.counts[cell] } else { (low + high) / 2 };
        let (mut few, mut many) = (range.clone(), range.clone());
        few.high[cell] = half;
        many.low[cell] = half + 1;
        [few, many]
    }
}
