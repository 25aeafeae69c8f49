//! First-order persistency in linear time: it finds cells that are relevant, or not relevant, in a best assignment
//! whatever the other cells are.
//!
//! Document x gains `c_x` by itself and with the decided documents, and `q_xy` with a relevant document y. Let cell y
//! have `w_y` undecided documents (for x's own cell, one fewer). Then one more relevant document of cell x gains
//! between `c_x + N_x` and `c_x + P_x`, where `N_x = sum_y w_y min(q_xy, 0)` and `P_x = sum_y w_y max(q_xy, 0)`. A cell
//! whose documents never lose is relevant, and one whose documents never gain is not. This is repeated until nothing
//! changes.
//!
//! The sums can be found without pairs. Let x be in group g of A and group h of B, with the mean inverse ranks `a_x`
//! and `b_x` there; and let A have x higher, `a_x >= b_x`. If x is tied with no y, `q_xy < 0` only for a y that B has
//! higher, and then `-q_xy = min(b_x, b_y) - a_y`. So `-N_x = D(b_x)`, with the function
//!
//! `D(v) = sum of w_y (min(v, b_y) - a_y) over y with a_y < b_y and a_y < v`.
//!
//! The slope of D changes only at the groups' means, so one sweep over the groups finds D at all of them. With u the
//! mean inverse rank of the lower of two documents of a group, `q_xy = u_g - min(b_x, b_y)` if y is tied with x in A,
//! `q_xy = min(a_x, a_y) - u_h` if it is tied in B, and `q_xy = u_g - u_h` if in both. So, in all, `-N_x` is
//!
//! `D(b_x) + sum_{y in h} w_y (max(u_h - a_y, 0) - max(b_h - a_y, 0))
//!  + sum_{y in g, not in h} w_y max(min(b_x, b_y) - u_g, 0) + (w_x - 1) max(u_h - u_g, 0)`,
//!
//! where x itself adds nothing to the first sum, and the second has a part for the y before x in B and one for those
//! after it. If B has x higher, the same formula with A and B exchanged gives `P_x`. The other of the two follows,
//! because `P_x + N_x` is a difference of sums over groups.

use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::{GroupSorter, TieCell};
use crate::difference::solve::quadratic::SLACK;
use crate::difference::solve::quadratic::group::{CellPlaces, GroupPlace, PrecisionGroup};
use crate::difference::solve::quadratic::node::{CellCore, CellNode, FreeCell};

/// The cells of two rankings, some of them decided.
#[derive(Debug, Default)]
pub(super) struct CellProgram {
    /// The cells. They name their groups by the index in each ranking's `groups`.
    cells: Vec<TieCell>,
    /// Whether each cell is undecided.
    is_open: Vec<bool>,
    /// The groups and cells of A, and of B.
    rankings: [CellRanking; 2],
    sorter: GroupSorter<usize>,
}

/// The cells in one ranking.
#[derive(Debug, Default)]
struct CellRanking {
    /// The tie groups that have cells.
    groups: Vec<CellGroup>,
    /// The indices of all cells, sorted by their group here and then by their group in the other ranking.
    all: Vec<usize>,
    /// The indices of the undecided cells, in the order of `all`.
    open: Vec<usize>,
    /// For each cell that this ranking has higher: the sum over cells tied with it here, which is the second line of
    /// the formula in the head of the file.
    tied: Vec<f64>,
}

/// A tie group that has cells, with sums over its documents.
#[derive(Debug, Default, Clone, Copy)]
struct CellGroup {
    /// The group's inverse ranks. Its `gain` is what a document gains with all documents that are in no cell.
    tie_group: PrecisionGroup,
    /// The index of the group among all groups of the ranking.
    number: usize,
    /// The number of its documents in cells.
    size: f64,
    /// The number of its documents in cells that are decided to be relevant.
    on: f64,
    /// What an undecided document gains here, by itself and with all relevant documents of the ranking.
    gain: f64,
    /// The number of its undecided documents.
    open: f64,
    /// What an undecided document would gain here with all other undecided documents of the ranking.
    open_gain: f64,
    /// The number of its undecided documents that this ranking has higher than the other ranking.
    higher: f64,
    /// The number of its undecided documents that this ranking has lower than the other ranking.
    lower: f64,
    /// For a cell that this ranking has lower: D and the sum over cells tied with it here, which is the first line of
    /// the formula in the head of the file.
    loss: f64,
}

impl CellRanking {
    /// Keeps the groups that have cells, and writes each group's new index into its cells. `group_of` picks a cell's
    /// group in this ranking.
    fn read(&mut self, groups: &[PrecisionGroup], cells: &mut [TieCell], group_of: fn(&mut TieCell) -> &mut usize) {
        self.groups.clear();
        for &cell in &self.all {
            let size = cells[cell].size as f64;
            let number = group_of(&mut cells[cell]);
            match self.groups.last_mut() {
                Some(last) if last.number == *number => last.size += size,
                _ => self.groups.push(CellGroup {
                    tie_group: groups[*number],
                    number: *number,
                    size,
                    ..CellGroup::default()
                }),
            }
            *number = self.groups.len() - 1;
        }
        self.tied.clear();
        self.tied.resize(self.all.len(), 0.0);
    }

    /// Makes all cells undecided. `groups` have the gain of a document with the documents that are in no cell.
    fn open_all(&mut self, groups: &[PrecisionGroup]) {
        self.open.clone_from(&self.all);
        for group in &mut self.groups {
            group.tie_group.gain = groups[group.number].gain;
            group.on = 0.0;
            group.open = group.size;
        }
    }

    /// Fills in two gains for each group: what a document gains with the relevant documents, and with the undecided
    /// ones. Returns the part of the ranking's score that comes from relevant documents of cells.
    fn sum(&mut self) -> f64 {
        let (mut on, mut open, mut value) = (0.0, 0.0, 0.0);
        for group in &mut self.groups {
            // Each relevant document above the group adds the group's mean inverse rank, and each one tied adds
            // `together`.
            let PrecisionGroup { mean, together, gain, .. } = group.tie_group;
            group.gain = gain + on * mean + group.on * together;
            group.open_gain = open * mean + (group.open - 1.0) * together;
            value += group.on * (gain + on * mean + (group.on - 1.0) / 2.0 * together);
            on += group.on;
            open += group.open;
        }
        // Each relevant document below the group adds the mean inverse rank of its own group.
        let (mut on, mut open) = (0.0, 0.0);
        for group in self.groups.iter_mut().rev() {
            group.gain += on;
            group.open_gain += open;
            on += group.on * group.tie_group.mean;
            open += group.open * group.tie_group.mean;
        }
        value
    }
}

/// The index of a cell's group in A (ranking 0) or in B (1).
fn group_of(cell: &TieCell, ranking: usize) -> usize {
    if ranking == 0 { cell.a } else { cell.b }
}

impl CellProgram {
    /// Reads the cells, sorted by their group in A and then in B, and the groups of A and of B.
    pub fn read(&mut self, all: &[TieCell], a: &[PrecisionGroup], b: &[PrecisionGroup]) {
        let CellProgram { cells, rankings: [of_a, of_b], sorter, .. } = self;
        cells.clear();
        cells.extend(all);
        for ranking in [&mut *of_a, &mut *of_b] {
            ranking.all.clear();
            ranking.all.extend(0..all.len());
        }
        sorter.sort(&mut of_b.all, |&cell| all[cell].b);
        of_a.read(a, cells, |cell| &mut cell.a);
        of_b.read(b, cells, |cell| &mut cell.b);
    }

    /// Makes all cells undecided. `a` and `b` have the gain of a document with the documents that are in no cell.
    pub fn open_all(&mut self, a: &[PrecisionGroup], b: &[PrecisionGroup]) {
        self.is_open.clear();
        self.is_open.resize(self.cells.len(), true);
        self.rankings[0].open_all(a);
        self.rankings[1].open_all(b);
    }

    /// Exchanges A and B.
    pub fn swap(&mut self) {
        self.cells.iter_mut().for_each(TieCell::swap);
        self.rankings.swap(0, 1);
    }

    /// The indices of the undecided cells, sorted by their group in A and then in B.
    pub fn open(&self) -> &[usize] {
        &self.rankings[0].open
    }

    /// Decides cells until nothing changes or no work is left, and writes their numbers of relevant documents into
    /// `counts`. Returns what these documents add to the difference.
    pub fn persist(&mut self, counts: &mut [usize], work: &mut Budget) -> f64 {
        loop {
            let value = self.sum();
            let before = self.open().len();
            if before == 0 || !work.take(64 * self.cells.len()) {
                return value;
            }
            self.bound();
            let mut open = std::mem::take(&mut self.rankings[0].open);
            open.retain(|&cell| {
                // Decide the cell if its documents never lose, or never gain.
                let (low, high) = self.span(cell);
                let is_on = low >= -SLACK;
                let is_decided = is_on || high <= SLACK;
                if is_decided {
                    counts[cell] = if is_on { self.cells[cell].size } else { 0 };
                    self.decide(cell, counts[cell]);
                }
                !is_decided
            });
            self.rankings[0].open = open;
            if self.open().len() == before {
                return value;
            }
            self.rankings[1].open.retain(|&cell| self.is_open[cell]);
        }
    }

    /// Decides that `count` documents of an undecided cell are relevant: all of them or none.
    fn decide(&mut self, cell: usize, count: usize) {
        self.is_open[cell] = false;
        let cell = &self.cells[cell];
        for (number, ranking) in self.rankings.iter_mut().enumerate() {
            let group = &mut ranking.groups[group_of(cell, number)];
            group.open -= cell.size as f64;
            group.on += count as f64;
        }
    }

    /// The indices of the undecided cells. A cell that is before another in both rankings comes first.
    pub fn open_in_order(&self) -> Vec<usize> {
        let place = |&cell: &usize| self.groups_of(cell).map(|group| group.tie_group.place);
        let mut order = self.open().to_vec();
        order.sort_by_key(|cell| (place(cell)[0] + place(cell)[1], self.cells[*cell].a));
        order
    }

    /// The cells with these indices, and their places in both rankings, for the search.
    pub fn core(&self, order: &[usize]) -> CellCore {
        let place = |cell: &TieCell, ranking: usize| {
            let number = group_of(cell, ranking);
            GroupPlace::new(number, &self.rankings[ranking].groups[number].tie_group)
        };
        let cells: Vec<TieCell> = order.iter().map(|&cell| self.cells[cell]).collect();
        CellCore {
            places: cells.iter().map(|cell| CellPlaces { a: place(cell, 0), b: place(cell, 1) }).collect(),
            cells,
        }
    }

    /// The root of the search, in which the cells with these indices are undecided. `constant` is the value of all
    /// others.
    pub fn root(&self, order: &[usize], constant: f64) -> CellNode {
        let free = |(cell, &number): (usize, &usize)| FreeCell {
            cell,
            size: self.cells[number].size,
            linear: self.linear(number),
        };
        CellNode {
            free: order.iter().enumerate().map(free).collect(),
            decided: vec![0; order.len()],
            constant,
            room: isize::MAX,
        }
    }

    /// Fills in the gains of all groups, and returns what the decided cells add to the difference.
    fn sum(&mut self) -> f64 {
        let [a, b] = &mut self.rankings;
        a.sum() - b.sum()
    }

    /// A cell's group in A and its group in B.
    fn groups_of(&self, cell: usize) -> [&CellGroup; 2] {
        let cell = &self.cells[cell];
        [&self.rankings[0].groups[cell.a], &self.rankings[1].groups[cell.b]]
    }

    /// `c_x`: what a document of the cell adds to the difference by itself and with the relevant documents, as of the
    /// last [`CellProgram::sum`].
    fn linear(&self, cell: usize) -> f64 {
        let [a, b] = self.groups_of(cell);
        a.gain - b.gain
    }

    /// Whether the cell's mean inverse rank in A is at least that in B.
    fn is_higher_in_a(&self, cell: usize) -> bool {
        let [a, b] = self.groups_of(cell);
        a.tie_group.mean >= b.tie_group.mean
    }

    /// The least and the most that a document of the cell can add to the difference: `c_x + N_x` and `c_x + P_x`.
    fn span(&self, cell: usize) -> (f64, f64) {
        let [a, b] = self.groups_of(cell);
        let (linear, all) = (a.gain - b.gain, a.open_gain - b.open_gain);
        let others = self.cells[cell].size as f64 - 1.0;
        let together = b.tie_group.together - a.tie_group.together;
        // Both cases are computed, A higher and B higher, so that the choice at the end takes no branch.
        let loss = b.loss + self.rankings[0].tied[cell] + others * together.max(0.0);
        let gain = a.loss + self.rankings[1].tied[cell] + others * (-together).max(0.0);
        let ((low, high), (of_b, above)) = ((linear - loss, linear + all + loss), (linear + all - gain, linear + gain));
        if self.is_higher_in_a(cell) { (low, high) } else { (of_b, above) }
    }

    /// Fills in the sums from which [`CellProgram::span`] makes its bounds.
    fn bound(&mut self) {
        for group in self.rankings.iter_mut().flat_map(|ranking| &mut ranking.groups) {
            (group.higher, group.lower, group.loss) = (0.0, 0.0, 0.0);
        }
        for place in 0..self.open().len() {
            let number = self.open()[place];
            let (in_a, cell) = (self.is_higher_in_a(number), &self.cells[number]);
            let [a, b] = &mut self.rankings;
            let (a, b) = (&mut a.groups[cell.a], &mut b.groups[cell.b]);
            // There is no branch, because it could not be predicted whether A or B has a cell higher.
            let size = cell.size as f64;
            let (by_a, by_b) = if in_a { (size, 0.0) } else { (0.0, size) };
            a.higher += by_a;
            b.lower += by_a;
            b.higher += by_b;
            a.lower += by_b;
        }
        let [a, b] = &mut self.rankings;
        sweep(&a.groups, &mut b.groups);
        sweep(&b.groups, &mut a.groups);
        self.tie(0);
        self.tie(1);
    }

    /// Adds what pairs of cells tied in one ranking contribute to the bounds.
    fn tie(&mut self, ranking: usize) {
        let cells = &self.cells;
        let [a, b] = &mut self.rankings;
        let (CellRanking { groups, open, tied, .. }, other) =
            if ranking == 0 { (a, &b.groups) } else { (b, &a.groups) };
        let size = |cell: usize| cells[cell].size as f64;
        let mean = |cell: usize| other[group_of(&cells[cell], 1 - ranking)].tie_group.mean;
        for alike in open.chunk_by(|&x, &y| group_of(&cells[x], ranking) == group_of(&cells[y], ranking)) {
            let group = &mut groups[group_of(&cells[alike[0]], ranking)];
            if group.open == 1.0 {
                tied[alike[0]] = 0.0;
                continue;
            }
            let PrecisionGroup { mean: m, together: u, .. } = group.tie_group;
            // What the cell adds to a loss if it counts as tied (u) instead of as not tied (m).
            let more = |cell: usize| size(cell) * ((u - mean(cell)).max(0.0) - (m - mean(cell)).max(0.0));
            group.loss += alike.iter().map(|&cell| more(cell)).sum::<f64>();
            // The tied cells are in the order of the other ranking. First add those after a cell, then those before it.
            let mut after = 0.0;
            for &cell in alike.iter().rev() {
                tied[cell] = after;
                after += size(cell) * (mean(cell) - u).max(0.0);
            }
            let mut before = 0.0;
            for &cell in alike {
                tied[cell] += before * (mean(cell) - u).max(0.0);
                before += size(cell);
            }
        }
    }
}

/// Adds the value of the function D (see the head of the file) to the `loss` of each group: how much a document there
/// can lose with the undecided documents that this ranking has higher than the `other`.
fn sweep(other: &[CellGroup], groups: &mut [CellGroup]) {
    let (mut slope, mut constant) = (0.0, 0.0);
    let mut left = other;
    for group in groups.iter_mut().rev() {
        // From the last group up, D is `slope * mean + constant`. Documents enter at their mean in the other ranking,
        // and stop growing at their mean in this one.
        let mean = group.tie_group.mean;
        while let [rest @ .., below] = left
            && below.tie_group.mean < mean
        {
            left = rest;
            slope += below.lower;
            constant -= below.lower * below.tie_group.mean;
        }
        group.loss += slope * mean + constant;
        slope -= group.higher;
        constant += group.higher * mean;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nightly::seeds;
    use crate::random::Random;

    #[test]
    fn bounds_are_sums_over_pairs() {
        for seed in seeds(200) {
            let mut random = Random::new(seed);
            let depth = 1 + random.below(30) as usize;
            let mut ends = || {
                let mut ends = vec![0];
                while ends[ends.len() - 1] < depth as u32 {
                    ends.push(ends[ends.len() - 1] + 1 + random.below(4).pow(2) as u32);
                }
                ends.split_off(1)
            };
            let (mut a, mut b) = (Vec::new(), Vec::new());
            PrecisionGroup::list(&mut a, &ends(), depth);
            PrecisionGroup::list(&mut b, &ends(), depth);
            let mut cells = Vec::new();
            for (a, b) in (0..a.len()).flat_map(|a| (0..b.len()).map(move |b| (a, b))) {
                if random.below(3) == 0 {
                    cells.push(TieCell::new((a, b), 1 + random.below(3) as usize));
                }
            }
            let mut program = CellProgram::default();
            program.read(&cells, &a, &b);
            program.open_all(&a, &b);
            program.sum();
            program.bound();
            let order = program.open_in_order();
            let (core, root) = (program.core(&order), program.root(&order, 0.0));
            for (free, &cell) in root.free.iter().zip(&order) {
                let (down, up) = root.sums(&core, free);
                let (low, high) = program.span(cell);
                let near = |x: f64, y: f64| (x - y).abs() < 1e-12;
                assert!(near(low, free.linear + down) && near(high, free.linear + up), "{seed} {cell} {cells:?}");
            }
        }
    }
}
