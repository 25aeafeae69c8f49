//! First-order persistency in linear time: cells that are certainly relevant, or certainly not, whatever the others
//! are.
//!
//! With `w_y` undecided documents in cell y, of x itself one less, one more relevant document of cell x gains between
//! `c_x + N_x` and `c_x + P_x`, where `N_x = sum_y w_y min(q_xy, 0)` and `P_x = sum_y w_y max(q_xy, 0)`. A cell whose
//! documents never lose is relevant, one whose documents never gain is not; and again, until nothing changes.
//!
//! The sums need no pairs. Let A have x higher: `a_x >= b_x`, means of its groups g and h. If it is tied with no y,
//! `q_xy < 0` takes a y that B has higher, and then `-q_xy = min(b_x, b_y) - a_y`, so that `-N_x = D(b_x)` with
//!
//! `D(v) = sum of w_y (min(v, b_y) - a_y) over y with a_y < b_y and a_y < v`.
//!
//! Its slope changes at means only, so one sweep finds it for all groups. Of y tied with x in A,
//! `q_xy = u_g - min(b_x, b_y)`, in B `q_xy = min(a_x, a_y) - u_h`, and in both `u_g - u_h`. So `-N_x` is in all
//!
//! `D(b_x) + sum_{y in h} w_y (max(u_h - a_y, 0) - max(b_h - a_y, 0))
//!  + sum_{y in g, not in h} w_y max(min(b_x, b_y) - u_g, 0) + (w_x - 1) max(u_h - u_g, 0)`,
//!
//! where x itself adds nothing to the first sum, and the second is one over y before x in B and one over y after it. If
//! B has x higher, that is `P_x`, with A and B exchanged. `P_x + N_x` is a difference of sums over groups.

use super::group::{CellPlaces, GroupPlace, PrecisionGroup};
use super::node::{CellCore, CellNode, FreeCell};
use crate::difference::solve::budget::Budget;
use crate::difference::solve::cells::{GroupSorter, TieCell};
use crate::difference::solve::quadratic::SLACK;

/// The cells of two rankings, some of which are decided.
#[derive(Debug, Default)]
pub(super) struct CellProgram {
    cells: Vec<TieCell>,
    is_open: Vec<bool>,
    rankings: [CellRanking; 2],
    sorter: GroupSorter<usize>,
}

/// The cells in one ranking.
#[derive(Debug, Default)]
struct CellRanking {
    groups: Vec<CellGroup>,
    /// Cells by group, then by group of the other ranking.
    all: Vec<usize>,
    /// The undecided cells, in the same order.
    open: Vec<usize>,
    /// The second line of the sum, for each cell that this ranking has higher.
    tied: Vec<f64>,
}

/// A tie group that has cells.
#[derive(Debug, Default, Clone, Copy)]
struct CellGroup {
    /// The group; its gain is what a document gains with all that is in no cell.
    tie_group: PrecisionGroup,
    /// Its number in the ranking.
    number: usize,
    /// Documents in cells.
    size: f64,
    /// Documents that are decided to be relevant, and what one of the others gains with those of all groups.
    on: f64,
    gain: f64,
    /// Undecided documents, and what one of them gains with all others.
    open: f64,
    open_gain: f64,
    /// How many of them this ranking has higher than the other one, and how many lower.
    higher: f64,
    lower: f64,
    /// The first line of the sum, for a cell that this ranking has lower.
    loss: f64,
}

impl CellRanking {
    /// Keep the groups that have cells, of which `all` is the order, and write each group's number into its cells.
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

    /// Nothing is decided.
    fn open_all(&mut self, groups: &[PrecisionGroup]) {
        self.open.clone_from(&self.all);
        for group in &mut self.groups {
            group.tie_group.gain = groups[group.number].gain;
            group.on = 0.0;
            group.open = group.size;
        }
    }

    /// Put in what documents gain with those that are decided, and with all that are not; the value of the former.
    fn sum(&mut self) -> f64 {
        let (mut on, mut open, mut value) = (0.0, 0.0, 0.0);
        for group in &mut self.groups {
            let PrecisionGroup { mean, together, gain, .. } = group.tie_group;
            group.gain = gain + on * mean + group.on * together;
            group.open_gain = open * mean + (group.open - 1.0) * together;
            value += group.on * (gain + on * mean + (group.on - 1.0) / 2.0 * together);
            on += group.on;
            open += group.open;
        }
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

/// The number of a cell's group in A, or in B.
fn group_of(cell: &TieCell, ranking: usize) -> usize {
    if ranking == 0 { cell.a } else { cell.b }
}

impl CellProgram {
    /// Take in cells, which are in the order of A's groups, then of B's.
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

    /// Nothing is decided; documents gain with all that is in no cell what the groups say.
    pub fn open_all(&mut self, a: &[PrecisionGroup], b: &[PrecisionGroup]) {
        self.is_open.clear();
        self.is_open.resize(self.cells.len(), true);
        self.rankings[0].open_all(a);
        self.rankings[1].open_all(b);
    }

    /// Exchange A and B.
    pub fn swap(&mut self) {
        self.cells.iter_mut().for_each(TieCell::swap);
        self.rankings.swap(0, 1);
    }

    /// Undecided cells, in their order.
    pub fn open(&self) -> &[usize] {
        &self.rankings[0].open
    }

    /// Decide cells until nothing changes or no work is left, and put the documents of relevant cells into `counts`. What
    /// they add to the value.
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

    fn decide(&mut self, cell: usize, count: usize) {
        self.is_open[cell] = false;
        let cell = &self.cells[cell];
        for (number, ranking) in self.rankings.iter_mut().enumerate() {
            let group = &mut ranking.groups[group_of(cell, number)];
            group.open -= cell.size as f64;
            group.on += count as f64;
        }
    }

    /// Undecided cells, so ordered that one before another in both rankings comes first.
    pub fn open_in_order(&self) -> Vec<usize> {
        let place = |&cell: &usize| self.groups_of(cell).map(|group| group.tie_group.place);
        let mut order = self.open().to_vec();
        order.sort_by_key(|cell| (place(cell)[0] + place(cell)[1], self.cells[*cell].a));
        order
    }

    /// The core of these cells.
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

    /// The node in which all these cells are undecided; `constant` is the value of the decided ones.
    pub fn root(&self, order: &[usize], constant: f64) -> CellNode {
        let free = |(cell, &number): (usize, &usize)| FreeCell {
            cell,
            size: self.cells[number].size,
            linear: self.linear(number),
        };
        CellNode { free: order.iter().enumerate().map(free).collect(), decided: vec![0; order.len()], constant }
    }

    fn sum(&mut self) -> f64 {
        let [a, b] = &mut self.rankings;
        a.sum() - b.sum()
    }

    fn groups_of(&self, cell: usize) -> [&CellGroup; 2] {
        let cell = &self.cells[cell];
        [&self.rankings[0].groups[cell.a], &self.rankings[1].groups[cell.b]]
    }

    /// `c_x`, from the last sums.
    fn linear(&self, cell: usize) -> f64 {
        let [a, b] = self.groups_of(cell);
        a.gain - b.gain
    }

    /// Whether A has a cell higher; if both have it alike, either may.
    fn is_higher_in_a(&self, cell: usize) -> bool {
        let [a, b] = self.groups_of(cell);
        a.tie_group.mean >= b.tie_group.mean
    }

    /// `c_x + N_x` and `c_x + P_x`.
    fn span(&self, cell: usize) -> (f64, f64) {
        let [a, b] = self.groups_of(cell);
        let (linear, all) = (a.gain - b.gain, a.open_gain - b.open_gain);
        let others = self.cells[cell].size as f64 - 1.0;
        let together = b.tie_group.together - a.tie_group.together;
        // Both, to choose without a branch.
        let loss = b.loss + self.rankings[0].tied[cell] + others * together.max(0.0);
        let gain = a.loss + self.rankings[1].tied[cell] + others * (-together).max(0.0);
        let ((low, high), (of_b, above)) = ((linear - loss, linear + all + loss), (linear + all - gain, linear + gain));
        if self.is_higher_in_a(cell) { (low, high) } else { (of_b, above) }
    }

    /// All that bounds take of groups and cells.
    fn bound(&mut self) {
        for group in self.rankings.iter_mut().flat_map(|ranking| &mut ranking.groups) {
            (group.higher, group.lower, group.loss) = (0.0, 0.0, 0.0);
        }
        for place in 0..self.open().len() {
            let number = self.open()[place];
            let (in_a, cell) = (self.is_higher_in_a(number), &self.cells[number]);
            let [a, b] = &mut self.rankings;
            let (a, b) = (&mut a.groups[cell.a], &mut b.groups[cell.b]);
            // Without a branch: which ranking it is, is a matter of chance.
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

    /// What pairs tied in a ranking add.
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
            let more = |cell: usize| size(cell) * ((u - mean(cell)).max(0.0) - (m - mean(cell)).max(0.0));
            group.loss += alike.iter().map(|&cell| more(cell)).sum::<f64>();
            // In the order of the other ranking: those after a cell, then those before it.
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

/// `D` at the means of one ranking, over documents that it has higher than the other.
fn sweep(other: &[CellGroup], groups: &mut [CellGroup]) {
    let (mut slope, mut constant) = (0.0, 0.0);
    let mut left = other;
    for group in groups.iter_mut().rev() {
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
