//! Files with names of columns: the core's reader against a second one that is built around `csv` and `serde_json`.

use untied_core::read::table::{TableFormat, read_table};
use untied_core::table::columns::Content;
use untied_core::{Error, Result};

use crate::held::{Held, KINDS, consistent};
use crate::readers::both;
use crate::scratch::with_file;
use crate::second::{Rows, is_packed};
use crate::second_table::{self, Refusal};
use crate::threads::many;

const FORMATS: [TableFormat; 3] = [TableFormat::Delimited(b','), TableFormat::Delimited(b'\t'), TableFormat::JsonLines];

const ROLES: [&str; 8] = ["query", "document", "score", "rank", "grade", "subtopic", "stratum", "probability"];

/// Names that a user gives a column.
const NAMES: [&str; 5] = ["x", "qid", "score", "a,\"b\"", "\u{e9}\n"];

/// Where the core cuts: a piece has so many bytes, and what is left of its last record.
const PIECE: usize = 1 << 19;

/// Two bytes say what it is, three how it is filled up so that it has several pieces, which one execution in 32 does: it
/// takes a hundred times as long. Then the text.
pub fn tables(data: &[u8]) {
    let [what, name, fill, at, end, text @ ..] = data else { return };
    if is_packed(text) {
        return;
    }
    let (format, kind) = (FORMATS[usize::from(*what) % 3], KINDS[usize::from(*what) / 3 % 6]);
    // None in half of the cases.
    let role = ROLES.get(usize::from(*name) % 16);
    let named: Vec<(String, String)> =
        role.map(|role| ((*role).into(), NAMES[usize::from(*name) / 16 % 5].into())).into_iter().collect();
    if data.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte)).is_multiple_of(32) {
        let text = filled(text, format, *fill, (*at, *end));
        compare(&text, format, kind, &named, true);
    } else {
        compare(text, format, kind, &named, false);
    }
}

fn compare(text: &[u8], format: TableFormat, kind: Content, named: &[(String, String)], on_several: bool) {
    let ours = || {
        with_file(text, |path| {
            let chunks = read_table(path, format, kind, named)?;
            Held::new(chunks, kind, path)
        })
    };
    let delimiter = match format {
        TableFormat::Delimited(delimiter) => Some(delimiter),
        TableFormat::JsonLines => None,
    };
    let theirs =
        second_table::read(text, delimiter, kind, named).and_then(|rows| consistent(rows, kind).map_err(Refusal::Line));
    assert_agree(ours(), theirs.clone());
    if on_several {
        assert_agree(many(ours), theirs);
    }
}

fn assert_agree(ours: Result<Held>, theirs: std::result::Result<Rows, Refusal>) {
    let theirs = match (&ours, theirs) {
        (Err(Error::Value(_)), Err(Refusal::Columns)) => {
            let shown = ours.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!shown.contains(char::is_control) && shown.len() < 8000, "{shown:?}");
            return;
        }
        (Err(error), Err(Refusal::Columns)) => panic!("not an error of columns: {error}"),
        (Ok(_), Err(Refusal::Columns)) => panic!("only ours finds the columns"),
        (_, Err(Refusal::Line(line))) => Err(line),
        (_, Ok(rows)) => Ok(rows),
    };
    if let Some((ours, rows)) = both(ours, theirs) {
        ours.assert_same(&rows);
    }
}

/// The same with so much between two lines, or in the middle of one, that what follows lies near the end of a piece.
fn filled(text: &[u8], format: TableFormat, kind: u8, (at, end): (u8, u8)) -> Vec<u8> {
    let begin_lines = |from: &[u8]| from.iter().position(|&byte| byte == b'\n').map_or(from.len(), |end| end + 1);
    let mut place = usize::from(at) * text.len() / 255;
    let unit: &[u8] = match kind % 8 {
        0 => b"x",
        1 => b" ",
        2 => b"\"\"",
        3 => b"x\n",
        of_lines => {
            let start = text[..place].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
            place = start + begin_lines(&text[start..]);
            match of_lines {
                4 => b"\n",
                5 => b"\r\n",
                _ => &text[start..place],
            }
        }
    };
    let header = if format == TableFormat::JsonLines { 0 } else { begin_lines(text) };
    let goal = PIECE + header + usize::from(end % 64) - 32;
    let times = goal.saturating_sub(place) / unit.len().max(1);
    [&text[..place], &unit.repeat(times), &text[place..]].concat()
}
