//! How documents gain in a measure, and how a pair of rankings becomes the input of a solver.

use super::assignment::Assignment;
use super::pair::RankingPair;
use super::solve::{Document, Instance, Relevance, cascade, dot, quadratic};
use crate::measures::gain::Gain;
use crate::ranking::{List, Placed};

/// Memory that is kept from one pair of rankings to the next.
#[derive(Debug, Default)]
pub struct DifferenceWorkspace {
    pub(super) discounts: (Vec<f64>, Vec<f64>),
    pub(super) instance: Instance,
    pub(super) weights: dot::WeightedPair,
    pub(super) solvers: Solvers,
}

#[derive(Debug, Default)]
pub(super) struct Solvers {
    pub quadratic: quadratic::QuadraticWorkspace,
    pub cascade: cascade::CascadeWorkspace,
}

/// How documents gain in a measure, and which documents count.
#[derive(Clone)]
pub(crate) struct Scale {
    pub gain: Gain,
    /// The highest grade that an unknown document may have.
    pub max_grade: f64,
    /// The gain of a document with the highest grade, r_G in the paper.
    pub top: f64,
    /// The cutoff of the measure. Documents below it do not count.
    pub cutoff: Option<usize>,
    /// Whether a ranking that ends before the depth is filled up with unknown documents.
    pub fills: bool,
}

impl Scale {
    /// A scale with these gains. If there is a cutoff, short rankings are filled up.
    pub fn new(gain: Gain, max_grade: f64, cutoff: Option<usize>) -> Scale {
        Scale { top: gain.of(max_grade), gain, max_grade, cutoff, fills: cutoff.is_some() }
    }

    /// The last rank that counts: the cutoff, or the end of the longer ranking.
    pub fn depth_of(&self, pair: &RankingPair<'_>) -> usize {
        let longest = pair.a.len().max(pair.b.len());
        if self.fills { self.cutoff.unwrap_or(longest) } else { self.cutoff.unwrap_or(usize::MAX).min(longest) }
    }

    /// How many documents A lacks to the depth.
    pub fn lacking(&self, pair: &RankingPair<'_>) -> usize {
        if self.fills { self.depth_of(pair).saturating_sub(pair.a.len()) } else { 0 }
    }

    /// The gain of a document, or none if it is unknown. If no unknown document can gain anything, it is 0.
    #[inline]
    pub fn known_gain(&self, pair: &RankingPair<'_>, place: &Placed) -> Option<f64> {
        pair.grade(place).map(|grade| self.gain.of(grade)).or((self.top == 0.0).then_some(0.0))
    }

    /// Whether short rankings are filled up with documents that may gain something.
    fn fills_with_gains(&self) -> bool {
        self.fills && self.top > 0.0
    }

    /// Whether a document of this grade is relevant. It is unknown if the grade is NaN.
    pub fn relevance(&self, grade: f64) -> Relevance {
        match grade {
            unknown if unknown.is_nan() => Relevance::Unknown,
            grade if self.gain.of(grade) > 0.0 => Relevance::Relevant,
            _ => Relevance::NonRelevant,
        }
    }

    /// The relevance at each rank of a ranking. `ties` is the order of relevance in which tied documents are put.
    pub fn relevance_by_rank(&self, pair: &RankingPair<'_>, list: &List, ties: [Relevance; 3]) -> Vec<Relevance> {
        let relevance = |&document: &u32| self.relevance(pair.facts.grades[document as usize]);
        let mut by_rank: Vec<Relevance> = list.docs.iter().map(relevance).collect();
        if list.is_tied() {
            let mut start = 0;
            for &end in &list.ends {
                by_rank[start..end as usize].sort_by_key(|kind| ties.iter().position(|other| other == kind));
                start = end as usize;
            }
        }
        by_rank
    }

    /// The number of documents judged relevant. Those that neither ranking has count, too.
    pub fn relevant(&self, pair: &RankingPair<'_>) -> usize {
        let relevant = pair.facts.levels.iter().filter(|level| self.gain.of(level.grade) > 0.0);
        relevant.map(|level| level.count as usize).sum()
    }

    /// The grades of unknown documents with these gains: the highest grade for a gain above 0, and 0 otherwise.
    pub fn grades(&self, gains: Vec<f64>) -> Vec<f64> {
        gains.into_iter().map(|gain| if gain > 0.0 { self.max_grade } else { 0.0 }).collect()
    }

    /// Appends the gains of the documents that fill A up to the depth. Each has the highest gain.
    pub fn with_filling(&self, pair: &RankingPair<'_>, mut gains: Vec<f64>) -> Vec<f64> {
        gains.resize(gains.len() + self.lacking(pair), self.top);
        gains
    }

    /// The assignment of grades to unknown documents, for MED. `grades` lists the grades of the documents `numbers`,
    /// then of the documents that fill up A. Judged documents, and documents that fill up B, are left out.
    pub fn assignment(&self, pair: &RankingPair<'_>, difference: f64, numbers: &[u32], grades: &[f64]) -> Assignment {
        let (own, filling) = grades.split_at(numbers.len());
        let unknown = numbers.iter().copied().zip(own.iter().copied());
        let unknown = unknown.filter(|&(number, _)| pair.facts.grades[number as usize].is_nan());
        let mut elsewhere = filling.to_vec();
        elsewhere.resize(self.lacking(pair), 0.0);
        Assignment { difference, grades: unknown.collect(), elsewhere }
    }

    /// Writes the documents within the depth to an instance. Returns their places.
    pub fn lay_out<'p>(
        &self,
        pair: &'p RankingPair<'_>,
        instance: &mut Instance,
    ) -> impl Iterator<Item = &'p Placed> + use<'p> {
        let depth = self.depth_of(pair);
        let within = move |rank: u32| if rank as usize <= depth { rank } else { 0 };
        let counted = move |place: &&Placed| within(place.a) > 0 || within(place.b) > 0;
        // A ranking counts as long as the depth, unless it is filled up with documents that may gain.
        let filled = |list: &List| if self.fills_with_gains() { list.len().min(depth) } else { depth };
        instance.depth = depth;
        instance.top = self.top;
        instance.lengths = (filled(pair.a), filled(pair.b));
        instance.documents.clear();
        let document = |x: &Placed| Document { a: within(x.a), b: within(x.b), known: self.known_gain(pair, x) };
        instance.documents.extend(pair.places.iter().filter(counted).map(document));
        pair.places.iter().filter(counted)
    }

    /// An instance for rankings with ties. It has all documents, including those below the depth.
    pub fn with_ties(&self, pair: &RankingPair<'_>) -> Instance {
        let mut instance = Instance::default();
        self.lay_out_tied(pair, &mut instance);
        instance
    }

    /// Writes an instance for rankings with ties into existing memory, like [`Scale::with_ties`].
    pub fn lay_out_tied(&self, pair: &RankingPair<'_>, instance: &mut Instance) {
        let depth = self.depth_of(pair);
        let place = |place: &Placed| Document { a: place.a, b: place.b, known: self.known_gain(pair, place) };
        let filled = |list: &List| if self.fills_with_gains() { list.len() } else { list.len().max(depth) };
        instance.depth = depth;
        instance.top = self.top;
        instance.lengths = (filled(pair.a), filled(pair.b));
        instance.documents.clear();
        instance.documents.extend(pair.places.iter().map(place));
    }

    /// Writes the weight of each document in A and in B to the workspace: the discount of its rank, or the mean
    /// discount of its tie group.
    pub fn weigh(&self, pair: &RankingPair<'_>, discounts: &[f64], work: &mut DifferenceWorkspace) {
        let DifferenceWorkspace { weights, discounts: (of_a, of_b), .. } = work;
        let (at_a, at_b) = (discounts_by_rank(discounts, pair.a, of_a), discounts_by_rank(discounts, pair.b, of_b));
        self.weigh_by(pair, (at_a, at_b), weights);
        for (lacking, list) in [(&mut weights.lacking.0, pair.a), (&mut weights.lacking.1, pair.b)] {
            if self.fills_with_gains() {
                lacking.extend(&discounts[list.len().min(discounts.len())..]);
            }
        }
    }

    /// Writes the weight of each document in A and in B, from the weights of the ranks. Rankings are not filled up.
    pub fn weigh_by(&self, pair: &RankingPair<'_>, (of_a, of_b): (&[f64], &[f64]), weights: &mut dot::WeightedPair) {
        let at = |discounts: &[f64], rank: u32| discounts.get((rank as usize).wrapping_sub(1)).copied().unwrap_or(0.0);
        weights.top = self.top;
        weights.lacking.0.clear();
        weights.lacking.1.clear();
        weights.documents.clear();
        weights.documents.extend(pair.places.iter().map(|place| {
            let known = self.known_gain(pair, place);
            dot::WeightedDocument { a: at(of_a, place.a), b: at(of_b, place.b), known }
        }));
    }
}

/// The discount at each rank. In a tie group, it is the mean over the group's ranks.
pub(super) fn discounts_by_rank<'a>(discounts: &'a [f64], list: &List, memory: &'a mut Vec<f64>) -> &'a [f64] {
    if !list.is_tied() {
        return discounts;
    }
    memory.clear();
    for &end in &list.ends {
        let start = memory.len();
        let size = end as usize - start;
        let within = &discounts[start.min(discounts.len())..(end as usize).min(discounts.len())];
        memory.resize(end as usize, within.iter().sum::<f64>() / size as f64);
    }
    memory
}
