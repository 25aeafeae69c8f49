//! Finds numbers that have more digits than 64-bit floats hold. Rounding keeps their order, but may make two different
//! numbers of a query equal, which would tie their documents without a warning.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Chunk, wrong};
use crate::error::{Error, Result, quote};

/// Decimal numbers of at most this many significant digits stay different as 64-bit floats.
pub const ALWAYS_DISTINCT: usize = 15;

/// The number of significant digits that identify a 64-bit float when it is printed.
pub const PRINTED: usize = 17;

/// A number that was rounded: its row in the block, and a mark of what it was. Equal numbers have equal marks, and no
/// number without a mark is equal to one with a mark.
pub type Rounded = (u32, u64);

/// The mark of a decimal number that was rounded to `value`, if it has more significant digits than `most`; a whole
/// number may have only [`ALWAYS_DISTINCT`] of them. If `most` is [`PRINTED`], a text that is `value` printed to more
/// digits has no mark either.
pub fn mark(text: &[u8], value: f64, most: usize) -> Option<u64> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let end = text.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(text.len());
    let (written, exponent) = text.split_at(end);
    let point = written.iter().position(|&byte| byte == b'.');
    let may_be_printed = most == PRINTED;
    let most = match () {
        () if value.abs() < f64::MIN_POSITIVE => 0, // where doubles are less dense
        () if point.is_none() && exponent.is_empty() => ALWAYS_DISTINCT,
        () => most,
    };
    let given = written.iter().copied().filter(|&byte| byte != b'.');
    if given.clone().skip_while(|&digit| digit == b'0').count() <= most {
        return None; // as nearly always, and before anything is allocated
    }
    let mut digits: Vec<u8> = given.collect();
    let behind = point.map_or(0, |point| written.len() - point - 1) as i64;
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    let leading = digits.iter().take_while(|&&digit| digit == b'0').count();
    let significant = &digits[leading..];
    if significant.len() <= most || (may_be_printed && is_printed(value, significant)) {
        return None;
    }
    let shift = std::str::from_utf8(exponent.get(1..).unwrap_or_default()).ok()?.parse::<i64>().unwrap_or(0);
    let all = written.len() as i64 - i64::from(point.is_some());
    let mut hasher = DefaultHasher::new();
    (negative, significant, shift - behind + all - digits.len() as i64).hash(&mut hasher);
    Some(hasher.finish())
}

/// Whether these are the digits of a double that is printed with as many digits.
fn is_printed(value: f64, significant: &[u8]) -> bool {
    let printed = format!("{:.*e}", significant.len() - 1, value.abs());
    printed.bytes().take_while(|&byte| byte != b'e').filter(|&byte| byte != b'.').eq(significant.iter().copied())
}

/// Refuses two different numbers of a query that rounding has made equal, and removes all marks.
pub(super) fn check(chunks: &mut [Chunk], source: &str, name: &str) -> Result<()> {
    let marks: Vec<Vec<Rounded>> = chunks.iter_mut().map(|chunk| std::mem::take(&mut chunk.block.rounded)).collect();
    if marks.iter().all(Vec::is_empty) {
        return Ok(()); // as nearly always
    }
    let mut first: HashMap<(&[u8], u64), (u64, &Chunk, u32)> = HashMap::new();
    let mut collisions = Vec::new();
    for (chunk, marks) in chunks.iter().zip(&marks) {
        for &(row, mark) in marks {
            let segment = chunk.segments.partition_point(|segment| segment.rows.end <= row);
            let query = chunk.queries.get(chunk.segments[segment].query as usize);
            let number = chunk.block.columns[0][row as usize];
            let (other, before, at) = *first.entry((query, number.to_bits())).or_insert((mark, chunk, row));
            if other != mark {
                collisions.push((query, (before, at), (chunk, row)));
            }
        }
    }
    let queries: HashSet<&[u8]> = first.keys().map(|&(query, _)| query).collect();
    for (chunk, marks) in chunks.iter().zip(&marks) {
        for segment in &chunk.segments {
            let query = chunk.queries.get(segment.query as usize);
            if !queries.contains(query) {
                continue;
            }
            for row in segment.rows.clone() {
                let number = chunk.block.columns[0][row as usize];
                if let Some(&(_, other, at)) = first.get(&(query, number.to_bits()))
                    && marks.binary_search_by_key(&row, |&(row, _)| row).is_err()
                {
                    collisions.push((query, (other, at), (chunk, row)));
                }
            }
        }
    }
    let first = collisions.into_iter().min_by_key(|&(_, _, (chunk, row))| chunk.lines.line(row));
    first.map_or(Ok(()), |(query, before, after)| Err(collision(source, name, query, before, after)))
}

fn collision(
    source: &str,
    name: &str,
    query: &[u8],
    (before, at): (&Chunk, u32),
    (chunk, row): (&Chunk, u32),
) -> Error {
    let number = chunk.block.columns[0][row as usize];
    let doc = |chunk: &Chunk, row: u32| quote(chunk.block.docs.get(row as usize));
    let place = chunk.lines.line(row);
    let earlier = before.lines.line(at).map_or(String::new(), |place| format!(" in {}", place.name()));
    let found = format!(
        "different {name}s of documents {}{earlier} and {} of query {} that both round to {number}: round them first if \
         they are to tie",
        doc(before, at),
        doc(chunk, row),
        quote(query)
    );
    wrong(source, place, &format!("{name}s that stay different as 64-bit floats"), found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_equal_marks() {
        let mark = |text: &str| mark(text.as_bytes(), text.parse().expect(text), PRINTED);
        for short in [
            "0",
            "-0.0",
            "25.000000",
            "0.12345678901234567",
            "1e300",
            "9007199254740000000",
            "0.000",
            "5e-324",
            "9007199254740992",
            "-0.10000000000000000555",
            "0.1000000000000000055511151231257827",
            "1e23",
        ] {
            assert_eq!(mark(short), None, "{short}");
        }
        let long = mark("0.1000000000000000055511151231257826");
        assert!(long.is_some());
        for same in [
            "1000000000000000055511151231257826e-34",
            "+.10000000000000000555111512312578260",
            "00.1000000000000000055511151231257826E+0",
        ] {
            assert_eq!(mark(same), long, "{same}");
        }
        for other in [
            "-0.1000000000000000055511151231257826",
            "1.000000000000000055511151231257826",
            "0.1000000000000000055511151231257828",
        ] {
            assert!(mark(other).is_some() && mark(other) != long, "{other}");
        }
        assert!(mark("9007199254740993") != mark("9007199254740992"));
        assert!(mark("1e-400") != mark("2e-400") && mark("1e-400") == mark("0.1e-399"));
    }
}
