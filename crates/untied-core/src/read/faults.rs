//! All malformed lines of a text file in columns. Reading stops at the first one; `untied check` lists them.

use super::blocks::{Blocks, Parsed};
use super::layout::{LineLayout, parse};
use super::limits::LineError;
use crate::error::{Error, Result};
use crate::table::Chunk;

/// Blocks that are parsed before their errors are collected.
const AT_ONCE: u64 = 64;

/// Malformed lines.
#[derive(Debug, Default)]
pub struct Faults {
    /// The errors of the first ones.
    pub errors: Vec<Error>,
    /// The number of all.
    pub count: u64,
}

/// The malformed lines of a file, with the errors of the first `most`.
///
/// # Errors
/// The file cannot be read to its end.
pub fn faults(path: &str, layout: &LineLayout, most: usize) -> Result<Faults> {
    let (mut blocks, mut faults, mut before) = (Blocks::open(path.into())?, Faults::default(), 0);
    let parse = |block: &[u8], room: &mut Chunk| Ok(of_block(block, layout, most, room));
    while let Some(parsed) = blocks.parse(AT_ONCE, &parse)? {
        for Parsed { value: (errors, count), lines } in parsed {
            let room = most - faults.errors.len();
            faults.errors.extend(errors.into_iter().take(room).map(|error| error.of(path, before)));
            faults.count += count;
            before += lines;
        }
    }
    Ok(faults)
}

/// The first malformed lines of a block, and the number of all: parsing goes on behind each.
fn of_block(block: &[u8], layout: &LineLayout, most: usize, room: &mut Chunk) -> Parsed<(Vec<LineError>, u64)> {
    let (mut errors, mut count, mut lines, mut rest) = (Vec::new(), 0, 0, block);
    loop {
        match parse(rest, layout, room) {
            Ok(more) => return Parsed { value: (errors, count), lines: lines + more },
            Err(mut error) => {
                rest = behind(rest, error.line);
                error.line += lines;
                lines = error.line + 1;
                count += 1;
                if errors.len() < most {
                    errors.push(error);
                }
            }
        }
    }
}

/// The bytes behind a line, counted from 0.
fn behind(bytes: &[u8], line: u64) -> &[u8] {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| &bytes[at + 1..]).nth(line as usize).unwrap_or_default()
}
