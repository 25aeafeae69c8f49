//! R-precision: hits among the first R documents, divided by R, where R depends on the assignment.
//!
//! A document is out of the first R of a ranking, in them, or in the tie group that R splits; so of unknown documents
//! only the numbers of these three kinds in A by three in B count. For m = R - r of them relevant:
//!
//! * One order, and the mean: a kind weighs 1, 0, or the share of its group that is in, in A less in B; the m documents
//!   that weigh most are relevant.
//! * Any order: relevant documents of the group that R splits come first in A, while x more have room, and last in B,
//!   while y more do not reach R. With p the most documents that A gains and B does not, and all what the difference is
//!   with every unknown document relevant, it is min(none + m, none + p, all + unknown - m): each one more changes it by
//!   1, 0 or -1, and what it changes never rises, as in a flow.
//!
//! From R to R + 1 one group of each ranking at most changes its kind, so that all R take O(n).

use super::share;

/// Where a document stands in a ranking.
const OUT: usize = 0;
const SPLIT: usize = 1;
const IN: usize = 2;

/// Numbers of documents by kind in A and in B.
type KindCounts = [[i64; 3]; 3];

/// A document: its relevance and where it stands with regard to the cutoff.
#[derive(Debug, Clone, Copy)]
pub struct CountedDocument {
    /// Whether it is relevant; none if unknown.
    relevant: Option<bool>,
    /// Its kind in A and in B so far.
    kinds: (usize, usize),
}

impl CountedDocument {
    pub fn new(relevant: Option<bool>) -> CountedDocument {
        CountedDocument { relevant, kinds: (OUT, OUT) }
    }
}

/// A ranking: numbers of documents by rank, and where each tie group ends.
#[derive(Debug)]
pub struct CountedRanking<'p> {
    pub documents: Vec<u32>,
    pub ends: &'p [u32],
}

/// The group that a cutoff splits: its size, and how many documents of it are in; 1 and 0 if it splits none.
#[derive(Debug, Clone, Copy)]
struct SplitGroup {
    size: i64,
    slots: i64,
}

/// Documents, and where they stand.
pub struct MovingCutoff<'p> {
    pub documents: Vec<CountedDocument>,
    pub a: CountedRanking<'p>,
    pub b: CountedRanking<'p>,
    /// Judged documents that are relevant, wherever they are.
    pub relevant: usize,
    /// All unknown documents.
    pub unknown: usize,
    /// Whether the best order of A and the worst of B count, and not the mean.
    pub any_order: bool,
}

/// How many documents stand where at one cutoff.
struct CutoffCounts {
    /// Known relevant documents, and unknown ones.
    known: KindCounts,
    open: KindCounts,
    a: SplitGroup,
    b: SplitGroup,
    /// All unknown documents.
    unknown: i64,
}

impl CutoffCounts {
    /// The most hits in A less those in B with m unknown documents relevant, in the mean.
    fn mean(&self, m: i64) -> f64 {
        if self.a.slots == 0 && self.b.slots == 0 {
            let (most, least) = (self.open[IN][OUT], self.open[OUT][IN]);
            let known = self.known[IN][OUT] - self.known[OUT][IN];
            return (known + m.min(most) - (m - (self.unknown - least)).max(0)) as f64;
        }
        let shares = |cut: SplitGroup| [0.0, cut.slots as f64 / cut.size as f64, 1.0];
        let (a, b) = (shares(self.a), shares(self.b));
        let mut weights = [(0.0, 0); 9];
        let mut sum = 0.0;
        for (i, weight) in weights.iter_mut().enumerate() {
            let (of_a, of_b) = (i / 3, i % 3);
            *weight = (a[of_a] - b[of_b], self.open[of_a][of_b]);
            sum += weight.0 * self.known[of_a][of_b] as f64;
        }
        weights.sort_by(|x, y| y.0.total_cmp(&x.0));
        let mut left = m;
        for (weight, count) in weights {
            sum += weight * left.min(count) as f64;
            left -= left.min(count);
        }
        sum
    }

    /// The most hits in A less those in B with m unknown documents relevant, in A's best order and B's worst.
    fn any(&self, m: i64) -> f64 {
        let in_a = |kinds: &KindCounts, kind: usize| kinds[kind].iter().sum::<i64>();
        let in_b = |kinds: &KindCounts, kind: usize| kinds.iter().map(|of_a| of_a[kind]).sum::<i64>();
        // Places beyond R in the group of B that R splits, where relevant documents do not count.
        let behind = self.b.size - self.b.slots;
        let (at_a, at_b) = (in_a(&self.known, SPLIT), in_b(&self.known, SPLIT));
        let hits = |more_a: i64, more_b: i64| self.a.slots.min(at_a + more_a) - (at_b + more_b - behind).max(0);
        let none = in_a(&self.known, IN) - in_b(&self.known, IN) + hits(0, 0);
        let all = in_a(&self.known, IN) + in_a(&self.open, IN) - in_b(&self.known, IN) - in_b(&self.open, IN)
            + hits(in_a(&self.open, SPLIT), in_b(&self.open, SPLIT));
        let (x, y) = ((self.a.slots - at_a).max(0), (behind - at_b).max(0));
        let (of_a, of_b) = (self.open[IN][SPLIT].min(y), self.open[SPLIT][OUT].min(x));
        let of_both = self.open[SPLIT][SPLIT].min(y - of_a).min(x - of_b);
        let most = self.open[IN][OUT] + of_a + of_b + of_both;
        (none + m.min(most)).min(all + self.unknown - m) as f64
    }
}

/// Moves the cutoff down a ranking.
struct CutoffCursor<'p> {
    side: CountedRanking<'p>,
    /// The first group that is not in yet.
    group: usize,
    /// Whether it is split.
    is_split: bool,
}

impl CutoffCursor<'_> {
    fn start(&self) -> usize {
        if self.group == 0 { 0 } else { self.side.ends[self.group - 1] as usize }
    }

    /// Go to a cutoff; documents that change their kind are given to `change`. The group that is split.
    fn go_to(&mut self, cutoff: usize, mut change: impl FnMut(u32, usize)) -> SplitGroup {
        while let Some(&end) = self.side.ends.get(self.group) {
            let start = self.start();
            let group = start..end as usize;
            if end as usize <= cutoff {
                self.side.documents[group].iter().for_each(|&document| change(document, IN));
                (self.group, self.is_split) = (self.group + 1, false);
                continue;
            }
            if start >= cutoff {
                break;
            }
            let size = group.len() as i64;
            if !self.is_split {
                self.side.documents[group].iter().for_each(|&document| change(document, SPLIT));
                self.is_split = true;
            }
            return SplitGroup { size, slots: (cutoff - start) as i64 };
        }
        SplitGroup { size: 1, slots: 0 }
    }
}

/// The largest difference with exactly 0, 1, 2, ... unknown documents relevant.
pub fn at_moving_cutoff(placing: MovingCutoff<'_>) -> Vec<f64> {
    let MovingCutoff { mut documents, a, b, relevant, unknown, any_order } = placing;
    let mut counts = CutoffCounts {
        known: [[0; 3]; 3],
        open: [[0; 3]; 3],
        a: SplitGroup { size: 1, slots: 0 },
        b: SplitGroup { size: 1, slots: 0 },
        unknown: unknown as i64,
    };
    counts.open[OUT][OUT] = unknown as i64;
    counts.known[OUT][OUT] = documents.iter().filter(|x| x.relevant == Some(true)).count() as i64;
    let cursor = |side| CutoffCursor { side, group: 0, is_split: false };
    let (mut a, mut b) = (cursor(a), cursor(b));
    let mut differences = Vec::with_capacity(unknown + 1);
    for cutoff in 0..=relevant + unknown {
        let (known, open) = (&mut counts.known, &mut counts.open);
        let mut turn = |document: u32, of_a: Option<usize>, of_b: Option<usize>| {
            let document = &mut documents[document as usize];
            let before = document.kinds;
            document.kinds = (of_a.unwrap_or(before.0), of_b.unwrap_or(before.1));
            let counts = match document.relevant {
                Some(false) => return,
                Some(true) => &mut *known,
                None => &mut *open,
            };
            counts[before.0][before.1] -= 1;
            counts[document.kinds.0][document.kinds.1] += 1;
        };
        let cut_a = a.go_to(cutoff, |document, kind| turn(document, Some(kind), None));
        let cut_b = b.go_to(cutoff, |document, kind| turn(document, None, Some(kind)));
        (counts.a, counts.b) = (cut_a, cut_b);
        if cutoff >= relevant {
            let m = (cutoff - relevant) as i64;
            differences.push(share(if any_order { counts.any(m) } else { counts.mean(m) }, cutoff as f64));
        }
    }
    differences
}
