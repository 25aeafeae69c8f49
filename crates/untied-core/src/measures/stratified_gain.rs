//! Inferred nDCG: DCG and its ideal estimated from a pool that was sampled stratum by stratum.
//!
//! Of the D_s retrieved documents of the pool's stratum s, n_s are judged: each of these stands for D_s / n_s,
//!
//!   infNDCG@k = sum over judged documents at ranks i <= k of (D_s / n_s) g D(i) / IDCG@k,
//!
//! where g is the grade. The ideal ranking has R^_g documents of grade g: the sum over strata of r_{s,g} N_s / n_s,
//! rounded to the next whole number. D_s and n_s do not depend on the order of the ranking, so this is a DCG with other
//! gains, and its statistics over tie orders are those of `dcg`.

use super::dcg::Gains;
use super::gain::{Gain, discounts};
use super::stratified::{ESTIMATOR, MOST, Strata, is_script, share};
use super::{Definition, Measure, Orders, Scope};
use crate::grade::{self, Level};
use crate::names::{Cutoff, GAINED, Info, Needs, Parameter, unbounded};
use crate::ranking::{Ranking, best, worst};
use crate::table::Judgments;

const DISCOUNT: Parameter = Parameter { name: "discount", default: "'log2'", help: "discount of rank i, as in DCG" };

pub static INFERRED_NDCG: Definition = Info {
    name: "infNDCG",
    aliases: &["infndcg", "inferred_ndcg"],
    title: "nDCG inferred from a stratified sample of the pool",
    cutoff: Cutoff::Optional,
    parameters: &[DISCOUNT, ESTIMATOR],
    needs: Needs::Strata,
    range: GAINED,
    equation: "infNDCG@k = sum over judged documents at ranks i <= k of (D_s/n_s) grade D(i) / IDCG, where D_s pooled \
               and n_s judged documents of its stratum are retrieved; IDCG of R^_g documents of every grade g, R^_g = \
               sum over strata of r_{s,g} N_s / n_s, rounded ('sample_eval': cut off, and 1000 documents at most)",
    tex: r"\mathrm{infNDCG}@k = \frac{1}{\mathrm{IDCG}} \sum_{i \le k,\ \text{judged}} \frac{D_s}{n_s}\, g_i\, D(i)",
    reference: "Yilmaz, Kanoulas & Aslam 2008",
    unbounded: Some(unbounded::ESTIMATOR),
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let script = is_script(spec)?;
    // Each grade's estimate may be rounded up beyond the documents of the pool.
    let depth = spec.cutoff_or(usize::MAX).min(scope.depth + scope.grades.len());
    let none = Scope { grades: &[], ..*scope };
    Ok(Box::new(InferredNdcg { gains: Gains::new(Gain::Linear, discounts(spec, depth)?, &none), script }))
});

struct InferredNdcg {
    gains: Gains,
    script: bool,
}

impl InferredNdcg {
    /// The ranking with estimated gains as grades.
    fn by_gain(strata: &Strata<'_>, ranking: &Ranking) -> Ranking {
        let weights: Vec<f64> = strata.count(ranking.levels()).iter().map(share).collect();
        let mut gains = Ranking::default();
        gains.retrieved = ranking.retrieved;
        for group in ranking.groups() {
            let of = |level: &Level| {
                let (stratum, grade) = strata.of(level.grade);
                Level { grade: weights[stratum] * grade, count: level.count }
            };
            let mut levels: Vec<Level> = group.levels.iter().map(of).filter(|level| level.grade > 0.0).collect();
            grade::merge(&mut levels);
            gains.push(group.start, group.size, levels);
        }
        gains
    }

    /// The DCG of the ideal ranking; NaN if nothing gains anything.
    fn ideal(&self, strata: &Strata<'_>, truth: &Judgments<'_>) -> f64 {
        let mut estimates: Vec<(f64, f64)> = Vec::new(); // by grade
        for level in truth.levels {
            let (stratum, grade) = strata.of(level.grade);
            if grade > 0.0 {
                estimates.push((grade, strata.weight(stratum) * f64::from(level.count)));
            }
        }
        estimates.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
        let mut left = if self.script { MOST } else { f64::INFINITY };
        let mut numbers = Vec::new();
        for of_grade in estimates.chunk_by(|a, b| a.0 == b.0) {
            let estimate: f64 = of_grade.iter().map(|&(_, estimate)| estimate).sum();
            // Rounding may leave a sum of fractions a last bit below the whole or half number that it should be.
            let number = (estimate + if self.script { 1e-9 } else { 0.5 + 1e-9 }).floor().min(left);
            left -= number;
            numbers.push((of_grade[0].0, number as u32));
        }
        let ideal = self.gains.ideal_dcg(numbers);
        if ideal > 0.0 { ideal } else { f64::NAN }
    }
}

impl Measure for InferredNdcg {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let strata = Strata::new(truth, 1.0);
        self.gains.mean(&InferredNdcg::by_gain(&strata, ranking), truth) / self.ideal(&strata, truth)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let strata = Strata::new(truth, 1.0);
        self.gains.variance(&InferredNdcg::by_gain(&strata, ranking), truth) / self.ideal(&strata, truth).powi(2)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let strata = Strata::new(truth, 1.0);
        let mut gains = Orders { tied: InferredNdcg::by_gain(&strata, &orders.tied), ..Orders::default() };
        best(&gains.tied, &mut gains.best);
        worst(&gains.tied, &mut gains.worst);
        let (low, high) = self.gains.extremes(&gains, truth);
        let ideal = self.ideal(&strata, truth);
        (low / ideal, high / ideal)
    }
}
