//! Rprec for verdicts. Its cutoff is the number of relevant documents: see [`counts`](super::solve::counts).

use super::assignment::Assignment;
use super::layout::{DifferenceWorkspace, Scale};
use super::pair::{RankingPair, TieOrders};
use super::setup::Setup;
use super::solution::{Difference, LargestDifference};
use super::solve::Relevance;
use super::solve::counts::{CountedDocument, CountedRanking, MovingCutoff, at_moving_cutoff};
use super::tie_groups::TieGroups;
use super::upper_bounds::UpperBounds;
use crate::error::Result;
use crate::ranking::{List, Placed};

struct RPrecisionDifference {
    scale: Scale,
    ties: TieOrders,
}

pub(super) fn r_precision(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    Ok(Box::new(RPrecisionDifference { scale: setup.binary()?, ties: setup.options.ties }))
}

/// The probability that a document at this rank is within a cutoff: the share of its tie group's ranks that are.
fn within(list: &List, rank: u32, cutoff: usize) -> f64 {
    if rank == 0 {
        return 0.0;
    }
    let group = list.ends.partition_point(|&end| end < rank);
    let start = if group == 0 { 0 } else { list.ends[group - 1] as usize };
    let size = list.ends[group] as usize - start;
    cutoff.saturating_sub(start).min(size) as f64 / size as f64
}

/// For each rank, the index of the document there among the documents of the pair.
fn by_rank(pair: &RankingPair<'_>, list: &List, rank: fn(&Placed) -> u32) -> Vec<u32> {
    let mut by_rank = vec![0; list.len()];
    for (number, place) in (0..).zip(pair.places).filter(|(_, place)| rank(place) > 0) {
        by_rank[rank(place) as usize - 1] = number;
    }
    by_rank
}

impl RPrecisionDifference {
    /// The largest differences with exactly 0, 1, 2, ... relevant unknown documents.
    fn by_count(&self, pair: &RankingPair<'_>) -> Vec<f64> {
        let counted = |(_, grade)| match self.scale.relevance(grade) {
            Relevance::Unknown => CountedDocument::new(None),
            relevance => CountedDocument::new(Some(relevance == Relevance::Relevant)),
        };
        at_moving_cutoff(MovingCutoff {
            documents: pair.documents().map(counted).collect(),
            a: CountedRanking { documents: by_rank(pair, pair.a, |place| place.a), ends: &pair.a.ends },
            b: CountedRanking { documents: by_rank(pair, pair.b, |place| place.b), ends: &pair.b.ends },
            relevant: self.scale.relevant(pair),
            unknown: pair.unknown(),
            any_order: self.ties.are_best_and_worst(pair),
        })
    }
}

impl Difference for RPrecisionDifference {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn upper_bounds(&self, pair: &RankingPair<'_>, _: &mut DifferenceWorkspace) -> UpperBounds {
        UpperBounds::of_exact_counts(self.by_count(pair).into_iter())
    }

    fn solve(&self, pair: &RankingPair<'_>, most: usize, _: &mut DifferenceWorkspace) -> LargestDifference {
        let values = self.by_count(pair);
        let first = |best: usize, m: usize| if values[m] > values[best] { m } else { best };
        let m = (0..values.len().min(most.saturating_add(1))).fold(0, first);
        let cutoff = self.scale.relevant(pair) + m;
        if self.ties.are_best_and_worst(pair) {
            let gain = |grade: f64| self.scale.gain.of(grade);
            let relevant = TieGroups::new(pair, &vec![1.0; cutoff], gain, 1.0).best(m);
            return LargestDifference::exact(Assignment::of_grade(values[m], self.scale.max_grade, relevant));
        }
        let weigh = |rank: (u32, u32)| within(pair.a, rank.0, cutoff) - within(pair.b, rank.1, cutoff);
        let weighed = pair.unknown_documents().map(|place| (weigh((place.a, place.b)), Some(place.document)));
        let mut weighed: Vec<_> = weighed.chain(std::iter::repeat_n((0.0, None), pair.facts.unretrieved)).collect();
        weighed.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.is_none().cmp(&y.1.is_none())));
        let relevant = weighed.into_iter().take(m).map(|(_, document)| document);
        LargestDifference::exact(Assignment::of_grade(values[m], self.scale.max_grade, relevant))
    }
}
