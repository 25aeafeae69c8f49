//! Tie groups of one ranking, and what pairs of relevant documents add to AP, on average over tie orders. A document
//! that is not tied is a group of its own.

use crate::difference::solve::smaller;

/// A tie group, with its mean inverse ranks and its documents that are in no cell.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PrecisionGroup {
    /// Its first rank plus its last rank, to sort groups by.
    pub place: usize,
    /// m, the mean of 1/rank over its ranks. Ranks below the depth count 0.
    pub mean: f64,
    /// u, the mean of 1/rank of the lower one of two of its documents.
    pub together: f64,
    /// The number of its documents that are judged relevant.
    pub judged: f64,
    /// The number of its unknown documents that only this ranking has, including those that fill it up. They are
    /// relevant if this ranking is to be ahead.
    pub alone: f64,
    /// The number of its documents that are certainly relevant.
    on: f64,
    /// What an undecided document of the group gains by itself and with all certainly relevant documents.
    pub gain: f64,
}

impl PrecisionGroup {
    /// The group at the ranks from `start + 1` to `end`.
    fn new(start: usize, end: usize, depth: usize) -> PrecisionGroup {
        let n = (end - start) as f64;
        let inverse = |rank: usize| 1.0 / rank as f64;
        if end == start + 1 {
            let mean = if end <= depth { inverse(end) } else { 0.0 };
            return PrecisionGroup { place: 2 * end, mean, ..PrecisionGroup::default() };
        }
        let ranks = || start + 1..=end.min(depth);
        // Of the pairs in the group, rank - start - 1 have their lower document at this rank.
        let lower = |rank: usize| (rank - start - 1) as f64 * inverse(rank);
        PrecisionGroup {
            place: start + 1 + end,
            mean: ranks().map(inverse).sum::<f64>() / n,
            together: 2.0 * ranks().map(lower).sum::<f64>() / (n * (n - 1.0)),
            ..PrecisionGroup::default()
        }
    }

    /// Lists the groups of a ranking, then the single documents that fill it up to the depth. `ends` has the rank at
    /// which each group ends.
    pub fn list(groups: &mut Vec<PrecisionGroup>, ends: &[u32], depth: usize) {
        let length = ends.last().map_or(0, |&end| end as usize);
        let mut start = 0;
        groups.clear();
        for end in ends.iter().map(|&end| end as usize).chain(length + 1..=depth) {
            groups.push(PrecisionGroup::new(start, end, depth));
            start = end;
        }
    }

    /// Fills in `gain` of all groups, and returns the value of the certainly relevant documents. If `is_ahead`, the
    /// other ranking's score is subtracted from this one's.
    pub fn sum(groups: &mut [PrecisionGroup], is_ahead: bool) -> f64 {
        let (mut before, mut value, mut below) = (0.0, 0.0, 0.0);
        for group in &mut *groups {
            group.on = group.judged + if is_ahead { group.alone } else { 0.0 };
            group.gain = (1.0 + before) * group.mean + group.on * group.together;
            value += group.on * ((1.0 + before) * group.mean + (group.on - 1.0) / 2.0 * group.together);
            before += group.on;
        }
        for group in groups.iter_mut().rev() {
            group.gain += below;
            below += group.on * group.mean;
        }
        value
    }
}

/// The tie group of a document in one ranking.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroupPlace {
    /// The index of the group.
    group: usize,
    /// m, the mean of 1/rank over the group.
    mean: f64,
    /// m - u: how much less a pair within the group adds than a pair with a document above it.
    less: f64,
}

impl GroupPlace {
    /// The place of a document that the ranking lacks. Nothing counts there.
    pub const NONE: GroupPlace = GroupPlace { group: usize::MAX, mean: 0.0, less: 0.0 };

    pub fn new(number: usize, &PrecisionGroup { mean, together, .. }: &PrecisionGroup) -> GroupPlace {
        GroupPlace { group: number, mean, less: mean - together }
    }

    /// The place of a document at a rank without ties. `inverse` is 1/rank, or 0 if the rank does not count.
    pub fn at(rank: usize, inverse: f64) -> GroupPlace {
        GroupPlace { group: rank, mean: inverse, less: inverse }
    }

    /// What two relevant documents at these places add to the ranking's AP as a pair.
    fn with(self, other: GroupPlace) -> f64 {
        let lower = smaller(self.mean, other.mean);
        if self.group == other.group { lower - self.less } else { lower }
    }
}

/// The places of a document in A and in B.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellPlaces {
    pub a: GroupPlace,
    pub b: GroupPlace,
}

impl CellPlaces {
    /// `q`: what two relevant documents add to the difference as a pair.
    pub fn pair(&self, other: &CellPlaces) -> f64 {
        self.a.with(other.a) - self.b.with(other.b)
    }

    /// The most that a pair with another document can add to the difference.
    pub fn most(&self) -> f64 {
        self.a.mean
    }

    /// `d`: what a document adds to the difference with each relevant document that is before it in both rankings.
    pub fn step(&self) -> f64 {
        self.a.mean - self.b.mean
    }
}
