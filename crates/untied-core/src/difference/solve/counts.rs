//! R-precision: the relevant documents among the first R (*hits*), divided by R, the number of relevant documents of
//! the query. R depends on the assignment: it is r, the judged relevant documents, plus m of the unknown ones.
//!
//! In a ranking, a document is in the first R, out of them, or in the tie group that R splits: its *kind*. So all that
//! matters of unknown documents is how many there are of each of the three kinds in A and each of the three in B. For
//! each m = R - r:
//!
//! * If one order of ties, or the mean over all orders, counts: a document is a hit with a probability of 1, 0, or the
//!   share of its split group that is in the first R. Its weight is that of A less that of B, and the m documents with
//!   the largest weights are relevant.
//! * If the best order of A and the worst of B count: relevant documents of the split group come first in A, where x more
//!   of them have room in the first R, and last in B, where y more of them stay out of the first R. Let p be the largest
//!   number of documents that are hits in A and not in B, `none` the difference with no unknown document relevant, and
//!   `all` the difference with all of them relevant. Then the largest difference is
//!   `min(none + m, none + p, all + unknown - m)`: each further relevant document changes it by 1, 0 or -1, and these
//!   changes never rise, as in a flow.
//!
//! From R to R + 1, at most one group of each ranking changes its kind, so all R take O(n) steps.

use super::share;

/// The kinds of a document: out of the first R, in the tie group that R splits, and in the first R.
const OUT: usize = 0;
const SPLIT: usize = 1;
const IN: usize = 2;

/// Numbers of documents by their kind in A (the first index) and in B (the second).
type KindCounts = [[i64; 3]; 3];

/// A document, with its relevance and its kinds.
#[derive(Debug, Clone, Copy)]
pub struct CountedDocument {
    relevant: Option<bool>,
    /// The kinds in A and in B at the current cutoff.
    kinds: (usize, usize),
}

impl CountedDocument {
    pub fn new(relevant: Option<bool>) -> CountedDocument {
        CountedDocument { relevant, kinds: (OUT, OUT) }
    }
}

/// The index of the document at each rank, and the rank at which each tie group ends.
#[derive(Debug)]
pub struct CountedRanking<'p> {
    pub documents: Vec<u32>,
    pub ends: &'p [u32],
}

/// The tie group that a cutoff splits: its number of documents (`size`), and how many of its ranks are within the
/// cutoff (`slots`). If no group is split, these are 1 and 0.
#[derive(Debug, Clone, Copy)]
struct SplitGroup {
    size: i64,
    slots: i64,
}

/// Two rankings, and documents whose relevance is known or to be decided.
pub struct MovingCutoff<'p> {
    pub documents: Vec<CountedDocument>,
    pub a: CountedRanking<'p>,
    pub b: CountedRanking<'p>,
    /// The number of documents judged relevant. Those that neither ranking has count, too.
    pub relevant: usize,
    /// The number of unknown documents. Those that neither ranking has count, too.
    pub unknown: usize,
    /// Whether A is in its best order of ties and B in its worst. Otherwise, scores are means over tie orders.
    pub any_order: bool,
}

/// For one cutoff R: the numbers of documents of each kind, and the groups that R splits.
struct CutoffCounts {
    /// The documents judged relevant, by kind.
    known: KindCounts,
    /// The unknown documents, by kind.
    open: KindCounts,
    /// The group of A that R splits.
    a: SplitGroup,
    /// The group of B that R splits.
    b: SplitGroup,
    /// The number of all unknown documents.
    unknown: i64,
}

impl CutoffCounts {
    /// The most hits that A can have more than B, as a mean over tie orders, with m relevant unknown documents.
    fn mean(&self, m: i64) -> f64 {
        // If no group is split, the documents in A only become relevant first, and those in B only last.
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
        // The m documents with the largest weights are relevant.
        weights.sort_by(|x, y| y.0.total_cmp(&x.0));
        let mut left = m;
        for (weight, count) in weights {
            sum += weight * left.min(count) as f64;
            left -= left.min(count);
        }
        sum
    }

    /// The most hits that A can have more than B, with A in its best order and B in its worst, and m relevant unknown
    /// documents.
    fn any(&self, m: i64) -> f64 {
        let in_a = |kinds: &KindCounts, kind: usize| kinds[kind].iter().sum::<i64>();
        let in_b = |kinds: &KindCounts, kind: usize| kinds.iter().map(|of_a| of_a[kind]).sum::<i64>();
        // The ranks below R of the group of B that R splits. Relevant documents there are no hits.
        let behind = self.b.size - self.b.slots;
        let (at_a, at_b) = (in_a(&self.known, SPLIT), in_b(&self.known, SPLIT));
        let hits = |more_a: i64, more_b: i64| self.a.slots.min(at_a + more_a) - (at_b + more_b - behind).max(0);
        let none = in_a(&self.known, IN) - in_b(&self.known, IN) + hits(0, 0);
        let all = in_a(&self.known, IN) + in_a(&self.open, IN) - in_b(&self.known, IN) - in_b(&self.open, IN)
            + hits(in_a(&self.open, SPLIT), in_b(&self.open, SPLIT));
        // x is how many more relevant documents of A's split group are hits, and y how many more of B's split group are
        // not.
        let (x, y) = ((self.a.slots - at_a).max(0), (behind - at_b).max(0));
        let (of_a, of_b) = (self.open[IN][SPLIT].min(y), self.open[SPLIT][OUT].min(x));
        let of_both = self.open[SPLIT][SPLIT].min(y - of_a).min(x - of_b);
        let most = self.open[IN][OUT] + of_a + of_b + of_both;
        (none + m.min(most)).min(all + self.unknown - m) as f64
    }
}

/// A cutoff that moves down a ranking.
struct CutoffCursor<'p> {
    side: CountedRanking<'p>,
    /// The index of the first tie group that is not wholly within the cutoff.
    group: usize,
    is_split: bool,
}

impl CutoffCursor<'_> {
    fn start(&self) -> usize {
        if self.group == 0 { 0 } else { self.side.ends[self.group - 1] as usize }
    }

    /// Moves to a cutoff, and returns the group that it splits. Calls `change` with each document whose kind changes,
    /// and its new kind.
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

/// The largest difference of R-precision with exactly 0, 1, 2, ... relevant unknown documents.
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
    // Move the cutoff R down both rankings, and keep the numbers of documents of each kind up to date.
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
