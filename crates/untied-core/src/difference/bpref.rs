//! Bpref. For MED and Delta the denominators are constant: there are R relevant documents, and C = min(N, R)
//! non-relevant ones count, under every assignment.
//!
//! Every document within the depth k is judged, as relevant or not. With n(x) the number of non-relevant documents
//! above x, the score of a ranking is
//!
//!   S = (1/R) sum over relevant x of 1 - n(x) / C,    n(x) = rank - 1 - relevant documents above x,
//!
//! where C >= k - 1, so that min(n, C) = n. (R and C are taken as k, as R is for AP, because a query may have that
//! many.) With h relevant documents, the sum of n is the sum of rank - 1 less h (h - 1) / 2. So of tied documents only
//! the mean of their ranks matters. Let s relevant documents be in both rankings, u_A only in A and u_B only in B. Then
//! (h_A^2 - h_B^2) / 2 = (u_A - u_B) (u_A + u_B + 2 s) / 2 is linear in s. An unknown document that only A has always
//! helps, and one that only B has never does, so u_A and u_B are given. What is left is one choice for each document x
//! of both, with the ranks a(x) and b(x):
//!
//!   x is relevant if and only if b(x) - a(x) + u_A - u_B > 0.
//!
//! For verdicts every unknown document is judged as relevant or not, and both denominators depend on these judgments:
//! R, and d = min(N, R + extra) for N non-relevant documents. A relevant document counts once for each of the first d
//! non-relevant documents that is not above it. Let p_t be the rank of the t-th non-relevant document; after the end of
//! the ranking, every rank has one. Then p_t - t relevant documents are above it, so
//!
//!   R d Bpref = sum_{t <= d} p_t - d (d + 1) / 2;    where d = 0, every retrieved document is relevant: R Bpref = n.
//!
//! With m unknown documents relevant, R and d are constants, and the difference of the sums is a transport problem:
//! [`Transport`]. If that is too large, or documents are tied, the sum is bounded in A and in B separately: it is
//! largest if the m highest unknown documents of the ranking are relevant, and smallest if first those that it lacks
//! and then its lowest ones are.

use super::assignment::Assignment;
use super::layout::{DifferenceWorkspace, Scale};
use super::pair::{RankingPair, TieOrders};
use super::setup::{Question, Setup};
use super::solution::{Chance, Difference, LargestDifference, ScoreSampler, weighed_documents};
use super::solve::dot::{WeightedDocument, WeightedPair};
use super::solve::scores::ScoresByGains;
use super::solve::transport::Transport;
use super::solve::{Relevance, share};
use super::upper_bounds::{UpperBounds, rising};
use crate::error::Result;

/// The difference in Bpref, for MED and Delta or for verdicts.
pub(super) fn bpref(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    match setup.question {
        Question::Med => all_judged(setup),
        Question::Verdicts { .. } => moving(setup),
    }
}

fn all_judged(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let ranks = (1..=setup.depth()).map(|rank| rank as f64).collect();
    Ok(Box::new(AllJudged { scale: setup.binary()?, ranks }))
}

/// The difference in Bpref for MED and Delta. Every document within the depth counts as judged.
struct AllJudged {
    scale: Scale,
    /// The ranks 1, 2, ... down to the depth, as floats.
    ranks: Vec<f64>,
}

/// Whether a document is within the depth in A or in B.
fn counts(x: &WeightedDocument) -> bool {
    x.a > 0.0 || x.b > 0.0
}

impl AllJudged {
    /// Writes each document's mean rank in A and in B to the workspace.
    fn weigh<'w>(&self, pair: &RankingPair<'_>, work: &'w mut DifferenceWorkspace) -> MeanRanks<'w> {
        let depth = self.scale.depth_of(pair);
        self.scale.weigh(pair, &self.ranks[..depth], work);
        MeanRanks { ranks: &work.weights, depth: depth.max(1) as f64 }
    }
}

impl Difference for AllJudged {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, _: usize, work: &mut DifferenceWorkspace) -> LargestDifference {
        let ranks = self.weigh(pair, work);
        let (value, gains) = ranks.largest();
        let documents = pair.places.iter().zip(gains).zip(&ranks.ranks.documents).filter(|(_, x)| counts(x));
        let (numbers, gains): (Vec<u32>, Vec<f64>) = documents.map(|((place, gain), _)| (place.document, gain)).unzip();
        let grades = self.scale.grades(self.scale.with_filling(pair, gains));
        LargestDifference::exact(self.scale.assignment(pair, value, &numbers, &grades))
    }

    fn sampled<'s>(
        &'s self,
        pair: &'s RankingPair<'_>,
        work: &'s mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> Option<ScoreSampler<'s>> {
        let ranks = self.weigh(pair, work);
        Some(ScoreSampler { documents: weighed_documents(pair, ranks.ranks, chance), scores: Box::new(ranks) })
    }
}

/// Two rankings down to the depth k, as mean ranks of documents. The denominators R and C are both k.
#[derive(Debug, Clone, Copy)]
struct MeanRanks<'w> {
    /// The documents, with their mean ranks in A and in B as weights. The weight is 0 if a ranking lacks the document.
    ranks: &'w WeightedPair,
    depth: f64,
}

impl MeanRanks<'_> {
    /// The largest S(A) - S(B), and the gains of documents that reach it.
    fn largest(&self) -> (f64, Vec<f64>) {
        let WeightedPair { documents, lacking, top } = self.ranks;
        let alone = |x: &WeightedDocument| x.a == 0.0 || x.b == 0.0;
        let mut gains: Vec<f64> = documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
        let mut others = lacking.0.len() as f64;
        let mut places: f64 = lacking.0.iter().map(|rank| rank - 1.0).sum();
        let mut shown = others;
        for (x, gain) in documents.iter().zip(&mut gains).filter(|(x, _)| alone(x)) {
            if x.known.is_none() && x.a > 0.0 {
                *gain = *top;
            }
            if *gain > 0.0 {
                let (sign, rank) = if x.a > 0.0 { (1.0, x.a) } else { (-1.0, x.b) };
                others += sign;
                shown += 1.0;
                places += sign * (rank - 1.0);
            }
        }
        // Documents of both rankings: a relevant one adds its rank in B minus its rank in A, plus u_A - u_B.
        let mut of_both = 0.0;
        for (x, gain) in documents.iter().zip(&mut gains).filter(|(x, _)| !alone(x)) {
            let nearer = x.b - x.a + others;
            if x.known.is_none() && nearer > 0.0 {
                *gain = *top;
            }
            if *gain > 0.0 {
                of_both += nearer;
            }
        }
        // Documents of one ranking only: the sum of rank - 1, minus h (h - 1) / 2.
        let above = places - (others * shown - others) / 2.0;
        let value = (others - (above - of_both) / self.depth) / self.depth;
        (value, gains)
    }

    /// The score of one ranking with these gains. `rank` picks the document's mean rank in it.
    fn score(&self, gains: &[f64], rank: fn(&WeightedDocument) -> f64) -> f64 {
        let ranks = self.ranks.documents.iter().zip(gains).filter(|(_, gain)| **gain > 0.0).map(|(x, _)| rank(x));
        let (mut hits, mut places) = (0.0, 0.0);
        for rank in ranks.filter(|&rank| rank > 0.0) {
            hits += 1.0;
            places += rank - 1.0;
        }
        (hits - (places - hits * (hits - 1.0) / 2.0) / self.depth) / self.depth
    }
}

impl ScoresByGains for MeanRanks<'_> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.a)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(gains, |x| x.b)
    }
}

/// The largest number of moves in a transport problem. Beyond it, A and B are bounded separately.
const MOVES: usize = 500_000;

/// The difference in Bpref for verdicts. R and d depend on the judgments of unknown documents.
struct MovingBpref {
    scale: Scale,
    ties: TieOrders,
    /// If true, d is R + extra, as in the paper. If false, it is the smaller of this and N, the number of non-relevant
    /// documents.
    paper: bool,
    /// How many non-relevant documents count in addition to R: 10 for bpref-10.
    extra: usize,
}

fn moving(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let paper = setup.spec.choice("variant", &[("trec_eval", false), ("paper", true)])?;
    let is_whole = |extra: f64| extra >= 0.0 && extra.fract() == 0.0 && extra < 1e9;
    let extra = setup.spec.number("extra", 0.0, "a whole number of at least 0, below 1e9", is_whole)? as usize;
    Ok(Box::new(MovingBpref { scale: setup.binary()?, ties: setup.options.ties, paper, extra }))
}

impl MovingBpref {
    /// The number d of non-relevant documents that count, for m = 0, 1, 2, ... relevant unknown documents.
    fn counted(&self, pair: &RankingPair<'_>) -> Vec<usize> {
        let relevant = self.scale.relevant(pair);
        let unknown = pair.unknown();
        let non_relevant = pair.judged() + pair.facts.outside - relevant + unknown;
        let counted = |m: usize| {
            let most = relevant + m + self.extra;
            if self.paper { most } else { most.min(non_relevant - m) }
        };
        (0..=unknown).map(counted).collect()
    }

    /// The difference from `sum`, the difference of the sums of ranks, with m relevant unknown documents and d =
    /// `counted`.
    fn value(&self, pair: &RankingPair<'_>, m: usize, counted: usize, sum: i64) -> f64 {
        let relevant = self.scale.relevant(pair) + m;
        match counted {
            0 => share(pair.a.len() as f64 - pair.b.len() as f64, relevant as f64),
            _ => share(sum as f64, relevant as f64 * counted as f64),
        }
    }

    /// The transport problem of a pair. None if documents are tied, or it would take too long.
    fn transport(&self, pair: &RankingPair<'_>) -> Option<Transport> {
        if pair.is_tied() {
            return None;
        }
        let mut open: Vec<(u32, u32)> = pair.unknown_documents().map(|place| (place.a, place.b)).collect();
        open.resize(pair.unknown(), (0, 0));
        let is_non_relevant = |&(_, grade): &(_, f64)| self.scale.relevance(grade) == Relevance::NonRelevant;
        let mut judged: (Vec<u32>, Vec<u32>) =
            pair.documents().filter(is_non_relevant).map(|(place, _)| (place.a, place.b)).unzip();
        for ranks in [&mut judged.0, &mut judged.1] {
            ranks.retain(|&rank| rank > 0);
            ranks.sort_unstable();
        }
        let transport = Transport { open, judged, lengths: (pair.a.len(), pair.b.len()), counted: self.counted(pair) };
        (transport.work() <= MOVES).then_some(transport)
    }

    /// Upper bounds of the difference for m = 0, 1, 2, ... relevant unknown documents, which are chosen for A and for B
    /// separately.
    fn outer(&self, pair: &RankingPair<'_>) -> Vec<f64> {
        let counted = self.counted(pair);
        let best = [Relevance::Relevant, Relevance::Unknown, Relevance::NonRelevant];
        let worst = [Relevance::NonRelevant, Relevance::Unknown, Relevance::Relevant];
        let a = self.scale.relevance_by_rank(pair, pair.a, best);
        let b = self.scale.relevance_by_rank(pair, pair.b, worst);
        let (mut open_a, mut open_b) = (open_ranks(&a), open_ranks(&b));
        open_a.reverse();
        let missing = pair.unknown() - open_b.len();
        let (mut a, mut b) = (NonRelevantRanks::new(&a), NonRelevantRanks::new(&b));
        let value = |(m, &counted): (usize, &usize)| {
            if let Some(rank) = (m > 0).then(|| open_a.pop()).flatten() {
                a.remove(rank);
            }
            if let Some(rank) = (m > missing).then(|| open_b.pop()).flatten() {
                b.remove(rank);
            }
            self.value(pair, m, counted, a.first(counted) - b.first(counted))
        };
        rising(counted.iter().enumerate().map(value))
    }
}

/// The ranks of the unknown documents, ascending.
fn open_ranks(relevance: &[Relevance]) -> Vec<usize> {
    (1..).zip(relevance).filter(|(_, relevance)| **relevance == Relevance::Unknown).map(|(rank, _)| rank).collect()
}

/// The non-relevant documents of one ranking. They become relevant one after the other.
struct NonRelevantRanks {
    /// Whether the document at each rank is not relevant.
    by_rank: Vec<bool>,
    /// The last rank that is counted.
    end: usize,
    /// The number of non-relevant documents down to rank `end`.
    count: usize,
    /// The sum of their ranks.
    sum: i64,
}

impl NonRelevantRanks {
    fn new(relevance: &[Relevance]) -> NonRelevantRanks {
        NonRelevantRanks {
            by_rank: relevance.iter().map(|&relevance| relevance != Relevance::Relevant).collect(),
            end: 0,
            count: 0,
            sum: 0,
        }
    }

    /// Makes the document at a rank relevant.
    fn remove(&mut self, rank: usize) {
        self.by_rank[rank - 1] = false;
        if rank <= self.end {
            self.count -= 1;
            self.sum -= rank as i64;
        }
    }

    /// The sum of the ranks of the first `count` non-relevant documents. Every rank after the end of the ranking has
    /// one.
    fn first(&mut self, count: usize) -> i64 {
        while self.count < count && self.end < self.by_rank.len() {
            self.end += 1;
            if self.by_rank[self.end - 1] {
                self.count += 1;
                self.sum += self.end as i64;
            }
        }
        while self.count > count {
            if self.by_rank[self.end - 1] {
                self.count -= 1;
                self.sum -= self.end as i64;
            }
            self.end -= 1;
        }
        let (beyond, length) = ((count - self.count) as i64, self.by_rank.len() as i64);
        self.sum + beyond * length + beyond * (beyond + 1) / 2
    }
}

impl Difference for MovingBpref {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, most: usize, _: &mut DifferenceWorkspace) -> LargestDifference {
        let Some(transport) = self.transport(pair) else {
            let bounds = self.outer(pair);
            let assignment = Assignment { difference: bounds[0], ..Assignment::default() };
            return LargestDifference::within(bounds[most.min(bounds.len() - 1)], assignment);
        };
        let sums = transport.largest();
        let values = sums.iter().zip(&transport.counted).take(most.saturating_add(1)).enumerate();
        let values = values.map(|(m, (&(sum, level), &counted))| (self.value(pair, m, counted, sum), m, level));
        let (value, m, level) =
            values.reduce(|best, next| if next.0 > best.0 { next } else { best }).unwrap_or_default();
        let open: Vec<u32> = pair.unknown_documents().map(|place| place.document).collect();
        let relevant = transport.relevant(m, level).into_iter().map(|number| open.get(number).copied());
        LargestDifference::exact(Assignment::of_grade(value, self.scale.max_grade, relevant))
    }

    /// Upper bounds of the difference, by the number of relevant unknown documents.
    fn upper_bounds(&self, pair: &RankingPair<'_>, _: &mut DifferenceWorkspace) -> UpperBounds {
        let Some(transport) = self.transport(pair) else {
            return UpperBounds::of_best_and_worst(self.outer(pair), pair, self.ties.are_best_and_worst(pair));
        };
        let sums = transport.largest();
        let value = |(m, (&(sum, _), &counted))| self.value(pair, m, counted, sum);
        UpperBounds::of_exact_counts(sums.iter().zip(&transport.counted).enumerate().map(value))
    }
}
