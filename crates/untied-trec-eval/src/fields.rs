//! Lines of fields, as trec_eval reads files that are not runs or plain qrels.

use untied_core::error::{Error, Result, quote};

use crate::Version;

/// Rows from lines of exactly `N` fields. Version 10 knows comments: lines that begin with `#`.
///
/// # Errors
/// The first line with another number of fields; a file without any line.
pub fn rows<'a, const N: usize, R>(
    bytes: &'a [u8],
    name: &str,
    version: Version,
    expected: &str,
    row: impl Fn([&'a [u8]; N]) -> R,
) -> Result<Vec<R>> {
    let mut rows = Vec::new();
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if version == Version::Ten && line.starts_with(b"#") {
            continue;
        }
        let mut fields = line.split(|&byte| is_space(byte)).filter(|field| !field.is_empty());
        let found: [&[u8]; N] = std::array::from_fn(|_| fields.next().unwrap_or_default());
        if found[N - 1].is_empty() || fields.next().is_some() {
            return Err(Error::input(name, Some(number as u64 + 1), expected, quote(line.trim_ascii_end())));
        }
        rows.push(row(found));
    }
    if rows.is_empty() {
        return Err(Error::input(name, None, expected, "no line"));
    }
    Ok(rows)
}

/// C's `isspace` in its own locale.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, version: Version) -> Result<Vec<usize>> {
        rows(text.as_bytes(), "file", version, "two fields", |[a, b]: [&[u8]; 2]| a.len() * 10 + b.len())
    }

    #[test]
    fn white_space_and_comments() {
        assert_eq!(read(" a\tbb \r\nccc\x0b\x0cd", Version::Nine).expect("two lines"), [12, 31]);
        assert_eq!(read("#a b\nc #d\n", Version::Ten).expect("one line"), [12]);
        assert_eq!(read("#a b\nc #d\n", Version::Nine).expect("two lines"), [21, 12]);
    }

    #[test]
    fn malformed_lines_are_told() {
        for (text, place) in [("a b\na\n", ", line 2"), ("a b c", ", line 1"), ("a b\n\n", ", line 2"), ("#\n", "")] {
            let error = read(text, Version::Ten).expect_err(text).to_string();
            assert!(error.starts_with(&format!("file{place}: expected two fields, found ")), "{error}");
        }
    }
}
