//! D#-nDCG: whether a subtopic is found, and what its documents gain.
//!
//! For one subtopic, a ranking has the score `gamma F + (1 - gamma) sum_x D(x) g_x / ideal`. F is the probability that
//! a relevant document is among the first k, over all orders of ties; D(x) is the mean discount of a document. A tie
//! group *within* the first k is found for certain if one of its documents is relevant. The group that k divides, of n
//! documents of which s are within, is found with the probability `1 - C(n-r, s) / C(n, s)` if r of them are relevant.
//!
//! Let v(x) be what a relevant document adds to the difference by its gain, the highest gain if A has the document
//! higher up, else the lowest one of a relevant document. A document that only A has within k is relevant in a best
//! assignment, and one that only B has is not. The others are chosen in one of two ways:
//!
//!   * B is not found for certain. Then no document is relevant that B has within k. Of those that B has in the divided
//!     group, every number is tried, with those of largest v; A has them within k or in its own divided group.
//!   * B counts as found. Then all documents with v > 0 are relevant. If A is not found for certain, one more of A's
//!     documents within k may be, or some of A's divided group; again those of largest v.
//!
//! The second way counts at least what B can have, so the larger of both is exact.

use super::layout::{DifferenceWorkspace, Scale, discounts_by_rank};
use super::novelty::{cutoff, highest, summed};
use super::pair::RankingPair;
use super::setup::Setup;
use super::solution::{Chance, Difference, LargestDifference, ScoreSampler};
use super::solve::expected::Uncertain;
use super::solve::scores::ScoresByGains;
use super::solve::share;
use crate::error::{Error, Result};
use crate::measures::d_measure::{gamma, global_gain};
use crate::measures::gain::{Gain, discounts};
use crate::ranking::List;

/// The difference in D#-nDCG for one subtopic.
struct FoundAndGained {
    scale: Scale,
    gamma: f64,
    /// The discount of each rank times (1 - gamma), divided by the ideal sum.
    weights: Vec<f64>,
    /// The lowest gain of a relevant document.
    least: f64,
}

pub(super) fn d_sharp(setup: &Setup<'_>) -> Result<Box<dyn Difference>> {
    let (spec, k, gamma, gain) = (setup.spec, cutoff(setup)?, gamma(setup.spec)?, global_gain(setup.spec)?);
    let mut discounts = discounts(spec, k)?;
    discounts.resize(k, 0.0); // a list may be shorter
    if discounts.iter().any(|&discount| discount < 0.0) {
        return Err(Error::Measure(format!("{spec}: the largest difference needs discounts of at least 0")));
    }
    // A document may have any whole grade, and any grade of the qrels.
    let (rel, most) = (spec.rel()?, highest(setup));
    let grades = setup.scope.grades.iter().copied().chain([rel.ceil(), most]);
    let least = grades.filter(|&grade| rel <= grade && grade <= most).fold(most, f64::min);
    let least = gain.of(least);
    summed(setup, gain, 1.0, None, |_, top| {
        let ideal = top * discounts.iter().sum::<f64>();
        let weights = discounts.iter().map(|discount| share((1.0 - gamma) * discount, ideal)).collect();
        Ok(Box::new(FoundAndGained { scale: Scale::new(Gain::Linear, top, spec.cutoff), gamma, weights, least }))
    })
}

/// Where a ranking has a document, with regard to the cutoff k.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Within,
    Divided,
    Below,
}

/// One ranking of a pair.
struct Side {
    /// The place and the weight of each document of the pair.
    documents: Vec<(Place, f64)>,
    /// The probability that a relevant document of the divided group is among the first k, by the number of its
    /// relevant documents.
    chances: Vec<f64>,
}

impl Side {
    fn new(list: &List, ranks: impl Iterator<Item = u32>, weights: &[f64]) -> Side {
        let k = weights.len();
        let group = list.ends.partition_point(|&end| end as usize <= k);
        let start = if group > 0 { list.ends[group - 1] as usize } else { 0 };
        let end = list.ends.get(group).map_or(start, |&end| end as usize);
        // The size of the divided group, and how many of its documents are after rank k.
        let (size, after) = if start < k { (end - start, end.saturating_sub(k)) } else { (0, 0) };
        let none = (0..size).scan(1.0, |none, i| {
            *none *= after.saturating_sub(i) as f64 / (size - i) as f64;
            Some(*none)
        });
        let chances = std::iter::once(0.0).chain(none.map(|none| 1.0 - none)).collect();
        let mut memory = Vec::new();
        let by_rank = discounts_by_rank(weights, list, &mut memory);
        let document = |rank: u32| match rank as usize {
            0 => (Place::Below, 0.0),
            rank if rank <= start => (Place::Within, by_rank[rank - 1]),
            rank if rank <= start + size => (Place::Divided, by_rank[rank - 1]),
            _ => (Place::Below, 0.0),
        };
        Side { documents: ranks.map(document).collect(), chances }
    }

    /// The probability that a relevant document is among the first k. `within` says whether one is above the divided
    /// group, and `divided` how many of this group are relevant.
    fn chance_of_relevant(&self, within: bool, divided: usize) -> f64 {
        if within { 1.0 } else { self.chances[divided] }
    }
}

/// The relevant documents of both rankings, by their places, and what their gains add.
#[derive(Clone, Copy, Default)]
struct Chosen {
    within: [bool; 2],
    divided: [usize; 2],
    sum: f64,
}

impl Chosen {
    fn with(mut self, places: [Place; 2], added: f64) -> Chosen {
        for (side, place) in places.into_iter().enumerate() {
            self.within[side] |= place == Place::Within;
            self.divided[side] += usize::from(place == Place::Divided);
        }
        Chosen { sum: self.sum + added, ..self }
    }
}

/// An unknown document: its places in A and in B, and what its gain adds if it is relevant.
#[derive(Clone, Copy)]
struct Candidate {
    places: [Place; 2],
    added: f64,
}

/// Two rankings for one subtopic.
struct SharpPair<'d> {
    difference: &'d FoundAndGained,
    sides: [Side; 2],
}

impl<'d> SharpPair<'d> {
    fn new(difference: &'d FoundAndGained, pair: &RankingPair<'_>) -> SharpPair<'d> {
        let a = Side::new(pair.a, pair.places.iter().map(|place| place.a), &difference.weights);
        let b = Side::new(pair.b, pair.places.iter().map(|place| place.b), &difference.weights);
        SharpPair { difference, sides: [a, b] }
    }

    /// The difference with these relevant documents.
    fn value(&self, chosen: Chosen) -> f64 {
        let [a, b] = [0, 1].map(|side| self.sides[side].chance_of_relevant(chosen.within[side], chosen.divided[side]));
        self.difference.gamma * (a - b) + chosen.sum
    }

    /// The largest difference. The documents that fill A are relevant.
    fn largest(&self, pair: &RankingPair<'_>) -> f64 {
        let FoundAndGained { scale, weights, least, .. } = self.difference;
        let mut known = Chosen::default();
        let mut shared: Vec<Candidate> = Vec::new();
        for (i, place) in pair.places.iter().enumerate() {
            let ((in_a, of_a), (in_b, of_b)) = (self.sides[0].documents[i], self.sides[1].documents[i]);
            let (places, weight) = ([in_a, in_b], of_a - of_b);
            let added = weight * if weight > 0.0 { scale.top } else { *least };
            match scale.known_gain(pair, place) {
                Some(gain) if gain > 0.0 => known = known.with(places, weight * gain),
                Some(_) => {}
                None if in_b == Place::Below && in_a != Place::Below => known = known.with(places, added),
                None if in_a != Place::Below => shared.push(Candidate { places, added }),
                None => {}
            }
        }
        if scale.top > 0.0 {
            let fillers = &weights[pair.a.len().min(weights.len())..];
            for weight in fillers {
                known = known.with([Place::Within, Place::Below], weight * scale.top);
            }
        }
        shared.sort_by(|x, y| y.added.total_cmp(&x.added));
        self.if_found_in_b(known, &shared).max(self.if_not_found_in_b(known, &shared))
    }

    /// The largest difference if no document that B has within k is relevant.
    fn if_not_found_in_b(&self, known: Chosen, shared: &[Candidate]) -> f64 {
        let divided_in_b = |in_a: Place| shared.iter().filter(move |x| x.places == [in_a, Place::Divided]);
        let mut best = f64::NEG_INFINITY;
        let mut outer = known;
        let mut within = divided_in_b(Place::Within);
        loop {
            let mut inner = outer;
            best = best.max(self.value(inner));
            for x in divided_in_b(Place::Divided) {
                inner = inner.with(x.places, x.added);
                best = best.max(self.value(inner));
            }
            let Some(x) = within.next() else { return best };
            outer = outer.with(x.places, x.added);
        }
    }

    /// The largest difference if B counts as found.
    fn if_found_in_b(&self, known: Chosen, shared: &[Candidate]) -> f64 {
        let (helpful, others) = shared.split_at(shared.partition_point(|x| x.added > 0.0));
        let chosen = helpful.iter().fold(known, |chosen, x| chosen.with(x.places, x.added));
        let mut best = self.value(chosen);
        if let Some(x) = others.iter().find(|x| x.places[0] == Place::Within) {
            best = best.max(self.value(chosen.with(x.places, x.added)));
        }
        let mut more = chosen;
        for x in others.iter().filter(|x| x.places[0] == Place::Divided) {
            more = more.with(x.places, x.added);
            best = best.max(self.value(more));
        }
        best
    }

    /// The score of one ranking with these gains.
    fn score(&self, side: usize, gains: &[f64]) -> f64 {
        let side = &self.sides[side];
        let relevant = || side.documents.iter().zip(gains).filter(|(_, gain)| **gain > 0.0);
        let is_within = relevant().any(|((place, _), _)| *place == Place::Within);
        let divided = relevant().filter(|((place, _), _)| *place == Place::Divided).count();
        let sum: f64 = relevant().map(|((_, weight), gain)| weight * gain).sum();
        self.difference.gamma * side.chance_of_relevant(is_within, divided) + sum
    }
}

impl ScoresByGains for SharpPair<'_> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(0, gains)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(1, gains)
    }
}

impl Difference for FoundAndGained {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn solve(&self, pair: &RankingPair<'_>, _: usize, _: &mut DifferenceWorkspace) -> LargestDifference {
        let value = SharpPair::new(self, pair).largest(pair);
        LargestDifference { value, bound: value, assignment: None }
    }

    fn sampled<'s>(
        &'s self,
        pair: &'s RankingPair<'_>,
        _: &'s mut DifferenceWorkspace,
        chance: Chance<'_>,
    ) -> Option<ScoreSampler<'s>> {
        let uncertain = |place| {
            let known = self.scale.known_gain(pair, place);
            let (gain, chance) = known.map_or_else(|| (self.scale.top, chance(place)), |gain| (gain, 1.0));
            Uncertain { a: place.a, b: place.b, gain, chance }
        };
        let documents = pair.places.iter().map(uncertain).collect();
        Some(ScoreSampler { documents, scores: Box::new(SharpPair::new(self, pair)) })
    }
}
