//! Probabilities of drawing without replacement: what happens within a tie group when all its orders are equally
//! likely.

/// The probabilities of `from..=to`, given the ratio p(i+1)/p(i), which falls with i. They are built up from the
/// likeliest one, so that none overflows, and those that underflow do not matter.
fn from_ratios(from: usize, to: usize, ratio: impl Fn(usize) -> f64) -> Vec<f64> {
    let (mut low, mut high) = (from, to);
    while low < high {
        let middle = usize::midpoint(low, high);
        if ratio(middle) > 1.0 {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let mode = low;
    let mut weights = vec![0.0; to - from + 1];
    weights[mode - from] = 1.0;
    for i in mode..to {
        weights[i + 1 - from] = weights[i - from] * ratio(i);
    }
    for i in (from..mode).rev() {
        weights[i - from] = weights[i + 1 - from] / ratio(i);
    }
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    weights
}

/// How many of `r` special documents among `n` are within the first `k` positions (hypergeometric), as pairs of a
/// number and its probability.
pub(crate) fn within(n: usize, r: usize, k: usize) -> impl Iterator<Item = (usize, f64)> {
    let (from, to) = ((k + r).saturating_sub(n), k.min(r));
    let ratio = |h: usize| {
        let (h, n, r, k) = (h as f64, n as f64, r as f64, k as f64);
        (r - h) * (k - h) / ((h + 1.0) * (n - r - k + h + 1.0))
    };
    (from..).zip(from_ratios(from, to, ratio))
}

/// How many of `m` documents are kept, each with probability p (binomial): the smallest number, and the probabilities
/// of this and the following numbers. Numbers beyond ten standard deviations and 50 more are left out; their joint
/// probability is below 1e-20.
pub(crate) fn kept(m: usize, p: f64) -> (usize, Vec<f64>) {
    let (mean, wide) = (m as f64 * p, 10.0 * (m as f64 * p * (1.0 - p)).sqrt() + 50.0);
    let (from, to) = match p {
        1.0 => (m, m),
        0.0 => (0, 0),
        _ => ((mean - wide).max(0.0) as usize, m.min((mean + wide) as usize)),
    };
    (from, from_ratios(from, to, |i| (m - i) as f64 / (i + 1) as f64 * (p / (1.0 - p))))
}

/// The distributions of [`within`] for k = 0, 1, .., n. Each row follows from the one before by sums of positive
/// numbers. Probabilities below 1e-30 are left out, and a row adds up to 1 but for rounding.
pub(crate) struct DrawnRows {
    n: usize,
    r: usize,
    k: usize,
    /// The smallest number that is not left out.
    from: usize,
    to: usize,
    probabilities: Vec<f64>,
}

impl DrawnRows {
    pub fn new(n: usize, r: usize) -> DrawnRows {
        let mut probabilities = vec![0.0; r + 1];
        probabilities[0] = 1.0;
        DrawnRows { n, r, k: 0, from: 0, to: 0, probabilities }
    }

    /// The smallest number, and the probabilities of this and the following ones.
    pub fn row(&self) -> (usize, &[f64]) {
        (self.from, &self.probabilities[self.from..=self.to])
    }

    /// Goes on to the row of k + 1.
    pub fn advance(&mut self) {
        const NEGLIGIBLE: f64 = 1e-30;
        let left = (self.n - self.k) as f64;
        let special = |h: usize| (self.r - h) as f64 / left;
        self.to = (self.to + 1).min(self.r);
        for h in (self.from..=self.to).rev() {
            let more = if h > self.from { self.probabilities[h - 1] * special(h - 1) } else { 0.0 };
            self.probabilities[h] = self.probabilities[h] * (1.0 - special(h)).max(0.0) + more;
        }
        while self.from < self.to && self.probabilities[self.from] < NEGLIGIBLE {
            self.from += 1;
        }
        while self.from < self.to && self.probabilities[self.to] < NEGLIGIBLE {
            self.probabilities[self.to] = 0.0;
            self.to -= 1;
        }
        self.k += 1;
    }
}

/// How many of `m` other documents are above a special one that has `s` of the `specials` other special ones above it
/// (negative hypergeometric), as pairs of a number and its probability.
pub(crate) fn before_special(specials: usize, m: usize, s: usize) -> impl Iterator<Item = (usize, f64)> {
    let ratio = |mu: usize| ((m - mu) * (s + mu + 1)) as f64 / ((mu + 1) * (specials + m - s - mu)) as f64;
    (0..).zip(from_ratios(0, m, ratio))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_special_documents_among_five() {
        let close = |computed: Vec<(usize, f64)>, expected: &[(usize, f64)]| {
            assert_eq!(computed.len(), expected.len(), "{computed:?}");
            for (one, other) in computed.iter().zip(expected) {
                assert!(one.0 == other.0 && (one.1 - other.1).abs() < 1e-15, "{computed:?}");
            }
        };
        close(within(5, 3, 2).collect(), &[(0, 0.1), (1, 0.6), (2, 0.3)]);
        close(within(5, 3, 5).collect(), &[(3, 1.0)]);
        close(within(5, 0, 2).collect(), &[(0, 1.0)]);
        // With one other document o and one other special one s above S, the orders are o s S, s o S and s S o.
        close(before_special(1, 1, 1).collect(), &[(0, 1.0 / 3.0), (1, 2.0 / 3.0)]);
        close(before_special(0, 3, 0).collect(), &[(0, 0.25), (1, 0.25), (2, 0.25), (3, 0.25)]);
    }

    #[test]
    fn row_after_row() {
        for (n, r) in [(5, 3), (40, 7), (300, 299), (2_000, 1_000), (3, 0), (0, 0)] {
            let mut rows = DrawnRows::new(n, r);
            for k in 0..=n {
                let (from, row) = rows.row();
                let total: f64 = row.iter().sum();
                assert!((total - 1.0).abs() < 1e-13, "{n} {r} {k}: {total}");
                for (h, probability) in within(n, r, k).filter(|&(_, probability)| probability > 1e-15) {
                    let computed = row[h - from];
                    assert!((computed / probability - 1.0).abs() < 1e-11, "{n} {r} {k} {h}: {computed} {probability}");
                }
                if k < n {
                    rows.advance();
                }
            }
        }
    }

    #[test]
    fn large_groups_neither_overflow_nor_vanish() {
        let mean = |pairs: Vec<(usize, f64)>| pairs.iter().map(|&(i, p)| i as f64 * p).sum::<f64>();
        assert!((mean(within(100_000, 40_000, 5_000).collect()) / 2_000.0 - 1.0).abs() < 1e-12);
        assert!((mean(before_special(9_998, 90_001, 4_999).collect()) / 45_000.5 - 1.0).abs() < 1e-9);
    }
}
