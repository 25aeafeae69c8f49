//! Tie groups, and the weights of pairs of documents in them.

use crate::difference::solve::smaller;

/// A tie group.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PrecisionGroup {
    /// Ranks of its first and its last document, added up.
    pub place: usize,
    /// m.
    pub mean: f64,
    /// u.
    pub together: f64,
    /// How many of its documents are judged relevant.
    pub judged: f64,
    /// How many unknown ones the other ranking does not have, with those that fill this one up: relevant if this one is to
    /// be ahead.
    pub alone: f64,
    /// How many are relevant for certain.
    on: f64,
    /// What an undecided one gains with these and those of other groups.
    pub gain: f64,
}

impl PrecisionGroup {
    fn new(start: usize, end: usize, depth: usize) -> PrecisionGroup {
        let n = (end - start) as f64;
        let inverse = |rank: usize| 1.0 / rank as f64;
        if end == start + 1 {
            let mean = if end <= depth { inverse(end) } else { 0.0 };
            return PrecisionGroup { place: 2 * end, mean, ..PrecisionGroup::default() };
        }
        let ranks = || start + 1..=end.min(depth);
        let lower = |rank: usize| (rank - start - 1) as f64 * inverse(rank);
        PrecisionGroup {
            place: start + 1 + end,
            mean: ranks().map(inverse).sum::<f64>() / n,
            together: 2.0 * ranks().map(lower).sum::<f64>() / (n * (n - 1.0)),
            ..PrecisionGroup::default()
        }
    }

    /// List all groups of a ranking, and those of one document each that fill it up.
    pub fn list(groups: &mut Vec<PrecisionGroup>, ends: &[u32], depth: usize) {
        let length = ends.last().map_or(0, |&end| end as usize);
        let mut start = 0;
        groups.clear();
        for end in ends.iter().map(|&end| end as usize).chain(length + 1..=depth) {
            groups.push(PrecisionGroup::new(start, end, depth));
            start = end;
        }
    }

    /// Put in what undecided documents gain, in the ranking that is to be ahead or in the other one; the value of what is
    /// certain.
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

/// Where a document stands in one ranking.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroupPlace {
    /// The number of its group.
    group: usize,
    /// m.
    mean: f64,
    /// m - u.
    less: f64,
}

impl GroupPlace {
    /// In no group, where nothing counts.
    pub const NONE: GroupPlace = GroupPlace { group: usize::MAX, mean: 0.0, less: 0.0 };

    pub fn new(number: usize, &PrecisionGroup { mean, together, .. }: &PrecisionGroup) -> GroupPlace {
        GroupPlace { group: number, mean, less: mean - together }
    }

    /// What a pair of relevant documents weighs.
    fn with(self, other: GroupPlace) -> f64 {
        let lower = smaller(self.mean, other.mean);
        if self.group == other.group { lower - self.less } else { lower }
    }
}

/// Where a document stands in A and in B.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellPlaces {
    pub a: GroupPlace,
    pub b: GroupPlace,
}

impl CellPlaces {
    /// `q` of two documents.
    pub fn pair(&self, other: &CellPlaces) -> f64 {
        self.a.with(other.a) - self.b.with(other.b)
    }

    /// What a pair with another document gains at most.
    pub fn most(&self) -> f64 {
        self.a.mean
    }

    /// `d`: what a document gains with each that stands before it in both rankings.
    pub fn step(&self) -> f64 {
        self.a.mean - self.b.mean
    }
}
