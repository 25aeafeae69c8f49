//! Branch and bound over the documents of a component. They are decided in the order of their better position, the
//! smaller of those in A and in B, so that the decided documents are the first ones.
//!
//! *The bound.* At position s let a and b be the products of the factors of the decided documents down to s, in A and
//! in B. Of the undecided documents down to s, let only A have i, only B have j, and both have n. Then the term `B_s
//! Q_B(s) - A_s Q_A(s)` is at most `v = B_s b - A_s a q^i` if v > 0, and at most `v q^n` if not. The sum of these
//! numbers bounds the difference. From the position on at which both rankings have had all decided documents, these
//! only multiply the terms by one factor, so the sums that were made before anything was decided can be used again.
//!
//! *Deciding a document.* Document d, at position `a_d` of A and `b_d` of B, should be on if its *slope* `D = sum_{s >=
//! a_d} A_s Q_A(s) - sum_{s >= b_d} B_s Q_B(s)` is not negative, where the products Q leave out d itself. Before its
//! worse position, D has terms of one ranking only. From there on, a term lies between `A_s a q^i - B_s b` and `A_s a -
//! B_s b q^j`; of a positive lower bound, and of a negative upper bound, only the share `q^n` is certain. D may also be
//! divided by the factor of the documents that both rankings have by then, because this keeps its sign; these bounds
//! are close enough to decide most documents.

use super::component::{CascadeComponent, OpenDocument};
use crate::watch;

/// A node is not searched if its bound exceeds the best value by this or less.
pub(super) const TOLERANCE: f64 = 1e-12;
/// The tolerances to try if [`TOLERANCE`] takes too many nodes.
const WIDTHS: [f64; 4] = [1e-4, 1e-5, 1e-7, 1e-9];
/// A document is decided if the other choice could be better by at most this, which is rounding.
const SLACK: f64 = 1e-15;

/// The result of a search in a component.
#[derive(Debug, Clone, Copy)]
pub(super) struct CascadeResult {
    /// The largest value found.
    pub(super) value: f64,
    /// An upper bound of the largest value. It equals `value` if the search was completed.
    pub(super) bound: f64,
    /// How many nodes were visited.
    pub(super) nodes: u64,
}

/// A node of the search. The documents before `next` are decided, and `value` is the sum of the terms down to
/// `position`.
#[derive(Debug, Clone, Copy)]
struct CascadeNode {
    /// The index of the next document to decide.
    next: usize,
    /// The position down to which both rankings have only decided documents.
    position: usize,
    /// The sum of the component's terms down to `position`.
    value: f64,
    /// `Q_A(position)`, the product of A's factors down to `position`.
    a: f64,
    /// `Q_B(position)`, the product of B's factors down to `position`.
    b: f64,
    /// The worst position of a decided document, in A or in B.
    far: usize,
    /// The product of the factors of all decided documents.
    factor: f64,
}

/// The documents down to a position: the products a and b of the factors of decided documents in A and in B, and the
/// numbers i, j and n of undecided documents that only A has, only B has, and both have.
#[derive(Debug, Clone, Copy)]
struct PrefixReach {
    a: f64,
    b: f64,
    only_a: usize,
    only_b: usize,
    both: usize,
}

/// Bounds of sums of terms over several positions: for the value, and for a document's slope D.
#[derive(Debug, Clone, Copy, Default)]
struct PositionSums {
    /// An upper bound of the sum of the value's terms.
    gain: f64,
    /// Lower bounds of the sum of the terms of D: divided by the factor of the documents that both rankings have, and
    /// as it is.
    low: (f64, f64),
    /// Upper bounds of the sum of the terms of D, in the same two forms.
    high: (f64, f64),
}

impl PositionSums {
    /// The bounds over these positions and further ones. The bounds `rest` of those are multiplied by `factor`.
    fn plus(self, factor: f64, rest: &PositionSums) -> PositionSums {
        let sum = |x: f64, y: f64| x + factor * y;
        PositionSums {
            gain: sum(self.gain, rest.gain),
            low: (sum(self.low.0, rest.low.0), sum(self.low.1, rest.low.1)),
            high: (sum(self.high.0, rest.high.0), sum(self.high.1, rest.high.1)),
        }
    }
}

/// The state of a search. Its memory is used again for the next component.
#[derive(Debug, Default)]
pub(super) struct CascadeSearch {
    /// Bounds of the sums from each position on, if no document is decided.
    roots: Vec<PositionSums>,
    /// The sum of B's weights from each position on. The value gains at most b times this there.
    rests: Vec<f64>,
    /// The factor of each decided document.
    factors: Vec<f64>,
    best: f64,
    /// By how much a bound must exceed `best` for a node to be searched.
    tolerance: f64,
    limit: u64,
    nodes: u64,
    /// The largest bound of a node that was not visited because no nodes were left. None if all were visited.
    open: Option<f64>,
}

impl CascadeSearch {
    /// Improves the component's assignment until it is the best, or `limit` nodes were visited.
    ///
    /// If half of the nodes are not enough, the others are used for attempts with a large tolerance and then with
    /// smaller ones, which make the bound smaller.
    pub(super) fn run(&mut self, component: &mut CascadeComponent, limit: u64) -> CascadeResult {
        self.sum_roots(component);
        self.factors.clear();
        self.factors.extend(component.on.iter().map(|&on| component.factor(on)));
        self.best = self.evaluate(component);
        self.nodes = 0;
        if limit == 0 {
            return CascadeResult { value: self.best, bound: self.best.max(self.roots[1].gain), nodes: 0 };
        }
        // Half of the nodes go into the best value. If they are not enough, the others make its bound smaller.
        let (closed, mut bound) = self.attempt(component, TOLERANCE, limit.div_ceil(2));
        for width in WIDTHS {
            if !closed && self.nodes < limit {
                bound = bound.min(self.attempt(component, width, limit).1);
            }
        }
        CascadeResult { value: self.best, bound: if closed { self.best } else { bound }, nodes: self.nodes }
    }

    /// Searches for assignments that are better by more than a tolerance. Returns whether all nodes were visited, and
    /// an upper bound of the component's value.
    fn attempt(&mut self, component: &mut CascadeComponent, tolerance: f64, limit: u64) -> (bool, f64) {
        self.tolerance = tolerance;
        self.limit = limit;
        self.open = None;
        self.visit(component, CascadeNode { next: 0, position: 0, value: 0.0, a: 1.0, b: 1.0, far: 0, factor: 1.0 });
        let closed = self.best + tolerance;
        (self.open.is_none(), self.open.map_or(closed, |open| open.max(closed)))
    }

    fn evaluate(&self, component: &CascadeComponent) -> f64 {
        let mut place = CascadeNode {
            next: component.documents.len(),
            position: 0,
            value: 0.0,
            a: 1.0,
            b: 1.0,
            far: 0,
            factor: 1.0,
        };
        self.advance(component, &mut place);
        place.value
    }

    fn sum_roots(&mut self, component: &CascadeComponent) {
        let count = component.entries.len();
        self.rests.clear();
        self.rests.resize(count + 1, 0.0);
        self.roots.clear();
        self.roots.resize(count + 1, PositionSums::default());
        // The terms of each position with no document decided, then their sums from each position on.
        let mut reach = PrefixReach { a: 1.0, b: 1.0, only_a: 0, only_b: 0, both: 0 };
        for (position, sums) in (1..count).zip(&mut self.roots[1..]) {
            reach.enter(component, position, 0, &[]);
            reach.add(component, position, sums);
            reach.add_slopes(component, position, sums);
        }
        for position in (1..count).rev() {
            self.rests[position] = self.rests[position + 1] + component.entries[position].1.weight;
            self.roots[position] = self.roots[position].plus(1.0, &self.roots[position + 1]);
        }
    }

    fn visit(&mut self, component: &mut CascadeComponent, mut place: CascadeNode) {
        self.nodes += 1;
        loop {
            self.advance(component, &mut place);
            let Some(&document) = component.documents.get(place.next) else {
                return self.offer(component, place.value);
            };
            let Some((bound, worth)) = self.look(component, &place, &document) else { return };
            if let Some(on) = worth {
                place = self.decide(component, place, &document, on);
                continue;
            }
            // Branch: first on the document's state in the best assignment, then on the other one.
            let first = component.on[place.next];
            for on in [first, !first] {
                if self.nodes >= self.limit || watch::is_stopped() {
                    self.open = Some(self.open.map_or(bound, |open| open.max(bound)));
                    return;
                }
                let child = self.decide(component, place, &document, on);
                self.visit(component, child);
            }
            return;
        }
    }

    fn offer(&mut self, component: &mut CascadeComponent, value: f64) {
        if value > self.best {
            self.best = value;
            let off = component.factor(false);
            for (on, factor) in component.on.iter_mut().zip(&self.factors) {
                *on = *factor != off;
            }
        }
    }

    fn decide(
        &mut self,
        component: &CascadeComponent,
        place: CascadeNode,
        document: &OpenDocument,
        on: bool,
    ) -> CascadeNode {
        let factor = component.factor(on);
        self.factors[place.next] = factor;
        let far = place.far.max(document.last());
        CascadeNode { next: place.next + 1, far, factor: place.factor * factor, ..place }
    }

    /// Moves down to just above the next document to decide, and adds the terms passed to the value.
    fn advance(&self, component: &CascadeComponent, place: &mut CascadeNode) {
        let end = component.documents.get(place.next).map_or(component.entries.len(), OpenDocument::first);
        for (a, b) in &component.entries[place.position + 1..end] {
            place.a *= self.factors[a.open];
            place.b *= self.factors[b.open];
            place.value += b.weight * place.b - a.weight * place.a;
        }
        place.position = end - 1;
    }

    /// An upper bound of the value below a node, and whether the next document should be on, if one choice is never
    /// worse. None if nothing below the node is better than the best assignment.
    fn look(
        &self,
        component: &CascadeComponent,
        place: &CascadeNode,
        document: &OpenDocument,
    ) -> Option<(f64, Option<bool>)> {
        let target = self.best + self.tolerance;
        let mut reach = PrefixReach { a: place.a, b: place.b, only_a: 0, only_b: 0, both: 0 };
        let mut sums = PositionSums { gain: place.value, ..PositionSums::default() };
        let a_first = document.a < document.b;
        // `alone` is the sum of the terms of D before the document's worse position, if no other document reduces them.
        // `least` is the smallest factor by which others may.
        let (mut alone, mut least) = (0.0, 0.0);
        let end = place.far.max(document.last());
        for position in place.position + 1..=end {
            if position == document.last() {
                least = component.powers[(if a_first { reach.only_a } else { reach.only_b }).saturating_sub(1)];
            }
            reach.enter(component, position, place.next, &self.factors);
            reach.add(component, position, &mut sums);
            let below = position + 1;
            // The largest gain below this position.
            let rest =
                if position < place.far { reach.b * self.rests[below] } else { place.factor * self.roots[below].gain };
            if sums.gain + rest <= target {
                return None;
            }
            if position < document.last() {
                let (a, b) = &component.entries[position];
                alone += if a_first { a.weight * reach.a } else { b.weight * reach.b };
            } else {
                reach.add_slopes(component, position, &mut sums);
            }
        }
        let sums = sums.plus(place.factor, &self.roots[end + 1]);
        // If A has the document first, its terms before raise D. If B has, they lower it.
        let (low, high) = if a_first {
            (alone * least + sums.low.0, alone + sums.high.1)
        } else {
            (sums.low.1 - alone, sums.high.0 - alone * least)
        };
        let worth = if low >= -SLACK { Some(true) } else { (high <= SLACK).then_some(false) };
        Some((sums.gain, worth))
    }
}

impl PrefixReach {
    /// Takes in the documents at the next position, in A and in B. Those with an index of `next` or more are undecided.
    #[inline]
    fn enter(&mut self, component: &CascadeComponent, position: usize, next: usize, factors: &[f64]) {
        let (a, b) = &component.entries[position];
        // The document of A here: it is decided, known from B, or new.
        if a.open < next {
            self.a *= factors[a.open];
        } else if a.other < position {
            self.only_b -= 1;
            self.both += 1;
        } else {
            self.only_a += 1;
        }
        // The document of B here. If A has had it, now both have it.
        if b.open < next {
            self.b *= factors[b.open];
        } else if b.other <= position {
            self.only_a -= 1;
            self.both += 1;
        } else {
            self.only_b += 1;
        }
    }

    /// Adds the most that the value can gain at this position.
    #[inline]
    fn add(&self, component: &CascadeComponent, position: usize, sums: &mut PositionSums) {
        let (a, b) = &component.entries[position];
        let most = b.weight * self.b - a.weight * self.a * component.powers[self.only_a];
        sums.gain += if most > 0.0 { most } else { most * component.powers[self.both] };
    }

    /// Adds the least and the most that this position can add to a document's slope D.
    #[inline]
    fn add_slopes(&self, component: &CascadeComponent, position: usize, sums: &mut PositionSums) {
        let (a, b) = &component.entries[position];
        let both = component.powers[self.both];
        let low = a.weight * self.a * component.powers[self.only_a] - b.weight * self.b;
        let high = a.weight * self.a - b.weight * self.b * component.powers[self.only_b];
        if low < 0.0 {
            sums.low = (sums.low.0 + low, sums.low.1 + low);
        } else {
            sums.low.1 += low * both;
        }
        if high > 0.0 {
            sums.high = (sums.high.0 + high, sums.high.1 + high);
        } else {
            sums.high.1 += high * both;
        }
    }
}
