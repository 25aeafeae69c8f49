//! Time-biased gain.
//!
//! A user takes T_S seconds for the summary of a document, clicks with probability P(C|r) that depends on whether it
//! is relevant, and then takes T_D for the document. Of those who start, D(t) = 2^(-t/h) are still there after t
//! seconds, and a relevant document is worth g to each who clicks and keeps it:
//!
//!   TBG = sum over ranks k of g_k D(T(k)),    T(1) = 0,  T(k+1) = T(k) + T_S + T_D(l_k) P(C|r_k).
//!
//! This is a cascade with q = 2^(-time/h), where time is that of one document; see [`super::orders::walk`].

use super::bounds::{self, Bounds, Open};
use super::orders::walk::{self, Kind, Path};
use super::{Certainty, Definition, Measure, Orders, Scope};
use crate::elementary::exp2;
use crate::error::Result;
use crate::names::{Cutoff, Info, JUDGED_ONLY, Needs, Parameter, REL, Spec};
use crate::ranking::{Ranking, Text};
use crate::table::Judgments;

const HALF_LIFE: Parameter =
    Parameter { name: "h", default: "224", help: "seconds after which half of the users have left" };
const SUMMARY: Parameter = Parameter { name: "summary", default: "4.4", help: "seconds to read a summary, T_S" };
const PER_WORD: Parameter = Parameter { name: "per_word", default: "0.018", help: "seconds to read a unit of length" };
const PER_DOCUMENT: Parameter = Parameter {
    name: "per_document",
    default: "7.8",
    help: "seconds for a document of any length: T_D = per_word * length + per_document, unless docs have seconds",
};
const CLICK_RELEVANT: Parameter =
    Parameter { name: "click_relevant", default: "0.64", help: "probability that a relevant summary is clicked" };
const CLICK_OTHER: Parameter =
    Parameter { name: "click_other", default: "0.39", help: "probability that another summary is clicked" };
const SAVE: Parameter = Parameter {
    name: "save",
    default: "0.77",
    help: "probability that a clicked relevant document is saved; a relevant document gains click_relevant * save",
};

pub static TBG: Definition = Info {
    name: "TBG",
    aliases: &["time_biased_gain"],
    title: "time-biased gain",
    cutoff: Cutoff::Optional,
    parameters: &[HALF_LIFE, SUMMARY, PER_WORD, PER_DOCUMENT, CLICK_RELEVANT, CLICK_OTHER, SAVE, REL, JUDGED_ONLY],
    needs: Needs::Documents,
    range: "0 or more",
    equation: "sum over ranks k of g_k 2^(-T(k) / h), T(1) = 0, T(k+1) = T(k) + T_S + T_D(l_k) P(click)",
    tex: r"\mathrm{TBG} = \sum_k g_k\, 2^{-T(k)/h}, \quad T(k + 1) = T(k) + T_S + T_D(l_k)\, P_{\mathrm{click}}(k)",
    reference: "Smucker & Clarke 2012; ties: as ERR; extremes by g / (1 - q) (Smith 1956)",
    sampled: &[walk::SAMPLED],
    ..Info::DEFAULT
}
.built_by(|spec, scope| Ok(Box::new(TimeBiasedGain::new(spec, scope)?)));

/// Time-biased gain with its parameters.
pub(crate) struct TimeBiasedGain {
    rel: f64,
    /// The weight 1 for each rank that counts.
    weights: Vec<f64>,
    half_life: f64,
    summary: f64,
    per_word: f64,
    per_document: f64,
    click_relevant: f64,
    click_other: f64,
    gain: f64,
}

impl TimeBiasedGain {
    pub(crate) fn new(spec: &Spec, scope: &Scope<'_>) -> Result<TimeBiasedGain> {
        let seconds = |name: &str, default: f64| spec.number(name, default, "a number of at least 0", |t| t >= 0.0);
        let share =
            |name: &str, default: f64| spec.number(name, default, "a number from 0 to 1", |p| (0.0..=1.0).contains(&p));
        let click_relevant = share(CLICK_RELEVANT.name, 0.64)?;
        Ok(TimeBiasedGain {
            rel: spec.rel()?,
            weights: vec![1.0; spec.cutoff_or(usize::MAX).min(scope.depth)],
            half_life: spec.number(HALF_LIFE.name, 224.0, "a number above 0", |h| h > 0.0)?,
            summary: seconds(SUMMARY.name, 4.4)?,
            per_word: seconds(PER_WORD.name, 0.018)?,
            per_document: seconds(PER_DOCUMENT.name, 7.8)?,
            click_relevant,
            click_other: share(CLICK_OTHER.name, 0.39)?,
            gain: click_relevant * share(SAVE.name, 0.77)?,
        })
    }

    /// The number of ranks that count.
    pub(crate) fn cutoff(&self) -> usize {
        self.weights.len()
    }

    /// What a relevant document is worth to a user who gets to it.
    pub(crate) fn gain(&self) -> f64 {
        self.gain
    }

    /// The shares of users who go on after a document if it is not relevant, and if it is.
    pub(crate) fn go_on(&self, length: f64, seconds: f64) -> [f64; 2] {
        [f64::NEG_INFINITY, f64::INFINITY].map(|grade| self.kind(&Text { grade, length, seconds }).go_on)
    }

    fn kind(&self, text: &Text) -> Kind {
        let relevant = text.grade >= self.rel;
        let reading =
            if text.seconds.is_nan() { self.per_word * text.length + self.per_document } else { text.seconds };
        let time = self.summary + reading * if relevant { self.click_relevant } else { self.click_other };
        Kind { gain: if relevant { self.gain } else { 0.0 }, go_on: exp2(-time / self.half_life), count: 1 }
    }
}

impl Path for TimeBiasedGain {
    fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn walk(&self, ranking: &Ranking, part: &mut dyn FnMut(&[Kind]) -> bool) {
        for group in ranking.texts.groups() {
            let mut kinds: Vec<Kind> = group.iter().map(|text| self.kind(text)).collect();
            // Sorting makes the order independent of the input, and puts equal ones together.
            kinds.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(b.go_on.total_cmp(&a.go_on)));
            kinds.dedup_by(|next, kind| {
                let same = next.gain == kind.gain && next.go_on == kind.go_on;
                kind.count += usize::from(same);
                same
            });
            if !part(&kinds) {
                return;
            }
        }
    }
}

impl Measure for TimeBiasedGain {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        walk::path_mean(self, ranking)
    }

    fn variance(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        walk::path_variance(self, ranking)
    }

    fn extremes(&self, orders: &Orders, _: &Judgments<'_>) -> (f64, f64) {
        walk::path_extremes(self, &orders.tied)
    }

    /// There are bounds only if no document, once it is relevant, costs more by the time that it takes than it gains.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let texts = || open.ranking.texts.groups().flatten();
        let kinds = |text: &Text| [0.0, f64::INFINITY].map(|grade| self.kind(&Text { grade, ..*text }));
        let longest = texts().flat_map(kinds).map(|kind| kind.go_on).fold(0.0, f64::max);
        // The most that all other documents after one can be worth.
        let after = (1..texts().count()).fold(0.0, |after, _| self.gain + longest * after);
        let pays = |[other, relevant]: [Kind; 2]| relevant.gain >= (other.go_on - relevant.go_on) * after;
        texts().filter(|text| text.grade < 0.0).map(kinds).all(pays).then(|| bounds::monotone(self, open))
    }

    fn certainty(&self, ranking: &Ranking, _: &Judgments<'_>) -> Certainty {
        walk::path_certainty(self, ranking)
    }
}
