//! A second reader of lines and columns, written from the formats' description and as plainly as can be.

use std::collections::BTreeMap;

/// Rows by query, in the order of the file: document and numbers.
pub type Rows = BTreeMap<Vec<u8>, Vec<Row>>;

/// A row of a query.
#[derive(Debug, Clone)]
pub struct Row {
    /// Line in the file, from 1.
    pub line: u64,
    /// The document.
    pub document: Vec<u8>,
    /// The second field of formats that have an id there.
    pub other: Vec<u8>,
    /// The score or grade first.
    pub numbers: Vec<f64>,
}

/// What a column holds.
#[derive(Debug, Clone, Copy)]
pub enum Column {
    /// The query.
    Query,
    /// The document.
    Document,
    /// An id that is kept.
    Other,
    /// Something that is not read.
    Any,
    /// A number that this function makes of the field, if it can.
    Number(fn(&[u8]) -> Option<f64>),
}

/// A text format.
pub struct Format {
    /// The columns of a line.
    pub columns: &'static [Column],
    /// How many of the last columns may be missing; they are NaN then.
    pub optional: usize,
    /// Whether lines that begin with `#` are passed over.
    pub comments: bool,
    /// Whether blank lines are passed over.
    pub blanks: bool,
    /// Whether there may be more columns.
    pub more: bool,
    /// Whether a file of blank lines and comments only is taken; an empty one never is.
    pub rowless: bool,
}

/// A finite decimal number.
pub fn finite(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// White space within lines.
pub fn is_blank(byte: u8) -> bool {
    b" \t\r\x0b\x0c".contains(&byte)
}

/// Whether a file that begins so is not read as text.
pub fn is_packed(data: &[u8]) -> bool {
    let heads: [&[u8]; 3] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0"];
    heads.iter().any(|head| data.starts_with(head)) || is_refused(data)
}

/// Whether a file that begins so is known to be something else.
pub fn is_refused(data: &[u8]) -> bool {
    let heads: [&[u8]; 6] = [b"BZh", b"PK\x03\x04", b"\x04\x22\x4d\x18", b"PAR1", b"\xff\xfe", b"\xfe\xff"];
    heads.iter().any(|head| data.starts_with(head))
}

/// Lines with their numbers, without newlines and byte-order mark.
pub fn lines(data: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    (1..)
        .zip(data.split_inclusive(|&byte| byte == b'\n'))
        .map(|(number, line)| (number, line.strip_suffix(b"\n").unwrap_or(line)))
}

/// All rows, or the line that is malformed (none where there is no row at all).
pub fn read(data: &[u8], format: &Format) -> Result<Rows, Option<u64>> {
    let mut rows = Rows::new();
    for (line, text) in lines(data) {
        let fields: Vec<&[u8]> = text.split(|&byte| is_blank(byte)).filter(|field| !field.is_empty()).collect();
        let Some(first) = fields.first() else {
            if format.blanks {
                continue;
            }
            return Err(Some(line));
        };
        if format.comments && first[0] == b'#' {
            continue;
        }
        let (all, needed) = (format.columns.len(), format.columns.len() - format.optional);
        if fields.len() < needed || (fields.len() > all && !format.more) {
            return Err(Some(line));
        }
        // Of what follows the last column only the first byte is looked at.
        let binary = |(i, field): (usize, &&[u8])| field.contains(&0) && (i < all || i == all && field[0] == 0);
        if fields.iter().enumerate().any(binary) {
            return Err(Some(line));
        }
        let mut row = Row { line, document: Vec::new(), other: Vec::new(), numbers: Vec::new() };
        let mut query = Vec::new();
        for (i, column) in format.columns.iter().enumerate() {
            match (column, fields.get(i)) {
                (Column::Query, Some(field)) => query = field.to_vec(),
                (Column::Document, Some(field)) => row.document = field.to_vec(),
                (Column::Other, Some(field)) => row.other = field.to_vec(),
                (Column::Number(read), Some(field)) => row.numbers.push(read(field).ok_or(Some(line))?),
                (Column::Number(_), None) => row.numbers.push(f64::NAN),
                (_, _) => {}
            }
        }
        rows.entry(query).or_default().push(row);
    }
    let taken = !rows.is_empty() || format.rowless && !data.is_empty();
    if taken { Ok(rows) } else { Err(None) }
}

/// The first line whose document has come before under the same key, where `agrees` does not hold for the two.
pub fn contradiction(rows: &Rows, mut agrees: impl FnMut(&Row, &Row) -> bool) -> Option<u64> {
    let mut first = None;
    for rows in rows.values() {
        let mut seen: BTreeMap<(&[u8], &[u8]), &Row> = BTreeMap::new();
        for row in rows {
            let earlier = *seen.entry((&row.other, &row.document)).or_insert(row);
            if earlier.line != row.line && !agrees(earlier, row) {
                first = Some(first.map_or(row.line, |first: u64| first.min(row.line)));
            }
        }
    }
    first
}
