//! Branch and bound over the documents in the order of their better rank, so that what is decided fixes a prefix.
//!
//! At rank s let a and b be the products of what is decided there, and let the ranking A alone have i, B alone j and both
//! have n undecided documents at or above s. Then `wB Q_B(s) - wA Q_A(s)` is at most `v = wB b - wA a q^i` if v > 0, else
//! `v q^n`; the sum over ranks bounds the difference. It depends on what is decided but through a factor once all of
//! that is above in both, so that sums of the root serve for the rest.
//!
//! Document d should be on if `D = sum_{t >= a_d} wA Q_A - sum_{t >= b_d} wB Q_B >= 0`, d itself left out. Up to the rank
//! before it has been in both, D has terms of one ranking; what follows lies, likewise, between sums of
//! `-v` and of `wA a - wB b q^j`. D may be divided by the factor of documents that are in both by then, which makes its
//! bounds sharp enough to decide most documents.

use super::problem::{NONE, Open, Problem};

/// What is found to lie this close to the best known counts as solved.
const TOLERANCE: f64 = 1e-12;

/// Widths of intervals to close where that takes too many nodes.
const WIDTHS: [f64; 3] = [1e-4, 1e-6, 1e-9];
/// How much a document may lose by being decided.
const SLACK: f64 = 1e-15;

/// Where the search is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The next document to decide.
    next: usize,
    /// Down to this rank all is decided.
    rank: usize,
    /// Sum over these ranks.
    value: f64,
    /// `Q_A` and `Q_B` there.
    a: f64,
    b: f64,
    /// The worst rank of what is decided.
    far: usize,
    /// Factor of all that is decided.
    factor: f64,
}

/// Products and counts of undecided documents at a rank.
#[derive(Debug, Clone, Copy)]
struct Reach {
    a: f64,
    b: f64,
    only_a: usize,
    only_b: usize,
    both: usize,
}

/// Bounds of sums over ranks.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// The difference is at most this.
    gain: f64,
    /// D is at least this if factors of documents in both may be left out, and as it is.
    low: (f64, f64),
    /// At most this.
    high: (f64, f64),
}

impl Sums {
    /// This and `factor` times another.
    fn plus(self, factor: f64, rest: Sums) -> Sums {
        let sum = |x: f64, y: f64| x + factor * y;
        Sums {
            gain: sum(self.gain, rest.gain),
            low: (sum(self.low.0, rest.low.0), sum(self.low.1, rest.low.1)),
            high: (sum(self.high.0, rest.high.0), sum(self.high.1, rest.high.1)),
        }
    }
}

/// The search and its memory.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// Sums over a rank and all below it, nothing being decided.
    roots: Vec<Sums>,
    /// `1 / t`: no more than `b / t` can be gained from rank t on.
    inverse: Vec<f64>,
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

impl Search {
    /// Improve the problem's assignment until it is the best; a bound if the search ended at its limit, and the nodes.
    ///
    /// If half of the nodes are not enough, the rest goes into closing an interval, of some width and then of smaller
    /// ones.
    pub(super) fn run(&mut self, problem: &mut Problem, limit: u64) -> (Option<f64>, u64) {
        self.sum_roots(problem);
        self.factors.clear();
        self.factors.resize(problem.documents.len(), 1.0);
        self.best = problem.value();
        self.nodes = 0;
        let (closed, mut bound) = self.attempt(problem, TOLERANCE, limit.div_ceil(2));
        if closed {
            return (None, self.nodes);
        }
        for width in WIDTHS {
            if self.nodes < limit {
                bound = bound.min(self.attempt(problem, width, limit).1);
            }
        }
        (Some(bound), self.nodes)
    }

    /// Search for what is better than the best known by a tolerance: whether nothing was left open, and a bound.
    fn attempt(&mut self, problem: &mut Problem, tolerance: f64, limit: u64) -> (bool, f64) {
        self.tolerance = tolerance;
        self.limit = limit;
        self.open = None;
        self.visit(problem, Place { next: 0, rank: 0, value: 0.0, a: 1.0, b: 1.0, far: 0, factor: 1.0 });
        let closed = self.best + tolerance;
        (self.open.is_none(), self.open.map_or(closed, |open| open.max(closed)))
    }

    fn sum_roots(&mut self, problem: &Problem) {
        let count = problem.ranks.len();
        self.inverse.clear();
        self.inverse.extend((0..=count).map(|rank| 1.0 / rank as f64));
        self.roots.clear();
        self.roots.resize(count + 1, Sums::default());
        let mut reach = Reach { a: 1.0, b: 1.0, only_a: 0, only_b: 0, both: 0 };
        for rank in 1..count {
            reach.enter(problem, rank, 0, &[]);
            let mut sums = Sums::default();
            reach.add(problem, rank, &mut sums);
            reach.add_slopes(problem, rank, &mut sums);
            self.roots[rank] = sums;
        }
        for rank in (1..count).rev() {
            self.roots[rank] = self.roots[rank].plus(1.0, self.roots[rank + 1]);
        }
    }

    fn visit(&mut self, problem: &mut Problem, mut place: Place) {
        self.nodes += 1;
        loop {
            self.advance(problem, &mut place);
            let Some(&document) = problem.documents.get(place.next) else {
                return self.offer(problem, place.value);
            };
            let Some((bound, worth)) = self.look(problem, &place, &document) else { return };
            if let Some(on) = worth {
                place = self.decide(problem, place, &document, on);
                continue;
            }
            let first = problem.on[place.next];
            for on in [first, !first] {
                if self.nodes >= self.limit {
                    self.open = Some(self.open.map_or(bound, |open| open.max(bound)));
                    return;
                }
                let child = self.decide(problem, place, &document, on);
                self.visit(problem, child);
            }
            return;
        }
    }

    fn offer(&mut self, problem: &mut Problem, value: f64) {
        if value > self.best {
            self.best = value;
            let off = problem.factor(false);
            for (on, factor) in problem.on.iter_mut().zip(&self.factors) {
                *on = *factor != off;
            }
        }
    }

    fn decide(&mut self, problem: &Problem, place: Place, document: &Open, on: bool) -> Place {
        let factor = problem.factor(on);
        self.factors[place.next] = factor;
        let far = place.far.max(document.last());
        Place { next: place.next + 1, far, factor: place.factor * factor, ..place }
    }

    /// Go down to the next document that is not decided.
    fn advance(&self, problem: &Problem, place: &mut Place) {
        let end = problem.documents.get(place.next).map_or(problem.ranks.len(), Open::first);
        let mut reach = Reach { a: place.a, b: place.b, only_a: 0, only_b: 0, both: 0 };
        for rank in place.rank + 1..end {
            reach.enter(problem, rank, place.next, &self.factors);
            let (a, b) = &problem.ranks[rank];
            place.value += b.weight * reach.b - a.weight * reach.a;
        }
        place.rank = end - 1;
        (place.a, place.b) = (reach.a, reach.b);
    }

    /// The most that is still possible, and the next document's value if one is never worse than the other; nothing if
    /// nothing better than the best known is possible.
    fn look(&self, problem: &Problem, place: &Place, document: &Open) -> Option<(f64, Option<bool>)> {
        let target = self.best + self.tolerance;
        let mut reach = Reach { a: place.a, b: place.b, only_a: 0, only_b: 0, both: 0 };
        let mut sums = Sums { gain: place.value, ..Sums::default() };
        let a_first = document.a < document.b;
        let (mut one, mut least) = (0.0, 0.0);
        let end = place.far.max(document.last());
        for rank in place.rank + 1..=end {
            if rank == document.last() && document.a != document.b {
                least = problem.powers[if a_first { reach.only_a } else { reach.only_b } - 1];
            }
            reach.enter(problem, rank, place.next, &self.factors);
            reach.add(problem, rank, &mut sums);
            let rest = if rank >= place.far {
                place.factor * self.roots[rank + 1].gain
            } else {
                reach.b * self.inverse[rank + 1]
            };
            if sums.gain + rest <= target {
                return None;
            }
            if rank < document.last() {
                let (a, b) = &problem.ranks[rank];
                one += if a_first { a.weight * reach.a } else { b.weight * reach.b };
            } else {
                reach.add_slopes(problem, rank, &mut sums);
            }
        }
        let sums = sums.plus(place.factor, self.roots[end + 1]);
        let (low, high) = if a_first {
            (one * least + sums.low.0, one + sums.high.1)
        } else {
            (sums.low.1 - one, sums.high.0 - one * least)
        };
        let worth = if low >= -SLACK { Some(true) } else { (high <= SLACK).then_some(false) };
        Some((sums.gain, worth))
    }
}

impl Reach {
    /// Go to the next rank.
    #[inline(always)]
    fn enter(&mut self, problem: &Problem, rank: usize, next: usize, factors: &[f64]) {
        let (a, b) = &problem.ranks[rank];
        if a.open == NONE {
            self.a *= a.factor;
        } else if a.open < next {
            self.a *= factors[a.open];
        } else if a.other < rank {
            self.only_b -= 1;
            self.both += 1;
        } else {
            self.only_a += 1;
        }
        if b.open == NONE {
            self.b *= b.factor;
        } else if b.open < next {
            self.b *= factors[b.open];
        } else if b.other <= rank {
            self.only_a -= 1;
            self.both += 1;
        } else {
            self.only_b += 1;
        }
    }

    /// Add the most that a rank can gain.
    #[inline(always)]
    fn add(&self, problem: &Problem, rank: usize, sums: &mut Sums) {
        let (a, b) = &problem.ranks[rank];
        let most = b.weight * self.b - a.weight * self.a * problem.powers[self.only_a];
        sums.gain += if most > 0.0 { most } else { most * problem.powers[self.both] };
    }

    /// Add the least and the most that a rank adds to D.
    #[inline(always)]
    fn add_slopes(&self, problem: &Problem, rank: usize, sums: &mut Sums) {
        let (a, b) = &problem.ranks[rank];
        let both = problem.powers[self.both];
        let low = a.weight * self.a * problem.powers[self.only_a] - b.weight * self.b;
        let high = a.weight * self.a - b.weight * self.b * problem.powers[self.only_b];
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
