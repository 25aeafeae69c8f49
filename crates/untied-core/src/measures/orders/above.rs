//! Precision estimated from a sample of judgments, above each position of a tie group.
//!
//! Let D pooled documents be above a position, m of them judged and r relevant. The estimate D (r + eps) / (m + prior
//! eps) is linear in r and in D. If s documents of the group are judged and above, the expected r and D are linear in
//! s. So all that is needed is the mean of 1 / (x + s), where s is hypergeometric.

/// The numbers of pooled documents that are relevant, judged, and not judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SampledPool {
    pub relevant: usize,
    pub judged: usize,
    /// Documents of the pool that are not judged.
    pub unsampled: usize,
}

/// How precision is estimated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Smoothing {
    pub eps: f64,
    pub prior: f64,
}

impl Smoothing {
    /// The estimate D (r + eps) / (m + prior eps). Its numbers may be expected values.
    pub fn estimate(self, pooled: f64, judged: f64, relevant: f64) -> f64 {
        if pooled == 0.0 { 0.0 } else { pooled * self.ratio(judged, relevant) }
    }

    /// The estimated share of relevant documents, (r + eps) / (m + prior eps).
    pub fn ratio(self, judged: f64, relevant: f64) -> f64 {
        if judged + self.eps == 0.0 {
            1.0 / self.prior
        } else {
            (relevant + self.eps) / (judged + self.prior * self.eps)
        }
    }

    /// The mean estimates at the positions of a group: below the documents `before` and 0, 1, .. `size` of its own. Of
    /// its `size` documents, `group` are in the pool.
    pub fn means(self, before: SampledPool, group: SampledPool, size: usize) -> Vec<f64> {
        let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let (of_judged, of_others) = (share(group.relevant, group.judged), share(group.unsampled, size - group.judged));
        let pooled_before = (before.judged + before.unsampled) as f64;
        let pooled = |above: usize| pooled_before + above as f64 * of_others;
        let (judged, relevant) = (before.judged as f64, before.relevant as f64);
        if group.judged == 0 {
            return (0..=size).map(|above| self.estimate(pooled(above), judged, relevant)).collect();
        }
        // (r + eps) / (m + prior eps) equals `of_judged` + `apart` / (x + s).
        let x = judged + self.prior * self.eps;
        let apart = relevant + self.eps - of_judged * x;
        let sampled = |above: usize| above as f64 * share(group.judged, size);
        if x == 0.0 {
            // The ratio differs only if nothing above is judged.
            let mut none = 1.0;
            let value = |above: usize| {
                let value = pooled(above) * (of_judged * (1.0 - none) + none / self.prior)
                    + (1.0 - of_others) * of_judged * sampled(above);
                if above < size {
                    none *= 1.0 - share(group.judged, size - above).min(1.0);
                }
                value
            };
            return (0..=size).map(value).collect();
        }
        let value = |above: usize, inverse: f64, share: f64| {
            let ratio = of_judged + apart * inverse;
            let weighted = of_judged * sampled(above) + apart * share;
            pooled(above) * ratio + (1.0 - of_others) * weighted
        };
        // 1 / (x + s) and s / (x + s) follow from each other, but one loses digits if x is small, the other if x is
        // large.
        if x > 1.0 {
            let shares = shares(size, group.judged, x).into_iter().enumerate();
            shares.map(|(above, share)| value(above, (1.0 - share) / x, share)).collect()
        } else {
            let inverses = inverses(size, group.judged, x).into_iter().enumerate();
            inverses.map(|(above, inverse)| value(above, inverse, 1.0 - x * inverse)).collect()
        }
    }
}

/// E\[1 / (x + S_a)\] for a = 0, 1, .., n and x > 0, where S_a of `r` special documents are among the first a of n.
fn inverses(n: usize, r: usize, x: f64) -> Vec<f64> {
    recurrence(n, r, x, [1.0 / x, 1.0 / (x + r as f64)], |_| n as f64 + 1.0)
}

/// E\[S_a / (x + S_a)\] for a = 0, 1, .., n, with the same S_a.
fn shares(n: usize, r: usize, x: f64) -> Vec<f64> {
    let special = r as f64;
    recurrence(n, r, x, [0.0, special / (x + special)], |a| (a + 1.0) * special)
}

/// Solves (a+x+1) (n-a) h_{a+1} = (a+1) (n-a-r-x) h_a + c_a for h_0, h_1, .., h_n, the first and the last of which are
/// known.
///
/// It is used in the direction in which errors shrink: first from h_0 on, then from h_n back.
fn recurrence(n: usize, r: usize, x: f64, ends: [f64; 2], constant: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut values = vec![0.0; n + 1];
    let (all, special) = (n as f64, r as f64);
    let factors = |a: usize| {
        let a = a as f64;
        ((a + 1.0) * (all - a - special - x), (a + x + 1.0) * (all - a))
    };
    values[0] = ends[0];
    let mut a = 0;
    while a < n {
        let (of_this, of_next) = factors(a);
        if of_this.abs() > of_next {
            break;
        }
        values[a + 1] = (of_this * values[a] + constant(a as f64)) / of_next;
        a += 1;
    }
    values[n] = ends[1];
    for a in (a + 1..n).rev() {
        let (of_this, of_next) = factors(a);
        values[a] = (of_next * values[a + 1] - constant(a as f64)) / of_this;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::super::drawing;
    use super::*;

    #[test]
    fn inverses_as_by_probabilities() {
        for (n, r) in [(1, 1), (5, 2), (40, 39), (40, 1), (300, 150), (1000, 7), (1000, 993)] {
            for x in [2e-5, 0.5, 3.0, 1e3, 1e6, 1e12] {
                let both = inverses(n, r, x).into_iter().zip(shares(n, r, x));
                for (a, (inverse, share)) in both.enumerate() {
                    let mean = |value: fn(f64, f64) -> f64| -> f64 {
                        drawing::within(n, r, a).map(|(s, chance)| chance * value(x, s as f64)).sum()
                    };
                    let expected = mean(|x, s| 1.0 / (x + s));
                    assert!((inverse - expected).abs() < 1e-12 * expected, "{n} {r} {x} {a}: {inverse} {expected}");
                    let expected = mean(|x, s| s / (x + s));
                    assert!((share - expected).abs() <= 1e-12 * expected, "{n} {r} {x} {a}: {share} {expected}");
                }
            }
        }
    }

    #[test]
    fn means_as_by_probabilities() {
        let counts = [[0, 0, 0], [1, 1, 2], [2, 5, 0], [0, 3, 4], [4, 4, 0], [0, 0, 5]];
        let sampled = |[relevant, judged, unsampled]: [usize; 3]| SampledPool { relevant, judged, unsampled };
        for (before, group) in counts.iter().flat_map(|before| counts.iter().map(move |group| (before, group))) {
            let (before, group) = (sampled(*before), sampled(*group));
            for (eps, others) in [(0.0, 0), (0.0, 3), (1e-5, 0), (1e-5, 3), (0.5, 40)] {
                let smoothing = Smoothing { eps, prior: 2.0 };
                let size = group.judged + group.unsampled + others;
                for (above, mean) in smoothing.means(before, group, size).into_iter().enumerate() {
                    let of_unsampled = |s: usize| {
                        let left = size - group.judged;
                        if left == 0 { 0.0 } else { ((above - s) * group.unsampled) as f64 / left as f64 }
                    };
                    let of_relevant = |s: usize| (s * group.relevant) as f64 / group.judged.max(1) as f64;
                    let value = |s: usize| {
                        let pooled = (before.judged + before.unsampled + s) as f64 + of_unsampled(s);
                        smoothing.estimate(pooled, (before.judged + s) as f64, before.relevant as f64 + of_relevant(s))
                    };
                    let each = drawing::within(size, group.judged, above);
                    let expected: f64 = each.map(|(s, chance)| chance * value(s)).sum();
                    assert!((mean - expected).abs() < 1e-12, "{before:?} {group:?} {above}: {mean} {expected}");
                }
            }
        }
    }
}
