//! Tied rankings of few documents among few, each as one number.
//!
//! Where there are millions of them, what differs from query to query costs more than counting: every branch on it is
//! taken by chance. So consecutive queries are counted together, document after document, and sorted without branches.

use std::ops::Range;

use super::places::{Place, count_among, pack, write};
use super::score::Score;
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
    /// Their wanted documents, those of one query after those of the query before.
    fn wanted(&self) -> &[Place];

    /// Where a query's wanted documents end, and whether nothing but these is to be known of it.
    fn end(&self, query: usize) -> (usize, bool);

    /// The scores of a query, among those of all queries.
    fn scores(&self, query: usize) -> Range<usize>;
}

/// Rankings of consecutive queries; with room that is kept.
#[derive(Debug, Default)]
pub struct Short {
    /// Where the scores of the query of each wanted document begin and end, behind the beginning of the first query's.
    scores: Vec<(u32, u32)>,
    cells: Vec<u32>,
    rankings: Vec<u64>,
    /// The number of the first query.
    first: usize,
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

    /// Count, for the wanted documents of all queries from the first on, the scores that rank before their own and those
    /// equal to it. All queries have fewer than [`Short::LONG`] documents.
    #[inline]
    pub fn count<S: Score>(&mut self, scores: &[S::Raw], queries: Range<usize>, rows: &impl Rows, ascending: bool) {
        self.first = queries.start;
        let start = rows.scores(queries.start).start;
        self.lay_out(queries.clone(), rows, start);
        if ascending {
            self.count_before::<S>(&scores[start..], rows, |score, wanted| score < wanted);
        } else {
            self.count_before::<S>(&scores[start..], rows, |score, wanted| score > wanted);
        }
        self.rankings.clear();
        let (cells, mut start) = (&self.cells[..], 0);
        self.rankings.extend(queries.map(|query| {
            let (end, is_listed) = rows.end(query);
            let ranking = if is_listed && end - start <= MOST { packed(&cells[start..], end - start) } else { 0 };
            start = end;
            ranking
        }));
    }

    /// From how many documents on a query is too long.
    pub const LONG: usize = 1 << RANK_BITS;

    /// Write down where the scores of the query of each wanted document stand, counted from a place on.
    #[inline]
    fn lay_out(&mut self, queries: Range<usize>, rows: &impl Rows, first: usize) {
        // Room behind the last one, as queries are read and written as if they had the most documents.
        let room = rows.wanted().len() + MOST;
        if self.scores.len() < room {
            self.scores.resize(room, (0, 0));
            self.cells.resize(room, 0);
        }
        let mut start = 0;
        for query in queries {
            let (scores, (end, _)) = (rows.scores(query), rows.end(query));
            let scores = ((scores.start - first) as u32, (scores.end - first) as u32);
            match self.scores[start..].first_chunk_mut::<MOST>() {
                Some(several) if end - start <= MOST => *several = [scores; MOST],
                _ => self.scores[start..end].fill(scores),
            }
            start = end;
        }
    }

    #[inline(always)]
    fn count_before<S: Score>(
        &mut self,
        scores: &[S::Raw],
        rows: &impl Rows,
        is_before: impl Fn(S::Number, S::Number) -> bool,
    ) {
        for ((place, &(start, end)), cell) in rows.wanted().iter().zip(&self.scores).zip(&mut self.cells) {
            let scores = &scores[start as usize..end as usize];
            let score = S::number_of(scores[place.row as usize]);
            let (before, equal) = count_among::<S>(scores, score, &is_before);
            let is_too_low = place.level >> LEVEL_BITS > 0;
            *cell = if is_too_low { TOO_LOW } else { (before << RANK_BITS | equal) << LEVEL_BITS | place.level };
        }
    }

    /// The ranking of a query, if it was counted.
    #[inline]
    pub fn ranking(&self, query: usize) -> Option<ShortRanking> {
        let &ranking = self.rankings.get(query.wrapping_sub(self.first))?;
        (ranking != 0).then_some(ShortRanking(ranking))
    }
}
