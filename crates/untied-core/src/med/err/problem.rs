//! The problem of an instance: weights and factors by rank, and the documents to decide.

use super::super::Instance;

/// No document to decide.
pub(super) const NONE: usize = usize::MAX;

/// A document of both rankings of which nothing is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    /// Rank in A.
    pub(super) a: usize,
    /// Rank in B.
    pub(super) b: usize,
    /// Its number in the instance.
    pub(super) id: usize,
}

impl Open {
    /// Its better rank.
    pub(super) fn first(&self) -> usize {
        self.a.min(self.b)
    }

    /// Its worse rank: from here on it counts in both.
    pub(super) fn last(&self) -> usize {
        self.a.max(self.b)
    }
}

/// What stands at a rank of one ranking.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// `w_t`.
    pub(super) weight: f64,
    /// Probability to go on at a document that is not to be decided; else 1.
    pub(super) factor: f64,
    /// Number of the document to decide.
    pub(super) open: usize,
    /// Its rank in the other ranking.
    pub(super) other: usize,
}

/// The problem; see the module's head.
#[derive(Debug, Default)]
pub(super) struct Problem {
    /// A and B by rank from 1; at 0 there is nothing.
    pub(super) ranks: Vec<(Entry, Entry)>,
    /// What to decide, by better rank.
    pub(super) documents: Vec<Open>,
    /// Powers of the probability `q = 1 - r` to go on at a document that is on.
    pub(super) powers: Vec<f64>,
    /// The best assignment found: whether the documents stop the user.
    pub(super) on: Vec<bool>,
    /// Sums of one group of ranks each, for the chain.
    groups: Vec<f64>,
}

impl Problem {
    /// State an instance.
    pub(super) fn read(&mut self, instance: &Instance, tail: bool) {
        let go_on = 1.0 - instance.top;
        self.start(instance.depth, go_on, tail);
        for (_, (a, _)) in self.ranks.iter_mut().enumerate().skip(instance.lengths.0 + 1) {
            a.factor = go_on;
        }
        self.documents.clear();
        for (id, document) in instance.documents.iter().enumerate() {
            let (a, b) = (document.a as usize, document.b as usize);
            if document.known.is_none() && a > 0 && b > 0 {
                self.documents.push(Open { a, b, id });
                continue;
            }
            let top = if b == 0 { instance.top } else { 0.0 };
            let factor = 1.0 - document.known.unwrap_or(top);
            if a > 0 {
                self.ranks[a].0.factor = factor;
            }
            if b > 0 {
                self.ranks[b].1.factor = factor;
            }
        }
        self.documents.sort_unstable_by_key(|x| (x.first(), x.a + x.b, x.id));
        for (number, document) in self.documents.iter().enumerate() {
            let (a, b) = (&mut self.ranks[document.a].0, document.b);
            (a.open, a.other) = (number, b);
            let (b, a) = (&mut self.ranks[document.b].1, document.a);
            (b.open, b.other) = (number, a);
        }
        self.on.clear();
        self.on.resize(self.documents.len(), false);
    }

    fn start(&mut self, depth: usize, go_on: f64, tail: bool) {
        self.powers.clear();
        self.powers.extend((0..=depth).scan(1.0, |power, _| Some(std::mem::replace(power, *power * go_on))));
        self.ranks.clear();
        self.ranks.extend((0..=depth).map(|rank| {
            let weight = if rank == 0 { 0.0 } else { 1.0 / (rank * (rank + 1)) as f64 };
            let entry = Entry { weight, factor: 1.0, open: NONE, other: 0 };
            (entry, entry)
        }));
        if depth > 0 {
            let last = &mut self.ranks[depth];
            last.1.weight = 1.0 / depth as f64;
            last.0.weight = if tail { last.0.weight + stopping_tail(depth, go_on) } else { last.1.weight };
        }
    }

    /// Probability to go on at a document that is on, or off.
    pub(super) fn factor(&self, on: bool) -> f64 {
        self.powers[usize::from(on)]
    }

    /// `S(A) - S(B)` of the best assignment.
    pub(super) fn value(&self) -> f64 {
        let (mut a, mut b, mut value) = (1.0, 1.0, 0.0);
        for (at_a, at_b) in &self.ranks[1..] {
            a *= if at_a.open == NONE { at_a.factor } else { self.factor(self.on[at_a.open]) };
            b *= if at_b.open == NONE { at_b.factor } else { self.factor(self.on[at_b.open]) };
            value += at_b.weight * b - at_a.weight * a;
        }
        value
    }

    /// Solve the problem if both rankings have its documents in the same order; whether they do.
    ///
    /// With `e_i` the sum over ranks with i such documents at or above, others being off, the best of what follows
    /// document y is `V_y = e_y + max(V_{y + 1}, q V_{y + 1})`.
    pub(super) fn solve_chain(&mut self) -> bool {
        if self.documents.windows(2).any(|pair| (pair[0].a < pair[1].a) != (pair[0].b < pair[1].b)) {
            return false;
        }
        self.groups.clear();
        self.groups.resize(self.documents.len() + 1, 0.0);
        let (mut a, mut b, mut above) = (1.0, 1.0, (0, 0));
        for (at_a, at_b) in &self.ranks[1..] {
            above.0 += usize::from(at_a.open != NONE);
            above.1 += usize::from(at_b.open != NONE);
            a *= at_a.factor;
            b *= at_b.factor;
            self.groups[above.0] -= at_a.weight * a;
            self.groups[above.1] += at_b.weight * b;
        }
        let mut rest = 0.0;
        for (number, group) in self.groups.iter().enumerate().skip(1).rev() {
            rest += group;
            self.on[number - 1] = rest < 0.0;
            rest *= self.powers[usize::from(rest < 0.0)];
        }
        true
    }
}

/// `sum_{m >= 1} q^m / ((k + m) (k + m + 1))`, until nothing is added.
fn stopping_tail(depth: usize, go_on: f64) -> f64 {
    let (mut sum, mut power) = (0.0, 1.0);
    for rank in depth + 1.. {
        power *= go_on;
        let next = sum + power / (rank as f64 * (rank + 1) as f64);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}
