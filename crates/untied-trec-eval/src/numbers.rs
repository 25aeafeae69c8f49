//! Numbers as C reads them: whatever a text begins with.

use untied_core::read::number::parse;

/// The number a text begins with, as C's `atof` reads it: 0 where there is none. Hexadecimal numbers are not known.
pub fn atof(text: &[u8]) -> f64 {
    parse(text).unwrap_or_else(|_| beginning(text))
}

#[cold]
fn beginning(text: &[u8]) -> f64 {
    let (sign, unsigned) = sign(text);
    let begins = |word: &[u8]| unsigned.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if begins(b"inf") {
        return sign * f64::INFINITY;
    }
    if begins(b"nan") {
        return f64::NAN;
    }
    let digits = |from: usize| unsigned[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if unsigned.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if let Some(b'e' | b'E') = unsigned.get(end) {
        let from = end + 1 + usize::from(matches!(unsigned.get(end + 1), Some(b'-' | b'+')));
        if digits(from) > 0 {
            end = from + digits(from);
        }
    }
    let number = std::str::from_utf8(&unsigned[..end]).ok().and_then(|text| text.parse::<f64>().ok());
    number.map_or(0.0, |number| sign * number)
}

/// The whole number a text begins with, as C's `atol` reads it: 0 where there is none.
pub fn atol(text: &[u8]) -> i64 {
    let (sign, unsigned) = sign(text);
    let digits = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).map(|digit| i64::from(digit - b'0'));
    let number = digits.fold(0i64, |number, digit| number.saturating_mul(10).saturating_add(digit));
    if sign < 0.0 { -number } else { number }
}

/// The sign of a number, 1 or -1, and what follows it; white space in front is skipped.
fn sign(text: &[u8]) -> (f64, &[u8]) {
    let start = text.iter().position(|byte| !matches!(byte, b' ' | b'\t'..=b'\r')).unwrap_or(text.len());
    match &text[start..] {
        [b'-', rest @ ..] => (-1.0, rest),
        [b'+', rest @ ..] => (1.0, rest),
        rest => (1.0, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_c_reads() {
        for (text, number, whole) in [
            ("", 0.0, 0),
            ("abc", 0.0, 0),
            ("-", 0.0, 0),
            (".", 0.0, 0),
            ("9,5", 9.0, 9),
            ("1.9", 1.9, 1),
            ("-2.5x", -2.5, -2),
            (" +3 4", 3.0, 3),
            ("1e", 1.0, 1),
            ("1e+", 1.0, 1),
            ("1e2z", 100.0, 1),
            (".5.5", 0.5, 0),
            ("1e999", f64::INFINITY, 1),
            ("-Infinity", f64::NEG_INFINITY, 0),
            ("infer", f64::INFINITY, 0),
            ("0x10", 0.0, 0),
            ("1_000", 1.0, 1),
            ("99999999999999999999", 1e20, i64::MAX),
        ] {
            assert_eq!((atof(text.as_bytes()), atol(text.as_bytes())), (number, whole), "{text}");
        }
        assert!(atof(b"nan").is_nan() && atof(b"-NaN(x)").is_nan());
        // Text that is no number is 0, with any sign.
        assert!(atof(b"-x").is_sign_positive() && atof(b"-0x").is_sign_negative());
    }
}
