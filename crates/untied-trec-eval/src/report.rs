//! The report: lines of a measure, a topic and a value, topic by topic, then the summary.

use std::io::Write as _;

use rayon::prelude::*;
use untied_core::names::GEOMETRIC_FLOOR;
use untied_core::table::Run;

use crate::prefs;
use crate::{Failure, Kind, Options, Printed, code};

/// The value of a deviation that cannot be told.
const UNKNOWN: f64 = -1_000_000.0;

/// The results of an evaluation.
#[derive(Debug)]
pub struct Values {
    /// The topics, ids ascending.
    pub topics: Vec<Topic>,
    /// Their values: a row a topic, a column a line of the report (0 where it has none).
    pub cells: Vec<f64>,
    /// The number of topics in a mean.
    pub averaged: usize,
    /// The summary's number of relevant documents, where it is not the topics' sum.
    pub relevant: Option<usize>,
    /// Why there are no more topics, and no summary.
    pub failure: Option<Failure>,
}

/// A topic that is evaluated.
#[derive(Debug)]
pub struct Topic {
    /// Its id.
    pub id: Vec<u8>,
    /// The text that `relstring` prints.
    pub relevances: Vec<u8>,
}

/// A report, to be written piece by piece.
#[derive(Debug)]
pub struct Report {
    lines: Vec<Line>,
    values: Values,
    tag: Vec<u8>,
    /// Whether values are deviations from means; counts then are no whole numbers.
    deviations: bool,
    per_topic: bool,
    summary: bool,
}

#[derive(Debug)]
struct Line {
    /// The name, filled up to the next column.
    head: String,
    kind: Kind,
    /// Whether values are whole numbers, which are summed.
    whole: bool,
    /// The value of the summary.
    total: f64,
}

/// Topics in a piece of a report.
const PIECE: usize = 4096;

/// Topics that a thread writes at a time.
const SHARE: usize = 64;

impl Report {
    /// Put values together.
    ///
    /// # Errors
    /// There is no topic.
    pub(super) fn new(
        lines: Vec<Printed>,
        mut values: Values,
        deviations: Option<&Run>,
        tag: Vec<u8>,
        options: &Options,
    ) -> Result<Report, Failure> {
        if values.topics.is_empty() && values.failure.is_none() {
            let message = "no topic has both judgments and results".into();
            return Err(Failure { code: code::NOTHING, message });
        }
        let geometric = |column: usize| matches!(lines[column].kind, Kind::Geometric(_));
        let width = lines.len();
        for (row, topic) in values.topics.iter().enumerate() {
            let cells = &mut values.cells[row * width..(row + 1) * width];
            for (_, cell) in cells.iter_mut().enumerate().filter(|(column, _)| geometric(*column)) {
                *cell = cell.max(GEOMETRIC_FLOOR).ln();
            }
            if let Some(deviations) = deviations {
                deviate(cells, &lines, &topic.id, deviations);
            }
        }
        let total = |column: usize, line: &Printed| {
            let averaged = values.averaged as f64;
            let sum = values.cells.iter().skip(column).step_by(width).fold(0.0, |sum, cell| sum + cell);
            match line.kind {
                Kind::Topics => averaged,
                Kind::Tag | Kind::Relevances(_) => 0.0,
                Kind::Count(_) if line.name == "num_rel" => values.relevant.map_or(sum, |relevant| relevant as f64),
                _ if is_count(line) => sum,
                Kind::Geometric(_) => {
                    let missing = averaged - values.topics.len() as f64;
                    ((sum + missing * GEOMETRIC_FLOOR.ln()) / averaged).exp()
                }
                _ => sum / averaged,
            }
        };
        let totals: Vec<f64> = lines.iter().enumerate().map(|(column, line)| total(column, line)).collect();
        let line = |(line, total)| {
            let whole = is_count(&line) || matches!(line.kind, Kind::Topics);
            let Printed { name, kind, .. } = line;
            // Only these are written by way of their own.
            let plain = matches!(kind, Kind::Tag | Kind::Relevances(_));
            let mark = if deviations.is_some() && !plain { "Z" } else { "" };
            let fill = " ".repeat(22usize.saturating_sub(name.len()));
            Line { head: format!("{mark}{name}{fill}\t"), kind, whole, total }
        };
        Ok(Report {
            lines: lines.into_iter().zip(totals).map(line).collect(),
            values,
            tag,
            deviations: deviations.is_some(),
            per_topic: options.per_topic,
            summary: options.summary,
        })
    }

    /// Why the report ends before its end.
    pub fn failure(&self) -> Option<&Failure> {
        self.values.failure.as_ref()
    }

    /// A piece of the text, by its number; none after the last.
    pub fn text(&self, piece: usize) -> Option<Vec<u8>> {
        let topics = if self.per_topic { self.values.topics.len() } else { 0 };
        let pieces = topics.div_ceil(PIECE);
        if piece < pieces {
            let rows: Vec<usize> = (piece * PIECE..topics.min((piece + 1) * PIECE)).collect();
            let texts: Vec<Vec<u8>> = rows
                .par_chunks(SHARE)
                .map(|rows| {
                    let mut out = Vec::new();
                    rows.iter().for_each(|&row| self.write_topic(row, &mut out));
                    out
                })
                .collect();
            return Some(texts.concat());
        }
        let summary = self.summary && self.values.failure.is_none();
        (piece == pieces && summary).then(|| self.summary_text())
    }

    fn write_topic(&self, row: usize, out: &mut Vec<u8>) {
        let topic = &self.values.topics[row];
        let width = self.lines.len();
        for (line, &cell) in self.lines.iter().zip(&self.values.cells[row * width..]) {
            match line.kind {
                Kind::Tag | Kind::Topics | Kind::Geometric(_) | Kind::Failing(_) => {}
                Kind::Relevances(_) => {
                    begin(out, line, &topic.id);
                    out.push(b'\'');
                    out.extend_from_slice(&topic.relevances);
                    out.extend_from_slice(b"'\n");
                }
                Kind::Count(_) | Kind::Mean(_) | Kind::Groups(_) | Kind::Preference => {
                    self.write_value(line, &topic.id, cell, out);
                }
            }
        }
    }

    fn summary_text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for line in &self.lines {
            match line.kind {
                Kind::Relevances(_) => {}
                Kind::Tag => {
                    begin(&mut out, line, b"all");
                    out.extend_from_slice(&self.tag);
                    out.push(b'\n');
                }
                _ => self.write_value(line, b"all", line.total, &mut out),
            }
        }
        out
    }

    fn write_value(&self, line: &Line, topic: &[u8], value: f64, out: &mut Vec<u8>) {
        begin(out, line, topic);
        if line.whole && !self.deviations {
            write_whole(value, out);
        } else {
            write_decimal(value, out);
        }
        out.push(b'\n');
    }
}

/// Whether values are whole numbers, summed over topics.
fn is_count(line: &Printed) -> bool {
    match line.kind {
        Kind::Count(_) => true,
        Kind::Preference => prefs::is_count(&line.name),
        _ => false,
    }
}

/// Replace values by how many standard deviations they are above their means.
fn deviate(cells: &mut [f64], lines: &[Printed], topic: &[u8], deviations: &Run) {
    let rows = deviations.find(topic).map(|topic| deviations.rows(topic));
    let known: std::collections::HashMap<&[u8], usize> = match &rows {
        Some(rows) => (0..rows.len()).map(|row| (rows.doc(row), row)).collect(),
        None => Default::default(),
    };
    for (cell, line) in cells.iter_mut().zip(lines) {
        let found = rows.as_ref().zip(known.get(line.name.as_bytes()));
        let found = found.map(|(rows, &row)| (rows.column(0)[row], rows.column(1)[row]));
        *cell = match found {
            Some((mean, deviation)) if deviation != 0.0 => (*cell - mean) / deviation,
            Some((mean, _)) if *cell == mean => 0.0,
            _ => UNKNOWN,
        };
    }
}

fn begin(out: &mut Vec<u8>, line: &Line, topic: &[u8]) {
    out.extend_from_slice(line.head.as_bytes());
    out.extend_from_slice(topic);
    out.push(b'\t');
}

/// A whole number; what does not fit an integer is cut off.
fn write_whole(value: f64, out: &mut Vec<u8>) {
    if value < 0.0 {
        out.push(b'-');
    }
    write_digits(value.abs() as u64, 1, out);
}

/// A number with at least this many digits.
fn write_digits(mut number: u64, least: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    while number > 0 || digits.len() - at < least {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&digits[at..]);
}

/// A number with four decimals, as C's `%6.4f`: its exact value rounded, half to even.
fn write_decimal(value: f64, out: &mut Vec<u8>) {
    let scaled = value.abs() * 1e4;
    let rest = scaled - scaled.floor();
    // The product is off by less than a thousandth; where that could matter, the slow way decides.
    if scaled < 1e12 && (rest - 0.5).abs() > 1e-3 {
        if value.is_sign_negative() {
            out.push(b'-');
        }
        let rounded = (scaled + 0.5) as u64;
        write_digits(rounded / 10_000, 1, out);
        out.push(b'.');
        write_digits(rounded % 10_000, 4, out);
        return;
    }
    let text = match value {
        _ if value.is_nan() && value.is_sign_negative() => "-nan".into(),
        _ if value.is_nan() => "nan".into(),
        _ => format!("{value:.4}"),
    };
    // Only what is not finite is shorter than that. Writing to memory does not fail.
    let _ = write!(out, "{text:>6}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_those_of_c() {
        let text = |value: f64| {
            let mut out = Vec::new();
            write_decimal(value, &mut out);
            String::from_utf8(out).expect("ASCII")
        };
        for (value, expected) in [
            (0.0, "0.0000"),
            (-0.0, "-0.0000"),
            (1.0, "1.0000"),
            (0.031_25, "0.0312"),
            (0.093_75, "0.0938"),
            (0.000_05, "0.0001"),
            (-0.000_01, "-0.0000"),
            (0.123_45, "0.1235"),
            (0.999_95, "1.0000"),
            (-738.0, "-738.0000"),
            (1e15, "1000000000000000.0000"),
            (f64::NAN, "   nan"),
            (-f64::NAN, "  -nan"),
            (f64::INFINITY, "   inf"),
            (f64::NEG_INFINITY, "  -inf"),
        ] {
            assert_eq!(text(value), expected, "{value:e}");
        }
        // The short way and the exact one, on all sides of every boundary.
        let mut number = 0x9e37_79b9_7f4a_7c15u64;
        for i in 0..200_000u64 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i);
            let value = match i % 3 {
                0 => (number >> 11) as f64 / (1u64 << 53) as f64,
                1 => f64::from_bits(((number % 20_000) as f64 / 20_000.0).to_bits() + i % 5),
                _ => (number % 1_000) as f64 / (1 + (number >> 32) % 1_000) as f64,
            };
            assert_eq!(text(value), format!("{value:.4}"), "{value:e}");
        }
    }
}
