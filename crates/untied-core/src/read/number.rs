//! Decimal numbers, exactly as the standard library reads them but faster where that is easy.

/// 10^0 .. 10^22: the powers of ten that an `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// What a field that should be a number turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotANumber {
    /// Not a number at all.
    Text,
    /// `nan`, `inf`, or too large for an `f64`.
    NotFinite,
}

impl NotANumber {
    /// What was expected instead, of something of this name.
    pub fn expected(self, name: &str) -> String {
        match self {
            NotANumber::Text => format!("a number as the {name}"),
            NotANumber::NotFinite => format!("a finite number as the {name}"),
        }
    }
}

/// A finite decimal number, correctly rounded.
///
/// Up to 19 digits without exponent whose value and power of ten are exact in an `f64` need one division
/// (Clinger's fast path); all others go through the standard library.
#[inline]
pub fn parse(field: &[u8]) -> Result<f64, NotANumber> {
    let (negative, digits) = match field {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, field),
    };
    let mut mantissa = 0u64;
    let mut point = None;
    if digits.len() > 19 {
        return parse_any(field);
    }
    for (i, &byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            mantissa = mantissa * 10 + u64::from(digit);
        } else if byte == b'.' && point.is_none() {
            point = Some(i);
        } else {
            return parse_any(field);
        }
    }
    let decimals = point.map_or(0, |i| digits.len() - i - 1);
    let counted = digits.len() - usize::from(point.is_some());
    if counted == 0 || mantissa > 1 << 53 {
        return parse_any(field);
    }
    let value = mantissa as f64 / POWERS[decimals];
    Ok(if negative { -value } else { value })
}

#[cold]
fn parse_any(field: &[u8]) -> Result<f64, NotANumber> {
    let text = std::str::from_utf8(field).map_err(|_| NotANumber::Text)?;
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(NotANumber::NotFinite),
        Err(_) => Err(NotANumber::Text),
    }
}

/// The number a text begins with, as C's `atof` reads it: 0 where there is none. Hexadecimal numbers are not known.
#[must_use]
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
#[must_use]
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
        // What is no number is 0, whatever its sign.
        assert!(atof(b"-x").is_sign_positive() && atof(b"-0x").is_sign_negative());
    }

    #[test]
    fn agrees_with_the_standard_library_to_the_last_bit() {
        for text in [
            "0",
            "-0",
            "1",
            "-1",
            "25.000000",
            "3.1415926535897932",
            "0.1",
            "123456789012345678",
            ".5",
            "5.",
            "1e3",
            "-2.5E-7",
            "9007199254740993",
            "70.84536",
            "0.00000000000000001",
            "1e-320",
            "+4.5",
            "1234567890.12345678901",
        ] {
            let ours = parse(text.as_bytes()).expect(text);
            let theirs: f64 = text.parse().expect(text);
            assert_eq!(ours.to_bits(), theirs.to_bits(), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_finite_number() {
        for text in ["", "-", ".", "-.", "abc", "9,5", "1.2.3", "0x10", "1e", "--1", "1_000"] {
            assert_eq!(parse(text.as_bytes()), Err(NotANumber::Text), "{text}");
        }
        for text in ["nan", "NaN", "inf", "-inf", "Infinity", "1e999"] {
            assert_eq!(parse(text.as_bytes()), Err(NotANumber::NotFinite), "{text}");
        }
    }
}
