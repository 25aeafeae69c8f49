//! The tie groups of a few documents among many, without an order of the others.
//!
//! With g scores greater than a document's and e equal to it, its own included, its group stands at the ranks g+1 .. g+e.
//! So where a measure reads only relevant documents, and these are few, counting replaces sorting. Where tied documents
//! stay in the order in which they are given, the equal scores in front of a document tell its own rank.

use super::score::Score;
use super::{Layout, Ranking, network};
use crate::grade::Level;

/// Scores are compared with this many wanted ones at a time.
const WANTED: usize = 4;
/// Up to how many bytes of wanted scores comparing costs less than sorting.
const MOST: usize = 512;
/// Among so few scores a loop without lanes of its own is best.
const FEW: usize = 16;

/// A document.
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
    /// Number of documents. Padding stands behind them.
    pub retrieved: usize,
    /// Whether any of all its documents is judged.
    pub judged: bool,
}

/// Counts scores of a query; with room that is kept between queries.
#[derive(Debug, Default)]
pub struct Places {
    /// Its documents, each packed into one number, sorted by rank.
    found: Vec<u128>,
}

/// Whether comparing scores of this type with this many wanted ones costs less than sorting them.
pub fn is_worth_it<S: Score>(wanted: usize, scores: usize) -> bool {
    2 * wanted <= scores && wanted * size_of::<S::Raw>() <= MOST
}

impl Places {
    /// Write the ranking of a query: count, for every wanted document, the scores that rank before its own and those equal
    /// to it; and where documents keep the order in which they are given, the equal ones before it. Whether tied documents
    /// differ in grade; levels have these grades.
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
        self.found.clear();
        if ascending {
            self.count_before::<S>(scores, wanted, |score, wanted| score < wanted);
        } else {
            self.count_before::<S>(scores, wanted, |score, wanted| score > wanted);
        }
        if layout == Layout::AsGiven {
            self.number::<S>(scores, wanted);
        }
        network::sort(&mut self.found);
        write(&self.found, scores.len(), grades, layout, ranking)
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
            self.found.extend(places.iter().zip(counts).map(|(place, counts)| pack(counts, place.level)));
        }
        for &place in rest {
            self.found.push(pack(count_among::<S>(scores, score(place), &is_before), place.level));
        }
    }

    /// Find which of equal scores are the wanted ones that were counted last, in the order in which they are given.
    fn number<S: Score>(&mut self, scores: &[S::Raw], wanted: &[Place]) {
        let first = self.found.len() - wanted.len();
        for (found, &Place { row, .. }) in self.found[first..].iter_mut().zip(wanted) {
            if unpack(*found).equal > 1 {
                let (before, score) = scores.split_at(row as usize);
                let is_equal = |&&raw: &&S::Raw| S::number_of(raw) == S::number_of(score[0]);
                *found |= (before.iter().filter(is_equal).count() as u128) << 64;
            }
        }
    }
}

/// Write the groups of documents that are sorted by rank, of a query with `retrieved` ones; whether tied documents differ
/// in grade.
#[inline]
fn write(found: &[u128], retrieved: usize, grades: &[f64], layout: Layout, ranking: &mut Ranking) -> bool {
    ranking.clear();
    ranking.retrieved = retrieved;
    let mut mixed = false;
    let mut rest = found;
    while let Some(&first) = rest.first() {
        let Found { before, level: highest, equal, .. } = unpack(first);
        if equal == 1 {
            ranking.push_one(before as usize, grades[highest as usize]);
            rest = &rest[1..];
            continue;
        }
        let (group, others) = rest.split_at(rest.partition_point(|&other| unpack(other).before == before));
        mixed |= group.len() < equal as usize || group.iter().any(|&other| unpack(other).level != highest);
        if layout == Layout::Tied {
            let levels = group.chunk_by(|one, other| one == other).map(|same| {
                let grade = grades[unpack(same[0]).level as usize];
                Level { grade, count: same.len() as u32 }
            });
            ranking.push(before as usize, equal as usize, levels);
        } else {
            for Found { number, level, .. } in group.iter().copied().map(unpack) {
                ranking.push_one((before + number) as usize, grades[level as usize]);
            }
        }
        rest = others;
    }
    mixed
}

/// A document that was counted.
struct Found {
    /// Scores that rank before its own.
    before: u32,
    /// Equal ones that are given before it, where that was asked for.
    number: u32,
    level: u32,
    /// Scores equal to its own, which is one of them.
    equal: u32,
}

/// As one number, which sorts by rank and then by level.
#[inline(always)]
fn pack((before, equal): (u32, u32), level: u32) -> u128 {
    u128::from(before) << 96 | u128::from(u64::from(level) << 32 | u64::from(equal))
}

#[inline(always)]
fn unpack(found: u128) -> Found {
    Found {
        before: (found >> 96) as u32,
        number: (found >> 64) as u32,
        level: (found >> 32) as u32,
        equal: found as u32,
    }
}

/// Count with counters as wide as the numbers: loops that the compiler turns into vectors of both.
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

/// Counts scores before and equal to one wanted score, one score at a time: for few scores.
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

/// Counts scores before and equal to one wanted score, one vector at a time: there may be too few for more.
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
