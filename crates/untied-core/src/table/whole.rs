//! Whole queries out of a run that comes piece by piece, query after query.

use super::{Block, Chunk, Names, Segment};

/// Keeps back the last query, which may go on in the next piece.
#[derive(Debug, Default)]
pub struct Whole {
    rest: Vec<Chunk>,
}

impl Whole {
    /// Take the next piece; give the queries that are complete now.
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

    /// There are no more pieces: what was kept back.
    #[must_use]
    pub fn finish(self) -> Vec<Chunk> {
        self.rest
    }
}

impl Chunk {
    /// Take the rows of the last query out, as far as they are together; there are others before them.
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
        // Queries have numbers in the order in which they came.
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
    use super::super::Place;
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
    fn seen(chunks: &[Chunk]) -> Vec<(String, usize, Option<Place>)> {
        let of_chunk = |chunk: &Chunk| {
            let of_segment = |segment: &Segment| {
                let id = String::from_utf8_lossy(chunk.queries.get(segment.query as usize)).into_owned();
                (id, segment.rows.len(), chunk.lines.line(segment.rows.start))
            };
            chunk.segments.iter().map(of_segment).collect::<Vec<_>>()
        };
        chunks.iter().flat_map(of_chunk).collect()
    }

    fn of(id: &str, rows: usize, line: u64) -> (String, usize, Option<Place>) {
        (id.into(), rows, Some(Place::Line(line)))
    }

    #[test]
    fn a_query_is_given_when_another_one_has_begun() {
        let mut whole = Whole::default();
        assert_eq!(seen(&whole.push(vec![])), []);
        assert_eq!(seen(&whole.push(vec![chunk(1, &[("a", "1")]), chunk(2, &[("a", "2"), ("a", "3")])])), []);
        let given = whole.push(vec![chunk(4, &[("a", "4"), ("b", "1"), ("c", "1"), ("c", "2")])]);
        assert_eq!(seen(&given), [of("a", 1, 1), of("a", 2, 2), of("a", 1, 4), of("b", 1, 5)]);
        assert_eq!(given.last().map(|chunk| chunk.queries.len()), Some(2));
        assert_eq!(seen(&whole.push(vec![chunk(8, &[("d", "1")])])), [of("c", 2, 6)]);
        assert_eq!(seen(&whole.push(vec![chunk(9, &[("d", "2")])])), []);
        assert_eq!(seen(&whole.finish()), [of("d", 1, 8), of("d", 1, 9)]);
    }

    #[test]
    fn marks_of_rounded_numbers_stay_with_their_rows() {
        let mut piece = chunk(1, &[("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]);
        piece.block.rounded = vec![(1, 7), (3, 9)];
        let mut whole = Whole::default();
        let given = whole.push(vec![piece]);
        assert_eq!(given[0].block.rounded, [(1, 7)]);
        assert_eq!(whole.finish()[0].block.rounded, [(1, 9)]);
    }

    #[test]
    fn lines_are_known_behind_skipped_ones() {
        let mut piece = chunk(10, &[("a", "1"), ("b", "1"), ("b", "2")]);
        [0, 1, 2, 2].into_iter().for_each(|rows| piece.lines.skip(rows)); // lines 10, 12, 14 and 15
        let mut whole = Whole::default();
        assert_eq!(seen(&whole.push(vec![piece])), [of("a", 1, 11)]);
        let rest = whole.finish();
        assert_eq!([0, 1].map(|row| rest[0].lines.line(row)), [13, 16].map(|line| Some(Place::Line(line))));
    }
}
