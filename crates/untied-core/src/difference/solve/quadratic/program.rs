//! The quadratic program of two rankings (see [`super`]), and first-order persistency, which decides some documents.
//!
//! Document x gains `c_x` by itself and with the decided documents, and `q_xy` with an undecided document y if that is
//! relevant. So making x relevant gains between `c_x + N_x` and `c_x + P_x`, where `N_x = sum_y min(q_xy, 0)` and `P_x
//! = sum_y max(q_xy, 0)`. A document that never loses is relevant, and one that never gains is not. This is repeated
//! until nothing changes.
//!
//! The sums can be found without pairs. Let A rank x higher than B. Then `q_xy < 0` only for a y that B ranks higher,
//! and `N_x = -D(b_x)`, where `D(r) = sum_y (1 / max(r, b_y) - 1 / a_y)` over all such y with `a_y > r`. In the same
//! way, `P_x` is found for the x that B ranks higher. `P_x + N_x` and `c_x` are differences of sums over ranks. So a
//! round takes O(k) steps for depth k.

use super::SLACK;
use super::group::{CellPlaces, GroupPlace};
use super::node::{CellCore, CellNode, FreeCell};
use crate::difference::solve::Instance;
use crate::difference::solve::cells::TieCell;

/// An undecided document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Variable {
    /// The rank in A, or the depth + 1 if A lacks the document.
    pub(super) a: usize,
    /// The rank in B, or the depth + 1 if B lacks the document.
    pub(super) b: usize,
    /// The index in the instance.
    pub(super) id: usize,
}

impl Variable {
    /// Whether two documents can be exchanged.
    fn is_like(&self, other: &Variable) -> bool {
        (self.a, self.b) == (other.a, other.b)
    }
}

/// The document at one rank. Each number is 1 for yes and 0 for no; below the depth, it is a count.
#[derive(Debug, Clone, Copy, Default)]
struct RankState {
    /// The document is relevant.
    on: f64,
    /// The document is undecided.
    open: f64,
    /// The document is undecided, and A ranks it higher than B.
    ahead: f64,
    /// The document is undecided, and B ranks it higher than A.
    behind: f64,
}

impl RankState {
    fn add(&mut self, Variable { a, b, .. }: Variable, times: f64) {
        self.open += times;
        self.ahead += if a < b { times } else { 0.0 };
        self.behind += if a > b { times } else { 0.0 };
    }
}

/// What a relevant document at one rank adds to the ranking's AP, times the depth.
#[derive(Debug, Clone, Copy, Default)]
struct RankSums {
    /// What it adds by itself and with the relevant documents.
    on: f64,
    /// What it adds with all undecided documents, if these are relevant.
    open: f64,
}

/// The quadratic program of two rankings, and the decisions so far.
#[derive(Debug, Default)]
pub(super) struct QuadraticProgram {
    /// The number of ranks that count, k.
    depth: usize,
    /// `1 / r` for each rank r. It is 0 at rank `depth + 1`, which stands for a document that a ranking lacks.
    inverse: Vec<f64>,
    /// The documents of A by rank.
    a: Vec<RankState>,
    /// The documents of B by rank.
    b: Vec<RankState>,
    /// For each rank, what a document there adds to A.
    sums_a: Vec<RankSums>,
    /// For each rank, what a document there adds to B.
    sums_b: Vec<RankSums>,
    /// For each rank of A: the most that a document there, which B ranks higher, can gain with undecided documents that
    /// A ranks higher.
    up: Vec<f64>,
    /// For each rank of B: the most that a document there, which A ranks higher, can lose with undecided documents that
    /// B ranks higher.
    down: Vec<f64>,
    /// The cost of each relevant unknown document.
    pub(super) price: f64,
    /// How many unknown documents are decided to be relevant.
    pub(super) count: usize,
    pub(super) open: Vec<Variable>,
    /// Whether each document of the instance is relevant.
    pub(super) relevant: Vec<bool>,
}

impl QuadraticProgram {
    /// Reads an instance. Unknown documents that only A has are relevant, and those that only B has are not. If `open`,
    /// they are undecided instead.
    pub(super) fn read(&mut self, instance: &Instance, open: bool) {
        let beyond = self.resize(instance.depth);
        self.relevant.resize(instance.documents.len(), false);
        for (id, document) in instance.documents.iter().enumerate() {
            let rank = |rank: u32| if rank == 0 { beyond } else { rank as usize };
            let (a, b) = (rank(document.a), rank(document.b));
            match document.known {
                None if open || a < beyond && b < beyond => self.open.push(Variable { a, b, id }),
                known => {
                    let on = known.map_or(a < beyond, |gain| gain > 0.0);
                    self.relevant[id] = on;
                    self.a[a].on += f64::from(u8::from(on));
                    self.b[b].on += f64::from(u8::from(on));
                }
            }
        }
        let (of_a, of_b) = instance.lengths;
        if open {
            let missing_a = (of_a + 1..beyond).map(|rank| (rank, beyond));
            for (a, b) in missing_a.chain((of_b + 1..beyond).map(|rank| (beyond, rank))) {
                self.open.push(Variable { a, b, id: self.relevant.len() });
                self.relevant.push(false);
            }
        } else {
            self.a[(of_a + 1).min(beyond)..beyond].iter_mut().for_each(|place| place.on = 1.0);
        }
    }

    fn resize(&mut self, depth: usize) -> usize {
        let beyond = depth + 1;
        if self.depth != depth || self.inverse.is_empty() {
            self.depth = depth;
            self.inverse.clear();
            self.inverse.extend((0..=beyond).map(|rank| 1.0 / rank.max(1) as f64));
            self.inverse[beyond] = 0.0;
            self.sums_a.resize(beyond + 1, RankSums::default());
            self.sums_b.resize(beyond + 1, RankSums::default());
            self.up.resize(beyond + 1, 0.0);
            self.down.resize(beyond + 1, 0.0);
        }
        for places in [&mut self.a, &mut self.b] {
            places.clear();
            places.resize(beyond + 1, RankState::default());
        }
        self.open.clear();
        self.relevant.clear();
        (self.price, self.count) = (0.0, 0);
        beyond
    }

    /// Decides whether an undecided document is relevant. [`QuadraticProgram::persist`] has counted it.
    fn set(&mut self, variable: Variable, on: bool) {
        self.relevant[variable.id] = on;
        self.count += usize::from(on);
        for place in [&mut self.a[variable.a], &mut self.b[variable.b]] {
            place.add(variable, -1.0);
            place.on += f64::from(u8::from(on));
        }
    }

    /// The undecided documents for the search, and its root. Documents that both rankings lack are one cell, and each
    /// other one is its own. At most `most` unknown documents may be relevant.
    pub(super) fn core(&mut self, most: usize) -> (CellCore, CellNode) {
        self.open.sort_unstable_by_key(|x| (x.a + x.b, x.a, x.id));
        let (mut core, mut free) = (CellCore::default(), Vec::new());
        for alike in self.open.chunk_by(Variable::is_like) {
            let Variable { a, b, .. } = alike[0];
            free.push(FreeCell { cell: free.len(), size: alike.len(), linear: self.linear(alike[0]) });
            core.cells.push(TieCell::new((a, b), alike.len()));
            let place = |rank: usize| GroupPlace::at(rank, self.inverse[rank]);
            core.places.push(CellPlaces { a: place(a), b: place(b) });
        }
        let room = isize::try_from(most - self.count).unwrap_or(isize::MAX);
        (core, CellNode { decided: vec![0; free.len()], free, constant: self.value(), room })
    }

    /// Decides all undecided documents, from the number of relevant ones in each cell.
    pub(super) fn assign(&mut self, counts: &[usize]) {
        let open = std::mem::take(&mut self.open);
        for (alike, &count) in open.chunk_by(Variable::is_like).zip(counts) {
            alike.iter().enumerate().for_each(|(number, &variable)| self.set(variable, number < count));
        }
        self.open = open;
    }

    /// Decides the documents for which one choice is best whatever the others are. At most `room` unknown documents may
    /// be relevant. Afterwards, the sums are those of the documents that are left.
    pub(super) fn persist(&mut self, room: usize) {
        for &variable in &self.open {
            self.a[variable.a].add(variable, 1.0);
            self.b[variable.b].add(variable, 1.0);
        }
        let mut before = usize::MAX;
        while self.open.len() < before && !self.open.is_empty() {
            before = self.open.len();
            self.sum();
            let is_roomy = room >= self.count + self.open.len();
            let mut open = std::mem::take(&mut self.open);
            open.retain(|&variable| {
                let (low, high) = self.span(variable);
                let on = is_roomy && low >= -SLACK;
                let decided = on || high <= SLACK;
                if decided {
                    self.set(variable, on);
                }
                !decided
            });
            self.open = open;
        }
    }

    /// `c_x`: what the document adds to the difference by itself and with the relevant documents, minus its price, as
    /// of the last sums.
    fn linear(&self, variable: Variable) -> f64 {
        self.sums_a[variable.a].on - self.sums_b[variable.b].on - self.price
    }

    /// The least and the most that the document can add to the difference: `c_x + N_x` and `c_x + P_x`.
    fn span(&self, variable: Variable) -> (f64, f64) {
        let Variable { a, b, .. } = variable;
        let alone = self.linear(variable);
        let all = self.sums_a[a].open - self.sums_b[b].open;
        if a < b {
            (alone - self.down[b], alone + all + self.down[b])
        } else {
            (alone + all - self.up[a], alone + self.up[a])
        }
    }

    /// Fills in the sums of all ranks, from the last to the first.
    fn sum(&mut self) {
        fold(&self.a, &self.inverse, &mut self.sums_a);
        fold(&self.b, &self.inverse, &mut self.sums_b);
        let (mut ahead, mut behind) = ((0.0, 0.0), (0.0, 0.0));
        for rank in (1..self.inverse.len()).rev() {
            // Both are linear in 1/rank. The documents below the rank give the factor and the constant.
            let inverse = self.inverse[rank];
            self.up[rank] = ahead.0 * inverse + ahead.1;
            self.down[rank] = behind.0 * inverse + behind.1;
            let (a, b) = (self.a[rank], self.b[rank]);
            ahead.0 += b.ahead - a.ahead;
            ahead.1 += (a.ahead - b.ahead) * inverse;
            behind.0 += a.behind - b.behind;
            behind.1 += (b.behind - a.behind) * inverse;
        }
    }

    /// The relevance of each document of the instance, 0 or 1.
    pub(super) fn gains(&self, instance: &Instance) -> Vec<f64> {
        instance.documents.iter().zip(&self.relevant).map(|(_, on)| f64::from(u8::from(*on))).collect()
    }

    /// `k (S(A) - S(B))` with the current decisions: the difference of AP, times the depth k.
    pub(super) fn score(&self) -> f64 {
        let score = |places: &[RankState]| {
            let (mut hits, mut sum) = (0.0, 0.0);
            for (place, inverse) in places.iter().zip(&self.inverse).skip(1) {
                hits += place.on;
                sum += place.on * hits * inverse;
            }
            sum
        };
        score(&self.a) - score(&self.b)
    }

    /// [`QuadraticProgram::score`] minus the price of the relevant unknown documents.
    pub(super) fn value(&self) -> f64 {
        self.score() - self.price * self.count as f64
    }
}

/// Writes into `sums` what a relevant document at each rank r adds to the ranking: `(1 + hits before r) / r + sum_{hits
/// j > r} 1 / j`, where hits are the ranks of relevant documents. Then the same with undecided documents as hits, and
/// without the 1.
fn fold(places: &[RankState], inverse: &[f64], sums: &mut [RankSums]) {
    let (mut on, mut open) = (0.0, 0.0);
    for place in &places[1..] {
        on += place.on;
        open += place.open;
    }
    let (mut below_on, mut below_open) = (0.0, 0.0);
    for rank in (1..places.len()).rev() {
        let (place, weight) = (places[rank], inverse[rank]);
        on -= place.on;
        open -= place.open;
        sums[rank] = RankSums { on: (1.0 + on) * weight + below_on, open: open * weight + below_open };
        below_on += place.on * weight;
        below_open += place.open * weight;
    }
}
