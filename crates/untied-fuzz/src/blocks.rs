//! Inputs of several blocks: lines that lie across the places where blocks are cut.

use arbitrary::{Result, Unstructured};
use untied_core::read;

use crate::archives::Packing;
use crate::readers::{RUN, assert_same, both, once};
use crate::scratch::with_file;
use crate::second;
use crate::threads::many;

/// Where the core cuts.
const BLOCK: usize = 1 << 19;

/// A file, and the same as a stream, on one thread and on several.
pub fn blocks(data: &[u8]) {
    let Ok(text) = text(&mut Unstructured::new(data)) else { return };
    if second::is_packed(&text) {
        return;
    }
    let theirs = || second::read(&text, &RUN).and_then(|rows| once(rows, |_, _| false));
    let of_file = || with_file(&text, |path| read::read_run(path, true));
    let archive = Packing::Gzip.pack(&text);
    let of_stream = || with_file(&archive, |path| read::read_run(path, true));
    for ours in [of_file(), many(of_file), of_stream(), many(of_stream)] {
        if let Some((run, rows)) = both(ours, theirs()) {
            assert_same(&run, &rows, &[1, 0]);
        }
    }
}

/// Lines, and here and there so much that the next ones lie near the end of a block.
fn text(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut fills = 0;
    let mut row = 0;
    while !u.is_empty() {
        match u.int_in_range(0..=9)? {
            0 if fills < 3 => {
                fills += 1;
                let next = (text.len() / BLOCK + 1) * BLOCK;
                let goal = (next + u.int_in_range(0..=40)?).saturating_sub(20).max(text.len());
                // A long comment, a long blank line, blanks within a row, blank lines, rows.
                let kind: u8 = u.int_in_range(0..=5)?;
                match kind {
                    0 => text.push(b'#'),
                    4 => text.extend_from_slice(b"q 0"),
                    5 => text.extend_from_slice(b"q 0 "),
                    _ => {}
                }
                let filling: &[u8] = match kind {
                    0 | 5 => b"x",
                    2 => b"\n",
                    3 => b"#\n\r\n",
                    _ => b" ",
                };
                text.extend(filling.iter().cycle().take(goal.saturating_sub(text.len())));
                if kind != 4 && u.ratio(3, 4)? {
                    text.push(b'\n');
                }
            }
            1 => text.extend_from_slice(u.bytes(1)?),
            2 => text.push(b'\n'),
            3 => text.extend_from_slice(b"# c\r\n"),
            4 => text.extend_from_slice(b" d 1 2 t\n"),
            other => {
                row += 1;
                let query = other % 3;
                text.extend_from_slice(format!("q{query} 0 d{row} 1 {row}.5 tag\n").as_bytes());
            }
        }
    }
    Ok(text)
}
