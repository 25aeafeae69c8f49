//! Decimal numbers, exactly as the standard library reads them but faster where that is easy.

/// 10^0 .. 10^22: the powers of ten that an `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Why a field is not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotANumber {
    /// It is text.
    Text,
    /// It is `nan`, `inf`, or too large for an `f64`.
    NotFinite,
}

impl NotANumber {
    /// What messages say was expected, with the name of the field.
    pub fn expected(self, name: &str) -> String {
        match self {
            NotANumber::Text => format!("a number as the {name}"),
            NotANumber::NotFinite => format!("a finite number as the {name}"),
        }
    }
}

/// A finite decimal number, correctly rounded.
#[inline]
pub fn parse(field: &[u8]) -> Result<f64, NotANumber> {
    match plain(field) {
        Some((value, length)) if length == field.len() => Ok(value),
        _ => parse_any(field),
    }
}

/// The number that a text begins with and its length, if it is an easy one: up to 19 digits without exponent, whose
/// value and power of ten are exact in an `f64`, need one division (Clinger's fast path).
#[inline]
pub fn plain(text: &[u8]) -> Option<(f64, usize)> {
    let mut mantissa = 0u64;
    let mut pass_digits = |start: usize| {
        let mut at = start;
        while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0'))
            && digit < 10
        {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        at
    };
    let start = usize::from(text.first() == Some(&b'-'));
    let whole = pass_digits(start);
    let (end, decimals) = match text.get(whole) {
        Some(b'.') => {
            let end = pass_digits(whole + 1);
            (end, end - whole - 1)
        }
        _ => (whole, 0),
    };
    let digits = whole - start + decimals;
    if digits == 0 || digits > 19 || mantissa > 1 << 53 {
        return None;
    }
    let value = mantissa as f64 / POWERS[decimals];
    Some((if start > 0 { -value } else { value }, end))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library_to_the_last_bit() {
        let texts = "0 -0 1 -1 25.000000 3.1415926535897932 0.1 123456789012345678 .5 5. 1e3 -2.5E-7 9007199254740993 \
                     70.84536 0.00000000000000001 1e-320 +4.5 1234567890.12345678901";
        for text in texts.split(' ') {
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
