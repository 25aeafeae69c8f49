//! Kendall's tau of the documents that both rankings have.
//!
//! With C concordant and D discordant pairs of n documents, `tau_a = (C - D) / (n (n-1) / 2)`: a tied pair counts 0,
//! its mean over tie orders. One pair of orders makes all T tied pairs concordant, another one all discordant, so the
//! extremes are `(C - D +- T) / (n (n-1) / 2)`. The variance of C - D is Kendall's for each tie group of either
//! ranking, `V(t) = t (t-1) (2t+5) / 18`, less V of what is tied in both, which both would count.
//!
//! `tau_b = (C - D) / sqrt((pairs not tied in A) (pairs not tied in B))` takes ties for equality, and is one number.

use super::joined::{Joined, pairs};
use super::overlaps::Overlaps;
use super::{Definition, PairScore, Similarity};
use crate::error::Result;
use crate::measures::Certainty;
use crate::names::{Info, Parameter, Spec};

/// How tied documents count.
pub const VARIANT: Parameter = Parameter {
    name: "variant",
    default: "'a'",
    help: "ties: 'a' (order not known: the mean over all orders) or 'b' (equality)",
};

pub static TAU: Definition = Info {
    name: "Tau",
    aliases: &["kendall", "kendalltau", "kendall's_tau"],
    title: "Kendall's tau of the documents in both rankings",
    parameters: &[VARIANT],
    range: "-1 to 1",
    equation: "(C - D) / (n (n-1) / 2), C pairs in the same order, D in opposite orders",
    tex: r"\tau = \frac{C - D}{n (n - 1) / 2}",
    reference: "Kendall 1938, 1945",
    ..Info::DEFAULT
}
.built_by(|spec| Ok(Box::new(Tau { equal: is_b(spec)? })));

/// Whether ties are equality.
pub fn is_b(spec: &Spec) -> Result<bool> {
    spec.choice(VARIANT.name, &[("a", false), ("b", true)])
}

struct Tau {
    equal: bool,
}

impl Similarity for Tau {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let joined = Joined::new(&overlaps.pair);
        let tied = |counts: &[u64]| counts.iter().map(|&count| pairs(count)).sum::<u64>();
        let all = pairs(joined.len());
        let (in_a, in_b) = (tied(&joined.a), tied(&joined.b));
        let in_both: u64 = joined.blocks.iter().map(|block| pairs(u64::from(block.count))).sum();
        let tied = in_a + in_b - in_both;
        let difference = (all - tied) as f64 - 2.0 * joined.discordant();
        if self.equal {
            let norm = ((all - in_a) as f64 * (all - in_b) as f64).sqrt();
            return PairScore::one_number(if norm > 0.0 { difference / norm } else { f64::NAN });
        }
        if all == 0 {
            return PairScore::one_number(f64::NAN);
        }
        let (all, tied) = (all as f64, tied as f64);
        PairScore {
            value: difference / all,
            range: Some(((difference - tied) / all, (difference + tied) / all)),
            variance: with_variance.then(|| variance(&joined, usize::MAX, usize::MAX) / (all * all)),
            certainty: Certainty::Exact,
        }
    }
}

/// Of C - D; two groups may be no ties but what a ranking lacks, of which no order is known (none has these numbers
/// otherwise).
pub fn variance(joined: &Joined, lacks_a: usize, lacks_b: usize) -> f64 {
    // All terms are whole numbers over 18.
    let of = |count: u64| u128::from(count) * u128::from(count.saturating_sub(1)) * u128::from(2 * count + 5);
    let groups = |counts: &[u64], lacks: usize| -> u128 {
        counts.iter().enumerate().filter(|one| one.0 != lacks).map(|one| of(*one.1)).sum()
    };
    let both: u128 = joined.blocks.iter().map(|block| of(u64::from(block.count))).sum();
    (groups(&joined.a, lacks_a) + groups(&joined.b, lacks_b) - both) as f64 / 18.0
}
