//! Measures of the number of relevant documents within a cutoff: precision, recall, F1 and R-precision.
//!
//! With H the relevant documents among the first k, t the documents before the group that holds k, K = k - t, and
//! r of its n documents relevant (McSherry & Najork 2008, sections 2.1-2.3; hypergeometric variance):
//!
//!   E\[H\] = R_c + K r/n,    Var\[H\] = K r (n-r) (n-K) / (n^2 (n-1)).

use super::bounds::filling::{self, Filling, FillingStage};
use super::bounds::{self, Bounds, Open, Resolution};
use super::orders::drawing;
use super::share::{Target, ceiling};
use super::uncertain::Counted;
use super::{Definition, Measure, TieDistribution};
use crate::error::Result;
use crate::law::{Law, Limits};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Parameter, RECALL_BASE, REL, RecallBase, SHARE, Spec};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

const MULT: Parameter = Parameter { name: "mult", default: "1", help: "multiple of R, a number above 0, up to 1e9" };

pub static PRECISION: Definition = Info {
    name: "P",
    aliases: &["precision"],
    title: "precision",
    cutoff: Cutoff::Required,
    parameters: &[REL, JUDGED_ONLY],
    equation: "P@k = H(k) / k, H(k) = relevant documents among the first k",
    tex: r"\mathrm{P}@k = \frac{H(k)}{k}",
    reference: "Cleverdon & Mills 1963; ties: McSherry & Najork 2008, section 2.1",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, Divisor::Cutoff));

pub static RECALL: Definition = Info {
    name: "R",
    aliases: &["recall"],
    title: "recall",
    cutoff: Cutoff::Required,
    parameters: &[REL, RECALL_BASE, JUDGED_ONLY],
    range: SHARE,
    equation: "R@k = H(k) / R, H(k) = relevant documents among the first k, R = all relevant ones",
    tex: r"\mathrm{R}@k = \frac{H(k)}{R}",
    reference: "Cleverdon & Mills 1963; ties: McSherry & Najork 2008, section 2.2",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, Divisor::Relevant));

pub static F1: Definition = Info {
    name: "F1",
    aliases: &["f1_score", "f1_measure"],
    title: "harmonic mean of precision and recall",
    cutoff: Cutoff::Required,
    parameters: &[REL, RECALL_BASE, JUDGED_ONLY],
    range: SHARE,
    equation: "F1@k = 2 H(k) / (k + R)",
    tex: r"\mathrm{F1}@k = \frac{2\,H(k)}{k + R}",
    reference: "van Rijsbergen 1979; ties: McSherry & Najork 2008, section 2.3",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, Divisor::Both));

pub static HITS: Definition = Info {
    name: "Hits",
    title: "number of relevant documents found",
    cutoff: Cutoff::Optional,
    parameters: &[REL, JUDGED_ONLY],
    is_of_set: true,
    range: "0 or more",
    equation: "Hits@k = H(k) = relevant documents among the first k; the mean over queries. NumRelRet is the sum",
    tex: r"\mathrm{Hits}@k = H(k)",
    reference: "ranx (hits); ties: as P@k",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, Divisor::One));

pub static RELATIVE_PRECISION: Definition = Info {
    name: "RelP",
    aliases: &["relative_P"],
    title: "precision relative to the best possible",
    cutoff: Cutoff::Required,
    parameters: &[REL, RECALL_BASE, JUDGED_ONLY],
    range: SHARE,
    equation: "RelP@k = H(k) / min(k, R)",
    tex: r"\mathrm{RelP}@k = \frac{H(k)}{\min(k, R)}",
    reference: "trec_eval (relative_P); ties: as P@k",
    ..Info::DEFAULT
}
.built_by(|spec, _| build(spec, Divisor::Attainable));

pub static R_PRECISION: Definition = Info {
    name: "Rprec",
    aliases: &["r-precision", "r_precision", "Rprec_mult"],
    title: "precision at R, the number of relevant documents, or at a multiple of it",
    trailing: Some("mult"),
    parameters: &[REL, MULT, RECALL_BASE, JUDGED_ONLY],
    equation: "Rprec = H(c) / c, c = ceil(mult R)",
    tex: r"\mathrm{Rprec} = \frac{H(c)}{c}, \quad c = \lceil \mathit{mult} \cdot R \rceil",
    reference: "Buckley & Voorhees 2005 (TREC: Experiment and Evaluation, chapter 3); trec_eval (Rprec_mult)",
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let mult = spec.number(MULT.name, 1.0, "a number above 0, up to 1e9", |mult| 0.0 < mult && mult <= 1e9)?;
    Ok(Box::new(RPrecision { rel: spec.rel()?, base: spec.recall_base()?, cutoff: ceiling(mult) }))
});

fn build(spec: &Spec, by: Divisor) -> Result<Box<dyn Measure>> {
    let base = match by {
        Divisor::One | Divisor::Cutoff => RecallBase::Qrels,
        Divisor::Relevant | Divisor::Attainable | Divisor::Both => spec.recall_base()?,
    };
    Ok(Box::new(Hits { rel: spec.rel()?, cutoff: spec.cutoff_or(usize::MAX), base, by }))
}

/// The number by which the hits are divided.
#[derive(Clone, Copy)]
enum Divisor {
    One,
    Cutoff,
    Relevant,
    /// The smaller of the cutoff and R, because no more hits are possible.
    Attainable,
    /// The mean of the cutoff and R, so that the quotient is the harmonic mean of precision and recall.
    Both,
}

impl Divisor {
    fn of(self, cutoff: usize, relevant: f64) -> f64 {
        match self {
            Divisor::One => 1.0,
            Divisor::Cutoff => cutoff as f64,
            Divisor::Relevant | Divisor::Attainable if relevant == 0.0 => f64::NAN,
            Divisor::Relevant => relevant,
            Divisor::Attainable => relevant.min(cutoff as f64),
            Divisor::Both => (cutoff as f64 + relevant) / 2.0,
        }
    }
}

struct Hits {
    rel: f64,
    cutoff: usize,
    base: RecallBase,
    by: Divisor,
}

impl Hits {
    fn divisor(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.by.of(self.cutoff, self.base.relevant(self.rel, ranking, truth))
    }
}

impl Measure for Hits {
    fn only_relevance(&self) -> Option<f64> {
        Some(self.rel)
    }

    fn reads_to(&self) -> usize {
        self.base.reads_to(self.cutoff)
    }

    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.mean_on(self.base(truth), ranking, truth)
    }

    fn base(&self, truth: &Judgments<'_>) -> f64 {
        self.base.of_judgments(self.rel, truth)
    }

    fn mean_on(&self, relevant: f64, ranking: &Ranking, _truth: &Judgments<'_>) -> f64 {
        let relevant = self.base.or_of_ranking(relevant, self.rel, ranking);
        expected(ranking, self.rel, self.cutoff) / self.by.of(self.cutoff, relevant)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        variance(ranking, self.rel, self.cutoff) / self.divisor(ranking, truth).powi(2)
    }

    fn expected(&self) -> Option<Box<dyn Measure>> {
        let Hits { rel, cutoff, base, by } = *self;
        Some(Box::new(Counted::new(rel, base, cutoff, |_| 1.0, |_| 0.0, move |relevant| by.of(cutoff, relevant))))
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let hits = |group: &Group<'_>, r: usize| resolved(r, group.slots(self.cutoff), group.size, open.resolution);
        let relevant = self.base.open(self.rel, open);
        Some(bounds::of_sum(&open.parts(self.rel, hits), open.not_retrieved(self.rel), |hits, m, e| {
            hits / self.by.of(self.cutoff, relevant(m, e))
        }))
    }
}

impl TieDistribution for Hits {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, _limits: Limits) -> Result<Option<Law>> {
        let divisor = self.divisor(ranking, truth);
        Ok(Some(law(ranking, self.rel, self.cutoff).map(|hits| hits / divisor)))
    }
}

/// The precision at a rank that depends on R.
pub(crate) struct RPrecision {
    pub(crate) rel: f64,
    pub(crate) base: RecallBase,
    /// The rank.
    pub(crate) cutoff: Target,
}

impl RPrecision {
    /// The rank; none if nothing is relevant.
    fn cutoff(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Option<usize> {
        let relevant = self.base.relevant(self.rel, ranking, truth) as usize;
        (relevant > 0).then(|| (self.cutoff)(relevant))
    }
}

impl Measure for RPrecision {
    fn only_relevance(&self) -> Option<f64> {
        Some(self.rel)
    }

    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let cutoff = self.cutoff(ranking, truth);
        cutoff.map_or(f64::NAN, |cutoff| expected(ranking, self.rel, cutoff) / cutoff as f64)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let cutoff = self.cutoff(ranking, truth);
        cutoff.map_or(f64::NAN, |cutoff| variance(ranking, self.rel, cutoff) / (cutoff as f64).powi(2))
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(filling::by_relevant(self.rel, self.base, open, |filling, stage, relevant| {
            let cutoff = (self.cutoff)(relevant);
            hits_at(filling, stage, cutoff, open.resolution) / cutoff as f64
        }))
    }
}

impl TieDistribution for RPrecision {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, _limits: Limits) -> Result<Option<Law>> {
        let of = |cutoff: usize| law(ranking, self.rel, cutoff).map(|hits| hits / cutoff as f64);
        Ok(self.cutoff(ranking, truth).map(of))
    }
}

/// H at a stage of a filling.
fn hits_at(filling: &Filling, stage: FillingStage, cutoff: usize, resolution: Resolution) -> f64 {
    let group = filling.groups.partition_point(|slot| slot.start + slot.size <= cutoff);
    let before = filling.before(stage, group);
    let within = filling.groups.get(group).map_or(0.0, |slot| {
        let relevant = filling.before(stage, group + 1) - before;
        resolved(relevant, cutoff - slot.start, slot.size, resolution)
    });
    before as f64 + within
}

/// The number of hits among the first `slots` documents of a group, which has `size` documents, `relevant` of them
/// relevant.
fn resolved(relevant: usize, slots: usize, size: usize, resolution: Resolution) -> f64 {
    match resolution {
        Resolution::Mean => slots as f64 * relevant as f64 / size as f64,
        Resolution::Best => relevant.min(slots) as f64,
        Resolution::Worst => relevant.saturating_sub(size - slots) as f64,
    }
}

/// E\[H\], the expected number of relevant documents among the first k.
pub(super) fn expected(ranking: &Ranking, rel: f64, cutoff: usize) -> f64 {
    let mut hits = 0;
    for group in ranking.groups_to(cutoff) {
        let (relevant, slots) = (group.relevant(rel), group.slots(cutoff));
        if slots < group.size {
            return hits as f64 + slots as f64 * relevant as f64 / group.size as f64;
        }
        hits += relevant;
    }
    hits as f64
}

/// Var\[H\]: only the group that holds the cutoff varies.
pub(super) fn variance(ranking: &Ranking, rel: f64, cutoff: usize) -> f64 {
    ranking
        .groups_to(cutoff)
        .filter(|group| group.slots(cutoff) < group.size)
        .map(|group| {
            let (n, r, k) = (group.size as f64, group.relevant(rel) as f64, group.slots(cutoff) as f64);
            k * r * (n - r) * (n - k) / (n * n * (n - 1.0))
        })
        .sum()
}

/// The law of H: hypergeometric in the group that holds the cutoff.
pub(super) fn law(ranking: &Ranking, rel: f64, cutoff: usize) -> Law {
    let mut hits = 0;
    for group in ranking.groups_to(cutoff) {
        let (relevant, slots) = (group.relevant(rel), group.slots(cutoff));
        if slots < group.size {
            let within = drawing::within(group.size, relevant, slots);
            return Law::new(within.map(|(of_group, probability)| ((hits + of_group) as f64, probability)).collect());
        }
        hits += relevant;
    }
    Law::certain(hits as f64)
}

/// The smallest and the largest H over all orders.
pub(super) fn extremes(ranking: &Ranking, rel: f64, cutoff: usize) -> (f64, f64) {
    let (mut low, mut high) = (0, 0);
    for group in ranking.groups_to(cutoff) {
        let (relevant, slots) = (group.relevant(rel), group.slots(cutoff));
        low += (slots + relevant).saturating_sub(group.size);
        high += slots.min(relevant);
    }
    (low as f64, high as f64)
}
