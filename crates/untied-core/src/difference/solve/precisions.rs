//! An outer bound of average precision in one pass: for each number m of relevant unknown documents, the largest sum of
//! precisions in A minus the smallest in B, chosen independently, divided by r + m.
//!
//! The sum never falls when a relevant document moves up. So it is largest with the m unknown documents that stand
//! highest, and smallest with those that the ranking lacks and then those that stand lowest.

use super::{Relevance, share};

/// A ranking to the depth.
pub struct Precisions {
    /// Relevant documents above each rank, the first of which is 0.
    above: Vec<f64>,
    /// Sums of 1 / rank of relevant documents below it.
    below: Vec<f64>,
    /// Ranks of unknown documents.
    open: Vec<usize>,
    /// The sum of precisions with none of them relevant.
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

    /// The sum of precisions with nothing unknown relevant.
    pub fn certain(&self) -> f64 {
        self.known
    }

    /// What the unknown document at a rank adds alone; one that is not here adds nothing.
    pub fn gain(&self, rank: u32) -> f64 {
        let at = (rank as usize).wrapping_sub(1);
        self.above.get(at).map_or(0.0, |above| (1.0 + above) / f64::from(rank) + self.below[at])
    }

    /// The largest sums with 0, 1, 2, ... of all unknown documents relevant.
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

    /// The smallest.
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

/// What the difference cannot exceed with exactly 0, 1, 2, ... of all unknown documents relevant.
pub fn separate_bounds(a: &Precisions, b: &Precisions, relevant: usize, unknown: usize) -> Vec<f64> {
    let sums = a.largest(unknown).into_iter().zip(b.smallest(unknown)).enumerate();
    sums.map(|(m, (most, least))| share(most - least, (relevant + m) as f64)).collect()
}
