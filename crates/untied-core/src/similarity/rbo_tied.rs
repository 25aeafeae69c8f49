//! RBO for ties that are not uncertainty: Corsi & Urbano's variants w, a and b (SIGIR 2024).

use super::overlaps::Overlaps;
use super::rbo::{Quantity, RankBiasedOverlap, Variant};
use crate::ranking::{Positions, Side};

impl RankBiasedOverlap {
    /// A document of a tie group counts c(d) of itself at depth d.
    pub(super) fn tied(&self, kind: Quantity, variant: Variant, overlaps: &Overlaps) -> f64 {
        if kind == Quantity::Residual {
            return self.tied(Quantity::Max, variant, overlaps) - self.tied(Quantity::Min, variant, overlaps);
        }
        let pair = &overlaps.pair;
        let (short, long) = if pair.a.len() <= pair.b.len() { (&pair.a, &pair.b) } else { (&pair.b, &pair.a) };
        let (s, l) = (short.len(), long.len());
        let shared = pair.shared();
        let touched = touched(overlaps);
        let unshared = unshared(overlaps, pair.a.len() > pair.b.len());
        let (mut in_short, mut in_long) = (GroupWalk::new(short), GroupWalk::new(long));
        let (mut score, mut agreement_at_s) = (0.0, 0.0);
        let depths = self.cutoff.unwrap_or(l);
        let table = self.weights.to(depths.max(l));
        for d in 1..=depths {
            let weight = table.kappa[d - 1] * d as f64;
            let at = d.min(l).saturating_sub(1);
            let overlaps = if variant == Variant::W { &touched } else { overlaps.mean() };
            // Of two empty rankings there are none.
            let x = overlaps.get(at).copied().unwrap_or(0.0);
            let norms = (in_short.norm(variant, d), in_long.norm(variant, d));
            let agreement = |x: f64| match variant {
                Variant::W => 2.0 * x / (norms.0 + norms.1),
                Variant::A => x / d as f64,
                Variant::B => x / (norms.0 * norms.1),
            };
            if d == s {
                agreement_at_s = agreement(x);
            }
            let unseen = if d <= s || d > l {
                0.0
            } else {
                // Documents of the longer ranking only, in groups within the depth and in the one it cuts.
                let (whole, cut) = in_long.counts(&unshared);
                let share = if variant == Variant::W { 1.0 } else { in_long.positions().share(d) };
                let missing = (d - s) as f64;
                match kind {
                    Quantity::Max => missing.min(whole) + share * (missing - whole).clamp(0.0, cut),
                    Quantity::Extrapolated => missing * agreement_at_s * (whole + share * cut) / (whole + cut),
                    _ => 0.0,
                }
            };
            score += weight * agreement(x + unseen);
        }
        match kind {
            Quantity::Min => score + table.tail[l] * shared as f64,
            Quantity::Max => score + self.beyond_max(s, l, shared),
            Quantity::Extrapolated => {
                let expected = shared as f64 + (l - s) as f64 * agreement_at_s;
                score + table.power[l] * expected / l as f64
            }
            Quantity::Truncated | Quantity::Residual => score,
        }
    }
}

/// For every depth, shared documents whose groups begin within it in both rankings.
fn touched(overlaps: &Overlaps) -> Vec<f64> {
    let pair = &overlaps.pair;
    let mut touched = vec![0.0; pair.longest().max(1)];
    for block in &pair.blocks {
        let (a, b) = pair.positions(block);
        touched[a.first.max(b.first) - 1] += f64::from(block.count);
    }
    for d in 1..touched.len() {
        touched[d] += touched[d - 1];
    }
    touched
}

/// For every group of one of the rankings, how many of its documents the other lacks.
fn unshared(overlaps: &Overlaps, of_a: bool) -> Vec<usize> {
    let pair = &overlaps.pair;
    let side = if of_a { &pair.a } else { &pair.b };
    let mut counts: Vec<usize> = (0..side.groups()).map(|group| side.positions(group).size()).collect();
    for block in &pair.blocks {
        counts[if of_a { block.a } else { block.b } as usize] -= block.count as usize;
    }
    counts
}

/// The group at a depth that grows.
struct GroupWalk<'a> {
    side: &'a Side,
    group: usize,
    /// Documents that the other ranking lacks, in groups before.
    whole: usize,
    counted: usize,
}

impl<'a> GroupWalk<'a> {
    fn new(side: &'a Side) -> GroupWalk<'a> {
        GroupWalk { side, group: 0, whole: 0, counted: 0 }
    }

    fn positions(&self) -> Positions {
        self.side.positions(self.group)
    }

    /// What stands for the size of the first d documents, where a ranking that ended counts as d untied ones.
    fn norm(&mut self, variant: Variant, d: usize) -> f64 {
        let depth = d as f64;
        let group = if d <= self.side.len() {
            while self.positions().last < d {
                self.group += 1;
            }
            self.positions()
        } else {
            Positions { first: d, last: d }
        };
        match variant {
            Variant::W => group.last as f64,
            Variant::A => depth,
            Variant::B => {
                let share = group.share(d);
                ((group.first - 1) as f64 + group.size() as f64 * share * share).sqrt()
            }
        }
    }

    /// Of these counts a group, the sum over groups before the present one, and that of the present one.
    fn counts(&mut self, counts: &[usize]) -> (f64, f64) {
        while self.counted < self.group {
            self.whole += counts[self.counted];
            self.counted += 1;
        }
        (self.whole as f64, counts[self.group] as f64)
    }
}
