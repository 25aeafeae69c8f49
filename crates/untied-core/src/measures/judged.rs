//! The share of a ranking that is judged.

use super::bounds::{self, Bounds, Open};
use super::{Definition, Measure, Orders, hits};
use crate::names::{Cutoff, Info};
use crate::ranking::Ranking;
use crate::table::Judgments;

pub static JUDGED: Definition = Info {
    name: "Judged",
    aliases: &["judged"],
    title: "share of the documents that are in the qrels",
    cutoff: Cutoff::Optional,
    is_of_set: true,
    equation: "Judged@k = documents of the qrels, whatever their grade, among the first k / min(k, n)",
    tex: r"\mathrm{Judged}@k = \frac{|\{ i \le k : d_i \text{ is in the qrels} \}|}{\min(k, n)}",
    reference: "ir_measures (Judged); ties: as P@k",
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(Judged { cutoff: spec.cutoff_or(usize::MAX) })));

pub static UNJUDGED: Definition = Info {
    name: "Unjudged",
    aliases: &["unj"],
    title: "unjudged documents among the first k",
    cutoff: Cutoff::Required,
    equation: "Unjudged@k = documents among the first k without a grade of at least 0 / k",
    tex: r"\mathrm{Unjudged}@k = \frac{|\{ i \le k : d_i \text{ is not judged} \}|}{k}",
    reference: "trec_eval (unj); ties: as P@k",
    ..Info::DEFAULT
}
.built_by(|spec, _| Ok(Box::new(UnjudgedShare { cutoff: spec.cutoff_or(usize::MAX) })));

struct Judged {
    cutoff: usize,
}

/// A grade that every document of the qrels has at least.
const ANY: f64 = f64::NEG_INFINITY;

impl Judged {
    fn seen(&self, ranking: &Ranking) -> f64 {
        self.cutoff.min(ranking.retrieved).max(1) as f64
    }
}

impl Measure for Judged {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        hits::expected(ranking, ANY, self.cutoff) / self.seen(ranking)
    }

    fn variance(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        hits::variance(ranking, ANY, self.cutoff) / self.seen(ranking).powi(2)
    }

    fn extremes(&self, orders: &Orders, _: &Judgments<'_>) -> (f64, f64) {
        let (low, high) = hits::extremes(&orders.tied, ANY, self.cutoff);
        (low / self.seen(&orders.tied), high / self.seen(&orders.tied))
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(bounds::fixed(self, open))
    }
}

struct UnjudgedShare {
    cutoff: usize,
}

impl UnjudgedShare {
    /// The share, given how many of the first k are judged.
    fn share(&self, ranking: &Ranking, judged: f64) -> f64 {
        (self.cutoff.min(ranking.retrieved) as f64 - judged) / self.cutoff as f64
    }
}

impl Measure for UnjudgedShare {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        self.share(ranking, hits::expected(ranking, 0.0, self.cutoff))
    }

    fn variance(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        hits::variance(ranking, 0.0, self.cutoff) / (self.cutoff as f64).powi(2)
    }

    fn extremes(&self, orders: &Orders, _: &Judgments<'_>) -> (f64, f64) {
        let (low, high) = hits::extremes(&orders.tied, 0.0, self.cutoff);
        (self.share(&orders.tied, high), self.share(&orders.tied, low))
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(bounds::fixed(self, open))
    }
}
