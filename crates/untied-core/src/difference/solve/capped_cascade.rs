//! ERR, if the number of relevant unknown documents is limited. ERR is the mean of the largest discount among the
//! documents at which the user stops, each with its own probability.
//!
//! ERR is submodular: one more relevant document gains less if others are relevant already. Let the documents of S be
//! relevant, and those of U be undecided. If a set T of undecided documents becomes relevant, this gains at most
//!
//!   sum over x in T of w_x,    w_x = dA(x | S) - dB(x | S and all of U but x),
//!
//! where dA is the gain of x in A, and dB its gain in B, if just the documents after the bar are relevant. With room
//! for k more relevant documents, the sum of the k largest w_x above 0 bounds the gain, and no document with w_x <= 0
//! is in a best set. With room for one, trying each document is exact. The search branches on the document with the
//! largest w_x.

use super::budget::Budget;
use super::search::{Bound, BranchAndBound, depth_first};
use super::{Document, Instance};

/// A node is not searched if its bound exceeds the best value by this or less.
const TOLERANCE: f64 = 1e-12;

/// Two rankings and their unknown documents.
pub struct CappedCascade<'s> {
    /// The documents of A or B within the depth.
    documents: &'s [Document],
    /// The probability that a relevant unknown document stops the user.
    top: f64,
    /// The number of ranks that count.
    depth: usize,
}

/// The best assignment that was found.
#[derive(Debug, Clone, Default)]
pub struct CappedSolution {
    /// Its difference S(A) - S(B).
    pub value: f64,
    /// An upper bound of the largest difference. It equals `value` if the search was completed.
    pub bound: f64,
    /// The indices of the relevant unknown documents.
    pub documents: Vec<usize>,
}

/// One ranking with known relevance.
struct ReachedRanking {
    /// For each rank, the probability that a user reaches it, divided by the rank.
    reach: Vec<f64>,
    /// For each rank, the part of ERR that comes from the ranks below it.
    after: Vec<f64>,
}

impl ReachedRanking {
    /// A ranking with these probabilities of stopping.
    fn new(stops: &[f64]) -> ReachedRanking {
        let (mut reach, mut chance) = (Vec::with_capacity(stops.len()), 1.0);
        for (rank, stop) in (1..).zip(stops) {
            reach.push(chance / f64::from(rank));
            chance *= 1.0 - stop;
        }
        let (mut after, mut sum) = (vec![0.0; stops.len()], 0.0);
        for rank in (0..stops.len()).rev() {
            after[rank] = sum;
            sum += reach[rank] * stops[rank];
        }
        ReachedRanking { reach, after }
    }

    /// The ERR of the ranking. `stops` has its probabilities of stopping.
    fn value(&self, stops: &[f64]) -> f64 {
        self.reach.iter().zip(stops).map(|(reach, stop)| reach * stop).sum()
    }

    /// The gain of ERR if the document at a rank becomes relevant and stops users with the probability `top`. `own` is
    /// `top` if it is relevant already, and else 0. The part of ERR below it is divided by `1 - own`, to leave the
    /// document out.
    fn gain(&self, rank: u32, top: f64, own: f64) -> f64 {
        if rank == 0 {
            return 0.0;
        }
        let rank = rank as usize - 1;
        top * (self.reach[rank] - self.after[rank] / (1.0 - own))
    }
}

impl<'s> CappedCascade<'s> {
    /// The problem of an instance whose gains are probabilities of stopping.
    pub fn new(Instance { documents, top, depth, .. }: &'s Instance) -> CappedCascade<'s> {
        CappedCascade { documents, top: *top, depth: *depth }
    }

    /// The probabilities of stopping at each rank of A and of B, if the unknown documents that `on` names are relevant.
    fn sides(&self, on: impl Fn(usize) -> bool) -> (Vec<f64>, Vec<f64>) {
        let mut sides = (vec![0.0; self.depth], vec![0.0; self.depth]);
        for (number, x) in self.documents.iter().enumerate() {
            let stop = x.known.unwrap_or(if on(number) { self.top } else { 0.0 });
            for (rank, side) in [(x.a, &mut sides.0), (x.b, &mut sides.1)] {
                if rank > 0 {
                    side[rank as usize - 1] = stop;
                }
            }
        }
        sides
    }

    /// Upper bounds of what S(A) - S(B) gains from n = 0, 1, 2, ... relevant unknown documents. For one it is exact,
    /// and for more the sum of the largest w_x.
    pub fn gain_bounds(&self) -> Vec<f64> {
        // w_x of each unknown document. In A no other unknown document is relevant, and in B all others are.
        let (none, all) = (self.sides(|_| false), self.sides(|_| true));
        let (a, b, full) = (ReachedRanking::new(&none.0), ReachedRanking::new(&none.1), ReachedRanking::new(&all.1));
        let open = || self.documents.iter().filter(|x| x.known.is_none());
        let gain = |x: &Document| a.gain(x.a, self.top, 0.0);
        let single = open().map(|x| gain(x) - b.gain(x.b, self.top, 0.0)).fold(0.0, f64::max);
        let mut weights: Vec<f64> = open().map(|x| gain(x) - full.gain(x.b, self.top, self.top)).collect();
        weights.retain(|&weight| weight > 0.0);
        weights.sort_unstable_by(|x, y| y.total_cmp(x));
        let sums = weights.iter().skip(1).scan(weights.first().copied().unwrap_or(0.0), |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        std::iter::once(0.0).chain(weights.first().map(|_| single)).chain(sums).collect()
    }

    /// The largest difference with at most `most` relevant unknown documents.
    pub fn largest(&self, most: usize, work: &mut Budget) -> CappedSolution {
        let best = CappedSolution { value: f64::NEG_INFINITY, ..CappedSolution::default() };
        let mut search = CappedSearch { problem: self, best, work };
        let all = (0..self.documents.len()).filter(|&x| self.documents[x].known.is_none()).collect();
        let open = depth_first(&mut search, self.node(Vec::new(), all, most), f64::INFINITY);
        let mut best = search.best;
        best.bound = open.map_or(best.value, |open| open.max(best.value));
        best
    }

    /// A node in which the documents `chosen` are relevant, and up to `room` documents of `open` may be, too.
    fn node(&self, chosen: Vec<usize>, open: Vec<usize>, room: usize) -> CappedNode {
        let stops = self.sides(|x| chosen.contains(&x));
        let (a, b) = (ReachedRanking::new(&stops.0), ReachedRanking::new(&stops.1));
        let value = a.value(&stops.0) - b.value(&stops.1);
        CappedNode { chosen, value, a, b, open, room }
    }
}

/// A node: some unknown documents are relevant, and others may be.
struct CappedNode {
    /// The indices of the relevant unknown documents.
    chosen: Vec<usize>,
    /// S(A) - S(B) with these relevant documents.
    value: f64,
    /// Ranking A with these relevant documents.
    a: ReachedRanking,
    /// Ranking B with these relevant documents.
    b: ReachedRanking,
    /// The documents that may be relevant, too. Once the node is bounded, they are sorted by falling w_x, without those
    /// with w_x <= 0.
    open: Vec<usize>,
    /// How many documents of `open` may be relevant.
    room: usize,
}

struct CappedSearch<'s> {
    problem: &'s CappedCascade<'s>,
    best: CappedSolution,
    work: &'s mut Budget,
}

impl CappedSearch<'_> {
    fn offer(&mut self, value: f64, chosen: &[usize]) {
        if value > self.best.value {
            self.best.value = value;
            self.best.documents = chosen.to_vec();
        }
    }
}

impl BranchAndBound for CappedSearch<'_> {
    type Node = CappedNode;

    fn bound(&mut self, node: &mut CappedNode, _: f64) -> Bound {
        let CappedCascade { documents, top, depth } = *self.problem;
        let CappedNode { chosen, value, a, b, open, room } = node;
        self.offer(*value, chosen);
        if *room == 0 {
            return Bound::Closed;
        }
        // With room for one document, its gain is exact, so the best one is the answer.
        if *room == 1 {
            let gain = |&x: &usize| a.gain(documents[x].a, top, 0.0) - b.gain(documents[x].b, top, 0.0);
            if let Some((gain, x)) = open.iter().map(|x| (gain(x), *x)).max_by(|x, y| x.0.total_cmp(&y.0)) {
                chosen.push(x);
                self.offer(*value + gain, chosen);
            }
            return Bound::Closed;
        }
        // w_x of each open document. In A nothing more is relevant, and in B all open documents are.
        let mut may = vec![false; documents.len()];
        chosen.iter().chain(&*open).for_each(|&x| may[x] = true);
        let full = ReachedRanking::new(&self.problem.sides(|x| may[x]).1);
        let weigh = |x: usize| a.gain(documents[x].a, top, 0.0) - full.gain(documents[x].b, top, top);
        let mut weighed: Vec<(f64, usize)> = open.iter().map(|&x| (weigh(x), x)).collect();
        weighed.retain(|&(weight, _)| weight > 0.0);
        weighed.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let bound = *value + weighed.iter().take(*room).map(|&(weight, _)| weight).sum::<f64>();
        *open = weighed.into_iter().map(|(_, x)| x).collect();
        if open.is_empty() || bound <= self.best.value + TOLERANCE {
            Bound::Closed
        } else if self.work.take(8 * depth + 4 * documents.len()) {
            Bound::AtMost(bound)
        } else {
            Bound::OutOfBudget(bound)
        }
    }

    /// Two nodes: the open document with the largest w_x is relevant, or it is not.
    fn split(&mut self, mut node: CappedNode) -> [CappedNode; 2] {
        let first = node.open.remove(0);
        let chosen = node.chosen.iter().copied().chain([first]).collect();
        [self.problem.node(chosen, node.open.clone(), node.room - 1), node]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_only_the_other_ranking_has_gain_nothing() {
        let documents = vec![Document { a: 0, b: 1, known: None }, Document { a: 0, b: 2, known: None }];
        let instance = Instance { documents, top: 0.5, depth: 2, ..Instance::default() };
        assert_eq!(CappedCascade::new(&instance).gain_bounds(), [0.0]);
    }
}
