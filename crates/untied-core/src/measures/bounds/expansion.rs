//! Computes weighted sums of reciprocals over the positions of a tie group, for many shifts of its ranks.
//!
//! With h half the length of the group, m its middle and x_a = (a - m) / h, which is from -1 to 1,
//!
//!   sum over positions a of w_a / (a + s) = 1/(m + s) sum over k of M_k (-h / (m + s))^k,    M_k = sum of w_a x_a^k.
//!
//! This is a geometric series. Few terms are needed if the group is short beside its distance from -s.

/// How many M_k are computed at most. They are enough if a group is at most half as long as m + s.
const TERMS: usize = 24;
/// Groups of up to this length are added up directly, which takes no longer.
const SHORT: usize = 2 * TERMS;
/// Terms that are smaller than this share of the first one are left out.
const NEGLIGIBLE: f64 = 1e-14;

/// The series of two sums, with two weights for each position.
pub(super) struct Expansion {
    middle: f64,
    half: f64,
    moments: Vec<(f64, f64)>,
}

impl Expansion {
    /// The series for positions a = start + 1, start + 2, .. with these weights, none of which is negative. None if the
    /// group is short.
    pub fn new(start: usize, weights: &[(f64, f64)]) -> Option<Expansion> {
        if weights.len() < SHORT {
            return None;
        }
        let half = (weights.len() - 1) as f64 / 2.0;
        let mut moments = vec![(0.0, 0.0); TERMS];
        for (above, &(one, other)) in weights.iter().enumerate() {
            let x = above as f64 / half - 1.0;
            let mut power = 1.0;
            for moment in &mut moments {
                moment.0 += one * power;
                moment.1 += other * power;
                power *= x;
            }
        }
        Some(Expansion { middle: start as f64 + 1.0 + half, half, moments })
    }

    /// Both sums for a shift s; none if the series would be too long.
    pub fn at(&self, shift: f64) -> Option<(f64, f64)> {
        let first = 1.0 / (self.middle + shift);
        let step = -self.half * first;
        let (mut one, mut other, mut power) = (0.0, 0.0, 1.0);
        for moment in &self.moments {
            one += moment.0 * power;
            other += moment.1 * power;
            power *= step;
            if power.abs() < NEGLIGIBLE {
                return Some((one * first, other * first));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_sums_themselves() {
        let weights: Vec<(f64, f64)> = (0..100).map(|a| (1.0, 0.97_f64.powi(a))).collect();
        let expansion = Expansion::new(0, &weights).expect("long");
        assert!(expansion.at(0.0).is_none(), "the first group, not shifted");
        for (start, shift) in [(100, 100.0), (200, 0.5), (5_000, 100.0), (0, 1e6)] {
            let (one, other) =
                Expansion::new(start, &weights).and_then(|expansion| expansion.at(shift)).expect("few terms");
            let sum = |of: &dyn Fn(&(f64, f64)) -> f64| -> f64 {
                weights.iter().enumerate().map(|(a, pair)| of(pair) / ((start + a + 1) as f64 + shift)).sum()
            };
            let expected = (sum(&|pair| pair.0), sum(&|pair| pair.1));
            assert!((one / expected.0 - 1.0).abs() < 1e-12, "{start} {shift}: {one} {expected:?}");
            assert!((other / expected.1 - 1.0).abs() < 1e-12, "{start} {shift}: {other} {expected:?}");
        }
    }
}
