//! Pair concordance: the share of pairs of the truth that are ranked in the right order.
//!
//! A pair is two relevant documents of different grades. It is right where the one of the higher grade is retrieved and
//! stands above the other or the other is not retrieved. It breaks ties between rankings of equal ADR:
//! moving the better document of a pair up never lowers it, and exchanging the two raises it.
//!
//! Under ties a pair of one group is right in half of the orders. Variance of one group: with y the sum over its pairs of
//! +1/2 (right) or -1/2, of documents in classes of c_1, .. c_g, the classical variance of Kendall's sum with ties in one
//! ranking (Kendall 1945), (n(n-1)(2n+5) - sum c(c-1)(2c+5)) / 18 / 4, where documents that are in no pair do not count.

use super::{Definition, Measure};
use crate::grade::{Level, levels_from};
use crate::names::{Info, JUDGED_ONLY, REL, unbounded};
use crate::ranking::Ranking;
use crate::table::Judgments;

pub static PAIR_CONCORDANCE: Definition = Info {
    name: "PairConcordance",
    aliases: &["pair_concordance"],
    title: "share of pairs of different relevant grades that are ranked in the right order",
    parameters: &[REL, JUDGED_ONLY],
    equation: "PairConcordance = right pairs / pairs; a pair is right if its better document is retrieved and the \
        other one is below it or not retrieved",
    tex: r"\mathrm{PairConcordance} = \frac{\text{right pairs}}{\text{pairs of documents of different grades}}",
    reference: "untied's consistent tie-breaker for equal ADR; variance: Kendall 1945",
    unbounded: Some(unbounded::PAIRS),
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(Concordance { rel: spec.rel()? })));

struct Concordance {
    rel: f64,
}

/// Pairs of documents of different grades.
fn pairs(levels: &[Level]) -> f64 {
    let (mut pairs, mut higher) = (0.0, 0.0);
    for level in levels {
        pairs += higher * f64::from(level.count);
        higher += f64::from(level.count);
    }
    pairs
}

impl Concordance {
    fn relevant<'l>(&self, levels: &'l [Level]) -> &'l [Level] {
        levels_from(levels, self.rel)
    }

    /// All pairs; NaN where there is none.
    fn all(&self, truth: &Judgments<'_>) -> f64 {
        match pairs(self.relevant(truth.levels)) {
            0.0 => f64::NAN,
            pairs => pairs,
        }
    }
}

impl Measure for Concordance {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut left: Vec<Level> = self.relevant(truth.levels).to_vec();
        let mut right = 0.0;
        for group in ranking.groups() {
            for level in self.relevant(group.levels) {
                if let Some(of) = left.iter_mut().find(|of| of.grade == level.grade) {
                    of.count -= level.count;
                }
            }
            // What is not yet seen, retrieved or not, is below.
            for level in self.relevant(group.levels) {
                let below = left.iter().filter(|of| of.grade < level.grade).map(|of| f64::from(of.count)).sum::<f64>();
                right += f64::from(level.count) * below;
            }
            right += pairs(self.relevant(group.levels)) / 2.0;
        }
        right / self.all(truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
        let mut total = 0.0;
        for group in ranking.groups() {
            let counts = self.relevant(group.levels).iter().map(|level| f64::from(level.count));
            let (n, ties) = counts.fold((0.0, 0.0), |(n, ties), count| (n + count, ties + term(count)));
            total += (term(n) - ties) / 72.0;
        }
        total / self.all(truth).powi(2)
    }
}
