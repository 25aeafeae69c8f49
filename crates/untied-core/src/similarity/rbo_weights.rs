//! The weights of depths in RBO, computed once for all rankings.

use crate::elementary::{ln_1p, powi};

use std::sync::OnceLock;

/// Weights for depths up to powers of two, each table made when a ranking first needs it.
pub struct RboWeights {
    p: f64,
    tables: [OnceLock<WeightTable>; 33],
}

/// Weights from depth 1 on, or after depth 0 on.
pub struct WeightTable {
    /// Of `X_d`, `(1-p) p^(d-1) / d`; depth 1 first.
    pub kappa: Vec<f64>,
    /// `p^d`, depth 0 first.
    pub power: Vec<f64>,
    /// Sum of kappa beyond d, depth 0 first.
    pub tail: Vec<f64>,
}

impl RboWeights {
    pub fn new(p: f64) -> RboWeights {
        RboWeights { p, tables: [const { OnceLock::new() }; 33] }
    }

    /// Weights for depths up to this one, and perhaps more.
    pub fn to(&self, depth: usize) -> &WeightTable {
        let tier = depth.max(16).next_power_of_two();
        self.tables[(tier.trailing_zeros() as usize).min(32)].get_or_init(|| self.table(tier))
    }

    /// Sum of kappa over depths above `from` up to `to`.
    pub fn between(&self, from: usize, to: usize) -> f64 {
        if to <= from {
            return 0.0;
        }
        if self.p > 0.99 {
            return self.beyond(from) - self.beyond(to);
        }
        self.falling(from).take(to - from).sum()
    }

    /// `(1-p)/p sum_{d > depth} p^d/d`.
    fn beyond(&self, depth: usize) -> f64 {
        if self.p > 0.99 {
            // The sum would be long; what cancels here is small beside the rest of the score.
            let seen: f64 = self.series(0).take(depth).sum();
            return (-ln_1p(-self.p) * (1.0 - self.p) / self.p - seen).max(0.0);
        }
        self.falling(depth).sum()
    }

    /// kappa beyond a depth.
    fn series(&self, depth: usize) -> impl Iterator<Item = f64> {
        let first = (1.0 - self.p) * powi(self.p, depth as i32);
        let weights = std::iter::successors(Some(first), |weight| Some(weight * self.p));
        weights.zip(depth + 1..).map(|(weight, d)| weight / d as f64)
    }

    /// The same as far as it matters.
    fn falling(&self, depth: usize) -> impl Iterator<Item = f64> {
        let first = (1.0 - self.p) * powi(self.p, depth as i32) / (depth + 1) as f64;
        self.series(depth).take_while(move |kappa| *kappa > 1e-19 * first)
    }

    fn table(&self, depth: usize) -> WeightTable {
        let kappa: Vec<f64> = self.series(0).take(depth).collect();
        let power = (0..=depth).map(|d| powi(self.p, d as i32)).collect();
        let mut tail = vec![self.beyond(depth); depth + 1];
        for d in (0..depth).rev() {
            tail[d] = tail[d + 1] + kappa[d];
        }
        WeightTable { kappa, power, tail }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_all_sizes_agree() {
        for p in [0.1, 0.9, 0.98, 0.995] {
            let weights = RboWeights::new(p);
            let all = -(1.0 - p) / p * (1.0 - p).ln();
            for depth in [0, 1, 16, 17, 100, 1_000] {
                let table = weights.to(depth);
                let seen: f64 = table.kappa[..depth].iter().sum();
                assert!((seen + table.tail[depth] - all).abs() < 1e-13, "{p} {depth}");
                assert!((table.tail[0] - all).abs() < 1e-13);
                assert!((table.power[depth] - p.powi(depth as i32)).abs() < 1e-15);
                assert!(
                    (weights.between(depth / 2, depth) - (table.tail[depth / 2] - table.tail[depth])).abs() < 1e-13
                );
            }
        }
    }
}
