//! Jaccard's coefficient of the first k documents: `X_k / (|A_k| + |B_k| - X_k)`.
//!
//! It is no sum of overlaps, so under ties the distribution of `X_k` is needed. Only the two groups that the cutoff
//! parts are uncertain. With m_A of the s_A documents of A's and m_B of the s_B of B's within it, let u documents of
//! A's stand within the cutoff in B for sure, v of B's in A, and let c be in both groups. The orders of A draw i of the
//! c and j of the u; then those of B draw from their group what A has of it, v + i documents. All are hypergeometric.

use super::overlap::cutoff;
use super::overlaps::Overlaps;
use super::{Definition, PairScore, Similarity};
use crate::measures::Certainty;
use crate::measures::orders::drawing::within;
use crate::names::{Cutoff, Info};
use crate::ranking::{Pair, Positions, Side};

pub static JACCARD: Definition = Info {
    name: "Jaccard",
    aliases: &["jaccard"],
    title: "documents in common, divided by the documents in either's first k",
    cutoff: Cutoff::Required,
    equation: "X_k / (|A_k| + |B_k| - X_k)",
    tex: r"\mathrm{Jaccard}@k = \frac{X_k}{|A_k| + |B_k| - X_k}",
    reference: "Jaccard 1901",
    ..Info::DEFAULT
}
.built_by(|spec| Ok(Box::new(Jaccard(cutoff(spec)?))));

struct Jaccard(usize);

impl Similarity for Jaccard {
    fn score(&self, overlaps: &Overlaps, with_variance: bool) -> PairScore {
        let pair = &overlaps.pair;
        let documents = (pair.a.len().min(self.0) + pair.b.len().min(self.0)) as f64;
        if documents == 0.0 {
            return PairScore::constant(1.0, with_variance);
        }
        let share = |x: f64| x / (documents - x);
        let at = |overlaps: &[f64]| share(overlaps[self.0.min(overlaps.len()) - 1]);
        if !pair.is_tied() {
            return PairScore::constant(at(overlaps.mean()), with_variance);
        }
        let chances = distribution(pair, self.0);
        let mean = |of: &dyn Fn(f64) -> f64| chances.iter().map(|&(x, chance)| chance * of(x as f64)).sum::<f64>();
        let value = mean(&share);
        PairScore {
            value,
            range: Some((at(overlaps.low()).min(value), at(overlaps.high()).max(value))),
            variance: with_variance.then(|| mean(&|x| (share(x) - value).powi(2))),
            certainty: Certainty::Exact,
        }
    }
}

/// Pairs of a number of shared documents within the cutoff and its probability.
fn distribution(pair: &Pair, k: usize) -> Vec<(usize, f64)> {
    let (cut_a, cut_b) = (parted(&pair.a, k), parted(&pair.b, k));
    let (mut sure, mut u, mut v, mut c) = (0, 0, 0, 0);
    for block in &pair.blocks {
        let (a, b) = pair.positions(block);
        if a.first > k || b.first > k {
            continue;
        }
        let of = match (a.last > k, b.last > k) {
            (false, false) => &mut sure,
            (true, false) => &mut u,
            (false, true) => &mut v,
            (true, true) => &mut c,
        };
        *of += block.count as usize;
    }
    // (documents of a group, those of them within the cutoff)
    let drawn = |cut: Option<Positions>| cut.map_or((0, 0), |group| (group.size(), k + 1 - group.first));
    let ((size_a, slots_a), (size_b, slots_b)) = (drawn(cut_a), drawn(cut_b));
    let mut chances = vec![0.0; sure + u.min(slots_a) + slots_b.min(v + c) + 1];
    for (i, of_both) in within(size_a, c, slots_a) {
        let in_b: Vec<(usize, f64)> = within(size_b, v + i, slots_b).collect();
        for (j, of_a) in within(size_a - c, u, slots_a - i) {
            let chance = of_both * of_a;
            // What is so unlikely does not show in the sum.
            if chance > 1e-25 {
                in_b.iter().for_each(|&(w, of_b)| chances[sure + j + w] += chance * of_b);
            }
        }
    }
    chances.into_iter().enumerate().filter(|one| one.1 > 0.0).collect()
}

/// The group that a cutoff parts.
fn parted(side: &Side, k: usize) -> Option<Positions> {
    let groups = (0..side.groups()).map(|group| side.positions(group));
    groups.take_while(|group| group.first <= k).last().filter(|group| group.last > k)
}
