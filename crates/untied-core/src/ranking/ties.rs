//! Sorting a query's rows by score, and the groups of equal scores.

use half::{bf16, f16};

/// How scores are read before they are compared: documents are tied where the scores *so read* are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// As stored.
    #[default]
    Float64,
    /// Rounded to single precision, as trec_eval up to version 9 does.
    Float32,
    /// Rounded to half precision.
    Float16,
    /// Rounded to bfloat16.
    Bfloat16,
    /// Rounded to so many decimals (half to even, of the exact decimal value).
    Decimals(u8),
}

impl Precision {
    /// A name as in `score_dtype`, `decimals=N` for rounding.
    #[must_use]
    pub fn parse(name: &str) -> Option<Precision> {
        Some(match name {
            "float64" => Precision::Float64,
            "float32" => Precision::Float32,
            "float16" => Precision::Float16,
            "bfloat16" => Precision::Bfloat16,
            _ => Precision::Decimals(name.strip_prefix("decimals=")?.parse().ok().filter(|&n| n <= 17)?),
        })
    }

    /// The score as it is compared.
    fn read(self, score: f64) -> f64 {
        match self {
            Precision::Float64 => score,
            Precision::Float32 => f64::from(score as f32),
            Precision::Float16 => f16::from_f64(score).to_f64(),
            Precision::Bfloat16 => bf16::from_f64(score).to_f64(),
            Precision::Decimals(n) => round(score, n),
        }
    }
}

/// Through decimal text, which is slow but rounds the exact value, as no product with a power of ten does.
fn round(score: f64, decimals: u8) -> f64 {
    format!("{score:.0$}", usize::from(decimals)).parse().unwrap_or(score)
}

/// A query's rows from best to worst, and where each tie group ends.
#[derive(Debug, Default)]
pub struct Order {
    /// Row numbers by descending score; equal scores in the order of the input.
    pub rows: Vec<u32>,
    /// For every tie group, the number of rows up to its end.
    pub ends: Vec<u32>,
    read: Vec<f64>,
    keys: Vec<(u64, u32)>,
}

impl Order {
    /// Sort a query's scores, read at some precision.
    ///
    /// # Errors
    /// The first score that does not fit the precision.
    pub fn sort(&mut self, scores: &[f64], precision: Precision) -> Result<(), f64> {
        if precision == Precision::Float64 {
            self.sort_exactly(scores);
            return Ok(());
        }
        let mut read = std::mem::take(&mut self.read);
        read.clear();
        read.extend(scores.iter().map(|&score| precision.read(score)));
        let misfit = read.iter().position(|score| !score.is_finite());
        self.sort_exactly(&read);
        self.read = read;
        misfit.map_or(Ok(()), |row| Err(scores[row]))
    }

    /// Sort a query's scores as they are.
    pub fn sort_exactly(&mut self, scores: &[f64]) {
        self.rows.clear();
        self.ends.clear();
        // Most run files are sorted already.
        if scores.windows(2).all(|pair| pair[0] >= pair[1]) {
            self.rows.extend(0..scores.len() as u32);
        } else {
            self.keys.clear();
            self.keys.extend(scores.iter().zip(0..).map(|(&score, row)| (descending(score), row)));
            self.keys.sort_unstable();
            self.rows.extend(self.keys.iter().map(|&(_, row)| row));
        }
        self.mark_groups(scores);
    }

    fn mark_groups(&mut self, scores: &[f64]) {
        let Some(&first) = self.rows.first() else { return };
        let mut last = scores[first as usize];
        for (i, &row) in self.rows.iter().enumerate().skip(1) {
            let score = scores[row as usize];
            if score != last {
                self.ends.push(i as u32);
                last = score;
            }
        }
        self.ends.push(self.rows.len() as u32);
    }
}

/// A key that sorts ascending as scores sort descending; 0 and -0 are equal.
#[inline]
fn descending(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    let ascending = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    !ascending
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

    #[test]
    fn precision_makes_ties() {
        let scores = [1.000_000_002, 1.000_000_001, 0.5];
        assert_eq!(order(&scores, Precision::Float64).1, [1, 2, 3]);
        assert_eq!(order(&scores, Precision::Float32).1, [2, 3]);
        assert_eq!(order(&[257.0, 256.0], Precision::Bfloat16).1, [2]);
        assert_eq!(order(&[2049.0, 2048.0], Precision::Float16).1, [2]);
        assert_eq!(order(&[0.25, 0.15, 0.149], Precision::Decimals(1)).1, [1, 3]);
    }

    #[test]
    fn scores_too_large_for_a_precision_are_refused() {
        assert_eq!(Order::default().sort(&[1.0, 70_000.0], Precision::Float16), Err(70_000.0));
    }
}
