//! JSON-lines: an object on every line, of which some members are needed.

use std::borrow::Cow;
use std::ops::Range;

use super::json_text::{is_blank, members, number, plain_number, plain_string};
use super::limits::LineError;
use super::line::starts_with;
use super::number::parse as value_of;
use super::record::{Cell, FieldRole, Row, Taker, common};
use crate::error::{quote, text};
use crate::table::columns::Columns;

/// Names of the members of the first object, if there is one.
pub fn first_names(bytes: &[u8]) -> Result<Option<Vec<String>>, LineError> {
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if !is_blank(line) {
            let mut names = Vec::new();
            members(line, false, |name, _, _| names.push(text(&name)))
                .map_err(|what| malformed(line, number as u64, what))?;
            return Ok(Some(names));
        }
    }
    Ok(None)
}

fn malformed(line: &[u8], number: u64, what: &str) -> LineError {
    let expected = format!("a JSON object on a line, with {what}");
    LineError { line: number, expected, found: quote(line.trim_ascii()) }
}

/// Parse objects whose members are needed by name; how many lines there are.
pub fn parse(bytes: &[u8], names: &[String], needed: &[usize], taker: &mut Taker<'_>) -> Result<u64, LineError> {
    let wanted: Vec<&[u8]> = needed.iter().map(|&column| names[column].as_bytes()).collect();
    let mut cells = vec![Cell::Missing; needed.len()];
    let (mut at, mut line_number) = (0, 0);
    let mut shape = Shape::new(taker.columns());
    while at < bytes.len() {
        let length = if let Some(length) = shape.take(&bytes[at..], taker) {
            length
        } else {
            let rest = &bytes[at..];
            let line = &rest[..rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())];
            if is_blank(line) {
                if line.len() < rest.len() {
                    taker.skip();
                }
                at += line.len() + 1;
                line_number += 1;
                continue;
            }
            cells.fill(Cell::Missing);
            shape = Shape::new(taker.columns());
            let mut twice = None;
            members(line, taker.columns().lists.is_some(), |name, cell, place| {
                let of_name = wanted.iter().enumerate().filter(|(_, wanted)| **wanted == name.as_ref());
                let mut places = of_name.map(|(place, _)| place);
                shape.push(line, &cell, place, places.clone());
                if places.clone().any(|place| !matches!(cells[place], Cell::Missing)) {
                    twice = Some(quote(&name));
                }
                let first = places.next();
                places.for_each(|place| cells[place] = cell.clone());
                if let Some(place) = first {
                    cells[place] = cell;
                }
            })
            .map_err(|what| malformed(line, line_number, what))?;
            if let Some(name) = twice {
                let (expected, found) = ("every member once".into(), format!("{name} again"));
                return Err(LineError { line: line_number, expected, found });
            }
            taker.take(&cells, line_number)?;
            shape.end(line);
            line.len()
        };
        at += length + 1;
        line_number += 1;
    }
    Ok(line_number)
}

/// The text of a line around its values. The next line mostly has the same text, so only its values need parsing.
struct Shape<'a> {
    columns: &'a Columns,
    values: Vec<JsonValue<'a>>,
    /// The text after the last value.
    end: &'a [u8],
    /// How many bytes of the line are parsed into `values`, with the text before each.
    seen: usize,
    /// Whether any value needs more than the fast path.
    is_special: bool,
    /// The number of values before the first one that differs between lines of a query; 0 if the query comes after it.
    common: usize,
    /// The last line up to that value. If the next line begins with the same bytes, it belongs to the same query.
    begin: &'a [u8],
    row: Row<'a>,
}

/// A value of a line, with the text before it.
struct JsonValue<'a> {
    /// The text between the value before and this one.
    before: &'a [u8],
    is_text: bool,
    role: FieldRole,
}

impl<'a> Shape<'a> {
    fn new(columns: &'a Columns) -> Self {
        let row = Row::new(columns);
        Shape { columns, values: Vec::new(), end: &[], seen: 0, is_special: false, common: 0, begin: &[], row }
    }

    fn push(&mut self, line: &'a [u8], cell: &Cell<'a>, place: Range<usize>, mut cells: impl Iterator<Item = usize>) {
        let is_text = matches!(cell, Cell::Text(Cow::Borrowed(_)));
        let role = cells.next().map_or(FieldRole::Ignored, |cell| FieldRole::of_cell(self.columns, cell));
        let is_number = matches!(cell, Cell::Number(_));
        self.is_special |= cells.next().is_some() || !is_text && !is_number;
        // Quotes belong to what is around a value.
        let quotes = usize::from(is_text);
        let before = &line[self.seen..place.start + quotes];
        self.values.push(JsonValue { before, is_text, role });
        self.seen = place.end - quotes;
    }

    fn end(&mut self, line: &'a [u8]) {
        self.end = &line[self.seen..];
        if self.is_special {
            self.values.clear();
        }
        let roles: Vec<FieldRole> = self.values.iter().map(|value| value.role).collect();
        self.common = common(&roles);
    }

    /// Reads the first line of a text if it has this shape, and returns its length.
    #[inline]
    fn take(&mut self, text: &'a [u8], taker: &mut Taker<'_>) -> Option<usize> {
        let is_same = !self.begin.is_empty() && starts_with(text, self.begin);
        let (first, mut at) = if is_same { (self.common, self.begin.len()) } else { (0, 0) };
        let mut begin = at;
        for (index, JsonValue { before, is_text, role }) in self.values.iter().enumerate().skip(first) {
            if index == self.common {
                begin = at;
            }
            if !starts_with(&text[at..], before) {
                return None;
            }
            let start = at + before.len();
            let rest = &text[start..];
            let length = match (role, is_text) {
                (FieldRole::Number(_), true) => return None,
                (FieldRole::Number(to), false) => {
                    let (value, length) = match plain_number(rest) {
                        Some(plain) => plain,
                        None => {
                            let digits = number(rest)?;
                            (value_of(digits).ok()?, digits.len())
                        }
                    };
                    self.row.put_number(*to, start..start + length, value);
                    length
                }
                (_, true) => plain_string(rest)?.len(),
                (_, false) => {
                    let digits = number(rest)?;
                    if *role != FieldRole::Ignored && !digits.iter().all(u8::is_ascii_digit) {
                        return None;
                    }
                    digits.len()
                }
            };
            at = start + length;
            self.row.put(*role, text, start..at);
        }
        let rest = text[at..].strip_prefix(self.end)?;
        let is_line = !self.values.is_empty() && rest.first().is_none_or(|&byte| byte == b'\n');
        let is_taken = is_line && taker.take_row(text, &self.row, is_same);
        self.begin = if is_taken { &text[..begin] } else { &[] };
        is_taken.then_some(text.len() - rest.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::table::Chunk;
    use crate::table::columns::{Columns, Content};

    #[test]
    fn a_line_reads_the_same_behind_others_and_alone() {
        const VALUES: [&str; 16] = [
            "\"a\"",
            "\"b\"",
            "\"\"",
            "\"é\"",
            "\"\\u0061\"",
            "\"a\\\"\"",
            "1",
            "-0",
            "01",
            "1.5e3",
            "1.5e",
            "null",
            "true",
            "[1]",
            "\"\t\"",
            "\"x",
        ];
        const LINES: [&str; 7] = ["", " ", "{}", "{\"qid\": \"q\"}", "x", "{\"qid\": 1, \"qid\": 1}", "\r"];
        let names = ["qid", "docno", "score", "more"].map(String::from);
        let refs: Vec<&str> = names.iter().map(String::as_str).collect();
        let columns = Columns::find(Content::Run { ranks: false }, &refs, &[], "x").expect("columns");
        let needed: Vec<usize> = columns.needed().collect();
        let parsed = |text: &str, first: u64| {
            let mut chunk = Chunk::new(1);
            let error = {
                let mut taker = Taker::new(&columns, &mut chunk);
                parse(text.as_bytes(), &names, &needed, &mut taker).err()
            };
            chunk.finish();
            chunk.lines.first = first;
            let rows: Vec<_> = (0..chunk.block.len().min(chunk.block.columns[0].len()))
                .map(|row| {
                    let segment = chunk.segments.partition_point(|segment| segment.rows.end as usize <= row);
                    let query = chunk.queries.get(chunk.segments[segment].query as usize).to_vec();
                    let number = chunk.block.columns[0][row].to_bits();
                    (query, chunk.block.docs.get(row).to_vec(), number, chunk.lines.line(row as u32))
                })
                .collect();
            (rows, error.map(|error| (first + error.line, error.expected, error.found)))
        };
        let mut random = Random::new(3);
        let mut below = |n: usize| random.below(n as u64) as usize;
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..2000 {
            let mut values = ["\"q\"", "\"d\"", "1.5", "1"];
            let mut lines = Vec::new();
            for _ in 0..1 + below(8) {
                if below(3) == 0 {
                    values[below(4)] = VALUES[below(VALUES.len())];
                }
                let [query, document, score, more] = values;
                let gap = if below(20) == 0 { "" } else { " " };
                let plain = format!("{{\"qid\":{gap}{query}, \"docno\": {document}, \"score\": {score}");
                let tail = if below(20) == 0 { format!(", \"more\": {more}}}") } else { "}".into() };
                lines.push(if below(20) == 0 { LINES[below(LINES.len())].into() } else { plain + &tail });
            }
            let (together, wrong) = parsed(&(lines.join("\n") + "\n"), 1);
            let mut alone = Vec::new();
            let mut first_wrong = None;
            for (line, first) in lines.iter().zip(1..) {
                let (rows, wrong) = parsed(&format!("{line}\n"), first);
                alone.extend(rows);
                if wrong.is_some() {
                    first_wrong = wrong;
                    break;
                }
            }
            if wrong.is_none() {
                accepted += 1;
            } else {
                refused += 1;
            }
            assert_eq!((together, wrong), (alone, first_wrong), "{lines:?}");
        }
        assert!(accepted > 200 && refused > 200, "{accepted} {refused}");
    }
}
