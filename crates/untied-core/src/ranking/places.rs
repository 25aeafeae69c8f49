//! The tie groups of a few documents among many, without an order of the others.
//!
//! With g scores greater than a document's and e equal to it, its own included, its group stands at the ranks g+1 .. g+e.
//! So where a measure reads only relevant documents, and these are few, counting replaces sorting.

use super::Ranking;
use super::score::Score;
use crate::grade::Level;

/// Scores are compared with as many wanted ones as this at a time.
const LANES: usize = 4;
/// Up to how many bytes of wanted scores comparing costs less than sorting.
const MOST: usize = 512;

/// Counts scores; with room that is kept between queries.
#[derive(Debug, Default)]
pub struct Places {
    /// Scores before every wanted one, and those equal to it.
    counts: Vec<(u32, u32)>,
    /// Scores before a document, its level, and scores equal to its own.
    found: Vec<(u32, u32, u32)>,
}

/// Whether comparing scores of this type with this many wanted ones costs less than sorting them.
pub fn is_worth_it<S: Score>(wanted: usize, scores: usize) -> bool {
    2 * wanted <= scores && wanted * size_of::<S::Raw>() <= MOST
}

impl Places {
    /// Count, for every wanted score, those that rank before it and those equal to it; whether all scores are finite.
    #[inline]
    pub fn count<S: Score>(
        &mut self,
        scores: &[S::Raw],
        wanted: impl Iterator<Item = S::Raw>,
        ascending: bool,
    ) -> bool {
        if ascending {
            self.count_before::<S>(scores, wanted, |score, wanted| score < wanted)
        } else {
            self.count_before::<S>(scores, wanted, |score, wanted| score > wanted)
        }
    }

    #[inline(always)]
    fn count_before<S: Score>(
        &mut self,
        scores: &[S::Raw],
        mut wanted: impl Iterator<Item = S::Raw>,
        is_before: impl Fn(S::Number, S::Number) -> bool,
    ) -> bool {
        self.counts.clear();
        while let Some(first) = wanted.next() {
            let mut lanes = [S::number_of(first); LANES];
            let mut met = 1;
            for (lane, raw) in lanes[1..].iter_mut().zip(wanted.by_ref()) {
                *lane = S::number_of(raw);
                met += 1;
            }
            if met == LANES {
                self.counts.extend(count_lanes::<S, LANES>(scores, lanes, &is_before));
            } else {
                let one_by_one = lanes[..met].iter().flat_map(|&lane| count_lanes::<S, 1>(scores, [lane], &is_before));
                self.counts.extend(one_by_one);
            }
        }
        scores.iter().fold(true, |finite, &raw| finite & S::is_number(raw))
    }

    /// Write the groups of the documents whose scores were counted last, given their levels (indices into `grades`);
    /// whether tied documents differ in grade.
    pub fn rank(
        &mut self,
        levels: impl Iterator<Item = u32>,
        grades: &[f64],
        retrieved: usize,
        ranking: &mut Ranking,
    ) -> bool {
        ranking.clear();
        ranking.retrieved = retrieved;
        self.found.clear();
        self.found.extend(self.counts.iter().zip(levels).map(|(&(before, equal), level)| (before, level, equal)));
        self.found.sort_unstable();
        let mut mixed = false;
        for group in self.found.chunk_by(|one, other| one.0 == other.0) {
            let (start, highest, size) = group[0];
            if size == 1 {
                ranking.push_one(start as usize, grades[highest as usize]);
                continue;
            }
            let levels = group.chunk_by(|one, other| one.1 == other.1);
            let levels = levels.map(|same| Level { grade: grades[same[0].1 as usize], count: same.len() as u32 });
            ranking.push(start as usize, size as usize, levels);
            mixed |= group.partition_point(|document| document.1 == highest) < size as usize;
        }
        mixed
    }
}

/// Count with counters as wide as the numbers: loops that the compiler turns into vectors of both.
#[inline(always)]
fn count_lanes<S: Score, const N: usize>(
    scores: &[S::Raw],
    wanted: [S::Number; N],
    is_before: &impl Fn(S::Number, S::Number) -> bool,
) -> [(u32, u32); N] {
    let mut counts = [(0, 0); N];
    for scores in scores.chunks(S::MOST_COUNTED) {
        let (mut before, mut equal) = ([S::Count::default(); N], [S::Count::default(); N]);
        for &raw in scores {
            let score = S::number_of(raw);
            for lane in 0..N {
                before[lane] += S::Count::from(is_before(score, wanted[lane]));
                equal[lane] += S::Count::from(score == wanted[lane]);
            }
        }
        for (count, (before, equal)) in counts.iter_mut().zip(before.into_iter().zip(equal)) {
            count.0 += before.into() as u32;
            count.1 += equal.into() as u32;
        }
    }
    counts
}
