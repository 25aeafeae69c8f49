//! Search length: how far a user reads to find q relevant documents, and the precision at that point.
//!
//! Let the q-th relevant document be in a group of n, with r relevant and i other documents, after j non-relevant and
//! R_c relevant ones. It is the s-th relevant one of the group, s = q - R_c, and its position is negative
//! hypergeometric:
//!
//!   E\[ESL_q\] = j + s i / (r+1),    Var\[ESL_q\] = s i (n+1) (r-s+1) / ((r+1)^2 (r+2)).
//!
//! In each order, precision there is q / (q + ESL_q). EP@x is the mean of this over the orders of ties. PRR@x is the
//! quotient q / (q + E\[ESL_q\]), the probability that a document is relevant given that it is retrieved by then. In
//! both, q is ceil(x R), and at least 1.

use super::bounds::filling::{self, Filling, FillingStage};
use super::bounds::{Bounds, Open, Resolution, Widest};
use super::orders::drawing;
use super::share::{Target, ceiling};
use super::{Definition, Measure, Orders};
use crate::error::Result;
use crate::names::{Cutoff, Info, JUDGED_ONLY, Parameter, RECALL, RECALL_BASE, REL, RecallBase, Spec};
use crate::ranking::Ranking;
use crate::table::Judgments;

const Q: Parameter =
    Parameter { name: "q", default: "1", help: "number of relevant documents that the user wants, at least 1" };

pub static SEARCH_LENGTH: Definition = Info {
    name: "ESL",
    aliases: &["expected_search_length"],
    title: "expected search length, the number of non-relevant documents before the q-th relevant one",
    parameters: &[Q, REL, JUDGED_ONLY],
    lower_is_better: true,
    range: "0 or more, lower is better; undefined with fewer than q relevant documents retrieved",
    equation: "ESL = (rank of the q-th relevant document) - q",
    tex: r"\mathrm{ESL} = i_q - q",
    reference: "Cooper 1968",
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let whole = |q: f64| q >= 1.0 && q.fract() == 0.0 && q < 1e15;
    let wanted = spec.number(Q.name, 1.0, "a whole number of at least 1", whole)? as usize;
    Ok(Box::new(SearchLength { rel: spec.rel()?, wanted }))
});

pub static EXPECTED_PRECISION: Definition = Info {
    name: "EP",
    aliases: &["expected_precision"],
    title: "expected precision at a recall level",
    cutoff: Cutoff::Recall,
    parameters: &[RECALL, REL, RECALL_BASE, JUDGED_ONLY],
    equation: "EP@x = precision at the rank of the q-th relevant document, q = ceil(x R); 0 if there is none",
    tex: r"\mathrm{EP}@x = \frac{q}{i_q}, \quad q = \lceil x R \rceil",
    reference: "Raghavan, Bollmann & Jung 1989",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, false));

pub static PROBABILITY_OF_RELEVANCE: Definition = Info {
    name: "PRR",
    aliases: &["probability_of_relevance"],
    title: "probability of relevance given retrieval, at a recall level",
    cutoff: Cutoff::Recall,
    parameters: &[RECALL, REL, RECALL_BASE, JUDGED_ONLY],
    equation: "PRR@x = q / (q + ESL_q), q = ceil(x R), where ESL_q is the mean over tie orders; EP@x instead is the \
        mean of the quotient",
    tex: r"\mathrm{PRR}@x = \frac{q}{q + E[\mathrm{ESL}_q]}, \quad q = \lceil x R \rceil",
    reference: "Raghavan, Bollmann & Jung 1989; Cooper 1968",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, true));

fn build(spec: &Spec, of_means: bool) -> Result<Box<dyn Measure>> {
    let level = spec.number(RECALL.name, 0.0, "a number from 0 to 1", |level| (0.0..=1.0).contains(&level))?;
    Ok(Box::new(PrecisionAtRecall { rel: spec.rel()?, base: spec.recall_base()?, target: ceiling(level), of_means }))
}

/// The group with the wanted relevant document, in the symbols above.
struct Holder {
    start: usize,
    n: usize,
    r: usize,
    s: usize,
    j: usize,
}

impl Holder {
    fn find(ranking: &Ranking, rel: f64, wanted: usize) -> Option<Holder> {
        let mut before = 0;
        for group in ranking.groups() {
            let r = group.relevant(rel);
            if r > 0 && before + r >= wanted {
                let (start, n) = (group.start, group.size);
                return Some(Holder { start, n, r, s: wanted - before, j: start - before });
            }
            before += r;
        }
        None
    }

    /// Finds the group at a stage of a filling.
    fn at(filling: &Filling, stage: FillingStage, wanted: usize) -> Option<Holder> {
        let group = filling.reaching(stage, wanted);
        let slot = filling.groups.get(group)?;
        let before = filling.before(stage, group);
        let r = filling.before(stage, group + 1) - before;
        Some(Holder { start: slot.start, n: slot.size, r, s: wanted - before, j: slot.start - before })
    }

    /// The same group with its relevant documents all first or all last, as in one order.
    fn resolved(self, resolution: Resolution) -> Holder {
        let others = match resolution {
            Resolution::Mean => return self,
            Resolution::Best => 0,
            Resolution::Worst => self.n - self.r,
        };
        Holder { start: self.start + others, n: self.r, j: self.j + others, ..self }
    }

    fn mean_length(&self) -> f64 {
        self.j as f64 + (self.s * (self.n - self.r)) as f64 / (self.r + 1) as f64
    }

    fn variance_of_length(&self) -> f64 {
        let (n, r, s) = (self.n as f64, self.r as f64, self.s as f64);
        s * (n - r) * (n + 1.0) * (r - s + 1.0) / ((r + 1.0).powi(2) * (r + 2.0))
    }

    /// The possible precisions at the wanted document, with their probabilities.
    fn precisions(&self, wanted: usize) -> impl Iterator<Item = (f64, f64)> {
        let earliest = self.start + self.s;
        drawing::before_special(self.r - 1, self.n - self.r, self.s - 1)
            .map(move |(others, probability)| (wanted as f64 / (earliest + others) as f64, probability))
    }
}

struct SearchLength {
    rel: f64,
    wanted: usize,
}

impl Measure for SearchLength {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        Holder::find(ranking, self.rel, self.wanted).map_or(f64::NAN, |group| group.mean_length())
    }

    fn variance(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        Holder::find(ranking, self.rel, self.wanted).map_or(f64::NAN, |group| group.variance_of_length())
    }

    fn extremes(&self, orders: &Orders, _: &Judgments<'_>) -> (f64, f64) {
        let holder = Holder::find(&orders.tied, self.rel, self.wanted);
        holder.map_or((f64::NAN, f64::NAN), |group| (group.j as f64, (group.j + group.n - group.r) as f64))
    }

    /// It never grows when a document becomes relevant or a relevant one moves up.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let filling = Filling::new(open, self.rel);
        let mut bounds = Widest::default();
        for stage in filling.stages() {
            let group = Holder::at(&filling, stage, self.wanted);
            bounds.add(group.map_or(f64::NAN, |group| group.resolved(open.resolution).mean_length()));
        }
        Some(bounds.finish())
    }
}

struct PrecisionAtRecall {
    rel: f64,
    base: RecallBase,
    target: Target,
    /// Whether the measure is the quotient of means (PRR) rather than the mean of quotients (EP).
    of_means: bool,
}

impl PrecisionAtRecall {
    /// `of(group, wanted)` for the group with the wanted document; 0 if there is none, NaN if nothing is relevant.
    fn at(&self, ranking: &Ranking, truth: &Judgments<'_>, of: impl Fn(&Holder, usize) -> f64) -> f64 {
        let relevant = self.base.relevant(self.rel, ranking, truth) as usize;
        if relevant == 0 {
            return f64::NAN;
        }
        let wanted = (self.target)(relevant).max(1);
        Holder::find(ranking, self.rel, wanted).map_or(0.0, |group| of(&group, wanted))
    }

    fn mean_of(&self, group: &Holder, wanted: usize) -> f64 {
        if self.of_means || group.r == group.n {
            return wanted as f64 / (wanted as f64 + group.mean_length());
        }
        group.precisions(wanted).map(|(value, probability)| value * probability).sum()
    }
}

impl Measure for PrecisionAtRecall {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.at(ranking, truth, |group, wanted| self.mean_of(group, wanted))
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mean = self.mean(ranking, truth);
        self.at(ranking, truth, |group, wanted| {
            if group.r == group.n {
                return 0.0;
            }
            if self.of_means {
                return f64::NAN; // the value is not a mean over orders
            }
            group.precisions(wanted).map(|(value, probability)| probability * (value - mean).powi(2)).sum()
        })
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(filling::by_relevant(self.rel, self.base, open, |filling, stage, relevant| {
            let wanted = (self.target)(relevant).max(1);
            let group = Holder::at(filling, stage, wanted);
            group.map_or(0.0, |group| self.mean_of(&group.resolved(open.resolution), wanted))
        }))
    }
}
