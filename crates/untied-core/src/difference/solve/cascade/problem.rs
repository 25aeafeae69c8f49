//! The problem of an instance, and its solution part by part.

use super::super::Instance;
use super::climb::CascadeClimber;
use super::component::{CascadeComponent, OpenDocument};
use super::search::{CascadeSearch, TOLERANCE};

/// The number of a document that is not to be decided.
const NONE: usize = usize::MAX;

/// A rank of one ranking, and the document there.
#[derive(Debug, Clone, Copy)]
struct CascadeRank {
    /// `w_t`.
    weight: f64,
    /// Probability to go on at a document that is not to be decided; else 1.
    factor: f64,
    /// Number of the document to decide.
    open: usize,
}

/// The problem of an instance: weights of positions, and documents to decide.
#[derive(Debug, Default)]
pub(super) struct CascadeProblem {
    /// A and B by rank, from the first.
    ranks: Vec<(CascadeRank, CascadeRank)>,
    /// What to decide.
    documents: Vec<OpenDocument>,
    /// Whether each stops the user.
    on: Vec<bool>,
    /// Numbers of the documents by position in A.
    order: Vec<usize>,
    /// `A_i` and `B_i` by position; at 0 above all that is to be decided.
    weights: Vec<(f64, f64)>,
    component: CascadeComponent,
    climber: CascadeClimber,
    search: CascadeSearch,
}

impl CascadeProblem {
    /// State an instance, with what each rank to a depth weighs in A and in B.
    pub(super) fn read(&mut self, instance: &Instance, depth: usize, weights: impl Fn(usize) -> (f64, f64)) {
        let go_on = 1.0 - instance.top;
        self.start(depth, go_on, weights);
        self.ranks.iter_mut().skip(instance.lengths.0).for_each(|(a, _)| a.factor = go_on);
        self.documents.clear();
        for (id, document) in instance.documents.iter().enumerate() {
            let (a, b) = (document.a as usize, document.b as usize);
            let only_a = if b == 0 { instance.top } else { 0.0 };
            let factor = 1.0 - document.known.unwrap_or(only_a);
            let mut open = NONE;
            if document.known.is_none() && a > 0 && b > 0 {
                open = self.documents.len();
                self.documents.push(OpenDocument { a: 0, b: 0, id });
            }
            if a > 0 {
                let place = &mut self.ranks[a - 1].0;
                (place.factor, place.open) = (factor, open);
            }
            if b > 0 {
                let place = &mut self.ranks[b - 1].1;
                (place.factor, place.open) = (factor, open);
            }
        }
        self.on.clear();
        self.on.resize(self.documents.len(), false);
        self.find_positions();
    }

    fn start(&mut self, depth: usize, go_on: f64, weights: impl Fn(usize) -> (f64, f64)) {
        let powers = &mut self.component.powers;
        powers.clear();
        powers.extend((0..=depth).scan(1.0, |power, _| Some(std::mem::replace(power, *power * go_on))));
        self.ranks.clear();
        self.ranks.extend((1..=depth).map(|rank| {
            let (a, b) = weights(rank);
            let place = |weight: f64| CascadeRank { weight, factor: 1.0, open: NONE };
            (place(a), place(b))
        }));
    }

    fn find_positions(&mut self) {
        self.order.clear();
        self.weights.clear();
        self.weights.resize(self.documents.len() + 1, (0.0, 0.0));
        let (mut a, mut b, mut above) = (1.0, 1.0, (0, 0));
        for (at_a, at_b) in &self.ranks {
            if at_a.open != NONE {
                above.0 += 1;
                self.documents[at_a.open].a = above.0;
                self.order.push(at_a.open);
            }
            if at_b.open != NONE {
                above.1 += 1;
                self.documents[at_b.open].b = above.1;
            }
            a *= at_a.factor;
            b *= at_b.factor;
            self.weights[above.0].0 += at_a.weight * a;
            self.weights[above.1].1 += at_b.weight * b;
        }
    }

    /// Decide all documents. Returns by how much the best may exceed what is found, and the nodes it took.
    ///
    /// With V the best of all below position i where a part ends, the part is worth
    /// `sum_{j < i} (B_j Q_B(j) - A_j Q_A(j)) + (B_i - A_i + V) Q(i)`, positions j being its own. If V is only known to lie
    /// in an interval, the part is solved for both of its ends: Q(i) makes it smaller.
    pub(super) fn solve(&mut self, limit: u64) -> (f64, u64) {
        let (mut rest, mut nodes) = ((0.0, 0.0), 0);
        let mut end = self.documents.len();
        // A part starts where no document from there on stands above in B.
        let mut first = usize::MAX;
        for start in (0..end).rev() {
            first = first.min(self.documents[self.order[start]].b);
            if first <= start {
                continue;
            }
            let own = self.weights[end].1 - self.weights[end].0;
            let last = (own + rest.0, own + rest.1);
            rest = if end - start == 1 {
                self.on[self.order[start]] = last.0 < 0.0;
                let best = |last: f64| last * self.component.factor(last < 0.0);
                (best(last.0), best(last.1))
            } else {
                // Of the nodes that are left parts take shares by documents, as earlier ones need theirs.
                let share = (limit - nodes) * (end - start) as u64 / end as u64;
                let (value_and_bound, taken) = self.solve_component(start, end, last, share);
                nodes += taken;
                value_and_bound
            };
            end = start;
        }
        let gap = rest.1 - rest.0;
        (if gap > TOLERANCE { gap } else { 0.0 }, nodes)
    }

    fn solve_component(&mut self, start: usize, end: usize, last: (f64, f64), limit: u64) -> ((f64, f64), u64) {
        let documents = self.order[start..end].iter().map(|&x| OpenDocument { id: x, ..self.documents[x] });
        self.component.read(documents, start, &self.weights, last.0);
        self.climber.climb(&mut self.component);
        let is_known = last.1 <= last.0;
        let below = self.search.run(&mut self.component, if is_known { limit } else { limit / 2 });
        for (document, &on) in self.component.documents.iter().zip(&self.component.on) {
            self.on[document.id] = on;
        }
        if is_known {
            return ((below.value, below.bound), below.nodes);
        }
        self.component.end_with(last.1);
        let above = self.search.run(&mut self.component, limit - below.nodes);
        ((below.value, above.bound), below.nodes + above.nodes)
    }

    /// Numbers in the instance of the documents that stop the user, of those that were to be decided.
    pub(super) fn on(&self) -> impl Iterator<Item = usize> {
        self.documents.iter().zip(&self.on).filter(|(_, on)| **on).map(|(document, _)| document.id)
    }

    /// `S(A) - S(B)`.
    pub(super) fn value(&self) -> f64 {
        let factor = |place: &CascadeRank| {
            if place.open == NONE { place.factor } else { self.component.factor(self.on[place.open]) }
        };
        let (mut a, mut b, mut value) = (1.0, 1.0, 0.0);
        for (at_a, at_b) in &self.ranks {
            a *= factor(at_a);
            b *= factor(at_b);
            value += at_b.weight * b - at_a.weight * a;
        }
        value
    }
}

/// `sum_{m >= 1} q^m / ((k + m) (k + m + 1))`, until nothing is added.
pub(super) fn stopping_tail(depth: usize, go_on: f64) -> f64 {
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
