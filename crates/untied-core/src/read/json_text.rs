//! Parses JSON (RFC 8259) with one object per line. It checks the complete line, also members that are not needed.
//!
//! It is stricter than the grammar in one point: half of a surrogate pair is an error, because a string must be text.
//! It is more lenient in another: members that are not needed may be `NaN`, `Infinity` or `-Infinity`, because Python's
//! `json` writes them.
//!
//! Why no library: `jiter` 0.19 takes 7 % more instructions for the lines of a run (327 million instead of 306 for 200,000
//! lines), ten more crates, refuses what is nested deeper than 200 levels and accepts strings that are not UTF-8 where it
//! skips them; `serde_json` 1.0 takes 45 % more (443 million), refuses `NaN` and accepts half of a pair where it skips.

use std::borrow::Cow;
use std::ops::Range;

use super::line::next_below;
use super::number::plain;
use super::record::Cell;

/// Call `visit` with the name and value of every member of the object that a line holds, and where the value stands. If
/// `lists` says so, an array is a [`Cell::List`].
pub fn members<'a>(
    line: &'a [u8],
    lists: bool,
    mut visit: impl FnMut(Cow<'a, [u8]>, Cell<'a>, Range<usize>),
) -> Result<(), &'static str> {
    let mut text = RestOfLine(line);
    if !text.passes(b'{') {
        return Err("an opening brace");
    }
    if !text.passes(b'}') {
        loop {
            let name = text.name()?;
            text.peek();
            let start = line.len() - text.0.len();
            let value = if lists { text.value_or_list()? } else { text.value()? };
            visit(name, value, start..line.len() - text.0.len());
            if text.ends(b'}')? {
                break;
            }
        }
    }
    if text.peek().is_some() { Err("nothing after the closing brace") } else { Ok(()) }
}

/// The text of a string without escapes, behind its opening quote, if it is ASCII; all strings that are not are left to
/// [`members`].
#[inline]
pub fn plain_string(text: &[u8]) -> Option<&[u8]> {
    let string = &text[..next_below(text, 0, b' ', [b'"', b'\\'])];
    string.is_ascii().then_some(string)
}

/// The number at the beginning of a text.
#[inline]
pub fn number(text: &[u8]) -> Option<&[u8]> {
    RestOfLine(text).number().ok()
}

/// The value and length of the number at the beginning of a text, if it is simple enough for fast parsing.
#[inline]
pub fn plain_number(text: &[u8]) -> Option<(f64, usize)> {
    let (value, length) = plain(text)?;
    let digits = text[..length].strip_prefix(b"-").unwrap_or(&text[..length]);
    let is_json = match digits {
        [b'0'] | [b'0', b'.', ..] => true,
        [first, ..] => (b'1'..=b'9').contains(first),
        [] => false,
    };
    let goes_on = matches!(text.get(length), Some(b'e' | b'E'));
    (is_json && digits.last() != Some(&b'.') && !goes_on).then_some((value, length))
}

/// Whether there is nothing in a line.
pub fn is_blank(line: &[u8]) -> bool {
    RestOfLine(line).peek().is_none()
}

/// The bytes of a line that are not parsed yet.
struct RestOfLine<'a>(&'a [u8]);

impl<'a> RestOfLine<'a> {
    /// The first byte behind white space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = self.0 {
            self.0 = rest;
        }
        self.0.first().copied()
    }

    /// Go past this byte, and white space in front of it, if it comes next.
    #[inline]
    fn passes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.split(usize::from(is_next));
        is_next
    }

    /// The first bytes, up to a number.
    #[inline]
    fn split(&mut self, length: usize) -> &'a [u8] {
        let (first, rest) = self.0.split_at(length);
        self.0 = rest;
        first
    }

    /// A member's name, and the colon.
    #[inline]
    fn name(&mut self) -> Result<Cow<'a, [u8]>, &'static str> {
        if self.peek() != Some(b'"') {
            return Err("names in quotes");
        }
        let name = self.string()?;
        if self.passes(b':') { Ok(name) } else { Err("a colon after a name") }
    }

    /// Behind a value: whether this bracket follows, or a comma.
    #[inline]
    fn ends(&mut self, bracket: u8) -> Result<bool, &'static str> {
        if self.passes(bracket) {
            Ok(true)
        } else if self.passes(b',') {
            Ok(false)
        } else if bracket == b'}' {
            Err("a comma between members and a closing brace")
        } else {
            Err("a comma between elements and a closing bracket")
        }
    }

    #[inline]
    fn value(&mut self) -> Result<Cell<'a>, &'static str> {
        match self.peek() {
            Some(b'{' | b'[') => self.nested().map(Cell::Other),
            _ => self.scalar(),
        }
    }

    /// A value, with its elements if it is an array; of these, arrays stay as they are written.
    fn value_or_list(&mut self) -> Result<Cell<'a>, &'static str> {
        let start = self.0;
        if !self.passes(b'[') {
            return self.value();
        }
        // An id or a number takes some twenty bytes.
        let mut list = Vec::with_capacity(start.len() / 32);
        let mut is_end = self.passes(b']');
        while !is_end {
            list.push(self.value()?);
            is_end = self.ends(b']')?;
        }
        Ok(Cell::List(&start[..start.len() - self.0.len()], list))
    }

    /// An array or an object, as it is written. What is open is kept in a list and not on the stack, however deep.
    fn nested(&mut self) -> Result<&'a [u8], &'static str> {
        let start = self.0;
        let mut open = Vec::new();
        loop {
            // In front of a value.
            let bracket = match self.peek() {
                Some(b'{') => Some(b'}'),
                Some(b'[') => Some(b']'),
                _ => None,
            };
            if let Some(bracket) = bracket {
                self.split(1);
                if !self.passes(bracket) {
                    open.push(bracket);
                    if bracket == b'}' {
                        self.name()?;
                    }
                    continue;
                }
            } else {
                self.scalar()?;
            }
            // Behind it.
            while let Some(&bracket) = open.last() {
                if !self.ends(bracket)? {
                    if bracket == b'}' {
                        self.name()?;
                    }
                    break;
                }
                open.pop();
            }
            if open.is_empty() {
                return Ok(&start[..start.len() - self.0.len()]);
            }
        }
    }

    fn scalar(&mut self) -> Result<Cell<'a>, &'static str> {
        match self.peek() {
            Some(b'"') => self.string().map(Cell::Text),
            Some(b'-' | b'0'..=b'9') if !self.0.starts_with(b"-I") => self.number().map(Cell::Number),
            _ => {
                let is_part = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'-';
                let length = self.0.iter().position(|byte| !is_part(byte)).unwrap_or(self.0.len());
                match self.split(length) {
                    b"true" => Ok(Cell::Truth(true)),
                    b"false" => Ok(Cell::Truth(false)),
                    other @ (b"null" | b"NaN" | b"Infinity" | b"-Infinity") => Ok(Cell::Other(other)),
                    _ => Err("values as JSON has them"),
                }
            }
        }
    }

    /// A number, as it is written.
    fn number(&mut self) -> Result<&'a [u8], &'static str> {
        const WRONG: &str = "numbers as JSON has them";
        let start = self.0;
        self.split(usize::from(self.0.starts_with(b"-")));
        let leads_with_zero = self.0.starts_with(b"0");
        let whole = self.digits();
        if whole == 0 || leads_with_zero && whole > 1 {
            return Err(WRONG);
        }
        if self.0.starts_with(b".") {
            self.split(1);
            if self.digits() == 0 {
                return Err(WRONG);
            }
        }
        if let [b'e' | b'E', rest @ ..] = self.0 {
            self.0 = rest;
            self.split(usize::from(matches!(rest, [b'-' | b'+', ..])));
            if self.digits() == 0 {
                return Err(WRONG);
            }
        }
        Ok(&start[..start.len() - self.0.len()])
    }

    /// Go past digits; how many they are.
    fn digits(&mut self) -> usize {
        let count = self.0.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.0.len());
        self.split(count).len()
    }

    /// Reads a string, whose opening quote comes next.
    #[inline]
    fn string(&mut self) -> Result<Cow<'a, [u8]>, &'static str> {
        self.split(1);
        let plain = self.plain()?;
        match self.0 {
            [b'"', rest @ ..] => {
                self.0 = rest;
                Ok(Cow::Borrowed(plain))
            }
            _ => self.rest_of_string(plain.to_vec()).map(Cow::Owned),
        }
    }

    #[cold]
    fn rest_of_string(&mut self, mut string: Vec<u8>) -> Result<Vec<u8>, &'static str> {
        loop {
            match self.0 {
                [b'"', rest @ ..] => {
                    self.0 = rest;
                    return Ok(string);
                }
                [b'\\', rest @ ..] => {
                    self.0 = rest;
                    self.escaped(&mut string)?;
                    string.extend_from_slice(self.plain()?);
                }
                [_, ..] => return Err("escapes for control characters"),
                [] => return Err("a closing quote for every opening one"),
            }
        }
    }

    /// Reads the bytes of a string up to its closing quote, an escape or a control character.
    #[inline]
    fn plain(&mut self) -> Result<&'a [u8], &'static str> {
        let part = self.split(next_below(self.0, 0, b' ', [b'"', b'\\']));
        if part.is_ascii() || std::str::from_utf8(part).is_ok() { Ok(part) } else { Err("strings in UTF-8") }
    }

    /// Reads the rest of an escape, after its backslash.
    fn escaped(&mut self, string: &mut Vec<u8>) -> Result<(), &'static str> {
        const WRONG: &str = "escapes as JSON has them";
        let escape = self.0.first().copied().ok_or(WRONG)?;
        self.split(1);
        string.push(match escape {
            b'"' | b'\\' | b'/' => escape,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let mut unit = self.unit().ok_or(WRONG)?;
                if (0xd800..0xdc00).contains(&unit) && self.0.starts_with(b"\\u") {
                    self.split(2);
                    let low = self.unit().filter(|low| (0xdc00..0xe000).contains(low)).ok_or(WRONG)?;
                    unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                }
                let character = char::from_u32(unit).ok_or(WRONG)?;
                string.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(WRONG),
        });
        Ok(())
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.0.get(..4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        self.split(4);
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(value: &[u8]) -> Option<&'static str> {
        let around = [b"{\"a\": ", value, b", \"b\": 1}"].concat();
        members(&around, false, |_, _, _| {}).err()
    }

    #[test]
    fn what_is_json_is_accepted() {
        let plain = r#"0 -0 10.50 1e5 1E-05 0.0e+0 [] {} [[],[{}],{"x":[1,2]}] [true,false,null,"\u0000"]
            {"x":{"x":1,"x":{}},"y":"]"} NaN [-Infinity,Infinity]"#;
        for value in plain.split_ascii_whitespace().chain(["[ ]", "[1 , 2]", "\"\u{7f}\u{2028}\""]) {
            assert_eq!(fault(value.as_bytes()), None, "{value}");
        }
        assert!(members(b"\t{ }\r", false, |_, _, _| {}).is_ok());
    }

    #[test]
    fn what_is_no_json_is_refused_wherever_it_stands() {
        let plain = r#"01 1. .5 - +1 1e 1e+ 1.e5 --1 -00 0x1 1_0 nan -NaN tru truex None 'x' x -Inf [1} {"x":1] [1,,2]
            [,1] [1,] [ ] {"x"} {1:2} {"x":} {"x":1,} {,} "\x" "\u12" "\ud800" "\udc00" "\ud800\u0041""#;
        let spaced = ["", "{\"x\" 1}", "[1 2]", "\"\t\"", "\"\0\"", "\x0c1", "1\u{a0}", "\u{feff}1"];
        for value in plain.split_ascii_whitespace().chain(spaced) {
            for value in [value.to_owned(), format!("[{value}]"), format!("[2,{{\"c\":{value}}}]")] {
                if value != "[]" {
                    assert!(fault(value.as_bytes()).is_some(), "{value}");
                }
            }
        }
        assert_eq!(fault(b"\"\xff\""), Some("strings in UTF-8"));
        let plain = r#"[] { 1 {"a"} {"a":1 {"a":1}} {a:1} {"a":1,} {}{}"#;
        for line in plain.split(' ').chain(["", "{\"a\":1 \"b\":2}"]) {
            assert!(members(line.as_bytes(), false, |_, _, _| {}).is_err(), "{line}");
        }
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = |opened: &str, closed: &str| [opened.repeat(1 << 20), "1".into(), closed.repeat(1 << 20)].concat();
        assert_eq!(fault(deep("[", "]").as_bytes()), None);
        assert_eq!(fault(deep("{\"x\":[", "]}").as_bytes()), None);
        assert!(fault(deep("[", "}").as_bytes()).is_some());
    }
}
