//! Comma- and tab-separated values, as RFC 4180 has them: a header; quotes around a field, doubled within it.

use std::borrow::Cow;

use super::blocks::LineError;
use super::table::{Cell, Taker};
use crate::error::{quote, text};

/// Names of the columns, and where the records begin.
pub fn header(bytes: &[u8], delimiter: u8) -> Result<(Vec<String>, usize), LineError> {
    let mut fields = Fields { bytes, at: 0, delimiter, line: 0 };
    let mut names = Vec::new();
    if bytes.is_empty() {
        return Ok((names, 0));
    }
    loop {
        let (field, last) = fields.next()?;
        names.push(text(&field));
        if last {
            return Ok((names, fields.at));
        }
    }
}

/// Parse records of so many fields.
pub fn parse(
    bytes: &[u8],
    delimiter: u8,
    width: usize,
    needed: &[usize],
    taker: &mut Taker<'_>,
) -> Result<(), LineError> {
    let mut fields = Fields { bytes, at: 0, delimiter, line: 0 };
    let mut places = vec![Vec::new(); width];
    for (place, &column) in needed.iter().enumerate() {
        places[column].push(place);
    }
    let mut cells = vec![Cell::Missing; needed.len()];
    while fields.at < bytes.len() {
        let (start, line) = (fields.at, fields.line);
        if matches!(&bytes[start..], [b'\n', ..] | [b'\r', b'\n', ..]) {
            fields.at += if bytes[start] == b'\n' { 1 } else { 2 };
            fields.line += 1;
            taker.skip();
            continue;
        }
        let mut count = 0;
        loop {
            let (field, last) = fields.next()?;
            if let Some((&only, more)) = places.get(count).and_then(|places| places.split_first()) {
                more.iter().for_each(|&place| cells[place] = Cell::Plain(field.clone()));
                cells[only] = Cell::Plain(field);
            }
            count += 1;
            if last {
                break;
            }
        }
        if count != width {
            let end = fields.at - usize::from(bytes[fields.at - 1] == b'\n');
            let found = format!("{count}: {}", quote(&bytes[start..end]));
            return Err(LineError { line, expected: format!("{width} fields, as in the header"), found });
        }
        taker.take(&cells, line)?;
        (line + 1..fields.line).for_each(|_| taker.skip()); // a record of several lines
    }
    Ok(())
}

/// Field after field.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    delimiter: u8,
    line: u64,
}

impl<'a> Fields<'a> {
    /// The next field, and whether it is the last of its record.
    fn next(&mut self) -> Result<(Cow<'a, [u8]>, bool), LineError> {
        let rest = &self.bytes[self.at..];
        if rest.first() == Some(&b'"') {
            return self.quoted(&rest[1..]);
        }
        let end = rest.iter().position(|&byte| byte == self.delimiter || byte == b'\n').unwrap_or(rest.len());
        self.at += end;
        let last = self.step(rest.get(end).copied());
        let field = if last { rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]) } else { &rest[..end] };
        Ok((Cow::Borrowed(field), last))
    }

    /// Go past what ends a field; whether it ends the record too.
    fn step(&mut self, end: Option<u8>) -> bool {
        self.at += usize::from(end.is_some());
        self.line += u64::from(end == Some(b'\n'));
        end != Some(self.delimiter)
    }

    fn quoted(&mut self, rest: &'a [u8]) -> Result<(Cow<'a, [u8]>, bool), LineError> {
        let begun = self.line;
        let wrong =
            |expected: &str, found: &[u8]| LineError { line: begun, expected: expected.into(), found: quote(found) };
        let mut field = Cow::Borrowed(&rest[..0]);
        let mut from = 0;
        loop {
            let Some(length) = rest[from..].iter().position(|&byte| byte == b'"') else {
                return Err(wrong("a quote at the end of a quoted field", rest));
            };
            let part = &rest[from..from + length];
            self.line += part.iter().filter(|&&byte| byte == b'\n').count() as u64;
            if field.is_empty() {
                field = Cow::Borrowed(part);
            } else {
                field.to_mut().extend_from_slice(part);
            }
            from += length + 1;
            if rest.get(from) != Some(&b'"') {
                break;
            }
            field.to_mut().push(b'"');
            from += 1;
        }
        self.at += 1 + from;
        let end = match &rest[from..] {
            [b'\r', b'\n', ..] => {
                self.at += 1;
                Some(b'\n')
            }
            [byte, ..] if *byte == self.delimiter || *byte == b'\n' => Some(*byte),
            [] | [b'\r'] => None,
            _ => return Err(wrong("the end of a field after its closing quote", &rest[..rest.len().min(from + 20)])),
        };
        if end.is_none() {
            self.at = self.bytes.len();
        }
        let last = self.step(end);
        Ok((field, last))
    }
}
