//! Average precision.
//!
//! For a group with t documents and R_i relevant ones before it, r of its n relevant, B = R_i + 1 and K of its
//! positions within the cutoff, the mean over all orders (McSherry & Najork 2008, section 2.4) is
//!
//!   E = (1/R) sum over groups, a = 1..K of  (r/n) (B + (a-1) (r-1)/(n-1)) / (t+a).

use super::bounds::{self, Bounds, Open, Resolution};
use super::orders::law::{self, Walk};
use super::uncertain::Counted;
use super::{Definition, Measure, TieDistribution, sum};
use crate::error::Result;
use crate::law::{Law, Limits};
use crate::names::{Cutoff, Info, JUDGED_ONLY, RECALL_BASE, REL, RecallBase, SHARE};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

pub static AVERAGE_PRECISION: Definition = Info {
    name: "AP",
    aliases: &["map", "map_cut", "average_precision", "mean_average_precision"],
    title: "average precision",
    cutoff: Cutoff::Optional,
    parameters: &[REL, RECALL_BASE, JUDGED_ONLY],
    range: SHARE,
    equation: "AP@k = (1/R) sum of P@i over the ranks i <= k of relevant documents, R = all relevant ones",
    tex: r"\mathrm{AP}@k = \frac{1}{R} \sum_{i \le k,\ x_i = 1} \mathrm{P}@i",
    reference: "Buckley & Voorhees 2000; ties: McSherry & Najork 2008, section 2.4",
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    Ok(Box::new(AveragePrecision { rel: spec.rel()?, base: spec.recall_base()?, cutoff: spec.cutoff_or(usize::MAX) }))
});

struct AveragePrecision {
    rel: f64,
    base: RecallBase,
    cutoff: usize,
}

/// A group with relevant documents, in the symbols above.
pub(crate) struct RelevantGroup {
    pub t: usize,
    pub n: f64,
    pub r: f64,
    pub slots: usize,
    pub b: f64,
}

impl AveragePrecision {
    /// Adds up what `add` adds for each group with relevant documents.
    fn over_groups(&self, ranking: &Ranking, add: impl Fn(&mut f64, RelevantGroup)) -> f64 {
        let mut before = 0;
        let mut total = 0.0;
        for group in ranking.groups_to(self.cutoff) {
            let relevant = group.relevant(self.rel);
            if relevant > 0 {
                let part = RelevantGroup {
                    t: group.start,
                    n: group.size as f64,
                    r: relevant as f64,
                    slots: group.slots(self.cutoff),
                    b: (before + 1) as f64,
                };
                add(&mut total, part);
            }
            before += relevant;
        }
        total
    }
}

impl Measure for AveragePrecision {
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
        if relevant == 0.0 {
            return f64::NAN;
        }
        self.over_groups(ranking, add_mean) / relevant
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let relevant = self.base.relevant(self.rel, ranking, truth);
        if relevant == 0.0 {
            return f64::NAN;
        }
        self.over_groups(ranking, |total, part| *total += variance_of(part)) / (relevant * relevant)
    }

    fn expected(&self) -> Option<Box<dyn Measure>> {
        let inverse = |rank: usize| 1.0 / rank as f64;
        Some(Box::new(Counted::new(self.rel, self.base, self.cutoff, inverse, inverse, |relevant| relevant)))
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let parts: Vec<bounds::GroupTerms> = open
            .relevant(self.rel)
            .map(|(group, known, most)| part(&group, known, most, self.cutoff, open.resolution))
            .collect();
        let relevant = self.base.open(self.rel, open);
        Some(bounds::of_sum(&parts, open.not_retrieved(self.rel), |sum, m, e| {
            if relevant(m, e) == 0.0 { f64::NAN } else { sum / relevant(m, e) }
        }))
    }
}

impl TieDistribution for AveragePrecision {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, limits: Limits) -> Result<Option<Law>> {
        let mut before = 0;
        law::of_groups(ranking, self.cutoff, self.base.relevant(self.rel, ranking, truth), limits, |group| {
            let (t, b, r) = (group.start, before + 1, group.relevant(self.rel));
            before += r;
            Walk::new(vec![group.size - r, r], group.slots(self.cutoff), move |above, placed, kind| {
                if kind == 1 { (b + placed[1]) as f64 / (t + above + 1) as f64 } else { 0.0 }
            })
        })
    }
}

/// What a group adds if 0, 1, .. `most` of its documents are relevant. It is linear in the number before the group.
fn part(group: &Group<'_>, known: usize, most: usize, cutoff: usize, resolution: Resolution) -> bounds::GroupTerms {
    let (t, n, slots) = (group.start, group.size, group.slots(cutoff));
    let w = |a: usize| if a <= slots { 1.0 / (t + a) as f64 } else { 0.0 };
    let mut terms = Vec::with_capacity(most + 1);
    terms.push((0.0, 0.0));
    let (w0, w1) = (sum(slots, |i| w(i + 1)), sum(slots, |i| i as f64 * w(i + 1)));
    for r in 1..=most {
        let (o, e) = terms[r - 1];
        terms.push(match resolution {
            Resolution::Mean if n == 1 => (w0, w0),
            Resolution::Mean => {
                let share = r as f64 / n as f64;
                (share * (w0 + (r - 1) as f64 / (n - 1) as f64 * w1), share * w0)
            }
            Resolution::Best => (o + r as f64 * w(r), e + w(r)),
            // One more relevant document comes first, so all others have one more before them.
            Resolution::Worst => (o + e + w(n - r + 1), e + w(n - r + 1)),
        });
    }
    bounds::GroupTerms { known, terms }
}

#[inline]
fn add_mean(total: &mut f64, RelevantGroup { t, n, r, slots, b }: RelevantGroup) {
    if r == n {
        // If all are relevant, they are added rank by rank, so that the sum has the bits of the same documents without
        // ties.
        for i in 0..slots {
            *total += (b + i as f64) / (t + i + 1) as f64;
        }
    } else {
        let next = (r - 1.0) / (n - 1.0);
        *total += r / n * sum(slots, |i| (b + i as f64 * next) / (t + i + 1) as f64);
    }
}

/// The variance of what a group adds: Q = sum over a of w_a x_a (B + sum of x_b over b < a), where w_a = 1/(t+a), and
/// x_a is 1 if the document at position a is relevant and 0 otherwise.
///
/// With p = r/n and y = x - p, Q is a constant plus the linear part L = sum l_a y_a, where
/// l_a = w_a (B + p (a-1)) + p (w_{a+1} + .. + w_K), plus the quadratic part N = sum over b < a of w_a y_a y_b. So
/// Var\[Q\] = Var\[L\] + 2 E\[L N\] + Var\[N\]. The y of a group add up to 0, so all their mixed moments follow from
/// those of one, as for drawing without replacement. E\[Q^2\] - E\[Q\]^2 would lose digits; this does not, because y is
/// centred.
pub(crate) fn variance_of(RelevantGroup { t, n, r, slots, b }: RelevantGroup) -> f64 {
    if r == n {
        return 0.0;
    }
    let p = r / n;
    let pq = p * (1.0 - p);
    // The moments of y are m_ij.. = E[y_1^i y_2^j ..]. Those of more documents than there are do not occur.
    let without = |value: f64, others: f64| if others > 0.0 { -value / others } else { 0.0 };
    let (m2, m3, m4) = (pq, pq * (1.0 - 2.0 * p), pq * (1.0 - 3.0 * pq));
    let m11 = without(m2, n - 1.0);
    let m21 = without(m3, n - 1.0);
    let m111 = without(2.0 * m21, n - 2.0);
    let m22 = without(m4 - n * pq * pq, n - 1.0);
    let m31 = without(m4, n - 1.0);
    let m211 = without(m31 + m22, n - 2.0);
    let m1111 = without(3.0 * m211, n - 3.0);

    let w = |a: usize| 1.0 / (t + a) as f64;
    let mut linear = vec![0.0; slots];
    let mut after = 0.0;
    for a in (1..=slots).rev() {
        linear[a - 1] = w(a) * (b + p * (a - 1) as f64) + p * after;
        after += w(a);
    }
    let total: f64 = linear.iter().sum();
    let mean = total / n;
    let spread: f64 = linear.iter().map(|l| (l - mean).powi(2)).sum::<f64>() + (n - slots as f64) * mean * mean;
    let var_l = m2 * n / (n - 1.0) * spread;

    let (mut cov, mut mean_n, mut square_n) = (0.0, 0.0, 0.0);
    let (mut l_before, mut pairs_before) = (0.0, 0.0); // sums over c < a of l_c and of w_c (c-1)
    for a in 1..=slots {
        let (w, l, above) = (w(a), linear[a - 1], (a - 1) as f64);
        cov += w * ((above * l + l_before) * (m21 - m111) + above * total * m111);
        mean_n += w * above * m11;
        square_n += w * w * above * (m22 + (above - 1.0) * m211)
            + 2.0 * w * pairs_before * (2.0 * m211 + (above - 2.0) * m1111);
        l_before += l;
        pairs_before += w * above;
    }
    (var_l + 2.0 * cov + square_n - mean_n * mean_n).max(0.0)
}
