//! JSON-lines: an object on every line, of which some members are needed.

use super::json_text::{is_blank, members};
use super::limits::LineError;
use super::record::{Cell, Taker};
use crate::error::{quote, text};

/// Names of the members of the first object.
pub fn first_names(bytes: &[u8]) -> Result<(Vec<String>, usize), LineError> {
    let mut names = Vec::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if !is_blank(line) {
            members(line, |name, _| names.push(text(&name))).map_err(|what| malformed(line, number as u64, what))?;
            break;
        }
    }
    Ok((names, 0))
}

fn malformed(line: &[u8], number: u64, what: &str) -> LineError {
    let expected = format!("a JSON object on a line, with {what}");
    LineError { line: number, expected, found: quote(line.trim_ascii()) }
}

/// Parse objects whose members are needed by name.
pub fn parse(bytes: &[u8], names: &[String], needed: &[usize], taker: &mut Taker<'_>) -> Result<(), LineError> {
    let wanted: Vec<&[u8]> = needed.iter().map(|&column| names[column].as_bytes()).collect();
    let mut cells = vec![Cell::Missing; needed.len()];
    let mut lines = bytes.split(|&byte| byte == b'\n').enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        if is_blank(line) {
            if lines.peek().is_some() {
                taker.skip();
            }
            continue;
        }
        cells.fill(Cell::Missing);
        let mut twice = None;
        members(line, |name, cell| {
            for (place, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted == name.as_ref()) {
                if !matches!(cells[place], Cell::Missing) {
                    twice = Some(quote(&name));
                }
                cells[place] = cell.clone();
            }
        })
        .map_err(|what| malformed(line, number as u64, what))?;
        if let Some(name) = twice {
            let (expected, found) = ("every member once".into(), format!("{name} again"));
            return Err(LineError { line: number as u64, expected, found });
        }
        taker.take(&cells, number as u64)?;
    }
    Ok(())
}
