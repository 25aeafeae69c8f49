//! Fields of a line: separated by any number of blanks, ended by a newline.

/// What a byte means to the readers.
const ORDINARY: u8 = 0;
const BLANK: u8 = 1;
const NEWLINE: u8 = 2;
const NUL: u8 = 3;

const CLASS: [u8; 256] = {
    let mut class = [ORDINARY; 256];
    class[b' ' as usize] = BLANK;
    class[b'\t' as usize] = BLANK;
    class[b'\r' as usize] = BLANK; // so CRLF ends a line like LF
    class[0x0b] = BLANK;
    class[0x0c] = BLANK;
    class[b'\n' as usize] = NEWLINE;
    class[0] = NUL;
    class
};

/// A position in a block of lines.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    /// Whether all lines have been read.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    #[inline]
    fn class(&self) -> u8 {
        self.bytes.get(self.at).map_or(NEWLINE, |&byte| CLASS[byte as usize])
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while self.class() == BLANK {
            self.at += 1;
        }
    }

    /// The next field of this line; empty where the line has no more, or a NUL byte comes first.
    #[inline]
    pub fn field(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let start = self.at;
        while self.class() == ORDINARY {
            self.at += 1;
        }
        &self.bytes[start..self.at]
    }

    /// If the line holds nothing more, go to the next one.
    #[inline]
    pub fn next_line(&mut self) -> bool {
        self.skip_blanks();
        let ended = self.class() == NEWLINE;
        if ended {
            self.at += 1;
        }
        ended
    }

    /// Go to the next line whatever this one still holds.
    pub fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |newline| newline + 1);
    }

    /// The whole line at this position, without its newline, for messages.
    pub fn line(&self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end])
    }
}

/// The fields of one line, for counting them in messages.
pub fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| CLASS[byte as usize] == BLANK).filter(|field| !field.is_empty())
}
