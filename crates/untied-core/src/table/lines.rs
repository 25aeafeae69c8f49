//! The line of a file, or row of a table in memory, from which a row came: for messages.

use crate::error::Error;

/// Which line a row came from: consecutive ones but for skipped lines.
#[derive(Debug, Default, Clone)]
pub struct LineMap {
    /// Line of the chunk's first line, counted from 1; 0 where rows do not come from lines.
    pub first: u64,
    /// Whether these are rows of a table in memory, which messages count from 0.
    are_rows: bool,
    /// Where lines were skipped: how many rows came before, and how many lines were skipped by then. A file of nothing
    /// but blank lines takes no room.
    skipped: Vec<(u32, u64)>,
}

impl LineMap {
    /// Rows of a table in memory, the first of which has this number.
    pub fn of_rows(first: u64) -> LineMap {
        LineMap { first: first + 1, are_rows: true, skipped: Vec::new() }
    }

    /// A line without a row follows after `rows` rows.
    pub fn skip(&mut self, rows: usize) {
        let rows = rows as u32;
        match self.skipped.last_mut() {
            Some((last, lines)) if *last == rows => *lines += 1,
            last => {
                let lines = last.map_or(0, |(_, lines)| *lines);
                self.skipped.push((rows, lines + 1));
            }
        }
    }

    /// Places where lines were skipped before a row, and how many lines were.
    fn skipped_before(&self, row: u32) -> (usize, u64) {
        let places = self.skipped.partition_point(|&(rows, _)| rows <= row);
        (places, places.checked_sub(1).map_or(0, |last| self.skipped[last].1))
    }

    pub(crate) fn line(&self, row: u32) -> Option<Place> {
        let line = self.first + u64::from(row) + self.skipped_before(row).1;
        let place = if self.are_rows { Place::Row(line - 1) } else { Place::Line(line) };
        (self.first > 0).then_some(place)
    }

    /// That of the rows from this one on.
    pub(super) fn from(&self, row: u32) -> LineMap {
        let (places, before) = self.skipped_before(row);
        LineMap {
            first: if self.first == 0 { 0 } else { self.first + u64::from(row) + before },
            are_rows: self.are_rows,
            skipped: self.skipped[places..].iter().map(|&(rows, lines)| (rows - row, lines - before)).collect(),
        }
    }
}

/// Where a row came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Line(u64),
    Row(u64),
}

impl Place {
    /// For messages.
    pub(super) fn name(self) -> String {
        match self {
            Place::Line(line) => format!("line {line}"),
            Place::Row(row) => format!("row {row}"),
        }
    }
}

/// What is wrong at a place of an input.
pub(super) fn wrong(source: &str, place: Option<Place>, expected: &str, found: String) -> Error {
    match place {
        Some(Place::Row(row)) => Error::at_row(source, row, expected, &found),
        Some(Place::Line(line)) => Error::input(source, Some(line), expected, found),
        None => Error::input(source, None, expected, found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_know_their_lines() {
        let mut map = LineMap { first: 10, ..LineMap::default() };
        for rows in [0, 0, 2, 2, 2, 3] {
            map.skip(rows);
        }
        // Lines 10 and 11, 14 to 16, and 18 have no row.
        let lines: Vec<_> = (0..5).map(|row| map.line(row)).collect();
        assert_eq!(lines, [12, 13, 17, 19, 20].map(|line| Some(Place::Line(line))));
        assert_eq!(map.skipped.len(), 3, "an entry a place, not a line");
        assert_eq!(LineMap::default().line(3), None);
    }
}
