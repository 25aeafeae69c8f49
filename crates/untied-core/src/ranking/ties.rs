//! Sorts the rows of a query by score, and finds the groups of equal scores.

use super::keys::Keys;
use super::score::{Float64, Key, Score};
use crate::elementary::powi;
use crate::error::{Error, show};
use crate::sorting;
use crate::table::Rows;

/// The precision to which scores are rounded before they are compared. Documents with equal rounded scores are tied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Not rounded.
    #[default]
    Float64,
    /// Rounded to single precision, as trec_eval up to version 9 does.
    Float32,
    /// Rounded to half precision.
    Float16,
    /// Rounded to bfloat16.
    Bfloat16,
    /// Rounded to this number of decimals (half to even, of the exact decimal value).
    Decimals(u8),
}

impl Precision {
    /// The precision with a name of `score_dtype`, such as float32 or `decimals=N`.
    pub fn parse(name: &str) -> Option<Precision> {
        Some(match name {
            "float64" => Precision::Float64,
            "float32" => Precision::Float32,
            "float16" => Precision::Float16,
            "bfloat16" => Precision::Bfloat16,
            _ => Precision::Decimals(name.strip_prefix("decimals=")?.parse().ok().filter(|&n| n <= 17)?),
        })
    }

    /// Its name, see [`Precision::parse`].
    pub fn name(self) -> String {
        match self {
            Precision::Float64 => "float64".into(),
            Precision::Float32 => "float32".into(),
            Precision::Float16 => "float16".into(),
            Precision::Bfloat16 => "bfloat16".into(),
            Precision::Decimals(n) => format!("decimals={n}"),
        }
    }

    /// The score rounded to this precision.
    pub(crate) fn read(self, score: f64) -> f64 {
        match self {
            Precision::Float64 => score,
            Precision::Float32 => f64::from(score as f32),
            Precision::Float16 => to_binary(score, 10, -14, 65_504.0),
            Precision::Bfloat16 => to_binary(score, 7, -126, 338_953_138_925_153_547_590_470_800_371_487_866_880.0),
            Precision::Decimals(n) => to_decimals(score, n),
        }
    }
}

/// A score rounded, half to even, to a binary format with `bits` bits after the point, `smallest` as the exponent of the
/// smallest normal numbers, and `largest` as the largest number; infinite beyond it.
fn to_binary(score: f64, bits: i32, smallest: i32, largest: f64) -> f64 {
    let exponent = (((score.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(smallest);
    let unit = powi(2.0, exponent - bits);
    // Dividing and multiplying are exact, because the unit is a power of two.
    let rounded = (score / unit).round_ties_even() * unit;
    if rounded.abs() <= largest { rounded } else { f64::INFINITY.copysign(score) }
}

/// A score rounded to decimals. Going through text is slow, but rounds the exact value, unlike a product with a power of
/// ten.
fn to_decimals(score: f64, decimals: u8) -> f64 {
    format!("{score:.0$}", usize::from(decimals)).parse().unwrap_or(score)
}

/// The order of tied documents in a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// They stay tied, and measures compute means over all orders.
    #[default]
    Tied,
    /// By document id, descending byte by byte, as trec_eval does.
    ByDocument,
    /// As in the input.
    AsGiven,
}

impl Layout {
    /// Whether tied documents are ordered by their ids.
    pub fn reads_ids(self) -> bool {
        self == Layout::ByDocument
    }
}

/// The error for a score that is not finite in its precision.
pub fn misfit(score: f64, query: &[u8]) -> Error {
    Error::Value(format!("score {score:?} of query {} does not fit the score_dtype", show(query)))
}

/// The rows of a query from best to worst, in tie groups.
#[derive(Debug, Default)]
pub struct Order {
    /// The rows by descending score; rows with equal scores are in the order of the input.
    pub rows: Vec<u32>,
    /// For each tie group, the number of rows up to its end.
    pub ends: Vec<u32>,
    /// The rounded scores.
    rounded: Vec<f64>,
    keys: Keys,
    by_document: ByDocument,
}

impl Order {
    /// Sorts scores, rounded to some precision.
    ///
    /// # Errors
    /// The first score that does not fit the precision.
    pub fn sort(&mut self, scores: &[f64], precision: Precision) -> Result<(), f64> {
        if precision == Precision::Float64 {
            self.sort_exactly(scores);
            return Ok(());
        }
        let mut rounded = std::mem::take(&mut self.rounded);
        rounded.clear();
        rounded.extend(scores.iter().map(|&score| precision.read(score)));
        let misfit = rounded.iter().position(|score| !score.is_finite());
        self.sort_exactly(&rounded);
        self.rounded = rounded;
        misfit.map_or(Ok(()), |row| Err(scores[row]))
    }

    /// Sorts scores without rounding.
    pub fn sort_exactly(&mut self, scores: &[f64]) {
        self.rows.clear();
        // Most run files are sorted already.
        if scores.windows(2).all(|pair| pair[0] >= pair[1]) {
            self.rows.extend(0..scores.len() as u32);
            end_groups(&mut self.ends, scores.len(), |place| scores[place] != scores[place + 1]);
        } else {
            self.sort_by::<Float64>(scores.len(), scores.iter().copied().zip(0..), false);
        }
    }

    /// Sorts scores of any type with their rows, which must be below `rows`; the lowest first if `ascending`. Returns whether
    /// all scores are finite.
    pub fn sort_by<S: Score>(
        &mut self,
        rows: usize,
        scores: impl Iterator<Item = (S::Raw, u32)>,
        ascending: bool,
    ) -> bool {
        let turn = |key: S::Key| if ascending { !key } else { key };
        self.sort_keys(rows, scores.map(|(score, row)| (turn(S::key(score)), row)));
        self.keys.ends().iter().flatten().all(|&end| S::is_finite(turn(end)))
    }

    /// Sorts keys with their rows, which must be below `rows`.
    pub(super) fn sort_keys<K: Key>(&mut self, rows: usize, keys: impl Iterator<Item = (K, u32)>) {
        self.keys.sort(rows, keys);
        self.rows.clear();
        self.rows.extend(self.keys.rows());
        end_groups(&mut self.ends, self.rows.len(), |place| self.keys.differ(place));
    }

    /// Makes every document a group of its own, unless the layout keeps documents tied.
    pub fn untie(&mut self, retrieved: &Rows<'_>, layout: Layout) {
        match layout {
            Layout::Tied => return,
            Layout::ByDocument => self.arrange(retrieved, usize::MAX),
            Layout::AsGiven => {}
        }
        self.ends.clear();
        self.ends.extend(1..=self.rows.len() as u32);
    }

    /// Sorts the documents of each tie group that begins within a depth by id, so that output and sums do not depend on the
    /// order of the input.
    pub fn arrange(&mut self, retrieved: &Rows<'_>, depth: usize) {
        let mut start = 0;
        for &end in &self.ends {
            if start >= depth {
                break;
            }
            let group = &mut self.rows[start..end as usize];
            if group.len() > 1 {
                group.copy_from_slice(self.by_document.sort(group, retrieved));
            }
            start = end as usize;
        }
    }
}

/// Writes the ends of the groups of a ranking: after each document that differs from the next one, and after the last.
#[inline]
fn end_groups(ends: &mut Vec<u32>, documents: usize, differs_from_next: impl Fn(usize) -> bool) {
    ends.clear();
    ends.resize(documents, 0);
    let mut groups = 0;
    for place in 1..documents {
        // There is no branch: every end is written, and overwritten by the next unless a group ends.
        ends[groups] = place as u32;
        groups += usize::from(differs_from_next(place - 1));
    }
    if let Some(last) = ends.get_mut(groups) {
        *last = documents as u32;
        ends.truncate(groups + 1);
    }
}

/// Sorts the rows of a tie group by descending document id, in memory that is used again for the next group.
#[derive(Debug, Default)]
pub(super) struct ByDocument {
    keys: Vec<(u64, u32)>,
    /// The rows that were sorted last.
    pub rows: Vec<u32>,
}

impl ByDocument {
    /// Returns the rows of a tie group in the order of a layout; none if they stay tied.
    #[inline]
    pub fn lay_out<'a>(&'a mut self, layout: Layout, rows: &'a [u32], retrieved: &Rows<'_>) -> Option<&'a [u32]> {
        match layout {
            Layout::Tied => None,
            Layout::AsGiven => Some(rows),
            Layout::ByDocument => Some(self.sort(rows, retrieved)),
        }
    }

    /// Sorts rows by the eight bytes after the common prefix of all ids, and compares complete ids only if these are equal.
    pub fn sort(&mut self, rows: &[u32], retrieved: &Rows<'_>) -> &[u32] {
        let first = retrieved.doc(rows[0] as usize);
        let common = rows.iter().fold(first.len(), |common, &row| {
            let doc = retrieved.doc(row as usize);
            first[..common].iter().zip(doc).take_while(|(a, b)| a == b).count()
        });
        self.keys.clear();
        self.keys.extend(rows.iter().map(|&row| {
            let rest = &retrieved.doc(row as usize)[common..];
            let bytes = rest.first_chunk().copied().unwrap_or_else(|| {
                let mut bytes = [0; 8];
                bytes[..rest.len()].copy_from_slice(rest);
                bytes
            });
            (u64::from_be_bytes(bytes), row)
        }));
        sorting::sort_by(&mut self.keys, &|a: &(u64, u32), b: &(u64, u32)| {
            b.0.cmp(&a.0).then_with(|| retrieved.doc(b.1 as usize).cmp(retrieved.doc(a.1 as usize)))
        });
        self.rows.clear();
        self.rows.extend(self.keys.iter().map(|&(_, row)| row));
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(scores: &[f64], precision: Precision) -> (Vec<u32>, Vec<u32>) {
        let mut order = Order::default();
        order.sort(scores, precision).expect("finite scores");
        (order.rows, order.ends)
    }

    #[test]
    fn equal_scores_form_groups_in_input_order() {
        let (rows, ends) = order(&[1.0, 3.0, -0.0, 1.0, 0.0, -2.0], Precision::Float64);
        assert_eq!(rows, [1, 0, 3, 2, 4, 5]);
        assert_eq!(ends, [1, 3, 5, 6]);
        assert_eq!(order(&[], Precision::Float64), (vec![], vec![]));
    }
}
