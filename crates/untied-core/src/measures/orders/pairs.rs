//! The variance of sums over pairs of documents of a tie group, however many there are.
//!
//! For the orders x of n documents, with c_a what position a = 0, 1, .. weighs,
//!
//!   S = sum over a of c_a \[p(x_a) + sum over b < a of K(x_a, x_b)\].
//!
//! Write K(x, y) = mu + f(x) + g(y) + k(x, y) such that f, g and every row and column of k add up to 0 over documents,
//! with y other than x (Hoeffding's decomposition for draws without replacement). Then S splits into two uncorrelated
//! sums. With A_a = sum of c over the positions after a, the first one is that of alpha_a(x_a), where
//!
//!   alpha_a(x) = c_a (p(x) + a f(x)) + A_a g(x),    variance = sum over a and x of (alpha_a(x) centred)^2 / (n-1),
//!
//! centred over documents and over positions (Hoeffding 1951), so nothing cancels. The second one is the sum of c_a
//! k(x_a, x_b) over b < a. With V = E\[k(x, y)^2\] and U = E\[k(x, y) k(y, x)\], two of its terms have the covariance V
//! if both positions are the same, -V/(n-2) if only a or only b is, -U/(n-2) if the a of one is the b of the other, and
//! (V+U) / ((n-2)(n-3)) if they share no position.

/// The sum S over a group of tied documents. Those of one kind are interchangeable.
pub(crate) struct Pairs<'a> {
    /// The number of documents of each kind, together at least 4.
    pub counts: &'a [usize],
    /// The weights c of the first positions; all others have 0.
    pub weights: &'a [f64],
    /// p for each kind.
    pub own: &'a [f64],
    /// K by the kind of the lower document, then by that of the one above it.
    pub pairs: &'a [Vec<f64>],
}

impl Pairs<'_> {
    pub fn variance(&self) -> f64 {
        let all: usize = self.counts.iter().sum();
        debug_assert!(all >= 4);
        let n = all as f64;
        let kinds = self.counts.len();
        let documents = |of: &dyn Fn(usize) -> f64| -> f64 {
            self.counts.iter().enumerate().map(|(kind, &count)| count as f64 * of(kind)).sum()
        };

        let row = |x: usize| (documents(&|y| self.pairs[x][y]) - self.pairs[x][x]) / (n - 1.0);
        let column = |y: usize| (documents(&|x| self.pairs[x][y]) - self.pairs[y][y]) / (n - 1.0);
        let rows: Vec<f64> = (0..kinds).map(row).collect();
        let columns: Vec<f64> = (0..kinds).map(column).collect();
        let mu = documents(&|x| rows[x]) / n;
        // The mean of a row is mu, plus its own f, plus the mean of g over the other documents, and likewise for
        // columns. These are two equations for f and g.
        let share = 1.0 / (n - 1.0);
        let mixed = |one: f64, other: f64| ((one - mu) + (other - mu) * share) / (1.0 - share * share);
        let f: Vec<f64> = (0..kinds).map(|x| mixed(rows[x], columns[x])).collect();
        let g: Vec<f64> = (0..kinds).map(|y| mixed(columns[y], rows[y])).collect();
        let mean = documents(&|x| self.own[x]) / n;
        let p: Vec<f64> = self.own.iter().map(|own| own - mean).collect();

        let mut factors: Vec<[f64; 3]> = Vec::with_capacity(self.weights.len());
        let mut after = 0.0;
        for (a, &weight) in self.weights.iter().enumerate().rev() {
            factors.push([weight, a as f64 * weight, after]);
            after += weight;
        }
        let centre = [0, 1, 2].map(|i| factors.iter().map(|factor| factor[i]).sum::<f64>() / n);
        let squares = |factor: [f64; 3]| {
            let [own, above, below] = [0, 1, 2].map(|i| factor[i] - centre[i]);
            documents(&|x| (own * p[x] + above * f[x] + below * g[x]).powi(2))
        };
        let rest = (all - self.weights.len()) as f64 * squares([0.0; 3]);
        let single = (factors.iter().map(|&factor| squares(factor)).sum::<f64>() + rest) / (n - 1.0);

        let left = |x: usize, y: usize| self.pairs[x][y] - mu - f[x] - g[y];
        let over_pairs =
            |of: &dyn Fn(usize, usize) -> f64| documents(&|x| documents(&|y| of(x, y)) - of(x, x)) / (n * (n - 1.0));
        let v = over_pairs(&|x, y| left(x, y).powi(2));
        let u = over_pairs(&|x, y| left(x, y) * left(y, x));
        let (mut same, mut lower, mut upper, mut total, mut before) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (a, &weight) in self.weights.iter().enumerate() {
            let a = a as f64;
            same += weight * weight * a;
            lower += weight * weight * a * (a - 1.0);
            upper += 2.0 * weight * before;
            before += weight * a;
            total += weight * a;
        }
        // As many pairs of terms share the upper position as have the upper position of one as the lower of the other.
        let apart = total * total - same - lower - 2.0 * upper;
        let pairs =
            v * same - (v * (lower + upper) + u * upper) / (n - 2.0) + (v + u) * apart / ((n - 2.0) * (n - 3.0));
        single + pairs.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lattice;
    use super::*;
    use crate::nightly::seeds;
    use crate::random::Random;

    #[test]
    fn as_by_all_counts() {
        for seed in seeds(100) {
            let mut random = Random::new(seed);
            let mut below = |n: u64| random.below(n) as usize;
            let kinds = 2 + below(3);
            let mut counts: Vec<usize> = (0..kinds).map(|_| below(5)).collect();
            counts[0] += 4;
            let all: usize = counts.iter().sum();
            let slots = below(all as u64 + 1);
            let start = below(100) as f64;
            let weights: Vec<f64> = (0..slots).map(|a| 1.0 / (start + a as f64 + 1.0)).collect();
            let own: Vec<f64> = (0..kinds).map(|_| below(50) as f64).collect();
            let pairs: Vec<Vec<f64>> = (0..kinds).map(|_| (0..kinds).map(|_| below(4) as f64).collect()).collect();
            let expected = lattice::over_orders(&counts, |placed, kind| {
                let above = placed.iter().zip(&pairs[kind]).map(|(&placed, pair)| placed as f64 * pair);
                weights
                    .get(placed.iter().sum::<usize>())
                    .map_or(0.0, |weight| weight * (own[kind] + above.sum::<f64>()))
            });
            let expected = expected.expect("few points").variance;
            let computed = Pairs { counts: &counts, weights: &weights, own: &own, pairs: &pairs }.variance();
            assert!(
                (computed - expected).abs() <= 1e-12 * expected.max(1e-3),
                "{seed}: {computed} {expected} {counts:?}"
            );
        }
    }
}
