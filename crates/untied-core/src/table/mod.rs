//! Tables of rows by query. The rows of a query are a contiguous slice of columns; queries are sorted by id.

mod block;
mod chunks;
pub mod columns;
mod complete_queries;
mod ids;
pub mod index;
mod judgments;
mod lengths;
mod lines;
mod names;
pub mod part;
pub mod profiles;
mod qrels;
pub mod rounded;
mod run;
mod stored;
pub mod subtopics;

use std::collections::HashMap;
use std::ops::Range;

pub use block::{Block, Chunk, Segment};
pub use chunks::Chunks;
pub use complete_queries::CompleteQueries;
pub use ids::{Documents, are_equal, hash, hash_number};
pub use judgments::{Judgments, Levels, RowLevels};
pub use lengths::{Length, Lengths};
pub use lines::LineMap;
pub(crate) use lines::Location;
use lines::wrong;
pub use names::Names;
pub use qrels::Qrels;
pub use run::Run;
pub(crate) use run::{refuse_repeats, returned};

use crate::error::{Error, Result, quote};
use crate::{memory, watch};

/// Queries, sorted by id, with their rows.
#[derive(Debug, Default, Clone)]
pub struct Table {
    blocks: Vec<Block>,
    names: Names,
    queries: Vec<QueryRows>,
}

#[derive(Debug, Clone)]
struct QueryRows {
    block: u32,
    rows: Range<u32>,
}

/// The rows of one query.
#[derive(Clone)]
pub struct Rows<'a> {
    block: &'a Block,
    rows: Range<usize>,
}

impl<'a> Rows<'a> {
    /// No rows, which is the ranking of a query that a run lacks.
    pub fn none() -> Self {
        static EMPTY: Block =
            Block { docs: Documents::EMPTY, columns: Vec::new(), rounded: Vec::new(), are_distinct: true };
        Rows { block: &EMPTY, rows: 0..0 }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The document in row `i` of the query.
    #[inline]
    pub fn doc(&self, i: usize) -> &'a [u8] {
        self.block.docs.get(self.rows.start + i)
    }

    /// See [`ids::fetch`].
    fn fetch(&self) {
        self.block.docs.fetch(self.rows.clone());
    }

    /// The hashes of the documents.
    #[inline]
    pub fn hashes(&self) -> &'a [u32] {
        self.block.docs.hashes(self.rows.clone())
    }

    /// The number of columns of numbers.
    pub fn columns(&self) -> usize {
        self.block.columns.len()
    }

    /// A column of numbers; column 0 has the scores or grades.
    ///
    /// # Panics
    /// If the table was read without that column.
    #[inline]
    pub fn column(&self, column: usize) -> &'a [f64] {
        if self.rows.is_empty() { &[] } else { &self.block.columns[column][self.rows.clone()] }
    }
}

/// Where rows came from, which error messages need while a table is checked.
struct Origins {
    /// The line map of each chunk.
    lines: Vec<LineMap>,
    /// For each block of gathered rows, by its number: the chunk and row from which each of its rows was copied.
    gathered: HashMap<u32, Vec<(u32, u32)>>,
    /// The first query that returns after another one, and the line where it does.
    returned: Option<(usize, Option<Location>)>,
    /// The first query that has two rows with lists, and the line of the second.
    listed_again: Option<(usize, Option<Location>)>,
}

impl Origins {
    /// Refuses a query that has two rows with lists: together they are no ranking, and one of them may be old.
    fn refuse_second_lists(&self, table: &Table, source: &str) -> Result<()> {
        self.listed_again.map_or(Ok(()), |(query, place)| {
            Err(wrong(source, place, columns::ONE_LIST, format!("query {} again", quote(table.id(query)))))
        })
    }

    fn line(&self, block: u32, row: u32) -> Option<Location> {
        let (chunk, row) = match self.gathered.get(&block) {
            Some(rows) => rows[row as usize],
            None => (block, row),
        };
        self.lines[chunk as usize].line(row)
    }
}

/// A new block of gathered rows begins when one has this many bytes of ids.
const GATHER: usize = 1 << 28;

/// Returns the first of several errors in an input.
fn first_in_file(errors: impl IntoIterator<Item = (Option<Location>, Error)>) -> Result<()> {
    errors.into_iter().min_by_key(|(place, _)| *place).map_or(Ok(()), |(_, error)| Err(error))
}

/// Consecutive rows of a query: the number of their chunk, and the rows.
type RowRange = (u32, Range<u32>);

/// The rows of all queries, as ranges in chunks.
struct ByQuery {
    /// The ranges, query by query and in the order of the input. Queries are numbered as they first appear.
    sorted: Vec<RowRange>,
    /// For each query, the index after its last range.
    ends: Vec<usize>,
    /// The first query, by number, that returns after another one, and the line where it does.
    returned: Option<(u32, Option<Location>)>,
    /// The first query, by number, that has two rows with lists, and the line of the second.
    listed_again: Option<(u32, Option<Location>)>,
}

impl ByQuery {
    /// Takes the queries out of chunks, and numbers them by their ids.
    fn new(chunks: &mut [Chunk], names: &mut Names) -> Result<ByQuery> {
        let mut ranges: Vec<(u32, RowRange)> = Vec::new();
        // First the number of ranges of each query, then the index of its first one.
        let mut starts: Vec<usize> = Vec::new();
        let (mut last, mut returned, mut listed_again) = (u32::MAX, None, None);
        for (c, chunk) in chunks.iter_mut().enumerate() {
            watch::check()?;
            let global: Vec<u32> = chunk.queries.iter().map(|id| names.number(id)).collect();
            chunk.queries = Names::default();
            starts.resize(names.len(), 0);
            for segment in std::mem::take(&mut chunk.segments) {
                let number = global[segment.query as usize];
                let before = &mut starts[number as usize];
                if number != last && *before > 0 && returned.is_none() {
                    returned = Some((number, chunk.lines.line(segment.rows.start)));
                }
                if *before > 0 && chunk.lines.have_lists() && listed_again.is_none() {
                    // The place of an empty list is not known.
                    let place = (!segment.rows.is_empty()).then(|| chunk.lines.line(segment.rows.start)).flatten();
                    listed_again = Some((number, place));
                }
                *before += 1;
                last = number;
                ranges.push((number, (c as u32, segment.rows)));
            }
        }
        let mut sum = 0;
        starts.iter_mut().for_each(|start| sum += std::mem::replace(start, sum));
        let mut sorted = vec![(0, 0..0); ranges.len()];
        for (number, range) in ranges {
            let place = &mut starts[number as usize];
            sorted[*place] = range;
            *place += 1;
        }
        Ok(ByQuery { sorted, ends: starts, returned, listed_again })
    }

    /// The ranges of a query.
    fn ranges(&self, number: u32) -> &[RowRange] {
        let start = if number == 0 { 0 } else { self.ends[number as usize - 1] };
        &self.sorted[start..self.ends[number as usize]]
    }
}

impl Table {
    /// Joins chunks. If the rows of a query are not contiguous, because it spans two chunks or its lines are mixed with
    /// those of other queries, they are copied into a block of their own, in order.
    fn new(mut chunks: Vec<Chunk>) -> Result<(Table, Origins)> {
        let mut names = Names::default();
        let by_query = ByQuery::new(&mut chunks, &mut names)?;
        names.finish();
        let mut blocks = Vec::with_capacity(chunks.len() + 1);
        let mut lines = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            blocks.push(chunk.block);
            lines.push(chunk.lines);
        }
        watch::check()?;
        let order = names.order();
        watch::check()?;
        let sorted = |(number, line): (u32, Option<Location>)| {
            let query = order.iter().position(|&other| other == number)?;
            Some((query, line))
        };
        let (returned, listed_again) = (by_query.returned.and_then(sorted), by_query.listed_again.and_then(sorted));
        let mut table = Table { blocks, names: names.sorted(&order), queries: Vec::with_capacity(order.len()) };
        drop(names);
        let mut origins = Origins { lines, gathered: HashMap::new(), returned, listed_again };
        let mut in_place = vec![false; table.blocks.len()];
        for number in watch::until_stopped(order.into_iter()) {
            let (block, rows) = match by_query.ranges(number) {
                [(block, rows)] => {
                    in_place[*block as usize] = true;
                    (*block, rows.clone())
                }
                ranges => table.gather(ranges, &mut origins)?,
            };
            table.queries.push(QueryRows { block, rows });
        }
        watch::check()?;
        for (block, in_place) in table.blocks.iter_mut().zip(in_place) {
            if !in_place {
                *block = Block::default();
            }
        }
        Ok((table, origins))
    }

    /// The number of bytes of the ids in some rows of a chunk.
    fn bytes_of(&self, chunk: u32, rows: &Range<u32>) -> usize {
        rows.clone().map(|row| self.blocks[chunk as usize].docs.get(row as usize).len()).sum()
    }

    /// Copies the ranges of a query to the end of the last block of gathered rows.
    fn gather(&mut self, ranges: &[RowRange], origins: &mut Origins) -> Result<(u32, Range<u32>)> {
        let last = self.blocks.len() as u32 - 1;
        let full = self.blocks[last as usize].docs.bytes() > GATHER;
        let target = if origins.gathered.contains_key(&last) && !full { last } else { last + 1 };
        let numbers = self.blocks[ranges[0].0 as usize].columns.len();
        if target > last {
            self.blocks.push(Block::new(numbers));
        }
        let mut block = std::mem::take(&mut self.blocks[target as usize]);
        // Twice the size, because a growing column doubles its memory.
        let rows: usize = ranges.iter().map(|(_, rows)| rows.len()).sum();
        let bytes: usize = ranges.iter().map(|(chunk, rows)| self.bytes_of(*chunk, rows)).sum();
        memory::room::<u8>(
            2 * (bytes + rows * (numbers + 3) * size_of::<f64>()),
            "rows of a query that are not together",
        )?;
        let from = origins.gathered.entry(target).or_default();
        let start = block.len() as u32;
        for (chunk, rows) in ranges {
            for row in rows.clone() {
                if !block.docs.has_room(self.blocks[*chunk as usize].docs.get(row as usize)) {
                    return Err(chunks::too_many_ids(self.id(self.queries.len())));
                }
                block.push_from(&self.blocks[*chunk as usize], row as usize);
                from.push((*chunk, row));
            }
        }
        let end = block.len() as u32;
        self.blocks[target as usize] = block;
        Ok((target, start..end))
    }

    /// The number of queries.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// The id of a query by its number; queries are numbered in the order of ids.
    pub fn id(&self, query: usize) -> &[u8] {
        self.names.get(query)
    }

    /// The number of the query with this id.
    pub fn find(&self, id: &[u8]) -> Option<usize> {
        self.names.find(id)
    }

    /// For each query, its number in another table, or none if that lacks it.
    pub fn numbers_in<'a>(&'a self, other: &'a Table) -> impl Iterator<Item = Option<usize>> + 'a {
        // Both tables are sorted, so the search starts from the last result and gallops.
        let mut at = 0;
        self.names.iter().map(move |id| {
            let (all, mut step) = (other.len(), 1);
            while at + step < all && other.id(at + step) < id {
                step *= 2;
            }
            at = other.names.lower(at..all.min(at + step + 1), id);
            (at < all && other.id(at) == id).then_some(at)
        })
    }

    /// The queries that are in both tables, by their numbers in this one and in the other.
    pub fn common<'a>(&'a self, other: &'a Table) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.numbers_in(other).enumerate().filter_map(|(query, in_other)| Some((query, in_other?)))
    }

    /// The queries of both tables in the order of their ids, each with its number in this one and in the other.
    pub fn union<'a>(
        &'a self,
        other: &'a Table,
    ) -> impl Iterator<Item = (&'a [u8], Option<usize>, Option<usize>)> + 'a {
        let (mut i, mut j) = (0, 0);
        std::iter::from_fn(move || {
            let (mine, theirs) = ((i < self.len()).then(|| self.id(i)), (j < other.len()).then(|| other.id(j)));
            let id = match (mine, theirs) {
                (Some(mine), Some(theirs)) => mine.min(theirs),
                (mine, theirs) => mine.or(theirs)?,
            };
            let (is_here, is_there) = (mine == Some(id), theirs == Some(id));
            let query = (id, is_here.then_some(i), is_there.then_some(j));
            (i, j) = (i + usize::from(is_here), j + usize::from(is_there));
            Some(query)
        })
    }

    /// The rows of a query, in the order of the input.
    pub fn rows(&self, query: usize) -> Rows<'_> {
        let QueryRows { block, rows, .. } = &self.queries[query];
        Rows { block: &self.blocks[*block as usize], rows: rows.start as usize..rows.end as usize }
    }

    /// The number of rows of the longest query.
    pub fn longest(&self) -> usize {
        self.queries.iter().map(|query| query.rows.len()).max().unwrap_or(0)
    }

    /// The error for two rows of a query that contradict each other, with the place of the second, which the error blames.
    fn contradiction(
        &self,
        origins: &Origins,
        source: &str,
        query: usize,
        (first, second): (u32, u32),
        expected: &str,
        found: impl FnOnce(String, String) -> String,
    ) -> (Option<Location>, Error) {
        let (QueryRows { block, rows }, id) = (&self.queries[query], self.id(query));
        let line = |row| origins.line(*block, rows.start + row);
        let what = format!("document {} of query {}", quote(self.rows(query).doc(second as usize)), quote(id));
        let earlier = line(first).map_or("before".into(), |place| format!("in {}", place.name()));
        let place = line(second);
        (place, wrong(source, place, expected, found(what, earlier)))
    }
}
