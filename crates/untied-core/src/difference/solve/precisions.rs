//! An upper bound of the difference of average precision, in one pass. For each number m of relevant unknown documents,
//! it is the largest sum of precisions in A minus the smallest in B, divided by R = r + m, with r documents judged
//! relevant. The m documents are chosen for each ranking by itself.
//!
//! The sum of precisions never falls if a relevant document moves up. So it is largest if the m highest unknown
//! documents of the ranking are relevant. It is smallest if first those that the ranking lacks are relevant, and then
//! its lowest ones.

use super::{Relevance, share};

/// One ranking down to the depth. Ranks are counted from 0.
pub struct Precisions {
    /// The number of documents judged relevant above each rank.
    above: Vec<f64>,
    /// The sum of 1 / (rank + 1) of the documents judged relevant below each rank.
    below: Vec<f64>,
    /// The ranks of unknown documents, ascending.
    open: Vec<usize>,
    /// The sum of precisions if no unknown document is relevant.
    known: f64,
}

impl Precisions {
    pub fn new(kinds: &[Relevance]) -> Precisions {
        let is_relevant = |rank: usize| kinds[rank] == Relevance::Relevant;
        let mut above = Vec::with_capacity(kinds.len());
        let (mut hits, mut known) = (0.0, 0.0);
        for rank in 0..kinds.len() {
            above.push(hits);
            if is_relevant(rank) {
                hits += 1.0;
                known += hits / (rank + 1) as f64;
            }
        }
        let mut below = vec![0.0; kinds.len()];
        let mut sum = 0.0;
        for rank in (0..kinds.len()).rev() {
            below[rank] = sum;
            if is_relevant(rank) {
                sum += 1.0 / (rank + 1) as f64;
            }
        }
        let open = (0..kinds.len()).filter(|&rank| kinds[rank] == Relevance::Unknown).collect();
        Precisions { above, below, open, known }
    }

    /// The sum of precisions if no unknown document is relevant.
    pub fn certain(&self) -> f64 {
        self.known
    }

    /// The gain of the sum of precisions if only the unknown document at this rank becomes relevant. Ranks are counted
    /// from 1 here. The gain is 0 for rank 0 and for ranks below the depth.
    pub fn gain(&self, rank: u32) -> f64 {
        let at = (rank as usize).wrapping_sub(1);
        self.above.get(at).map_or(0.0, |above| (1.0 + above) / f64::from(rank) + self.below[at])
    }

    /// The largest sums of precisions with 0, 1, 2, ... relevant unknown documents.
    fn largest(&self, unknown: usize) -> Vec<f64> {
        let mut sum = self.known;
        let mut sums = vec![sum];
        for m in 0..unknown {
            if let Some(&rank) = self.open.get(m) {
                sum += (1.0 + self.above[rank] + m as f64) / (rank + 1) as f64 + self.below[rank];
            }
            sums.push(sum);
        }
        sums
    }

    /// The smallest sums of precisions with 0, 1, 2, ... relevant unknown documents.
    fn smallest(&self, unknown: usize) -> Vec<f64> {
        let elsewhere = unknown - self.open.len();
        let (mut sum, mut chosen) = (self.known, 0.0);
        let mut sums = vec![sum; elsewhere + 1];
        for &rank in self.open.iter().rev() {
            let inverse = 1.0 / (rank + 1) as f64;
            sum += (1.0 + self.above[rank]) * inverse + self.below[rank] + chosen;
            chosen += inverse;
            sums.push(sum);
        }
        sums
    }
}

/// Upper bounds of the difference of average precision, with exactly 0, 1, 2, ... relevant unknown documents.
/// `relevant` and `unknown` are the numbers of documents judged relevant and of unknown ones. Documents that neither
/// ranking has count, too.
pub fn separate_bounds(a: &Precisions, b: &Precisions, relevant: usize, unknown: usize) -> Vec<f64> {
    let sums = a.largest(unknown).into_iter().zip(b.smallest(unknown)).enumerate();
    sums.map(|(m, (most, least))| share(most - least, (relevant + m) as f64)).collect()
}
