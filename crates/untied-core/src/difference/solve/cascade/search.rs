//! Branch and bound over the documents of a part, in the order of their better position, so that the decided documents
//! form a prefix.
//!
//! At position s let a and b be the products of what is decided there, and let A alone have i, B alone j and both
//! together n undecided documents down to s. Then `B_s Q_B(s) - A_s Q_A(s)` is at most `v = B_s b - A_s a q^i` if v > 0,
//! else `v q^n`; their sum bounds the difference. Once all that is decided is above s in both, it makes but a factor, so
//! that sums of the root serve for the rest.
//!
//! Document d should be on if `D = sum_{s >= a_d} A_s Q_A(s) - sum_{s >= b_d} B_s Q_B(s) >= 0`, d itself left out. Until it
//! has been in both, D has terms of one ranking; each that follows lies, likewise, between those of `A_s a q^i - B_s b`
//! and of `A_s a - B_s b q^j`. D may be divided by the factor of the documents that both have by then, which makes its
//! bounds sharp enough to decide most documents.

use super::component::{CascadeComponent, OpenDocument};
use crate::watch;

/// What is found to lie this close to the best known counts as solved.
pub(super) const TOLERANCE: f64 = 1e-12;
/// Widths of intervals to close where that takes too many nodes.
const WIDTHS: [f64; 4] = [1e-4, 1e-5, 1e-7, 1e-9];
/// How much a document may lose by being decided.
const SLACK: f64 = 1e-15;

/// The result of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct CascadeResult {
    /// The best value.
    pub(super) value: f64,
    /// Nothing is better than this.
    pub(super) bound: f64,
    /// Nodes.
    pub(super) nodes: u64,
}

/// A node of the search: a prefix of documents is decided.
#[derive(Debug, Clone, Copy)]
struct CascadeNode {
    /// The next document to decide.
    next: usize,
    /// Down to this position all is decided.
    position: usize,
    /// Sum down to there.
    value: f64,
    /// `Q_A` and `Q_B` there.
    a: f64,
    b: f64,
    /// The worst position of what is decided.
    far: usize,
    /// Factor of all that is decided.
    factor: f64,
}

/// Products and counts of undecided documents down to a position.
#[derive(Debug, Clone, Copy)]
struct PrefixReach {
    a: f64,
    b: f64,
    only_a: usize,
    only_b: usize,
    both: usize,
}

/// Bounds of sums over positions.
#[derive(Debug, Clone, Copy, Default)]
struct PositionSums {
    /// The difference is at most this.
    gain: f64,
    /// D is at least this: divided by factors of documents in both, and as it is.
    low: (f64, f64),
    /// It is at most this.
    high: (f64, f64),
}

impl PositionSums {
    /// This and `factor` times another.
    fn plus(self, factor: f64, rest: &PositionSums) -> PositionSums {
        let sum = |x: f64, y: f64| x + factor * y;
        PositionSums {
            gain: sum(self.gain, rest.gain),
            low: (sum(self.low.0, rest.low.0), sum(self.low.1, rest.low.1)),
            high: (sum(self.high.0, rest.high.0), sum(self.high.1, rest.high.1)),
        }
    }
}

/// The search and its memory.
#[derive(Debug, Default)]
pub(super) struct CascadeSearch {
    /// Sums over a position and all below, nothing being decided.
    roots: Vec<PositionSums>,
    /// Sums of `B_i` from a position on: no more than b times this can be gained.
    rests: Vec<f64>,
    /// What is decided: the factor of each document.
    factors: Vec<f64>,
    /// The best value.
    best: f64,
    tolerance: f64,
    limit: u64,
    nodes: u64,
    /// The largest bound of what an attempt left open.
    open: Option<f64>,
}

impl CascadeSearch {
    /// Improve the part's assignment until it is the best.
    ///
    /// If half of the nodes are not enough, the rest goes into closing an interval, of some width and then of smaller
    /// ones.
    pub(super) fn run(&mut self, component: &mut CascadeComponent, limit: u64) -> CascadeResult {
        self.sum_roots(component);
        self.factors.clear();
        self.factors.extend(component.on.iter().map(|&on| component.factor(on)));
        self.best = self.evaluate(component);
        self.nodes = 0;
        if limit == 0 {
            return CascadeResult { value: self.best, bound: self.best.max(self.roots[1].gain), nodes: 0 };
        }
        let (closed, mut bound) = self.attempt(component, TOLERANCE, limit.div_ceil(2));
        for width in WIDTHS {
            if !closed && self.nodes < limit {
                bound = bound.min(self.attempt(component, width, limit).1);
            }
        }
        CascadeResult { value: self.best, bound: if closed { self.best } else { bound }, nodes: self.nodes }
    }

    /// Search for what is better than the best known by a tolerance: whether nothing was left open, and a bound.
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

    /// Go down to the next document that is not decided.
    fn advance(&self, component: &CascadeComponent, place: &mut CascadeNode) {
        let end = component.documents.get(place.next).map_or(component.entries.len(), OpenDocument::first);
        for (a, b) in &component.entries[place.position + 1..end] {
            place.a *= self.factors[a.open];
            place.b *= self.factors[b.open];
            place.value += b.weight * place.b - a.weight * place.a;
        }
        place.position = end - 1;
    }

    /// The most that is still possible, and the next document's value if one is never worse than the other; nothing if
    /// nothing better than the best known is possible.
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
        let (mut alone, mut least) = (0.0, 0.0);
        let end = place.far.max(document.last());
        for position in place.position + 1..=end {
            if position == document.last() {
                least = component.powers[(if a_first { reach.only_a } else { reach.only_b }).saturating_sub(1)];
            }
            reach.enter(component, position, place.next, &self.factors);
            reach.add(component, position, &mut sums);
            let below = position + 1;
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
    /// Go to the next position; documents from `next` on are undecided.
    #[inline]
    fn enter(&mut self, component: &CascadeComponent, position: usize, next: usize, factors: &[f64]) {
        let (a, b) = &component.entries[position];
        if a.open < next {
            self.a *= factors[a.open];
        } else if a.other < position {
            self.only_b -= 1;
            self.both += 1;
        } else {
            self.only_a += 1;
        }
        if b.open < next {
            self.b *= factors[b.open];
        } else if b.other <= position {
            self.only_a -= 1;
            self.both += 1;
        } else {
            self.only_b += 1;
        }
    }

    /// Add the most that a position can gain.
    #[inline]
    fn add(&self, component: &CascadeComponent, position: usize, sums: &mut PositionSums) {
        let (a, b) = &component.entries[position];
        let most = b.weight * self.b - a.weight * self.a * component.powers[self.only_a];
        sums.gain += if most > 0.0 { most } else { most * component.powers[self.both] };
    }

    /// Add the least and the most that a position adds to D.
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
