//! Finds the tie groups of a few documents among many by counting, without sorting.
//!
//! If g scores are greater than that of a document, and e are equal to it (its own included), its tie group has the ranks
//! g+1 to g+e. This is enough for measures that read only relevant documents, if these are few. If tied documents keep the
//! order of the input, the number of equal scores before a document gives its rank in the group.

use super::score::Score;
use super::{Layout, Ranking, few};
use crate::grade::Level;

/// How many wanted scores all scores are compared with at a time.
const WANTED: usize = 4;
/// If more than one of this many documents is wanted, sorting is faster.
const SPARSE: usize = 4;
/// With more bytes of wanted scores than this, sorting is faster.
const MOST: usize = 512;
/// Up to this many scores, the plain loop is fastest.
const FEW: usize = 16;

/// A document whose tie group is wanted.
#[derive(Debug, Default, Clone, Copy)]
pub struct Place {
    /// Its row in the query.
    pub row: u32,
    /// Its level.
    pub level: u32,
}

/// A query with few relevant documents.
#[derive(Debug, Clone, Copy)]
pub struct Sparse<'a> {
    /// The documents with a grade above 0.
    pub relevant: &'a [Place],
    /// The number of documents, without the padding at the end.
    pub retrieved: usize,
    /// Whether any document is judged.
    pub judged: bool,
}

/// Counts the scores of a query, in memory that is used again for the next query.
#[derive(Debug, Default)]
pub struct Places {
    /// The counts of each wanted document, packed into one number; see [`pack`].
    packed: Vec<u128>,
}

/// Whether so few of the documents are wanted that comparing all scores with theirs may be faster than sorting.
#[inline]
pub fn are_sparse(wanted: usize, documents: usize) -> bool {
    SPARSE * wanted <= documents
}

/// Whether comparing scores of this type with this many wanted ones is faster than sorting them.
pub fn is_worth_it<S: Score>(wanted: usize, scores: usize) -> bool {
    are_sparse(wanted, scores) && wanted * size_of::<S::Raw>() <= MOST
}

impl Places {
    /// Writes the ranking of a query, and returns whether tied documents have different grades. For each wanted document it
    /// counts the scores before its own and those equal to it and, if documents keep their order, the equal ones before it.
    /// `grades` has the grade of each level.
    #[inline]
    pub fn rank<S: Score>(
        &mut self,
        scores: &[S::Raw],
        wanted: &[Place],
        ascending: bool,
        layout: Layout,
        grades: &[f64],
        ranking: &mut Ranking,
    ) -> bool {
        self.packed.clear();
        if ascending {
            self.count_before::<S>(scores, wanted, |score, wanted| score < wanted);
        } else {
            self.count_before::<S>(scores, wanted, |score, wanted| score > wanted);
        }
        if layout == Layout::AsGiven {
            self.number::<S>(scores, wanted);
        }
        few::sort(&mut self.packed);
        write(&self.packed, scores.len(), grades, layout, ranking)
    }

    #[inline(always)]
    fn count_before<S: Score>(
        &mut self,
        scores: &[S::Raw],
        wanted: &[Place],
        is_before: impl Fn(S::Number, S::Number) -> bool,
    ) {
        let score = |place: Place| S::number_of(scores[place.row as usize]);
        let (several, rest) = if scores.len() <= FEW { (&[][..], wanted) } else { wanted.as_chunks::<WANTED>() };
        for places in several {
            let counts = count_several::<S>(scores, places.map(score), &is_before);
            self.packed.extend(places.iter().zip(counts).map(|(place, counts)| pack(counts, place.level)));
        }
        for &place in rest {
            self.packed.push(pack(count_among::<S>(scores, score(place), &is_before), place.level));
        }
    }

    /// Adds the number of equal scores before it to each wanted document that was counted.
    fn number<S: Score>(&mut self, scores: &[S::Raw], wanted: &[Place]) {
        let first = self.packed.len() - wanted.len();
        for (packed, &Place { row, .. }) in self.packed[first..].iter_mut().zip(wanted) {
            if unpack(*packed).equal > 1 {
                let (before, score) = scores.split_at(row as usize);
                let is_equal = |&&raw: &&S::Raw| S::number_of(raw) == S::number_of(score[0]);
                *packed |= (before.iter().filter(is_equal).count() as u128) << 64;
            }
        }
    }
}

/// Writes the groups of counted documents, which are sorted by rank, for a query that retrieved `retrieved` documents.
/// Returns whether tied documents have different grades.
#[inline]
fn write(packed: &[u128], retrieved: usize, grades: &[f64], layout: Layout, ranking: &mut Ranking) -> bool {
    ranking.clear();
    ranking.retrieved = retrieved;
    let mut mixed = false;
    let mut rest = packed;
    while let Some(&first) = rest.first() {
        let RankCounts { before, level: highest, equal, .. } = unpack(first);
        if equal == 1 {
            ranking.push_one(before as usize, grades[highest as usize]);
            rest = &rest[1..];
            continue;
        }
        let (group, others) = rest.split_at(rest.partition_point(|&other| unpack(other).before == before));
        mixed |= group.len() < equal as usize || group.iter().any(|&other| unpack(other).level != highest);
        if layout == Layout::Tied {
            let levels = group.chunk_by(|a, b| a == b).map(|of_level| {
                let grade = grades[unpack(of_level[0]).level as usize];
                Level { grade, count: of_level.len() as u32 }
            });
            ranking.push(before as usize, equal as usize, levels);
        } else {
            for RankCounts { number, level, .. } in group.iter().copied().map(unpack) {
                ranking.push_one((before + number) as usize, grades[level as usize]);
            }
        }
        rest = others;
    }
    mixed
}

/// The counts of a wanted document.
struct RankCounts {
    /// The number of scores that rank before its own.
    before: u32,
    /// The number of equal scores before it in the input, if it was counted.
    number: u32,
    level: u32,
    /// The number of scores equal to its own, which is one of them.
    equal: u32,
}

/// Packs counts into one number, so that numbers sort by rank and then by level.
#[inline(always)]
fn pack((before, equal): (u32, u32), level: u32) -> u128 {
    u128::from(before) << 96 | u128::from(u64::from(level) << 32 | u64::from(equal))
}

/// The counts in a packed number.
#[inline(always)]
fn unpack(packed: u128) -> RankCounts {
    RankCounts {
        before: (packed >> 96) as u32,
        number: (packed >> 64) as u32,
        level: (packed >> 32) as u32,
        equal: packed as u32,
    }
}

/// Counts the scores before and equal to several wanted scores. Counters are as wide as the numbers, so that the compiler
/// can use vectors of both.
#[inline(always)]
fn count_several<S: Score>(
    scores: &[S::Raw],
    wanted: [S::Number; WANTED],
    is_before: &impl Fn(S::Number, S::Number) -> bool,
) -> [(u32, u32); WANTED] {
    let mut counts = [(0, 0); WANTED];
    for scores in scores.chunks(S::MOST_COUNTED) {
        let (mut before, mut equal) = ([S::Count::default(); WANTED], [S::Count::default(); WANTED]);
        for &raw in scores {
            let score = S::number_of(raw);
            for lane in 0..WANTED {
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

/// Counts scores before and equal to one wanted score.
#[inline(always)]
fn count_among<S: Score>(
    scores: &[S::Raw],
    wanted: S::Number,
    is_before: &impl Fn(S::Number, S::Number) -> bool,
) -> (u32, u32) {
    if scores.len() <= FEW {
        return count_plainly::<S>(scores, wanted, is_before);
    }
    match size_of::<S::Raw>() {
        8 => count_one::<S, 2>(scores, wanted, is_before),
        4 => count_one::<S, 4>(scores, wanted, is_before),
        2 => count_one::<S, 8>(scores, wanted, is_before),
        _ => count_one::<S, 16>(scores, wanted, is_before),
    }
}

/// Counts scores before and equal to one wanted score, one score at a time.
#[inline(always)]
fn count_plainly<S: Score>(
    scores: &[S::Raw],
    wanted: S::Number,
    is_before: &impl Fn(S::Number, S::Number) -> bool,
) -> (u32, u32) {
    let (mut before, mut equal) = (S::Count::default(), S::Count::default());
    for &raw in scores {
        let score = S::number_of(raw);
        before += S::Count::from(is_before(score, wanted));
        equal += S::Count::from(score == wanted);
    }
    (before.into() as u32, equal.into() as u32)
}

/// Counts scores before and equal to one wanted score, one vector at a time.
#[inline(always)]
fn count_one<S: Score, const LANES: usize>(
    scores: &[S::Raw],
    wanted: S::Number,
    is_before: &impl Fn(S::Number, S::Number) -> bool,
) -> (u32, u32) {
    let (lanes, rest) = scores.as_chunks::<LANES>();
    let mut counts = (0, 0);
    for lanes in lanes.chunks(S::MOST_COUNTED) {
        let (mut before, mut equal) = ([S::Count::default(); LANES], [S::Count::default(); LANES]);
        for raws in lanes {
            for lane in 0..LANES {
                let score = S::number_of(raws[lane]);
                before[lane] += S::Count::from(is_before(score, wanted));
                equal[lane] += S::Count::from(score == wanted);
            }
        }
        for (before, equal) in before.into_iter().zip(equal) {
            counts.0 += before.into() as u32;
            counts.1 += equal.into() as u32;
        }
    }
    for &raw in rest {
        let score = S::number_of(raw);
        counts.0 += u32::from(is_before(score, wanted));
        counts.1 += u32::from(score == wanted);
    }
    counts
}
