//! Collects complete queries from a run that is read in pieces.

use super::{Block, Chunk, Names, Segment};

/// Takes the pieces of a run in order, and returns complete queries. It keeps back the last query, which may go on in the
/// next piece.
#[derive(Debug, Default)]
pub struct CompleteQueries {
    rest: Vec<Chunk>,
}

impl CompleteQueries {
    /// Takes the next piece, and returns the queries that are now complete.
    pub fn push(&mut self, chunks: Vec<Chunk>) -> Vec<Chunk> {
        self.rest.extend(chunks.into_iter().filter(|chunk| !chunk.segments.is_empty()));
        let Some(last) = self.rest.last().and_then(Chunk::last_query).map(<[u8]>::to_vec) else { return Vec::new() };
        // The last query began in the last chunk that has another one.
        let Some(begin) =
            self.rest.iter().rposition(|chunk| chunk.queries.len() > 1 || chunk.queries.get(0) != last.as_slice())
        else {
            return Vec::new();
        };
        let goes_on = self.rest[begin].last_query() == Some(&last);
        let after = self.rest.split_off(begin + 1);
        let mut complete = std::mem::replace(&mut self.rest, after);
        if goes_on && let Some(chunk) = complete.last_mut() {
            self.rest.insert(0, chunk.split_last_query());
        }
        complete
    }

    /// Returns the last query after the last piece.
    #[must_use]
    pub fn finish(self) -> Vec<Chunk> {
        self.rest
    }
}

impl Chunk {
    /// Removes the rows of the last query, back to the last row of another query, and returns them.
    fn split_last_query(&mut self) -> Chunk {
        let last = self.segments[self.segments.len() - 1].query;
        let first = self.segments.iter().rposition(|segment| segment.query != last).map_or(0, |before| before + 1);
        let start = self.segments[first].rows.start;
        self.segments.truncate(first);
        let mut block = Block::new(self.block.columns.len());
        block.are_distinct = self.block.are_distinct;
        (start as usize..self.block.len()).for_each(|row| block.push_from(&self.block, row));
        let marks = self.block.rounded.partition_point(|&(row, _)| row < start);
        block.rounded = self.block.rounded.drain(marks..).map(|(row, mark)| (row - start, mark)).collect();
        // Queries are numbered in order of appearance, so the last one has the last number unless it appeared before.
        let mut queries = Names::default();
        queries.number(self.queries.get(last as usize));
        queries.finish();
        if last as usize == self.queries.len() - 1 && self.segments.iter().all(|other| other.query != last) {
            self.queries.pop();
        }
        let segments = vec![Segment { query: 0, rows: 0..block.len() as u32 }];
        Chunk { queries, segments, lines: self.lines.from(start), block, ..Chunk::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Location;
    use super::*;

    /// Queries and documents, a line each; the lines of a piece are those from `first` on.
    fn chunk(first: u64, rows: &[(&str, &str)]) -> Chunk {
        let mut chunk = Chunk::new(1);
        let mut last = "";
        for (query, doc) in rows {
            if *query != last {
                chunk.start_query(query.as_bytes());
                last = query;
            }
            chunk.block.docs.push(doc.as_bytes());
            chunk.block.columns[0].push(0.0);
        }
        chunk.finish();
        chunk.lines.first = first;
        chunk
    }

    /// Queries with numbers of rows and the line of the first.
    fn seen(chunks: &[Chunk]) -> Vec<(String, usize, Option<Location>)> {
        let of_chunk = |chunk: &Chunk| {
            let of_segment = |segment: &Segment| {
                let id = String::from_utf8_lossy(chunk.queries.get(segment.query as usize)).into_owned();
                (id, segment.rows.len(), chunk.lines.line(segment.rows.start))
            };
            chunk.segments.iter().map(of_segment).collect::<Vec<_>>()
        };
        chunks.iter().flat_map(of_chunk).collect()
    }

    fn query(id: &str, rows: usize, line: u64) -> (String, usize, Option<Location>) {
        (id.into(), rows, Some(Location::Line(line)))
    }

    #[test]
    fn a_query_is_given_when_another_one_has_begun() {
        let mut queries = CompleteQueries::default();
        assert_eq!(seen(&queries.push(vec![])), []);
        assert_eq!(seen(&queries.push(vec![chunk(1, &[("a", "1")]), chunk(2, &[("a", "2"), ("a", "3")])])), []);
        let complete = queries.push(vec![chunk(4, &[("a", "4"), ("b", "1"), ("c", "1"), ("c", "2")])]);
        assert_eq!(seen(&complete), [query("a", 1, 1), query("a", 2, 2), query("a", 1, 4), query("b", 1, 5)]);
        assert_eq!(complete.last().map(|chunk| chunk.queries.len()), Some(2));
        assert_eq!(seen(&queries.push(vec![chunk(8, &[("d", "1")])])), [query("c", 2, 6)]);
        assert_eq!(seen(&queries.push(vec![chunk(9, &[("d", "2")])])), []);
        assert_eq!(seen(&queries.finish()), [query("d", 1, 8), query("d", 1, 9)]);
    }

    #[test]
    fn marks_of_rounded_numbers_stay_with_their_rows() {
        let mut piece = chunk(1, &[("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]);
        piece.block.rounded = vec![(1, 7), (3, 9)];
        let mut queries = CompleteQueries::default();
        let complete = queries.push(vec![piece]);
        assert_eq!(complete[0].block.rounded, [(1, 7)]);
        assert_eq!(queries.finish()[0].block.rounded, [(1, 9)]);
    }

    #[test]
    fn lines_are_known_behind_skipped_ones() {
        let mut piece = chunk(10, &[("a", "1"), ("b", "1"), ("b", "2")]);
        [0, 1, 2, 2].into_iter().for_each(|rows| piece.lines.skip(rows)); // lines 10, 12, 14 and 15
        let mut queries = CompleteQueries::default();
        assert_eq!(seen(&queries.push(vec![piece])), [query("a", 1, 11)]);
        let rest = queries.finish();
        assert_eq!([0, 1].map(|row| rest[0].lines.line(row)), [13, 16].map(|line| Some(Location::Line(line))));
    }
}
