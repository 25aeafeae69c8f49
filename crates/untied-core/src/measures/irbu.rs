//! Intentwise rank-biased utility: a user who walks down as ERR's does, and whose utility falls by p with each rank.
//!
//!   iRBU@k = sum over ranks i <= k of p^i c_i (1-c_1) .. (1-c_{i-1}),    c = G(grade) / (G(max_grade) + 1):
//!
//! a cascade ([`super::orders::walk`]) with the weights p^i, for which the order by grade is the best one.

use super::bounds::{self, Bounds, Open};
use super::cascade::{Cascade, MAX_GRADE};
use super::orders::walk::{self, Kind};
use super::{Certainty, Definition, Measure, Orders};
use crate::error::Error;
use crate::names::{Cutoff, Info, JUDGED_ONLY, Parameter};
use crate::ranking::Ranking;
use crate::table::Judgments;

const PERSISTENCE: Parameter = Parameter {
    name: "p",
    default: "0.99",
    help: "utility of stopping at a rank as a share of that at the rank before, 0 < p < 1",
};
const GAIN: Parameter = Parameter {
    name: "gain",
    default: "'linear'",
    help: "gain G of a grade g: 'linear' (g), as NTCIREVAL's usual ones, or 'exp2' (2^g - 1), as ERR's",
};

/// iRBU, iRBU@k.
pub static INTENTWISE_UTILITY: Definition = Info {
    name: "iRBU",
    title: "intentwise rank-biased utility",
    cutoff: Cutoff::Optional,
    parameters: &[PERSISTENCE, GAIN, MAX_GRADE, JUDGED_ONLY],
    range: "0 to p",
    equation: "iRBU@k = sum over ranks i <= k of p^i c_i times the product of (1 - c_j) over ranks j < i, c = G(grade) / \
               (G(max_grade) + 1)",
    tex: r"\mathrm{iRBU}@k = \sum_{i=1}^{k} p^i\, c_i \prod_{j < i} (1 - c_j), \quad c_i = \frac{G(g_i)}{G(g_{\max}) + 1}",
    reference: "Sakai & Zeng 2019, of Amigó, Spina & Carrillo-de-Albornoz 2018; probabilities as NTCIREVAL; ties: as ERR",
    sampled: &[walk::SAMPLED],
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
        let p = spec.number(PERSISTENCE.name, 0.99, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
        let most =
            spec.number(MAX_GRADE.name, 4.0, "a number above 0, up to 1000", |most| 0.0 < most && most <= 1000.0)?;
        if let Some(&grade) = scope.grades.first().filter(|&&grade| grade > most) {
            return Err(Error::Value(format!("{spec}: the qrels have grade {grade}, above max_grade = {most}")));
        }
        let linear = spec.choice(GAIN.name, &[("linear", true), ("exp2", false)])?;
        let gain = move |grade: f64| if linear { grade } else { grade.exp2() - 1.0 };
        let kind = move |grade: f64| {
            let stop = gain(grade) / (gain(most) + 1.0);
            Kind { gain: stop, go_on: 1.0 - stop, count: 1 }
        };
        let depth = spec.cutoff_or(usize::MAX).min(scope.depth);
        let weights = (1..=depth).map(|i| p.powf(i as f64)).collect();
        Ok(Box::new(Intentwise { cascade: Cascade::new(scope, weights, false, kind), p, cutoff: spec.cutoff }))
    });

struct Intentwise {
    cascade: Cascade,
    p: f64,
    cutoff: Option<usize>,
}

impl Measure for Intentwise {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.cascade.mean(ranking, truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.cascade.variance(ranking, truth)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        self.cascade.extremes(orders, truth)
    }

    /// As ERR's: it grows with every c, as what comes after a rank is at most p times as useful, and the largest value
    /// has all that comes after the last document at the highest grade too.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let Bounds { low, high, .. } = bounds::monotone(self, open);
        let (reach, stop) = self.cascade.beyond_all(open);
        let (n, go_on) = (open.ranking.retrieved as f64, self.p * (1.0 - stop));
        let seen = self.cutoff.map_or(0.0, |cutoff| go_on.powf((cutoff as f64 - n).max(0.0)));
        let after = reach * self.p.powf(n + 1.0) * stop * (1.0 - seen) / (1.0 - go_on);
        Some(Bounds::new(low, high + after))
    }

    fn certainty(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Certainty {
        self.cascade.certainty(ranking, truth)
    }
}
