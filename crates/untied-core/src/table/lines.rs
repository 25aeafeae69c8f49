//! Maps rows to the lines of a file or the rows of a table in memory from which they came, for messages.

use crate::error::Error;

/// The lines from which rows came: consecutive lines, except for skipped ones.
#[derive(Debug, Default, Clone)]
pub struct LineMap {
    /// The number of the chunk's first line, from 1; 0 if rows do not come from lines.
    pub first: u64,
    /// Whether they are rows of a table in memory, which messages number from 0.
    are_rows: bool,
    /// For each place where lines were skipped, the number of rows before it and of lines skipped up to it. Consecutive
    /// skipped lines share an entry, so a file of blank lines needs no memory.
    skipped: Vec<(u32, u64)>,
    /// If a line has the list of a query's documents: the number of rows up to the end of each line.
    ends: Option<Vec<u32>>,
}

impl LineMap {
    /// The map of rows of a table in memory, the first of which has this number.
    pub fn of_rows(first: u64) -> LineMap {
        LineMap { first: first + 1, are_rows: true, ..LineMap::default() }
    }

    /// Notes the end of a line that has a list, after `rows` rows. All lines that have rows have lists, then.
    pub fn end_list(&mut self, rows: usize) {
        self.ends.get_or_insert_default().push(rows as u32);
    }

    /// Whether each line has all documents of a query.
    pub(super) fn have_lists(&self) -> bool {
        self.ends.is_some()
    }

    /// Notes a line without a row after `rows` rows.
    pub fn skip(&mut self, rows: usize) {
        let rows = rows as u32;
        if let Some(ends) = &mut self.ends {
            ends.push(rows);
            return;
        }
        match self.skipped.last_mut() {
            Some((last, lines)) if *last == rows => *lines += 1,
            last => {
                let lines = last.map_or(0, |(_, lines)| *lines);
                self.skipped.push((rows, lines + 1));
            }
        }
    }

    /// The numbers of entries and of skipped lines before a row.
    fn skipped_before(&self, row: u32) -> (usize, u64) {
        let places = self.skipped.partition_point(|&(rows, _)| rows <= row);
        (places, places.checked_sub(1).map_or(0, |last| self.skipped[last].1))
    }

    /// The number of lines before a row, without those that were skipped.
    fn lines_before(&self, row: u32) -> usize {
        match &self.ends {
            Some(ends) => ends.partition_point(|&end| end <= row),
            None => row as usize,
        }
    }

    /// The place of a row, if it is known.
    pub(crate) fn line(&self, row: u32) -> Option<Location> {
        let line = self.first + self.lines_before(row) as u64 + self.skipped_before(row).1;
        let place = if self.are_rows { Location::Row(line - 1) } else { Location::Line(line) };
        (self.first > 0).then_some(place)
    }

    /// The map of the rows from this one on.
    pub(super) fn from(&self, row: u32) -> LineMap {
        let (places, before) = self.skipped_before(row);
        let lines = self.lines_before(row);
        LineMap {
            first: if self.first == 0 { 0 } else { self.first + lines as u64 + before },
            are_rows: self.are_rows,
            skipped: self.skipped[places..].iter().map(|&(rows, lines)| (rows - row, lines - before)).collect(),
            ends: self.ends.as_ref().map(|ends| ends[lines..].iter().map(|end| end - row).collect()),
        }
    }
}

/// The line or the row of a table from which a row came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Location {
    Line(u64),
    Row(u64),
}

impl Location {
    /// The name of the place in messages.
    pub(super) fn name(self) -> String {
        match self {
            Location::Line(line) => format!("line {line}"),
            Location::Row(row) => format!("row {row}"),
        }
    }
}

/// The error for something wrong at a place of an input.
pub(super) fn wrong(source: &str, place: Option<Location>, expected: &str, found: String) -> Error {
    match place {
        Some(Location::Row(row)) => Error::at_row(source, row, expected, &found),
        Some(Location::Line(line)) => Error::input(source, Some(line), expected, found),
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
        assert_eq!(lines, [12, 13, 17, 19, 20].map(|line| Some(Location::Line(line))));
        assert_eq!(map.skipped.len(), 3, "an entry a place, not a line");
        assert_eq!(LineMap::default().line(3), None);
    }
}
