//! The quadratic program of an instance, and first-order persistency, which fixes some of its variables.
//!
//! With the other undecided documents y, setting `z_x` gains between `c_x + N_x` and `c_x + P_x`, where
//! `N_x = sum_y min(q_xy, 0)` and `P_x = sum_y max(q_xy, 0)`. A document that never loses is relevant, one that never
//! gains is not; and again, until nothing changes.
//!
//! The sums need no pairs. `q_xy < 0` takes a y that B ranks higher, and if A ranks x higher, then
//! `N_x = -D(b_x)` with `D(r) = sum_y (1 / max(r, b_y) - 1 / a_y)` over all such y with `a_y > r`; likewise `P_x` of the
//! x that B ranks higher. With `P_x + N_x` and `c_x` a difference of sums over ranks too, a round costs O(k).

use super::SLACK;
use crate::difference::solve::Instance;

/// An undecided document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Variable {
    /// Rank in A; the depth and 1 if it has none.
    pub(super) a: usize,
    /// Rank in B, likewise.
    pub(super) b: usize,
    /// Its number in the instance.
    pub(super) id: usize,
}

/// What stands at a rank of one ranking: 1 for yes.
#[derive(Debug, Clone, Copy, Default)]
struct RankState {
    /// Relevant.
    on: f64,
    /// Undecided.
    open: f64,
    /// Undecided and higher in A.
    ahead: f64,
    /// Undecided and higher in B.
    behind: f64,
}

impl RankState {
    fn add(&mut self, Variable { a, b, .. }: Variable, times: f64) {
        self.open += times;
        self.ahead += if a < b { times } else { 0.0 };
        self.behind += if a > b { times } else { 0.0 };
    }
}

/// Sums over one ranking, of what a document at a rank would meet there.
#[derive(Debug, Clone, Copy, Default)]
struct RankSums {
    /// Gain by itself and with the relevant documents.
    on: f64,
    /// Gain with all undecided ones.
    open: f64,
}

/// The program; see the head of this file.
#[derive(Debug, Default)]
pub(super) struct QuadraticProgram {
    depth: usize,
    /// `1 / r`; 0 at rank `depth + 1`.
    inverse: Vec<f64>,
    a: Vec<RankState>,
    b: Vec<RankState>,
    sums_a: Vec<RankSums>,
    sums_b: Vec<RankSums>,
    /// At rank r the most that can be gained with documents ahead, by one of the other kind at or below r.
    up: Vec<f64>,
    /// The most that can be lost with documents behind.
    down: Vec<f64>,
    /// What each document costs that is decided to be relevant.
    pub(super) price: f64,
    /// How many are.
    pub(super) count: usize,
    /// The undecided documents.
    pub(super) open: Vec<Variable>,
    /// Whether each document is relevant, by its number.
    pub(super) relevant: Vec<bool>,
}

impl QuadraticProgram {
    /// Takes an instance. Unknown documents of A alone are relevant, and those of B alone are not, unless `open` leaves them
    /// undecided.
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

    /// Decide a document that was open to [`QuadraticProgram::persist`].
    pub(super) fn set(&mut self, variable: Variable, on: bool) {
        self.relevant[variable.id] = on;
        self.count += usize::from(on);
        for place in [&mut self.a[variable.a], &mut self.b[variable.b]] {
            place.add(variable, -1.0);
            place.on += f64::from(u8::from(on));
        }
    }

    /// Its two inverse ranks.
    pub(super) fn inverse(&self, variable: Variable) -> (f64, f64) {
        (self.inverse[variable.a], self.inverse[variable.b])
    }

    /// Decide what is best whatever the rest is, if at most `room` documents may be relevant. The sums are those of what
    /// remains.
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

    /// `c_x`, from the last sums.
    pub(super) fn linear(&self, variable: Variable) -> f64 {
        self.sums_a[variable.a].on - self.sums_b[variable.b].on - self.price
    }

    /// `c_x + N_x` and `c_x + P_x`.
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

    /// All sums, from the last rank to the first.
    fn sum(&mut self) {
        fold(&self.a, &self.inverse, &mut self.sums_a);
        fold(&self.b, &self.inverse, &mut self.sums_b);
        let (mut ahead, mut behind) = ((0.0, 0.0), (0.0, 0.0));
        for rank in (1..self.inverse.len()).rev() {
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

    /// Relevance of the documents of the instance.
    pub(super) fn gains(&self, instance: &Instance) -> Vec<f64> {
        instance.documents.iter().zip(&self.relevant).map(|(_, on)| f64::from(u8::from(*on))).collect()
    }

    /// `k (S(A) - S(B))` of what is relevant.
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

    /// The score less the price of the relevant documents.
    pub(super) fn value(&self) -> f64 {
        self.score() - self.price * self.count as f64
    }
}

/// A document at rank r gains `(1 + hits before r) / r + sum_{hits j > r} 1 / j`.
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
