//! The problem of two rankings without ties, and its solution part by part. The head of [`super`] defines positions,
//! weights, and documents that are on.

use super::super::Instance;
use super::climb::CascadeClimber;
use super::component::{CascadeComponent, OpenDocument};
use super::search::{CascadeSearch, TOLERANCE};

/// The index of a document that is already decided.
const NONE: usize = usize::MAX;

/// One rank of a ranking.
#[derive(Debug, Clone, Copy)]
struct CascadeRank {
    /// The weight `w_t` of the rank: how much the score loses if every user goes beyond it.
    weight: f64,
    /// The probability that a user goes on after the document there; 1 if it is to be decided, or missing.
    factor: f64,
    /// The index of the rank's document among those to decide, or [`NONE`].
    open: usize,
}

/// Two rankings without ties, and the documents to decide.
#[derive(Debug, Default)]
pub(super) struct CascadeProblem {
    /// The ranks of A and of B, down to the depth.
    ranks: Vec<(CascadeRank, CascadeRank)>,
    /// The documents to decide: unknown documents of both rankings.
    documents: Vec<OpenDocument>,
    /// Whether each document to decide stops the user.
    on: Vec<bool>,
    /// The index of the document at each position of A.
    order: Vec<usize>,
    /// The weights `A_i` and `B_i` of each position. Entry 0 is for the ranks above all documents to decide.
    weights: Vec<(f64, f64)>,
    component: CascadeComponent,
    climber: CascadeClimber,
    search: CascadeSearch,
}

impl CascadeProblem {
    /// Reads an instance. `weights` has the weights of each rank in A and in B, down to `depth`.
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
        // The weight of a position collects the ranks from its document to the next one, times the factors of decided
        // documents.
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

    /// Decides all documents. Returns by how much the largest difference may exceed the one found, and how many nodes
    /// the search visited.
    ///
    /// A part ends at a position i down to which both rankings have the same documents. With V the largest value of all
    /// that follows, the part's own value is `sum_{j < i} (B_j Q_B(j) - A_j Q_A(j)) + (B_i - A_i + V) Q(i)`, over its
    /// positions j and its documents. If V is only known to lie in an interval, the part is solved for both ends of the
    /// interval.
    pub(super) fn solve(&mut self, limit: u64) -> (f64, u64) {
        let (mut rest, mut nodes) = ((0.0, 0.0), 0);
        let mut end = self.documents.len();
        // A part starts at a position of A if all documents from there on are at this position or below in B, too.
        let mut first = usize::MAX;
        for start in (0..end).rev() {
            first = first.min(self.documents[self.order[start]].b);
            if first <= start {
                continue;
            }
            // The ends of the interval of the weight `B_i - A_i + V` of the part's last position.
            let own = self.weights[end].1 - self.weights[end].0;
            let last = (own + rest.0, own + rest.1);
            rest = if end - start == 1 {
                self.on[self.order[start]] = last.0 < 0.0;
                let best = |last: f64| last * self.component.factor(last < 0.0);
                (best(last.0), best(last.1))
            } else {
                // A part may take a share of the remaining nodes, by its number of documents, so that the parts above
                // it get theirs.
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
        // If the value below is only known to lie in an interval, search with its lower end, then bound with its upper
        // end.
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

    /// The indices in the instance of the decided documents that stop the user.
    pub(super) fn on(&self) -> impl Iterator<Item = usize> {
        self.documents.iter().zip(&self.on).filter(|(_, on)| **on).map(|(document, _)| document.id)
    }

    /// `S(A) - S(B)` with the current decisions.
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

/// What the tail of unknown documents adds to the weight of A's last rank k:
/// `sum_{m >= 1} q^m / ((k + m) (k + m + 1))`, until a term adds nothing. `depth` is k, and `go_on` is q, the
/// probability of going on after each of them.
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
