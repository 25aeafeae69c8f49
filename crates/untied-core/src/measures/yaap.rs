//! YAAP, the logit of average precision, smoothed.
//!
//!   YAAP = ln((1 + s) / (1 + R - s)),    s = R AP = sum of P@i over the ranks i of relevant documents.
//!
//! s depends on the whole order and the logarithm is of a quotient, so there is no closed form over tie orders. They
//! are listed if they are few, and sampled otherwise. YAAP rises with s, so its extremes are exact.

use super::orders::sampling;
use super::{Certainty, Definition, Measure};
use crate::elementary::ln;
use crate::grade::Level;
use crate::names::{Info, JUDGED_ONLY, REL, Sampled, unbounded};
use crate::ranking::Ranking;
use crate::table::Judgments;

pub static YAAP: Definition = Info {
    name: "YAAP",
    aliases: &["yaap"],
    title: "the smoothed log-odds of average precision (yet another average precision)",
    parameters: &[REL, JUDGED_ONLY],
    range: "-ln(1 + R) to ln(1 + R)",
    equation: "YAAP = ln((1 + s) / (1 + R - s)), s = sum of P@i over the ranks i of relevant documents",
    tex: r"\mathrm{YAAP} = \ln \frac{1 + s}{1 + R - s}, \quad s = \sum_{i:\ x_i = 1} \mathrm{P}@i",
    reference: "Robertson 2012 (On smoothing average precision); trec_eval (yaap)",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::ESTIMATES }],
    unbounded: Some(unbounded::IDEAL),
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(Yaap { rel: spec.rel()? })));

struct Yaap {
    rel: f64,
}

impl Yaap {
    /// R, if it is not 0, and the groups with relevant documents, whose grades do not matter.
    fn read(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Option<(f64, Ranking)> {
        let relevant = truth.relevant(self.rel);
        let mut binary = Ranking::default();
        binary.retrieved = ranking.retrieved;
        for group in ranking.groups() {
            let count = group.relevant(self.rel);
            if count > 0 {
                binary.push(group.start, group.size, [Level { grade: 1.0, count: count as u32 }]);
            }
        }
        (relevant > 0).then_some((relevant as f64, binary))
    }
}

/// The YAAP of groups whose documents are all relevant.
fn value(relevant: f64, ranking: &Ranking) -> f64 {
    let (mut hits, mut sum) = (0, 0.0);
    for group in ranking.groups() {
        for rank in group.start + 1..=group.start + group.size {
            hits += 1;
            sum += f64::from(hits) / rank as f64;
        }
    }
    ln((1.0 + sum) / (1.0 + relevant - sum))
}

impl Measure for Yaap {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let Some((relevant, binary)) = self.read(ranking, truth) else { return f64::NAN };
        if binary.groups().all(|group| group.unjudged() == 0) {
            return value(relevant, &binary);
        }
        sampling::over_rankings(&binary, usize::MAX, |one| value(relevant, one)).outcome.mean
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let Some((relevant, binary)) = self.read(ranking, truth) else { return f64::NAN };
        sampling::over_rankings(&binary, usize::MAX, |one| value(relevant, one)).outcome.variance
    }

    fn certainty(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Certainty {
        match self.read(ranking, truth) {
            Some((_, binary)) if !sampling::is_exact(&binary, usize::MAX) => Certainty::Estimate,
            _ => Certainty::Exact,
        }
    }
}
