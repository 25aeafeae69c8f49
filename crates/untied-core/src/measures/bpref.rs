//! Bpref: the number of judged non-relevant documents above each relevant one.
//!
//! With C = R + extra, N the judged non-relevant documents of the qrels, and n those above a relevant document,
//!
//!   bpref = (1/R) sum over retrieved relevant documents of 1 - min(n, C) / min(N, C),    a term being 1 where n = 0.
//!
//! The variant of Buckley & Voorhees' paper divides by C. Unjudged documents are ignored. For ties, see `gaps`.

use std::ops::Range;

use super::bounds::filling::Filling;
use super::bounds::{Bounds, Open, Resolution, Widest};
use super::orders::gaps::Gaps;
use super::orders::law::{self, Walk};
use super::{Definition, Measure, TieDistribution};
use crate::error::Result;
use crate::law::{Law, Limits};
use crate::names::{Info, Parameter, RECALL_BASE, REL, RecallBase, SHARE};
use crate::ranking::Ranking;
use crate::table::Judgments;

const VARIANT: Parameter = Parameter {
    name: "variant",
    default: "'trec_eval'",
    help: "divide by min(N, R + extra) ('trec_eval') or by R + extra ('paper')",
};
const EXTRA: Parameter = Parameter {
    name: "extra",
    default: "0",
    help: "number of non-relevant documents that count in addition to R; bpref-10 has 10 and variant='paper'",
};

pub static BPREF: Definition = Info {
    name: "Bpref",
    aliases: &["bpref"],
    title: "binary preference, how far relevant documents are above judged non-relevant ones",
    parameters: &[REL, VARIANT, EXTRA, RECALL_BASE],
    range: SHARE,
    equation: "Bpref = (1/R) sum over relevant documents of 1 - min(n, C) / min(N, C), n = judged non-relevant \
               documents above it, C = R + extra, N = judged non-relevant documents in the qrels",
    tex: r"\mathrm{Bpref} = \frac{1}{R} \sum_{i:\ x_i = 1} \left( 1 - \frac{\min(n_i, C)}{\min(N, C)} \right), \quad
           C = R + \mathit{extra}",
    reference: "Buckley & Voorhees 2004",
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let paper = spec.choice(VARIANT.name, &[("trec_eval", false), ("paper", true)])?;
    let whole = |extra: f64| extra >= 0.0 && extra.fract() == 0.0 && extra < 1e15;
    Ok(Box::new(Bpref {
        rel: spec.rel()?,
        base: spec.recall_base()?,
        paper,
        extra: spec.number(EXTRA.name, 0.0, "a whole number of at least 0", whole)?,
    }))
});

struct Bpref {
    rel: f64,
    base: RecallBase,
    paper: bool,
    extra: f64,
}

impl Bpref {
    /// Calls `visit` with each group that has relevant documents and with the function of gaps. Returns R, or NaN if it
    /// is 0.
    fn over_groups(
        &self,
        ranking: &Ranking,
        truth: &Judgments<'_>,
        mut visit: impl FnMut(Gaps, &dyn Fn(usize) -> f64),
    ) -> f64 {
        let relevant = self.base.relevant(self.rel, ranking, truth);
        if relevant == 0.0 {
            return f64::NAN;
        }
        let most = relevant + self.extra;
        let judged = (truth.relevant(0.0) - truth.relevant(self.rel)) as f64;
        let by = if self.paper { most } else { most.min(judged) };
        let of = |above: usize| if above == 0 { 1.0 } else { 1.0 - (above as f64).min(most) / by };
        let mut before = 0;
        for group in ranking.groups() {
            let relevant = group.relevant(self.rel);
            let nonrelevant = group.relevant(0.0) - relevant;
            visit(Gaps { relevant, nonrelevant, before }, &of);
            before += nonrelevant;
        }
        relevant
    }
}

impl Measure for Bpref {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |gaps, of| gaps.add_mean(&mut total, of));
        total / relevant
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut total = 0.0;
        let relevant = self.over_groups(ranking, truth, |gaps, of| total += gaps.variance(of));
        total / (relevant * relevant)
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    /// Open documents that get a grade below `rel` count as judged non-relevant. With A relevant documents retrieved
    /// and S the sum of min(n, C) over them, bpref is (A D - S) / (D R), where D is the divisor. D depends on the same
    /// number of relevant documents as R; if R ignores those that are not retrieved, D falls with their number.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let filling = Filling::new(open, self.rel);
        let [known, all] = [false, true].map(|filled| JudgedAbove::new(&filling, filled, open.resolution));
        let relevant = self.base.open(self.rel, open);
        let judged = open.truth.relevant(0.0) - open.truth.relevant(self.rel) + open.count();
        let mut bounds = Widest::default();
        for stage in filling.stages() {
            let (left, retrieved) = ((filling.open() - stage.m) as i64, filling.before(stage, filling.groups.len()));
            let after = stage.cut + 1..filling.groups.len();
            let (before, rest) = if stage.from_top {
                ((&all, 0..stage.cut), (&known, after, -(stage.m as i64)))
            } else {
                ((&known, 0..stage.cut), (&all, after, left))
            };
            let cut = filling.groups.get(stage.cut).map(|slot| {
                let relevant = slot.known + stage.chosen;
                let before = slot.start - filling.before(stage, stage.cut);
                (relevant as f64, range(before, slot.size - relevant, open.resolution))
            });
            for others in filling.others(stage) {
                let base = relevant(stage.m, others);
                let most = base + self.extra;
                let divisor = if self.paper { most } else { most.min((judged - stage.m - others) as f64) };
                let at_cut = cut.map_or(0.0, |(relevant, range)| relevant * mean_of_smaller(range, most as i64));
                let above = before.0.sum(before.1.clone(), 0, most as i64)
                    + at_cut
                    + rest.0.sum(rest.1.clone(), rest.2, most as i64);
                let value = match (base, divisor) {
                    (0.0, _) => f64::NAN,
                    (_, 0.0) => retrieved as f64 / base, // nothing is above
                    _ => (retrieved as f64 * divisor - above) / (divisor * base),
                };
                bounds.add(value);
            }
        }
        Some(bounds.finish())
    }
}

impl TieDistribution for Bpref {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, limits: Limits) -> Result<Option<Law>> {
        let mut laws = Vec::new();
        let relevant = self.over_groups(ranking, truth, |Gaps { relevant, nonrelevant, before }, of| {
            let slots = relevant + nonrelevant;
            laws.push(law::of_chain(
                &mut Walk::new(vec![nonrelevant, relevant], slots, |_, placed, kind| {
                    if kind == 1 { of(before + placed[0]) } else { 0.0 }
                }),
                limits,
            ));
        });
        law::over(laws, relevant, limits)
    }
}

/// The smallest and the largest number of non-relevant documents above a relevant one of a group. All numbers between
/// them are equally likely.
type Between = (i64, i64);

/// These numbers for a group with `before` non-relevant documents before it and `nonrelevant` in it.
fn range(before: usize, nonrelevant: usize, resolution: Resolution) -> Between {
    let (first, last) = (before as i64, (before + nonrelevant) as i64);
    match resolution {
        Resolution::Mean => (first, last),
        Resolution::Best => (first, first),
        Resolution::Worst => (last, last),
    }
}

/// The mean of min(n, most) over the numbers n from the first to the last.
fn mean_of_smaller((first, last): Between, most: i64) -> f64 {
    if last <= most {
        (first + last) as f64 / 2.0
    } else if most <= first {
        most as f64
    } else {
        let sum = (first + most) * (most - first + 1) / 2 + (last - most) * most;
        sum as f64 / (last - first + 1) as f64
    }
}

/// The numbers of non-relevant documents above the relevant ones of each group, if all open documents are relevant or
/// if none are.
struct JudgedAbove {
    groups: Vec<Between>,
    /// For each group: the number of relevant documents before it, and the sum of the mean numbers above them.
    sums: Vec<(i64, f64)>,
}

impl JudgedAbove {
    fn new(filling: &Filling, filled: bool, resolution: Resolution) -> JudgedAbove {
        let (mut groups, mut sums) = (Vec::new(), vec![(0, 0.0)]);
        let mut sum = 0.0;
        for (slot, before) in filling.groups.iter().zip(filling.all_before(filled)) {
            let relevant = if filled { slot.known + slot.open } else { slot.known };
            let between = range(slot.start - before, slot.size - relevant, resolution);
            sum += relevant as f64 * mean_of_smaller(between, i64::MAX);
            groups.push(between);
            sums.push(((before + relevant) as i64, sum));
        }
        JudgedAbove { groups, sums }
    }

    /// The sum of min(n, most) over the relevant documents of some groups, if `more` non-relevant ones are above them
    /// all.
    fn sum(&self, groups: Range<usize>, more: i64, most: i64) -> f64 {
        if groups.is_empty() {
            return 0.0;
        }
        let whole = groups.start + self.groups[groups.clone()].partition_point(|&(_, last)| last + more <= most);
        let (from, to) = (self.sums[groups.start], self.sums[whole]);
        let mut sum = to.1 - from.1 + (more * (to.0 - from.0)) as f64;
        if whole < groups.end {
            // Only one group can have both fewer and more non-relevant documents above than that.
            let ((first, last), next) = (self.groups[whole], self.sums[whole + 1]);
            sum += (next.0 - to.0) as f64 * mean_of_smaller((first + more, last + more), most);
            sum += ((self.sums[groups.end].0 - next.0) * most) as f64;
        }
        sum
    }
}
