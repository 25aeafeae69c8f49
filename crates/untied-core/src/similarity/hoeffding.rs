//! Expected weighted Hoeffding distance (Sun, Lebanon & Collins-Thompson 2010).
//!
//! Of two orders of n documents it is the sum over documents of the weights `w_t = t^-q` of the ranks t between the two
//! ranks of each: rank d counts once for every document that one order has among its first d and the other has not.
//! A list of s documents stands for all orders that begin with it, and the distance is the mean over all of them, the
//! two lists' independent. With s <= l documents in the lists, X_d documents in common, u = n - d and m = n - s, the
//! mean number of documents that count at rank d is
//!
//! * 2 (d - X_d) for d <= s,
//! * s + d u/m + (n-s-d) (1 - u/m) - 2 X_d u/m for s < d <= l, as 1 - u/m of what the shorter list lacks precedes d,
//! * 2 u - 2 (n - s - l + X_l) u^2/(m m') for d > l, with m' = n - l: all but what neither has seen.
//!
//! So it is a sum of overlaps, and mean, variance and extremes over orders of tied documents follow.

use std::sync::OnceLock;

use super::overlaps::{Linear, Overlaps};
use super::{Definition, PairScore, Similarity};
use crate::elementary::powf;
use crate::names::{Cutoff, Info, Parameter};

/// More documents than this are not added up rank by rank.
const MOST: f64 = 1e7;

pub static HOEFFDING: Definition = Info {
    name: "Hoeffding",
    aliases: &["hoeffding"],
    title: "expected weighted Hoeffding distance, which counts moves at the top more",
    cutoff: Cutoff::Optional,
    parameters: &[
        Parameter { name: "q", default: "1", help: "rank t has the weight t^-q; a number of at least 0" },
        Parameter {
            name: "n",
            default: "None",
            help: "number of documents in the collection, up to 10,000,000; by default, and at least, the documents \
                in the two rankings",
        },
    ],
    lower_is_better: true,
    range: "0 and up",
    equation: "mean of sum over documents of the weights t^-q of ranks t from the one of its ranks to the other",
    tex: r"\mathrm{Hoeffding} = E \left[ \sum_d \sum_{t = \mathrm{rank}_A(d)}^{\mathrm{rank}_B(d)} t^{-q} \right]",
    reference: "Sun, Lebanon & Collins-Thompson 2010",
    ..Info::DEFAULT
}
.built_by(|spec| {
    let q = spec.number("q", 1.0, "a number of at least 0", |q| q >= 0.0)?;
    let expected = "a whole number from 1 to 10000000";
    let n = spec.number("n", 0.0, expected, |n| n.fract() == 0.0 && (1.0..=MOST).contains(&n))?;
    Ok(Box::new(Hoeffding { q, n: n as usize, cutoff: spec.cutoff.unwrap_or(usize::MAX), sums: OnceLock::new() }))
});

struct Hoeffding {
    q: f64,
    n: usize,
    cutoff: usize,
    /// For the collection's n, what is beyond depths up to a thousand.
    sums: OnceLock<Vec<Beyond>>,
}

/// `sum_{d < t < n} w_t (n-t)` and `sum w_t (n-t)^2`.
#[derive(Clone, Copy, Default)]
struct Beyond {
    once: f64,
    squared: f64,
}

impl Hoeffding {
    fn weight(&self, t: usize) -> f64 {
        if self.q == 1.0 { 1.0 / t as f64 } else { powf(t as f64, -self.q) }
    }

    /// Beyond depths `from` and all above, of n documents; the last is 0.
    fn add_up(&self, n: usize, from: usize) -> impl Iterator<Item = Beyond> {
        (from + 1..n).rev().scan(Beyond::default(), move |sums, t| {
            let (weight, unseen) = (self.weight(t), (n - t) as f64);
            sums.once += weight * unseen;
            sums.squared += weight * unseen * unseen;
            Some(*sums)
        })
    }

    fn beyond(&self, depth: usize, n: usize) -> Beyond {
        if n != self.n || depth > 1_000 {
            return self.add_up(n, depth).last().unwrap_or_default();
        }
        let sums = self.sums.get_or_init(|| {
            let mut sums: Vec<Beyond> = Vec::new();
            for (t, one) in (1..n).rev().zip(self.add_up(n, 0)) {
                if t <= 1_001 {
                    sums.push(one);
                }
            }
            sums.reverse();
            sums
        });
        sums.get(depth).copied().unwrap_or_default()
    }
}

impl Similarity for Hoeffding {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let pair = &overlaps.pair;
        let (s, l) = (pair.shortest().min(self.cutoff), pair.longest().min(self.cutoff));
        // As many as any orders of the ties put into the two lists.
        let shared = l.checked_sub(1).map_or(0, |last| overlaps.low()[last] as usize);
        let n = self.n.max(s + l - shared);
        let (of_s, of_l) = ((n - s) as f64, (n - l) as f64);
        let (mut kappa, mut from) = (vec![0.0; l], vec![0.0; l]);
        for d in 1..n.min(l + 1) {
            // What has not been seen at this rank, of all that the shorter list lacks.
            let unseen = if d <= s { 1.0 } else { (n - d) as f64 / of_s };
            kappa[d - 1] = -2.0 * self.weight(d) * unseen;
            from[d - 1] = if d <= s {
                d as f64
            } else {
                (s as f64 + d as f64 * unseen + (n as f64 - (s + d) as f64) * (1.0 - unseen)) / (2.0 * unseen)
            };
        }
        let (mut constant, mut further) = (0.0, [(0, 0.0); 2]);
        if n > l {
            // Rank l itself is counted above.
            let beyond = self.beyond(l, n);
            let neither = 2.0 * beyond.squared / (of_s * of_l);
            constant = 2.0 * beyond.once - (n as f64 - (s + l) as f64) * neither;
            further[0] = (l, -neither);
        }
        overlaps.score(&Linear { constant, kappa: &kappa, from: &from, further }, with_variance)
    }
}
