//! A line of learning-to-rank data: `label qid:Q feature:value ... # comment`.

use super::limits::{LineError, binary};
use super::line::Cursor;
use super::number;
use crate::error::quote;

/// Numbers of features are below this.
const FEATURE_END: usize = 1 << 24;

/// Read the line at the cursor, which has this number: its label and query, if it is neither blank nor a comment; `pair`
/// gets each feature's number and value, NaN for `NULL`.
pub(super) fn parse_line<'a>(
    cursor: &mut Cursor<'a>,
    line: u64,
    mut pair: impl FnMut(u32, f64),
) -> Result<Option<(f64, &'a [u8])>, LineError> {
    let wrong = |expected: String, found: String| LineError { line, expected, found };
    let start = *cursor;
    let first = cursor.field();
    if first.is_empty() {
        return if cursor.next_line() { Ok(None) } else { Err(binary(start.line(), line)) };
    }
    if first[0] == b'#' {
        cursor.skip_line();
        return Ok(None);
    }
    let label = number::parse(first).map_err(|error| wrong(error.expected("label"), quote(first)))?;
    let id = match cursor.field().strip_prefix(b"qid:") {
        Some(id) if !id.is_empty() => id,
        _ => return Err(wrong("qid:Q after the label".into(), quote(start.line()))),
    };
    let mut next = 0;
    loop {
        let field = cursor.field();
        if field.is_empty() {
            return if cursor.next_line() { Ok(Some((label, id))) } else { Err(binary(start.line(), line)) };
        }
        if field[0] == b'#' {
            cursor.skip_line();
            return Ok(Some((label, id)));
        }
        let (feature, value) = split(field).ok_or_else(|| {
            wrong(format!("feature:value, the feature a whole number below {FEATURE_END}"), quote(field))
        })?;
        if feature < next {
            let expected = "every feature once, in ascending order".into();
            return Err(wrong(expected, format!("{} after feature {}", quote(field), next - 1)));
        }
        next = feature + 1;
        match number::parse(value) {
            Ok(value) => pair(feature, value),
            Err(_) if value == b"NULL" => pair(feature, f64::NAN),
            Err(error) => {
                let hint = if value.eq_ignore_ascii_case(b"nan") { "; write NULL for a missing value" } else { "" };
                let found = format!("{}{hint}", quote(value));
                return Err(wrong(error.expected(&format!("value of feature {feature}")), found));
            }
        }
    }
}

/// The number of a feature, and its value as text.
#[inline]
fn split(field: &[u8]) -> Option<(u32, &[u8])> {
    let mut feature = 0;
    for (i, &byte) in field.iter().enumerate() {
        match byte {
            b'0'..=b'9' if feature < FEATURE_END => feature = 10 * feature + usize::from(byte - b'0'),
            b':' if i > 0 && feature < FEATURE_END => return Some((feature as u32, &field[i + 1..])),
            _ => break,
        }
    }
    None
}
