//! Tied rankings of few documents among few, each as one number.
//!
//! Where there are millions of them, what differs from query to query costs more than counting: every branch on it is
//! taken by chance. So the wanted documents of consecutive queries are listed, counted together, document after document,
//! and sorted without branches.

use std::ops::Range;

use super::places::{count_among, pack, write};
use super::score::{BEFORE, Counter, LANES, Score};
use super::{Layout, Ranking, network};

/// Bits of a rank: of queries with fewer documents than they can tell.
const RANK_BITS: u32 = 6;
const LEVEL_BITS: u32 = 3;
/// What is known of a document: scores that rank before its own, scores equal to it, and its level.
const CELL_BITS: u32 = 2 * RANK_BITS + LEVEL_BITS;
/// Most documents of a ranking.
const MOST: usize = 4;
/// Stands where there are fewer: it sorts last, and no document is like it.
const NOTHING: u32 = (1 << CELL_BITS) - 1;
/// Masks that keep the first cells of a ranking: the mask at index k keeps k cells. A table avoids a branch for each cell,
/// which processors could not predict.
const KNOWN: [[u32; MOST]; MOST + 1] =
    [[0, 0, 0, 0], [ALL, 0, 0, 0], [ALL, ALL, 0, 0], [ALL, ALL, ALL, 0], [ALL, ALL, ALL, ALL]];
const ALL: u32 = u32::MAX;
/// Stands for a document whose level does not fit.
const TOO_LOW: u32 = u32::MAX;

/// Consecutive queries, each with its number.
pub trait Rows {
    /// The documents of a query, among those of all queries.
    fn scores(&self, query: usize) -> Range<usize>;

    /// Whether nothing but its wanted documents is to be known of a query.
    fn is_known(&self, query: usize) -> bool;

    /// The level of each document of a query.
    fn levels(&self, query: usize) -> impl Iterator<Item = u32>;

    /// Documents of levels before this one are wanted.
    fn wanted(&self) -> u8;
}

/// A query of several.
#[derive(Debug, Clone, Copy)]
struct Query {
    /// Where its documents begin, counted from those of the first query, and how many they are.
    start: u16,
    len: u8,
    /// How many of them are wanted; or [`TOO_MANY`], as if there were.
    wanted: u8,
}

const TOO_MANY: u8 = u8::MAX;

/// Rankings of consecutive queries; with room that is kept.
#[derive(Debug, Default)]
pub struct Short {
    queries: Vec<Query>,
    /// Wanted documents. From the highest bits: the number of the query among these, in 8; where the document stands,
    /// counted from those of the first query, in 16; and its level, in 8.
    wanted: Vec<u32>,
    /// How many these are.
    listed: usize,
    /// For each wanted document, how many scores rank before its own, how many are equal, and its level, as [`count_before`]
    /// packs them.
    ///
    /// [`count_before`]: Short::count_before
    cells: Vec<u32>,
    rankings: Vec<u64>,
    /// The number of the first query, and where its documents begin.
    first: usize,
    start: usize,
}

/// The ranking of a query: its documents, each in [`CELL_BITS`], best first. It is not 0.
#[derive(Debug, Clone, Copy)]
pub struct ShortRanking(u64);

impl ShortRanking {
    /// How many of its bits are used.
    pub const BITS: u32 = MOST as u32 * CELL_BITS;

    /// As a number, which no other ranking of as many documents has.
    #[inline]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Write the groups of a query with `retrieved` documents; whether tied ones differ in grade. Levels have these grades.
    pub fn write(self, retrieved: usize, grades: &[f64], ranking: &mut Ranking) -> bool {
        let (mut found, mut known) = ([0; MOST], 0);
        for place in (0..MOST as u32).rev() {
            let cell = (self.0 >> (place * CELL_BITS)) as u32 & NOTHING;
            if cell != NOTHING {
                let rank = |shift: u32| cell >> shift & ((1 << RANK_BITS) - 1);
                let (before, equal) = (rank(RANK_BITS + LEVEL_BITS), rank(LEVEL_BITS));
                found[known] = pack((before, equal), cell & ((1 << LEVEL_BITS) - 1));
                known += 1;
            }
        }
        write(&found[..known], retrieved, grades, Layout::Tied, ranking)
    }
}

/// Count scores before and equal to a wanted one, one vector at a time, in one sum: each score counts with its weights.
#[inline(always)]
fn count_lanes<S: Score, const WIDTH: usize>(
    scores: &[S::Raw],
    len: usize,
    wanted: S::Number,
    is_before: &impl Fn(S::Number, S::Number) -> bool,
) -> (u32, u32) {
    let [before, equal] = &S::WEIGHTS[len];
    let mut sums = [S::Count::default(); WIDTH];
    let weights = before.as_chunks::<WIDTH>().0.iter().zip(equal.as_chunks::<WIDTH>().0);
    for (scores, (before, equal)) in scores.as_chunks::<WIDTH>().0.iter().zip(weights).take(len.div_ceil(WIDTH)) {
        for lane in 0..WIDTH {
            let score = S::number_of(scores[lane]);
            sums[lane] += before[lane].only_if(is_before(score, wanted));
            sums[lane] += equal[lane].only_if(score == wanted);
        }
    }
    let sum = sums.into_iter().fold(0, |sum, lane| sum + lane.into() as u32);
    (sum / BEFORE, sum % BEFORE)
}

/// The ranking of as many documents as are known, the first of these; 0 if one does not fit.
#[inline(always)]
fn packed(cells: &[u32], known: usize) -> u64 {
    let Some(cells) = cells.first_chunk::<MOST>() else { return 0 };
    let known = KNOWN[known.min(MOST)];
    let mut sorted: [u32; MOST] = std::array::from_fn(|place| cells[place] & known[place] | NOTHING & !known[place]);
    network::sort(&mut sorted);
    let packed = sorted.iter().fold(0, |packed, &cell| packed << CELL_BITS | u64::from(cell));
    if sorted[MOST - 1] > NOTHING { 0 } else { packed }
}

impl Short {
    /// Forget everything.
    pub fn clear(&mut self) {
        self.rankings.clear();
    }

    /// From how many documents on a query is too long.
    pub const LONG: usize = 1 << RANK_BITS;

    /// List the wanted documents of some queries, which all have fewer than [`Short::LONG`] documents; at most of 256.
    #[inline]
    pub fn list(&mut self, queries: Range<usize>, rows: &impl Rows) {
        self.clear();
        let start = rows.scores(queries.start).start;
        (self.first, self.start) = (queries.start, start);
        // Room behind the last one, as queries are read and written as if they had the most documents.
        let room = queries.len() * MOST + Short::LONG;
        if self.wanted.len() < room {
            self.wanted.resize(room, 0);
            self.cells.resize(room, 0);
        }
        let (all, mut listed) = (&mut self.wanted[..room], 0);
        self.queries.clear();
        self.queries.extend((0..=u8::MAX).zip(queries).map(|(number, query)| {
            let places = rows.scores(query);
            let (before, len) = (places.start - start, places.len());
            let mut wanted = 0;
            if let Some(to) = all[listed..].first_chunk_mut::<{ Short::LONG }>() {
                let first = u32::from(number) << 24 | (before as u32) << 8;
                // Without a branch: what is written here stays only if the document is wanted.
                for (row, level) in (0..).zip(rows.levels(query)) {
                    to[wanted % Short::LONG] = (first + (row << 8)).wrapping_add(level);
                    wanted += usize::from(level < u32::from(rows.wanted()));
                }
            }
            let is_known = rows.is_known(query) && wanted <= MOST;
            let wanted = if is_known { wanted as u8 } else { TOO_MANY };
            listed += if is_known { usize::from(wanted) } else { 0 };
            Query { start: before as u16, len: len as u8, wanted }
        }));
        self.listed = listed;
    }

    /// The documents of the queries of which few are wanted.
    pub fn known(&self) -> impl Iterator<Item = Range<usize>> {
        let known = self.queries.iter().filter(|query| query.wanted != TOO_MANY);
        known.map(|query| {
            let start = self.start + usize::from(query.start);
            start..start + usize::from(query.len)
        })
    }

    /// Count, for the listed documents, the scores that rank before their own and those equal to it.
    #[inline]
    pub fn count<S: Score>(&mut self, scores: &[S::Raw], ascending: bool) {
        if ascending {
            self.count_before::<S>(&scores[self.start..], |score, wanted| score < wanted);
        } else {
            self.count_before::<S>(&scores[self.start..], |score, wanted| score > wanted);
        }
        let (cells, mut start) = (&self.cells[..], 0);
        self.rankings.extend(self.queries.iter().map(|query| {
            if query.wanted == TOO_MANY {
                return 0;
            }
            let ranking = packed(&cells[start..], query.wanted.into());
            start += usize::from(query.wanted);
            ranking
        }));
    }

    #[inline(always)]
    fn count_before<S: Score>(&mut self, scores: &[S::Raw], is_before: impl Fn(S::Number, S::Number) -> bool) {
        for (&wanted, cell) in self.wanted[..self.listed].iter().zip(&mut self.cells) {
            let Query { start, len, .. } = self.queries[(wanted >> 24) as usize];
            let (start, len) = (usize::from(start), usize::from(len));
            let score = S::number_of(scores[(wanted >> 8) as usize & 0xffff]);
            let level = wanted & 0xff;
            // Those of the next queries count 0 times.
            let (before, equal) = match scores[start..].first_chunk::<LANES>() {
                Some(lanes) if len <= LANES => match size_of::<S::Raw>() {
                    8 => count_lanes::<S, 2>(lanes, len, score, &is_before),
                    4 => count_lanes::<S, 4>(lanes, len, score, &is_before),
                    _ => count_lanes::<S, LANES>(lanes, len, score, &is_before),
                },
                _ => count_among::<S>(&scores[start..start + len], score, &is_before),
            };
            *cell = if level >> LEVEL_BITS > 0 { TOO_LOW } else { (before << RANK_BITS | equal) << LEVEL_BITS | level };
        }
    }

    /// The ranking of a query, if it was counted.
    #[inline]
    pub fn ranking(&self, query: usize) -> Option<ShortRanking> {
        let &ranking = self.rankings.get(query.wrapping_sub(self.first))?;
        (ranking != 0).then_some(ShortRanking(ranking))
    }
}
