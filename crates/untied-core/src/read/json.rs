//! JSON-lines: an object on every line, of which some members are needed.

use std::borrow::Cow;

use super::blocks::LineError;
use super::table::{Cell, Taker};
use crate::error::{quote, text};

/// Names of the members of the first object.
pub fn first_names(bytes: &[u8]) -> Result<(Vec<String>, usize), LineError> {
    let mut names = Vec::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() {
            members(line, |name, _| names.push(text(&name))).map_err(|what| malformed(line, number as u64, what))?;
            break;
        }
    }
    Ok((names, 0))
}

fn malformed(line: &[u8], number: u64, what: &str) -> LineError {
    let expected = format!("a JSON object on a line, with {what}");
    LineError { line: number, expected, found: quote(line.trim_ascii()) }
}

/// Parse objects whose members are needed by name.
pub fn parse(bytes: &[u8], names: &[String], needed: &[usize], taker: &mut Taker<'_>) -> Result<(), LineError> {
    let wanted: Vec<&[u8]> = needed.iter().map(|&column| names[column].as_bytes()).collect();
    let mut cells = vec![Cell::Missing; needed.len()];
    let mut lines = bytes.split(|&byte| byte == b'\n').enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        if line.trim_ascii().is_empty() {
            if lines.peek().is_some() {
                taker.skip();
            }
            continue;
        }
        cells.fill(Cell::Missing);
        let mut twice = None;
        members(line, |name, cell| {
            for (place, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted == name.as_ref()) {
                if !matches!(cells[place], Cell::Missing) {
                    twice = Some(quote(&name));
                }
                cells[place] = cell.clone();
            }
        })
        .map_err(|what| malformed(line, number as u64, what))?;
        if let Some(name) = twice {
            return Err(LineError {
                line: number as u64,
                expected: "every member once".into(),
                found: format!("{name} again"),
            });
        }
        taker.take(&cells, number as u64)?;
    }
    Ok(())
}

/// Call `visit` with the name and value of every member of the object that a line holds.
fn members<'a>(line: &'a [u8], mut visit: impl FnMut(Cow<'a, [u8]>, Cell<'a>)) -> Result<(), &'static str> {
    let mut text = Text(line);
    text.expect(b'{', "an opening brace")?;
    if text.peek() == Some(b'}') {
        text.expect(b'}', "")?;
    } else {
        loop {
            let name = text.string().map_err(|_| "names in quotes")?;
            text.expect(b':', "a colon after a name")?;
            visit(name, text.value()?);
            match text.take() {
                Some(b',') => {}
                Some(b'}') => break,
                _ => return Err("a comma between members and a closing brace"),
            }
        }
    }
    if text.peek().is_some() { Err("nothing behind the closing brace") } else { Ok(()) }
}

/// What is left of a line.
struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    fn peek(&mut self) -> Option<u8> {
        self.0 = self.0.trim_ascii_start();
        self.0.first().copied()
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.0 = &self.0[1..];
        Some(byte)
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), &'static str> {
        if self.take() == Some(byte) { Ok(()) } else { Err(what) }
    }

    /// The first so many bytes.
    fn split(&mut self, length: usize) -> &'a [u8] {
        let (first, rest) = self.0.split_at(length);
        self.0 = rest;
        first
    }

    fn value(&mut self) -> Result<Cell<'a>, &'static str> {
        match self.peek() {
            Some(b'"') => Ok(Cell::Text(self.string()?)),
            Some(b'{' | b'[') => self.nested().map(Cell::Other),
            Some(b'-' | b'0'..=b'9') => {
                let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
                let length = self.0.iter().position(|byte| !is_part(byte)).unwrap_or(self.0.len());
                Ok(Cell::Number(self.split(length)))
            }
            _ => {
                let length = self.0.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(self.0.len());
                match self.split(length) {
                    b"true" => Ok(Cell::Truth(true)),
                    b"false" => Ok(Cell::Truth(false)),
                    other @ (b"null" | b"NaN" | b"Infinity") => Ok(Cell::Other(other)),
                    _ => Err("a value after every name"),
                }
            }
        }
    }

    /// An array or an object, as it is written.
    fn nested(&mut self) -> Result<&'a [u8], &'static str> {
        let start = self.0;
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.string()?;
                    continue;
                }
                Some(b'{' | b'[') => depth += 1,
                Some(b'}' | b']') => depth -= 1,
                Some(_) => {}
                None => return Err("a closing bracket for every opening one"),
            }
            self.split(1);
            if depth == 0 {
                return Ok(&start[..start.len() - self.0.len()]);
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'a, [u8]>, &'static str> {
        const UNENDED: &str = "a closing quote for every opening one";
        self.expect(b'"', "a quote")?;
        let plain = self.0.iter().position(|&byte| byte == b'"' || byte == b'\\').ok_or(UNENDED)?;
        let mut string = Cow::Borrowed(self.split(plain));
        loop {
            let byte = self.0.first().copied().ok_or(UNENDED)?;
            self.split(1);
            match byte {
                b'"' => return Ok(string),
                b'\\' => self.escaped(string.to_mut())?,
                other => string.to_mut().push(other),
            }
        }
    }

    /// What follows a backslash.
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

    #[test]
    fn values_are_read() {
        let line = br#" {"a": "x\u00e9\ud83d\ude00\n\"\/", "b":-1.5e3 ,"c":{"d":["}",1]},"e":null,"f":true} "#;
        let mut found = Vec::new();
        members(line, |name, cell| found.push(format!("{} {cell:?}", text(&name)))).expect("an object");
        assert_eq!(found.len(), 5);
        let expected = Cell::Text(Cow::Owned("x\u{e9}\u{1f600}\n\"/".into()));
        assert_eq!(found[0], format!("a {expected:?}"));
        assert_eq!(found[1], format!("b {:?}", Cell::Number(b"-1.5e3")));
        assert_eq!(found[2], format!("c {:?}", Cell::Other(br#"{"d":["}",1]}"#)));
        assert_eq!(found[4], "f Truth(true)");
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for line in [
            "",
            "[]",
            "{",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1",
            "{\"a\":1}}",
            "{a:1}",
            "{\"a\":\"x}",
            "{\"a\":tru}",
            "{\"a\":\"\\x\"}",
            "{\"a\":\"\\ud800\"}",
            "{\"a\":[1}",
            "{\"a\":1,}",
            "{\"a\":1 \"b\":2}",
            "{}{}",
        ] {
            assert!(members(line.as_bytes(), |_, _| {}).is_err(), "{line}");
        }
        assert!(members(b"{}", |_, _| {}).is_ok());
    }
}
