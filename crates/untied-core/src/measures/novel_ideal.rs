//! Finds the best ranking of the judged documents by a measure of novelty, which is what the measure is divided by.
//!
//! A document at rank i adds w_i q^c for each of its subtopics, if c documents before it are relevant to the subtopic.
//! To find the best ranking is NP-hard (Carterette 2011), so the search is limited. It begins with the greedy ranking
//! and tries the document that gains most first. It gives up the beginning of a ranking if this cannot become better
//! than the best ranking so far, or if another beginning with the same documents has a larger sum. Documents that are
//! relevant to the same subtopics are interchangeable, and sets of subtopics have a fixed order, so ids of documents do
//! not matter.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::elementary::powi;

/// About how many steps a search takes at most. After them, the best ranking so far is taken.
const STEPS: usize = 4_000_000;
/// The search goes to this rank; longer rankings are greedy.
const RANKS: usize = 200;
/// A ranking counts as better only if its sum is larger by more than this share.
const SAME: f64 = 1e-13;

/// Sets of subtopics, each sorted, with the number of documents that are relevant to exactly these.
pub(super) type Sets = Vec<(Vec<usize>, usize)>;

/// The largest sums. Each is searched for only once.
#[derive(Debug)]
pub(super) struct BestSums {
    q: f64,
    known: Mutex<HashMap<Sets, f64>>,
}

impl BestSums {
    pub fn new(q: f64) -> BestSums {
        BestSums { q, known: Mutex::default() }
    }

    /// The sum of the best ranking for these weights of ranks, which must be the same in every call.
    pub fn best(&self, sets: Sets, weights: &[f64]) -> f64 {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&sets).copied();
        known.unwrap_or_else(|| {
            let sum = best_sum(&sets, weights, self.q);
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(sets, sum);
            sum
        })
    }
}

fn best_sum(sets: &Sets, weights: &[f64], q: f64) -> f64 {
    let documents: usize = sets.iter().map(|set| set.1).sum();
    let weights = &weights[..weights.len().min(documents)];
    let mut relevant = vec![0; sets.iter().flat_map(|set| &set.0).max().map_or(0, |last| last + 1)];
    for (set, count) in sets {
        set.iter().for_each(|&subtopic| relevant[subtopic] += count);
    }
    let most = relevant.iter().copied().max().unwrap_or(0);
    let powers: Vec<f64> = (0..=most).map(|c| powi(q, c as i32)).collect();
    let hits = vec![0; relevant.len()];
    let left = sets.iter().map(|set| set.1).collect();
    let mut search =
        IdealSearch { sets, weights, relevant, powers, hits, left, best: 0.0, reached: HashMap::new(), steps: STEPS };
    search.best = search.greedy();
    if weights.len() <= RANKS {
        search.descend(0, 0.0);
    }
    search.best
}

struct IdealSearch<'s> {
    sets: &'s Sets,
    weights: &'s [f64],
    /// The relevant documents by subtopic.
    relevant: Vec<usize>,
    /// q^0, q^1, ..
    powers: Vec<f64>,
    /// For each subtopic, the number of its relevant documents that are ranked.
    hits: Vec<usize>,
    /// For each set, the number of its documents that are not ranked.
    left: Vec<usize>,
    best: f64,
    /// The largest sum of a beginning, by the documents that it leaves.
    reached: HashMap<Vec<usize>, f64>,
    steps: usize,
}

impl IdealSearch<'_> {
    /// The gain of each set's next document, largest first; of equal gains, that of the first set comes first.
    fn gains(&self) -> Vec<(f64, usize)> {
        let mut powers = Vec::new();
        let left = self.sets.iter().enumerate().filter(|&(set, _)| self.left[set] > 0);
        let mut gains: Vec<(f64, usize)> = left
            .map(|(number, (set, _))| {
                powers.clear();
                powers.extend(set.iter().map(|&subtopic| self.powers[self.hits[subtopic]]));
                powers.sort_unstable_by(f64::total_cmp); // so that equal gains are equal to the last bit
                (powers.iter().sum(), number)
            })
            .collect();
        gains.sort_by(|a, b| b.0.total_cmp(&a.0));
        gains
    }

    fn place(&mut self, set: usize) {
        self.left[set] -= 1;
        self.sets[set].0.iter().for_each(|&subtopic| self.hits[subtopic] += 1);
    }

    fn remove(&mut self, set: usize) {
        self.left[set] += 1;
        self.sets[set].0.iter().for_each(|&subtopic| self.hits[subtopic] -= 1);
    }

    fn greedy(&mut self) -> f64 {
        let mut placed = Vec::new();
        let mut sum = 0.0;
        for weight in self.weights {
            let Some(&(gain, set)) = self.gains().first() else { break };
            sum += weight * gain;
            self.place(set);
            placed.push(set);
        }
        placed.into_iter().for_each(|set| self.remove(set));
        sum
    }

    /// Continues a beginning, which ends before `rank` and has this sum, in all ways that could beat the best ranking.
    fn descend(&mut self, rank: usize, sum: f64) {
        self.best = self.best.max(sum);
        self.steps = self.steps.saturating_sub(self.sets.len() + self.weights.len() * (1 + self.hits.len()));
        if self.steps == 0 || rank == self.weights.len() {
            return;
        }
        let gains = self.gains();
        if sum + self.most(rank, &gains) <= self.best * (1.0 + SAME) {
            return;
        }
        let known = self.reached.entry(self.left.clone()).or_insert(f64::NEG_INFINITY);
        if sum <= *known {
            return;
        }
        *known = sum;
        for (gain, set) in gains {
            self.place(set);
            self.descend(rank + 1, sum + self.weights[rank] * gain);
            self.remove(set);
        }
    }

    /// An upper bound of what documents from this rank on can add: gains never grow, and each subtopic has at most one
    /// of its documents at each rank.
    fn most(&self, rank: usize, gains: &[(f64, usize)]) -> f64 {
        let weights = &self.weights[rank..];
        let each = gains.iter().flat_map(|&(gain, set)| std::iter::repeat_n(gain, self.left[set]));
        let by_document: f64 = weights.iter().zip(each).map(|(weight, gain)| weight * gain).sum();
        let of_subtopic = |(&hits, &relevant): (&usize, &usize)| -> f64 {
            weights.iter().zip(&self.powers[hits..relevant]).map(|(weight, power)| weight * power).sum()
        };
        by_document.min(self.hits.iter().zip(&self.relevant).map(of_subtopic).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nightly::seeds;
    use crate::random::Random;

    /// The sum of the best ranking, found by trying all.
    fn by_all(sets: &Sets, weights: &[f64], q: f64, hits: &mut Vec<usize>, left: &mut Vec<usize>) -> f64 {
        let Some((weight, later)) = weights.split_first() else { return 0.0 };
        let mut best = 0.0_f64;
        for (number, (set, _)) in sets.iter().enumerate() {
            if left[number] > 0 {
                let gain: f64 = set.iter().map(|&subtopic| powi(q, hits[subtopic] as i32)).sum();
                left[number] -= 1;
                set.iter().for_each(|&subtopic| hits[subtopic] += 1);
                best = best.max(weight * gain + by_all(sets, later, q, hits, left));
                left[number] += 1;
                set.iter().for_each(|&subtopic| hits[subtopic] -= 1);
            }
        }
        best
    }

    #[test]
    fn the_best_of_all_rankings() {
        let mut better_than_greedy = 0;
        for seed in seeds(200) {
            let mut random = Random::new(seed);
            let subtopics = 1 + random.below(4) as usize;
            let mut sets: Sets = (1..1usize << subtopics)
                .filter(|_| random.below(2) == 0)
                .map(|bits| ((0..subtopics).filter(|subtopic| bits >> subtopic & 1 == 1).collect(), 1))
                .take(6)
                .collect();
            sets.iter_mut().for_each(|set| set.1 += random.below(2) as usize);
            let ranks = 1 + random.below(5) as usize;
            let weights: Vec<f64> = (1..=ranks).map(|rank| 1.0 / rank as f64).collect();
            for q in [0.0, 0.5, 0.8, 1.0] {
                let mut left = sets.iter().map(|set| set.1).collect();
                let expected = by_all(&sets, &weights, q, &mut vec![0; subtopics], &mut left);
                let best = best_sum(&sets, &weights, q);
                assert!((best - expected).abs() <= 1e-12 * expected, "{seed} {q}: {best} {expected} {sets:?}");
                let powers = (0..99).map(|c| powi(q, c)).collect();
                let (hits, reached) = (vec![0; subtopics], HashMap::new());
                let (relevant, weights) = (Vec::new(), &weights[..]);
                let mut search =
                    IdealSearch { sets: &sets, weights, relevant, powers, hits, left, best: 0.0, reached, steps: 0 };
                better_than_greedy += usize::from(search.greedy() < expected * (1.0 - 1e-9));
            }
        }
        assert!(better_than_greedy > 0);
    }
}
