//! Bpref. MED and Delta have constant denominators: R relevant and C = min(N, R) non-relevant documents under every assignment.
//!
//! Every document within the depth k is judged, one way or the other; with n_C(x) non-relevant ones above x
//!
//!   S(C) = (1/R) sum over relevant x of 1 - n_C(x) / C,    n_C(x) = rank - 1 - relevant ones above it,
//!
//! where C >= k - 1, so that min(n, C) = n. (R and C may be taken as k, as R is for AP, because a query may have that many.) With h relevant
//! documents the sum of n is that of rank - 1, less h (h - 1) / 2. So of tied documents only the mean of their ranks
//! matters. For s relevant documents of both rankings and u_A, u_B others, (h_A^2 - h_B^2) / 2 =
//! (u_A - u_B) (u_A + u_B + 2 s) / 2 is linear in s. A document of A alone always helps and one of B alone never does, so
//! u_A and u_B are given, and what is left is one choice a document:
//!
//!   x of both is relevant iff b(x) - a(x) + u_A - u_B > 0.
//!
//! For verdicts every unknown document is judged as relevant or not, and both denominators, R and d = min(N, R + extra),
//! depend on these judgments. A relevant document counts once for each of the first d non-relevant ones that is not above
//! it. With p_t the rank of the t-th of these (after the end of the ranking all are non-relevant), p_t - t relevant
//! documents stand above it, so
//!
//!   R d Bpref = sum_{t <= d} p_t - d (d + 1) / 2;    where d = 0, every retrieved document is relevant: R Bpref = n.
//!
//! For m unknown documents relevant R and d are constants, and the difference of the sums is a transport problem:
//! [`Transport`]. Where that is too large, or documents are tied, the sum is bounded in A and in B apart: it is largest
//! with the m documents relevant that stand highest, smallest with those that the ranking lacks and then the lowest.

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

/// Bpref.
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

/// Bpref for MED and Delta.
struct AllJudged {
    scale: Scale,
    /// 1, 2, ... to the depth.
    ranks: Vec<f64>,
}

/// Whether a document is within the depth of either ranking.
fn counts(x: &WeightedDocument) -> bool {
    x.a > 0.0 || x.b > 0.0
}

impl AllJudged {
    /// Writes mean ranks to the workspace.
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

/// Two rankings of k documents at most, by mean ranks, where R = C = k.
#[derive(Debug, Clone, Copy)]
struct MeanRanks<'w> {
    /// Weights that are ranks.
    ranks: &'w WeightedPair,
    /// k.
    depth: f64,
}

impl MeanRanks<'_> {
    /// The largest difference, and the gains of documents.
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
        // Without those of both: sums of rank - 1, and h (h - 1) / 2 of either.
        let above = places - (others * shown - others) / 2.0;
        let value = (others - (above - of_both) / self.depth) / self.depth;
        (value, gains)
    }

    /// S of one of the rankings.
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

/// The most moves that a solution may take.
const MOVES: usize = 500_000;

/// Bpref for verdicts.
struct MovingBpref {
    scale: Scale,
    ties: TieOrders,
    /// Whether d is R + extra, whatever N is.
    paper: bool,
    extra: usize,
}

fn moving(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let paper = setup.spec.choice("variant", &[("trec_eval", false), ("paper", true)])?;
    let is_whole = |extra: f64| extra >= 0.0 && extra.fract() == 0.0 && extra < 1e9;
    let extra = setup.spec.number("extra", 0.0, "a whole number of at least 0, below 1e9", is_whole)? as usize;
    Ok(Box::new(MovingBpref { scale: setup.binary()?, ties: setup.options.ties, paper, extra }))
}

impl MovingBpref {
    /// d with 0, 1, 2, ... unknown documents relevant.
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

    /// The value for m relevant documents, from the difference of the sums.
    fn value(&self, pair: &RankingPair<'_>, m: usize, counted: usize, sum: i64) -> f64 {
        let relevant = self.scale.relevant(pair) + m;
        match counted {
            0 => share(pair.a.len() as f64 - pair.b.len() as f64, relevant as f64),
            _ => share(sum as f64, relevant as f64 * counted as f64),
        }
    }

    /// The problem; none where it would take too long, or documents are tied.
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

    /// What each number of documents comes to, A and B apart.
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

/// Ranks of unknown documents, ascending.
fn open_ranks(relevance: &[Relevance]) -> Vec<usize> {
    (1..).zip(relevance).filter(|(_, relevance)| **relevance == Relevance::Unknown).map(|(rank, _)| rank).collect()
}

/// Documents that are not relevant; some of them become relevant one after the other.
struct NonRelevantRanks {
    /// Whether a document is one of them, by rank.
    by_rank: Vec<bool>,
    /// The documents down to this rank are counted, and their ranks added up.
    end: usize,
    count: usize,
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

    /// One is relevant after all.
    fn remove(&mut self, rank: usize) {
        self.by_rank[rank - 1] = false;
        if rank <= self.end {
            self.count -= 1;
            self.sum -= rank as i64;
        }
    }

    /// The sum of the ranks of the first `count` documents; all ranks after the end hold such documents.
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

    /// With each number of relevant documents.
    fn upper_bounds(&self, pair: &RankingPair<'_>, _: &mut DifferenceWorkspace) -> UpperBounds {
        let Some(transport) = self.transport(pair) else {
            return UpperBounds::of_best_and_worst(self.outer(pair), pair, self.ties.are_best_and_worst(pair));
        };
        let sums = transport.largest();
        let value = |(m, (&(sum, _), &counted))| self.value(pair, m, counted, sum);
        UpperBounds::of_exact_counts(sums.iter().zip(&transport.counted).enumerate().map(value))
    }
}
