//! Sums over relevant documents of a function of u, the number of non-relevant documents of a certain sort above each.
//!
//! Consider a group with r relevant documents and nn non-relevant ones of that sort, and N_0 of that sort before it.
//! For each relevant document, u - N_0 is uniform on 0..nn; for two of them, each pair (i, j) has the weight 1, or 2 if
//! i = j. With F = sum over u of f(N_0 + u), and S the sum of squared deviations of these values,
//!
//!   E = r F/(nn+1),    Var = r S (nn + r + 1) / ((nn+1)(nn+2)).

use crate::measures::sum;

/// The relevant and non-relevant documents of a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gaps {
    pub relevant: usize,
    pub nonrelevant: usize,
    pub before: usize,
}

impl Gaps {
    /// Adds the mean of the sum of `of` to a total.
    pub(crate) fn add_mean(&self, total: &mut f64, of: impl Fn(usize) -> f64) {
        if self.nonrelevant == 0 {
            // Values are added one by one, so that the sum has the same bits as without ties.
            let term = of(self.before);
            (0..self.relevant).for_each(|_| *total += term);
        } else if self.relevant > 0 {
            let all = sum(self.nonrelevant + 1, |u| of(self.before + u));
            *total += self.relevant as f64 * all / (self.nonrelevant + 1) as f64;
        }
    }

    /// The variance of the sum of `of`.
    pub(crate) fn variance(&self, of: impl Fn(usize) -> f64) -> f64 {
        if self.relevant == 0 || self.nonrelevant == 0 {
            return 0.0;
        }
        let (r, values) = (self.relevant as f64, self.nonrelevant + 1);
        let first = of(self.before);
        let mean = first + sum(values, |u| of(self.before + u) - first) / values as f64;
        let squares = sum(values, |u| (of(self.before + u) - mean).powi(2));
        r * squares * (values as f64 + r) / (values as f64 * (values + 1) as f64)
    }
}
